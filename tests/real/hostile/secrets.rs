//! A planted secret appears nowhere it was not given to.

use agent_launcher::{EventKind, Mode};
use serde_json::json;

use crate::support::machine::{Machine, contains};
use crate::support::model::{Gate, Model, text};
use crate::support::told;
use crate::support::versions::{on_every_safe_version, on_every_version};

on_every_safe_version!(a_secret_of_the_app_goes_nowhere);
on_every_version!(a_shell_of_the_agent_gets_no_secret);

const APP: &str = "canary-of-the-app-5af1";
const SERVER: &str = "canary-of-the-server-77c2";
const PROMPT: &str = "canary-of-the-prompt-90bd";
const TOKEN: &str = "github_pat_11CANARY0000000000000000_0000000000000000000000000000000000000000000000000000000000a";

async fn a_secret_of_the_app_goes_nowhere(version: &'static str) {
    let gate = Gate::new();
    let model = Model::start([
        text("Asking. ").tool("tolaria-note_info", json!({ "note": "note.md" })),
        text("Begin ").gate(&gate).text("end."),
    ])
    .await;
    let mut machine = Machine::with(version, &model).await;
    machine.vars.insert("DATABASE_PASSWORD".into(), APP.into());
    machine.vars.insert("AWS_SECRET_ACCESS_KEY".into(), APP.into());
    machine.vars.insert("GH_TOKEN".into(), TOKEN.into());
    let launcher = machine.launcher();
    let server = machine.mcp("ok").secret_env("API_TOKEN", SERVER);
    let request = machine.request(PROMPT).private_prompt(true).mcp_server(server);
    let plan = launcher.plan(&request).await.expect("the request can be planned");
    let printed = format!("{request:?} {plan:?} {plan} {} {:?}", serde_json::to_string(&plan).unwrap(), machine.host());
    let mut run = launcher.start(plan).expect("the plan can be started");
    let before =
        told::until(&mut run, |kind| matches!(kind, EventKind::TextDelta { text } if text.ends_with("Begin ")));
    let before = before.await;
    let lists = machine.processes().join("\n");
    let environments = machine.environments();
    gate.open();
    let told = told::rest(run, before).await;
    let told = format!("{told:?} {:?}", told.outcome());

    for secret in [APP, SERVER, PROMPT, TOKEN] {
        for (place, text) in [("what is printed", &printed), ("the argument lists", &lists), ("the events", &told)] {
            assert!(!text.contains(secret), "{secret} stands in {place}");
        }
    }
    // The agent is given its own token and nothing of the app; its server has its own secret alone.
    assert!(environments.iter().any(|(_, environment)| environment.contains(TOKEN)), "the agent has its sign-in");
    for (process, environment) in &environments {
        assert!(!environment.contains(APP), "{process} has a secret of the app");
        if process.contains("fake-mcp") {
            assert!(!environment.contains(TOKEN), "{process} has the person's token");
            assert!(environment.contains(SERVER), "{process} has its own");
        } else {
            assert!(!environment.contains(SERVER), "{process} has a secret of the server");
        }
    }
    for (path, bytes) in machine.files("") {
        // The server's log is the test's own; the conversation is Copilot's, kept in the person's home (documented).
        let kept = path == "mcp.log" || path.starts_with("home/.copilot/session-");
        for secret in [APP, SERVER, TOKEN] {
            assert!(kept || !contains(&bytes, secret.as_bytes()), "{path} holds {secret}");
        }
        assert!(kept || !contains(&bytes, PROMPT.as_bytes()), "{path} holds the prompt");
    }
}

async fn a_shell_of_the_agent_gets_no_secret(version: &'static str) {
    let model = Model::start([
        text("Looking. ").tool("bash", json!({ "command": "env > env.txt; echo looked", "description": "x" })),
        text("Done."),
    ])
    .await;
    let mut machine = Machine::with(version, &model).await;
    machine.vars.insert("DATABASE_PASSWORD".into(), APP.into());
    machine.vars.insert("AWS_SECRET_ACCESS_KEY".into(), APP.into());
    machine.vars.insert("GH_TOKEN".into(), TOKEN.into());
    machine.vars.insert("HARMLESS".into(), "stays".into());
    let told = told::run(&machine.launcher(), &machine.request("Look.").mode(Mode::PowerUser)).await;
    assert!(told.tool("bash")[0].0, "{told:#?}");
    let environment = machine.read("vault/env.txt").expect("the shell wrote its environment");
    assert!(environment.contains("HARMLESS=stays"), "{environment}");
    for secret in [APP, TOKEN] {
        assert!(!environment.contains(secret), "the shell has {secret}");
    }
}
