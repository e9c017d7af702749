//! A run from the agent's stdout to the host's hands, against a bare tokio line reader on the same process.
//!
//! `cargo bench --bench stream [throughput|latency|stalled]`. Targets: latency at the 99th percentile at most 1.25 times the
//! bare reader's, flat memory while 1 GiB waits for a reader that does not read.

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

use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use agent_launcher::{EventKind, Mode, Request, Status};
use it::Bench;
use support::{all_threads, median, rate, recordings, wanted};
use tokio::io::{AsyncBufReadExt, BufReader};

const ARGS: [&str; 4] = ["-p", "hi", "-s", "--output-format=json"];

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    if wanted("throughput") {
        runtime.block_on(throughput());
    }
    if wanted("latency") {
        runtime.block_on(latency());
    }
    if wanted("stalled") {
        runtime.block_on(stalled());
    }
}

/// A bench whose Copilot prints `steps` and the recorded end of a run.
fn bench(steps: &str) -> Bench {
    let bench = Bench::copilot(&format!("{steps}\nrecorded end.jsonl"));
    let whole = recordings(&["1_json_default.stdout", "1_json_multi.stdout", "9_json_denied.stdout"]);
    let lines = || whole.split_inclusive(|byte| *byte == b'\n');
    let is_end = |line: &&[u8]| line.starts_with(br#"{"type":"result""#);
    let write = |name: &str, bytes: Vec<u8>| std::fs::write(bench.bin().join(name), bytes).expect("a corpus");
    write("runs.jsonl", lines().filter(|line| !is_end(line)).flatten().copied().collect());
    write("end.jsonl", lines().find(is_end).expect("a recorded end").to_vec());
    bench
}

/// The fake by hand: its lines, one after another.
async fn bare<T>(bench: Arc<Bench>, mut state: T, each: fn(&mut T, &str)) -> T {
    let mut command = tokio::process::Command::new(bench.bin().join("copilot"));
    command.args(ARGS).current_dir(bench.vault()).stdin(Stdio::null()).stderr(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the fake");
    let mut lines = BufReader::new(child.stdout.take().expect("stdout is piped")).lines();
    while let Some(line) = lines.next_line().await.expect("a pipe") {
        each(&mut state, &line);
    }
    child.wait().await.expect("the fake ends");
    state
}

/// The recordings use tools that Safe mode would stop a run for.
fn request(bench: &Bench) -> Request {
    bench.request("hi").mode(Mode::PowerUser)
}

/// The fake as a run: its events, one after another.
async fn ours<T>(bench: Arc<Bench>, mut state: T, each: fn(&mut T, &EventKind)) -> T {
    let launcher = bench.launcher();
    let mut run = bench.start(&launcher, &request(&bench)).await;
    while let Some(event) = run.next().await {
        if let EventKind::Done { outcome } = &event.kind {
            assert_eq!(outcome.status, Status::Completed, "{outcome:?}");
        }
        each(&mut state, &event.kind);
    }
    state
}

/// Runs on a worker of the runtime, as an app's task would, and not on the thread that waits.
async fn on_worker<T: Send + 'static>(task: impl Future<Output = T> + Send + 'static) -> T {
    tokio::spawn(task).await.expect("the task ends")
}

fn value_of(line: &str) -> usize {
    let value: serde_json::Value = serde_json::from_str(line).expect("recordings are JSON");
    value["data"]["deltaContent"].as_str().unwrap_or_default().len()
}

fn text_of(event: &EventKind) -> usize {
    if let EventKind::TextDelta { text } = event { text.len() } else { 0 }
}

async fn throughput() {
    const BYTES: usize = 200_000_000;
    const ROUNDS: usize = 5;
    let bench = Arc::new(bench(&format!("repeat runs.jsonl {BYTES}")));
    let mut walls: [Vec<Duration>; 3] = Default::default();
    let mut busy: [Vec<Duration>; 3] = Default::default();
    for _ in 0..ROUNDS {
        for way in 0..3 {
            let (begin, before) = (Instant::now(), all_threads());
            let bench = Arc::clone(&bench);
            let found = match way {
                0 => on_worker(bare(bench, 0, |found, line| *found += line.len())).await,
                1 => on_worker(bare(bench, 0, |found, line| *found += value_of(line))).await,
                _ => on_worker(ours(bench, 0, |found, event| *found += text_of(event))).await,
            };
            assert!(found > 0);
            walls[way].push(begin.elapsed());
            busy[way].push(all_threads().saturating_sub(before));
        }
    }
    println!("\nstream: a run that prints {} MB of recorded JSONL, median of {ROUNDS} rounds", BYTES / 1_000_000);
    let names = ["bare tokio line reader", "tokio lines + serde_json::Value", "agent-launcher: run.next()"];
    let value = median(&mut walls[1]).unwrap_or_default().as_secs_f64();
    for (way, name) in names.into_iter().enumerate() {
        let wall = median(&mut walls[way]).unwrap_or_default();
        let ratio = value / wall.as_secs_f64();
        let busy = median(&mut busy[way]).unwrap_or_default();
        println!(
            "{:>6.0} MB/s on the clock {ratio:>5.2} x the Value loop, {:>5.0} ms of processor  {name}",
            rate(BYTES, wall),
            busy.as_secs_f64() * 1e3
        );
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock after 1970").as_nanos() as u64
}

async fn latency() {
    // Many short rounds in turn, so that whatever else the machine does falls on both alike.
    const COUNT: usize = 200;
    const ROUNDS: usize = 60;
    let bench = Arc::new(bench(&format!("stamps {COUNT} 500")));
    let (mut bare_taken, mut our_taken) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let task = bare(Arc::clone(&bench), Vec::new(), |taken, line| {
            let arrived = now();
            let stamp =
                line.split_once(r#""deltaContent":""#).and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
            taken.extend(stamp.map(|stamp: u64| arrived.saturating_sub(stamp)));
        });
        bare_taken.extend(on_worker(task).await);
        let task = ours(Arc::clone(&bench), Vec::new(), |taken, event| {
            let arrived = now();
            if let EventKind::TextDelta { text } = event {
                taken.extend(text.trim().parse().ok().map(|stamp: u64| arrived.saturating_sub(stamp)));
            }
        });
        our_taken.extend(on_worker(task).await);
    }
    assert_eq!((bare_taken.len(), our_taken.len()), (COUNT * ROUNDS, COUNT * ROUNDS), "nothing is lost");
    println!(
        "\nlatency: from the agent's print to the host's hands, {COUNT} events 0.5 ms apart, {ROUNDS} rounds each in turn"
    );
    let at = |taken: &mut Vec<u64>, share: f64| {
        taken.sort_unstable();
        taken[((taken.len() - 1) as f64 * share) as usize] as f64 / 1e3
    };
    for (name, share) in [("median", 0.5), ("90th", 0.9), ("99th", 0.99)] {
        let (bare, ours) = (at(&mut bare_taken, share), at(&mut our_taken, share));
        println!(
            "{name:>7}: bare tokio line reader {bare:>7.0} us, agent-launcher {ours:>7.0} us, {:.2} x",
            ours / bare
        );
    }
}

async fn stalled() {
    const BYTES: u64 = 1 << 30;
    let bench = bench(&format!("repeat runs.jsonl {BYTES}"));
    let launcher = bench.launcher();
    let before = it::processes::own().resident_kib;
    reset_peak();
    let mut run = bench.start(&launcher, &request(&bench)).await;
    // Until the agent is held back: it has not been given processor time for a while.
    let mut last = None;
    let agent = loop {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let Some(agent) = bench.runs().first().map(|call| call.pid) else { continue };
        let used = std::fs::read_to_string(format!("/proc/{agent}/schedstat")).unwrap_or_default();
        let used = used.split_whitespace().next().map(str::to_owned);
        if used.is_some() && used == last {
            break agent;
        }
        last = used;
    };
    let waiting = peak();
    assert_eq!(it::processes::alive(&[agent]), [agent], "it waits for the reader");
    let (begin, mut text) = (Instant::now(), 0);
    while let Some(event) = run.next().await {
        match event.kind {
            EventKind::TextDelta { text: piece } => text += piece.len(),
            EventKind::Done { outcome } => assert_eq!(outcome.status, Status::Completed),
            _ => {}
        }
    }
    let time = begin.elapsed();
    println!("\nstalled: 1 GiB of recorded JSONL to a reader that does not read, then reads all");
    println!("{:>8.1} MiB resident before the run", before as f64 / 1024.0);
    println!("{:>8.1} MiB peak while nobody read and the agent was held back", waiting as f64 / 1024.0);
    println!(
        "{:>8.1} MiB peak at the end, {text} bytes of text, {:.0} MB/s",
        peak() as f64 / 1024.0,
        rate(BYTES as usize, time)
    );
}

/// Forgets the peak of resident memory (Linux).
fn reset_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The peak of resident memory in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
