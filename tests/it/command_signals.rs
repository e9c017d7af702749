//! Ctrl-C and its like: the run is cancelled, the whole tree is gone, and the code is 130.

use std::io::{BufRead, BufReader, Read};
use std::process::Child;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use crate::support::command::{Ended, signal};
use crate::support::processes::{alive, assert_gone};
use crate::support::{Bench, DEADLINE};

const GONE: Duration = Duration::from_secs(5);

/// Waits until the fake has written this file, which it does after all that matters has been started.
fn wait_for_file(bench: &Bench, name: &str) {
    let begin = Instant::now();
    while !bench.bin().join(name).exists() {
        assert!(begin.elapsed() < DEADLINE, "`{name}` was not written in time");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The rest of what a child prints.
fn rest(child: &mut Child) -> String {
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    text
}

#[test]
fn each_signal_cancels_the_run_and_leaves_nothing() {
    for sent in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        let bench = Bench::copilot("fork sleep-forever\nfork setsid ignore-term\ntouch up\nstall");
        let mut child = bench.asking(&["--json", "hi"]).spawn().unwrap();
        wait_for_file(&bench, "up");
        let pids = bench.pids();
        assert_eq!(alive(&pids).len(), 3, "{sent}: the fake and its two children");
        signal(child.id(), sent);
        let last = rest(&mut child);
        let last = last.lines().last().unwrap();
        assert_eq!(bench.end(child).code, Some(130), "{sent}");
        let done: serde_json::Value = serde_json::from_str(last).unwrap();
        assert_eq!((&done["kind"], &done["outcome"]["status"]), (&"Done".into(), &"cancelled".into()), "{sent}");
        assert!(!last.contains("\"kind\":\"Error\""), "{sent}");
        assert_gone(&pids, GONE);
    }
}

#[test]
fn a_cancelled_run_says_so_to_people() {
    let bench = Bench::copilot("touch up\nstall");
    let child = bench.asking(&["hi"]).spawn().unwrap();
    wait_for_file(&bench, "up");
    signal(child.id(), Signal::SIGINT);
    let ended = bench.end(child);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(130), ""), "{ended:?}");
    assert!(ended.stderr.lines().last().unwrap().starts_with("cancelled in "), "{ended:?}");
}

#[test]
fn a_second_signal_ends_the_command_at_once_and_leaves_nothing() {
    let bench = Bench::copilot("ignore TERM\nignore INT\nignore HUP\nfork setsid ignore-term\ntouch up\nstall");
    let child = bench.asking(&["--json", "hi"]).spawn().unwrap();
    wait_for_file(&bench, "up");
    let pids = bench.pids();
    signal(child.id(), Signal::SIGINT);
    signal(child.id(), Signal::SIGTERM);
    assert_eq!(bench.end(child).code, Some(130));
    assert_gone(&pids, GONE);
}

#[test]
fn a_signal_is_obeyed_while_nobody_reads_stdout() {
    let line = r#"json {"type":"assistant.message_delta","data":{"messageId":"m","deltaContent":"first"}}"#;
    let bench = Bench::copilot(&format!("{line}\nfork sleep-forever\ntouch up\nflood-out 100000000\nstall"));
    let mut child = bench.asking(&["--json", "hi"]).spawn().unwrap();
    // Held open and not read any further: the command's own writes come to a stop.
    let mut stdout = BufReader::with_capacity(64, child.stdout.take().unwrap());
    stdout.read_line(&mut String::new()).unwrap();
    wait_for_file(&bench, "up");
    let pids = bench.pids();
    signal(child.id(), Signal::SIGTERM);
    assert_eq!(bench.end(child).code, Some(130));
    assert_gone(&pids, GONE);
    drop(stdout);
}

#[test]
fn a_signal_during_the_search_ends_the_probe() {
    let bench = Bench::copilot("probe touch up\nprobe stall");
    let child = bench.asking(&["hi"]).spawn().unwrap();
    wait_for_file(&bench, "up");
    let pids: Vec<u32> = bench.calls().iter().map(|call| call.pid).collect();
    signal(child.id(), Signal::SIGINT);
    let ended = bench.end(child);
    let message = "error: cancelled before the agent was started\n";
    assert_eq!(ended, Ended { code: Some(130), stdout: String::new(), stderr: message.into() });
    assert_gone(&pids, GONE);
    assert_eq!(bench.runs().len(), 0);
}
