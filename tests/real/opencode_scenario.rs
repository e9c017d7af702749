//! The main job on the real OpenCode: a question about a note, in each mode.

use agent_launcher::{EventKind, Mode, Status};
use serde_json::json;

use crate::opencode_ground::{VERSION, with};
use crate::support::machine::{Machine, skipped};
use crate::support::model::{Model, text, tool};
use crate::support::told::{self, Told};

#[tokio::test]
async fn safe_answers_writes_the_note_asks_the_app_and_runs_no_shell() {
    if skipped() {
        return;
    }
    let model = Model::empty().await;
    let machine = with(&model).await;
    let vault = machine.vault();
    model.script([
        text("I will ")
            .text("write it.")
            .think("The person wants a list.")
            .tool("write", json!({ "filePath": vault.join("list.md"), "content": "- milk\n" }))
            .tool("bash", json!({ "command": "touch ran-a-shell", "workdir": vault, "description": "Runs a shell" }))
            .tool("tolaria_note_info", json!({ "note": "note.md" })),
        tool("read", json!({ "filePath": vault.join("note.md") })),
        // What models try first: it is empty, and breaks nothing.
        tool("read", json!({ "filePath": "." }))
            .tool("edit", json!({ "filePath": vault.join("note.md"), "oldString": "Milk", "newString": "Oat milk" })),
        text("Done."),
    ]);
    machine.write("vault/AGENTS.md", "INSTRUCTIONS-OF-THE-VAULT\n");
    let before = machine.read("home/.config/opencode/opencode.json");
    let request = machine.request("Make a list of the note.").mcp_server(machine.mcp("ok"));
    let told = told::run(&machine.launcher(), &request).await;

    assert_eq!(told.text(), "I will write it.\n\nDone.", "{told:#?}");
    assert_eq!(told.thinking(), "The person wants a list.");
    assert_eq!(machine.read("vault/list.md").as_deref(), Some("- milk\n"));
    assert_eq!(machine.read("vault/note.md").as_deref(), Some("# Note\n\nOat milk, eggs, bread.\n"), "{told:#?}");
    assert_eq!(machine.read("vault/ran-a-shell"), None, "no shell ran");
    let [(ok, denied, reason)] = &told.tool("bash")[..] else { panic!("one shell call: {told:#?}") };
    assert_eq!((*ok, *denied), (false, true), "the shell call was refused: {reason}");
    let answer = format!("note.md in {}", vault.display());
    assert_eq!(told.tool("tolaria_note_info"), [(true, false, answer)]);

    completed(&told, &machine);
    assert_eq!(told.outcome().denied_tools, 1);
    let usage = told.outcome().usage.clone().expect("the tokens are told");
    assert_eq!((usage.input_tokens, usage.output_tokens), (Some(4 * 120), Some(4 * 34)));
    let call = &model.calls()[0];
    assert_eq!(call.tools(), ["edit", "glob", "grep", "read", "todowrite", "tolaria_note_info", "write"]);
    assert!(call.messages("system").concat().contains("INSTRUCTIONS-OF-THE-VAULT"), "{call:#?}");
    assert_eq!(machine.read("home/.config/opencode/opencode.json"), before, "the person's settings are as they were");
}

