//! Claude Code's flags: those of every plan, those that need a version, and those a host may add.

use crate::adapters::extra::{self, Takes};
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

/// The extra arguments of a request.
pub(super) fn extra(request: &Request) -> Result<Vec<String>, Error> {
    extra::taken(request, ADDABLE, |name| extra::reason(name, REFUSED))
}
