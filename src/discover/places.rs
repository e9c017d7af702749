//! The known places: where package managers, version managers and installers put programs, per system.
//!
//! A table, and its expansion as a pure function of the system, the variables and what the folders list, so that the
//! table of every system is tested on each. Starts no package manager to ask it.
//!
//! Sources: the documentation and install scripts of each tool, as of 2026-11.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::disk::Disk;
use super::{Via, environment, node_managers, paths};
use crate::adapters::Spec;
use crate::env::{HostEnv, Os};

/// A folder that may hold the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The folder.
    pub(crate) folder: PathBuf,
    /// Whose it is.
    pub(crate) via: Via,
}

/// On which systems a row counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum On {
    Unix,
    Linux,
    Mac,
    Windows,
}

impl On {
    fn counts(self, os: Os) -> bool {
        match self {
            On::Unix => os != Os::Windows,
            On::Linux => os == Os::Linux,
            On::Mac => os == Os::MacOs,
            On::Windows => os == Os::Windows,
        }
    }
}

/// How rows are written: `{NAME}` is a variable, and a row with one that is unset does not count; `{HOME}` is the home
/// folder; `{program}` and `{id}` are the agent's; one `*` in a name stands for every folder, the highest version first.
/// `/` is written as the system writes it.
static TABLE: &[(Via, On, &str)] = &[
    // The agents' own installers, and where most scripts put a program for one person.
    (Via::Native, On::Unix, "{HOME}/.local/bin"),
    (Via::Native, On::Unix, "{HOME}/bin"),
    (Via::Native, On::Windows, "{HOME}/.local/bin"),
    (Via::Native, On::Windows, "{LOCALAPPDATA}/Programs/{program}"),
    (Via::Native, On::Windows, "{LOCALAPPDATA}/Programs/{program}/bin"),
    (Via::Native, On::Windows, "{LOCALAPPDATA}/{program}"),
    (Via::Native, On::Windows, "{LOCALAPPDATA}/{program}/bin"),
    (Via::Native, On::Windows, "{ProgramFiles}/{program}"),
    (Via::Winget, On::Windows, "{LOCALAPPDATA}/Microsoft/WinGet/Links"),
    (Via::Winget, On::Windows, "{ProgramFiles}/WinGet/Links"),
    (Via::Winget, On::Windows, "{LOCALAPPDATA}/Microsoft/WindowsApps"),
    (Via::Scoop, On::Windows, "{SCOOP}/shims"),
    (Via::Scoop, On::Windows, "{HOME}/scoop/shims"),
    (Via::Scoop, On::Windows, "{SCOOP_GLOBAL}/shims"),
    (Via::Scoop, On::Windows, "{ProgramData}/scoop/shims"),
    (Via::Scoop, On::Windows, "{SCOOP}/persist/nodejs/bin"),
    (Via::Scoop, On::Windows, "{HOME}/scoop/persist/nodejs/bin"),
    (Via::Homebrew, On::Mac, "{HOMEBREW_PREFIX}/bin"),
    (Via::Homebrew, On::Mac, "/opt/homebrew/bin"),
    (Via::Homebrew, On::Mac, "/usr/local/bin"),
    (Via::Linuxbrew, On::Linux, "{HOMEBREW_PREFIX}/bin"),
    (Via::Linuxbrew, On::Linux, "/home/linuxbrew/.linuxbrew/bin"),
    (Via::Linuxbrew, On::Linux, "{HOME}/.linuxbrew/bin"),
    // npm's own prefix, named by the person, then by habit.
    (Via::Npm, On::Unix, "{NPM_CONFIG_PREFIX}/bin"),
    (Via::Npm, On::Unix, "{npm_config_prefix}/bin"),
    (Via::Npm, On::Unix, "{npmrc}/bin"),
    (Via::Npm, On::Unix, "{HOME}/.npm-global/bin"),
    (Via::Npm, On::Unix, "{HOME}/.npm-packages/bin"),
    (Via::Npm, On::Unix, "{HOME}/.npm/bin"),
    (Via::Npm, On::Unix, "{HOME}/npm/bin"),
    (Via::Npm, On::Unix, "{HOME}/npm-global/bin"),
    (Via::Npm, On::Unix, "{N_PREFIX}/bin"),
    (Via::Npm, On::Unix, "{HOME}/n/bin"),
    (Via::Npm, On::Windows, "{NPM_CONFIG_PREFIX}"),
    (Via::Npm, On::Windows, "{npmrc}"),
    (Via::Npm, On::Windows, "{APPDATA}/npm"),
    (Via::Npm, On::Windows, "{HOME}/AppData/Roaming/npm"),
    (Via::Npm, On::Windows, "{HOME}/.npm-global"),
    (Via::Npm, On::Windows, "{ProgramFiles}/nodejs"),
    (Via::Npm, On::Windows, "{ProgramFiles(x86)}/nodejs"),
    (Via::Pnpm, On::Unix, "{PNPM_HOME}"),
    (Via::Pnpm, On::Unix, "{PNPM_HOME}/bin"),
    (Via::Pnpm, On::Unix, "{XDG_DATA_HOME}/pnpm"),
    (Via::Pnpm, On::Unix, "{XDG_DATA_HOME}/pnpm/bin"),
    (Via::Pnpm, On::Mac, "{HOME}/Library/pnpm"),
    (Via::Pnpm, On::Mac, "{HOME}/Library/pnpm/bin"),
    (Via::Pnpm, On::Unix, "{HOME}/.local/share/pnpm"),
    (Via::Pnpm, On::Unix, "{HOME}/.local/share/pnpm/bin"),
    (Via::Pnpm, On::Windows, "{PNPM_HOME}"),
    (Via::Pnpm, On::Windows, "{PNPM_HOME}/bin"),
    (Via::Pnpm, On::Windows, "{LOCALAPPDATA}/pnpm"),
    (Via::Pnpm, On::Windows, "{LOCALAPPDATA}/pnpm/bin"),
    (Via::Bun, On::Unix, "{BUN_INSTALL_BIN}"),
    (Via::Bun, On::Unix, "{BUN_INSTALL}/bin"),
    (Via::Bun, On::Unix, "{HOME}/.bun/bin"),
    (Via::Bun, On::Unix, "{XDG_CACHE_HOME}/.bun/bin"),
    (Via::Bun, On::Unix, "{HOME}/.cache/.bun/bin"),
    (Via::Bun, On::Windows, "{BUN_INSTALL_BIN}"),
    (Via::Bun, On::Windows, "{BUN_INSTALL}/bin"),
    (Via::Bun, On::Windows, "{HOME}/.bun/bin"),
    (Via::Yarn, On::Unix, "{YARN_PREFIX}/bin"),
    (Via::Yarn, On::Unix, "{HOME}/.yarn/bin"),
    (Via::Yarn, On::Unix, "{HOME}/.config/yarn/global/node_modules/.bin"),
    (Via::Yarn, On::Windows, "{LOCALAPPDATA}/Yarn/bin"),
    (Via::Yarn, On::Windows, "{LOCALAPPDATA}/Yarn/Data/global/node_modules/.bin"),
    // Version managers: first what they have made current, then what they have.
    (Via::Volta, On::Unix, "{VOLTA_HOME}/bin"),
    (Via::Volta, On::Unix, "{HOME}/.volta/bin"),
    (Via::Volta, On::Windows, "{VOLTA_HOME}/bin"),
    (Via::Volta, On::Windows, "{LOCALAPPDATA}/Volta/bin"),
    (Via::Volta, On::Windows, "{ProgramFiles}/Volta"),
    (Via::Mise, On::Unix, "{MISE_DATA_DIR}/shims"),
    (Via::Mise, On::Unix, "{XDG_DATA_HOME}/mise/shims"),
    (Via::Mise, On::Unix, "{HOME}/.local/share/mise/shims"),
    (Via::Mise, On::Unix, "{MISE_DATA_DIR}/installs/node/*/bin"),
    (Via::Mise, On::Unix, "{XDG_DATA_HOME}/mise/installs/node/*/bin"),
    (Via::Mise, On::Unix, "{HOME}/.local/share/mise/installs/node/*/bin"),
    (Via::Mise, On::Windows, "{MISE_DATA_DIR}/shims"),
    (Via::Mise, On::Windows, "{LOCALAPPDATA}/mise/shims"),
    (Via::Asdf, On::Unix, "{ASDF_DATA_DIR}/shims"),
    (Via::Asdf, On::Unix, "{ASDF_DIR}/shims"),
    (Via::Asdf, On::Unix, "{HOME}/.asdf/shims"),
    (Via::Asdf, On::Unix, "{ASDF_DATA_DIR}/installs/nodejs/*/bin"),
    (Via::Asdf, On::Unix, "{HOME}/.asdf/installs/nodejs/*/bin"),
    (Via::Nvm, On::Unix, "{NVM_BIN}"),
    (Via::Nvm, On::Unix, "{nvm default}"),
    (Via::Nvm, On::Unix, "{NVM_DIR}/versions/node/*/bin"),
    (Via::Nvm, On::Unix, "{XDG_CONFIG_HOME}/nvm/versions/node/*/bin"),
    (Via::Nvm, On::Unix, "{HOME}/.nvm/versions/node/*/bin"),
    (Via::Nvm, On::Unix, "{HOME}/.config/nvm/versions/node/*/bin"),
    // nvm for Windows is another program: a link to the active version, flat folders, no alias.
    (Via::Nvm, On::Windows, "{NVM_SYMLINK}"),
    (Via::Nvm, On::Windows, "{NVM_HOME}/v*"),
    (Via::Nvm, On::Windows, "{APPDATA}/nvm/v*"),
    (Via::Nvm, On::Windows, "{LOCALAPPDATA}/nvm/v*"),
    (Via::Fnm, On::Unix, "{FNM_MULTISHELL_PATH}/bin"),
    (Via::Fnm, On::Unix, "{FNM_DIR}/aliases/default/bin"),
    (Via::Fnm, On::Unix, "{XDG_DATA_HOME}/fnm/aliases/default/bin"),
    (Via::Fnm, On::Unix, "{HOME}/.local/share/fnm/aliases/default/bin"),
    (Via::Fnm, On::Unix, "{HOME}/.fnm/aliases/default/bin"),
    (Via::Fnm, On::Mac, "{HOME}/Library/Application Support/fnm/aliases/default/bin"),
    (Via::Fnm, On::Unix, "{FNM_DIR}/node-versions/*/installation/bin"),
    (Via::Fnm, On::Unix, "{XDG_DATA_HOME}/fnm/node-versions/*/installation/bin"),
    (Via::Fnm, On::Unix, "{HOME}/.local/share/fnm/node-versions/*/installation/bin"),
    (Via::Fnm, On::Unix, "{HOME}/.fnm/node-versions/*/installation/bin"),
    (Via::Fnm, On::Mac, "{HOME}/Library/Application Support/fnm/node-versions/*/installation/bin"),
    (Via::Fnm, On::Windows, "{FNM_MULTISHELL_PATH}"),
    (Via::Fnm, On::Windows, "{FNM_DIR}/aliases/default"),
    (Via::Fnm, On::Windows, "{APPDATA}/fnm/aliases/default"),
    (Via::Fnm, On::Windows, "{FNM_DIR}/node-versions/*/installation"),
    (Via::Fnm, On::Windows, "{APPDATA}/fnm/node-versions/*/installation"),
    // Homebrew's cellar and caskroom, where a link failed or npm's prefix is the cellar's node.
    (Via::Homebrew, On::Mac, "/opt/homebrew/opt/{id}/bin"),
    (Via::Homebrew, On::Mac, "/opt/homebrew/Caskroom/{id}/*"),
    (Via::Homebrew, On::Mac, "/opt/homebrew/Caskroom/{id}-cli/*"),
    (Via::Homebrew, On::Mac, "/opt/homebrew/Cellar/{id}/*/bin"),
    (Via::Homebrew, On::Mac, "/opt/homebrew/Cellar/node/*/bin"),
    (Via::Homebrew, On::Mac, "/usr/local/opt/{id}/bin"),
    (Via::Homebrew, On::Mac, "/usr/local/Caskroom/{id}/*"),
    (Via::Homebrew, On::Mac, "/usr/local/Caskroom/{id}-cli/*"),
    (Via::Homebrew, On::Mac, "/usr/local/Cellar/{id}/*/bin"),
    (Via::Homebrew, On::Mac, "/usr/local/Cellar/node/*/bin"),
    (Via::Linuxbrew, On::Linux, "/home/linuxbrew/.linuxbrew/opt/{id}/bin"),
    (Via::Linuxbrew, On::Linux, "/home/linuxbrew/.linuxbrew/Caskroom/{id}/*"),
    (Via::Linuxbrew, On::Linux, "/home/linuxbrew/.linuxbrew/Caskroom/{id}-cli/*"),
    (Via::Linuxbrew, On::Linux, "/home/linuxbrew/.linuxbrew/Cellar/{id}/*/bin"),
    (Via::Linuxbrew, On::Linux, "/home/linuxbrew/.linuxbrew/Cellar/node/*/bin"),
    (Via::Linuxbrew, On::Linux, "{HOME}/.linuxbrew/Cellar/node/*/bin"),
    (Via::Native, On::Unix, "{HOME}/.cargo/bin"),
    (Via::System, On::Unix, "{HOME}/.nix-profile/bin"),
    (Via::System, On::Unix, "/etc/profiles/per-user/{USER}/bin"),
    (Via::System, On::Unix, "/run/current-system/sw/bin"),
    (Via::System, On::Unix, "/nix/var/nix/profiles/default/bin"),
    (Via::System, On::Mac, "/opt/local/bin"),
    (Via::System, On::Unix, "/usr/local/bin"),
    (Via::System, On::Unix, "/usr/bin"),
    (Via::System, On::Unix, "/bin"),
    (Via::System, On::Linux, "/snap/bin"),
    (Via::System, On::Linux, "/usr/local/lib/nodejs/*/bin"),
    (Via::System, On::Linux, "/opt/nodejs/bin"),
    (Via::System, On::Windows, "{ProgramData}/chocolatey/bin"),
];

