//! What takes bytes takes them from memory, on one thread, and its processor time counts.

use std::hint::black_box;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use agent_launcher::EventKind;
use agent_launcher::bench_internals::CopilotJson;
#[cfg(feature = "sdk")]
use github_copilot_sdk::session_events::{SessionEventData, TypedSessionEvent};
#[cfg(feature = "sdk")]
use github_copilot_sdk::types::SessionEvent;
use serde_json::Value;
use zag_agent::providers::copilot::CopilotHistoricalLogAdapter;
use zag_agent::session_log::{HistoricalLogAdapter, LogEventKind};

use crate::support::{Repeat, timed};
use crate::{Corpus, Found, Way};

pub(crate) fn compare(corpus: &Corpus, claude: Option<&[u8]>, root: &Path) {
    let log = root.join(".copilot/session-state").join(crate::whole::SESSION);
    std::fs::create_dir_all(&log).expect("a folder of a log");
    let log = log.join("events.jsonl");
    std::fs::copy(&corpus.file, &log).expect("a log");
    let bytes = corpus.bytes();
    let mut ways = vec![
        Way { name: "agent-launcher: bytes to events", bytes, run: Box::new(|| ours(corpus)) },
        Way { name: "BufRead::lines + serde_json::Value", bytes, run: Box::new(|| each_line(corpus, 8 << 10, value)) },
        Way {
            name: "BufRead::lines + serde_json::Value (256 KB)",
            bytes,
            run: Box::new(|| each_line(corpus, 256 << 10, value)),
        },
        Way { name: "zag-agent: its reader of a session's log", bytes, run: Box::new(zag) },
    ];
    #[cfg(feature = "sdk")]
    ways.extend([
        Way {
            name: "github-copilot-sdk: lines (256 KB) to its SessionEvent",
            bytes,
            run: Box::new(|| each_line(corpus, 256 << 10, sdk)),
        },
        Way {
            name: "github-copilot-sdk: lines (256 KB) to its TypedSessionEvent",
            bytes,
            run: Box::new(|| each_line(corpus, 256 << 10, sdk_typed)),
        },
    ]);
    if let Some(block) = claude {
        let times = bytes.div_ceil(block.len());
        ways.push(Way {
            name: "agent-harness: lines (256 KB) of the same answer in Claude Code's form to its ParsedLine",
            bytes: block.len() * times,
            run: Box::new(move || harness(block, times)),
        });
    }
    let title = format!("in memory: {}, {:.0} MB", corpus.name, bytes as f64 / 1e6);
    let measure = |run: &dyn Fn() -> Found| {
        let (time, found) = timed(run);
        ([time], found)
    };
    crate::compare(&title, ["processor time"], measure, &ways);
    std::fs::remove_file(log).expect("the log");
}

fn ours(corpus: &Corpus) -> Found {
    let mut reader = Repeat::new(&corpus.block, corpus.times);
    let mut stream = CopilotJson::new();
    let mut buffer = vec![0; 64 << 10];
    let mut found = Found::default();
    loop {
        let read = reader.read(&mut buffer).expect("memory");
        if read == 0 {
            return found;
        }
        for event in stream.push(&buffer[..read]) {
            found.events += 1;
            if let EventKind::TextDelta { text } = black_box(event) {
                found.text += text.len();
            }
        }
    }
}

/// Each line through `decode`: the bytes of answer in it, or nothing where it was not understood.
fn each_line(corpus: &Corpus, buffer: usize, decode: fn(&str) -> Option<usize>) -> Found {
    let mut found = Found::default();
    for line in BufReader::with_capacity(buffer, Repeat::new(&corpus.block, corpus.times)).lines() {
        match decode(&line.expect("recordings are UTF-8")) {
            Some(text) => {
                found.events += 1;
                found.text += text;
            }
            None => found.lost += 1,
        }
    }
    found
}

/// What a host would do at least: look at the type, take the text.
pub(crate) fn value(line: &str) -> Option<usize> {
    let value: Value = serde_json::from_str(line).ok()?;
    let is_text = value["type"] == "assistant.message_delta";
    let text = is_text.then(|| value["data"]["deltaContent"].as_str().unwrap_or_default().to_owned());
    Some(black_box(text).map_or(0, |text| text.len()))
}

#[cfg(feature = "sdk")]
fn sdk(line: &str) -> Option<usize> {
    let event: SessionEvent = serde_json::from_str(line).ok()?;
    Some(sdk_text(black_box(&event)))
}

#[cfg(feature = "sdk")]
/// The bytes of answer in an event of the SDK.
pub(crate) fn sdk_text(event: &SessionEvent) -> usize {
    if event.event_type != "assistant.message_delta" {
        return 0;
    }
    event.data["deltaContent"].as_str().map_or(0, str::len)
}

#[cfg(feature = "sdk")]
fn sdk_typed(line: &str) -> Option<usize> {
    let event: TypedSessionEvent = serde_json::from_str(line).ok()?;
    match &black_box(&event).payload {
        SessionEventData::AssistantMessageDelta(delta) => Some(delta.delta_content.len()),
        _ => Some(0),
    }
}

fn zag() -> Found {
    let sessions = CopilotHistoricalLogAdapter.backfill(None).expect("a log that can be read");
    let mut found = Found::default();
    for (_, event) in sessions.iter().flat_map(|session| &session.events) {
        found.events += 1;
        match black_box(event) {
            LogEventKind::AssistantMessage { content, .. } => found.text += content.len(),
            LogEventKind::ParseWarning { .. } => found.lost += 1,
            _ => {}
        }
    }
    found
}

fn harness(block: &[u8], times: usize) -> Found {
    let mut found = Found::default();
    for line in BufReader::with_capacity(256 << 10, Repeat::new(block, times)).lines() {
        let parsed = harness::claude::parse_claude_line(&line.expect("made as UTF-8"));
        found.events += 1;
        found.text += black_box(&parsed).text.as_ref().map_or(0, String::len);
    }
    found
}
