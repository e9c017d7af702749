//! The real Codex CLI failing for real: the cause that `ask` names is the cause. It asks again before it gives up, so the
//! settings of these machines ask for one more attempt, and what cannot be shortened waits together.

use std::pin::Pin;

use agent_launcher::{Code, EventKind, McpServer, Status, Step};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;

use crate::support::codex::{at, machine};
use crate::support::command::{Asked, ask, mcp};
use crate::support::model::{Model, status, text};
use crate::support::responses::tools;
use crate::support::told;

/// An error body of the service.
fn body(message: &str, kind: &str) -> String {
    serde_json::json!({ "error": { "message": message, "type": kind, "code": null } }).to_string()
}

/// The run failed, once, with this code, and says what to do.
fn assert_failed(asked: &Asked, code: Code, exit: i32) {
    asked.told.check();
    let guidance = asked.told.error().unwrap_or_else(|| panic!("an Error event: {asked:#?}"));
    assert_eq!(guidance.code, code, "{asked:#?}");
    assert_eq!(asked.told.outcome().status, Status::Failed, "{asked:#?}");
    assert_eq!(asked.code, Some(exit), "{asked:#?}");
    assert!(!guidance.steps.is_empty() && !guidance.title.is_empty() && !guidance.message.is_empty(), "{guidance:#?}");
    let at = |wanted: fn(&EventKind) -> bool| asked.told.position(wanted);
    let error = at(|kind| matches!(kind, EventKind::Error { .. }));
    let done = at(|kind| matches!(kind, EventKind::Done { .. }));
    assert_eq!(error.map(|at| at + 1), done, "the error comes right before the end");
}

/// Asks on a machine whose model always answers with this status.
async fn with_status(code: u16, message: &str, kind: &str) -> Option<Asked> {
    let model = Model::start([status(code, body(message, kind))]).await;
    let mut machine = machine(&model, "").await?;
    machine.is_idle();
    let asked = ask(&machine, &["Hello."]).await;
    assert_eq!(machine.processes(), Vec::<String>::new());
    Some(asked)
}

async fn expect(status: u16, message: &'static str, kind: &'static str, code: Code, exit: i32) {
    if let Some(asked) = with_status(status, message, kind).await {
        assert_failed(&asked, code, exit);
    }
}

async fn refused() {
    let Some(mut machine) = at(&Model::refused().await, "").await else { return };
    machine.is_idle();
    assert_failed(&ask(&machine, &["Hello."]).await, Code::Network, 1);
}

#[tokio::test]
async fn codex_errors_of_the_service_are_told_by_their_cause() {
    let mut waiting = FuturesUnordered::<Pin<Box<dyn Future<Output = ()>>>>::new();
    waiting.push(Box::pin(expect(401, "Missing bearer or basic authentication in header", "x", Code::NotSignedIn, 3)));
    waiting.push(Box::pin(expect(401, "Incorrect API key provided: k-dummy.", "x", Code::TokenRejected, 3)));
    waiting.push(Box::pin(expect(403, "You do not have access", "x", Code::TokenLacksPermission, 3)));
    waiting.push(Box::pin(expect(
        404,
        "The model `nope` does not exist or you do not have access to it.",
        "x",
        Code::ModelUnavailable,
        1,
    )));
    waiting.push(Box::pin(expect(
        400,
        "The 'nope' model is not supported when using Codex with a ChatGPT account.",
        "invalid_request_error",
        Code::ModelUnavailable,
        1,
    )));
    waiting.push(Box::pin(expect(429, "Rate limit reached", "rate_limit", Code::RateLimited, 1)));
    waiting.push(Box::pin(expect(429, "Quota exceeded", "insufficient_quota", Code::QuotaExhausted, 1)));
    waiting.push(Box::pin(expect(500, "oops", "server_error", Code::Network, 1)));
    waiting.push(Box::pin(refused()));
    while waiting.next().await.is_some() {}
}

#[tokio::test]
async fn codex_without_its_key_says_which_variable_is_missing() {
    let model = Model::start([text("Never.")]).await;
    let Some(mut machine) = machine(&model, "").await else { return };
    machine.vars.remove("MOCK_KEY");
    let asked = ask(&machine, &["Hello."]).await;
    assert_failed(&asked, Code::NotSignedIn, 3);
    let steps = &asked.told.error().expect("it failed").steps;
    assert!(steps.iter().any(|step| matches!(step, Step::Set { variable } if variable == "MOCK_KEY")), "{steps:?}");
}

