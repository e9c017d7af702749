//! Finds the sentences of an agent in text: where a line begins, after what agents put before a sentence.
//!
//! All phrases of an agent are asked at once, line by line, each only at the start of a sentence. So the cost is that of
//! the text, not that of the text times the rules.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use regex::{Captures, Regex, RegexSet, RegexSetBuilder};

use super::classify::rules;
use super::rule::{On, Pattern, Rule};
use crate::adapters::Spec;

/// How far a sentence may go on over the following lines, in bytes.
const REACH: usize = 4096;

/// What may stand before an agent's sentence on its line: a sign, a time, a level, and who complains.
const HEAD: &str = concat!(
    r"\A[\s\u{feff}\u{200b}!\u{2717}\u{2716}\u{2718}\u{d7}\u{25cf}\u{274c}\u{25a0}\u{26a0}\u{fe0f}>|\u{2502}\u{2514}]*",
    r"(?:\[?\d{4}-\d{2}-\d{2}[T ][\d:.,]+Z?\]?[ \t]+)?",
    // PowerShell puts the program before what it wrote.
    r"(?:copilot(?:\.exe|\.cmd|\.ps1)? : )?",
    r"(?P<error>(?:npm (?:ERR!|error)[ \t]+(?:(?:code|errno|syscall|network|notsup|engine)[ \t]+)?)?",
    r"(?:\[(?i:error|fatal)\]:?[ \t]+|(?i:error|fatal):[ \t]+|(?:ERROR|FATAL)[ \t]+)*(?:\([a-z_]+\)[ \t]+)?",
    r"(?:(?:Error executing prompt|Execution failed|Model call failed|Error loading model list|Uncaught|Unhandled error|Unhandled rejection)[: ]+)*",
    r#""?(?:[A-Za-z]*(?:Error|Exception)(?: \[[A-Z0-9_]+\])?: )*"?)"#,
);

static HEADS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(HEAD).ok());

/// The phrases of one agent.
#[derive(Debug)]
struct Phrases {
    rules: Vec<(&'static Rule, &'static Pattern)>,
    set: Option<RegexSet>,
}

/// By the address of the agent's tables: they are static and few.
static KNOWN: LazyLock<RwLock<HashMap<usize, Arc<Phrases>>>> = LazyLock::new(RwLock::default);

fn phrases(spec: &Spec) -> Arc<Phrases> {
    let key = spec.rules.as_ptr() as usize;
    if let Some(known) = KNOWN.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return Arc::clone(known);
    }
    let rules: Vec<_> = rules(spec)
        .filter_map(|rule| match &rule.on {
            On::Phrase(pattern) => Some((rule, pattern)),
            _ => None,
        })
        .collect();
    let texts = rules.iter().map(|(_, pattern)| pattern.anchored());
    let set = RegexSetBuilder::new(texts).size_limit(64 << 20).dfa_size_limit(8 << 20).build().ok();
    let made = Arc::new(Phrases { rules, set });
    Arc::clone(KNOWN.write().unwrap_or_else(PoisonError::into_inner).entry(key).or_insert(made))
}

/// A sentence that was found: its rule, what its groups caught, and the whole lines it stands on.
#[derive(Debug)]
pub(super) struct Sentence<'t> {
    pub(super) rule: &'static Rule,
    pub(super) captures: Captures<'t>,
    pub(super) lines: &'t str,
}

/// The sentence of the first rule that has one in `text`; of several sentences, the first.
pub(super) fn find<'t>(spec: &Spec, text: &'t str) -> Option<Sentence<'t>> {
    let phrases = phrases(spec);
    let set = phrases.set.as_ref()?;
    let mut best: Option<(usize, usize)> = None;
    for (start, line) in line_starts(text) {
        for at in sentence_starts(line) {
            let first = set.matches(window(text, start + at)).into_iter().next();
            if let Some(index) = first.filter(|index| best.is_none_or(|(known, _)| *index < known)) {
                best = Some((index, start + at));
            }
        }
    }
    let (index, at) = best?;
    let (rule, pattern) = phrases.rules.get(index)?;
    let captures = pattern.captures(window(text, at))?;
    let from = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let end = at + captures.get(0)?.end();
    let to = text[end..].find('\n').map_or(text.len(), |newline| end + newline);
    Some(Sentence { rule, captures, lines: &text[from..to] })
}

/// Whether a sentence of `text` begins as an expression says that is held to the beginning of what it is matched with.
pub(crate) fn says(anchored: &Regex, text: &str) -> bool {
    let starts = line_starts(text).flat_map(|(start, line)| sentence_starts(line).map(move |at| start + at));
    starts.map(|at| window(text, at)).any(|window| anchored.is_match(window))
}

/// Every line that is not blank, with where it begins.
fn line_starts(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = at;
        at += line.len();
        (!line.trim().is_empty()).then_some((start, line))
    })
}

/// Where a sentence may begin on a line: after its signs, and after what says that it is an error.
fn sentence_starts(line: &str) -> impl Iterator<Item = usize> {
    let heads = HEADS.as_ref().and_then(|regex| regex.captures(line));
    let error = heads.as_ref().and_then(|heads| heads.name("error"));
    let (start, end) = error.map_or((0, 0), |error| (error.start(), error.end()));
    std::iter::once(start).chain((end != start).then_some(end))
}

/// What a sentence that begins at `at` may extend over.
fn window(text: &str, at: usize) -> &str {
    let mut end = text.len().min(at + REACH);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[at..end]
}

/// Every rule that has a sentence in `text`, for the tests of the rules.
#[cfg(test)]
pub(super) fn all(spec: &Spec, text: &str) -> Vec<&'static Rule> {
    let phrases = phrases(spec);
    let set = phrases.set.as_ref().expect("the phrases compile");
    let starts = line_starts(text).flat_map(|(start, line)| sentence_starts(line).map(move |at| start + at));
    let found = starts.flat_map(|at| set.matches(window(text, at)).into_iter().collect::<Vec<_>>());
    found.map(|index| phrases.rules[index].0).collect()
}
