//! The environment of every child, built in one place: probes, the login shell, agents and the lookup of MCP commands.
//!
//! Pure over the host's variables. Takes away what only concerns the app itself (the packaging it runs in) or the agent
//! session it was started from, and puts together the `PATH`. Changes nothing of the host.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::{Binary, paths};
use crate::env::{HostEnv, Os};
use crate::plan::EnvChange;
use crate::request::EnvValue;

/// Variables by which an agent knows that it runs inside another, or inside its own tools.
///
/// Some agents refuse to start when they see theirs (Claude Code: `CLAUDECODE`), some take up the session named (Copilot
/// CLI 1.0.102, from its scripts), others change how they behave. None is a setting of a person's.
const NESTING: &[&str] = &[
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SSE_PORT",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_AGENT_SDK_VERSION",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_THREAD_ID",
    "CODEX_CI",
    "COPILOT_CLI",
    "COPILOT_CLI_BINARY_VERSION",
    "COPILOT_CLI_RESOLVED_DIST_DIR",
    "COPILOT_CLI_RUN_AS_NODE",
    "COPILOT_LOADER_PID",
    "COPILOT_RUN_APP",
    "COPILOT_SUPERVISED",
    "COPILOT_AGENT_SESSION_ID",
    "COPILOT_DETACHED_SESSION",
    "COPILOT_DETACHED_PARENT_SESSION_ID",
    "COPILOT_DETACHED_PARENT_ENGAGEMENT_ID",
    "CURSOR_AGENT",
    "GEMINI_CLI",
    "QWEN_CODE",
    "OPENCODE",
    "OPENCODE_PID",
    "OPENCODE_PROCESS_ROLE",
    "GOOSE_TERMINAL",
    "AMP_CURRENT_THREAD_ID",
    "AI_AGENT",
];

/// Variables of Electron and Node hosts that turn a child into something else.
const HOST_RUNTIME: &[&str] =
    &["ELECTRON_RUN_AS_NODE", "ELECTRON_NO_ATTACH_CONSOLE", "NODE_CHANNEL_FD", "NODE_UNIQUE_ID"];

/// Variables that name the packaging of the app, beside those that begin with `SNAP_`.
const PACKAGING: &[&str] = &[
    "APPDIR",
    "APPIMAGE",
    "ARGV0",
    "OWD",
    "DESKTOPINTEGRATION",
    "SNAP",
    "FLATPAK_ID",
    "FLATPAK_SANDBOX_DIR",
    "container",
];

/// What a login shell exports and a GUI start lacks, beside `PATH`: proxies and certificates. Lower-case names count too.
pub(crate) const CARRIED: &[&str] = &[
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "NODE_EXTRA_CA_CERTS",
    "NODE_USE_SYSTEM_CA",
    "NODE_USE_ENV_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
    "GIT_SSL_CAINFO",
];

/// The host's variables without what must not reach a child.
pub(crate) fn clean(host: &HostEnv) -> BTreeMap<OsString, OsString> {
    let packaging = packaging_roots(host);
    let listed = |name: &OsStr, list: &[&str]| list.iter().any(|other| same_name(host.os, name, other));
    let mut vars = BTreeMap::new();
    for (name, value) in &host.vars {
        if listed(name, NESTING) || listed(name, HOST_RUNTIME) {
            continue;
        }
        if !packaging.is_empty() {
            let snap = name.as_encoded_bytes().starts_with(b"SNAP_");
            if name == "HOME" {
                let real = host.var("SNAP_REAL_HOME").filter(|_| is_inside(Path::new(value), &packaging));
                vars.insert(name.clone(), real.unwrap_or(value).to_owned());
                continue;
            }
            if snap || listed(name, PACKAGING) {
                continue;
            }
        }
        if let Some(value) = without_packaging(value, &packaging) {
            vars.insert(name.clone(), value);
        }
    }
    if host.os == Os::Windows {
        // Keeps a program in the vault from being taken for one on the PATH.
        vars.insert("NoDefaultCurrentDirectoryInExePath".into(), "1".into());
    }
    vars
}

