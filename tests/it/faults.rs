//! The faults that fakes have: each is what it claims, or the tests that rely on it prove nothing.

use std::io::Read as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Instant;

use crate::support::{DEADLINE, fake, processes};

/// A fake Copilot alone in a folder.
struct Alone {
    root: tempfile::TempDir,
}

impl Alone {
    fn new(scenario: &str) -> Alone {
        let root = fake::temp_dir();
        fake::install(root.path(), "copilot");
        fake::scenario(root.path(), "copilot", scenario);
        Alone { root }
    }

    fn start(&self, args: &[&str]) -> Child {
        let mut command = Command::new(self.root.path().join("copilot"));
        command.args(args).current_dir(self.root.path()).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Runs to the end: status, stdout, stderr. Both pipes are read at once.
    fn run(&self, args: &[&str]) -> (ExitStatus, Vec<u8>, Vec<u8>) {
        let output = self.start(args).wait_with_output().unwrap();
        (output.status, output.stdout, output.stderr)
    }

    /// Starts and reads stdout up to a line `ready`.
    fn ready(&self, args: &[&str]) -> Guard {
        let mut child = Guard(self.start(args));
        let mut seen = Vec::new();
        let mut byte = [0];
        while !seen.ends_with(b"ready\n") {
            assert_eq!(child.stdout.as_mut().unwrap().read(&mut byte).unwrap(), 1, "it ended before it was ready");
            seen.push(byte[0]);
        }
        child
    }
}

/// A fake that is gone when its test is.
struct Guard(Child);

impl std::ops::Deref for Guard {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.0
    }
}

impl std::ops::DerefMut for Guard {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        processes::kill_all(self.root.path());
    }
}

fn wait(child: &mut Child) -> ExitStatus {
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        assert!(begin.elapsed() < DEADLINE, "the fake does not end");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

const ARGS: [&str; 2] = ["-p", "hi"];

#[test]
fn floods_and_long_lines_are_as_long_as_told() {
    let (status, out, err) = Alone::new("flood-out 3000\nflood-err 5000000\nendless-line 100000\nexit 4").run(&ARGS);
    assert_eq!((status.code(), out.len(), err.len()), (Some(4), 103_000, 5_000_000));
    assert_eq!(err.iter().filter(|byte| **byte == b'\n').count(), 4883);
    assert!(out[3000..].iter().all(|byte| *byte == b'y'));
}

#[test]
fn a_recording_is_repeated_and_cut_as_told() {
    let alone = Alone::new("recorded-chunks some.txt 2 0\nrepeat some.txt 600000\nrecorded-err some.txt");
    std::fs::write(alone.root.path().join("some.txt"), "añb\n").unwrap();
    let (status, out, err) = alone.run(&ARGS);
    assert!(status.success() && out.len() >= 600_005 && out.len() % 5 == 0);
    assert!(out.chunks(5).all(|copy| copy == "añb\n".as_bytes()));
    assert_eq!(err, "añb\n".as_bytes());
}

#[test]
fn closed_pipes_read_as_ended_while_the_process_lives() {
    let alone = Alone::new("out ready\nclose-stdout\nclose-stderr\nstall");
    let mut child = alone.ready(&ARGS);
    let mut rest = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut rest).unwrap();
    child.stderr.take().unwrap().read_to_end(&mut rest).unwrap();
    assert_eq!((rest, child.try_wait().unwrap()), (Vec::new(), None));
}

