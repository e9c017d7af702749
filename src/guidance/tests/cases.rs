//! The cases R of the field log: what went wrong in public, and what is said instead.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::spec;
use crate::adapters::{Answer, Floor, Spec, StopSignal};
use crate::error::Error;
use crate::guidance::rule::{Example, On, Rule, phrase};
use crate::guidance::{
    AgentError, Cause, Code, Failure, Guidance, Step, answer_is_failure, before, classify, early_warning, shared, texts,
};
use crate::request::AgentId;

fn failure() -> Failure<'static> {
    Failure { exit_code: Some(1), ..Failure::new(spec(), "Tolaria") }
}

fn of_stderr(stderr: &str) -> Guidance {
    classify(&Failure { stderr, ..failure() })
}

fn commands(guidance: &Guidance) -> Vec<&str> {
    fn run(step: &Step) -> Option<&str> {
        match step {
            Step::Run { command } => Some(command.as_str()),
            _ => None,
        }
    }
    guidance.steps.iter().filter_map(run).collect()
}

fn error(error_type: &str, status: u16, code: &str, message: &str) -> AgentError {
    AgentError {
        error_type: error_type.to_owned(),
        message: message.to_owned(),
        status: Some(status),
        code: (!code.is_empty()).then(|| code.to_owned()),
    }
}

#[test]
fn r01_nobody_signed_in_leads_to_the_sign_in_and_names_the_variables_found() {
    let variables = [String::from("GH_TOKEN")];
    let stderr =
        "Error: No authentication information found.\n\nCopilot can be authenticated with GitHub using an OAuth Token.";
    let guidance = classify(&Failure { stderr, auth_variables: &variables, ..failure() });
    assert_eq!(guidance.code, Code::NotSignedIn);
    assert_eq!(commands(&guidance), ["copilot login"]);
    assert!(guidance.message.contains("GH_TOKEN") && guidance.message.contains("Tolaria"), "{}", guidance.message);
    assert_eq!(guidance.evidence, ["Error: No authentication information found."]);
}

#[test]
fn r01_a_refused_token_names_the_variable_it_came_from_and_never_its_value() {
    let variables = [String::from("GH_TOKEN"), String::from("GITHUB_TOKEN")];
    let secrets = [String::from("planted-value-0")];
    let stderr = "Error: Authentication failed (Request ID: ABCD) for planted-value-0";
    let guidance = classify(&Failure { stderr, auth_variables: &variables, secrets: &secrets, ..failure() });
    assert_eq!(guidance.code, Code::TokenRejected);
    assert!(guidance.message.contains("the environment variable GH_TOKEN."), "{}", guidance.message);
    assert!(guidance.steps.contains(&Step::Set { variable: "GH_TOKEN".into() }));
    assert!(!serde_json::to_string(&guidance).unwrap().contains("planted-value-0"));
}

#[test]
fn r02_whatever_is_not_known_keeps_the_lines_the_version_the_path_and_a_next_step() {
    let stderr = "Something nobody has seen\nGH_TOKEN=ghp_0123456789abcdefABCDEF was used";
    let program = Path::new("/opt/homebrew/bin/copilot");
    let guidance = classify(&Failure { stderr, version: Some("1.0.102"), program: Some(program), ..failure() });
    assert_eq!(guidance.code, Code::Unknown);
    assert_eq!(guidance.evidence, ["Something nobody has seen", "GH_TOKEN=<redacted> was used"]);
    assert!(
        guidance.message.ends_with("(Program: GitHub Copilot CLI 1.0.102, /opt/homebrew/bin/copilot)"),
        "{}",
        guidance.message
    );
    assert!(guidance.message.contains("exit code 1"), "{}", guidance.message);
    assert!(!guidance.steps.is_empty());
}

#[test]
fn r03_silence_is_never_an_empty_bubble() {
    for exit_code in [Some(0), Some(1), None] {
        let guidance = classify(&Failure { exit_code, version: Some("0.0.398"), ..failure() });
        assert_eq!(guidance.code, Code::NoAnswer);
        assert_eq!(commands(&guidance), ["copilot login", "copilot update"]);
        assert!(guidance.message.contains("0.0.398"), "{}", guidance.message);
    }
    // Notes and statistics are no answer and no cause.
    let noise = of_stderr("Changes    +0 -0\nDuration   0s");
    assert_eq!((noise.code, noise.evidence.len()), (Code::NoAnswer, 2));
}

