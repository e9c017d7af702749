//! A look at processes through `/proc`; elsewhere nothing is found, and tests that need it are for Linux.

use std::path::Path;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    pub(crate) parent: u32,
    /// `R`, `S`, `Z` and so on, as the system tells it.
    pub(crate) state: char,
    pub(crate) command: String,
}

/// What a process holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Holdings {
    pub(crate) descriptors: usize,
    pub(crate) threads: usize,
    /// Zombies and others.
    pub(crate) children: usize,
    /// Resident memory in KiB.
    pub(crate) resident_kib: u64,
}

/// What this process holds now. Means little while other tests run: see [`rerun`](super::rerun).
pub(crate) fn own() -> Holdings {
    let count = |path: &str| std::fs::read_dir(path).map(Iterator::count).unwrap_or(0);
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let resident = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    Holdings {
        // The folder that is being read is open itself.
        descriptors: count("/proc/self/fd").saturating_sub(1),
        threads: count("/proc/self/task"),
        children: table().iter().filter(|process| process.parent == std::process::id()).count(),
        resident_kib: resident.unwrap_or(0),
    }
}

/// The live processes that were started from a folder (by their command) or work in it, this one aside.
pub(crate) fn of(folder: &Path) -> Vec<Process> {
    let inside = |process: &Process| {
        let cwd = std::fs::read_link(format!("/proc/{}/cwd", process.pid));
        process.command.contains(folder.to_string_lossy().as_ref()) || cwd.is_ok_and(|cwd| cwd.starts_with(folder))
    };
    let own = std::process::id();
    table().into_iter().filter(|process| process.state != 'Z' && process.pid != own && inside(process)).collect()
}

/// Waits until none of these processes is left, not even as a zombie of this one. Panics past the limit.
pub(crate) fn assert_gone(pids: &[u32], limit: Duration) {
    let begin = Instant::now();
    loop {
        let left: Vec<Process> = pids.iter().filter_map(|pid| process(*pid)).filter(is_there).collect();
        if left.is_empty() {
            return;
        }
        assert!(begin.elapsed() < limit, "still there after {limit:?}: {left:#?}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Which of these processes live.
pub(crate) fn alive(pids: &[u32]) -> Vec<u32> {
    let lives = |pid: &u32| process(*pid).is_some_and(|process| process.state != 'Z');
    pids.iter().copied().filter(lives).collect()
}

/// Kills whatever was started from a folder, until nothing is left of it or a second has passed.
pub(crate) fn kill_all(folder: &Path) {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(1) {
        let left = of(folder);
        if left.is_empty() {
            return;
        }
        for process in left {
            let _ = kill(Pid::from_raw(process.pid as i32), Signal::SIGKILL);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A zombie of another parent is that parent's to clear away.
fn is_there(process: &Process) -> bool {
    process.state != 'Z' || process.parent == std::process::id()
}

fn table() -> Vec<Process> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter_map(process).collect()
}

fn process(pid: u32) -> Option<Process> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name is in parentheses and may hold anything, so that the fields begin behind the last one.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?.chars().next()?;
    let parent = fields.next()?.parse().ok()?;
    let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let command = String::from_utf8_lossy(&command).replace('\0', " ").trim_end().to_owned();
    Some(Process { pid, parent, state, command })
}
