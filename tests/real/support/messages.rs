//! The scripted model server in Anthropic's Messages protocol, as Claude Code asks it.

use std::time::Duration;

use axum::body::Bytes;
use futures_util::Stream;
use serde_json::{Value, json};

use super::model::Part;

/// Which turn answers this conversation: how many answers of the model stand after the person's last words.
pub(super) fn turn_of(body: &Value) -> usize {
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_of_person = |message: &Value| message["role"] == "user" && parts(message, "tool_result").is_empty();
    let since = messages.iter().rev().take_while(|message| !is_of_person(message));
    since.filter(|message| message["role"] == "assistant").count()
}

/// The parts of a message of one kind.
pub(super) fn parts<'a>(message: &'a Value, kind: &str) -> Vec<&'a Value> {
    message["content"].as_array().into_iter().flatten().filter(|part| part["type"] == kind).collect()
}

fn message(content: &Value, ids: usize) -> Value {
    json!({ "id": format!("msg_{ids}"), "type": "message", "role": "assistant", "model": "mock", "content": content,
        "stop_reason": null, "stop_sequence": null, "usage": { "input_tokens": 120, "output_tokens": 1 } })
}

/// An answer that is not streamed.
pub(super) fn whole(text: &str, ids: usize) -> Value {
    let mut message = message(&json!([{ "type": "text", "text": text }]), ids);
    message["stop_reason"] = "end_turn".into();
    message
}

pub(super) fn stream(parts: Vec<Part>, ids: usize) -> impl Stream<Item = Result<Bytes, std::io::Error>> {
    async_stream::stream! {
        let event = |data: Value| {
            let kind = data["type"].as_str().unwrap_or_default().to_owned();
            Ok(Bytes::from(format!("event: {kind}\ndata: {data}\n\n")))
        };
        yield event(json!({ "type": "message_start", "message": message(&json!([]), ids) }));
        let mut open: Option<&'static str> = None;
        let (mut index, mut tools) = (0, 0);
        for part in parts {
            let kind = match &part {
                Part::Text(_) => Some("text"),
                Part::Think(_) => Some("thinking"),
                Part::Tool { .. } => Some("tool_use"),
                _ => None,
            };
            // Pieces of one kind are one block; a tool is always a block of its own.
            if let Some(kind) = kind && (open != Some(kind) || kind == "tool_use") {
                if open.is_some() {
                    yield event(json!({ "type": "content_block_stop", "index": index }));
                    index += 1;
                }
                open = Some(kind);
                let block = match &part {
                    Part::Tool { name, .. } => {
                        tools += 1;
                        json!({ "type": kind, "id": format!("toolu_{}", ids + tools), "name": name, "input": {} })
                    }
                    Part::Think(_) => json!({ "type": kind, "thinking": "", "signature": "" }),
                    _ => json!({ "type": kind, "text": "" }),
                };
                yield event(json!({ "type": "content_block_start", "index": index, "content_block": block }));
            }
            let delta = match part {
                Part::Text(text) => json!({ "type": "text_delta", "text": text }),
                Part::Think(text) => json!({ "type": "thinking_delta", "thinking": text }),
                Part::Tool { args, .. } => json!({ "type": "input_json_delta", "partial_json": args }),
                Part::Gate(gate) => {
                    gate.passed().await;
                    continue;
                }
                Part::Pause(limit) => {
                    tokio::time::sleep(limit).await;
                    continue;
                }
                Part::Cut => {
                    // What was sent must leave before the connection breaks.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    yield Err(std::io::Error::other("cut by the script"));
                    return;
                }
                Part::Hang => std::future::pending().await,
            };
            yield event(json!({ "type": "content_block_delta", "index": index, "delta": delta }));
        }
        if open.is_some() {
            yield event(json!({ "type": "content_block_stop", "index": index }));
        }
        let reason = if tools > 0 { "tool_use" } else { "end_turn" };
        yield event(json!({ "type": "message_delta", "delta": { "stop_reason": reason, "stop_sequence": null },
            "usage": { "output_tokens": 34 } }));
        yield event(json!({ "type": "message_stop" }));
    }
}
