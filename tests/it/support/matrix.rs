//! Every way an agent misbehaves and every way a run is ended: for the test that nothing is left, and for the bench that
//! says how long it took.

use std::time::{Duration, Instant};

use agent_launcher::{Event, EventKind, Launcher, Request, Run};

use super::{Bench, DEADLINE, until};

/// A way an agent misbehaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    pub(crate) name: &'static str,
    pub(crate) scenario: &'static str,
    /// Whether it goes on until it is stopped.
    pub(crate) goes_on: bool,
}

const fn fault(name: &'static str, scenario: &'static str, goes_on: bool) -> Fault {
    Fault { name, scenario, goes_on }
}

pub(crate) const FAULTS: &[Fault] = &[
    fault("cooperative", "graceful\nout ready\nstall", true),
    fault("ignores SIGTERM", "ignore TERM\nignore INT\nout ready\nstall", true),
    fault("forks in a loop", "out ready\nfork-loop 300\nstall", true),
    fault("setsid grandchild", "fork setsid ignore-term\nout ready\nstall", true),
    fault("double fork", "fork setsid double ignore-term\nout ready\nstall", true),
    fault("holds stdout", "fork hold-stdout ignore-term\nout ready\nstall", true),
    fault("closes stdout early", "out ready\nclose-stdout\nstall", true),
    fault("closes stderr", "close-stderr\nout ready\nstall", true),
    fault("floods stdout", "out ready\nflood-out 1000000000000", true),
    fault("floods stderr", "out ready\nflood-err 1000000000000", true),
    fault("one endless line", "out ready\nendless-line", true),
    fault("stalls", "out ready\nstall", true),
    fault("dies by signal", "out ready\nsignal 11", false),
    fault("exits 0 with no output", "exit 0", false),
    fault("exits before reading 4 MB of stdin", "exit-without-reading", false),
];

/// How a run is ended, by a host that lives on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Cancel,
    Drop,
    Timeout,
    Shutdown,
    RuntimeDropped,
}

pub(crate) const ENDS: [End; 5] = [End::Cancel, End::Drop, End::Timeout, End::Shutdown, End::RuntimeDropped];

/// The time limit of a run that is ended by it, which is one that goes on until then.
pub(crate) const LIMIT: Duration = Duration::from_millis(300);

impl Fault {
    /// The fault with this name.
    pub(crate) fn named(name: &str) -> Fault {
        *FAULTS.iter().find(|fault| fault.name == name).expect("a fault of the table")
    }

    /// The request, with the stream id `cell`.
    pub(crate) fn request(&self, bench: &Bench, end: End) -> Request {
        let request = if self.name.contains("stdin") {
            bench.request(&"x".repeat(4 * 1024 * 1024)).private_prompt(true)
        } else {
            bench.request("hello")
        };
        let request = request.stream_id("cell");
        match end {
            End::Timeout if self.goes_on => request.timeout(LIMIT),
            // One that ends by itself has the time for it on any machine.
            End::Timeout => request.timeout(DEADLINE),
            _ => request,
        }
    }

    /// Starts the agent and, where it goes on, reads until it has begun to misbehave.
    pub(crate) async fn start(&self, bench: &Bench, launcher: &Launcher, end: End) -> Begun {
        let plan = launcher.plan(&self.request(bench, end)).await.expect("a plan");
        let at = Instant::now();
        let mut run = launcher.start(plan).expect("a started run");
        let ready = |kind: &EventKind| matches!(kind, EventKind::Unrecognized { line } if line == "ready");
        let events = if self.goes_on { until(&mut run, ready).await } else { Vec::new() };
        Begun { run, events, at }
    }
}

/// A run of a fault.
pub(crate) struct Begun {
    pub(crate) run: Run,
    /// What it has told so far.
    pub(crate) events: Vec<Event>,
    /// The moment before its start.
    pub(crate) at: Instant,
}

/// A runtime with one blocking thread, which ends at once, so that threads can be counted.
pub(crate) fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(2).max_blocking_threads(1).thread_keep_alive(Duration::from_millis(1));
    builder.enable_all().build().expect("a runtime")
}
