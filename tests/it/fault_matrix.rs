//! Every way an agent misbehaves times every way a run is ended: one `Init` and one `Done`, `seq` without a gap, and
//! nothing left: no process, zombie, descriptor, thread or temporary file.
//!
//! The cells run in a process of their own, since descriptors and threads are counted for a whole process.

use std::path::Path;
use std::time::{Duration, Instant};

use agent_launcher::{Launcher, Outcome, Status};

use crate::support::matrix::{Begun, ENDS, End, FAULTS, Fault, runtime};
use crate::support::{Bench, check, collect, processes, rerun, within};

const GRACE: Duration = Duration::from_millis(200);

/// How long an end may take here before it counts as hanging. How long it does take is measured by the bench `matrix`.
const HANGS: Duration = Duration::from_secs(20);

fn launcher(bench: &Bench) -> Launcher {
    bench.builder().grace(GRACE).build()
}

/// One cell.
fn cell(fault: &Fault, end: End) {
    let bench = Bench::copilot(fault.scenario);
    let launcher = launcher(&bench);
    let runtime = runtime();
    let Begun { mut run, mut events, .. } = runtime.block_on(fault.start(&bench, &launcher, end));
    let mut reader = Some(runtime);
    match end {
        End::Cancel => {
            launcher.cancel("cell");
        }
        End::Drop => {
            drop(run);
            processes::assert_gone(&bench.pids(), Duration::ZERO);
            // The table forgets it as soon as the supervisor has seen the end.
            return reader.unwrap().block_on(within("the end of a dropped run", async {
                while launcher.cancel("cell") {
                    tokio::task::yield_now().await;
                }
            }));
        }
        End::Timeout => {}
        End::Shutdown => {
            let left = reader.as_ref().unwrap().block_on(launcher.shutdown(HANGS));
            assert_eq!(left, 0, "{fault:?}: runs are left after shutdown");
        }
        End::RuntimeDropped => drop(reader.replace(self::runtime())),
    }
    events.extend(reader.unwrap().block_on(collect(&mut run)));
    let outcome = check(&events);
    assert!(is_expected(fault, end, outcome), "{fault:?}, {end:?}: {events:#?}");
    processes::assert_gone(&bench.pids(), Duration::ZERO);
    assert_eq!(bench.processes(), [], "{fault:?}, {end:?}");
}

/// Whether a run ended as it must: by the stop where it went on until then; else as it ended itself, or by a stop that came
/// before.
fn is_expected(fault: &Fault, end: End, outcome: &Outcome) -> bool {
    let stopped = if end == End::Timeout { Status::TimedOut } else { Status::Cancelled };
    if fault.goes_on {
        return outcome.status == stopped;
    }
    let by_itself = if fault.name == "dies by signal" { (None, Some(11)) } else { (Some(0), None) };
    let failed = outcome.status == Status::Failed && (outcome.exit_code, outcome.signal) == by_itself;
    failed || (end != End::Timeout && outcome.status == Status::Cancelled)
}

/// The cells but those of a host that is killed, with the folder for temporary files in `TMPDIR`.
#[test]
#[ignore = "run by `nothing_is_left_whatever_the_agent_does_and_however_the_run_ends` in a process of its own"]
fn cells() {
    let temporary = std::env::temp_dir();
    let files = || std::fs::read_dir(&temporary).unwrap().count();
    cell(&FAULTS[0], End::Cancel);
    let before = processes::own();
    for fault in FAULTS {
        for end in ENDS {
            let begin = Instant::now();
            cell(fault, end);
            let after = processes::own();
            assert_eq!(after.descriptors, before.descriptors, "{fault:?}, {end:?}: descriptors leak");
            assert_eq!(after.children, before.children, "{fault:?}, {end:?}: a child is left");
            assert!(after.threads <= before.threads, "{fault:?}, {end:?}: threads leak: {before:?}, {after:?}");
            assert_eq!(files(), 0, "{fault:?}, {end:?}: a temporary file is left");
            assert!(begin.elapsed() < HANGS, "{fault:?}, {end:?}: took {:?}", begin.elapsed());
        }
    }
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
    let fault = Fault::named(&std::env::var("FAULT").unwrap());
    let bench = Bench::copilot(fault.scenario);
    std::fs::write(root.join("bench"), bench.bin().to_str().unwrap()).unwrap();
    let launcher = launcher(&bench);
    runtime().block_on(async {
        let mut begun = fault.start(&bench, &launcher, End::Cancel).await;
        std::fs::write(root.join("ready"), "").unwrap();
        collect(&mut begun.run).await;
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
    let mut hosts: Vec<_> = FAULTS.iter().map(|fault| (fault.name, start(fault.name))).collect();
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
        processes::assert_gone(&pids, HANGS);
        let bench = Path::new(&bin).parent().unwrap();
        let begin = Instant::now();
        while !processes::of(bench).is_empty() {
            assert!(begin.elapsed() < HANGS, "{fault}: left: {:#?}", processes::of(bench));
        }
        let _ = std::fs::remove_dir_all(bench);
    }
}
