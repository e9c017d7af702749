//! The plugin that ships with the crate, and workflows, on the real Copilot CLI.
//!
//! `adr` is a fake that plays recorded reports. No workflow gets past the CLI's own gate without a GitHub login, so what
//! lies behind it is tested on a fake (`tests/it/workflow.rs`) and through the CLI's own extension process
//! (`adapters/copilot/plugin/test/real-workflow.test.mjs`).

use std::fs;
use std::path::{Path, PathBuf};

use agent_launcher::{
    AgentId, Code, Event, EventKind, ExportedPlugin, Gate, Launcher, Mode, NoticeLevel, Plugin, Run, Status,
    WorkflowRequest,
};
use serde_json::{Value, json};

use crate::support::machine::Machine;
use crate::support::model::{Model, text, tool};
use crate::support::told::{self, Told};
use crate::support::versions::{on_newest, on_workflow_versions};

on_newest!(
    in_a_trusted_vault_the_tools_still_answer_for_the_vault_and_none_of_its_hooks_run,
    the_hooks_of_an_untrusted_vault_do_not_run_beside_the_plugin,
    a_tool_that_asks_is_allowed_by_name_and_does_not_hang,
    a_plugin_whose_tools_nobody_named_is_not_offered,
    power_user_mode_needs_no_grant,
    a_workflow_whose_extension_never_joins_ends_by_itself,
);

on_workflow_versions!(
    the_model_calls_the_plugins_tools_in_safe_mode_and_gets_their_reports,
    a_workflow_without_a_sign_in_ends_with_guidance,
    a_workflow_is_cancelled_while_it_starts_and_leaves_nothing,
    a_workflow_whose_agent_gets_a_signal_while_it_starts_has_failed,
);

/// Puts the fake `adr` and its reports onto the machine, and the records into the vault.
fn with_adr(machine: &Machine) {
    let recordings = Path::new(env!("CARGO_MANIFEST_DIR")).join("adapters/copilot/plugin/test/recordings");
    let bin = machine.home().join("bin");
    for name in ["check", "explain", "lint"] {
        fs::copy(recordings.join(format!("{name}.json")), bin.join(format!("{name}.json"))).expect("a recording");
    }
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_fake-agent"), bin.join("adr")).expect("the link is new");
    machine.write("vault/docs/adr/0001-a.md", "# A\n");
}

/// A recorded report.
fn recorded(machine: &Machine, name: &str) -> Value {
    let text = machine.read(&format!("home/bin/{name}.json")).expect("a recording");
    serde_json::from_str(&text).expect("a recording is JSON")
}

/// The calls of the fake `adr`: its arguments and its working directory.
fn adr_calls(machine: &Machine) -> Vec<(Vec<String>, PathBuf)> {
    let mut calls: Vec<_> = fs::read_dir(machine.home().join("bin/calls"))
        .into_iter()
        .flatten()
        .map(|entry| entry.expect("an entry").path())
        .collect();
    calls.sort();
    let read = |path: &PathBuf| {
        let call: Value = serde_json::from_slice(&fs::read(path).expect("a call")).expect("a call is JSON");
        let args = call["argv"].as_array().expect("arguments")[1..].iter();
        let cwd = PathBuf::from(call["cwd"].as_str().expect("a folder"));
        (call["name"] == "adr").then(|| (args.map(|arg| arg.as_str().unwrap().to_owned()).collect(), cwd))
    };
    calls.iter().filter_map(read).collect()
}

fn hooks(machine: &Machine) {
    let marker = machine.root().join("hook-ran");
    let command = json!({"type": "command", "bash": format!("touch '{}'", marker.display()), "timeoutSec": 5});
    let hooks = json!({"version": 1, "hooks": {"sessionStart": [command]}});
    machine.write("vault/.github/hooks/x.json", &hooks.to_string());
}

/// A plugin with one tool, `probe_tool`, joined as `join` says.
fn probe(machine: &Machine, own: &Value, join: &str) -> PathBuf {
    let dir = machine.root().join("probe");
    let manifest = json!({"name": "probe", "version": "1.0.0", "agentLauncher": own});
    machine.write("probe/.claude-plugin/plugin.json", &manifest.to_string());
    let text = format!("import {{ joinSession }} from \"@github/copilot-sdk/extension\";\n{join}\n");
    machine.write("probe/extensions/probe/extension.mjs", &text);
    dir
}

