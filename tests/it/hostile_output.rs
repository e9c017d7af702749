//! What no agent should print, and one does some day: it loses itself alone, and never the run.

use agent_launcher::{Event, EventKind, Mode, Status};
use serde_json::json;

use crate::support::{Bench, check, collect, shape, text};

const RESULT: &str = r#"{"type":"result","sessionId":"{{session_id}}","exitCode":0}"#;

/// Runs a fake that prints these bytes and exits with 0.
async fn printed(bytes: impl AsRef<[u8]>) -> Vec<Event> {
    let bench = Bench::copilot("recorded out.jsonl");
    std::fs::write(bench.bin().join("out.jsonl"), bytes).unwrap();
    let mut run = bench.start(&bench.launcher(), &bench.request("hello").mode(Mode::PowerUser)).await;
    collect(&mut run).await
}

fn delta(text: &str) -> String {
    json!({ "type": "assistant.message_delta", "data": { "messageId": "m", "deltaContent": text } }).to_string()
}

#[tokio::test]
async fn text_cut_within_a_character_is_told_but_for_the_half() {
    let lines = [
        r#"{"type":"assistant.message_delta","data":{"messageId":"m","deltaContent":"cut \ud83d"}}"#,
        r#"{"type":"tool.execution_start","data":{"toolCallId":"t","toolName":"view","arguments":{"path":"\ude00"}}}"#,
        r#"{"type":"tool.execution_complete","data":{"toolCallId":"t","success":true,"result":{"content":"long \ud83d"}}}"#,
        RESULT,
    ];
    let events = printed(lines.join("\n")).await;
    assert_eq!(check(&events).status, Status::Completed);
    assert_eq!(text(&events), "cut \u{fffd}");
    assert_eq!(shape(&events), ["Init", "TextDelta", "ToolStart", "ToolDone", "Done"]);
    let output = events.iter().find_map(|event| match &event.kind {
        EventKind::ToolDone { output, .. } => output.clone(),
        _ => None,
    });
    assert_eq!(output.as_deref(), Some("long \u{fffd}"));
}

#[tokio::test]
async fn figures_that_cannot_be_do_not_cost_the_end_of_a_run() {
    let message = |id: &str, tokens: &str| {
        format!(
            r#"{{"type":"assistant.message","data":{{"messageId":"{id}","content":"{id}","outputTokens":{tokens}}}}}"#
        )
    };
    let usage = r#"{"premiumRequests":"many","totalApiDurationMs":12.5,"sessionDurationMs":-1,"codeChanges":{"linesAdded":1e400,"linesRemoved":7}}"#;
    let lines = [
        message("a", "18446744073709551615"),
        message("b", "18446744073709551615"),
        message("c", "-5"),
        r#"{"type":"assistant.usage","data":{"inputTokens":18446744073709551615}}"#.to_owned(),
        r#"{"type":"assistant.usage","data":{"inputTokens":18446744073709551615}}"#.to_owned(),
        format!(r#"{{"type":"result","sessionId":"s","exitCode":4294967295,"usage":{usage}}}"#),
    ];
    let events = printed(lines.join("\n")).await;
    let outcome = check(&events);
    assert_eq!((outcome.status, outcome.session_id.as_deref()), (Status::Completed, Some("s")));
    let usage = outcome.usage.clone().expect("what can be told of the usage");
    assert_eq!((usage.input_tokens, usage.output_tokens), (Some(u64::MAX), Some(u64::MAX)));
    assert_eq!((usage.api_ms, usage.session_ms, usage.lines_added, usage.lines_removed), (None, None, None, Some(7)));
    assert!(text(&events).ends_with('c'), "{events:#?}");
}

#[tokio::test]
async fn every_kind_of_nonsense_between_two_pieces_loses_only_itself() {
    let deep = format!("{{\"type\":\"tool.execution_start\",\"data\":{}", "[".repeat(200_000));
    let nonsense: [&[u8]; 12] = [
        b"\0\0\0",
        b"\xff\xfe\xc3\x28\xf0\x9f",
        b"{\"type\":\"assistant.message_delta\",\"data\":{\"messageId\":\"m\",\"deltaContent\":\"\xff\"}}",
        deep.as_bytes(),
        br#"{"type":"assistant.message_delta","data":{"messageId":"m","messageId":"n","deltaContent":"twice"}}"#,
        br#"{"type":"assistant.message_delta","data":null}"#,
        br#"{"type":"assistant.message_delta","data":{"messageId":7,"deltaContent":{}}}"#,
        br#"{"type":{"type":"result"}}"#,
        br#"["type","result"]"#,
        b"{\"type\":\"result",
        b"\xef\xbb\xbf{",
        b"\r\r\r",
    ];
    for bytes in nonsense {
        let mut all = delta("one ").into_bytes();
        for part in [b"\n", bytes, b"\r\n", delta("two").as_bytes(), b"\n", RESULT.as_bytes()] {
            all.extend_from_slice(part);
        }
        let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]);
        let events = printed(&all).await;
        assert_eq!((check(&events).status, text(&events).as_str()), (Status::Completed, "one two"), "{shown:?}");
    }
}

#[tokio::test]
async fn a_burst_of_a_hundred_thousand_events_arrives_whole() {
    let mut lines: String = (0..100_000).map(|number| delta(&format!("{number};")) + "\n").collect();
    lines.push_str(RESULT);
    let events = printed(lines).await;
    assert_eq!(check(&events).status, Status::Completed);
    let expected: String = (0..100_000).map(|number| format!("{number};")).collect();
    assert!(text(&events) == expected);
}

#[tokio::test]
async fn a_last_event_that_comes_when_all_else_is_over_is_told_and_ends_the_run() {
    // No newline ends it, so it is known only when the pipe is given up, and that comes last: what holds it has escaped.
    let holds = "fork setsid double clear-env hold-stdout ignore-term";
    let result = r#"{"type":"result","sessionId":"s","exitCode":0,"usage":{"premiumRequests":1}}"#;
    let bench = Bench::copilot(&format!("{holds}\njson {}\npart {result}\nexit 0", delta("done")));
    let mut run = bench.start(&bench.launcher(), &bench.request("hello")).await;
    let events = collect(&mut run).await;
    assert_eq!((check(&events).status, text(&events).as_str()), (Status::Completed, "done"));
    assert_eq!(shape(&events), ["Init", "TextDelta", "Usage", "Done"]);
}
