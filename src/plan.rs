//! A plan: the exact command, as data. What prints is what runs.
//!
//! Owns the shape of a plan and how it prints. Makes none (adapters do) and runs none (`process` does).

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::request::{AgentId, EnvValue, Mode};

/// One argument of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// The argument as it is.
    Text(String),
    /// `prefix` followed by the path of a private file, which exists only while the run does.
    File {
        /// What stands before the path, such as `--additional-mcp-config=@`.
        prefix: String,
        /// Which of the plan's files.
        file: usize,
    },
}

/// What becomes of one environment variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnvChange {
    /// Set to this value.
    Set(EnvValue),
    /// Taken away.
    Remove,
}

/// What the agent reads on stdin. It never inherits the host's.
#[derive(Clone, PartialEq, Eq)]
pub enum Stdin {
    /// Nothing; end of input at once.
    Null,
    /// These bytes, then end of input.
    Bytes(Vec<u8>),
}

impl std::fmt::Debug for Stdin {
    /// Prints the length, never the prompt.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stdin::Null => f.write_str("Null"),
            Stdin::Bytes(bytes) => write!(f, "Bytes(<{} bytes>)", bytes.len()),
        }
    }
}

/// A file that only this run's agent may read, written before the start and removed after the end.
#[derive(Clone, PartialEq, Eq)]
pub struct PrivateFile {
    /// What it is for, such as `mcp-config`.
    pub purpose: String,
    /// The file's name, such as `mcp.json`.
    pub name: String,
    pub(crate) bytes: Vec<u8>,
}

impl PrivateFile {
    /// How many bytes it holds.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

impl std::fmt::Debug for PrivateFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PrivateFile({}, <{} bytes>)", self.purpose, self.bytes.len())
    }
}

/// How the agent's stdout is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputFormat {
    /// One JSON object a line.
    Json,
    /// The answer as text.
    Text,
}

/// The exact command for a request.
///
/// A pure function of the request, the agent found and the host's environment: planning the same twice gives the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub(crate) stream_id: String,
    pub(crate) agent: AgentId,
    pub(crate) agent_version: Option<String>,
    pub(crate) mode: Mode,
    pub(crate) model: Option<String>,
    /// Known before the start where the agent takes an id of ours.
    pub(crate) session_id: Option<String>,
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<Arg>,
    pub(crate) cwd: PathBuf,
    pub(crate) stdin: Stdin,
    /// Changes against the host's environment.
    pub(crate) env: BTreeMap<String, EnvChange>,
    pub(crate) files: Vec<PrivateFile>,
    /// What the person should be told at the start.
    pub(crate) notices: Vec<String>,
    pub(crate) output: OutputFormat,
    /// Names of the app's own MCP servers, whose failure is told.
    pub(crate) mcp_servers: Vec<String>,
    /// The tools of the agent that the mode gives; `None` where the mode gives all. Tools of the app's servers come on top.
    pub(crate) allowed_tools: Option<Vec<String>>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) idle_timeout: Option<Duration>,
}