#[test]
fn r06_a_rate_limit_keeps_its_waiting_time_and_a_used_up_quota_is_not_tried_again() {
    let retry = |guidance: &Guidance| {
        guidance.steps.iter().find_map(|step| match step {
            Step::Retry { after_ms } => Some(*after_ms),
            _ => None,
        })
    };
    let cases = [
        ("Sorry, you've hit a rate limit that restricts requests. Please try again in 2 hours.", "2 hours", 7_200_000),
        (
            "You've hit your global rate limit. Please upgrade your plan or wait 6 seconds for your limit to reset.",
            "6 seconds",
            6_000,
        ),
    ];
    for (stderr, words, ms) in cases {
        let guidance = of_stderr(stderr);
        assert_eq!((guidance.code, retry(&guidance)), (Code::RateLimited, Some(Some(ms))), "{stderr}");
        assert!(guidance.message.contains(words), "{}", guidance.message);
    }
    let dated = "You've reached your weekly rate limit. Please wait for your limit to reset on December 1, 2026 at 12:11 PM or switch to auto model to continue.";
    let guidance = of_stderr(dated);
    assert!(guidance.message.contains("December 1, 2026 at 12:11 PM."), "{}", guidance.message);
    assert_eq!(retry(&guidance), Some(None), "a date is no number of milliseconds without a clock");
    for stderr in ["Execution failed: 402 You have no quota", "Quota exceeded. Upgrade to increase your limit: x"] {
        let guidance = of_stderr(stderr);
        assert_eq!((guidance.code, retry(&guidance)), (Code::QuotaExhausted, None), "{stderr}");
    }
    let errors = [error("quota", 402, "quota_exceeded", "You have exceeded your monthly quota")];
    assert_eq!(classify(&Failure { errors: &errors, ..failure() }).code, Code::QuotaExhausted);
}

#[test]
fn r08_network_and_certificates_are_told_apart_and_name_the_proxy_settings_that_arrived() {
    let variables = [String::from("HTTPS_PROXY"), String::from("NODE_EXTRA_CA_CERTS")];
    let cases = [
        ("TypeError: fetch failed", Code::Network),
        ("Error: getaddrinfo ENOTFOUND api.github.com", Code::Network),
        ("Error: connect ECONNREFUSED 127.0.0.1:9", Code::Network),
        ("Error: self-signed certificate in certificate chain", Code::Tls),
        ("  code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',", Code::Tls),
        ("FetchError: request failed: UNABLE_TO_VERIFY_LEAF_SIGNATURE", Code::Tls),
        // What Node prints: the failure and its cause. The cause is more specific.
        ("TypeError: fetch failed\n  [cause]: Error: self-signed certificate in certificate chain", Code::Tls),
    ];
    for (stderr, code) in cases {
        let guidance = classify(&Failure { stderr, network_variables: &variables, ..failure() });
        assert_eq!(guidance.code, code, "{stderr}");
        assert!(guidance.message.contains("HTTPS_PROXY, NODE_EXTRA_CA_CERTS"), "{}", guidance.message);
    }
}

#[test]
fn r10_a_fatal_line_is_told_while_the_agent_still_tries_and_again_when_it_goes_silent() {
    let line = "Authentication failed with provider at http://127.0.0.1:8910/v1 (HTTP 401).";
    let warning = early_warning(spec(), "Tolaria", line, &[]).unwrap();
    assert_eq!((warning.code, warning.fatal), (Code::TokenRejected, true));
    assert!(warning.message.ends_with(line), "{}", warning.message);
    let passing = early_warning(spec(), "Tolaria", "Error: connect ECONNREFUSED 127.0.0.1:9", &[]).unwrap();
    assert_eq!((passing.code, passing.fatal), (Code::Network, false));
    // A server of the agent may say so too, and the agent does without it.
    let anyone = early_warning(spec(), "Tolaria", "Error: 401 Unauthorized", &[]).unwrap();
    assert_eq!((anyone.code, anyone.fatal), (Code::TokenRejected, false));
    for nothing in ["", "author not found", "(node:1) Warning: x", "Changes    +1 -0"] {
        assert_eq!(early_warning(spec(), "Tolaria", nothing, &[]), None, "{nothing}");
    }
    let idle = Cause::Idle(Duration::from_secs(120));
    let guidance = classify(&Failure { cause: Some(idle), stderr: line, ..failure() });
    assert_eq!((guidance.code, guidance.params["reason_code"].as_str()), (Code::Idle, "token_rejected"));
    assert!(
        guidance.message.contains("2 minutes") && guidance.message.contains("did not accept the key"),
        "{}",
        guidance.message
    );
    assert!(guidance.steps.contains(&Step::Set { variable: "COPILOT_PROVIDER_API_KEY".into() }));
    let quiet = classify(&Failure { cause: Some(idle), ..failure() });
    assert_eq!((quiet.code, quiet.params.get("reason")), (Code::Idle, None));
}

