//! GitHub Copilot CLI. Every fact was measured on 1.0.102 for Linux (2026-11) unless its line says otherwise.

use super::{Adapter, Answer, Context, Decoder, Floor, Spec, StopSignal};
use crate::discover::ChildEnvironment;
use crate::env::HostEnv;
use crate::error::Error;
use crate::plan::Plan;
use crate::request::{AgentId, Mode, Request};
use crate::survey::{Look, Survey};

mod approvers;
mod decode;
mod environment;
mod flags;
#[cfg(test)]
mod golden;
pub(super) mod jsonc;
mod permissions;
mod plan;
#[cfg(test)]
mod plan_tests;
mod plugins;
mod prompt;
mod rules;
mod servers;
mod sources;
mod surrogates;
mod tools;
mod tripwire;
mod trust;
mod wire;
mod workflow;
mod workflow_events;

/// The adapter.
#[derive(Debug)]
pub(crate) struct Copilot;

static SPEC: Spec = Spec {
    id: AgentId::COPILOT,
    name: "GitHub Copilot CLI",
    programs: &["copilot"],
    npm_package: Some("@github/copilot"),
    npm_native: Some(("@github/copilot-{os}-{arch}", "copilot")),
    home_dirs: &[".local/bin", ".copilot/bin"],
    version_args: &["--version"],
    // Else it tells, and starts, the newest version that its package cache holds. Plans pin the installed one alike.
    version_env: &[("COPILOT_AUTO_UPDATE", "false")],
    identity: r"(?m)^(?:GitHub Copilot CLI )?v?(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)\.?\s*(?:$|\n)",
    install_prompts: &["Install GitHub Copilot CLI?"],
    install_command: "npm install -g @github/copilot",
    install_url: "https://docs.github.com/copilot/how-tos/set-up/install-copilot-cli",
    update_command: "copilot update",
    login_command: "copilot login",
    auth_variables: &["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"],
    floor: Floor { safe: "1.0.80", power_user: "1.0.69" },
    tested: "1.0.102",
    answer: Answer::Pieces,
    stop_signal: StopSignal::Term,
    permissions: permissions::PERMISSIONS,
    sources: sources::SOURCES,
    texts: &[],
    rules: rules::RULES,
};

impl Adapter for Copilot {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn looks(&self, request: &Request, host: &HostEnv, seen: &Survey) -> Vec<Look> {
        // In Power User mode a folder that the person trusts may do what it does under Copilot itself.
        if request.mode == Mode::Safe { trust::looks(request, host, seen) } else { Vec::new() }
    }

    fn plan(&self, request: &Request, context: &Context<'_>) -> Result<Plan, Error> {
        match &request.workflow {
            Some(call) => workflow::plan(request, call, context),
            None => plan::plan(request, context),
        }
    }

    fn child_environments(&self, host: &HostEnv) -> Vec<ChildEnvironment> {
        [Mode::Safe, Mode::PowerUser].map(|mode| environment::TABLE.children(mode, host, true)).into()
    }

    fn takes_plugins(&self) -> bool {
        true
    }

    fn runs_workflows(&self) -> bool {
        true
    }

    fn decoder(&self, plan: &Plan) -> Box<dyn Decoder> {
        decode::decoder(plan)
    }
}
