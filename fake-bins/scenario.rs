//! The line language of scenarios. Owns parsing; runs nothing.
//!
//! One step a line, the word first; empty lines and lines that begin with `#` are skipped. `probe STEP` puts a step into
//! the answer to `--version` instead of the run. In texts, `{{session_id}}`, `{{prompt}}`, `{{model}}`, `{{pid}}` and `{{cwd}}` are
//! filled in. Paths are relative to the scenario's folder; a note's is relative to the working directory.
//!
//! | step | effect |
//! |---|---|
//! | `version V` | which version to play (setting) |
//! | `ignore-stdin` | never reads stdin, even where the real one would (setting) |
//! | `out TEXT`, `err TEXT` | prints a line |
//! | `part TEXT` | prints without a newline |
//! | `json TEXT` | prints one line of JSON, checked |
//! | `recorded FILE [PACE_MS]` | prints a recording line by line, with a pause after each |
//! | `recorded-err FILE` | the same to stderr, at once |
//! | `recorded-chunks FILE BYTES PACE_MS` | prints a recording cut at every BYTES, wherever that falls |
//! | `repeat FILE BYTES` | prints a recording again and again until BYTES are printed |
//! | `stamps N PACE_US` | N pieces of an answer, each the moment it was printed (nanoseconds since 1970), with pauses |
//! | `sleep MS`, `stall`, `hang` | waits; for ever (bounded to ten minutes, so that a failed test leaves nothing) |
//! | `exit N`, `signal N` | ends; dies by a signal |
//! | `ignore SIGNAL` | `TERM`, `INT` or `HUP` has no effect from here on |
//! | `graceful` | on TERM or INT ends as the real Copilot does: says that it was aborted and exits 0 |
//! | `fork FLAG…` | starts a child: `sleep-forever`, `setsid`, `double`, `ignore-term`, `hold-stdout`, `clear-env` together |
//! | `setsid-child`, `double-fork`, `hold-stdout-in-child` | short for `fork setsid`, `fork double`, `fork hold-stdout` |
//! | `fork-loop [N]` | starts a sleeping child every few milliseconds, up to N (default 300) |
//! | `fork-chain [N]` | a child that starts its successor and exits, N generations (default 1000) |
//! | `close-stdout`, `close-stderr` | the reader sees the end of the pipe |
//! | `flood-out BYTES`, `flood-err BYTES` | prints that much in lines of 1 KiB |
//! | `endless-line [BYTES]` | prints without a newline, for ever or so much |
//! | `read-stdin` | reads stdin to its end and writes it down |
//! | `exit-without-reading` | exits 0 and never reads stdin (also a setting) |
//! | `wait-file PATH`, `touch PATH` | to keep step with a test |
//! | `write-note NAME TEXT` | writes a file into the working directory, its folders too |
//! | `answer` | the default answer of the agent that is played |

use std::path::{Path, PathBuf};

/// What a fake is to do.
#[derive(Debug, Default)]
pub(crate) struct Scenario {
    /// The folder that paths are relative to.
    pub(crate) folder: PathBuf,
    /// The version to play.
    pub(crate) version: Option<String>,
    /// Whether stdin is left alone.
    pub(crate) ignore_stdin: bool,
    /// The answer to `--version`.
    pub(crate) probe: Vec<Step>,
    /// The run.
    pub(crate) steps: Vec<Step>,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Out(String),
    Err(String),
    Part(String),
    Json(String),
    Recorded { file: PathBuf, pace_ms: u64 },
    RecordedErr(PathBuf),
    RecordedChunks { file: PathBuf, bytes: usize, pace_ms: u64 },
    Repeat { file: PathBuf, bytes: u64 },
    Stamps { count: u64, pace_us: u64 },
    Sleep(u64),
    Stall,
    Exit(i32),
    Signal(i32),
    Ignore(String),
    Graceful,
    Fork(Vec<String>),
    ForkLoop(u32),
    CloseStdout,
    CloseStderr,
    FloodOut(u64),
    FloodErr(u64),
    EndlessLine(u64),
    ReadStdin,
    WaitFile(PathBuf),
    Touch(PathBuf),
    WriteNote { name: String, text: String },
    Answer,
}

