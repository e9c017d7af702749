//! Codex CLI. Every fact was measured on 0.171.0 for Linux (2026-11) unless its line says otherwise.
//!
//! Runs are `codex exec --json`, which tells whole messages. Pieces of messages come from `codex app-server` alone: a
//! protocol of requests in both directions that is marked experimental, has its own way to ask for approvals and would have
//! to be driven for the whole run. One command with the prompt on stdin is what can be printed, repeated and stopped.

use super::{Adapter, Answer, Context, Decoder, Floor, Spec, StopSignal};
use crate::discover::ChildEnvironment;
use crate::env::HostEnv;
use crate::error::Error;
use crate::plan::Plan;
use crate::request::{AgentId, Mode, Request};
use crate::survey::{Look, Survey};

mod answer;
mod decode;
mod environment;
mod flags;
#[cfg(test)]
mod golden;
mod permissions;
mod person;
mod plan;
#[cfg(test)]
mod plan_tests;
mod prompt;
mod rules;
mod safe;
mod servers;
mod sources;
mod texts;
mod tripwire;
mod value;
mod wire;

/// The adapter.
#[derive(Debug)]
pub(crate) struct Codex;

static SPEC: Spec = Spec {
    id: AgentId::CODEX,
    name: "Codex CLI",
    programs: &["codex"],
    npm_package: Some("@openai/codex"),
    npm_native: Some(("@openai/codex-{os}-{arch}", "vendor/{triple}/bin/codex")),
    // The installer's link, and what it leads to (by the program's strings and its documents).
    home_dirs: &[".local/bin", ".codex/packages/standalone/current"],
    version_args: &["--version"],
    version_env: &[],
    identity: r"(?m)^codex-cli v?(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)\s*$",
    install_prompts: &[],
    install_command: "npm install -g @openai/codex",
    install_url: "https://developers.openai.com/codex/cli",
    update_command: "codex update",
    login_command: "codex login",
    // `OPENAI_API_KEY` is ignored by `exec`.
    auth_variables: &["CODEX_API_KEY", "CODEX_ACCESS_TOKEN"],
    // Safe mode stands on permission profiles given for one run, which were measured on this version alone.
    floor: Floor { safe: "0.171.0", power_user: "0.171.0" },
    tested: "0.171.0",
    // Dead in 0.03 s, as on SIGINT, and no final event on either.
    stop_signal: StopSignal::Term,
    answer: Answer::Messages,
    permissions: permissions::PERMISSIONS,
    sources: sources::SOURCES,
    texts: texts::TEXTS,
    rules: rules::RULES,
};

impl Adapter for Codex {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn looks(&self, request: &Request, host: &HostEnv, _seen: &Survey) -> Vec<Look> {
        person::looks(request, host).into_iter().chain(safe::looks(request, host)).collect()
    }

    fn plan(&self, request: &Request, context: &Context<'_>) -> Result<Plan, Error> {
        plan::plan(request, context)
    }

    fn child_environments(&self, host: &HostEnv) -> Vec<ChildEnvironment> {
        [Mode::Safe, Mode::PowerUser].map(|mode| environment::TABLE.children(mode, host, true)).into()
    }

    fn decoder(&self, plan: &Plan) -> Box<dyn Decoder> {
        decode::decoder(plan)
    }
}
