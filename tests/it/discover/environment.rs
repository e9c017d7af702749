use agent_launcher::discover::{ShellStatus, Verdict, Via};
use agent_launcher::{AgentId, Code, Error, McpServer, Mode, Request};

use super::{GOOD, Machine, asked, found, verdict};
use crate::support::collect;
use crate::support::fake::{self, Call};

/// The interpreter of the scripts here: whatever it is given, it answers as the agent.
const NODE: &str = "echo 'GitHub Copilot CLI 1.0.102.'";
const BY_NODE: &str = "#!/usr/bin/env node-for-test\n";

#[tokio::test]
async fn e01_node_beside_the_found_file_is_used() {
    let machine = Machine::new().path(&["other"]);
    let copilot = machine.program("home/.nvm/versions/node/v22.14.0/bin/copilot", BY_NODE);
    machine.script("home/.nvm/versions/node/v22.14.0/bin/node-for-test", NODE);
    let search = machine.search().await;
    found(&search, &copilot, Via::Nvm);
    assert_eq!(search.path[0], copilot.parent().unwrap());
}

#[tokio::test]
async fn e01_node_beside_the_target_of_the_link_is_used() {
    let machine = Machine::new().path(&["bin"]);
    let target = machine.program("opt/app/cli", BY_NODE);
    machine.script("opt/app/node-for-test", NODE);
    let copilot = machine.link("bin/copilot", &target);
    let search = machine.search().await;
    found(&search, &copilot, Via::Path);
    assert_eq!(search.path[..2], [machine.at("bin"), machine.at("opt/app")]);
}

#[tokio::test]
async fn e01_node_on_the_login_shells_path_is_used() {
    for machine in [Machine::new(), Machine::desktop()] {
        let machine = machine.path(&["bin"]).shell("shells/login");
        let copilot = machine.program("bin/copilot", BY_NODE);
        machine.script("tools/node-for-test", NODE);
        let tools = machine.at("tools");
        machine.script("shells/login", &format!("shift; PATH='{}':\"$PATH\" exec /bin/sh -c \"$1\"", tools.display()));
        let search = machine.search().await;
        found(&search, &copilot, Via::Path);
        asked(&search, ShellStatus::Ok);
        assert_eq!(search.path[..2], [machine.at("bin"), tools]);
    }
}

#[tokio::test]
async fn e01_where_node_is_nowhere_node_is_said_to_be_missing() {
    let machine = Machine::new().path(&["bin"]);
    let copilot =
        machine.program("bin/copilot", "#!/bin/sh\necho 'env: node: No such file or directory' >&2\nexit 127\n");
    let search = machine.search().await;
    assert_eq!(verdict(&search, &copilot), (Verdict::Broken, "its interpreter `node` is missing".into()));
    let guidance = search.guidance.unwrap();
    assert_eq!(guidance.code, Code::InterpreterMissing);
    assert!(guidance.title.contains("Node.js"), "{}", guidance.title);
}

#[tokio::test]
async fn e02_a_first_line_with_flags_works_the_same() {
    let machine = Machine::new().path(&["bin"]);
    let copilot = machine.program("home/.volta/bin/copilot", "#!/usr/bin/env -S node-for-test --no-warnings\n");
    machine.script("home/.volta/bin/node-for-test", NODE);
    found(&machine.search().await, &copilot, Via::Volta);
}

/// Finds and runs the fake on this machine; the calls are the probe and the run.
async fn run(machine: &Machine) -> Vec<Call> {
    let folder = machine.at("agent/bin");
    fake::install(&folder, "copilot");
    fake::scenario(&folder, "copilot", "");
    std::fs::create_dir_all(machine.at("vault")).unwrap();
    let launcher = machine.launcher();
    let request = Request::new(AgentId::COPILOT, machine.at("vault"), "hello").mode(Mode::Safe);
    let plan = launcher.plan(&request).await.unwrap();
    collect(&mut launcher.start(plan).unwrap()).await;
    let calls = fake::calls(&folder);
    assert_eq!(calls.iter().map(Call::is_probe).collect::<Vec<_>>(), [true, false]);
    calls
}

#[tokio::test]
async fn e13_neither_the_probe_nor_the_run_sees_the_marks_of_an_outer_agent() {
    let machine = Machine::new().path(&["agent/bin"]);
    let machine = machine.var("CLAUDECODE", "1").var("CLAUDE_CODE_ENTRYPOINT", "cli").var("COPILOT_CLI", "1");
    let machine = machine.var("COPILOT_LOADER_PID", "1").var("NO_COLOR_OF_MINE", "kept");
    for call in run(&machine).await {
        let marks = call
            .env
            .keys()
            .filter(|name| name.starts_with("CLAUDE") || *name == "COPILOT_CLI" || *name == "COPILOT_LOADER_PID");
        assert_eq!(marks.count(), 0, "{:?}", call.env);
        // Safe mode gives the run less than the probe; never more.
        assert!(!call.is_probe() || call.env["NO_COLOR_OF_MINE"] == "kept");
    }
}

#[tokio::test]
async fn e15_variables_that_hold_a_sign_in_are_named_and_never_shown() {
    let machine = Machine::new().path(&["bin"]).var("GITHUB_TOKEN", "foo-value-1").var("GH_TOKEN", "");
    let machine = machine.var("COPILOT_GITHUB_TOKEN", "ghp_value2");
    machine.script("bin/copilot", GOOD);
    let search = machine.search().await;
    assert_eq!(search.auth_variables, ["COPILOT_GITHUB_TOKEN", "GITHUB_TOKEN"]);
    let shown = format!("{search:?} {}", serde_json::to_string(&search).unwrap());
    assert!(!shown.contains("foo-value-1") && !shown.contains("ghp_value2"));
}

