//! Drives one run from its start to its one `Done`.
//!
//! One task waits for everything at once: the reader's room, both pipes, stdin, the exit, the limits and the cancel. None
//! of them waits for another. Decides nothing about agents: decoders say what was said, `outcome` how it ended.

mod files;
mod outcome;
mod tail;
mod tell;
mod wait;

use std::sync::Arc;
use std::time::Duration;

use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::{Instant, sleep_until};

use crate::adapters::StopSignal;
use crate::event::EventKind;
use crate::process::{Exit, Pipes, Polite, Tree};
use crate::run::{Batch, Live, Registry};
use crate::watch::Watch;
pub(crate) use files::PrivateFiles;
use outcome::Stop;
use tail::Tail;
pub(crate) use tell::Facts;
use tell::Teller;
use wait::{Ending, read, reserve, try_reserve, wait, write};

/// How many bytes of output may wait for the reader, decoded.
const BUFFER: usize = 1024 * 1024;

/// What a batch of events takes of the buffer at least, however little output it came of.
const BATCH: usize = 128;

/// How many batches may wait for the reader: never fewer than the buffer has room for.
const BATCHES: usize = BUFFER / BATCH;

/// How much is read at once.
const CHUNK: usize = 64 * 1024;

/// How long an agent may go on after its final event, after a fatal error or after it closed stdout.
const LINGER: Duration = Duration::from_secs(2);

/// How long an agent may be silent after it said what it cannot get over, such as a refused sign-in.
const HOPELESS: Duration = Duration::from_secs(10);

/// How long a pipe may stay silent and open once the tree is gone: what holds it escaped, and is not waited for.
const SILENCE: Duration = Duration::from_millis(200);

/// How much is read at most from a pipe once the tree is gone. More than any pipe holds: the rest has another writer.
const DRAIN: usize = 4 * 1024 * 1024;

/// How long the events of a cancelled run wait for a reader that does not read.
const CANCELLED_WAIT: Duration = Duration::from_millis(100);

/// How much of stderr is kept to find the cause of a failure. `Outcome::stderr_tail` is its end.
const STDERR_KEPT: usize = 16 * 1024;

/// What the run's reader and supervisor share is made here, so that the last event has its place from the start.
pub(crate) fn channel() -> (mpsc::Sender<Batch>, mpsc::OwnedPermit<Batch>, mpsc::Receiver<Batch>) {
    let (sender, receiver) = mpsc::channel(BATCHES + 1);
    let last = sender.clone().try_reserve_owned().expect("the channel is new");
    (sender, last, receiver)
}

/// Limits of a supervisor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// How long an agent may take to end once it was asked.
    pub(crate) grace: Duration,
    /// The limit of the whole run.
    pub(crate) timeout: Option<Duration>,
    /// The limit of silence on both pipes.
    pub(crate) idle: Option<Duration>,
}

/// Ends a run that was cancelled before it had a process.
pub(crate) fn never_started(facts: Facts, last: mpsc::OwnedPermit<Batch>) {
    let events = Teller::new(facts).last(true, None, Exit::default(), ("", ""));
    last.send(Batch { events, room: None });
}

/// One run under way. Dropped before its end (with its runtime), it kills the tree and tells the end all the same.
pub(crate) struct Supervisor {
    live: Arc<Live>,
    registry: Arc<Registry>,
    tree: Arc<Tree>,
    files: Option<PrivateFiles>,
    watch: Option<Watch>,
    polite: Polite,
    limits: Limits,
    sender: Option<mpsc::Sender<Batch>>,
    last: Option<mpsc::OwnedPermit<Batch>>,
    room: Arc<Semaphore>,
    teller: Teller,
    stdin: Option<(ChildStdin, Vec<u8>)>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    tail: Tail,
    /// Stderr as it was when the supervisor stopped the agent: what the agent says of its own end is no cause.
    before_stop: Option<String>,
    exit: Option<Exit>,
    stop: Option<Stop>,
    cancelled: bool,
}

