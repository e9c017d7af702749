//! What the person has set up in OpenCode: servers, plugins and tools, as far as Safe mode must know of them.
//!
//! Measured on 1.18.33: `enabled: false` by the run's own settings keeps a server from starting. With `OPENCODE_PURE` plugins are
//! not asked, but their files are loaded all the same, sooner or later, by another part of the program. The files of `tool` and
//! `tools` in the person's folders are loaded in any case, and a tool of a built-in one's name takes its place.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{config, place, tools};
use crate::adapters::boundary::{both, lies_in};
use crate::adapters::copilot::jsonc;
use crate::env::HostEnv;
use crate::request::Request;
use crate::survey::{Look, Seen, Survey};

const PLUGINS: &[&str] = &["plugin", "plugins"];
const TOOLS: &[&str] = &["tool", "tools"];
/// Where agents lie, one a file.
const AGENTS: &[&str] = &["agent", "agents", "mode", "modes"];

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Person {
    /// Names of servers, without the request's.
    pub(super) servers: Vec<String>,
    pub(super) notices: Vec<String>,
    /// Why Safe mode cannot be kept here.
    pub(super) not_safe: Option<String>,
}

/// Where to look.
pub(super) fn looks(request: &Request, host: &HostEnv) -> Vec<Look> {
    let mut looks: Vec<Look> = settings(request, host).into_iter().map(Look::Text).collect();
    for folder in folders(request, host) {
        looks.extend(PLUGINS.iter().chain(TOOLS).chain(AGENTS).map(|name| Look::Names(folder.join(name))));
    }
    let private = private(request, host);
    looks.extend(private.into_iter().chain([request.vault.clone()]).map(Look::Real));
    looks
}

/// Judges what was seen.
pub(super) fn person(request: &Request, host: &HostEnv, survey: &Survey) -> Person {
    let mut person = Person { not_safe: holds_private(request, host, survey), ..Person::default() };
    let mut plugins = false;
    for path in settings(request, host) {
        let config = match survey.seen(&Look::Text(path.clone())) {
            Seen::Text(bytes) => jsonc::parse(bytes),
            Seen::Unreadable => None,
            _ => continue,
        };
        let Some(config) = config else {
            person.notices.push(format!(
                "Your OpenCode settings in `{}` cannot be read, so that servers of yours may start with OpenCode. Their tools \
                 are not given.",
                path.display()
            ));
            continue;
        };
        let names = |key: &str| {
            config
                .get(key)
                .and_then(Value::as_object)
                .into_iter()
                .flat_map(|map| map.keys().cloned())
                .collect::<Vec<_>>()
        };
        person.servers.extend(names("mcp"));
        plugins |= config.get("plugin").or_else(|| config.get("plugins")).is_some_and(|list| !is_empty(list));
        if names("agent").iter().chain(&names("mode")).any(|name| name == config::AGENT) {
            let what =
                format!("an agent named `{}` in `{}` is yours; give it another name", config::AGENT, path.display());
            person.not_safe.get_or_insert(what);
        }
    }
    person.servers.sort();
    person.servers.dedup();
    person.servers.retain(|name| !request.mcp_servers.iter().any(|own| own.name == *name));
    let mut loaded = false;
    for folder in folders(request, host) {
        for place in AGENTS.iter().map(|name| folder.join(name)) {
            let own = format!("{}.md", config::AGENT);
            let Seen::Names(names) = survey.seen(&Look::Names(place.clone())) else { continue };
            if names.iter().any(|name| name.eq_ignore_ascii_case(&own)) {
                let what = format!("the agent `{}` is yours; give it another name", place.join(&own).display());
                person.not_safe.get_or_insert(what);
            }
        }
        plugins |= PLUGINS.iter().any(|name| !scripts(&folder.join(name), survey).is_empty());
        for place in TOOLS.iter().map(|name| folder.join(name)) {
            for script in scripts(&place, survey) {
                loaded = true;
                if takes_a_place(&script, request) {
                    let what = format!(
                        "your own tool `{}` would take the place of one that the mode gives; rename it, or choose Power User mode",
                        place.join(&script).display()
                    );
                    person.not_safe.get_or_insert(what);
                }
            }
        }
    }
    if plugins {
        let what = "Plugins of your own are not asked in this run, and a sign-in that one of them provides does not work in Safe mode; \
                    OpenCode loads their files all the same.";
        person.notices.push(what.into());
    }
    if loaded {
        let what = "Tools of your own are not given in this run; OpenCode loads their files all the same.";
        person.notices.push(what.into());
    }
    person
}

