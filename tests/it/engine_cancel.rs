//! A stop that stops: by id, by drop, by limits, at the app's end. Numbers such as `c03` are cases of the field log.

use std::time::{Duration, Instant};

use agent_launcher::{Code, Error, EventKind, Launcher, Status};

use crate::support::{Bench, check, collect, processes, shape, text, until, within};

const READY: &str = "out ready";

fn is_ready(kind: &EventKind) -> bool {
    matches!(kind, EventKind::Unrecognized { line } if line == "ready")
}

/// A launcher with a grace that tests can wait for.
fn launcher(bench: &Bench) -> Launcher {
    bench.builder().grace(Duration::from_millis(300)).build()
}

/// Starts the scenario as run `panel` and reads until it is ready.
async fn ready(bench: &Bench, launcher: &Launcher) -> (agent_launcher::Run, Vec<agent_launcher::Event>) {
    let mut run = bench.start(launcher, &bench.request("hello").stream_id("panel")).await;
    let events = until(&mut run, is_ready).await;
    (run, events)
}

/// Cancels the scenario once it is ready; returns all events and the pids of the tree.
async fn cancelled(scenario: &str) -> (Vec<agent_launcher::Event>, Vec<u32>) {
    let bench = Bench::copilot(scenario);
    let launcher = launcher(&bench);
    let (mut run, mut events) = ready(&bench, &launcher).await;
    assert!(launcher.cancel("panel"));
    events.extend(collect(&mut run).await);
    assert_eq!(check(&events).status, Status::Cancelled);
    assert!(!events.iter().any(|event| matches!(event.kind, EventKind::Error { .. })));
    let pids = bench.pids();
    assert_eq!(processes::alive(&pids), [0; 0], "alive after Done");
    assert!(!launcher.cancel("panel"), "it is out of the table");
    (events, pids)
}

#[tokio::test]
async fn c01_servers_of_many_short_runs_do_not_pile_up() {
    let bench = Bench::copilot("fork ignore-term\nfork setsid ignore-term\nanswer");
    let launcher = launcher(&bench);
    for _ in 0..20 {
        let mut run = bench.start(&launcher, &bench.request("hello")).await;
        assert_eq!(check(&collect(&mut run).await).status, Status::Completed);
        assert_eq!(bench.processes(), []);
    }
    assert_eq!(bench.pids().len(), 60, "the agent and its two children, twenty times");
}

#[tokio::test]
async fn c02_what_an_agent_leaves_behind_at_its_exit_is_ended() {
    for child in
        ["fork", "fork ignore-term", "fork setsid ignore-term", "fork double setsid ignore-term", "fork hold-stdout"]
    {
        let bench = Bench::copilot(&format!("{child}\nanswer"));
        let mut run = bench.start(&launcher(&bench), &bench.request("hello")).await;
        let events = collect(&mut run).await;
        assert_eq!(check(&events).status, Status::Completed, "{child}");
        assert_eq!(processes::alive(&bench.pids()), [0; 0], "{child}");
    }
}

#[tokio::test]
async fn c03_grandchildren_that_ignore_sigterm_are_killed_after_the_grace() {
    let begin = Instant::now();
    let (_, pids) =
        cancelled(&format!("ignore TERM\nignore INT\nfork ignore-term\nfork setsid ignore-term\n{READY}\nstall")).await;
    assert_eq!(pids.len(), 3);
    assert!(begin.elapsed() >= Duration::from_millis(300), "they had their grace");
}

#[tokio::test]
async fn c04_a_tree_that_forks_while_it_is_killed_is_killed_to_the_last() {
    cancelled(&format!("ignore TERM\n{READY}\nfork-loop 2000\nstall")).await;
    cancelled(&format!("fork-chain 100000\n{READY}\nstall")).await;
}

#[tokio::test]
async fn c06_dropping_a_run_kills_all_of_it_before_drop_returns() {
    let bench = Bench::copilot(&format!(
        "ignore TERM\nfork ignore-term\nfork setsid ignore-term\nfork double setsid ignore-term\n{READY}\nstall"
    ));
    let launcher = launcher(&bench);
    let (run, _) = ready(&bench, &launcher).await;
    let pids = bench.pids();
    assert!(processes::alive(&pids).len() >= 4);
    drop(run);
    processes::assert_gone(&pids, Duration::ZERO);
}

