//! Plans of every option, reviewed as snapshots on the shapes of three systems, and what no request can bring about.

use std::path::{Path, PathBuf};

use super::OpenCode;
use crate::adapters::{Adapter as _, Context, golden};
use crate::discover::{Binary, Via};
use crate::env::{Arch, HostEnv, Os};
use crate::error::Error;
use crate::guidance::Code;
use crate::plan::{EnvChange, Plan, Stdin};
use crate::request::{AgentId, McpServer, Mode, Request};
use crate::survey::{Look, Seen, Survey};

/// A machine: where things are and what its environment holds.
struct Machine {
    host: HostEnv,
    binary: Binary,
    vault: &'static str,
    survey: Survey,
}

fn machine(os: Os) -> Machine {
    let (home, vault, program, path) = match os {
        Os::Windows => (
            r"C:\Users\user",
            r"C:\Users\user\Notes",
            r"C:\Users\user\.opencode\bin\opencode.exe",
            r"C:\Windows\System32",
        ),
        Os::MacOs => ("/Users/user", "/Users/user/Notes", "/opt/homebrew/bin/opencode", "/opt/homebrew/bin:/usr/bin"),
        Os::Linux => ("/home/user", "/home/user/Notes", "/home/user/.opencode/bin/opencode", "/usr/bin:/bin"),
    };
    let mut vars = vec![
        ("PATH", path),
        ("LANG", "en_GB.UTF-8"),
        ("ANTHROPIC_API_KEY", "canary-anthropic"),
        ("OPENCODE_PERMISSION", r#"{"bash":"allow"}"#),
        ("OPENCODE_CONFIG", "/elsewhere/opencode.json"),
        ("OPENCODE_BRAND_NEW", "1"),
        ("PWD", "/somewhere"),
        ("EDITOR", "vi"),
    ];
    match os {
        Os::Windows => vars.extend([("UserProfile", home), ("LOCALAPPDATA", r"C:\Users\user\AppData\Local")]),
        _ => vars.push(("HOME", home)),
    }
    let vars = vars.into_iter().map(|(name, value)| (name.into(), value.into()));
    let binary = Binary {
        program: program.into(),
        first_args: Vec::new(),
        found: program.into(),
        via: Via::Path,
        version: "1.18.33".into(),
        search_path: path.into(),
        login_env: Vec::new(),
    };
    let settings = PathBuf::from(home).join(".config/opencode/config.json");
    let model = Seen::Text(br#"{"model":"anthropic/claude-haiku-4-5"}"#.to_vec());
    let survey = Survey::of([(Look::Text(settings), model)]);
    Machine { host: HostEnv::new(os, Arch::X64, Some(home.into()), vars), binary, vault, survey }
}

impl Machine {
    fn request(&self, prompt: &str) -> Request {
        Request::new(AgentId::OPENCODE, self.vault, prompt)
            .stream_id("panel-3")
            .session_id("3f0c0a3e-5d8e-4f0a-9a53-0f7c7a0d3b11")
    }

    fn server(&self) -> McpServer {
        McpServer::stdio("tolaria", "node").arg("server.js").env("VAULT_PATH", self.vault)
    }

    fn plan(&self, request: &Request) -> Result<Plan, Error> {
        let commands: Vec<PathBuf> = request.mcp_servers.iter().map(|_| "/usr/bin/node".into()).collect();
        let context = Context {
            binary: &self.binary,
            host: &self.host,
            app: "Tolaria",
            mcp_commands: &commands,
            survey: &self.survey,
        };
        OpenCode.plan(request, &context)
    }

    /// The person's settings.
    fn settings(&mut self, text: &str) {
        let path = Path::new("/home/user/.config/opencode/opencode.jsonc");
        self.saw([(Look::Text(path.into()), Seen::Text(text.into()))]);
    }

    fn saw(&mut self, seen: impl IntoIterator<Item = (Look, Seen)>) {
        self.survey = std::mem::take(&mut self.survey).and(seen);
    }

    /// Why a request is refused.
    fn refusal(&self, request: &Request) -> String {
        self.plan(request).expect_err("refused").to_string()
    }
}

/// The run's settings as text, private files by their purpose.
fn settings(plan: &Plan) -> String {
    let printed = serde_json::to_value(plan).expect("a plan is plain data");
    printed["env"]["set"]["OPENCODE_CONFIG_CONTENT"].as_str().expect("set in every plan").to_owned()
}

const SYSTEMS: [Os; 3] = [Os::Linux, Os::MacOs, Os::Windows];

/// A plan as `plan --json` prints it, and what is told beside it.
fn printed(plan: &Plan) -> String {
    let mut text = serde_json::to_string_pretty(plan).expect("a plan is plain data");
    if let Stdin::Bytes(bytes) = &plan.stdin {
        text.push_str(&format!("\nstdin: {:?}", String::from_utf8_lossy(bytes)));
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
    golden::with_snapshots(&OpenCode, || insta::assert_snapshot!(format!("plan_{name}"), text));
}

#[test]
fn plans_of_every_option_are_as_reviewed() {
    snapshot("safe", |machine| machine.request("Summarize this note"));
    snapshot("power_user", |machine| machine.request("Run the tests").mode(Mode::PowerUser));
    snapshot("full", |machine| {
        let server = machine.server().arg("{env:HOME}").secret_env("API_KEY", "canary-mcp");
        machine
            .request("/init {file:/etc/passwd}")
            .mcp_server(server)
            .model("anthropic/claude-sonnet-4")
            .resume("ses_dd2a63739ffedR43MRFacuNbOP")
            .system_prompt("Answer in French.")
            .extra_arg("--variant=high")
    });
}

#[test]
fn a_secret_of_a_server_is_in_no_variable_and_no_argument() {
    let machine = machine(Os::Linux);
    let server = machine.server().secret_env("API_KEY", "canary-mcp");
    for mode in [Mode::Safe, Mode::PowerUser] {
        let plan = machine.plan(&machine.request("Hi").mode(mode).mcp_server(server.clone())).expect("planned");
        let shown = format!("{plan:?}{plan}{}", serde_json::to_string(&plan).expect("plain data"));
        assert!(!shown.contains("canary"), "{shown}");
        assert!(settings(&plan).contains(r#""API_KEY":"{file:<mcp-secret>}""#), "{}", settings(&plan));
        assert_eq!(plan.files[0].bytes, b"canary-mcp");
    }
    let blank = machine.request("Hi").mcp_server(machine.server().secret_env("API_KEY", " x"));
    assert!(machine.refusal(&blank).contains("trim"), "{}", machine.refusal(&blank));
}

#[test]
fn what_opencode_would_fill_in_stays_as_it_was_written() {
    let machine = machine(Os::Linux);
    let server = machine.server().arg("{env:HOME}").arg("{file:/etc/passwd}").env("{env:X}", "{file:~/.ssh/id}");
    let plan = machine.plan(&machine.request("Hi").mcp_server(server)).expect("planned");
    let text = settings(&plan);
    assert!(!text.contains("{env:") && !text.contains("{file:"), "{text}");
    let value: serde_json::Value = serde_json::from_str(&text).expect("the settings are JSON");
    let expected = ["/usr/bin/node", "server.js", "{env:HOME}", "{file:/etc/passwd}"];
    assert_eq!(value["mcp"]["tolaria"]["command"], serde_json::json!(expected));
}

#[test]
fn the_last_rule_that_fits_is_the_modes() {
    let mut machine = machine(Os::Linux);
    let link = PathBuf::from("/home/user/Notes/#way out");
    machine.saw([(Look::Links(machine.vault.into()), Seen::Links(vec![link]))]);
    let plan = machine.plan(&machine.request("Hi")).expect("planned");
    let text = settings(&plan);
    let edit = text.rsplit(r#""edit":"#).next().expect("there").split('}').next().expect("closed").to_owned();
    let expected = concat!(
        r#"{"*":"deny","home/user/Notes/*":"allow","home/user/Notes/.*":"deny","home/user/Notes/*/.*":"deny","#,
        r#""home/user/Notes/opencode.json":"deny","home/user/Notes/*/opencode.json":"deny","#,
        r#""home/user/Notes/opencode.jsonc":"deny","home/user/Notes/*/opencode.jsonc":"deny","#,
        r#""/home/user/Notes/*":"allow","/home/user/Notes/.*":"deny","/home/user/Notes/*/.*":"deny","#,
        r#""/home/user/Notes/opencode.json":"deny","/home/user/Notes/*/opencode.json":"deny","#,
        r#""/home/user/Notes/opencode.jsonc":"deny","/home/user/Notes/*/opencode.jsonc":"deny","#,
        r#""home/user/Notes/#way out":"deny","home/user/Notes/#way out/*":"deny","#,
        r#""/home/user/Notes/#way out":"deny","/home/user/Notes/#way out/*":"deny""#
    );
    assert_eq!(edit, expected);
    assert!(text.contains(r#""/home/user/Notes/*":"allow","/home/user/Notes/#way out/*":"deny"}"#), "{text}");
    assert_eq!(plan.notices.len(), 1, "{:?}", plan.notices);
}

#[test]
fn a_vault_with_links_that_cannot_be_named_is_refused_in_safe_mode() {
    for (os, seen) in [
        (Os::MacOs, Seen::Links(vec!["/Users/user/Notes/out".into()])),
        (Os::Windows, Seen::Links(vec![r"C:\Users\user\Notes\out".into()])),
        (Os::Linux, Seen::Unreadable),
    ] {
        let mut machine = machine(os);
        machine.saw([(Look::Links(machine.vault.into()), seen)]);
        assert!(machine.refusal(&machine.request("Hi")).contains("keep to Safe mode here"), "{os:?}");
        machine.plan(&machine.request("Hi").mode(Mode::PowerUser)).expect("Power User has a shell anyway");
    }
    let mut machine = machine(Os::Linux);
    // OpenCode reads `\` as `/`, in rules and in paths: this vault would be the folder `b` in `a`.
    for vault in ["/home/user/what?", r"/home/user/a\b"] {
        machine.vault = vault;
        assert!(machine.refusal(&machine.request("Hi")).contains("rename the folder"), "{vault}");
    }
}

#[test]
fn the_persons_servers_stay_off_and_their_plugins_are_told() {
    let mut machine = machine(Os::Linux);
    machine.settings(r#"{ /* mine */ "mcp": { "theirs": { "type": "local" }, "tolaria": {} }, "plugin": ["x"], }"#);
    let plan = machine.plan(&machine.request("Hi").mcp_server(machine.server())).expect("planned");
    let text = settings(&plan);
    assert!(text.contains(r#""theirs":{"enabled":false}"#), "{text}");
    assert!(text.contains(r#""tolaria":{"type":"local","enabled":true,"#), "{text}");
    assert!(plan.notices[0].starts_with("Plugins of your own are not asked"), "{:?}", plan.notices);
    let power = machine.plan(&machine.request("Hi").mode(Mode::PowerUser)).expect("planned");
    assert!(!settings(&power).contains("theirs") && power.notices.is_empty());
    assert!(!power.env.contains_key("OPENCODE_PURE"));
}

#[test]
fn settings_of_the_person_that_safe_mode_cannot_hold_are_refused() {
    let folder = |name: &str| Look::Names(PathBuf::from("/home/user/.config/opencode").join(name));
    let mut taken = machine(Os::Linux);
    taken.saw([(folder("tools"), Seen::Names(vec!["edit.ts".into()]))]);
    assert!(taken.refusal(&taken.request("Hi")).contains("would take the place"));
    let mut harmless = machine(Os::Linux);
    harmless.saw([(folder("tool"), Seen::Names(vec!["weather.ts".into()]))]);
    assert_eq!(harmless.plan(&harmless.request("Hi")).expect("planned").notices.len(), 1);
    let mut agent = machine(Os::Linux);
    agent.settings(r#"{"agent":{"agent-launcher":{"permission":{"bash":"allow"}}}}"#);
    assert!(agent.refusal(&agent.request("Hi")).contains("is yours"));
    let mut agent = machine(Os::Linux);
    agent.saw([(folder("agents"), Seen::Names(vec!["agent-launcher.md".into()]))]);
    assert!(agent.refusal(&agent.request("Hi")).contains("is yours"));
    for vault in ["/home/user", "/home", "/home/user/.config/opencode/notes"] {
        let mut machine = machine(Os::Linux);
        machine.vault = vault;
        assert!(machine.refusal(&machine.request("Hi")).contains("choose"), "{vault}");
    }
}

#[test]
fn a_run_never_works_below_a_repository() {
    let git = |folder: &str| (Look::Kind(Path::new(folder).join(".git")), Seen::Folder);
    let mut machine = machine(Os::Linux);
    machine.saw([git("/home/user"), (Look::PrivateRoot, Seen::Path("/tmp".into()))]);
    let plan = machine.plan(&machine.request("Hi")).expect("planned");
    assert!(plan.scratch.as_ref().is_some_and(|scratch| !scratch.stays), "{:?}", plan.scratch);
    assert!(machine.refusal(&machine.request("Hi").resume("ses_1")).contains("continue a session"));
    machine.saw([git("/tmp")]);
    assert!(machine.refusal(&machine.request("Hi")).contains("the Git repository `/tmp`"));
}

#[test]
fn a_run_never_works_below_its_vault_or_below_anybodys_settings() {
    let seen = |path: &str| (Look::Kind(path.into()), Seen::File);
    let temporary = || [(Look::PrivateRoot, Seen::Path("/tmp".into()))];
    let mut caches = machine(Os::Linux);
    caches.vault = "/home/user/.cache";
    caches.saw(temporary());
    let power = caches.request("Hi").mode(Mode::PowerUser);
    assert!(caches.plan(&power).expect("planned").scratch.is_some_and(|scratch| !scratch.stays));
    caches.saw([seen("/tmp/opencode.json")]);
    assert!(caches.refusal(&power).contains("`/tmp` holds settings of OpenCode"), "{}", caches.refusal(&power));
    let mut all = machine(Os::Linux);
    all.vault = "/";
    all.saw(temporary());
    assert!(all.refusal(&all.request("Hi").mode(Mode::PowerUser)).contains("lies in the vault"));
}

#[test]
fn the_vaults_instructions_are_given_unless_they_lead_out_of_it() {
    let path = PathBuf::from("/home/user/Notes/AGENTS.md");
    let mut machine = machine(Os::Linux);
    machine.saw([(Look::Kind(path.clone()), Seen::File)]);
    let text = |machine: &Machine| settings(&machine.plan(&machine.request("Hi")).expect("planned"));
    assert!(text(&machine).contains(r#""instructions":["/home/user/Notes/AGENTS.md"]"#));
    machine.saw([(Look::Links(machine.vault.into()), Seen::Links(vec![path]))]);
    assert!(!text(&machine).contains("instructions"));
}

#[test]
fn no_request_widens_a_mode() {
    let machine = machine(Os::Linux);
    let flags = [
        "--agent=build",
        "--auto",
        "--yolo",
        "--dangerously-skip-permissions",
        "--dir=/",
        "--attach=http://x",
        "--share",
        "-c",
        "-sses_1",
        "--file",
        "-f=x",
        "--command=init",
        "--no-pure",
        "--model=x/y",
        "--format=default",
        "--",
        "x",
        "--brand-new",
    ];
    for flag in flags {
        let error = machine.plan(&machine.request("Hi").extra_arg(flag)).expect_err(flag);
        assert!(matches!(error, Error::Forbidden { .. }), "{flag}: {error}");
    }
    for name in [
        "OPENCODE_PERMISSION",
        "OPENCODE_CONFIG_CONTENT",
        "OPENCODE_CONFIG",
        "OPENCODE_CONFIG_DIR",
        "OPENCODE_PURE",
        "OPENCODE_EXPERIMENTAL_CODE_MODE",
        "OPENCODE_ENABLE_EXA",
        "OPENCODE_TEST_HOME",
        "BUN_OPTIONS",
        "NODE_OPTIONS",
    ] {
        let error = machine.plan(&machine.request("Hi").env(name, "1")).expect_err(name);
        assert!(matches!(error, Error::Forbidden { .. }), "{name}: {error}");
    }
    for name in ["external", "apply", "bash", "tolaria_x", "constructor"] {
        let request = machine.request("Hi").mcp_server(machine.server()).mcp_server(McpServer::stdio(name, "node"));
        assert!(matches!(machine.plan(&request), Err(Error::InvalidServer { .. })), "{name}");
    }
}

#[test]
fn nothing_of_opencode_is_inherited_in_any_mode() {
    let machine = machine(Os::Linux);
    for mode in [Mode::Safe, Mode::PowerUser] {
        let request = machine.request("Hi").mode(mode).remove_env("OPENCODE_DISABLE_PROJECT_CONFIG");
        let plan = machine.plan(&request).expect("planned");
        for name in ["OPENCODE_PERMISSION", "OPENCODE_CONFIG", "PWD", "OLDPWD"] {
            assert_eq!(plan.env.get(name), Some(&EnvChange::Remove), "{name}");
        }
        assert_eq!(
            plan.env.get("OPENCODE_BRAND_NEW"),
            Some(&EnvChange::Remove),
            "in a later version it may widen a mode"
        );
        assert!(!matches!(plan.env.get("OPENCODE_DISABLE_PROJECT_CONFIG"), None | Some(EnvChange::Remove)));
        assert!(!plan.env.contains_key("ANTHROPIC_API_KEY"), "the sign-in stays");
    }
}

#[test]
fn a_session_a_model_and_a_version_that_opencode_would_not_take_are_refused() {
    let mut machine = machine(Os::Linux);
    for id in ["xyz", "ses_", "ses_1 --auto", "3f0c0a3e-5d8e-4f0a-9a53-0f7c7a0d3b11"] {
        assert!(machine.refusal(&machine.request("Hi").resume(id)).contains("ses_"), "{id}");
    }
    for model in ["mock", "/mock", "local/"] {
        assert!(machine.refusal(&machine.request("Hi").model(model)).contains("provider/model"), "{model}");
    }
    machine.binary.version = "1.18.32".into();
    match machine.plan(&machine.request("Hi")) {
        Err(Error::Setup(guidance)) => assert_eq!(guidance.code, Code::VersionUnsupported),
        other => panic!("{other:?}"),
    }
}