#[test]
fn r11_refused_tools_without_an_answer_are_no_success_and_say_which() {
    let first = "permission requested: external_directory (/*); auto-rejecting.";
    let denied = Failure { exit_code: Some(0), denied_tools: 3, first_denied: Some(first), ..failure() };
    let guidance = classify(&denied);
    assert_eq!(guidance.code, Code::PermissionDenied);
    assert!(guidance.message.starts_with("3 actions of GitHub Copilot CLI were refused"), "{}", guidance.message);
    assert!(
        guidance.message.contains("First: permission requested: external_directory (/*); auto-rejecting."),
        "{}",
        guidance.message
    );
    // A run that answered all the same is told in a notice.
    let notice = before::denied(spec(), "Tolaria", 1, Some("Permission denied."), &[]);
    assert_eq!(notice.message, "1 action was refused; first: Permission denied.");
    // A cause that was told is more specific than the refusals.
    let limited = Failure { stderr: "You've hit your rate limit. Please wait", ..denied };
    assert_eq!(classify(&limited).code, Code::RateLimited);
}

/// An agent that refuses untrusted folders with an exit code of its own, as Gemini CLI does.
static STRICT: Spec = Spec {
    id: AgentId::DEMO,
    name: "Strict Agent",
    programs: &["strict"],
    npm_package: None,
    npm_native: None,
    home_dirs: &[],
    version_args: &["--version"],
    version_env: &[],
    identity: "",
    install_prompts: &[],
    install_command: "install strict",
    install_url: "https://example.com",
    update_command: "strict update",
    login_command: "strict login",
    auth_variables: &[],
    floor: Floor { safe: "1.0.0", power_user: "1.0.0" },
    tested: "2.0.0",
    answer: Answer::Pieces,
    stop_signal: StopSignal::Term,
    permissions: &[],
    sources: &[],
    texts: &[],
    rules: &[&[
        Rule {
            on: On::Exit(&[55]),
            code: Code::FolderNotTrusted,
            text: "folder_not_trusted",
            source: "Gemini CLI 0.61.0, 2026-11",
            example: Example::Exit(55),
            near_miss: Example::Exit(54),
        },
        Rule {
            on: phrase("Gemini CLI is not running in a trusted directory\\."),
            code: Code::FolderNotTrusted,
            text: "folder_not_trusted",
            source: "littlebearapps/untether#471",
            example: Example::Text("Gemini CLI is not running in a trusted directory."),
            near_miss: Example::Text("a trusted directory"),
        },
    ]],
};

#[test]
fn r12_an_untrusted_folder_is_recognised_by_exit_code_or_sentence() {
    let by_exit = Failure { exit_code: Some(55), ..Failure::new(&STRICT, "Tolaria") };
    assert_eq!(classify(&by_exit).code, Code::FolderNotTrusted);
    let stderr = "Gemini CLI is not running in a trusted directory. To proceed, pass --skip-trust.";
    let by_sentence = classify(&Failure { stderr, ..Failure::new(&STRICT, "Tolaria") });
    assert_eq!(by_sentence.code, Code::FolderNotTrusted);
    assert!(!commands(&by_sentence).iter().any(|command| command.contains("skip")), "trust is the person's to give");
    assert_eq!(of_stderr("Do you trust the files in this folder?").code, Code::FolderNotTrusted);
}

#[test]
fn r14_what_is_not_found_names_the_command_the_places_and_the_setting() {
    let places: Vec<PathBuf> = ["/usr/bin", "/usr/local/bin", "/opt/a", "/opt/b", "/opt/c"].map(PathBuf::from).to_vec();
    let guidance = before::not_installed(spec(), "Tolaria", &places, None);
    assert_eq!(guidance.code, Code::NotInstalled);
    for part in ["copilot", "/usr/bin, /usr/local/bin, /opt/a, /opt/b and 1 more place.", "setting for where"] {
        assert!(guidance.message.contains(part), "{part} in {}", guidance.message);
    }
    assert_eq!(guidance.evidence.len(), 5);
    assert_eq!(commands(&guidance), ["npm install -g @github/copilot"]);
}

