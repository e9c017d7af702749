//! A started run and the table of all that are live.

use crate::event::Event;

/// A started run: a stream of events that ends with `Done`. Dropping it stops the agent and all it started.
#[derive(Debug)]
pub struct Run {
    stream_id: String,
}

impl Run {
    /// The run's stream id.
    pub fn stream_id(&self) -> &str {
        &self.stream_id
    }

    /// The next event; `None` after `Done`.
    pub async fn next(&mut self) -> Option<Event> {
        None
    }
}
