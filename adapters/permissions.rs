//! What an agent may do in each mode, as data: `docs/PERMISSIONS.md` is generated from it.
//!
//! Says only what was found out, and how: a cell nobody looked at says so. Decides nothing; plans do.

/// Something an agent may be able to do. Each adapter answers each of [`Capability::ALL`], in order, and may add rows of its
/// own after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Capability {
    /// Read and search the vault.
    ReadVault,
    /// Create and edit notes.
    WriteVault,
    /// Write what other programs run or obey: hidden files and folders (`.git`, `.mcp.json`, `.vscode`), and the settings of
    /// other agents.
    WriteHidden,
    /// Read files outside the vault.
    ReadOutside,
    /// Write files outside the vault, links out of it included.
    WriteOutside,
    /// Use the folder for temporary files.
    Temporary,
    /// Run shell commands.
    Shell,
    /// Reach the network by the agent's own tools.
    Network,
    /// Use the app's MCP servers.
    OwnMcp,
    /// Use MCP servers that the person set up.
    PersonsMcp,
    /// Start MCP servers that the vault names.
    VaultMcp,
    /// Run hooks, plugins or extensions of the vault.
    VaultHooks,
    /// Run hooks, plugins or extensions of the person.
    PersonsHooks,
    /// Start sub-agents.
    SubAgents,
    /// Read the instructions of the vault (`AGENTS.md`, `CLAUDE.md`).
    Instructions,
    /// See variables of the app's environment.
    Environment,
    /// A row that only this agent has, in words.
    Own(&'static str),
}

impl Capability {
    /// What every adapter answers, in the order of the tables.
    #[cfg(test)]
    pub(crate) const ALL: [Capability; 16] = [
        Capability::ReadVault,
        Capability::WriteVault,
        Capability::WriteHidden,
        Capability::ReadOutside,
        Capability::WriteOutside,
        Capability::Temporary,
        Capability::Shell,
        Capability::Network,
        Capability::OwnMcp,
        Capability::PersonsMcp,
        Capability::VaultMcp,
        Capability::VaultHooks,
        Capability::PersonsHooks,
        Capability::SubAgents,
        Capability::Instructions,
        Capability::Environment,
    ];

    /// Its words in the tables, in Markdown.
    #[cfg(test)]
    pub(crate) fn words(self) -> &'static str {
        match self {
            Capability::ReadVault => "read and search the vault",
            Capability::WriteVault => "create and edit notes",
            Capability::WriteHidden => {
                "write what other programs run or obey: hidden files and folders (`.git`, `.github`, `.mcp.json`, `.vscode`, \
                 `.envrc`, …) and settings of other agents (`.claude`, `.codex`, `opencode.json`, …)"
            }
            Capability::ReadOutside => "read outside the vault",
            Capability::WriteOutside => "write outside the vault",
            Capability::Temporary => "use the temporary folder",
            Capability::Shell => "run shell commands",
            Capability::Network => "reach the network by tools of its own",
            Capability::OwnMcp => "use the app's MCP servers",
            Capability::PersonsMcp => "use the person's own MCP servers",
            Capability::VaultMcp => "start MCP servers that the vault names (`.mcp.json`, …)",
            Capability::VaultHooks => "run hooks, plugins and extensions of the vault",
            Capability::PersonsHooks => "run hooks, plugins and extensions of the person",
            Capability::SubAgents => "start sub-agents",
            Capability::Instructions => "read instructions of the vault (`AGENTS.md`, …)",
            Capability::Environment => "see the app's environment",
            Capability::Own(words) => words,
        }
    }
}

/// How much of a capability a mode gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gives {
    Yes,
    No,
    /// As far as the words beside it say.
    Partly,
}

/// How it is known that a cell holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// By a test of this project on the real program.
    Tested,
    /// Measured once on the real program, with no test.
    ByHand,
    /// By the program's documents alone.
    NotVerified,
}

/// One mode's cell of the matrix.
#[derive(Debug)]
#[cfg_attr(not(test), expect(dead_code, reason = "the document is generated from it, by a test"))]
pub(crate) struct Cell {
    pub(crate) gives: Gives,
    /// How it is kept or what is left open, in Markdown. Empty where there is nothing to say.
    pub(crate) how: &'static str,
    pub(crate) known: Known,
}

/// One row of an agent's matrix.
#[derive(Debug)]
#[cfg_attr(not(test), expect(dead_code, reason = "the document is generated from it, by a test"))]
pub(crate) struct Permission {
    pub(crate) capability: Capability,
    pub(crate) safe: Cell,
    pub(crate) power_user: Cell,
}

/// A row.
pub(crate) const fn row(capability: Capability, safe: Cell, power_user: Cell) -> Permission {
    Permission { capability, safe, power_user }
}

/// A mode gives it.
pub(crate) const fn yes(known: Known, how: &'static str) -> Cell {
    Cell { gives: Gives::Yes, how, known }
}

/// A mode does not give it.
pub(crate) const fn no(known: Known, how: &'static str) -> Cell {
    Cell { gives: Gives::No, how, known }
}

/// A mode gives it as far as the words say.
pub(crate) const fn partly(known: Known, how: &'static str) -> Cell {
    Cell { gives: Gives::Partly, how, known }
}
