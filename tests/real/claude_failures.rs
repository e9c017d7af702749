//! What goes wrong with the real Claude Code is told as what it is, through the command.

use agent_launcher::{Code, Status, Step};
use axum::http::HeaderValue;

use crate::support::anthropic::{self, error, on_every_claude, on_newest_claude};
use crate::support::command::{Asked, ask};
use crate::support::machine::Machine;
use crate::support::model::{Model, Turn, silence, status, text};

on_every_claude!(
    nobody_is_signed_in,
    the_key_is_refused,
    the_session_is_unknown,
    an_answer_that_breaks_off_is_asked_again
);
on_newest_claude!(
    the_service_forbids,
    the_credit_is_used_up,
    the_model_is_unknown,
    too_many_requests,
    the_service_is_down,
    the_service_is_not_there,
    the_service_is_silent,
    a_forbidden_flag_is_refused,
    a_helper_of_the_person_signs_in_and_one_of_the_vault_does_not,
);

/// A service that answers with this.
async fn with(version: &'static str, turn: Turn) -> Asked {
    let model = Model::start([turn]).await;
    let mut machine = anthropic::with(version, &model).await;
    machine.is_idle();
    let asked = ask(&machine, &["Hello."]).await;
    assert_eq!(machine.processes(), Vec::<String>::new());
    assert!(!format!("{asked:?}").contains(anthropic::KEY), "the key stands nowhere: {asked:#?}");
    asked
}

/// The run failed, once, with this code, and says what to do.
fn assert_failed(asked: &Asked, code: Code, exit: i32) {
    asked.told.check();
    let guidance = asked.told.error().unwrap_or_else(|| panic!("an Error event: {asked:#?}"));
    assert_eq!(guidance.code, code, "{asked:#?}");
    assert_eq!(asked.told.outcome().status, Status::Failed, "{asked:#?}");
    assert_eq!(asked.code, Some(exit), "{asked:#?}");
    assert!(!guidance.steps.is_empty() && !guidance.title.is_empty(), "{guidance:#?}");
    assert!(guidance.message.contains("Claude Code 2.1."), "the agent and its version are named: {guidance:#?}");
    assert_eq!(asked.told.text(), "", "an error is no answer: {asked:#?}");
}

async fn nobody_is_signed_in(version: &'static str) {
    let machine = anthropic::signed_out(version).await;
    let asked = ask(&machine, &["Hello."]).await;
    assert_failed(&asked, Code::NotSignedIn, 3);
    let guidance = asked.told.error().unwrap();
    let run = |step: &Step| matches!(step, Step::Run { command } if command == "claude auth login");
    assert!(guidance.steps.iter().any(run), "{guidance:#?}");
    assert!(guidance.message.contains("apiKeyHelper"), "a sign-in that does not count is named: {guidance:#?}");
}

async fn the_key_is_refused(version: &'static str) {
    let asked = with(version, status(401, error("authentication_error", "invalid x-api-key"))).await;
    assert_failed(&asked, Code::TokenRejected, 3);
    assert_eq!(asked.told.error().unwrap().params["variable"], "ANTHROPIC_API_KEY");
    let retries = asked.told.notices().iter().filter(|(_, text)| text.contains("asks again")).count();
    assert!((1..=4).contains(&retries), "it is told while it tries, and not for a minute: {asked:#?}");
}

async fn the_service_forbids(version: &'static str) {
    let asked = with(version, status(403, error("permission_error", "Your account does not have permission"))).await;
    assert_failed(&asked, Code::TokenLacksPermission, 3);
}

async fn the_credit_is_used_up(version: &'static str) {
    let message = "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.";
    assert_failed(&with(version, status(400, error("invalid_request_error", message))).await, Code::QuotaExhausted, 1);
}

async fn the_model_is_unknown(version: &'static str) {
    let model = Model::start([status(404, error("not_found_error", "model: claude-nope"))]).await;
    let machine = anthropic::with(version, &model).await;
    let asked = ask(&machine, &["--model", "claude-nope", "Hello."]).await;
    assert_failed(&asked, Code::ModelUnavailable, 1);
    assert_eq!(asked.told.error().unwrap().params["model"], "claude-nope");
}

async fn too_many_requests(version: &'static str) {
    let turn = status(429, error("rate_limit_error", "This request would exceed your rate limit"));
    let asked = with(version, turn.header("retry-after", "1")).await;
    assert_failed(&asked, Code::RateLimited, 1);
    let steps = &asked.told.error().unwrap().steps;
    assert!(steps.iter().any(|step| matches!(step, Step::Retry { .. })), "{steps:?}");
}

