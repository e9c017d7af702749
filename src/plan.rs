//! A plan: the exact command, as data. What prints is what runs.
//!
//! Owns the shape of a plan and how it prints. Makes none (adapters do) and runs none (`process` does).

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::adapters::obeyed::{OBEYED, Obeyed};
use crate::adapters::{Context, Spec, boundary};
use crate::env::Os;
use crate::request::{AgentId, EnvValue, Mode, Request};

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
    /// Set to these parts joined, for a value that names private files. Holds no secret itself.
    Joined(Vec<Arg>),
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
    /// The file's name, such as `mcp.json`. One with folders lies below the private folder that the run works from.
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

/// An empty folder that only this run's agent works from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scratch {
    /// Its name.
    pub(crate) name: String,
    /// Where to make it; `None` for where temporary files are.
    pub(crate) below: Option<PathBuf>,
    /// Whether it is the same folder in every run, directly in `below`: made where it is missing, and left there, empty.
    /// For agents that know a session by the folder it was in.
    pub(crate) stays: bool,
}

/// How the agent's stdout is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputFormat {
    /// One JSON object a line.
    Json,
    /// The answer as text.
    Text,
    /// One JSON object a line, and the last one tells how a workflow ended.
    Workflow,
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
    /// Where it works; with `scratch` the folder that it reaches by its full path.
    pub(crate) cwd: PathBuf,
    /// An empty private folder to work from instead, which exists only while the run does.
    pub(crate) scratch: Option<Scratch>,
    pub(crate) stdin: Stdin,
    /// Changes against the host's environment.
    pub(crate) env: BTreeMap<String, EnvChange>,
    pub(crate) files: Vec<PrivateFile>,
    /// Which of the files is not written before the start: the agent writes it, and it is read after the end.
    pub(crate) result_file: Option<usize>,
    /// What the person should be told at the start.
    pub(crate) notices: Vec<String>,
    pub(crate) output: OutputFormat,
    /// Names of the app's own MCP servers, whose failure is told.
    pub(crate) mcp_servers: Vec<String>,
    /// The tools of the agent that the mode gives; `None` where the mode gives all. Tools of the app's servers come on top.
    pub(crate) allowed_tools: Option<Vec<String>>,
    /// The folders in which the mode lets files be written, in every spelling known; empty where that is not watched.
    pub(crate) allowed_folders: Vec<PathBuf>,
    /// What other programs obey in the vault, looked at before the start and after the end; empty where all may be written.
    pub(crate) watched: &'static [Obeyed],
    /// What the agent's own sandbox may leave behind, as empty files and folders. What of it is not there at the start and
    /// empty at the end is taken away.
    pub(crate) leftovers: Vec<PathBuf>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) idle_timeout: Option<Duration>,
    /// What only the launcher that made the plan knows; no part of what the plan is.
    pub(crate) ticket: Ticket,
}

impl Plan {
    /// What most adapters' plans have in common: no argument, no change to the environment, nothing on stdin, JSON out. In Safe
    /// mode the vault is watched, in every spelling known; not on Windows, where names have too many to tell outside from
    /// inside by the letter.
    pub(crate) fn new(spec: &Spec, request: &Request, context: &Context<'_>) -> Plan {
        let watched = request.mode == Mode::Safe && context.host.os != Os::Windows;
        Plan {
            stream_id: request.stream_id.clone(),
            agent: spec.id.clone(),
            agent_version: Some(context.binary.version.clone()),
            mode: request.mode,
            model: request.model.clone(),
            session_id: None,
            program: context.binary.program.clone(),
            args: Vec::new(),
            cwd: request.vault.clone(),
            scratch: None,
            stdin: Stdin::Null,
            env: BTreeMap::new(),
            files: Vec::new(),
            result_file: None,
            notices: Vec::new(),
            output: OutputFormat::Json,
            mcp_servers: request.mcp_servers.iter().map(|server| server.name.clone()).collect(),
            allowed_tools: None,
            allowed_folders: if watched { boundary::both(&request.vault, context.survey) } else { Vec::new() },
            watched: if request.mode == Mode::Safe { OBEYED } else { &[] },
            leftovers: Vec::new(),
            timeout: request.timeout,
            idle_timeout: request.idle_timeout,
            ticket: Ticket::default(),
        }
    }

    /// The id to cancel the run by.
    pub fn stream_id(&self) -> &str {
        &self.stream_id
    }

    /// The agent.
    pub fn agent(&self) -> &AgentId {
        &self.agent
    }

    /// The agent's version, where known.
    pub fn agent_version(&self) -> Option<&str> {
        self.agent_version.as_deref()
    }

    /// How much the agent may do.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The session's id, where the agent takes one of ours.
    pub fn session_id(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    /// The program that is started, as an absolute path.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Its arguments. Holds the prompt, unless that goes to [`stdin`](Plan::stdin).
    pub fn args(&self) -> &[Arg] {
        &self.args
    }

    /// The folder the agent works in.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// What it reads on stdin.
    pub fn stdin(&self) -> &Stdin {
        &self.stdin
    }

    /// The changes to the host's environment, by name. A secret prints as such; [`EnvValue::expose`] has its value.
    pub fn env(&self) -> &BTreeMap<String, EnvChange> {
        &self.env
    }

    /// The files that exist for this run only.
    pub fn files(&self) -> &[PrivateFile] {
        &self.files
    }

    /// What other programs obey in the vault and the mode does not let the agent change, as paths below the vault: settings of
    /// agents and editors, Git's hooks. The run looks at it before its start and after its end, and tells a change as a notice.
    pub fn watched(&self) -> impl Iterator<Item = &'static str> {
        self.watched.iter().map(|place| place.path)
    }

