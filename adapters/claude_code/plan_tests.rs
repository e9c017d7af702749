//! Plans of every option, reviewed as snapshots on the shapes of three systems, and what no request can bring about.

use std::path::PathBuf;

use proptest::prelude::*;

use super::ClaudeCode;
use crate::adapters::{Adapter as _, Context};
use crate::discover::{Binary, Via};
use crate::env::{Arch, HostEnv, Os};
use crate::error::Error;
use crate::plan::{Arg, EnvChange, Plan, Stdin};
use crate::request::{AgentId, McpServer, Mode, Request};
use crate::survey::{Look, Seen, Survey};

/// A machine: where things are and what its environment holds.
struct Machine {
    host: HostEnv,
    binary: Binary,
    vault: &'static str,
    node: &'static str,
    survey: Survey,
}

fn machine(os: Os) -> Machine {
    let (home, vault, program, path, node) = match os {
        Os::Windows => (
            r"C:\Users\user",
            r"C:\Users\user\Notes",
            r"C:\Users\user\.local\bin\claude.exe",
            r"C:\Users\user\.local\bin;C:\Windows\System32",
            r"C:\Program Files\nodejs\node.exe",
        ),
        Os::MacOs => (
            "/Users/user",
            "/Users/user/Notes",
            "/opt/homebrew/bin/claude",
            "/opt/homebrew/bin:/usr/bin:/bin",
            "/opt/homebrew/bin/node",
        ),
        Os::Linux => {
            ("/home/user", "/home/user/Notes", "/home/user/.local/bin/claude", "/usr/bin:/bin", "/usr/bin/node")
        }
    };
    let mut vars = vec![
        ("PATH", path),
        ("LANG", "en_GB.UTF-8"),
        ("ANTHROPIC_API_KEY", "canary-key"),
        ("CLAUDE_CODE_PLUGIN_DIRS", "/tmp/plugin"),
        ("CLAUDE_CODE_SHELL_PREFIX", "/tmp/wrap"),
        ("CLAUDECODE", "1"),
        ("CLAUDE_CODE_ENTRYPOINT", "cli"),
        ("BUN_OPTIONS", "--preload=/tmp/x.js"),
        ("GITHUB_TOKEN", "canary-github"),
        ("EDITOR", "vi"),
    ];
    vars.push(if os == Os::Windows { ("UserProfile", home) } else { ("HOME", home) });
    let vars = vars.into_iter().map(|(name, value)| (name.into(), value.into()));
    let binary = Binary {
        program: program.into(),
        first_args: Vec::new(),
        found: program.into(),
        via: Via::Path,
        version: "2.1.332".into(),
        search_path: path.into(),
        login_env: Vec::new(),
    };
    let host = HostEnv::new(os, Arch::X64, Some(home.into()), vars);
    Machine { host, binary, vault, node, survey: Survey::default() }
}

impl Machine {
    fn request(&self, prompt: &str) -> Request {
        Request::new(AgentId::CLAUDE_CODE, self.vault, prompt)
            .stream_id("panel-3")
            .session_id("3f0c0a3e-5d8e-4f0a-9a53-0f7c7a0d3b11")
    }

    fn server(&self) -> McpServer {
        McpServer::stdio("tolaria", "node").arg("server.js").env("VAULT_PATH", self.vault)
    }

    fn plan(&self, request: &Request) -> Result<Plan, Error> {
        let commands: Vec<PathBuf> = request.mcp_servers.iter().map(|_| self.node.into()).collect();
        let (host, survey) = (&self.host, &self.survey);
        let context = Context { binary: &self.binary, host, app: "Tolaria", mcp_commands: &commands, survey };
        ClaudeCode.plan(request, &context)
    }

    /// With the person's settings of Claude Code.
    fn with_settings(mut self, settings: &str) -> Machine {
        let path = self.host.home.clone().expect("a home").join(".claude/settings.json");
        self.survey = Survey::of([(Look::Text(path), Seen::Text(settings.into()))]);
        self
    }
}

/// A plan as `plan --json` prints it, and what is told beside it.
fn printed(plan: &Plan) -> String {
    let mut text = serde_json::to_string_pretty(plan).expect("a plan is plain data");
    for file in &plan.files {
        text.push_str(&format!("\n{}: {}", file.name, String::from_utf8_lossy(&file.bytes)));
    }
    if let Stdin::Bytes(bytes) = &plan.stdin {
        let head: String = String::from_utf8_lossy(bytes).chars().take(100).collect();
        text.push_str(&format!("\nstdin: {head:?}"));
    }
    for notice in &plan.notices {
        text.push_str(&format!("\nnotice: {notice}"));
    }
    text
}

