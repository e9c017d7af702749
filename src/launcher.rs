//! The door of the crate: what an app holds.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::Duration;

use futures_core::Stream;
use tokio::time::{Instant, timeout};

use crate::adapters::{self, Agents, Spec};
use crate::builder::LauncherBuilder;
use crate::discover::{AgentStatus, Binary, Discovery, Search, environment};
use crate::env::{HostEnv, Os};
use crate::error::Error;
use crate::event::Event;
use crate::guidance::{self, Failure, Guidance};
use crate::plan::{EnvChange, Plan, Stdin, Ticket};
use crate::plugin::Plugin;
use crate::process::{self, Command, Polite, Spawn, Tree};
use crate::request::{AgentId, Request};
use crate::run::{Live, Registry, Run};
use crate::supervise::{self, Facts, Limits, PrivateFiles, Supervisor};
use crate::survey::Survey;
use crate::validate;
use crate::watch::Watch;

/// Finds agents, makes plans and starts runs. One for an app; cheap to clone, shared by all clones.
#[derive(Clone, Debug)]
pub struct Launcher {
    pub(crate) shared: Arc<Shared>,
}

/// What all clones of a launcher share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) app: String,
    pub(crate) host: HostEnv,
    pub(crate) agents: Agents,
    pub(crate) programs: Vec<(AgentId, PathBuf)>,
    pub(crate) discovery: Discovery,
    pub(crate) registry: Arc<Registry>,
    pub(crate) grace: Duration,
    pub(crate) max_line: usize,
}

impl Launcher {
    /// Settings with their defaults.
    pub fn builder() -> LauncherBuilder {
        LauncherBuilder::new()
    }