#[tokio::test]
async fn power_user_runs_the_shell_and_its_file_tools_stay_in_the_vault() {
    if skipped() {
        return;
    }
    let model = Model::empty().await;
    let machine = with(&model).await;
    let (vault, outside) = (machine.vault(), machine.outside().join("note.md"));
    let server = machine.mcp("ok").secret_env("APP_SECRET", "canary-secret");
    // OpenCode fills such texts in, wherever they stand in its settings.
    let server = server.arg("{env:HOME}").env("LITERAL", "{file:/etc/hostname}");
    model.script([
        text("Running.")
            .tool("bash", json!({ "command": "env > env.txt", "workdir": vault, "description": "Runs a shell" }))
            .tool("write", json!({ "filePath": vault.join("list.md"), "content": "- milk\n" }))
            .tool("write", json!({ "filePath": outside, "content": "x" }))
            .tool("tolaria_note_info", json!({ "note": "note.md" })),
        text("Done."),
    ]);
    let request = machine.request("Run it.").mode(Mode::PowerUser).mcp_server(server);
    let told = told::run(&machine.launcher(), &request).await;

    completed(&told, &machine);
    assert_eq!(told.text(), "Running.\n\nDone.");
    assert!(told.tool("bash")[0].0, "{told:#?}");
    assert_eq!(machine.read("vault/list.md").as_deref(), Some("- milk\n"));
    assert_eq!(machine.read("outside/note.md"), None);
    assert!(told.tool("write").iter().any(|(_, denied, _)| *denied), "{told:#?}");
    let environment = machine.read("vault/env.txt").expect("the shell ran");
    assert!(!environment.contains("canary"), "a shell's environment holds no secret of a server: {environment}");
    let started = &machine.mcp_log()[0]["started"];
    assert_eq!(started["env"]["APP_SECRET"], "canary-secret", "the server has its secret");
    assert_eq!(started["env"]["LITERAL"], "{file:/etc/hostname}");
    assert!(started["args"].to_string().contains("{env:HOME}"), "{started}");
    assert!(!format!("{told:?}").contains("canary-secret"));
}

#[tokio::test]
async fn a_second_run_continues_the_session_and_ends() {
    if skipped() {
        return;
    }
    let model = Model::start([text("Hello.")]).await;
    let machine = with(&model).await;
    let launcher = machine.launcher();
    let first = told::run(&launcher, &machine.request("My name is Ada.")).await;
    let session = first.outcome().session_id.clone().expect("the session's id is told");
    assert!(session.starts_with("ses_"), "{session}");
    // What keeps caches small may have taken the folder away.
    let folder = machine.home().join(".cache/agent-launcher/opencode");
    std::fs::remove_dir_all(&folder).expect("the run's folder is there, and may be removed");
    let second = told::run(&launcher, &machine.request("What is my name?").resume(&session)).await;
    completed(&second, &machine);
    assert_eq!(second.outcome().session_id.as_deref(), Some(&*session));
    let users = model.calls().last().expect("asked").messages("user");
    assert_eq!(users.len(), 2, "{users:?}");
    assert!(users[0].contains("My name is Ada."), "{users:?}");
    let other = told::run(&launcher, &machine.request("Again.").mode(Mode::PowerUser).resume(&session)).await;
    completed(&other, &machine);
}

#[tokio::test]
async fn prompts_arrive_to_the_byte() {
    if skipped() {
        return;
    }
    let model = Model::start([text("Hello.")]).await;
    let machine = with(&model).await;
    let launcher = machine.launcher();
    machine.write("vault/secret.md", "NOT-ASKED-FOR");
    let long = format!("{}the end", "0123456789 äöü\n".repeat(13_000));
    for prompt in ["-x --help", "/init", "/undo", "@secret.md", "@/etc/passwd", "!touch ran", "$HOME `id` \"q\"", &long]
    {
        let told = told::run(&launcher, &machine.request(prompt)).await;
        completed(&told, &machine);
        let call = model.calls().last().expect("asked").clone();
        assert!(call.prompt().ends_with(&format!("User request:\n{prompt}")), "{prompt:.40}: {:.400}", call.prompt());
        assert!(!call.body.to_string().contains("NOT-ASKED-FOR"), "{prompt:.40}");
    }
    assert_eq!(machine.read("vault/ran"), None);
}

/// The run went well, told nothing that nobody knows, and left nothing behind.
fn completed(told: &Told, machine: &Machine) {
    assert_eq!(told.outcome().status, Status::Completed, "{told:#?}");
    assert_eq!(told.unrecognized(), Vec::<&str>::new());
    assert_eq!(told.error(), None);
    assert_eq!(machine.processes(), Vec::<String>::new(), "nothing is left");
    assert_eq!(machine.files("tmp"), std::collections::BTreeMap::new(), "no file is left among temporary ones");
    let Some(EventKind::Init { agent_version, .. }) = told.kinds().next() else { panic!("Init is first") };
    assert_eq!(agent_version.as_deref(), Some(VERSION));
    let kept = machine.files("home/.cache/agent-launcher");
    assert_eq!(kept, std::collections::BTreeMap::new(), "the run's folder stays, empty");
}
