//! Copilot's JSON events as they stand on the wire: names and shapes, no behaviour.
//!
//! Names are those of `session-events.schema.json` of 1.0.102 and were seen on 1.0.69 and 1.0.102 (2026-11), save
//! `assistant.usage`, which the schema has and no recorded run printed. Only fields that are used are named; any other
//! is skipped unread.

use std::borrow::Cow;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// An event: `agentId` is there where a sub-agent caused it.
#[derive(Deserialize)]
pub(super) struct Line<D> {
    pub(super) data: D,
    #[serde(default, rename = "agentId")]
    pub(super) agent_id: Option<IgnoredAny>,
}

/// The tag alone.
#[derive(Deserialize)]
pub(super) struct Tag<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Cow<'a, str>,
}

/// What happened, as far as the decoder tells it apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    MessageDelta,
    Message,
    ReasoningDelta,
    Reasoning,
    ToolStart,
    ToolOutput,
    ToolComplete,
    TurnStart,
    TurnRetry,
    Usage,
    McpServers,
    McpServerStatus,
    McpServerTools,
    Error,
    Warning,
    Info,
    Idle,
    Abort,
    Result,
    /// Known, and nothing to tell.
    Ignored,
    Unknown,
}

/// Families of which nothing but what [`Kind::of`] names is told: bookkeeping of the session.
const IGNORED_FAMILIES: &[&str] = &[
    "auto_mode_switch",
    "capabilities",
    "command",
    "commands",
    "elicitation",
    "exit_plan_mode",
    "external_tool",
    "hook",
    "human_response",
    "mcp",
    "mcp_app",
    "model",
    "pending_messages",
    "permission",
    "sampling",
    "sandbox",
    "session",
    "session_limits_exhausted",
    "skill",
    "subagent",
    "system",
    "tool_search",
    "ui",
    "user",
    "user_input",
    "workflow",
];

/// Single events of other families of which nothing is told.
const IGNORED: &[&str] = &[
    "agent.interrupted",
    "assistant.intent",
    "assistant.message_start",
    "assistant.server_tool_progress",
    "assistant.streaming_delta",
    "assistant.tool_call_delta",
    "assistant.turn_end",
    "instruction_discovered",
    "new_inbox_message",
    "prompt_cache_break",
    "tool.execution_progress",
    "tool.user_requested",
];

impl Kind {
    pub(super) fn of(tag: &str) -> Kind {
        match tag {
            "assistant.message_delta" => Kind::MessageDelta,
            "assistant.message" => Kind::Message,
            "assistant.reasoning_delta" => Kind::ReasoningDelta,
            "assistant.reasoning" => Kind::Reasoning,
            "assistant.turn_start" => Kind::TurnStart,
            "assistant.turn_retry" => Kind::TurnRetry,
            "assistant.usage" => Kind::Usage,
            "assistant.idle" => Kind::Idle,
            "tool.execution_start" => Kind::ToolStart,
            "tool.execution_partial_result" | "tool.shell_output" => Kind::ToolOutput,
            "tool.execution_complete" => Kind::ToolComplete,
            "session.mcp_servers_loaded" => Kind::McpServers,
            "session.mcp_server_status_changed" => Kind::McpServerStatus,
            "session.mcp_server_tools_loaded" => Kind::McpServerTools,
            "session.error" => Kind::Error,
            "session.warning" => Kind::Warning,
            "session.info" => Kind::Info,
            "abort" => Kind::Abort,
            "result" => Kind::Result,
            _ => {
                let family = tag.split_once('.').map(|(family, _)| family);
                let known = family.is_some_and(|family| IGNORED_FAMILIES.contains(&family)) || IGNORED.contains(&tag);
                if known { Kind::Ignored } else { Kind::Unknown }
            }
        }
    }
}

/// `assistant.message_delta` and `assistant.reasoning_delta`.
#[derive(Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(borrow, alias = "messageId", alias = "reasoningId")]
    pub(super) id: Cow<'a, str>,
    #[serde(borrow, rename = "deltaContent")]
    pub(super) text: Cow<'a, str>,
    #[serde(default, rename = "parentToolCallId")]
    pub(super) parent: Option<IgnoredAny>,
}

