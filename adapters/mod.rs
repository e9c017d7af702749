//! What is known of each agent: one table, one planner, one decoder apiece. Nothing in here does I/O.
//!
//! Adding an agent adds one folder, and here its `mod` and its place in [`ALL`]: `docs/ADAPTERS.md`.

mod answer;
pub(crate) mod boundary;
mod claude_code;
mod codex;
#[cfg(test)]
mod contract_plan_tests;
#[cfg(test)]
mod contract_tests;
mod copilot;
pub(crate) mod custom;
#[cfg(feature = "cli")]
mod demo;
#[cfg(test)]
mod docs;
mod environment;
mod extra;
#[cfg(test)]
mod golden;
pub(crate) mod obeyed;
mod opencode;
mod permissions;
mod sources;
mod text;
#[cfg(test)]
mod toy;
mod version;

#[cfg(test)]
pub(crate) use contract_tests::held;
pub(crate) use permissions::Permission;
pub(crate) use sources::Source;

use crate::discover::{Binary, ChildEnvironment};
use crate::env::HostEnv;
use crate::error::Error;
use crate::event::{EventKind, Usage};
use crate::guidance::{AgentError, Rule, Text};
use crate::plan::Plan;
use crate::request::{AgentId, Request};
use crate::survey::{Look, Survey};
use crate::workflow::WorkflowOutcome;

/// Every adapter, in the order in which an app without a preference tries them.
pub(crate) static ALL: &[&dyn Adapter] = &[
    // The crate's first agent stays first.
    &copilot::Copilot,
    &claude_code::ClaudeCode,
    &codex::Codex,
    &opencode::OpenCode,
];

/// Adapters that no list of agents shows: they work only where the host names the program.
static UNLISTED: &[&dyn Adapter] = &[
    #[cfg(feature = "cli")]
    &demo::Demo,
    #[cfg(test)]
    &toy::Toy,
];

/// The agents that one launcher knows: all of this crate, and those that its host described.
#[derive(Clone, Default)]
pub(crate) struct Agents {
    described: Vec<&'static dyn Adapter>,
}

impl Agents {
    /// Adds an agent that the host described.
    pub(crate) fn add(&mut self, adapter: &'static dyn Adapter) {
        self.described.push(adapter);
    }

    /// Every agent that a list shows, in the order in which an app without a preference tries them.
    pub(crate) fn listed(&self) -> impl Iterator<Item = &'static dyn Adapter> {
        ALL.iter().chain(&self.described).copied()
    }

    /// The adapter of an agent.
    pub(crate) fn find(&self, id: &AgentId) -> Result<&'static dyn Adapter, Error> {
        let mut known = self.listed().chain(UNLISTED.iter().copied());
        known.find(|adapter| adapter.spec().id == *id).ok_or_else(|| {
            let known = self.listed().map(|adapter| adapter.spec().id.to_string()).collect();
            Error::UnknownAgent { agent: id.clone(), known }
        })
    }
}

impl std::fmt::Debug for Agents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.listed().map(|adapter| &adapter.spec().id)).finish()
    }
}

/// The adapter of an agent of this crate.
#[cfg(any(test, feature = "bench-internals"))]
pub(crate) fn find(id: &AgentId) -> Result<&'static dyn Adapter, Error> {
    Agents::default().find(id)
}

/// An agent: its facts, and the two things that are code.
pub(crate) trait Adapter: Sync {
    /// The facts.
    fn spec(&self) -> &'static Spec;

    /// Where planning must look on the disk, knowing what was seen so far. Asked again until it names nothing new.
    fn looks(&self, request: &Request, host: &HostEnv, seen: &Survey) -> Vec<Look> {
        let _ = (request, host, seen);
        Vec::new()
    }

    /// Decides the exact command. Pure: no clock, no random id, no file system.
    fn plan(&self, request: &Request, context: &Context<'_>) -> Result<Plan, Error>;

    /// Which variables of the host a run's MCP servers and shells get, and which not. Names alone.
    fn child_environments(&self, host: &HostEnv) -> Vec<ChildEnvironment> {
        let _ = host;
        Vec::new()
    }

    /// Whether it can be given plugins. A request with some is refused where it cannot.
    fn takes_plugins(&self) -> bool {
        false
    }

    /// Whether it has workflows. A request for one is refused where it has not.
    fn runs_workflows(&self) -> bool {
        false
    }

    /// A decoder for the output of `plan`.
    fn decoder(&self, plan: &Plan) -> Box<dyn Decoder>;
}

/// All that planning may know beside the request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    /// The agent found.
    pub(crate) binary: &'a Binary,
    /// The host's environment.
    pub(crate) host: &'a HostEnv,
    /// The host app's name.
    pub(crate) app: &'a str,
    /// The MCP commands of the request, resolved to absolute paths, in the request's order.
    pub(crate) mcp_commands: &'a [std::path::PathBuf],
    /// What was seen on the disk.
    pub(crate) survey: &'a Survey,
}

