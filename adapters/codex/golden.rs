//! Recorded streams of the real CLI and what the decoder makes of them. Every snapshot is reviewed line by line.

use super::Codex;
use crate::adapters::golden::{self, shown};
use crate::adapters::{Adapter as _, Decoder};
use crate::event::EventKind;
use crate::plan::{OutputFormat, Plan};
use crate::request::Mode;

/// A plan as far as a decoder looks at it.
fn plan(mode: Mode) -> Plan {
    let allowed_tools = (mode == Mode::Safe).then(|| vec![super::plan::WRITER.to_owned()]);
    Plan { allowed_tools, ..golden::plan(&Codex, OutputFormat::Json, mode, "0.171.0") }
}

/// Decodes a whole recording and prints events and report, one event a line.
fn decoded(name: &str, bytes: &[u8]) -> String {
    let mode = if name.contains("safe") { Mode::Safe } else { Mode::PowerUser };
    let mut plan = plan(mode);
    // These were recorded in another vault.
    if mode == Mode::Safe && name.starts_with("perm_") {
        plan.allowed_folders = vec!["/mnt/vault".into()];
    }
    golden::decoded(&Codex, &plan, bytes)
}

fn recordings() -> Vec<(String, Vec<u8>)> {
    golden::recordings(&Codex)
}

/// Recordings whose events are golden: those that differ in kind.
const GOLDEN: &[&str] = &[
    "fail_badmodel",
    "fail_env_base_url",
    "fail_missingkey",
    "fail_nologin",
    "fail_refused",
    "fail_refused_nounb",
    "fail_x400",
    "fail_x401",
    "fail_x403",
    "fail_x404",
    "fail_x429",
    "fail_x429q",
    "fail_x429u",
    "fail_x500",
    "fail_x503",
    "fail_xcut",
    "fail_xfailed",
    "fail_xfailedctx",
    "full_safe_classic",
    "full_safe_code",
    "full_ws_classic",
    "full_ws_code",
    "hostile_none",
    "mcpappr_auto",
    "mcpappr_default_ws",
    "mcpfail_die",
    "mcpfail_tooltimeout",
    "perm_safe_classic",
    "perm_safe_code",
    "perm_ws_classic",
    "resume_resume",
    "signal_shell_SIGTERM",
    "signal_stream_SIGINT",
    "trivial",
];

