//! What the rules of a definition make of lines, and that no bytes break them.

use proptest::prelude::*;
use serde_json::json;

use super::CustomAgent;
use crate::adapters::{Adapter as _, Decoder, Report};
use crate::discover::{Binary, Via};
use crate::env::{Arch, HostEnv, Os};
use crate::event::{EventKind, Usage};
use crate::launcher::Launcher;
use crate::request::{McpServer, Mode, Request};

const HEAD: &str = r#"
format = 1
id = "lines"
name = "Lines"
programs = ["lines"]
version = { identity = '^lines (\S+)$', example = "lines 1.0.0", near_miss = "1.0.0" }
setup = { install = "install lines" }
run = { prompt = { by = "stdin" } }
modes = { safe = {}, power_user = {} }
"#;

const RULES: &str = r#"
[output]
form = "jsonl"
rules = [
  { when = { t = "text" }, event = "text", text = "v" },
  { when = { t = "whole" }, event = "text", text = "v", whole = true },
  { when = { t = "think" }, event = "thinking", text = "v" },
  { when = { t = "thought" }, event = "thinking", text = "v", whole = true },
  { when = { t = "break" }, event = "break" },
  { when = { t = "tool" }, event = "tool", id = "id", name = "name", input = "in", output = "out", ok = { code = 0 }, failed = { bad = true } },
  { when = { t = "many" }, each = "list", only = { k = [1, 2] }, event = "notice", message = "m" },
  { when = { t = "usage" }, event = "usage", input_tokens = "in", output_tokens = "out" },
  { when = { t = "count" }, event = "usage", api_ms = "ms", session_ms = "s", add = true },
  { when = { t = "error" }, event = "error", message = "m", type = "k", code = "c", status = "s" },
  { when = { t = "fatal" }, event = "error", message = "m", fatal = true },
  { when = { t = "session" }, event = "session", id = "id" },
  { when = { "deep.0.t" = "*" }, event = "ignore" },
]
"#;

fn decoder(definition: &str) -> Box<dyn Decoder> {
    let agent = CustomAgent::from_toml(definition).unwrap();
    let host = HostEnv::new(Os::Linux, Arch::X64, None, [("PATH".into(), "/usr/bin".into())]);
    let binary = Binary {
        program: "/usr/bin/lines".into(),
        first_args: Vec::new(),
        found: "/usr/bin/lines".into(),
        via: Via::Path,
        version: "1.0.0".into(),
        search_path: "/usr/bin".into(),
        login_env: Vec::new(),
    };
    let launcher = Launcher::builder().host(host).agent(agent).unwrap().build();
    let request = Request::new(agent.id().clone(), "/vault", "hi").mode(Mode::Safe);
    agent.adapter.decoder(&launcher.plan_with(&request, &binary).unwrap())
}

fn decode(lines: &[serde_json::Value]) -> (Vec<EventKind>, Report) {
    let (mut decoder, mut events) = (decoder(&format!("{HEAD}{RULES}")), Vec::new());
    lines.iter().for_each(|line| decoder.line(line.to_string().as_bytes(), &mut events));
    decoder.end(&mut events);
    let report = decoder.report().clone();
    (events, report)
}

fn said(lines: &[serde_json::Value]) -> Vec<String> {
    let text = |event| match event {
        EventKind::TextDelta { text } => text,
        EventKind::ThinkingDelta { text } => format!("({text})"),
        other => format!("{other:?}"),
    };
    decode(lines).0.into_iter().map(text).collect()
}

fn text(kind: &str, value: &str) -> serde_json::Value {
    json!({"t": kind, "v": value})
}

#[test]
fn no_text_comes_twice_whether_in_pieces_or_whole() {
    let (piece, whole) = (|value| text("text", value), |value| text("whole", value));
    assert_eq!(said(&[piece("a"), piece("b"), whole("ab")]), ["a", "b"]);
    // More than came in pieces is told, and what came in none.
    assert_eq!(said(&[piece("a"), whole("ab")]), ["a", "b"]);
    assert_eq!(said(&[whole("ab"), whole("cd")]), ["ab", "\n\ncd"]);
    // One message in two parts, whose pieces came before both.
    assert_eq!(said(&[piece("a"), piece("b"), whole("a"), whole("b"), whole("c")]), ["a", "b", "\n\nc"]);
    // A message that is another than its pieces is not told a second time.
    assert_eq!(said(&[piece("a"), whole("x"), whole("y")]), ["a", "\n\ny"]);
    assert_eq!(said(&[text("think", "a"), text("thought", "a"), text("thought", "b")]), ["(a)", "(b)"]);
    assert_eq!(said(&[piece("a\n"), whole("a\n"), whole("b")]), ["a\n", "b"]);
    assert_eq!(said(&[json!({"t": "break"}), piece("a"), json!({"t": "break"}), piece("b")]), ["a", "\n\nb"]);
    assert_eq!(said(&[piece(""), whole(""), json!({"t": "text", "v": 1}), json!({"t": "text"})]), [""; 0]);
}

