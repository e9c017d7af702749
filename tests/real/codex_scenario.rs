//! The main job on the real Codex CLI: a question about a note, in each mode.

use agent_launcher::{EventKind, Mode, Status};
use serde_json::json;

use crate::support::codex::{assert_sandbox, machine, sandboxed};
use crate::support::model::{Gate, Model, text, tool};
use crate::support::responses::{outputs, patch, prompt, said, tools};
use crate::support::told;

/// What stands in the person's settings beside the model, and stays as it is.
const SETTINGS: &str = "personality = \"pragmatic\"\n";

#[tokio::test]
async fn codex_safe_answers_writes_the_note_asks_the_app_and_runs_no_shell() {
    let gate = Gate::new();
    let model = Model::start([
        text("I will ").text("write it.").tool("apply_patch", patch("list.md", "- milk")),
        text("First.").tool("exec_command", json!({ "cmd": "touch ran-a-shell" })),
        tool("mcp__tolaria__note_info", json!({ "note": "note.md" })).gate(&gate),
        text("Done: **finished**."),
    ])
    .await;
    let Some(machine) = machine(&model, SETTINGS).await else { return };
    assert_sandbox(&machine);
    let before = machine.read("home/.codex/config.toml");
    let launcher = machine.launcher();
    let request = machine.request("Make a list of the note.").mcp_server(machine.mcp("ok"));

    let plan = launcher.plan(&request).await.expect("the request can be planned");
    let mut run = launcher.start(plan).expect("the plan can be started");
    // The model keeps its third turn back until the messages of the first two are here: they are told as they come.
    let mut seen = String::new();
    let events = told::until(&mut run, |kind| {
        if let EventKind::TextDelta { text } = kind {
            seen += text;
        }
        seen.ends_with("First.")
    })
    .await;
    gate.open();
    let told = told::rest(run, events).await;

    assert_eq!(told.text(), "I will write it.\n\nFirst.\n\nDone: **finished**.", "{told:#?}");
    assert_eq!(machine.read("vault/list.md").as_deref(), Some("- milk\n"));
    assert_eq!(told.tool("apply_patch"), [(true, false, String::new())]);
    assert_eq!(machine.read("vault/ran-a-shell"), None, "no shell ran");
    assert_eq!(told.tool("shell"), [], "a tool that is not offered is told by nobody");
    let answer = format!("note.md in {}", machine.vault().display());
    assert_eq!(told.tool("mcp__tolaria__note_info"), [(true, false, answer)]);
    assert_eq!(told.mcp("tolaria"), ["connected"]);
    let connected = told.position(|kind| matches!(kind, EventKind::McpStatus { .. }));
    let answered = told.position(|kind| matches!(kind, EventKind::TextDelta { .. }));
    assert!(connected < answered, "the server's state is told before the answer: {told:#?}");

    assert_eq!(told.changed(), None, "the agent itself writes nothing that others obey");
    let outcome = told.outcome();
    assert_eq!(outcome.status, Status::Completed, "{told:#?}");
    assert_eq!(outcome.exit_code, Some(0));
    assert!(outcome.session_id.is_some(), "the session can be continued");
    let usage = outcome.usage.as_ref().expect("the usage is told");
    assert_eq!((usage.input_tokens, usage.output_tokens), (Some(480), Some(136)));
    assert_eq!(told.error(), None);
    assert_eq!(told.unrecognized(), Vec::<&str>::new());

    let calls = model.calls();
    assert_eq!(calls.len(), 4, "one request a turn");
    let mut offered = tools(&calls[0]);
    offered.retain(|name| !name.starts_with("mcp__"));
    // The last are those that find and read what MCP servers offer, and one that asks only in another mode of Codex.
    let expected = [
        "list_mcp_resources",
        "list_mcp_resource_templates",
        "read_mcp_resource",
        "request_user_input",
        "apply_patch",
        "tool_search",
    ];
    assert!(offered.iter().all(|name| expected.contains(&name.as_str())), "{offered:?}");
    assert!(outputs(&calls[2])[1].contains("unsupported call"), "{:?}", outputs(&calls[2]));
    assert_eq!(machine.read("home/.codex/config.toml"), before, "the person's settings are as they were");
    assert_eq!(machine.processes(), Vec::<String>::new(), "nothing is left");
}

