//! The app's MCP server on the real Claude Code: what it gets, what nobody else sees, and what is told where it does not work.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use agent_launcher::{EventKind, McpServer, NoticeLevel, Request, Status};
use serde_json::json;

use crate::support::anthropic::{self, KEY, on_every_claude, on_newest_claude};
use crate::support::machine::{Machine, contains};
use crate::support::model::{Gate, Model, text};
use crate::support::told;

on_every_claude!(
    a_server_gets_what_it_is_given_to_the_letter_and_no_secret_of_others,
    a_server_that_crashes_is_told_and_the_run_goes_on,
    a_slow_server_is_waited_for,
    a_server_that_hangs_is_told_and_the_run_goes_on,
);
on_newest_claude!(a_server_whose_script_is_missing_is_told);

const SECRET: &str = "canary-0123456789-secret";

async fn a_server_gets_what_it_is_given_to_the_letter_and_no_secret_of_others(version: &'static str) {
    let gate = Gate::new();
    let model = Model::start([
        text("Asking. ").tool("mcp__tolaria__note_info", json!({ "note": "note.md" })),
        text("Begin ").gate(&gate).text("end."),
    ])
    .await;
    let mut machine = anthropic::with(version, &model).await;
    machine.vars.insert("AWS_SECRET_ACCESS_KEY".into(), "canary-of-the-app".into());
    let launcher = machine.launcher();
    let literal = "$HOME ${HOME} ${NOPE:-x} $${HOME} 100% \"'";
    let server = machine.mcp("ok").secret_env("API_TOKEN", SECRET).env("LITERAL", literal).arg("--note").arg(literal);
    let request = machine.request("Ask the app.").mcp_server(server);
    let plan = launcher.plan(&request).await.expect("the request can be planned");
    assert!(!format!("{request:?} {plan:?}").contains(SECRET), "it stands in no Debug");
    let mut run = launcher.start(plan).expect("the plan can be started");
    let before =
        told::until(&mut run, |kind| matches!(kind, EventKind::TextDelta { text } if text.ends_with("Begin "))).await;

    let lists = machine.processes();
    assert!(lists.iter().any(|list| list.contains("--fake-mcp")), "the server runs: {lists:?}");
    assert_eq!(lists.iter().find(|list| list.contains(SECRET)), None, "it stands in no argument list");
    let words = lists.iter().flat_map(|list| list.split(' '));
    let private = words.filter_map(|word| word.strip_prefix("--mcp-config=")).next().expect("a private file");
    let mode = fs::metadata(private).expect("the file is there during the run").permissions().mode();
    assert_eq!(mode & 0o077, 0, "nobody else may read it");
    let private = private.to_owned();
    gate.open();
    let told = told::rest(run, before).await;

    assert_eq!(told.outcome().status, Status::Completed, "{told:#?}");
    assert!(fs::metadata(private).is_err(), "the private file is gone");
    assert!(!format!("{told:?}").contains(SECRET), "it stands in no event");
    let started = &machine.mcp_log()[0]["started"];
    assert_eq!(started["env"]["API_TOKEN"], SECRET, "the server has it");
    assert_eq!(started["env"]["LITERAL"], literal);
    assert_eq!(started["args"].as_array().and_then(|args| args.last()), Some(&json!(literal)), "{started:#}");
    assert_eq!(started["env"]["VAULT_PATH"], json!(machine.vault()));
    assert_eq!(started["cwd"], json!(machine.vault()));
    let environment = started["env"].to_string();
    assert!(!environment.contains(KEY) && !environment.contains("canary-of-the-app"), "{environment}");
    for (path, bytes) in machine.files("") {
        assert!(path == "mcp.log" || !contains(&bytes, SECRET.as_bytes()), "{path} holds the secret");
    }
}

async fn a_server_that_crashes_is_told_and_the_run_goes_on(version: &'static str) {
    let model = Model::start([text("Without the app.")]).await;
    let machine = anthropic::with(version, &model).await;
    let request = machine.request("Ask the app.").mcp_server(machine.mcp("crash"));
    assert_told(&machine, &request, &model).await;
    assert_eq!(machine.mcp_log()[0]["started"]["cwd"], json!(machine.vault()), "it was started");
}

async fn a_server_that_hangs_is_told_and_the_run_goes_on(version: &'static str) {
    let model = Model::start([text("Without the app.")]).await;
    let machine = anthropic::with(version, &model).await;
    // A test need not wait for as long as a person does.
    let request = machine.request("Ask the app.").mcp_server(machine.mcp("hang")).env("MCP_TIMEOUT", "1500");
    assert_told(&machine, &request, &model).await;
}

async fn a_server_whose_script_is_missing_is_told(version: &'static str) {
    let model = Model::start([text("Without the app.")]).await;
    let machine = anthropic::with(version, &model).await;
    let server = McpServer::stdio("tolaria", "node").arg(machine.root().join("missing.js").display().to_string());
    assert_told(&machine, &machine.request("Ask the app.").mcp_server(server), &model).await;
}

/// The run completes, says before its answer that the server is not there, and offers no tool of it.
async fn assert_told(machine: &Machine, request: &Request, model: &Model) {
    let told = told::run(&machine.launcher(), request).await;
    assert_eq!(told.outcome().status, Status::Completed, "{told:#?}");
    assert_eq!(told.text(), "Without the app.");
    assert_ne!(told.mcp("tolaria").last(), Some(&"connected"), "{told:#?}");
    let warned = told.position(
        |kind| matches!(kind, EventKind::Notice { level: NoticeLevel::Warning, message } if message.contains("tolaria")),
    );
    let answered = told.position(|kind| matches!(kind, EventKind::TextDelta { .. }));
    assert!(warned.is_some() && warned < answered, "it is told before the answer: {told:#?}");
    let tools = model.calls()[0].tools();
    assert!(!tools.iter().any(|tool| tool.starts_with("mcp__")), "{tools:?}");
    assert_eq!(machine.processes(), Vec::<String>::new());
}

async fn a_slow_server_is_waited_for(version: &'static str) {
    let call = text("Asking. ").tool("mcp__tolaria__note_info", json!({ "note": "n" }));
    let model = Model::start([call, text("Done.")]).await;
    let machine = anthropic::with(version, &model).await;
    let told = told::run(&machine.launcher(), &machine.request("Ask.").mcp_server(machine.mcp("slow"))).await;
    assert_eq!(told.mcp("tolaria").last(), Some(&"connected"), "{told:#?}");
    assert!(told.tool("mcp__tolaria__note_info")[0].0, "{told:#?}");
}