const ASKING: &str = r#"await joinSession({ enableFileHooks: false, tools: [{ name: "probe_tool", description: "Probes.",
  parameters: { type: "object", properties: {} }, handler: () => "PROBED" }] });"#;

async fn the_model_calls_the_plugins_tools_in_safe_mode_and_gets_their_reports(version: &'static str) {
    let model = Model::start([
        tool("adr_check", json!({"paths": ["a.ts"]})),
        tool("adr_explain", json!({"path": "packages/cli/src/index.ts"})),
        tool("adr_lint", json!({})),
        tool("adr_explain", json!({"path": "../outside"})),
        text("four decisions"),
    ])
    .await;
    let machine = Machine::with(version, &model).await;
    with_adr(&machine);
    machine.write("home/bin/adr.json", &json!({"lint": {"exit": 1}}).to_string());
    let exported = ExportedPlugin::adrkit().expect("the plugin can be written");
    let request = machine.request("Which decisions?").plugin_dir(exported.path());
    let told = told::run(&machine.launcher(), &request).await;

    assert_eq!((told.outcome().status, &*told.text()), (Status::Completed, "four decisions"), "{told:#?}");
    let mut offered = model.calls()[0].tools();
    offered.sort();
    assert_eq!(offered, ["adr_check", "adr_explain", "adr_lint", "create", "edit", "glob", "grep", "view"]);
    let answers = model.calls().last().expect("a request").messages("tool");
    let reports: Vec<Value> = answers[..3].iter().map(|text| serde_json::from_str(text).expect("JSON")).collect();
    let mut check = recorded(&machine, "check");
    check["changedFiles"] = json!(["a.ts"]);
    assert_eq!(reports[0], json!({"exitCode": 0, "report": check}));
    assert_eq!(reports[1], json!({"exitCode": 0, "report": recorded(&machine, "explain")}));
    assert_eq!(reports[2], json!({"exitCode": 1, "report": recorded(&machine, "lint")}), "exit code 1 is data");
    assert!(answers[3].starts_with("invalid-path: ") && !answers[3].contains("outside"), "{}", answers[3]);
    let calls = adr_calls(&machine);
    assert_eq!(calls.len(), 3, "the refused path reached nothing");
    assert!(calls.iter().all(|(_, cwd)| *cwd == machine.vault()));
    assert_eq!(calls[0].0, ["check", "--json", "--dir", "docs/adr", "--", "a.ts"]);
}

async fn in_a_trusted_vault_the_tools_still_answer_for_the_vault_and_none_of_its_hooks_run(version: &'static str) {
    let model = Model::start([tool("adr_lint", json!({})), text("done")]).await;
    let machine = Machine::with(version, &model).await;
    with_adr(&machine);
    hooks(&machine);
    machine.write("home/.copilot/config.json", &json!({"trustedFolders": [machine.vault()]}).to_string());
    let exported = ExportedPlugin::adrkit().expect("the plugin can be written");
    let told = told::run(&machine.launcher(), &machine.request("Lint.").plugin_dir(exported.path())).await;
    assert_eq!(told.outcome().status, Status::Completed, "{told:#?}");
    assert_eq!(adr_calls(&machine).len(), 1, "{told:#?}");
    assert_eq!(adr_calls(&machine)[0].1, machine.vault());
    assert_eq!(machine.read("hook-ran"), None);
}

async fn the_hooks_of_an_untrusted_vault_do_not_run_beside_the_plugin(version: &'static str) {
    let model = Model::start([tool("adr_lint", json!({})), text("done")]).await;
    let machine = Machine::with(version, &model).await;
    with_adr(&machine);
    hooks(&machine);
    // An extension of the person's own, which the plugin's flag lets load as well.
    machine.write(
        "home/.copilot/extensions/own/extension.mjs",
        "import { joinSession } from \"@github/copilot-sdk/extension\";\nawait joinSession({});\n",
    );
    let exported = ExportedPlugin::adrkit().expect("the plugin can be written");
    let told = told::run(&machine.launcher(), &machine.request("Lint.").plugin_dir(exported.path())).await;
    assert_eq!(told.outcome().status, Status::Completed, "{told:#?}");
    assert_eq!(adr_calls(&machine).len(), 1, "{told:#?}");
    assert_eq!(machine.read("hook-ran"), None);

    // The control: the same vault with a plugin that does not keep them out, which Safe mode refuses and Power User tells.
    let open = probe(&machine, &json!({"tools": [{"name": "probe_tool"}]}), "await joinSession({});");
    let launcher = machine.launcher();
    assert!(launcher.plan(&machine.request("x").plugin_dir(&open)).await.is_err());
    let power = told::run(&launcher, &machine.request("x").plugin_dir(&open).mode(Mode::PowerUser)).await;
    assert!(
        power.notices().iter().any(|(level, text)| *level == NoticeLevel::Warning && text.contains(".github/hooks"))
    );
    assert!(machine.read("hook-ran").is_some(), "else this test proves nothing");
}

