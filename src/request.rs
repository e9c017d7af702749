//! What an app asks for: which agent, which vault, which prompt, how much the agent may do.
//!
//! Building a request does no I/O and decides nothing; `plan` decides.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::plugin::Plugin;

/// The id of an agent, such as `copilot`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AgentId(Cow<'static, str>);

impl AgentId {
    /// GitHub Copilot CLI.
    pub const COPILOT: AgentId = AgentId(Cow::Borrowed("copilot"));
    /// Claude Code.
    pub const CLAUDE_CODE: AgentId = AgentId(Cow::Borrowed("claude-code"));
    /// Codex CLI.
    pub const CODEX: AgentId = AgentId(Cow::Borrowed("codex"));
    /// OpenCode.
    pub const OPENCODE: AgentId = AgentId(Cow::Borrowed("opencode"));
    /// The scripted stand-in that the command plays itself. In no list of agents, and found by no search: it works only
    /// where [`LauncherBuilder::program`](crate::LauncherBuilder::program) names the command as its program.
    #[cfg(feature = "cli")]
    pub const DEMO: AgentId = AgentId(Cow::Borrowed("demo"));

    /// An id by name. Whether the launcher knows it shows when a plan is made.
    pub fn new(id: impl Into<String>) -> AgentId {
        AgentId(Cow::Owned(id.into()))
    }

    /// An id by a name that is known when the program is built.
    pub const fn from_static(id: &'static str) -> AgentId {
        AgentId(Cow::Borrowed(id))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// How much the agent may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Reads and edits the vault and uses the app's MCP servers; no shell. The default.
    #[default]
    Safe,
    /// Every tool of the agent without asking, the shell included. Paths and URLs keep the agent's own checks.
    PowerUser,
}

impl Mode {
    /// The mode as it stands in JSON: `safe` or `power_user`.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Safe => "safe",
            Mode::PowerUser => "power_user",
        }
    }
}

/// A value of an environment variable. A secret never prints.
#[derive(Clone, PartialEq, Eq)]
pub enum EnvValue {
    /// May be shown in plans and logs.
    Plain(String),
    /// Shown only as its name.
    Secret(String),
}

impl EnvValue {
    /// The value itself, to hand to a process. Never print it.
    pub fn expose(&self) -> &str {
        match self {
            EnvValue::Plain(value) | EnvValue::Secret(value) => value,
        }
    }

    /// Whether the value must not be shown.
    pub fn is_secret(&self) -> bool {
        matches!(self, EnvValue::Secret(_))
    }
}

impl fmt::Debug for EnvValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EnvValue::Plain(value) => value.fmt(f),
            EnvValue::Secret(_) => f.write_str("<redacted>"),
        }
    }
}

/// An MCP server of the app, started by the agent for this run only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpServer {
    pub(crate) name: String,
    pub(crate) command: PathBuf,
    pub(crate) args: Vec<String>,
    pub(crate) env: BTreeMap<String, EnvValue>,
}

impl McpServer {
    /// A server that speaks MCP over its stdin and stdout.
    ///
    /// `command` is a program name, looked up on the agent's `PATH` when the plan is made, or a path. `name` is what
    /// the agent calls the server: letters, digits, `_` and `-`.
    pub fn stdio(name: impl Into<String>, command: impl Into<PathBuf>) -> McpServer {
        McpServer { name: name.into(), command: command.into(), args: Vec::new(), env: BTreeMap::new() }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<String>) -> McpServer {
        self.args.push(arg.into());
        self
    }

    /// Sets a variable of the server that may be shown.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> McpServer {
        self.env.insert(name.into(), EnvValue::Plain(value.into()));
        self
    }

    /// Sets a variable of the server that must not be shown. It travels in a private file or, with an agent that cannot read
    /// one, in a variable; never in the arguments.
    #[must_use]
    pub fn secret_env(mut self, name: impl Into<String>, value: impl Into<String>) -> McpServer {
        self.env.insert(name.into(), EnvValue::Secret(value.into()));
        self
    }

    /// The server's name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// What an app asks of an agent. Built in one expression; every setting has a default.
#[derive(Clone)]
pub struct Request {
    pub(crate) agent: AgentId,
    pub(crate) vault: PathBuf,
    pub(crate) prompt: String,
    pub(crate) mode: Mode,
    pub(crate) stream_id: String,
    pub(crate) session_id: String,
    pub(crate) resume: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) system_prompt: Option<String>,
    pub(crate) mcp_servers: Vec<McpServer>,
    pub(crate) plugins: Vec<Plugin>,
    /// Set only by [`WorkflowRequest`](crate::WorkflowRequest).
    pub(crate) workflow: Option<crate::workflow::Call>,
    pub(crate) env: BTreeMap<String, EnvValue>,
    pub(crate) env_remove: Vec<String>,
    pub(crate) extra_args: Vec<String>,
    pub(crate) private_prompt: bool,
    pub(crate) timeout: Option<Duration>,
    pub(crate) idle_timeout: Option<Duration>,
}

