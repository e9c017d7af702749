//! How long a Stop takes, whatever the agent does wrong and however the run is ended: from the request until nothing of the
//! tree is left, and until `Done`.
//!
//! `cargo bench --bench matrix`; other rounds, faults by a part of their name: `cargo bench --bench matrix -- 10 stdout`.
//! Target: at most the grace and 100 ms. Linux.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program that prints what it measured, and starts its floor by hand"
)]

#[allow(dead_code, unused_imports, reason = "the benches borrow the bench of the tests")]
#[path = "../tests/it/support/mod.rs"]
mod it;
#[allow(dead_code, reason = "each bench takes what it needs of the support")]
mod support;

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use agent_launcher::Launcher;
use it::matrix::{Begun, ENDS, End, FAULTS, Fault, LIMIT, runtime};
use it::{Bench, fake, processes};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use support::{median, waited};

const GRACE: Duration = Duration::from_millis(200);

/// What an end may take beyond the grace.
const ALLOWED: Duration = Duration::from_millis(100);

/// What one end took.
#[derive(Clone, Copy, Debug)]
struct Took {
    /// Until no process of the tree was left. What was alive at the request is watched, a look each half millisecond.
    gone: Duration,
    /// Until the host heard of it: `Done` read, or `drop` returned. `gone` where the host was killed.
    told: Duration,
    /// How long this process, its threads together, stood in the queue for a processor meanwhile.
    waited: Duration,
    /// What it may have taken: the grace, where there is one, and 100 ms.
    bound: Duration,
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    if let [role, fault, folder] = args.as_slice()
        && role == "host"
    {
        host(Fault::named(fault), Path::new(folder));
    }
    let rounds = args.iter().find_map(|arg| arg.parse().ok()).unwrap_or(5);
    let parts: Vec<&String> = args.iter().filter(|arg| arg.parse::<usize>().is_err()).collect();
    let wanted = |fault: &&Fault| parts.is_empty() || parts.iter().any(|part| fault.name.contains(*part));

    println!(
        "\nmatrix: {rounds} rounds, grace {} ms; from the request to the end in ms: median / at most",
        GRACE.as_millis()
    );
    for (what, scenario) in
        [("one process", "out ready\nstall"), ("a group that forks", "out ready\nfork-loop 300\nstall")]
    {
        let taken: Vec<Took> = (0..rounds).map(|_| floor(scenario)).collect();
        println!("{} the floor: SIGKILL to {what} by hand, then wait for all", cell(&taken));
    }
    println!(
        "{:<36}{}",
        "",
        ["cancel", "drop", "time limit", "shutdown", "runtime", "host killed"].map(|end| format!("{end:>16}")).concat()
    );
    let mut above = Vec::new();
    let mut all = Vec::new();
    for fault in FAULTS.iter().filter(wanted) {
        print!("{:<36}", fault.name);
        for end in ENDS.map(Some).into_iter().chain([None]) {
            let one = |_| end.map_or_else(|| killed(fault), |end| ended(fault, end));
            let taken: Vec<Took> = (0..rounds).map(one).collect();
            print!("{:>16}", cell(&taken));
            let _ = std::io::Write::flush(&mut std::io::stdout());
            let name = end.map_or_else(|| "host killed".to_owned(), |end| format!("{end:?}"));
            above.extend(
                taken.iter().filter(|took| took.told > took.bound).map(|took| (fault.name, name.clone(), *took)),
            );
            all.extend(taken);
        }
        println!();
    }
    let spent = |took: &Took| took.told.as_secs_f64() / took.bound.as_secs_f64();
    let closest = all.iter().map(spent).fold(0.0, f64::max);
    println!(
        "at most {closest:.2} of the bound: the grace (none for drop, for a runtime that is dropped, and where the agent ends by itself) and {} ms",
        ALLOWED.as_millis()
    );
    println!("{} of {} ends took longer", above.len(), all.len());
    for (fault, end, took) in above {
        println!(
            "  {fault}, {end}: gone {}, told {}, in the queue for a processor {}",
            ms(took.gone),
            ms(took.told),
            ms(took.waited)
        );
    }
}

fn ms(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64() * 1e3)
}

fn cell(taken: &[Took]) -> String {
    let mut told: Vec<Duration> = taken.iter().map(|took| took.told).collect();
    let middle = median(&mut told).unwrap_or_default();
    format!("{} / {}", ms(middle), ms(told.last().copied().unwrap_or_default()))
}

/// Waits on a thread of its own until none of these processes lives.
fn watch(pids: Vec<u32>) -> std::thread::JoinHandle<Instant> {
    std::thread::spawn(move || {
        while !processes::alive(&pids).is_empty() {
            std::thread::sleep(Duration::from_micros(500));
        }
        Instant::now()
    })
}

/// What a fake of this bench and all it started are called by the system, for as long as they live.
fn nothing_left(bench: &Bench, fault: &str) {
    let left = bench.processes();
    assert!(left.is_empty(), "{fault}: left at the end: {left:#?}");
}

