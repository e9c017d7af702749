//! Reads what the failures of an agent mean, and holds every rule to its example and its near miss.

use regex::{RegexBuilder, RegexSetBuilder};

use super::definition::{Meaning, Signal};
use super::read::{LARGEST_REGEX, Result, regex};
use super::reader::{At, Table, list};
use super::shown;
use crate::guidance::{self, Code};

/// The most rules.
const MOST_RULES: usize = 64;

/// The codes that a rule may give, each with the key of its text. Only texts that speak of no other agent; codes that only the
/// launcher itself can know are not here.
pub(super) const CODES: &[(&str, Code, &str)] = &[
    ("not_signed_in", Code::NotSignedIn, "not_signed_in"),
    ("token_rejected", Code::TokenRejected, "token_rejected"),
    ("token_lacks_permission", Code::TokenLacksPermission, "access_refused"),
    ("subscription_required", Code::SubscriptionRequired, "access_refused"),
    ("folder_not_trusted", Code::FolderNotTrusted, "folder_not_trusted"),
    ("rate_limited", Code::RateLimited, "rate_limited"),
    ("quota_exhausted", Code::QuotaExhausted, "allowance_used_up"),
    ("model_unavailable", Code::ModelUnavailable, "model_unavailable"),
    ("network", Code::Network, "network"),
    ("tls", Code::Tls, "tls"),
    ("mcp_failed", Code::McpFailed, "mcp_failed"),
    ("session_not_found", Code::SessionNotFound, "session_not_found"),
    ("arguments_rejected", Code::ArgumentsRejected, "arguments_rejected"),
    ("prompt_too_long", Code::PromptTooLong, "prompt_too_long"),
    ("permission_denied", Code::PermissionDenied, "permission_denied"),
    ("no_answer", Code::NoAnswer, "no_answer"),
    ("agent_crashed", Code::AgentCrashed, "agent_crashed"),
];

/// The text of a code.
pub(super) fn text_of(code: Code) -> &'static str {
    CODES.iter().find(|(_, known, _)| *known == code).map_or("unknown", |(.., text)| text)
}

pub(super) const KEYS: &[&str] =
    &["phrase", "answer", "exit_code", "error_type", "error_code", "status", "code", "example", "near_miss", "source"];

/// The most memory that all phrases together may take, compiled, in bytes: they are looked for at once, beside those that hold
/// for every agent.
const LARGEST_SET: usize = 4 * 1024 * 1024;

pub(super) fn guidance(root: &Table<'_>) -> Result<Vec<Meaning>> {
    let tables = root.children("guidance", MOST_RULES, KEYS)?;
    let meanings: Vec<Meaning> = tables.iter().map(meaning).collect::<Result<_>>()?;
    let phrases = meanings.iter().filter_map(|meaning| match &meaning.signal {
        Signal::Phrase(text) => Some(guidance::anchored(text, false)),
        _ => None,
    });
    match (RegexSetBuilder::new(phrases).size_limit(LARGEST_SET).build(), tables.last()) {
        (Err(_), Some(last)) => Err(root.error(last.at(), "all phrases together are too large; make them shorter")),
        _ => Ok(meanings),
    }
}

