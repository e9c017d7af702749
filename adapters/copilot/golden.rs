//! Recorded streams of the real CLI and what the decoder makes of them. Every snapshot is reviewed line by line.

use super::Copilot;
use crate::adapters::golden::{self, shown};
use crate::adapters::{Adapter as _, Decoder};
use crate::event::{EventKind, NoticeLevel};
use crate::plan::{OutputFormat, Plan};
use crate::request::Mode;

/// A plan as far as a decoder looks at it.
fn plan(output: OutputFormat, mode: Mode, version: &str) -> Plan {
    let safe = mode == Mode::Safe;
    let allowed_tools = safe.then(|| super::tools::SAFE.iter().map(|tool| (*tool).to_owned()).collect());
    Plan { allowed_tools, ..golden::plan(&Copilot, output, mode, version) }
}

/// Decodes a whole recording and prints events and report, one event a line.
fn decoded(name: &str, bytes: &[u8]) -> String {
    let json = bytes.first() == Some(&b'{');
    let output = if json { OutputFormat::Json } else { OutputFormat::Text };
    let mode = if name.contains("power") { Mode::PowerUser } else { Mode::Safe };
    let version = if name.ends_with("_1.0.69") { "1.0.69" } else { "1.0.102" };
    golden::decoded(&Copilot, &plan(output, mode, version), bytes)
}

fn recordings() -> Vec<(String, Vec<u8>)> {
    golden::recordings(&Copilot)
}

/// Recordings whose events are golden: all that are JSON, and the text ones that differ in kind.
fn is_golden(name: &str, bytes: &[u8]) -> bool {
    const TEXT: &[&str] = &[
        "1_text_ansi_in",
        "1_text_default",
        "1_text_denied",
        "1_text_empty",
        "1_text_forcecolor",
        "1_text_leading_ws",
        "1_text_multi",
        "1_text_trailing_nl",
    ];
    bytes.first() == Some(&b'{') || TEXT.contains(&name)
}

#[test]
fn recorded_streams_decode_to_their_golden_events() {
    let golden: Vec<_> = recordings().into_iter().filter(|(name, bytes)| is_golden(name, bytes)).collect();
    assert!(golden.len() >= 30, "only {} recordings", golden.len());
    golden::with_snapshots(&Copilot, || {
        for (name, bytes) in &golden {
            insta::assert_snapshot!(format!("decode_{name}"), decoded(name, bytes));
        }
    });
}

#[test]
fn no_line_of_a_recording_is_unrecognized() {
    for (name, bytes) in recordings() {
        if bytes.first() == Some(&b'{') {
            let text = decoded(&name, &bytes);
            assert!(!text.contains("\"kind\":\"Unrecognized\""), "{name}:\n{text}");
        }
    }
}

fn run(lines: &[&str]) -> (Vec<EventKind>, Box<dyn Decoder>) {
    let mut decoder = Copilot.decoder(&plan(OutputFormat::Json, Mode::Safe, "1.0.102"));
    let mut events = Vec::new();
    lines.iter().for_each(|line| decoder.line(line.as_bytes(), &mut events));
    decoder.end(&mut events);
    (events, decoder)
}

#[test]
fn s06_an_unknown_event_is_kept_and_a_malformed_one_loses_only_itself() {
    let (events, _) = run(&[
        r#"{"type":"brand.new","data":{"x":1}}"#,
        r#"{"type":"assistant.message_delta","data":{"messageId":"1","deltaContent":7}}"#,
        r#"{"type":"assistant.message_delta","data":{"deltaContent":"lost"}}"#,
        r#"{"type":"assistant.message_delta","data":{"messageId":"1","deltaContent":"a\u2028b"},"new":[{}]}"#,
        r#"{"data":{"messageId":"1","deltaContent":"c"},"type":"assistant.message_delta"}"#,
        r#"{"type":"session.brand_new"}"#,
        r#"{"type":"tool.execution_complete","data":{"toolCallId":"1"}}"#,
        "{\"type\":\"assistant.mess",
    ]);
    let kinds: Vec<_> =
        events.iter().map(|event| serde_json::to_value(event).expect("plain data")["kind"].clone()).collect();
    let expected =
        ["Unrecognized", "Unrecognized", "Unrecognized", "TextDelta", "TextDelta", "Unrecognized", "Unrecognized"];
    assert_eq!(kinds, expected);
    assert_eq!(shown(&events), "a\u{2028}bc");
}

