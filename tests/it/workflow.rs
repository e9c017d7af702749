//! Workflows of Copilot, against a fake that plays each end the real one has.

use std::path::PathBuf;

use agent_launcher::{
    AgentId, Code, Error, Event, EventKind, ExportedPlugin, Gate, Mode, Outcome, Status, WorkflowRequest,
};
use serde_json::{Value, json};

use crate::support::{Bench, check, collect};

/// A bench whose Copilot ends workflows as `script` says.
fn bench(version: &str, script: &Value) -> Bench {
    let bench = Bench::copilot(&format!("version {version}"));
    std::fs::write(bench.bin().join("workflow.json"), script.to_string()).unwrap();
    bench
}

fn request(bench: &Bench) -> WorkflowRequest {
    WorkflowRequest::new(AgentId::COPILOT, bench.vault(), "adr-review").args(json!({"files": ["a"]}))
}

async fn events(bench: &Bench, request: &WorkflowRequest) -> Vec<Event> {
    let launcher = bench.launcher();
    let plan = launcher.plan_workflow(request).await.expect("a plan");
    let mut run = launcher.start(plan).expect("a started run");
    let events = collect(&mut run).await;
    check(&events);
    events
}

fn outcome(events: &[Event]) -> &Outcome {
    check(events)
}

fn code(events: &[Event]) -> Option<Code> {
    events.iter().find_map(|event| match &event.kind {
        EventKind::Error { guidance, .. } => Some(guidance.code),
        _ => None,
    })
}

/// Each row of the measured table: the script, what becomes of the run, and the verdict.
fn rows() -> Vec<(&'static str, Value, Status, Option<&'static str>, Gate)> {
    let completed = |result: Value| json!({"case": "completed", "result": result});
    vec![
        ("ok", completed(json!({"status": "ok"})), Status::Completed, Some("completed"), Gate::Ok),
        ("findings", completed(json!({"status": "findings"})), Status::Completed, Some("completed"), Gate::Findings),
        (
            "incomplete",
            completed(json!({"status": "incomplete"})),
            Status::Completed,
            Some("completed"),
            Gate::Incomplete,
        ),
        (
            "usage-error",
            completed(json!({"status": "usage-error"})),
            Status::Completed,
            Some("completed"),
            Gate::UsageError,
        ),
        ("an unknown status", completed(json!({"status": "fine"})), Status::Completed, Some("completed"), Gate::Failed),
        ("no status", completed(json!({"a": 1})), Status::Completed, Some("completed"), Gate::Failed),
        ("not an object", completed(json!("ok")), Status::Completed, Some("completed"), Gate::Failed),
        ("no result", json!({"case": "completed"}), Status::Completed, Some("completed"), Gate::Failed),
        ("a thrown error", json!({"case": "error"}), Status::Failed, Some("error"), Gate::Failed),
        ("a limit", json!({"case": "limit"}), Status::Failed, Some("error"), Gate::Failed),
        ("cancelled", json!({"case": "cancelled"}), Status::Failed, Some("cancelled"), Gate::Failed),
        ("halted", json!({"case": "halted"}), Status::Failed, Some("halted"), Gate::Failed),
        ("paused", json!({"case": "paused"}), Status::Failed, Some("paused"), Gate::Failed),
        ("a schema mismatch", json!({"case": "invalid_args"}), Status::Failed, None, Gate::Failed),
        ("an unknown name", json!({"case": "not_found"}), Status::Failed, None, Gate::Failed),
        ("an ineligible session", json!({"case": "not_available"}), Status::Failed, None, Gate::Failed),
        ("an interrupted start", json!({"case": "interrupted"}), Status::Failed, None, Gate::Failed),
        ("silence and exit 0", json!({"case": "silent_exit"}), Status::Failed, None, Gate::Failed),
    ]
}

