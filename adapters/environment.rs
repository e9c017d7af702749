//! What an agent gets of the host's environment. In Safe mode what a table names, in Power User mode all but what another
//! takes away; then the settings of the run, then what the request asks for. Each agent's own names stand beside its adapter,
//! those of every program here. The `PATH` and what concerns only the app itself is settled by `discover` for every child
//! alike.

use std::collections::BTreeMap;

use super::Context;
use crate::discover;
use crate::discover::ChildEnvironment;
use crate::env::{HostEnv, Os};
use crate::error::Error;
use crate::plan::EnvChange;
use crate::request::{EnvValue, Mode, Request};

/// An agent's own variables. `*` at the end of a name stands for any rest.
#[derive(Debug)]
pub(crate) struct Table {
    /// What Safe mode lets through beside [`SAFE`]: how it signs in, which model and provider, where its files are.
    pub(crate) safe: &'static [&'static str],
    /// What is kept from runs beside [`STRIPPED`].
    pub(crate) stripped: &'static [Stripped],
    /// Set in every run.
    pub(crate) set: &'static [(&'static str, &'static str)],
    /// Those that hold a secret which the agent's own children have no business with.
    pub(crate) secret: &'static [&'static str],
}

/// What Safe mode lets through to every agent: what a program needs to find its home, its words and its network. Names are
/// compared as the system compares them.
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
];

/// A variable that is kept from a run: from the host's environment, from the request, or from both.
#[derive(Debug)]
pub(crate) struct Stripped {
    /// `*` at the end stands for any rest.
    name: &'static str,
    effect: Effect,
    /// What it does, and how that is known.
    reason: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Widens,
    Disturbs,
    RunsForThePerson,
}

/// A variable that gives more than a mode does. No mode lets it through, and a request that sets it is refused.
pub(crate) const fn widens(name: &'static str, reason: &'static str) -> Stripped {
    Stripped { name, effect: Effect::Widens, reason }
}

/// A variable that breaks a run. No mode lets it through; a request may set it all the same.
pub(crate) const fn disturbs(name: &'static str, reason: &'static str) -> Stripped {
    Stripped { name, effect: Effect::Disturbs, reason }
}

/// A variable by which a person has the agent run a program of theirs, to sign in or to reach a provider. What they set up
/// passes as the other tables say; a request that sets it would start what its mode does not give, and is refused.
pub(crate) const fn runs_for_the_person(name: &'static str, reason: &'static str) -> Stripped {
    Stripped { name, effect: Effect::RunsForThePerson, reason }
}

/// What no mode lets through to any agent.
const STRIPPED: &[Stripped] = &[
    widens("NODE_OPTIONS", "loads code into every Node.js program (documented by Node.js)"),
    widens("BUN_OPTIONS", "loads code into every Bun program (documented by Bun)"),
    widens("BASH_ENV", "runs a file before every shell script (documented by bash)"),
    widens("LD_PRELOAD", "loads code into every program (documented by the system)"),
    widens("LD_AUDIT", "loads code into every program (documented by the system)"),
    widens("DYLD_INSERT_LIBRARIES", "loads code into every program (documented by the system)"),
    disturbs("FORCE_COLOR", "colours what is no terminal (measured)"),
    disturbs("CLICOLOR_FORCE", "colours what is no terminal (documented by convention)"),
];

/// What a variable does that no agent gets, where it gives more than a mode does.
pub(crate) fn widening(name: &str) -> Option<&'static str> {
    let found =
        STRIPPED.iter().find(|stripped| stripped.effect == Effect::Widens && matches(stripped.name, name, true));
    found.map(|stripped| stripped.reason)
}

/// Set for every agent.
const SET: &[(&str, &str)] = &[
    // Nobody sits at a terminal to answer git.
    ("GIT_TERMINAL_PROMPT", "0"),
    ("NO_COLOR", "1"),
];

/// Ends of names that a secret of another program has.
const SECRET_ENDS: &[&str] =
    &["TOKEN", "SECRET", "PASSWORD", "PASSWD", "API_KEY", "ACCESS_KEY", "PRIVATE_KEY", "CREDENTIALS", "_PAT"];

impl Table {
    /// Whether a variable of the host reaches the agent.
    pub(crate) fn passes(&self, name: &str, mode: Mode, windows: bool) -> bool {
        let safe = || SAFE.iter().chain(self.safe).any(|safe| matches(safe, name, windows));
        !self.is_stripped(name, windows) && (mode == Mode::PowerUser || safe())
    }

    /// Whether no mode lets a variable of the host through.
    fn is_stripped(&self, name: &str, windows: bool) -> bool {
        self.stripped(name, windows).is_some_and(|stripped| stripped.effect != Effect::RunsForThePerson)
    }

