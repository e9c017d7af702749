//! From the signals of a failed run to guidance: the most specific signal decides.
//!
//! In this order: structured events, exit codes and signals with one meaning, whole sentences, an answer that is an
//! error, refused tools, exit codes and signals that say little. Nothing known is `unknown`, with what the agent said.

use std::path::Path;
use std::time::Duration;

use regex::Captures;

use super::fill::{Params, guidance};
use super::rule::{On, Rule};
use super::sentences::{self, Sentence};
use super::{Code, Guidance, clean, shared, wait};
use crate::adapters::Spec;

/// A failure that the agent told in a structured event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AgentError {
    /// The agent's own word for the kind of error, such as `rate_limit`.
    pub(crate) error_type: String,
    /// The agent's sentence.
    pub(crate) message: String,
    /// The HTTP status behind it.
    pub(crate) status: Option<u16>,
    /// A finer code, such as `quota_exceeded`.
    pub(crate) code: Option<String>,
}

/// What the engine itself saw of the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause<'a> {
    /// The time limit of the run passed. Decides by itself.
    TimedOut(Duration),
    /// The agent was silent for longer than the limit. Decides by itself.
    Idle(Duration),
    /// The agent did this although the mode forbids it. Decides by itself.
    Bypassed(&'a str),
    /// The agent told that it failed.
    Told,
    /// It exited cleanly and said nothing. Decides where no signal says more.
    NoAnswer,
    /// It exited cleanly in the middle of its answer, without its final event. Decides where no signal says more.
    CutShort,
    /// Nothing but the exit status.
    Exited,
}

/// All that is known of a failed run. Start from [`Failure::new`] and fill in what is known.
#[derive(Clone, Debug)]
pub(crate) struct Failure<'a> {
    /// The agent's table.
    pub(crate) spec: &'static Spec,
    /// What the engine saw; `None` for a captured stderr.
    pub(crate) cause: Option<Cause<'a>>,
    /// The host app's name.
    pub(crate) app: &'a str,
    /// The agent's version, where known.
    pub(crate) version: Option<&'a str>,
    /// The program that ran, where known.
    pub(crate) program: Option<&'a Path>,
    /// Its exit code.
    pub(crate) exit_code: Option<i32>,
    /// The signal that ended it.
    pub(crate) signal: Option<i32>,
    /// Structured errors, oldest first.
    pub(crate) errors: &'a [AgentError],
    /// The end of stderr.
    pub(crate) stderr: &'a str,
    /// Whether any answer text arrived.
    pub(crate) answered: bool,
    /// The whole answer, where it is short enough to be an error in disguise; otherwise empty.
    pub(crate) answer: &'a str,
    /// How many tool calls were refused.
    pub(crate) denied_tools: u32,
    /// What the first refusal said.
    pub(crate) first_denied: Option<&'a str>,
    /// The folder that the agent worked in.
    pub(crate) vault: Option<&'a Path>,
    /// Names of the variables that hold a sign-in and reached the agent, in the agent's order.
    pub(crate) auth_variables: &'a [String],
    /// Names of the proxy and certificate variables that reached the agent.
    pub(crate) network_variables: &'a [String],
    /// Values that must not be shown: those of the plan's secret variables.
    pub(crate) secrets: &'a [String],
}

impl<'a> Failure<'a> {
    /// A failure of which nothing is known yet.
    pub(crate) fn new(spec: &'static Spec, app: &'a str) -> Failure<'a> {
        Failure {
            spec,
            cause: None,
            app,
            version: None,
            program: None,
            exit_code: None,
            signal: None,
            errors: &[],
            stderr: "",
            answered: false,
            answer: "",
            denied_tools: 0,
            first_denied: None,
            vault: None,
            auth_variables: &[],
            network_variables: &[],
            secrets: &[],
        }
    }
}

/// What a rule said of a failure.
struct Found {
    rule: &'static Rule,
    params: Params,
    evidence: Vec<String>,
}

