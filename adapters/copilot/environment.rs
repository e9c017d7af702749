//! What Copilot gets of the host's environment. In Safe mode what the first table names, in Power User mode all but what
//! the second names; then the settings of the run, then what the request asks for. The `PATH` and what concerns only the app
//! itself is settled by `discover` for every child alike.

use std::collections::BTreeMap;

use crate::adapters::Context;
use crate::discover;
use crate::env::Os;
use crate::error::Error;
use crate::plan::EnvChange;
use crate::request::{EnvValue, Mode, Request};

use super::servers::DOLLAR;

/// What Safe mode lets through; `*` at the end stands for any rest. Names are compared as the system compares them.
///
/// Copilot's own are those of `copilot help environment` on 1.0.69 and 1.0.102 that sign in, name a model or a provider, or
/// say where its files are. The rest is what a program needs to find its home, its words and its network.
const SAFE: &[&str] = &[
    // Home, account and language.
    "HOME",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TZ",
    "TZDIR",
    "USER",
    "XDG_*",
    "__CF_USER_TEXT_ENCODING",
    // Temporary files.
    "TEMP",
    "TMP",
    "TMPDIR",
    // Windows: the profile, the system and what it runs programs with.
    "ALLUSERSPROFILE",
    "APPDATA",
    "COMMONPROGRAMFILES*",
    "COMPUTERNAME",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "NUMBER_OF_PROCESSORS",
    "OS",
    "PATHEXT",
    "PROCESSOR_*",
    "PROGRAMDATA",
    "PROGRAMFILES*",
    "PROGRAMW6432",
    "PUBLIC",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "USERDOMAIN",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
    // Proxies and certificates, also of the MCP servers' languages.
    "ALL_PROXY",
    "all_proxy",
    "CURL_CA_BUNDLE",
    "HTTPS_PROXY",
    "https_proxy",
    "HTTP_PROXY",
    "http_proxy",
    "GIT_SSL_CAINFO",
    "KRB5CCNAME",
    "KRB5_CONFIG",
    "NODE_EXTRA_CA_CERTS",
    "NODE_USE_ENV_PROXY",
    "NODE_USE_SYSTEM_CA",
    "NO_PROXY",
    "no_proxy",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    // The keychain that holds the sign-in (Linux: through the session bus).
    "DBUS_SESSION_BUS_ADDRESS",
    "GNOME_KEYRING_CONTROL",
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

/// A variable that no mode lets through, beside those that no child of the launcher gets.
struct Stripped {
    /// `*` at the end stands for any rest.
    name: &'static str,
    /// Whether a request that sets it asks for more than its mode gives.
    widens: bool,
    /// What it does, and how that is known.
    reason: &'static str,
}

const fn widens(name: &'static str, reason: &'static str) -> Stripped {
    Stripped { name, widens: true, reason }
}

const fn disturbs(name: &'static str, reason: &'static str) -> Stripped {
    Stripped { name, widens: false, reason }
}

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
    widens("COPILOT_CLI_DIST_DIR", "replaces the program's own code (by name, in the program)"),
    widens("COPILOT_CLI_RESOLVED_DIST_DIR", "replaces the program's own code (by name, in the program)"),
    widens("COPILOT_SDK_PATH", "replaces the program's own code (by name, in the program)"),
    widens("COPILOT_RUN_APP", "starts another part of the program (by name, in the program)"),
    widens("COPILOT_PROMPT_TURN_DELIMITER", "splits one prompt into several (measured)"),
    widens("COPILOT_CUSTOM_INSTRUCTIONS_DIRS", "adds instructions from elsewhere (by the help of 1.0.102)"),
    widens("NODE_OPTIONS", "loads code into every Node.js program (documented by Node.js)"),
    widens("BUN_OPTIONS", "loads code into every Bun program (documented by Bun)"),
    widens("BASH_ENV", "runs a file before every shell script (documented by bash)"),
    widens("LD_PRELOAD", "loads code into every program (documented by the system)"),
    widens("LD_AUDIT", "loads code into every program (documented by the system)"),
    widens("DYLD_INSERT_LIBRARIES", "loads code into every program (documented by the system)"),
    disturbs("COPILOT_DEBUG_*", "redirects or breaks parts of the program (by name, in the program)"),
    disturbs("COPILOT_CLI_VERSION", "makes the program take itself for another version (by the help of 1.0.102)"),
    disturbs("FORCE_COLOR", "colours what is no terminal (measured)"),
    disturbs("CLICOLOR_FORCE", "colours what is no terminal (documented by convention)"),
];

/// Set in every run.
const SET: &[(&str, &str)] = &[
    // As `--no-auto-update`; it also holds for what the program starts of itself.
    ("COPILOT_AUTO_UPDATE", "false"),
    // Nobody sits at a terminal to answer git.
    ("GIT_TERMINAL_PROMPT", "0"),
    ("NO_COLOR", "1"),
];

