//! Where each flag and variable of OpenCode's command is known from: 1.18.33 for Linux.

use crate::adapters::sources::Source;

const fn source(name: &'static str, how: &'static str, what: &'static str) -> Source {
    Source { name, what, how, version: "1.18.33", date: "2026-11" }
}

const fn measured(name: &'static str, what: &'static str) -> Source {
    source(name, "measured", what)
}

pub(super) static SOURCES: &[Source] = &[
    measured("--format", "one JSON object a line; the prompt comes on stdin"),
    measured("--thinking", "what the model thinks is told"),
    measured(
        "--print-logs",
        "which server did not start, and why a provider does not answer, which stdout tells late or never",
    ),
    measured("--log-level", "warnings of that log and no more"),
    measured("--agent", "an agent of the run's own settings, whose permissions are the mode's"),
    measured("--session", "continues a session, from the folder that it began in"),
    measured("--model", "the model, as `provider/model`"),
    measured("OPENCODE_CONFIG_CONTENT", "the settings of the run: permissions, the app's servers"),
    measured(
        "OPENCODE_DISABLE_PROJECT_CONFIG",
        "no settings of the vault; its plugins stay out by the empty folder to work from",
    ),
    measured("OPENCODE_DISABLE_FFF", "no library of 5.6 MB is left in the temporary folder"),
    source("OPENCODE_DISABLE_AUTOUPDATE", "by name, in the program", "the installed program and no newer one"),
    measured("OPENCODE_PURE", "Safe: no plugins of the person's"),
];
