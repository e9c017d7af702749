//! Runs of a described agent on a fake.

use std::time::Duration;

use agent_launcher::discover::{Readiness, Verdict, Via};
use agent_launcher::{AgentId, Code, EventKind, McpServer, Mode, NoticeLevel, Request, Status, Usage};

use super::{PLAIN, SCRIBE, bench, launcher, request, with};
use crate::support::{Bench, check, collect, kinds, processes, shape, text, until};

/// What a healthy Scribe prints.
const ANSWER: &str = r#"
json {"type":"hello","session":"s-1"}
json {"type":"server","name":"tolaria","state":"connected"}
json {"type":"delta","channel":"thought","delta":{"text":"Hm."}}
json {"type":"delta","channel":"answer","delta":{"text":"I will "}}
json {"type":"delta","channel":"answer","delta":{"text":"edit."}}
json {"type":"message","content":[{"type":"text","text":"I will edit."},{"type":"call","id":"1","name":"edit","arguments":{"path":"note.md"}}]}
json {"type":"result","id":"1","failed":false,"output":{"lines":2}}
json {"type":"message","content":[{"type":"call","id":"2","name":"shell","arguments":{}},{"type":"call","id":"3","name":"mcp__tolaria__echo"}]}
json {"type":"result","id":"2","failed":true,"reason":"refused","output":"not in this mode"}
json {"type":"result","id":"3","failed":false,"output":"echo"}
json {"type":"usage","tokens":{"in":10,"out":2},"cost":0.5}
json {"type":"message","content":[{"type":"text","text":"Done."}]}
json {"type":"usage","tokens":{"in":5,"out":1}}
json {"type":"info","message":"All saved."}
out scribble
json {"type":"unheard"}
json {"type":"bye","code":0}
"#;

fn delta(text: &str) -> EventKind {
    EventKind::TextDelta { text: text.into() }
}

fn usage(input: u64, output: u64) -> Usage {
    let mut usage = Usage::default();
    (usage.input_tokens, usage.output_tokens, usage.cost_usd) = (Some(input), Some(output), Some(0.5));
    usage
}

#[tokio::test]
async fn a_described_agent_is_listed_and_found_like_any_other() {
    let bench = bench("");
    let launcher = launcher(&bench, SCRIBE);
    let agents = launcher.agents().await;
    let scribe = agents.last().unwrap();
    assert_eq!((scribe.agent.as_str(), scribe.name.as_str(), scribe.status), ("scribe", "Scribe", Readiness::Ready));
    assert_eq!((scribe.version.as_deref(), scribe.via), (Some("2.1.0"), Some(Via::Path)));
    assert!(agents.iter().any(|status| status.agent == AgentId::COPILOT), "the crate's own stay");

    let search = launcher.search(&AgentId::new("scribe")).await.unwrap();
    assert_eq!(search.chosen, Some(bench.bin().join("scribe")));
    let places: Vec<_> = search.candidates.iter().map(|candidate| candidate.path.clone()).collect();
    assert!(places.contains(&bench.home().join(".scribe/bin/scribe")), "{places:?}");

    // Another launcher does not know it.
    let error = bench.launcher().search(&AgentId::new("scribe")).await.unwrap_err();
    assert!(error.to_string().starts_with("unknown agent `scribe`, known: copilot"), "{error}");
}

#[tokio::test]
async fn a_described_agent_that_is_missing_or_another_program_is_explained() {
    let bench = Bench::new();
    let missing = launcher(&bench, SCRIBE).plan(&request(&bench, "hi")).await.unwrap_err().guidance();
    assert_eq!(missing.code, Code::NotInstalled);
    let steps = format!("{:?}", missing.steps);
    assert!(steps.contains("brew install scribe") && steps.contains("https://example.org/scribe"), "{steps}");

    let impostor = Bench::new().fake("scribe", "probe out scribes 2.1.0");
    let search = launcher(&impostor, SCRIBE).search(&AgentId::new("scribe")).await.unwrap();
    assert_eq!((search.chosen, search.candidates[0].verdict), (None, Verdict::Impostor));
    assert!(launcher(&impostor, SCRIBE).plan(&request(&impostor, "hi")).await.is_err());
    assert_eq!(impostor.runs().len(), 0);

    let old = Bench::new().fake("scribe", "probe out scribe 1.9.0");
    let guidance = launcher(&old, SCRIBE).plan(&request(&old, "hi")).await.unwrap_err().guidance();
    assert_eq!((guidance.code, guidance.params["needed"].as_str()), (Code::VersionUnsupported, "2.0.0"));
    // Without an `update`, it is the installation again.
    assert_eq!(guidance.params["update"], "brew install scribe");
}

