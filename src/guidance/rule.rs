//! A rule: one signal of an agent, as data, and the cause it proves.
//!
//! Owns the shape of a rule and how its signal is matched. Holds no rule itself: the shared ones are in `shared`,
//! those of an agent in its adapter.

use std::collections::HashMap;
use std::sync::{LazyLock, PoisonError, RwLock};

use regex::{Captures, Regex};

use super::{AgentError, Code};

/// One signal and what it means.
#[derive(Debug)]
pub(crate) struct Rule {
    /// The signal.
    pub(crate) on: On,
    /// The cause.
    pub(crate) code: Code,
    /// The key of the text.
    pub(crate) text: &'static str,
    /// Where the signal was seen: a version and a date, or a public report.
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests hold every rule to it"))]
    pub(crate) source: &'static str,
    /// What it must match.
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests hold every rule to it"))]
    pub(crate) example: Example,
    /// What looks alike and it must not match.
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests hold every rule to it"))]
    pub(crate) near_miss: Example,
}

/// The signal of a rule. In this order signals are more specific, and decide first.
#[derive(Debug)]
pub(crate) enum On {
    /// A structured error of the agent's own protocol.
    Event(Event),
    /// An exit code that this agent gives for this cause alone.
    Exit(&'static [i32]),
    /// A signal that only a crash sends.
    Signal(&'static [i32]),
    /// A whole sentence at the start of a line, after the usual `Error: `. Also matched on the message of an event.
    Phrase(Pattern),
    /// An answer that as a whole is the error of the model's provider.
    Answer(Pattern),
    /// An exit code that says little: asked only when no sentence was recognised.
    LastExit(&'static [i32]),
    /// A signal that says little: asked only when no sentence was recognised.
    LastSignal(&'static [i32]),
}

/// What an error event must say. Fields that are empty are not asked.
#[derive(Debug)]
pub(crate) struct Event {
    /// The agent's word for the kind.
    pub(crate) error_types: &'static [&'static str],
    /// The finer code.
    pub(crate) codes: &'static [&'static str],
    /// The HTTP status, first and last.
    pub(crate) status: Option<(u16, u16)>,
}

/// What the examples of a rule are made of.
#[cfg_attr(not(test), expect(dead_code, reason = "the tests read it"))]
#[derive(Debug)]
pub(crate) enum Example {
    /// Text on stderr (or the answer).
    Text(&'static str),
    /// An error event: kind, finer code, status.
    Event(&'static str, &'static str, u16),
    /// An exit code.
    Exit(i32),
    /// A signal's number.
    Signal(i32),
}

/// A regular expression that is compiled when first needed.
#[derive(Debug)]
pub(crate) struct Pattern {
    text: &'static str,
    /// Whether it is the whole text, or a sentence in it.
    whole: bool,
}

/// What was compiled, by the text of the pattern. Rules are static and few, so nothing is ever taken out.
static COMPILED: LazyLock<RwLock<Compiled>> = LazyLock::new(RwLock::default);

type Compiled = HashMap<(&'static str, bool), Option<&'static Regex>>;

impl Pattern {
    /// The expression, held to the beginning of what it is matched with. `$` is the end of a line.
    pub(crate) fn anchored(&self) -> String {
        anchored(self.text, self.whole)
    }

    /// The same, compiled. `None` where it does not compile, which a test rules out for every rule.
    pub(crate) fn regex(&self) -> Option<&'static Regex> {
        let key = (self.text, self.whole);
        if let Some(regex) = COMPILED.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return *regex;
        }
        let regex = Regex::new(&self.anchored()).ok().map(|regex| &*Box::leak(Box::new(regex)));
        *COMPILED.write().unwrap_or_else(PoisonError::into_inner).entry(key).or_insert(regex)
    }

    /// The match at the beginning of `text`.
    pub(crate) fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        self.regex()?.captures(text)
    }
}

/// An expression held to the beginning of what it is matched with, or to all of it. `$` is the end of a line.
pub(crate) fn anchored(text: &str, whole: bool) -> String {
    if whole { format!(r"\A\s*(?:{text})\s*\z") } else { format!(r"(?m)\A(?:{text})") }
}

/// A phrase: its sentence starts a line.
pub(crate) const fn phrase(text: &'static str) -> On {
    On::Phrase(Pattern { text, whole: false })
}

/// An answer that is nothing but this.
pub(crate) const fn answer(text: &'static str) -> On {
    On::Answer(Pattern { text, whole: true })
}

/// An error event of one of these kinds.
pub(crate) const fn kind(error_types: &'static [&'static str]) -> On {
    On::Event(Event { error_types, codes: &[], status: None })
}

/// An error event of one of these kinds with a status in this range.
pub(crate) const fn kind_status(error_types: &'static [&'static str], first: u16, last: u16) -> On {
    On::Event(Event { error_types, codes: &[], status: Some((first, last)) })
}

/// An error event with one of these finer codes.
pub(crate) const fn code(codes: &'static [&'static str]) -> On {
    On::Event(Event { error_types: &[], codes, status: None })
}

/// An error event with a status in this range.
pub(crate) const fn status(first: u16, last: u16) -> On {
    On::Event(Event { error_types: &[], codes: &[], status: Some((first, last)) })
}

/// An error event that says all of this. What is empty is not asked.
pub(crate) const fn event(
    error_types: &'static [&'static str],
    codes: &'static [&'static str],
    status: Option<(u16, u16)>,
) -> On {
    On::Event(Event { error_types, codes, status })
}

impl Event {
    /// Whether the error says all that is asked.
    pub(crate) fn matches(&self, error: &AgentError) -> bool {
        let kind = self.error_types.is_empty() || self.error_types.contains(&error.error_type.as_str());
        let code = self.codes.is_empty() || error.code.as_deref().is_some_and(|code| self.codes.contains(&code));
        let status =
            self.status.is_none_or(|(first, last)| error.status.is_some_and(|status| (first..=last).contains(&status)));
        kind && code && status
    }
}
