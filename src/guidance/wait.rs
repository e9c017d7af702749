//! How long to wait, as agents put it in words.
//!
//! Pure: knows no clock, so a date stays a date.

use std::sync::LazyLock;

use regex::Regex;

/// A waiting time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Wait {
    /// In words, such as `2 hours`.
    pub(super) words: Option<String>,
    /// In milliseconds.
    pub(super) ms: Option<u64>,
    /// The moment at which it ends, as the agent wrote it.
    pub(super) until: Option<String>,
}

static SPAN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let unit = r"(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?)";
    let span = format!(
        r"(?P<span>\d{{1,7}}(?:\.\d{{1,6}})?\s?{unit}\b(?:(?:,? and |, | )?\d{{1,7}}(?:\.\d{{1,6}})?\s?{unit}\b){{0,4}})"
    );
    let before = r"(?:try again|retry|reset|resets|available|wait|waiting|continue)(?: for| about)?(?: [a-z' ]{0,40}?)?(?: in| after| for| about)?";
    Regex::new(&format!(r"(?i)\b{before} (?:approximately |about |~)?{span}")).ok()
});

static RETRY_AFTER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?i)["']?\bretry[-_ ]after["']?\s?[:=]\s?["']?(?P<n>\d{1,9})(?P<unit>ms|s)?\b"#).ok()
});

static UNTIL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let date = r"(?P<until>(?:[A-Z][a-z]{2,8} \d{1,2}(?:st|nd|rd|th)?,? (?:\d{4},? )?(?:at )?\d{1,2}:\d{2}(?::\d{2})?(?: ?[AP]M)?(?: ?\(?[A-Z][A-Za-z/_]{1,30}\)?)?)|(?:\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z| ?UTC|[+-]\d{2}:?\d{2})?)?)|(?:[A-Z][a-z]{2,8} \d{1,2}(?:st|nd|rd|th)?,? \d{4})|(?:\d{1,2}(?::\d{2})? ?[ap]m(?: \([A-Z][A-Za-z/_]{1,30}\))?))";
    Regex::new(&format!(r"\b(?:resets?|renews?|refresh(?:es)?|try again|available(?: again)?|until|wait)(?: [a-z]{{1,12}}){{0,3}}?(?: on| at| until| after)? {date}")).ok()
});

/// The waiting time that `text` names, if any.
pub(super) fn parse(text: &str) -> Wait {
    let mut wait = Wait::default();
    if let Some(found) = UNTIL.as_ref().and_then(|regex| regex.captures(text)) {
        wait.until = found.name("until").map(|until| until.as_str().to_owned());
    }
    if let Some(found) = SPAN.as_ref().and_then(|regex| regex.captures(text)) {
        let words = found.name("span").map(|span| span.as_str().to_owned());
        wait.ms = words.as_deref().and_then(milliseconds);
        wait.words = words;
    } else if let Some(found) = RETRY_AFTER.as_ref().and_then(|regex| regex.captures(text)) {
        let number = found.name("n").and_then(|n| n.as_str().parse::<u64>().ok());
        let scale =
            if found.name("unit").is_some_and(|unit| unit.as_str().eq_ignore_ascii_case("ms")) { 1 } else { 1000 };
        wait.ms = number.and_then(|number| number.checked_mul(scale));
        wait.words = wait.ms.map(in_words);
    }
    wait
}

/// Milliseconds in words, rounded up: for a person, not for a clock. A short time keeps its tenths.
pub(super) fn in_words(ms: u64) -> String {
    let tenths = ms.div_ceil(100);
    if tenths < 100 && !tenths.is_multiple_of(10) {
        return format!("{}.{} seconds", tenths / 10, tenths % 10);
    }
    let (number, unit) = match ms.div_ceil(1000) {
        seconds @ 0..=119 => (seconds, "second"),
        seconds @ 120..=7199 => (seconds.div_ceil(60), "minute"),
        seconds @ 7200..=172_799 => (seconds.div_ceil(3600), "hour"),
        seconds => (seconds.div_ceil(86_400), "day"),
    };
    format!("{number} {unit}{}", if number == 1 { "" } else { "s" })
}

