//! What the plans of every adapter of [`ALL`](super::ALL) keep to, whatever is asked. A new one is held to it with no edit here.

use std::ffi::OsString;
use std::path::PathBuf;

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;

use super::{Adapter, Context, held};
use crate::discover::{Binary, Via};
use crate::env::{Arch, HostEnv, Os};
use crate::error::Error;
use crate::guidance::Code;
use crate::plan::{Arg, EnvChange, Plan, Stdin};
use crate::request::{EnvValue, McpServer, Mode, Request};
use crate::survey::Survey;
use crate::validate;

/// Flags by which some agent asks no more, or opens all paths, addresses or tools. By each agent's help and documents.
const FORBIDDEN: &[&str] = &[
    "--allow-all",                                // Copilot
    "--allow-all-mcp-server-instructions",        // Copilot
    "--allow-all-paths",                          // Copilot
    "--allow-all-urls",                           // Copilot
    "--allow-dangerously-skip-permissions",       // Claude Code
    "--approve-mcps",                             // Cursor
    "--dangerously-allow-all",                    // Amp
    "--dangerously-bypass-approvals-and-sandbox", // Codex
    "--dangerously-bypass-hook-trust",            // Codex
    "--dangerously-load-development-channels",    // Claude Code
    "--dangerously-skip-permissions",             // Claude Code, OpenCode, Antigravity
    "--experimental",                             // Copilot
    "--force",                                    // Cursor
    "--full-auto",                                // Codex
    "--skip-permissions-unsafe",                  // Droid
    "--skip-trust",                               // Gemini
    "--trust-all-tools",                          // Kiro
    "--trust-folder",                             // Copilot
    "--yes-always",                               // Aider
    "--yolo",                                     // Copilot, Codex, Gemini, Qwen
    "-y",                                         // Gemini, Qwen
];

/// Words in a value, a variable or a file that do the same.
const FORBIDDEN_WORDS: &[&str] = &[
    "danger-full-access",
    "bypassPermissions",
    "dangerously",
    "trust_all_tools",
    "disable_sandbox",
    "skip_permissions",
];

/// A machine on which the newest tested version of an agent lies, and nothing of anybody's.
struct Machine {
    host: HostEnv,
    binary: Binary,
}

impl Machine {
    /// Every variable that may hold a sign-in holds one that must not be shown.
    fn new(adapter: &dyn Adapter, version: &str) -> Machine {
        Machine::of(adapter, version, false)
    }

    fn of(adapter: &dyn Adapter, version: &str, reversed: bool) -> Machine {
        let spec = adapter.spec();
        let mut vars: Vec<(OsString, OsString)> = vec![
            ("HOME".into(), "/no/home/user".into()),
            ("PATH".into(), "/no/bin:/usr/bin".into()),
            ("LANG".into(), "C.UTF-8".into()),
            ("AWS_SECRET_ACCESS_KEY".into(), "canary-of-the-app".into()),
        ];
        vars.extend(spec.auth_variables.iter().map(|name| ((*name).into(), "canary-sign-in".into())));
        if reversed {
            vars.reverse();
        }
        let program = PathBuf::from("/no/bin").join(spec.programs[0]);
        let binary = Binary {
            program: program.clone(),
            first_args: Vec::new(),
            found: program,
            via: Via::Path,
            version: version.into(),
            search_path: "/no/bin:/usr/bin".into(),
            login_env: Vec::new(),
        };
        Machine { host: HostEnv::new(Os::Linux, Arch::X64, Some("/no/home/user".into()), vars), binary }
    }

    /// Plans as the launcher does: what no agent can be given is refused before, and the disk is looked at as adapters wish.
    fn plan(&self, adapter: &dyn Adapter, request: &Request) -> Result<Plan, Error> {
        validate::request(request, false)?;
        let survey = Survey::take(adapter, request, &self.host);
        let commands: Vec<PathBuf> = request.mcp_servers.iter().map(|_| "/no/bin/node".into()).collect();
        let (host, binary) = (&self.host, &self.binary);
        adapter.plan(request, &Context { binary, host, app: "Tolaria", mcp_commands: &commands, survey: &survey })
    }
}

fn request(adapter: &dyn Adapter, prompt: &str) -> Request {
    Request::new(adapter.spec().id.clone(), "/no/home/user/Notes", prompt)
        .stream_id("panel-3")
        .session_id("3f0c0a3e-5d8e-4f0a-9a53-0f7c7a0d3b11")
}

