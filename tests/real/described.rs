//! A described agent on a real program: Copilot as `described.toml` has it does what a mode gives, and nothing else.

use agent_launcher::{AgentId, CustomAgent, EventKind, Launcher, Mode, Request, Status};
use serde_json::json;

use crate::support::machine::Machine;
use crate::support::model::{Gate, Model, silence, status, text};
use crate::support::told;
use crate::support::versions::on_newest;

on_newest!(
    a_described_agent_keeps_safe_mode_on_the_real_program,
    a_described_agent_has_its_shell_in_power_user_mode,
    a_described_agent_is_stopped_and_explained,
);

fn launcher(machine: &Machine) -> Launcher {
    let agent = CustomAgent::from_toml(include_str!("described.toml")).expect("the definition is right");
    let builder = Launcher::builder().app("Tolaria").host(machine.host());
    builder.agent(agent).expect("its id is free").build()
}

fn request(machine: &Machine, prompt: &str) -> Request {
    Request::new(AgentId::new("described"), machine.vault(), prompt)
}

async fn a_described_agent_keeps_safe_mode_on_the_real_program(version: &'static str) {
    let model = Model::empty().await;
    let machine = Machine::with(version, &model).await;
    let outside = machine.outside().join("escaped").display().to_string();
    model.script([
        text("I will ")
            .text("write it. ")
            .think("A list.")
            .tool("create", json!({ "path": "list.md", "file_text": "- milk\n" }))
            .tool("bash", json!({ "command": "touch ran-a-shell", "description": "Runs a shell" }))
            .tool("create", json!({ "path": outside, "file_text": "x" }))
            .tool("tolaria-note_info", json!({ "note": "note.md" })),
        text("All ").text("done."),
    ]);
    // Longer than an argument may be, and beginning like a flag.
    let prompt = format!("-x {}end", "Make a list. ".repeat(16_000));
    let told = told::run(&launcher(&machine), &request(&machine, &prompt).mcp_server(machine.mcp("ok"))).await;

    assert_eq!(told.text(), "I will write it. \n\nAll done.", "{told:#?}");
    assert_eq!(told.thinking(), "A list.");
    assert_eq!(machine.read("vault/list.md").as_deref(), Some("- milk\n"));
    assert_eq!((machine.read("vault/ran-a-shell"), machine.files("outside").len()), (None, 0));
    let created: Vec<bool> = told.tool("create").into_iter().map(|(ok, ..)| ok).collect();
    assert_eq!(created, [true, false], "{told:#?}");
    let answer = format!("note.md in {}", machine.vault().display());
    assert_eq!(told.tool("tolaria-note_info"), [(true, false, answer)]);
    assert_eq!(told.mcp("tolaria").last(), Some(&"connected"));
    let outcome = told.outcome();
    assert_eq!((outcome.status, outcome.exit_code), (Status::Completed, Some(0)), "{told:#?}");
    assert!(outcome.session_id.is_some() && outcome.usage.is_some());
    let calls = model.calls();
    assert_eq!(calls[0].tools(), ["view", "create", "edit", "grep", "glob", "tolaria-note_info"]);
    assert!(calls[0].prompt().contains(&prompt), "the prompt arrived whole");
    assert_eq!(machine.processes(), Vec::<String>::new(), "nothing is left");

    let session = outcome.session_id.clone().expect("told above");
    model.script([text("Again.")]);
    let again = told::run(&launcher(&machine), &request(&machine, "And now?").resume(session.clone())).await;
    assert_eq!((again.text().as_str(), again.outcome().session_id.as_ref()), ("Again.", Some(&session)), "{again:#?}");
}

async fn a_described_agent_has_its_shell_in_power_user_mode(version: &'static str) {
    let model = Model::start([
        text("Working.").tool("bash", json!({ "command": "echo shell > by-shell.md", "description": "Writes a file" })),
        text("Done."),
    ])
    .await;
    let machine = Machine::with(version, &model).await;
    let told = told::run(&launcher(&machine), &request(&machine, "Do it.").mode(Mode::PowerUser)).await;
    assert_eq!((told.text().as_str(), told.outcome().status), ("Working.\n\nDone.", Status::Completed), "{told:#?}");
    assert_eq!(machine.read("vault/by-shell.md").as_deref(), Some("shell\n"));
}

async fn a_described_agent_is_stopped_and_explained(version: &'static str) {
    let gate = Gate::new();
    let model = Model::start([text("One, ").text("two, ").gate(&gate).text("three."), silence()]).await;
    let machine = Machine::with(version, &model).await;
    let launcher = launcher(&machine);
    let plan = launcher.plan(&request(&machine, "Count.").stream_id("panel")).await.expect("a plan");
    let mut run = launcher.start(plan).expect("a start");
    let before = told::until(&mut run, |kind| matches!(kind, EventKind::TextDelta { .. })).await;
    assert!(launcher.cancel("panel"));
    let told = told::rest(run, before).await;
    assert_eq!(told.outcome().status, Status::Cancelled, "{told:#?}");
    assert_eq!(machine.processes(), Vec::<String>::new(), "nothing is left");

    let model = Model::start([status(401, r#"{"error":{"message":"Incorrect API key"}}"#)]).await;
    let machine = Machine::with(version, &model).await;
    let told = told::run(&self::launcher(&machine), &request(&machine, "Count.")).await;
    let guidance = told.error().unwrap_or_else(|| panic!("an error: {told:#?}"));
    assert_eq!(
        (told.outcome().status, guidance.code.as_str()),
        (Status::Failed, "token_rejected".to_owned()),
        "{told:#?}"
    );
}
