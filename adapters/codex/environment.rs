//! What Codex gets of the host's environment, beside what every agent gets.

use std::collections::BTreeMap;

use super::person::Person;
use crate::adapters::Context;
use crate::adapters::environment::{Stripped, Table, disturbs, widens};
use crate::error::Error;
use crate::plan::EnvChange;
use crate::request::{Mode, Request};

/// Codex's own are strings of the program, 0.171.0; which of them count in `exec` was measured where it says so.
pub(super) static TABLE: Table = Table { safe: SAFE, stripped: STRIPPED, set: SET, secret: SECRET };

/// Git finds no repository then: Codex asks it how the vault stands, outside of its sandbox, and lets it start the filters
/// that `.git/config` names (measured). Servers do not get the variable (measured), and the shells of Power User mode neither.
const SET: &[(&str, &str)] = &[(NO_REPOSITORY, "/dev/null")];

const NO_REPOSITORY: &str = "GIT_DIR";

const SAFE: &[&str] = &[
    // Sign-in: measured; `OPENAI_API_KEY` and `OPENAI_BASE_URL` are ignored (measured) and stay out.
    "CODEX_API_KEY",
    "CODEX_ACCESS_TOKEN",
    // Its files and certificates.
    "CODEX_HOME",
    "CODEX_SQLITE_HOME",
    "CODEX_CA_CERTIFICATE",
];

const STRIPPED: &[Stripped] = &[
    widens(NO_REPOSITORY, "is set, for Git not to run programs that the vault's settings of it name (measured)"),
    widens("CODEX_EXEC_SERVER_*", "runs commands on another machine (by name, in the program)"),
    widens("CODEX_APP_SERVER_*", "changes where the program signs in (by name, in the program)"),
    widens("CODEX_AUTHAPI_BASE_URL", "changes where the program signs in (by name, in the program)"),
    widens("CODEX_REFRESH_*", "changes where the sign-in is renewed (by name, in the program)"),
    widens("CODEX_REVOKE_*", "changes where the sign-in is given back (by name, in the program)"),
    widens("CODEX_AGENT_IDENTITY_*", "changes who vouches for the program (by name, in the program)"),
    widens("CODEX_PERMISSION*", "chooses what the sandbox gives (by name, in the program)"),
    widens("CODEX_NETWORK_*", "changes what the network's guard lets through (by name, in the program)"),
    widens("CODEX_MANAGED_PACKAGE_ROOT", "changes where the program's helpers lie (by name, in the program)"),
    widens("CODEX_BWRAP_*", "changes which sandbox is trusted (by name, in the program)"),
    disturbs("CODEX_SNAPSHOT_*", "is of a shell that Codex itself started (by name, in the program)"),
    disturbs("CODEX_INTERNAL_*", "changes parts of the program (by name, in the program)"),
    disturbs("CODEX_TUI_*", "records the session (by name, in the program)"),
    disturbs("CODEX_ROLLOUT_TRACE_ROOT", "records the session (by name, in the program)"),
];

/// Variables that Codex's own shells have no business with.
const SECRET: &[&str] = &["CODEX_API_KEY", "CODEX_ACCESS_TOKEN", "OPENAI_API_KEY"];

/// Whether Codex itself, or what every program needs, goes by a variable.
pub(super) fn means_something(name: &str, windows: bool) -> bool {
    let upper = name.to_ascii_uppercase();
    TABLE.passes(name, Mode::Safe, windows)
        || !TABLE.passes(name, Mode::PowerUser, windows)
        || upper.starts_with("CODEX_")
        || upper.starts_with("OPENAI_")
}

/// The changes against the host's environment. `secrets` are those of the MCP servers.
pub(super) fn environment(
    request: &Request,
    context: &Context<'_>,
    person: &Person,
    secrets: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, EnvChange>, Error> {
    let mut changes = TABLE.changes(request, context)?;
    for (name, value) in secrets {
        changes.set_secret(name, value.clone());
    }
    let mut env = changes.asked(request);
    // The key of a provider that the person set up is a sign-in too.
    TABLE.let_through(&mut env, request, context, &person.provider_variables);
    Ok(env)
}

/// What the shells of Power User mode do not get, for `shell_environment_policy.exclude`: patterns, in which a name that is
/// not plain would mean something.
pub(super) fn excluded(
    request: &Request,
    context: &Context<'_>,
    person: &Person,
    secrets: &BTreeMap<String, String>,
) -> Vec<String> {
    let mut names = TABLE.secret_names(request, context);
    names.push(NO_REPOSITORY.to_owned());
    names.extend(person.provider_variables.iter().chain(secrets.keys()).cloned());
    names.retain(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'));
    names.extend(person.excluded.iter().cloned());
    names.sort();
    names.dedup();
    names
}
