//! What the benches share: a corpus of recordings, rounds, and a table that names its floor.

use std::path::Path;
use std::time::{Duration, Instant};

/// Reads recordings of Copilot and joins them.
pub(crate) fn recordings(names: &[&str]) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings/copilot");
    let read = |name: &&str| std::fs::read(folder.join(name)).unwrap_or_else(|error| panic!("`{name}`: {error}"));
    names.iter().flat_map(read).collect()
}

/// Whole copies of `block`, at least `bytes` of them.
pub(crate) fn repeated(block: &[u8], bytes: usize) -> Vec<u8> {
    block.repeat(bytes.div_ceil(block.len()))
}

/// A reader that yields `block` `times` times.
pub(crate) struct Repeat<'a> {
    block: &'a [u8],
    at: usize,
    times: usize,
}

impl<'a> Repeat<'a> {
    pub(crate) fn new(block: &'a [u8], times: usize) -> Repeat<'a> {
        Repeat { block, at: 0, times }
    }

    fn take(&mut self, max: usize) -> &'a [u8] {
        if self.at == self.block.len() {
            self.at = 0;
            self.times = self.times.saturating_sub(1);
        }
        if self.times == 0 {
            return &[];
        }
        let part = &self.block[self.at..self.block.len().min(self.at + max)];
        self.at += part.len();
        part
    }
}

impl std::io::Read for Repeat<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let part = self.take(buffer.len());
        buffer[..part.len()].copy_from_slice(part);
        Ok(part.len())
    }
}

impl tokio::io::AsyncRead for Repeat<'_> {
    fn poll_read(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
        buffer: &mut tokio::io::ReadBuf<'_>,
    ) -> std::task::Poll<std::io::Result<()>> {
        let part = self.take(buffer.remaining());
        buffer.put_slice(part);
        std::task::Poll::Ready(Ok(()))
    }
}

/// The processor time that a call takes on this thread, and what it returns. On Linux, so that whatever else the machine
/// does changes little; elsewhere the time on the clock.
pub(crate) fn timed<T>(call: impl FnOnce() -> T) -> (Duration, T) {
    let (busy, begin) = (on_processor(), Instant::now());
    let value = call();
    let time = match (busy, on_processor()) {
        (Some(before), Some(after)) => after - before,
        _ => begin.elapsed(),
    };
    (time, value)
}

fn on_processor() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(stat.split_whitespace().next()?.parse().ok()?))
}

/// Whether a part of a bench was asked for: all are, unless arguments name some.
pub(crate) fn wanted(name: &str) -> bool {
    let mut names = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).peekable();
    names.peek().is_none() || names.any(|part| name.contains(&part))
}

/// The middle of some durations.
pub(crate) fn median(durations: &mut [Duration]) -> Option<Duration> {
    durations.sort_unstable();
    durations.get(durations.len() / 2).copied()
}

/// Megabytes (10^6 bytes) a second.
pub(crate) fn rate(bytes: usize, time: Duration) -> f64 {
    bytes as f64 / 1e6 / time.as_secs_f64()
}

/// The processor time of all live threads of this process (Linux).
pub(crate) fn all_threads() -> Duration {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else { return Duration::ZERO };
    let used = tasks.filter_map(|task| {
        let stat = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        stat.split_whitespace().next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(used.sum::<u64>())
}

/// How long all live threads of this process have stood in the queue for a processor (Linux).
pub(crate) fn waited() -> Duration {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else { return Duration::ZERO };
    let waited = tasks.filter_map(|task| {
        let stat = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        stat.split_whitespace().nth(1)?.parse::<u64>().ok()
    });
    Duration::from_nanos(waited.sum::<u64>())
}
