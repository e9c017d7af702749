//! A definition as data, after it was read and before it is an agent.

use serde_json::{Map, Value};

use super::reader::At;
use super::template::Template;
use super::values::{Condition, Path};
use crate::adapters::StopSignal;
use crate::guidance::Code;
use crate::request::Mode;

/// All that a host says of an agent.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    pub(super) id: At<String>,
    pub(super) name: String,
    pub(super) programs: Vec<String>,
    pub(super) find: Find,
    pub(super) version: Version,
    pub(super) setup: Setup,
    pub(super) stop: StopSignal,
    pub(super) environment: Environment,
    pub(super) run: Run,
    pub(super) options: Options,
    pub(super) safe: Option<ModeFacts>,
    pub(super) power_user: Option<ModeFacts>,
    pub(super) mcp: Option<Mcp>,
    pub(super) files: Vec<File>,
    pub(super) output: Output,
    pub(super) guidance: Vec<Meaning>,
}

impl Definition {
    /// What is said of a mode.
    pub(super) fn mode(&self, mode: Mode) -> Option<&ModeFacts> {
        match mode {
            Mode::Safe => self.safe.as_ref(),
            Mode::PowerUser => self.power_user.as_ref(),
        }
    }
}

/// Where it is installed.
#[derive(Clone, Debug, Default)]
pub(super) struct Find {
    pub(super) home_dirs: Vec<String>,
    pub(super) npm_package: Option<String>,
    pub(super) npm_native: Option<(String, String)>,
}

/// How it is known, and which versions may run.
#[derive(Clone, Debug)]
pub(super) struct Version {
    pub(super) args: Vec<String>,
    pub(super) env: Vec<(String, String)>,
    pub(super) identity: String,
    pub(super) install_prompts: Vec<String>,
    pub(super) floor: Option<String>,
    pub(super) tested: Option<String>,
}

/// What a person does to have it.
#[derive(Clone, Debug, Default)]
pub(super) struct Setup {
    pub(super) install: String,
    pub(super) install_url: String,
    pub(super) update: String,
    pub(super) login: String,
    pub(super) auth_variables: Vec<String>,
}

/// Its variables.
#[derive(Clone, Debug, Default)]
pub(super) struct Environment {
    pub(super) safe: Vec<String>,
    pub(super) strip: Vec<String>,
    pub(super) set: Vec<(String, String)>,
}

/// What every run has.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) args: Vec<Template>,
    /// Whether it works from an empty private folder instead of the vault.
    pub(super) scratch: bool,
    /// Where the prompt travels; `None` for stdin.
    pub(super) prompt_args: Option<Vec<Template>>,
    /// What stands on stdin, with `{prompt}` or `{prompt_json}`; `None` for the prompt alone.
    pub(super) prompt_text: Option<String>,
    /// Beginnings of a prompt that the agent takes for a command of its own.
    pub(super) commands: Vec<String>,
}

/// What a request may choose. What is `None` is refused.
#[derive(Clone, Debug, Default)]
pub(super) struct Options {
    pub(super) model: Option<Vec<Template>>,
    pub(super) resume: Option<Vec<Template>>,
    pub(super) new_session: Option<Vec<Template>>,
    pub(super) system_prompt: Option<Vec<Template>>,
    /// Whether the app's own instructions stand before the prompt.
    pub(super) system_in_prompt: bool,
    /// Names of flags that a request may add, a value joined to each.
    pub(super) extra: Vec<String>,
}

/// How a mode is kept.
#[derive(Clone, Debug)]
pub(super) struct ModeFacts {
    pub(super) args: Vec<Template>,
    pub(super) env: Vec<(String, String)>,
    pub(super) verified: bool,
    /// The tools that it gives; `None` where they are not named.
    pub(super) tools: Option<Vec<String>>,
    /// Those of them that write the file at a tool rule's `path`.
    pub(super) writers: Vec<String>,
}

/// The way of the MCP servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum McpForm {
    /// The JSON stands in the arguments.
    Argument(Vec<Template>),
    /// The JSON stands in a private file, whose path is in the arguments.
    File(Vec<Template>),
    /// The JSON stands in a file below the private folder that the agent works from.
    ScratchFile(String),
    /// The JSON stands in a variable.
    Variable(String),
}

