//! Claude Code's flags: those of every plan, those that need a version, and those a host may add.

use crate::adapters::version::Flag;
use crate::error::Error;
use crate::request::Request;

/// Flags of every plan, in the help of 2.1.197 and 2.1.332. Without `--verbose` the program refuses the format.
///
/// The two last keep out what the person and the vault set up for Claude Code: hooks, plugins, servers, permissions, the
/// helper for the key, variables (a vault's `ANTHROPIC_BASE_URL` would get the key), `CLAUDE.md` (measured).
pub(super) const ALWAYS: &[&str] = &[
    "-p",
    "--output-format=stream-json",
    "--verbose",
    "--include-partial-messages",
    "--permission-mode=acceptEdits",
    "--strict-mcp-config",
    "--setting-sources=",
];

/// Else a session that is continued keeps the system prompt that it began with (by the help of 2.1.332). 2.1.197 has no such
/// flag and takes the new one (both measured); versions between were not looked at.
pub(super) const FRESH_SYSTEM_PROMPT: Flag = Flag::new("--system-prompt-snapshot=off", (2, 1, 332));

/// From here on Claude Code keeps Git from starting programs that a repository's own settings name (measured); versions
/// between 2.1.197, which does not, and this one were not looked at.
pub(super) const CAREFUL_GIT: Flag = Flag::new("", (2, 1, 332));

/// Whether a flag that a host may add takes a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    Value,
}

/// What a host may add: flags that cannot widen what a mode gives, cannot change where the run works, and leave nothing
/// behind in the user's settings. All others are refused, those of later versions included.
const ADDABLE: &[(&str, Takes)] = &[
    ("--autocompact", Takes::Value),
    ("--betas", Takes::Value),
    ("--disable-slash-commands", Takes::Nothing),
    ("--disallowed-tools", Takes::Value),
    ("--disallowedTools", Takes::Value),
    ("--effort", Takes::Value),
    ("--exclude-dynamic-system-prompt-sections", Takes::Nothing),
    ("--fallback-model", Takes::Value),
    ("--json-schema", Takes::Value),
    ("--max-budget-usd", Takes::Value),
    ("--name", Takes::Value),
    ("--no-chrome", Takes::Nothing),
    ("--no-session-persistence", Takes::Nothing),
    ("--restricted", Takes::Nothing),
];

/// Flags that a person knows and why they are refused, for a better answer than "not known".
const REFUSED: &[(&str, &str)] = &[
    ("--add-dir", "it opens another folder"),
    ("--agent", "an agent's file can bring tools and rules of its own"),
    ("--agents", "an agent can bring tools and rules of its own"),
    ("--allow-dangerously-skip-permissions", "it lets every check be skipped"),
    ("--allowed-tools", "the mode decides on tools"),
    ("--allowedTools", "the mode decides on tools"),
    ("--append-system-prompt", "the system prompt is given with the request"),
    ("--append-system-prompt-file", "the system prompt is given with the request"),
    ("--background", "it leaves the run where nobody stops it"),
    ("--bare", "it ignores a sign-in, and lets the vault's variables in"),
    ("--bg", "it leaves the run where nobody stops it"),
    ("--chrome", "it steers a browser"),
    ("--cloud", "it runs elsewhere"),
    ("--continue", "it continues the folder's last session"),
    ("--dangerously-skip-permissions", "it skips every check"),
    ("--debug", "the output is read by the launcher"),
    ("--debug-file", "it writes a file"),
    ("--desktop", "it leaves the run where nobody stops it"),
    ("--environment", "it runs elsewhere"),
    ("--file", "it writes files"),
    ("--fork-session", "the session is given with the request"),
    ("--from-pr", "the session is given with the request"),
    ("--ide", "it connects to an editor"),
    ("--include-partial-messages", "the output is read by the launcher"),
    ("--input-format", "the prompt is given with the request"),
    ("--mcp-config", "MCP servers are given with the request"),
    ("--model", "the model is given with the request"),
    ("--output-format", "the output is read by the launcher"),
    ("--permission-mode", "the mode decides on tools"),
    ("--permission-prompt-tool", "it lets a server approve tools"),
    ("--permission-prompts", "the mode decides on tools"),
    ("--plugin-dir", "it runs a plugin's hooks and servers"),
    ("--plugin-url", "it runs a plugin's hooks and servers"),
    ("--print", "the launcher passes it"),
    ("--remote-control", "it lets others steer the run"),
    ("--replay-user-messages", "the output is read by the launcher"),
    ("--resume", "the session is given with the request"),
    ("--safe-mode", "it drops the app's MCP servers and lets the vault's variables in"),
    ("--session-id", "the session is given with the request"),
    ("--setting-sources", "it lets hooks and permissions of others in"),
    ("--settings", "it can bring hooks and permissions"),
    ("--strict-mcp-config", "the launcher passes it"),
    ("--system-prompt", "the system prompt is given with the request"),
    ("--teleport", "the session is given with the request"),
    ("--tmux", "the run has no terminal"),
    ("--tools", "the mode decides on tools"),
    ("--verbose", "the output is read by the launcher"),
    ("--worktree", "it changes the folder"),
    ("-c", "it continues the folder's last session"),
    ("-d", "the output is read by the launcher"),
    ("-n", "write it as `--name=value`"),
    ("-p", "the launcher passes it"),
    ("-r", "the session is given with the request"),
    ("-w", "it changes the folder"),
];

/// The extra arguments of a request, each with its value joined to it: a list would else swallow what follows.
pub(super) fn extra(request: &Request) -> Result<Vec<String>, Error> {
    let mut args = request.extra_args.iter();
    let mut taken = Vec::new();
    while let Some(arg) = args.next() {
        let (name, value) = match arg.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (arg.as_str(), None),
        };
        let Some((_, takes)) = ADDABLE.iter().find(|(addable, _)| *addable == name) else {
            return Err(refuse(arg, reason(name)));
        };
        match (takes, value) {
            (Takes::Nothing, None) => taken.push(arg.clone()),
            (Takes::Nothing, Some(_)) => return Err(refuse(arg, "it takes no value")),
            (Takes::Value, Some(value)) if !value.is_empty() => taken.push(arg.clone()),
            (Takes::Value, Some(_)) => return Err(refuse(arg, "its value is missing")),
            (Takes::Value, None) => match args.next().filter(|value| !value.is_empty() && !value.starts_with('-')) {
                Some(value) => taken.push(format!("{arg}={value}")),
                None => return Err(refuse(arg, "its value is missing; write it as `--flag=value`")),
            },
        }
    }
    Ok(taken)
}

fn reason(name: &str) -> &'static str {
    let same = |known: &str| {
        let short = known.len() == 2 && name.starts_with(known) && !name.starts_with("--");
        name.eq_ignore_ascii_case(known) || short
    };
    match REFUSED.iter().find(|(known, _)| same(known)) {
        Some((_, reason)) => reason,
        None if !name.starts_with('-') => "it belongs to no flag",
        None => "it is not known to leave the mode as it is",
    }
}

fn refuse(arg: &str, reason: &str) -> Error {
    Error::Forbidden { argument: arg.to_owned(), reason: reason.to_owned() }
}
