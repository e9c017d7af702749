//! The process table of macOS, read through libproc.

use std::ffi::OsStr;

use nix::libc;
use nix::unistd::{Pid, getsid};

use super::members::Process;

/// Every process that may be seen.
pub(super) fn all() -> Vec<Process> {
    // The list may grow between the two calls; a quarter more is room enough.
    // SAFETY: with a null buffer the call only returns the number of processes.
    #[expect(unsafe_code, reason = "libproc has no safe binding")]
    let count = unsafe { libc::proc_listallpids(std::ptr::null_mut(), 0) };
    let Ok(count) = usize::try_from(count) else { return Vec::new() };
    let mut pids: Vec<i32> = vec![0; count + count / 4 + 16];
    let bytes = i32::try_from(pids.len() * size_of::<i32>()).unwrap_or(i32::MAX);
    // SAFETY: the buffer is as long as the length given.
    #[expect(unsafe_code, reason = "libproc has no safe binding")]
    let count = unsafe { libc::proc_listallpids(pids.as_mut_ptr().cast(), bytes) };
    pids.truncate(usize::try_from(count).unwrap_or(0));
    pids.into_iter().filter(|pid| *pid > 0).filter_map(one).collect()
}

/// When the process with this pid started, in microseconds.
pub(super) fn start(pid: i32) -> Option<u64> {
    let info = info(pid)?;
    Some(info.pbi_start_tvsec.saturating_mul(1_000_000).saturating_add(info.pbi_start_tvusec))
}

fn one(pid: i32) -> Option<Process> {
    let info = info(pid)?;
    Some(Process {
        pid,
        parent: i32::try_from(info.pbi_ppid).ok()?,
        group: i32::try_from(info.pbi_pgid).ok()?,
        session: getsid(Some(Pid::from_raw(pid))).map(Pid::as_raw).unwrap_or_default(),
        ended: info.pbi_status == libc::SZOMB,
    })
}

fn info(pid: i32) -> Option<libc::proc_bsdinfo> {
    let size = i32::try_from(size_of::<libc::proc_bsdinfo>()).ok()?;
    let mut info = std::mem::MaybeUninit::<libc::proc_bsdinfo>::zeroed();
    // SAFETY: the buffer is as long as the length given, and all zeros is a value of the structure.
    #[expect(unsafe_code, reason = "libproc has no safe binding")]
    unsafe {
        let written = libc::proc_pidinfo(pid, libc::PROC_PIDTBSDINFO, 0, info.as_mut_ptr().cast(), size);
        (written == size).then(|| info.assume_init())
    }
}

/// Whether the process was started with our mark in its environment. Never told: macOS hides most environments.
pub(super) fn has_mark(_pid: i32, _mark: &OsStr) -> Option<bool> {
    Some(false)
}
