//! What Codex may do in each mode. *Tested* is `tests/real` on 0.171.0 for Linux (2026-11); nothing was run on macOS and
//! Windows.

use crate::adapters::permissions::Known::{ByHand, NotVerified, Tested};
use crate::adapters::permissions::{Capability, Cell, Permission, no, partly, row, yes};

/// What a shell in the sandbox reaches.
const IN_SANDBOX: Cell = yes(Tested, "by the shell, in Codex's sandbox");

pub(super) static PERMISSIONS: &[Permission] = &[
    row(
        Capability::ReadVault,
        partly(
            Tested,
            "only through the app's MCP servers: without a shell Codex has no tool that reads text, and `view_image` is off. \
             A request without a server says so in a notice",
        ),
        IN_SANDBOX,
    ),
    row(
        Capability::WriteVault,
        yes(Tested, "`apply_patch`, within a permission profile of the run (`-c default_permissions=…`)"),
        yes(Tested, "`-s workspace-write`"),
    ),
    row(
        Capability::WriteHidden,
        partly(
            Tested,
            "not at the top of the vault: the profile refuses every hidden name that is there and those of other agents, \
             there or not. **Below the top** (`sub/.vscode`) a hidden file can be written, and the tripwire ends the run \
             *after* it; a note that is *moved* there is not noticed, as Codex does not say where to",
        ),
        partly(Tested, "not `.git`, `.codex` and `.agents`; all others"),
    ),
    row(
        Capability::ReadOutside,
        no(Tested, "no tool that reads: no shell, and `view_image` is off"),
        yes(Tested, "the shell reads what the person may read"),
    ),
    row(
        Capability::WriteOutside,
        no(Tested, "links and `..` included, also where the person's settings name `writable_roots`"),
        no(Tested, "read-only in the sandbox, also where the person's settings name `writable_roots`"),
    ),
    row(Capability::Temporary, no(Tested, ""), yes(Tested, "`/tmp` and `TMPDIR`")),
    row(
        Capability::Shell,
        no(Tested, "`--disable shell_tool`; a version that does not know it does not start"),
        yes(Tested, "in Codex's sandbox; where the system has none, nothing runs"),
    ),
    row(
        Capability::Network,
        no(Tested, "`web_search=\"disabled\"`; apps and browsers off; the model itself is reached"),
        partly(NotVerified, "the shell has none (`network_access=false`); web search as the person set it"),
    ),
    row(
        Capability::OwnMcp,
        yes(Tested, "every tool, without asking; as `NAME_app` where the person has a server of the name"),
        yes(Tested, "the same"),
    ),
    row(
        Capability::PersonsMcp,
        no(Tested, "each one in `config.toml` is off for the run (`enabled=false`)"),
        yes(NotVerified, "as under Codex itself; what asks there is refused"),
    ),
    row(
        Capability::VaultMcp,
        no(Tested, "not started, also where the person trusts the vault: it is untrusted for the run"),
        partly(NotVerified, "only where the person trusts the vault in Codex"),
    ),
    row(
        Capability::VaultHooks,
        no(Tested, "the feature is off and the vault untrusted"),
        partly(NotVerified, "only where the person trusts the vault and the hook in Codex"),
    ),
    row(
        Capability::PersonsHooks,
        no(Tested, "hooks, plugins and `notify` are off"),
        yes(ByHand, "as under Codex itself"),
    ),
    row(Capability::SubAgents, no(ByHand, "the feature is off"), yes(NotVerified, "in the same sandbox")),
    row(
        Capability::Instructions,
        yes(Tested, "`AGENTS.md` of the vault's top stands before the question; the vault's skills are off"),
        yes(ByHand, "as under Codex itself"),
    ),
    row(
        Capability::Environment,
        no(
            ByHand,
            "an allow-list, and the variable that the person's provider names; the app's servers get few of them and the \
             secrets that the request gives them",
        ),
        partly(ByHand, "all but secrets by name (`shell_environment_policy.exclude`)"),
    ),
];
