//! Owns process trees. The only module that starts or signals one.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// A process to start: everything it gets, nothing inherited.
#[derive(Clone)]
pub(crate) struct Command {
    /// An absolute path.
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
    pub(crate) cwd: PathBuf,
    /// The whole environment.
    pub(crate) env: BTreeMap<OsString, OsString>,
}

/// What a short process printed.
#[derive(Debug)]
pub(crate) struct Captured {
    pub(crate) exit_code: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    /// Whether the limit passed before it ended by itself.
    pub(crate) timed_out: bool,
    pub(crate) elapsed: Duration,
}

/// Runs a short process in a session of its own with stdin null and keeps at most `max_bytes` of each pipe.
///
/// Its whole tree is ended afterwards, whether it exited or the limit passed. Errors only where it could not start.
pub(crate) async fn capture(_command: Command, _limit: Duration, _max_bytes: usize) -> io::Result<Captured> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}