#[test]
fn recorded_streams_decode_to_their_golden_events() {
    let recordings = recordings();
    golden::with_snapshots(&Codex, || {
        for name in GOLDEN {
            let (_, bytes) = recordings.iter().find(|(known, _)| known == name).expect("the recording is there");
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

fn run_in(mode: Mode, lines: &[&str]) -> (Vec<EventKind>, Box<dyn Decoder>) {
    let mut decoder = Codex.decoder(&plan(mode));
    let mut events = Vec::new();
    lines.iter().for_each(|line| decoder.line(line.as_bytes(), &mut events));
    decoder.end(&mut events);
    (events, decoder)
}

fn run(lines: &[&str]) -> (Vec<EventKind>, Box<dyn Decoder>) {
    run_in(Mode::Safe, lines)
}

fn message(text: &str) -> String {
    let item = serde_json::json!({ "id": "item_0", "type": "agent_message", "text": text });
    serde_json::json!({ "type": "item.completed", "item": item }).to_string()
}

const RECONNECTING: &str =
    r#"{"type":"error","message":"Reconnecting... 1/5 (stream disconnected before completion)"}"#;

#[test]
fn s06_an_unknown_event_is_kept_and_a_malformed_one_loses_only_itself() {
    let (events, _) = run(&[
        r#"{"type":"brand.new","data":{"x":1}}"#,
        r#"{"type":"item.completed","item":{"id":"1","type":"brand_new"}}"#,
        r#"{"type":"item.completed","item":{"id":"1","type":"agent_message"}}"#,
        r#"{"item":{"text":"a\u2028b","type":"agent_message","new":[{}],"id":"1"},"type":"item.completed"}"#,
        r#"{"type":"item.completed","item":7}"#,
        "{\"type\":\"item.comp",
    ]);
    let kinds: Vec<_> =
        events.iter().map(|event| serde_json::to_value(event).expect("plain data")["kind"].clone()).collect();
    let expected = ["Unrecognized", "Unrecognized", "Unrecognized", "TextDelta", "Unrecognized", "Unrecognized"];
    assert_eq!(kinds, expected);
    assert_eq!(shown(&events), "a\u{2028}b");
}

#[test]
fn s07_noise_around_events_is_kept_without_its_escapes() {
    let (events, _) = run(&["\u{1b}[?2004hwrapper 1.2", &format!("\u{1b}]0;title\u{7}{}", message("a")), "\u{1b}[0m"]);
    let expected = [EventKind::Unrecognized { line: "wrapper 1.2".into() }, EventKind::TextDelta { text: "a".into() }];
    assert_eq!(events, expected);
}

#[test]
fn a_message_that_a_retry_repeats_is_told_once() {
    let (events, _) = run(&[&message("One."), &message("Two."), RECONNECTING, &message("One."), &message("Two.")]);
    assert_eq!(shown(&events), "One.\n\nTwo.");
    assert!(!events.iter().any(|event| matches!(event, EventKind::TextRetracted { .. })), "{events:?}");
}

#[test]
fn a_message_that_a_retry_words_anew_takes_back_the_old() {
    let (events, decoder) = run(&[&message("Zero."), RECONNECTING, &message("One."), &message("Two.")]);
    assert_eq!(shown(&events), "One.\n\nTwo.");
    assert!(decoder.report().answered);
    let (events, _) =
        run(&[&message("One."), &message("Two."), RECONNECTING, &message("One."), RECONNECTING, &message("New.")]);
    assert_eq!(shown(&events), "New.");
    let tool =
        r#"{"type":"item.started","item":{"id":"item_3","type":"file_change","changes":[],"status":"in_progress"}}"#;
    let (events, _) = run(&[&message("One."), tool, &message("Two."), RECONNECTING, &message("Three.")]);
    assert_eq!(shown(&events), "One.\n\nThree.", "what stands before a tool was heard");
    let (events, _) = run(&[&message("Same."), tool, &message("Same.")]);
    assert_eq!(shown(&events), "Same.\n\nSame.", "the same words at another place are no repetition");
}

#[test]
fn an_error_that_the_agent_got_over_is_a_notice_and_no_failure() {
    let error = r#"{"type":"error","message":"no route"}"#;
    assert_eq!(run(&[error]).1.report().errors.len(), 1);
    let (events, decoder) = run(&[error, &message("yes")]);
    assert!(decoder.report().errors.is_empty() && decoder.report().answered);
    assert!(
        events.contains(&EventKind::Notice { level: crate::event::NoticeLevel::Warning, message: "no route".into() })
    );
}

#[test]
fn a_tool_outside_the_mode_that_runs_trips_the_wire() {
    let item = |event: &str, kind: &str, more: &str| {
        format!(r#"{{"type":"item.{event}","item":{{"id":"1","type":"{kind}",{more}}}}}"#)
    };
    let bypassed = |line: &str| run(&[line]).1.report().bypassed.is_some();
    let command =
        |status: &str| format!(r#""command":"ls","aggregated_output":"","exit_code":null,"status":"{status}""#);
    assert!(bypassed(&item("started", "command_execution", &command("in_progress"))));
    assert!(bypassed(&item("completed", "command_execution", &command("failed"))));
    assert!(!bypassed(&item("completed", "command_execution", &command("declined"))));
    assert!(bypassed(&item("completed", "web_search", r#""query":"x""#)));
    assert!(bypassed(&item("started", "collab_tool_call", r#""tool":"spawn_agent","status":"in_progress""#)));
    let call = |server: &str, status: &str| {
        format!(r#""server":"{server}","tool":"echo","arguments":{{}},"result":null,"error":null,"status":"{status}""#)
    };
    assert!(bypassed(&item("completed", "mcp_tool_call", &call("other", "completed"))));
    assert!(bypassed(&item("completed", "mcp_tool_call", &call("Tolaria", "completed"))));
    assert!(!bypassed(&item("completed", "mcp_tool_call", &call("other", "failed"))));
    assert!(!bypassed(&item("completed", "mcp_tool_call", &call("tolaria", "completed"))));
    assert!(!bypassed(&item("completed", "mcp_tool_call", &call("tolaria_app", "completed"))));
    let power = run_in(Mode::PowerUser, &[&item("started", "command_execution", &command("in_progress"))]);
    assert_eq!(power.1.report().bypassed, None);
}

#[test]
fn a_server_under_another_name_is_told_by_its_own() {
    let call = r#"{"type":"item.started","item":{"id":"1","type":"mcp_tool_call","server":"tolaria_app","tool":"echo","arguments":{},"result":null,"error":null,"status":"in_progress"}}"#;
    let (events, _) = run(&[call]);
    assert!(matches!(&events[..], [EventKind::ToolStart { tool_name, .. }] if tool_name == "mcp__tolaria__echo"));
}

#[test]
fn a_file_outside_what_the_mode_lets_write_trips_the_wire() {
    let bypassed = |path: &str, status: &str| {
        let item = serde_json::json!({ "id": "1", "type": "file_change", "status": status,
            "changes": [{ "path": "/vault/fine.md", "kind": "add" }, { "path": path, "kind": "update" }] });
        let line = serde_json::json!({ "type": "item.completed", "item": item }).to_string();
        run(&[&line]).1.report().bypassed.clone()
    };
    for path in ["/vault/a.md", "a.md", "/vault/sub/../a.md", "/vault/a..md", "/vault/sub/a.b/c"] {
        assert_eq!(bypassed(path, "completed"), None, "{path}");
    }
    for path in ["/vault/.git/hooks/x", "/vault/sub/.vscode/tasks.json", "/vault/../etc/x", "/vaults/a", "/etc/passwd"]
    {
        assert!(bypassed(path, "completed").is_some_and(|what| what.contains("was written")), "{path}");
        assert_eq!(bypassed(path, "failed"), None, "{path} was refused");
    }
}

mod any_bytes {
    use proptest::prelude::*;

    use super::{Mode, plan, recordings, shown};
    use crate::adapters::Adapter as _;
    use crate::adapters::codex::Codex;

    proptest! {
        #[test]
        fn no_bytes_make_the_decoder_panic(lines in proptest::collection::vec(any::<Vec<u8>>(), 0..16)) {
            let mut decoder = Codex.decoder(&plan(Mode::Safe));
            let mut events = Vec::new();
            lines.iter().for_each(|line| decoder.line(line, &mut events));
            decoder.end(&mut events);
        }

        /// Recorded lines lost, repeated and out of order: never a panic, and a retraction is always the end of what is shown.
        #[test]
        fn any_order_of_recorded_lines_is_decoded(picks in proptest::collection::vec(any::<prop::sample::Index>(), 0..200)) {
            let recordings = recordings();
            let lines: Vec<&[u8]> = recordings.iter().flat_map(|(_, bytes)| bytes.split(|byte| *byte == b'\n')).collect();
            let mut decoder = Codex.decoder(&plan(Mode::Safe));
            let mut events = Vec::new();
            picks.iter().for_each(|pick| decoder.line(lines[pick.index(lines.len())], &mut events));
            decoder.end(&mut events);
            shown(&events);
        }
    }
}
