//! Reads how an agent's stdout is to be understood.

use super::definition::{Count, Means, Output, OutputRule, ToolFacts};
use super::read::Result;
use super::reader::{Table, list};
use super::shown;
use super::values::{Condition, Path};

/// The most rules.
const MOST_RULES: usize = 64;

/// The keys of every rule.
const COMMON: &[&str] = &["when", "each", "only", "event"];

/// The events, each with the keys that its rules may have beside the common ones.
pub(super) const EVENTS: &[(&str, &[&str])] = &[
    ("text", &["text", "whole"]),
    ("thinking", &["text", "whole"]),
    ("break", &[]),
    ("tool_start", &["id", "name", "input", "path"]),
    ("tool_done", &["id", "output", "ok", "failed", "denied"]),
    ("tool", &["id", "name", "input", "path", "output", "ok", "failed", "denied"]),
    ("session", &["id"]),
    ("usage", &["input_tokens", "output_tokens", "cost_usd", "api_ms", "session_ms", "add"]),
    ("error", &["message", "type", "code", "status", "fatal"]),
    ("notice", &["message"]),
    ("mcp_status", &["server", "status", "detail"]),
    ("final", &["exit_code"]),
    ("ignore", &[]),
];

const COUNTS: &[(&str, Count)] = &[
    ("input_tokens", Count::Input),
    ("output_tokens", Count::Output),
    ("cost_usd", Count::Cost),
    ("api_ms", Count::ApiMs),
    ("session_ms", Count::SessionMs),
];

pub(super) fn output(root: &Table<'_>) -> Result<Output> {
    let example = "[output] with form = \"text\"";
    let table = root.child("output", &["form", "rules"])?.ok_or_else(|| root.missing("output", example))?;
    let form = table.need("form", "form = \"text\"")?;
    let keys: Vec<&str> = COMMON.iter().chain(EVENTS.iter().flat_map(|(_, keys)| *keys)).copied().collect();
    let rules = table.children("rules", MOST_RULES, &keys)?;
    match (form.value.as_str(), rules.as_slice()) {
        ("text", []) => Ok(Output::Text),
        ("text", [first, ..]) => {
            Err(table.error(first.at(), "text is shown as it is, without rules; or the form is `jsonl`"))
        }
        ("jsonl", []) => Err(table.missing("rules", "[[output.rules]]")),
        ("jsonl", rules) => {
            let rules: Vec<OutputRule> = rules.iter().map(rule).collect::<Result<_>>()?;
            let answers = |rule: &OutputRule| matches!(rule.event, Means::Text { .. });
            if !rules.iter().any(answers) {
                return Err(
                    table.error(form.at, "no rule of `output.rules` has `event = \"text\"`: there would be no answer")
                );
            }
            Ok(Output::Json(rules))
        }
        _ => Err(table.error(form.at, format!("`{}` is no form; one is `text` or `jsonl`", shown(&form.value)))),
    }
}

fn rule(table: &Table<'_>) -> Result<OutputRule> {
    let event = table.need("event", "event = \"text\"")?;
    let Some((name, keys)) = EVENTS.iter().find(|(name, _)| *name == event.value) else {
        let known: Vec<&str> = EVENTS.iter().map(|(name, _)| *name).collect();
        return Err(table.error(event.at, format!("`{}` is no event; one is {}", shown(&event.value), list(&known))));
    };
    let others = EVENTS.iter().flat_map(|(_, keys)| *keys).filter(|key| !keys.contains(key));
    if let Some(stray) = others.copied().find(|key| table.has(key)) {
        let has = if keys.is_empty() { "none of its own".to_owned() } else { list(keys) };
        return Err(table.error(event.at, format!("a rule for `{name}` has no `{stray}`; its keys are {has}")));
    }
    let each = path(table, "each")?;
    if each.is_none() && table.has("only") {
        return Err(table.error(table.at(), "`only` looks at the entries of a list: name the list with `each`"));
    }
    let when = conditions(table, "when")?;
    if when.is_empty() {
        return Err(table.missing("when", "when = { type = \"message\" }"));
    }
    Ok(OutputRule { when, each, only: conditions(table, "only")?, event: means(table, name)? })
}

fn means(table: &Table<'_>, event: &str) -> Result<Means> {
    Ok(match event {
        "text" => Means::Text { text: need(table, "text")?, whole: table.flag("whole")? },
        "thinking" => Means::Thinking { text: need(table, "text")?, whole: table.flag("whole")? },
        "break" => Means::Break,
        "tool_start" | "tool_done" | "tool" => Means::Tool(Box::new(ToolFacts {
            begins: event != "tool_done",
            ends: event != "tool_start",
            id: need(table, "id")?,
            name: if event == "tool_done" { None } else { Some(need(table, "name")?) },
            input: path(table, "input")?,
            path: path(table, "path")?,
            output: path(table, "output")?,
            ok: conditions(table, "ok")?,
            failed: conditions(table, "failed")?,
            denied: conditions(table, "denied")?,
        })),
        "session" => Means::Session { id: need(table, "id")? },
        "usage" => {
            let mut counts = Vec::new();
            for (name, count) in COUNTS {
                counts.extend(path(table, name)?.map(|path| (*count, path)));
            }
            if counts.is_empty() {
                return Err(table.missing("input_tokens", "input_tokens = \"usage.input\""));
            }
            Means::Usage { counts, add: table.flag("add")? }
        }
        "error" => Means::Error {
            message: need(table, "message")?,
            kind: path(table, "type")?,
            code: path(table, "code")?,
            status: path(table, "status")?,
            fatal: table.flag("fatal")?,
        },
        "notice" => Means::Notice { message: need(table, "message")? },
        "mcp_status" => Means::Mcp {
            server: need(table, "server")?,
            status: need(table, "status")?,
            detail: path(table, "detail")?,
        },
        "final" => Means::Final { exit_code: path(table, "exit_code")? },
        _ => Means::Ignore,
    })
}

fn path(table: &Table<'_>, key: &str) -> Result<Option<Path>> {
    let Some(text) = table.text(key)? else { return Ok(None) };
    Path::parse(&text.value).map(Some).map_err(|problem| table.error(text.at, problem))
}

fn need(table: &Table<'_>, key: &str) -> Result<Path> {
    path(table, key)?.ok_or_else(|| table.missing(key, &format!("{key} = \"path.to.it\"")))
}

fn conditions(table: &Table<'_>, key: &str) -> Result<Vec<Condition>> {
    let condition = |(name, value): (super::reader::At<String>, super::reader::Value<'_>)| {
        let path = Path::parse(&name.value).map_err(|problem| table.error(name.at, problem))?;
        let one_of = value.plain()?;
        if one_of.is_empty() {
            return Err(table.error(name.at, format!("`{}` can be none of an empty list", name.value)));
        }
        Ok(Condition { path, one_of })
    };
    table.pairs(key, 8)?.into_iter().map(condition).collect()
}
