//! The app's MCP server: what it gets, what nobody else sees, and what is told where it does not work.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use agent_launcher::{EventKind, McpServer, NoticeLevel, Status};
use serde_json::json;

use crate::support::machine::{Machine, contains};
use crate::support::model::{Gate, Model, text};
use crate::support::told;
use crate::support::versions::{on_every_version, on_newest};

on_every_version!(
    a_secret_of_the_server_reaches_it_and_nobody_else,
    a_server_that_crashes_is_told_and_the_run_goes_on,
    a_slow_server_is_waited_for,
);
on_newest!(a_server_whose_script_is_missing_is_told, a_server_whose_program_is_missing_is_refused_before_the_start);

const SECRET: &str = "canary-0123456789-secret";

async fn a_secret_of_the_server_reaches_it_and_nobody_else(version: &'static str) {
    let gate = Gate::new();
    let model = Model::start([
        text("Asking. ").tool("tolaria-note_info", json!({ "note": "note.md" })),
        text("Begin ").gate(&gate).text("end."),
    ])
    .await;
    let machine = Machine::with(version, &model).await;
    let launcher = machine.launcher();
    let request = machine.request("Ask the app.").mcp_server(machine.mcp("ok").secret_env("API_TOKEN", SECRET));
    let plan = launcher.plan(&request).await.expect("the request can be planned");
    assert!(!format!("{request:?} {plan:?}").contains(SECRET), "it stands in no Debug");
    let mut run = launcher.start(plan).expect("the plan can be started");
    let before =
        told::until(&mut run, |kind| matches!(kind, EventKind::TextDelta { text } if text.ends_with("Begin "))).await;

    let lists = machine.processes();
    assert!(lists.iter().any(|list| list.contains("fake-mcp")), "the server runs: {lists:?}");
    assert_eq!(lists.iter().find(|list| list.contains(SECRET)), None, "it stands in no argument list");
    let private = private_files(&lists);
    let [private] = &Vec::from_iter(private)[..] else { panic!("the servers travel in one private file: {lists:?}") };
    let mode = fs::metadata(private).expect("the file is there during the run").permissions().mode();
    assert_eq!(mode & 0o077, 0, "nobody else may read it");
    gate.open();
    let told = told::rest(run, before).await;

    assert_eq!(told.outcome().status, Status::Completed, "{told:#?}");
    assert!(!private.exists(), "the private file is gone");
    assert!(!format!("{told:?}").contains(SECRET), "it stands in no event");
    let started = &machine.mcp_log()[0]["started"];
    assert_eq!(started["env"]["API_TOKEN"], SECRET, "the server has it");
    assert_eq!(started["env"]["VAULT_PATH"], json!(machine.vault()));
    assert_eq!(started["cwd"], json!(machine.vault()));
    for (path, bytes) in machine.files("") {
        assert!(path == "mcp.log" || !contains(&bytes, SECRET.as_bytes()), "{path} holds the secret");
    }
}

/// The private files that the argument lists name.
fn private_files(lists: &[String]) -> BTreeSet<PathBuf> {
    let words = lists.iter().flat_map(|list| list.split(' '));
    words.filter_map(|word| word.strip_prefix("--additional-mcp-config=@")).map(PathBuf::from).collect()
}

async fn a_server_that_crashes_is_told_and_the_run_goes_on(version: &'static str) {
    let model = Model::start([text("Without the app.")]).await;
    let machine = Machine::with(version, &model).await;
    let request = machine.request("Ask the app.").mcp_server(machine.mcp("crash"));
    assert_told(&machine, &request, &model).await;
    assert_eq!(machine.mcp_log()[0]["started"]["cwd"], json!(machine.vault()), "it was started");
}

async fn a_server_whose_script_is_missing_is_told(version: &'static str) {
    let model = Model::start([text("Without the app.")]).await;
    let machine = Machine::with(version, &model).await;
    let server = McpServer::stdio("tolaria", "node").arg(machine.root().join("missing.js").display().to_string());
    assert_told(&machine, &machine.request("Ask the app.").mcp_server(server), &model).await;
}

/// The run completes, says before its answer that the server failed, and offers no tool of it.
async fn assert_told(machine: &Machine, request: &agent_launcher::Request, model: &Model) {
    let told = told::run(&machine.launcher(), request).await;
    assert_eq!(told.outcome().status, Status::Completed, "{told:#?}");
    assert_eq!(told.text(), "Without the app.");
    assert_eq!(told.mcp("tolaria").last(), Some(&"failed"), "{told:#?}");
    let warned = told.position(
        |kind| matches!(kind, EventKind::Notice { level: NoticeLevel::Warning, message } if message.contains("tolaria")),
    );
    let answered = told.position(|kind| matches!(kind, EventKind::TextDelta { .. }));
    assert!(warned.is_some() && warned < answered, "it is told before the answer: {told:#?}");
    let offered = model.calls()[0].tools();
    assert!(!offered.iter().any(|tool| tool.starts_with("tolaria")), "{offered:?}");
    assert_eq!(machine.processes(), Vec::<String>::new());
}

async fn a_slow_server_is_waited_for(version: &'static str) {
    let model = Model::start([text("Asking. ").tool("tolaria-note_info", json!({ "note": "n" })), text("Done.")]).await;
    let machine = Machine::with(version, &model).await;
    let request = machine.request("Ask the app.").mcp_server(machine.mcp("slow"));
    let told = told::run(&machine.launcher(), &request).await;
    assert_eq!(told.mcp("tolaria").last(), Some(&"connected"), "{told:#?}");
    assert!(told.tool("tolaria-note_info")[0].0, "{told:#?}");
}

async fn a_server_whose_program_is_missing_is_refused_before_the_start(version: &'static str) {
    let model = Model::start([text("Never.")]).await;
    let machine = Machine::with(version, &model).await;
    let request = machine.request("Ask.").mcp_server(McpServer::stdio("tolaria", "no-such-program"));
    let error = machine.launcher().plan(&request).await.expect_err("the program is missing");
    assert!(error.to_string().contains("no-such-program"), "{error}");
    assert!(error.is_usage());
    assert_eq!(model.all_calls().len(), 0);
}