/// The sum of all numbers with a unit in `span`.
fn milliseconds(span: &str) -> Option<u64> {
    let mut total: f64 = 0.0;
    let mut rest = span;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let number = &rest[start..];
        let end = number.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(number.len());
        let after = number[end..].trim_start();
        let letters = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let scale = match after[..letters].to_ascii_lowercase().as_str() {
            "ms" | "millisecond" | "milliseconds" => 1.0,
            unit if unit.starts_with('s') => 1000.0,
            unit if unit.starts_with('m') => 60_000.0,
            unit if unit.starts_with('h') => 3_600_000.0,
            unit if unit.starts_with('d') => 86_400_000.0,
            unit if unit.starts_with('w') => 604_800_000.0,
            _ => return None,
        };
        total += number[..end].parse::<f64>().ok()? * scale;
        rest = &after[letters..];
    }
    // A float turns into an integer by saturating, so no span can overflow.
    (total > 0.0).then_some(total.ceil() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_counted() {
        let cases = [
            ("Please try again in 2 hours. Please review", "2 hours", 7_200_000),
            ("Please upgrade your plan or wait 6 seconds for your limit to reset.", "6 seconds", 6_000),
            ("Please wait 2 minutes before trying again", "2 minutes", 120_000),
            ("Please wait for your limit to reset in 1 hour or switch", "1 hour", 3_600_000),
            ("Please try again in 58 hours.", "58 hours", 208_800_000),
            ("Please try again in 3 days 3 hours 12 minutes.", "3 days 3 hours 12 minutes", 270_720_000),
            ("Please try again in 1.898s. Visit", "1.898s", 1_898),
            ("Please retry in 41.08s.", "41.08s", 41_080),
            ("try again in 20ms", "20ms", 20),
            ("retry-after: 30", "30 seconds", 30_000),
            ("\"retry_after\": 7200", "2 hours", 7_200_000),
        ];
        for (text, words, ms) in cases {
            let wait = parse(text);
            assert_eq!((wait.words.as_deref(), wait.ms), (Some(words), Some(ms)), "{text}");
        }
    }

    #[test]
    fn times_are_told_as_they_are_meant() {
        let cases = [
            (0, "0 seconds"),
            (1, "0.1 seconds"),
            (500, "0.5 seconds"),
            (999, "1 second"),
            (1000, "1 second"),
            (1500, "1.5 seconds"),
            (9_950, "10 seconds"),
            (10_500, "11 seconds"),
            (119_001, "2 minutes"),
        ];
        for (ms, words) in cases {
            assert_eq!(in_words(ms), words, "{ms}");
        }
    }

    #[test]
    fn dates_stay_dates() {
        let cases = [
            (
                "Please wait for your limit to reset on December 1, 2026 at 12:11 PM or switch",
                "December 1, 2026 at 12:11 PM",
            ),
            ("Your limit resets 2026-12-01T00:00:00Z.", "2026-12-01T00:00:00Z"),
            ("or try again at Dec 3rd, 2026 1:05 PM.", "Dec 3rd, 2026 1:05 PM"),
            ("You've hit your limit · resets 3pm (America/Chicago)", "3pm (America/Chicago)"),
        ];
        for (text, until) in cases {
            assert_eq!(parse(text).until.as_deref(), Some(until), "{text}");
        }
    }

    #[test]
    fn other_numbers_are_no_waiting_time() {
        for text in
            ["retried 5 times (total retry wait time: 52.20 seconds)", "waited 2 birds", "limit 128000", "HTTP 429", ""]
        {
            assert_eq!(parse(text), Wait::default(), "{text}");
        }
        assert_eq!(parse("try again in 9999999 weeks").ms, Some(9_999_999 * 604_800_000));
    }
}
