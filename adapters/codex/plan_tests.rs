//! Plans of every option, reviewed as snapshots on the shapes of three systems, and what no request can bring about.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::Codex;
use crate::adapters::golden::with_snapshots;
use crate::adapters::{Adapter as _, Context};
use crate::discover::{Binary, Via};
use crate::env::{Arch, HostEnv, Os};
use crate::error::Error;
use crate::guidance::Code;
use crate::plan::{Arg, EnvChange, Plan, Stdin};
use crate::request::{AgentId, McpServer, Mode, Request};
use crate::survey::{Look, Seen, Survey};

const SESSION: &str = "01a22c5a-0838-7770-b166-55ec11e938ca";

/// A machine: where things are and what its environment holds.
struct Machine {
    host: HostEnv,
    binary: Binary,
    home: &'static str,
    vault: &'static str,
    node: &'static str,
    survey: Survey,
}

fn machine(os: Os) -> Machine {
    let (home, vault, program, path, node) = match os {
        Os::Windows => (
            r"C:\Users\user",
            r"C:\Users\user\Notes",
            r"C:\Users\user\AppData\Roaming\npm\node_modules\@openai\codex-win32-x64\vendor\x86_64-pc-windows-msvc\bin\codex.exe",
            r"C:\Users\user\AppData\Roaming\npm;C:\Windows\System32",
            r"C:\Program Files\nodejs\node.exe",
        ),
        Os::MacOs => (
            "/Users/user",
            "/Users/user/Notes",
            "/opt/homebrew/bin/codex",
            "/opt/homebrew/bin:/usr/bin:/bin",
            "/opt/homebrew/bin/node",
        ),
        Os::Linux => {
            ("/home/user", "/home/user/Notes", "/home/user/.local/bin/codex", "/usr/bin:/bin", "/usr/bin/node")
        }
    };
    let mut vars = vec![
        ("PATH", path),
        ("LANG", "en_GB.UTF-8"),
        ("CODEX_API_KEY", "canary-codex-key"),
        ("OPENAI_API_KEY", "canary-openai-key"),
        ("CODEX_EXEC_SERVER_URL", "ws://example.org"),
        ("AZURE_OPENAI_API_KEY", "canary-azure"),
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
        version: "0.171.0".into(),
        search_path: path.into(),
        login_env: Vec::new(),
    };
    let host = HostEnv::new(os, Arch::X64, Some(home.into()), vars);
    Machine { host, binary, home, vault, node, survey: Survey::default() }
}

impl Machine {
    fn request(&self, prompt: &str) -> Request {
        Request::new(AgentId::CODEX, self.vault, prompt).stream_id("panel-3")
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
        Codex.plan(request, &context)
    }

    /// With these settings of the person.
    fn settings(&mut self, text: &str) {
        let file = Path::new(self.home).join(".codex").join("config.toml");
        self.see(Look::Text(file), Seen::Text(text.into()));
    }

    /// With a vault whose top holds these hidden names.
    fn hidden(&mut self, names: &[&str]) {
        let names = names.iter().map(OsString::from).collect();
        self.see(Look::Hidden(self.vault.into()), Seen::Names(names));
    }

    /// With a vault that holds instructions, which really lie there or elsewhere.
    fn instructions(&mut self, real: &Path) {
        let file = Path::new(self.vault).join("AGENTS.md");
        self.see(Look::Text(file.clone()), Seen::Text("Write in British English.\n".into()));
        self.see(Look::Real(file), Seen::Path(real.to_path_buf()));
        self.see(Look::Real(self.vault.into()), Seen::Path(self.vault.into()));
    }

    fn see(&mut self, look: Look, seen: Seen) {
        self.survey = std::mem::take(&mut self.survey).and([(look, seen)]);
    }
}

const SYSTEMS: [Os; 3] = [Os::Linux, Os::MacOs, Os::Windows];

fn stdin(plan: &Plan) -> String {
    match &plan.stdin {
        Stdin::Null => String::new(),
        Stdin::Bytes(bytes) => String::from_utf8(bytes.clone()).expect("the prompt is text"),
    }
}

/// A plan as `plan --json` prints it, and what is told beside it.
fn printed(plan: &Plan) -> String {
    let mut text = serde_json::to_string_pretty(plan).expect("a plan is plain data");
    let head: String = stdin(plan).chars().take(200).collect();
    text.push_str(&format!("\nstdin: {head:?}"));
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
    with_snapshots(&Codex, || insta::assert_snapshot!(format!("plan_{name}"), text));
}