/// Chooses the guidance for a failure. Never panics; an unknown cause is `unknown` with its evidence.
pub(crate) fn classify(failure: &Failure<'_>) -> Guidance {
    let stderr = clean::text(failure.stderr);
    match failure.cause {
        Some(Cause::TimedOut(limit)) => return limited(failure, Code::TimedOut, "timed_out", limit, &stderr),
        Some(Cause::Idle(limit)) => return limited(failure, Code::Idle, "idle", limit, &stderr),
        Some(Cause::Bypassed(what)) => {
            let params = params(failure).with("detail", what);
            let evidence = vec![what.to_owned()];
            return guidance(Code::PermissionBypassed, "permission_bypassed", params, evidence, failure.secrets);
        }
        _ => {}
    }
    if let Some(found) = by_rule(failure, &stderr) {
        let (code, key) = refined(failure, &found);
        let params = with_defaults(failure, key, found.params);
        return guidance(code, key, params, with_last_lines(found.evidence, &stderr), failure.secrets);
    }
    let mut evidence: Vec<String> = failure.errors.last().map(|error| error.message.clone()).into_iter().collect();
    evidence.extend(last_lines(&stderr, 6));
    let silent = evidence.is_empty() && !failure.answered;
    // Noise is never the cause, but it is better than nothing to look at.
    if evidence.is_empty() {
        evidence = last_lines(&clean::plain(failure.stderr), 6);
    }
    let (code, key) = match failure.cause {
        Some(Cause::NoAnswer) => (Code::NoAnswer, "no_answer"),
        Some(Cause::CutShort) => (Code::AgentCrashed, "cut_short"),
        _ if silent => (Code::NoAnswer, "no_answer"),
        _ => (Code::Unknown, "unknown"),
    };
    guidance(code, key, params(failure), evidence, failure.secrets)
}

/// A run that was stopped by a limit. What it said before often names the cause, and then what to do about that.
fn limited(failure: &Failure<'_>, code: Code, key: &str, limit: Duration, stderr: &str) -> Guidance {
    let words = wait::in_words(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX));
    let reason = by_events(failure).or_else(|| by_phrase(failure, stderr));
    let mut params = params(failure).with("limit", &words);
    let Some(found) = reason else {
        let last = last_lines(stderr, 1).pop().unwrap_or_default();
        params.add("line", last.trim_end_matches('.'));
        return guidance(code, key, params, last_lines(stderr, 4), failure.secrets);
    };
    let of_reason = with_defaults(failure, found.rule.text, found.params);
    let reason = guidance(found.rule.code, found.rule.text, of_reason, found.evidence, failure.secrets);
    params.add("reason", &reason.title);
    params.add("reason_code", &reason.code.as_str());
    let mut limited = guidance(code, key, params, reason.evidence, failure.secrets);
    limited.steps = reason.steps;
    limited
}

/// The first rule that applies, most specific signal first.
fn by_rule(failure: &Failure<'_>, stderr: &str) -> Option<Found> {
    if let Some(found) = by_events(failure) {
        return Some(found);
    }
    let exit =
        |rule: &Rule| matches!(&rule.on, On::Exit(codes) if failure.exit_code.is_some_and(|c| codes.contains(&c)));
    let signal = |rule: &Rule| matches!(&rule.on, On::Signal(all) if failure.signal.is_some_and(|s| all.contains(&s)));
    let phrase = by_phrase(failure, stderr);
    if let Some(rule) = rules(failure.spec).find(|rule| exit(rule) || signal(rule)) {
        // A sentence that proves the same cause says more about it.
        return match phrase {
            Some(found) if found.rule.code == rule.code => Some(found),
            _ => Some(Found { rule, params: params(failure), evidence: Vec::new() }),
        };
    }
    phrase.or_else(|| by_answer(failure)).or_else(|| by_denial(failure)).or_else(|| {
        let last = |rule: &Rule| match &rule.on {
            On::LastExit(codes) => failure.exit_code.is_some_and(|code| codes.contains(&code)),
            On::LastSignal(signals) => failure.signal.is_some_and(|signal| signals.contains(&signal)),
            _ => false,
        };
        let rule = rules(failure.spec).find(|rule| last(rule))?;
        Some(Found { rule, params: params(failure), evidence: Vec::new() })
    })
}