#[test]
fn s07_noise_around_events_is_kept_without_its_escapes() {
    let (events, _) = run(&[
        "\u{1b}[?2004hwrapper 1.2",
        "\u{1b}]0;title\u{7}{\"type\":\"assistant.message_delta\",\"data\":{\"messageId\":\"1\",\"deltaContent\":\"a\"}}",
        "\u{1b}[0m",
    ]);
    let expected = [EventKind::Unrecognized { line: "wrapper 1.2".into() }, EventKind::TextDelta { text: "a".into() }];
    assert_eq!(events, expected);
}

#[test]
fn an_error_that_the_agent_got_over_is_a_notice_and_no_failure() {
    let error = r#"{"type":"session.error","data":{"errorType":"query","message":"no route"}}"#;
    let text = r#"{"type":"assistant.message_delta","data":{"messageId":"1","deltaContent":"yes"}}"#;
    assert_eq!(run(&[error]).1.report().errors.len(), 1);
    let (events, decoder) = run(&[error, text]);
    assert!(decoder.report().errors.is_empty() && decoder.report().answered);
    assert_eq!(events.len(), 2);
    assert!(matches!(&events[0], EventKind::Notice { message, .. } if message == "no route"), "{events:?}");
}

#[test]
fn tools_that_are_promised_and_missing_are_told() {
    let info = |message: &str| {
        serde_json::json!({ "type": "session.info", "data": { "infoType": "configuration", "message": message } })
            .to_string()
    };
    let told = |line: &str| {
        let (events, _) = run(&[line]);
        let notice = |event: &EventKind| match event {
            EventKind::Notice { level: NoticeLevel::Warning, message } => message.clone(),
            event => panic!("{event:?}"),
        };
        events.iter().map(notice).collect::<Vec<_>>()
    };
    let none: [String; 0] = [];
    assert_eq!(told(&info("Disabled tools: bash, sql, task")), none, "what Safe mode leaves out is no news");
    assert_eq!(
        told(&info("Disabled tools: bash, edit, sql, tolaria-note_info")),
        ["Copilot leaves out what Safe mode gives: `edit`, `tolaria-note_info`."]
    );
    let unknown = |name: &str| told(&info(&format!("Unknown tool name in the tool allowlist: \"{name}\"")));
    assert_eq!(unknown("grep"), ["This version of Copilot has no tool `grep`, which Safe mode relies on."]);
    assert_eq!(unknown("write"), none, "a kind of permission, which stands in the list without effect");
    let loaded = |name: &str, count: u64| {
        let data = serde_json::json!({ "serverName": name, "toolCount": count });
        told(&serde_json::json!({ "type": "session.mcp_server_tools_loaded", "data": data }).to_string())
    };
    assert_eq!(loaded("tolaria", 0), ["The server `tolaria` is connected and offers no tool."]);
    assert_eq!((loaded("tolaria", 1), loaded("other", 0)), (Vec::new(), Vec::new()));
    let policy = serde_json::json!({ "type": "session.warning", "data": { "warningType": "policy",
        "message": "Third-party MCP servers are disabled by your organization's Copilot policy." } });
    assert_eq!(
        told(&policy.to_string()),
        ["Third-party MCP servers are disabled by your organization's Copilot policy."]
    );
}