#[tokio::test]
async fn codex_power_user_runs_the_shell_and_stays_in_the_vault() {
    let model = Model::empty().await;
    let Some(machine) = machine(&model, SETTINGS).await else { return };
    // Not below the folder for temporary files, which this mode gives.
    let elsewhere = tempfile::Builder::new().prefix("real-").tempdir_in("/var/tmp").expect("a folder can be made");
    let outside = elsewhere.path().join("escaped").display().to_string();
    let command =
        format!("echo shell > by-shell.md; touch {outside}; touch .git/x; echo key=$MOCK_KEY token=$API_TOKEN");
    model.script([
        text("Working.").tool("exec_command", json!({ "cmd": command })),
        tool("apply_patch", patch(&outside, "x")),
        tool("mcp__tolaria__note_info", json!({ "note": "note.md" })),
        text("Done."),
    ]);
    machine.write("vault/.git/HEAD", "ref: refs/heads/main\n");
    let server = machine.mcp("ok").secret_env("API_TOKEN", "canary-mcp-secret");
    let request = machine.request("Do it.").mode(Mode::PowerUser).mcp_server(server);
    let told = told::run(&machine.launcher(), &request).await;

    assert_eq!(told.outcome().status, Status::Completed, "{told:#?}");
    assert_eq!(told.text(), "Working.\n\nDone.");
    let [(_, denied, output)] = &told.tool("shell")[..] else { panic!("one command: {told:#?}") };
    if sandboxed() {
        assert_eq!(machine.read("vault/by-shell.md").as_deref(), Some("shell\n"));
        assert!(output.contains("Read-only file system") && output.contains("key= token="), "{output}");
    }
    assert!(!denied);
    assert!(!elsewhere.path().join("escaped").exists(), "nothing is written outside");
    assert_eq!(machine.read("vault/.git/x"), None, "nothing is written to .git");
    assert!(told.tool("mcp__tolaria__note_info")[0].0, "{told:#?}");
    let started = &machine.mcp_log()[0]["started"];
    assert_eq!(started["env"]["API_TOKEN"], "canary-mcp-secret", "the server has its secret");
    assert!(!format!("{told:?}").contains("canary-mcp-secret"), "it stands in no event");
    assert_eq!(machine.processes(), Vec::<String>::new());
}

#[tokio::test]
async fn codex_continues_a_session_also_in_another_vault() {
    let model = Model::start([text("The first answer.")]).await;
    let Some(machine) = machine(&model, SETTINGS).await else { return };
    machine.write("other/note.md", "other\n");
    let launcher = machine.launcher();
    let first = told::run(&launcher, &machine.request("The first question.")).await;
    let id = first.outcome().session_id.clone().expect("the session has an id");

    model.script([text("The second answer.")]);
    let second = told::run(&launcher, &machine.request("The second question.").resume(&id)).await;
    assert_eq!(second.outcome().session_id.as_deref(), Some(&*id), "{second:#?}");
    assert_eq!(second.text(), "The second answer.");
    let heard = said(model.calls().last().expect("the model was asked"), "user").join("\n");
    assert!(heard.contains("The first question.") && heard.contains("The second question."), "{heard}");

    model.script([tool("apply_patch", patch("moved.md", "x")), text("Third.")]);
    let other = agent_launcher::Request::new(agent_launcher::AgentId::CODEX, machine.root().join("other"), "Third?");
    let third = told::run(&launcher, &other.resume(&id)).await;
    assert_eq!(third.outcome().status, Status::Completed, "{third:#?}");
    if sandboxed() {
        assert_eq!(machine.read("other/moved.md").as_deref(), Some("x\n"), "it works in the vault of the request");
    }
    assert_eq!(machine.read("vault/moved.md"), None);
}

#[tokio::test]
async fn codex_prompts_of_every_first_letter_and_of_200_kb_arrive_as_they_are() {
    let model = Model::start([text("Heard.")]).await;
    let Some(machine) = machine(&model, SETTINGS).await else { return };
    let launcher = machine.launcher();
    let long = format!("{} end", "Read this. ".repeat(19_000));
    for asked in ["-c x", "--help", "/init", "@note.md what", "!touch ran", "$note x", "é \"q\" %PATH%\nline", &long] {
        let told = told::run(&launcher, &machine.request(asked)).await;
        assert_eq!(told.outcome().status, Status::Completed, "{told:#?}");
        let calls = model.calls();
        assert_eq!(prompt(calls.last().expect("the model was asked")).trim_end(), asked);
    }
    assert_eq!(machine.read("vault/ran"), None);
}

#[tokio::test]
async fn codex_hears_the_app_and_the_model_that_was_chosen() {
    let model = Model::start([text("Heard.")]).await;
    let Some(machine) = machine(&model, "developer_instructions = \"The person's own words.\"\n").await else { return };
    let system = "Say \"yes\"\nor 'no' \\ é.";
    let request = machine.request("Go.").system_prompt(system).model("gpt-5.5");
    let told = told::run(&machine.launcher(), &request).await;
    assert_eq!(told.outcome().status, Status::Completed, "{told:#?}");
    let calls = model.calls();
    let developer = said(&calls[0], "developer").join("\n");
    assert!(developer.contains(&format!("The person's own words.\n\n{system}")), "{developer}");
    assert_eq!(calls[0].body["model"], "gpt-5.5");
}
