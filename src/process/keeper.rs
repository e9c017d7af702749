//! One thread that lives as long as the host process, on which every child is started.
//!
//! Linux sends the parent-death signal when the *thread* that forked ends, not the process. A worker of a runtime that
//! is dropped, or a passing thread of the host, would take its agents with it. This thread never ends.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, OnceLock};

type Job = Box<dyn FnOnce() + Send>;

/// Runs `job` on the keeper and returns what it returns. On the caller's own thread where no thread can be had.
pub(super) fn on_keeper<T: Send + 'static>(job: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (done, result) = channel();
    soon_on_keeper(move || {
        let _ = done.send(job());
    });
    // The job was dropped without an answer only where it panicked, which ends the keeper: the caller reports it.
    result.recv().ok()
}

/// Runs `job` on the keeper, after those that came before it.
pub(super) fn soon_on_keeper(job: impl FnOnce() + Send + 'static) {
    let job: Job = Box::new(job);
    match keeper() {
        Some(keeper) => {
            let _ = keeper.lock().unwrap_or_else(|poison| poison.into_inner()).send(job);
        }
        None => job(),
    }
}

fn keeper() -> Option<&'static Mutex<Sender<Job>>> {
    static KEEPER: OnceLock<Option<Mutex<Sender<Job>>>> = OnceLock::new();
    let keeper = KEEPER.get_or_init(|| {
        let (sender, jobs) = channel::<Job>();
        let thread = std::thread::Builder::new().name("agent-launcher".into());
        let started = thread.spawn(move || jobs.iter().for_each(|job| job()));
        started.ok().map(|_| Mutex::new(sender))
    });
    keeper.as_ref()
}