#[test]
fn c06_dropping_the_runtime_kills_all_of_it_and_the_reader_still_hears_done() {
    let bench = Bench::copilot(&format!("ignore TERM\nfork setsid ignore-term\n{READY}\nstall"));
    let launcher = launcher(&bench);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (mut run, mut events) = runtime.block_on(ready(&bench, &launcher));
    let pids = bench.pids();
    drop(runtime);
    processes::assert_gone(&pids, Duration::ZERO);
    let other = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    events.extend(other.block_on(collect(&mut run)));
    assert_eq!(check(&events).status, Status::Cancelled);
    assert!(!launcher.cancel("panel"));
}

#[test]
fn a_run_outlives_the_thread_that_started_it() {
    let bench = Bench::copilot(&format!("{READY}\nwait-file go\nanswer"));
    let launcher = launcher(&bench);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let plan = runtime.block_on(launcher.plan(&bench.request("hello"))).unwrap();
    // The signal of a dead parent is sent when the thread that forked ends.
    let started = std::thread::scope(|scope| {
        scope
            .spawn(|| {
                let _guard = runtime.enter();
                launcher.start(plan).unwrap()
            })
            .join()
    });
    let mut run = started.unwrap();
    runtime.block_on(async {
        let mut events = until(&mut run, is_ready).await;
        std::fs::write(bench.bin().join("go"), "").unwrap();
        events.extend(collect(&mut run).await);
        assert_eq!(check(&events).status, Status::Completed);
    });
}

#[tokio::test]
async fn c08_shutdown_ends_every_run_and_refuses_new_ones() {
    let bench = Bench::copilot(&format!("graceful\nfork setsid ignore-term\n{READY}\nstall"));
    let launcher = launcher(&bench);
    let mut runs = Vec::new();
    for number in 0..4 {
        let mut run = bench.start(&launcher, &bench.request("hello").stream_id(format!("panel-{number}"))).await;
        let events = until(&mut run, is_ready).await;
        runs.push((run, events));
    }
    let waiting = launcher.plan(&bench.request("hello")).await.unwrap();
    assert_eq!(within("shutdown", launcher.shutdown(Duration::from_secs(5))).await, 0);
    assert_eq!(processes::alive(&bench.pids()), [0; 0]);
    for (mut run, mut events) in runs {
        events.extend(collect(&mut run).await);
        assert_eq!(check(&events).status, Status::Cancelled);
    }
    assert!(matches!(launcher.start(waiting), Err(Error::ShutDown)));
    assert_eq!(bench.runs().len(), 4);
}

#[tokio::test]
async fn c09_shutdown_keeps_its_limit_with_an_agent_that_ignores_everything() {
    let bench =
        Bench::copilot(&format!("ignore TERM\nignore INT\nignore HUP\nfork setsid ignore-term\n{READY}\nstall"));
    // A grace that is far longer than the limit.
    let launcher = bench.builder().grace(Duration::from_secs(60)).build();
    let (mut run, mut events) = ready(&bench, &launcher).await;
    let begin = Instant::now();
    assert_eq!(within("shutdown", launcher.shutdown(Duration::from_secs(4))).await, 0);
    assert!(begin.elapsed() < Duration::from_secs(20), "took {:?}", begin.elapsed());
    assert_eq!(processes::alive(&bench.pids()), [0; 0]);
    events.extend(collect(&mut run).await);
    assert_eq!(check(&events).status, Status::Cancelled);
}

#[tokio::test]
async fn c10_stop_keeps_the_partial_answer_and_the_agent_writes_no_more() {
    let delta = r#"{"type":"assistant.message_delta","data":{"messageId":"m","deltaContent":"half an"}}"#;
    let tool = r#"{"type":"tool.execution_start","data":{"toolCallId":"t","toolName":"bash","arguments":{}}}"#;
    let (events, _) =
        cancelled(&format!("json {delta}\njson {tool}\n{READY}\nwait-file go\nwrite-note late.md no")).await;
    assert_eq!(text(&events), "half an");
    assert_eq!(shape(&events), ["Init", "TextDelta", "ToolStart", "Unrecognized", "Done"]);
}

