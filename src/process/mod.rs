//! Owns process trees. The only module that starts or signals one.
//!
//! What belongs to a tree and what escapes it is told in `docs/GUARANTEES.md`; how each system finds it, in the module
//! of that system. Nothing here knows of agents, requests or events.

mod capture;
#[cfg(unix)]
mod guard;
#[cfg(unix)]
mod keeper;
#[cfg(unix)]
mod members;
#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod table;
#[cfg(target_os = "macos")]
#[path = "macos.rs"]
mod table;
#[cfg(all(unix, not(any(target_os = "linux", target_os = "macos"))))]
#[path = "other.rs"]
mod table;
#[cfg(unix)]
#[path = "unix.rs"]
mod tree;
#[cfg(windows)]
#[path = "windows.rs"]
mod tree;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::time::{Instant, sleep};

pub(crate) use capture::{Captured, capture};
pub(crate) use tree::Tree;

/// The variable whose value every process of a tree inherits, and no other process has.
///
/// What leaves the tree by a double fork into a session of its own is found by it (Linux).
#[cfg(unix)]
const MARK: &str = "AGENT_LAUNCHER_RUN";

/// How long what an agent left behind at its own exit may take to end once it was asked to.
const LEFTOVER_GRACE: Duration = Duration::from_millis(100);

/// How long what is left of a tree that is being stopped may take after its leader has exited, within the grace. An npm
/// shim exits at once, and the agent behind it needs a moment (Copilot: 0.3 s).
const ORPHAN_GRACE: Duration = Duration::from_millis(500);

/// How long a kill is repeated before it is given up. Only a process that forks faster than it is killed, or one that
/// the kernel does not let go, lasts that long.
const KILL_LIMIT: Duration = Duration::from_secs(2);

/// The current runtime, where it can run processes: one without timers or I/O would panic, and after the start at that.
pub(crate) fn runtime() -> Option<tokio::runtime::Handle> {
    let runtime = tokio::runtime::Handle::try_current().ok()?;
    // There is no other way to ask. What is made here does nothing and is dropped at once.
    let has_drivers = std::panic::catch_unwind(|| {
        drop(tokio::time::sleep(Duration::ZERO));
        #[cfg(unix)]
        drop(tokio::signal::unix::signal(tokio::signal::unix::SignalKind::child()));
    });
    has_drivers.ok().map(|()| runtime)
}

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

/// How to start a process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spawn {
    /// Whether stdin is a pipe; else it is empty.
    pub(crate) stdin: bool,
    /// How the tree is asked to end.
    pub(crate) polite: Polite,
    /// The grace of a tree that is ended when this process dies without warning. `None` where it is not: the guard costs a
    /// shell as long as one such tree lives.
    pub(crate) guarded: Option<Duration>,
}

/// The signal that asks a tree to end by itself. On Windows there is none, and the tree is ended at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Polite {
    /// SIGTERM.
    Term,
    /// SIGINT.
    Int,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Exit {
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
}

/// Our ends of a process's pipes. Nothing of the host's own is ever inherited.
#[derive(Debug)]
pub(crate) struct Pipes {
    /// `None` where stdin is null.
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

impl From<std::process::ExitStatus> for Exit {
    fn from(status: std::process::ExitStatus) -> Exit {
        #[cfg(unix)]
        let signal = std::os::unix::process::ExitStatusExt::signal(&status);
        #[cfg(not(unix))]
        let signal = None;
        Exit { code: status.code(), signal }
    }
}

impl Tree {
    /// Asks the tree to end, waits for at most `grace`, then kills what is left until nothing is.
    ///
    /// Returns whether the tree is gone. Bounded by `grace` and [`KILL_LIMIT`]. May be called again, and after the end.
    pub(crate) async fn end(&self, polite: Polite, grace: Duration) -> bool {
        if self.is_gone() {
            return true;
        }
        let begin = Instant::now();
        self.ask(polite);
        let _ = tokio::time::timeout(grace, self.exited()).await;
        // The leader is the one that ends the others politely. Once it is gone there is little to wait for.
        let rest = grace.saturating_sub(begin.elapsed());
        self.vanish(Instant::now() + rest.min(ORPHAN_GRACE)).await || self.kill().await
    }

    /// Ends what is left after the leader has exited: asks, waits a moment, kills.
    pub(crate) async fn end_leftovers(&self, polite: Polite) -> bool {
        if self.live() == 0 {
            return true;
        }
        self.ask(polite);
        self.vanish(Instant::now() + LEFTOVER_GRACE).await || self.kill().await
    }

    /// Kills the tree, again and again until nothing of it is left or [`KILL_LIMIT`] has passed.
    pub(crate) async fn kill(&self) -> bool {
        let limit = Instant::now() + if self.is_given_up() { Duration::ZERO } else { KILL_LIMIT };
        let mut pause = Duration::from_millis(1);
        while self.strike() > 0 {
            if Instant::now() >= limit {
                self.give_up();
                return false;
            }
            sleep(pause).await;
            pause = (pause * 2).min(Duration::from_millis(20));
        }
        true
    }

    /// Waits until nothing of the tree is left, at most until `limit`.
    async fn vanish(&self, limit: Instant) -> bool {
        let mut pause = Duration::from_millis(1);
        while self.live() > 0 {
            if Instant::now() >= limit {
                return false;
            }
            sleep(pause).await;
            pause = (pause * 2).min(Duration::from_millis(20));
        }
        true
    }
}
