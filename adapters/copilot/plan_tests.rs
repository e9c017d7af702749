//! Plans of every option, reviewed as snapshots on the shapes of three systems, and what no request can bring about.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use proptest::prelude::*;

use super::Copilot;
use crate::adapters::{Adapter as _, Context};
use crate::discover::{Binary, Via};
use crate::env::{Arch, HostEnv, Os};
use crate::error::Error;
use crate::guidance::{Code, Step};
use crate::plan::{Arg, Plan};
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
            r"C:\Users\user\AppData\Roaming\npm\node_modules\@github\copilot-win32-x64\copilot.exe",
            r"C:\Users\user\AppData\Roaming\npm;C:\Windows\System32",
            r"C:\Program Files\nodejs\node.exe",
        ),
        Os::MacOs => (
            "/Users/user",
            "/Users/user/Notes",
            "/opt/homebrew/bin/copilot",
            "/opt/homebrew/bin:/usr/bin:/bin",
            "/opt/homebrew/bin/node",
        ),
        Os::Linux => {
            ("/home/user", "/home/user/Notes", "/home/user/.local/bin/copilot", "/usr/bin:/bin", "/usr/bin/node")
        }
    };
    let mut vars = vec![
        ("PATH", path),
        ("LANG", "en_GB.UTF-8"),
        ("GH_TOKEN", "canary-gh-token"),
        ("COPILOT_ALLOW_ALL", "true"),
        ("GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS", "true"),
        ("FORCE_COLOR", "1"),
        ("AWS_SECRET_ACCESS_KEY", "canary-aws"),
        ("EDITOR", "vi"),
    ];
    vars.push(if os == Os::Windows { ("UserProfile", home) } else { ("HOME", home) });
    let vars = vars.into_iter().map(|(name, value)| (name.into(), value.into()));
    let binary = Binary {
        program: program.into(),
        first_args: Vec::new(),
        found: program.into(),
        via: Via::Path,
        version: "1.0.102".into(),
        search_path: path.into(),
        login_env: Vec::new(),
    };
    Machine {
        host: HostEnv::new(os, Arch::X64, Some(home.into()), vars),
        binary,
        vault,
        node,
        survey: Survey::default(),
    }
}

impl Machine {
    fn request(&self, prompt: &str) -> Request {
        Request::new(AgentId::COPILOT, self.vault, prompt)
            .stream_id("panel-3")
            .session_id("3f0c0a3e-5d8e-4f0a-9a53-0f7c7a0d3b11")
    }

    fn server(&self) -> McpServer {
        McpServer::stdio("tolaria", "node").arg("server.js").env("VAULT_PATH", self.vault)
    }

    fn plan(&self, request: &Request) -> Result<Plan, Error> {
        let commands: Vec<PathBuf> = request.mcp_servers.iter().map(|_| self.node.into()).collect();
        let context = Context {
            binary: &self.binary,
            host: &self.host,
            app: "Tolaria",
            mcp_commands: &commands,
            survey: &self.survey,
        };
        Copilot.plan(request, &context)
    }
}

const SYSTEMS: [Os; 3] = [Os::Linux, Os::MacOs, Os::Windows];

