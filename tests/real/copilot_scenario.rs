//! The main job: a question about a note, on the real Copilot CLI, in each mode.

use agent_launcher::{EventKind, Mode, Status};
use serde_json::json;

use crate::support::machine::Machine;
use crate::support::model::{Gate, Model, text};
use crate::support::told;
use crate::support::versions::{on_every_safe_version, on_every_version};

on_every_safe_version!(safe_answers_writes_the_note_asks_the_app_and_runs_no_shell);
on_every_version!(
    power_user_runs_the_shell_and_stays_in_the_vault,
    a_second_run_continues_the_session,
    a_session_continued_in_another_vault_works_there,
);

/// The files of the user's Copilot, as a person has them after a first use.
const CONFIG: [(&str, &str); 4] = [
    (
        "home/.copilot/config.json",
        "// User settings belong in settings.json.\n// This file is managed automatically.\n{\n  \
         \"firstLaunchAt\": \"2026-01-02T03:04:05.678Z\"\n}\n",
    ),
    ("home/.copilot/settings.json", "{\n  \"theme\": \"dark\"\n}\n"),
    ("home/.copilot/mcp-config.json", "{\"mcpServers\":{}}"),
    ("home/.copilot/permissions-config.json", "{\"locations\":{}}"),
];

fn with_config(machine: &Machine) {
    for (path, text) in CONFIG {
        machine.write(path, text);
    }
}

fn assert_config(machine: &Machine) {
    for (path, text) in CONFIG {
        assert_eq!(machine.read(path).as_deref(), Some(text), "{path} is as it was");
    }
}

async fn safe_answers_writes_the_note_asks_the_app_and_runs_no_shell(version: &'static str) {
    let gate = Gate::new();
    let model = Model::start([
        text("I will ")
            .text("write it. ")
            .think("The person wants a list.")
            .tool("create", json!({ "path": "list.md", "file_text": "- milk\n" }))
            .tool("bash", json!({ "command": "touch ran-a-shell", "description": "Runs a shell" }))
            .tool("tolaria-note_info", json!({ "note": "note.md" })),
        text("One, ").text("two, ").text("three, ").gate(&gate).text("four."),
    ])
    .await;
    let machine = Machine::with(version, &model).await;
    with_config(&machine);
    let launcher = machine.launcher();
    let request = machine.request("Make a list of the note.").mcp_server(machine.mcp("ok"));

    let plan = launcher.plan(&request).await.expect("the request can be planned");
    let mut run = launcher.start(plan).expect("the plan can be started");
    // The server keeps the end of its answer back until three pieces of it are here: the pace is the model's.
    let mut seen = String::new();
    let before = told::until(&mut run, |kind| {
        if let EventKind::TextDelta { text } = kind {
            seen += text;
        }
        seen.ends_with("three, ")
    })
    .await;
    gate.open();
    let told = told::rest(run, before).await;

    assert_eq!(told.text(), "I will write it. \n\nOne, two, three, four.", "{told:#?}");
    assert!(told.deltas().len() >= 6, "each chunk is told as it comes: {told:#?}");
    assert_eq!(told.thinking(), "The person wants a list.");
    assert_eq!(machine.read("vault/list.md").as_deref(), Some("- milk\n"));
    assert!(told.tool("create")[0].0, "the note was written: {told:#?}");

    assert_eq!(machine.read("vault/ran-a-shell"), None, "no shell ran");
    let [(ok, denied, reason)] = &told.tool("bash")[..] else { panic!("one shell call: {told:#?}") };
    assert_eq!((*ok, *denied), (false, true), "the shell call was refused: {reason}");

    let answer = format!("note.md in {}", machine.vault().display());
    assert_eq!(told.tool("tolaria-note_info"), [(true, false, answer)]);
    assert_eq!(told.mcp("tolaria").last(), Some(&"connected"));
    let connected = told.position(|kind| matches!(kind, EventKind::McpStatus { status, .. } if status == "connected"));
    let answered = told.position(|kind| matches!(kind, EventKind::TextDelta { .. }));
    assert!(connected < answered, "the server's state is told before the answer: {told:#?}");

    assert_eq!(told.changed(), None, "the agent itself writes nothing that others obey");
    let outcome = told.outcome();
    assert_eq!(outcome.status, Status::Completed, "{told:#?}");
    assert_eq!((outcome.exit_code, outcome.denied_tools), (Some(0), 1));
    assert!(outcome.session_id.is_some(), "the session can be continued");
    let usage = outcome.usage.as_ref().expect("the usage is told");
    assert_eq!(usage.files_modified.as_deref(), Some(&[machine.vault().join("list.md").display().to_string()][..]));
    assert_eq!(told.error(), None);
    assert_eq!(told.unrecognized(), Vec::<&str>::new());

    let calls = model.calls();
    assert_eq!(calls.len(), 2, "one request a turn");
    assert_eq!(calls[0].tools(), ["view", "create", "edit", "grep", "glob", "tolaria-note_info"]);
    assert_config(&machine);
    assert_eq!(machine.processes(), Vec::<String>::new(), "nothing is left");
}