fn planned(adapter: &dyn Adapter, request: &Request) -> Plan {
    let plan = Machine::new(adapter, adapter.spec().tested).plan(adapter, request);
    plan.unwrap_or_else(|error| panic!("{}: {error}", adapter.spec().id))
}

fn each(check: impl Fn(&'static dyn Adapter, &str)) {
    for adapter in held() {
        check(adapter, adapter.spec().id.as_str());
    }
}

/// The arguments; of one that ends with the path of a file, its beginning.
fn args(plan: &Plan) -> Vec<&str> {
    texts(&plan.args)
}

fn texts(args: &[Arg]) -> Vec<&str> {
    let mut texts = Vec::new();
    for arg in args {
        match arg {
            Arg::Text(text) | Arg::File { prefix: text, .. } => texts.push(text.as_str()),
        }
    }
    texts
}

/// All that reaches the agent, secrets included: arguments, variables, files and stdin.
fn all_of(plan: &Plan) -> Vec<String> {
    let mut all: Vec<String> = args(plan).into_iter().map(str::to_owned).collect();
    all.extend(plan.env.iter().filter_map(|(name, change)| match change {
        EnvChange::Set(value) => Some(format!("{name}={}", value.expose())),
        EnvChange::Joined(parts) => Some(format!("{name}={}", texts(parts).concat())),
        EnvChange::Remove => None,
    }));
    all.extend(plan.files.iter().map(|file| String::from_utf8_lossy(&file.bytes).into_owned()));
    if let Stdin::Bytes(bytes) = &plan.stdin {
        all.push(String::from_utf8_lossy(bytes).into_owned());
    }
    all
}

#[test]
fn the_modes_of_every_agent_are_different_commands() {
    each(|adapter, id| {
        let safe = planned(adapter, &request(adapter, "Summarize this note"));
        let power_user = planned(adapter, &request(adapter, "Summarize this note").mode(Mode::PowerUser));
        assert_ne!(all_of(&safe), all_of(&power_user), "{id}");
        assert!(!safe.watched.is_empty() && power_user.watched.is_empty(), "{id}: what Safe mode protects is watched");
        assert!(safe.allowed_tools.is_some(), "{id}: Safe mode names the agent's own tools that it gives");
    });
}

#[test]
fn a_version_below_the_floor_of_a_mode_is_refused_by_every_agent_with_both_versions() {
    each(|adapter, id| {
        let floor = &adapter.spec().floor;
        for (mode, floor) in [(Mode::Safe, floor.safe), (Mode::PowerUser, floor.power_user)] {
            let error = Machine::new(adapter, "0.0.1").plan(adapter, &request(adapter, "a").mode(mode));
            let Err(Error::Setup(guidance)) = error else { panic!("{id}: {mode:?}: {error:?}") };
            assert_eq!(guidance.code, Code::VersionUnsupported, "{id}");
            assert!(
                guidance.message.contains("0.0.1") && guidance.message.contains(floor),
                "{id}: {}",
                guidance.message
            );
        }
    });
}

#[test]
fn what_is_asked_for_is_in_the_plan_of_every_agent_or_refused() {
    // Ids of sessions are a matter of the agent; a text that is none is refused as such.
    let sessions = ["0f8fad5b-d9cb-469f-a165-70867728950e", "ses_dd2a63739ffedR43MRFacuNbOP"];
    each(|adapter, id| {
        let plain = || request(adapter, "Which-note-is-it");
        let machine = Machine::new(adapter, adapter.spec().tested);
        let taken =
            |id: &&&str| !matches!(machine.plan(adapter, &plain().resume(**id)), Err(Error::InvalidField { .. }));
        let session = sessions.iter().find(taken).unwrap_or_else(|| panic!("{id} takes none of these sessions"));
        let server = McpServer::stdio("tolaria", "node").arg("the-server.js").env("VAULT_PATH", "the-vault-path");
        let asked: [(&str, Request, &[&str]); 6] = [
            ("the prompt", plain(), &["Which-note-is-it"]),
            ("a model", plain().model("some/model-5"), &["some/model-5"]),
            ("a session", plain().resume(*session), &[*session]),
            ("a system prompt", plain().system_prompt("Answer-in-rhyme"), &["Answer-in-rhyme", "Which-note-is-it"]),
            ("a variable", plain().env("SOME_SETTING", "its-value"), &["SOME_SETTING=its-value"]),
            (
                "a server",
                plain().mcp_server(server),
                &["tolaria", "/no/bin/node", "the-server.js", "VAULT_PATH", "the-vault-path"],
            ),
        ];
        for (what, request, words) in asked {
            for mode in [Mode::Safe, Mode::PowerUser] {
                match Machine::new(adapter, adapter.spec().tested).plan(adapter, &request.clone().mode(mode)) {
                    Ok(plan) => {
                        let all = all_of(&plan);
                        for word in words {
                            assert!(
                                all.iter().any(|part| part.contains(word)),
                                "{id}: {what}: no `{word}` in {all:#?}"
                            );
                        }
                    }
                    Err(Error::Unsupported { .. }) if what != "the prompt" => {}
                    Err(error) => panic!("{id}: {what}: {error}"),
                }
            }
        }
    });
}

/// Flags and variables of a plan, as [`super::Source`] names them, but for what the request itself names.
fn named(plan: &Plan) -> Vec<String> {
    let mut names = Vec::new();
    let mut args = args(plan).into_iter().take_while(|arg| *arg != "--");
    while let Some(arg) = args.next() {
        if !arg.starts_with('-') || arg == "-" {
            continue;
        }
        let name = arg.split(['=', '@']).next().unwrap_or_default();
        if ["-c", "--config"].contains(&arg) {
            let key = args.next().unwrap_or_default().split(['=', '.']).next().unwrap_or_default();
            names.push(format!("-c {key}"));
        } else {
            names.push(name.to_owned());
        }
    }
    // What every agent gets, and what a test asked for.
    let shared = ["PATH", "NO_COLOR", "GIT_TERMINAL_PROMPT", "MY_TOKEN", "API_KEY"];
    let set =
        plan.env.iter().filter(|(name, change)| **change != EnvChange::Remove && !shared.contains(&name.as_str()));
    names.extend(set.map(|(name, _)| name.clone()));
    names
}

#[test]
fn every_flag_and_variable_of_every_plan_has_a_source() {
    let long = "x".repeat(200 * 1024);
    each(|adapter, id| {
        let plain = |prompt: &str| request(adapter, prompt);
        let server = McpServer::stdio("tolaria", "node").arg("$HOME").secret_env("API_KEY", "k");
        let requests = [
            plain("a"),
            plain("-a"),
            plain("/a"),
            plain(&long),
            plain("a").private_prompt(true).system_prompt("b"),
            plain("a").system_prompt("b").model("m").mcp_server(server.clone()),
            plain("a").resume("0f8fad5b-d9cb-469f-a165-70867728950e").model("p/m").mcp_server(server),
            plain("a").secret_env("MY_TOKEN", "t"),
        ];
        let sources: Vec<&str> = adapter.spec().sources.iter().map(|source| source.name).collect();
        for (request, mode) in requests.iter().flat_map(|request| [(request, Mode::Safe), (request, Mode::PowerUser)]) {
            let request = request.clone().mode(mode);
            let Ok(plan) = Machine::new(adapter, adapter.spec().tested).plan(adapter, &request) else { continue };
            for name in named(&plan) {
                assert!(sources.contains(&name.as_str()), "{id}: nobody says where `{name}` is known from: {plan}");
            }
        }
    });
}

#[test]
fn no_plan_of_any_agent_prints_a_secret() {
    each(|adapter, id| {
        for mode in [Mode::Safe, Mode::PowerUser] {
            let server = McpServer::stdio("tolaria", "node").secret_env("API_KEY", "canary-of-the-server");
            let request =
                request(adapter, "a").mode(mode).secret_env("MY_TOKEN", "canary-of-the-request").mcp_server(server);
            let plan = planned(adapter, &request);
            let json = serde_json::to_string(&plan).expect("plain data");
            let printed = [format!("{plan:?}"), format!("{plan:#?}"), format!("{plan}"), json, format!("{request:?}")];
            for text in
                printed.iter().map(String::as_str).chain(args(&plan)).chain(plan.notices.iter().map(String::as_str))
            {
                assert!(!text.contains("canary"), "{id}: {text}");
            }
            let reaches = |canary: &str| all_of(&plan).iter().any(|part| part.contains(canary));
            assert!(
                reaches("canary-of-the-request") && reaches("canary-of-the-server"),
                "{id}: secrets reach the agent"
            );
        }
    });
}

#[test]
fn a_private_prompt_is_in_no_argument_of_any_agent() {
    each(|adapter, id| {
        let request = request(adapter, "canary-prompt").private_prompt(true).system_prompt("canary-system");
        if let Ok(plan) = Machine::new(adapter, adapter.spec().tested).plan(adapter, &request) {
            assert!(!args(&plan).iter().any(|arg| arg.contains("canary")), "{id}: {plan}");
            assert!(all_of(&plan).iter().any(|part| part.contains("canary-prompt")), "{id}: it arrives all the same");
        }
    });
}

/// A text of a request: a few words, or what looks like a flag.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{0,12}",
        "--?[a-z-]{0,16}(=[a-z]{0,4})?",
        proptest::sample::select(FORBIDDEN).prop_map(str::to_owned),
        proptest::sample::select(vec!["/init", "@note.md", "!ls", "$HOME", "-", "--", "# note"])
            .prop_map(str::to_owned),
    ]
}