#[test]
fn r15_every_message_takes_the_name_of_the_agent_that_ran() {
    for stderr in [
        "TypeError: fetch failed",
        "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
        "x",
        "",
    ] {
        let guidance = classify(&Failure { stderr, ..Failure::new(&STRICT, "Tolaria") });
        let text = format!("{} {}", guidance.title, guidance.message);
        assert!(text.contains("Strict Agent") && !text.contains("Copilot"), "{text}");
    }
    // No text that a rule of all agents leads to speaks of one of them.
    for rule in shared::RULES.iter().copied().flatten() {
        let text = texts::find(rule.text);
        let words = format!("{text:?}").to_lowercase();
        assert!(!words.contains("copilot") && !words.contains("github"), "{}", text.key);
    }
}

#[test]
fn r16_an_error_crosses_the_boundary_as_a_kind_and_texts() {
    let json = serde_json::to_value(of_stderr("Error: No authentication information found.")).unwrap();
    assert_eq!(json["code"], "not_signed_in");
    for field in ["title", "message", "key"] {
        assert!(json[field].is_string(), "{field} of {json}");
    }
    for step in json["steps"].as_array().unwrap() {
        assert!(step["kind"].is_string(), "{step}");
    }
    assert!(json["params"].as_object().unwrap().values().all(serde_json::Value::is_string));
}

#[test]
fn r17_a_question_that_nobody_can_answer_says_to_sign_in_first() {
    for stderr in [
        "Opening authentication page in your browser. Do you want to continue? [Y/n]:",
        "⠸ Waiting for authorization...\n\n Enter one-time code: CA8D-C2B6 at https://github.com/login/device",
    ] {
        let guidance = of_stderr(stderr);
        assert_eq!((guidance.code, guidance.key.as_str()), (Code::NotSignedIn, "sign_in_prompt"), "{stderr}");
        assert!(early_warning(spec(), "Tolaria", stderr, &[]).is_some_and(|warning| warning.fatal));
    }
}

#[test]
fn r19_an_error_event_decides_whatever_the_exit_code_says() {
    let errors =
        [error("query", 500, "", "Failed to get response from the AI model; retried 5 times (x) Last error: 500 boom")];
    let guidance = classify(&Failure { exit_code: Some(0), errors: &errors, ..failure() });
    assert_eq!((guidance.code, guidance.params["status"].as_str()), (Code::Network, "500"));
    // A sentence of the event is more specific than its status.
    let errors = [error("query", 403, "", "You are not licensed to use Copilot.")];
    assert_eq!(classify(&Failure { errors: &errors, ..failure() }).code, Code::SubscriptionRequired);
    let errors = [error("something_new", 403, "", "no")];
    assert_eq!(classify(&Failure { errors: &errors, ..failure() }).code, Code::TokenLacksPermission);
}

#[test]
fn an_answer_that_is_nothing_but_a_provider_error_is_no_answer() {
    let cases = [
        ("[API Error: 401 Incorrect API key provided]", Some(Code::TokenRejected)),
        ("API Error: 429 {\"type\":\"error\"}\n", Some(Code::RateLimited)),
        ("[API Error: 503 Service Unavailable]", Some(Code::Network)),
        ("API Error: 429 means too many requests.\nWait, and ask again.", None),
        ("The server said [API Error: 401 x]", None),
    ];
    for (answer, code) in cases {
        assert_eq!(answer_is_failure(spec(), answer), code.is_some(), "{answer}");
        let failure = Failure { answer, answered: true, exit_code: Some(0), ..failure() };
        assert_eq!(classify(&failure).code, code.unwrap_or(Code::Unknown), "{answer}");
    }
    let long = format!("[API Error: 401 {}]", "x".repeat(5000));
    assert!(!answer_is_failure(spec(), &long), "an answer that long is one");
}

#[test]
fn refused_arguments_name_both_versions_and_an_old_agent_is_told_to_update() {
    let stderr = "error: unknown option '--session-id'";
    let guidance = classify(&Failure { stderr, version: Some("1.0.90"), ..failure() });
    assert_eq!(guidance.code, Code::ArgumentsRejected);
    for part in ["unknown option '--session-id'", "1.0.90", spec().tested] {
        assert!(guidance.message.contains(part), "{part} in {}", guidance.message);
    }
    let new = classify(&Failure { stderr, version: Some("9.1.0"), ..failure() });
    assert_eq!((new.code, new.key.as_str()), (Code::ArgumentsRejected, "version_too_new"));
    assert!(new.message.contains("9.1.0") && new.message.contains(spec().tested), "{}", new.message);
    let old = classify(&Failure { stderr, version: Some("1.0.20"), ..failure() });
    assert_eq!((old.code, old.key.as_str()), (Code::VersionUnsupported, "version_too_old"));
    assert!(old.message.contains("1.0.20") && old.message.contains(spec().floor.safe), "{}", old.message);
}

