//! What the tests share: a hermetic bench with fakes on it, readers of events, and a look at processes.

mod bench;
#[cfg(all(unix, feature = "cli"))]
pub(crate) mod command;
mod events;
pub(crate) mod fake;
pub(crate) mod matrix;
pub(crate) mod processes;

#[allow(unused_imports, reason = "each topic takes what it needs")]
pub(crate) use self::{
    bench::{Bench, rerun},
    events::{DEADLINE, check, collect, kinds, shape, text, until, within},
};
