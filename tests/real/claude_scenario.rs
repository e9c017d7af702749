//! The main job on the real Claude Code: a question about a note, in each mode.

use agent_launcher::{Code, EventKind, Mode, Status};
use serde_json::json;

use crate::support::anthropic::{self, on_every_claude, tool_results};
use crate::support::machine::Machine;
use crate::support::model::{Gate, Model, text};
use crate::support::told;

on_every_claude!(
    safe_answers_edits_the_note_asks_the_app_and_runs_no_shell,
    power_user_runs_the_shell_and_its_file_tools_stay_in_the_vault,
    a_second_run_continues_the_session,
    a_session_continued_in_another_vault_works_there_or_is_told,
);

/// The files of the person's Claude Code, as they are after a first use.
const CONFIG: [(&str, &str); 3] = [
    ("home/.claude/settings.json", "{\n  \"theme\": \"dark\"\n}\n"),
    ("home/.claude/CLAUDE.md", "INSTRUCTIONS-OF-THE-PERSON\n"),
    ("vault/CLAUDE.md", "INSTRUCTIONS-OF-THE-VAULT\n"),
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

async fn safe_answers_edits_the_note_asks_the_app_and_runs_no_shell(version: &'static str) {
    let gate = Gate::new();
    let model = Model::empty().await;
    let machine = anthropic::with(version, &model).await;
    let note = machine.vault().join("note.md");
    model.script([
        text("I will ").text("read it. ").think("The person wants a list.").tool("Read", json!({ "file_path": note })),
        text("Writing.")
            .tool("Edit", json!({ "file_path": note, "old_string": "Milk", "new_string": "Oat milk" }))
            .tool("Write", json!({ "file_path": machine.vault().join("sub/list.md"), "content": "- milk\n" }))
            .tool("Bash", json!({ "command": "touch ran-a-shell", "description": "Runs a shell" }))
            .tool("mcp__tolaria__note_info", json!({ "note": "note.md" })),
        text("One, ").text("two, ").text("three, ").gate(&gate).text("four."),
    ]);
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

    assert_eq!(told.text(), "I will read it. \n\nWriting.\n\nOne, two, three, four.", "{told:#?}");
    assert!(told.deltas().len() >= 6, "each chunk is told as it comes: {told:#?}");
    assert_eq!(told.thinking(), "The person wants a list.");
    assert_eq!(machine.read("vault/note.md").as_deref(), Some("# Note\n\nOat milk, eggs, bread.\n"));
    assert_eq!(machine.read("vault/sub/list.md").as_deref(), Some("- milk\n"));
    assert!(told.tool("Edit")[0].0 && told.tool("Write")[0].0, "the notes were written: {told:#?}");

    assert_eq!(machine.read("vault/ran-a-shell"), None, "no shell ran");
    let [(ok, denied, reason)] = &told.tool("Bash")[..] else { panic!("one shell call: {told:#?}") };
    assert_eq!((*ok, *denied), (false, true), "the shell call was refused: {reason}");

    let answer = format!("note.md in {}", machine.vault().display());
    assert_eq!(told.tool("mcp__tolaria__note_info"), [(true, false, answer)]);
    assert_eq!(told.mcp("tolaria"), ["connected"]);
    let connected = told.position(|kind| matches!(kind, EventKind::McpStatus { .. }));
    let answered = told.position(|kind| matches!(kind, EventKind::TextDelta { .. }));
    assert!(connected < answered, "the server's state is told before the answer: {told:#?}");

    assert_eq!(told.changed(), None, "the agent itself writes nothing that others obey");
    let outcome = told.outcome();
    assert_eq!(outcome.status, Status::Completed, "{told:#?}");
    assert_eq!((outcome.exit_code, outcome.denied_tools), (Some(0), 1), "{told:#?}");
    assert!(outcome.session_id.is_some(), "the session can be continued");
    let usage = outcome.usage.as_ref().expect("the usage is told");
    assert_eq!((usage.input_tokens, usage.output_tokens), (Some(360), Some(102)), "{usage:?}");
    assert_eq!(told.error(), None);
    assert_eq!(told.unrecognized(), Vec::<&str>::new());

    let calls = model.calls();
    assert_eq!(calls.len(), 3, "one request a turn");
    let mut tools = calls[0].tools();
    tools.sort();
    assert_eq!(tools, ["Edit", "Glob", "Grep", "Read", "Write", "mcp__tolaria__note_info"]);
    assert!(!calls[0].body.to_string().contains("INSTRUCTIONS-OF"), "no instructions beside the request's");
    assert_config(&machine);
    assert_eq!(machine.processes(), Vec::<String>::new(), "nothing is left");
}

async fn power_user_runs_the_shell_and_its_file_tools_stay_in_the_vault(version: &'static str) {
    let model = Model::empty().await;
    let machine = anthropic::with(version, &model).await;
    with_config(&machine);
    machine.write("outside/secret.md", "SECRET-OUTSIDE\n");
    let outside = machine.outside().join("escaped");
    model.script([
        text("Working.")
            .tool(
                "Bash",
                json!({ "command": "cat ../outside/secret.md > by-shell.md", "description": "Copies a file" }),
            )
            .tool("Read", json!({ "file_path": machine.outside().join("secret.md") }))
            .tool("Write", json!({ "file_path": outside, "content": "x" }))
            .tool("mcp__tolaria__note_info", json!({ "note": "note.md" })),
        text("Done."),
    ]);
    let request = machine.request("Do it.").mode(Mode::PowerUser).mcp_server(machine.mcp("ok"));
    let told = told::run(&machine.launcher(), &request).await;

    assert_eq!(told.text(), "Working.\n\nDone.", "{told:#?}");
    assert_eq!(machine.read("vault/by-shell.md").as_deref(), Some("SECRET-OUTSIDE\n"), "the shell is not confined");
    assert!(told.tool("Bash")[0].0, "the shell ran: {told:#?}");
    for tool in ["Write", "Read"] {
        let [(ok, denied, reason)] = &told.tool(tool)[..] else { panic!("one {tool}: {told:#?}") };
        assert_eq!((*ok, *denied), (false, true), "{tool} outside the vault was refused: {reason}");
    }
    assert_eq!(machine.files("outside").len(), 1);
    let environment = machine.mcp_log()[0]["started"]["env"].to_string();
    assert!(!environment.contains(anthropic::KEY), "the server does not get the key: {environment}");
    assert!(told.tool("mcp__tolaria__note_info")[0].0, "the app answered");
    let outcome = told.outcome();
    assert_eq!((outcome.status, outcome.denied_tools), (Status::Completed, 2), "{told:#?}");
    let tools = model.calls()[0].tools();
    assert!(tools.contains(&"Bash".to_owned()) && tools.contains(&"mcp__tolaria__note_info".to_owned()), "{tools:?}");
    assert_config(&machine);
    assert_eq!(machine.processes(), Vec::<String>::new(), "nothing is left");
}

async fn a_second_run_continues_the_session(version: &'static str) {
    let model = Model::start([text("The word is milk.")]).await;
    let machine = anthropic::with(version, &model).await;
    let launcher = machine.launcher();
    let first = machine.request("Remember the first word.").system_prompt("Answer in FRENCH.");
    let first = told::run(&launcher, &first).await;
    let session = first.outcome().session_id.clone().expect("the session is told");

    model.script([text("It was milk.")]);
    let second = machine.request("Which word was it?").resume(&session).system_prompt("Answer in DUTCH.");
    let second = told::run(&launcher, &second).await;

    assert_eq!(second.text(), "It was milk.", "{second:#?}");
    assert_eq!(second.outcome().session_id.as_ref(), Some(&session));
    let last = model.calls().pop().expect("the model was asked");
    assert!(last.messages("user").iter().any(|text| text.contains("Remember the first word.")), "{last:#?}");
    assert_eq!(last.messages("assistant"), ["The word is milk."]);
    assert!(last.prompt().contains("Which word was it?"));
    let system = anthropic::system(&last);
    assert!(system.contains("Answer in DUTCH.") && !system.contains("FRENCH"), "{system}");
    let (first, second) = (first.outcome().usage.clone().unwrap(), second.outcome().usage.clone().unwrap());
    assert_eq!((first.input_tokens, first.output_tokens), (second.input_tokens, second.output_tokens));
}

async fn a_session_continued_in_another_vault_works_there_or_is_told(version: &'static str) {
    let model = Model::start([text("The word is milk.")]).await;
    let machine = anthropic::with(version, &model).await;
    let launcher = machine.launcher();
    let first = told::run(&launcher, &machine.request("Remember the first word.")).await;
    let session = first.outcome().session_id.clone().expect("the session is told");

    machine.write("other/note.md", "# Other\n");
    let made = machine.root().join("other/made.md");
    model.script([
        text("Writing.")
            .tool("Write", json!({ "file_path": made, "content": "made\n" }))
            .tool("Write", json!({ "file_path": machine.vault().join("made.md"), "content": "made\n" })),
        text("Done."),
    ]);
    let agent = agent_launcher::AgentId::CLAUDE_CODE;
    let request = agent_launcher::Request::new(agent, machine.root().join("other"), "Write.").resume(&session);
    let second = told::run(&launcher, &request).await;

    if version == "2.1.197" {
        // It looks for sessions of the folder alone.
        assert_eq!(second.error().map(|guidance| guidance.code), Some(Code::SessionNotFound), "{second:#?}");
        return;
    }
    assert_eq!(second.outcome().status, Status::Completed, "{second:#?}");
    assert!(model.calls().pop().unwrap().messages("user")[0].contains("Remember the first word."));
    assert_eq!(machine.read("other/made.md").as_deref(), Some("made\n"), "{second:#?}");
    assert_eq!(machine.read("vault/made.md"), None, "the first vault is outside now");
    assert_eq!(tool_results(&model.calls().pop().unwrap()).len(), 2);
}
