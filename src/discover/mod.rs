//! Finds the executable of an agent and says where it looked and why.
//!
//! One resolver serves the status screen and the run. Owns the order of the places, the judgement of what is found there
//! and the environment of children. Starts programs only to ask for their version, through `process`.

mod advice;
mod chosen;
mod disk;
pub(crate) mod environment;
mod format;
mod hunt;
mod node_managers;
mod paths;
mod places;
mod probe;
mod search;
mod shell;
mod shim;
mod walk;

use std::ffi::OsString;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::env::{HostEnv, Os};
use crate::guidance::Guidance;
use crate::request::{AgentId, Mode};

pub(crate) use search::Discovery;

/// A folder to start short programs in: nothing of a vault's, and there on every machine.
pub(crate) fn neutral_folder(host: &HostEnv) -> PathBuf {
    // A home that may not be entered would keep everything from starting.
    let home = host.home.clone().filter(|home| home.is_absolute() && disk::may_enter(home));
    home.unwrap_or_else(|| match host.os {
        Os::Windows => host.var("SystemRoot").map_or_else(|| PathBuf::from(r"C:\"), PathBuf::from),
        _ => PathBuf::from("/"),
    })
}

/// How a candidate was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Via {
    /// The person chose the path.
    Override,
    /// The host's `PATH`.
    Path,
    /// The login shell's `PATH`.
    LoginShell,
    /// npm's global folders.
    Npm,
    /// pnpm's global folder.
    Pnpm,
    /// Yarn's global folder.
    Yarn,
    /// Bun's global folder.
    Bun,
    /// Volta.
    Volta,
    /// Mise.
    Mise,
    /// asdf.
    Asdf,
    /// fnm.
    Fnm,
    /// nvm, nvm-windows included.
    Nvm,
    /// Homebrew.
    Homebrew,
    /// Homebrew on Linux.
    Linuxbrew,
    /// Scoop.
    Scoop,
    /// WinGet.
    Winget,
    /// The agent's own installer.
    Native,
    /// A folder of the system.
    System,
}

/// What became of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// Taken.
    Chosen,
    /// Would do; another was taken.
    Usable,
    /// Nothing is there.
    Missing,
    /// It may not be run.
    NotExecutable,
    /// It is a folder or the like.
    NotAFile,
    /// It does not start or does not answer.
    Broken,
    /// Another program of the same name.
    Impostor,
    /// For another kind of machine.
    WrongArchitecture,
    /// It asked to install the agent instead of being it.
    InstallPrompt,
    /// Not looked at, since a better one was taken.
    Deferred,
}

/// Paths in JSON: what is not UTF-8 is replaced, as JSON has no other text, rather than failing the whole.
mod lossy {
    use std::path::{Path, PathBuf};

    use serde::Serializer;

    pub(super) fn path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&path.to_string_lossy())
    }

    #[expect(clippy::ref_option, reason = "the signature that serde asks for")]
    pub(super) fn option<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
        match path {
            Some(path) => serializer.serialize_some(&path.to_string_lossy()),
            None => serializer.serialize_none(),
        }
    }

    pub(super) fn list<S: Serializer>(paths: &[PathBuf], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(paths.iter().map(|path| path.to_string_lossy()))
    }
}

/// A place looked at, with the reason it was taken or refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Candidate {
    /// The path looked at.
    #[serde(serialize_with = "lossy::path")]
    pub path: PathBuf,
    /// Why it was looked at.
    pub via: Via,
    /// What became of it.
    pub verdict: Verdict,
    /// The reason, in words.
    pub detail: String,
}

/// The agent's executable, found and proven.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Binary {
    /// The program to start: the found file, or the native binary or `node` behind it.
    pub program: PathBuf,
    /// Arguments that come first (the script, where `program` is `node`).
    pub first_args: Vec<OsString>,
    /// The file that was found.
    pub found: PathBuf,
    /// How it was found.
    pub via: Via,
    /// Its version, such as `1.0.102`.
    pub version: String,
    /// The `PATH` for the agent and its children.
    pub search_path: OsString,
    /// Variables that only the login shell exports and the agent needs: proxy and certificates.
    pub login_env: Vec<(OsString, OsString)>,
}

impl std::fmt::Debug for Binary {
    /// Prints no value of a variable: proxies hold passwords.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&OsString> = self.login_env.iter().map(|(name, _)| name).collect();
        f.debug_struct("Binary")
            .field("program", &self.program)
            .field("first_args", &self.first_args)
            .field("found", &self.found)
            .field("via", &self.via)
            .field("version", &self.version)
            .field("search_path", &self.search_path)
            .field("login_env", &names)
            .finish()
    }
}

/// How asking the login shell went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ShellStatus {
    /// It answered.
    Ok,
    /// It did not answer in time.
    TimedOut,
    /// It could not be asked, or answered nonsense.
    Failed,
    /// It was not needed or there is none.
    Skipped,
}

/// The login shell as asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ShellReport {
    /// The shell's program.
    #[serde(serialize_with = "lossy::option")]
    pub shell: Option<PathBuf>,
    /// How it went.
    pub status: ShellStatus,
    /// How long it took, in milliseconds.
    pub elapsed_ms: u64,
}

/// All that a search for one agent found out. What `doctor` prints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Search {
    /// The agent.
    pub agent: AgentId,
    /// The executable, where one was found.
    #[serde(skip)]
    pub binary: Option<Binary>,
    /// The path of the chosen file.
    #[serde(serialize_with = "lossy::option")]
    pub chosen: Option<PathBuf>,
    /// Every place looked at, in order.
    pub candidates: Vec<Candidate>,
    /// The login shell.
    pub login_shell: ShellReport,
    /// The folders of the `PATH` that was used.
    #[serde(serialize_with = "lossy::list")]
    pub path: Vec<PathBuf>,
    /// Names of the variables present that hold a sign-in of this agent.
    pub auth_variables: Vec<String>,
    /// What the agent's MCP servers and shells get of this environment, for each mode.
    pub child_environments: Vec<ChildEnvironment>,
    /// What to do, where none was found.
    #[serde(skip)]
    pub guidance: Option<Guidance>,
}

/// Which variables of the app's environment reach the MCP servers and shells of an agent's run. Names, never values; what
/// a request or a server's own configuration sets comes on top.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ChildEnvironment {
    /// The mode of the run.
    pub mode: Mode,
    /// Names of the variables that they get.
    pub gets: Vec<String>,
    /// Names of the variables that are kept from them, some of which the agent itself gets.
    pub withheld: Vec<String>,
}

/// Whether an agent is there. What `agents` prints, one a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AgentStatus {
    /// The agent's id.
    pub agent: AgentId,
    /// Its name for people.
    pub name: String,
    /// Whether it can be used.
    pub status: Readiness,
    /// The file found.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "lossy::option")]
    pub path: Option<PathBuf>,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// How it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<Via>,
    /// What to do, where it cannot be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guidance: Option<Guidance>,
}

/// Whether an agent can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Readiness {
    /// Not known yet: a search decides. Only [`Launcher::agents_now`](crate::Launcher::agents_now) tells this.
    Checking,
    /// Found and it answers.
    Ready,
    /// Nowhere to be found.
    NotInstalled,
    /// Found, but it does not work.
    Broken,
}

#[cfg(test)]
mod tests;
