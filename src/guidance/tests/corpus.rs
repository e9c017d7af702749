//! The corpus: real messages with the code that each means, and near misses that must mean nothing or something else.
//!
//! `tests/guidance/corpus.jsonl` and `near_misses.jsonl` hold one case a line, with the report or recording it is from.

#![expect(clippy::print_stdout, reason = "precision and recall are printed")]

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{spec, spec_of};
use crate::guidance::{AgentError, Code, Failure, Guidance, classify};

const CORPUS: &str = include_str!("../../../tests/guidance/corpus.jsonl");
const NEAR_MISSES: &str = include_str!("../../../tests/guidance/near_misses.jsonl");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    code: Code,
    source: String,
    /// Whose message it is; Copilot's where nothing is said.
    #[serde(default)]
    agent: Option<String>,
    #[serde(default)]
    exit_code: Option<i32>,
    #[serde(default)]
    signal: Option<i32>,
    #[serde(default)]
    stderr: String,
    #[serde(default)]
    errors: Vec<Told>,
    /// The key of the text, where the code alone would let wrong advice pass.
    #[serde(default)]
    text: Option<String>,
    /// What a classifier that looks for words would say.
    #[serde(default)]
    looks_like: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Told {
    error_type: String,
    message: String,
    #[serde(default)]
    status: Option<u16>,
    #[serde(default)]
    code: Option<String>,
}

fn cases(text: &str) -> Vec<Case> {
    let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    text.lines().map(parse).collect()
}

fn code_of(case: &Case) -> Code {
    guidance_of(case).code
}

fn guidance_of(case: &Case) -> Guidance {
    let told = |told: &Told| AgentError {
        error_type: told.error_type.clone(),
        message: told.message.clone(),
        status: told.status,
        code: told.code.clone(),
    };
    let errors: Vec<AgentError> = case.errors.iter().map(told).collect();
    let failure = Failure {
        exit_code: case.exit_code,
        signal: case.signal,
        stderr: &case.stderr,
        errors: &errors,
        ..Failure::new(case.agent.as_deref().map_or_else(spec, spec_of), "Tolaria")
    };
    classify(&failure)
}

#[test]
fn every_real_message_and_every_near_miss_means_what_the_corpus_says() {
    let (corpus, near_misses) = (cases(CORPUS), cases(NEAR_MISSES));
    for case in corpus.iter().chain(&near_misses) {
        if let Some(text) = &case.text {
            assert_eq!(&guidance_of(case).key, text, "{}", case.id);
        }
    }
    assert!(corpus.len() >= 150 && near_misses.len() >= 100, "{} and {}", corpus.len(), near_misses.len());
    assert!(near_misses.iter().all(|case| case.looks_like.is_some()), "a near miss says what it looks like");
    // For each code: how many are it, how many were said to be it, how many rightly.
    let mut counts: BTreeMap<Code, (u32, u32, u32)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for case in corpus.iter().chain(&near_misses) {
        assert!(case.source.len() > 4, "{}", case.id);
        let said = code_of(case);
        counts.entry(case.code).or_default().0 += 1;
        counts.entry(said).or_default().1 += 1;
        if said == case.code {
            counts.entry(said).or_default().2 += 1;
        } else {
            wrong.push(format!("{} is {:?}, said {said:?}: {}", case.id, case.code, case.stderr));
        }
    }
    println!("{} real messages, {} near misses", corpus.len(), near_misses.len());
    println!("{:24} {:>5} {:>9} {:>6}", "code", "cases", "precision", "recall");
    for (code, (are, said, right)) in counts {
        let share = |of: u32| if of == 0 { 1.0 } else { f64::from(right) / f64::from(of) };
        println!("{:24} {are:5} {:9.3} {:6.3}", code.as_str(), share(said), share(are));
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn no_case_stands_in_the_corpus_twice() {
    let mut seen = BTreeMap::new();
    for case in cases(CORPUS).into_iter().chain(cases(NEAR_MISSES)) {
        assert!(seen.insert(case.id.clone(), ()).is_none(), "{}", case.id);
    }
}

/// The texts of the corpus, for the properties.
pub(super) fn texts() -> impl Iterator<Item = String> {
    cases(CORPUS).into_iter().map(|case| case.stderr).filter(|text| !text.is_empty())
}
