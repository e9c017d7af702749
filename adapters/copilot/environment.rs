//! What Copilot gets of the host's environment, beside what every agent gets.

use std::collections::BTreeMap;

use super::servers::DOLLAR;
use crate::adapters::Context;
use crate::adapters::environment::{Stripped, Table, disturbs, runs_for_the_person, widens};
use crate::error::Error;
use crate::plan::EnvChange;
use crate::request::Request;

/// Copilot's own are those of `copilot help environment` on 1.0.69 and 1.0.102 that sign in, name a model or a provider, or
/// say where its files are.
pub(super) static TABLE: Table = Table {
    safe: SAFE,
    stripped: STRIPPED,
    // As `--no-auto-update`; it also holds for what the program starts of itself.
    set: &[("COPILOT_AUTO_UPDATE", "false")],
    secret: SECRET,
};

const SAFE: &[&str] = &[
    // Copilot: sign-in, also that of `gh`, which it falls back to.
    "COPILOT_GH_HOST",
    "COPILOT_GITHUB_TOKEN",
    "GH_CONFIG_DIR",
    "GH_HOST",
    "GH_TOKEN",
    "GITHUB_TOKEN",
    // Copilot: its files, the model and a provider of one's own.
    "COPILOT_CACHE_HOME",
    "COPILOT_HOME",
    "COPILOT_MODEL",
    "COPILOT_OFFLINE",
    "COPILOT_PROVIDER_*",
];

const STRIPPED: &[Stripped] = &[
    widens("COPILOT_ALLOW_ALL", "approves every tool and trusts the vault (measured)"),
    widens("GITHUB_COPILOT_PROMPT_MODE_*", "runs the vault's own hooks, servers or extensions (measured)"),
    widens("COPILOT_ASSISTED_APPROVAL", "lets a model approve tools (by the help of 1.0.102)"),
    widens("COPILOT_PERMISSION_MODE", "chooses how tools are approved (by name, in the program)"),
    widens("COPILOT_CLI_ENABLED_FEATURE_FLAGS", "switches features on (by name, in the program)"),
    widens("COPILOT_FEATURE_FLAGS", "switches features on (by name, in the program)"),
    widens("COPILOT_HOOK_ALLOW_*", "lets hooks reach the network (by name, in the program)"),
    widens("COPILOT_WEB_FETCH_ALLOW_LOCALHOST", "opens local addresses (by name, in the program)"),
    widens("COPILOT_SKILLS_DIRS", "loads skills from elsewhere (by name, in the program)"),
    widens("COPILOT_CLI_RUN_AS_NODE", "makes the program a plain Node.js (by name, in the program)"),
    widens(
        "COPILOT_ENABLE_BUILTIN_GITHUB_MCP",
        "switches on a server that reaches the network (by name, in the program)",
    ),
    widens("GITHUB_MCP_URL_OVERRIDE", "puts another server in the place of GitHub's (by name, in the program)"),
    widens("COPILOT_AHP_*", "has another program host the agent (by name, in the program)"),
    widens("COPILOT_PLAN_THEN_AUTOPILOT", "goes on without asking (by name, in the program)"),
    widens("COPILOT_E2E_TEST_HOOKS", "is for the program's own tests (by name, in the program)"),
    widens("COPILOT_ENABLE_TEST_*", "is for the program's own tests (by name, in the program)"),
    widens("COPILOT_TEST_*", "is for the program's own tests (by name, in the program)"),
    widens("COPILOT_CLI_PATH", "replaces the program's own code (by name, in the program)"),
    widens("COPILOT_CLI_DIST_DIR", "replaces the program's own code (by name, in the program)"),
    widens("COPILOT_CLI_RESOLVED_DIST_DIR", "replaces the program's own code (by name, in the program)"),
    widens("COPILOT_SDK_PATH", "replaces the program's own code (by name, in the program)"),
    widens("COPILOT_RUN_APP", "starts another part of the program (by name, in the program)"),
    widens("COPILOT_PROMPT_TURN_DELIMITER", "splits one prompt into several (measured)"),
    runs_for_the_person("COPILOT_PROVIDER_API_KEY_COMMAND", "runs a shell command for each request (measured)"),
    runs_for_the_person("COPILOT_PROVIDERS_CONFIG", "names a file of providers, which may hold commands (by name)"),
    runs_for_the_person("GITHUB_ASKPASS", "runs a program that tells a sign-in (by name, in the program)"),
    runs_for_the_person("COPILOT_EDITOR", "is a program to start (by name, in the program)"),
    runs_for_the_person("COPILOT_BROWSER_*", "is a program to start (by name, in the program)"),
    runs_for_the_person("LLAMACPP_SERVER_PATH", "is a program to start (by name, in the program)"),
    runs_for_the_person("FOUNDRY_LOCAL_*", "is a program to start (by name, in the program)"),
    widens("COPILOT_CUSTOM_INSTRUCTIONS_DIRS", "adds instructions from elsewhere (by the help of 1.0.102)"),
    disturbs("COPILOT_DEBUG_*", "redirects or breaks parts of the program (by name, in the program)"),
    disturbs("COPILOT_CLI_VERSION", "makes the program take itself for another version (by the help of 1.0.102)"),
];

/// Variables whose values Copilot keeps from its MCP servers and shells, beside those of the request.
const SECRET: &[&str] = &[
    "COPILOT_GITHUB_TOKEN",
    "GH_TOKEN",
    "GITHUB_TOKEN",
    "COPILOT_PROVIDER_API_KEY",
    "COPILOT_PROVIDER_BEARER_TOKEN",
    "COPILOT_PROVIDER_HEADERS",
];

/// The names for `--secret-env-vars`: secrets that the agent needs or inherits and its children do not.
pub(super) fn secret_names(request: &Request, context: &Context<'_>) -> Vec<String> {
    let mut names = TABLE.secret_names(request, context);
    // A comma would end the name.
    names.retain(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'));
    names
}

/// The changes against the host's environment.
pub(super) fn environment(
    request: &Request,
    context: &Context<'_>,
    uses_dollar: bool,
) -> Result<BTreeMap<String, EnvChange>, Error> {
    let mut changes = TABLE.changes(request, context)?;
    if request.resume.is_some() {
        // A resumed session stays in the vault of the request (measured on 1.0.69, 1.0.80 and 1.0.102).
        changes.set("COPILOT_DISABLE_RESUME_AUTO_CD", "1");
    }
    if uses_dollar {
        changes.set(DOLLAR, "$");
    }
    Ok(changes.asked(request))
}
