//! How long a Stop takes: from `cancel` to `Done`, when nothing of the tree is left.
//!
//! `cargo bench --bench cancel`. Target: at most 50 ms for a tree that ends when it is asked. Linux.

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
use std::time::{Duration, Instant};

use agent_launcher::{EventKind, Status};
use it::Bench;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use support::median;
use tokio::io::{AsyncBufReadExt, BufReader};

const ROUNDS: usize = 40;
const GRACE: Duration = Duration::from_millis(500);

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    println!(
        "\ncancel: from the call to `Done`, nothing of the tree left; {ROUNDS} rounds, other lines take turns with it"
    );
    runtime.block_on(async {
        // Children of a careful agent end with its group.
        let polite = "fork\nfork\nout ready\nstall";
        told("by hand: TERM to the group, then wait for all", &mut by_hand(polite).await);
        told("a leader and two children, all end when asked", &mut ours(polite).await);
        told(
            "the same, one more in a session of its own",
            &mut ours("fork\nfork\nfork setsid\nout ready\nstall").await,
        );
        told("a leader that says goodbye, as Copilot does", &mut ours("graceful\nfork\nout ready\nstall").await);
        let stubborn = "ignore TERM\nfork setsid ignore-term\nout ready\nstall";
        let mut taken = ours(stubborn).await;
        taken.iter_mut().for_each(|time| *time = time.saturating_sub(GRACE));
        told("a stubborn leader and child, beyond the grace", &mut taken);
    });
}

fn told(what: &str, taken: &mut [Duration]) {
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let middle = median(taken).unwrap_or_default();
    println!("{:>7.1} ms median {:>7.1} ms at most  {what}", ms(middle), ms(taken[taken.len() - 1]));
}

async fn ours(scenario: &str) -> Vec<Duration> {
    let bench = Bench::copilot(scenario);
    let launcher = bench.builder().program(agent_launcher::AgentId::COPILOT, bench.bin().join("copilot"));
    let launcher = launcher.grace(GRACE).build();
    let mut taken = Vec::new();
    for _ in 0..ROUNDS {
        let request = bench.request("hi").stream_id("cancel");
        let mut run = bench.start(&launcher, &request).await;
        it::until(&mut run, |event| matches!(event, EventKind::Unrecognized { line } if line == "ready")).await;
        let begin = Instant::now();
        assert!(launcher.cancel("cancel"), "it is live");
        let events = it::collect(&mut run).await;
        taken.push(begin.elapsed());
        let EventKind::Done { outcome } = &events[events.len() - 1].kind else { panic!("{events:?}") };
        assert_eq!(outcome.status, Status::Cancelled);
        assert_eq!(bench.processes(), [], "nothing of the tree is left at `Done`");
    }
    taken
}

async fn by_hand(scenario: &str) -> Vec<Duration> {
    let bench = Bench::copilot(scenario);
    let mut taken = Vec::new();
    for _ in 0..ROUNDS {
        let mut command = tokio::process::Command::new(bench.bin().join("copilot"));
        command.args(["-p", "hi"]).current_dir(bench.vault()).process_group(0);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("the fake");
        let mut lines = BufReader::new(child.stdout.take().expect("stdout is piped")).lines();
        assert_eq!(lines.next_line().await.expect("a pipe").as_deref(), Some("ready"));
        let begin = Instant::now();
        let group = Pid::from_raw(child.id().expect("it runs") as i32);
        killpg(group, Signal::SIGTERM).expect("it runs");
        child.wait().await.expect("it ends");
        // Zombies that another has to collect are gone as far as anybody can tell.
        while !bench.processes().is_empty() {
            tokio::task::yield_now().await;
        }
        taken.push(begin.elapsed());
    }
    taken
}
