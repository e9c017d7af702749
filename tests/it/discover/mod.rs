//! The search for an agent, on machines made of scripts: what is found, by which way, what is told, and what is left.

mod bounds;
mod cache;
mod chosen;
mod environment;
mod shells;
mod tiers;

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use agent_launcher::discover::{Search, ShellStatus, Verdict, Via};
use agent_launcher::{AgentId, Arch, HostEnv, Launcher, LauncherBuilder, Os};

use crate::support::{fake, processes};

/// What the real one prints (1.0.102), as a script.
const GOOD: &str = "echo 'GitHub Copilot CLI 1.0.102.'";

/// A machine in a folder of its own. Gone when dropped, with every process that was started from it.
struct Machine {
    root: tempfile::TempDir,
    home: PathBuf,
    path: Vec<PathBuf>,
    vars: Vec<(OsString, OsString)>,
}

impl Machine {
    /// A machine whose app was started from a terminal: nothing is installed, the `PATH` holds the system's programs, and the
    /// login shell adds nothing.
    fn new() -> Machine {
        Machine::desktop().var("TERM", "xterm-256color").var("SHLVL", "1")
    }

    /// The same, started from a desktop.
    fn desktop() -> Machine {
        let root = fake::temp_dir();
        let home = root.path().join("home");
        std::fs::create_dir(&home).expect("a home");
        let path = ["/usr/bin", "/bin"].map(PathBuf::from).into();
        let machine = Machine { root, home, path, vars: Vec::new() };
        machine.script("shells/quick", "shift; exec /bin/sh -c \"$1\"");
        machine.shell("shells/quick")
    }

    fn var(mut self, name: &str, value: impl Into<OsString>) -> Machine {
        self.vars.push((name.into(), value.into()));
        self
    }

    /// The login shell: a script of this machine or an absolute path.
    fn shell(mut self, shell: &str) -> Machine {
        let shell = self.at(shell);
        self.vars.retain(|(name, _)| name != "SHELL");
        self.var("SHELL", shell)
    }

    /// The folders of the `PATH`, in front of the system's.
    fn path(mut self, folders: &[&str]) -> Machine {
        let folders: Vec<PathBuf> = folders.iter().map(|folder| self.at(folder)).collect();
        self.path.splice(0..0, folders);
        self
    }

    /// A path on this machine.
    fn at(&self, below: &str) -> PathBuf {
        self.root.path().join(below)
    }

    /// A file, not executable.
    fn file(&self, below: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.at(below);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        std::fs::write(&path, content).expect("a file");
        path
    }

    /// An executable file of these bytes.
    fn program(&self, below: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.at(below);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        // Written by another process: a file that was open for writing here could not be started while another test forks.
        let mut writer = Command::new("/bin/sh")
            .args(["-c", "rm -f \"$0\"; cat >\"$0\" && chmod 755 \"$0\""])
            .arg(&path)
            .stdin(Stdio::piped())
            .spawn()
            .expect("sh");
        writer.stdin.take().expect("piped").write_all(content.as_ref()).expect("content");
        assert!(writer.wait().expect("sh ends").success());
        path
    }

    /// An executable script that writes down each of its starts.
    fn script(&self, below: &str, body: &str) -> PathBuf {
        let log = self.at("starts.log");
        self.program(below, format!("#!/bin/sh\necho \"$0 $1\" >>'{}'\n{body}\n", log.display()))
    }

    fn link(&self, below: &str, target: &Path) -> PathBuf {
        let path = self.at(below);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        std::os::unix::fs::symlink(target, &path).expect("a link");
        path
    }

    /// The names of all scripts started so far, in order, with their first argument.
    fn starts(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.at("starts.log")).unwrap_or_default();
        let root = format!("{}/", self.root.path().display());
        log.lines().map(|line| line.replacen(&root, "", 1)).collect()
    }

    fn host(&self) -> HostEnv {
        let path = std::env::join_paths(&self.path).expect("no separator");
        let mut vars: Vec<(OsString, OsString)> =
            vec![("HOME".into(), self.home.clone().into()), ("PATH".into(), path)];
        vars.extend(self.vars.iter().cloned());
        HostEnv::new(this_os(), this_arch(), Some(self.home.clone()), vars)
    }

    fn builder(&self) -> LauncherBuilder {
        Launcher::builder().app("Tolaria").host(self.host())
    }

    fn launcher(&self) -> Launcher {
        self.builder().build()
    }

    async fn search(&self) -> Search {
        search(&self.launcher()).await
    }

    /// The live processes that were started from this machine.
    fn processes(&self) -> Vec<processes::Process> {
        processes::of(self.root.path())
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        processes::kill_all(self.root.path());
    }
}

fn this_os() -> Os {
    if cfg!(target_os = "macos") { Os::MacOs } else { Os::Linux }
}

fn this_arch() -> Arch {
    if cfg!(target_arch = "x86_64") { Arch::X64 } else { Arch::Arm64 }
}

async fn search(launcher: &Launcher) -> Search {
    let found = tokio::time::timeout(Duration::from_secs(60), launcher.search(&AgentId::COPILOT));
    found.await.expect("the search ends").expect("Copilot is known")
}

/// What became of a path.
#[track_caller]
fn verdict(search: &Search, path: &Path) -> (Verdict, String) {
    let candidate = search.candidates.iter().find(|candidate| candidate.path == path);
    let candidate = candidate.unwrap_or_else(|| panic!("`{}` was not looked at: {search:#?}", path.display()));
    (candidate.verdict, candidate.detail.clone())
}

/// It was found here, by this way.
#[track_caller]
fn found(search: &Search, path: &Path, via: Via) {
    let binary = search.binary.as_ref().unwrap_or_else(|| panic!("not found: {search:#?}"));
    assert_eq!((binary.found.as_path(), binary.via), (path, via), "{search:#?}");
    assert_eq!(verdict(search, path).0, Verdict::Chosen);
    assert_eq!(search.guidance, None);
}

#[track_caller]
fn asked(search: &Search, status: ShellStatus) {
    assert_eq!(search.login_shell.status, status, "{:?}", search.login_shell);
}
