//! Asks a candidate for its version: it counts only if it starts and answers as the agent that it claims to be.

use std::path::Path;
use std::time::Duration;

use regex::Regex;

use super::Verdict;
use super::format::Format;
use super::shim::Target;
use crate::adapters::Spec;
use crate::env::HostEnv;
use crate::process::{self, Captured};

/// How much of its output is kept.
const MAX_BYTES: usize = 64 * 1024;

/// What a candidate answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// It is the agent, of this version.
    Version(String),
    /// It is not, or does not work.
    Refused(Refusal),
}

/// Why a candidate does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) verdict: Verdict,
    /// The reason, in words.
    pub(crate) detail: String,
    /// The interpreter that is missing, where that is why.
    pub(crate) interpreter: Option<String>,
}

impl Refusal {
    pub(crate) fn new(verdict: Verdict, detail: impl Into<String>) -> Refusal {
        Refusal { verdict, detail: detail.into(), interpreter: None }
    }
}

/// Why a file cannot be this machine's program, told by its first bytes. Nothing is started.
///
/// The system hands a file that it cannot run to a shell, which would take its bytes for commands.
pub(crate) fn refuse_by_format(format: &Format, host: &HostEnv) -> Option<Refusal> {
    if format.is_foreign(host.os, host.arch) {
        let detail = format!("{}, which this machine cannot run", format.describe());
        return Some(Refusal::new(Verdict::WrongArchitecture, detail));
    }
    (*format == Format::Unknown).then(|| Refusal::new(Verdict::Broken, "empty or damaged: no program and no script"))
}

/// Starts `target` with the agent's version arguments and judges what it prints within `limit`.
pub(crate) async fn probe(
    spec: &Spec,
    target: &Target,
    format: &Format,
    command: process::Command,
    limit: Duration,
) -> Answer {
    match process::capture(command, limit, MAX_BYTES).await {
        Ok(captured) => judge(spec, format, &captured),
        Err(error) => Answer::Refused(not_started(&target.program, format, &error)),
    }
}

fn not_started(program: &Path, format: &Format, error: &std::io::Error) -> Refusal {
    // The system says "not found" of a script whose interpreter is missing, too.
    if let (std::io::ErrorKind::NotFound, Format::Script(line)) = (error.kind(), format) {
        let interpreter = line.split_whitespace().next().unwrap_or_default().to_owned();
        let detail = format!("its interpreter `{interpreter}` is missing");
        return Refusal { interpreter: Some(interpreter), ..Refusal::new(Verdict::Broken, detail) };
    }
    if let (std::io::ErrorKind::NotFound, Format::Native { linker: Some(linker), .. }) = (error.kind(), format) {
        let detail = format!("made for another C library: `{linker}` is missing");
        return Refusal::new(Verdict::WrongArchitecture, detail);
    }
    // ENOEXEC, EBADARCH (macOS) and ERROR_BAD_EXE_FORMAT.
    if matches!(error.raw_os_error(), Some(8 | 86 | 193)) {
        let detail = format!("`{}` is {}, which this machine cannot run", program.display(), format.describe());
        let verdict =
            if matches!(format, Format::Native { .. }) { Verdict::WrongArchitecture } else { Verdict::Broken };
        return Refusal::new(verdict, detail);
    }
    let verdict = match error.kind() {
        std::io::ErrorKind::PermissionDenied => Verdict::NotExecutable,
        _ => Verdict::Broken,
    };
    Refusal::new(verdict, format!("cannot be started: {error}"))
}

