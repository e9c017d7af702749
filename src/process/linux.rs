//! The process table of Linux, read from `/proc`.
//!
//! Which of its files is read matters. `stat` waits for a program that is just being started (Linux 6.18: for the lock that
//! exec holds), `environ` and `cmdline` for the lock of a process's memory. On a machine at its limit, whoever holds such a
//! lock may not get a processor for seconds, and whoever asks waits as long: 3.9 s were measured, with six busy programs
//! and as many of the lowest priority on two processors. `status` never waits. So the table is made of `status`, and the
//! others are read only of what belongs to a tree or may.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;

use super::MARK;
use super::members::Process;

/// Every process. Empty where `/proc` cannot be read.
pub(super) fn all() -> Vec<Process> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let mut buffer = Vec::new();
    pids.filter_map(|pid| parse(pid, read(pid, "status", &mut buffer)?)).collect()
}

/// When the process with this pid started, in ticks since boot.
pub(super) fn start(pid: i32) -> Option<u64> {
    start_of(read(pid, "stat", &mut Vec::new())?)
}

fn read<'a>(pid: i32, file: &str, buffer: &'a mut Vec<u8>) -> Option<&'a [u8]> {
    buffer.clear();
    std::fs::File::open(format!("/proc/{pid}/{file}")).ok()?.read_to_end(buffer).ok()?;
    Some(buffer)
}

/// Whether the process was started with our mark in its environment. `None` where that cannot be read: of another user's
/// process, and of one that is just being started or is ending.
pub(super) fn has_mark(pid: i32, mark: &OsStr) -> Option<bool> {
    let environ = std::fs::read(format!("/proc/{pid}/environ")).ok().filter(|environ| !environ.is_empty())?;
    Some(environ.split(|byte| *byte == 0).any(|entry| {
        let value = entry.strip_prefix(MARK.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
        value == Some(mark.as_bytes())
    }))
}

/// Reads `/proc/PID/status`. No line but its own begins with a field's name: line breaks in the program's are written as
/// `\n`. Of the numbers in each namespace the first is that of ours.
fn parse(pid: i32, status: &[u8]) -> Option<Process> {
    let fields: [&[u8]; 4] = [b"State:", b"PPid:", b"NSpgid:", b"NSsid:"];
    let mut found = [None; 4];
    for line in status.split(|byte| *byte == b'\n') {
        for (name, value) in fields.iter().zip(&mut found) {
            if let Some(rest) = line.strip_prefix(*name) {
                *value = std::str::from_utf8(rest).ok()?.split_ascii_whitespace().next();
            }
        }
    }
    let [state, parent, group, session] = found;
    let number = |value: Option<&str>| value?.parse::<i32>().ok();
    let ended = matches!(state?, "Z" | "X" | "x");
    Some(Process { pid, parent: number(parent)?, group: number(group)?, session: number(session)?, ended })
}

/// Reads the start time in `/proc/PID/stat`. The program's name, in parentheses, may hold spaces and parentheses.
fn start_of(stat: &[u8]) -> Option<u64> {
    let name_end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(stat.get(name_end + 1..)?).ok()?;
    // It is field 22, and the first behind the name is field 3.
    rest.split_ascii_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_name_with_parentheses_spaces_and_line_breaks_is_read_over() {
        let stat = b"4242 (a b) c) S 17 18 19 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 98765 1 1";
        assert_eq!(start_of(stat), Some(98765));
        assert_eq!(start_of(b"1 (x"), None);
        assert_eq!(start_of(b""), None);
        let status = b"Name:\tx\\nPPid:\t1\nState:\tS (sleeping)\nTgid:\t7\nPid:\t7\nPPid:\t17\nNSpid:\t7\t1\n\
            NSpgid:\t18\t1\nNSsid:\t19\t1\nVmPeak:\t1 kB\n";
        let expected = Process { pid: 7, parent: 17, group: 18, session: 19, ended: false };
        assert_eq!(parse(7, status), Some(expected));
        assert_eq!(parse(7, b"Name:\tx\nState:\tS (sleeping)\n"), None);
        assert_eq!(parse(7, b"\xff\xfe"), None);
        assert_eq!(parse(7, b""), None);
    }

    #[test]
    fn this_process_is_in_the_table() {
        let own = i32::try_from(std::process::id()).unwrap();
        let found = all().into_iter().find(|process| process.pid == own).unwrap();
        let number = |pid: nix::unistd::Pid| pid.as_raw();
        let expected = Process {
            pid: own,
            parent: number(nix::unistd::getppid()),
            group: number(nix::unistd::getpgrp()),
            session: number(nix::unistd::getsid(None).unwrap()),
            ended: false,
        };
        assert_eq!(found, expected);
        assert!(start(own).unwrap() > 0);
    }
}
