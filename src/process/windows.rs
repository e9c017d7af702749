//! A process tree on Windows: a Job Object that the leader is put in before it runs.
//!
//! Every descendant is in the job, and none can leave it. The last handle of the job is ours: when it is closed, by
//! us or by the end of the host process, however it ends, Windows ends all of them. There is no polite signal for a
//! program without a window, so a tree is ended at once.

use std::io;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use process_wrap::tokio::{ChildWrapper, CommandWrap, CommandWrapper, JobObject, KillOnDrop};

use super::{Command, Exit, Pipes, Polite, Spawn};

/// A started process and all that it started. Dropping it ends all of them.
#[derive(Debug)]
pub(crate) struct Tree {
    child: Mutex<Box<dyn ChildWrapper>>,
    struck: AtomicBool,
}

/// No console window on any spawn, and suspended until the job has it.
#[derive(Debug)]
struct Flags;

impl CommandWrapper for Flags {
    fn pre_spawn(&mut self, command: &mut tokio::process::Command, _core: &CommandWrap) -> io::Result<()> {
        const CREATE_SUSPENDED: u32 = 0x0000_0004;
        const CREATE_NO_WINDOW: u32 = 0x0800_0000;
        // `JobObject` sets its own flags before (wrappers are applied in order) and resumes the process.
        command.creation_flags(CREATE_SUSPENDED | CREATE_NO_WINDOW);
        Ok(())
    }
}

impl Tree {
    /// Starts a process as the first of a job of its own. Must be called within a runtime.
    #[expect(clippy::disallowed_methods, reason = "the one place that starts a process")]
    pub(crate) fn spawn(command: &Command, how: Spawn) -> io::Result<(Arc<Tree>, Pipes)> {
        // There is no way to ask, and a job ends with its host by itself.
        let _ = (how.polite, how.guarded);
        let mut wrap = CommandWrap::with_new(&command.program, |child| {
            child.args(&command.args).current_dir(&command.cwd).env_clear().envs(&command.env);
            child.stdin(if how.stdin { Stdio::piped() } else { Stdio::null() });
            child.stdout(Stdio::piped()).stderr(Stdio::piped());
        });
        let mut child = wrap.wrap(KillOnDrop).wrap(JobObject).wrap(Flags).spawn()?;
        let pipes = Pipes {
            stdin: child.stdin().take(),
            stdout: child.stdout().take().expect("stdout is piped"),
            stderr: child.stderr().take().expect("stderr is piped"),
        };
        Ok((Arc::new(Tree { child: Mutex::new(child), struck: AtomicBool::new(false) }), pipes))
    }

    /// Nothing is told: a killed host leaves its private files to the system.
    pub(crate) fn owns(&self, _folder: &std::path::Path) {}

    /// Never: a job ends all that is in it.
    pub(super) fn is_given_up(&self) -> bool {
        false
    }

    pub(super) fn give_up(&self) {}

    /// The leader's pid, for logs; 0 once it was collected.
    pub(crate) fn leader(&self) -> u32 {
        lock(&self.child).id().unwrap_or_default()
    }

    /// Waits until the leader has exited. Cancel safe. For one waiter at a time.
    pub(crate) async fn exited(&self) -> io::Result<Exit> {
        // The job's own `wait` keeps a thread until the job is empty; only the leader is waited for here.
        let wait = std::future::poll_fn(|context| lock(&self.child).inner_mut().wait().as_mut().poll(context));
        wait.await.map(Exit::from)
    }

    /// Whether the tree was ended.
    pub(crate) fn is_gone(&self) -> bool {
        self.struck.load(Ordering::Acquire)
    }

    /// 1 as long as the tree was not ended: what is in the job is not counted.
    pub(crate) fn live(&self) -> usize {
        usize::from(!self.is_gone())
    }

    /// Ends the tree, as there is no way to ask.
    pub(crate) fn ask(&self, _polite: Polite) {
        self.kill_now();
    }

    /// Ends the tree; returns how many processes may be left.
    pub(crate) fn strike(&self) -> usize {
        self.kill_now();
        self.live()
    }

    /// Ends the tree.
    pub(crate) fn kill_now(&self) {
        if lock(&self.child).start_kill().is_ok() {
            self.struck.store(true, Ordering::Release);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poison| poison.into_inner())
}
