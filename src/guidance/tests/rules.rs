//! Every rule is held to its example, its near miss and its text.

use std::collections::BTreeSet;

use super::spec;
use crate::adapters::{Spec, held};
use crate::guidance::classify::{NAMES, rules};
use crate::guidance::fill::{Params, guidance};
use crate::guidance::rule::{Example, On, Pattern, Rule};
use crate::guidance::sentences;
use crate::guidance::texts;
use crate::guidance::{AgentError, Code, Failure, classify};

/// What a signal is classified as, all else unknown: the code and the text.
fn classified(spec: &'static Spec, rule: &Rule, signal: &Example) -> (Code, String) {
    let mut failure = Failure::new(spec, "Tolaria");
    let mut errors = Vec::new();
    match signal {
        Example::Text(text) if matches!(rule.on, On::Answer(_)) => {
            failure.answer = text;
            failure.answered = true;
        }
        Example::Text(text) => failure.stderr = text,
        Example::Event(error_type, code, status) => errors.push(AgentError {
            error_type: (*error_type).to_owned(),
            message: String::from("the server said so"),
            status: Some(*status),
            code: (!code.is_empty()).then(|| (*code).to_owned()),
        }),
        Example::Exit(code) => failure.exit_code = Some(*code),
        Example::Signal(signal) => failure.signal = Some(*signal),
    }
    failure.errors = &errors;
    let guidance = classify(&failure);
    (guidance.code, guidance.key)
}

/// Every rule of every agent, those that all share included.
fn all_rules() -> impl Iterator<Item = (&'static Spec, &'static Rule)> {
    held().flat_map(|adapter| rules(adapter.spec()).map(|rule| (adapter.spec(), rule)))
}

fn patterns() -> impl Iterator<Item = (&'static Rule, &'static Pattern)> {
    all_rules().filter_map(|(_, rule)| match &rule.on {
        On::Phrase(pattern) | On::Answer(pattern) => Some((rule, pattern)),
        _ => None,
    })
}

#[test]
fn every_pattern_compiles_and_names_only_known_groups() {
    for (rule, pattern) in patterns() {
        let regex = pattern.regex().unwrap_or_else(|| panic!("{rule:#?} does not compile"));
        for name in regex.capture_names().flatten() {
            assert!(NAMES.contains(&name), "{name} in {rule:#?}");
        }
    }
}

#[test]
fn every_rule_matches_its_example_and_not_its_near_miss() {
    let mut wrong = Vec::new();
    for (spec, rule) in all_rules() {
        let meant = (rule.code, rule.text.to_owned());
        let got = classified(spec, rule, &rule.example);
        if got != meant {
            wrong.push(format!("{}: the example {:?} means {meant:?}, got {got:?}", spec.id, rule.example));
        }
        if let On::Phrase(pattern) | On::Answer(pattern) = &rule.on {
            for (signal, expected) in [(&rule.example, true), (&rule.near_miss, false)] {
                let Example::Text(text) = signal else { panic!("a phrase without a text: {rule:#?}") };
                let found = if matches!(rule.on, On::Phrase(_)) {
                    sentences::all(spec, text).iter().any(|found| std::ptr::eq(*found, rule))
                } else {
                    pattern.captures(text).is_some()
                };
                if found != expected {
                    wrong.push(format!("{text:?} matched is not {expected} for {meant:?}"));
                }
            }
        } else if classified(spec, rule, &rule.near_miss) == meant {
            wrong.push(format!("the near miss {:?} means {meant:?}", rule.near_miss));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_says_where_it_was_seen_and_has_a_text() {
    for (_, rule) in all_rules() {
        assert!(rule.source.len() >= 7, "{rule:#?}");
        assert_eq!(texts::find(rule.text).key, rule.text, "{rule:#?}");
    }
}

#[test]
fn no_text_has_the_key_of_another_and_none_blames_the_person() {
    let mut keys = BTreeSet::new();
    for text in texts::all() {
        assert!(keys.insert(text.key), "{}", text.key);
        assert!(!text.steps.is_empty(), "{} says what happened and not what to do", text.key);
        for words in [text.title, text.message] {
            let words = words.to_lowercase();
            for blame in
                ["you forgot", "your fault", "you failed", "you did not", "invalid input", "illegal", "wrong password"]
            {
                assert!(!words.contains(blame), "{blame} in {}", text.key);
            }
        }
    }
}

#[test]
fn no_text_shows_a_brace_or_an_unknown_part_whatever_is_known() {
    let known =
        NAMES.iter().chain(&["wait", "until", "variables", "network_variables", "exit_code", "limit", "reason"]);
    let full = known.fold(Params::of(spec(), "Tolaria"), |params, name| params.with(name, "something"));
    for params in [Params::default(), Params::of(spec(), "Tolaria"), full] {
        for text in texts::all() {
            let filled = guidance(Code::Unknown, text.key, params.clone(), Vec::new(), &[]);
            let words = filled.steps.iter().map(|step| serde_json::to_value(step).unwrap());
            let steps: Vec<String> =
                words.filter_map(|step| Some(step.get("text").or(step.get("command"))?.as_str()?.to_owned())).collect();
            let json = format!("{} {} {}", filled.title, filled.message, steps.join(" "));
            assert!(!json.contains(['{', '}', '[', ']', '|']), "{}: {json}", text.key);
        }
    }
}

/// A text that was written for one agent's account would send people of another to the wrong place.
#[test]
fn no_agent_sends_a_person_to_the_account_of_another() {
    const OF_COPILOT: &[&str] = &["copilot", "github.com/settings", "githubstatus"];
    let mut wrong = Vec::new();
    for (spec, rule) in all_rules().filter(|(spec, _)| spec.id != crate::request::AgentId::COPILOT) {
        let failure = Failure::new(spec, "Tolaria");
        let params = Params::of(spec, "Tolaria").with("model", "m").with("variable", "V").with("address", "http://a");
        let guidance = guidance(rule.code, rule.text, params, Vec::new(), failure.secrets);
        let told = format!("{} {} {:?}", guidance.title, guidance.message, guidance.steps).to_lowercase();
        if OF_COPILOT.iter().any(|words| told.contains(words)) {
            wrong.push(format!("{}: {} {:?}", spec.id, rule.text, guidance.steps));
        }
    }
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
