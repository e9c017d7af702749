//! Agents that the host describes as data, in TOML. The format is `docs/CUSTOM.md`.
//!
//! Reads no file: a host reads its own, the command reads those of `--agents-file`.

mod decode;
#[cfg(test)]
mod decode_tests;
mod definition;
mod error;
mod forbidden;
mod plan;
mod read;
mod read_environment;
mod read_find;
mod read_guidance;
mod read_mcp;
mod read_output;
mod read_run;
mod reader;
mod servers;
mod spec;
mod template;
mod values;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{LazyLock, Mutex, PoisonError};

pub use error::CustomAgentError;

use self::definition::{Definition, Output};
use super::environment::Table;
use super::text::Text;
use super::{Adapter, Context, Decoder, Spec};
use crate::discover::ChildEnvironment;
use crate::env::HostEnv;
use crate::error::Error;
use crate::plan::Plan;
use crate::redact::redact;
use crate::request::{AgentId, Mode, Request};
use crate::survey::{Look, Survey};

/// An agent that the host describes as data, for [`LauncherBuilder::agent`](crate::LauncherBuilder::agent).
///
/// The format is described in `docs/CUSTOM.md`. A definition decides which program runs and with which arguments: load only
/// what you would run yourself. What a mode keeps away is what the definition's own flags keep away.
#[derive(Clone, Copy)]
pub struct CustomAgent {
    pub(crate) adapter: &'static Custom,
}

impl CustomAgent {
    /// Reads a definition.
    ///
    /// Everything is checked here, so that a bad definition is told by its line when the app starts and not when a person asks.
    /// A definition that was read stays in memory until the process ends, once for the same text however often it is read.
    ///
    /// # Errors
    ///
    /// Where the text is not TOML, something in it is unknown, missing or out of bounds, a rule does not do what its example says,
    /// or an argument is known to switch the agent's own checks off.
    pub fn from_toml(text: &str) -> Result<CustomAgent, CustomAgentError> {
        static READ: LazyLock<Mutex<BTreeMap<String, &'static Custom>>> = LazyLock::new(Mutex::default);
        let known = || READ.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(adapter) = known().get(text) {
            return Ok(CustomAgent { adapter });
        }
        let definition = read::definition(text)?;
        // The tables of an agent live as long as the process, since runs and searches hold on to them from any thread.
        let mut known = known();
        let adapter =
            known.entry(text.to_owned()).or_insert_with(|| Box::leak(Box::new(Custom::new(definition, text))));
        Ok(CustomAgent { adapter })
    }

    /// The agent's id.
    pub fn id(&self) -> &AgentId {
        &self.adapter.spec.id
    }

    /// The name for people.
    pub fn name(&self) -> &str {
        self.adapter.spec.name
    }

    /// Refuses this agent beside another with its id.
    pub(crate) fn twice(&self) -> CustomAgentError {
        let problem = format!("another definition has the id `{}`; give each its own", self.id());
        CustomAgentError { problem, ..self.adapter.id_at.clone() }
    }
}

impl fmt::Debug for CustomAgent {
    /// Prints the id alone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CustomAgent").field(self.id()).finish()
    }
}

/// The adapter of a definition.
pub(crate) struct Custom {
    spec: &'static Spec,
    table: Table,
    definition: &'static Definition,
    /// Where its id stands.
    id_at: CustomAgentError,
}

impl Custom {
    fn new(definition: Definition, text: &str) -> Custom {
        let id_at = CustomAgentError::at(text, definition.id.at, "");
        let definition: &'static Definition = Box::leak(Box::new(definition));
        let spec = Box::leak(Box::new(spec::spec(definition)));
        Custom { spec, table: spec::table(definition), definition, id_at }
    }
}

impl Adapter for Custom {
    fn spec(&self) -> &'static Spec {
        self.spec
    }

    fn looks(&self, request: &Request, _host: &HostEnv, _seen: &Survey) -> Vec<Look> {
        if request.mode == Mode::Safe { vec![Look::Real(request.vault.clone())] } else { Vec::new() }
    }

    fn plan(&self, request: &Request, context: &Context<'_>) -> Result<Plan, Error> {
        plan::plan(self, request, context)
    }

    fn child_environments(&self, host: &HostEnv) -> Vec<ChildEnvironment> {
        let modes = [Mode::Safe, Mode::PowerUser].into_iter().filter(|mode| self.definition.mode(*mode).is_some());
        modes.map(|mode| self.table.children(mode, host, false)).collect()
    }

    fn decoder(&self, plan: &Plan) -> Box<dyn Decoder> {
        match &self.definition.output {
            Output::Text => Box::new(Text::default()),
            Output::Json(rules) => Box::new(decode::Jsonl::new(rules, self.definition, plan)),
        }
    }
}

/// What somebody wrote, without what looks like a secret and cut to what a line of an error bears.
fn shown(text: &str) -> String {
    let text = redact(text, &[]);
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(80).collect();
    if text.chars().nth(80).is_some() { clean + "…" } else { clean }
}
