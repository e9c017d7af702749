//! The process table of Linux, read from `/proc`.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;

use super::MARK;

/// One process, as far as belonging to a tree is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: i32,
    pub(super) parent: i32,
    pub(super) group: i32,
    pub(super) session: i32,
    /// When it started, in ticks since boot. With the pid it names a process for good, as pids are used again.
    pub(super) start: u64,
    /// Whether it has ended and only waits to be collected.
    pub(super) ended: bool,
}

/// Every process. Empty where `/proc` cannot be read.
pub(super) fn all() -> Vec<Process> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(one).collect()
}

/// The process with this pid.
pub(super) fn one(pid: i32) -> Option<Process> {
    let mut buffer = [0; 1024];
    let mut file = std::fs::File::open(format!("/proc/{pid}/stat")).ok()?;
    let count = file.read(&mut buffer).ok()?;
    parse(pid, &buffer[..count])
}

/// Whether the process was started with our mark in its environment. Always false for another user's process.
pub(super) fn has_mark(pid: i32, mark: &OsStr) -> bool {
    let Ok(environ) = std::fs::read(format!("/proc/{pid}/environ")) else { return false };
    environ.split(|byte| *byte == 0).any(|entry| {
        let value = entry.strip_prefix(MARK.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
        value == Some(mark.as_bytes())
    })
}

/// Reads a line of `/proc/PID/stat`. The program's name, in parentheses, may hold spaces and parentheses.
fn parse(pid: i32, stat: &[u8]) -> Option<Process> {
    let name_end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(stat.get(name_end + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let ended = matches!(fields.next()?, "Z" | "X" | "x");
    let mut number = || fields.next()?.parse::<i32>().ok();
    let (parent, group, session) = (number()?, number()?, number()?);
    // `session` is field 6 and `starttime` field 22.
    let start = fields.nth(15)?.parse().ok()?;
    Some(Process { pid, parent, group, session, start, ended })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_name_with_parentheses_and_spaces_is_read_over() {
        let stat = b"4242 (a b) c) S 17 18 19 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 98765 1 1";
        let expected = Process { pid: 4242, parent: 17, group: 18, session: 19, start: 98765, ended: false };
        assert_eq!(parse(4242, stat), Some(expected));
        assert_eq!(parse(1, b"1 (x"), None);
        assert_eq!(parse(1, b""), None);
    }

    #[test]
    fn this_process_is_in_the_table() {
        let own = i32::try_from(std::process::id()).unwrap();
        let found = all().into_iter().find(|process| process.pid == own).unwrap();
        assert_eq!(Some(found), one(own));
        assert!(!found.ended);
    }
}