#[tokio::test]
async fn c11_an_agent_that_never_reads_a_long_prompt_tells_its_own_reason() {
    let bench = Bench::copilot("ignore-stdin\nerr Error: No authentication information found.\nexit 1");
    let request = bench.request(&"x".repeat(4 * 1024 * 1024)).private_prompt(true);
    let mut run = bench.start(&launcher(&bench), &request).await;
    let events = collect(&mut run).await;
    let outcome = check(&events);
    assert_eq!((outcome.status, outcome.exit_code), (Status::Failed, Some(1)));
    let EventKind::Error { guidance, .. } = &events[events.len() - 2].kind else { panic!("{events:#?}") };
    assert_eq!(guidance.code, Code::NotSignedIn);
}

#[tokio::test]
async fn a_long_prompt_is_written_whole_while_the_agent_talks() {
    let bench = Bench::copilot("flood-out 1000000\nanswer");
    let prompt = "y".repeat(3 * 1024 * 1024);
    let mut run = bench.start(&launcher(&bench), &bench.request(&prompt).private_prompt(true)).await;
    assert_eq!(check(&collect(&mut run).await).status, Status::Completed);
    assert!(bench.runs()[0].stdin_bytes.unwrap() >= prompt.len());
}

#[tokio::test]
async fn c13_nothing_below_the_agent_can_ask_at_a_terminal() {
    let bench = Bench::copilot(READY);
    let mut run = bench.start(&launcher(&bench), &bench.request("hello")).await;
    collect(&mut run).await;
    let env = &bench.runs()[0].env;
    assert_eq!(env.get("GIT_TERMINAL_PROMPT").map(String::as_str), Some("0"));

    // A shell in the agent's place: it has no terminal to open, and stdin is at its end.
    let script = bench.root().join("shell");
    let text = "#!/bin/sh\n[ \"$1\" = --version ] && echo 'GitHub Copilot CLI 1.0.102.' && exit\n\
                (: < /dev/tty) 2>/dev/null && echo terminal\ncat\necho none\n";
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let bench = bench.with_system_path();
    let launcher = bench.builder().program(agent_launcher::AgentId::COPILOT, script).build();
    let mut run = bench.start(&launcher, &bench.request("hello")).await;
    let events = collect(&mut run).await;
    let lines: Vec<_> = events
        .iter()
        .filter_map(|event| if let EventKind::Unrecognized { line } = &event.kind { Some(line.as_str()) } else { None })
        .collect();
    assert_eq!(lines, ["none"]);
}

#[tokio::test]
async fn c15_a_stop_is_no_error_whatever_the_agent_says_on_its_way_out() {
    let bench = Bench::copilot("").with_system_path();
    let script = bench.root().join("shell");
    let text = "#!/bin/sh\n[ \"$1\" = --version ] && echo 'GitHub Copilot CLI 1.0.102.' && exit\n\
                trap 'echo Exiting... >&2; exit 130' TERM INT\necho ready\nwhile :; do sleep 0.02; done\n";
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let launcher = bench.builder().program(agent_launcher::AgentId::COPILOT, script).build();
    let (mut run, mut events) = ready(&bench, &launcher).await;
    launcher.cancel("panel");
    events.extend(collect(&mut run).await);
    let outcome = check(&events);
    assert_eq!((outcome.status, outcome.exit_code), (Status::Cancelled, Some(130)));
    assert!(outcome.stderr_tail.ends_with("Exiting...\n"));
    assert_eq!(shape(&events), ["Init", "Unrecognized", "Done"]);
}

