//! What a run tells, from `Init` to `Done`, whatever its agent prints. Numbers such as `s02` are cases of the field log.

use std::time::Duration;

use agent_launcher::{Code, Error, EventKind, Mode, NoticeLevel, Status};
use futures_util::StreamExt;

use crate::support::{Bench, check, collect, kinds, processes, shape, text, until, within};

/// A line with a piece of the answer.
fn delta(text: &str) -> String {
    let data = serde_json::json!({ "messageId": "m", "deltaContent": text });
    let line = serde_json::json!({ "type": "assistant.message_delta", "data": data, "ephemeral": true });
    line.to_string()
}

/// The last line of a run that went well.
fn result() -> &'static str {
    r#"{"type":"result","sessionId":"{{session_id}}","exitCode":0}"#
}

/// A file beside the fakes.
fn file(bench: &Bench, name: &str, bytes: impl AsRef<[u8]>) {
    std::fs::write(bench.bin().join(name), bytes).unwrap();
}

/// Runs the scenario to its end.
async fn run(scenario: &str) -> Vec<agent_launcher::Event> {
    let bench = Bench::copilot(scenario);
    events(&bench).await
}

async fn events(bench: &Bench) -> Vec<agent_launcher::Event> {
    let mut run = bench.start(&bench.launcher(), &bench.request("hello")).await;
    collect(&mut run).await
}

#[tokio::test]
async fn a_healthy_run_is_told_from_init_to_done() {
    let bench = Bench::copilot("");
    let request = bench.request("hello").session_id("0f8fad5b-d9cb-469f-a165-70867728950e").stream_id("panel-3");
    let mut run = bench.start(&bench.launcher(), &request).await;
    assert_eq!(run.stream_id(), "panel-3");
    let events = collect(&mut run).await;
    let outcome = check(&events);
    assert_eq!(text(&events), "Hello from the fake");
    assert_eq!((outcome.status, outcome.exit_code, outcome.signal), (Status::Completed, Some(0), None));
    assert_eq!(outcome.session_id.as_deref(), Some("0f8fad5b-d9cb-469f-a165-70867728950e"));
    let expected = EventKind::Init {
        agent: agent_launcher::AgentId::COPILOT,
        session_id: outcome.session_id.clone(),
        agent_version: Some("1.0.102".into()),
        model: None,
        mode: Mode::Safe,
        tools: Some(["view", "create", "edit", "glob", "grep"].map(str::to_owned).into()),
    };
    assert_eq!(events[0].kind, expected);
    assert!(within("the end after the end", run.next()).await.is_none());
    assert!(within("the end after the end", run.next()).await.is_none());
}

#[tokio::test]
async fn a_run_is_a_stream_and_next_may_be_dropped_at_any_time() {
    let bench = Bench::copilot("");
    let mut run = bench.start(&bench.launcher(), &bench.request("hello")).await;
    let mut events = Vec::new();
    // Polled once and dropped, again and again: nothing may be lost and no number skipped.
    while !matches!(events.last(), Some(agent_launcher::Event { kind: EventKind::Done { .. }, .. })) {
        tokio::select! {
            biased;
            event = run.next() => events.extend(event),
            () = tokio::task::yield_now() => {}
        }
    }
    check(&events);
    assert_eq!(text(&events), "Hello from the fake");
    assert!(StreamExt::next(&mut run).await.is_none());
}

#[tokio::test]
async fn init_comes_before_the_agent_has_said_anything() {
    let bench = Bench::copilot("wait-file go\nanswer");
    let mut run = bench.start(&bench.launcher(), &bench.request("hello")).await;
    let first = within("Init", run.next()).await.unwrap();
    assert!(matches!(first.kind, EventKind::Init { session_id: Some(_), .. }));
    file(&bench, "go", "");
    let mut events = vec![first];
    events.extend(collect(&mut run).await);
    check(&events);
}

#[tokio::test]
async fn s01_characters_cut_by_reads_arrive_whole() {
    let answer = "한글 中文 😀 e\u{301}\u{2028}x";
    for newline in ["\n", ""] {
        let bench = Bench::copilot("recorded-chunks out.jsonl 1 0");
        file(&bench, "out.jsonl", format!("{}\n{}{newline}", delta(answer), result().replace("{{session_id}}", "s")));
        let events = events(&bench).await;
        assert_eq!(text(&events), answer);
        assert_eq!(check(&events).status, Status::Completed);
    }
}