impl Supervisor {
    #[expect(clippy::too_many_arguments, reason = "the parts of a run, put together in one place")]
    pub(crate) fn new(
        live: Arc<Live>,
        registry: Arc<Registry>,
        mut facts: Facts,
        limits: Limits,
        tree: Arc<Tree>,
        pipes: Pipes,
        stdin: Vec<u8>,
        files: PrivateFiles,
        (sender, last): (mpsc::Sender<Batch>, mpsc::OwnedPermit<Batch>),
    ) -> Supervisor {
        let polite = Polite::from(facts.adapter.spec().stop_signal);
        Supervisor {
            live,
            registry,
            tree,
            files: Some(files),
            watch: facts.watch.take(),
            polite,
            limits,
            sender: Some(sender),
            last: Some(last),
            room: Arc::new(Semaphore::new(BUFFER)),
            teller: Teller::new(facts),
            stdin: pipes.stdin.map(|pipe| (pipe, stdin)),
            stdout: Some(pipes.stdout),
            stderr: Some(pipes.stderr),
            tail: Tail::new(STDERR_KEPT),
            before_stop: None,
            exit: None,
            stop: None,
            cancelled: false,
        }
    }

    /// Runs to the end. The tree is gone, the files are removed and the run has left the table before `Done` is told.
    pub(crate) async fn run(mut self) {
        let mut state = State::new(self.teller.start());
        let mut chunk = vec![0; CHUNK];
        let mut errors = vec![0; CHUNK / 8];
        let sender = self.sender.take().expect("the sender is taken once");
        while !self.is_over(&state) {
            if self.live.cancel.is_cancelled() && !self.cancelled {
                self.cancelled = true;
                self.end(&mut state, self.limits.grace);
            }
            if !state.pending.is_empty()
                && let Some((permit, room)) = try_reserve(&sender, &self.room, state.charge)
            {
                permit.send(Batch { events: std::mem::take(&mut state.pending), room: Some(room) });
                state.active();
                // A pipe that is always full would keep this task, and its worker, busy for long.
                tokio::task::yield_now().await;
                // These may have been the last: then there is nothing to wait for.
                continue;
            }
            let deadline = self.deadline(&state);
            tokio::select! {
                () = self.live.cancel.cancelled(), if !self.cancelled => {}
                exit = self.tree.exited(), if self.exit.is_none() => self.exited(exit.unwrap_or_default(), &mut state),
                gone = wait(&mut state.ending), if state.ending.is_some() => self.ended(gone, &mut state),
                room = reserve(&sender, &self.room, state.charge), if !state.pending.is_empty() => match room {
                    Some((permit, room)) => {
                        permit.send(Batch { events: std::mem::take(&mut state.pending), room: Some(room) });
                        state.active();
                    }
                    None => {
                        state.pending.clear();
                        self.live.cancel.cancel();
                    }
                },
                count = read(&mut self.stdout, &mut chunk), if self.stdout.is_some() && state.pending.is_empty() => {
                    self.printed(&chunk[..count], &mut state);
                }
                count = read(&mut self.stderr, &mut errors), if self.stderr.is_some() => {
                    self.complained(&errors[..count], &mut state);
                }
                written = write(&mut self.stdin, state.written), if self.stdin.is_some() => match written {
                    Ok(count @ 1..) => state.written += count,
                    // All was written, or the agent does not read. Its own exit and stderr tell why.
                    _ => self.stdin = None,
                },
                () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => self.late(&mut state),
            }
        }
        self.files.iter_mut().for_each(PrivateFiles::sweep);
        // What lies in the vault is compared once nothing of the agent can write, and told where somebody reads.
        self.teller.look_again(self.watch.take().filter(|_| !sender.is_closed()), &self.live.hurry).await;
        self.finish();
    }

    /// Whether all is read, told and gone.
    fn is_over(&self, state: &State) -> bool {
        let read = self.stdout.is_none() && self.stderr.is_none();
        read && state.pending.is_empty() && state.ending.is_none() && (state.gone || state.stuck) && self.exit.is_some()
    }

