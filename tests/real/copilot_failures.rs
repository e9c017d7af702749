//! The real Copilot CLI failing for real: the cause that `ask` names is the cause.

use std::fs;
use std::pin::Pin;

use agent_launcher::{Code, EventKind, Status, Step};

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;

use crate::support::command::{Asked, ask};
use crate::support::machine::{Machine, skipped};
use crate::support::model::{Model, silence, status, text};
use crate::support::versions::{on_every_version, on_newest};

on_every_version!(
    nobody_is_signed_in,
    a_classic_token_is_named,
    the_provider_refuses_the_key,
    the_model_is_unknown,
    the_provider_is_silent,
    the_session_is_unknown,
    an_answer_that_breaks_off_is_asked_again,
    a_reader_who_leaves_stops_the_run,
);
on_newest!(
    the_provider_forbids,
    the_server_of_the_app_is_no_json,
    a_forbidden_flag_is_refused,
    the_vault_is_missing,
    the_agent_is_not_installed,
    an_empty_answer_is_told,
);

/// An error body as OpenAI-compatible servers send it.
fn body(message: &str) -> String {
    serde_json::json!({ "error": { "message": message, "type": "error", "code": "error" } }).to_string()
}

/// Runs `ask` on a machine whose model always answers with this turn.
async fn with_status(version: &'static str, code: u16, message: &str) -> Asked {
    let model = Model::start([status(code, body(message))]).await;
    let machine = Machine::with(version, &model).await;
    let asked = ask(&machine, &["Hello."]).await;
    assert_eq!(machine.processes(), Vec::<String>::new());
    asked
}

/// The run failed, once, with this code, and says what to do.
fn assert_failed(asked: &Asked, code: Code, exit: i32) {
    asked.told.check();
    let guidance = asked.told.error().unwrap_or_else(|| panic!("an Error event: {asked:#?}"));
    assert_eq!(guidance.code, code, "{asked:#?}");
    assert_eq!(asked.told.outcome().status, Status::Failed, "{asked:#?}");
    assert_eq!(asked.code, Some(exit), "{asked:#?}");
    assert!(!guidance.steps.is_empty(), "there is something to do: {guidance:#?}");
    assert!(!guidance.title.is_empty() && !guidance.message.is_empty(), "{guidance:#?}");
    let at = |wanted: fn(&EventKind) -> bool| asked.told.position(wanted);
    let error = at(|kind| matches!(kind, EventKind::Error { .. }));
    let done = at(|kind| matches!(kind, EventKind::Done { .. }));
    assert_eq!(error.map(|at| at + 1), done, "the error comes right before the end");
}

async fn nobody_is_signed_in(version: &'static str) {
    let machine = Machine::signed_out(version).await;
    let asked = ask(&machine, &["Hello."]).await;
    assert_failed(&asked, Code::NotSignedIn, 3);
    let steps = &asked.told.error().unwrap().steps;
    assert!(
        steps.iter().any(|step| matches!(step, Step::Run { command } if command.contains("copilot login"))),
        "{steps:?}"
    );
}

async fn a_classic_token_is_named(version: &'static str) {
    let mut machine = Machine::signed_out(version).await;
    machine.vars.insert("GH_TOKEN".into(), format!("ghp_{}", "0aZ9".repeat(9)));
    let asked = ask(&machine, &["Hello."]).await;
    assert_failed(&asked, Code::TokenRejected, 3);
    assert!(!format!("{asked:?}").contains("0aZ90aZ9"), "the token stands nowhere: {asked:#?}");
}

async fn the_provider_refuses_the_key(version: &'static str) {
    assert_failed(&with_status(version, 401, "Incorrect API key provided").await, Code::TokenRejected, 3);
}

async fn the_provider_forbids(version: &'static str) {
    assert_failed(&with_status(version, 403, "Forbidden").await, Code::TokenRejected, 3);
}

async fn the_model_is_unknown(version: &'static str) {
    assert_failed(&with_status(version, 404, "The model `mock` does not exist").await, Code::ModelUnavailable, 1);
}

/// Copilot asks again for up to a minute before it gives up on these, so they wait together: every version at once.
#[tokio::test]
async fn what_copilot_tries_again_is_told_in_the_end() {
    if skipped() {
        return;
    }
    let mut waiting = FuturesUnordered::<Pin<Box<dyn Future<Output = ()>>>>::new();
    for version in ["1.0.102", "1.0.80", "1.0.69"] {
        waiting.push(Box::pin(too_many_requests(version)));
        waiting.push(Box::pin(the_provider_is_down(version)));
        waiting.push(Box::pin(the_provider_is_not_there(version)));
    }
    while waiting.next().await.is_some() {}
}

