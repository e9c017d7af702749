//! A Stop that stops, on the real Codex CLI: nothing of a run is left, whatever it was doing.

use std::time::Duration;

use agent_launcher::{Event, EventKind, Launcher, Mode, Run, Status};
use serde_json::json;

use crate::support::DEADLINE;
use crate::support::codex::machine;
use crate::support::machine::Machine;
use crate::support::model::{Model, silence, text, tool};
use crate::support::responses::patch;
use crate::support::told;

async fn started(machine: &Machine, mode: Mode, server: &str) -> (Launcher, Run) {
    let launcher = machine.launcher();
    let request = machine.request("Go.").mode(mode).stream_id("panel").mcp_server(machine.mcp(server));
    let plan = launcher.plan(&request).await.expect("the request can be planned");
    let run = launcher.start(plan).expect("the plan can be started");
    (launcher, run)
}

/// Cancels and checks the end: cancelled, no error, and nothing left at the moment `Done` is there.
async fn cancel(machine: &Machine, launcher: &Launcher, run: Run, before: Vec<Event>) {
    assert_ne!(machine.processes(), Vec::<String>::new(), "the agent runs");
    assert!(launcher.cancel("panel"), "the run is live");
    let told = told::rest(run, before).await;
    assert_eq!(machine.processes(), Vec::<String>::new(), "nothing is left: {told:#?}");
    assert_eq!(told.outcome().status, Status::Cancelled, "{told:#?}");
    assert_eq!(told.error(), None, "a cancelled run is no failure");
}

/// Waits until `there` is.
async fn appears(there: impl Fn() -> bool) {
    let wait = async {
        while !there() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(DEADLINE, wait).await.expect("it appears in time");
}

#[tokio::test]
async fn codex_is_cancelled_while_the_model_is_silent() {
    let model = Model::start([silence()]).await;
    let Some(machine) = machine(&model, "").await else { return };
    let (launcher, run) = started(&machine, Mode::Safe, "ok").await;
    model.called(1).await;
    cancel(&machine, &launcher, run, Vec::new()).await;
}

#[tokio::test]
async fn codex_is_cancelled_in_the_middle_of_its_answer() {
    let model =
        Model::start([text("One.").tool("mcp__tolaria__note_info", json!({ "note": "n" })), text("Two").hang()]).await;
    let Some(machine) = machine(&model, "").await else { return };
    let (launcher, mut run) = started(&machine, Mode::Safe, "ok").await;
    let before = told::until(&mut run, |kind| matches!(kind, EventKind::ToolDone { .. })).await;
    model.called(2).await;
    cancel(&machine, &launcher, run, before).await;
}

#[tokio::test]
async fn codex_is_cancelled_in_a_shell_tool_that_ignores_the_polite_signal() {
    let stubborn = "trap '' TERM INT HUP; setsid sh -c \"trap '' TERM INT HUP; sleep 1000\" & echo $$ > shell; \
                    while :; do sleep 1000; done";
    for command in ["echo $$ > shell; sleep 1000", stubborn] {
        let model = Model::start([tool("exec_command", json!({ "cmd": command })), text("Never.")]).await;
        let Some(machine) = machine(&model, "").await else { return };
        if !crate::support::codex::sandboxed() {
            return;
        }
        let (launcher, run) = started(&machine, Mode::PowerUser, "ok").await;
        appears(|| machine.read("vault/shell").is_some()).await;
        cancel(&machine, &launcher, run, Vec::new()).await;
    }
}

#[tokio::test]
async fn codex_is_cancelled_in_a_call_of_the_app_s_server() {
    let model = Model::start([tool("mcp__tolaria__note_info", json!({ "note": "n" })), text("Never.")]).await;
    let Some(machine) = machine(&model, "").await else { return };
    let (launcher, run) = started(&machine, Mode::Safe, "busy").await;
    appears(|| machine.read("mcp.log").is_some_and(|log| log.contains("busy\":true"))).await;
    cancel(&machine, &launcher, run, Vec::new()).await;
}

#[tokio::test]
async fn codex_is_cancelled_while_a_server_hangs_at_its_start() {
    let model = Model::start([text("Never.")]).await;
    let Some(machine) = machine(&model, "").await else { return };
    let (launcher, run) = started(&machine, Mode::Safe, "hang").await;
    appears(|| machine.read("mcp.log").is_some_and(|log| log.contains("initialize"))).await;
    cancel(&machine, &launcher, run, Vec::new()).await;
    assert_eq!(model.calls().len(), 0);
}

#[tokio::test]
async fn codex_that_is_dropped_leaves_nothing() {
    let model = Model::start([silence()]).await;
    let Some(machine) = machine(&model, "").await else { return };
    let (_launcher, run) = started(&machine, Mode::Safe, "ok").await;
    model.called(1).await;
    drop(run);
    appears(|| machine.processes().is_empty()).await;
}

/// Codex holds protected names that do not exist while it writes; a Stop must not leave them in the vault.
#[tokio::test]
async fn codex_that_is_cancelled_while_it_writes_leaves_only_notes() {
    for notes in 0..6 {
        let turns = (0..40).map(|at| tool("apply_patch", patch(&format!("note-{at}.md"), "x")));
        let model = Model::start(turns).await;
        let Some(machine) = machine(&model, "").await else { return };
        let (launcher, mut run) = started(&machine, Mode::Safe, "ok").await;
        let mut begun = 0;
        let before = told::until(&mut run, |kind| {
            begun += usize::from(matches!(kind, EventKind::ToolStart { .. }));
            begun > notes
        })
        .await;
        cancel(&machine, &launcher, run, before).await;
        let names = std::fs::read_dir(machine.vault()).expect("the vault is there").flatten();
        let strange: Vec<_> =
            names.map(|entry| entry.file_name()).filter(|name| !name.to_string_lossy().ends_with(".md")).collect();
        assert!(strange.is_empty(), "{strange:?} after {notes} notes");
    }
}