    /// Starts to end the tree.
    fn end(&mut self, state: &mut State, grace: Duration) {
        if state.ending.is_some() || state.gone {
            return;
        }
        let (tree, live, polite) = (Arc::clone(&self.tree), Arc::clone(&self.live), self.polite);
        state.ending = Some(Box::pin(async move {
            tokio::select! {
                gone = tree.end(polite, grace) => gone,
                () = live.hurry.cancelled() => tree.kill().await,
            }
        }));
    }

    fn exited(&mut self, exit: Exit, state: &mut State) {
        self.exit = Some(exit);
        self.stdin = None;
        if state.ending.is_none() && !state.gone {
            let (tree, polite) = (Arc::clone(&self.tree), self.polite);
            state.ending = Some(Box::pin(async move { tree.end_leftovers(polite).await }));
        }
        state.active();
    }

    fn ended(&mut self, gone: bool, state: &mut State) {
        state.ending = None;
        state.gone = gone;
        if !gone {
            tracing::warn!(stream_id = %self.live.stream_id, pid = self.tree.leader(), "the agent's tree could not be ended");
            // The kernel does not let it go. Nothing more can be done, and the reader must not wait for it.
            state.stuck = true;
            self.exit.get_or_insert_default();
        }
        state.active();
    }

    fn printed(&mut self, bytes: &[u8], state: &mut State) {
        state.active();
        if bytes.is_empty() || self.is_drained(bytes.len(), state) {
            return self.close_stdout(state);
        }
        state.held += bytes.len();
        state.pending = self.teller.stdout(bytes);
        if !state.pending.is_empty() {
            state.charge = u32::try_from(state.held.clamp(BATCH, BUFFER)).unwrap_or(u32::MAX);
            state.held = 0;
        }
        let report = self.teller.report();
        if report.bypassed.is_some() {
            self.stop(Stop::Bypassed, state, Duration::ZERO);
        } else if (report.finished || report.fatal) && state.lingers.is_none() {
            state.lingers = Some(Instant::now() + LINGER);
        }
    }

    fn close_stdout(&mut self, state: &mut State) {
        self.stdout = None;
        state.pending.extend(self.teller.end());
        state.charge = u32::try_from(state.held.clamp(BATCH, BUFFER)).unwrap_or(u32::MAX);
        state.lingers.get_or_insert(Instant::now() + LINGER);
    }

    fn complained(&mut self, bytes: &[u8], state: &mut State) {
        state.active();
        self.tail.push(bytes);
        state.pending.extend(self.teller.stderr(bytes));
        if bytes.is_empty() || self.is_drained(bytes.len(), state) {
            self.stderr = None;
        }
    }

    /// Whether a pipe gave more than it can have held when the tree was gone.
    fn is_drained(&self, count: usize, state: &mut State) -> bool {
        if state.gone || state.stuck {
            state.drained += count;
        }
        state.drained > DRAIN
    }

    /// The next moment at which something is too late.
    fn deadline(&self, state: &State) -> Option<Instant> {
        self.deadlines(state).into_iter().flatten().min()
    }

    fn deadlines(&self, state: &State) -> [Option<Instant>; 6] {
        let running = self.exit.is_none() && self.stop.is_none() && !self.cancelled;
        let over = state.gone || state.stuck;
        let waits = !state.pending.is_empty();
        let started = self.teller.started();
        [
            self.limits.timeout.filter(|_| running).and_then(|limit| started.checked_add(limit)),
            // While the reader holds the agent back, its silence is not the agent's.
            self.limits.idle.filter(|_| running && !waits).and_then(|limit| state.active.checked_add(limit)),
            state.lingers.filter(|_| running),
            (running && self.teller.is_hopeless()).then(|| state.active + HOPELESS),
            (over && !waits && (self.stdout.is_some() || self.stderr.is_some())).then(|| state.active + SILENCE),
            (self.cancelled && over && waits).then(|| state.active + CANCELLED_WAIT),
        ]
    }

