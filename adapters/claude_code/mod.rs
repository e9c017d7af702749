//! Claude Code. Every fact was measured on 2.1.197 and 2.1.332 for Linux (2026-11) unless its line says otherwise.

use super::{Adapter, Answer, Context, Decoder, Floor, Spec, StopSignal};
use crate::discover::ChildEnvironment;
use crate::env::HostEnv;
use crate::error::Error;
use crate::plan::Plan;
use crate::request::{AgentId, Mode, Request};
use crate::survey::{Look, Survey};

mod answers;
mod decode;
mod environment;
mod flags;
#[cfg(test)]
mod golden;
mod permissions;
mod plan;
#[cfg(test)]
mod plan_tests;
mod prompt;
mod rules;
mod servers;
mod sign_in;
mod sources;
mod texts;
mod tools;
mod tripwire;
mod usage;
mod wire;

/// The adapter.
#[derive(Debug)]
pub(crate) struct ClaudeCode;

static SPEC: Spec = Spec {
    id: AgentId::CLAUDE_CODE,
    name: "Claude Code",
    programs: &["claude"],
    npm_package: Some("@anthropic-ai/claude-code"),
    // By the package's `optionalDependencies`; without its install script `bin/claude.exe` is a stub that does not start.
    npm_native: Some(("@anthropic-ai/claude-code-{os}-{arch}{libc}", "claude")),
    // The native installer links the first, the older local one made the second (by strings of 2.1.332).
    home_dirs: &[".local/bin", ".claude/local", ".claude/local/node_modules/.bin"],
    version_args: &["--version"],
    // The program is one of Bun's, and would load the code that the other names (measured).
    version_env: &[("DISABLE_AUTOUPDATER", "1"), ("BUN_OPTIONS", "")],
    identity: r"(?m)^(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?) \(Claude Code\)\s*$",
    install_prompts: &[],
    install_command: "npm install -g @anthropic-ai/claude-code",
    install_url: "https://code.claude.com/docs/en/setup",
    update_command: "claude update",
    login_command: "claude auth login",
    // In the order in which it takes them (by its documents).
    auth_variables: &["ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"],
    floor: Floor { safe: "2.1.197", power_user: "2.1.197" },
    tested: "2.1.332",
    answer: Answer::Pieces,
    // It ends its shells and servers on either signal. On SIGTERM at once, with exit code 143 and no `result`; on SIGINT
    // it tells a `result` first, which takes up to a second longer, and exits with 0 (measured).
    stop_signal: StopSignal::Term,
    permissions: permissions::PERMISSIONS,
    sources: sources::SOURCES,
    texts: texts::TEXTS,
    rules: rules::RULES,
};

impl Adapter for ClaudeCode {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn looks(&self, request: &Request, host: &HostEnv, _: &Survey) -> Vec<Look> {
        let settings = sign_in::settings(request, host).map(Look::Text);
        let folders = sign_in::folders(request, host).into_iter().map(Look::Real);
        std::iter::once(Look::Real(request.vault.clone())).chain(settings).chain(folders).collect()
    }

    fn plan(&self, request: &Request, context: &Context<'_>) -> Result<Plan, Error> {
        plan::plan(request, context)
    }

    fn child_environments(&self, host: &HostEnv) -> Vec<ChildEnvironment> {
        // Servers get the secrets' names with nothing in them; the shell of Power User mode gets what the agent has.
        let children = |mode| environment::TABLE.children(mode, host, mode == Mode::Safe);
        [Mode::Safe, Mode::PowerUser].map(children).into()
    }

    fn decoder(&self, plan: &Plan) -> Box<dyn Decoder> {
        decode::decoder(plan)
    }
}