/// The person's settings that touch everything a run touches.
const HOSTILE: &str = r#"
model_provider = "azure"
developer_instructions = "Speak plainly."
sandbox_mode = "danger-full-access"
default_permissions = "agent-launcher"
[model_providers.azure]
env_key = "AZURE_OPENAI_API_KEY"
env_http_headers = { "X-Tenant" = "TENANT_ID" }
[permissions.agent-launcher.filesystem]
"/" = "write"
[mcp_servers.tolaria]
command = "evil"
[mcp_servers."odd name.x"]
command = "other"
[shell_environment_policy]
exclude = ["MY_*"]
"#;

#[test]
fn plans_of_every_option_are_as_reviewed() {
    snapshot("safe", |machine| machine.request("Summarize this note"));
    snapshot("power_user", |machine| machine.request("Run the tests").mode(Mode::PowerUser));
    snapshot("safe_mcp", |machine| {
        let server = machine.server().secret_env("NOTES_TOKEN", "canary-mcp").arg("a \"b\"\nc");
        machine.request("Summarize this note").mcp_server(server)
    });
    snapshot("power_user_mcp", |machine| {
        let server = machine.server().secret_env("NOTES_TOKEN", "canary-mcp");
        machine.request("Run the tests").mode(Mode::PowerUser).mcp_server(server)
    });
    snapshot("safe_beside_settings", |machine| {
        machine.settings(HOSTILE);
        machine.hidden(&[".agents", ".git", ".my-plugin", ".obsidian"]);
        let skills = Path::new(machine.vault).join(".agents/skills");
        let skill = skills.join("evil").join("SKILL.md");
        machine.see(Look::Named(skills, "SKILL.md"), Seen::Files(vec![skill]));
        machine.instructions(&Path::new(machine.vault).join("AGENTS.md"));
        machine.request("$evil").system_prompt("Answer in one sentence.").mcp_server(machine.server())
    });
    snapshot("power_user_beside_settings", |machine| {
        machine.settings(HOSTILE);
        machine.request("Go on").mode(Mode::PowerUser).mcp_server(machine.server())
    });
    snapshot("safe_every_option", |machine| {
        machine
            .request("-c is no flag here")
            .resume(SESSION)
            .model("gpt-5.5")
            .system_prompt("Say \"yes\"\nor 'no'.")
            .private_prompt(true)
            .extra_arg("-c")
            .extra_arg("model_reasoning_effort=\"low\"")
            .extra_arg("--ephemeral")
            .env("EDITOR", "ed")
            .secret_env("CODEX_API_KEY", "canary-asked")
            .mcp_server(machine.server())
    });
}

fn args(plan: &Plan) -> Vec<String> {
    plan.args
        .iter()
        .map(|arg| match arg {
            Arg::Text(text) => text.clone(),
            Arg::File { .. } => panic!("no file is used"),
        })
        .collect()
}

#[test]
fn what_codex_cannot_take_is_refused_and_says_why() {
    let machine = machine(Os::Linux);
    let refused = |request: Request, words: &str| {
        let error = machine.plan(&request).expect_err("the request is refused");
        assert!(error.to_string().contains(words), "{error}");
    };
    refused(machine.request("go").resume("panel-3"), "is not a UUID");
    refused(machine.request(&"a".repeat(1_048_577)), "is longer than 1048576 characters");
    refused(machine.request("go").mcp_server(McpServer::stdio("codex_apps", "x")), "a meaning of its own");
    let twins = machine.request("go").mcp_server(McpServer::stdio("a-b", "x")).mcp_server(McpServer::stdio("a_b", "x"));
    refused(twins, "the same name as `a-b`");
    let secret = |name: &str| McpServer::stdio("tolaria", "x").secret_env(name, "s");
    refused(machine.request("go").mcp_server(secret("PATH")), "means something to Codex itself");
    refused(machine.request("go").mcp_server(secret("CODEX_API_KEY")), "means something to Codex itself");
    refused(machine.request("go").mcp_server(secret("LD_PRELOAD")), "means something to Codex itself");
    let both = machine.request("go").mcp_server(secret("TOKEN")).env("TOKEN", "other");
    refused(both, "sets differently");
    let home = Request::new(AgentId::CODEX, "/home/user", "go");
    refused(home, "with your keys, sign-ins and settings");
    refused(Request::new(AgentId::CODEX, "/home/user/.codex/notes", "go"), "lies in Codex's own folder");
}

