//! Where each flag, setting and variable of Codex's command is known from: 0.171.0 for Linux, measured unless the line says
//! otherwise.

use crate::adapters::sources::Source;

const fn measured(name: &'static str, what: &'static str) -> Source {
    Source { name, what, how: "measured", version: "0.171.0", date: "2026-11" }
}

pub(super) static SOURCES: &[Source] = &[
    measured("--json", "one JSON object a line"),
    measured("--skip-git-repo-check", "a vault is commonly no Git repository and not trusted by Codex"),
    measured("--disable", "Safe: no shell; a version that does not know `shell_tool` does not start"),
    measured("-s", "Power User: Codex's sandbox, `workspace-write`; must stand before `resume`"),
    measured("--model", "the model"),
    measured("-c approval_policy", "nobody is asked; what would be asked for is refused"),
    measured("-c default_permissions", "Safe: the permission profile of the run, which goes before `sandbox_mode`"),
    measured("-c permissions", "Safe: that profile: the vault without what is protected in it"),
    measured("-c sandbox_mode", "Safe: what is left where a version knows no profiles"),
    measured("-c sandbox_workspace_write", "nothing that the person opened stays open; no network for the shell"),
    measured("-c projects", "Safe: the vault is untrusted, as an inline table; the dotted form has no effect"),
    measured("-c web_search", "Safe: no search"),
    measured("-c notify", "Safe: no program of the person's is told"),
    measured("-c skills", "Safe: skills of the vault are off"),
    measured(
        "-c features",
        "both: a refused connection ends; Safe: no hooks, plugins, sub-agents, image viewer and others",
    ),
    measured("-c developer_instructions", "the app's system prompt"),
    measured("-c mcp_servers", "the app's servers, each required and approved; in Safe mode the person's are off"),
    measured("-c shell_environment_policy", "Power User: secrets are kept from shells, and `GIT_DIR`"),
    measured("GIT_DIR", "Git is not asked about the vault, whose `.git/config` may name programs"),
];
