//! The door of the crate: what an app holds.

use std::path::PathBuf;
use std::time::Duration;

use crate::adapters;
use crate::discover::{AgentStatus, Binary, Search};
use crate::env::HostEnv;
use crate::error::Error;
use crate::guidance::{self, Failure, Guidance};
use crate::plan::Plan;
use crate::request::{AgentId, Request};
use crate::run::Run;

/// Finds agents, makes plans and starts runs. One for an app; cheap to clone, shared by all clones.
#[derive(Clone, Debug)]
pub struct Launcher {
    _builder: LauncherBuilder,
}

/// Settings of a [`Launcher`].
#[derive(Clone, Debug)]
pub struct LauncherBuilder {
    app: String,
    host: Option<HostEnv>,
    programs: Vec<(AgentId, PathBuf)>,
    login_shell_limit: Duration,
}

impl LauncherBuilder {
    /// The app's name, as guidance shows it. Default: `the app`.
    #[must_use]
    pub fn app(mut self, name: impl Into<String>) -> LauncherBuilder {
        self.app = name.into();
        self
    }

    /// The host's environment. Default: captured from this process when the launcher is built.
    #[must_use]
    pub fn host(mut self, host: HostEnv) -> LauncherBuilder {
        self.host = Some(host);
        self
    }

    /// The path that the person chose for an agent. It wins over the search, and is validated like any other.
    #[must_use]
    pub fn program(mut self, agent: AgentId, path: impl Into<PathBuf>) -> LauncherBuilder {
        self.programs.push((agent, path.into()));
        self
    }

    /// How long the login shell may take to answer. Default: 5 seconds.
    #[must_use]
    pub fn login_shell_limit(mut self, limit: Duration) -> LauncherBuilder {
        self.login_shell_limit = limit;
        self
    }

    /// The launcher.
    pub fn build(self) -> Launcher {
        Launcher { _builder: self }
    }
}

impl Launcher {
    /// Settings with their defaults.
    pub fn builder() -> LauncherBuilder {
        LauncherBuilder {
            app: "the app".into(),
            host: None,
            programs: Vec::new(),
            login_shell_limit: Duration::from_secs(5),
        }
    }

    /// Every agent: whether it is there, where, and what to do if not.
    pub async fn agents(&self) -> Vec<AgentStatus> {
        Vec::new()
    }

    /// The search for one agent, in full.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownAgent`].
    pub async fn search(&self, agent: &AgentId) -> Result<Search, Error> {
        Err(Error::UnknownAgent { agent: agent.clone(), known: Vec::new() })
    }

    /// Finds the agent and decides the exact command.
    ///
    /// # Errors
    ///
    /// Whatever would keep the run from starting: see [`Error`].
    pub async fn plan(&self, request: &Request) -> Result<Plan, Error> {
        let _ = request;
        Err(Error::ShutDown)
    }

    /// The pure core of [`plan`](Launcher::plan), for an agent that was found before. Reads no file.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with the request itself.
    pub fn plan_with(&self, request: &Request, binary: &Binary) -> Result<Plan, Error> {
        let _ = (request, binary);
        Err(Error::ShutDown)
    }

    /// Starts a plan. Registered under its stream id before the process exists.
    ///
    /// # Errors
    ///
    /// Where the process could not be started, or the stream id is in use.
    pub fn start(&self, plan: Plan) -> Result<Run, Error> {
        let _ = plan;
        Err(Error::NoRuntime)
    }

    /// Stops the run with this stream id. Returns at once; the run's `Done` tells the end.
    ///
    /// Returns whether such a run was live. Calling it again is harmless. May be called from any thread.
    pub fn cancel(&self, stream_id: &str) -> bool {
        let _ = stream_id;
        false
    }

    /// Stops every run and refuses new ones; returns when all are gone or `limit` has passed.
    ///
    /// Returns how many runs were still live at the limit.
    pub async fn shutdown(&self, limit: Duration) -> usize {
        let _ = limit;
        0
    }

    /// Guidance for the stderr of an agent that was run by other means.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownAgent`].
    pub fn classify(&self, agent: &AgentId, exit_code: Option<i32>, stderr: &str) -> Result<Guidance, Error> {
        let spec = adapters::find(agent)?.spec();
        let failure = Failure { exit_code, stderr, ..Failure::new(spec, &self._builder.app) };
        Ok(guidance::classify(&failure))
    }
}
