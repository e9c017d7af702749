//! A machine with Claude Code, and what a request holds that it sends to its model.

use serde_json::{Value, json};

use super::machine::Machine;
use super::messages::parts;
use super::model::{Call, Model};

/// A key of the shape that Anthropic's have. It opens nothing.
pub const KEY: &str = "sk-ant-api03-0123456789-canary-key";

/// The versions that the tests run.
macro_rules! on_every_claude {
    ($($name:ident),* $(,)?) => { $(
        crate::support::versions::on_versions!([v2_1_332 = "2.1.332", v2_1_197 = "2.1.197"] $name);
    )* };
}

/// The newest, for what does not depend on the version.
macro_rules! on_newest_claude {
    ($($name:ident),* $(,)?) => { $( crate::support::versions::on_versions!([v2_1_332 = "2.1.332"] $name); )* };
}

pub(crate) use {on_every_claude, on_newest_claude};

/// A machine with Claude Code, whose model is at this address.
pub async fn machine(version: &'static str, url: &str) -> Machine {
    let mut machine = signed_out(version).await;
    machine.vars.insert("ANTHROPIC_BASE_URL".into(), url.into());
    machine.vars.insert("ANTHROPIC_API_KEY".into(), KEY.into());
    machine
}

/// A machine with Claude Code, whose model is this server.
pub async fn with(version: &'static str, model: &Model) -> Machine {
    machine(version, &model.service_url()).await
}

/// A machine with Claude Code as just installed.
pub async fn signed_out(version: &'static str) -> Machine {
    // Else it asks for news of itself at addresses of the internet.
    Machine::of("claude-code", version, &[("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")]).await
}

/// An error as the service tells it.
pub fn error(kind: &str, message: &str) -> String {
    json!({ "type": "error", "error": { "type": kind, "message": message } }).to_string()
}

/// What the tools answered in a conversation, oldest first.
pub fn tool_results(call: &Call) -> Vec<String> {
    let messages = call.body["messages"].as_array().into_iter().flatten();
    messages.flat_map(|message| parts(message, "tool_result")).map(|part| text(&part["content"])).collect()
}

fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        content => content.as_array().into_iter().flatten().filter_map(|part| part["text"].as_str()).collect(),
    }
}

/// The system prompt of a request.
pub fn system(call: &Call) -> String {
    text(&call.body["system"])
}
