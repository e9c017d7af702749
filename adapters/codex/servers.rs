//! The app's MCP servers as Codex takes them: as settings of one run, beside the person's own.
//!
//! Measured on 0.171.0, 2026-11: settings of a run are mixed into those of the files, field by field. A server of the person
//! by the same name would give ours its folder, its variables and its list of tools, so ours takes another name then. Without
//! `default_tools_approval_mode="approve"` a tool that does not call itself read-only is refused, and without `required` a
//! server that fails is left out in silence. Servers get few variables of Codex's environment, and those that `env_vars`
//! names: secrets travel that way, and stand in no argument.

use std::collections::BTreeMap;

use super::person::Person;
use super::{environment, value};
use crate::adapters::Context;
use crate::env::Os;
use crate::error::Error;
use crate::request::{EnvValue, McpServer, Mode, Request};

/// Stands after the name of a server of the app's where the person has one of that name.
pub(super) const ALIAS: &str = "_app";

/// Names that Codex gives a meaning of its own.
const RESERVED: &[&str] = &["codex_apps", "codex"];

/// The servers of a run.
#[derive(Debug, Default)]
pub(super) struct Servers {
    /// The setting, where there is any.
    pub(super) setting: Option<String>,
    /// Variables that Codex itself must have, for the servers to get them.
    pub(super) secrets: BTreeMap<String, String>,
}

/// Refuses names that Codex would confuse. That they are plain and differ is checked for every agent.
fn check_names(servers: &[McpServer]) -> Result<(), Error> {
    let plain = |name: &str| name.to_ascii_lowercase().replace('-', "_");
    for (at, server) in servers.iter().enumerate() {
        let same = |other: &&McpServer| plain(&other.name) == plain(&server.name);
        let problem = if RESERVED.contains(&plain(&server.name).as_str()) {
            "has a meaning of its own in Codex; choose another name".to_owned()
        } else if let Some(twin) = servers[..at].iter().find(same) {
            format!("is to Codex the same name as `{}`, since it takes `-` for `_`; choose another", twin.name)
        } else {
            continue;
        };
        return Err(Error::InvalidServer { name: server.name.clone(), problem });
    }
    Ok(())
}

pub(super) fn servers(request: &Request, context: &Context<'_>, person: &Person) -> Result<Servers, Error> {
    check_names(&request.mcp_servers)?;
    let mut secrets: BTreeMap<String, String> = BTreeMap::new();
    let mut entries: Vec<(String, String)> = Vec::new();
    if request.mode == Mode::Safe {
        let off = |name: &String| (name.clone(), "{\"enabled\"=false}".to_owned());
        entries.extend(person.servers.iter().map(off));
    }
    for (at, server) in request.mcp_servers.iter().enumerate() {
        let name = free_name(server, request, person)?;
        let command = context.mcp_commands.get(at).unwrap_or(&server.command).to_string_lossy();
        let (hidden, shown): (Vec<_>, Vec<_>) = server.env.iter().partition(|(_, value)| value.is_secret());
        for (variable, secret) in &hidden {
            check_secret(server, variable, secret, request, context, &secrets)?;
            secrets.insert((*variable).clone(), secret.expose().to_owned());
        }
        let shown = shown.into_iter().map(|(name, plain)| (name.as_str(), value::text(plain.expose())));
        let mut entry = vec![
            ("command", value::text(&command)),
            ("args", value::list(server.args.iter().map(String::as_str))),
            ("env", value::table(shown)),
        ];
        if !hidden.is_empty() {
            entry.push(("env_vars", value::list(hidden.iter().map(|(name, _)| name.as_str()))));
        }
        entry.push(("enabled", "true".into()));
        entry.push(("required", "true".into()));
        entry.push(("default_tools_approval_mode", value::text("approve")));
        entries.push((name, value::table(entry)));
    }
    let table = || value::table(entries.iter().map(|(name, entry)| (name.as_str(), entry.clone())));
    Ok(Servers { setting: (!entries.is_empty()).then(|| format!("mcp_servers={}", table())), secrets })
}

/// A name that no server of the person and none of the request's others has.
fn free_name(server: &McpServer, request: &Request, person: &Person) -> Result<String, Error> {
    if !person.servers.contains(&server.name) {
        return Ok(server.name.clone());
    }
    let name = format!("{}{ALIAS}", server.name);
    if person.servers.contains(&name) || request.mcp_servers.iter().any(|other| other.name == name) {
        let problem = format!("is a server in your Codex settings too, and so is `{name}`; choose another name");
        return Err(Error::InvalidServer { name: server.name.clone(), problem });
    }
    Ok(name)
}

/// A secret of a server becomes a variable of Codex itself, so it must mean nothing to Codex and be one value.
fn check_secret(
    server: &McpServer,
    variable: &str,
    secret: &EnvValue,
    request: &Request,
    context: &Context<'_>,
    others: &BTreeMap<String, String>,
) -> Result<(), Error> {
    let windows = context.host.os == Os::Windows;
    let given = request.env.get(variable).map(EnvValue::expose).or_else(|| others.get(variable).map(String::as_str));
    let problem = if given.is_some_and(|given| given != secret.expose()) {
        format!(
            "has a secret variable `{variable}` that another part of the request sets differently; choose another name"
        )
    } else if environment::means_something(variable, windows) {
        format!("has a secret variable `{variable}`, which means something to Codex itself; choose another name")
    } else {
        return Ok(());
    };
    Err(Error::InvalidServer { name: server.name.clone(), problem })
}