    /// Acts on every moment that has passed.
    fn late(&mut self, state: &mut State) {
        let now = Instant::now();
        let [timeout, idle, lingers, hopeless, silence, unread] =
            self.deadlines(state).map(|at| at.is_some_and(|at| at <= now));
        if timeout {
            self.stop(Stop::TimedOut(self.limits.timeout.unwrap_or_default()), state, self.limits.grace);
        } else if lingers {
            let fatal = self.teller.report().fatal && !self.teller.report().finished;
            self.stop(if fatal { Stop::Fatal } else { Stop::Lingering }, state, self.limits.grace);
        } else if hopeless {
            self.stop(Stop::Fatal, state, self.limits.grace);
        } else if idle {
            self.stop(Stop::Idle(self.limits.idle.unwrap_or_default()), state, self.limits.grace);
        }
        if silence {
            self.stderr = None;
            if self.stdout.is_some() {
                self.close_stdout(state);
            }
        }
        if unread {
            state.pending.clear();
            self.stdout = None;
            self.stderr = None;
        }
    }

    fn stop(&mut self, why: Stop, state: &mut State, grace: Duration) {
        tracing::debug!(stream_id = %self.live.stream_id, ?why, "stopping the agent");
        self.stop.get_or_insert(why);
        self.before_stop.get_or_insert_with(|| self.tail.text());
        self.end(state, grace);
    }

    /// Tells the end, after everything of the run is gone.
    fn finish(&mut self) {
        let Some(last) = self.last.take() else { return };
        self.stdin = None;
        self.stdout = None;
        self.stderr = None;
        // Read before the files are removed, after everything that could still write is gone.
        if let Some(bytes) = self.files.take().and_then(|files| files.result()) {
            self.teller.result_file(&bytes);
        }
        // One more look, where the last one came before the leader was collected: then nothing guards it any longer.
        self.tree.live();
        let exit = self.exit.unwrap_or_default();
        let stderr = self.tail.text();
        let decisive = self.before_stop.as_deref().unwrap_or(&stderr);
        let events = self.teller.last(self.cancelled, self.stop, exit, (&stderr, decisive));
        if let Some(EventKind::Done { outcome }) = events.last() {
            let (status, exit_code, signal) = (outcome.status, outcome.exit_code, outcome.signal);
            tracing::debug!(stream_id = %self.live.stream_id, ?status, ?exit_code, ?signal, "run ended");
        }
        self.registry.leave(&self.live);
        last.send(Batch { events, room: None });
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        if self.last.is_some() {
            // Its runtime is gone. A panic is no wish of anybody: that run failed.
            self.cancelled |= !std::thread::panicking();
            self.tree.kill_now();
            self.finish();
        }
    }
}

/// What changes from one moment of a run to the next.
struct State {
    /// Events that wait for the reader. Stdout is not read meanwhile.
    pending: Vec<EventKind>,
    /// What they take of the buffer.
    charge: u32,
    /// Bytes read that no event has come of yet.
    held: usize,
    /// How much of stdin was written.
    written: usize,
    ending: Option<Ending>,
    /// Whether nothing of the tree is left.
    gone: bool,
    /// Whether something of the tree cannot be ended.
    stuck: bool,
    /// How much was read since.
    drained: usize,
    /// When a pipe last said something, or the reader last made room.
    active: Instant,
    /// Until when the agent may go on although it has said its last word.
    lingers: Option<Instant>,
}

impl State {
    fn new(pending: Vec<EventKind>) -> State {
        State {
            pending,
            charge: 0,
            held: 0,
            written: 0,
            ending: None,
            gone: false,
            stuck: false,
            drained: 0,
            active: Instant::now(),
            lingers: None,
        }
    }

    fn active(&mut self) {
        self.active = Instant::now();
    }
}

impl From<StopSignal> for Polite {
    fn from(signal: StopSignal) -> Polite {
        match signal {
            StopSignal::Term => Polite::Term,
            StopSignal::Int => Polite::Int,
        }
    }
}
