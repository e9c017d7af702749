//! Many runs: what this process holds before and after.
//!
//! `cargo bench --bench soak`: 10,000 runs one after another, then 200 at once. Other numbers: `cargo bench --bench soak --
//! RUNS AT_ONCE`. Target: back to the start, no growth. Linux.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program that prints what it measured, and borrows from the tests"
)]

#[allow(dead_code, unused_imports, reason = "the benches borrow the bench of the tests")]
#[path = "../tests/it/support/mod.rs"]
mod it;

use std::time::{Duration, Instant};

use agent_launcher::{EventKind, Launcher, Status};
use it::Bench;
use it::processes::{Holdings, own};

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|arg| arg.parse::<usize>().ok());
    let runs = numbers.next().unwrap_or(10_000);
    let at_once = numbers.next().unwrap_or(200);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    let bench = Bench::copilot("");
    let launcher = bench.launcher();
    println!("\nsoak: two worker threads; an answer of twelve lines a run");
    runtime.block_on(async {
        // What is made once and kept: threads of the runtime, the launcher's own, the allocator's.
        crowd(&bench, &launcher, 8).await;
        tell("before", own());
        let begin = Instant::now();
        for run in 1..=runs {
            one(&bench, &launcher).await;
            if run % (runs / 10).max(1) == 0 {
                tell(&format!("after {run} runs"), own());
                clear(&bench);
            }
        }
        let each = begin.elapsed().as_secs_f64() * 1e3 / runs as f64;
        println!("{each:.1} ms a run, planning included");
        let before = own();
        tell(&format!("before {at_once} at once"), before);
        let begin = Instant::now();
        let most = crowd(&bench, &launcher, at_once).await;
        tell(&format!("all {at_once} alive, over in {:.1} s", begin.elapsed().as_secs_f64()), most);
        settle(before).await;
        tell("after", own());
    });
}

/// One run to its end.
async fn one(bench: &Bench, launcher: &Launcher) {
    let mut run = bench.start(launcher, &bench.request("hi")).await;
    let mut text = String::new();
    while let Some(event) = run.next().await {
        match event.kind {
            EventKind::TextDelta { text: piece } => text.push_str(&piece),
            EventKind::Done { outcome } => assert_eq!(outcome.status, Status::Completed, "{outcome:?}"),
            _ => {}
        }
    }
    assert_eq!(text, "Hello from the fake");
}

/// So many runs at once; what was held when all of them lived.
async fn crowd(bench: &Bench, launcher: &Launcher, count: usize) -> Holdings {
    let go = bench.bin().join("go");
    bench.script("copilot", "wait-file go\nanswer");
    let mut runs = Vec::new();
    for _ in 0..count {
        runs.push(bench.start(launcher, &bench.request("hi")).await);
    }
    let most = own();
    std::fs::write(&go, "").expect("a file of the bench");
    for mut run in runs {
        let events = it::collect(&mut run).await;
        assert_eq!(it::check(&events).status, Status::Completed);
        assert_eq!(it::text(&events), "Hello from the fake");
    }
    std::fs::remove_file(&go).expect("a file of the bench");
    bench.script("copilot", "");
    clear(bench);
    most
}

/// What fakes wrote down is not read here, and must not fill the disk.
fn clear(bench: &Bench) {
    let _ = std::fs::remove_dir_all(bench.bin().join("calls"));
}

/// Waits until descriptors, threads and children are back, or ten seconds.
async fn settle(before: Holdings) {
    let begin = Instant::now();
    let back = |now: Holdings| {
        now.descriptors <= before.descriptors && now.threads <= before.threads && now.children <= before.children
    };
    while !back(own()) && begin.elapsed() < Duration::from_secs(10) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn tell(what: &str, now: Holdings) {
    let mib = now.resident_kib as f64 / 1024.0;
    println!(
        "{mib:>7.1} MiB resident {:>4} descriptors {:>3} threads {:>3} children  {what}",
        now.descriptors, now.threads, now.children
    );
}