#[tokio::test]
async fn s01_characters_of_stderr_arrive_whole() {
    let outcome = run("err 한글 中文 😀\nexit 3").await;
    assert_eq!(check(&outcome).stderr_tail, "한글 中文 😀\n");
}

#[tokio::test]
async fn s02_lines_up_to_the_cap_are_decoded() {
    for length in [132 * 1024, 1024 * 1024, 8 * 1024 * 1024 - 200] {
        let bench = Bench::copilot("recorded out.jsonl\nanswer");
        let answer = "x".repeat(length);
        file(&bench, "out.jsonl", format!("{}\n", delta(&answer)));
        let events = events(&bench).await;
        assert!(text(&events).starts_with(&answer), "a line of {length} bytes");
        assert_eq!(check(&events).status, Status::Completed);
    }
}

#[tokio::test]
async fn a_line_over_the_cap_is_skipped_with_a_notice_and_later_events_arrive() {
    let bench = Bench::copilot("endless-line 5000000\nout\nanswer");
    let launcher = bench.builder().max_line(1024 * 1024).build();
    let mut run = bench.start(&launcher, &bench.request("hello")).await;
    let events = collect(&mut run).await;
    assert_eq!(check(&events).status, Status::Completed);
    assert_eq!(text(&events), "Hello from the fake");
    let notices: Vec<_> = events.iter().filter(|event| matches!(event.kind, EventKind::Notice { .. })).collect();
    assert_eq!(notices.len(), 1, "{events:#?}");
    let EventKind::Notice { level: NoticeLevel::Warning, message } = &notices[0].kind else { panic!("{notices:?}") };
    assert_eq!(message, "A line of GitHub Copilot CLI is longer than 1048576 bytes and was skipped.");
}

#[tokio::test]
async fn the_cap_is_8_mib_unless_told_otherwise() {
    let events = run("endless-line 8388609\nout\nendless-line 100\nout\nanswer").await;
    assert_eq!(check(&events).status, Status::Completed);
    let skipped = events
        .iter()
        .filter(|event| matches!(&event.kind, EventKind::Notice { message, .. } if message.contains("8388608 bytes")));
    assert_eq!(skipped.count(), 1);
    let kept =
        |event: &&agent_launcher::Event| matches!(&event.kind, EventKind::Unrecognized { line } if line.len() == 100);
    assert_eq!(events.iter().filter(kept).count(), 1);
}

#[tokio::test]
async fn s04_a_long_session_of_short_lines_does_not_meet_the_cap() {
    let bench = Bench::copilot("recorded out.jsonl\nanswer");
    let line = delta(&"x".repeat(1000));
    file(&bench, "out.jsonl", format!("{line}\n").repeat(11_000));
    let launcher = bench.builder().max_line(10 * 1024).build();
    let mut run = bench.start(&launcher, &bench.request("hello")).await;
    let events = collect(&mut run).await;
    assert_eq!(check(&events).status, Status::Completed);
    assert_eq!(text(&events).len(), 11_000_000 + "\n\nHello from the fake".len());
}

#[tokio::test]
async fn s05_output_without_a_newline_is_told_at_once_and_can_be_stopped() {
    let bench = Bench::copilot("endless-line");
    let launcher = bench.builder().max_line(64 * 1024).build();
    let mut run = bench.start(&launcher, &bench.request("hello").stream_id("s05")).await;
    let mut events = until(&mut run, |kind| matches!(kind, EventKind::Notice { .. })).await;
    assert!(launcher.cancel("s05"));
    events.extend(collect(&mut run).await);
    assert_eq!(check(&events).status, Status::Cancelled);
    assert_eq!(shape(&events), ["Init", "Notice", "Done"]);
}

