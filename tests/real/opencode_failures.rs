//! The real OpenCode failing for real: the cause that `ask` names is the cause.

use agent_launcher::{Code, Status, Step};
use serde_json::json;

use crate::opencode_ground::{machine, settings, with};
use crate::support::command::{Asked, ask, mcp};
use crate::support::machine::skipped;
use crate::support::model::{Model, silence, status, text};

/// An error body as OpenAI-compatible servers send it.
fn body(message: &str, code: &str) -> String {
    json!({ "error": { "message": message, "type": "error", "code": code } }).to_string()
}

/// The run failed, once, with this code, and says what to do.
fn assert_failed(asked: &Asked, code: Code, exit: i32) {
    asked.told.check();
    let guidance = asked.told.error().unwrap_or_else(|| panic!("an Error event: {asked:#?}"));
    assert_eq!(guidance.code, code, "{asked:#?}");
    assert_eq!((asked.told.outcome().status, asked.code), (Status::Failed, Some(exit)), "{asked:#?}");
    assert!(!guidance.steps.is_empty() && !guidance.title.is_empty(), "{guidance:#?}");
}

async fn with_status(code: u16, body: String) -> Asked {
    let model = Model::start([status(code, body)]).await;
    let machine = with(&model).await;
    let asked = ask(&machine, &["Hello."]).await;
    assert_eq!(machine.processes(), Vec::<String>::new());
    asked
}

#[tokio::test]
async fn the_provider_refuses_the_key() {
    if !skipped() {
        let asked = with_status(401, body("Incorrect API key provided", "invalid_api_key")).await;
        assert_failed(&asked, Code::TokenRejected, 3);
    }
}

#[tokio::test]
async fn the_provider_forbids() {
    if !skipped() {
        let asked = with_status(403, body("You are not allowed to use this model", "permission_denied")).await;
        assert_failed(&asked, Code::TokenLacksPermission, 3);
    }
}

#[tokio::test]
async fn the_provider_has_no_such_model() {
    if !skipped() {
        let asked = with_status(404, body("The model `mock` does not exist", "model_not_found")).await;
        assert_failed(&asked, Code::ModelUnavailable, 1);
    }
}

#[tokio::test]
async fn a_limit_is_told_while_opencode_still_tries_and_in_the_end() {
    if skipped() {
        return;
    }
    let model =
        Model::start([status(429, body("Rate limit reached", "rate_limit_exceeded")).header("retry-after", "1")]).await;
    let mut machine = with(&model).await;
    machine.is_idle();
    let asked = ask(&machine, &["Hello."]).await;
    assert_failed(&asked, Code::RateLimited, 1);
    assert!(asked.told.error().unwrap().steps.iter().any(|step| matches!(step, Step::Retry { .. })), "{asked:#?}");
    assert_eq!(asked.told.notices().len(), 1, "one warning for a cause: {asked:#?}");
}

/// OpenCode says nothing for more than half a minute: the run's limit ends it, and the cause is named.
#[tokio::test]
async fn trouble_of_the_provider_is_told_long_before_opencode_gives_up() {
    if skipped() {
        return;
    }
    let model = Model::start([status(500, body("Internal server error", "server_error"))]).await;
    let refused = Model::refused().await;
    for url in [model.url(), refused] {
        let mut machine = machine(&url).await;
        machine.is_idle();
        let asked = ask(&machine, &["--timeout", "25", "Hello."]).await;
        asked.told.check();
        let guidance = asked.told.error().unwrap_or_else(|| panic!("an Error event: {asked:#?}"));
        assert_eq!((guidance.code, asked.code), (Code::TimedOut, Some(124)), "{asked:#?}");
        assert_eq!(guidance.params["reason_code"], "network", "{guidance:#?}");
        assert_eq!(asked.told.notices().len(), 1, "{asked:#?}");
        assert_eq!(machine.processes(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn the_provider_is_silent() {
    if skipped() {
        return;
    }
    let model = Model::start([silence()]).await;
    let mut machine = with(&model).await;
    machine.is_idle();
    let asked = ask(&machine, &["--idle-timeout", "20", "Hello."]).await;
    assert_eq!(asked.told.error().map(|guidance| guidance.code), Some(Code::Idle), "{asked:#?}");
    assert_eq!(asked.code, Some(124));
    assert_eq!(machine.processes(), Vec::<String>::new());
}

#[tokio::test]
async fn a_model_that_opencode_does_not_know_and_a_provider_without_a_sign_in_are_told() {
    if skipped() {
        return;
    }
    let model = Model::start([text("Never.")]).await;
    let machine = with(&model).await;
    for name in ["local/nope", "openai/gpt-4o"] {
        let asked = ask(&machine, &["--model", name, "Hello."]).await;
        assert_failed(&asked, Code::ModelUnavailable, 1);
        let guidance = asked.told.error().unwrap();
        assert!(guidance.title.contains(name), "{guidance:#?}");
        assert!(guidance.steps.contains(&Step::Run { command: "opencode auth login".into() }), "{guidance:#?}");
    }
    assert_eq!(model.calls().len(), 0);
}

#[tokio::test]
async fn the_session_is_unknown() {
    if skipped() {
        return;
    }
    let model = Model::start([text("Never.")]).await;
    let machine = with(&model).await;
    let asked = ask(&machine, &["--resume", "ses_dd2a63739ffedR43MRFacuNbOP", "Hello."]).await;
    assert_failed(&asked, Code::SessionNotFound, 1);
    assert_eq!(model.calls().len(), 0);
}

#[tokio::test]
async fn an_answer_that_is_not_complete_or_empty_is_told() {
    if skipped() {
        return;
    }
    let model = Model::start([text("")]).await;
    let machine = with(&model).await;
    assert_failed(&ask(&machine, &["Hello."]).await, Code::NoAnswer, 1);
}

#[tokio::test]
async fn a_server_of_the_app_that_is_missing_crashes_or_hangs_is_told_and_the_answer_comes() {
    if skipped() {
        return;
    }
    let model = Model::start([text("Without it.")]).await;
    let mut machine = with(&model).await;
    machine.is_idle();
    settings(&machine, &model.url(), json!({}));
    let missing = json!({ "name": "tolaria", "command": "/bin/false", "args": [] }).to_string();
    for server in [missing, mcp(&machine, "crash"), mcp(&machine, "hang")] {
        let asked = ask(&machine, &["--mcp", &server, "Hello."]).await;
        asked.told.check();
        assert_eq!(asked.told.outcome().status, Status::Completed, "{asked:#?}");
        assert_eq!(asked.told.text(), "Without it.");
        let notices = asked.told.notices();
        assert!(
            notices.iter().any(|(_, notice)| notice.starts_with("The tools of tolaria could not be used")),
            "{asked:#?}"
        );
        assert_eq!(machine.processes(), Vec::<String>::new());
    }
}
