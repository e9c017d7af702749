//! A Stop that stops, on the real CLI: nothing of a run is left, whatever it was doing.

use std::time::Duration;

use agent_launcher::{EventKind, Mode, Run, Status};
use serde_json::json;

use crate::support::DEADLINE;
use crate::support::command::{command, mcp};
use crate::support::machine::Machine;
use crate::support::model::{Model, silence, text};
use crate::support::told;
use crate::support::versions::{on_every_version, on_newest};

on_every_version!(
    cancel_while_the_model_is_silent,
    cancel_in_the_middle_of_the_answer,
    cancel_in_a_shell_tool,
    cancel_in_a_call_of_the_app_s_server,
    a_killed_host_leaves_nothing,
);
on_newest!(
    cancel_while_a_server_hangs_at_its_start,
    cancel_right_after_the_start,
    a_dropped_run_leaves_nothing,
    shells_that_ignore_the_polite_signal_are_gone_too,
);

/// A run of Copilot in the mode, with the app's server.
async fn started(machine: &Machine, mode: Mode, server: &str) -> (agent_launcher::Launcher, Run) {
    let launcher = machine.launcher();
    let request = machine.request("Go.").mode(mode).stream_id("panel").mcp_server(machine.mcp(server));
    let plan = launcher.plan(&request).await.expect("the request can be planned");
    let run = launcher.start(plan).expect("the plan can be started");
    (launcher, run)
}

/// Cancels and checks the end: cancelled, no error, and nothing left at the moment `Done` is there.
async fn cancel(machine: &Machine, launcher: &agent_launcher::Launcher, run: Run, before: Vec<agent_launcher::Event>) {
    assert_ne!(machine.processes(), Vec::<String>::new(), "the agent runs");
    assert!(launcher.cancel("panel"), "the run is live");
    let told = told::rest(run, before).await;
    assert_eq!(machine.processes(), Vec::<String>::new(), "nothing is left: {told:#?}");
    assert_eq!(told.outcome().status, Status::Cancelled, "{told:#?}");
    assert_eq!(told.error(), None, "a cancelled run is no failure");
    assert!(!launcher.cancel("panel"), "the run is over");
}

async fn cancel_while_the_model_is_silent(version: &'static str) {
    let model = Model::start([silence()]).await;
    let machine = Machine::with(version, &model).await;
    let (launcher, run) = started(&machine, machine.mode(), "ok").await;
    model.called(1).await;
    cancel(&machine, &launcher, run, Vec::new()).await;
}

async fn cancel_in_the_middle_of_the_answer(version: &'static str) {
    let model = Model::start([text("One, ").text("two, ").hang()]).await;
    let machine = Machine::with(version, &model).await;
    let (launcher, mut run) = started(&machine, machine.mode(), "ok").await;
    let before = told::until(&mut run, |kind| matches!(kind, EventKind::TextDelta { text } if text == "two, ")).await;
    cancel(&machine, &launcher, run, before).await;
}

async fn cancel_in_a_shell_tool(version: &'static str) {
    let model = Model::start([
        text("Sleeping.").tool("bash", json!({ "command": "echo $$ > shell; sleep 1000", "description": "Sleeps" })),
        text("Never."),
    ])
    .await;
    let machine = Machine::with(version, &model).await;
    let (launcher, run) = started(&machine, Mode::PowerUser, "ok").await;
    appears(&machine, "vault/shell").await;
    cancel(&machine, &launcher, run, Vec::new()).await;
}

async fn shells_that_ignore_the_polite_signal_are_gone_too(version: &'static str) {
    let stubborn = "trap '' TERM INT HUP; setsid sh -c \"trap '' TERM INT HUP; sleep 1000\" & echo $$ > shell; \
                    while :; do sleep 1000; done";
    let model = Model::start([
        text("Sleeping.").tool("bash", json!({ "command": stubborn, "description": "Sleeps" })),
        text("Never."),
    ])
    .await;
    let machine = Machine::with(version, &model).await;
    let (launcher, run) = started(&machine, Mode::PowerUser, "ok").await;
    appears(&machine, "vault/shell").await;
    cancel(&machine, &launcher, run, Vec::new()).await;
}

async fn cancel_in_a_call_of_the_app_s_server(version: &'static str) {
    let model = Model::start([text("Asking.").tool("tolaria-note_info", json!({ "note": "n" })), text("Never.")]).await;
    let machine = Machine::with(version, &model).await;
    let (launcher, run) = started(&machine, machine.mode(), "busy").await;
    logged(&machine, "busy").await;
    cancel(&machine, &launcher, run, Vec::new()).await;
}

async fn cancel_while_a_server_hangs_at_its_start(version: &'static str) {
    let model = Model::start([text("Never.")]).await;
    let machine = Machine::with(version, &model).await;
    let (launcher, run) = started(&machine, machine.mode(), "hang").await;
    logged(&machine, "initialize").await;
    cancel(&machine, &launcher, run, Vec::new()).await;
    assert_eq!(model.calls().len(), 0);
}

async fn cancel_right_after_the_start(version: &'static str) {
    let model = Model::start([text("Never.")]).await;
    let machine = Machine::with(version, &model).await;
    let (launcher, run) = started(&machine, machine.mode(), "ok").await;
    assert!(launcher.cancel("panel"));
    let told = told::rest(run, Vec::new()).await;
    assert_eq!(told.outcome().status, Status::Cancelled, "{told:#?}");
    assert_eq!(machine.processes(), Vec::<String>::new());
}

async fn a_dropped_run_leaves_nothing(version: &'static str) {
    let model = Model::start([text("One, ").hang()]).await;
    let machine = Machine::with(version, &model).await;
    let (_launcher, mut run) = started(&machine, machine.mode(), "ok").await;
    told::until(&mut run, |kind| matches!(kind, EventKind::TextDelta { .. })).await;
    assert_ne!(machine.processes(), Vec::<String>::new());
    drop(run);
    gone(&machine).await;
}

async fn a_killed_host_leaves_nothing(version: &'static str) {
    let model = Model::start([
        text("Sleeping.").tool("bash", json!({ "command": "echo $$ > shell; sleep 1000", "description": "Sleeps" })),
        text("Never."),
    ])
    .await;
    let machine = Machine::with(version, &model).await;
    let server = mcp(&machine, "ok");
    let mut host = command(&machine, &["--mode", "power-user", "--mcp", &server, "Go."]).spawn().unwrap();
    appears(&machine, "vault/shell").await;
    host.kill().await.expect("the host can be killed");
    gone(&machine).await;
}

/// Waits for a file.
async fn appears(machine: &Machine, path: &str) {
    wait(|| machine.read(path).is_some_and(|text| !text.is_empty()), || format!("{path} does not appear")).await;
}

/// Waits for a word in the server's log.
async fn logged(machine: &Machine, word: &str) {
    let log = || machine.read("mcp.log").unwrap_or_default();
    wait(|| log().contains(word), || format!("no {word} in {}", log())).await;
}

/// Waits until nothing of the machine lives.
async fn gone(machine: &Machine) {
    wait(|| machine.processes().is_empty(), || format!("left: {:#?}", machine.processes())).await;
}

async fn wait(mut done: impl FnMut() -> bool, problem: impl Fn() -> String) {
    let poll = async {
        while !done() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    if tokio::time::timeout(DEADLINE / 5, poll).await.is_err() {
        panic!("{}", problem());
    }
}