#[tokio::test]
async fn the_rules_of_a_definition_turn_json_lines_into_events() {
    let bench = bench(ANSWER).fake("node", "");
    let server = McpServer::stdio("tolaria", "node").arg("server.js");
    let mut run = bench.start(&launcher(&bench, SCRIBE), &request(&bench, "hi").mcp_server(server)).await;
    let events = collect(&mut run).await;
    let outcome = check(&events);
    assert_eq!((outcome.status, outcome.session_id.as_deref()), (Status::Completed, Some("s-1")));
    assert_eq!((outcome.denied_tools, outcome.usage.clone()), (1, Some(usage(15, 3))));
    assert_eq!(text(&events), "I will edit.\n\nDone.", "no text twice");
    let start = |id: &str, name: &str, input: Option<&str>| EventKind::ToolStart {
        tool_id: id.into(),
        tool_name: name.into(),
        input: input.map(str::to_owned),
    };
    let done = |id: &str, ok: bool, output: &str, denied: bool| EventKind::ToolDone {
        tool_id: id.into(),
        ok,
        output: Some(output.into()),
        denied,
    };
    let told = kinds(&events);
    let notice = EventKind::Notice { level: NoticeLevel::Info, message: "All saved.".into() };
    let expected = [
        EventKind::McpStatus { server: "tolaria".into(), status: "connected".into(), detail: None },
        EventKind::ThinkingDelta { text: "Hm.".into() },
        delta("I will "),
        delta("edit."),
        start("1", "edit", Some(r#"{"path":"note.md"}"#)),
        done("1", true, r#"{"lines":2}"#, false),
        start("2", "shell", Some("{}")),
        start("3", "mcp__tolaria__echo", None),
        done("2", false, "not in this mode", true),
        done("3", true, "echo", false),
        EventKind::Usage(usage(10, 2)),
        delta("\n\nDone."),
        EventKind::Usage(usage(15, 3)),
        notice,
        EventKind::Unrecognized { line: "scribble".into() },
        EventKind::Unrecognized { line: r#"{"type":"unheard"}"#.into() },
    ];
    // Before them `Init`, behind them what was refused and `Done`.
    assert_eq!(told[1..told.len() - 2], expected.iter().collect::<Vec<_>>());
    let EventKind::Init { agent, tools, mode, .. } = told[0] else { panic!("{told:?}") };
    assert_eq!((agent.as_str(), *mode), ("scribe", Mode::Safe));
    assert_eq!(tools.as_deref(), Some(["read".to_owned(), "edit".to_owned()].as_slice()));
}

#[tokio::test]
async fn plain_text_is_the_answer_and_the_prompt_comes_on_stdin() {
    let bench = Bench::new().fake("plain", "probe out plain 1.0.0\nread-stdin\nout First\nout\nout Second");
    let request = Request::new(AgentId::new("plain"), bench.vault(), "-- hi");
    let mut run = bench.start(&launcher(&bench, PLAIN), &request).await;
    let events = collect(&mut run).await;
    assert_eq!((check(&events).status, text(&events).as_str()), (Status::Completed, "First\n\nSecond"));
    let runs = bench.runs();
    assert_eq!((runs[0].args(), runs[0].stdin.as_deref()), (vec![], Some("-- hi")));
    assert_eq!(runs[0].cwd, bench.vault().to_string_lossy());
    // Nobody tried this mode, and the person is told.
    let EventKind::Notice { message, .. } = &events[1].kind else { panic!("{events:?}") };
    assert_eq!(
        message,
        "What Plain may do in Safe mode is what the flags of its description give; that was not verified."
    );
}

#[tokio::test]
async fn each_mode_has_its_own_arguments_and_environment() {
    let bench = bench(
        "json {\"type\":\"delta\",\"channel\":\"answer\",\"delta\":{\"text\":\"Hi\"}}\njson {\"type\":\"bye\",\"code\":0}",
    );
    let bench = bench.var("SCRIBE_REGION", "eu").var("SCRIBE_PERMISSIONS", "all").var("OTHER", "1");
    let bench = bench.var("SCRIBE_TOKEN", "canary-token");
    let launcher = launcher(&bench, SCRIBE);
    for mode in [Mode::Safe, Mode::PowerUser] {
        let mut run = bench.start(&launcher, &request(&bench, "-x --yolo").mode(mode)).await;
        assert_eq!(check(&collect(&mut run).await).status, Status::Completed, "{mode:?}");
    }
    let runs = bench.runs();
    let session = "--session=0f8fad5b-d9cb-469f-a165-70867728950e";
    let args = |tools| vec!["write", "--json", "--tools", tools, session, "--prompt=-x --yolo"];
    assert_eq!([runs[0].args(), runs[1].args()], [args("read,edit"), args("all")]);
    let var = |run: usize, name: &str| runs[run].env.get(name).map(String::as_str);
    let vault = bench.vault();
    assert_eq!([0, 1].map(|run| var(run, "SCRIBE_UI")), [Some("none"); 2]);
    assert_eq!([0, 1].map(|run| var(run, "SCRIBE_HOME_ROOT")), [vault.to_str(), None]);
    assert_eq!([0, 1].map(|run| var(run, "SCRIBE_REGION")), [Some("eu"); 2]);
    assert_eq!([0, 1].map(|run| var(run, "SCRIBE_TOKEN")), [Some("canary-token"); 2]);
    assert_eq!([0, 1].map(|run| var(run, "SCRIBE_PERMISSIONS")), [None; 2]);
    assert_eq!([0, 1].map(|run| var(run, "OTHER")), [None, Some("1")]);
}

#[tokio::test]
async fn a_tool_that_safe_mode_does_not_give_ends_the_run() {
    let call = |name: &str, arguments: &str| {
        format!(
            "json {{\"type\":\"message\",\"content\":[{{\"type\":\"call\",\"id\":\"1\",\"name\":\"{name}\",\"arguments\":{arguments}}}]}}\n\
             json {{\"type\":\"result\",\"id\":\"1\",\"failed\":false}}\nhang"
        )
    };
    let cases = [
        (call("shell", "{}"), "the tool `shell` ran although the mode does not give it"),
        (call("edit", r#"{"path":"../out.md"}"#), "outside the vault"),
        (call("edit", r#"{"path":".git/hooks/x"}"#), "the hidden file"),
        (call("mcp__other__echo", "{}"), "the tool `mcp__other__echo` ran"),
    ];
    for (scenario, why) in cases {
        let bench = bench(&scenario.replace("hang", "stall"));
        let launcher = launcher(&bench, SCRIBE);
        let events = collect(&mut bench.start(&launcher, &request(&bench, "hi")).await).await;
        assert_eq!(check(&events).status, Status::Failed);
        let EventKind::Error { guidance, .. } = &events[events.len() - 2].kind else { panic!("{events:?}") };
        assert_eq!(guidance.code, Code::PermissionBypassed, "{guidance:?}");
        assert!(guidance.evidence.concat().contains(why), "{guidance:?}");
        processes::assert_gone(&bench.pids(), Duration::from_secs(5));
    }
}

#[tokio::test]
async fn a_cancel_leaves_nothing_of_a_described_agent() {
    let bench = bench(
        "json {\"type\":\"hello\",\"session\":\"s\"}\nfork sleep-forever\nfork setsid ignore-term\nout ready\nstall",
    );
    let launcher = launcher(&bench, SCRIBE);
    let mut run = bench.start(&launcher, &request(&bench, "hi").stream_id("panel")).await;
    until(&mut run, |kind| matches!(kind, EventKind::Unrecognized { .. })).await;
    let pids = bench.pids();
    assert_eq!(pids.len(), 3);
    assert!(launcher.cancel("panel"));
    let rest = collect(&mut run).await;
    let EventKind::Done { outcome } = &rest.last().unwrap().kind else { panic!("{rest:?}") };
    // By the definition's own signal, SIGINT.
    assert_eq!((outcome.status, outcome.signal), (Status::Cancelled, Some(2)));
    processes::assert_gone(&pids, Duration::from_secs(5));

    // Without one by SIGTERM.
    let bench = Bench::new().fake("plain", "probe out plain 1.0.0\nout ready\nstall");
    let launcher = super::launcher(&bench, PLAIN);
    let request = Request::new(AgentId::new("plain"), bench.vault(), "hi").stream_id("panel");
    let mut run = bench.start(&launcher, &request).await;
    until(&mut run, |kind| matches!(kind, EventKind::TextDelta { .. })).await;
    launcher.cancel("panel");
    let rest = collect(&mut run).await;
    let EventKind::Done { outcome } = &rest.last().unwrap().kind else { panic!("{rest:?}") };
    assert_eq!((outcome.status, outcome.signal), (Status::Cancelled, Some(15)));
}

/// The guidance code of a run that went like this.
async fn failed(scenario: &str) -> Code {
    let bench = bench(scenario);
    let launcher = launcher(&bench, SCRIBE);
    let events = collect(&mut bench.start(&launcher, &request(&bench, "hi")).await).await;
    assert_eq!(check(&events).status, Status::Failed, "{events:?}");
    let EventKind::Error { guidance, .. } = &events[events.len() - 2].kind else { panic!("{events:?}") };
    guidance.code
}

#[tokio::test]
async fn the_guidance_of_a_definition_explains_its_failures() {
    assert_eq!(failed("err Error: Nobody is logged in to Scribe.\nexit 1").await, Code::NotSignedIn);
    assert_eq!(failed("exit 9").await, Code::SessionNotFound);
    let slow = r#"json {"type":"problem","message":"later","kind":"slow_down","http":429}"#;
    assert_eq!(failed(&format!("{slow}\nexit 1")).await, Code::RateLimited);
    // The near miss is none, and rules of all agents hold, too.
    assert_eq!(failed("err My diary: Nobody is logged in to Scribe.\nexit 1").await, Code::Unknown);
    assert_eq!(failed("signal 6").await, Code::AgentCrashed);
    // Without its last word it was cut off.
    let cut = r#"json {"type":"delta","channel":"answer","delta":{"text":"I"}}"#;
    assert_eq!(failed(cut).await, Code::AgentCrashed);

    let bench = bench("");
    let launcher = launcher(&bench, SCRIBE);
    let told = |stderr: &str| launcher.classify(&AgentId::new("scribe"), Some(1), stderr).unwrap();
    let guidance = told("Error: Nobody is logged in to Scribe.");
    assert_eq!(guidance.code, Code::NotSignedIn);
    assert!(format!("{:?}", guidance.steps).contains("scribe login"), "{guidance:?}");
}

#[tokio::test]
async fn a_scratch_folder_keeps_the_agent_out_of_the_vault_and_holds_its_settings() {
    let definition = with(SCRIBE, "[run]", "[run]\ncwd = \"scratch\"");
    let definition = with(
        &definition,
        "form = \"file\"\nargs = [\"--mcp-config\", \"{mcp_config}\"]",
        "form = \"scratch-file\"\npath = \".scribe/settings.json\"",
    );
    let bench = bench(
        "out ready\nwait-file go\njson {\"type\":\"delta\",\"channel\":\"answer\",\"delta\":{\"text\":\"{{cwd}}\"}}\njson {\"type\":\"bye\"}",
    );
    let bench = bench.fake("node", "");
    let server = McpServer::stdio("tolaria", bench.bin().join("node")).secret_env("TOKEN", "canary-secret");
    let launcher = launcher(&bench, &definition);
    let mut run = bench.start(&launcher, &request(&bench, "hi").mcp_server(server)).await;
    let mut events = until(&mut run, |kind| matches!(kind, EventKind::Unrecognized { .. })).await;
    let runs = bench.runs();
    let cwd = std::path::PathBuf::from(&runs[0].cwd);
    assert!(!cwd.starts_with(bench.vault()), "{cwd:?}");
    let settings = cwd.join(".scribe/settings.json");
    let written: serde_json::Value = serde_json::from_slice(&std::fs::read(&settings).unwrap()).unwrap();
    let node = bench.bin().join("node");
    let expected = serde_json::json!({"mcpServers": {"tolaria": {"command": node, "args": [], "env": {"TOKEN": "canary-secret"}}}});
    assert_eq!(written, expected);
    use std::os::unix::fs::PermissionsExt as _;
    assert_eq!(std::fs::metadata(&settings).unwrap().permissions().mode() & 0o777, 0o600);
    let prompt = runs[0].args().pop().unwrap().to_owned();
    let place = format!("--prompt=System instructions:\nThe folder to work in is `{}`;", bench.vault().display());
    assert!(prompt.starts_with(&place) && prompt.ends_with("\n\nUser request:\nhi"), "{prompt}");
    std::fs::write(bench.bin().join("go"), "").unwrap();
    events.extend(collect(&mut run).await);
    assert_eq!(check(&events).status, Status::Completed);
    assert!(!cwd.exists(), "gone with the run");
    assert!(!format!("{events:?}").contains("canary"), "{:?}", shape(&events));
}