#[test]
fn a_long_message_in_pieces_is_not_told_again() {
    let long = "x".repeat(600 * 1024);
    let lines =
        [text("text", &long), text("text", &long), text("whole", &[long.as_str(); 2].concat()), text("whole", "y")];
    let told: Vec<usize> = said(&lines).iter().map(String::len).collect();
    assert_eq!(told, [long.len(), long.len(), 3]);
}

#[test]
fn a_tool_without_an_id_gets_one_and_a_list_is_looked_at_entry_by_entry() {
    let lines = [
        json!({"t": "tool", "name": "read", "in": {"a": 1}, "out": "x", "code": 0}),
        json!({"t": "tool", "id": 7, "name": "read", "code": 1}),
        json!({"t": "tool", "id": 8, "name": "read", "code": 0, "bad": true}),
        json!({"t": "many", "list": [{"k": 1, "m": "one"}, {"k": 3, "m": "three"}, 4, {"k": 2, "m": "two"}]}),
        json!({"t": "many", "list": "none"}),
        json!({"deep": [{"t": false}]}),
    ];
    let start = |id: &str, input: Option<&str>| EventKind::ToolStart {
        tool_name: "read".into(),
        tool_id: id.into(),
        input: input.map(str::to_owned),
    };
    let done = |id: &str, ok, output: Option<&str>| EventKind::ToolDone {
        tool_id: id.into(),
        ok,
        output: output.map(str::to_owned),
        denied: false,
    };
    let notice = |message: &str| EventKind::Notice { level: crate::event::NoticeLevel::Info, message: message.into() };
    let expected = [
        start("tool-1", Some(r#"{"a":1}"#)),
        done("tool-1", true, Some("x")),
        start("7", None),
        done("7", false, None),
        start("8", None),
        done("8", false, None),
        notice("one"),
        notice("two"),
    ];
    assert_eq!(decode(&lines).0, expected);
}

#[test]
fn counts_replace_each_other_or_are_added_up() {
    let lines = [
        json!({"t": "usage", "in": 5, "out": 1}),
        json!({"t": "usage", "in": 9, "out": "2"}),
        json!({"t": "usage", "in": -1}),
        json!({"t": "count", "ms": 3, "s": 4}),
        json!({"t": "count", "ms": 3}),
    ];
    let (events, report) = decode(&lines);
    let usage = Usage {
        input_tokens: Some(9),
        output_tokens: Some(2),
        api_ms: Some(6),
        session_ms: Some(4),
        ..Usage::default()
    };
    assert_eq!((events.len(), report.usage), (4, Some(usage)));
}

#[test]
fn an_error_needs_an_answer_behind_it_and_only_the_last_are_kept() {
    let error = json!({"t": "error", "m": "later", "k": "busy", "c": "x", "s": 429});
    let (_, report) = decode(&[text("text", "a"), error.clone()]);
    let known = &report.errors[0];
    assert_eq!((known.error_type.as_str(), known.message.as_str(), known.status), ("busy", "later", Some(429)));
    assert_eq!((known.code.as_deref(), report.answered, report.fatal), (Some("x"), false, false));
    assert!(decode(&[error.clone(), text("text", "a")]).1.answered);
    assert!(decode(&[json!({"t": "fatal", "m": "x"})]).1.fatal);
    let many: Vec<_> = (0..100).map(|number| json!({"t": "error", "m": number.to_string()})).collect();
    let (_, report) = decode(&many);
    assert_eq!((report.errors.len(), report.errors[63].message.as_str()), (64, "99"));
    // Without a rule for the last word, the exit status is the last word.
    assert!(!report.has_final_event);
    let (_, report) = decode(&[json!({"t": "session", "id": "s"}), json!({"t": "session", "id": "x".repeat(2000)})]);
    assert_eq!(report.session_id.as_deref(), Some("s"));
}

#[test]
fn a_definition_is_kept_once_however_often_it_is_read() {
    let text = format!("{HEAD}{RULES}# once\n");
    let (one, two) = (CustomAgent::from_toml(&text).unwrap(), CustomAgent::from_toml(&text).unwrap());
    assert!(std::ptr::eq(one.adapter, two.adapter));
    // A definition with an error in it leaves nothing behind.
    assert!(CustomAgent::from_toml(&format!("{text}odd = 1")).is_err());
}

#[test]
fn a_deep_or_wide_definition_is_refused_and_breaks_nothing() {
    for (open, close) in [("[", "]"), ("{a=", "}")] {
        let depth = 60_000 / (open.len() + close.len());
        let text = format!("a = {}1{}", open.repeat(depth), close.repeat(depth));
        assert!(CustomAgent::from_toml(&text).is_err());
    }
    assert!(CustomAgent::from_toml(&"a.".repeat(30_000)).is_err());
    let rule = |phrase: &str, example: &str| {
        format!(
            "\n[[guidance]]\nphrase = '{phrase}'\ncode = 'network'\nsource = 'seen'\nexample = '{example}'\nnear_miss = 'x'\n"
        )
    };
    let read = |rules: String| CustomAgent::from_toml(&format!("{HEAD}[output]\nform = \"text\"\n{rules}"));
    let large: String = (0..32).map(|_| rule(r"\w{6}", "abcdef")).collect();
    assert_eq!(read(large).unwrap_err().problem, "all phrases together are too large; make them shorter");
    let many =
        (0..64).map(|number| rule(&format!("word{number} [a-z]{{50}}"), &format!("word{number} {}", "a".repeat(50))));
    let agent = read(many.collect()).unwrap();
    let stderr = format!("word63 {}", "a".repeat(50));
    let failure =
        crate::guidance::Failure { stderr: &stderr, ..crate::guidance::Failure::new(agent.adapter.spec(), "App") };
    assert_eq!(crate::guidance::classify(&failure).code, crate::guidance::Code::Network);
}

#[test]
fn a_server_has_no_name_that_every_object_has() {
    let definition =
        format!("{HEAD}[mcp]\nform = \"variable\"\nvariable = \"LINES_CONFIG\"\n[output]\nform = \"text\"\n");
    let agent = CustomAgent::from_toml(&definition.replace("\"lines\"", "\"lines2\"")).unwrap();
    let host = HostEnv::new(Os::Linux, Arch::X64, None, [("PATH".into(), "/usr/bin".into())]);
    let binary = Binary {
        program: "/usr/bin/lines".into(),
        first_args: Vec::new(),
        found: "/usr/bin/lines".into(),
        via: Via::Path,
        version: "1.0.0".into(),
        search_path: "/usr/bin".into(),
        login_env: Vec::new(),
    };
    let launcher = Launcher::builder().host(host).agent(agent).unwrap().build();
    for name in ["__proto__", "constructor", "Prototype"] {
        let request = Request::new(agent.id().clone(), "/vault", "hi").mcp_server(McpServer::stdio(name, "/bin/x"));
        assert!(launcher.plan_with(&request, &binary).is_err(), "{name}");
    }
}

#[test]
fn the_document_names_every_code_event_and_key() {
    let document = include_str!("../../docs/CUSTOM.md");
    let codes = super::read_guidance::CODES.iter().map(|(name, ..)| *name);
    let events = super::read_output::EVENTS.iter().flat_map(|(name, keys)| std::iter::once(name).chain(*keys)).copied();
    let keys =
        [super::read::KEYS, super::read_mcp::KEYS, super::read_run::MODE_KEYS, super::read_guidance::KEYS].concat();
    let names: Vec<&str> = codes.chain(events).chain(keys).chain(crate::guidance::NAMES.iter().copied()).collect();
    for name in names {
        let written = [
            format!("`{name}`"),
            format!("`[{name}]`"),
            format!("`[[{name}]]`"),
            format!("`[{name}."),
            format!("`[[{name}."),
        ];
        assert!(written.iter().any(|written| document.contains(written.as_str())), "`{name}` is not in the document");
    }
}

/// Lines as an agent might print them, and bytes of no meaning.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let kind = prop::sample::select(vec![
        "text", "whole", "think", "thought", "break", "tool", "many", "usage", "count", "error", "fatal", "session",
        "none",
    ]);
    let value = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|flag| json!(flag)),
        any::<f64>().prop_map(|number| json!(number)),
        ".{0,8}".prop_map(|text| json!(text)),
        Just(json!([{"k": 1, "m": "x"}, [], 1])),
    ];
    let keys = prop::collection::vec(
        (prop::sample::select(vec!["v", "id", "name", "list", "in", "ms", "m", "s"]), value),
        0..5,
    );
    let object = (kind, keys).prop_map(|(kind, keys)| {
        let mut object = json!({"t": kind});
        keys.into_iter().for_each(|(key, value)| object[key] = value);
        object.to_string().into_bytes()
    });
    prop_oneof![4 => object, 1 => prop::collection::vec(any::<u8>(), 0..64)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn no_line_breaks_the_rules(lines in prop::collection::vec(line(), 0..16)) {
        let (mut decoder, mut events) = (decoder(&format!("{HEAD}{RULES}")), Vec::new());
        lines.iter().for_each(|line| decoder.line(line, &mut events));
        decoder.end(&mut events);
        let told: String = events.iter().filter_map(|event| match event {
            EventKind::TextDelta { text } => Some(text.as_str()),
            _ => None,
        }).collect();
        prop_assert_eq!(decoder.report().answered && decoder.report().errors.is_empty(), !told.trim().is_empty() && decoder.report().errors.is_empty());
    }

    #[test]
    fn no_text_breaks_the_reader(start in 0..HEAD.len(), length in 0..40usize, by in ".{0,12}") {
        let text = format!("{HEAD}{RULES}");
        let (start, end) = (start, (start + length).min(text.len()));
        prop_assume!(text.is_char_boundary(start) && text.is_char_boundary(end));
        if let Err(error) = CustomAgent::from_toml(&format!("{}{by}{}", &text[..start], &text[end..])) {
            prop_assert!(error.line >= 1 && error.column >= 1 && !error.problem.is_empty());
        }
    }
}