/// The agent's own rules, then those of all agents.
pub(super) fn rules(spec: &Spec) -> impl Iterator<Item = &'static Rule> {
    spec.rules.iter().chain(shared::RULES).copied().flatten()
}

/// The last error that a rule knows.
fn by_events(failure: &Failure<'_>) -> Option<Found> {
    failure.errors.iter().rev().take(4).find_map(|error| by_event(failure, error))
}

fn by_event(failure: &Failure<'_>, error: &AgentError) -> Option<Found> {
    let message = clean::text(&error.message);
    let event = rules(failure.spec).position(|rule| matches!(&rule.on, On::Event(event) if event.matches(error)));
    let sentence = sentences::find(failure.spec, &message);
    let position = |rule: &Rule| rules(failure.spec).position(|other| std::ptr::eq(other, rule));
    // Whichever stands first in the tables is the more specific.
    let mut found = match (event, sentence) {
        (None, None) => return None,
        (Some(event), Some(sentence)) if position(sentence.rule).is_some_and(|at| at < event) => {
            told(failure, &sentence)
        }
        (None, Some(sentence)) => told(failure, &sentence),
        (Some(event), _) => {
            let rule = rules(failure.spec).nth(event)?;
            let params = with_wait(params(failure), rule.code, &message);
            Found { rule, params, evidence: last_lines(&message, 4) }
        }
    };
    if let Some(status) = error.status {
        found.params.add("status", &status.to_string());
    }
    Some(found)
}

fn by_phrase(failure: &Failure<'_>, text: &str) -> Option<Found> {
    sentences::find(failure.spec, text).map(|sentence| told(failure, &sentence))
}

/// What a sentence says of a failure.
fn told(failure: &Failure<'_>, sentence: &Sentence<'_>) -> Found {
    let lines: Vec<&str> = sentence.lines.lines().filter(|line| !line.trim().is_empty()).collect();
    let shown = if lines.len() > 4 { [&lines[..1], &lines[lines.len() - 3..]].concat() } else { lines };
    let params = with_wait(captured(params(failure), &sentence.captures), sentence.rule.code, sentence.lines);
    Found { rule: sentence.rule, params, evidence: shown.into_iter().map(str::to_owned).collect() }
}

fn by_answer(failure: &Failure<'_>) -> Option<Found> {
    answer_rule(failure.spec, failure.answer).map(|(rule, captures)| {
        let params = with_wait(captured(params(failure), &captures), rule.code, failure.answer);
        Found { rule, params, evidence: last_lines(failure.answer, 4) }
    })
}

/// The rule that says that an answer is nothing but an error.
pub(super) fn answer_rule<'t>(spec: &Spec, answer: &'t str) -> Option<(&'static Rule, Captures<'t>)> {
    if answer.len() > super::ANSWER_LIMIT {
        return None;
    }
    rules(spec).find_map(|rule| match &rule.on {
        On::Answer(pattern) => pattern.captures(answer).map(|captures| (rule, captures)),
        _ => None,
    })
}

fn by_denial(failure: &Failure<'_>) -> Option<Found> {
    if failure.denied_tools == 0 || failure.answered {
        return None;
    }
    let params = with_denied(params(failure), failure.denied_tools, failure.first_denied);
    let evidence = failure.first_denied.map(str::to_owned).into_iter().collect();
    Some(Found { rule: &shared::DENIED, params, evidence })
}

/// How many actions were refused, in words.
pub(super) fn with_denied(params: Params, count: u32, first: Option<&str>) -> Params {
    let (actions, were) = if count == 1 { ("action", "was") } else { ("actions", "were") };
    // The sentence that follows ends with a full stop of its own.
    let first = first.unwrap_or_default().trim().trim_end_matches('.');
    params.with("count", &count.to_string()).with("actions", actions).with("were", were).with("first", first)
}