/// The exit code has no say: 1.0.92 exits 0 for all that passes the gate, and the verdict is the same.
#[tokio::test]
async fn checklist_56_the_verdict_is_the_content_in_every_case_and_on_the_version_that_always_exits_0() {
    for version in ["1.0.102", "1.0.92"] {
        for (name, script, status, run_status, gate) in rows() {
            let bench = bench(version, &script);
            let events = events(&bench, &request(&bench)).await;
            let outcome = outcome(&events);
            let workflow = outcome.workflow.as_ref().expect("a verdict");
            assert_eq!((workflow.gate, workflow.run_status.as_deref()), (gate, run_status), "{version}: {name}");
            assert_eq!(outcome.status, status, "{version}: {name}: {outcome:?}");
            assert_eq!(code(&events).is_some(), status == Status::Failed, "{version}: {name}");
            if version == "1.0.92" && run_status.is_some() {
                assert_eq!(outcome.exit_code, Some(0), "{name}: else this row proves nothing");
            }
        }
    }
}

#[tokio::test]
async fn the_result_travels_whole_through_the_private_file() {
    let long = "x".repeat(3 << 20);
    let result = json!({"status": "findings", "verdicts": [{"recordId": "1"}], "long": long});
    let bench = bench("1.0.102", &json!({"case": "completed", "result": result}));
    let events = events(&bench, &request(&bench)).await;
    let workflow = outcome(&events).workflow.clone().expect("a verdict");
    assert_eq!((workflow.result.as_ref(), workflow.result_status.as_deref()), (Some(&result), Some("findings")));
    let call = bench.runs().pop().expect("a call");
    for (flag, prefix) in [("--result-file=", "--result-file="), ("--args=@", "--args=@")] {
        let arg = call.args().into_iter().find(|arg| arg.starts_with(flag)).expect("the flag").to_owned();
        assert!(!PathBuf::from(&arg[prefix.len()..]).exists(), "{arg} is left behind");
    }
}

#[tokio::test]
async fn what_cannot_run_becomes_guidance() {
    for version in ["1.0.102", "1.0.92"] {
        for (case, expected) in [
            ("not_available", Code::SubscriptionRequired),
            ("not_found", Code::ArgumentsRejected),
            ("invalid_args", Code::ArgumentsRejected),
        ] {
            let bench = bench(version, &json!({"case": case}));
            let events = events(&bench, &request(&bench)).await;
            assert_eq!(code(&events), Some(expected), "{version}: {case}");
        }
    }
}

#[tokio::test]
async fn the_command_has_the_session_flags_first_and_grants_the_plugin_alone() {
    let bench = bench("1.0.102", &json!({"case": "completed", "result": {"status": "ok"}}));
    let exported = ExportedPlugin::adrkit().unwrap();
    let request = request(&bench).plugin(exported.plugin());
    assert_eq!(
        outcome(&events(&bench, &request).await).workflow.as_ref().map(|workflow| workflow.gate),
        Some(Gate::Ok)
    );
    let call = bench.runs().pop().expect("a call");
    let args: Vec<String> = call.args().into_iter().map(str::to_owned).collect();
    let at = args.iter().position(|arg| arg == "workflow").expect("the subcommand");
    assert_eq!(args[at..at + 4], ["workflow", "run", "adr-review", "--output-format=json"]);
    assert!(args[at + 4].starts_with("--args=@") && args[at + 5].starts_with("--result-file=") && args.len() == at + 6);
    let session = &args[..at];
    for expected in [
        "--available-tools=view,glob,grep,adr_check,adr_explain,adr_lint",
        "--allow-tool=extension-permission-access(plugin:adrkit:adrkit)",
        "--deny-tool=shell,write",
    ] {
        assert!(session.iter().any(|arg| arg == expected), "{expected}: {session:?}");
    }
    assert!(!session.iter().any(|arg| arg == "-s" || arg == "-p" || arg.starts_with("--mode")), "{session:?}");
    assert_eq!(call.env.get("COPILOT_CLI_ENABLED_FEATURE_FLAGS").map(String::as_str), Some("EXTENSIONS"));
    assert_eq!(call.stdin, None);
}

