//! What the person's own Copilot settings would let a vault do, and how Safe mode keeps it from that.
//!
//! Measured on 1.0.69, 1.0.80 and 1.0.102 for Linux, 2026-11 (`docs/adr/0003`): a trusted folder runs its own hooks and MCP
//! servers in `-p` mode whatever the flags say; trust comes from any folder above, through links, and from the repository
//! that a `.git` file names; experimental features with an extension run hooks of untrusted folders; saved
//! approvals open paths for the folder they are kept under; the person's MCP servers start though no tool of theirs is
//! given. None of it holds for a folder that is only added to a run which works elsewhere.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::adapters::Context;
use crate::adapters::boundary::{both, lies_in};
use crate::env::{HostEnv, Os};
use crate::request::Request;
use crate::survey::{Look, Seen, Survey};

use super::{approvers, jsonc};

/// Files and folders from which a trusted folder can start programs or change how Copilot works.
const EXECUTABLE: &[&str] = &[
    ".agents",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".copilot",
    ".github/copilot",
    ".github/extensions",
    ".github/hooks",
    ".github/lsp.json",
    ".github/mcp.json",
    ".mcp.json",
    ".vscode/mcp.json",
];

/// The person's settings, below Copilot's home.
const CONFIG: &str = "config.json";
const SETTINGS: &str = "settings.json";
const PERMISSIONS: &str = "permissions-config.json";
const SERVERS: &str = "mcp-config.json";

/// What follows for a run in Safe mode.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Trust {
    /// Why the run must not work from the vault, for people.
    pub(super) keep_out: Option<String>,
    /// Where the empty folder goes, where not to the temporary files.
    pub(super) below: Option<PathBuf>,
    /// Why it cannot work from elsewhere either.
    pub(super) no_way: Option<String>,
    /// Why Safe mode cannot be kept from anywhere.
    pub(super) not_safe: Option<String>,
    /// The person's own servers, to be left out.
    pub(super) servers: Vec<String>,
}

/// Where to look for it.
pub(super) fn looks(request: &Request, host: &HostEnv, survey: &Survey) -> Vec<Look> {
    let Some(home) = copilot_home(request, host) else { return Vec::new() };
    let mut looks: Vec<Look> =
        [CONFIG, SETTINGS, PERMISSIONS, SERVERS].iter().map(|name| Look::Text(home.join(name))).collect();
    looks.push(Look::PrivateRoot);
    looks.extend(elsewhere(host).map(|place| Look::Real(place.into())));
    looks.push(Look::Real(request.vault.clone()));
    looks.extend(homes(&home, request, host).into_iter().map(Look::Real));
    looks.extend(approvers::looks(&home, survey));
    for folder in lines(&request.vault, survey) {
        looks.extend([".git", ".git/commondir"].map(|name| Look::Kind(folder.join(name))));
    }
    for folder in work_area(&request.vault, survey) {
        looks.extend(EXECUTABLE.iter().map(|name| Look::Kind(folder.join(name))));
    }
    for name in [CONFIG, PERMISSIONS] {
        looks.extend(paths_in(&home, name, host, survey).into_iter().map(Look::Real));
    }
    looks
}