/// An extra argument: one that widens in some agent, in several spellings, or a harmless one of some agent.
fn extra() -> impl Strategy<Value = Vec<String>> {
    let flag = proptest::sample::select(FORBIDDEN).prop_flat_map(|flag| {
        let spellings = [
            vec![flag.into()],
            vec![format!("{flag}=true")],
            vec![flag.to_uppercase()],
            vec!["--".into(), flag.into()],
        ];
        proptest::sample::select(spellings.to_vec())
    });
    let valued: Vec<Vec<String>> = [
        "--permission-mode bypassPermissions",
        "--permission-mode=bypassPermissions",
        "--settings={\"permissions\":{\"defaultMode\":\"bypassPermissions\"}}",
        "--sandbox danger-full-access",
        "--sandbox=danger-full-access",
        "-sdanger-full-access",
        "-c sandbox_mode=\"danger-full-access\"",
        "--config=sandbox_mode=\"danger-full-access\"",
        "--approval-mode yolo",
        "--approval-mode=yolo",
        "--add-dir /",
        "--effort=high",
        "--reasoning-effort high",
        "--log-level=debug",
        "--variant=high",
    ]
    .iter()
    .map(|args| args.split(' ').map(str::to_owned).collect())
    .collect();
    prop_oneof![flag, proptest::sample::select(valued), word().prop_map(|word| vec![word])]
}