/// The `PATH` of a child: the folder of the file found, the folder of its target, the login shell's, the host's.
///
/// No folder twice. The person's own order stays; see [`Start`] for the one exception.
pub(crate) fn search_path(host: &HostEnv, start: Option<&Start>, login: Option<&OsStr>) -> OsString {
    let clean = clean(host);
    let inherited = lookup(host.os, &clean, "PATH").unwrap_or_default();
    let mut person = paths::split_list(host.os, login.unwrap_or_default());
    person.extend(paths::split_list(host.os, &inherited));
    let roots = packaging_roots(host);
    person.retain(|folder| !is_inside(folder, &roots));
    let mut folders: Vec<PathBuf> = Vec::new();
    if let Some(start) = start {
        for folder in [Some(&start.found), start.target.as_ref()].into_iter().flatten() {
            let known = person.iter().any(|other| paths::key(host.os, other) == paths::key(host.os, folder));
            if !known || (start.interpreted && !is_system(host.os, folder)) {
                folders.push(folder.clone());
            }
        }
    }
    folders.extend(person);
    if folders.is_empty() && host.os != Os::Windows {
        // An empty PATH lets nothing start, and some programs fill in a default with the working directory in it.
        folders.extend(["/usr/local/bin", "/usr/bin", "/bin"].map(PathBuf::from));
    }
    let mut seen = std::collections::HashSet::new();
    let mut length = 0;
    folders.retain(|folder| {
        let new = seen.insert(paths::key(host.os, folder));
        length += if new { folder.as_os_str().len() + 1 } else { 0 };
        new && length <= longest(host.os)
    });
    paths::join_list(host.os, &folders)
}

/// What every plan for `binary` changes in the host's environment: the `PATH`, what the login shell adds, what is taken
/// away. Printed with the plan, so that what is printed is what is started.
pub(crate) fn changes(host: &HostEnv, binary: &Binary) -> BTreeMap<String, EnvChange> {
    let clean = clean(host);
    let mut changes = BTreeMap::new();
    for (name, value) in &host.vars {
        let Some(name) = name.to_str() else { continue };
        match clean.get(OsStr::new(name)) {
            None => changes.insert(name.to_owned(), EnvChange::Remove),
            Some(kept) if kept != value => kept
                .to_str()
                .and_then(|kept| changes.insert(name.to_owned(), EnvChange::Set(EnvValue::Plain(kept.to_owned())))),
            Some(_) => None,
        };
    }
    for (name, value) in &clean {
        if let (Some(name), Some(value), false) = (name.to_str(), value.to_str(), host.vars.contains_key(name)) {
            changes.insert(name.into(), EnvChange::Set(EnvValue::Plain(value.into())));
        }
    }
    for (name, value) in &binary.login_env {
        if let (Some(name), Some(value)) = (name.to_str(), value.to_str()) {
            // A proxy's address may hold a password.
            changes.insert(name.into(), EnvChange::Set(EnvValue::Secret(value.into())));
        }
    }
    let named =
        host.vars.keys().filter_map(|name| name.to_str()).find(|name| same_name(host.os, OsStr::new(name), "PATH"));
    let path = binary.search_path.to_str().map(str::to_owned).unwrap_or_else(|| {
        // A plan is text. Folders that are not are left out rather than mangled.
        let folders = paths::split_list(host.os, &binary.search_path);
        let text: Vec<PathBuf> = folders.into_iter().filter(|folder| folder.to_str().is_some()).collect();
        paths::join_list(host.os, &text).to_string_lossy().into_owned()
    });
    changes.insert(named.unwrap_or("PATH").into(), EnvChange::Set(EnvValue::Plain(path)));
    changes
}

/// What is started, as far as the `PATH` depends on it.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    /// The folder of the file found.
    pub(crate) found: PathBuf,
    /// The folder that its links lead to, where another.
    pub(crate) target: Option<PathBuf>,
    /// Whether an interpreter runs it. The one beside it is the one it was installed for, so that its folder then goes
    /// to the front even where the person's `PATH` has it further back; never a folder of the system, which would
    /// put the system's `node` before the person's.
    pub(crate) interpreted: bool,
}

/// How long a `PATH` may be. The system starts nothing with a longer variable; what comes last is left out.
fn longest(os: Os) -> usize {
    if os == Os::Windows { 32_000 } else { 120 * 1024 }
}

/// Whether a folder is the system's own, where programs of every kind lie side by side.
fn is_system(os: Os, folder: &Path) -> bool {
    os != Os::Windows && ["/usr/bin", "/bin", "/usr/sbin", "/sbin"].iter().any(|system| folder == Path::new(system))
}

