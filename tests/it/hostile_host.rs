//! What a host should not do to its runs, and one does some day; and what its machine does to it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use agent_launcher::{Code, Error, Event, EventKind, Launcher, McpServer, Request, Run, Status};
use tokio::runtime::Builder;

use crate::support::{Bench, check, collect, processes, rerun, text, until, within};

const STALL: &str = "ignore TERM\nfork setsid ignore-term\nout ready\nstall";

/// Starts a run and reads until its agent is at work.
async fn ready(bench: &Bench, launcher: &Launcher, request: &Request) -> (Run, Vec<Event>) {
    let mut run = bench.start(launcher, request).await;
    let events = until(&mut run, |kind| matches!(kind, EventKind::Unrecognized { line } if line == "ready")).await;
    (run, events)
}

#[tokio::test]
async fn a_dropped_run_frees_its_id_at_once_and_does_not_touch_the_next_one() {
    let bench = Bench::copilot("");
    let launcher = bench.launcher();
    // The very same request again and again: nothing tells its runs apart but their time.
    let request = bench.request("hello").stream_id("panel");
    let again = launcher.plan(&request).await.unwrap();
    for _ in 0..5 {
        bench.script("copilot", STALL);
        let (run, _) = ready(&bench, &launcher, &request).await;
        bench.script("copilot", "sleep 200\nanswer");
        drop(run);
        // Without a pause, so that the end of the one and the start of the other meet.
        let mut run = launcher.start(again.clone()).expect("its id is free");
        let events = collect(&mut run).await;
        assert_eq!((check(&events).status, text(&events).as_str()), (Status::Completed, "Hello from the fake"));
    }
    drop(again);
    bench.script("copilot", STALL);
    drop(ready(&bench, &launcher, &request).await);
    assert!(!launcher.cancel("panel"), "nothing has this id");
    assert_eq!(processes::alive(&bench.pids()), [0; 0]);
}

/// Two parts of one app, or two of its windows, may ask for the very same thing: the same stream id, the same session.
#[tokio::test]
async fn of_two_launchers_that_run_the_same_request_each_stops_its_own_run_alone() {
    let bench = Bench::copilot("ignore TERM\nfork setsid double ignore-term\nout ready\nwait-file go\nanswer");
    let launchers = [(); 2].map(|()| bench.builder().grace(Duration::from_millis(100)).build());
    let request = bench.request("hello").stream_id("panel");
    let (mut first, mut told) = ready(&bench, &launchers[0], &request).await;
    let before = bench.pids();
    // The later one is the one that the earlier could take for its own: it has all its marks and is newer.
    let (mut second, mut told_second) = ready(&bench, &launchers[1], &request).await;
    let of_second: Vec<u32> = bench.pids().into_iter().filter(|pid| !before.contains(pid)).collect();
    // The agent and what left its session; the one between them ends by itself.
    let alive = within("the end of the one between", async {
        loop {
            match processes::alive(&of_second) {
                alive if alive.len() <= 2 => return alive,
                _ => tokio::task::yield_now().await,
            }
        }
    })
    .await;
    assert_eq!(alive.len(), 2, "{of_second:?}");

    assert!(launchers[0].cancel("panel"));
    told.extend(collect(&mut first).await);
    assert_eq!(check(&told).status, Status::Cancelled);
    assert_eq!(processes::alive(&before), [0; 0]);
    assert_eq!(processes::alive(&of_second), alive);

    std::fs::write(bench.bin().join("go"), "").unwrap();
    told_second.extend(collect(&mut second).await);
    assert_eq!((check(&told_second).status, text(&told_second).as_str()), (Status::Completed, "Hello from the fake"));
    assert_eq!(processes::alive(&of_second), [0; 0]);
}