async fn too_many_requests(version: &'static str) {
    let model = Model::start([status(429, body("Rate limit reached")).header("retry-after", "1")]).await;
    let mut machine = Machine::with(version, &model).await;
    machine.is_idle();
    let asked = ask(&machine, &["Hello."]).await;
    assert_failed(&asked, Code::RateLimited, 1);
    let steps = &asked.told.error().unwrap().steps;
    assert!(steps.iter().any(|step| matches!(step, Step::Retry { .. })), "{steps:?}");
}

async fn the_provider_is_down(version: &'static str) {
    let model = Model::start([status(500, body("Internal error"))]).await;
    let mut machine = Machine::with(version, &model).await;
    machine.is_idle();
    assert_failed(&ask(&machine, &["Hello."]).await, Code::Network, 1);
}

async fn the_provider_is_not_there(version: &'static str) {
    let mut machine = Machine::new(version, &Model::refused().await).await;
    machine.is_idle();
    assert_failed(&ask(&machine, &["Hello."]).await, Code::Network, 1);
}

async fn the_provider_is_silent(version: &'static str) {
    let model = Model::start([silence()]).await;
    let mut machine = Machine::with(version, &model).await;
    machine.is_idle();
    let asked = ask(&machine, &["--idle-timeout", "4", "Hello."]).await;
    asked.told.check();
    assert_eq!(asked.told.error().map(|guidance| guidance.code), Some(Code::Idle), "{asked:#?}");
    assert_eq!((asked.told.outcome().status, asked.code), (Status::TimedOut, Some(124)));
    assert_eq!(machine.processes(), Vec::<String>::new());
}

async fn the_session_is_unknown(version: &'static str) {
    let model = Model::start([text("Never.")]).await;
    let machine = Machine::with(version, &model).await;
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
    let machine = Machine::with(version, &model).await;
    let asked = ask(&machine, &["Tell."]).await;
    asked.told.check();
    assert_eq!(asked.told.outcome().status, Status::Completed, "{asked:#?}");
    assert_eq!(asked.told.shown(), "Once upon a midnight. The end.", "{asked:#?}");
    assert_eq!(model.calls().len(), 2);
}

async fn an_empty_answer_is_told(version: &'static str) {
    let model = Model::start([text("")]).await;
    let machine = Machine::with(version, &model).await;
    assert_failed(&ask(&machine, &["Hello."]).await, Code::NoAnswer, 1);
}

async fn a_reader_who_leaves_stops_the_run(version: &'static str) {
    use tokio::io::AsyncReadExt;

    let model = Model::start([text("One, ").text("two, ").hang()]).await;
    let machine = Machine::with(version, &model).await;
    let mut child = crate::support::command::command(&machine, &["Count."]).spawn().unwrap();
    model.called(1).await;
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_u8().await.expect("the first event comes");
    child.start_kill().expect("the host can be killed");
    drop(stdout);
    child.wait().await.unwrap();
    let gone = async {
        while !machine.processes().is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(crate::support::DEADLINE / 5, gone).await.expect("nothing is left");
}

async fn the_server_of_the_app_is_no_json(version: &'static str) {
    assert_refused(version, &["--mcp", "{name:tolaria}", "Hello."], "--mcp").await;
}

async fn a_forbidden_flag_is_refused(version: &'static str) {
    for flag in ["--yolo", "--allow-all", "--allow-all-paths", "--allow-all-urls", "--no-such-flag"] {
        assert_refused(version, &["--extra-arg", flag, "Hello."], flag).await;
    }
}

/// Nothing was started, exit 2, and the message names what is wrong.
async fn assert_refused(version: &'static str, args: &[&str], named: &str) {
    let model = Model::start([text("Never.")]).await;
    let machine = Machine::with(version, &model).await;
    let refusal = refused(&machine, args, 2).await;
    assert!(refusal["error"].as_str().is_some_and(|error| error.contains(named)), "{refusal:#}");
    assert_eq!(model.all_calls().len(), 0);
}

/// The one object that the command prints where nothing was started.
async fn refused(machine: &Machine, args: &[&str], exit: i32) -> serde_json::Value {
    let asked = ask(machine, args).await;
    assert_eq!((asked.code, asked.told.0.len()), (Some(exit), 0), "{asked:#?}");
    asked.refusal.expect("the command says why")
}

async fn the_vault_is_missing(version: &'static str) {
    let machine = Machine::new(version, "http://127.0.0.1:1/v1").await;
    fs::remove_dir_all(machine.vault()).unwrap();
    let refusal = refused(&machine, &["Hello."], 2).await;
    assert_eq!(refusal["guidance"]["code"], "vault_missing");
}

async fn the_agent_is_not_installed(version: &'static str) {
    let machine = Machine::new(version, "http://127.0.0.1:1/v1").await;
    fs::remove_file(machine.home().join("bin/copilot")).unwrap();
    let refusal = refused(&machine, &["Hello."], 3).await;
    assert_eq!(refusal["guidance"]["code"], "not_installed");
    assert!(refusal["guidance"]["steps"].to_string().contains("npm install -g @github/copilot"), "{refusal:#}");
}
