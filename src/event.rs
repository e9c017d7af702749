//! What a run tells: one stream of events, the same for every agent.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use crate::guidance::Guidance;
use crate::request::{AgentId, Mode};
use crate::workflow::WorkflowOutcome;

/// One event of a run.
///
/// In JSON the three parts are one flat object: `{"kind":"TextDelta","stream_id":"panel-3","seq":4,"text":"Hello"}`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Event {
    /// The run's stream id.
    pub stream_id: String,
    /// 0, 1, 2 and so on within the run, without a gap.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub seq: u64,
    /// What happened.
    #[serde(flatten)]
    pub kind: EventKind,
}

impl<'de> Deserialize<'de> for Event {
    /// Reads the two common fields, then the kind from what remains, so that errors name the field that is wrong.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Event, D::Error> {
        use serde::de::Error as _;
        let mut object = serde_json::Map::deserialize(deserializer)?;
        let mut take = |name: &'static str| object.remove(name).ok_or_else(|| D::Error::missing_field(name));
        let stream_id = serde_json::from_value(take("stream_id")?).map_err(D::Error::custom)?;
        let seq = serde_json::from_value(take("seq")?).map_err(D::Error::custom)?;
        let kind = serde_json::from_value(object.into()).map_err(D::Error::custom)?;
        Ok(Event { stream_id, seq, kind })
    }
}

/// What happened in a run. New kinds may be added; an app ignores those that it does not know.
///
/// Fields may be added too: match with `..`, as in `EventKind::TextDelta { text, .. }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
#[non_exhaustive]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum EventKind {
    /// The run began. First, exactly once.
    Init {
        /// The agent's id.
        #[cfg_attr(feature = "ts", ts(type = "string"))]
        agent: AgentId,
        /// The session's id, to continue it later; `null` while the agent has not told it (then `Done` has it).
        session_id: Option<String>,
        /// The agent's version, where known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent_version: Option<String>,
        /// The model asked for or told, where known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        /// How much the agent may do.
        #[cfg_attr(feature = "ts", ts(type = "\"safe\" | \"power_user\""))]
        mode: Mode,
        /// The agent's own tools that the mode gives; those of the request's MCP servers come on top. Absent where the mode
        /// names none, and the agent offers what it has. A `Notice` follows where the agent itself says otherwise.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tools: Option<Vec<String>>,
    },
    /// A piece of the answer. All pieces in order are the answer; no text comes twice.
    TextDelta {
        /// The piece.
        text: String,
    },
    /// The agent withdrew the end of the answer so far, since its connection broke and it answers again.
    ///
    /// `text` is exactly the end of what all `TextDelta` events have said so far: cut it off.
    TextRetracted {
        /// The text to cut off.
        text: String,
    },
    /// A piece of the agent's thinking.
    ThinkingDelta {
        /// The piece.
        text: String,
    },
    /// The agent wants to use a tool. An attempt, not yet a deed: `ToolDone` tells whether it was allowed.
    ToolStart {
        /// The tool's name as the agent gives it.
        tool_name: String,
        /// Joins it to its `ToolDone`.
        tool_id: String,
        /// The tool's arguments, as JSON text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input: Option<String>,
    },
    /// A tool ended.
    ToolDone {
        /// Joins it to its `ToolStart`.
        tool_id: String,
        /// Whether it did what it was asked.
        ok: bool,
        /// What it answered, or why it failed; JSON text where structured.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output: Option<String>,
        /// Whether it was refused.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        denied: bool,
    },
    /// The state of an MCP server changed.
    McpStatus {
        /// The server's name.
        server: String,
        /// `pending`, `connected`, `failed`, or a word of the agent's own.
        status: String,
        /// Why, where it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
    /// What the run has used so far.
    Usage(Usage),
    /// Something the person may want to know; the run goes on.
    Notice {
        /// How much it matters.
        level: NoticeLevel,
        /// The text, for people.
        message: String,
    },
    /// A line of the agent that no decoder knows, kept (cut to a bound) so that nothing vanishes.
    Unrecognized {
        /// The line.
        line: String,
    },
    /// The run failed. At most once, right before `Done`; never on a cancelled run.
    Error {
        /// One sentence for people.
        message: String,
        /// What happened and what to do.
        guidance: Guidance,
    },
    /// The run ended. Last, exactly once.
    Done {
        /// How it ended.
        outcome: Outcome,
    },
}

/// How much a notice matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum NoticeLevel {
    /// Good to know.
    Info,
    /// Something is less than was asked for.
    Warning,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Status {
    /// The agent answered.
    Completed,
    /// The agent could not; an `Error` event came before.
    Failed,
    /// The app stopped it.
    Cancelled,
    /// A time limit of the request stopped it; an `Error` event came before.
    TimedOut,
}

/// The end of a run in full.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// The exit code of the agent, where it exited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that ended the agent, where one did (unix).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// The session's id, to continue it later. A run that was stopped before the agent began to work may have left no
    /// session behind; to continue it then fails as `session_not_found`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// What the run used, where the agent told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// How many tool calls were refused.
    pub denied_tools: u32,
    /// From start to end, in milliseconds.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub elapsed_ms: u64,
    /// The last lines the agent wrote to stderr, secrets masked; at most 4 KiB.
    pub stderr_tail: String,
    /// How the workflow ended, where the run is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<WorkflowOutcome>,
}

/// What a run used. Agents tell different parts; what is not told is absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Usage {
    /// Tokens the model read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(type = "number", optional))]
    pub input_tokens: Option<u64>,
    /// Tokens the model wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(type = "number", optional))]
    pub output_tokens: Option<u64>,
    /// What it cost, in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Copilot's premium requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub premium_requests: Option<f64>,
    /// Time spent waiting for the model, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(type = "number", optional))]
    pub api_ms: Option<u64>,
    /// Time the session took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(type = "number", optional))]
    pub session_ms: Option<u64>,
    /// Lines added to files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(type = "number", optional))]
    pub lines_added: Option<u64>,
    /// Lines removed from files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(type = "number", optional))]
    pub lines_removed: Option<u64>,
    /// Files changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files_modified: Option<Vec<String>>,
    /// Whatever else the agent counted, by its own names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub other: BTreeMap<String, f64>,
}