#[tokio::test]
async fn a_cancelled_run_keeps_its_id_to_its_done_and_no_longer() {
    let bench = Bench::copilot(STALL);
    let launcher = bench.builder().grace(Duration::from_millis(200)).build();
    let request = bench.request("hello").stream_id("panel");
    let (mut run, mut events) = ready(&bench, &launcher, &request).await;
    let again = launcher.plan(&request).await.unwrap();
    assert!(launcher.cancel("panel"));
    // The cancel also went to the plan that waits, so another one is made.
    assert!(matches!(launcher.start(again), Err(Error::StreamIdInUse(id)) if id == "panel"));
    let again = launcher.plan(&request).await.unwrap();
    events.extend(collect(&mut run).await);
    assert_eq!(check(&events).status, Status::Cancelled);
    bench.script("copilot", "");
    let mut run = launcher.start(again).expect("its id is free");
    assert_eq!(check(&collect(&mut run).await).status, Status::Completed);
}

#[tokio::test]
async fn shutdown_waits_for_the_private_files_of_a_run_that_was_dropped() {
    let bench = Bench::copilot(STALL).fake("node", "");
    let launcher = bench.launcher();
    let server = McpServer::stdio("tolaria", "node").secret_env("TOKEN", "correct-horse-battery");
    let (run, _) = ready(&bench, &launcher, &bench.request("hello").mcp_server(server)).await;
    let runs = bench.runs();
    let file = runs[0].args().iter().find_map(|arg| arg.strip_prefix("--additional-mcp-config=@").map(str::to_owned));
    let file = std::path::PathBuf::from(file.expect("a private file"));
    assert!(file.exists());
    drop(run);
    assert_eq!(within("shutdown", launcher.shutdown(Duration::from_secs(20))).await, 0);
    assert!(!file.exists());
}

#[test]
fn of_many_threads_that_start_one_id_exactly_one_does() {
    let bench = Bench::copilot("wait-file go\nanswer");
    let launcher = bench.launcher();
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let plan = runtime.block_on(launcher.plan(&bench.request("hello").stream_id("panel"))).unwrap();
    let refused = AtomicUsize::new(0);
    let mut runs: Vec<Run> = std::thread::scope(|scope| {
        let start = || {
            let _guard = runtime.enter();
            match launcher.start(plan.clone()) {
                Ok(run) => Some(run),
                Err(Error::StreamIdInUse(_)) => {
                    refused.fetch_add(1, Ordering::Relaxed);
                    None
                }
                Err(error) => panic!("{error}"),
            }
        };
        let threads: Vec<_> = (0..16).map(|_| scope.spawn(start)).collect();
        threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!((runs.len(), refused.into_inner()), (1, 15));
    std::fs::write(bench.bin().join("go"), "").unwrap();
    let events = runtime.block_on(collect(&mut runs[0]));
    assert_eq!(check(&events).status, Status::Completed);
    assert_eq!(bench.runs().len(), 1);
}

#[test]
fn a_storm_of_cancels_and_shutdowns_from_many_threads_ends_each_run_once() {
    let bench = Bench::copilot(STALL);
    let launcher = bench.builder().grace(Duration::from_millis(100)).build();
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let mut runs = Vec::new();
    for number in 0..3 {
        let request = bench.request("hello").stream_id(format!("panel-{number}"));
        runs.push(runtime.block_on(ready(&bench, &launcher, &request)));
    }
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..1000).for_each(|number| _ = launcher.cancel(&format!("panel-{}", number % 3))));
            scope.spawn(|| runtime.block_on(within("shutdown", launcher.shutdown(Duration::from_secs(20)))));
        }
    });
    for (mut run, mut events) in runs {
        events.extend(runtime.block_on(collect(&mut run)));
        assert_eq!(check(&events).status, Status::Cancelled);
        assert!(!events.iter().any(|event| matches!(event.kind, EventKind::Error { .. })));
    }
    assert_eq!(processes::alive(&bench.pids()), [0; 0]);
}