#[test]
fn a_tool_outside_the_mode_that_runs_trips_the_wire() {
    let start = |tool: &str| {
        format!(r#"{{"type":"tool.execution_start","data":{{"toolCallId":"1","toolName":"{tool}","arguments":{{}}}}}}"#)
    };
    let done = |ok: bool| format!(r#"{{"type":"tool.execution_complete","data":{{"toolCallId":"1","success":{ok}}}}}"#);
    let output = r#"{"type":"tool.execution_partial_result","data":{"toolCallId":"1","partialOutput":"x"}}"#;
    let bypassed = |lines: &[&str]| run(lines).1.report().bypassed.is_some();
    assert!(bypassed(&[&start("bash"), &done(true)]));
    assert!(bypassed(&[&start("bash"), output]));
    assert!(bypassed(&[&start("other-echo"), &done(true)]));
    assert!(!bypassed(&[&start("bash"), &done(false)]));
    assert!(!bypassed(&[&start("view"), &done(true)]));
    assert!(!bypassed(&[&start("tolaria-echo"), &done(true)]));
    let other = r#"{"type":"tool.execution_start","data":{"toolCallId":"1","toolName":"Tolaria-echo","mcpServerName":"Tolaria"}}"#;
    assert!(bypassed(&[other, &done(true)]), "a server that differs by case is another server");
}

#[test]
fn a_file_outside_what_the_mode_lets_write_trips_the_wire() {
    let bypassed = |tool: &str, path: &str| {
        let arguments = serde_json::json!({ "path": path, "file_text": "x" });
        let start = serde_json::json!({ "type": "tool.execution_start", "data": { "toolCallId": "1", "toolName": tool, "arguments": arguments } });
        let done = r#"{"type":"tool.execution_complete","data":{"toolCallId":"1","success":true}}"#;
        run(&[&start.to_string(), done]).1.report().bypassed.clone()
    };
    for path in ["/vault/a.md", "a.md", "sub/a.md", "/vault/sub/../a.md", "./a.md", "/VAULT/a.md", "a..md", "sub/a.b/c"]
    {
        assert_eq!(bypassed("create", path), None, "{path}");
        assert_eq!(bypassed("edit", path), None, "{path}");
    }
    for path in
        [".git/hooks/x", "/vault/.mcp.json", "sub/.envrc", "../a", "/vault/../etc/x", "/vaults/a", "/etc/passwd"]
    {
        assert!(bypassed("create", path).is_some_and(|what| what.contains("was written")), "{path}");
        assert!(bypassed("edit", path).is_some(), "{path}");
    }
    assert_eq!(bypassed("view", "/vault/.git/config"), None, "reading hidden files of the vault is no breach");
}

mod any_bytes {
    use proptest::prelude::*;

    use super::{Mode, OutputFormat, plan, recordings, shown};
    use crate::adapters::Adapter as _;
    use crate::adapters::copilot::Copilot;

    proptest! {
        #[test]
        fn no_bytes_make_the_decoder_panic(lines in proptest::collection::vec(any::<Vec<u8>>(), 0..16)) {
            for output in [OutputFormat::Json, OutputFormat::Text] {
                let mut decoder = Copilot.decoder(&plan(output, Mode::Safe, "1.0.102"));
                let mut events = Vec::new();
                lines.iter().for_each(|line| decoder.line(line, &mut events));
                decoder.end(&mut events);
            }
        }

        /// Recorded lines lost, repeated and out of order: never a panic, and a retraction is always the end of what is shown.
        #[test]
        fn any_order_of_recorded_lines_is_decoded(picks in proptest::collection::vec(any::<prop::sample::Index>(), 0..200)) {
            let recordings = recordings();
            let lines: Vec<&[u8]> = recordings.iter().flat_map(|(_, bytes)| bytes.split(|byte| *byte == b'\n')).collect();
            let mut decoder = Copilot.decoder(&plan(OutputFormat::Json, Mode::Safe, "1.0.69"));
            let mut events = Vec::new();
            picks.iter().for_each(|pick| decoder.line(lines[pick.index(lines.len())], &mut events));
            decoder.end(&mut events);
            shown(&events);
        }
    }
}
