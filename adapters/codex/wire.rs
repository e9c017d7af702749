//! The JSON of `codex exec --json`: the parts that are read, as recorded on 0.171.0. Everything else is skipped unread.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

/// The tag of a line.
#[derive(Debug, Deserialize)]
pub(super) struct Tag<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
}

/// `thread.started`.
#[derive(Debug, Deserialize)]
pub(super) struct ThreadStarted {
    pub(super) thread_id: String,
}

/// `item.started`, `item.updated` and `item.completed`.
#[derive(Debug, Deserialize)]
pub(super) struct ItemLine<'a> {
    #[serde(borrow)]
    pub(super) item: &'a RawValue,
}

/// `turn.completed`.
#[derive(Debug, Deserialize)]
pub(super) struct TurnCompleted {
    pub(super) usage: Option<TurnUsage>,
}

/// What the session has used so far, all its turns included.
#[derive(Debug, Deserialize)]
pub(super) struct TurnUsage {
    pub(super) input_tokens: Option<u64>,
    pub(super) cached_input_tokens: Option<u64>,
    pub(super) output_tokens: Option<u64>,
    pub(super) reasoning_output_tokens: Option<u64>,
}

/// `error`, and the `error` of `turn.failed`.
#[derive(Debug, Deserialize)]
pub(super) struct Told {
    pub(super) message: String,
}

/// `turn.failed`.
#[derive(Debug, Deserialize)]
pub(super) struct TurnFailed {
    pub(super) error: Told,
}

/// An item as far as its kind.
#[derive(Debug, Deserialize)]
pub(super) struct Item<'a> {
    #[serde(borrow)]
    pub(super) id: Cow<'a, str>,
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) status: Option<Cow<'a, str>>,
}

/// `agent_message` and `reasoning`.
#[derive(Debug, Deserialize)]
pub(super) struct Spoken<'a> {
    #[serde(borrow)]
    pub(super) text: Cow<'a, str>,
}

/// `command_execution`.
#[derive(Debug, Deserialize)]
pub(super) struct Command {
    pub(super) command: String,
    pub(super) aggregated_output: Option<String>,
    pub(super) exit_code: Option<i64>,
}

/// `file_change`.
#[derive(Debug, Deserialize)]
pub(super) struct FileChange<'a> {
    #[serde(borrow)]
    pub(super) changes: &'a RawValue,
}

/// One change of a `file_change`.
#[derive(Debug, Deserialize)]
pub(super) struct Change {
    pub(super) path: String,
}

/// `mcp_tool_call`.
#[derive(Debug, Deserialize)]
pub(super) struct McpCall<'a> {
    pub(super) server: String,
    pub(super) tool: String,
    #[serde(borrow)]
    pub(super) arguments: Option<&'a RawValue>,
    pub(super) result: Option<McpResult<'a>>,
    pub(super) error: Option<Told>,
}

/// The answer of an MCP tool.
#[derive(Debug, Deserialize)]
pub(super) struct McpResult<'a> {
    #[serde(borrow)]
    pub(super) content: Option<&'a RawValue>,
}

/// One piece of the answer of an MCP tool.
#[derive(Debug, Deserialize)]
pub(super) struct McpContent {
    pub(super) text: Option<String>,
}
