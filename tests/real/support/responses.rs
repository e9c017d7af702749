//! The scripted model server in OpenAI's Responses protocol, as Codex asks it; and what a request of that protocol holds.
//!
//! Tools by their names: `apply_patch` takes a text (`{"patch": …}`), `mcp__SERVER__TOOL` is a tool of a namespace, all else
//! is a function; `local_shell_call` is the item of that name, and `custom:NAME` a tool that takes the text `input`.

use std::time::Duration;

use axum::body::Bytes;
use futures_util::Stream;
use serde_json::{Value, json};

use super::model::{Call, Part, Turn};

/// An argument for `apply_patch` that adds a file with one line.
pub fn patch(path: &str, line: &str) -> Value {
    json!({ "patch": format!("*** Begin Patch\n*** Add File: {path}\n+{line}\n*** End Patch") })
}

/// Which turn answers this conversation: what the tools of a turn have all answered is behind.
pub(super) fn turn_of(body: &Value, turns: &[Vec<Turn>]) -> usize {
    let input = body["input"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_output = |item: &&Value| item["type"].as_str().is_some_and(|kind| kind.ends_with("_output"));
    let since = input.iter().rev().take_while(|item| item["type"] != "message" || item["role"] != "user");
    let outputs = since.filter(is_output).count();
    let uses = |turn: &Vec<Turn>| {
        let parts = turn.first().map(|turn| turn.parts.as_slice()).unwrap_or_default();
        parts.iter().filter(|part| matches!(part, Part::Tool { .. })).count()
    };
    let mut unseen = outputs;
    let is_behind = |turn: &&Vec<Turn>| {
        let used = uses(turn);
        let behind = used > 0 && used <= unseen;
        unseen = unseen.saturating_sub(used);
        behind
    };
    turns.iter().take_while(is_behind).count()
}

/// A tool call as an item of the answer.
fn call(name: &str, args: &str, id: usize) -> Value {
    let call_id = format!("call_{id}");
    if name == "apply_patch" {
        let args: Value = serde_json::from_str(args).expect("the script's arguments are JSON");
        return json!({ "type": "custom_tool_call", "id": format!("ctc_{id}"), "call_id": call_id, "name": name, "input": args["patch"] });
    }
    if name == "local_shell_call" {
        let args: Value = serde_json::from_str(args).expect("the script's arguments are JSON");
        return json!({ "type": name, "id": format!("lsh_{id}"), "call_id": call_id, "status": "completed", "action": args });
    }
    if let Some(name) = name.strip_prefix("custom:") {
        let args: Value = serde_json::from_str(args).expect("the script's arguments are JSON");
        return json!({ "type": "custom_tool_call", "id": format!("ctc_{id}"), "call_id": call_id, "name": name, "input": args["input"] });
    }
    let of_server = name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__"));
    match of_server {
        Some((server, tool)) => json!({ "type": "function_call", "id": format!("fc_{id}"), "call_id": call_id,
            "namespace": format!("mcp__{server}"), "name": tool, "arguments": args }),
        None => {
            json!({ "type": "function_call", "id": format!("fc_{id}"), "call_id": call_id, "name": name, "arguments": args })
        }
    }
}

pub(super) fn stream(parts: Vec<Part>, ids: usize) -> impl Stream<Item = Result<Bytes, std::io::Error>> {
    async_stream::stream! {
        let event = |data: Value| {
            let kind = data["type"].as_str().unwrap_or_default().to_owned();
            Ok(Bytes::from(format!("event: {kind}\ndata: {data}\n\n")))
        };
        let done = |item: Value| event(json!({ "type": "response.output_item.done", "item": item }));
        let message = |text: &str| json!({ "type": "message", "role": "assistant", "id": format!("msg_{ids}"),
            "content": [{ "type": "output_text", "text": text }] });
        yield event(json!({ "type": "response.created", "response": { "id": format!("resp_{ids}") } }));
        let mut open: Option<String> = None;
        for (at, part) in parts.into_iter().enumerate() {
            if let (Some(text), Part::Think(_) | Part::Tool { .. }) = (&open, &part) {
                yield done(message(text));
                open = None;
            }
            match part {
                Part::Text(text) => {
                    if open.is_none() {
                        yield event(json!({ "type": "response.output_item.added", "item": message("") }));
                    }
                    yield event(json!({ "type": "response.output_text.delta", "delta": text }));
                    open.get_or_insert_default().push_str(&text);
                }
                Part::Think(text) => yield done(json!({ "type": "reasoning", "id": format!("rs_{ids}_{at}"),
                    "summary": [{ "type": "summary_text", "text": text }], "content": [], "encrypted_content": "x" })),
                Part::Tool { name, args } => yield done(call(&name, &args, ids + at)),
                Part::Gate(gate) => gate.passed().await,
                Part::Pause(limit) => tokio::time::sleep(limit).await,
                Part::Cut => {
                    // What was sent must leave before the connection breaks.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    yield Err(std::io::Error::other("cut by the script"));
                    return;
                }
                Part::Hang => std::future::pending::<()>().await,
            }
        }
        if let Some(text) = &open {
            yield done(message(text));
        }
        let usage = json!({ "input_tokens": 120, "input_tokens_details": { "cached_tokens": 20 }, "output_tokens": 34,
            "output_tokens_details": { "reasoning_tokens": 4 }, "total_tokens": 154 });
        yield event(json!({ "type": "response.completed", "response": { "id": format!("resp_{ids}"), "usage": usage } }));
    }
}

/// The names of the tools that the model may use; those of a namespace behind its name.
pub fn tools(call: &Call) -> Vec<String> {
    let tools = call.body["tools"].as_array().into_iter().flatten();
    let named = |tool: &Value| tool["name"].as_str().or(tool["type"].as_str()).unwrap_or_default().to_owned();
    tools
        .flat_map(|tool| match tool["tools"].as_array() {
            Some(inner) => inner.iter().map(|one| format!("{}__{}", named(tool), named(one))).collect(),
            None => vec![named(tool)],
        })
        .collect()
}

/// All that was said in a role, oldest first.
pub fn said(call: &Call, role: &str) -> Vec<String> {
    let items = call.body["input"].as_array().into_iter().flatten();
    let text = |item: &Value| {
        let pieces = item["content"].as_array().into_iter().flatten();
        pieces.filter_map(|piece| piece["text"].as_str()).collect::<String>()
    };
    items.filter(|item| item["type"] == "message" && item["role"] == role).map(text).collect()
}

/// The person's last message.
pub fn prompt(call: &Call) -> String {
    said(call, "user").pop().unwrap_or_default()
}

/// What the tools answered, oldest first.
pub fn outputs(call: &Call) -> Vec<String> {
    let items = call.body["input"].as_array().into_iter().flatten();
    let text = |item: &Value| match &item["output"] {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    items.filter(|item| item["type"].as_str().is_some_and(|kind| kind.ends_with("_output"))).map(text).collect()
}
