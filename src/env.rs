//! The host's environment, read once, and the child's, built in one place. The only module that reads the process environment.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::discover::environment;
use crate::plan::EnvChange;

/// An operating system, as far as places and rules differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Os {
    /// Linux, WSL included.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

/// A processor architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Arch {
    /// x86-64.
    X64,
    /// 64-bit ARM.
    Arm64,
    /// Any other.
    Other,
}

/// What is known of the host: a snapshot, so that everything that follows from it is a function of it.
#[derive(Clone)]
pub struct HostEnv {
    pub(crate) os: Os,
    pub(crate) arch: Arch,
    pub(crate) home: Option<PathBuf>,
    pub(crate) vars: BTreeMap<OsString, OsString>,
}

impl HostEnv {
    /// Reads the environment of this process, once.
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the process environment")]
    pub fn capture() -> HostEnv {
        let os = if cfg!(windows) {
            Os::Windows
        } else if cfg!(target_os = "macos") {
            Os::MacOs
        } else {
            Os::Linux
        };
        let arch = match std::env::consts::ARCH {
            "x86_64" => Arch::X64,
            "aarch64" => Arch::Arm64,
            _ => Arch::Other,
        };
        HostEnv { os, arch, home: dirs::home_dir(), vars: std::env::vars_os().collect() }
    }

    /// The executable of this process, for a program that starts itself.
    ///
    /// # Errors
    ///
    /// Where the system does not tell.
    #[expect(clippy::disallowed_methods, reason = "this module is the door to the process environment")]
    pub fn own_program() -> std::io::Result<PathBuf> {
        std::env::current_exe()
    }

    /// A host made of these parts, for tests and for planning on behalf of another machine.
    pub fn new(
        os: Os,
        arch: Arch,
        home: Option<PathBuf>,
        vars: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> HostEnv {
        HostEnv { os, arch, home, vars: vars.into_iter().collect() }
    }

    /// The folder of this user's caches, by the system's convention; `None` without a home.
    pub fn cache_dir(&self) -> Option<PathBuf> {
        let absolute = |name: &str| self.var(name).map(PathBuf::from).filter(|path| path.is_absolute());
        match self.os {
            Os::Windows => absolute("LOCALAPPDATA"),
            Os::MacOs => self.home.as_ref().map(|home| home.join("Library/Caches")),
            _ => absolute("XDG_CACHE_HOME").or_else(|| self.home.as_ref().map(|home| home.join(".cache"))),
        }
    }

    /// The value of a variable. On Windows names match whatever their case.
    pub fn var(&self, name: &str) -> Option<&OsStr> {
        if self.os == Os::Windows {
            let found = self.vars.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
            return found.map(|(_, value)| value.as_os_str());
        }
        self.vars.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// All that a child gets: the host's variables without what must not reach one, with a plan's changes made to them.
    pub(crate) fn child(&self, changes: &BTreeMap<String, EnvChange>) -> BTreeMap<OsString, OsString> {
        let mut vars = environment::clean(self);
        for (name, change) in changes {
            let same = |key: &OsString| {
                if self.os == Os::Windows { key.eq_ignore_ascii_case(name) } else { key == OsStr::new(name) }
            };
            vars.retain(|key, _| !same(key));
            match change {
                EnvChange::Set(value) => drop(vars.insert(name.into(), value.expose().into())),
                // Set at the start, when the paths of the private files are known.
                EnvChange::Joined(_) | EnvChange::Remove => {}
            }
        }
        vars
    }
}

impl std::fmt::Debug for HostEnv {
    /// Prints no value of a variable.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostEnv")
            .field("os", &self.os)
            .field("arch", &self.arch)
            .field("home", &self.home)
            .field("vars", &format_args!("<{} variables>", self.vars.len()))
            .finish()
    }
}
