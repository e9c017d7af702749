//! What the tests of the real CLIs stand on: a machine of their own, a scripted model, and what a run told.

pub mod anthropic;
pub mod codex;
pub mod command;
pub mod machine;
pub mod messages;
pub mod model;
pub mod responses;
pub mod service;
pub mod told;
pub mod versions;

use std::time::Duration;

/// No wait in these tests is longer. Reached only where something is broken.
pub const DEADLINE: Duration = Duration::from_secs(150);