    /// Every agent: whether it is there, where, and what to do if not.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime that has timers and I/O.
    pub async fn agents(&self) -> Vec<AgentStatus> {
        let looking = self.shared.agents.listed().map(|adapter| {
            let (launcher, spec) = (self.clone(), adapter.spec());
            async move { launcher.shared.discovery.status(spec, launcher.chosen(&spec.id)).await }
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

    /// Every agent as far as it is known this moment, for a list to show while [`agents`](Launcher::agents) looks: `Checking`
    /// until a search has found it, then what that found for as long as the files are the same.
    ///
    /// Starts nothing and waits for no search; it looks whether the files of the last answer are unchanged. What was not
    /// found is never remembered, and is `Checking` again.
    pub fn agents_now(&self) -> Vec<AgentStatus> {
        let statuses = self.shared.agents.listed().map(|adapter| {
            let spec = adapter.spec();
            self.shared.discovery.status_now(spec, self.chosen(&spec.id))
        });
        statuses.collect()
    }

    /// The search for one agent, in full.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownAgent`]; [`Error::NoRuntime`] outside a tokio runtime that has timers and I/O.
    pub async fn search(&self, agent: &AgentId) -> Result<Search, Error> {
        process::runtime().ok_or(Error::NoRuntime)?;
        let adapter = self.shared.agents.find(agent)?;
        let mut search = self.shared.discovery.search(adapter.spec(), self.chosen(agent)).await;
        search.child_environments = adapter.child_environments(&self.shared.host);
        Ok(search)
    }

    /// Finds the agent and decides the exact command.
    ///
    /// A [`cancel`](Launcher::cancel) with the request's stream id from here on sticks to the plan: [`start`](Launcher::start)
    /// then starts nothing, and the run is over at once as cancelled.
    ///
    /// # Errors
    ///
    /// Whatever would keep the run from starting: see [`Error`].
    pub async fn plan(&self, request: &Request) -> Result<Plan, Error> {
        process::runtime().ok_or(Error::NoRuntime)?;
        let ticket = self.ticket(request);
        let adapter = self.shared.agents.find(&request.agent)?;
        validate::request(request, self.shared.host.os == Os::Windows)?;
        let (wanted, host) = (request.clone(), self.shared.host.clone());
        // A vault may be on a disk that is slow to answer.
        let looked = tokio::task::spawn_blocking(move || {
            check_vault(&wanted.vault)?;
            let survey = Survey::take(adapter, &wanted, &host);
            let plugins = wanted.plugins.into_iter().map(Plugin::ready).collect::<Result<Vec<_>, _>>()?;
            Ok((survey, plugins))
        });
        let (survey, plugins) = looked.await.unwrap_or(Err(Error::ShutDown))?;
        let request = &Request { plugins, ..request.clone() };
        let search = self.search(&request.agent).await?;
        let Some(binary) = search.binary else {
            let guidance = search.guidance.expect("a search without a binary says why");
            return Err(Error::Setup(Box::new(guidance)));
        };
        let mut commands = Vec::new();
        let wanted = request.mcp_servers.iter().map(|server| server.command.clone()).collect();
        let found = self.shared.discovery.resolve_commands(&binary, wanted).await;
        for (server, found) in request.mcp_servers.iter().zip(found) {
            commands.push(found.ok_or_else(|| Error::InvalidServer {
                name: server.name.clone(),
                problem: match server.command.display() {
                    path if server.command.is_absolute() => format!("there is no program at `{path}`; give its path"),
                    name => format!("the command `{name}` was not found on the agent's `PATH`; give its absolute path"),
                },
            })?);
        }
        self.decide(request, &binary, &commands, &survey, ticket)
    }

    /// The core of [`plan`](Launcher::plan), for an agent that was found before.
    ///
    /// The commands of MCP servers are taken as they are, and whether the vault is there is not looked at. Reads the
    /// agent's own settings, as far as they bear on the mode, and blocks on the disk for that.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with the request itself.
    pub fn plan_with(&self, request: &Request, binary: &Binary) -> Result<Plan, Error> {
        let commands: Vec<_> = request.mcp_servers.iter().map(|server| server.command.clone()).collect();
        let adapter = self.shared.agents.find(&request.agent)?;
        let survey = Survey::take(adapter, request, &self.shared.host);
        self.decide(request, binary, &commands, &survey, self.ticket(request))
    }

    /// Starts a plan. Registered under its stream id before the process exists.
    ///
    /// The run is driven by a task of the current runtime. A plan that was cancelled starts nothing: its run says `Init` and
    /// `Done` with `cancelled`.
    ///
    /// # Errors
    ///
    /// Where the process could not be started, the stream id is in use (see [`Run`] for how long), the launcher is shut
    /// down, or there is no runtime that has timers and I/O.
    pub fn start(&self, plan: Plan) -> Result<Run, Error> {
        let runtime = process::runtime().ok_or(Error::NoRuntime)?;
        let adapter = self.shared.agents.find(&plan.agent)?;
        let mut facts = self.facts(&plan, adapter);
        let live = Live::new(plan.stream_id.clone());
        self.shared.registry.enter(&live, &plan.ticket)?;
        let (sender, last, receiver) = supervise::channel();
        let run = Run::new(Arc::clone(&live), Arc::clone(&self.shared.registry), receiver);
        if plan.ticket.cancelled.load(Ordering::Acquire) || live.cancel.is_cancelled() {
            self.shared.registry.leave(&live);
            supervise::never_started(facts, last);
            return Ok(run);
        }
        facts.watch = Watch::begin(&runtime, &plan.cwd, plan.watched);
        let started = self.spawn(&plan, adapter.spec()).inspect_err(|_| self.shared.registry.leave(&live));
        let (tree, pipes, files) = started?;
        tracing::debug!(stream_id = %plan.stream_id, agent = %plan.agent, pid = tree.leader(), "agent started");
        // Set before anything can drop the run, and only here.
        let _ = live.tree.set(Arc::clone(&tree));
        let limits = Limits { grace: self.shared.grace, timeout: plan.timeout, idle: plan.idle_timeout };
        let stdin = match plan.stdin {
            Stdin::Null => Vec::new(),
            Stdin::Bytes(bytes) => bytes,
        };
        let registry = Arc::clone(&self.shared.registry);
        let supervisor = Supervisor::new(live, registry, facts, limits, tree, pipes, stdin, files, (sender, last));
        runtime.spawn(supervisor.run());
        Ok(run)
    }

    /// Plans and starts in one: the events of the run, or the one error that kept it from starting.
    ///
    /// Nothing happens before the stream is first polled, which must be within a tokio runtime. Dropping the stream ends
    /// what it is at: the search, or the run as [`Run`] says.
    pub fn ask(&self, request: Request) -> impl Stream<Item = Result<Event, Error>> + Send + use<> {
        let launcher = self.clone();
        async_stream::try_stream! {
            let plan = launcher.plan(&request).await?;
            let mut run = launcher.start(plan)?;
            while let Some(event) = run.next().await {
                yield event;
            }
        }
    }

    /// Stops the run with this stream id. Returns at once; the run's `Done` tells the end.
    ///
    /// The agent is asked to end, has its [`grace`](LauncherBuilder::grace), and is then killed with all it started. A plan
    /// that was made and not started yet counts as a run. Returns whether such a run was live. Calling it again is
    /// harmless. May be called from any thread, in or out of a runtime.
    pub fn cancel(&self, stream_id: &str) -> bool {
        self.shared.registry.cancel(stream_id)
    }

    /// Stops every run and refuses new ones; returns when all are gone or `limit` has passed.
    ///
    /// Agents have their grace as far as the limit allows; shortly before it, all that is left is killed. Returns how many
    /// runs were still live at the limit.
    pub async fn shutdown(&self, limit: Duration) -> usize {
        let registry = &self.shared.registry;
        // A limit of years is none; and the clock cannot count beyond.
        let limit = limit.min(Duration::from_secs(365 * 24 * 3600));
        let end = Instant::now() + limit;
        let live = registry.close();
        let patience = limit - (limit / 4).min(Duration::from_secs(1));
        if timeout(patience, registry.empty()).await.is_err() {
            live.iter().for_each(|live| live.hurry.cancel());
            if tokio::time::timeout_at(end, registry.empty()).await.is_err() {
                // The app is about to go. What is still there may not have had the processor to end.
                for tree in live.iter().filter_map(|live| live.tree.get()) {
                    tree.strike();
                }
            }
        }
        registry.count()
    }

    /// What to tell a person about an error of this launcher, in the app's own name.
    pub fn guidance(&self, error: &Error) -> Guidance {
        guidance::of_error(error, &self.shared.app, &self.shared.agents)
    }

    /// Guidance for the stderr of an agent that was run by other means.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownAgent`].
    pub fn classify(&self, agent: &AgentId, exit_code: Option<i32>, stderr: &str) -> Result<Guidance, Error> {
        let spec = self.shared.agents.find(agent)?.spec();
        let failure = Failure { exit_code, stderr, ..Failure::new(spec, &self.shared.app) };
        Ok(guidance::classify(&failure))
    }

    fn chosen(&self, agent: &AgentId) -> Option<&Path> {
        let mut chosen = self.shared.programs.iter().rev();
        chosen.find(|(id, _)| id == agent).map(|(_, path)| path.as_path())
    }

    fn ticket(&self, request: &Request) -> Ticket {
        let secrets =
            request.mcp_servers.iter().flat_map(|server| server.env.values()).filter(|value| value.is_secret());
        let ticket = Ticket {
            cancelled: Arc::default(),
            secrets: Arc::new(secrets.map(|value| value.expose().to_owned()).collect()),
        };
        self.shared.registry.planned(&request.stream_id, &ticket);
        ticket
    }

    fn decide(
        &self,
        request: &Request,
        binary: &Binary,
        commands: &[PathBuf],
        survey: &Survey,
        ticket: Ticket,
    ) -> Result<Plan, Error> {
        let adapter = self.shared.agents.find(&request.agent)?;
        if !request.plugins.is_empty() && !adapter.takes_plugins() {
            return Err(Error::Unsupported { agent: request.agent.clone(), what: "take plugins".into() });
        }
        if request.workflow.is_some() && !adapter.runs_workflows() {
            return Err(Error::Unsupported { agent: request.agent.clone(), what: "run workflows".into() });
        }
        let (host, app) = (&self.shared.host, self.shared.app.as_str());
        let mut plan =
            adapter.plan(request, &adapters::Context { binary, host, app, mcp_commands: commands, survey })?;
        // One environment for every agent, and what the adapter decided about a variable wins.
        for (name, change) in environment::changes(host, binary) {
            let same = |known: &String| host.os == Os::Windows && known.eq_ignore_ascii_case(&name);
            if !plan.env.keys().any(same) {
                plan.env.entry(name).or_insert(change);
            }
        }
        plan.ticket = ticket;
        Ok(plan)
    }

    pub(crate) fn facts(&self, plan: &Plan, adapter: &'static dyn adapters::Adapter) -> Facts {
        let set = plan.env.values().filter_map(|change| match change {
            EnvChange::Set(value) if value.is_secret() => Some(value.expose().to_owned()),
            _ => None,
        });
        let host = adapter.spec().auth_variables.iter().filter_map(|name| self.shared.host.var(name)?.to_str());
        let servers = plan.ticket.secrets.iter().cloned();
        let secrets = set.chain(host.map(str::to_owned)).chain(servers).filter(|secret| !secret.is_empty());
        let env = self.shared.host.child(&plan.env);
        let reaches = |name: &&str| env.keys().any(|key| key.eq_ignore_ascii_case(name));
        let named = |names: &[&str]| names.iter().copied().filter(reaches).map(str::to_owned).collect();
        Facts {
            agent: plan.agent.clone(),
            adapter,
            decoder: adapter.decoder(plan),
            app: self.shared.app.clone(),
            version: plan.agent_version.clone(),
            program: plan.program.clone(),
            mode: plan.mode,
            tools: plan.allowed_tools.clone(),
            model: plan.model.clone(),
            session_id: plan.session_id.clone(),
            notices: plan.notices.clone(),
            mcp_servers: plan.mcp_servers.clone(),
            secrets: secrets.collect(),
            vault: plan.cwd.clone(),
            auth_variables: named(adapter.spec().auth_variables),
            network_variables: named(environment::CARRIED),
            started: Instant::now(),
            watch: None,
            line: self.shared.max_line,
        }
    }

    fn spawn(&self, plan: &Plan, spec: &Spec) -> Result<(Arc<Tree>, crate::process::Pipes, PrivateFiles), Error> {
        let app = &self.shared.app;
        let unwritten = |error: io::Error| Error::Setup(Box::new(guidance::no_private_files(spec, app, &error)));
        let files = PrivateFiles::write(&plan.files, plan.scratch.as_ref(), plan.result_file).map_err(unwritten)?;
        let files = files.and_leftovers(&plan.leftovers);
        let mut env = self.shared.host.child(&plan.env);
        for (name, change) in &plan.env {
            if let EnvChange::Joined(parts) = change {
                env.insert(name.into(), files.args(parts).map_err(unwritten)?.into_iter().collect());
            }
        }
        let command = Command {
            program: plan.program.clone(),
            args: files.args(&plan.args).map_err(unwritten)?,
            cwd: files.scratch().unwrap_or(&plan.cwd).to_path_buf(),
            env,
        };
        let how = Spawn {
            stdin: matches!(&plan.stdin, Stdin::Bytes(_)),
            polite: Polite::from(spec.stop_signal),
            guarded: Some(self.shared.grace),
        };
        let (tree, pipes) = Tree::spawn(&command, how).map_err(|error| {
            Error::Setup(Box::new(guidance::cannot_start(spec, app, &plan.program, &plan.cwd, &error)))
        })?;
        files.folder().into_iter().for_each(|folder| tree.owns(folder));
        Ok((tree, pipes, files))
    }
}

fn check_vault(vault: &Path) -> Result<(), Error> {
    let path = vault.to_path_buf();
    if !vault.is_absolute() {
        return Err(Error::VaultRelative { path });
    }
    let unreadable = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => Error::VaultMissing { path: path.clone() },
        _ => Error::VaultUnreadable { path: path.clone(), reason: error.to_string() },
    };
    if !std::fs::metadata(vault).map_err(unreadable)?.is_dir() {
        return Err(Error::VaultNotAFolder { path });
    }
    std::fs::read_dir(vault).map_err(unreadable)?;
    Ok(())
}
