//! From the signals of a failed run to guidance: the most specific signal decides.

use std::path::Path;

use super::{Code, Guidance};
use crate::adapters::Spec;

/// A failure that the agent told in a structured event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AgentError {
    /// The agent's own word for the kind of error, such as `rate_limit`.
    pub(crate) error_type: String,
    /// The agent's sentence.
    pub(crate) message: String,
    /// The HTTP status behind it.
    pub(crate) status: Option<u16>,
    /// A finer code, such as `quota_exceeded`.
    pub(crate) code: Option<String>,
}

/// All that is known of a failed run.
#[derive(Clone, Debug)]
pub(crate) struct Failure<'a> {
    /// The agent's table.
    pub(crate) spec: &'static Spec,
    /// The host app's name.
    pub(crate) app: &'a str,
    /// The agent's version, where known.
    pub(crate) version: Option<&'a str>,
    /// The program that ran, where known.
    pub(crate) program: Option<&'a Path>,
    /// Its exit code.
    pub(crate) exit_code: Option<i32>,
    /// The signal that ended it.
    pub(crate) signal: Option<i32>,
    /// Structured errors, oldest first.
    pub(crate) errors: &'a [AgentError],
    /// The end of stderr.
    pub(crate) stderr: &'a str,
    /// Whether any answer text arrived.
    pub(crate) answered: bool,
    /// How many tool calls were refused.
    pub(crate) denied_tools: u32,
}

/// Chooses the guidance for a failure. Never panics; an unknown cause is `unknown` with its evidence.
pub(crate) fn classify(failure: &Failure<'_>) -> Guidance {
    let last = failure.errors.last().map(|error| error.message.clone());
    let evidence = last.into_iter().chain(failure.stderr.lines().map(str::to_owned)).take(8).collect();
    Guidance {
        code: Code::Unknown,
        title: format!("{} stopped", failure.spec.name),
        message: format!("{} could not finish.", failure.spec.name),
        steps: Vec::new(),
        evidence,
        key: "unknown".into(),
        params: Default::default(),
    }
}
