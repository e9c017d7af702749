//! The main job through the command, as another program would use it.

use agent_launcher::{EventKind, Status};
use serde_json::json;

use crate::support::command::{ask, command, mcp};
use crate::support::machine::Machine;
use crate::support::model::{Gate, Model, text};
use crate::support::versions::{on_every_safe_version, on_newest, on_versions_below_safe};

on_every_safe_version!(ask_streams_writes_refuses_uses_the_app_and_continues);
on_versions_below_safe!(ask_says_how_to_update_what_is_too_old_for_safe_mode);
on_newest!(the_answer_as_text_is_the_answer);

async fn ask_streams_writes_refuses_uses_the_app_and_continues(version: &'static str) {
    use tokio::io::{AsyncBufReadExt, BufReader};

    let gate = Gate::new();
    let model = Model::start([
        text("Writing. ")
            .tool("create", json!({ "path": "list.md", "file_text": "- milk\n" }))
            .tool("bash", json!({ "command": "touch ran-a-shell", "description": "Runs a shell" }))
            .tool("tolaria-note_info", json!({ "note": "note.md" })),
        text("One, ").text("two, ").text("three, ").gate(&gate).text("four."),
    ])
    .await;
    let machine = Machine::with(version, &model).await;
    let config = "// This file is managed automatically.\n{\n  \"firstLaunchAt\": \"2026-01-02T03:04:05.678Z\"\n}\n";
    machine.write("home/.copilot/config.json", config);
    machine.write("home/.copilot/mcp-config.json", "{\"mcpServers\":{}}");

    let server = mcp(&machine, "ok");
    let mut child = command(&machine, &["--mode", "safe", "--mcp", &server, "Make a list."]).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut events: Vec<agent_launcher::Event> = Vec::new();
    let read = async {
        while let Some(line) = lines.next_line().await.unwrap() {
            let event: agent_launcher::Event = serde_json::from_str(&line).unwrap();
            if matches!(&event.kind, EventKind::TextDelta { text } if text == "three, ") {
                // Until here the server has kept the last piece back.
                gate.open();
            }
            events.push(event);
        }
    };
    tokio::time::timeout(crate::support::DEADLINE, read).await.expect("the events come in time");
    let end = crate::support::command::end(child).await;
    let told = crate::support::told::Told(events);
    told.check();
    assert_eq!(end.code, Some(0), "{} {told:#?}", end.stderr);
    assert_eq!(told.text(), "Writing. \n\nOne, two, three, four.");
    assert_eq!(machine.read("vault/list.md").as_deref(), Some("- milk\n"));
    assert_eq!(machine.read("vault/ran-a-shell"), None);
    let answer = format!("note.md in {}", machine.vault().display());
    assert_eq!(told.tool("tolaria-note_info"), [(true, false, answer)]);
    let outcome = told.outcome();
    assert_eq!((outcome.status, outcome.denied_tools), (Status::Completed, 1));
    assert!(outcome.usage.is_some());
    let session = outcome.session_id.clone().expect("the session is told");

    model.script([text("It was milk.")]);
    let second = ask(&machine, &["--resume", &session, "Which?"]).await;
    assert_eq!((second.code, second.told.text().as_str()), (Some(0), "It was milk."), "{second:#?}");
    assert_eq!(second.told.outcome().session_id, Some(session));
    let last = model.calls().pop().unwrap();
    assert!(last.messages("user")[0].contains("Make a list."), "the model sees the first question: {last:#?}");

    assert_eq!(machine.read("home/.copilot/config.json").as_deref(), Some(config));
    assert_eq!(machine.read("home/.copilot/mcp-config.json").as_deref(), Some("{\"mcpServers\":{}}"));
    assert_eq!(machine.processes(), Vec::<String>::new());
}

async fn ask_says_how_to_update_what_is_too_old_for_safe_mode(version: &'static str) {
    let model = Model::start([text("Never.")]).await;
    let machine = Machine::with(version, &model).await;
    let asked = ask(&machine, &["--mode", "safe", "Make a list."]).await;
    assert_eq!((asked.code, asked.told.0.len()), (Some(3), 0), "nothing was started: {asked:#?}");
    let guidance = &asked.refusal.expect("the command says why")["guidance"];
    assert_eq!(guidance["code"], "version_unsupported");
    let message = guidance["message"].as_str().expect("a text");
    assert!(message.contains(version) && message.contains("1.0.80"), "both versions are named: {message}");
    assert_eq!(guidance["steps"][0], json!({ "kind": "run", "command": "copilot update" }));
    assert_eq!(model.all_calls().len(), 0);
}

async fn the_answer_as_text_is_the_answer(version: &'static str) {
    let model = Model::start([text("# Title\n\n- **bold** item\n")]).await;
    let machine = Machine::with(version, &model).await;
    let output = tokio::process::Command::new(env!("CARGO_BIN_EXE_agent-launcher"))
        .args(["ask", "--agent", "copilot", "--vault"])
        .arg(machine.vault())
        .arg("Say it.")
        .env_clear()
        .envs(&machine.vars)
        .stdin(std::process::Stdio::null())
        .output()
        .await
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim_end(), "# Title\n\n- **bold** item");
    assert_eq!(output.status.code(), Some(0));
}
