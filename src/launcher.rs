//! The door of the crate: what an app holds.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use crate::adapters::{self, Context};
use crate::discover::{AgentStatus, Binary, Discovery, Search, environment};
use crate::env::HostEnv;
use crate::error::Error;
use crate::guidance::{self, Failure, Guidance};
use crate::plan::Plan;
use crate::request::{AgentId, Request};
use crate::run::Run;

/// Finds agents, makes plans and starts runs. One for an app; cheap to clone, shared by all clones.
#[derive(Clone, Debug)]
pub struct Launcher {
    settings: Arc<LauncherBuilder>,
    discovery: Discovery,
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
        let host = self.host.clone().unwrap_or_else(HostEnv::capture);
        let discovery = Discovery::new(host, self.login_shell_limit);
        Launcher { settings: Arc::new(self), discovery }
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
        let looking = adapters::ALL.iter().map(|adapter| {
            let (launcher, spec) = (self.clone(), adapter.spec());
            async move { launcher.discovery.status(spec, launcher.chosen(&spec.id)).await }
        });
        // All at once: the login shell is asked one time for all.
        let mut looking: Vec<_> = looking.map(Box::pin).collect();
        let mut found: Vec<Option<AgentStatus>> = looking.iter().map(|_| None).collect();
        std::future::poll_fn(|context| {
            for (future, status) in looking.iter_mut().zip(&mut found).filter(|(_, status)| status.is_none()) {
                if let Poll::Ready(ready) = future.as_mut().poll(context) {
                    *status = Some(ready);
                }
            }
            if found.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        found.into_iter().flatten().collect()
    }

    /// The path that the person chose for an agent; the last one given counts.
    fn chosen(&self, agent: &AgentId) -> Option<&Path> {
        let mut programs = self.settings.programs.iter().rev();
        programs.find(|(other, _)| other == agent).map(|(_, path)| path.as_path())
    }

    /// The search for one agent, in full.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownAgent`].
    pub async fn search(&self, agent: &AgentId) -> Result<Search, Error> {
        let spec = adapters::find(agent)?.spec();
        Ok(self.discovery.search(spec, self.chosen(agent)).await)
    }

    /// Finds the agent and decides the exact command.
    ///
    /// # Errors
    ///
    /// Whatever would keep the run from starting: see [`Error`].
    pub async fn plan(&self, request: &Request) -> Result<Plan, Error> {
        let search = self.search(&request.agent).await?;
        let Some(binary) = search.binary else {
            let guidance = search.guidance.expect("a search without a binary says why");
            return Err(Error::Setup(Box::new(guidance)));
        };
        let mut commands = Vec::new();
        for server in &request.mcp_servers {
            let resolved = self.discovery.resolve_command(&binary, &server.command);
            commands.push(resolved.ok_or_else(|| Error::InvalidServer {
                name: server.name.clone(),
                problem: format!("its command `{}` was not found on the agent's PATH", server.command.display()),
            })?);
        }
        self.plan_by(request, &binary, &commands)
    }

    /// The pure core of [`plan`](Launcher::plan), for an agent that was found before. Reads no file.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with the request itself.
    pub fn plan_with(&self, request: &Request, binary: &Binary) -> Result<Plan, Error> {
        let commands: Vec<PathBuf> = request.mcp_servers.iter().map(|server| server.command.clone()).collect();
        self.plan_by(request, binary, &commands)
    }

    fn plan_by(&self, request: &Request, binary: &Binary, mcp_commands: &[PathBuf]) -> Result<Plan, Error> {
        let host = self.discovery.host();
        let adapter = adapters::find(&request.agent)?;
        let context = Context { binary, host, app: &self.settings.app, mcp_commands };
        let mut plan = adapter.plan(request, &context)?;
        // One environment for every agent, and what the adapter decided about a variable wins.
        for (name, change) in environment::changes(host, binary) {
            plan.env.entry(name).or_insert(change);
        }
        Ok(plan)
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
        let failure = Failure { exit_code, stderr, ..Failure::new(spec, &self.settings.app) };
        Ok(guidance::classify(&failure))
    }
}