/// What a request may hold beside its agent and its vault.
#[derive(Clone, Debug)]
struct Asked {
    prompt: String,
    power_user: bool,
    private: bool,
    system: Option<String>,
    model: Option<String>,
    session: Option<String>,
    resume: Option<String>,
    extra: Vec<String>,
    server: Option<(String, Vec<String>)>,
    env: Vec<(String, String)>,
}

fn asked() -> impl Strategy<Value = Asked> {
    let maybe = || proptest::option::weighted(0.3, word());
    let id = || {
        proptest::option::weighted(
            0.2,
            prop_oneof![word(), "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}"],
        )
    };
    let server =
        proptest::option::weighted(0.4, ("[a-z][a-z_-]{0,8}", proptest::collection::vec("[a-z./-]{0,8}", 0..3)));
    let variable = ("(COPILOT|CLAUDE|CLAUDE_CODE|CODEX|OPENCODE|GEMINI|MY|NODE)_[A-Z_]{1,12}", "[a-z{}\":*]{0,12}");
    let texts = (word(), any::<bool>(), any::<bool>(), maybe(), maybe(), id(), id());
    let extra = prop_oneof![3 => Just(Vec::new()), 1 => extra()];
    (texts, extra, server, proptest::collection::vec(variable, 0..2)).prop_map(|(texts, extra, server, env)| {
        let (prompt, power_user, private, system, model, session, resume) = texts;
        Asked { prompt, power_user, private, system, model, session, resume, extra, server, env }
    })
}

impl Asked {
    fn of(&self, adapter: &dyn Adapter) -> Request {
        let mode = if self.power_user { Mode::PowerUser } else { Mode::Safe };
        let mut request = request(adapter, &self.prompt).mode(mode).private_prompt(self.private);
        request.system_prompt.clone_from(&self.system);
        request.model.clone_from(&self.model);
        request.resume.clone_from(&self.resume);
        if let Some(session) = &self.session {
            request = request.session_id(session);
        }
        if let Some((name, args)) = &self.server {
            request =
                request.mcp_server(args.iter().fold(McpServer::stdio(name, "node"), |server, arg| server.arg(arg)));
        }
        let request = self.env.iter().fold(request, |request, (name, value)| request.env(name, value));
        self.extra.iter().fold(request, |request, arg| request.extra_arg(arg))
    }

    /// Whether a text is, or holds, one that the request hands to the model as such.
    fn says(&self, text: &str) -> bool {
        let own = [Some(&self.prompt), self.system.as_ref(), self.model.as_ref()];
        own.into_iter().flatten().any(|own| !own.trim().is_empty() && text.contains(own.trim()))
    }
}

