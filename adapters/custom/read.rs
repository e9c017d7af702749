//! Reads a definition as a whole, and what the agent is called. Each part has a file of its own.

use regex::{Regex, RegexBuilder};

use super::definition::{Definition, Output, Run, ToolFacts};
use super::error::CustomAgentError;
use super::forbidden::Where;
use super::read_environment::variables;
use super::read_find::{find, setup, version};
use super::read_run::{args, cwd, files, mode, options, prompt_args, prompt_text};
use super::reader::{At, Table};
use super::{read_guidance, read_mcp, read_output, read_run, shown};
use crate::adapters::{Agents, StopSignal};
use crate::request::AgentId;

pub(super) type Result<T> = std::result::Result<T, CustomAgentError>;

/// The largest definition, in bytes.
pub(super) const LARGEST: usize = 64 * 1024;
/// The longest expression, in bytes.
const LONGEST_REGEX: usize = 1024;
/// The most memory that a compiled expression may take, in bytes.
pub(super) const LARGEST_REGEX: usize = 512 * 1024;
/// The most arguments of a list, and entries of other lists.
pub(super) const MOST_ARGS: usize = 64;
pub(super) const MOST: usize = 32;
pub(super) const MOST_FILES: usize = 8;
/// The longest text of a private file, in bytes.
pub(super) const LONGEST_FILE: usize = 16 * 1024;

/// Ids of agents that have an adapter of their own, or are about to.
const TAKEN: &[AgentId] = &[AgentId::COPILOT, AgentId::CLAUDE_CODE, AgentId::CODEX, AgentId::OPENCODE];

pub(super) const KEYS: &[&str] = &[
    "format",
    "id",
    "name",
    "programs",
    "stop_signal",
    "find",
    "version",
    "setup",
    "environment",
    "run",
    "options",
    "modes",
    "mcp",
    "files",
    "output",
    "guidance",
];

/// Reads the text of a definition.
pub(super) fn definition(text: &str) -> Result<Definition> {
    if text.len() > LARGEST {
        let problem = format!("a definition may have {LARGEST} bytes, and this one has {}", text.len());
        return Err(CustomAgentError::at(text, 0, problem));
    }
    let parsed = toml::de::DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        CustomAgentError::at(text, at, format!("this is not TOML: {}", error.message().trim().replace('\n', ", ")))
    })?;
    let root = Table::root(text, &parsed, KEYS)?;
    if root.number("format", 1, 1)?.is_none() {
        return Err(root.missing("format", "format = 1"));
    }
    let run = root.child("run", &["args", "cwd", "prompt"])?.ok_or_else(|| root.missing("run", "[run]"))?;
    let scratch = cwd(&run)?;
    let files = files(&root, scratch)?;
    let names: Vec<String> = files.iter().map(|file| file.purpose.clone()).collect();
    let modes = root.child("modes", &["safe", "power_user"])?.ok_or_else(|| root.missing("modes", "[modes.safe]"))?;
    let (safe, power_user) = (mode(&modes, "safe", &names)?, mode(&modes, "power_user", &names)?);
    if safe.is_none() && power_user.is_none() {
        return Err(root.error(modes.at(), "`modes` describes no mode; add `[modes.safe]` or `[modes.power_user]`"));
    }
    // What every run has is in Safe runs, too, where there are any.
    let place = if safe.is_some() { Where::Safe } else { Where::PowerUser };
    let mcp = read_mcp::mcp(&root, place, scratch)?;
    let prompt = run.child("prompt", &["by", "args", "text", "commands"])?;
    let prompt = prompt.ok_or_else(|| run.missing("prompt", "prompt = { by = \"stdin\" }"))?;
    let definition = Definition {
        id: id(&root)?,
        name: limited(&root, root.need("name", "name = \"My agent\"")?, 64)?.value,
        programs: programs(&root)?,
        find: find(&root)?,
        version: version(&root)?,
        setup: setup(&root)?,
        stop: stop_signal(&root)?,
        environment: variables(&root, place)?,
        run: Run {
            args: args(&run, "args", &[], &names, place)?.unwrap_or_default(),
            scratch,
            prompt_args: prompt_args(&prompt, &names, place)?,
            prompt_text: prompt_text(&prompt)?,
            commands: plain(prompt.texts("commands", MOST)?),
        },
        options: options(&root, &names, place)?,
        output: read_output::output(&root)?,
        guidance: read_guidance::guidance(&root)?,
        safe,
        power_user,
        mcp,
        files,
    };
    watched(&root, &modes, &definition)?;
    Ok(definition)
}

pub(super) fn plain(texts: Vec<At<String>>) -> Vec<String> {
    texts.into_iter().map(|text| text.value).collect()
}

fn limited(table: &Table<'_>, text: At<String>, longest: usize) -> Result<At<String>> {
    if text.value.chars().count() > longest {
        return Err(table.error(text.at, format!("`{}` is longer than {longest} characters", shown(&text.value))));
    }
    Ok(text)
}