#[tokio::test]
async fn progress_is_told_and_what_sub_agents_say_is_not_taken_for_the_answer() {
    let told = json!([
        {"type": "workflow.run_started", "data": {"runId": "r", "attempt": 1, "workflowName": "adr-review"}},
        {"type": "tool.execution_start", "data": {"toolCallId": "t", "toolName": "view", "arguments": {"path": "a"}}},
        {"type": "tool.execution_complete", "data": {"toolCallId": "t", "success": true, "result": {"content": "x"}}},
        {"type": "assistant.message", "data": {"messageId": "m", "content": "consistent"}},
    ]);
    let bench = bench("1.0.102", &json!({"case": "completed", "result": {"status": "ok"}, "events": told}));
    let events = events(&bench, &request(&bench)).await;
    let kinds: Vec<&str> = events
        .iter()
        .map(|event| match &event.kind {
            EventKind::Notice { message, .. } if message.contains("adr-review") => "started",
            EventKind::ToolStart { .. } => "tool",
            EventKind::ToolDone { ok: true, .. } => "done",
            EventKind::TextDelta { .. } => "text",
            EventKind::Init { .. } => "init",
            EventKind::Done { .. } => "end",
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(kinds, ["init", "started", "tool", "done", "end"]);
}

#[tokio::test]
async fn a_cancelled_workflow_is_cancelled_and_not_ok() {
    let bench = bench("1.0.102", &json!({"case": "hang"}));
    let launcher = bench.launcher();
    let plan = launcher.plan_workflow(&request(&bench).stream_id("w")).await.unwrap();
    let mut run = launcher.start(plan).unwrap();
    let first = run.next().await.expect("an event");
    assert!(matches!(first.kind, EventKind::Init { .. }));
    assert!(launcher.cancel("w"));
    let mut events = vec![first];
    events.extend(collect(&mut run).await);
    let outcome = outcome(&events);
    assert_eq!(outcome.status, Status::Cancelled);
    assert_eq!(outcome.workflow.as_ref().map(|workflow| workflow.gate), Some(Gate::Failed));
}

#[tokio::test]
async fn what_cannot_be_honoured_is_refused_before_anything_starts() {
    let old = bench("1.0.91", &json!({}));
    let error = old.launcher().plan_workflow(&request(&old)).await.unwrap_err();
    assert!(matches!(&error, Error::Setup(guidance) if guidance.code == Code::VersionUnsupported), "{error}");

    let bench = bench("1.0.102", &json!({}));
    for name in ["", "-p", "--yolo", "a\nb"] {
        let request = WorkflowRequest::new(AgentId::COPILOT, bench.vault(), name);
        let error = bench.launcher().plan_workflow(&request).await.unwrap_err();
        assert!(matches!(error, Error::InvalidField { field: "workflow", .. }), "{name}: {error}");
    }
    let request = request(&bench).plugin_dir("/does/not/exist");
    let error = bench.launcher().plan_workflow(&request).await.unwrap_err();
    assert!(matches!(error, Error::InvalidPlugin { .. }), "{error}");
    assert!(bench.runs().is_empty());
}

#[tokio::test]
async fn power_user_opens_the_tools_and_no_more() {
    let bench = bench("1.0.102", &json!({"case": "completed", "result": {"status": "ok"}}));
    events(&bench, &request(&bench).mode(Mode::PowerUser)).await;
    let call = bench.runs().pop().expect("a call");
    assert!(call.args().contains(&"--allow-all-tools"));
    assert!(
        !call
            .args()
            .iter()
            .any(|arg| arg.starts_with("--available-tools") || *arg == "--yolo" || *arg == "--allow-all")
    );
}

/// The exit codes of the command, with the verdict in the last event.
#[test]
fn the_command_exits_0_for_ok_alone() {
    let codes =
        [("ok", 0), ("findings", 1), ("incomplete", 1), ("usage-error", 2), ("no result", 1), ("a thrown error", 1)];
    for (name, script, _, run_status, gate) in rows() {
        let expected = match name {
            "an ineligible session" => 3,
            _ => codes.iter().find(|(known, _)| *known == name).map_or(1, |(_, code)| *code),
        };
        let bench = bench("1.0.102", &script);
        let vault = bench.vault().display().to_string();
        let program = bench.bin().join("copilot").display().to_string();
        let args = [
            "workflow",
            "run",
            "adr-review",
            "--vault",
            &vault,
            "--program",
            &program,
            "--args",
            "{\"files\":[\"a\"]}",
            "--json",
        ];
        let ended = bench.run(&args);
        assert_eq!(ended.code, Some(expected), "{name}: {ended:?}");
        let workflow = &ended.outcome()["workflow"];
        assert_eq!(workflow["gate"], serde_json::to_value(gate).unwrap(), "{name}");
        assert_eq!(workflow.get("run_status").and_then(Value::as_str), run_status, "{name}");
    }
}

#[test]
fn people_get_the_result_on_stdout_and_the_verdict_on_stderr() {
    let bench = bench("1.0.102", &json!({"case": "completed", "result": {"status": "findings", "n": 1}}));
    let vault = bench.vault().display().to_string();
    let program = bench.bin().join("copilot").display().to_string();
    let ended = bench.run(&["workflow", "run", "adr-review", "--vault", &vault, "--program", &program]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!(ended.json(), json!({"status": "findings", "n": 1}));
    assert!(ended.stderr.contains("verdict: findings"), "{ended:?}");
}

/// Two rows of the measured table that the CLI would answer with exit code 2: they are refused before it is started.
#[test]
fn bad_json_and_a_missing_file_as_arguments_are_refused_before_the_cli_is_started() {
    let bench = bench("1.0.102", &json!({}));
    let vault = bench.vault().display().to_string();
    for (args, row) in [("{bad", "bad JSON"), ("@/nope.json", "a missing `@file`"), ("[1", "bad JSON, cut")] {
        let ended = bench.run(&["workflow", "run", "x", "--vault", &vault, "--args", args]);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{row}: {ended:?}");
        let reason = if args.starts_with('@') { "`/nope.json`" } else { "is not JSON" };
        assert!(ended.stderr.contains("--args") && ended.stderr.contains(reason), "{row}: {ended:?}");
    }
    assert!(bench.calls().is_empty());
}

/// A workflow may start others. What one of them tells of itself is not the answer to what was asked.
#[tokio::test]
async fn the_end_of_another_workflow_is_not_taken_for_the_end_of_the_one_that_was_asked_for() {
    let told = |name: &str| {
        let run = json!({"runId": "run-0", "attempt": 1, "status": "completed", "result": {"status": "ok"}});
        json!({"type": "workflow.result", "data": {"name": name, "run": run}})
    };
    let bench = bench("1.0.102", &json!({"case": "silent_exit", "events": [told("another")]}));
    let events_of_another = events(&bench, &request(&bench)).await;
    let workflow = outcome(&events_of_another).workflow.clone().expect("a verdict");
    assert_eq!((workflow.gate, workflow.run_status), (Gate::Failed, None));
    let bench =
        self::bench("1.0.102", &json!({"case": "silent_exit", "events": [told("adr-review"), told("another")]}));
    let events_of_both = events(&bench, &request(&bench)).await;
    let workflow = outcome(&events_of_both).workflow.clone().expect("a verdict");
    assert_eq!((workflow.gate, workflow.run_status.as_deref()), (Gate::Ok, Some("completed")));
}

#[test]
fn wrong_usage_of_the_command_exits_2_and_starts_nothing() {
    let bench = bench("1.0.102", &json!({}));
    let vault = bench.vault().display().to_string();
    for args in [&["--args", "{bad"][..], &["--args", "@/nope.json"], &["--plugin-dir", "relative"], &["--env", "=x"]] {
        let ended = bench.run(&[&["workflow", "run", "x", "--vault", &vault][..], args].concat());
        assert_eq!(ended.code, Some(2), "{args:?}: {ended:?}");
    }
    assert!(bench.runs().is_empty());
}
