//! Reads how an agent is run: its arguments, its modes, and what a request may choose.

use super::definition::{File, ModeFacts, Options};
use super::forbidden::{self, Where};
use super::read::{LONGEST_FILE, MOST, MOST_ARGS, MOST_FILES, Result, below, plain};
use super::read_environment::set;
use super::reader::{At, Table};
use super::shown;
use super::template::{Hole, Template};

pub(super) fn cwd(run: &Table<'_>) -> Result<bool> {
    match run.text("cwd")? {
        None => Ok(false),
        Some(text) => match text.value.as_str() {
            "vault" => Ok(false),
            "scratch" => Ok(true),
            _ => Err(run.error(text.at, "`run.cwd` is `\"vault\"` or `\"scratch\"`")),
        },
    }
}

/// Arguments with placeholders. `None` where the key is missing.
pub(super) fn args(
    table: &Table<'_>,
    key: &str,
    allowed: &[&str],
    files: &[String],
    place: Where,
) -> Result<Option<Vec<Template>>> {
    templates(table, key, allowed, files, place, false)
}

pub(super) fn templates(
    table: &Table<'_>,
    key: &str,
    allowed: &[&str],
    files: &[String],
    place: Where,
    as_file: bool,
) -> Result<Option<Vec<Template>>> {
    if !table.has(key) {
        return Ok(None);
    }
    let read = |arg: At<String>| {
        if let Some(reason) = forbidden::argument(&arg.value, place) {
            let mode = if place == Where::Safe { "where Safe mode uses it" } else { "in any mode" };
            return Err(table.error(arg.at, format!("`{}` must not be passed {mode}: {reason}", shown(&arg.value))));
        }
        Template::parse(&arg.value, allowed, files, as_file).map_err(|problem| table.error(arg.at, problem))
    };
    table.texts(key, MOST_ARGS)?.into_iter().map(read).collect::<Result<_>>().map(Some)
}

pub(super) fn prompt_args(prompt: &Table<'_>, files: &[String], place: Where) -> Result<Option<Vec<Template>>> {
    let by = prompt.need("by", "by = \"stdin\"")?;
    let args = args(prompt, "args", &["prompt"], files, place)?;
    match (by.value.as_str(), args) {
        ("stdin", None) => Ok(None),
        ("stdin", Some(_)) => Err(prompt.error(by.at, "a prompt on stdin has no `args`; put them under `run.args`")),
        ("argument", Some(args)) if args.iter().filter(|arg| arg.has(&Hole::Prompt)).count() == 1 => Ok(Some(args)),
        ("argument", _) => Err(prompt.missing("args", "args = [\"--prompt={prompt}\"]")),
        _ => Err(prompt.error(by.at, "`run.prompt.by` is `\"stdin\"` or `\"argument\"`")),
    }
}

pub(super) fn prompt_text(prompt: &Table<'_>) -> Result<Option<String>> {
    let Some(text) = prompt.text("text")? else { return Ok(None) };
    if prompt.has("args") {
        return Err(prompt.error(text.at, "`run.prompt.text` is for a prompt on stdin"));
    }
    let holes = text.value.matches("{prompt}").count() + text.value.matches("{prompt_json}").count();
    if holes != 1 {
        return Err(prompt.error(text.at, "`run.prompt.text` holds `{prompt}` or `{prompt_json}` once"));
    }
    Ok(Some(text.value))
}

pub(super) fn options(root: &Table<'_>, files: &[String], place: Where) -> Result<Options> {
    let keys = &["model", "resume", "new_session", "system_prompt", "system_in_prompt", "extra"];
    let Some(table) = root.child("options", keys)? else { return Ok(Options::default()) };
    let option = |key: &str, name: &str, hole: Hole| {
        let args = args(&table, key, &[name], files, place)?;
        match args {
            Some(args) if !args.iter().any(|arg| arg.has(&hole)) => {
                Err(table.error(table.place(key), format!("`options.{key}` has no `{{{name}}}` in it")))
            }
            args => Ok(args),
        }
    };
    let extra = table.texts("extra", MOST)?;
    for flag in &extra {
        if !flag.value.starts_with('-') || flag.value.contains(['=', ' ', '{']) {
            return Err(
                table.error(flag.at, format!("`{}` is no name of a flag, such as `--effort`", shown(&flag.value)))
            );
        }
        if let Some(reason) = forbidden::argument(&flag.value, place) {
            return Err(table.error(flag.at, format!("`{}` must not be added: {reason}", shown(&flag.value))));
        }
    }
    let system_prompt = option("system_prompt", "system_prompt", Hole::SystemPrompt)?;
    let system_in_prompt = table.flag("system_in_prompt")?;
    if system_in_prompt && system_prompt.is_some() {
        return Err(table.error(table.at(), "`options` has both `system_prompt` and `system_in_prompt`; keep one"));
    }
    Ok(Options {
        model: option("model", "model", Hole::Model)?,
        resume: option("resume", "session", Hole::Session)?,
        new_session: option("new_session", "session", Hole::Session)?,
        system_prompt,
        system_in_prompt,
        extra: plain(extra),
    })
}

/// The keys of a mode.
pub(super) const MODE_KEYS: &[&str] = &["args", "env", "verified", "source", "tools", "writers"];

pub(super) fn mode(modes: &Table<'_>, key: &str, files: &[String]) -> Result<Option<ModeFacts>> {
    let place = if key == "safe" { Where::Safe } else { Where::PowerUser };
    let Some(table) = modes.child(key, MODE_KEYS)? else { return Ok(None) };
    let verified = table.flag("verified")?;
    let source = table.text("source")?;
    if verified && source.is_none() {
        return Err(table.missing("source", "source = \"tested with 1.2.3 on 2026-11-30\""));
    }
    let named = table.has("tools");
    let (tools, writers) = (plain(table.texts("tools", 256)?), table.texts("writers", 256)?);
    if place == Where::PowerUser && (named || table.has("writers")) {
        return Err(
            table.error(table.at(), "`tools` and `writers` belong to `modes.safe`: Power User gives every tool")
        );
    }
    if let Some(stray) = writers.iter().find(|writer| !tools.contains(&writer.value)) {
        return Err(table.error(stray.at, format!("`{}` is not among the mode's `tools`", shown(&stray.value))));
    }
    Ok(Some(ModeFacts {
        args: args(&table, "args", &[], files, place)?.unwrap_or_default(),
        env: set(&table, "env", place)?,
        verified,
        tools: named.then_some(tools),
        writers: plain(writers),
    }))
}

pub(super) fn files(root: &Table<'_>, scratch: bool) -> Result<Vec<File>> {
    let mut files = Vec::new();
    for (name, value) in root.pairs("files", MOST_FILES)? {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if name.value.len() > 32 || !name.value.bytes().all(plain) {
            let problem = "is no name of a file here; one is lower-case letters, digits and `-`";
            return Err(root.error(name.at, format!("`{}` {problem}", shown(&name.value))));
        }
        let table = value.table(&["name", "text"])?;
        let file = table.need("name", "name = \"policy.toml\"")?;
        below(&table, &file, "the name of a file, such as `policy.toml`")?;
        if file.value.contains('/') && !scratch {
            let problem =
                "a file in a folder lies in the private folder that the agent works from: set `run.cwd = \"scratch\"`";
            return Err(table.error(file.at, problem));
        }
        let text = table.long_text("text", LONGEST_FILE)?.ok_or_else(|| table.missing("text", "text = \"…\""))?;
        files.push(File { purpose: name.value, name: file.value, text: text.value });
    }
    Ok(files)
}