async fn a_tool_that_asks_is_allowed_by_name_and_does_not_hang(version: &'static str) {
    let model = Model::start([tool("probe_tool", json!({})), text("done")]).await;
    let machine = Machine::with(version, &model).await;
    let dir = probe(&machine, &json!({"keepsFileHooksOut": true}), ASKING);
    let request = machine.request("Probe.").plugin(Plugin::new(dir).tool("probe_tool"));
    let told = told::run(&machine.launcher(), &request).await;
    assert_eq!(told.tool("probe_tool"), [(true, false, "PROBED".into())], "{told:#?}");
    assert_eq!(told.text(), "done");
}

async fn a_plugin_whose_tools_nobody_named_is_not_offered(version: &'static str) {
    let model = Model::start([text("done")]).await;
    let machine = Machine::with(version, &model).await;
    let dir = probe(&machine, &json!({"keepsFileHooksOut": true}), ASKING);
    let told = told::run(&machine.launcher(), &machine.request("Probe.").plugin_dir(dir)).await;
    assert_eq!(told.text(), "done", "{told:#?}");
    assert!(!model.calls()[0].tools().contains(&"probe_tool".to_owned()));
    assert!(told.notices().iter().any(|(_, text)| text.contains("names no tools")), "{told:#?}");
}

async fn power_user_mode_needs_no_grant(version: &'static str) {
    let model = Model::start([tool("adr_lint", json!({})), tool("probe_tool", json!({})), text("done")]).await;
    let machine = Machine::with(version, &model).await;
    with_adr(&machine);
    let exported = ExportedPlugin::adrkit().expect("the plugin can be written");
    let own = probe(&machine, &json!({"keepsFileHooksOut": true}), ASKING);
    let request = machine.request("Lint.").plugin_dir(exported.path()).plugin_dir(own).mode(Mode::PowerUser);
    let told = told::run(&machine.launcher(), &request).await;
    assert!(told.tool("adr_lint")[0].0 && told.tool("probe_tool")[0].0, "{told:#?}");
}

fn review(machine: &Machine) -> WorkflowRequest {
    WorkflowRequest::new(AgentId::COPILOT, machine.vault(), "adr-review").args(json!({"files": ["a.ts"]}))
}

async fn run_workflow(machine: &Machine, request: &WorkflowRequest) -> Told {
    let launcher = machine.launcher();
    let plan = launcher.plan_workflow(request).await.expect("the workflow can be planned");
    told::rest(launcher.start(plan).expect("the plan can be started"), Vec::new()).await
}

fn assert_not_available(told: &Told) {
    let outcome = told.outcome();
    assert_eq!((outcome.status, outcome.exit_code), (Status::Failed, Some(1)), "{told:#?}");
    let workflow = outcome.workflow.as_ref().expect("a verdict");
    assert_eq!((workflow.gate, &workflow.run_status, &workflow.result), (Gate::Failed, &None, &None));
    assert_eq!(told.error().map(|guidance| guidance.code), Some(Code::SubscriptionRequired), "{told:#?}");
}

async fn a_workflow_without_a_sign_in_ends_with_guidance(version: &'static str) {
    let model = Model::start([text("never asked")]).await;
    let machine = Machine::with(version, &model).await;
    with_adr(&machine);
    let exported = ExportedPlugin::adrkit().expect("the plugin can be written");
    for mode in [Mode::Safe, Mode::PowerUser] {
        let told = run_workflow(&machine, &review(&machine).plugin(exported.plugin()).mode(mode)).await;
        assert_not_available(&told);
    }
    // The same where the run works from an empty folder.
    hooks(&machine);
    machine.write("home/.copilot/config.json", &json!({"trustedFolders": [machine.vault()]}).to_string());
    assert_not_available(&run_workflow(&machine, &review(&machine).plugin(exported.plugin())).await);
    assert_eq!(machine.read("hook-ran"), None);
    assert!(model.calls().is_empty());
}