#[tokio::test]
async fn c16_a_plan_cancelled_before_its_start_starts_nothing() {
    let bench = Bench::copilot("");
    let launcher = launcher(&bench);
    let plan = launcher.plan(&bench.request("hello").stream_id("panel")).await.unwrap();
    assert!(launcher.cancel("panel"));
    let mut run = launcher.start(plan).unwrap();
    let events = collect(&mut run).await;
    assert_eq!(check(&events).status, Status::Cancelled);
    assert_eq!(shape(&events), ["Init", "Done"]);
    assert_eq!(bench.runs().len(), 0);
    assert!(!launcher.cancel("panel"));
}

#[tokio::test]
async fn c16_a_cancel_while_the_plan_is_being_made_sticks() {
    let bench = Bench::copilot("probe wait-file go\nprobe out GitHub Copilot CLI 1.0.102.");
    let launcher = launcher(&bench);
    let request = bench.request("hello").stream_id("panel");
    let planning = {
        let launcher = launcher.clone();
        tokio::spawn(async move { launcher.plan(&request).await })
    };
    within("a plan in the making", async {
        while !launcher.cancel("panel") {
            tokio::task::yield_now().await;
        }
    })
    .await;
    std::fs::write(bench.bin().join("go"), "").unwrap();
    let plan = within("the plan", planning).await.unwrap().unwrap();
    let mut run = launcher.start(plan).unwrap();
    let events = collect(&mut run).await;
    assert_eq!(check(&events).status, Status::Cancelled);
    assert_eq!(bench.runs().len(), 0);
}

#[tokio::test]
async fn c16_a_second_cancel_and_one_after_the_end_are_harmless() {
    let bench = Bench::copilot(&format!("graceful\n{READY}\nstall"));
    let launcher = launcher(&bench);
    let (mut run, mut events) = ready(&bench, &launcher).await;
    let other = launcher.clone();
    // From a thread that knows no runtime.
    assert!(std::thread::spawn(move || other.cancel("panel")).join().unwrap());
    launcher.cancel("panel");
    events.extend(collect(&mut run).await);
    assert_eq!(check(&events).status, Status::Cancelled);
    assert!(!launcher.cancel("panel"));
    assert!(!launcher.cancel("never heard of"));
}

#[tokio::test]
async fn a_cancelled_plan_does_not_cancel_the_next_one_of_the_same_panel() {
    let bench = Bench::copilot("");
    let launcher = launcher(&bench);
    let request = bench.request("hello").stream_id("panel");
    let plan = launcher.plan(&request).await.unwrap();
    launcher.cancel("panel");
    drop(plan);
    let mut run = bench.start(&launcher, &request).await;
    assert_eq!(check(&collect(&mut run).await).status, Status::Completed);
}

#[tokio::test]
async fn a_stream_id_is_free_again_once_done_was_told() {
    let bench = Bench::copilot(&format!("{READY}\nwait-file go\nanswer"));
    let launcher = launcher(&bench);
    let plan = launcher.plan(&bench.request("hello").stream_id("panel")).await.unwrap();
    let mut run = launcher.start(plan.clone()).unwrap();
    let in_use = launcher.start(plan.clone());
    assert!(matches!(in_use, Err(Error::StreamIdInUse(id)) if id == "panel"));
    std::fs::write(bench.bin().join("go"), "").unwrap();
    assert_eq!(check(&collect(&mut run).await).status, Status::Completed);
    let mut again = launcher.start(plan).unwrap();
    assert_eq!(check(&collect(&mut again).await).status, Status::Completed);
}