#[tokio::test]
async fn s06_what_no_decoder_knows_is_kept_and_loses_nothing_else() {
    let strange = [
        r#"{"type":"rate_limit_event","data":{"status":"allowed"}}"#,
        r#"{"type":"assistant.message_delta","data":{"messageId":"m","deltaContent":42}}"#,
        r#"{"type":"assistant.message_delta"}"#,
        r#"{"data":{}}"#,
        "[]",
        "null",
    ];
    let scenario: Vec<String> = strange.iter().map(|line| format!("json {line}")).collect();
    let events = run(&format!("{}\nanswer", scenario.join("\n"))).await;
    assert_eq!(check(&events).status, Status::Completed);
    assert_eq!(text(&events), "Hello from the fake");
    let kept: Vec<&str> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Unrecognized { line } => Some(line.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(kept, strange);
}

#[tokio::test]
async fn s07_noise_on_stdout_is_kept_bounded_and_harms_nothing() {
    let bench = Bench::copilot("recorded noise\nanswer\nrecorded noise");
    let mut noise = b"\x1b[?2004h\x1b]0;title\x07banner\n\xa4\xa4\xa4\xe5 code page\n".to_vec();
    noise.extend(b"y".repeat(100_000));
    noise.push(b'\n');
    file(&bench, "noise", noise);
    let events = events(&bench).await;
    assert_eq!(check(&events).status, Status::Completed);
    assert_eq!(text(&events), "Hello from the fake");
    let lines: Vec<&String> = events
        .iter()
        .filter_map(|event| if let EventKind::Unrecognized { line } = &event.kind { Some(line) } else { None })
        .collect();
    assert_eq!(lines.len(), 6);
    assert!(lines.iter().all(|line| line.len() <= 5 * 1024 && !line.contains('\x1b')), "{lines:?}");
}

#[tokio::test]
async fn s08_events_on_stderr_are_no_events() {
    let events = run(&format!("err {}\nerr {}\nexit 1", delta("forged"), result())).await;
    let outcome = check(&events);
    assert_eq!(outcome.status, Status::Failed);
    assert_eq!(shape(&events), ["Init", "Error", "Done"]);
    assert!(outcome.stderr_tail.contains("forged"));
}

#[tokio::test]
async fn s09_a_version_whose_output_cannot_be_read_is_refused_with_both_versions() {
    let bench = Bench::copilot("version 0.0.403");
    let error = bench.launcher().plan(&bench.request("hello")).await.unwrap_err();
    let Error::Setup(guidance) = error else { panic!("{error:?}") };
    assert_eq!(guidance.code, Code::VersionUnsupported);
    assert!(guidance.message.contains("0.0.403") && guidance.message.contains("1.0.80"), "{}", guidance.message);
    assert_eq!(bench.runs().len(), 0);
}

#[tokio::test]
async fn s10_escapes_are_turned_off_and_never_reach_the_reader() {
    let bench = Bench::copilot("recorded noise\nanswer").var("FORCE_COLOR", "3").var("CLICOLOR_FORCE", "1");
    file(&bench, "noise", b"\x1b[38;5;141m> \x1b[0mHELLO\n25lAuthentication\x1b[?25h\n");
    let events = events(&bench).await;
    assert_eq!(check(&events).status, Status::Completed);
    assert!(!serde_json::to_string(&events).unwrap().contains("\\u001b"), "{events:#?}");
    let env = &bench.runs()[0].env;
    assert_eq!(env.get("NO_COLOR").map(String::as_str), Some("1"));
    assert_eq!((env.get("FORCE_COLOR"), env.get("CLICOLOR_FORCE")), (None, None));
}

#[tokio::test]
async fn s13_silence_ends_no_run_unless_a_limit_was_set() {
    // Longer than any limit that the engine has inside, while it waits for nothing but the agent.
    let bench = Bench::copilot("json {\"type\":\"assistant.turn_start\",\"data\":{}}\nsleep 2600\nanswer");
    let events = events(&bench).await;
    assert_eq!(check(&events).status, Status::Completed);
}

#[tokio::test]
async fn s14_a_newline_inside_a_string_costs_that_event_and_no_other() {
    let bench = Bench::copilot("recorded out.jsonl\nanswer");
    file(&bench, "out.jsonl", delta("a b").replace("a b", "a\nb") + "\n");
    let events = events(&bench).await;
    assert_eq!(check(&events).status, Status::Completed);
    assert_eq!(text(&events), "Hello from the fake");
}

#[tokio::test]
async fn s17_both_pipes_are_read_to_the_end_after_the_last_word() {
    let bench = Bench::copilot("answer\nflood-err 300000\nflood-out 300000\ntouch done");
    let events = events(&bench).await;
    assert_eq!(check(&events).status, Status::Completed);
    assert!(bench.bin().join("done").exists(), "the agent died of a closed pipe");
}

#[tokio::test]
async fn s18_usage_says_what_was_told_and_nothing_else() {
    let usage = r#""usage":{"premiumRequests":2,"totalApiDurationMs":5,"sessionDurationMs":9}"#;
    let events = run(&format!(
        "json {}\njson {}",
        delta("hi"),
        result().replace(r#""exitCode""#, &format!("{usage},\"exitCode\""))
    ))
    .await;
    let outcome = check(&events);
    assert_eq!(outcome.status, Status::Completed);
    let usage = outcome.usage.as_ref().unwrap();
    assert_eq!((usage.premium_requests, usage.api_ms, usage.session_ms), (Some(2.0), Some(5), Some(9)));
    assert_eq!((usage.input_tokens, usage.output_tokens, usage.cost_usd), (None, None, None));
}

#[tokio::test]
async fn s19_a_flood_on_stderr_does_not_block_the_answer() {
    let events = run("flood-err 5000000\nerr the last line\nanswer").await;
    let outcome = check(&events);
    assert_eq!(outcome.status, Status::Completed);
    assert_eq!(text(&events), "Hello from the fake");
    assert!(outcome.stderr_tail.ends_with("the last line\n"));
    assert!(outcome.stderr_tail.len() <= 4096);
}

#[tokio::test]
async fn an_answer_cut_before_its_final_event_is_a_failure() {
    for (end, exit_code) in [("exit 0", 0), ("exit 1", 1)] {
        let events = run(&format!("json {}\n{end}", delta("half an ans"))).await;
        let outcome = check(&events);
        assert_eq!((outcome.status, outcome.exit_code), (Status::Failed, Some(exit_code)));
        assert_eq!(shape(&events), ["Init", "TextDelta", "Error", "Done"]);
    }
}

#[tokio::test]
async fn exit_0_without_a_word_is_a_failure() {
    let events = run("exit 0").await;
    assert_eq!(check(&events).status, Status::Failed);
    let EventKind::Error { guidance, message } = kinds(&events)[1] else { panic!("{events:#?}") };
    assert_eq!(guidance.code, Code::NoAnswer);
    assert_eq!(*message, guidance.message);
}

#[tokio::test]
async fn after_the_final_event_the_exit_status_decides_nothing() {
    let events = run("answer\nexit 7").await;
    let outcome = check(&events);
    assert_eq!((outcome.status, outcome.exit_code), (Status::Completed, Some(7)));
}

#[tokio::test]
async fn a_final_event_without_exit_is_waited_for_shortly_and_decides() {
    let events = run("answer\nstall").await;
    let outcome = check(&events);
    assert_eq!(outcome.status, Status::Completed);
    assert!(outcome.elapsed_ms >= 2000, "stopped after {} ms", outcome.elapsed_ms);
}

#[tokio::test]
async fn an_agent_that_says_it_was_interrupted_failed_unless_we_did_it() {
    let bench = Bench::copilot("graceful\nout ready\nstall");
    let mut run = bench.start(&bench.launcher(), &bench.request("hello")).await;
    let mut events = until(&mut run, |kind| matches!(kind, EventKind::Unrecognized { .. })).await;
    let pid = i32::try_from(bench.runs()[0].pid).unwrap();
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGTERM).unwrap();
    events.extend(collect(&mut run).await);
    let outcome = check(&events);
    assert_eq!((outcome.status, outcome.exit_code), (Status::Failed, Some(0)));
}

#[tokio::test]
async fn a_fatal_error_without_exit_ends_the_run() {
    let error = r#"{"type":"session.error","data":{"errorType":"rate_limit","message":"You've hit your rate limit. Please wait for your limit to reset in 2 hours.","statusCode":429,"eligibleForAutoSwitch":true}}"#;
    let events = run(&format!("json {error}\nstall")).await;
    let outcome = check(&events);
    assert_eq!(outcome.status, Status::Failed);
    let EventKind::Error { guidance, .. } = &events[events.len() - 2].kind else { panic!("{events:#?}") };
    assert_eq!(guidance.code, Code::RateLimited);
}

#[tokio::test]
async fn a_slow_reader_loses_nothing_of_an_agent_that_has_exited() {
    // A third of what may wait for the reader, even where each line is read by itself.
    let bench = Bench::copilot("recorded out.jsonl\nanswer");
    let lines: String = (0..3000).map(|number| delta(&format!("{number};")) + "\n").collect();
    file(&bench, "out.jsonl", lines);
    let mut run = bench.start(&bench.launcher(), &bench.request("hello")).await;
    let first = within("Init", run.next()).await.unwrap();
    let pids = || bench.pids();
    within("the agent's exit", async {
        while pids().is_empty() || !processes::alive(&pids()).is_empty() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    })
    .await;
    let mut events = vec![first];
    events.extend(collect(&mut run).await);
    assert_eq!(check(&events).status, Status::Completed);
    let expected: String = (0..3000).map(|number| format!("{number};")).collect();
    assert!(text(&events) == expected + "\n\nHello from the fake", "something is missing");
}

#[tokio::test]
async fn a_reader_that_stalls_holds_the_agent_back_and_nothing_is_dropped() {
    let bench = Bench::copilot("flood-out 4000000\ntouch done\nanswer");
    let mut run = bench.start(&bench.launcher(), &bench.request("hello")).await;
    within("the first output", run.next()).await;
    // The pipe and the buffer hold about a megabyte; the rest waits in the agent.
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!bench.bin().join("done").exists(), "the agent was not held back");
    let events = collect(&mut run).await;
    let lines = events.iter().filter(|event| matches!(event.kind, EventKind::Unrecognized { .. })).count();
    assert_eq!(lines, 4_000_000_usize.div_ceil(1024));
    assert!(matches!(&events.last().unwrap().kind, EventKind::Done { outcome } if outcome.status == Status::Completed));
}