#[tokio::test]
async fn e16_a_proxy_that_only_a_start_file_exports_reaches_the_agent() {
    let machine = Machine::desktop().path(&["agent/bin"]).shell("/bin/bash");
    let rc = "export HTTPS_PROXY=http://user:pass-word@proxy:3128 NO_PROXY=localhost NODE_EXTRA_CA_CERTS=/etc/ca.pem OTHER=x\n";
    machine.file("home/.bashrc", rc);
    machine.file("home/.bash_profile", ". ~/.bashrc\n");
    let calls = run(&machine).await;
    let last = &calls[1].env;
    assert_eq!(last["HTTPS_PROXY"], "http://user:pass-word@proxy:3128");
    assert_eq!((last["NO_PROXY"].as_str(), last["NODE_EXTRA_CA_CERTS"].as_str()), ("localhost", "/etc/ca.pem"));
    assert!(!last.contains_key("OTHER"));
    let search = machine.search().await;
    assert!(!format!("{search:?}").contains("pass-word"));
}

#[tokio::test]
async fn e17_every_start_has_the_login_shells_folders_on_its_path() {
    let machine = Machine::desktop().path(&["agent/bin"]).shell("shells/login");
    let seen = machine.at("shell-path");
    let body = "printf %s \"$PATH\" >'SEEN'; shift; PATH=/login/tools:\"$PATH\" exec /bin/sh -c \"$1\"";
    machine.script("shells/login", &body.replace("SEEN", seen.to_str().unwrap()));
    let calls = run(&machine).await;
    let run = &calls[1].env["PATH"];
    let own = machine.at("agent/bin").display().to_string();
    // The file found is native and on the person's PATH already: the order of the login shell stays.
    assert_eq!(*run, format!("/login/tools:{own}:/usr/bin:/bin"));
    // The probe was made while the shell was asked; it has what is known by then.
    assert_eq!(calls[0].env["PATH"], format!("{own}:/usr/bin:/bin"));
    assert_eq!(std::fs::read_to_string(seen).unwrap(), format!("{own}:/usr/bin:/bin"));
}

#[tokio::test]
async fn e01_e17_the_command_of_an_mcp_server_is_found_as_the_agent_would_find_it() {
    let machine = Machine::desktop().path(&["bin"]).shell("shells/login");
    machine.script("bin/copilot", GOOD);
    machine.script("tools/my-server", "exit 0");
    let tools = machine.at("tools");
    machine.script("shells/login", &format!("shift; PATH='{}':\"$PATH\" exec /bin/sh -c \"$1\"", tools.display()));
    std::fs::create_dir(machine.at("vault")).unwrap();
    let launcher = machine.launcher();
    let plan = async |command: &str| {
        let request = Request::new(AgentId::COPILOT, machine.at("vault"), "hello");
        launcher.plan(&request.mcp_server(McpServer::stdio("mine", command))).await
    };
    plan("my-server").await.expect("it is on the login shell's PATH");
    for command in ["no-such-server", "./my-server", ""] {
        let error = plan(command).await.unwrap_err();
        assert!(matches!(&error, Error::InvalidServer { name, .. } if name == "mine"), "{command}: {error:?}");
    }
}

#[tokio::test]
async fn from_a_terminal_the_shell_is_not_asked_where_the_path_has_the_agent() {
    let machine = Machine::new().path(&["bin"]);
    let copilot = machine.script("bin/copilot", GOOD);
    let search = machine.search().await;
    found(&search, &copilot, Via::Path);
    asked(&search, ShellStatus::Skipped);
    assert_eq!(machine.starts(), ["bin/copilot --version"]);
}

#[tokio::test]
async fn from_a_desktop_the_shell_is_asked_once_for_what_only_it_knows() {
    let machine = Machine::desktop().path(&["bin"]).shell("shells/login");
    let copilot = machine.script("bin/copilot", GOOD);
    let body = "shift; HTTPS_PROXY=http://proxy PATH=/login/tools exec /bin/sh -c \"$1\"";
    machine.script("shells/login", body);
    let launcher = machine.launcher();
    let search = super::search(&launcher).await;
    found(&search, &copilot, Via::Path);
    asked(&search, ShellStatus::Ok);
    let binary = search.binary.unwrap();
    assert_eq!(binary.login_env, [("HTTPS_PROXY".into(), "http://proxy".into())]);
    let own = machine.at("bin");
    assert_eq!(search.path, [own.as_path(), "/login/tools".as_ref(), "/usr/bin".as_ref(), "/bin".as_ref()]);
    super::search(&launcher).await;
    let mut starts = machine.starts();
    starts.sort();
    assert_eq!(starts, ["bin/copilot --version", "shells/login -ilc"]);
}

#[tokio::test]
async fn an_appimages_own_libraries_do_not_reach_the_agent() {
    let machine = Machine::new();
    let mount = machine.at("mount");
    let libraries = format!("{}/usr/lib:/opt/lib", mount.display());
    let machine =
        machine.path(&["mount/usr/bin", "agent/bin"]).var("APPIMAGE", "/x.AppImage").var("APPDIR", mount.clone());
    let machine = machine.var("LD_LIBRARY_PATH", libraries).var("PYTHONHOME", mount.join("usr"));
    for call in run(&machine).await {
        assert!(!call.is_probe() || call.env["LD_LIBRARY_PATH"] == "/opt/lib");
        let left = call.env.iter().filter(|(_, value)| value.contains("/mount"));
        assert_eq!(left.count(), 0, "{:?}", call.env);
    }
}