/// `assistant.message` and `assistant.reasoning`.
#[derive(Deserialize)]
pub(super) struct Full<'a> {
    #[serde(borrow, alias = "messageId", alias = "reasoningId")]
    pub(super) id: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) content: Cow<'a, str>,
    /// Told up to 1.0.69 at least; not by 1.0.102 with a provider of one's own.
    #[serde(default, deserialize_with = "lenient", rename = "outputTokens")]
    pub(super) output_tokens: Option<u64>,
    #[serde(default, rename = "parentToolCallId")]
    pub(super) parent: Option<IgnoredAny>,
}

/// `assistant.turn_start`: nothing of it but whose it is.
#[derive(Deserialize)]
pub(super) struct TurnStart {
    #[serde(default, rename = "parentToolCallId")]
    pub(super) parent: Option<IgnoredAny>,
}

/// `assistant.turn_retry`.
#[derive(Deserialize)]
pub(super) struct Retry {
    #[serde(default)]
    pub(super) reason: Option<String>,
}

/// `assistant.usage`: one call of the model.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CallUsage {
    #[serde(default, deserialize_with = "lenient")]
    pub(super) input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) output_tokens: Option<u64>,
}

/// `tool.execution_start`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolStart<'a> {
    #[serde(borrow)]
    pub(super) tool_call_id: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) tool_name: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) arguments: Option<&'a RawValue>,
    /// The configured name where it differs from the displayed one.
    #[serde(default)]
    pub(super) mcp_config_server_name: Option<String>,
    #[serde(default)]
    pub(super) mcp_server_name: Option<String>,
}

/// `tool.execution_partial_result`: a tool that prints is running.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolOutput<'a> {
    #[serde(borrow)]
    pub(super) tool_call_id: Cow<'a, str>,
}

/// `tool.execution_complete`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolComplete<'a> {
    #[serde(borrow)]
    pub(super) tool_call_id: Cow<'a, str>,
    pub(super) success: bool,
    #[serde(default)]
    pub(super) result: Option<ToolResult>,
    #[serde(default)]
    pub(super) error: Option<ToolError>,
}

#[derive(Deserialize)]
pub(super) struct ToolResult {
    #[serde(default)]
    pub(super) content: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct ToolError {
    pub(super) message: String,
    #[serde(default)]
    pub(super) code: Option<String>,
}

/// `session.mcp_servers_loaded`.
#[derive(Deserialize)]
pub(super) struct McpServers {
    pub(super) servers: Vec<McpServer>,
}

#[derive(Deserialize)]
pub(super) struct McpServer {
    /// `session.mcp_server_status_changed` calls it `serverName`.
    #[serde(alias = "serverName")]
    pub(super) name: String,
    pub(super) status: String,
    #[serde(default)]
    pub(super) error: Option<String>,
}

/// `session.error`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SessionError {
    pub(super) error_type: String,
    pub(super) message: String,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) status_code: Option<u16>,
    #[serde(default)]
    pub(super) error_code: Option<String>,
    #[serde(default)]
    pub(super) eligible_for_auto_switch: Option<bool>,
}

/// `session.mcp_server_tools_loaded`. No event tells the names of the tools that the model is offered.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct McpServerTools {
    pub(super) server_name: String,
    pub(super) tool_count: u64,
}

/// `session.warning` and `session.info`.
#[derive(Deserialize)]
pub(super) struct Told {
    pub(super) message: String,
}

/// `assistant.idle`.
#[derive(Deserialize)]
pub(super) struct Idle {
    #[serde(default)]
    pub(super) aborted: Option<bool>,
}

/// `result`: not wrapped in `data`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RunResult {
    #[serde(default, deserialize_with = "lenient")]
    pub(super) session_id: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) exit_code: Option<i32>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) usage: Option<RunUsage>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RunUsage {
    #[serde(default, deserialize_with = "lenient")]
    pub(super) premium_requests: Option<f64>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) total_api_duration_ms: Option<u64>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) session_duration_ms: Option<u64>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) code_changes: Option<CodeChanges>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CodeChanges {
    #[serde(default, deserialize_with = "lenient")]
    pub(super) lines_added: Option<u64>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) lines_removed: Option<u64>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) files_modified: Option<Vec<String>>,
}

/// A figure beside what matters: one of another shape, such as a fraction or a negative count, is as if it were not there, and
/// the event is told all the same.
fn lenient<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<Option<T>, D::Error> {
    let told = Option::<&'de RawValue>::deserialize(deserializer)?;
    Ok(told.and_then(|told| serde_json::from_str(told.get()).ok()))
}