impl Scenario {
    /// The scenario beside the fake; the default one where there is none.
    pub(crate) fn beside(path: &Path, name: &str) -> Result<Scenario, String> {
        let folder = crate::folder(path);
        match std::fs::read_to_string(folder.join(format!("{name}.scenario"))) {
            Ok(text) => Scenario::parse(&text, folder),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Ok(Scenario { folder: folder.to_owned(), ..Scenario::default() })
            }
            Err(error) => Err(format!("cannot read the scenario of `{name}`: {error}")),
        }
    }

    /// Parses a whole scenario. Unknown words are an error: a misspelt fault must not pass for a healthy agent.
    pub(crate) fn parse(text: &str, folder: &Path) -> Result<Scenario, String> {
        let mut scenario = Scenario { folder: folder.to_owned(), ..Scenario::default() };
        for (number, line) in text.lines().enumerate() {
            let line = line.trim_start();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            scenario.line(line).map_err(|why| format!("line {} of the scenario, `{line}`: {why}", number + 1))?;
        }
        Ok(scenario)
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        let (word, rest) = split(line);
        match word {
            "version" => self.version = Some(rest.trim().to_owned()),
            "ignore-stdin" => self.ignore_stdin = true,
            "probe" => {
                let step = self.step(rest)?;
                self.probe.push(step);
            }
            _ => {
                let step = self.step(line)?;
                self.ignore_stdin |= word == "exit-without-reading";
                self.steps.push(step);
            }
        }
        Ok(())
    }

    fn step(&self, line: &str) -> Result<Step, String> {
        let (word, rest) = split(line);
        let text = || rest.to_owned();
        let path = |text: &str| self.folder.join(text.trim());
        let words = || rest.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let fork = |first: &str| Step::Fork(std::iter::once(first.to_owned()).chain(words()).collect());
        Ok(match word {
            "out" => Step::Out(text()),
            "err" => Step::Err(text()),
            "part" => Step::Part(text()),
            "json" => Step::Json(text()),
            "recorded" => {
                let (file, pace_ms) = last_number(rest);
                Step::Recorded { file: path(file), pace_ms: pace_ms.unwrap_or(0) }
            }
            "recorded-err" => Step::RecordedErr(path(rest)),
            "recorded-chunks" => {
                let (rest, pace_ms) = last_number(rest);
                let (file, bytes) = last_number(rest);
                let bytes = bytes.filter(|bytes| *bytes > 0).ok_or("wants a file, bytes and a pause")?;
                Step::RecordedChunks { file: path(file), bytes: bytes as usize, pace_ms: pace_ms.unwrap_or(0) }
            }
            "repeat" => {
                let (file, bytes) = last_number(rest);
                Step::Repeat { file: path(file), bytes: bytes.ok_or("wants a file and bytes")? }
            }
            "stamps" => {
                let (count, pace_us) = last_number(rest);
                Step::Stamps { count: number(count)?, pace_us: pace_us.ok_or("wants a count and a pause")? }
            }
            "sleep" => Step::Sleep(number(rest)?),
            "stall" | "hang" => Step::Stall,
            "exit" => Step::Exit(number(rest)?),
            "signal" => Step::Signal(number(rest)?),
            "ignore" => Step::Ignore(rest.trim().to_owned()),
            "graceful" => Step::Graceful,
            "fork" => Step::Fork(words()),
            "setsid-child" => fork("setsid"),
            "double-fork" => fork("double"),
            "hold-stdout-in-child" => fork("hold-stdout"),
            "fork-loop" => Step::ForkLoop(number(or(rest, "300"))?),
            "fork-chain" => Step::Fork(vec![format!("chain={}", number::<u32>(or(rest, "1000"))?)]),
            "close-stdout" => Step::CloseStdout,
            "close-stderr" => Step::CloseStderr,
            "flood-out" => Step::FloodOut(number(rest)?),
            "flood-err" => Step::FloodErr(number(rest)?),
            "endless-line" => Step::EndlessLine(number(or(rest, "18446744073709551615"))?),
            "read-stdin" => Step::ReadStdin,
            "exit-without-reading" => Step::Exit(0),
            "wait-file" => Step::WaitFile(path(rest)),
            "touch" => Step::Touch(path(rest)),
            "write-note" => {
                let (name, text) = split(rest);
                Step::WriteNote { name: name.to_owned(), text: text.to_owned() }
            }
            "answer" => Step::Answer,
            _ => return Err("no such step".into()),
        })
    }
}

/// The first word and the rest behind one space, which keeps all other white space.
fn split(line: &str) -> (&str, &str) {
    line.split_once(' ').unwrap_or((line, ""))
}

fn or<'a>(text: &'a str, default: &'a str) -> &'a str {
    if text.trim().is_empty() { default } else { text }
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.trim().parse().map_err(|_| format!("`{}` is no number", text.trim()))
}

/// Cuts a number off the end, where there is one.
fn last_number(text: &str) -> (&str, Option<u64>) {
    let text = text.trim();
    match text.rsplit_once(' ').map(|(head, tail)| (head, tail.parse())) {
        Some((head, Ok(found))) => (head.trim(), Some(found)),
        _ => (text, None),
    }
}