#[tokio::test]
async fn cancel_works_while_nobody_reads_and_done_still_arrives() {
    let bench = Bench::copilot(&format!("{READY}\nflood-out 1000000000000"));
    let launcher = launcher(&bench);
    let (mut run, mut events) = ready(&bench, &launcher).await;
    assert!(launcher.cancel("panel"));
    within("the end of a run that nobody reads", async {
        while launcher.cancel("panel") {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    })
    .await;
    assert_eq!(processes::alive(&bench.pids()), [0; 0]);
    events.extend(collect(&mut run).await);
    assert_eq!(check(&events).status, Status::Cancelled);
}

#[tokio::test]
async fn the_time_limit_stops_an_agent_that_keeps_talking() {
    let bench = Bench::copilot("flood-out 1000000000000");
    let request = bench.request("hello").timeout(Duration::from_millis(300));
    let mut run = bench.start(&launcher(&bench), &request).await;
    let events = collect(&mut run).await;
    let outcome = check(&events);
    assert_eq!(outcome.status, Status::TimedOut);
    assert!(outcome.elapsed_ms >= 300);
    let EventKind::Error { guidance, .. } = &events[events.len() - 2].kind else { panic!() };
    assert_eq!(guidance.code, Code::TimedOut);
    assert_eq!(processes::alive(&bench.pids()), [0; 0]);
}

/// What the real Copilot writes when it is asked to end early reads like a crash. It is our own doing.
#[cfg(unix)]
#[tokio::test]
async fn what_an_agent_says_of_being_stopped_is_not_the_cause() {
    use std::os::unix::fs::PermissionsExt as _;

    let bench = Bench::new().with_system_path();
    let program = bench.bin().join("copilot");
    let script = "#!/bin/sh\n\
        case \"$*\" in *--version*) echo 'GitHub Copilot CLI 1.0.102.'; exit 0;; esac\n\
        trap 'echo \"Error executing prompt: Error: Cannot invoke native session after disposal has started\" >&2; exit 1' TERM\n\
        sleep 1000 & wait\n";
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let request = bench.request("hello").timeout(Duration::from_millis(500));
    let mut run = bench.start(&bench.launcher(), &request).await;
    let events = collect(&mut run).await;
    let outcome = check(&events);
    assert_eq!(outcome.status, Status::TimedOut);
    assert!(outcome.stderr_tail.contains("disposal has started"), "{}", outcome.stderr_tail);
    let EventKind::Error { guidance, .. } = &events[events.len() - 2].kind else { panic!("{events:#?}") };
    assert_eq!(guidance.code, Code::TimedOut);
    assert_eq!(guidance.evidence, [""; 0]);
}

#[tokio::test]
async fn the_idle_limit_counts_silence_on_both_pipes() {
    // Talks on stderr alone for longer than the limit, then falls silent.
    let talk = "err still here\nsleep 100\n".repeat(10);
    let bench = Bench::copilot(&format!("{talk}touch talked\nstall"));
    let request = bench.request("hello").idle_timeout(Duration::from_millis(700));
    let mut run = bench.start(&launcher(&bench), &request).await;
    let events = collect(&mut run).await;
    let outcome = check(&events);
    assert!(bench.bin().join("talked").exists(), "stopped while it talked");
    assert_eq!(outcome.status, Status::TimedOut);
    let EventKind::Error { guidance, .. } = &events[events.len() - 2].kind else { panic!("{events:#?}") };
    assert_eq!(guidance.code, Code::Idle);
}

#[tokio::test]
async fn a_reader_that_stalls_is_not_mistaken_for_a_silent_agent() {
    let bench = Bench::copilot("flood-out 4000000\nanswer");
    let request = bench.request("hello").idle_timeout(Duration::from_millis(500));
    let mut run = bench.start(&launcher(&bench), &request).await;
    within("Init", run.next()).await;
    tokio::time::sleep(Duration::from_millis(1200)).await;
    let events = collect(&mut run).await;
    assert!(matches!(&events.last().unwrap().kind, EventKind::Done { outcome } if outcome.status == Status::Completed));
}

/// What escapes, as `docs/GUARANTEES.md` says: a process that cut itself loose in every way that leaves a trace.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_double_fork_in_a_session_of_its_own_with_an_empty_environment_escapes() {
    let bench = Bench::copilot(&format!("fork setsid double clear-env ignore-term\n{READY}\nstall"));
    let launcher = launcher(&bench);
    let (mut run, mut events) = ready(&bench, &launcher).await;
    launcher.cancel("panel");
    events.extend(collect(&mut run).await);
    assert_eq!(check(&events).status, Status::Cancelled);
    assert_eq!(processes::alive(&bench.pids()).len(), 1, "if it no longer escapes, the guarantees may say so");
}