pub(super) fn trust(request: &Request, context: &Context<'_>) -> Trust {
    let (host, survey) = (context.host, context.survey);
    let Some(home) = copilot_home(request, host) else { return Trust::default() };
    let vaults = both(&request.vault, survey);
    let executable: Vec<&str> = EXECUTABLE
        .iter()
        .filter(|name| work_area(&request.vault, survey).iter().any(|folder| survey.exists(&folder.join(name))))
        .copied()
        .collect();
    let trusted = above(&vaults, &home, CONFIG, host, survey);
    let experimental = is_experimental(&home, survey);
    let not_safe = holds_home(&vaults, &homes(&home, request, host), &home, survey)
        .or_else(|| approvers::approvers(&home, [CONFIG, SETTINGS], experimental, survey));
    let mut trust = Trust { servers: servers(request, &home, survey), not_safe, ..Trust::default() };
    if !executable.is_empty() {
        let why = if trusted.is_some() {
            Some("you trust the vault in Copilot")
        } else if is_borrowed(&request.vault, survey) && !paths_in(&home, CONFIG, host, survey).is_empty() {
            Some("the vault names another folder's repository as its own")
        } else if experimental {
            Some("you have Copilot's experimental features on")
        } else {
            unreadable(&home, CONFIG, survey).then_some("Copilot's settings cannot be read")
        };
        trust.keep_out = why
            .map(|why| format!("{why}, so that what the vault holds could start programs ({})", executable.join(", ")));
    }
    let approved = above(&vaults, &home, PERMISSIONS, host, survey).is_some() || unreadable(&home, PERMISSIONS, survey);
    if approved && trust.keep_out.is_none() {
        trust.keep_out = Some("you have approved more for this folder in Copilot than Safe mode gives".into());
    }
    if trust.keep_out.is_some() {
        let covered = |place: &Path| {
            let places = [place.to_path_buf()];
            above(&places, &home, CONFIG, host, survey).or_else(|| above(&places, &home, PERMISSIONS, host, survey))
        };
        let Seen::Path(temporary) = survey.seen(&Look::PrivateRoot) else { return trust };
        if let Some(folder) = covered(temporary) {
            trust.below = elsewhere(host)
                .find_map(|place| survey.real(Path::new(place)).filter(|real| covered(real).is_none()))
                .map(Path::to_path_buf);
            if trust.below.is_none() {
                let holds = "which holds the temporary files as well";
                trust.no_way = Some(format!("your Copilot settings trust `{}`, {holds}", folder.display()));
            }
        }
    }
    trust
}

/// Further places where anyone may make a private folder, for a person who trusts where the temporary files are.
fn elsewhere(host: &HostEnv) -> impl Iterator<Item = &'static str> {
    let places: &[&str] = if host.os == Os::Windows { &[] } else { &["/var/tmp", "/dev/shm", "/tmp"] };
    places.iter().copied()
}

/// Copilot's own folder in the run's environment: named by its variable, else below the home folder.
fn copilot_home(request: &Request, host: &HostEnv) -> Option<PathBuf> {
    let below = |home: PathBuf| home.join(".copilot");
    value("COPILOT_HOME", request, host).or_else(|| person_home(request, host).map(below))
}

/// The person's home folder in the run's environment.
fn person_home(request: &Request, host: &HostEnv) -> Option<PathBuf> {
    let name = if host.os == Os::Windows { "USERPROFILE" } else { "HOME" };
    value(name, request, host).or_else(|| host.home.clone())
}

/// A variable of the run's environment that names a folder.
fn value(name: &str, request: &Request, host: &HostEnv) -> Option<PathBuf> {
    if let Some(value) = request.env.get(name) {
        return Some(PathBuf::from(value.expose()));
    }
    let removed = request.env_remove.iter().any(|removed| removed == name);
    host.var(name).filter(|value| !removed && !value.is_empty()).map(PathBuf::from)
}

/// Folders that no vault may be or hold in Safe mode: keys and sign-ins would be notes to read.
fn homes(copilot: &Path, request: &Request, host: &HostEnv) -> Vec<PathBuf> {
    let person = [person_home(request, host), host.home.clone()];
    person.into_iter().flatten().chain([copilot.to_path_buf()]).collect()
}

/// Why these are no folders to be edited as notes, for people.
fn holds_home(vaults: &[PathBuf], homes: &[PathBuf], copilot: &Path, survey: &Survey) -> Option<String> {
    let vault = vaults.first()?.display();
    let holds = |home: &PathBuf| both(home, survey).iter().any(|home| vaults.iter().any(|vault| lies_in(home, vault)));
    if let Some(home) = homes.iter().find(|home| holds(home)) {
        let held = home.display();
        return Some(format!(
            "`{vault}` holds `{held}`, with your keys, sign-ins and settings; choose a folder of notes below it"
        ));
    }
    let within = both(copilot, survey).iter().any(|home| vaults.iter().any(|vault| lies_in(vault, home)));
    within.then(|| format!("`{vault}` lies in Copilot's own folder; choose another vault"))
}

