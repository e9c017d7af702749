//! What the adapters' tests of decoders share: a plan as far as a decoder looks at it, recorded streams, and what is shown.

use std::fmt::Write as _;
use std::path::Path;

use super::Adapter;
use crate::event::EventKind;
use crate::plan::{OutputFormat, Plan, Stdin};
use crate::request::Mode;

/// A plan as far as a decoder looks at it: the vault is `/vault`, the app's one server `tolaria`.
pub(crate) fn plan(adapter: &dyn Adapter, output: OutputFormat, mode: Mode, version: &str) -> Plan {
    let safe = mode == Mode::Safe;
    Plan {
        stream_id: "golden".into(),
        agent: adapter.spec().id.clone(),
        agent_version: Some(version.into()),
        mode,
        model: None,
        session_id: None,
        program: "/usr/bin/agent".into(),
        args: Vec::new(),
        cwd: "/vault".into(),
        scratch: None,
        stdin: Stdin::Null,
        env: Default::default(),
        files: Vec::new(),
        result_file: None,
        notices: Vec::new(),
        output,
        mcp_servers: vec!["tolaria".into()],
        allowed_tools: None,
        allowed_folders: safe.then(|| "/vault".into()).into_iter().collect(),
        watched: &[],
        leftovers: Vec::new(),
        timeout: None,
        idle_timeout: None,
        ticket: Default::default(),
    }
}

/// Decodes a whole recording and prints events and report, one event a line.
pub(crate) fn decoded(adapter: &dyn Adapter, plan: &Plan, bytes: &[u8]) -> String {
    let mut decoder = adapter.decoder(plan);
    let mut events = Vec::new();
    for line in bytes.strip_suffix(b"\n").unwrap_or(bytes).split(|byte| *byte == b'\n') {
        decoder.line(line, &mut events);
    }
    decoder.end(&mut events);
    let mut text = String::new();
    for event in &events {
        let _ = writeln!(text, "{}", serde_json::to_string(event).expect("an event is plain data"));
    }
    let _ = writeln!(text, "{:#?}", decoder.report());
    text
}

/// The recorded streams of an agent, by name: the files of `tests/recordings/ID` that end in `.stdout`.
pub(crate) fn recordings(adapter: &dyn Adapter) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings").join(adapter.spec().id.as_str());
    let mut recordings: Vec<_> = std::fs::read_dir(folder)
        .expect("the recordings are part of the repository")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "stdout"))
        .map(|path| {
            let name = path.file_stem().expect("a file name").to_string_lossy().into_owned();
            (name, std::fs::read(&path).expect("a readable recording"))
        })
        .collect();
    recordings.sort();
    recordings
}

/// Runs `check` with snapshots that lie in `tests/snapshots/ID`.
pub(crate) fn with_snapshots(adapter: &dyn Adapter, check: impl FnOnce()) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(adapter.spec().id.as_str()),
    );
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(check);
}

/// The text a host shows in the end.
pub(crate) fn shown(events: &[EventKind]) -> String {
    let mut text = String::new();
    for event in events {
        match event {
            EventKind::TextDelta { text: more } => text.push_str(more),
            EventKind::TextRetracted { text: less } => {
                assert!(text.ends_with(less.as_str()), "{less:?} is not the end of {text:?}");
                text.truncate(text.len() - less.len());
            }
            _ => {}
        }
    }
    text
}
