//! Workflows: named programs of an agent that run steps in code and ask a model only where judgment is needed.
//!
//! Owns what is asked of a workflow and the verdict. A workflow is found, planned, started, stopped and streamed like any
//! other run; what differs is told by [`WorkflowOutcome`].

mod verdict;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::discover::Binary;
use crate::error::Error;
use crate::launcher::Launcher;
use crate::plan::Plan;
use crate::plugin::Plugin;
use crate::request::{AgentId, Mode, Request};

pub use verdict::{Gate, WorkflowOutcome};

/// What an app asks of a workflow. Built in one expression; every setting has a default.
#[derive(Clone)]
pub struct WorkflowRequest {
    pub(crate) request: Request,
}

/// The part of a request that makes it a workflow's.
#[derive(Clone)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) args: Option<Value>,
}

impl fmt::Debug for Call {
    /// Prints no argument: they may hold what a person wrote.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("name", &self.name).finish_non_exhaustive()
    }
}

impl WorkflowRequest {
    /// Asks `agent` to run the workflow `name` in the folder `vault`, in [`Mode::Safe`].
    ///
    /// `vault` must be an absolute path. Where the workflow comes from a plugin, name it with
    /// [`plugin_dir`](WorkflowRequest::plugin_dir).
    pub fn new(agent: AgentId, vault: impl AsRef<Path>, name: impl Into<String>) -> WorkflowRequest {
        let call = Call { name: name.into(), args: None };
        // There is no prompt; what stands in its place says so wherever a request is shown.
        let request = Request::new(agent, vault, format!("workflow {}", call.name));
        WorkflowRequest { request: Request { workflow: Some(call), ..request } }
    }

    fn with(self, change: impl FnOnce(Request) -> Request) -> WorkflowRequest {
        WorkflowRequest { request: change(self.request) }
    }

    /// The workflow's arguments. Default: none.
    #[must_use]
    pub fn args(mut self, args: Value) -> WorkflowRequest {
        if let Some(call) = &mut self.request.workflow {
            call.args = Some(args);
        }
        self
    }

    /// Adds the plugin in this folder. May be repeated.
    #[must_use]
    pub fn plugin_dir(self, dir: impl Into<PathBuf>) -> WorkflowRequest {
        self.with(|request| request.plugin_dir(dir))
    }

    /// Adds a plugin. May be repeated.
    #[must_use]
    pub fn plugin(self, plugin: Plugin) -> WorkflowRequest {
        self.with(|request| request.plugin(plugin))
    }

    /// How much the workflow's sub-agents may do. Default: [`Mode::Safe`], which lets them read and search, and use the
    /// plugins' tools; they can write nothing.
    #[must_use]
    pub fn mode(self, mode: Mode) -> WorkflowRequest {
        self.with(|request| request.mode(mode))
    }

    /// Names the run, so that the app can cancel it by this id. Default: a fresh UUID.
    #[must_use]
    pub fn stream_id(self, id: impl Into<String>) -> WorkflowRequest {
        self.with(|request| request.stream_id(id))
    }

    /// Chooses the model by the agent's own name for it. Default: the agent's.
    #[must_use]
    pub fn model(self, model: impl Into<String>) -> WorkflowRequest {
        self.with(|request| request.model(model))
    }

    /// Sets a variable of the agent, and so of the workflow, that may be shown.
    #[must_use]
    pub fn env(self, name: impl Into<String>, value: impl Into<String>) -> WorkflowRequest {
        self.with(|request| request.env(name, value))
    }

    /// Sets a variable of the agent that must not be shown.
    #[must_use]
    pub fn secret_env(self, name: impl Into<String>, value: impl Into<String>) -> WorkflowRequest {
        self.with(|request| request.secret_env(name, value))
    }

    /// Takes a variable away from the agent.
    #[must_use]
    pub fn remove_env(self, name: impl Into<String>) -> WorkflowRequest {
        self.with(|request| request.remove_env(name))
    }

    /// Stops the run after this long. More than zero. Default: no limit.
    #[must_use]
    pub fn timeout(self, limit: Duration) -> WorkflowRequest {
        self.with(|request| request.timeout(limit))
    }

    /// Stops the run after this long without a byte from the agent. More than zero. Default: no limit.
    #[must_use]
    pub fn idle_timeout(self, limit: Duration) -> WorkflowRequest {
        self.with(|request| request.idle_timeout(limit))
    }

    /// The stream id of the run this request asks for.
    pub fn id(&self) -> &str {
        self.request.id()
    }
}

impl Launcher {
    /// Finds the agent and decides the exact command of a workflow. [`start`](Launcher::start) runs it like any plan; its
    /// `Done` carries a [`WorkflowOutcome`].
    ///
    /// # Errors
    ///
    /// Whatever would keep the run from starting: see [`Error`]. [`Error::Unsupported`] where the agent has no workflows.
    pub async fn plan_workflow(&self, request: &WorkflowRequest) -> Result<Plan, Error> {
        self.plan(&request.request).await
    }

    /// The core of [`plan_workflow`](Launcher::plan_workflow), for an agent that was found before, as
    /// [`plan_with`](Launcher::plan_with) is of `plan`. Plugins must have been read: see [`Plugin::read`](crate::Plugin::read).
    ///
    /// # Errors
    ///
    /// Whatever is wrong with the request itself.
    pub fn plan_workflow_with(&self, request: &WorkflowRequest, binary: &Binary) -> Result<Plan, Error> {
        self.plan_with(&request.request, binary)
    }
}

impl fmt::Debug for WorkflowRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkflowRequest")
            .field("workflow", &self.request.workflow)
            .field("request", &self.request)
            .finish()
    }
}
