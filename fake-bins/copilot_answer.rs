//! What a fake Copilot prints by itself: a short answer, and the end of an aborted run.

use serde_json::{Value, json};

use crate::faults::{Context, print, print_err};

const PIECES: [&str; 4] = ["Hello ", "from ", "the ", "fake"];

/// Answers `Hello from the fake` in the format that was asked for.
pub(crate) fn answer(context: &Context) {
    if !context.json {
        if context.stream {
            PIECES.iter().for_each(|piece| print(piece.as_bytes()));
            print(b"\n\n");
        } else {
            print(format!("{}\n", PIECES.concat()).as_bytes());
        }
        if !context.silent {
            let session = &context.session_id;
            print_err(
                format!("\n\nChanges    +0 -0\nDuration   0s\nTokens     ↑ 10 • ↓ 5\nResume     copilot --resume={session}\n")
                    .as_bytes(),
            );
        }
        return;
    }
    let message = id();
    for server in &context.servers {
        line("session.mcp_server_status_changed", json!({"serverName": server, "status": "pending"}), true);
    }
    line("session.tools_updated", json!({"model": context.model}), true);
    line("user.message", json!({"content": context.prompt, "messageId": id(), "turnId": "0"}), false);
    line("assistant.turn_start", json!({"turnId": "0"}), false);
    for server in &context.servers {
        let status = json!({"serverName": server, "status": "connected", "configSource": "user"});
        line("session.mcp_server_status_changed", status, true);
    }
    line("model.call_start", json!({"turnId": "0", "model": context.model}), true);
    if context.stream {
        line("assistant.message_start", json!({"messageId": message}), true);
        for piece in PIECES {
            line("assistant.message_delta", json!({"messageId": message, "deltaContent": piece}), true);
        }
    }
    let whole = json!({
        "messageId": message, "model": context.model, "content": PIECES.concat(), "toolRequests": [], "turnId": "0",
    });
    line("assistant.message", whole, false);
    line("assistant.turn_end", json!({"turnId": "0"}), false);
    line("assistant.idle", json!({}), true);
    result(context);
}

/// A piece of an answer that is the moment it was printed, in nanoseconds since 1970. The rest of the line is fixed, so that
/// printing takes the same time always.
pub(crate) fn stamp() {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_nanos();
    let line = format!(
        r#"{{"type":"assistant.message_delta","data":{{"messageId":"fff43158-8a80-45cf-b5c5-219a6c38ce95","deltaContent":"{now} "}},"ephemeral":true,"id":"60cefe6b-540c-4e3e-9df7-f62a2cb4c22b","timestamp":"{TIME}","parentId":"b5625201-bb1b-4f35-9f7c-63fc3370c36e"}}"#
    );
    print(format!("{line}\n").as_bytes());
}

/// What the real one prints when TERM or INT stops it: then it exits 0.
#[cfg(unix)]
pub(crate) fn aborted(context: &Context) {
    if context.json {
        line("assistant.idle", json!({"aborted": true}), true);
        result(context);
    }
}

fn result(context: &Context) {
    let result = json!({
        "type": "result", "timestamp": TIME, "sessionId": context.session_id, "exitCode": 0,
        "usage": {
            "premiumRequests": 0, "totalApiDurationMs": 5, "sessionDurationMs": 9,
            "codeChanges": {"linesAdded": 0, "linesRemoved": 0, "filesModified": []},
        },
    });
    print(format!("{result}\n").as_bytes());
}

const TIME: &str = "2026-11-30T12:00:00.000Z";

fn line(kind: &str, data: Value, ephemeral: bool) {
    let mut line = json!({"type": kind, "data": data, "id": id(), "timestamp": TIME, "parentId": id()});
    if ephemeral {
        line["ephemeral"] = true.into();
    }
    print(format!("{line}\n").as_bytes());
}

fn id() -> String {
    uuid::Uuid::new_v4().to_string()
}
