//! A person who is signed in, on a local stand-in of the service: the sign-in works in every way a run is isolated, its
//! files stay as they are, and the service's refusals are told by their cause.

use agent_launcher::{Code, Mode, Status};
use serde_json::json;

use crate::support::command::{Asked, ask};
use crate::support::machine::Machine;
use crate::support::model::{Model, status, text};
use crate::support::service::TOKEN;
use crate::support::told::{self, Told};
use crate::support::versions::{on_every_version, on_newest};

on_every_version!(a_sign_in_kept_in_a_file_works_and_the_file_stays_as_it_is, a_sign_in_in_the_environment_works,);
on_newest!(
    a_limit_after_which_copilot_never_exits_ends_the_run,
    a_token_that_expired_is_told,
    a_quota_that_is_used_up_is_told,
    a_policy_that_forbids_is_told,
    a_service_that_is_not_there_is_told,
);

/// The variable by which the release program takes another address for the service.
const SERVICE: &str = "COPILOT_DEBUG_GITHUB_API_URL";

/// Asks in the tightest mode that the version has, with the app's server, and checks the answer and the tools.
async fn asks(machine: &Machine, model: &Model) -> Told {
    let before = model.calls().len();
    let note = machine.vault().join("list.md");
    let _ = std::fs::remove_file(&note);
    let _ = std::fs::remove_file(machine.vault().join("ran-a-shell"));
    model.script([
        text("Writing. ")
            .tool("create", json!({ "path": note, "file_text": "- milk\n" }))
            .tool("bash", json!({ "command": "touch ran-a-shell", "description": "x" }))
            .tool("tolaria-note_info", json!({ "note": "note.md" })),
        text("Done."),
    ]);
    let request = machine.request("Make a list.").mcp_server(machine.mcp("ok")).env(SERVICE, model.service_url());
    let told = told::run(&machine.launcher(), &request).await;
    assert_eq!(told.text(), "Writing. \n\nDone.", "{told:#?}");
    assert_eq!(machine.read("vault/list.md").as_deref(), Some("- milk\n"));
    let safe = machine.mode() == Mode::Safe;
    assert_eq!(machine.read("vault/ran-a-shell").is_none(), safe);
    assert!(told.tool("tolaria-note_info")[0].0, "{told:#?}");
    let outcome = told.outcome();
    assert_eq!((outcome.status, outcome.denied_tools), (Status::Completed, u32::from(safe)), "{told:#?}");
    let call = &model.calls()[before];
    let tools = call.tools();
    assert!(!safe || tools == ["view", "create", "edit", "grep", "glob", "tolaria-note_info"], "no tool of the web");
    let sent = call.headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
    assert!(sent.ends_with(TOKEN), "the person's sign-in is used");
    assert!(!format!("{told:?}").contains(TOKEN), "and told nowhere");
    assert_eq!(machine.processes(), Vec::<String>::new());
    told
}

async fn a_sign_in_kept_in_a_file_works_and_the_file_stays_as_it_is(version: &'static str) {
    let model = Model::empty().await;
    let machine = Machine::signed_out(version).await;
    let user = json!({ "host": "https://github.com", "login": "someone" });
    let signed_in = |trusted: &[&str]| {
        let config = json!({
            "firstLaunchAt": "2026-01-02T03:04:05.678Z", "trustedFolders": trusted, "storeTokenPlaintext": true,
            "lastLoggedInUser": user, "loggedInUsers": [user], "copilotTokens": { "https://github.com:someone": TOKEN },
        });
        machine.write("home/.copilot/config.json", &config.to_string());
    };
    let config = || machine.read("home/.copilot/config.json").expect("the file is there");
    signed_in(&[]);
    // The first run may bring the file into the form of its version; from then on it stays.
    asks(&machine, &model).await;
    let before = config();
    assert!(before.contains(TOKEN));
    asks(&machine, &model).await;
    assert_eq!(config(), before);

    // From an empty folder, where the person trusts a vault that could start programs.
    if machine.mode() == Mode::Safe {
        machine.write("vault/.mcp.json", "{\"mcpServers\":{}}");
        signed_in(&[&machine.vault().display().to_string()]);
        asks(&machine, &model).await;
        let before = config();
        let told = asks(&machine, &model).await;
        assert!(told.notices().iter().any(|(_, message)| message.contains("works from an empty folder")), "{told:#?}");
        assert_eq!(config(), before);
    }
    // The sign-in is where it was and nowhere else.
    for (path, bytes) in machine.files("") {
        let holds = crate::support::machine::contains(&bytes, TOKEN.as_bytes());
        assert!(!holds || path == "home/.copilot/config.json", "{path} holds the token");
    }
}

