//! Claude Code's `stream-json` events as they stand on the wire: names and shapes, no behaviour.
//!
//! By the recordings of 2.1.197 and 2.1.332 (2026-11). Only fields that are used are named; any other is skipped unread.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

/// What kind of event a line is. Not the first field in every event.
#[derive(Deserialize)]
pub(super) struct Tag<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) subtype: Option<Cow<'a, str>>,
}

/// `stream_event`: an event of the model's own stream.
#[derive(Deserialize)]
pub(super) struct Streamed<'a> {
    #[serde(borrow)]
    pub(super) event: StreamEvent<'a>,
    /// There where a sub-agent caused it.
    #[serde(borrow, default, rename = "parent_tool_use_id")]
    pub(super) parent: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
pub(super) struct StreamEvent<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) message: Option<MessageId<'a>>,
    #[serde(borrow, default)]
    pub(super) content_block: Option<BlockKind<'a>>,
    #[serde(borrow, default)]
    pub(super) delta: Option<Delta<'a>>,
}

#[derive(Deserialize)]
pub(super) struct MessageId<'a> {
    #[serde(borrow)]
    pub(super) id: Cow<'a, str>,
}

#[derive(Deserialize)]
pub(super) struct BlockKind<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Cow<'a, str>,
}

#[derive(Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(borrow, default)]
    pub(super) text: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) thinking: Option<Cow<'a, str>>,
}

/// `assistant` (one block of a message in full) and `user` (what tools answered).
#[derive(Deserialize)]
pub(super) struct Said<'a> {
    #[serde(borrow)]
    pub(super) message: Message<'a>,
    #[serde(borrow, default, rename = "parent_tool_use_id")]
    pub(super) parent: Option<Cow<'a, str>>,
    /// The kind of failure, on a message that the program made up to tell it.
    #[serde(default)]
    pub(super) error: Option<String>,
    #[serde(default)]
    pub(super) api_error_status: Option<u16>,
    #[serde(borrow, default)]
    pub(super) tool_result_meta: Vec<ToolMeta<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Message<'a> {
    #[serde(borrow, default)]
    pub(super) id: Cow<'a, str>,
    /// A list of [`Block`]s, or a text.
    #[serde(borrow)]
    pub(super) content: &'a RawValue,
}

#[derive(Deserialize)]
pub(super) struct Block<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) text: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) thinking: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) tool_use_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) content: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) is_error: Option<bool>,
}

/// Beside a tool's answer, on 2.1.332: how it was decided.
#[derive(Deserialize)]
pub(super) struct ToolMeta<'a> {
    #[serde(borrow)]
    pub(super) id: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) permission_decision: Option<Decision<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Decision<'a> {
    #[serde(borrow, default)]
    pub(super) decision: Cow<'a, str>,
}

/// `system` / `init`.
#[derive(Deserialize)]
pub(super) struct Init {
    pub(super) session_id: String,
    #[serde(default)]
    pub(super) tools: Vec<String>,
    #[serde(default)]
    pub(super) mcp_servers: Vec<Server>,
}

#[derive(Deserialize)]
pub(super) struct Server {
    pub(super) name: String,
    pub(super) status: String,
}

/// `system` / `api_retry`.
#[derive(Deserialize)]
pub(super) struct Retry {
    #[serde(default)]
    pub(super) attempt: u64,
    #[serde(default)]
    pub(super) max_retries: u64,
    #[serde(default)]
    pub(super) error_status: Option<u16>,
    #[serde(default)]
    pub(super) error: Option<String>,
}

/// `system` / `permission_denied`, on 2.1.332.
#[derive(Deserialize)]
pub(super) struct Denied {
    pub(super) tool_use_id: String,
}

/// `system` / `informational`.
#[derive(Deserialize)]
pub(super) struct Informational {
    pub(super) content: String,
    #[serde(default)]
    pub(super) level: Option<String>,
}

/// `rate_limit_event`.
#[derive(Deserialize)]
pub(super) struct RateLimit {
    pub(super) rate_limit_info: RateLimitInfo,
}

#[derive(Deserialize)]
pub(super) struct RateLimitInfo {
    #[serde(default)]
    pub(super) status: String,
}

/// `result`.
#[derive(Deserialize)]
pub(super) struct RunResult {
    #[serde(default)]
    pub(super) subtype: String,
    #[serde(default)]
    pub(super) is_error: bool,
    #[serde(default)]
    pub(super) api_error_status: Option<u16>,
    #[serde(default)]
    pub(super) result: Option<String>,
    #[serde(default)]
    pub(super) errors: Vec<String>,
    #[serde(default)]
    pub(super) session_id: Option<String>,
    #[serde(default)]
    pub(super) terminal_reason: Option<String>,
    #[serde(default)]
    pub(super) usage: Tokens,
    /// Of the whole session, earlier runs included, as is `duration_api_ms`.
    #[serde(default)]
    pub(super) total_cost_usd: Option<f64>,
    /// By model, sub-agents included; not on 2.1.197.
    #[serde(default)]
    pub(super) model_usage_since_last_result: Option<BTreeMap<String, ModelUsage>>,
    #[serde(default)]
    pub(super) duration_ms: Option<u64>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ModelUsage {
    pub(super) input_tokens: u64,
    pub(super) output_tokens: u64,
    pub(super) cache_read_input_tokens: u64,
    pub(super) cache_creation_input_tokens: u64,
    #[serde(rename = "costUSD")]
    pub(super) cost: f64,
}

#[derive(Default, Deserialize)]
pub(super) struct Tokens {
    #[serde(default)]
    pub(super) input_tokens: u64,
    #[serde(default)]
    pub(super) cache_creation_input_tokens: u64,
    #[serde(default)]
    pub(super) cache_read_input_tokens: u64,
    #[serde(default)]
    pub(super) output_tokens: u64,
}

/// The arguments of a tool, each unread.
pub(super) type Input<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;
