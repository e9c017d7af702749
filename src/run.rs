//! A started run as its reader sees it, and the table of all that are live.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, Weak};
use std::task::{Context, Poll, ready};

use tokio::sync::{Notify, OwnedSemaphorePermit, mpsc};
use tokio_util::sync::CancellationToken;

use crate::error::Error;
use crate::event::{Event, EventKind};
use crate::plan::Ticket;
use crate::process::Tree;

/// A started run: a stream of events that begins with `Init` and ends with `Done`.
///
/// The agent is supervised by a task of the runtime that [`start`](crate::Launcher::start) was called in, so a run goes
/// on, and can be cancelled and time out, while nobody reads. A reader that lags holds the agent back; nothing is
/// dropped, and what was printed before the agent's end arrives. Only a cancelled run whose reader has stopped reading
/// may lose its last events, never `Done`.
///
/// # Dropping
///
/// Dropping a run kills the agent and all it started before `drop` returns, without a polite signal; it commonly takes
/// a millisecond or two, and at most two seconds where the kernel does not let a process go. Dropping the runtime does the same. To let the agent end by itself,
/// [`cancel`](crate::Launcher::cancel) and read on to `Done`. A run that was read to `Done` has nothing left to kill.
///
/// # The stream id
///
/// It is free for another run as soon as `Done` can be read, and right after a drop (save where the kernel did not let a
/// process go). A run that was only cancelled keeps it to its `Done`: what it still does bears that id.
pub struct Run {
    pub(crate) live: Arc<Live>,
    registry: Arc<Registry>,
    pub(crate) receiver: mpsc::Receiver<Batch>,
    batch: std::vec::IntoIter<EventKind>,
    room: Option<OwnedSemaphorePermit>,
    seq: u64,
}

/// Events on their way to the reader, and the share of the buffer that they take until they are read.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) events: Vec<EventKind>,
    pub(crate) room: Option<OwnedSemaphorePermit>,
}

impl Run {
    pub(crate) fn new(live: Arc<Live>, registry: Arc<Registry>, receiver: mpsc::Receiver<Batch>) -> Run {
        Run { live, registry, receiver, batch: Vec::new().into_iter(), room: None, seq: 0 }
    }

    /// The run's stream id.
    pub fn stream_id(&self) -> &str {
        &self.live.stream_id
    }

    /// The next event; `None` after `Done`.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no event is lost when the future is dropped before it is ready.
    pub async fn next(&mut self) -> Option<Event> {
        std::future::poll_fn(|context| self.poll_event(context)).await
    }

    /// Events are numbered here, as they are handed out, so that no order of things can leave a gap.
    fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Option<Event>> {
        loop {
            if let Some(kind) = self.batch.next() {
                let seq = self.seq;
                self.seq += 1;
                return Poll::Ready(Some(Event { stream_id: self.live.stream_id.clone(), seq, kind }));
            }
            self.room = None;
            let Some(batch) = ready!(self.receiver.poll_recv(context)) else { return Poll::Ready(None) };
            self.batch = batch.events.into_iter();
            self.room = batch.room;
        }
    }
}

impl futures_core::Stream for Run {
    type Item = Event;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Event>> {
        self.get_mut().poll_event(context)
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.live.cancel.cancel();
        if let Some(tree) = self.live.tree.get() {
            tree.kill_now();
            // Before that, the next run of this id could be taken for a part of this one.
            if tree.is_gone() {
                self.registry.free(&self.live);
            }
        }
    }
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run").field("stream_id", &self.live.stream_id).field("seq", &self.seq).finish_non_exhaustive()
    }
}

/// What the reader, the supervisor and the launcher share of a run.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) stream_id: String,
    /// Asks the run to stop.
    pub(crate) cancel: CancellationToken,
    /// Ends the patience with an agent that is being stopped.
    pub(crate) hurry: CancellationToken,
    /// The agent, once it was started.
    pub(crate) tree: OnceLock<Arc<Tree>>,
}

impl Live {
    pub(crate) fn new(stream_id: String) -> Arc<Live> {
        let (cancel, hurry) = (CancellationToken::new(), CancellationToken::new());
        Arc::new(Live { stream_id, cancel, hurry, tree: OnceLock::new() })
    }
}

