//! What a person is told when a run of the command fails: the cases of errors, the whole way through a fake agent.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::Bench;
use crate::support::command::Ended;

/// A step that plays a recording of the real Copilot.
fn recorded(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings/copilot").join(name);
    let word = if name.ends_with(".stderr") { "recorded-err" } else { "recorded" };
    format!("{word} {}", path.display())
}

/// The guidance of the run's `Error`.
fn guidance(ended: &Ended) -> Value {
    let events = ended.events();
    let errors: Vec<&Value> = events.iter().filter(|event| event["kind"] == "Error").collect();
    assert_eq!(errors.len(), 1, "{ended:?}");
    assert_eq!(errors[0]["message"], errors[0]["guidance"]["message"]);
    errors[0]["guidance"].clone()
}

/// `ask` with a variable in the environment of the command.
fn ask_with(bench: &Bench, name: &str, value: &str) -> Ended {
    bench.end(bench.asking(&["--json", "hi"]).env(name, value).spawn().unwrap())
}

fn notices(ended: &Ended) -> Vec<String> {
    let events = ended.events();
    let notices = events.iter().filter(|event| event["kind"] == "Notice");
    notices.map(|event| event["message"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn r01_no_login_is_setup_and_names_the_sign_in() {
    let bench = Bench::copilot(&format!("{}\nexit 1", recorded("5_noauth_json.stderr")));
    let ended = bench.ask(&["--json", "hi"]);
    assert_eq!(ended.code, Some(3), "{ended:?}");
    let guidance = guidance(&ended);
    assert_eq!(guidance["code"], "not_signed_in");
    assert!(guidance["steps"].as_array().unwrap().contains(&json!({"kind": "run", "command": "copilot login"})));
}

#[test]
fn r02_an_unknown_failure_shows_its_lines_the_version_the_path_and_what_to_do() {
    let bench = Bench::copilot("err Something nobody has seen\nexit 7");
    let guidance = guidance(&bench.ask(&["--json", "hi"]));
    assert_eq!((&guidance["code"], &guidance["evidence"]), (&json!("unknown"), &json!(["Something nobody has seen"])));
    let message = guidance["message"].as_str().unwrap();
    for part in ["exit code 7", "1.0.102", "[ROOT]/bin/copilot"] {
        assert!(message.contains(part), "{part} in {message}");
    }
    assert!(!guidance["steps"].as_array().unwrap().is_empty());
}

#[test]
fn r03_nothing_on_either_pipe_is_no_answer() {
    for exit in ["exit 0", "exit 1"] {
        let ended = Bench::copilot(exit).ask(&["--json", "hi"]);
        assert_eq!((guidance(&ended)["code"].as_str(), ended.code), (Some("no_answer"), Some(1)), "{ended:?}");
    }
}

#[test]
fn r06_a_rate_limit_that_never_exits_is_told_with_its_date() {
    let bench = Bench::copilot(&format!("{}\nstall", recorded("5_gh_chat_429_weekly_json.stdout")));
    let guidance = guidance(&bench.ask(&["--json", "hi"]));
    assert_eq!(guidance["code"], "rate_limited");
    assert!(guidance["message"].as_str().unwrap().contains("December 1, 2026 at 12:11 PM"), "{guidance}");
}

#[test]
fn r08_proxy_settings_that_reached_the_agent_are_named_and_their_values_are_not() {
    let bench = Bench::copilot("err TypeError: fetch failed\nexit 1");
    let ended = ask_with(&bench, "HTTPS_PROXY", "http://someone:planted-value-0@proxy.invalid:8080");
    let guidance = guidance(&ended);
    assert_eq!(guidance["code"], "network");
    assert!(guidance["message"].as_str().unwrap().contains("HTTPS_PROXY"), "{guidance}");
    assert!(!format!("{ended:?}").contains("planted-value-0"));
}

#[test]
fn r10_a_refused_key_is_told_at_once_and_again_when_the_agent_stays_silent() {
    let bench = Bench::copilot(&format!("{}\nstall", recorded("5_http_401_text.stderr")));
    let ended = bench.ask(&["--json", "--idle-timeout", "1", "hi"]);
    assert_eq!(ended.code, Some(124), "{ended:?}");
    let told = notices(&ended);
    assert!(told.iter().any(|notice| notice.contains("Authentication failed with provider at")), "{told:?}");
    let guidance = guidance(&ended);
    assert_eq!((&guidance["code"], &guidance["params"]["reason_code"]), (&json!("idle"), &json!("token_rejected")));
}

#[test]
fn r10_a_known_fatal_line_ends_the_wait_early_although_no_limit_was_set() {
    let bench = Bench::copilot(&format!("{}\nstall", recorded("5_http_401_text.stderr")));
    let ended = bench.ask(&["--json", "hi"]);
    assert_eq!((guidance(&ended)["code"].as_str(), ended.code), (Some("token_rejected"), Some(3)), "{ended:?}");
    assert_eq!(ended.outcome()["status"], "failed");
}

#[test]
fn r10_an_agent_that_goes_on_to_answer_after_such_a_line_is_left_alone() {
    let delta = r#"{"type":"assistant.message_delta","data":{"messageId":"m","deltaContent":"still here"}}"#;
    let bench = Bench::copilot(&format!("{}\nsleep 300\njson {delta}\nanswer", recorded("5_http_401_text.stderr")));
    let ended = bench.ask(&["--json", "hi"]);
    assert_eq!((ended.outcome()["status"].as_str(), ended.code), (Some("completed"), Some(0)), "{ended:?}");
}

#[test]
fn r11_refused_tools_are_said_whether_or_not_there_is_an_answer() {
    let bench = Bench::copilot(&recorded("9_json_denied.stdout"));
    let ended = bench.ask(&["--json", "hi"]);
    let refused = ended.outcome()["denied_tools"].as_u64().unwrap();
    assert!(refused >= 2, "{ended:?}");
    let told = notices(&ended);
    let expected = format!("{refused} actions were refused; first: Permission denied because no interactive user");
    assert!(told.iter().any(|notice| notice.starts_with(&expected)), "{told:?}");
}

#[test]
fn r17_a_question_about_signing_in_is_no_silence_but_a_missing_sign_in() {
    let bench = Bench::copilot("err Enter one-time code: CA8D-C2B6 at https://github.com/login/device\nexit 1");
    let ended = bench.ask(&["--json", "hi"]);
    assert_eq!((guidance(&ended)["key"].as_str(), ended.code), (Some("sign_in_prompt"), Some(3)), "{ended:?}");
}

#[test]
fn r19_an_error_event_fails_the_run_although_the_agent_exits_0() {
    let error = r#"{"type":"session.error","data":{"errorType":"query","statusCode":500,"message":"Failed to get response from the AI model; retried 5 times (total retry wait time: 16.14 seconds) Last error: 500 boom"}}"#;
    let bench = Bench::copilot(&format!("json {error}\nexit 0"));
    let ended = bench.ask(&["--json", "hi"]);
    assert_eq!((guidance(&ended)["code"].as_str(), ended.code), (Some("network"), Some(1)), "{ended:?}");
}

#[test]
fn classify_says_of_a_captured_stderr_what_a_run_would_say() {
    let bench = Bench::copilot("");
    let classify = |stderr: &[u8], args: &[&str]| {
        let mut command = bench.command(&[&["classify", "--agent", "copilot", "--json"], args].concat());
        let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), stderr).unwrap();
        let ended = bench.end(child);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        ended.json()
    };
    assert_eq!(
        classify(b"Error: No authentication information found.\n", &["--exit-code", "1"])["code"],
        "not_signed_in"
    );
    assert_eq!(classify(b"author not found\n", &["--exit-code", "1"])["code"], "unknown");
    assert_eq!(classify(b"", &["--exit-code", "139"])["code"], "agent_crashed");
    assert_eq!(classify(b"", &[])["code"], "no_answer");
    let secret = classify(b"boom with ghp_0123456789abcdefABCDEF0123456789abcd inside \xff\n", &[]);
    assert_eq!(secret["evidence"][0], "boom with <redacted> inside \u{fffd}");
}

#[test]
fn no_secret_of_the_run_comes_out_of_any_event_of_a_failure() {
    let bench = Bench::copilot("err Error: Model \"planted-value-0\" from --model flag is not available.\nexit 1");
    let ended = ask_with(&bench, "GH_TOKEN", "planted-value-0");
    assert_eq!(guidance(&ended)["code"], "model_unavailable");
    assert!(!format!("{ended:?}").contains("planted-value-0"), "{ended:?}");
}