#[test]
fn files_keep_step_with_a_test_and_notes_are_written() {
    let alone = Alone::new("touch here\nwait-file go\nwrite-note note.md # a {{prompt}}\nsleep 1");
    let mut child = alone.start(&ARGS);
    let begin = Instant::now();
    while !alone.root.path().join("here").exists() {
        assert!(begin.elapsed() < DEADLINE);
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    assert!(!alone.root.path().join("note.md").exists());
    std::fs::write(alone.root.path().join("go"), "").unwrap();
    assert!(wait(&mut child).success());
    assert_eq!(std::fs::read_to_string(alone.root.path().join("note.md")).unwrap(), "# a hi");
}

#[cfg(target_os = "linux")]
mod signals {
    use std::os::unix::process::ExitStatusExt as _;

    use nix::sys::signal::{Signal, kill};
    use nix::unistd::{Pid, getsid};

    use super::*;

    fn send(pid: u32, signal: Signal) {
        kill(Pid::from_raw(pid as i32), signal).unwrap();
    }

    #[test]
    fn it_dies_of_term_unless_it_ignores_it() {
        let alone = Alone::new("out ready\nstall");
        let mut child = alone.ready(&ARGS);
        send(child.id(), Signal::SIGTERM);
        assert_eq!(wait(&mut child).signal(), Some(15));

        let alone = Alone::new("ignore TERM\nignore INT\nout ready\nwait-file go\nexit 5");
        let mut child = alone.ready(&ARGS);
        send(child.id(), Signal::SIGTERM);
        send(child.id(), Signal::SIGINT);
        std::fs::write(alone.root.path().join("go"), "").unwrap();
        assert_eq!(wait(&mut child).code(), Some(5));
    }

    #[test]
    fn a_graceful_one_says_that_it_was_aborted_and_exits_0() {
        let alone = Alone::new("graceful\nout ready\nstall");
        let mut child = alone.ready(&["-p", "hi", "--output-format=json"]);
        send(child.id(), Signal::SIGTERM);
        let mut out = String::new();
        child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        assert_eq!(wait(&mut child).code(), Some(0));
        let lines: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((&lines[0]["data"]["aborted"], &lines[1]["exitCode"]), (&true.into(), &0.into()));
    }

    #[test]
    fn children_are_in_the_session_and_of_the_kind_that_was_told() {
        // What the fake itself ignores, its children do not.
        let alone =
            Alone::new("ignore TERM\nfork\nsetsid-child ignore-term\nfork double setsid clear-env\nout ready\nstall");
        let child = alone.ready(&ARGS);
        let own = getsid(Some(Pid::from_raw(child.id() as i32))).unwrap();
        let session = |pid: u32| getsid(Some(Pid::from_raw(pid as i32))).unwrap();
        let call = fake::calls(alone.root.path()).remove(0);
        let [plain, apart, middle] = call.children[..] else { panic!("three children: {:?}", call.children) };
        let pids = fake::child_pids(alone.root.path());
        let daemon = pids.into_iter().find(|pid| !call.children.contains(pid)).unwrap();
        assert_eq!(session(plain), own);
        assert_eq!(session(apart).as_raw(), apart as i32);
        assert_eq!(session(daemon).as_raw(), middle as i32);
        assert_eq!(std::fs::read(format!("/proc/{daemon}/environ")).unwrap(), b"");
        send(plain, Signal::SIGTERM);
        send(apart, Signal::SIGTERM);
        processes::assert_gone(&[middle], DEADLINE);
        // A zombie until the fake is gone: it never waits for its children, as careless agents do not.
        let begin = Instant::now();
        while !processes::alive(&[plain]).is_empty() {
            assert!(begin.elapsed() < DEADLINE);
        }
        assert_eq!(processes::alive(&[apart, daemon]), [apart, daemon]);
    }

    #[test]
    fn a_held_stdout_outlives_the_fake() {
        let alone = Alone::new("hold-stdout-in-child\nout ready\nexit 0");
        let mut child = alone.ready(&ARGS);
        assert_eq!(wait(&mut child).code(), Some(0));
        let mut out = child.stdout.take().unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || sender.send(out.read(&mut [0])));
        assert!(receiver.recv_timeout(std::time::Duration::from_millis(50)).is_err(), "stdout was closed");
        processes::kill_all(alone.root.path());
        assert_eq!(receiver.recv_timeout(DEADLINE).unwrap().unwrap(), 0);
    }

    #[test]
    fn a_fork_loop_and_a_fork_chain_start_what_they_say() {
        let alone = Alone::new("fork-loop 20\nout ready\nstall");
        let _child = alone.ready(&ARGS);
        assert_eq!(fake::calls(alone.root.path())[0].children.len(), 20);
        let alone = Alone::new("fork-chain 5\nwait-file go");
        let _child = Guard(alone.start(&ARGS));
        let begin = Instant::now();
        let last = || alone_child(&alone).filter(|what| what == "chain=0");
        while last().is_none() {
            assert!(begin.elapsed() < DEADLINE, "the chain does not come to its end");
        }
        let live = processes::of(alone.root.path());
        assert_eq!(live.iter().filter(|process| process.command.contains("chain=0")).count(), 1, "{live:#?}");
    }

    /// What the only child token of a fake says its latest holder is.
    fn alone_child(alone: &Alone) -> Option<String> {
        let entries = std::fs::read_dir(alone.root.path().join("calls")).ok()?;
        let file = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let file = file.into_iter().find(|path| path.extension().is_some_and(|found| found == "child"))?;
        let json: serde_json::Value = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
        json["what"].as_str().map(str::to_owned)
    }
}