/// The proxy and certificate variables that the login shell exports and the host lacks.
pub(crate) fn carried(host: &HostEnv, login: &BTreeMap<OsString, OsString>) -> Vec<(OsString, OsString)> {
    let wanted = |name: &OsStr| CARRIED.iter().any(|other| name.eq_ignore_ascii_case(other));
    let kept = login.iter().filter(|(name, value)| wanted(name) && !value.is_empty() && !host.vars.contains_key(*name));
    kept.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Whether the app was started from a terminal's shell, whose variables it then has already.
pub(crate) fn is_from_terminal(host: &HostEnv) -> bool {
    let terminal = host.var("TERM").is_some_and(|term| !term.is_empty() && term != "dumb");
    let depth = host.var("SHLVL").and_then(OsStr::to_str).and_then(|level| level.parse::<u32>().ok());
    terminal && depth.is_some_and(|level| level > 0)
}

/// The packaging that hides the host's programs from the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sandbox {
    /// Flatpak.
    Flatpak,
    /// Snap.
    Snap,
}

impl Sandbox {
    /// The name for people.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Sandbox::Flatpak => "Flatpak",
            Sandbox::Snap => "Snap",
        }
    }
}

/// The sandbox that the host app runs in.
pub(crate) fn sandbox(host: &HostEnv, disk: &dyn super::disk::Disk) -> Option<Sandbox> {
    if host.os != Os::Linux {
        return None;
    }
    let info = Path::new("/.flatpak-info");
    if host.var("FLATPAK_ID").is_some() || matches!(disk.look(info), super::disk::Look::File { .. }) {
        return Some(Sandbox::Flatpak);
    }
    (host.var("SNAP").is_some() && host.var("SNAP_NAME").is_some()).then_some(Sandbox::Snap)
}

/// The value of a variable in `vars`, by the rules for names of `os`.
pub(crate) fn lookup(os: Os, vars: &BTreeMap<OsString, OsString>, name: &str) -> Option<OsString> {
    vars.iter().find(|(key, _)| same_name(os, key, name)).map(|(_, value)| value.clone())
}

fn same_name(os: Os, name: &OsStr, other: &str) -> bool {
    if os == Os::Windows { name.eq_ignore_ascii_case(other) } else { name == OsStr::new(other) }
}

/// The folders that the app's own packaging is mounted at, and those that it gives the app for its data.
fn packaging_roots(host: &HostEnv) -> Vec<PathBuf> {
    if host.os != Os::Linux {
        return Vec::new();
    }
    let folder = |name: &str| host.var(name).map(PathBuf::from);
    let mut roots = Vec::new();
    // `SNAP` and `APPDIR` also stand for other things in people's shells: each needs its companion.
    if host.var("APPIMAGE").is_some() {
        roots.extend(folder("APPDIR"));
    }
    if host.var("SNAP_NAME").is_some() {
        let names = ["SNAP", "SNAP_DATA", "SNAP_COMMON", "SNAP_USER_DATA", "SNAP_USER_COMMON"];
        roots.extend(names.into_iter().filter_map(folder));
    }
    if let Some(id) = host.var("FLATPAK_ID") {
        roots.push("/app".into());
        roots.extend(host.home.as_ref().map(|home| home.join(".var/app").join(id)));
    }
    // The root folder, a bare name or the home folder would take everything, or anything, away.
    roots.retain(|root| root.is_absolute() && root.parent().is_some() && Some(root) != host.home.as_ref());
    roots
}

fn is_inside(path: &Path, roots: &[PathBuf]) -> bool {
    roots.iter().any(|root| paths::is_within(Os::Linux, path, root))
}

/// A value, often a list of folders, without the entries that lie in the packaging; none where nothing is left.
///
/// Every variable is looked at: AppImages set dozens (`LD_LIBRARY_PATH`, `PERLLIB`, `GDK_PIXBUF_MODULE_FILE`…).
fn without_packaging(value: &OsStr, packaging: &[PathBuf]) -> Option<OsString> {
    if packaging.is_empty() {
        return Some(value.to_owned());
    }
    let entries: Vec<PathBuf> = std::env::split_paths(value).collect();
    if !entries.iter().any(|entry| is_inside(entry, packaging)) {
        return Some(value.to_owned());
    }
    // An empty entry of LD_LIBRARY_PATH means the working directory: AppRun scripts leave one behind.
    let kept = entries.into_iter().filter(|entry| !entry.as_os_str().is_empty() && !is_inside(entry, packaging));
    let kept: Vec<PathBuf> = kept.collect();
    (!kept.is_empty()).then(|| paths::join_list(Os::Linux, &kept))
}
