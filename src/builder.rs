//! The settings of a launcher, with their defaults.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::adapters::Agents;
use crate::adapters::custom::{CustomAgent, CustomAgentError};
use crate::discover::Discovery;
use crate::env::HostEnv;
use crate::launcher::{Launcher, Shared};
use crate::request::AgentId;

/// Settings of a [`Launcher`].
#[derive(Clone, Debug)]
pub struct LauncherBuilder {
    app: String,
    host: Option<HostEnv>,
    agents: Agents,
    programs: Vec<(AgentId, PathBuf)>,
    login_shell_limit: Duration,
    probe_limit: Duration,
    grace: Duration,
    max_line: usize,
}

impl LauncherBuilder {
    pub(crate) fn new() -> LauncherBuilder {
        LauncherBuilder {
            app: "the app".into(),
            host: None,
            agents: Agents::default(),
            programs: Vec::new(),
            login_shell_limit: Duration::from_secs(5),
            probe_limit: Duration::from_secs(10),
            grace: Duration::from_secs(2),
            max_line: 8 * 1024 * 1024,
        }
    }

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
    ///
    /// The last one set for an agent counts.
    #[must_use]
    pub fn program(mut self, agent: AgentId, path: impl Into<PathBuf>) -> LauncherBuilder {
        self.programs.push((agent, path.into()));
        self
    }

    /// Adds an agent that the app describes itself, behind those of this crate. Everything then works as for any agent.
    ///
    /// # Errors
    ///
    /// Where an agent with its id was added before.
    pub fn agent(mut self, agent: CustomAgent) -> Result<LauncherBuilder, CustomAgentError> {
        if self.agents.find(agent.id()).is_ok() {
            return Err(agent.twice());
        }
        self.agents.add(agent.adapter);
        Ok(self)
    }

    /// How long the login shell may take to answer. Default: 5 seconds.
    #[must_use]
    pub fn login_shell_limit(mut self, limit: Duration) -> LauncherBuilder {
        self.login_shell_limit = limit;
        self
    }

    /// How long a candidate may take to tell its version. A first start on a slow disk takes seconds. Default: 10 seconds.
    #[must_use]
    pub fn probe_limit(mut self, limit: Duration) -> LauncherBuilder {
        self.probe_limit = limit;
        self
    }

    /// How long an agent may take to end by itself once it was asked to, before all of it is killed; also
    /// after the host itself was killed (Linux, macOS). Default: 2 seconds.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> LauncherBuilder {
        self.grace = grace;
        self
    }

    /// The longest line of an agent that is decoded, in bytes. A longer one is skipped, told as a `Notice`, and the run
    /// goes on. Default: 8 MiB.
    #[must_use]
    pub fn max_line(mut self, bytes: usize) -> LauncherBuilder {
        self.max_line = bytes;
        self
    }

    /// The launcher.
    pub fn build(self) -> Launcher {
        let host = self.host.unwrap_or_else(HostEnv::capture);
        let discovery = Discovery::new(host.clone(), &self.app, self.login_shell_limit, self.probe_limit);
        let shared = Shared {
            app: self.app,
            host,
            agents: self.agents,
            programs: self.programs,
            discovery,
            registry: Arc::default(),
            grace: self.grace,
            max_line: self.max_line,
        };
        Launcher { shared: Arc::new(shared) }
    }
}
