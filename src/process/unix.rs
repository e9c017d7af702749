//! A process tree on unix: a session of its own, and whatever else can be traced back to it.
//!
//! What belongs to a tree: the leader and its session; the descendants of any member, sessions of their own included;
//! every process once seen as a member; on Linux also what carries the tree's mark in its environment, so that a double
//! fork into another session does not escape.
//!
//! Pids are used again. A member is a pid *and* its start time, checked again right before each signal. The group is
//! signalled as a whole only while the leader has its first start time: as long as it is not collected, no other process
//! can have its pid, and as long as a group has members, the kernel gives its number to nobody. A tree once seen empty
//! after its leader's end is gone for good and never signalled again.

use std::io;
use std::path::Path;
use std::pin::pin;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use nix::unistd::Pid;
use tokio::process::Child;

use super::guard;
use super::keeper::on_keeper;
use super::members::{Known, Member, Process};
use super::table;
use super::{Command, Exit, KILL_LIMIT, MARK, Pipes, Polite, Spawn};

/// A started process and all that it started. Dropping it kills all of them before it returns.
#[derive(Debug)]
pub(crate) struct Tree {
    child: Mutex<Child>,
    leader: i32,
    /// The leader's start time; `None` where the table could not be read.
    start: Option<u64>,
    /// Whether the guard knows it.
    guarded: bool,
    known: Mutex<Known>,
    gone: AtomicBool,
    /// Whether it was killed for as long as a kill may take, in vain.
    given_up: AtomicBool,
}

impl Tree {
    /// Starts a process as the leader of a session of its own, without a terminal.
    ///
    /// Must be called within a runtime. When this process dies, the leader gets the polite signal at once (Linux), and a
    /// tree that is `guarded` is ended as a whole.
    pub(crate) fn spawn(command: &Command, how: Spawn) -> io::Result<(Arc<Tree>, Pipes)> {
        let runtime = tokio::runtime::Handle::try_current().map_err(io::Error::other)?;
        let mut command = command.clone();
        // Of no plan, but of this start alone: what one host stops must not be another's that starts the same plan.
        let mark = uuid::Uuid::new_v4().simple().to_string();
        command.env.insert(MARK.into(), mark.clone().into());
        let started = on_keeper(move || {
            let _guard = runtime.enter();
            start(&command, how)
        });
        let mut child = started.unwrap_or_else(|| Err(io::Error::other("the thread that starts processes is gone")))?;

        let leader = child.id().and_then(|id| i32::try_from(id).ok());
        let leader = leader.filter(|pid| *pid > 1).ok_or_else(|| io::Error::other("the new process has no pid"))?;
        let pipes = Pipes {
            stdin: child.stdin.take(),
            stdout: child.stdout.take().expect("stdout is piped"),
            stderr: child.stderr.take().expect("stderr is piped"),
        };
        // The leader is not collected before `exited` or `try_wait` runs, so this is the right process.
        let start = table::start(leader);
        let known = Mutex::new(Known::new(leader, start, mark.clone().into()));
        let guarded = how.guarded.is_some();
        if let Some(grace) = how.guarded {
            guard::add(leader, how.polite, grace, &mark);
        }
        let (gone, given_up) = (AtomicBool::new(false), AtomicBool::new(false));
        Ok((Arc::new(Tree { child: Mutex::new(child), leader, start, guarded, known, gone, given_up }), pipes))
    }

    /// Tells of the folder with the tree's private files, so that it goes with the tree where this process is killed.
    pub(crate) fn owns(&self, folder: &Path) {
        if self.guarded {
            guard::owns(self.leader, folder);
        }
    }

    /// The leader's pid, for logs.
    pub(crate) fn leader(&self) -> i32 {
        self.leader
    }

    /// Waits until the leader has exited. Cancel safe. For one waiter at a time.
    pub(crate) async fn exited(&self) -> io::Result<Exit> {
        // `wait` keeps nothing between polls, so a fresh one each time leaves the lock free for `kill_now`.
        std::future::poll_fn(|context| pin!(lock(&self.child).wait()).poll(context)).await.map(Exit::from)
    }

