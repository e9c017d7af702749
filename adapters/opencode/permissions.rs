//! What OpenCode may do in each mode. *Tested* is `tests/real` on 1.18.33 for Linux (2026-11); nothing was run on macOS and
//! Windows.

use crate::adapters::permissions::Known::{ByHand, NotVerified, Tested};
use crate::adapters::permissions::{Capability, Cell, Permission, no, partly, row, yes};

pub(super) static PERMISSIONS: &[Permission] = &[
    row(
        Capability::ReadVault,
        yes(
            Tested,
            "`read`, `glob`, `grep`; `read` not of `.env` files, whose lines `grep` shows all the same. `glob` and `grep` need ripgrep: OpenCode takes the one on the `PATH`, or \
             fetches its own",
        ),
        yes(Tested, ""),
    ),
    row(
        Capability::WriteVault,
        partly(
            Tested,
            "`edit`, `write`, by the vault's path. **Not where the model is, or may be, one of OpenAI's newer ones** (`gpt-5`): \
             OpenCode gives those `apply_patch` instead, which moves files past every rule; the run then reads only, and says so",
        ),
        yes(Tested, ""),
    ),
    row(
        Capability::WriteHidden,
        no(
            Tested,
            "rules of `edit` for whatever begins with a dot at any depth, and for `opencode.json`. Windows: also short names, \
             not verified",
        ),
        yes(NotVerified, ""),
    ),
    row(
        Capability::ReadOutside,
        partly(
            Tested,
            "not by path, `..` or links: `external_directory`, and a rule for each link out of the vault that is there at the \
             start; with such a link, no `grep`. Elsewhere than on Linux a vault with such links is refused. Long answers of tools, which OpenCode puts \
             aside, can be read, those of other sessions too",
        ),
        BESIDE_SHELL,
    ),
    row(
        Capability::WriteOutside,
        no(
            Tested,
            "`edit` for the vault's path alone, `external_directory`, and a rule for each link out of the vault that is there at \
             the start. Elsewhere than on Linux a vault with such links is refused. Noticed, not kept off: a folder beside the vault \
             whose name is the vault's, a `\\`, and more, since OpenCode reads that as `/`",
        ),
        BESIDE_SHELL,
    ),
    row(Capability::Temporary, no(Tested, "`external_directory`, `edit`"), BESIDE_SHELL),
    row(Capability::Shell, no(Tested, "not offered"), yes(Tested, "it starts in the run's empty folder")),
    row(
        Capability::Network,
        no(Tested, "no web tool; the model itself is reached, and OpenCode's lists of models and packages"),
        yes(NotVerified, "shell and web tools"),
    ),
    row(Capability::OwnMcp, yes(Tested, "a call without a sign of progress ends after 30 s"), yes(Tested, "")),
    row(
        Capability::PersonsMcp,
        no(
            Tested,
            "not started: switched off one by one, from the person's settings. Those that an organisation's settings bring \
             start, and their tools are not given (not verified)",
        ),
        yes(NotVerified, "as under OpenCode itself"),
    ),
    row(Capability::VaultMcp, no(Tested, "the run works elsewhere"), no(Tested, "the run works elsewhere")),
    row(
        Capability::VaultHooks,
        no(Tested, "neither plugins, tools, formatters nor language servers: the run works elsewhere"),
        no(Tested, "the run works elsewhere"),
    ),
    row(
        Capability::PersonsHooks,
        partly(
            Tested,
            "plugins are not asked (`OPENCODE_PURE`), and the person's tools are not given; one that would take a given tool's place \
             is refused. **The files of both are loaded all the same**, which the run says in a notice: code in them runs",
        ),
        yes(NotVerified, "as under OpenCode itself"),
    ),
    row(Capability::SubAgents, no(Tested, "not offered"), yes(NotVerified, "with the same rules")),
    row(
        Capability::Instructions,
        yes(Tested, "`AGENTS.md`, or else `CLAUDE.md`, of the vault's root"),
        yes(NotVerified, "`AGENTS.md`, or else `CLAUDE.md`, of the vault's root"),
    ),
    row(
        Capability::Environment,
        partly(
            Tested,
            "home, language, network, and OpenCode's own sign-ins. **Its MCP servers get all that it gets**, sign-ins too, and the \
             run's settings; secrets of the app's servers stand in private files instead",
        ),
        partly(
            Tested,
            "all but what is stripped. **Shells and MCP servers get all that it gets**, and the run's settings; secrets of the \
             app's servers stand in private files instead, which a shell can read while it knows where",
        ),
    ),
    row(
        Capability::Own("ask OpenCode's own free models where nobody signed in"),
        yes(ByHand, "OpenCode does so by itself, without a word: the prompt goes to opencode.ai"),
        yes(ByHand, "OpenCode does so by itself, without a word: the prompt goes to opencode.ai"),
    ),
];

const BESIDE_SHELL: Cell = partly(
    ByHand,
    "OpenCode's own check refuses paths outside the vault in its tools and in the commands that it can read; a shell command can \
     get around it",
);