/// One snapshot: the case on every system.
fn snapshot(name: &str, case: impl Fn(&mut Machine) -> Request) {
    let mut text = String::new();
    for os in [Os::Linux, Os::MacOs, Os::Windows] {
        let mut machine = machine(os);
        let request = case(&mut machine);
        let plan = machine.plan(&request).expect("the case can be planned");
        assert_eq!(plan, machine.plan(&request).expect("planned before"), "planning is a function");
        text.push_str(&format!("== {os:?}\n{}\n", printed(&plan)));
    }
    crate::adapters::golden::with_snapshots(&ClaudeCode, || insta::assert_snapshot!(format!("plan_{name}"), text));
}

#[test]
fn plans_of_every_option_are_as_reviewed() {
    snapshot("safe", |machine| machine.request("Summarize this note").mcp_server(machine.server()));
    snapshot("power_user", |machine| {
        machine.request("Run the tests").mode(Mode::PowerUser).mcp_server(machine.server())
    });
    snapshot("no_server", |machine| machine.request("Hi"));
    snapshot("mcp_secret", |machine| {
        let other = McpServer::stdio("calendar_2", "node").arg("${HOME}/cal.js").env("COST", "5$");
        machine.request("Use both").mcp_server(machine.server().secret_env("API_KEY", "canary-mcp")).mcp_server(other)
    });
    snapshot("resume", |machine| machine.request("Go on").resume("0b7cf0f2-6a4b-4c0d-8f51-7f7a3c1e2d4f"));
    snapshot("model", |machine| machine.request("Hi").model("opus"));
    snapshot("system_prompt", |machine| machine.request("/compact me").system_prompt("Answer in French."));
    snapshot("system_prompt_private", |machine| {
        machine.binary.version = "2.1.197".into();
        machine.request("Hi").system_prompt("Secret plans.").private_prompt(true)
    });
    snapshot("env", |machine| {
        machine
            .request("Hi")
            .env("CLAUDE_CONFIG_DIR", if machine.host.os == Os::Windows { r"C:\c (1)" } else { "/c (1)" })
            .secret_env("ANTHROPIC_AUTH_TOKEN", "canary-token")
            .remove_env("ANTHROPIC_API_KEY")
    });
    snapshot("extra_args", |machine| {
        machine.request("Hi").extra_arg("--effort").extra_arg("high").extra_arg("--disallowedTools=Glob")
    });
    snapshot("through_cmd", |machine| {
        machine.binary.program = PathBuf::from(r"C:\npm\claude.CMD");
        machine.request("50% \"of\" it").mcp_server(machine.server()).system_prompt("100%")
    });
}

const SETTINGS: &str = r#"{
  "apiKeyHelper": "/usr/local/bin/key canary-helper",
  "model": "opus",
  "permissions": { "allow": ["Bash"], "additionalDirectories": ["/etc"] },
  "hooks": { "SessionStart": [] },
  "enabledPlugins": { "x": true },
  "env": { "ANTHROPIC_BASE_URL": "https://gateway.example", "ANTHROPIC_AUTH_TOKEN": "canary-settings", "CLAUDE_CODE_USE_BEDROCK": 1,
           "PATH": "/evil", "LD_PRELOAD": "/evil.so", "CLAUDE_CODE_PLUGIN_DIRS": "/evil", "CLAUDE_CONFIG_DIR": "/evil", "MINE": "x" }
}"#;

#[test]
fn of_the_person_s_settings_only_the_sign_in_is_handed_over() {
    for mode in [Mode::Safe, Mode::PowerUser] {
        let machine = machine(Os::Linux).with_settings(SETTINGS);
        let plan = machine.plan(&machine.request("Hi").mode(mode)).expect("planned");
        let [file] = &plan.files[..] else { panic!("one private file: {plan:#?}") };
        let settings: serde_json::Value = serde_json::from_slice(&file.bytes).expect("JSON");
        let expected = serde_json::json!({ "apiKeyHelper": "/usr/local/bin/key canary-helper", "model": "opus" });
        assert_eq!((file.purpose.as_str(), settings), ("settings", expected));
        let value = |name: &str| match plan.env.get(name) {
            Some(EnvChange::Set(value)) => Some(value.expose().to_owned()),
            _ => None,
        };
        assert_eq!(value("ANTHROPIC_BASE_URL").as_deref(), Some("https://gateway.example"));
        assert_eq!(value("ANTHROPIC_AUTH_TOKEN").as_deref(), Some("canary-settings"));
        assert_eq!(value("CLAUDE_CODE_USE_BEDROCK").as_deref(), Some("1"));
        for name in ["LD_PRELOAD", "CLAUDE_CODE_PLUGIN_DIRS", "CLAUDE_CONFIG_DIR", "MINE"] {
            assert_eq!(value(name), None, "{name}");
        }
        let shown = format!("{plan:?} {plan} {}", serde_json::to_string(&plan).expect("plain data"));
        assert!(!shown.contains("canary"), "{shown}");
    }
    for broken in ["", "[]", "{", r#"{"apiKeyHelper":7,"env":[]}"#] {
        let machine = machine(Os::Linux).with_settings(broken);
        assert_eq!(machine.plan(&machine.request("Hi")).expect("planned").files, [], "{broken}");
    }
}

