//! What Copilot may do in each mode. *Tested* is `tests/real` for Linux (2026-11), Safe mode on 1.0.80 and 1.0.102, Power User
//! mode on 1.0.69 too; nothing was run on macOS and Windows.

use crate::adapters::permissions::Known::{ByHand, NotVerified, Tested};
use crate::adapters::permissions::{Capability, Cell, Permission, no, partly, row, yes};

pub(super) static PERMISSIONS: &[Permission] = &[
    row(Capability::ReadVault, yes(Tested, "`view`, `glob`, `grep`"), yes(Tested, "")),
    row(
        Capability::WriteVault,
        yes(Tested, "`create`, `edit`, allowed or refused together (`--allow-tool=write`)"),
        yes(Tested, ""),
    ),
    row(
        Capability::WriteHidden,
        no(
            Tested,
            "`--deny-tool=write(.*),write(.*/**)`, and by name what is not hidden (`write(opencode.json)`). Older versions know \
             no such rules, which is why Safe mode begins where it does. Windows: also short names (`write(*~*/**)`), not \
             verified",
        ),
        yes(NotVerified, ""),
    ),
    row(Capability::ReadOutside, no(Tested, "Copilot's path check, links out of the vault included"), BESIDE_SHELL),
    row(
        Capability::WriteOutside,
        no(Tested, "Copilot's path check, links out of the vault included, also those that are made during the run"),
        BESIDE_SHELL,
    ),
    row(
        Capability::Temporary,
        no(Tested, "`--disallow-temp-dir`, also for a vault that lies in it"),
        yes(NotVerified, ""),
    ),
    row(Capability::Shell, no(Tested, "not offered, and `--deny-tool=shell`"), yes(Tested, "`--allow-all-tools`")),
    row(
        Capability::Network,
        no(Tested, "no web tool, `--disable-builtin-mcps`; the model itself is reached"),
        yes(NotVerified, "shell and web tools, by Copilot's address rules"),
    ),
    row(Capability::OwnMcp, yes(Tested, "by name, whatever else has the name"), yes(Tested, "")),
    row(
        Capability::PersonsMcp,
        no(
            Tested,
            "not started: `--disable-mcp-server` for each in `mcp-config.json`. Servers that an installed plugin of Copilot \
             brings are not known to the crate; their tools are not offered (not verified)",
        ),
        yes(Tested, "as under Copilot itself"),
    ),
    row(
        Capability::VaultMcp,
        no(Tested, "not started, also where the person trusts the vault"),
        partly(Tested, "only where the person trusts the vault in Copilot"),
    ),
    row(
        Capability::VaultHooks,
        no(Tested, "do not run, also where the person trusts the vault or has experimental features on"),
        partly(
            Tested,
            "hooks where the person trusts the vault; extensions never, as no run gets the variable that lets them",
        ),
    ),
    row(
        Capability::PersonsHooks,
        partly(
            Tested,
            "the run is **refused** where there is a hook that can approve a tool (`preToolUse`, `permissionRequest`, of an \
             installed plugin too) or an extension: such a one opens what every flag closes, and nothing keeps it off. Other \
             hooks (`~/.copilot/hooks`, `settings.json`) run, as in every session of theirs; they cannot approve",
        ),
        yes(Tested, "run, and may approve (the latter not verified)"),
    ),
    row(Capability::SubAgents, no(Tested, "no such tool"), yes(ByHand, "within the same permissions")),
    row(
        Capability::Instructions,
        yes(
            Tested,
            "`AGENTS.md`, `.github/copilot-instructions.md` and others, as prompt input. From an empty folder the prompt names \
             them and the model reads them itself",
        ),
        yes(Tested, ""),
    ),
    row(
        Capability::Environment,
        partly(Tested, "what [a list](../adapters/copilot/environment.rs) names, and what the request adds"),
        partly(Tested, "all but what [a list](../adapters/copilot/environment.rs) takes away"),
    ),
    row(
        Capability::Own("let MCP servers and shells see secrets"),
        partly(
            Tested,
            "`--secret-env-vars` keeps from them sign-in and provider keys, the request's secrets, and whatever else the agent \
             inherits under a name that ends like a secret's (`…TOKEN`, `…SECRET`, `…PASSWORD`, `…API_KEY`, …). `doctor` lists \
             what they get",
        ),
        partly(Tested, "the same, of a larger environment"),
    ),
    row(
        Capability::Own(
            "run a command of the person's that fetches a provider's key (`COPILOT_PROVIDER_API_KEY_COMMAND`)",
        ),
        yes(
            ByHand,
            "by Copilot itself, where the app's environment names it; 1.0.102 does, 1.0.80 does not. It is the person's own \
             set-up: a request that names one is refused",
        ),
        yes(ByHand, "the same"),
    ),
    row(
        Capability::Own("start language servers that the vault names (`.github/lsp.json`)"),
        no(Tested, "no such tool"),
        no(Tested, "not offered: `--excluded-tools=lsp`"),
    ),
    row(
        Capability::Own("work in a vault that is or holds the home folder or Copilot's own"),
        no(Tested, "refused"),
        yes(NotVerified, ""),
    ),
    row(
        Capability::Own("use Copilot's folder of the session (`~/.copilot/session-state/ID`)"),
        partly(ByHand, "read; a version that let its plan be written would have the run end as a breach"),
        yes(NotVerified, "read and written"),
    ),
    row(
        Capability::Own("go by saved approvals (`permissions-config.json`)"),
        no(Tested, "the run works from an empty folder instead"),
        yes(NotVerified, ""),
    ),
    row(
        Capability::Own("reach a file outside by a hard link in the vault"),
        yes(Tested, "the same file under two names: read and written as a note; not to be told apart"),
        yes(NotVerified, "the same"),
    ),
    row(
        Capability::Own("go on after a breach"),
        no(
            ByHand,
            "a tool outside the list that ran, a file read or written outside the vault, or a hidden one written, ends the run \
             as `permission_bypassed` (files: not watched on Windows, where names have too many spellings). Tested on a fake, \
             since no real version breaks out",
        ),
        yes(NotVerified, "not watched"),
    ),
];

/// What Power User mode gives outside the vault.
const BESIDE_SHELL: Cell = partly(
    Tested,
    "not for files, and not for shell commands that name a path (the latter not verified); a shell can reach what it does not \
     name",
);
