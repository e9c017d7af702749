//! Many runs leave nothing behind. The long version is `cargo bench --bench soak`.

use agent_launcher::{EventKind, Launcher, Status};

use crate::support::processes::{Holdings, own};
use crate::support::{Bench, DEADLINE, check, collect, rerun, text};

#[test]
fn many_runs_one_after_another_and_at_once_leave_nothing_behind() {
    // In a process of its own, since descriptors and threads are counted.
    let output = rerun("soak::alone", &[]).output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(told.contains("1 passed"), "the other half did not run: {told}");
}

#[test]
#[ignore = "run by the test above, alone in a process"]
fn alone() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let bench = Bench::copilot("");
        let launcher = bench.launcher();
        at_once(&bench, &launcher, 8).await;
        let before = own();
        for _ in 0..60 {
            at_once(&bench, &launcher, 1).await;
        }
        settled(before).await;
        let most = at_once(&bench, &launcher, 24).await;
        assert!(most.threads <= before.threads + 4, "a thread a run: {before:?}, then {most:?}");
        settled(before).await;
        // A run that is dropped in its middle, and one that is cancelled, leave no more than one that ends.
        bench.script("copilot", "fork\nout ready\nstall");
        for round in 0..10 {
            let mut run = bench.start(&launcher, &bench.request("hi")).await;
            let mut events =
                crate::support::until(&mut run, |event| matches!(event, EventKind::Unrecognized { .. })).await;
            if round % 2 == 0 {
                assert!(launcher.cancel(run.stream_id()));
                events.extend(collect(&mut run).await);
                assert_eq!(check(&events).status, Status::Cancelled);
            }
        }
        settled(before).await;
        assert_eq!(bench.processes(), []);
        let after = own();
        let grown = after.resident_kib.saturating_sub(before.resident_kib);
        assert!(grown < 16 * 1024, "memory grew by {grown} KiB: {before:?}, then {after:?}");
    });
}

/// Starts so many runs, then lets them answer and reads each to its end; what this process held when all of them lived.
async fn at_once(bench: &Bench, launcher: &Launcher, count: usize) -> Holdings {
    let go = bench.bin().join("go");
    bench.script("copilot", "wait-file go\nanswer");
    let mut runs = Vec::new();
    for _ in 0..count {
        runs.push(bench.start(launcher, &bench.request("hi")).await);
    }
    let most = own();
    assert!(most.children >= count, "not all of them live: {most:?}");
    std::fs::write(&go, "").unwrap();
    for mut run in runs {
        let events = collect(&mut run).await;
        assert_eq!(check(&events).status, Status::Completed);
        assert_eq!(text(&events), "Hello from the fake");
    }
    std::fs::remove_file(&go).unwrap();
    most
}

/// Waits until descriptors, threads and children are back where they were.
async fn settled(before: Holdings) {
    let begin = std::time::Instant::now();
    loop {
        let now = own();
        if now.descriptors <= before.descriptors && now.threads <= before.threads && now.children <= before.children {
            return;
        }
        assert!(begin.elapsed() < DEADLINE, "before {before:?}, now {now:?}");
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}