async fn the_service_is_down(version: &'static str) {
    assert_failed(&with(version, status(500, error("api_error", "Internal server error"))).await, Code::Network, 1);
}

async fn the_service_is_not_there(version: &'static str) {
    let url = Model::refused().await;
    let mut machine = anthropic::machine(version, url.trim_end_matches("/v1")).await;
    machine.is_idle();
    assert_failed(&ask(&machine, &["Hello."]).await, Code::Network, 1);
}

async fn the_service_is_silent(version: &'static str) {
    let model = Model::start([silence()]).await;
    let machine = anthropic::with(version, &model).await;
    let asked = ask(&machine, &["--idle-timeout", "4", "Hello."]).await;
    asked.told.check();
    assert_eq!(asked.told.error().map(|guidance| guidance.code), Some(Code::Idle), "{asked:#?}");
    assert_eq!((asked.told.outcome().status, asked.code), (Status::TimedOut, Some(124)));
    assert_eq!(machine.processes(), Vec::<String>::new());
}

async fn the_session_is_unknown(version: &'static str) {
    let model = Model::start([text("Never.")]).await;
    let machine = anthropic::with(version, &model).await;
    let asked = ask(&machine, &["--resume", "0f0e0d0c-1111-4222-8333-444455559999", "Hello."]).await;
    assert_failed(&asked, Code::SessionNotFound, 1);
    assert_eq!(model.calls().len(), 0);
}

async fn an_answer_that_breaks_off_is_asked_again(version: &'static str) {
    let model = Model::with_attempts([vec![
        text("Once upon a ").text("time. ").cut(),
        text("Once upon a ").text("midnight.").text(" The end."),
    ]])
    .await;
    let machine = anthropic::with(version, &model).await;
    let asked = ask(&machine, &["Tell."]).await;
    asked.told.check();
    assert_eq!(asked.told.outcome().status, Status::Completed, "{asked:#?}");
    assert_eq!(asked.told.shown(), "Once upon a midnight. The end.", "{asked:#?}");
}

async fn a_forbidden_flag_is_refused(version: &'static str) {
    let model = Model::start([text("Never.")]).await;
    let machine = anthropic::with(version, &model).await;
    for flag in ["--dangerously-skip-permissions", "--allowedTools=Bash", "--no-such-flag"] {
        let asked = ask(&machine, &["--extra-arg", flag, "Hello."]).await;
        assert_eq!((asked.code, asked.told.0.len()), (Some(2), 0), "{asked:#?}");
        let refusal = asked.refusal.expect("the command says why");
        assert!(refusal["error"].as_str().is_some_and(|error| error.contains(flag)), "{refusal:#}");
    }
    assert_eq!(model.all_calls().len(), 0);
}

/// A script that says that it ran, and brings a key.
fn helper(machine: &Machine, mark: &str) -> String {
    format!("touch {}; echo key-of-{mark}", machine.root().join(mark).display())
}

async fn a_helper_of_the_person_signs_in_and_one_of_the_vault_does_not(version: &'static str) {
    let model = Model::start([text("Yes.")]).await;
    let mut machine = anthropic::with(version, &model).await;
    machine.vars.remove("ANTHROPIC_API_KEY");
    let settings = |mark: &str| serde_json::json!({ "apiKeyHelper": helper(&machine, mark) }).to_string();
    machine.write("vault/.claude/settings.json", &settings("vault-helper"));
    assert_failed(&ask(&machine, &["Hello."]).await, Code::NotSignedIn, 3);
    machine.write("home/.claude/settings.json", &settings("person-helper"));
    let asked = ask(&machine, &["Hello."]).await;
    assert_eq!((asked.told.text().as_str(), asked.code), ("Yes.", Some(0)), "{asked:#?}");
    assert_eq!(model.calls()[0].headers["x-api-key"], "key-of-person-helper");
    assert_eq!(machine.read("vault-helper"), None, "the vault's helper did not run");
    let settings =
        serde_json::json!({ "env": { "ANTHROPIC_AUTH_TOKEN": "token-of-settings" }, "model": "model-of-settings" });
    machine.write("home/.claude/settings.json", &settings.to_string());
    let asked = ask(&machine, &["Hello."]).await;
    assert_eq!(asked.code, Some(0), "{asked:#?}");
    let call = model.calls().pop().expect("the model was asked");
    assert_eq!(
        (&call.headers["authorization"], &call.body["model"]),
        (&HeaderValue::from_static("Bearer token-of-settings"), &"model-of-settings".into())
    );
    let asked = ask(&machine, &["--model", "model-of-request", "Hello."]).await;
    assert_eq!(asked.code, Some(0), "{asked:#?}");
    assert_eq!(model.calls().pop().expect("the model was asked").body["model"], "model-of-request");
}
