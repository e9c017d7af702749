//! Decodes recorded Copilot JSONL, repeated to 200 MB, on one core and in memory: ours against the loops one would write.
//!
//! `cargo bench --bench decode`. The target is at least twice the `Value` loop.

#![allow(clippy::print_stdout, reason = "a program that prints what it measured")]

#[allow(dead_code, reason = "each bench takes what it needs of the support")]
mod support;

use std::hint::black_box;
use std::io::{BufRead, BufReader, Read};
use std::time::Duration;

use agent_launcher::EventKind;
use agent_launcher::bench_internals::CopilotJson;
use serde_json::Value;
use support::{Repeat, median, rate, recordings, repeated, timed};
use tokio::io::AsyncBufReadExt;

const BYTES: usize = 200_000_000;
const ROUNDS: usize = 5;

/// What every loop reports, so that none of them may skip the work: lines read, and bytes of answer found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Found {
    lines: usize,
    text: usize,
}

fn main() {
    let whole = recordings(&["1_json_default.stdout", "1_json_multi.stdout", "9_json_denied.stdout"]);
    let deltas: Vec<u8> = whole
        .split_inclusive(|byte| *byte == b'\n')
        .filter(|line| line.starts_with(br#"{"type":"assistant.message_delta""#))
        .flatten()
        .copied()
        .collect();
    compare("whole recordings (three runs: plain, several messages and tools, denials)", &whole);
    compare("deltas alone (a long answer)", &deltas);
}

fn compare(what: &str, corpus: &[u8]) {
    let block = repeated(corpus, 1_000_000);
    let times = BYTES.div_ceil(block.len());
    let bytes = block.len() * times;
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let loops: [(&str, &dyn Fn() -> Found); 6] = [
        ("bare tokio line reader (8 KB buffer)", &|| runtime.block_on(tokio_lines(&block, times, 8 << 10))),
        ("bare tokio line reader (256 KB buffer)", &|| runtime.block_on(tokio_lines(&block, times, 256 << 10))),
        ("BufRead::lines + serde_json::Value", &|| value_loop(&block, times, 8 << 10)),
        ("BufRead::lines + serde_json::Value (256 KB)", &|| value_loop(&block, times, 256 << 10)),
        ("tokio lines + serde_json::Value (256 KB)", &|| runtime.block_on(tokio_value(&block, times, 256 << 10))),
        ("agent-launcher: bytes to events", &|| ours(&block, times)),
    ];
    let mut times_taken: Vec<Vec<Duration>> = vec![Vec::new(); loops.len()];
    let mut found = vec![Found { lines: 0, text: 0 }; loops.len()];
    for _ in 0..ROUNDS {
        for (index, (name, run)) in loops.iter().enumerate() {
            if !support::wanted(name) {
                continue;
            }
            let (time, result) = timed(run);
            times_taken[index].push(time);
            found[index] = result;
        }
    }
    println!("\ndecode: {what}, {:.0} MB, processor time, median of {ROUNDS} rounds", bytes as f64 / 1e6);
    let medians: Vec<Option<Duration>> = times_taken.iter_mut().map(|times| median(times)).collect();
    let best_value = medians[2..5].iter().flatten().min();
    for (index, (name, _)) in loops.iter().enumerate() {
        let Some(time) = medians[index] else { continue };
        let ratio = best_value.map_or(f64::NAN, |best| best.as_secs_f64() / time.as_secs_f64());
        let text = found[index].text;
        println!("{:>7.0} MB/s {ratio:>6.2} x the best Value loop  {name} ({text} bytes of text)", rate(bytes, time));
    }
}

fn ours(block: &[u8], times: usize) -> Found {
    let mut reader = Repeat::new(block, times);
    let mut stream = CopilotJson::new();
    let mut buffer = vec![0; 64 << 10];
    let (mut lines, mut text) = (0, 0);
    loop {
        let read = reader.read(&mut buffer).expect("memory");
        if read == 0 {
            return Found { lines, text };
        }
        for event in stream.push(&buffer[..read]) {
            lines += 1;
            if let EventKind::TextDelta { text: piece } = black_box(event) {
                text += piece.len();
            }
        }
    }
}

/// What a host would do at least: look at the type, take the text.
fn take(value: &Value) -> usize {
    if value["type"] == "assistant.message_delta" {
        let text = value["data"]["deltaContent"].as_str().unwrap_or_default().to_owned();
        return black_box(text).len();
    }
    0
}

fn value_loop(block: &[u8], times: usize, buffer: usize) -> Found {
    let (mut lines, mut text) = (0, 0);
    for line in BufReader::with_capacity(buffer, Repeat::new(block, times)).lines() {
        let line = line.expect("recordings are UTF-8");
        let value: Value = serde_json::from_str(&line).expect("recordings are JSON");
        lines += 1;
        text += take(&value);
    }
    Found { lines, text }
}

async fn tokio_value(block: &[u8], times: usize, buffer: usize) -> Found {
    let mut reader = tokio::io::BufReader::with_capacity(buffer, Repeat::new(block, times)).lines();
    let (mut lines, mut text) = (0, 0);
    while let Some(line) = reader.next_line().await.expect("memory") {
        let value: Value = serde_json::from_str(&line).expect("recordings are JSON");
        lines += 1;
        text += take(&value);
    }
    Found { lines, text }
}

async fn tokio_lines(block: &[u8], times: usize, buffer: usize) -> Found {
    let mut reader = tokio::io::BufReader::with_capacity(buffer, Repeat::new(block, times)).lines();
    let (mut lines, mut text) = (0, 0);
    while let Some(line) = reader.next_line().await.expect("memory") {
        lines += 1;
        text += black_box(line).len();
    }
    Found { lines, text }
}
