//! The published peers on the bytes of `benches/decode.rs`, in one run with ours and with the loop one would write.
//!
//! `cargo run --release` in this folder; a number behind it is the megabytes to decode (200). Linux. What each number is
//! stands in `benches/README.md`.

mod memory;
mod own;
#[allow(dead_code, reason = "each bench takes what it needs of the support")]
#[path = "../../support/mod.rs"]
mod support;
mod whole;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use support::{median, rate, repeated};

const ROUNDS: usize = 3;

/// What a reader reports, so that none may skip the work: events seen, bytes of answer in them, events lost on the way.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    events: usize,
    text: usize,
    lost: usize,
}

/// Recorded lines, repeated: the agent's, without and with its last one, and the same answer as Claude Code prints it.
struct Corpus {
    name: &'static str,
    /// About a megabyte of whole runs, to be read `times` times over.
    block: Vec<u8>,
    times: usize,
    /// The same bytes as a file, with one last line behind them.
    file: PathBuf,
    /// The same events as notifications of a JSON-RPC connection.
    frames: PathBuf,
}

impl Corpus {
    fn bytes(&self) -> usize {
        self.block.len() * self.times
    }

    #[cfg(feature = "sdk")]
    fn lines(&self) -> usize {
        lines(&self.block).count() * self.times
    }
}

/// One way to read, and what its rounds took.
struct Way<'a> {
    name: &'static str,
    bytes: usize,
    run: Box<dyn Fn() -> Found + 'a>,
}

/// Runs each way in turn, `ROUNDS` times, and prints for each clock one line a way, against the first: ours.
fn compare<const CLOCKS: usize>(
    title: &str,
    clocks: [&str; CLOCKS],
    measure: impl Fn(&dyn Fn() -> Found) -> ([Duration; CLOCKS], Found),
    ways: &[Way],
) {
    let mut taken = vec![[const { Vec::new() }; CLOCKS]; ways.len()];
    let mut found = vec![Found::default(); ways.len()];
    for _ in 0..ROUNDS {
        for (index, way) in ways.iter().enumerate() {
            let (times, result) = measure(&way.run);
            for (all, time) in taken[index].iter_mut().zip(times) {
                all.push(time);
            }
            found[index] = result;
        }
    }
    for (clock, name) in clocks.iter().enumerate() {
        println!("\n{title}, {name}, median of {ROUNDS} rounds");
        let speed = |index: usize, taken: &mut [[Vec<Duration>; CLOCKS]]| {
            rate(ways[index].bytes, median(&mut taken[index][clock]).expect("rounds"))
        };
        let ours = speed(0, &mut taken);
        for (index, way) in ways.iter().enumerate() {
            let (speed, Found { events, text, lost }) = (speed(index, &mut taken), found[index]);
            let lost = if lost == 0 { String::new() } else { format!(", {lost} lost") };
            let ratio = ours / speed;
            println!(
                "{speed:>7.0} MB/s  ours is {ratio:>5.2} x  {} ({events} events, {text} bytes of text{lost})",
                way.name
            );
        }
    }
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n')
}

fn starts(line: &[u8], kind: &str) -> bool {
    line.starts_with(format!(r#"{{"type":"{kind}""#).as_bytes())
}

fn write(path: &Path, block: &[u8], times: usize, before: &[u8], behind: &[u8]) {
    let mut bytes = before.to_vec();
    bytes.extend((0..times).flat_map(|_| block).copied());
    bytes.extend(behind);
    std::fs::write(path, bytes).expect("a corpus in a temporary folder");
}

/// Claude Code's line for the text of a recorded delta.
fn as_claude(line: &[u8]) -> Vec<u8> {
    let value: Value = serde_json::from_slice(line).expect("recordings are JSON");
    let event = json!({
        "type": "stream_event",
        "event": {
            "type": "content_block_delta", "index": 0,
            "delta": { "type": "text_delta", "text": value["data"]["deltaContent"] },
        },
        "session_id": value["parentId"], "parent_tool_use_id": null, "uuid": value["id"],
    });
    format!("{event}\n").into_bytes()
}

/// A recorded event as the Copilot CLI sends it to its SDK.
fn as_frame(line: &[u8]) -> Vec<u8> {
    let head =
        format!(r#"{{"jsonrpc":"2.0","method":"session.event","params":{{"sessionId":"{}","event":"#, whole::SESSION);
    let event = line.trim_ascii_end();
    let mut frame = format!("Content-Length: {}\r\n\r\n{head}", head.len() + event.len() + 2).into_bytes();
    frame.extend(event);
    frame.extend(b"}}");
    frame
}

fn main() {
    let megabytes = std::env::args().nth(1).and_then(|arg| arg.parse().ok()).unwrap_or(200);
    let temp = tempfile::tempdir().expect("a temporary folder");
    let root = temp.path();
    // SAFETY: no other thread runs yet. A peer looks for Copilot's logs below the home, and finds only ours.
    unsafe { std::env::set_var("HOME", root) };

    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/recordings/copilot");
    let read = |name: &&str| std::fs::read(folder.join(name)).expect("a recording");
    let names = ["1_json_default.stdout", "1_json_multi.stdout", "9_json_denied.stdout"];
    let recorded: Vec<u8> = names.iter().flat_map(read).collect();
    let of = |keep: &dyn Fn(&[u8]) -> bool| -> Vec<u8> {
        lines(&recorded).filter(|line| keep(line)).flatten().copied().collect()
    };
    let end = lines(&recorded).find(|line| starts(line, "result")).expect("a recorded end");
    // Without the last line of each run: behind that one an agent prints nothing more, and no reader need go on.
    let runs = of(&|line| !starts(line, "result"));
    let deltas = of(&|line| starts(line, "assistant.message_delta"));
    let (hello, idle) = whole::frames_around();
    for (name, short, part) in [
        ("whole recordings (three runs: plain, several messages and tools, denials)", "runs", runs),
        ("deltas alone (a long answer)", "deltas", deltas),
    ] {
        let block = repeated(&part, 1_000_000);
        let times = (megabytes * 1_000_000usize).div_ceil(block.len());
        let corpus = Corpus {
            name,
            times,
            file: root.join(format!("{short}.jsonl")),
            frames: root.join(format!("{short}.frames")),
            block,
        };
        write(&corpus.file, &corpus.block, times, b"", end);
        let frames: Vec<u8> = lines(&corpus.block).flat_map(as_frame).collect();
        write(&corpus.frames, &frames, times, &hello, &idle);
        let claude: Option<Vec<u8>> = (short == "deltas").then(|| lines(&corpus.block).flat_map(as_claude).collect());
        memory::compare(&corpus, claude.as_deref(), root);
        whole::compare(&corpus, claude.as_deref(), root);
    }
}
