//! Recorded streams of the real CLI and what the decoder makes of them. Every snapshot is reviewed line by line.

use super::{OpenCode, tools};
use crate::adapters::golden::{self, shown};
use crate::adapters::{Adapter as _, Decoder};
use crate::event::EventKind;
use crate::plan::{OutputFormat, Plan, Scratch};
use crate::request::Mode;

/// A plan as far as a decoder looks at it.
fn plan(mode: Mode) -> Plan {
    let safe = mode == Mode::Safe;
    let allowed_tools = safe.then(|| tools::SAFE.iter().map(|tool| (*tool).to_owned()).collect());
    let scratch = Some(Scratch { name: "Notes-1".into(), below: None, stays: true });
    Plan { allowed_tools, scratch, ..golden::plan(&OpenCode, OutputFormat::Json, mode, "1.18.33") }
}

fn decoded(name: &str, bytes: &[u8]) -> String {
    // Recordings without rules gave every tool.
    let open = ["full_power", "full_none", "f_badagent"].contains(&name);
    golden::decoded(&OpenCode, &plan(if open { Mode::PowerUser } else { Mode::Safe }), bytes)
}

#[test]
fn recorded_streams_decode_to_their_golden_events() {
    let recordings = golden::recordings(&OpenCode);
    assert!(recordings.len() >= 30, "only {} recordings", recordings.len());
    golden::with_snapshots(&OpenCode, || {
        for (name, bytes) in recordings.iter().filter(|(_, bytes)| !bytes.is_empty()) {
            insta::assert_snapshot!(format!("decode_{name}"), decoded(name, bytes));
        }
    });
}

#[test]
fn no_line_of_a_recording_is_unrecognized() {
    for (name, bytes) in golden::recordings(&OpenCode) {
        let text = decoded(&name, &bytes);
        assert!(!text.contains("\"kind\":\"Unrecognized\""), "{name}:\n{text}");
    }
}

fn run(lines: &[&str]) -> (Vec<EventKind>, Box<dyn Decoder>) {
    let mut decoder = OpenCode.decoder(&plan(Mode::Safe));
    let mut events = Vec::new();
    lines.iter().for_each(|line| decoder.line(line.as_bytes(), &mut events));
    decoder.end(&mut events);
    (events, decoder)
}