impl Request {
    /// Asks `agent` to work on `prompt` in the folder `vault`, in [`Mode::Safe`], in a new session.
    ///
    /// `vault` must be an absolute path; that and everything else is checked when the plan is made. The request gets
    /// a fresh stream id and, for a new session, a fresh session id here, so that planning stays a pure function.
    pub fn new(agent: AgentId, vault: impl AsRef<Path>, prompt: impl Into<String>) -> Request {
        Request {
            agent,
            vault: vault.as_ref().to_path_buf(),
            prompt: prompt.into(),
            mode: Mode::default(),
            stream_id: uuid::Uuid::new_v4().to_string(),
            session_id: uuid::Uuid::new_v4().to_string(),
            resume: None,
            model: None,
            system_prompt: None,
            mcp_servers: Vec::new(),
            plugins: Vec::new(),
            workflow: None,
            env: BTreeMap::new(),
            env_remove: Vec::new(),
            extra_args: Vec::new(),
            private_prompt: false,
            timeout: None,
            idle_timeout: None,
        }
    }

    /// Sets how much the agent may do. Default: [`Mode::Safe`].
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Request {
        self.mode = mode;
        self
    }

    /// Names the run, so that the app can cancel it by this id. Default: a fresh UUID.
    #[must_use]
    pub fn stream_id(mut self, id: impl Into<String>) -> Request {
        self.stream_id = id.into();
        self
    }

    /// Chooses the id of the new session instead of a fresh UUID, where the agent takes one: GitHub Copilot CLI and Claude
    /// Code do, and take only a UUID. Codex and OpenCode name their sessions themselves, and this is not passed: the run's
    /// `Done` tells which session to continue. Ignored where [`resume`](Request::resume) is set.
    ///
    /// Not for a session that exists: Copilot continues it, Claude Code fails. To continue one, use
    /// [`resume`](Request::resume).
    #[must_use]
    pub fn session_id(mut self, id: impl Into<String>) -> Request {
        self.session_id = id.into();
        self
    }

    /// Continues the session with this id, as an earlier run's `Done` told it. Default: a new session.
    #[must_use]
    pub fn resume(mut self, session_id: impl Into<String>) -> Request {
        self.resume = Some(session_id.into());
        self
    }

    /// Chooses the model by the agent's own name for it. Default: the agent's.
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Request {
        self.model = Some(model.into());
        self
    }

    /// Puts the app's own instructions before the prompt. Default: none.
    #[must_use]
    pub fn system_prompt(mut self, text: impl Into<String>) -> Request {
        self.system_prompt = Some(text.into());
        self
    }

    /// Adds an MCP server of the app for this run. May be repeated; names must differ.
    #[must_use]
    pub fn mcp_server(mut self, server: McpServer) -> Request {
        self.mcp_servers.push(server);
        self
    }

    /// Adds the plugin in this folder for this run. May be repeated.
    ///
    /// The plan passes the least grant that lets the plugin's extensions join, and in Safe mode offers the tools that its
    /// manifest names. To name tools yourself, add a [`Plugin`].
    #[must_use]
    pub fn plugin_dir(self, dir: impl Into<PathBuf>) -> Request {
        self.plugin(Plugin::new(dir))
    }

    /// Adds a plugin for this run. May be repeated; names must differ.
    #[must_use]
    pub fn plugin(mut self, plugin: Plugin) -> Request {
        self.plugins.push(plugin);
        self
    }

    /// Sets a variable of the agent that may be shown.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Request {
        self.env.insert(name.into(), EnvValue::Plain(value.into()));
        self
    }

    /// Sets a variable of the agent that must not be shown.
    #[must_use]
    pub fn secret_env(mut self, name: impl Into<String>, value: impl Into<String>) -> Request {
        self.env.insert(name.into(), EnvValue::Secret(value.into()));
        self
    }

    /// Takes a variable away from the agent, for example a token that belongs to another tool.
    #[must_use]
    pub fn remove_env(mut self, name: impl Into<String>) -> Request {
        self.env_remove.push(name.into());
        self
    }

    /// Adds an argument of the agent's own. Arguments that would widen the mode are refused when the plan is made.
    #[must_use]
    pub fn extra_arg(mut self, arg: impl Into<String>) -> Request {
        self.extra_args.push(arg.into());
        self
    }

    /// Keeps the prompt out of the argument list, which other users of the machine can read. Default: off.
    #[must_use]
    pub fn private_prompt(mut self, private: bool) -> Request {
        self.private_prompt = private;
        self
    }

    /// Stops the run after this long, whatever it is doing. More than zero. Default: no limit.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Request {
        self.timeout = Some(limit);
        self
    }

    /// Stops the run after this long without a byte from the agent. More than zero. Default: no limit.
    #[must_use]
    pub fn idle_timeout(mut self, limit: Duration) -> Request {
        self.idle_timeout = Some(limit);
        self
    }

    /// The stream id of the run this request asks for.
    pub fn id(&self) -> &str {
        &self.stream_id
    }
}

impl fmt::Debug for Request {
    /// Prints no prompt and no secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("agent", &self.agent)
            .field("vault", &self.vault)
            .field("prompt", &format_args!("<{} bytes>", self.prompt.len()))
            .field("mode", &self.mode)
            .field("stream_id", &self.stream_id)
            .field("resume", &self.resume)
            .field("model", &self.model)
            .field("mcp_servers", &self.mcp_servers)
            .field("plugins", &self.plugins)
            .field("env", &self.env)
            .field("env_remove", &self.env_remove)
            .field("extra_args", &self.extra_args)
            .field("timeout", &self.timeout)
            .field("idle_timeout", &self.idle_timeout)
            .finish_non_exhaustive()
    }
}
