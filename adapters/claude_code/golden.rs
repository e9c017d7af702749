//! Recorded streams of the real CLI and what the decoder makes of them. Every snapshot is reviewed line by line.

use super::ClaudeCode;
use crate::adapters::golden::{self, shown};
use crate::adapters::{Adapter as _, Decoder};
use crate::event::EventKind;
use crate::plan::{OutputFormat, Plan};
use crate::request::Mode;

/// Recordings of runs whose flags gave the tools of Safe mode, or some of them.
const SAFE: &[&str] = &["full_safe_tools", "full_safe_tools_197", "perm_tools", "resume_resume_safe"];

/// A plan as far as a decoder looks at it.
fn plan(mode: Mode) -> Plan {
    let allowed_tools =
        (mode == Mode::Safe).then(|| super::tools::SAFE.iter().map(|tool| (*tool).to_owned()).collect());
    Plan { allowed_tools, ..golden::plan(&ClaudeCode, OutputFormat::Json, mode, "2.1.332") }
}

fn decoded(name: &str, bytes: &[u8]) -> String {
    let mode = if SAFE.contains(&name) { Mode::Safe } else { Mode::PowerUser };
    golden::decoded(&ClaudeCode, &plan(mode), bytes)
}

#[test]
fn recorded_streams_decode_to_their_golden_events() {
    let recordings = golden::recordings(&ClaudeCode);
    assert!(recordings.len() >= 40, "only {} recordings", recordings.len());
    golden::with_snapshots(&ClaudeCode, || {
        for (name, bytes) in &recordings {
            insta::assert_snapshot!(format!("decode_{name}"), decoded(name, bytes));
        }
    });
}

#[test]
fn no_line_of_a_recording_is_unrecognized() {
    for (name, bytes) in golden::recordings(&ClaudeCode) {
        let text = decoded(&name, &bytes);
        assert!(!text.contains("\"kind\":\"Unrecognized\""), "{name}:\n{text}");
    }
}

fn run(lines: &[String]) -> (Vec<EventKind>, Box<dyn Decoder>) {
    let mut decoder = ClaudeCode.decoder(&plan(Mode::Safe));
    let mut events = Vec::new();
    lines.iter().for_each(|line| decoder.line(line.as_bytes(), &mut events));
    decoder.end(&mut events);
    (events, decoder)
}