/// Turns an agent's stdout into events. Total: any bytes, in any order, never a panic.
pub(crate) trait Decoder: Send {
    /// Takes one line, without its newline.
    fn line(&mut self, line: &[u8], events: &mut Vec<EventKind>);

    /// Takes the end of stdout; says what was held back.
    fn end(&mut self, events: &mut Vec<EventKind>);

    /// Takes what the agent wrote into the plan's result file. After [`end`](Decoder::end), where the file is there.
    fn result_file(&mut self, _bytes: &[u8]) {}

    /// What the output said of the run as a whole so far.
    fn report(&self) -> &Report;
}

/// What an agent's output said of the run as a whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Report {
    /// Whether the agent's final event came. Stays false for agents without one.
    pub(crate) finished: bool,
    /// Whether this agent, in this format, always ends with a final event.
    pub(crate) has_final_event: bool,
    /// The exit code that the final event told.
    pub(crate) told_exit_code: Option<i32>,
    /// Whether the agent said that it was interrupted.
    pub(crate) aborted: bool,
    /// The session's id, where told.
    pub(crate) session_id: Option<String>,
    /// The latest usage.
    pub(crate) usage: Option<Usage>,
    /// Structured errors, oldest first. The run failed if the last was not followed by an answer.
    pub(crate) errors: Vec<AgentError>,
    /// Whether any answer text came.
    pub(crate) answered: bool,
    /// Whether an error has ended the run even if the process never exits (Copilot's rate limit).
    pub(crate) fatal: bool,
    /// What the agent did although the mode forbids it, in words. The engine stops the run at once.
    pub(crate) bypassed: Option<String>,
    /// How the workflow ended, where the run is one.
    pub(crate) workflow: Option<WorkflowOutcome>,
}

/// The facts of an agent, each with its source in the adapter's own file.
#[derive(Debug)]
pub(crate) struct Spec {
    /// The id.
    pub(crate) id: AgentId,
    /// The name for people.
    pub(crate) name: &'static str,
    /// Program names, most likely first, without extension.
    pub(crate) programs: &'static [&'static str],
    /// The npm package.
    pub(crate) npm_package: Option<&'static str>,
    /// Packages that hold a native binary, with `{os}` and `{arch}` in Node's words, and the binary's path inside. `{system}` is
    /// `{os}` with `windows` for `win32`; `{flavour}` is nothing or one of the packages' ends.
    pub(crate) npm_native: Option<(&'static str, &'static str)>,
    /// Folders of the agent's own installers, below the home folder (unix).
    pub(crate) home_dirs: &'static [&'static str],
    /// Arguments that make it print its version.
    pub(crate) version_args: &'static [&'static str],
    /// Variables under which it tells the version that a run of a plan would start.
    pub(crate) version_env: &'static [(&'static str, &'static str)],
    /// A pattern that its version output matches and no other program's does; group 1 is the version.
    pub(crate) identity: &'static str,
    /// Whole phrases of an install prompt that a stub prints instead of a version.
    pub(crate) install_prompts: &'static [&'static str],
    /// The command that installs it.
    pub(crate) install_command: &'static str,
    /// Where its installation is explained.
    pub(crate) install_url: &'static str,
    /// The command that updates it.
    pub(crate) update_command: &'static str,
    /// The command that signs in.
    pub(crate) login_command: &'static str,
    /// Variables that hold a sign-in, in the agent's order.
    pub(crate) auth_variables: &'static [&'static str],
    /// The oldest version that may run at all, in each mode.
    pub(crate) floor: Floor,
    /// The newest version the adapter was tested with.
    pub(crate) tested: &'static str,
    /// How its answer comes.
    #[cfg_attr(not(test), expect(dead_code, reason = "the README's table is generated from it, by a test"))]
    pub(crate) answer: Answer,
    /// The signal on which the agent ends itself and its children cleanly (unix).
    pub(crate) stop_signal: StopSignal,
    /// What its modes give, for `docs/PERMISSIONS.md`.
    #[cfg_attr(not(test), expect(dead_code, reason = "the document is generated from it, by a test"))]
    pub(crate) permissions: &'static [Permission],
    /// Where the flags and variables of its plans are known from, for `docs/ADAPTERS.md`.
    #[cfg_attr(not(test), expect(dead_code, reason = "the document is generated from it, by a test"))]
    pub(crate) sources: &'static [Source],
    /// Words for what happens to this agent alone, beside those for all; a rule names one by its key.
    pub(crate) texts: &'static [Text],
    /// What its sentences and error events mean, most specific first.
    pub(crate) rules: &'static [&'static [Rule]],
}

/// The oldest versions that may run.
#[derive(Debug)]
pub(crate) struct Floor {
    /// In Safe mode.
    pub(crate) safe: &'static str,
    /// In Power User mode.
    pub(crate) power_user: &'static str,
}

/// How an agent's answer comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// In pieces, while the model writes.
    Pieces,
    /// Message by message, each whole.
    Messages,
}

/// The polite signal of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopSignal {
    /// SIGTERM.
    Term,
    /// SIGINT.
    Int,
}