fn meaning(table: &Table<'_>) -> Result<Meaning> {
    let code = table.need("code", "code = \"not_signed_in\"")?;
    let Some((_, meant, _)) = CODES.iter().find(|(name, ..)| *name == code.value) else {
        let known: Vec<&str> = CODES.iter().map(|(name, ..)| *name).collect();
        return Err(
            table.error(code.at, format!("`{}` is no code for a rule; one is {}", shown(&code.value), list(&known)))
        );
    };
    let source = table.need("source", "source = \"seen with 1.2.3\"")?;
    let event = ["error_type", "error_code", "status"].iter().any(|key| table.has(key));
    let signals = usize::from(event) + ["phrase", "answer", "exit_code"].iter().filter(|key| table.has(key)).count();
    if signals != 1 {
        let problem = "a rule has one signal: `phrase`, `answer`, `exit_code`, or `error_type`, `error_code` and `status` together";
        return Err(table.error(table.at(), problem));
    }
    let (example, near_miss) = (table.long_text("example", 4096)?, table.long_text("near_miss", 4096)?);
    let signal = if let Some(phrase) = table.text("phrase")? {
        held(table, &phrase, false, example.as_ref(), near_miss.as_ref())?;
        Signal::Phrase(phrase.value)
    } else if let Some(answer) = table.text("answer")? {
        held(table, &answer, true, example.as_ref(), near_miss.as_ref())?;
        Signal::Answer(answer.value)
    } else {
        if let Some(text) = example.as_ref().or(near_miss.as_ref()) {
            return Err(table.error(text.at, "only a `phrase` or an `answer` has an example and a near miss"));
        }
        exact(table)?
    };
    let text = |text: Option<At<String>>| text.map(|text| text.value).unwrap_or_default();
    Ok(Meaning { signal, code: *meant, source: source.value, example: text(example), near_miss: text(near_miss) })
}

/// A signal that is a value, which has nothing like it.
fn exact(table: &Table<'_>) -> Result<Signal> {
    let codes = table.numbers("exit_code", 1, 255, 16)?;
    if !codes.is_empty() {
        let codes = codes.iter().filter_map(|code| i32::try_from(code.value).ok());
        return Ok(Signal::Exit(codes.collect()));
    }
    let words = |key: &str| Ok::<_, super::error::CustomAgentError>(super::read::plain(table.texts(key, 16)?));
    let (kinds, codes) = (words("error_type")?, words("error_code")?);
    let status = table.numbers("status", 100, 599, 2)?;
    let number = |at: &At<i64>| u16::try_from(at.value).unwrap_or_default();
    let status = match status.as_slice() {
        [] => None,
        [one] => Some((number(one), number(one))),
        [first, last, ..] if first.value <= last.value => Some((number(first), number(last))),
        [first, ..] => return Err(table.error(first.at, "`status` is one, or the first and the last of a range")),
    };
    if kinds.is_empty() && codes.is_empty() && status.is_none() {
        return Err(table.error(table.at(), "the rule's signal is empty, and would be every failure"));
    }
    Ok(Signal::Event { kinds, codes, status })
}

/// Holds an expression to its example and its near miss, as it is matched in a run.
fn held(
    table: &Table<'_>,
    pattern: &At<String>,
    whole: bool,
    example: Option<&At<String>>,
    near_miss: Option<&At<String>>,
) -> Result<()> {
    let groups = regex(table, pattern)?;
    let stray = groups.capture_names().flatten().find(|name| !guidance::NAMES.contains(name));
    if let Some(stray) = stray {
        let problem = format!("the group `{stray}` fills nothing in; known: {}", list(guidance::NAMES));
        return Err(table.error(pattern.at, problem));
    }
    let anchored = guidance::anchored(&pattern.value, whole);
    let built = RegexBuilder::new(&anchored).size_limit(LARGEST_REGEX).build();
    let held = built.map_err(|_| table.error(pattern.at, "the expression is too large"))?;
    if held.is_match("") {
        return Err(table.error(pattern.at, "the expression matches nothing at all, and so everything"));
    }
    let means = |text: &str| if whole { held.is_match(text) } else { guidance::says(&held, text) };
    let example = example.ok_or_else(|| table.missing("example", "example = \"Error: You are not signed in.\""))?;
    if !means(&example.value) {
        let problem = if whole {
            "the expression is not the whole of this example, as an answer that is nothing but an error must be"
        } else {
            "the phrase does not begin a line of this example (behind `Error:` and the like)"
        };
        return Err(table.error(example.at, problem));
    }
    let near_miss =
        near_miss.ok_or_else(|| table.missing("near_miss", "near_miss = \"The author is not signed in.\""))?;
    if means(&near_miss.value) {
        return Err(
            table.error(near_miss.at, "the rule takes this for its cause, which it is not; say more in the expression")
        );
    }
    Ok(())
}