    /// What the person should be told at the start; the run tells it as notices.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }
}

/// Joins a plan to the launcher that made it: a cancel between planning and start sticks to it. Shared by clones.
///
/// Prints nothing and is equal to any other, since a plan is a pure function of what it was made from.
#[derive(Clone, Default)]
pub(crate) struct Ticket {
    pub(crate) cancelled: Arc<AtomicBool>,
    /// Values that must not be shown, beside those of `env`: those of the MCP servers.
    pub(crate) secrets: Arc<Vec<String>>,
}

impl PartialEq for Ticket {
    fn eq(&self, _: &Ticket) -> bool {
        true
    }
}

impl std::fmt::Debug for Ticket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ticket")
    }
}

impl Serialize for Plan {
    /// The plan as `plan --json` prints it. Names of secrets, never their values; sizes of files and stdin, never their
    /// bytes. A private file stands in the arguments as `<purpose>`, since its path is chosen at the start.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut plan = serializer.serialize_struct("Plan", 9)?;
        plan.serialize_field("stream_id", &self.stream_id)?;
        plan.serialize_field("agent", &self.agent)?;
        plan.serialize_field("mode", &self.mode)?;
        plan.serialize_field("program", &self.program.to_string_lossy())?;
        plan.serialize_field("args", &self.printed_args())?;
        plan.serialize_field("cwd", &self.printed_cwd())?;
        let stdin = match &self.stdin {
            Stdin::Null => serde_json::json!({ "kind": "null" }),
            Stdin::Bytes(bytes) => serde_json::json!({ "kind": "bytes", "bytes": bytes.len() }),
        };
        plan.serialize_field("stdin", &stdin)?;
        let mut set = BTreeMap::new();
        let (mut secret, mut remove) = (Vec::new(), Vec::new());
        for (name, change) in &self.env {
            match change {
                EnvChange::Set(EnvValue::Plain(value)) => drop(set.insert(name, value.clone())),
                EnvChange::Joined(parts) => drop(set.insert(name, self.printed(parts).concat())),
                EnvChange::Set(EnvValue::Secret(_)) => secret.push(name),
                EnvChange::Remove => remove.push(name),
            }
        }
        plan.serialize_field("env", &serde_json::json!({ "set": set, "secret": secret, "remove": remove }))?;
        let files = self.files.iter().map(|file| serde_json::json!({ "purpose": file.purpose, "bytes": file.len() }));
        plan.serialize_field("files", &files.collect::<Vec<_>>())?;
        plan.end()
    }
}

impl fmt::Display for Plan {
    /// The plan as lines for a unix shell, for people to read; secrets and private files are only named.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "cd {}", quoted(&self.printed_cwd()))?;
        for (name, change) in &self.env {
            match change {
                EnvChange::Set(EnvValue::Plain(value)) => writeln!(f, "export {name}={}", quoted(value))?,
                EnvChange::Joined(parts) => writeln!(f, "export {name}={}", quoted(&self.printed(parts).concat()))?,
                EnvChange::Set(EnvValue::Secret(_)) => writeln!(f, "export {name}='<secret>'")?,
                EnvChange::Remove => writeln!(f, "unset {name}")?,
            }
        }
        f.write_str(&quoted(&self.program.to_string_lossy()))?;
        for arg in self.printed_args() {
            write!(f, " \\\n  {}", quoted(&arg))?;
        }
        match &self.stdin {
            Stdin::Null => f.write_str(" \\\n  < /dev/null")?,
            Stdin::Bytes(bytes) => write!(f, " \\\n  < <{} bytes of prompt>", bytes.len())?,
        }
        for file in &self.files {
            write!(f, "\n# <{}> is a private file of {} bytes", file.purpose, file.len())?;
        }
        Ok(())
    }
}

impl Plan {
    /// The folder it works from; a private one by its name, since its path is chosen at the start.
    fn printed_cwd(&self) -> String {
        match &self.scratch {
            Some(Scratch { name, below: Some(below), stays: true }) => below.join(name).to_string_lossy().into_owned(),
            Some(scratch) => format!("<private folder {}>", scratch.name),
            None => self.cwd.to_string_lossy().into_owned(),
        }
    }

    fn printed_args(&self) -> Vec<String> {
        self.printed(&self.args)
    }

    /// Arguments or parts of a value with private files by their purpose.
    fn printed(&self, args: &[Arg]) -> Vec<String> {
        let printed = |arg: &Arg| match arg {
            Arg::Text(text) => text.clone(),
            Arg::File { prefix, file } => {
                let purpose = self.files.get(*file).map_or("file", |file| file.purpose.as_str());
                format!("{prefix}<{purpose}>")
            }
        };
        args.iter().map(printed).collect()
    }
}

/// `text` as one word of a unix shell.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@,+%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}
