//! A Stop that stops, on the real OpenCode: nothing of a run is left, whatever it was doing. It leaves its shells behind, which
//! are in sessions of their own.

use std::time::Duration;

use agent_launcher::{Mode, Status};
use serde_json::json;

use crate::opencode_ground::with;
use crate::support::DEADLINE;
use crate::support::machine::{Machine, skipped};
use crate::support::model::{Model, silence, text};
use crate::support::told;

/// Starts a run, waits until `working`, cancels it, and sees that nothing is left.
async fn cancel(model: &Model, machine: &Machine, mode: Mode, server: &str, working: impl AsyncFn(&Model, &Machine)) {
    let launcher = machine.launcher();
    let request = machine.request("Go.").mode(mode).stream_id("panel").mcp_server(machine.mcp(server));
    let plan = launcher.plan(&request).await.expect("the request can be planned");
    let run = launcher.start(plan).expect("the plan can be started");
    working(model, machine).await;
    assert_ne!(machine.processes(), Vec::<String>::new(), "the agent runs");
    assert!(launcher.cancel("panel"), "the run is live");
    let told = told::rest(run, Vec::new()).await;
    assert_eq!(machine.processes(), Vec::<String>::new(), "nothing is left: {told:#?}");
    assert_eq!((told.outcome().status, told.error()), (Status::Cancelled, None), "{told:#?}");
    assert_eq!(machine.files("tmp"), std::collections::BTreeMap::new());
}

#[tokio::test]
async fn cancel_in_a_shell_tool() {
    if skipped() {
        return;
    }
    let model = Model::empty().await;
    let machine = with(&model).await;
    let stubborn = "trap '' TERM INT HUP; setsid sleep 1000 & echo $$ > shell; sleep 1000";
    let input = json!({ "command": stubborn, "workdir": machine.vault(), "description": "Sleeps" });
    model.script([text("Sleeping.").tool("bash", input), text("Never.")]);
    let working =
        async |_: &Model, machine: &Machine| wait(|| machine.read("vault/shell").is_some_and(|t| !t.is_empty())).await;
    cancel(&model, &machine, Mode::PowerUser, "ok", working).await;
}

#[tokio::test]
async fn cancel_in_a_call_of_the_app_s_server() {
    if skipped() {
        return;
    }
    let model = Model::start([text("Asking.").tool("tolaria_note_info", json!({ "note": "n" })), text("Never.")]).await;
    let machine = with(&model).await;
    let working = async |_: &Model, machine: &Machine| logged(machine, "busy\":true").await;
    cancel(&model, &machine, Mode::Safe, "busy", working).await;
}

#[tokio::test]
async fn cancel_while_a_server_hangs_at_its_start() {
    if skipped() {
        return;
    }
    let model = Model::start([text("Never.")]).await;
    let machine = with(&model).await;
    let working = async |_: &Model, machine: &Machine| logged(machine, "initialize").await;
    cancel(&model, &machine, Mode::Safe, "hang", working).await;
    assert_eq!(model.calls().len(), 0);
}

#[tokio::test]
async fn cancel_while_the_model_is_silent() {
    if skipped() {
        return;
    }
    let model = Model::start([silence()]).await;
    let machine = with(&model).await;
    cancel(&model, &machine, Mode::Safe, "ok", async |model: &Model, _: &Machine| model.called(1).await).await;
}

/// Waits for a word in the server's log.
async fn logged(machine: &Machine, word: &str) {
    wait(|| machine.read("mcp.log").unwrap_or_default().contains(word)).await;
}

async fn wait(mut done: impl FnMut() -> bool) {
    let poll = async {
        while !done() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(DEADLINE / 2, poll).await.expect("it happens in time");
}
