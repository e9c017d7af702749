//! `ask`: what it prints, for people and for programs, and the code it exits with.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use crate::support::Bench;
use crate::support::command::Ended;
use crate::support::processes::assert_gone;

const GONE: Duration = Duration::from_secs(5);

/// The absolute path of a recording.
fn recording(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings/copilot").join(name);
    path.to_str().unwrap().to_owned()
}

fn delta(text: &str) -> String {
    format!(r#"json {{"type":"assistant.message_delta","data":{{"messageId":"m","deltaContent":"{text}"}}}}"#)
}

fn answer(ended: &Ended) -> String {
    let events = ended.events();
    let deltas = events.iter().filter(|event| event["kind"] == "TextDelta");
    deltas.map(|event| event["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_answer_is_stdout_and_nothing_else_and_the_code_is_0() {
    let bench = Bench::copilot("");
    let ended = bench.ask(&["hi"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), "Hello from the fake\n"), "{ended:?}");
    assert!(ended.stderr.starts_with("copilot · 1.0.102 · "), "{ended:?}");
    assert!(ended.stderr.lines().last().unwrap().starts_with("completed in "), "{ended:?}");
}

#[test]
fn with_json_every_line_is_an_event_from_init_to_done() {
    let bench = Bench::copilot("");
    let ended = bench.ask(&["--json", "--stream-id", "panel-3", "hi"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
    let events = ended.events();
    for (seq, event) in events.iter().enumerate() {
        assert_eq!((&event["stream_id"], &event["seq"]), (&Value::from("panel-3"), &Value::from(seq)), "{event}");
    }
    let kinds = ended.kinds();
    let count = |kind: &str| kinds.iter().filter(|found| *found == kind).count();
    assert_eq!((kinds[0].as_str(), kinds.last().unwrap().as_str()), ("Init", "Done"));
    assert_eq!((count("Init"), count("Done"), count("Error"), count("TextDelta")), (1, 1, 0, 4));
    assert_eq!(answer(&ended), "Hello from the fake");
    assert_eq!(ended.outcome()["status"], "completed");
}

#[test]
fn events_arrive_while_the_agent_is_still_at_work() {
    let bench = Bench::copilot(&format!("{}\nwait-file go\nanswer", delta("early ")));
    for json in [true, false] {
        let _ = std::fs::remove_file(bench.bin().join("go"));
        let mut child = bench.asking(if json { &["--json", "hi"] } else { &["hi"] }).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let mut early = Vec::new();
        // The agent goes on only after this has been read.
        while !String::from_utf8_lossy(&early).contains("early ") {
            let mut byte = [0];
            stdout.read_exact(&mut byte).expect("the first words come before the end");
            early.push(byte[0]);
        }
        std::fs::write(bench.bin().join("go"), "").unwrap();
        let mut rest = String::new();
        stdout.read_to_string(&mut rest).unwrap();
        assert_eq!(bench.end(child).code, Some(0));
        assert!(rest.contains("fake"), "{rest}");
    }
}

#[test]
fn an_agent_that_fails_gives_1_and_a_card() {
    let bench = Bench::copilot("err something went wrong\nexit 7");
    let ended = bench.ask(&["hi"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""), "{ended:?}");
    assert!(ended.stderr.contains("\n  | something went wrong\n"), "{ended:?}");
    let ended = bench.ask(&["--json", "hi"]);
    assert_eq!(ended.code, Some(1));
    let outcome = ended.outcome();
    assert_eq!((&outcome["status"], &outcome["exit_code"]), (&"failed".into(), &7.into()), "{ended:?}");
    assert_eq!(ended.kinds().iter().rev().nth(1).unwrap(), "Error");
}

#[test]
fn setup_that_is_needed_gives_3_and_says_what_to_do() {
    let bench = Bench::copilot(&format!("recorded-err {}\nexit 1", recording("5_noauth_text.stderr")));
    let ended = bench.ask(&["hi"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(3), ""), "{ended:?}");
    assert!(ended.stderr.contains(". In a terminal, run: copilot login\n"), "{}", ended.stderr);
    let ended = bench.ask(&["--json", "hi"]);
    assert_eq!(ended.code, Some(3));
    let events = ended.events();
    assert_eq!(events[events.len() - 2]["guidance"]["code"], "not_signed_in");
}

#[test]
fn an_agent_that_is_not_there_gives_3_and_says_how_to_get_it() {
    let bench = Bench::new();
    let ended = bench.ask(&["hi"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(3), ""), "{ended:?}");
    assert!(ended.stderr.contains("npm install -g @github/copilot"), "{}", ended.stderr);
    let ended = bench.ask(&["--json", "hi"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(3), ""), "{ended:?}");
    let json = ended.json();
    assert_eq!((&json["guidance"]["code"], &json["exit_code"]), (&"not_installed".into(), &3.into()), "{json}");
}

#[test]
fn without_an_agent_the_first_ready_one_is_taken() {
    let bench = Bench::copilot("");
    let vault = bench.vault();
    let vault = vault.to_str().unwrap();
    let ended = bench.run(&["ask", "--json", "--vault", vault, "hi"]);
    assert_eq!((ended.code, &ended.events()[0]["agent"]), (Some(0), &"copilot".into()), "{ended:?}");
    let bare = Bench::new();
    let vault = bare.vault();
    let ended = bare.run(&["ask", "--vault", vault.to_str().unwrap(), "hi"]);
    let message = "error: no agent is ready on this machine\n\nhint: `agent-launcher agents` says what to do for each; \
                   `--agent demo` needs none installed\n";
    assert_eq!(ended, Ended { code: Some(3), stdout: String::new(), stderr: message.into() });
}

#[test]
fn a_run_past_its_limits_gives_124_and_leaves_nothing() {
    let bench = Bench::copilot("fork sleep-forever\nstall");
    for limit in ["--timeout", "--idle-timeout"] {
        let ended = bench.ask(&["--json", limit, "0.5", "hi"]);
        assert_eq!((ended.code, &ended.outcome()["status"]), (Some(124), &"timed_out".into()), "{limit}: {ended:?}");
        assert_gone(&bench.pids(), GONE);
    }
}

#[test]
fn a_dash_reads_the_prompt_from_stdin_without_its_last_newline() {
    let bench = Bench::copilot("");
    let mut child = bench.asking(&["--json", "-"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all("two\nlines, é\n".as_bytes()).unwrap();
    let ended = bench.end(child);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let runs = bench.runs();
    let call = runs.last().unwrap();
    assert!(call.args().iter().any(|arg| arg.ends_with("two\nlines, é")), "{call:?}");
}

#[test]
fn the_prompt_and_the_vault_are_what_the_agent_gets_and_stdin_is_closed() {
    let bench = Bench::copilot("read-stdin\nanswer");
    // The command's own stdin stays open and full: the agent must see none of it.
    let mut child = bench.asking(&["--json", "hi"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"not for the agent").unwrap();
    let ended = bench.end(child);
    drop(stdin);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let runs = bench.runs();
    let call = runs.last().unwrap();
    assert_eq!(call.stdin.as_deref(), Some(""));
    assert_eq!(Path::new(&call.cwd), bench.vault().canonicalize().unwrap());
}

#[test]
fn a_reader_that_leaves_ends_the_run() {
    let words = r#"{"type":"assistant.message_delta","data":{"messageId":"m","deltaContent":"word\n"}}"#;
    for json in [true, false] {
        let bench = Bench::copilot("fork sleep-forever\nrepeat words 100000000\nstall");
        std::fs::write(bench.bin().join("words"), format!("{words}\n").repeat(100)).unwrap();
        let mut child = bench.asking(if json { &["--json", "hi"] } else { &["hi"] }).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut String::new()).unwrap();
        drop(stdout);
        let ended = bench.end(child);
        assert_eq!(ended.code, Some(130), "{ended:?}");
        assert!(!ended.stderr.contains("panicked") && !ended.stderr.contains("error"), "{ended:?}");
        assert_gone(&bench.pids(), GONE);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_stdout_is_told_and_ends_the_run() {
    let bench = Bench::copilot(&format!("fork sleep-forever\n{}\nstall", delta("first")));
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let ended = bench.end(bench.asking(&["--json", "hi"]).stdout(full).spawn().unwrap());
    let message = "error: stdout cannot be written: No space left on device (os error 28)\n";
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(1), message));
    assert_gone(&bench.pids(), GONE);
}
