//! What an agent may do in each mode, as data: `docs/PERMISSIONS.md` is generated from it.

/// Something an agent may be able to do. Each adapter says of each what its modes give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Capability {
    /// Read and search the vault.
    ReadVault,
    /// Create and edit notes.
    WriteVault,
    /// Write hidden files and folders of the vault, which other programs run or obey: `.git`, `.mcp.json`, `.vscode`, and the
    /// folders of other agents.
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
pub(crate) struct Cell {
    pub(crate) gives: Gives,
    /// How it is kept or what is left open, in Markdown.
    pub(crate) how: &'static str,
    pub(crate) known: Known,
}

/// One row of an agent's matrix.
#[derive(Debug)]
pub(crate) struct Permission {
    pub(crate) capability: Capability,
    pub(crate) safe: Cell,
    pub(crate) power_user: Cell,
}