/// The folders to look in for an agent, in order and once each.
///
/// `vars` is the environment to read: the host's, and where the login shell told its own, that.
pub(crate) fn places(host: &HostEnv, vars: &BTreeMap<OsString, OsString>, disk: &dyn Disk, spec: &Spec) -> Vec<Place> {
    let expansion = Expansion { host, vars, disk, spec };
    let own = spec.home_dirs.iter().map(|below| (Via::Native, format!("{{HOME}}/{below}")));
    let rows = TABLE.iter().filter(|(_, on, _)| on.counts(host.os)).map(|(via, _, row)| (*via, (*row).to_owned()));
    let mut seen = std::collections::HashSet::new();
    let mut places = Vec::new();
    for (via, row) in own.chain(rows) {
        for folder in expansion.expand(&row) {
            if paths::is_absolute(host.os, &folder) && seen.insert(paths::key(host.os, &folder)) {
                places.push(Place { folder, via });
            }
        }
    }
    places
}

/// All that a row depends on.
struct Expansion<'a> {
    host: &'a HostEnv,
    vars: &'a BTreeMap<OsString, OsString>,
    disk: &'a dyn Disk,
    spec: &'a Spec,
}

impl Expansion<'_> {
    /// The folders that a row stands for; none where a variable of its is unset.
    fn expand(&self, row: &str) -> Vec<PathBuf> {
        let row = row.replace("{program}", self.spec.programs[0]).replace("{id}", &self.spec.id.to_string());
        let Some(rest) = row.strip_prefix('{') else {
            return self.stars(PathBuf::from("/"), row.trim_start_matches('/'));
        };
        let Some((name, below)) = rest.split_once('}') else { return Vec::new() };
        let below = below.trim_start_matches('/');
        let bases = match name {
            "HOME" => self.host.home.clone().into_iter().collect(),
            "npmrc" => node_managers::npm_prefixes(self.host, self.vars, self.disk),
            "nvm default" => node_managers::nvm_defaults(self.host, self.vars, self.disk),
            name => self.variable(name).into_iter().collect(),
        };
        bases.into_iter().flat_map(|base: PathBuf| self.stars(base, below)).collect()
    }

    fn variable(&self, name: &str) -> Option<PathBuf> {
        let value = environment::lookup(self.host.os, self.vars, name)?;
        (!value.is_empty()).then(|| PathBuf::from(value))
    }

    /// `base` with `below` appended, each `*` replaced by what is there.
    fn stars(&self, base: PathBuf, below: &str) -> Vec<PathBuf> {
        let os = self.host.os;
        let below = match below.split_once("{USER}") {
            Some((before, after)) => match self.variable("USER") {
                Some(user) => format!("{before}{}{after}", user.display()),
                None => return Vec::new(),
            },
            None => below.to_owned(),
        };
        let Some(star) = below.find('*') else { return vec![paths::below(os, &base, &below)] };
        let (before, after) = (&below[..star], below[star + 1..].trim_start_matches('/'));
        let (folder, prefix) = before.rsplit_once('/').unwrap_or(("", before));
        let folder = paths::below(os, &base, folder);
        let names = self.disk.names(&folder).into_iter().filter_map(|name| name.into_string().ok());
        let mut names: Vec<String> = names.filter(|name| name.starts_with(prefix) && !name.starts_with('.')).collect();
        names.sort_by_key(|name| std::cmp::Reverse(node_managers::numbers(name)));
        names.iter().flat_map(|name| self.stars(paths::below(os, &folder, name), after)).collect()
    }
}

/// Whether a folder of the `PATH` is one to look in last: it is there, and something better is likely elsewhere.
pub(crate) fn ranks_last(host: &HostEnv, folder: &Path) -> bool {
    // The extension of VS Code puts a script there that offers to install Copilot.
    let text = folder.to_string_lossy().replace('\\', "/");
    text.contains("/globalStorage/github.copilot-chat") || (is_wsl(host) && is_windows_drive(&text))
}

/// Whether this is Linux within Windows.
fn is_wsl(host: &HostEnv) -> bool {
    host.os == Os::Linux && (host.var("WSL_DISTRO_NAME").is_some() || host.var("WSL_INTEROP").is_some())
}

/// `/mnt/c` and the like: programs of Windows, which run there, see other paths and lack this system's `node`.
fn is_windows_drive(path: &str) -> bool {
    let mut names = path.strip_prefix("/mnt/").unwrap_or_default().split('/');
    names.next().is_some_and(|drive| drive.len() == 1 && drive.starts_with(|c: char| c.is_ascii_alphabetic()))
}
