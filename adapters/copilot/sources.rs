//! Where each flag and variable of Copilot's command is known from.

use crate::adapters::sources::Source;

/// When all of it was looked at.
const DATE: &str = "2026-11";

const fn measured(name: &'static str, version: &'static str, what: &'static str) -> Source {
    Source { name, what, how: "measured", version, date: DATE }
}

const fn helped(name: &'static str, version: &'static str, what: &'static str) -> Source {
    Source { name, what, how: "measured, and by the help of that version", version, date: DATE }
}

const fn read(name: &'static str, version: &'static str, what: &'static str) -> Source {
    Source { name, what, how: "up to the sign-in measured, beyond it read in the program", version, date: DATE }
}

pub(super) static SOURCES: &[Source] = &[
    measured("-p", "1.0.69 to 1.0.102", "the prompt; one that begins with a dash goes by `--prompt=`"),
    measured("--prompt", "1.0.69 to 1.0.102", "the prompt, joined to the flag"),
    helped("-s", "0.0.403", "no statistics after the answer"),
    helped("--output-format", "0.0.422", "one JSON object a line; the first version by the changelog"),
    helped("--stream", "0.0.403", "the answer in pieces, whatever the person's settings say"),
    helped("--no-ask-user", "0.0.403", "no question that nobody can answer"),
    helped("--no-color", "0.0.403", "no escape codes"),
    helped("--no-auto-update", "0.0.403", "the installed program and no newer one from its cache"),
    helped("--no-remote", "1.0.40", "nobody else steers the run"),
    helped("--no-remote-export", "1.0.69", "the session is not published"),
    helped("--session-id", "1.0.51", "the id of a new session"),
    measured("--resume", "1.0.69, 1.0.80, 1.0.102", "continues a session and fails where there is none"),
    measured("--model", "1.0.69 to 1.0.102", "the model"),
    measured(
        "--additional-mcp-config",
        "1.0.69, 1.0.102",
        "the app's servers, beside the person's and never in their file",
    ),
    helped("--available-tools", "1.0.69, 1.0.102", "Safe: the only tools that the model is offered"),
    measured("--allow-tool", "1.0.69, 1.0.102", "Safe: what is not asked for"),
    measured(
        "--deny-tool",
        "1.0.80",
        "Safe: no shell, no hidden file, nothing that another agent obeys; below 1.0.80 a pattern in `write(…)` is not known or refuses every write",
    ),
    helped("--disable-builtin-mcps", "0.0.403", "Safe: no server that reaches the network"),
    helped("--disallow-temp-dir", "0.0.403", "Safe: the temporary folder is no vault"),
    measured("--disable-mcp-server", "1.0.69, 1.0.102", "Safe: the person's own servers are not started"),
    measured("--add-dir", "1.0.80, 1.0.102", "Safe from an empty folder: reaches the vault by its full path"),
    helped("--allow-all-tools", "1.0.69 to 1.0.102", "Power User: no tool is asked for; paths and addresses still are"),
    measured("--excluded-tools", "1.0.102", "Power User: no language server that the vault names"),
    measured("--secret-env-vars", "1.0.69, 1.0.102", "keeps secrets from servers and shells"),
    measured("--plugin-dir", "1.0.92", "a plugin of the run"),
    read("--args", "1.0.102", "a workflow's arguments, in a private file"),
    read("--result-file", "1.0.102", "a workflow's result, in a private file"),
    measured("COPILOT_AUTO_UPDATE", "1.0.69, 1.0.102", "as `--no-auto-update`, for what the program starts of itself"),
    measured(
        "COPILOT_DISABLE_RESUME_AUTO_CD",
        "1.0.69, 1.0.80, 1.0.102",
        "a continued session stays in the vault asked for",
    ),
    measured("COPILOT_CLI_ENABLED_FEATURE_FLAGS", "1.0.102", "extensions of a plugin load in `-p`"),
    measured(
        "AGENT_LAUNCHER_DOLLAR",
        "1.0.69, 1.0.102",
        "a dollar sign in a server's configuration, for which there is no escape",
    ),
];