/// Judges what a candidate printed. Pure.
pub(crate) fn judge(spec: &Spec, format: &Format, captured: &Captured) -> Answer {
    let stdout = String::from_utf8_lossy(&captured.stdout);
    let stderr = String::from_utf8_lossy(&captured.stderr);
    let refuse = |verdict, detail, interpreter| Answer::Refused(Refusal { verdict, detail, interpreter });
    let said = |phrase: &&str| stdout.contains(*phrase) || stderr.contains(*phrase);
    if let Some(phrase) = spec.install_prompts.iter().find(|phrase| said(phrase)) {
        return refuse(
            Verdict::InstallPrompt,
            format!("not {}, but an offer to install it: `{phrase}`", spec.name),
            None,
        );
    }
    if captured.timed_out {
        return refuse(
            Verdict::Broken,
            format!("did not tell its version within {} ms", captured.elapsed.as_millis()),
            None,
        );
    }
    if let Some(interpreter) = missing_interpreter(captured.exit_code, &stderr, format) {
        return refuse(Verdict::Broken, format!("its interpreter `{interpreter}` is missing"), Some(interpreter));
    }
    if captured.exit_code != Some(0) {
        let end = match (captured.exit_code, captured.signal) {
            (Some(code), _) => format!("ended with exit code {code}"),
            (None, Some(signal)) => format!("was ended by signal {signal}"),
            (None, None) => "ended abnormally".into(),
        };
        let line = telling_line(&stderr).or_else(|| telling_line(&stdout));
        let detail = match line {
            Some(line) => format!("{end}: {line}"),
            None => format!("{end} and printed nothing"),
        };
        return refuse(Verdict::Broken, detail, None);
    }
    if stdout.trim().is_empty() && stderr.trim().is_empty() {
        return refuse(Verdict::Broken, "printed nothing when asked for its version".into(), None);
    }
    match version(spec, &stdout).or_else(|| version(spec, &stderr)) {
        Some(version) => Answer::Version(version),
        None => {
            let line = telling_line(&stdout).or_else(|| telling_line(&stderr)).unwrap_or_default();
            refuse(Verdict::Impostor, format!("another program of that name: it answered `{line}`"), None)
        }
    }
}

/// The version in an agent's answer; none where the answer is not the agent's.
pub(crate) fn version(spec: &Spec, output: &str) -> Option<String> {
    // Windows ends lines with a carriage return, and colour codes stand before what they colour.
    let plain = output.replace('\r', "");
    let identity = Regex::new(spec.identity).expect("the pattern of every adapter is valid: a test compiles each");
    let version = identity.captures(&plain)?.get(1)?;
    // The full stop of the sentence it stands in.
    Some(version.as_str().trim_end_matches('.').to_owned())
}

/// The interpreter that `env`, a shell or a shim says it cannot find.
fn missing_interpreter(exit_code: Option<i32>, stderr: &str, format: &Format) -> Option<String> {
    if !matches!(exit_code, Some(127 | 126 | 1 | 9009)) || matches!(format, Format::Native { .. }) {
        return None;
    }
    let name = |text: &str| {
        let text = text.trim().trim_matches(['\'', '`', '"', '\u{2018}', '\u{2019}']);
        let name = text.rsplit(['/', '\\']).next().unwrap_or(text);
        let named = matches!(format, Format::Script(line) if line.split_whitespace().any(|word| word == name));
        (named || ["node", "bun", "deno", "python3", "python"].contains(&name)).then(|| name.to_owned())
    };
    stderr.lines().find_map(|line| {
        // `env: node: No such…`, `/usr/bin/env: 'node': No such…`.
        if let Some((program, _)) = line.split_once("env: ").and_then(|(_, rest)| rest.split_once(": No such file")) {
            return name(program);
        }
        // `shim: 12: exec: node: not found`, `line 3: node: command not found`, `zsh:1: command not found: node`.
        if let Some((_, program)) = line.split_once("command not found: ") {
            return name(program);
        }
        let program =
            ["command not found", "not found"].iter().find_map(|end| line.trim_end().strip_suffix(&format!(": {end}")));
        if let Some(program) = program {
            return name(program.rsplit(": ").next().unwrap_or(program));
        }
        line.contains("is not recognized as an internal or external command")
            .then(|| line.split('"').nth(1).or_else(|| line.split('\'').nth(1)).and_then(name))
            .flatten()
    })
}

/// The line that says most: the first with a message of an error, else the first with words.
fn telling_line(text: &str) -> Option<String> {
    let lines = || text.lines().map(str::trim).filter(|line| line.chars().any(char::is_alphanumeric));
    let telling = lines().find(|line| {
        let lower = line.to_lowercase();
        ["error:", "missing optional dependency", "cannot find", "no platform package", "reinstall"]
            .iter()
            .any(|phrase| lower.contains(phrase))
    });
    let line: String = telling.or_else(|| lines().next())?.chars().take(300).collect();
    Some(crate::redact::redact(&line, &[]))
}