async fn power_user_runs_the_shell_and_stays_in_the_vault(version: &'static str) {
    let outside = |machine: &Machine| machine.outside().join("escaped").display().to_string();
    let model = Model::empty().await;
    let machine = Machine::with(version, &model).await;
    with_config(&machine);
    model.script([
        text("Working.")
            .tool("bash", json!({ "command": "echo shell > by-shell.md", "description": "Writes a file" }))
            .tool("create", json!({ "path": outside(&machine), "file_text": "x" }))
            .tool("tolaria-note_info", json!({ "note": "note.md" })),
        text("Done."),
    ]);
    let request = machine.request("Do it.").mode(Mode::PowerUser).mcp_server(machine.mcp("ok"));
    let told = told::run(&machine.launcher(), &request).await;

    assert_eq!(told.text(), "Working.\n\nDone.", "{told:#?}");
    assert_eq!(machine.read("vault/by-shell.md").as_deref(), Some("shell\n"));
    assert!(told.tool("bash")[0].0, "the shell ran: {told:#?}");
    let [(ok, denied, reason)] = &told.tool("create")[..] else { panic!("one create call: {told:#?}") };
    assert_eq!((*ok, *denied), (false, true), "the write outside the vault was refused: {reason}");
    assert_eq!(machine.files("outside").len(), 0);
    assert!(told.tool("tolaria-note_info")[0].0, "the app answered");
    let outcome = told.outcome();
    assert_eq!((outcome.status, outcome.denied_tools), (Status::Completed, 1), "{told:#?}");
    assert!(model.calls()[0].tools().contains(&"bash".to_owned()));
    assert_config(&machine);
    assert_eq!(machine.processes(), Vec::<String>::new(), "nothing is left");
}

async fn a_second_run_continues_the_session(version: &'static str) {
    let model = Model::start([text("The word is milk.")]).await;
    let machine = Machine::with(version, &model).await;
    let launcher = machine.launcher();
    let first = told::run(&launcher, &machine.request("Remember the first word.")).await;
    let session = first.outcome().session_id.clone().expect("the session is told");

    model.script([text("It was milk.")]);
    let second = told::run(&launcher, &machine.request("Which word was it?").resume(&session)).await;

    assert_eq!(second.text(), "It was milk.");
    assert_eq!(second.outcome().session_id.as_ref(), Some(&session));
    let last = model.calls().pop().expect("the model was asked");
    assert!(last.messages("user")[0].contains("Remember the first word."), "{last:#?}");
    assert_eq!(last.messages("assistant"), ["The word is milk."]);
    assert!(last.prompt().contains("Which word was it?"));
}

async fn a_session_continued_in_another_vault_works_there(version: &'static str) {
    let model = Model::start([text("The word is milk.")]).await;
    let machine = Machine::with(version, &model).await;
    let launcher = machine.launcher();
    let first = told::run(&launcher, &machine.request("Remember the first word.")).await;
    let session = first.outcome().session_id.clone().expect("the session is told");

    machine.write("other/note.md", "# Other\n");
    let create = json!({ "path": "made.md", "file_text": "made\n" });
    model.script([text("Writing.").tool("create", create), text("Done.")]);
    let request =
        agent_launcher::Request::new(agent_launcher::AgentId::COPILOT, machine.root().join("other"), "Write.")
            .mode(machine.mode())
            .resume(&session);
    let second = told::run(&launcher, &request).await;

    assert_eq!(second.outcome().status, Status::Completed, "{second:#?}");
    assert!(model.calls().pop().unwrap().messages("user")[0].contains("Remember the first word."));
    assert_eq!(machine.read("other/made.md").as_deref(), Some("made\n"), "{second:#?}");
    assert_eq!(machine.read("vault/made.md"), None);
}