#[tokio::test]
async fn secrets_of_the_run_are_masked_wherever_the_agent_repeats_them() {
    let secret = "correct-horse-battery-staple";
    let bench = Bench::copilot(&format!("out noise {secret}\nerr sign-in with {secret} failed\nexit 1"));
    let request = bench.request("hello").secret_env("APP_TOKEN", secret);
    let launcher = bench.launcher();
    let plan = launcher.plan(&request).await.unwrap();
    assert!(!format!("{plan:?}{plan}{}", serde_json::to_string(&plan).unwrap()).contains(secret));
    let mut run = launcher.start(plan).unwrap();
    let events = collect(&mut run).await;
    assert!(!format!("{events:?}{run:?}{launcher:?}").contains(secret));
    assert!(check(&events).stderr_tail.contains("sign-in with"));
    assert_eq!(bench.runs()[0].env.get("APP_TOKEN").map(String::as_str), Some(secret));
}

#[tokio::test]
async fn a_sign_of_trouble_on_stderr_is_told_once_and_long_before_the_end() {
    let sign = "err Could not connect to local model provider at http://127.0.0.1:1/v1";
    let bench = Bench::copilot(&format!("{sign}\n{sign}\nwait-file go\nanswer"));
    let mut run = bench.start(&bench.launcher(), &bench.request("hello")).await;
    let mut events = until(&mut run, |kind| matches!(kind, EventKind::Notice { .. })).await;
    file(&bench, "go", "");
    events.extend(collect(&mut run).await);
    assert_eq!(check(&events).status, Status::Completed);
    assert_eq!(events.iter().filter(|event| matches!(event.kind, EventKind::Notice { .. })).count(), 1, "{events:#?}");
}

#[tokio::test]
async fn an_agent_that_does_what_safe_mode_forbids_is_stopped_at_once() {
    let start =
        r#"{"type":"tool.execution_start","data":{"toolCallId":"t","toolName":"bash","arguments":{"command":"id"}}}"#;
    let done =
        r#"{"type":"tool.execution_complete","data":{"toolCallId":"t","success":true,"result":{"content":"root"}}}"#;
    let bench = Bench::copilot(&format!("ignore TERM\nfork ignore-term\njson {start}\njson {done}\nstall"));
    let mut run = bench.start(&bench.launcher(), &bench.request("hello")).await;
    let events = collect(&mut run).await;
    assert_eq!(check(&events).status, Status::Failed);
    let EventKind::Error { guidance, .. } = &events[events.len() - 2].kind else { panic!("{events:#?}") };
    assert_eq!(guidance.code, Code::PermissionBypassed);
    assert_eq!(processes::alive(&bench.pids()), [0; 0]);
}
