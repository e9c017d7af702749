//! Every way an agent misbehaves times every way a run is ended: one `Init` and one `Done`, `seq` without a gap, and
//! nothing left: no process, zombie, descriptor, thread or temporary file.
//!
//! The cells run in a process of their own, since descriptors and threads are counted for a whole process.

use std::path::Path;
use std::time::{Duration, Instant};

use agent_launcher::{Event, EventKind, Launcher, Request, Run, Status};

use crate::support::{Bench, check, collect, processes, rerun, until, within};

/// How an agent misbehaves: a name, the scenario, and whether it goes on until it is stopped.
const FAULTS: &[(&str, &str, bool)] = &[
    ("cooperative", "graceful\nout ready\nstall", true),
    ("ignores SIGTERM", "ignore TERM\nignore INT\nout ready\nstall", true),
    ("forks in a loop", "out ready\nfork-loop 300\nstall", true),
    ("setsid grandchild", "fork setsid ignore-term\nout ready\nstall", true),
    ("double fork", "fork setsid double ignore-term\nout ready\nstall", true),
    ("holds stdout", "fork hold-stdout ignore-term\nout ready\nstall", true),
    ("closes stdout early", "out ready\nclose-stdout\nstall", true),
    ("closes stderr", "close-stderr\nout ready\nstall", true),
    ("floods stdout", "out ready\nflood-out 1000000000000", true),
    ("floods stderr", "out ready\nflood-err 1000000000000", true),
    ("one endless line", "out ready\nendless-line", true),
    ("stalls", "out ready\nstall", true),
    ("dies by signal", "out ready\nsignal 11", false),
    ("exits 0 with no output", "exit 0", false),
    ("exits before reading 4 MB of stdin", "exit-without-reading", false),
];

const GRACE: Duration = Duration::from_millis(200);

/// How long an end may take here beyond the grace before it counts as hanging. The promise is 100 ms on a machine that is
/// not busy with something else, which one that runs tests always is: the bench of `cancel` measures it.
const SLACK: Duration = Duration::from_secs(20);

/// How a run is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Cancel,
    Drop,
    Timeout,
    Shutdown,
    RuntimeDropped,
}

const ENDS: [End; 5] = [End::Cancel, End::Drop, End::Timeout, End::Shutdown, End::RuntimeDropped];

fn request(bench: &Bench, fault: &str) -> Request {
    if fault.contains("stdin") {
        bench.request(&"x".repeat(4 * 1024 * 1024)).private_prompt(true)
    } else {
        bench.request("hello")
    }
    .stream_id("cell")
}

fn launcher(bench: &Bench) -> Launcher {
    bench.builder().grace(GRACE).build()
}

fn runtime() -> tokio::runtime::Runtime {
    // One blocking thread that ends at once, so that threads can be counted.
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(2).max_blocking_threads(1).thread_keep_alive(Duration::from_millis(1));
    builder.enable_all().build().unwrap()
}

fn is_ready(kind: &EventKind) -> bool {
    matches!(kind, EventKind::Unrecognized { line } if line == "ready")
}

/// Starts the agent and reads on until it has done what it does wrong.
async fn misbehaving(bench: &Bench, launcher: &Launcher, fault: &str, end: End, waits: bool) -> (Run, Vec<Event>) {
    let mut request = request(bench, fault);
    if end == End::Timeout {
        request = request.timeout(Duration::from_millis(300));
    }
    let mut run = bench.start(launcher, &request).await;
    let events = if waits { until(&mut run, is_ready).await } else { Vec::new() };
    (run, events)
}

/// One cell. Returns how long the end took beyond the grace.
fn cell(fault: &str, scenario: &str, waits: bool, end: End) -> Duration {
    let bench = Bench::copilot(scenario);
    let launcher = launcher(&bench);
    let runtime = runtime();
    let (mut run, mut events) = runtime.block_on(misbehaving(&bench, &launcher, fault, end, waits));
    let begin = Instant::now();
    let mut reader = Some(runtime);
    match end {
        End::Cancel => {
            launcher.cancel("cell");
        }
        End::Drop => {
            drop(run);
            let took = begin.elapsed();
            processes::assert_gone(&bench.pids(), SLACK);
            // The table forgets it as soon as the supervisor has seen the end.
            reader.unwrap().block_on(within("the end of a dropped run", async {
                while launcher.cancel("cell") {
                    tokio::task::yield_now().await;
                }
            }));
            return took;
        }
        End::Timeout => {}
        End::Shutdown => {
            let left = reader.as_ref().unwrap().block_on(launcher.shutdown(Duration::from_secs(3)));
            assert_eq!(left, 0, "{fault}: runs are left after shutdown");
        }
        End::RuntimeDropped => drop(reader.replace(self::runtime())),
    }
    events.extend(reader.unwrap().block_on(collect(&mut run)));
    let took = begin.elapsed();
    let outcome = check(&events);
    let expected = match end {
        End::Timeout => Status::TimedOut,
        _ => Status::Cancelled,
    };
    if waits && !(end == End::Timeout && fault.starts_with("closes")) {
        assert_eq!(outcome.status, expected, "{fault}, {end:?}: {events:#?}");
    }
    processes::assert_gone(&bench.pids(), SLACK);
    took
}