#[tokio::test]
async fn codex_does_not_know_a_session() {
    let model = Model::start([text("Never.")]).await;
    let Some(machine) = machine(&model, "").await else { return };
    let asked = ask(&machine, &["--resume", "11111111-2222-4333-8444-555555555555", "Hello."]).await;
    assert_failed(&asked, Code::SessionNotFound, 1);
    let asked = ask(&machine, &["--resume", "no-uuid", "Hello."]).await;
    assert_eq!(asked.code, Some(2), "{asked:#?}");
    assert_eq!(model.calls().len(), 0, "nothing began");
}

#[tokio::test]
async fn codex_names_the_server_of_the_app_that_does_not_start() {
    let model = Model::start([text("Never.")]).await;
    let Some(machine) = machine(&model, "").await else { return };
    let asked = ask(&machine, &["--mcp", &mcp(&machine, "crash"), "Hello."]).await;
    assert_failed(&asked, Code::McpFailed, 1);
    assert!(asked.told.error().expect("it failed").title.contains("tolaria"), "{asked:#?}");
    let asked = ask(&machine, &["--mcp", &mcp(&machine, "hang"), "Hello."]).await;
    assert_failed(&asked, Code::McpFailed, 1);
    assert_eq!(model.calls().len(), 0, "nothing was asked without the app's tools");
    assert_eq!(machine.processes(), Vec::<String>::new());
}

#[tokio::test]
async fn codex_is_not_started_without_the_program_of_a_server() {
    let model = Model::start([text("Never.")]).await;
    let Some(machine) = machine(&model, "").await else { return };
    let request = machine.request("Hello.").mcp_server(McpServer::stdio("tolaria", "no-such-program"));
    let error = machine.launcher().plan(&request).await.expect_err("the program is nowhere");
    assert!(error.to_string().contains("`no-such-program` was not found"), "{error}");
}

#[tokio::test]
async fn codex_waits_for_a_slow_server() {
    let model = Model::start([text("Hello.")]).await;
    let Some(machine) = machine(&model, "").await else { return };
    let told = told::run(&machine.launcher(), &machine.request("Hello.").mcp_server(machine.mcp("slow"))).await;
    assert_eq!(told.outcome().status, Status::Completed, "{told:#?}");
    assert_eq!(told.mcp("tolaria"), ["connected"]);
    assert!(tools(&model.calls()[0]).iter().any(|tool| tool.contains("mcp") || tool == "tool_search"));
}

#[tokio::test]
async fn codex_settings_with_a_mistake_are_named() {
    let model = Model::start([text("Never.")]).await;
    let Some(machine) = machine(&model, "model_verbosity = \"yolo\"\n").await else { return };
    let asked = ask(&machine, &["--mode", "power-user", "Hello."]).await;
    assert_failed(&asked, Code::ArgumentsRejected, 1);
}

#[tokio::test]
async fn codex_tells_a_message_once_that_a_broken_connection_repeats() {
    let model = Model::with_attempts([vec![
        text("The beginning.").think("Hm.").cut(),
        text("The beginning.").think("Hm.").text("The end."),
    ]])
    .await;
    let Some(machine) = machine(&model, "").await else { return };
    let told = told::run(&machine.launcher(), &machine.request("Go.")).await;
    assert_eq!(told.outcome().status, Status::Completed, "{told:#?}");
    let mut shown = String::new();
    for kind in told.kinds() {
        match kind {
            EventKind::TextDelta { text } => shown += text,
            EventKind::TextRetracted { text } => shown.truncate(shown.len() - text.len()),
            _ => {}
        }
    }
    assert_eq!(shown, "The beginning.\n\nThe end.", "{told:#?}");
    assert!(told.notices().iter().any(|(_, notice)| notice.starts_with("Reconnecting...")), "{told:#?}");
}

/// Of the variables that hold a key, Codex reads `CODEX_API_KEY` alone, and Safe mode gives it that one.
#[tokio::test]
async fn codex_signs_in_with_its_own_variable_and_not_with_that_of_others() {
    let model = Model::start([text("Hello.")]).await;
    let Some(mut machine) = machine(&model, "").await else { return };
    machine.write("home/.codex/config.toml", &format!("model = \"gpt-5.5\"\nopenai_base_url = \"{}\"\n", model.url()));
    machine.vars.insert("CODEX_API_KEY".into(), "sk-codex-canary".into());
    machine.vars.insert("OPENAI_API_KEY".into(), "sk-openai-canary".into());
    let told = told::run(&machine.launcher(), &machine.request("Hello.")).await;
    assert_eq!(told.outcome().status, Status::Completed, "{told:#?}");
    let call = &model.calls()[0];
    assert_eq!(call.headers["authorization"], "Bearer sk-codex-canary");
    assert!(!format!("{told:?}").contains("canary"), "no key stands in an event: {told:#?}");
}