async fn a_workflow_whose_extension_never_joins_ends_by_itself(version: &'static str) {
    let model = Model::start([text("never asked")]).await;
    let machine = Machine::with(version, &model).await;
    let dir = probe(
        &machine,
        &json!({"keepsFileHooksOut": true}),
        "setInterval(() => {}, 1000); await new Promise(() => {});",
    );
    let told = run_workflow(&machine, &review(&machine).plugin_dir(dir)).await;
    assert_not_available(&told);
    assert!(told.outcome().elapsed_ms > 20_000, "it waits half a minute: {told:#?}");
}

/// Starts a workflow whose extension is up and never joins, so that the CLI waits for it.
async fn starting(machine: &Machine) -> (Launcher, Run, Vec<Event>) {
    let loaded = machine.root().join("loaded");
    let _ = fs::remove_file(&loaded);
    let join = format!(
        "import fs from \"node:fs\";\nfs.writeFileSync({}, \"\");\nsetInterval(() => {{}}, 1000);\nawait new Promise(() => {{}});",
        json!(loaded)
    );
    let dir = probe(machine, &json!({"keepsFileHooksOut": true}), &join);
    let launcher = machine.launcher();
    let request = review(machine).plugin_dir(dir).stream_id("w");
    let mut run = launcher.start(launcher.plan_workflow(&request).await.expect("a plan")).expect("a run");
    let first = told::until(&mut run, |kind| matches!(kind, EventKind::Init { .. })).await;
    let begin = std::time::Instant::now();
    while !loaded.exists() {
        assert!(begin.elapsed() < std::time::Duration::from_secs(60), "the extension does not load");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    (launcher, run, first)
}

/// Measured: the native program ends with 130 on each of the three. Nobody asked the launcher for it, so it is a failure.
async fn a_workflow_whose_agent_gets_a_signal_while_it_starts_has_failed(version: &'static str) {
    let model = Model::start([text("never asked")]).await;
    for signal in ["INT", "TERM", "HUP"] {
        let machine = Machine::with(version, &model).await;
        let (_launcher, run, first) = starting(&machine).await;
        let agents = machine.processes().into_iter().filter(|process| process.contains(" workflow run "));
        let agents: Vec<u32> = agents
            .filter_map(|process| process.split(' ').next()?.parse().ok())
            .filter(|pid| {
                let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
                status.lines().any(|line| line == format!("PPid:\t{}", std::process::id()))
            })
            .collect();
        let [agent] = agents[..] else { panic!("{:#?}", machine.processes()) };
        let kill = std::process::Command::new("kill").args(["-s", signal, &agent.to_string()]).status();
        assert!(kill.is_ok_and(|status| status.success()));
        let told = told::rest(run, first).await;
        let outcome = told.outcome();
        assert_eq!((outcome.status, outcome.exit_code, outcome.signal), (Status::Failed, Some(130), None), "{signal}");
        let workflow = outcome.workflow.as_ref().expect("a verdict");
        assert_eq!((workflow.gate, &workflow.run_status, &workflow.result), (Gate::Failed, &None, &None), "{signal}");
        assert!(told.error().is_some(), "{signal}: {told:#?}");
        assert_eq!(machine.processes(), Vec::<String>::new());
    }
}

async fn a_workflow_is_cancelled_while_it_starts_and_leaves_nothing(version: &'static str) {
    let model = Model::start([text("never asked")]).await;
    let machine = Machine::with(version, &model).await;
    let (launcher, run, first) = starting(&machine).await;
    assert!(launcher.cancel("w"));
    let told = told::rest(run, first).await;
    assert_eq!(told.outcome().status, Status::Cancelled, "{told:#?}");
    assert_eq!(told.outcome().workflow.as_ref().map(|workflow| workflow.gate), Some(Gate::Failed));
    assert_eq!(machine.processes(), Vec::<String>::new());
}