/// Variables whose values Copilot keeps from its MCP servers and shells, beside those of the request.
pub(super) const SECRET: &[&str] = &[
    "COPILOT_GITHUB_TOKEN",
    "GH_TOKEN",
    "GITHUB_TOKEN",
    "COPILOT_PROVIDER_API_KEY",
    "COPILOT_PROVIDER_BEARER_TOKEN",
    "COPILOT_PROVIDER_HEADERS",
];

/// Ends of names that a secret of another program has.
const SECRET_ENDS: &[&str] =
    &["TOKEN", "SECRET", "PASSWORD", "PASSWD", "API_KEY", "ACCESS_KEY", "PRIVATE_KEY", "CREDENTIALS", "_PAT"];

/// The names for `--secret-env-vars`: secrets that the agent needs or inherits and its children do not.
pub(super) fn secret_names(request: &Request, context: &Context<'_>) -> Vec<String> {
    let mut names: Vec<String> = SECRET.iter().map(|name| (*name).to_owned()).collect();
    let asked = request.env.iter().filter(|(_, value)| value.is_secret()).map(|(name, _)| name.clone());
    names.extend(asked);
    let windows = context.host.os == Os::Windows;
    let inherited = context.host.vars.keys().filter_map(|name| name.to_str());
    let inherited = inherited.filter(|name| is_secret(name) && passes(name, request.mode, windows));
    names.extend(inherited.map(str::to_owned));
    // A comma would end the name.
    names.retain(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'));
    names.sort();
    names.dedup();
    names
}

/// Whether a variable of the host reaches the agent.
pub(super) fn passes(name: &str, mode: Mode, windows: bool) -> bool {
    let stripped = STRIPPED.iter().any(|stripped| matches(stripped.name, name, windows));
    !stripped && (mode == Mode::PowerUser || SAFE.iter().any(|safe| matches(safe, name, windows)))
}

pub(super) fn is_secret(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    SECRET_ENDS.iter().any(|end| upper.ends_with(end))
}

/// The changes against the host's environment.
pub(super) fn environment(
    request: &Request,
    context: &Context<'_>,
    uses_dollar: bool,
) -> Result<BTreeMap<String, EnvChange>, Error> {
    let windows = context.host.os == Os::Windows;
    for name in request.env.keys() {
        let stripped = STRIPPED.iter().find(|stripped| stripped.widens && matches(stripped.name, name, windows));
        if let Some(Stripped { reason, .. }) = stripped {
            return Err(Error::Forbidden { argument: name.clone(), reason: (*reason).to_owned() });
        }
    }
    let mut changes = Changes { windows, map: discover::environment::changes(context.host, context.binary) };
    for name in context.host.vars.keys().filter_map(|name| name.to_str()) {
        if !passes(name, request.mode, windows) {
            changes.make(name, EnvChange::Remove);
        }
    }
    for (name, value) in SET {
        changes.make(name, plain(value));
    }
    if request.resume.is_some() {
        // A resumed session stays in the vault of the request (measured on 1.0.69, 1.0.80 and 1.0.102).
        changes.make("COPILOT_DISABLE_RESUME_AUTO_CD", plain("1"));
    }
    if uses_dollar {
        changes.make(DOLLAR, plain("$"));
    }
    request.env_remove.iter().for_each(|name| changes.make(name, EnvChange::Remove));
    request.env.iter().for_each(|(name, value)| changes.make(name, EnvChange::Set(value.clone())));
    Ok(changes.map)
}

/// Lets variables of the host through that plugins of the run read; what the request or the launcher decided stays.
pub(super) fn let_through(
    env: &mut BTreeMap<String, EnvChange>,
    request: &Request,
    context: &Context<'_>,
    names: &[String],
) {
    let windows = context.host.os == Os::Windows;
    for name in names {
        let kept_off = STRIPPED.iter().any(|stripped| matches(stripped.name, name, windows));
        let removed = request.env_remove.iter().any(|removed| matches(removed, name, windows));
        if !kept_off && !removed && env.get(name) == Some(&EnvChange::Remove) {
            env.remove(name);
        }
    }
}

/// Changes by name; on Windows one for all spellings of a name.
struct Changes {
    windows: bool,
    map: BTreeMap<String, EnvChange>,
}

impl Changes {
    fn make(&mut self, name: &str, change: EnvChange) {
        if self.windows {
            self.map.retain(|known, _| !known.eq_ignore_ascii_case(name));
        }
        self.map.insert(name.to_owned(), change);
    }
}

fn plain(value: &str) -> EnvChange {
    EnvChange::Set(EnvValue::Plain(value.to_owned()))
}

fn matches(pattern: &str, name: &str, windows: bool) -> bool {
    let same = |a: &str, b: &str| if windows { a.eq_ignore_ascii_case(b) } else { a == b };
    match pattern.strip_suffix('*') {
        Some(start) => name.get(..start.len()).is_some_and(|head| same(start, head)),
        None => same(pattern, name),
    }
}