fn text(id: &str, text: &str) -> String {
    format!(r#"{{"type":"text","sessionID":"ses_1","part":{{"id":"{id}","type":"text","text":"{text}"}}}}"#)
}

fn finish(reason: &str) -> String {
    format!(
        r#"{{"type":"step_finish","sessionID":"ses_1","part":{{"reason":"{reason}","tokens":{{"input":3,"output":2}},"cost":0.5}}}}"#
    )
}

const START: &str = r#"{"type":"step_start","sessionID":"ses_1","part":{"type":"step-start"}}"#;

fn tool(name: &str, state: &serde_json::Value) -> String {
    serde_json::json!({ "type": "tool_use", "sessionID": "ses_1", "part": { "tool": name, "callID": name, "state": state } })
        .to_string()
}

#[test]
fn s06_an_unknown_event_is_kept_and_a_malformed_one_loses_only_itself() {
    let (events, _) = run(&[
        r#"{"type":"brand_new","part":{"x":1}}"#,
        r#"{"type":"text","part":{"id":"1","text":7}}"#,
        r#"{"type":"text"}"#,
        &text("2", r"a\u2028b"),
        r#"{"part":{"text":"c"},"new":[{}],"type":"text"}"#,
        r#"{"type":"tool_use","part":{"tool":"read"}}"#,
        "{\"type\":\"te",
    ]);
    let kinds: Vec<_> =
        events.iter().map(|event| serde_json::to_value(event).expect("plain data")["kind"].clone()).collect();
    let expected =
        ["Unrecognized", "Unrecognized", "Unrecognized", "TextDelta", "TextDelta", "Unrecognized", "Unrecognized"];
    assert_eq!(kinds, expected);
    assert_eq!(shown(&events), "a\u{2028}b\n\nc");
}

#[test]
fn s07_noise_around_events_is_kept_without_its_escapes() {
    let (events, _) = run(&["\u{1b}[?2004hwrapper 1.2", &format!("\u{1b}[0m{}", text("1", "a")), "\u{1b}[0m"]);
    let expected = [EventKind::Unrecognized { line: "wrapper 1.2".into() }, EventKind::TextDelta { text: "a".into() }];
    assert_eq!(events, expected);
}

#[test]
fn a_part_that_is_told_twice_is_shown_once() {
    let (events, _) = run(&[&text("1", "a"), &text("1", "a"), &text("2", "a")]);
    assert_eq!(shown(&events), "a\n\na");
    let state = serde_json::json!({ "status": "completed", "input": { "filePath": "/vault/a.md" } });
    assert_eq!(run(&[&tool("read", &state), &tool("read", &state)]).0.len(), 2, "one start, one end");
}

#[test]
fn the_end_of_an_answer_that_uses_no_tool_is_the_end_of_the_run() {
    let report = |lines: &[&str]| {
        let decoder = run(lines).1;
        (decoder.report().finished, decoder.report().told_exit_code)
    };
    let read = tool("read", &serde_json::json!({ "status": "completed", "input": {} }));
    let stop = finish("stop");
    assert_eq!(report(&[START, &text("1", "a"), &stop]), (true, Some(0)));
    // Some providers say `stop` all the same where a tool was asked for; OpenCode goes on.
    assert_eq!(report(&[START, &read, &stop]), (false, None));
    assert_eq!(report(&[START, &read, &stop, START, &text("1", "a"), &stop]), (true, Some(0)));
    assert_eq!(report(&[START, &text("1", "a"), &finish("tool-calls")]), (false, None));
    // It asks again where the answer broke off, and may be stopped before it was told one.
    assert_eq!(report(&[START, &text("1", "a"), &finish("unknown")]), (false, None));
    assert_eq!(report(&[START, &text("1", "a"), &stop, START]), (false, None));
    assert_eq!(report(&[START, &text("1", "a"), &finish("length")]), (true, Some(1)));
}

#[test]
fn usage_is_the_sum_of_all_answers() {
    let (events, decoder) = run(&[START, &finish("tool-calls"), START, &text("1", "a"), &finish("stop")]);
    let usage = decoder.report().usage.clone().expect("counted");
    assert_eq!((usage.input_tokens, usage.output_tokens, usage.cost_usd), (Some(6), Some(4), Some(1.0)));
    assert_eq!(events.last(), Some(&EventKind::Usage(usage)));
}

#[test]
fn an_error_that_the_agent_got_over_is_a_notice_and_no_failure() {
    let error = r#"{"type":"error","sessionID":"ses_1","error":{"name":"APIError","data":{"message":"no route","statusCode":502}}}"#;
    assert_eq!(run(&[error]).1.report().errors.len(), 1);
    let (events, decoder) = run(&[error, &text("1", "yes")]);
    assert!(decoder.report().errors.is_empty() && decoder.report().answered);
    assert!(matches!(&events[0], EventKind::Notice { message, .. } if message == "no route"), "{events:?}");
}

#[test]
fn a_tool_outside_the_mode_that_runs_trips_the_wire() {
    let done = serde_json::json!({ "status": "completed", "input": {} });
    let failed = serde_json::json!({ "status": "error", "input": {}, "error": "no" });
    let bypassed = |name: &str, state: &serde_json::Value| run(&[&tool(name, state)]).1.report().bypassed.is_some();
    assert!(bypassed("bash", &done));
    assert!(bypassed("other_echo", &done));
    assert!(bypassed("Tolaria_echo", &done), "a server that differs by case is another server");
    assert!(!bypassed("bash", &failed));
    assert!(!bypassed("read", &done));
    assert!(!bypassed("tolaria_echo", &done));
}

#[test]
fn a_file_outside_what_the_mode_lets_write_trips_the_wire() {
    let bypassed = |name: &str, input: serde_json::Value| {
        run(&[&tool(name, &serde_json::json!({ "status": "completed", "input": input }))]).1.report().bypassed.clone()
    };
    for path in ["/vault/a.md", "/vault/sub/../a.md", "/VAULT/a.md", "/vault/a..md", "/vault/sub/a.b/c"] {
        assert_eq!(bypassed("write", serde_json::json!({ "filePath": path })), None, "{path}");
    }
    for path in
        ["a.md", "/vault/.git/hooks/x", "/vault/.mcp.json", "/vault/sub/.envrc", "../a", "/vaults/a", "/etc/passwd"]
    {
        for name in ["write", "edit"] {
            assert!(
                bypassed(name, serde_json::json!({ "filePath": path }))
                    .is_some_and(|what| what.contains("was written"))
            );
        }
        let patch = format!("*** Begin Patch\n*** Update File: {path}\n@@\n*** End Patch");
        assert!(bypassed("apply_patch", serde_json::json!({ "patchText": patch })).is_some(), "{path}");
    }
    assert_eq!(bypassed("read", serde_json::json!({ "filePath": "/vault/.git/config" })), None);
    assert!(bypassed("read", serde_json::json!({ "filePath": "/etc/passwd" })).is_some());
    assert!(bypassed("grep", serde_json::json!({ "pattern": "x", "path": "/etc" })).is_some());
    for path in [".", "sub", "./a.md", "/home/user/.cache/agent-launcher/opencode/Notes-1"] {
        assert_eq!(bypassed("glob", serde_json::json!({ "pattern": "*", "path": path })), None, "{path} is empty");
        assert!(bypassed("write", serde_json::json!({ "filePath": path })).is_some(), "{path}");
    }
    for path in ["..", "sub/../../a.md", "/home/user/.cache/agent-launcher/opencode/Notes-1/../a"] {
        assert!(bypassed("glob", serde_json::json!({ "pattern": "*", "path": path })).is_some(), "{path}");
    }
    let aside = "/home/user/.local/share/opencode/tool-output/tool_1";
    assert_eq!(bypassed("read", serde_json::json!({ "filePath": aside })), None, "long answers are put aside there");
    assert!(bypassed("write", serde_json::json!({ "filePath": aside })).is_some());
}

mod any_bytes {
    use proptest::prelude::*;

    use super::{Mode, golden, plan, shown};
    use crate::adapters::Adapter as _;
    use crate::adapters::opencode::OpenCode;

    proptest! {
        #[test]
        fn no_bytes_make_the_decoder_panic(lines in proptest::collection::vec(any::<Vec<u8>>(), 0..16)) {
            let mut decoder = OpenCode.decoder(&plan(Mode::Safe));
            let mut events = Vec::new();
            lines.iter().for_each(|line| decoder.line(line, &mut events));
            decoder.end(&mut events);
        }

        /// Recorded lines lost, repeated and out of order: never a panic.
        #[test]
        fn any_order_of_recorded_lines_is_decoded(picks in proptest::collection::vec(any::<prop::sample::Index>(), 0..100)) {
            let recordings = golden::recordings(&OpenCode);
            let lines: Vec<&[u8]> = recordings.iter().flat_map(|(_, bytes)| bytes.split(|byte| *byte == b'\n')).collect();
            let mut decoder = OpenCode.decoder(&plan(Mode::Safe));
            let mut events = Vec::new();
            picks.iter().for_each(|pick| decoder.line(lines[pick.index(lines.len())], &mut events));
            decoder.end(&mut events);
            shown(&events);
        }
    }
}
