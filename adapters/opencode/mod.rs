//! OpenCode. Every fact was measured on 1.18.33 for Linux (2026-11) unless its line says otherwise; `docs/adr/0008` has what
//! it is held by.

use super::{Adapter, Answer, Context, Decoder, Floor, Spec, StopSignal};
use crate::discover::ChildEnvironment;
use crate::env::HostEnv;
use crate::error::Error;
use crate::plan::Plan;
use crate::request::{AgentId, Mode, Request};
use crate::survey::{Look, Survey};

mod config;
mod decode;
mod environment;
mod flags;
#[cfg(test)]
mod golden;
mod model;
mod permissions;
mod person;
mod place;
mod plan;
#[cfg(test)]
mod plan_tests;
mod prompt;
mod reach;
mod rules;
mod servers;
mod sources;
mod texts;
mod tools;
mod tripwire;
mod wire;

/// The adapter.
#[derive(Debug)]
pub(crate) struct OpenCode;

static SPEC: Spec = Spec {
    id: AgentId::OPENCODE,
    name: "OpenCode",
    programs: &["opencode"],
    npm_package: Some("opencode-ai"),
    npm_native: Some(("opencode-{system}-{arch}{flavour}", "bin/opencode")),
    home_dirs: &[".opencode/bin"],
    // A bare number (0.7 s), so that the whole answer has to be one. `debug info` names the program too, but takes twice as
    // long, and loads the person's settings and whatever lies in the folder it is asked in. Another program of this name, the
    // older one in Go, has words around its number, and is below the floor.
    version_args: &["--version"],
    version_env: &[],
    identity: r"\A\s*v?(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)\s*\z",
    install_prompts: &[],
    install_command: "npm install -g opencode-ai",
    install_url: "https://opencode.ai/docs/",
    update_command: "opencode upgrade",
    login_command: "opencode auth login",
    auth_variables: environment::SIGN_IN,
    floor: Floor { safe: "1.18.33", power_user: "1.18.33" },
    tested: "1.18.33",
    answer: Answer::Messages,
    // It ends within 0.2 s, and not at all on SIGINT. Its shells have sessions of their own and stay: the launcher ends them.
    stop_signal: StopSignal::Term,
    permissions: permissions::PERMISSIONS,
    sources: sources::SOURCES,
    texts: texts::TEXTS,
    rules: rules::RULES,
};

impl Adapter for OpenCode {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn looks(&self, request: &Request, host: &HostEnv, seen: &Survey) -> Vec<Look> {
        let mut looks = place::looks(request, host, seen);
        looks.extend(config::looks(request));
        if request.mode == Mode::Safe {
            looks.extend(person::looks(request, host));
            looks.extend(model::looks(request, host));
            looks.push(Look::Links(request.vault.clone()));
        }
        looks
    }

    fn plan(&self, request: &Request, context: &Context<'_>) -> Result<Plan, Error> {
        plan::plan(request, context)
    }

    fn child_environments(&self, host: &HostEnv) -> Vec<ChildEnvironment> {
        [Mode::Safe, Mode::PowerUser].map(|mode| environment::TABLE.children(mode, host, false)).into()
    }

    fn decoder(&self, plan: &Plan) -> Box<dyn Decoder> {
        Box::new(decode::Json::new(plan))
    }
}