/// The vault and all folders above it, where it really is.
fn lines(vault: &Path, survey: &Survey) -> Vec<PathBuf> {
    survey.real(vault).unwrap_or(vault).ancestors().take(64).map(Path::to_path_buf).collect()
}

/// The folders whose settings Copilot takes for the vault's: itself, and up to the root of a repository.
fn work_area(vault: &Path, survey: &Survey) -> Vec<PathBuf> {
    let lines = lines(vault, survey);
    let root = lines.iter().rposition(|folder| survey.exists(&folder.join(".git"))).unwrap_or(0);
    lines.into_iter().take(root + 1).collect()
}

/// Whether the vault's repository says that it belongs to another: a file in place of the folder `.git`, or one within.
fn is_borrowed(vault: &Path, survey: &Survey) -> bool {
    lines(vault, survey).iter().any(|folder| {
        let git = folder.join(".git");
        *survey.seen(&Look::Kind(git.clone())) == Seen::File || survey.exists(&git.join("commondir"))
    })
}

/// The first folder named in a settings file that is one of `places` or lies above it, as written or as it really is.
///
/// Whatever the key: `trusted_folders` counts as much as `trustedFolders`, and a key as much as a value.
fn above(places: &[PathBuf], home: &Path, name: &str, host: &HostEnv, survey: &Survey) -> Option<PathBuf> {
    let named = paths_in(home, name, host, survey);
    named
        .into_iter()
        .find(|path| both(path, survey).iter().any(|folder| places.iter().any(|place| lies_in(place, folder))))
}

/// All texts in a settings file that could be a path.
fn paths_in(home: &Path, name: &str, host: &HostEnv, survey: &Survey) -> Vec<PathBuf> {
    let Seen::Text(bytes) = survey.seen(&Look::Text(home.join(name))) else { return Vec::new() };
    let texts: BTreeSet<String> = jsonc::texts(bytes).into_iter().collect();
    let is_path = |text: &String| crate::validate::is_absolute(Path::new(text), host.os == Os::Windows);
    texts.into_iter().filter(is_path).take(128).map(PathBuf::from).collect()
}

fn unreadable(home: &Path, name: &str, survey: &Survey) -> bool {
    *survey.seen(&Look::Text(home.join(name))) == Seen::Unreadable
}

/// Whether either settings file speaks of experimental features or feature flags in any way but `false`.
fn is_experimental(home: &Path, survey: &Survey) -> bool {
    [CONFIG, SETTINGS].iter().any(|name| match survey.seen(&Look::Text(home.join(name))) {
        Seen::Text(bytes) => jsonc::parse(bytes).is_some_and(|config| {
            let Some(config) = config.as_object() else { return false };
            config.iter().any(|(key, value)| {
                let key = key.to_ascii_lowercase().replace('_', "");
                let off = matches!(value, serde_json::Value::Bool(false) | serde_json::Value::Null);
                (key.contains("experimental") || key.contains("featureflags")) && !off
            })
        }),
        Seen::Unreadable => true,
        _ => false,
    })
}

/// The person's own servers, less those of the request: of one name, the request's counts, and leaving it out would leave
/// out both. Names that differ by case are different servers.
fn servers(request: &Request, home: &Path, survey: &Survey) -> Vec<String> {
    let Seen::Text(bytes) = survey.seen(&Look::Text(home.join(SERVERS))) else { return Vec::new() };
    let config = jsonc::parse(bytes);
    let servers = config.as_ref().and_then(|config| config.get("mcpServers")?.as_object());
    let names = servers.into_iter().flat_map(|servers| servers.keys());
    let ours = |name: &String| request.mcp_servers.iter().any(|server| server.name == *name);
    names.filter(|name| !ours(name) && !name.is_empty() && !name.contains('\0')).take(128).cloned().collect()
}