#[test]
fn a_runtime_that_cannot_run_processes_is_an_error_and_harms_no_other() {
    // In a process of its own, as the panics that are looked for are printed.
    let output = rerun("hostile_host::runtimes_without_drivers", &[]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
#[ignore = "run by `a_runtime_that_cannot_run_processes_is_an_error_and_harms_no_other` in a process of its own"]
fn runtimes_without_drivers() {
    let bench = Bench::copilot("");
    let launcher = bench.launcher();
    let full = Builder::new_current_thread().enable_all().build().unwrap();
    let plan = full.block_on(launcher.plan(&bench.request("hello"))).unwrap();
    let lacking = [
        Builder::new_current_thread().build().unwrap(),
        Builder::new_current_thread().enable_time().build().unwrap(),
        Builder::new_multi_thread().worker_threads(1).enable_io().build().unwrap(),
    ];
    for runtime in lacking {
        assert!(matches!(runtime.block_on(launcher.plan(&bench.request("hello"))), Err(Error::NoRuntime)));
        let _guard = runtime.enter();
        assert!(matches!(launcher.start(plan.clone()), Err(Error::NoRuntime)));
    }
    let mut context = Context::from_waker(Waker::noop());
    let polled = Box::pin(launcher.plan(&bench.request("hello"))).as_mut().poll(&mut context).map(Result::err);
    assert!(matches!(polled, Poll::Ready(Some(Error::NoRuntime))), "outside any runtime");
    assert_eq!(bench.runs().len(), 0);
    full.block_on(async {
        let mut run = launcher.start(plan).expect("nothing of this did any harm");
        assert_eq!(check(&collect(&mut run).await).status, Status::Completed);
    });
}

#[test]
fn without_a_folder_for_temporary_files_that_is_what_is_told() {
    let bench = Bench::new();
    let missing = bench.root().join("missing");
    let output = rerun("hostile_host::no_temporary_folder", &[("TMPDIR", missing.as_path())]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test]
#[ignore = "run by `without_a_folder_for_temporary_files_that_is_what_is_told` with a `TMPDIR` that is missing"]
async fn no_temporary_folder() {
    let bench = Bench::copilot("").fake("node", "");
    let launcher = bench.launcher();
    let server = McpServer::stdio("tolaria", "node").secret_env("TOKEN", "correct-horse-battery");
    let plan = launcher.plan(&bench.request("hello").stream_id("panel").mcp_server(server)).await.unwrap();
    let error = launcher.start(plan).unwrap_err();
    let Error::Setup(guidance) = &error else { panic!("{error:?}") };
    assert_eq!((guidance.code, guidance.key.as_str()), (Code::Unknown, "no_private_files"), "{guidance:?}");
    assert!(!launcher.cancel("panel"));
    assert_eq!(bench.runs().len(), 0);
}

#[tokio::test]
async fn a_server_at_a_path_where_no_program_is_is_refused_before_the_start() {
    let bench = Bench::copilot("").fake("node", "");
    let (launcher, node) = (bench.launcher(), bench.bin().join("node"));
    let plan = async |command: &std::path::Path| {
        launcher.plan(&bench.request("hello").mcp_server(McpServer::stdio("tolaria", command))).await
    };
    std::fs::write(bench.root().join("server.js"), "").unwrap();
    for nothing in [bench.root().join("none"), bench.vault(), bench.root().join("server.js"), node.join("node")] {
        let error = plan(&nothing).await.unwrap_err();
        assert!(error.is_usage() && error.to_string().contains(nothing.to_str().unwrap()), "{error}");
    }
    plan(&node).await.expect("a program by its path");
}

#[tokio::test]
async fn a_vault_that_is_deleted_under_a_run_takes_nothing_with_it() {
    let bench = Bench::copilot("out ready\nwait-file go\nanswer");
    let launcher = bench.launcher();
    let (mut run, mut events) = ready(&bench, &launcher, &bench.request("hello")).await;
    std::fs::remove_dir_all(bench.vault()).unwrap();
    std::fs::write(bench.bin().join("go"), "").unwrap();
    events.extend(collect(&mut run).await);
    assert_eq!(check(&events).status, Status::Completed);
}

#[tokio::test]
async fn a_run_dropped_in_the_middle_of_a_backlog_leaves_nothing() {
    let bench = Bench::copilot("fork setsid ignore-term\nflood-out 20000000\nstall");
    let launcher = bench.launcher();
    let mut run = bench.start(&launcher, &bench.request("hello")).await;
    for _ in 0..3 {
        within("an event", run.next()).await.unwrap();
    }
    drop(run);
    processes::assert_gone(&bench.pids(), Duration::ZERO);
    assert_eq!(within("shutdown", launcher.shutdown(Duration::from_secs(20))).await, 0);
}

#[tokio::test]
async fn a_plan_is_a_pure_function_and_prints_nothing_that_is_private() {
    let bench = Bench::copilot("").fake("node", "");
    let launcher = bench.launcher();
    let secret = "correct-horse-battery";
    let request = bench
        .request(&format!("my question is {secret}"))
        .private_prompt(true)
        .secret_env("APP_TOKEN", secret)
        .mcp_server(McpServer::stdio("tolaria", "node").secret_env("TOKEN", secret));
    let (one, two) = (launcher.plan(&request).await.unwrap(), launcher.plan(&request).await.unwrap());
    assert_eq!(one, two);
    assert_ne!(one, launcher.plan(&request.clone().model("m")).await.unwrap());
    let printed = format!("{request:?} {one:?} {one} {}", serde_json::to_string(&one).unwrap());
    assert!(!printed.contains(secret), "{printed}");
    let mut run = launcher.start(one).unwrap();
    assert_eq!(check(&collect(&mut run).await).status, Status::Completed);
    assert_eq!(bench.runs()[0].stdin.as_deref(), Some(format!("my question is {secret}").as_str()));
}

#[tokio::test]
async fn what_the_system_cannot_take_is_not_blamed_on_the_prompt() {
    let bench = Bench::copilot("");
    let launcher = bench.launcher();
    let plan = launcher.plan(&bench.request("hello").env("APP_STATE", "x".repeat(200_000))).await.unwrap();
    let Err(Error::Setup(guidance)) = launcher.start(plan) else { panic!("Linux takes 128 KiB in one variable") };
    assert_eq!(guidance.code, Code::ArgumentsRejected, "{guidance:?}");

    let error = launcher.plan(&bench.request("hello").stream_id("x".repeat(1025))).await.unwrap_err();
    assert_eq!(error.to_string(), "the stream id is longer than 1024 bytes");
    let mut run = bench.start(&launcher, &bench.request("hello").stream_id("\u{1f600}".repeat(256))).await;
    assert_eq!(check(&collect(&mut run).await).status, Status::Completed);
}

#[test]
#[cfg(target_os = "linux")]
fn a_host_that_is_killed_leaves_no_private_file() {
    let root = crate::support::fake::temp_dir();
    let temporary = root.path().join("a folder for temporary files");
    std::fs::create_dir(&temporary).unwrap();
    let mut command =
        rerun("hostile_host::host_with_private_files", &[("BENCH", root.path()), ("TMPDIR", temporary.as_path())]);
    let mut host = command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap();
    let begin = std::time::Instant::now();
    let wait = |what: &str, is_so: &dyn Fn() -> bool| {
        while !is_so() {
            assert!(begin.elapsed() < crate::support::DEADLINE, "{what}");
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    wait("the host is not ready", &|| root.path().join("ready").exists());
    let left = || std::fs::read_dir(&temporary).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    assert_eq!(left().len(), 1, "{:?}", left());
    host.kill().unwrap();
    host.wait().unwrap();
    wait("its private files are left", &|| left().is_empty());
    let bench = std::fs::read_to_string(root.path().join("ready")).unwrap();
    let _ = std::fs::remove_dir_all(bench);
}

#[tokio::test]
#[ignore = "run by `a_host_that_is_killed_leaves_no_private_file`, which kills it"]
async fn host_with_private_files() {
    let bench = Bench::copilot("fork setsid ignore-term\nout ready\nstall").fake("node", "");
    let launcher = bench.launcher();
    let server = McpServer::stdio("tolaria", "node").secret_env("TOKEN", "correct-horse-battery");
    let (mut run, _) = ready(&bench, &launcher, &bench.request("hello").mcp_server(server)).await;
    // One that is over: its folder is no longer the guard's to remove.
    bench.script("copilot", "");
    let server = McpServer::stdio("tolaria", "node").secret_env("TOKEN", "correct-horse-battery");
    let mut other = bench.start(&launcher, &bench.request("hello").mcp_server(server)).await;
    collect(&mut other).await;
    let root = std::path::PathBuf::from(std::env::var_os("BENCH").unwrap());
    std::fs::write(root.join("half"), bench.root().to_str().unwrap()).unwrap();
    std::fs::rename(root.join("half"), root.join("ready")).unwrap();
    collect(&mut run).await;
}
