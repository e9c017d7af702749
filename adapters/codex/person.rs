//! What the person's own Codex settings say that a run must know: their MCP servers, which a run's own are mixed with, the
//! variable that holds their provider's key, and what a run's settings would otherwise replace.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::env::{HostEnv, Os};
use crate::request::Request;
use crate::survey::{Look, Seen, Survey};

/// The settings of the whole machine, which count below the person's own (by the documents of Codex).
const SYSTEM: &[&str] = &["/etc/codex/config.toml", "/etc/codex/managed_config.toml"];

/// What the settings say.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Person {
    /// Names of MCP servers.
    pub(super) servers: BTreeSet<String>,
    /// Names of permission profiles.
    pub(super) profiles: BTreeSet<String>,
    /// Variables that the chosen provider reads: its key and its headers.
    pub(super) provider_variables: Vec<String>,
    /// `developer_instructions`, which an override replaces.
    pub(super) instructions: Option<String>,
    /// `shell_environment_policy.exclude`, which an override replaces.
    pub(super) excluded: Vec<String>,
    /// A file that is there and could not be read, or is no TOML.
    pub(super) unreadable: Option<PathBuf>,
}

/// Where to look.
pub(super) fn looks(request: &Request, host: &HostEnv) -> Vec<Look> {
    files(request, host).into_iter().map(Look::Text).collect()
}

/// The settings files, the person's last: it counts most.
fn files(request: &Request, host: &HostEnv) -> Vec<PathBuf> {
    let system = SYSTEM.iter().filter(|_| host.os != Os::Windows).map(PathBuf::from);
    system.chain(codex_home(request, host).map(|home| home.join("config.toml"))).collect()
}

/// Codex's own folder in the run's environment.
pub(super) fn codex_home(request: &Request, host: &HostEnv) -> Option<PathBuf> {
    value("CODEX_HOME", request, host).or_else(|| home(request, host).map(|home| home.join(".codex")))
}

/// The person's home folder in the run's environment.
pub(super) fn home(request: &Request, host: &HostEnv) -> Option<PathBuf> {
    let name = if host.os == Os::Windows { "USERPROFILE" } else { "HOME" };
    value(name, request, host).or_else(|| host.home.clone())
}

/// A variable of the run's environment that names a folder.
fn value(name: &str, request: &Request, host: &HostEnv) -> Option<PathBuf> {
    // One that is empty is none, to Codex too.
    if let Some(value) = request.env.get(name) {
        return Some(PathBuf::from(value.expose())).filter(|path| !path.as_os_str().is_empty());
    }
    let removed = request.env_remove.iter().any(|removed| removed == name);
    host.var(name).filter(|value| !removed && !value.is_empty()).map(PathBuf::from)
}

pub(super) fn person(request: &Request, host: &HostEnv, survey: &Survey) -> Person {
    let mut person = Person::default();
    for file in files(request, host) {
        match survey.seen(&Look::Text(file.clone())) {
            Seen::Text(bytes) => {
                match std::str::from_utf8(bytes).ok().and_then(|text| text.parse::<toml::Table>().ok()) {
                    Some(settings) => person.read(&settings),
                    None => person.unreadable = Some(file),
                }
            }
            Seen::Unreadable => person.unreadable = Some(file),
            _ => {}
        }
    }
    // What lies in a folder that the request names is not known to be the person's, and must not choose their secrets.
    if ["CODEX_HOME", "HOME", "USERPROFILE"].iter().any(|name| request.env.contains_key(*name)) {
        person.provider_variables.clear();
    }
    person
}

impl Person {
    fn read(&mut self, settings: &toml::Table) {
        self.servers.extend(keys(settings, "mcp_servers"));
        self.profiles.extend(keys(settings, "permissions"));
        let provider = settings.get("model_provider").and_then(toml::Value::as_str);
        let provider = provider.and_then(|name| settings.get("model_providers")?.get(name));
        if let Some(provider) = provider {
            let headers = provider.get("env_http_headers").and_then(toml::Value::as_table);
            let headers = headers.into_iter().flat_map(|headers| headers.values());
            let named = provider.get("env_key").into_iter().chain(headers).filter_map(toml::Value::as_str);
            self.provider_variables = named.map(str::to_owned).collect();
        }
        let instructions = settings.get("developer_instructions").and_then(toml::Value::as_str);
        if let Some(text) = instructions {
            self.instructions = Some(text.to_owned());
        }
        let excluded = settings.get("shell_environment_policy").and_then(|policy| policy.get("exclude"));
        if let Some(excluded) = excluded.and_then(toml::Value::as_array) {
            self.excluded = excluded.iter().filter_map(toml::Value::as_str).map(str::to_owned).collect();
        }
    }
}

fn keys(settings: &toml::Table, name: &str) -> Vec<String> {
    let table = settings.get(name).and_then(toml::Value::as_table);
    table.into_iter().flat_map(|table| table.keys().cloned()).collect()
}
