//! What Claude Code may do in each mode. *Tested* is `tests/real` on 2.1.197 and 2.1.332 for Linux (2026-11); nothing was run
//! on macOS and Windows.

use crate::adapters::permissions::Known::{ByHand, NotVerified, Tested};
use crate::adapters::permissions::{Capability, Cell, Permission, no, partly, row, yes};

/// What the file tools keep and the shell does not.
const BESIDE_SHELL: Cell =
    partly(Tested, "not by the file tools, which `acceptEdits` keeps in the vault; the shell is not confined");

pub(super) static PERMISSIONS: &[Permission] = &[
    row(Capability::ReadVault, yes(Tested, "`Read`, `Glob`, `Grep`"), yes(Tested, "")),
    row(Capability::WriteVault, yes(Tested, "`Write`, `Edit`, by `--permission-mode=acceptEdits`"), yes(Tested, "")),
    row(
        Capability::WriteHidden,
        no(
            Tested,
            "at any depth and through links: `--disallowedTools=Edit(.*),Edit(opencode.json)`. Windows: also short names \
             (`Edit(**/*~*/**)`), not verified",
        ),
        partly(
            ByHand,
            "the file tools not `.claude`, `.mcp.json`, `.git`, `.vscode`, `.envrc` and shell profiles, by Claude Code's own \
             list; other agents' folders yes, and the shell everything",
        ),
    ),
    row(
        Capability::ReadOutside,
        no(
            Tested,
            "Claude Code's own check, links out of the vault included. It may read back what it keeps of the session. 2.1.197 lists \
             the names of files for an absolute pattern of `Glob`, and the run ends for it; 2.1.332 refuses that",
        ),
        BESIDE_SHELL,
    ),
    row(
        Capability::WriteOutside,
        no(
            Tested,
            "Claude Code's own check, links out of the vault included, and `--disallowedTools=Edit(~/.claude/**)` for its own \
             notes about the folder, which it writes unasked",
        ),
        BESIDE_SHELL,
    ),
    row(Capability::Temporary, no(Tested, ""), partly(NotVerified, "by the shell")),
    row(
        Capability::Shell,
        no(Tested, "`--tools` does not name it"),
        yes(
            Tested,
            "`--allowedTools=Bash`. Not in Claude Code's own sandbox, which has no network, needs bubblewrap and socat on \
             Linux, and leaves a `.claude` in the vault",
        ),
    ),
    row(
        Capability::Network,
        no(Tested, "`--tools` names no web tool; the model itself is reached"),
        yes(ByHand, "`WebFetch`, `WebSearch`, and the shell"),
    ),
    row(Capability::OwnMcp, yes(Tested, "`--allowedTools=mcp__NAME`"), yes(Tested, "the same")),
    row(Capability::PersonsMcp, no(Tested, "not started: `--strict-mcp-config`"), no(Tested, "the same")),
    row(Capability::VaultMcp, no(Tested, "not started: `--strict-mcp-config`"), no(Tested, "the same")),
    row(
        Capability::VaultHooks,
        no(Tested, "`--setting-sources=`, also where the person trusts the vault in Claude Code"),
        no(Tested, "the same"),
    ),
    row(
        Capability::PersonsHooks,
        no(
            Tested,
            "`--setting-sources=`. Of the person's `settings.json` only the sign-in, the model's provider and the model's \
             name are handed over; their `deny` rules do not count either. What an organisation manages runs all the same",
        ),
        no(Tested, "the same"),
    ),
    row(Capability::SubAgents, no(Tested, "`--tools` does not name them"), yes(NotVerified, "`Task`, `Workflow`")),
    row(
        Capability::Instructions,
        no(Tested, "`CLAUDE.md` and `AGENTS.md` are not read of themselves; the model may read them as it reads notes"),
        no(Tested, "the same"),
    ),
    row(
        Capability::Environment,
        partly(
            Tested,
            "what the system, the network and Claude Code itself need, by name; the app's MCP servers get the secrets among \
             them with nothing in them",
        ),
        partly(
            ByHand,
            "all but what widens a mode; the shell sees the rest, the key of the sign-in included, the app's MCP servers no \
             secrets",
        ),
    ),
];