    /// Whether nothing of the tree was left when it was last looked at, after the leader's end.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Acquire)
    }

    /// Whether a kill has lasted as long as it may and something was left. Then there is no use in waiting again.
    pub(super) fn is_given_up(&self) -> bool {
        self.given_up.load(Ordering::Acquire)
    }

    pub(super) fn give_up(&self) {
        self.given_up.store(true, Ordering::Release);
    }

    /// How many processes of the tree are alive.
    pub(crate) fn live(&self) -> usize {
        self.members().len()
    }

    /// Asks every process of the tree to end.
    pub(crate) fn ask(&self, polite: Polite) {
        self.signal(&self.members(), signal_of(polite));
    }

    /// Kills every process of the tree once; returns how many there were.
    pub(crate) fn strike(&self) -> usize {
        let members = self.members();
        self.signal(&members, Signal::SIGKILL);
        members.len()
    }

    /// Kills the tree until nothing is left, before it returns. Bounded by [`KILL_LIMIT`]; does nothing on a tree that is
    /// gone, and strikes once at one that was killed in vain before.
    pub(crate) fn kill_now(&self) {
        let limit = Instant::now() + if self.is_given_up() { Duration::ZERO } else { KILL_LIMIT };
        let mut pause = Duration::from_micros(200);
        while !self.is_gone() {
            let live = self.strike();
            let collected = !matches!(lock(&self.child).try_wait(), Ok(None));
            // Looked at once more after the leader was collected: only then is it known that the tree is gone for good.
            if live == 0 && collected && self.live() == 0 {
                return;
            }
            if Instant::now() >= limit {
                return self.give_up();
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(5));
        }
    }

    /// The living members, as the table has them now.
    fn members(&self) -> Vec<Member> {
        if self.is_gone() {
            return Vec::new();
        }
        // Looked at before the table, so that a leader that ends meanwhile does not hide its children.
        let collected = lock(&self.child).id().is_none();
        let mut table = table::all();
        if table.is_empty() && !collected {
            // Where the table cannot be read, the leader and its group are all that is known.
            let pid = self.leader;
            table.push(Process { pid, parent: 0, group: pid, session: pid, ended: false });
        }
        let mut members = lock(&self.known).look(&table);
        for ended in members.iter().map(|member| member.process).filter(|process| process.ended) {
            // An orphan comes to this process where that is the first of a container or adopts on purpose.
            if ended.pid != self.leader && ended.parent.unsigned_abs() == std::process::id() {
                let _ = nix::sys::wait::waitpid(Pid::from_raw(ended.pid), Some(nix::sys::wait::WaitPidFlag::WNOHANG));
            }
        }
        members.retain(|member| !member.process.ended);
        if members.is_empty() && collected {
            self.gone.store(true, Ordering::Release);
            self.unguard();
        }
        members
    }

    fn unguard(&self) {
        if self.guarded {
            guard::remove(self.leader);
        }
    }

    #[expect(clippy::disallowed_methods, reason = "the one place that signals")]
    fn signal(&self, members: &[Member], signal: Signal) {
        let leader = table::start(self.leader);
        if lock(&self.child).id().is_some() && leader == self.start {
            // The whole group at once: the kernel lets no fork slip through.
            let _ = nix::sys::signal::killpg(Pid::from_raw(self.leader), signal);
        }
        for member in members.iter().filter(|member| member.process.group != self.leader || leader.is_none()) {
            if table::start(member.process.pid) == Some(member.start) {
                let _ = nix::sys::signal::kill(Pid::from_raw(member.process.pid), signal);
            }
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        self.kill_now();
        self.unguard();
    }
}

fn signal_of(polite: Polite) -> Signal {
    match polite {
        Polite::Term => Signal::SIGTERM,
        Polite::Int => Signal::SIGINT,
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place that starts a process")]
fn start(command: &Command, how: Spawn) -> io::Result<Child> {
    let mut child = tokio::process::Command::new(&command.program);
    child.args(&command.args).current_dir(&command.cwd).env_clear().envs(&command.env);
    child.stdin(if how.stdin { Stdio::piped() } else { Stdio::null() }).stdout(Stdio::piped()).stderr(Stdio::piped());
    let (parent, on_parent_death) = (std::process::id(), signal_of(how.polite));
    #[expect(unsafe_code, reason = "there is no safe way to act between fork and exec")]
    // SAFETY: the closure only makes system calls that are safe after a fork (async-signal-safe), allocates nothing and
    // takes no lock. It touches no memory of the parent beyond two copied integers.
    unsafe {
        child.pre_exec(move || prepare(parent, on_parent_death));
    }
    // A program that is being written (an update, an installation) is whole a moment later.
    let busy = |result: &io::Result<Child>| {
        result.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::ExecutableFileBusy)
    };
    let mut started = child.spawn();
    for _ in 0..5 {
        if !busy(&started) {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
        started = child.spawn();
    }
    started
}

/// Runs in the child between fork and exec. Must only make system calls.
fn prepare(parent: u32, on_parent_death: Signal) -> io::Result<()> {
    // No terminal: nothing below the agent can ask at one and wait for ever.
    nix::unistd::setsid()?;
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP, Signal::SIGQUIT] {
        #[expect(unsafe_code, reason = "a host that ignores a signal would make the agent deaf to it")]
        // SAFETY: setting the default action installs no handler.
        let _ = unsafe { nix::sys::signal::signal(signal, nix::sys::signal::SigHandler::SigDfl) };
    }
    #[cfg(target_os = "linux")]
    {
        // Descriptors that the host forgot to mark are not the agent's. Old kernels do not know the call.
        let first: nix::libc::c_uint = 3;
        #[expect(unsafe_code, reason = "there is no safe binding")]
        // SAFETY: the call takes three numbers and only marks descriptors to be closed by exec.
        let _ = unsafe {
            nix::libc::syscall(
                nix::libc::SYS_close_range,
                first,
                nix::libc::c_uint::MAX,
                nix::libc::CLOSE_RANGE_CLOEXEC,
            )
        };
        nix::sys::prctl::set_pdeathsig(on_parent_death)?;
        // The parent may have died before the line above.
        if nix::unistd::getppid().as_raw().unsigned_abs() != parent {
            return Err(io::Error::from(nix::errno::Errno::ESRCH));
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (parent, on_parent_death);
    Ok(())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poison| poison.into_inner())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[tokio::test]
    async fn a_tree_that_was_killed_in_vain_is_still_struck_once_by_each_further_kill() {
        let command = Command {
            program: "/bin/sh".into(),
            args: ["-c", "read never"].map(Into::into).into(),
            cwd: "/".into(),
            env: BTreeMap::new(),
        };
        let how = Spawn { stdin: true, polite: Polite::Term, guarded: None };
        for now in [true, false] {
            let (tree, _pipes) = Tree::spawn(&command, how).unwrap();
            tree.give_up();
            if now {
                tree.kill_now();
            } else {
                tree.kill().await;
            }
            assert_eq!(tree.exited().await.unwrap(), Exit { code: None, signal: Some(9) });
        }
    }
}