/// How the MCP servers are handed over.
#[derive(Clone, Debug)]
pub(super) struct Mcp {
    pub(super) form: McpForm,
    /// Whether it is handed over without servers, too.
    pub(super) always: bool,
    /// The keys that lead to the servers, by name.
    pub(super) servers: Vec<String>,
    pub(super) command: String,
    /// The key of the arguments; `None` where they follow the command in one list.
    pub(super) args: Option<String>,
    pub(super) env: String,
    /// What each server has beside.
    pub(super) server: Map<String, Value>,
    /// What stands beside the servers.
    pub(super) rest: Map<String, Value>,
    /// The keys that lead to a list of the servers' names.
    pub(super) names: Vec<String>,
    /// What the agent would replace in a value, so that a server that has it is refused.
    pub(super) expands: Vec<String>,
    /// Names that no server may have.
    pub(super) reserved: Vec<String>,
    /// Arguments for each server, with `{server}`.
    pub(super) each: Vec<Template>,
    /// How its tools are called, with `{server}`.
    pub(super) tools: Option<String>,
}

/// A private file of every run.
#[derive(Clone, Debug)]
pub(super) struct File {
    pub(super) purpose: String,
    /// Its name; with folders it is below the private folder that the agent works from.
    pub(super) name: String,
    pub(super) text: String,
}

/// How stdout is read.
#[derive(Clone, Debug)]
pub(super) enum Output {
    /// It is the answer.
    Text,
    /// One JSON object a line, with a meaning by these rules.
    Json(Vec<OutputRule>),
}

/// What a line means.
#[derive(Clone, Debug)]
pub(super) struct OutputRule {
    pub(super) when: Vec<Condition>,
    /// The list of which each entry is looked at by itself.
    pub(super) each: Option<Path>,
    /// What an entry must be.
    pub(super) only: Vec<Condition>,
    pub(super) event: Means,
}

/// The numbers of usage that a definition may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    Input,
    Output,
    Cost,
    ApiMs,
    SessionMs,
}

/// What is told.
#[derive(Clone, Debug)]
pub(super) enum Means {
    /// A piece of the answer; where `whole`, all of a message whose pieces may have come before.
    Text {
        text: Path,
        whole: bool,
    },
    /// The same of the agent's thinking.
    Thinking {
        text: Path,
        whole: bool,
    },
    /// The next piece of the answer begins a paragraph.
    Break,
    /// A tool begins, ends, or both at once.
    Tool(Box<ToolFacts>),
    Session {
        id: Path,
    },
    Usage {
        counts: Vec<(Count, Path)>,
        add: bool,
    },
    Error {
        message: Path,
        kind: Option<Path>,
        code: Option<Path>,
        status: Option<Path>,
        fatal: bool,
    },
    Notice {
        message: Path,
    },
    Mcp {
        server: Path,
        status: Path,
        detail: Option<Path>,
    },
    /// The agent's last word.
    Final {
        exit_code: Option<Path>,
    },
    /// Known, and nothing to tell.
    Ignore,
}

impl Means {
    /// The tool's part, where it tells of one.
    pub(super) fn tool(&self) -> Option<&ToolFacts> {
        match self {
            Means::Tool(facts) => Some(facts),
            _ => None,
        }
    }
}

/// How a tool is told.
#[derive(Clone, Debug)]
pub(super) struct ToolFacts {
    pub(super) begins: bool,
    pub(super) ends: bool,
    pub(super) id: Path,
    pub(super) name: Option<Path>,
    pub(super) input: Option<Path>,
    pub(super) path: Option<Path>,
    pub(super) output: Option<Path>,
    pub(super) ok: Vec<Condition>,
    pub(super) failed: Vec<Condition>,
    pub(super) denied: Vec<Condition>,
}

/// A signal of a failure.
#[derive(Clone, Debug)]
pub(super) enum Signal {
    Phrase(String),
    Answer(String),
    Exit(Vec<i32>),
    Event { kinds: Vec<String>, codes: Vec<String>, status: Option<(u16, u16)> },
}

/// What a failure means.
#[derive(Clone, Debug)]
pub(super) struct Meaning {
    pub(super) signal: Signal,
    pub(super) code: Code,
    pub(super) source: String,
    pub(super) example: String,
    pub(super) near_miss: String,
}