#[test]
fn a_path_in_the_vault_that_is_refused_is_the_vaults_trouble_and_any_other_the_agents() {
    let stderr = "Error: EACCES: permission denied, open '/home/me/vault/note.md'";
    let inside = classify(&Failure { stderr, vault: Some(Path::new("/home/me/vault")), ..failure() });
    assert_eq!(inside.code, Code::VaultUnreadable);
    let outside = classify(&Failure { stderr, vault: Some(Path::new("/home/me/other")), ..failure() });
    assert_eq!((outside.code, outside.key.as_str()), (Code::BrokenInstall, "home_unwritable"));
}

#[test]
fn an_end_from_outside_is_told_from_a_crash_and_a_sentence_says_more_than_a_signal() {
    let signal = |signal, stderr| classify(&Failure { signal: Some(signal), exit_code: None, stderr, ..failure() });
    assert_eq!((signal(11, "").code, signal(11, "").key.as_str()), (Code::AgentCrashed, "agent_crashed"));
    assert_eq!((signal(9, "").code, signal(9, "").key.as_str()), (Code::AgentCrashed, "agent_killed"));
    let memory = "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory";
    assert_eq!(signal(6, memory).key, "out_of_memory");
    // What was said before the kill is the cause; what was said before a crash is not.
    assert_eq!(signal(9, "You've hit your rate limit. Please wait").code, Code::RateLimited);
    assert_eq!(signal(11, "You've hit your rate limit. Please wait").code, Code::AgentCrashed);
}

#[test]
fn a_node_that_is_too_old_is_told_with_its_own_versions_only() {
    let stderr = "GitHub Copilot CLI requires Node.js v22 or higher. Currently using v20.20.2.";
    let guidance = classify(&Failure { stderr, version: Some("0.0.370"), ..failure() });
    assert!(guidance.message.contains("needs Node.js v22, and this computer has v20.20.2."), "{}", guidance.message);
    let stderr = "Error [ERR_UNKNOWN_BUILTIN_MODULE]: No such built-in module: node:sqlite";
    let guidance = classify(&Failure { stderr, version: Some("1.0.102"), ..failure() });
    assert!(guidance.message.contains("needs Node.js of a newer version."), "{}", guidance.message);
}

#[test]
fn whatever_keeps_a_run_from_starting_has_words_for_a_person() {
    let path = PathBuf::from("/home/me/vault");
    let agent = AgentId::COPILOT;
    let errors = [
        (Error::UnknownAgent { agent: AgentId::new("nobody"), known: vec!["copilot".into()] }, Code::ArgumentsRejected),
        (Error::VaultRelative { path: path.clone() }, Code::ArgumentsRejected),
        (Error::VaultMissing { path: path.clone() }, Code::VaultMissing),
        (Error::VaultNotAFolder { path: path.clone() }, Code::VaultMissing),
        (Error::VaultUnreadable { path, reason: "Permission denied".into() }, Code::VaultUnreadable),
        (Error::InvalidField { field: "prompt", problem: "is empty".into() }, Code::ArgumentsRejected),
        (Error::InvalidServer { name: "x".into(), problem: "y".into() }, Code::ArgumentsRejected),
        (Error::Forbidden { argument: "--yolo".into(), reason: "it widens the mode".into() }, Code::ArgumentsRejected),
        (Error::Unsupported { agent, what: "do that".into() }, Code::ArgumentsRejected),
        (Error::Setup(Box::new(of_stderr(""))), Code::NoAnswer),
        (Error::StreamIdInUse("panel".into()), Code::ArgumentsRejected),
        (Error::ShutDown, Code::Unknown),
        (Error::NoRuntime, Code::Unknown),
    ];
    for (error, code) in errors {
        let guidance = error.guidance();
        assert_eq!(guidance.code, code, "{error}");
        let of_the_app = matches!(error, Error::StreamIdInUse(_) | Error::ShutDown | Error::NoRuntime);
        assert_eq!(guidance.message.contains("not in anything you did"), of_the_app, "{}", guidance.message);
        assert!(
            !guidance.title.is_empty() && !guidance.message.is_empty() && !guidance.steps.is_empty(),
            "{guidance:?}"
        );
    }
}
