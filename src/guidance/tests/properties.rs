//! What holds for any input: no panic, no secret, bounded work and output.

use std::time::Duration;

use proptest::prelude::*;

use super::spec;
use crate::guidance::{AgentError, Cause, Failure, classify, clean, early_warning};

/// Lines that lead to rules, so that random text around them reaches every part.
fn sentence() -> impl Strategy<Value = String> {
    let texts: Vec<String> = super::corpus::texts().filter(|text| text.len() < 600).collect();
    prop::sample::select(texts)
}

/// A token as its maker makes it, or a value that only the run knows.
fn secret() -> impl Strategy<Value = String> {
    prop_oneof![
        "gh[pousr]_[A-Za-z0-9]{36}",
        "github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}",
        "sk-ant-api03-[A-Za-z0-9]{40}",
        "sk-proj-[A-Za-z0-9]{40}",
        "xoxb-[0-9]{12}-[A-Za-z0-9]{24}",
        "AKIA[A-Z0-9]{16}",
        "eyJ[A-Za-z0-9]{20}\\.eyJ[A-Za-z0-9]{20}\\.[A-Za-z0-9]{20}",
        "planted-[a-z0-9]{12,40}",
    ]
}

/// Where a secret stands in what an agent says.
fn planted(secret: &str, place: usize) -> String {
    match place {
        0 => format!("Authorization: Bearer {secret}"),
        1 => format!("request to https://user:{secret}@host/ failed, reason: connect ECONNREFUSED 127.0.0.1:9"),
        2 => format!("Error: Model \"{secret}\" from --model flag is not available."),
        3 => format!("Error: No session, task, or name matched '{secret}'."),
        4 => format!("cannot change working directory to '/home/{secret}': Error: ENOENT: no such file"),
        5 => format!("Could not connect to local model provider at http://{secret}@127.0.0.1/v1."),
        6 => format!("error: unknown option '--x={secret}'"),
        7 => format!("{{\"token\":\"{secret}\"}}"),
        _ => format!("something {secret} else"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_is_classified_without_a_panic_and_within_bounds(
        stderr in prop_oneof!["(?s).{0,400}", "[ -~\n\t\u{1b}]{0,400}"],
        answer in "(?s).{0,80}",
        exit_code in any::<Option<i32>>(),
        signal in any::<Option<i32>>(),
        answered in any::<bool>(),
        denied_tools in any::<u32>(),
        status in any::<Option<u16>>(),
        message in "(?s).{0,200}",
    ) {
        let errors = [AgentError { error_type: message.clone(), message, status, code: None }];
        for cause in [None, Some(Cause::Idle(Duration::MAX)), Some(Cause::Bypassed(&answer)), Some(Cause::CutShort)] {
            let failure = Failure {
                stderr: &stderr, answer: &answer, exit_code, signal, answered, denied_tools, cause,
                errors: &errors, first_denied: Some(&answer),
                ..Failure::new(spec(), "Tolaria")
            };
            let guidance = classify(&failure);
            prop_assert!(!guidance.title.is_empty() && !guidance.message.is_empty() && !guidance.steps.is_empty());
            prop_assert!(guidance.evidence.len() <= 8);
            prop_assert!(guidance.evidence.iter().all(|line| line.chars().count() <= 401 && !line.contains('\n')));
            prop_assert!(guidance.params.values().all(|value| value.chars().count() <= 301));
            prop_assert!(guidance.message.chars().count() < 3000);
        }
        let _ = early_warning(spec(), "Tolaria", &stderr, &[]);
    }

    #[test]
    fn no_planted_secret_comes_out_of_any_field(
        secret in secret(), place in 0..9_usize, around in sentence(), before in any::<bool>(), as_event in any::<bool>(),
    ) {
        let line = planted(&secret, place);
        let text = if before { format!("{line}\n{around}") } else { format!("{around}\n{line}") };
        let errors = [AgentError { error_type: "query".into(), message: text.clone(), status: None, code: None }];
        let secrets = [secret.clone()];
        // What has a shape is masked whether or not the run carried it.
        let known: &[String] = if secret.starts_with("planted") { &secrets } else { &[] };
        for cause in [None, Some(Cause::TimedOut(Duration::from_secs(9))), Some(Cause::Bypassed(&line))] {
            let failure = Failure {
                stderr: if as_event { "" } else { &text },
                errors: if as_event { &errors } else { &[] },
                first_denied: Some(&line), denied_tools: 1, exit_code: Some(1), secrets: known, cause,
                ..Failure::new(spec(), "Tolaria")
            };
            let all = serde_json::to_string(&classify(&failure)).unwrap();
            prop_assert!(!all.contains(&secret), "{all}");
        }
        let warning = early_warning(spec(), "Tolaria", &line, known);
        prop_assert!(!warning.is_some_and(|warning| warning.message.contains(&secret)));
    }

    #[test]
    fn a_secret_survives_nowhere_however_long_the_text_around_it(
        secret in secret(), filler in "[a-z .:]{1,40}", count in 1000..4000_usize, newline in any::<bool>(), at in 0..4000_usize,
    ) {
        let end = if newline { "\n" } else { " " };
        let mut text: String = std::iter::repeat_n(format!("{filler}{end}"), count).collect();
        let at = (at * 17).min(text.len());
        text.insert_str(at, &format!(" {secret} "));
        let secrets = [secret.clone()];
        let guidance = classify(&Failure { stderr: &text, secrets: &secrets, ..Failure::new(spec(), "Tolaria") });
        let all = serde_json::to_string(&guidance).unwrap();
        // Not even half of it, where the text was cut.
        prop_assert!(!all.contains(&secret[..secret.len() / 2]) && !all.contains(&secret[secret.len() / 2..]), "{all}");
    }
}

#[test]
fn no_more_than_a_bounded_part_of_the_text_is_looked_at() {
    // Work is linear in what is looked at, so a bound on that bounds the work.
    for unit in ["x", "a line\n", "Error: Authentication token found but could not be validated.\n", "é"] {
        let text = unit.repeat(8 * clean::LIMIT / unit.len());
        assert!(clean::text(&text).len() <= clean::LIMIT + 2, "{unit}");
    }
}