/// The cells but those of a host that is killed, with the folder for temporary files in `TMPDIR`.
#[test]
#[ignore = "run by `nothing_is_left_whatever_the_agent_does_and_however_the_run_ends` in a process of its own"]
fn cells() {
    let temporary = std::env::temp_dir();
    let files = || std::fs::read_dir(&temporary).unwrap().count();
    cell("cooperative", FAULTS[0].1, true, End::Cancel);
    let before = processes::own();
    let mut worst = Duration::ZERO;
    for (fault, scenario, waits) in FAULTS {
        for end in ENDS {
            let took = cell(fault, scenario, *waits, end);
            worst = worst.max(took.saturating_sub(GRACE));
            let after = processes::own();
            assert_eq!(after.descriptors, before.descriptors, "{fault}, {end:?}: descriptors leak");
            assert_eq!(after.children, before.children, "{fault}, {end:?}: a child is left");
            assert!(after.threads <= before.threads, "{fault}, {end:?}: threads leak: {before:?}, {after:?}");
            assert_eq!(files(), 0, "{fault}, {end:?}: a temporary file is left");
            let limit = if end == End::Timeout { Duration::from_millis(300) } else { Duration::ZERO };
            assert!(took < limit + GRACE + SLACK, "{fault}, {end:?}: took {took:?}");
            eprintln!("{fault}, {end:?}: {took:?}");
        }
    }
    eprintln!("the worst end took its grace and {worst:?}");
}

#[test]
fn nothing_is_left_whatever_the_agent_does_and_however_the_run_ends() {
    let temporary = crate::support::fake::temp_dir();
    let output = rerun("fault_matrix::cells", &[("TMPDIR", temporary.path())]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("1 passed"), "{said}");
}

/// A host with one misbehaving agent: prints `ready`, then reads on until it is killed.
#[test]
#[ignore = "run by `a_host_that_is_killed_takes_everything_with_it`, which kills it"]
fn host() {
    let root = std::path::PathBuf::from(std::env::var_os("BENCH").unwrap());
    let fault = std::env::var("FAULT").unwrap();
    let (_, scenario, waits) = FAULTS.iter().find(|(name, ..)| *name == fault).unwrap();
    let bench = Bench::copilot(scenario);
    std::fs::write(root.join("bench"), bench.bin().to_str().unwrap()).unwrap();
    let launcher = launcher(&bench);
    runtime().block_on(async {
        let (mut run, _) = misbehaving(&bench, &launcher, &fault, End::Cancel, *waits).await;
        std::fs::write(root.join("ready"), "").unwrap();
        collect(&mut run).await;
        std::future::pending::<()>().await;
    });
}

#[test]
#[cfg(target_os = "linux")]
fn a_host_that_is_killed_takes_everything_with_it() {
    let start = |fault: &str| {
        let root = crate::support::fake::temp_dir();
        let mut command = rerun("fault_matrix::host", &[("BENCH", root.path()), ("FAULT", Path::new(fault))]);
        let host = command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap();
        (root, host)
    };
    // All at once: each waits out the grace of the guard.
    let mut hosts: Vec<_> = FAULTS.iter().map(|(fault, ..)| (*fault, start(fault))).collect();
    for (fault, (root, host)) in &mut hosts {
        let begin = Instant::now();
        while !root.path().join("ready").exists() {
            assert!(begin.elapsed() < Duration::from_secs(30), "{fault}: the host is not ready");
            assert!(host.try_wait().unwrap().is_none(), "{fault}: the host ended by itself");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
    for (_, (_, host)) in &mut hosts {
        host.kill().unwrap();
    }
    for (fault, (root, mut host)) in hosts {
        host.wait().unwrap();
        let bin = std::fs::read_to_string(root.path().join("bench")).unwrap();
        let calls = crate::support::fake::calls(Path::new(&bin));
        let mut pids: Vec<u32> = calls.iter().filter(|call| !call.is_probe()).map(|call| call.pid).collect();
        pids.extend(crate::support::fake::child_pids(Path::new(&bin)));
        assert!(!pids.is_empty());
        // The guard gives two seconds of grace.
        processes::assert_gone(&pids, SLACK);
        let bench = Path::new(&bin).parent().unwrap();
        let begin = Instant::now();
        while !processes::of(bench).is_empty() {
            assert!(begin.elapsed() < SLACK, "{fault}: left: {:#?}", processes::of(bench));
        }
        let _ = std::fs::remove_dir_all(bench);
    }
}
