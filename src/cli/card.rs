//! Guidance as a short card for people.

use agent_launcher::{Guidance, Step};

use super::style::{Ink, harmless, one_line, paint};

/// How wide a message is set. Commands and evidence are never broken.
const WIDTH: usize = 96;

/// The card: title, what happened, numbered steps, and the lines of the agent that decided.
pub(super) fn card(guidance: &Guidance, color: bool) -> String {
    let mut text = format!("{}\n", paint(color, Ink::Bold, &one_line(&guidance.title, 200)));
    for line in harmless(&guidance.message).lines().flat_map(wrapped) {
        text += &format!("  {line}\n");
    }
    for (at, step) in guidance.steps.iter().enumerate() {
        text += &format!("  {}. {}\n", at + 1, step_text(step, color));
    }
    for line in &guidance.evidence {
        let line = format!("| {}", one_line(line, 200));
        text += &format!("  {}\n", paint(color, Ink::Dim, &line));
    }
    text
}

/// A paragraph as lines of at most [`WIDTH`] characters, longer words aside.
fn wrapped(paragraph: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in paragraph.split_whitespace() {
        let line = lines.last_mut().expect("there is always a line");
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(word.to_owned());
        } else {
            line.push_str(if line.is_empty() { "" } else { " " });
            line.push_str(word);
        }
    }
    lines
}

/// One step in words.
pub(super) fn step_text(step: &Step, color: bool) -> String {
    let strong = |text: &str| paint(color, Ink::Green, &one_line(text, 400));
    match step {
        Step::Run { command } => format!("In a terminal, run: {}", strong(command)),
        Step::Open { url } => format!("Open {}", strong(url)),
        Step::Set { variable } => format!("Set or correct the environment variable {}", strong(variable)),
        Step::Retry { after_ms: None } => "Try again".to_owned(),
        Step::Retry { after_ms: Some(ms) } => format!("Try again in {}", wait(*ms)),
        Step::Choose { text } => one_line(text, 400),
        // A kind that a later library adds is shown by its data rather than left out.
        other => serde_json::to_string(other).unwrap_or_default(),
    }
}

/// A waiting time, rounded up, in words.
fn wait(ms: u64) -> String {
    let plural = |n: u64, unit: &str| format!("{n} {unit}{}", if n == 1 { "" } else { "s" });
    let seconds = ms.div_ceil(1000);
    match seconds {
        0..=90 => plural(seconds, "second"),
        91..=5400 => plural(seconds.div_ceil(60), "minute"),
        _ => plural(seconds.div_ceil(3600), "hour"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Guidance {
        serde_json::from_value(serde_json::json!({
            "code": "not_signed_in",
            "title": "Sign in to GitHub Copilot",
            "message": "Nobody is signed in.",
            "steps": [
                {"kind": "run", "command": "copilot login"},
                {"kind": "open", "url": "https://example.com/help"},
                {"kind": "set", "variable": "GH_TOKEN"},
                {"kind": "retry", "after_ms": 1500},
                {"kind": "retry"},
                {"kind": "choose", "text": "Ask your administrator."},
            ],
            "evidence": ["Error: No authentication\u{1b}[0m information found."],
            "key": "copilot.not_signed_in",
            "params": {},
        }))
        .unwrap()
    }

    #[test]
    fn a_card_names_every_step_in_order() {
        insta::assert_snapshot!(card(&sample(), false), @r"
        Sign in to GitHub Copilot
          Nobody is signed in.
          1. In a terminal, run: copilot login
          2. Open https://example.com/help
          3. Set or correct the environment variable GH_TOKEN
          4. Try again in 2 seconds
          5. Try again
          6. Ask your administrator.
          | Error: No authentication [0m information found.
        ");
    }

    #[test]
    fn a_message_is_wrapped_between_words() {
        let word = "x".repeat(100);
        assert_eq!(wrapped(&format!("a {word} b")), ["a".to_owned(), word, "b".into()]);
        assert!(wrapped(&"four ".repeat(60)).iter().all(|line| line.chars().count() <= WIDTH && !line.ends_with(' ')));
        assert_eq!(wrapped(""), [""]);
    }

    #[test]
    fn waiting_times_are_rounded_up_and_readable() {
        assert_eq!(wait(1), "1 second");
        assert_eq!(wait(90_000), "90 seconds");
        assert_eq!(wait(91_000), "2 minutes");
        assert_eq!(wait(3_600_000), "60 minutes");
        assert_eq!(wait(7_200_000), "2 hours");
        assert_eq!(wait(u64::MAX), "5124095576031 hours");
    }
}