/// One end, by a host that lives on.
fn ended(fault: &Fault, end: End) -> Took {
    let bench = Bench::copilot(fault.scenario);
    let launcher = launcher(&bench);
    let runtime = runtime();
    let Begun { mut run, at, .. } = runtime.block_on(fault.start(&bench, &launcher, end));
    let watcher = watch(bench.pids());
    // The limit counts from the start, which was no earlier than `at`. A run that ends by itself does so before it.
    let limited = end == End::Timeout && fault.goes_on;
    let (before, begin) = (waited(), if limited { at + LIMIT } else { Instant::now() });
    let mut reader = Some(runtime);
    let told = match end {
        End::Drop => {
            drop(run);
            Instant::now()
        }
        _ => {
            match end {
                End::Cancel => _ = launcher.cancel("cell"),
                End::Shutdown => {
                    let left =
                        reader.as_ref().map(|runtime| runtime.block_on(launcher.shutdown(Duration::from_secs(3))));
                    assert_eq!(left, Some(0), "{}: runs are left after shutdown", fault.name);
                }
                End::RuntimeDropped => drop(reader.replace(self::runtime())),
                End::Drop | End::Timeout => {}
            }
            if let Some(runtime) = &reader {
                runtime.block_on(async { while run.next().await.is_some() {} });
            }
            Instant::now()
        }
    };
    nothing_left(&bench, fault.name);
    let waited = waited().saturating_sub(before);
    let gone = watcher.join().expect("the watcher ends with the tree");
    // A run that is dropped or whose runtime is dropped is killed at once, and one that ends by itself is not stopped.
    let grace = if matches!(end, End::Drop | End::RuntimeDropped) || !fault.goes_on { Duration::ZERO } else { GRACE };
    let since = |moment: Instant| moment.saturating_duration_since(begin);
    Took { gone: since(gone), told: since(told), waited, bound: grace + ALLOWED }
}

fn launcher(bench: &Bench) -> Launcher {
    bench.builder().grace(GRACE).build()
}

/// The host that is killed: it starts the agent, says so and reads on.
fn host(fault: Fault, folder: &Path) -> ! {
    let bench = Bench::copilot(fault.scenario);
    let launcher = launcher(&bench);
    std::fs::write(folder.join("bench"), bench.bin().to_str().expect("a UTF-8 path")).expect("a file for the bench");
    runtime().block_on(async {
        let mut begun = fault.start(&bench, &launcher, End::Cancel).await;
        std::fs::write(folder.join("ready"), "").expect("a file for the bench");
        while begun.run.next().await.is_some() {}
        std::future::pending().await
    })
}

/// One end by `kill -9` of the host.
fn killed(fault: &Fault) -> Took {
    let folder = fake::temp_dir();
    let mut command = Command::new(std::env::current_exe().expect("the path of this program"));
    command.args(["host", fault.name]).arg(folder.path());
    let mut host = command.spawn().expect("a host");
    let begin = Instant::now();
    while !folder.path().join("ready").exists() {
        assert!(begin.elapsed() < Duration::from_secs(60), "{}: the host is not ready", fault.name);
        std::thread::sleep(Duration::from_millis(1));
    }
    let bin = PathBuf::from(std::fs::read_to_string(folder.path().join("bench")).expect("the host's bench"));
    let root = bin.parent().expect("a folder of the bench");
    let mut pids = fake::child_pids(&bin);
    pids.extend(fake::calls(&bin).iter().filter(|call| !call.is_probe()).map(|call| call.pid));
    let watcher = watch(pids);
    let (before, begin) = (waited(), Instant::now());
    host.kill().expect("the host lives");
    host.wait().expect("the host ends");
    let gone = watcher.join().expect("the watcher ends with the tree");
    let waited = waited().saturating_sub(before);
    assert!(gone - begin < Duration::from_secs(60), "{}: too long", fault.name);
    while !processes::of(root).is_empty() {
        std::thread::sleep(Duration::from_millis(1));
        assert!(begin.elapsed() < Duration::from_secs(60), "{}: left: {:#?}", fault.name, processes::of(root));
    }
    let _ = std::fs::remove_dir_all(root);
    let took = gone.saturating_duration_since(begin);
    let grace = if fault.goes_on { GRACE } else { Duration::ZERO };
    Took { gone: took, told: took, waited, bound: grace + ALLOWED }
}

/// The same fake, killed by hand.
fn floor(scenario: &str) -> Took {
    let bench = Bench::copilot(scenario);
    let mut command = Command::new(bench.bin().join("copilot"));
    command.args(["-p", "hi"]).current_dir(bench.vault()).process_group(0);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("the fake");
    let mut said = [0; 6];
    let stdout = child.stdout.as_mut().expect("stdout is piped");
    std::io::Read::read_exact(stdout, &mut said).expect("the fake says `ready`");
    let watcher = watch(bench.pids());
    let (before, begin) = (waited(), Instant::now());
    let group = Pid::from_raw(i32::try_from(child.id()).expect("a pid"));
    // Until the system knows no such group: zombies of another parent count as members until that one collects them.
    while killpg(group, Signal::SIGKILL).is_ok() {
        let _ = child.try_wait();
        if processes::alive(&bench.pids()).is_empty() {
            break;
        }
        std::thread::sleep(Duration::from_micros(500));
    }
    let told = begin.elapsed();
    let _ = child.wait();
    let gone = watcher.join().expect("the watcher ends with the tree");
    let gone = gone.saturating_duration_since(begin);
    Took { gone, told, waited: waited().saturating_sub(before), bound: ALLOWED }
}
