//! A Stop that stops, on the real Claude Code: nothing of a run is left, whatever it was doing.

use agent_launcher::{EventKind, Launcher, Mode, Run, Status};
use serde_json::json;

use crate::support::DEADLINE;
use crate::support::anthropic::{self, on_every_claude, on_newest_claude};
use crate::support::machine::Machine;
use crate::support::model::{Model, silence, text};
use crate::support::told;

on_every_claude!(cancel_in_a_shell_tool, cancel_in_a_call_of_the_app_s_server);
on_newest_claude!(
    cancel_while_the_model_is_silent,
    cancel_in_the_middle_of_the_answer,
    cancel_while_a_server_hangs_at_its_start,
    a_dropped_run_leaves_nothing,
    shells_that_ignore_the_polite_signal_are_gone_too,
    a_cancelled_session_can_be_continued,
);

/// A run in the mode, with the app's server.
async fn started(machine: &Machine, mode: Mode, server: &str) -> (Launcher, Run) {
    let launcher = machine.launcher();
    let request = machine.request("Go.").mode(mode).stream_id("panel").mcp_server(machine.mcp(server));
    let plan = launcher.plan(&request).await.expect("the request can be planned");
    let run = launcher.start(plan).expect("the plan can be started");
    (launcher, run)
}

/// Cancels and checks the end: cancelled, no error, and nothing left at the moment `Done` is there.
async fn cancel(machine: &Machine, launcher: &Launcher, run: Run, before: Vec<agent_launcher::Event>) -> told::Told {
    assert_ne!(machine.processes(), Vec::<String>::new(), "the agent runs");
    assert!(launcher.cancel("panel"), "the run is live");
    let told = told::rest(run, before).await;
    assert_eq!(machine.processes(), Vec::<String>::new(), "nothing is left: {told:#?}");
    assert_eq!(told.outcome().status, Status::Cancelled, "{told:#?}");
    assert_eq!(told.error(), None, "a cancelled run is no failure");
    assert!(!launcher.cancel("panel"), "the run is over");
    told
}

/// The shell says that it runs, and then does nothing for long.
fn sleeping(command: &str) -> [crate::support::model::Turn; 2] {
    let input = json!({ "command": command, "description": "Sleeps", "timeout": 600_000 });
    [text("Sleeping.").tool("Bash", input), text("Never.")]
}

async fn cancel_in_a_shell_tool(version: &'static str) {
    let model = Model::start(sleeping("echo $$ > shell; sleep 1000")).await;
    let machine = anthropic::with(version, &model).await;
    let (launcher, run) = started(&machine, Mode::PowerUser, "ok").await;
    wait(|| machine.read("vault/shell").is_some_and(|text| !text.is_empty())).await;
    cancel(&machine, &launcher, run, Vec::new()).await;
}

async fn shells_that_ignore_the_polite_signal_are_gone_too(version: &'static str) {
    let stubborn = "trap '' TERM INT HUP; setsid sh -c \"trap '' TERM INT HUP; sleep 1000\" & echo $$ > shell; \
                    while :; do sleep 1000; done";
    let model = Model::start(sleeping(stubborn)).await;
    let machine = anthropic::with(version, &model).await;
    let (launcher, run) = started(&machine, Mode::PowerUser, "ok").await;
    wait(|| machine.read("vault/shell").is_some_and(|text| !text.is_empty())).await;
    cancel(&machine, &launcher, run, Vec::new()).await;
}

async fn cancel_in_a_call_of_the_app_s_server(version: &'static str) {
    let call = text("Asking.").tool("mcp__tolaria__note_info", json!({ "note": "n" }));
    let model = Model::start([call, text("Never.")]).await;
    let machine = anthropic::with(version, &model).await;
    let (launcher, run) = started(&machine, Mode::Safe, "busy").await;
    wait(|| machine.read("mcp.log").is_some_and(|log| log.contains("busy\":true"))).await;
    cancel(&machine, &launcher, run, Vec::new()).await;
}

async fn cancel_while_the_model_is_silent(version: &'static str) {
    let model = Model::start([silence()]).await;
    let machine = anthropic::with(version, &model).await;
    let (launcher, run) = started(&machine, Mode::Safe, "ok").await;
    model.called(1).await;
    cancel(&machine, &launcher, run, Vec::new()).await;
}

async fn cancel_in_the_middle_of_the_answer(version: &'static str) {
    let model = Model::start([text("One, ").text("two, ").hang()]).await;
    let machine = anthropic::with(version, &model).await;
    let (launcher, mut run) = started(&machine, Mode::Safe, "ok").await;
    let before = told::until(&mut run, |kind| matches!(kind, EventKind::TextDelta { text } if text == "two, ")).await;
    cancel(&machine, &launcher, run, before).await;
}

async fn cancel_while_a_server_hangs_at_its_start(version: &'static str) {
    let model = Model::start([text("Never.")]).await;
    let machine = anthropic::with(version, &model).await;
    let (launcher, run) = started(&machine, Mode::Safe, "hang").await;
    wait(|| machine.read("mcp.log").is_some_and(|log| log.contains("initialize"))).await;
    cancel(&machine, &launcher, run, Vec::new()).await;
    assert_eq!(model.calls().len(), 0);
}

async fn a_dropped_run_leaves_nothing(version: &'static str) {
    let model = Model::start([text("One, ").hang()]).await;
    let machine = anthropic::with(version, &model).await;
    let (_launcher, mut run) = started(&machine, Mode::Safe, "ok").await;
    told::until(&mut run, |kind| matches!(kind, EventKind::TextDelta { .. })).await;
    assert_ne!(machine.processes(), Vec::<String>::new());
    drop(run);
    wait(|| machine.processes().is_empty()).await;
}

async fn a_cancelled_session_can_be_continued(version: &'static str) {
    let model = Model::start([text("One, ").text("two, ").hang()]).await;
    let machine = anthropic::with(version, &model).await;
    let (launcher, mut run) = started(&machine, Mode::Safe, "ok").await;
    let before = told::until(&mut run, |kind| matches!(kind, EventKind::TextDelta { text } if text == "two, ")).await;
    let told = cancel(&machine, &launcher, run, before).await;
    let session = told.outcome().session_id.clone().expect("the session is told");
    model.script([text("Three.")]);
    let told = told::run(&launcher, &machine.request("And then?").resume(session)).await;
    assert_eq!((told.text().as_str(), told.outcome().status), ("Three.", Status::Completed), "{told:#?}");
    let asked = model.calls().pop().expect("the model was asked").messages("user").join("\n");
    assert!(asked.contains("Go.") && asked.contains("And then?"), "{asked}");
}

/// Waits until something is so.
async fn wait(so: impl Fn() -> bool) {
    let waiting = async {
        while !so() {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(DEADLINE, waiting).await.expect("it comes about in time");
}