#[test]
fn a_prompt_of_the_longest_length_and_every_first_letter_goes_through_stdin_as_it_is() {
    let machine = machine(Os::Linux);
    for prompt in ["-x", "--help", "/init", "@note.md", "!ls", "$skill", "-", &"é".repeat(1_048_576)] {
        let plan = machine.plan(&machine.request(prompt)).expect("the prompt can be planned");
        assert_eq!(stdin(&plan), prompt);
        assert_eq!(args(&plan).last().map(String::as_str), Some("-"));
    }
}

#[test]
fn settings_that_cannot_be_read_are_no_ground_for_safe_mode() {
    for seen in [Seen::Unreadable, Seen::Text("[mcp_servers".into()), Seen::Text(vec![0xff])] {
        let mut machine = machine(Os::Linux);
        machine.see(Look::Text("/home/user/.codex/config.toml".into()), seen);
        let error = machine.plan(&machine.request("go")).expect_err("nothing is known of it");
        assert!(error.to_string().contains("cannot be read"), "{error}");
        machine.plan(&machine.request("go").mode(Mode::PowerUser)).expect("Codex itself says what is wrong");
    }
}

#[test]
fn a_script_of_windows_and_an_older_version_are_refused() {
    let mut machine = machine(Os::Windows);
    machine.binary.program = r"C:\Users\user\AppData\Roaming\npm\codex.cmd".into();
    let error = machine.plan(&machine.request("go")).expect_err("a script changes quotes");
    assert!(error.to_string().contains("codex.cmd"), "{error}");
    let mut machine = self::machine(Os::Linux);
    machine.binary.version = "0.170.0".into();
    for mode in [Mode::Safe, Mode::PowerUser] {
        let error = machine.plan(&machine.request("go").mode(mode)).expect_err("the version was not measured");
        assert_eq!(error.guidance().code, Code::VersionUnsupported);
    }
}

#[test]
fn instructions_that_are_a_link_out_of_the_vault_are_not_sent() {
    let mut machine = machine(Os::Linux);
    machine.instructions(Path::new("/home/user/.ssh/id_ed25519"));
    assert_eq!(stdin(&machine.plan(&machine.request("Hi.")).expect("planned")), "Hi.");
    machine.instructions(Path::new("/home/user/Notes/AI.md"));
    assert!(stdin(&machine.plan(&machine.request("Hi.")).expect("planned")).contains("British"));
}

#[test]
fn a_vault_that_cannot_be_looked_through_is_no_ground_for_safe_mode() {
    for look in
        [Look::Hidden("/home/user/Notes".into()), Look::Named("/home/user/Notes/.codex/skills".into(), "SKILL.md")]
    {
        let mut machine = machine(Os::Linux);
        machine.see(look, Seen::Unreadable);
        let refused = machine.plan(&machine.request("Hi."));
        assert!(matches!(refused, Err(Error::Unsupported { .. })), "{refused:?}");
        machine.plan(&machine.request("Hi.").mode(Mode::PowerUser)).expect("Power User mode looks at none of it");
    }
}

#[test]
fn a_folder_of_settings_that_counts_from_the_vault_is_no_ground_for_safe_mode() {
    let machine = machine(Os::Linux);
    let refused = machine.plan(&machine.request("Hi.").env("CODEX_HOME", "notes/codex"));
    assert!(refused.as_ref().is_err_and(|error| error.to_string().contains("CODEX_HOME")), "{refused:?}");
    // An empty one is none to Codex, so that the person's own settings count.
    let mut machine = machine;
    machine.settings("[mcp_servers.theirs]\ncommand = \"x\"\n");
    let plan = machine.plan(&machine.request("Hi.").env("CODEX_HOME", "")).expect("the request can be planned");
    assert!(args(&plan).iter().any(|arg| arg.contains("\"theirs\"={\"enabled\"=false}")), "{:?}", args(&plan));
}

#[test]
fn a_folder_that_the_request_names_chooses_no_secret() {
    let mut machine = machine(Os::Linux);
    machine.see(Look::Text("/srv/codex/config.toml".into()), Seen::Text(HOSTILE.into()));
    let plan = machine.plan(&machine.request("go").env("CODEX_HOME", "/srv/codex")).expect("it can be planned");
    assert_eq!(plan.env.get("AZURE_OPENAI_API_KEY"), Some(&EnvChange::Remove));
    machine.settings(HOSTILE);
    let plan = machine.plan(&machine.request("go")).expect("it can be planned");
    assert_eq!(plan.env.get("AZURE_OPENAI_API_KEY"), None, "the person's own provider has its key");
}

