//! Why nothing was started.

use std::path::PathBuf;

use crate::adapters::Agents;
use crate::guidance::{self, Guidance};
use crate::request::AgentId;

/// Why a plan could not be made or a run not be started. No process exists when one of these is returned.
///
/// [`Error::guidance`] tells a person what to do; [`Error::is_usage`] tells a program whether the request was at fault.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No adapter has this id.
    #[error("unknown agent `{agent}`, known: {}", known.join(", "))]
    UnknownAgent {
        /// The id asked for.
        agent: AgentId,
        /// The ids there are.
        known: Vec<String>,
    },
    /// The vault is not an absolute path.
    #[error("the vault `{}` is not an absolute path", path.display())]
    VaultRelative {
        /// The path given.
        path: PathBuf,
    },
    /// The vault does not exist.
    #[error("the vault `{}` does not exist", path.display())]
    VaultMissing {
        /// The path given.
        path: PathBuf,
    },
    /// The vault is not a folder.
    #[error("the vault `{}` is not a folder", path.display())]
    VaultNotAFolder {
        /// The path given.
        path: PathBuf,
    },
    /// The vault cannot be read.
    #[error("the vault `{}` cannot be read: {reason}", path.display())]
    VaultUnreadable {
        /// The path given.
        path: PathBuf,
        /// The system's reason.
        reason: String,
    },
    /// A field of the request holds what no process can be given, or nothing.
    #[error("the {field} {problem}")]
    InvalidField {
        /// The field, such as `prompt`.
        field: &'static str,
        /// What is wrong with it, such as `is empty`.
        problem: String,
    },
    /// An MCP server of the request cannot be passed to the agent.
    #[error("MCP server `{name}`: {problem}")]
    InvalidServer {
        /// The server's name.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A plugin of the request cannot be used.
    #[error("the plugin `{}` {problem}", dir.display())]
    InvalidPlugin {
        /// Its folder.
        dir: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// An extra argument or variable would widen the mode or break the run.
    #[error("`{argument}` is refused: {reason}")]
    Forbidden {
        /// The argument or variable.
        argument: String,
        /// Why.
        reason: String,
    },
    /// The agent cannot honour an option of the request.
    #[error("{agent} cannot {what}")]
    Unsupported {
        /// The agent.
        agent: AgentId,
        /// What it cannot do.
        what: String,
    },
    /// The agent cannot be used on this machine as it is.
    #[error("{}", .0.message)]
    Setup(Box<Guidance>),
    /// A live run has this stream id already.
    #[error("a run with the stream id `{0}` is live already")]
    StreamIdInUse(String),
    /// The launcher was shut down.
    #[error("the launcher is shut down")]
    ShutDown,
    /// There is no tokio runtime to run in, or it has no timers or no I/O.
    #[error("no tokio runtime that has timers and I/O: call this from within one, built with `enable_all`")]
    NoRuntime,
}

impl Error {
    /// What to tell a person. An error does not know the app's name: [`Launcher::guidance`](crate::Launcher::guidance) does.
    pub fn guidance(&self) -> Guidance {
        guidance::of_error(self, "the app", &Agents::default())
    }

    /// Whether the request itself is at fault: asking again without changing it cannot help, on any machine.
    ///
    /// The command turns these into its exit code for wrong usage.
    pub fn is_usage(&self) -> bool {
        match self {
            Error::UnknownAgent { .. }
            | Error::VaultRelative { .. }
            | Error::VaultMissing { .. }
            | Error::VaultNotAFolder { .. }
            | Error::VaultUnreadable { .. }
            | Error::InvalidField { .. }
            | Error::InvalidServer { .. }
            | Error::InvalidPlugin { .. }
            | Error::Forbidden { .. }
            | Error::Unsupported { .. }
            | Error::StreamIdInUse(_) => true,
            Error::Setup(_) | Error::ShutDown | Error::NoRuntime => false,
        }
    }
}
