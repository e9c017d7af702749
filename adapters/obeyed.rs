//! What other programs run or obey in a vault: the settings of agents, editors and Git. No agent's Safe mode writes them; an
//! adapter refuses it where its agent can, and the engine looks at them before and after every Safe run (`src/watch.rs`).
//!
//! Instructions (`AGENTS.md`, `CLAUDE.md`) are not among them: they are notes, and prompt input for whoever reads them. Code
//! that a person runs themselves (`package.json`, a `Makefile`) is not either.

use std::fmt;

/// A place in a vault.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Obeyed {
    /// Its path below the vault, with `/`.
    pub(crate) path: &'static str,
    /// Whether all that lies in it counts too.
    pub(crate) within: bool,
    /// Names of files in it that change by themselves and start nothing.
    pub(crate) except: &'static [&'static str],
}

/// A file, or a folder with all that lies in it.
const fn all(path: &'static str) -> Obeyed {
    Obeyed { path, within: true, except: &[] }
}

/// A file, or a folder without what lies in it.
const fn only(path: &'static str) -> Obeyed {
    Obeyed { path, within: false, except: &[] }
}

/// All of them. Those of agents are by each agent's documents and, for Copilot, Claude Code, Codex, OpenCode, Pi, Gemini, Qwen
/// and Droid, measured to run something (2026-11).
pub(crate) static OBEYED: &[Obeyed] = &[
    // Agents.
    all(".agents"),
    all(".claude"),
    all(".codex"),
    all(".copilot"),
    all(".cursor"),
    all(".factory"),
    all(".gemini"),
    all(".kiro"),
    all(".mcp.json"),
    all(".opencode"),
    all(".pi"),
    all(".qwen"),
    all("opencode.json"),
    all("opencode.jsonc"),
    // Copilot's hooks, servers and extensions, and what runs at the host of the repository.
    all(".github"),
    // Git: hooks, and settings that name programs. The rest of `.git` changes with every command.
    only(".git"),
    only(".git/config"),
    all(".git/hooks"),
    all(".husky"),
    // Shells and editors that start something when the folder is opened. `.env` also steers Qwen and Gemini.
    only(".env"),
    only(".envrc"),
    all(".devcontainer"),
    all(".vscode"),
    all(".zed"),
    only(".obsidian/community-plugins.json"),
    Obeyed { path: ".obsidian/plugins", within: true, except: &["data.json"] },
];

impl fmt::Debug for Obeyed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.path)
    }
}