    /// What is said of a variable that is kept from runs.
    fn stripped(&self, name: &str, windows: bool) -> Option<&'static Stripped> {
        STRIPPED.iter().chain(self.stripped).find(|stripped| matches(stripped.name, name, windows))
    }

    /// The changes against the host's environment.
    pub(crate) fn changes(&self, request: &Request, context: &Context<'_>) -> Result<Changes, Error> {
        let windows = context.host.os == Os::Windows;
        for name in request.env.keys() {
            let stripped = self.stripped(name, windows).filter(|stripped| stripped.effect != Effect::Disturbs);
            if let Some(Stripped { reason, .. }) = stripped {
                return Err(Error::Forbidden { argument: name.clone(), reason: (*reason).to_owned() });
            }
        }
        let mut changes = Changes { windows, map: discover::environment::changes(context.host, context.binary) };
        for name in context.host.vars.keys().filter_map(|name| name.to_str()) {
            if !self.passes(name, request.mode, windows) {
                changes.make(name, EnvChange::Remove);
            }
        }
        for (name, value) in SET.iter().chain(self.set) {
            changes.set(name, value);
        }
        Ok(changes)
    }

    /// The names of secrets that the agent inherits or is given, sorted: the table's own, the request's, and whatever
    /// passes under a name that ends like a secret's.
    pub(crate) fn secret_names(&self, request: &Request, context: &Context<'_>) -> Vec<String> {
        let mut names: Vec<String> = self.secret.iter().map(|name| (*name).to_owned()).collect();
        let asked = request.env.iter().filter(|(_, value)| value.is_secret()).map(|(name, _)| name.clone());
        names.extend(asked);
        let windows = context.host.os == Os::Windows;
        let inherited = context.host.vars.keys().filter_map(|name| name.to_str());
        let inherited = inherited.filter(|name| is_secret(name) && self.passes(name, request.mode, windows));
        names.extend(inherited.map(str::to_owned));
        names.sort();
        names.dedup();
        names
    }

    /// Lets variables of the host through that plugins of the run read; what the request or the launcher decided stays.
    pub(crate) fn let_through(
        &self,
        env: &mut BTreeMap<String, EnvChange>,
        request: &Request,
        context: &Context<'_>,
        names: &[String],
    ) {
        let windows = context.host.os == Os::Windows;
        for name in names {
            let kept_off = self.is_stripped(name, windows);
            let removed = request.env_remove.iter().any(|removed| matches(removed, name, windows));
            if !kept_off && !removed && env.get(name) == Some(&EnvChange::Remove) {
                env.remove(name);
            }
        }
    }

    /// What an agent's children get of the host's environment, by name. `withholds` says whether the agent keeps the secrets
    /// of [`Table::secret_names`] from them.
    pub(crate) fn children(&self, mode: Mode, host: &HostEnv, withholds: bool) -> ChildEnvironment {
        let windows = host.os == Os::Windows;
        let (mut gets, mut withheld) = (Vec::new(), Vec::new());
        for name in host.vars.keys() {
            let text = name.to_string_lossy().into_owned();
            // A name that is no text is in no table, and goes the way of a name that nobody knows.
            let kept_off = match name.to_str() {
                Some(name) => {
                    let secret = self.secret.contains(&name) || is_secret(name);
                    (withholds && secret) || !self.passes(name, mode, windows)
                }
                None => mode == Mode::Safe,
            };
            if kept_off { &mut withheld } else { &mut gets }.push(text);
        }
        ChildEnvironment { mode, gets, withheld }
    }
}

/// Whether a name ends like that of a secret.
pub(crate) fn is_secret(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    SECRET_ENDS.iter().any(|end| upper.ends_with(end))
}

/// Changes by name; on Windows one for all spellings of a name.
#[derive(Debug)]
pub(crate) struct Changes {
    windows: bool,
    map: BTreeMap<String, EnvChange>,
}

impl Changes {
    /// Sets a variable of the run.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.make(name, EnvChange::Set(EnvValue::Plain(value.to_owned())));
    }

    /// Sets a variable of the run whose value does not print.
    pub(crate) fn set_secret(&mut self, name: &str, value: String) {
        self.make(name, EnvChange::Set(EnvValue::Secret(value)));
    }

    /// Adds what the request asks for, which comes last and wins.
    pub(crate) fn asked(mut self, request: &Request) -> BTreeMap<String, EnvChange> {
        request.env_remove.iter().for_each(|name| self.make(name, EnvChange::Remove));
        request.env.iter().for_each(|(name, value)| self.make(name, EnvChange::Set(value.clone())));
        self.map
    }

    fn make(&mut self, name: &str, change: EnvChange) {
        if self.windows {
            self.map.retain(|known, _| !known.eq_ignore_ascii_case(name));
        }
        self.map.insert(name.to_owned(), change);
    }
}

fn matches(pattern: &str, name: &str, windows: bool) -> bool {
    let same = |a: &str, b: &str| if windows { a.eq_ignore_ascii_case(b) } else { a == b };
    match pattern.strip_suffix('*') {
        Some(start) => name.get(..start.len()).is_some_and(|head| same(start, head)),
        None => same(pattern, name),
    }
}