/// With what the named groups of a phrase caught.
pub(super) fn captured(mut params: Params, captures: &Captures<'_>) -> Params {
    for name in NAMES {
        if let Some(group) = captures.name(name) {
            params.add(name, group.as_str().trim());
        }
    }
    params
}

/// The names that the groups of a phrase may have. A test holds every rule to them.
pub(crate) const NAMES: &[&str] = &[
    "address",
    "detail",
    "found",
    "interpreter",
    "limit",
    "line",
    "model",
    "needed",
    "path",
    "server",
    "session",
    "size",
    "status",
    "tool",
    "variable",
];

fn with_wait(params: Params, code: Code, text: &str) -> Params {
    if !matches!(code, Code::RateLimited | Code::QuotaExhausted) {
        return params;
    }
    let wait = wait::parse(text);
    let ms = wait.ms.map(|ms| ms.to_string()).unwrap_or_default();
    let params = params.with("wait", wait.words.as_deref().unwrap_or_default());
    // What is used up is not asked for again by a program on its own.
    let params = if code == Code::RateLimited { params.with("wait_ms", &ms) } else { params };
    params.with("until", wait.until.as_deref().unwrap_or_default())
}

/// What is known of the run, for any text.
fn params(failure: &Failure<'_>) -> Params {
    let mut params = Params::of(failure.spec, failure.app)
        .with("version", failure.version.unwrap_or_default())
        .with("variables", &failure.auth_variables.join(", "))
        .with("network_variables", &failure.network_variables.join(", "));
    if let Some(program) = failure.program {
        params.add("program", &program.display().to_string());
    }
    if let Some(code) = failure.exit_code {
        params.add("exit_code", &code.to_string());
    }
    if let Some(signal) = failure.signal.or_else(|| failure.exit_code.and_then(shared::signal_of_exit)) {
        params.add("signal_name", &shared::signal_name(signal));
    }
    params
}

/// With what is likely, where the signal itself did not say it.
fn with_defaults(failure: &Failure<'_>, key: &str, params: Params) -> Params {
    // Agents take the first that is set.
    let params = params.with("variable", failure.auth_variables.first().map(String::as_str).unwrap_or_default());
    if matches!(key, "version_too_old" | "version_too_new") {
        return params.with("found", failure.version.unwrap_or_default()).with("needed", failure.spec.floor.safe);
    }
    params
}

/// Where the run itself decides what a signal means: the version for refused arguments, the vault for a refused path.
fn refined(failure: &Failure<'_>, found: &Found) -> (Code, &'static str) {
    let rule = found.rule;
    let parse = |version: &str| semver::Version::parse(version.trim_start_matches('v')).ok();
    let old = |version: &str| parse(version).zip(parse(failure.spec.floor.safe)).is_some_and(|(v, floor)| v < floor);
    if rule.text == "arguments_rejected" && failure.version.is_some_and(old) {
        return (Code::VersionUnsupported, "version_too_old");
    }
    let new = |version: &str| parse(version).zip(parse(failure.spec.tested)).is_some_and(|(v, tested)| v > tested);
    if rule.text == "arguments_rejected" && failure.version.is_some_and(new) {
        return (Code::ArgumentsRejected, "version_too_new");
    }
    let path = found.params.get("path").map(Path::new);
    if rule.text == "home_unwritable" && path.zip(failure.vault).is_some_and(|(path, vault)| path.starts_with(vault)) {
        return (Code::VaultUnreadable, "vault_unreadable");
    }
    (rule.code, rule.text)
}

/// The evidence of a rule; of one that looked at no text, the last lines.
fn with_last_lines(evidence: Vec<String>, stderr: &str) -> Vec<String> {
    if evidence.is_empty() { last_lines(stderr, 4) } else { evidence }
}

/// The last lines that are not blank, oldest first.
pub(super) fn last_lines(text: &str, count: usize) -> Vec<String> {
    let mut lines: Vec<String> =
        text.lines().rev().filter(|line| !line.trim().is_empty()).take(count).map(str::to_owned).collect();
    lines.reverse();
    lines
}