/// A plan as `plan --json` prints it, and what is told beside it.
fn printed(plan: &Plan) -> String {
    let mut text = serde_json::to_string_pretty(plan).expect("a plan is plain data");
    for file in &plan.files {
        text.push_str(&format!("\n{}: {}", file.name, String::from_utf8_lossy(&file.bytes)));
    }
    if let crate::plan::Stdin::Bytes(bytes) = &plan.stdin {
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
    for os in SYSTEMS {
        let mut machine = machine(os);
        let request = case(&mut machine);
        let plan = machine.plan(&request).expect("the case can be planned");
        assert_eq!(plan, machine.plan(&request).expect("planned before"), "planning is a function");
        text.push_str(&format!("== {os:?}\n{}\n", printed(&plan)));
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../tests/snapshots/copilot");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(format!("plan_{name}"), text));
}

#[test]
fn plans_of_every_option_are_as_reviewed() {
    snapshot("safe", |machine| machine.request("Summarize this note"));
    snapshot("power_user", |machine| machine.request("Run the tests").mode(Mode::PowerUser));
    snapshot("mcp", |machine| machine.request("Use the app").mcp_server(machine.server()));
    snapshot("mcp_secret", |machine| {
        machine.request("Use the app").mcp_server(machine.server().secret_env("API_KEY", "canary-mcp"))
    });
    snapshot("mcp_several", |machine| {
        let other = McpServer::stdio("calendar_2", "node").arg("$HOME/cal.js").env("COST", "5$");
        machine.request("Use both").mcp_server(machine.server()).mcp_server(other).mode(Mode::PowerUser)
    });
    snapshot("resume", |machine| machine.request("Go on").resume("0b7cf0f2-6a4b-4c0d-8f51-7f7a3c1e2d4f"));
    snapshot("model", |machine| machine.request("Hi").model("gpt-5-mini"));
    snapshot("system_prompt", |machine| machine.request("/compact me").system_prompt("Answer in French."));
    snapshot("prompt_dash", |machine| machine.request("- [ ] do the thing"));
    snapshot("prompt_slash", |machine| machine.request(" /autopilot go on"));
    snapshot("prompt_long", |machine| machine.request(&"long ".repeat(2000)));
    snapshot("prompt_private", |machine| machine.request("secret plans").private_prompt(true));
    snapshot("env", |machine| {
        machine
            .request("Hi")
            .env("COPILOT_MODEL", "mock")
            .secret_env("COPILOT_PROVIDER_API_KEY", "canary-key")
            .remove_env("GH_TOKEN")
            .timeout(Duration::from_secs(60))
            .idle_timeout(Duration::from_secs(10))
    });
    snapshot("extra_args", |machine| {
        machine.request("Hi").extra_arg("--reasoning-effort").extra_arg("high").extra_arg("--max-ai-credits=30")
    });
    snapshot("hidden_vault", |machine| {
        machine.vault =
            if machine.host.os == Os::Windows { r"C:\Users\user\.notes\a (b)" } else { "/home/user/.notes/a (b)" };
        machine.request("Hi")
    });
    snapshot("old_version", |machine| {
        machine.binary.version = "1.0.69".into();
        machine.request("Hi").mode(Mode::PowerUser).mcp_server(machine.server())
    });
    snapshot("through_node", |machine| {
        machine.binary.first_args = vec!["/npm/@github/copilot/npm-loader.js".into()];
        machine.binary.program = machine.node.into();
        machine.request("Hi")
    });
    snapshot("through_cmd", |machine| {
        machine.binary.program = PathBuf::from(r"C:\npm\copilot.CMD");
        machine.request("50% \"of\" it").mcp_server(machine.server())
    });
    snapshot("login_shell", |machine| {
        machine.binary.login_env = vec![
            ("HTTPS_PROXY".into(), "http://user:canary@proxy.example:8080".into()),
            ("NODE_EXTRA_CA_CERTS".into(), "/etc/ca.pem".into()),
        ];
        machine.request("Hi")
    });
}

/// A disk on which Copilot's `config.json` holds `config` and the vault a file of each name.
fn disk(machine: &Machine, settings: &[(&str, &str)], vault: &[&str]) -> Survey {
    let join = |folder: &std::path::Path, name: &str| folder.join(name);
    let home = machine.host.home.clone().expect("a home").join(".copilot");
    let settings = settings.iter().map(|(name, text)| (Look::Text(join(&home, name)), Seen::Text((*text).into())));
    let root = std::path::Path::new(machine.vault);
    let files = vault.iter().map(|name| (Look::Kind(join(root, name)), Seen::File));
    let temp = (Look::PrivateRoot, Seen::Path("/tmp".into()));
    Survey::of(settings.chain(files).chain([temp]))
}

const TRUSTED: &str = r#"// of Copilot
{ "trustedFolders": ["/home/user"], }"#;

#[test]
fn a_trusted_vault_that_could_start_programs_is_reached_from_an_empty_folder() {
    let mut machine = machine(Os::Linux);
    machine.survey = disk(&machine, &[("config.json", TRUSTED)], &[".mcp.json", ".github/hooks"]);
    let request = machine.request("/compact it").mcp_server(machine.server()).system_prompt("Be brief.");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../tests/snapshots/copilot");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!("plan_trusted_vault", printed(&machine.plan(&request).expect("planned"))));
}

#[test]
fn the_vault_is_left_only_where_that_is_needed() {
    let keeps_out = |settings: &[(&str, &str)], vault: &[&str], mode| {
        let mut machine = machine(Os::Linux);
        machine.survey = disk(&machine, settings, vault);
        machine.plan(&machine.request("a").mode(mode)).expect("planned").scratch.is_some()
    };
    let hooks: &'static [&'static str] = &[".github/hooks"];
    const APPROVED: &str = r#"{"locations":{"/home/user/Notes":{"allowed_directories":["/etc"]}}}"#;
    type Row = (&'static [(&'static str, &'static str)], &'static [&'static str], bool);
    let table: &[Row] = &[
        (&[], hooks, false),
        (&[("config.json", TRUSTED)], &[], false),
        (&[("config.json", TRUSTED)], &["note.md", ".git"], false),
        (&[("config.json", TRUSTED)], hooks, true),
        (&[("config.json", r#"{"trusted_folders":["/HOME/user/Notes"]}"#)], hooks, true),
        (&[("config.json", r#"{"trustedFolders":["/home/user/Note"]}"#)], hooks, false),
        (&[("config.json", r#"{"trustedFolders":["/home/bob/repo"]}"#)], hooks, false),
        (&[("config.json", r#"{"trustedFolders":["/home/bob/repo"]}"#)], &[".github/hooks", ".git"], true),
        (&[("settings.json", r#"{"experimental":true}"#)], hooks, true),
        (&[("settings.json", r#"{"experimental":false}"#)], hooks, false),
        (&[("permissions-config.json", APPROVED)], &[], true),
        (&[("permissions-config.json", r#"{"locations":{"/home/bob":{}}}"#)], &[], false),
    ];
    for (settings, vault, expected) in table {
        assert_eq!(keeps_out(settings, vault, Mode::Safe), *expected, "{settings:?} {vault:?}");
        assert!(!keeps_out(settings, vault, Mode::PowerUser));
    }
}

#[test]
fn a_vault_that_really_lies_in_a_hidden_folder_can_be_written() {
    let mut machine = machine(Os::Linux);
    let real = (Look::Real(machine.vault.into()), Seen::Path("/home/user/.sync/notes".into()));
    machine.survey = Survey::of([real]);
    let args = texts(&machine.plan(&machine.request("a")).expect("planned"));
    let denied = args.iter().find(|arg| arg.starts_with("--deny-tool=")).expect("denials");
    assert!(
        denied.contains("write(/home/user/.sync/notes/.*/**)") && denied.contains("write(/home/user/Notes/.*)"),
        "{denied}"
    );
    assert!(!denied.contains("write(.*"), "{denied}");
}

#[test]
fn the_empty_folder_is_made_where_nothing_is_trusted() {
    let mut machine = machine(Os::Linux);
    let config = r#"{"trustedFolders":["/home","/tmp"]}"#;
    let places = [("/var/tmp", "/tmp/really"), ("/dev/shm", "/dev/shm")];
    let real = places.map(|(place, real)| (Look::Real(place.into()), Seen::Path(real.into())));
    machine.survey = disk(&machine, &[("config.json", config)], &[".mcp.json"]).and(real);
    let plan = machine.plan(&machine.request("a")).expect("planned");
    assert_eq!(plan.scratch.and_then(|scratch| scratch.below), Some("/dev/shm".into()));
}

#[test]
fn safe_mode_is_refused_where_no_folder_would_help() {
    let mut machine = machine(Os::Linux);
    machine.survey = disk(&machine, &[("config.json", r#"{"trustedFolders":["/"]}"#)], &[".mcp.json"]);
    let error = machine.plan(&machine.request("a")).expect_err("all of the disk is trusted");
    assert!(matches!(&error, Error::Unsupported { what, .. } if what.contains("`/`")), "{error}");
}

#[test]
fn the_persons_own_servers_are_left_out_in_safe_mode() {
    let mut machine = machine(Os::Linux);
    let servers = r#"{"mcpServers":{"tolaria":{},"Tolaria":{},"other one":{"command":"x"},},}"#;
    machine.survey = disk(&machine, &[("mcp-config.json", servers)], &[]);
    let args = |mode| {
        let plan = machine.plan(&machine.request("a").mcp_server(machine.server()).mode(mode)).expect("planned");
        texts(&plan).into_iter().filter(|arg| arg.starts_with("--disable-mcp-server")).collect::<Vec<_>>()
    };
    assert_eq!(args(Mode::Safe), ["--disable-mcp-server=Tolaria", "--disable-mcp-server=other one"]);
    assert!(args(Mode::PowerUser).is_empty());
}

fn refused(request: impl Fn(&Machine) -> Request) -> Error {
    let machine = machine(Os::Linux);
    let request = request(&machine);
    match machine.plan(&request) {
        Err(error) => error,
        Ok(plan) => panic!("planned: {plan}"),
    }
}

#[test]
fn bad_input_is_a_clear_typed_error() {
    let error = |request: fn(&Machine) -> Request| refused(request).to_string();
    type Row = (fn(&Machine) -> Request, &'static str);
    let table: &[Row] = &[
        (|m| m.request(""), "the prompt is empty"),
        (|m| m.request(" \n\u{feff}\t"), "the prompt is empty"),
        (|m| m.request("a\0b"), "the prompt holds a NUL, which no process can be given"),
        (|m| m.request("a").system_prompt("\0"), "the system prompt holds a NUL, which no process can be given"),
        (|m| m.request("a").model(" "), "the model is empty"),
        (|m| m.request("a").stream_id(""), "the stream id is empty"),
        (|m| m.request("a").timeout(Duration::ZERO), "the time limit is 0; leave it out for no limit"),
        (|m| m.request("a").idle_timeout(Duration::ZERO), "the idle time limit is 0; leave it out for no limit"),
        (
            |m| m.request("a").resume("yesterday's talk"),
            "the session id to resume `yesterday's talk` is not a UUID, as Copilot's are; use the one that `Done` told",
        ),
        (
            |m| m.request("a").session_id("00000000-0000-0000-0000-000000000000"),
            "the session id `00000000-0000-0000-0000-000000000000` is not a UUID, as Copilot's are; use the one that `Done` told",
        ),
        (|_| Request::new(AgentId::COPILOT, "notes", "a"), "the vault `notes` is not an absolute path"),
        (|m| m.request("a").env("A=B", "c"), "the environment variable `A=B` is not a name: it is empty or holds `=`"),
        (
            |m| m.request("a").mcp_server(m.server()).mcp_server(m.server()),
            "MCP server `tolaria`: another server of the request has this name; give each its own",
        ),
        (
            |m| m.request("a").mcp_server(m.server()).mcp_server(McpServer::stdio("Tolaria", "node")),
            "MCP server `Tolaria`: differs from `tolaria` only by case, which agents ignore; give each its own name",
        ),
        (
            |m| m.request("a").mcp_server(McpServer::stdio("my server", "node")),
            "MCP server `my server`: a name is letters, digits, `_` and `-`, and begins with none of `-`",
        ),
        (
            |m| m.request("a").mcp_server(McpServer::stdio("x".repeat(33), "node")),
            "MCP server `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`: a name has at most 32 characters",
        ),
        (
            |m| m.request("a").mcp_server(McpServer::stdio("View", "node")),
            "MCP server `View`: is the name of a tool of Copilot; choose another name",
        ),
        (
            |m| m.request("a").mcp_server(McpServer::stdio("BASH", "node")),
            "MCP server `BASH`: is the name of a tool of Copilot; choose another name",
        ),
        (
            |m| m.request("a").mcp_server(McpServer::stdio("Web_Fetch", "node")),
            "MCP server `Web_Fetch`: is the name of a tool of Copilot; choose another name",
        ),
        (
            |m| m.request("a").mcp_server(McpServer::stdio("Custom-Tool", "node")),
            "MCP server `Custom-Tool`: has a meaning of its own in Copilot's permission rules; choose another name",
        ),
        (
            |m| m.request("a").mcp_server(McpServer::stdio("shell", "node")),
            "MCP server `shell`: has a meaning of its own in Copilot's permission rules; choose another name",
        ),
        (|m| m.request("a").mcp_server(McpServer::stdio("s", "")), "MCP server `s`: the command is empty"),
        (|m| m.request("a").extra_arg("--yolo"), "`--yolo` is refused: it opens every tool, path and address"),
        (|m| m.request("a").extra_arg("loose"), "`loose` is refused: it belongs to no flag"),
        (
            |m| m.request("a").extra_arg("--effort").extra_arg("--yolo"),
            "`--effort` is refused: its value is missing; write it as `--flag=value`",
        ),
        (
            |m| m.request("a").env("COPILOT_ALLOW_ALL", "0"),
            "`COPILOT_ALLOW_ALL` is refused: approves every tool and trusts the vault (measured)",
        ),
    ];
    for (request, message) in table {
        assert_eq!(error(*request), *message);
    }
}

#[test]
fn arguments_that_widen_are_refused_in_every_spelling() {
    const WIDENING: &[&str] = &[
        "--allow-all",
        "--allow-all=true",
        "--allow-all-t",
        "--Allow-All",
        "--yolo",
        "--yolo=true",
        "--YOLO",
        "--yo",
        "--allow-all-paths",
        "--allow-all-paths=1",
        "--allow-all-urls",
        "--allow-all-tools",
        "--allow-tool",
        "--allow-tool=shell",
        "--allow-url=x",
        "--available-tools=bash",
        "--excluded-tools=view",
        "--add-dir=/",
        "--add-dir",
        "--trust-folder",
        "-C",
        "-C/",
        "-C=/",
        "--config-dir=/x",
        "--experimental",
        "--no-experimental",
        "--no-bash-env",
        "--bash-env",
        "--no-mouse",
        "--mouse",
        "--dynamic-retrieval=a=on",
        "-p",
        "-px",
        "-p=x",
        "--prompt=x",
        "-i",
        "--interactive",
        "--resume",
        "--resume=x",
        "-r",
        "--continue",
        "--session-id=x",
        "--connect",
        "--autopilot",
        "--mode=autopilot",
        "--plan",
        "--fleet",
        "--acp",
        "--remote",
        "--remote-export",
        "--share",
        "--share-gist",
        "--plugin-dir=x",
        "--extension-sdk-path=x",
        "--enable-mcp-server=x",
        "--enable-memory",
        "--enable-all-github-mcp-tools",
        "--add-github-mcp-tool=x",
        "--additional-mcp-config=x",
        "--allow-all-mcp-server-instructions",
        "--mcp-github-auth=x",
        "--assisted-approval",
        "--agent=x",
        "--output-format=text",
        "--stream=off",
        "--model=x",
        "--log-dir=/x",
        "--attachment=/etc/passwd",
        "--usage-output-file=/x",
        "--",
        "-",
        "",
        "-s",
        "-n",
        "--name=x",
        "--banner",
        "update",
        "--some-flag-of-a-later-version",
    ];
    for arg in WIDENING {
        for mode in [Mode::Safe, Mode::PowerUser] {
            let error = refused(|machine| machine.request("a").mode(mode).extra_arg(*arg));
            assert!(matches!(&error, Error::Forbidden { argument, .. } if argument == arg), "{arg}: {error}");
        }
    }
}

/// Whatever stands before or behind it: an argument that widens is found, and what is harmless does not hide it.
#[test]
fn arguments_that_widen_are_refused_beside_others() {
    const COMBINED: &[&[&str]] = &[
        &["--effort=high", "--yolo"],
        &["--effort", "high", "--allow-all"],
        &["--effort", "--allow-all"],
        &["--effort=", "--allow-all"],
        &["--plain-diff", "--allow-all-paths"],
        &["--plain-diff=--yolo"],
        &["--plain-diff", "high"],
        &["--deny-tool=shell", "--allow-tool=shell"],
        &["--deny-tool", "--allow-tool=shell"],
        &["--deny-tool", "shell", "write", "--yolo"],
        &["--disable-mcp-server", "--trust-folder"],
        &["--disable-mcp-server=x", "--add-dir=/"],
        &["--secret-env-vars", "-p"],
        &["--secret-env-vars=A", "--", "--yolo"],
        &["--log-level=debug", "-C", "/"],
        &["--screen-reader", "--", "mcp"],
        &["--no-custom-instructions", "--agent=x"],
        &["--deny-url=x", "--allow-url=x"],
        &["--max-autopilot-continues=9", "--autopilot"],
        &["--reasoning-effort", "high", "high"],
        &["--reasoning-effort=high\u{a0}", "\u{2014}yolo"],
        &["--reasoning-effort=high", " --yolo"],
        &["--disallow-temp-dir", "--disallow-temp-dir=false"],
        &["--disable-builtin-mcps=false"],
        &["--DENY-TOOL=x"],
        &["--deny-tool\n--yolo"],
        &["\u{2d}\u{2d}yolo"],
        &["--yolo\0"],
    ];
    for args in COMBINED {
        for mode in [Mode::Safe, Mode::PowerUser] {
            let error =
                refused(|machine| args.iter().fold(machine.request("a").mode(mode), |r, arg| r.extra_arg(*arg)));
            assert!(matches!(&error, Error::Forbidden { .. } | Error::InvalidField { .. }), "{args:?}: {error}");
        }
    }
    // A value is one argument whatever it holds, so what looks like a flag in it is none.
    let machine = machine(Os::Linux);
    let plan = machine.plan(&machine.request("a").extra_arg("--effort=high --yolo")).expect("a value of its own");
    assert!(texts(&plan).contains(&"--effort=high --yolo".to_owned()));
}

#[test]
fn variables_that_widen_are_refused_in_every_spelling() {
    const WIDENING: &[&str] = &[
        "COPILOT_ALLOW_ALL",
        "GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS",
        "GITHUB_COPILOT_PROMPT_MODE_WORKSPACE_MCP",
        "GITHUB_COPILOT_PROMPT_MODE_EXTENSIONS",
        "GITHUB_COPILOT_PROMPT_MODE_OF_A_LATER_VERSION",
        "COPILOT_ASSISTED_APPROVAL",
        "COPILOT_PERMISSION_MODE",
        "COPILOT_CLI_ENABLED_FEATURE_FLAGS",
        "COPILOT_FEATURE_FLAGS",
        "COPILOT_HOOK_ALLOW_LOCALHOST",
        "COPILOT_HOOK_ALLOW_HTTP_AUTH_HOOKS",
        "COPILOT_WEB_FETCH_ALLOW_LOCALHOST",
        "COPILOT_SKILLS_DIRS",
        "COPILOT_CLI_RUN_AS_NODE",
        "COPILOT_CLI_DIST_DIR",
        "COPILOT_CLI_RESOLVED_DIST_DIR",
        "COPILOT_CLI_PATH",
        "COPILOT_SDK_PATH",
        "COPILOT_RUN_APP",
        "COPILOT_AHP_HOST_BIN",
        "COPILOT_AHP_URL",
        "COPILOT_PROMPT_TURN_DELIMITER",
        "COPILOT_CUSTOM_INSTRUCTIONS_DIRS",
        "COPILOT_ENABLE_BUILTIN_GITHUB_MCP",
        "COPILOT_ENABLE_TEST_PROMPT_INJECTION",
        "COPILOT_TEST_FOLDER_TRUST_GATE_FILE",
        "COPILOT_E2E_TEST_HOOKS",
        "COPILOT_PLAN_THEN_AUTOPILOT",
        "GITHUB_MCP_URL_OVERRIDE",
        "NODE_OPTIONS",
        "BUN_OPTIONS",
        "BASH_ENV",
        "LD_PRELOAD",
        "LD_AUDIT",
        "DYLD_INSERT_LIBRARIES",
    ];
    for name in WIDENING.iter().chain(OF_THE_PERSON) {
        for mode in [Mode::Safe, Mode::PowerUser] {
            for value in ["true", "false", ""] {
                let error = refused(|machine| machine.request("a").mode(mode).env(*name, value));
                assert!(matches!(&error, Error::Forbidden { argument, .. } if argument == name), "{name}: {error}");
            }
            let secret = refused(|machine| machine.request("a").mode(mode).secret_env(*name, "canary"));
            assert!(matches!(secret, Error::Forbidden { .. }) && !secret.to_string().contains("canary"), "{secret}");
        }
    }
    // Windows takes a name in any case, so each of them is refused in any case there.
    let machine = machine(Os::Windows);
    for name in WIDENING.iter().chain(OF_THE_PERSON) {
        for spelled in [name.to_lowercase(), format!("{}{}", &name[..1], name[1..].to_lowercase())] {
            let error =
                machine.plan(&machine.request("a").env(&spelled, "true")).expect_err("another case of the same");
            assert!(matches!(&error, Error::Forbidden { argument, .. } if *argument == spelled), "{spelled}: {error}");
        }
    }
    // What they widen from the host's environment is taken away, in each mode.
    for mode in [Mode::Safe, Mode::PowerUser] {
        let mut machine = self::machine(Os::Linux);
        machine.host.vars.extend(WIDENING.iter().map(|name| (OsString::from(name), OsString::from("true"))));
        let plan = machine.plan(&machine.request("a").mode(mode)).expect("planned");
        let child = machine.host.child(&plan.env);
        let left: Vec<_> = WIDENING.iter().filter(|name| child.contains_key(&OsString::from(name))).collect();
        assert!(left.is_empty(), "{mode:?}: {left:?}");
    }
}

/// By these the person has Copilot run programs of theirs.
const OF_THE_PERSON: &[&str] = &[
    "COPILOT_PROVIDER_API_KEY_COMMAND",
    "COPILOT_PROVIDERS_CONFIG",
    "COPILOT_EDITOR",
    "COPILOT_BROWSER_EXECUTABLE",
    "GITHUB_ASKPASS",
    "LLAMACPP_SERVER_PATH",
    "FOUNDRY_LOCAL_DOTNET_COMMAND",
];

#[test]
fn a_command_that_the_person_gets_their_key_by_is_theirs_alone() {
    const COMMAND: &str = "COPILOT_PROVIDER_API_KEY_COMMAND";
    for (mode, passing) in [(Mode::Safe, &OF_THE_PERSON[..1]), (Mode::PowerUser, OF_THE_PERSON)] {
        let mut machine = machine(Os::Linux);
        machine.host.vars.extend(OF_THE_PERSON.iter().map(|name| (OsString::from(name), OsString::from("theirs"))));
        let plan = machine.plan(&machine.request("a").mode(mode)).expect("their own set-up is no widening");
        let child = machine.host.child(&plan.env);
        let passed: Vec<_> = OF_THE_PERSON.iter().filter(|name| child.contains_key(&OsString::from(name))).collect();
        assert_eq!(passed, passing.iter().collect::<Vec<_>>(), "{mode:?}");
        let plan = machine.plan(&machine.request("a").mode(mode).remove_env(COMMAND)).expect("an app may leave it out");
        assert!(!machine.host.child(&plan.env).contains_key(&OsString::from(COMMAND)));
    }
}

#[test]
fn i12_a_version_below_the_floor_is_refused_with_both_versions() {
    let old = ["1.0.68", "0.0.403", "1.0.5-1", "unknown"];
    let too_old_for_safe = ["1.0.69", "1.0.71", "1.0.79", "1.0.79-3"];
    let safe = old.iter().chain(&too_old_for_safe).map(|version| (Mode::Safe, *version, "1.0.80"));
    let power_user = old.iter().map(|version| (Mode::PowerUser, *version, "1.0.69"));
    for (mode, version, floor) in safe.chain(power_user) {
        let mut machine = machine(Os::Linux);
        machine.binary.version = version.into();
        let Err(Error::Setup(guidance)) = machine.plan(&machine.request("a").mode(mode)) else {
            panic!("{version} is not refused")
        };
        assert_eq!(guidance.code, Code::VersionUnsupported);
        assert!(guidance.message.contains(version) && guidance.message.contains(floor), "{}", guidance.message);
        assert_eq!(guidance.steps[0], Step::Run { command: "copilot update".into() });
    }
    for (mode, version) in [(Mode::Safe, "1.0.80"), (Mode::Safe, "1.0.80-1"), (Mode::PowerUser, "1.0.69")] {
        let mut machine = machine(Os::Linux);
        machine.binary.version = version.into();
        machine.plan(&machine.request("a").mode(mode)).expect("at its floor a version is taken");
    }
}

#[test]
fn p11_each_mode_has_arguments_of_its_own() {
    let machine = machine(Os::Linux);
    let safe = machine.plan(&machine.request("a")).expect("planned");
    let power = machine.plan(&machine.request("a").mode(Mode::PowerUser)).expect("planned");
    assert_ne!(safe.args, power.args);
    assert!(!texts(&safe).iter().any(|arg| arg.starts_with("--allow-all")));
    assert!(texts(&power).contains(&"--allow-all-tools".to_owned()));
}

#[test]
fn no_secret_is_printed() {
    let machine = machine(Os::Linux);
    let server = machine.server().secret_env("API_KEY", "canary-mcp");
    let request = machine.request("a").secret_env("MY_TOKEN", "canary-env").mcp_server(server);
    let plan = machine.plan(&request).expect("planned");
    let json = serde_json::to_string(&plan).expect("plain data");
    for text in [format!("{plan:?}"), format!("{plan}"), json, format!("{request:?}")] {
        assert!(!text.contains("canary"), "{text}");
    }
}

fn texts(plan: &Plan) -> Vec<String> {
    let text = |arg: &Arg| match arg {
        Arg::Text(text) => text.clone(),
        Arg::File { prefix, .. } => prefix.clone(),
    };
    plan.args.iter().map(text).collect()
}

fn requests() -> impl Strategy<Value = Request> {
    let word = || {
        prop_oneof![
            "[ -~]{0,12}",
            "--?[a-z-]{0,16}(=[a-z]{0,4})?",
            Just("--allow-all".to_owned()),
            Just("--yolo".to_owned())
        ]
    };
    let addable = prop_oneof![
        word(),
        Just("--reasoning-effort=high".to_owned()),
        Just("--deny-tool=--yolo".to_owned()),
        Just("--disable-mcp-server=x".to_owned())
    ];
    let parts = (word(), any::<bool>(), proptest::option::of(word()), proptest::option::of(word()), any::<bool>());
    (parts, proptest::collection::vec(addable, 0..3), proptest::collection::vec(word(), 0..3)).prop_map(
        |((prompt, power, system, model, private), extra, server_args)| {
            let machine = machine(Os::Linux);
            let mut request = machine.request(&prompt).private_prompt(private);
            if power {
                request = request.mode(Mode::PowerUser);
            }
            if let Some(system) = system {
                request = request.system_prompt(system);
            }
            if let Some(model) = model {
                request = request.model(model);
            }
            let server = server_args.into_iter().fold(machine.server(), McpServer::arg);
            extra.into_iter().fold(request.mcp_server(server), Request::extra_arg)
        },
    )
}

proptest! {
    /// Whatever a request holds, the plan holds no flag that opens all, save as text behind `-p` or `=`.
    #[test]
    fn no_request_brings_a_forbidden_flag_into_a_plan(request in requests()) {
        const FORBIDDEN: &[&str] =
            &["--allow-all", "--yolo", "--allow-all-paths", "--allow-all-urls", "--trust-folder", "--add-dir", "--experimental"];
        let machine = machine(Os::Linux);
        if let Ok(plan) = machine.plan(&request) {
            let args = texts(&plan);
            for (at, arg) in args.iter().enumerate() {
                let name = arg.split('=').next().unwrap_or_default();
                let is_prompt = at > 0 && args[at - 1] == "-p";
                prop_assert!(is_prompt || !FORBIDDEN.contains(&name), "{:?}", args);
                prop_assert!(!is_prompt || !arg.starts_with('-'));
                let all = name == "--allow-all-tools" && !is_prompt;
                prop_assert!(!all || request.mode == Mode::PowerUser, "{:?}", args);
            }
            prop_assert_eq!(&plan, &machine.plan(&request).expect("planned before"));
        }
    }

    /// Whatever the host's environment holds, no variable that widens reaches the agent.
    #[test]
    fn no_environment_widens_a_run(names in proptest::collection::vec("(COPILOT|GITHUB_COPILOT_PROMPT_MODE|AWS)_[A-Z_]{0,12}", 0..6), power: bool) {
        let mut machine = machine(Os::Linux);
        machine.host.vars.extend(names.iter().map(|name| (OsString::from(name), OsString::from("true"))));
        let mode = if power { Mode::PowerUser } else { Mode::Safe };
        let plan = machine.plan(&machine.request("a").mode(mode)).expect("planned");
        let child = machine.host.child(&plan.env);
        for name in child.keys().map(|name| name.to_string_lossy()) {
            prop_assert!(name != "COPILOT_ALLOW_ALL" && !name.starts_with("GITHUB_COPILOT_PROMPT_MODE_"), "{name}");
            prop_assert!(power || !name.starts_with("AWS_"), "{name}");
        }
    }
}