fn start(id: &str) -> String {
    format!(r#"{{"type":"stream_event","event":{{"type":"message_start","message":{{"id":"{id}"}}}}}}"#)
}

fn block() -> String {
    r#"{"type":"stream_event","event":{"type":"content_block_start","content_block":{"type":"text","text":""}}}"#.into()
}

fn delta(text: &str) -> String {
    let event = serde_json::json!({ "type": "content_block_delta", "delta": { "type": "text_delta", "text": text } });
    serde_json::json!({ "type": "stream_event", "event": event, "parent_tool_use_id": null }).to_string()
}

fn full(id: &str, text: &str) -> String {
    let message = serde_json::json!({ "id": id, "content": [{ "type": "text", "text": text }] });
    serde_json::json!({ "type": "assistant", "message": message, "parent_tool_use_id": null }).to_string()
}

fn use_of(tool: &str, input: &serde_json::Value) -> String {
    let block = serde_json::json!({ "type": "tool_use", "id": "t", "name": tool, "input": input });
    serde_json::json!({ "type": "assistant", "message": { "id": "m", "content": [block] } }).to_string()
}

fn answer(text: &str, is_error: bool) -> String {
    let block = serde_json::json!({ "type": "tool_result", "tool_use_id": "t", "content": text, "is_error": is_error });
    serde_json::json!({ "type": "user", "message": { "role": "user", "content": [block] } }).to_string()
}

#[test]
fn text_that_came_in_pieces_is_not_told_again() {
    let lines =
        [start("1"), block(), delta("Hel"), delta("lo"), full("1", "Hello"), block(), delta("you"), full("1", "you")];
    assert_eq!(shown(&run(&lines).0), "Hello\n\nyou");
    // What the pieces left out is told.
    assert_eq!(shown(&run(&[start("1"), block(), delta("Hel"), full("1", "Hello")]).0), "Hello");
    assert_eq!(shown(&run(&[full("1", "Hello"), full("2", "you")]).0), "Hello\n\nyou");
}

/// As some gateways do.
#[test]
fn messages_that_all_have_the_same_id_or_none_are_told_once_each() {
    for id in ["same", ""] {
        let first = [start(id), block(), delta("One."), full(id, "One.")];
        let second = [
            start(id),
            block(),
            delta("Tw"),
            delta("o."),
            full(id, "Two."),
            block(),
            delta("Three."),
            full(id, "Three."),
        ];
        assert_eq!(shown(&run(&[&first[..], &second[..]].concat()).0), "One.\n\nTwo.\n\nThree.", "{id:?}");
        let broken = [start(id), block(), delta("On")];
        assert_eq!(shown(&run(&[&broken[..], &first[..]].concat()).0), "One.", "{id:?}");
    }
}

#[test]
fn an_absolute_pattern_that_listed_files_outside_the_vault_ends_the_run() {
    let listed = |pattern: &str, failed: bool| {
        let lines = [use_of("Glob", &serde_json::json!({ "pattern": pattern })), answer("x", failed)];
        run(&lines).1.report().bypassed.is_some()
    };
    for pattern in ["/etc/*", "/*/x", "/vault/../etc/**", "/etc/{a,b}"] {
        assert!(listed(pattern, false), "{pattern}");
        assert!(!listed(pattern, true), "{pattern}: it was refused");
    }
    for pattern in ["/vault/**/*.md", "/vault", "**/*.md", "../*"] {
        assert!(!listed(pattern, false), "{pattern}");
    }
}

#[test]
fn a_message_asked_for_again_replaces_what_was_shown_of_the_broken_one() {
    let broken = [start("1"), block(), delta("Once upon a "), delta("time.")];
    let again = [start("2"), block(), delta("Once upon a mid"), delta("night."), full("2", "Once upon a midnight.")];
    assert_eq!(shown(&run(&[&broken[..], &again[..]].concat()).0), "Once upon a midnight.");
    // 2.1.197 asks again without a stream.
    let whole = [full("2", "Once upon a midnight.")];
    assert_eq!(shown(&run(&[&broken[..], &whole[..]].concat()).0), "Once upon a midnight.");
}

#[test]
fn a_sub_agent_s_words_are_not_the_answer_and_its_tools_are_told() {
    let said = r#"{"type":"assistant","message":{"id":"9","content":[{"type":"text","text":"sub"},{"type":"tool_use","id":"t","name":"Read","input":{}}]},"parent_tool_use_id":"toolu_1"}"#;
    let streamed = r#"{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"sub"}},"parent_tool_use_id":"toolu_1"}"#;
    let (events, _) = run(&[streamed.into(), said.into()]);
    let expected = EventKind::ToolStart { tool_name: "Read".into(), tool_id: "t".into(), input: Some("{}".into()) };
    assert_eq!(events, [expected]);
}

#[test]
fn s06_an_unknown_event_is_kept_and_a_malformed_one_loses_only_itself() {
    let (events, _) = run(&[
        r#"{"type":"brand_new","x":1}"#.into(),
        r#"{"type":"assistant","message":7}"#.into(),
        r#"{"type":"stream_event","event":{"type":"content_block_delta","delta":{"text":7}}}"#.into(),
        r#"{"type":"system","subtype":"brand_new"}"#.into(),
        r#"{"type":"rate_limit_event","rate_limit_info":{"status":"allowed"}}"#.into(),
        r#"{"session_id":"1","type":"assistant","new":[{}],"message":{"id":"1","content":[{"type":"new"},{"type":"text","text":"a\u2028b"}]}}"#.into(),
        "\u{1b}[0mwrapper 1.2".into(),
        "{\"type\":\"assis".into(),
    ]);
    let kinds: Vec<_> =
        events.iter().map(|event| serde_json::to_value(event).expect("plain data")["kind"].clone()).collect();
    assert_eq!(kinds, ["Unrecognized", "Unrecognized", "Unrecognized", "TextDelta", "Unrecognized", "Unrecognized"]);
    assert_eq!(shown(&events), "a\u{2028}b");
}

#[test]
fn a_refused_tool_is_told_as_denied_on_every_version() {
    let denied = |text: &str| {
        let (events, _) = run(&[use_of("Write", &serde_json::json!({})), answer(text, true)]);
        matches!(&events[1], EventKind::ToolDone { ok: false, denied: true, .. })
    };
    for text in [
        "Claude requested permissions to write to /etc/x, but you haven't granted it yet.",
        "Permission to edit /vault/.codex/c has been denied.",
        "<tool_use_error>File is in a directory that is denied by your permission settings.</tool_use_error>",
        "<tool_use_error>Error: No such tool available: Bash. Bash is disabled for this session, in subagents as well as here.</tool_use_error>",
        "<tool_use_error>Error: No such tool available: Bash. Bash exists but is not enabled in this context. Use one of the available tools instead.</tool_use_error>",
    ] {
        assert!(denied(text), "{text}");
    }
    for text in
        ["<tool_use_error>Error: No such tool available: mcp__tolaria__echo</tool_use_error>", "File does not exist."]
    {
        assert!(!denied(text), "{text}");
    }
    let event = r#"{"type":"system","subtype":"permission_denied","tool_use_id":"t"}"#.to_owned();
    let (events, _) = run(&[use_of("Write", &serde_json::json!({})), event, answer("In other words.", true)]);
    assert!(matches!(&events[1], EventKind::ToolDone { denied: true, .. }), "{events:?}");
}

#[test]
fn a_tool_outside_the_mode_that_runs_trips_the_wire() {
    let bypassed = |tool: &str, failed: bool| {
        run(&[use_of(tool, &serde_json::json!({})), answer("x", failed)]).1.report().bypassed.is_some()
    };
    assert!(bypassed("Bash", false) && bypassed("Task", false) && bypassed("mcp__other__echo", false));
    assert!(bypassed("mcp__Tolaria__echo", false), "a server that differs by case is another server");
    assert!(bypassed("mcp__tolaria", false) && bypassed("mcp__tolaria_2__echo", false));
    assert!(!bypassed("Bash", true) && !bypassed("Read", false) && !bypassed("mcp__tolaria__echo", false));
}

#[test]
fn a_file_outside_what_the_mode_lets_write_trips_the_wire() {
    let bypassed = |tool: &str, path: &str| {
        let lines = [use_of(tool, &serde_json::json!({ "file_path": path, "path": path })), answer("x", false)];
        run(&lines).1.report().bypassed.clone()
    };
    for path in ["/vault/a.md", "a.md", "sub/a.md", "/vault/sub/../a.md", "./a.md", "/VAULT/a.md", "a..md"] {
        assert_eq!(bypassed("Write", path), None, "{path}");
        assert_eq!(bypassed("Edit", path), None, "{path}");
        assert_eq!(bypassed("Read", path), None, "{path}");
    }
    for path in
        [".codex/config.toml", "/vault/.mcp.json", "sub/.envrc", "../a", "/vault/../etc/x", "/vaults/a", "/etc/x"]
    {
        assert!(bypassed("Write", path).is_some_and(|what| what.contains("was written")), "{path}");
        assert!(bypassed("Edit", path).is_some(), "{path}");
    }
    assert!(bypassed("Read", "/etc/passwd").is_some() && bypassed("Grep", "/etc").is_some());
    assert_eq!(bypassed("Read", "/vault/.git/config"), None, "reading hidden files of the vault is no breach");
}

#[test]
fn what_the_agent_offers_is_compared_with_what_the_mode_gives() {
    let init = |tools: &[&str]| {
        let init = serde_json::json!({ "type": "system", "subtype": "init", "session_id": "1", "tools": tools });
        let (events, _) = run(&[init.to_string(), init.to_string()]);
        let text = |event: &EventKind| match event {
            EventKind::Notice { message, .. } => message.clone(),
            other => panic!("not a notice: {other:?}"),
        };
        events.iter().map(text).collect::<Vec<_>>()
    };
    assert_eq!(init(&["Edit", "Glob", "Grep", "Read", "Write", "mcp__tolaria__echo"]), Vec::<String>::new());
    assert_eq!(
        init(&["Bash", "Edit", "Read", "Write", "Grep"]),
        [
            "Claude Code offers what Safe mode does not give: `Bash`.",
            "Claude Code leaves out what Safe mode gives: `Glob`."
        ]
    );
}

#[test]
fn work_after_a_result_is_not_the_end() {
    let result = r#"{"type":"result","subtype":"success","is_error":false,"session_id":"1"}"#.to_owned();
    assert!(run(std::slice::from_ref(&result)).1.report().finished);
    assert!(!run(&[result, start("2")]).1.report().finished);
}

mod any_bytes {
    use proptest::prelude::*;

    use super::{Mode, plan, shown};
    use crate::adapters::claude_code::ClaudeCode;
    use crate::adapters::{Adapter as _, golden};

    proptest! {
        #[test]
        fn no_bytes_make_the_decoder_panic(lines in proptest::collection::vec(any::<Vec<u8>>(), 0..16)) {
            let mut decoder = ClaudeCode.decoder(&plan(Mode::Safe));
            let mut events = Vec::new();
            lines.iter().for_each(|line| decoder.line(line, &mut events));
            decoder.end(&mut events);
        }

        /// Recorded lines lost, repeated and out of order: never a panic, and a retraction is always the end of what is shown.
        #[test]
        fn any_order_of_recorded_lines_is_decoded(picks in proptest::collection::vec(any::<prop::sample::Index>(), 0..200)) {
            let recordings = golden::recordings(&ClaudeCode);
            let lines: Vec<&[u8]> = recordings.iter().flat_map(|(_, bytes)| bytes.split(|byte| *byte == b'\n')).collect();
            let mut decoder = ClaudeCode.decoder(&plan(Mode::Safe));
            let mut events = Vec::new();
            picks.iter().for_each(|pick| decoder.line(lines[pick.index(lines.len())], &mut events));
            decoder.end(&mut events);
            shown(&events);
        }
    }
}