/// Every live run by its stream id, and the plans that were made and not started.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    table: Mutex<Table>,
    /// Told on each end of a run.
    ended: Notify,
}

#[derive(Debug, Default)]
struct Table {
    live: HashMap<String, Arc<Live>>,
    /// Dropped runs whose id is free again and whose private files may still be there.
    leaving: Vec<Arc<Live>>,
    planned: Vec<(String, Weak<AtomicBool>)>,
    closed: bool,
}

impl Table {
    /// Takes a run away from its id; whether it had it.
    fn take(&mut self, live: &Arc<Live>) -> bool {
        let own = self.live.get(&live.stream_id).is_some_and(|entry| Arc::ptr_eq(entry, live));
        own && self.live.remove(&live.stream_id).is_some()
    }
}

impl Registry {
    /// Notes that a plan is being made, so that a cancel reaches it.
    pub(crate) fn planned(&self, stream_id: &str, ticket: &Ticket) {
        let mut table = self.table();
        table.planned.retain(|(_, ticket)| ticket.strong_count() > 0);
        table.planned.push((stream_id.to_owned(), Arc::downgrade(&ticket.cancelled)));
    }

    /// Enters a run before its process exists. From here on a cancel goes to the run, and its plan may be started again
    /// after the end.
    pub(crate) fn enter(&self, live: &Arc<Live>, ticket: &Ticket) -> Result<(), Error> {
        let mut table = self.table();
        if table.closed {
            return Err(Error::ShutDown);
        }
        if table.live.contains_key(&live.stream_id) {
            return Err(Error::StreamIdInUse(live.stream_id.clone()));
        }
        let own = Arc::downgrade(&ticket.cancelled);
        table.planned.retain(|(_, ticket)| ticket.strong_count() > 0 && !ticket.ptr_eq(&own));
        table.live.insert(live.stream_id.clone(), Arc::clone(live));
        Ok(())
    }

    /// Frees the id of a run that was dropped and has no process left. It still counts as a run until it leaves.
    fn free(&self, live: &Arc<Live>) {
        let mut table = self.table();
        if table.take(live) {
            table.leaving.push(Arc::clone(live));
        }
    }

    /// Takes a run out, once nothing of it is left.
    pub(crate) fn leave(&self, live: &Arc<Live>) {
        let mut table = self.table();
        table.take(live);
        table.leaving.retain(|entry| !Arc::ptr_eq(entry, live));
        drop(table);
        self.ended.notify_waiters();
    }

    /// Cancels the run or the plan with this id; returns whether there was one.
    pub(crate) fn cancel(&self, stream_id: &str) -> bool {
        let table = self.table();
        let mut found = false;
        for (_, ticket) in table.planned.iter().filter(|(id, _)| id == stream_id) {
            if let Some(cancelled) = ticket.upgrade() {
                cancelled.store(true, Ordering::Release);
                found = true;
            }
        }
        let live = table.live.get(stream_id).cloned();
        drop(table);
        // Outside the lock: a cancel wakes tasks.
        if let Some(live) = live {
            live.cancel.cancel();
            found = true;
        }
        found
    }

    /// Refuses new runs from here on, and cancels all that there are.
    pub(crate) fn close(&self) -> Vec<Arc<Live>> {
        let mut table = self.table();
        table.closed = true;
        for cancelled in table.planned.iter().filter_map(|(_, ticket)| ticket.upgrade()) {
            cancelled.store(true, Ordering::Release);
        }
        let live: Vec<_> = table.live.values().chain(&table.leaving).cloned().collect();
        drop(table);
        live.iter().for_each(|live| live.cancel.cancel());
        live
    }

    /// How many runs are live.
    pub(crate) fn count(&self) -> usize {
        let table = self.table();
        table.live.len() + table.leaving.len()
    }

    /// Waits until no run is live.
    pub(crate) async fn empty(&self) {
        loop {
            let mut ended = std::pin::pin!(self.ended.notified());
            ended.as_mut().enable();
            if self.count() == 0 {
                return;
            }
            ended.await;
        }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(|poison| poison.into_inner())
    }
}