#[test]
fn both_names_taken_by_the_person_is_refused() {
    let mut machine = machine(Os::Linux);
    machine.settings("[mcp_servers.tolaria]\ncommand='a'\n[mcp_servers.tolaria_app]\ncommand='a'\n");
    let request = machine.request("go").mcp_server(machine.server());
    let error = machine.plan(&request).expect_err("no name is free");
    assert!(error.to_string().contains("choose another name"), "{error}");
}

#[test]
fn extra_arguments_that_widen_are_refused_with_a_reason() {
    let machine = machine(Os::Linux);
    for (argument, reason) in [
        ("--dangerously-bypass-approvals-and-sandbox", "opens everything"),
        ("--yolo", "opens everything"),
        ("--sandbox=danger-full-access", "decides on the sandbox"),
        ("-sdanger-full-access", "decides on the sandbox"),
        ("--add-dir=/", "opens another folder"),
        ("--enable=shell_tool", "decides on features"),
        ("-csandbox_mode=\"danger-full-access\"", "not known to leave the mode"),
        ("--config=mcp_servers.x.command=\"x\"", "not known to leave the mode"),
        ("-c=default_permissions=\":danger-full-access\"", "not known to leave the mode"),
        ("--trust", "stays in the person's settings"),
        ("--brand-new", "not known to leave the mode"),
        ("resume", "belongs to no flag"),
        ("-c", "its value is missing"),
    ] {
        for mode in [Mode::Safe, Mode::PowerUser] {
            let error = machine.plan(&machine.request("go").mode(mode).extra_arg(argument)).expect_err(argument);
            assert!(error.to_string().contains(reason), "{argument}: {error}");
        }
    }
    for name in ["CODEX_EXEC_SERVER_URL", "CODEX_PERMISSION_PROFILE", "LD_PRELOAD"] {
        assert!(matches!(machine.plan(&machine.request("go").env(name, "x")), Err(Error::Forbidden { .. })), "{name}");
    }
}

#[test]
fn no_secret_stands_in_the_arguments_or_prints() {
    let machine = machine(Os::Linux);
    let server = machine.server().secret_env("NOTES_TOKEN", "canary-mcp");
    let request = machine.request("go").mcp_server(server).secret_env("OTHER", "canary-asked");
    for mode in [Mode::Safe, Mode::PowerUser] {
        let plan = machine.plan(&request.clone().mode(mode)).expect("the request can be planned");
        let shown = format!("{:?} {plan:?} {plan} {}", args(&plan), printed(&plan));
        assert!(!shown.contains("canary"), "{shown}");
        let set = plan.env.get("NOTES_TOKEN");
        assert!(matches!(set, Some(EnvChange::Set(value)) if value.expose() == "canary-mcp"), "{set:?}");
    }
}

proptest! {
    #[test]
    fn no_request_brings_a_bypass_or_another_mode(
        prompt in ".{1,40}", model in "[^\0]{1,20}", system in "[^\0]{0,40}", argument in "[^\0]{0,20}", power: bool,
    ) {
        prop_assume!(!prompt.trim().is_empty() && !model.trim().is_empty());
        let machine = machine(Os::Linux);
        let mode = if power { Mode::PowerUser } else { Mode::Safe };
        let server = machine.server().arg(argument.as_str()).env("X", system.as_str());
        let request = machine.request(&prompt.replace('\0', "")).mode(mode).model(model).system_prompt(system);
        let Ok(plan) = machine.plan(&request.mcp_server(server)) else { return Ok(()) };
        let args = args(&plan);
        // Flags stand where they were put: a value never becomes one.
        let flags: Vec<&str> = args.iter().map(String::as_str).filter(|arg| arg.starts_with('-')).collect();
        let known = |flag: &&str| {
            ["--json", "--skip-git-repo-check", "--disable", "-s", "-c", "-"].contains(flag) || flag.starts_with("--model=")
        };
        prop_assert!(flags.iter().all(known), "{:?}", flags);
        prop_assert_eq!(args.iter().any(|arg| arg == "shell_tool"), !power);
        for setting in args.windows(2).filter(|pair| pair[0] == "-c").map(|pair| &pair[1]) {
            let read: Result<toml::Table, _> = setting.parse();
            prop_assert!(read.is_ok(), "{} is no TOML", setting);
        }
    }
}