async fn a_sign_in_in_the_environment_works(version: &'static str) {
    let model = Model::empty().await;
    let mut machine = Machine::signed_out(version).await;
    machine.vars.insert("GH_TOKEN".into(), TOKEN.into());
    asks(&machine, &model).await;
    let server = &machine.mcp_log()[0]["started"]["env"];
    assert!(!server.to_string().contains(TOKEN), "the app's server does not get it");
}

/// Runs `ask` where the service answers the question with this refusal.
async fn refused_by_the_service(version: &'static str, code: u16, body: serde_json::Value) -> Asked {
    let model = Model::start([status(code, body.to_string()).header("retry-after", "86400")]).await;
    let mut machine = Machine::signed_out(version).await;
    machine.vars.insert("GH_TOKEN".into(), TOKEN.into());
    machine.is_idle();
    let service = format!("{SERVICE}={}", model.service_url());
    let asked = ask(&machine, &["--env", &service, "Hello."]).await;
    asked.told.check();
    assert_eq!(asked.told.outcome().status, Status::Failed, "{asked:#?}");
    assert!(!format!("{asked:?}").contains(TOKEN), "the token is told nowhere");
    assert_eq!(machine.processes(), Vec::<String>::new());
    asked
}

fn code(asked: &Asked) -> Code {
    asked.told.error().unwrap_or_else(|| panic!("an Error event: {asked:#?}")).code
}

async fn a_limit_after_which_copilot_never_exits_ends_the_run(version: &'static str) {
    let body = json!({ "error": { "message": "Sorry, you have exceeded your weekly rate limit.",
        "code": "user_weekly_rate_limited" } });
    let asked = refused_by_the_service(version, 429, body).await;
    // By itself 1.0.102 waits for ever here (older ones exit with 1): it exits with 0 when it is stopped.
    assert_eq!((code(&asked), asked.told.outcome().exit_code), (Code::RateLimited, Some(0)), "{asked:#?}");
}

async fn a_token_that_expired_is_told(version: &'static str) {
    let body =
        json!({ "error": { "message": "IDE token expired: unauthorized: token expired", "code": "unauthorized" } });
    let asked = refused_by_the_service(version, 401, body).await;
    assert_eq!((code(&asked), asked.code), (Code::TokenRejected, Some(3)), "{asked:#?}");
}

async fn a_quota_that_is_used_up_is_told(version: &'static str) {
    let body = json!({ "error": { "message": "You have no quota", "code": "quota_exceeded" } });
    let asked = refused_by_the_service(version, 402, body).await;
    assert_eq!(code(&asked), Code::QuotaExhausted, "{asked:#?}");
}

async fn a_policy_that_forbids_is_told(version: &'static str) {
    let body = json!({ "error": { "message": "Access denied by policy settings", "code": "forbidden" } });
    let asked = refused_by_the_service(version, 403, body).await;
    assert_eq!(code(&asked), Code::PolicyBlocked, "{asked:#?}");
}

async fn a_service_that_is_not_there_is_told(version: &'static str) {
    let mut machine = Machine::signed_out(version).await;
    machine.vars.insert("GH_TOKEN".into(), TOKEN.into());
    machine.is_idle();
    let address = Model::refused().await;
    let service = format!("{SERVICE}={}", address.trim_end_matches("/v1"));
    let asked = ask(&machine, &["--env", &service, "Hello."]).await;
    assert_eq!(code(&asked), Code::Network, "{asked:#?}");
}