/// Whether a file's tool, or one of several, has the name of a tool that the mode gives: `NAME` or `NAME_part`.
fn takes_a_place(script: &str, request: &Request) -> bool {
    let id = script.rsplit_once('.').map_or(script, |(id, _)| id);
    let part = format!("{id}_");
    let given = tools::SAFE.iter().chain([&"apply_patch"]).any(|given| *given == id || given.starts_with(&part));
    // A server's name may go on where the file's ends, or the other way round.
    given
        || request
            .mcp_servers
            .iter()
            .any(|own| own.name == id || own.name.starts_with(&part) || tools::is_of(id, &own.name))
}

fn is_empty(list: &Value) -> bool {
    list.as_array().is_some_and(Vec::is_empty) || list.is_null()
}

/// Scripts that lie directly in a folder.
fn scripts(folder: &Path, survey: &Survey) -> Vec<String> {
    let Seen::Names(names) = survey.seen(&Look::Names(folder.to_path_buf())) else { return Vec::new() };
    let names = names.iter().map(|name| name.to_string_lossy().into_owned());
    names.filter(|name| name.ends_with(".js") || name.ends_with(".ts")).collect()
}

/// OpenCode's folders of the person: by its name of the folder for settings, on Windows too, and the home folder's.
fn folders(request: &Request, host: &HostEnv) -> Vec<PathBuf> {
    let home = place::home(request, host);
    let config = place::value("XDG_CONFIG_HOME", request, host).or_else(|| Some(home.as_ref()?.join(".config")));
    let own = home.map(|home| home.join(".opencode"));
    config.map(|config| config.join("opencode")).into_iter().chain(own).collect()
}

pub(super) fn settings(request: &Request, host: &HostEnv) -> Vec<PathBuf> {
    let names = ["config.json", "opencode.json", "opencode.jsonc"];
    folders(request, host).iter().flat_map(|folder| names.iter().map(|name| folder.join(name))).collect()
}

/// Folders that no vault may be or hold in Safe mode: keys and sign-ins would be notes to read.
fn private(request: &Request, host: &HostEnv) -> Vec<PathBuf> {
    let home = place::home(request, host);
    let data = place::value("XDG_DATA_HOME", request, host).or_else(|| Some(home.as_ref()?.join(".local/share")));
    let data = data.map(|data| data.join("opencode"));
    folders(request, host).into_iter().chain(data).chain(home).chain(host.home.clone()).collect()
}

fn holds_private(request: &Request, host: &HostEnv, survey: &Survey) -> Option<String> {
    let vaults = both(&request.vault, survey);
    let private = private(request, host);
    let holds =
        |folder: &PathBuf| both(folder, survey).iter().any(|folder| vaults.iter().any(|vault| lies_in(folder, vault)));
    let vault = request.vault.display();
    if let Some(held) = private.iter().find(|folder| holds(folder)) {
        let held = held.display();
        return Some(format!(
            "`{vault}` holds `{held}`, with your keys, sign-ins and settings; choose a folder of notes below it"
        ));
    }
    let own = private.iter().filter(|folder| folder.ends_with("opencode") || folder.ends_with(".opencode"));
    let within =
        own.flat_map(|folder| both(folder, survey)).any(|folder| vaults.iter().any(|vault| lies_in(vault, &folder)));
    within.then(|| format!("`{vault}` lies in one of OpenCode's own folders; choose another vault"))
}