/// What opens all in a plan, if anything does, save as a text of the request.
fn opens(plan: &Plan, asked: &Asked) -> Option<String> {
    // What follows `--` is text, and so is a value that is joined to its flag.
    let flags = args(plan).into_iter().take_while(|arg| *arg != "--");
    let opens = |arg: &&str| {
        FORBIDDEN.iter().any(|flag| arg.split('=').next().is_some_and(|name| name.eq_ignore_ascii_case(flag)))
    };
    let flag = flags.filter(opens).map(str::to_owned).next();
    let mut own = all_of(plan).into_iter().filter(|part| !asked.says(part));
    flag.or_else(|| own.find(|part| FORBIDDEN_WORDS.iter().any(|word| part.contains(word))))
}

/// Holds the plan of a request, where there is one, to what every plan must keep to; whether there is one.
fn keeps(adapter: &dyn Adapter, asked: &Asked) -> Result<bool, TestCaseError> {
    let version = adapter.spec().tested;
    let request = asked.of(adapter);
    let Ok(plan) = Machine::new(adapter, version).plan(adapter, &request) else { return Ok(false) };
    let opens = opens(&plan, asked);
    prop_assert!(opens.is_none(), "{}: {opens:?} in {plan}", request.agent);
    let again = Machine::new(adapter, version).plan(adapter, &request);
    prop_assert_eq!(&plan, &again.expect("planned before"), "planning is a function");
    let reversed = Machine::of(adapter, version, true).plan(adapter, &request);
    prop_assert_eq!(&plan, &reversed.expect("planned before"), "the order of variables is nothing");
    prop_assert!(!format!("{plan:?}{plan}").contains("canary"), "{}: {plan}", request.agent);
    Ok(true)
}

proptest! {
    /// Whatever a request holds, no plan of any agent holds what opens all; and planning is a function.
    #[test]
    fn no_request_brings_a_bypass_into_any_plan(asked in asked()) {
        for adapter in held() {
            keeps(adapter, &asked)?;
        }
    }
}

/// The property above must not hold because everything is refused.
#[test]
fn most_odd_requests_are_planned_by_every_agent() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let asked: Vec<Asked> = (0..200).map(|_| asked().new_tree(&mut runner).expect("no filter").current()).collect();
    each(|adapter, id| {
        let planned = asked.iter().filter(|asked| keeps(adapter, asked).expect("kept")).count();
        assert!(planned >= 40, "{id} plans {planned} of {} requests", asked.len());
    });
}

/// The check itself: where an adapter passed on what opens all, it would be found.
#[test]
fn a_bypass_in_a_plan_would_be_found() {
    let nothing = Asked {
        prompt: "hello".into(),
        power_user: false,
        private: false,
        system: None,
        model: None,
        session: None,
        resume: None,
        extra: Vec::new(),
        server: None,
        env: Vec::new(),
    };
    each(|adapter, id| {
        let plan = planned(adapter, &nothing.of(adapter));
        assert_eq!(opens(&plan, &nothing), None, "{id}");
        for flag in ["--yolo", "--YOLO", "--allow-all=true", "-y", "-c=sandbox_mode=danger-full-access"] {
            let mut plan = plan.clone();
            plan.args.insert(0, Arg::Text(flag.into()));
            assert_eq!(opens(&plan, &nothing).as_deref(), Some(flag), "{id}");
        }
        let mut plan = plan;
        let value = EnvValue::Secret(r#"{"mode":"bypassPermissions"}"#.into());
        plan.env.insert("CONFIG".into(), EnvChange::Set(value));
        assert!(opens(&plan, &nothing).is_some(), "{id}");
    });
}

#[test]
fn every_way_to_widen_by_an_extra_argument_is_refused_by_every_agent() {
    each(|adapter, id| {
        for flag in FORBIDDEN {
            for spelled in [(*flag).to_owned(), format!("{flag}=true"), flag.to_uppercase()] {
                for mode in [Mode::Safe, Mode::PowerUser] {
                    let request = request(adapter, "a").mode(mode).extra_arg(&spelled);
                    let planned = Machine::new(adapter, adapter.spec().tested).plan(adapter, &request);
                    let refused = matches!(planned, Err(Error::Forbidden { .. } | Error::Unsupported { .. }));
                    assert!(refused, "{id}: {spelled}: {planned:?}");
                }
            }
        }
    });
}