fn id(root: &Table<'_>) -> Result<At<String>> {
    let id = limited(root, root.need("id", "id = \"my-agent\"")?, 32)?;
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if !id.value.bytes().all(plain) || !id.value.starts_with(|c: char| c.is_ascii_lowercase()) {
        let problem = "is no id; one is lower-case letters, digits and `-`, and begins with a letter";
        return Err(root.error(id.at, format!("`{}` {problem}", shown(&id.value))));
    }
    let agent = AgentId::new(id.value.clone());
    if TAKEN.contains(&agent) || Agents::default().find(&agent).is_ok() {
        let problem = format!("`{}` is an agent that the launcher knows itself; choose another id", id.value);
        return Err(root.error(id.at, problem));
    }
    Ok(id)
}

fn programs(root: &Table<'_>) -> Result<Vec<String>> {
    let programs = root.texts("programs", 8)?;
    let Some(first) = programs.first() else { return Err(root.missing("programs", "programs = [\"my-agent\"]")) };
    let at = first.at;
    for program in &programs {
        let name = program.value.as_str();
        let lower = name.to_ascii_lowercase();
        let problem = if name.contains(['/', '\\', ':']) {
            "is a path; give the name alone, and the folder under `[find]`"
        } else if [".exe", ".cmd", ".bat", ".ps1"].iter().any(|end| lower.ends_with(end)) {
            "has an extension; leave it out, it is added where the system has one"
        } else if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-+".contains(&byte))
            || !name.starts_with(|c: char| c.is_ascii_alphanumeric())
        {
            "is no name of a program; one is letters, digits, `.`, `_`, `-` and `+`, and begins with a letter or digit"
        } else {
            continue;
        };
        return Err(root.error(program.at, format!("`{}` {problem}", shown(name))));
    }
    let mut names = plain(programs);
    let count = names.len();
    names.sort();
    names.dedup();
    if names.len() < count {
        return Err(root.error(at, "`programs` names one twice"));
    }
    // In the order of the text: the first is the most likely.
    Ok(plain(root.texts("programs", 8)?))
}

fn stop_signal(root: &Table<'_>) -> Result<StopSignal> {
    match root.text("stop_signal")? {
        None => Ok(StopSignal::Term),
        Some(text) => match text.value.as_str() {
            "term" => Ok(StopSignal::Term),
            "int" => Ok(StopSignal::Int),
            _ => Err(root.error(text.at, "`stop_signal` is `\"term\"` or `\"int\"`")),
        },
    }
}

/// Compiles an expression within bounds.
pub(super) fn regex(table: &Table<'_>, text: &At<String>) -> Result<Regex> {
    if text.value.len() > LONGEST_REGEX {
        return Err(table.error(text.at, format!("an expression may have {LONGEST_REGEX} bytes")));
    }
    let built = RegexBuilder::new(&text.value).size_limit(LARGEST_REGEX).build();
    built.map_err(|error| {
        let why = error.to_string();
        let why = why.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        table.error(text.at, format!("the expression does not compile: {}", shown(why.trim_start_matches("error: "))))
    })
}

/// Refuses what is no path below a folder.
pub(super) fn below(table: &Table<'_>, path: &At<String>, wanted: &str) -> Result<()> {
    let parts = path.value.split('/');
    let odd = |part: &str| part.is_empty() || part == "." || part == ".." || part.contains(['\\', ':', '{', '}']);
    if parts.clone().count() > 8 || parts.clone().any(odd) {
        return Err(table.error(path.at, format!("`{}` is not {wanted}", shown(&path.value))));
    }
    Ok(())
}

/// A mode that names its tools must be one where the launcher sees which ran: what is named and not watched would be a claim.
fn watched(root: &Table<'_>, modes: &Table<'_>, definition: &Definition) -> Result<()> {
    let Some(safe) = definition.safe.as_ref().filter(|safe| safe.tools.is_some()) else { return Ok(()) };
    let at = modes.child("safe", read_run::MODE_KEYS)?.map_or(0, |safe| safe.at());
    let tools: Vec<&ToolFacts> = match &definition.output {
        Output::Text => Vec::new(),
        Output::Json(rules) => rules.iter().filter_map(|rule| rule.event.tool()).collect(),
    };
    if !tools.iter().any(|tool| tool.begins) || !tools.iter().any(|tool| tool.ends) {
        let problem = "`modes.safe.tools` is given, and no rule of `output.rules` tells which tools run: add `tool_start` and \
                       `tool_done`, or `tool`";
        return Err(root.error(at, problem));
    }
    if !safe.writers.is_empty() && !tools.iter().any(|tool| tool.begins && tool.path.is_some()) {
        let problem =
            "`modes.safe.writers` is given, and no rule for `tool_start` or `tool` has the `path` that is written";
        return Err(root.error(at, problem));
    }
    if definition.mcp.as_ref().is_some_and(|mcp| mcp.tools.is_none()) {
        let problem = "`modes.safe.tools` is given, so `mcp` needs `tools`, such as `tools = \"mcp__{server}__\"`: how a tool \
                       of the app's server is called";
        return Err(root.error(root.child("mcp", read_mcp::KEYS)?.map_or(0, |mcp| mcp.at()), problem));
    }
    Ok(())
}
