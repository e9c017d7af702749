//! Where each flag and variable of Claude Code's command is known from: 2.1.197 and 2.1.332 for Linux.

use crate::adapters::sources::Source;

const fn source(name: &'static str, version: &'static str, how: &'static str, what: &'static str) -> Source {
    Source { name, what, how, version, date: "2026-11" }
}

const fn measured(name: &'static str, what: &'static str) -> Source {
    source(name, "2.1.197, 2.1.332", "measured", what)
}

pub(super) static SOURCES: &[Source] = &[
    measured("-p", "one answer, no terminal; the prompt comes on stdin"),
    measured("--output-format", "one JSON object a line"),
    measured("--verbose", "without it the program refuses that format"),
    measured("--include-partial-messages", "the answer in pieces"),
    measured(
        "--permission-mode",
        "`acceptEdits`: files of the vault are written without a question, and nothing else is",
    ),
    measured("--strict-mcp-config", "no server of the person's or the vault's"),
    measured("--setting-sources", "empty: no hooks, permissions, plugins and variables of the person's or the vault's"),
    measured("--session-id", "the id of a new session"),
    measured("--resume", "continues a session"),
    measured("--model", "the model"),
    measured("--tools", "Safe: the only tools of its own that the model is offered"),
    measured("--allowedTools", "what is not asked for: the app's servers; in Power User mode also its own tools"),
    measured("--disallowedTools", "Safe: no writing of what other programs run or obey"),
    measured("--add-dir", "the vault by the name of a link, where one leads to it"),
    measured("--append-system-prompt", "the app's system prompt"),
    measured("--append-system-prompt-file", "the same in a private file, where it is long or must not be seen"),
    source(
        "--system-prompt-snapshot",
        "2.1.332",
        "measured",
        "a continued session takes the system prompt of this run",
    ),
    measured("--mcp-config", "the app's servers"),
    measured("--settings", "the person's helper for the key, as nothing else of their settings counts"),
    measured("DISABLE_AUTOUPDATER", "the installed program and no newer one"),
    source("ENABLE_TOOL_SEARCH", "2.1.332", "measured", "the tools of servers are offered, not only found by a search"),
    source(
        "MCP_CONNECTION_NONBLOCKING",
        "2.1.197",
        "measured",
        "a server that takes longer than a second is waited for",
    ),
    measured("MCP_TIMEOUT", "a server that hangs holds the run up for 15 seconds, not 30"),
    measured("CLAUDE_CODE_MAX_RETRIES", "a wrong key is tried for some ten seconds, not for more than a minute"),
    measured("CLAUDE_CODE_DISABLE_ATTACHMENTS", "Safe: `@/path` in a prompt brings in no file"),
    measured(
        "CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS",
        "Git is not asked about the vault, whose `.git/config` may name programs; Power User: not where the version sees to it",
    ),
    measured("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "Safe: what earlier sessions wrote down stays out of the prompt"),
];