#[test]
fn a_vault_behind_a_link_may_be_named_by_the_link() {
    let mut machine = machine(Os::Linux);
    machine.survey = Survey::of([(Look::Real(machine.vault.into()), Seen::Path("/data/notes".into()))]);
    let plan = machine.plan(&machine.request("Hi")).expect("planned");
    assert!(texts(&plan).contains(&"--add-dir=/home/user/Notes".to_owned()));
    assert_eq!(plan.allowed_folders, [PathBuf::from("/home/user/Notes"), "/data/notes".into()]);
}

fn texts(plan: &Plan) -> Vec<String> {
    let text = |arg: &Arg| match arg {
        Arg::Text(text) => text.clone(),
        Arg::File { prefix, .. } => prefix.clone(),
    };
    plan.args.iter().map(text).collect()
}

#[test]
fn what_widens_a_mode_is_refused() {
    let machine = machine(Os::Linux);
    let refused = |request: Request| machine.plan(&request).expect_err("refused").to_string();
    for flag in [
        "--dangerously-skip-permissions",
        "--allow-dangerously-skip-permissions",
        "--permission-mode=bypassPermissions",
        "--allowedTools=Bash",
        "--add-dir=/",
        "--settings={}",
        "--setting-sources=user",
        "--mcp-config=x",
        "--plugin-dir=x",
        "--no-such-flag",
        "-pc",
        "word",
    ] {
        assert!(refused(machine.request("Hi").extra_arg(flag)).contains(flag), "{flag}");
    }
    for name in ["CLAUDE_CODE_PLUGIN_DIRS", "CLAUDE_CODE_SHELL_PREFIX", "BUN_OPTIONS", "LD_PRELOAD", "CLAUDE_ENV_FILE"]
    {
        assert!(refused(machine.request("Hi").env(name, "x")).contains(name), "{name}");
    }
    for name in ["ide", "a__b", "__proto__", "a_", "Computer-Use", "constructor"] {
        assert!(refused(machine.request("Hi").mcp_server(McpServer::stdio(name, "node"))).contains(name), "{name}");
    }
    for id in ["x", "latest", "3f0c0a3e5d8e4f0a9a530f7c7a0d3b11", "--help"] {
        assert!(refused(machine.request("Hi").resume(id)).contains(id), "{id}");
    }
}

#[test]
fn a_vault_that_holds_the_home_or_lies_in_the_agents_own_folder_is_no_ground_for_safe_mode() {
    let machine = machine(Os::Linux);
    for vault in ["/home/user", "/home", "/", "/home/user/.claude", "/home/user/.claude/notes"] {
        let request = Request::new(AgentId::CLAUDE_CODE, vault, "Hi.");
        let refused = machine.plan(&request);
        assert!(matches!(refused, Err(Error::Unsupported { .. })), "{vault}: {refused:?}");
        machine.plan(&request.mode(Mode::PowerUser)).expect("Power User mode asks no such thing");
    }
    machine.plan(&Request::new(AgentId::CLAUDE_CODE, "/home/user/Notes", "Hi.")).expect("a folder of notes");
}

#[test]
fn a_version_below_the_floor_is_refused() {
    for version in ["2.1.196", "1.0.0", "nonsense"] {
        let mut machine = machine(Os::Linux);
        machine.binary.version = version.into();
        for mode in [Mode::Safe, Mode::PowerUser] {
            let error = machine.plan(&machine.request("Hi").mode(mode)).expect_err("too old");
            assert!(matches!(error, Error::Setup(_)), "{version}: {error:?}");
        }
    }
}

proptest! {
    /// Whatever is asked for, no flag that skips checks is passed, no value begins an argument of its own, and no secret prints.
    #[test]
    fn no_request_brings_about_a_bypass(
        prompt in "\\PC{1,40}", system in "\\PC{0,40}", model in "[ -~]{1,20}", extra in "-{0,2}[a-zA-Z-]{1,30}(=[a-z]{0,9})?",
        power in any::<bool>(),
    ) {
        let machine = machine(Os::Linux);
        let mode = if power { Mode::PowerUser } else { Mode::Safe };
        let request = machine.request(&prompt).system_prompt(system).model(model).mode(mode).extra_arg(extra)
            .mcp_server(machine.server().secret_env("API_KEY", "canary-mcp"));
        if let Ok(plan) = machine.plan(&request) {
            for arg in texts(&plan) {
                prop_assert!(arg.starts_with('-') && !arg.contains("skip-permissions") && !arg.contains("bypassPermissions"), "{}", arg);
            }
            let shown = format!("{plan:?} {plan} {request:?}");
            prop_assert!(!shown.contains("canary"), "{}", shown);
        }
    }
}
