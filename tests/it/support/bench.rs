//! A hermetic bench: a home, a folder of programs and a vault of its own, and a launcher that knows nothing else.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use agent_launcher::{AgentId, Arch, HostEnv, Launcher, LauncherBuilder, Os, Request, Run};

use super::fake::{self, Call};

/// A bench for one test. Everything on it is gone when it is dropped, the processes of its fakes included.
pub(crate) struct Bench {
    root: tempfile::TempDir,
    system: bool,
    vars: Vec<(OsString, OsString)>,
}

impl Bench {
    /// An empty bench: no agent, no login shell, a `PATH` of only [`bin`](Bench::bin).
    pub(crate) fn new() -> Bench {
        let root = fake::temp_dir();
        for folder in ["home", "bin", "vault"] {
            std::fs::create_dir(root.path().join(folder)).expect("a folder of the bench");
        }
        Bench { root, system: false, vars: Vec::new() }
    }

    /// A bench with a fake Copilot that follows this scenario; with `""` it gives a short answer.
    pub(crate) fn copilot(scenario: &str) -> Bench {
        Bench::new().fake("copilot", scenario)
    }

    /// Puts a fake under an agent's name on the `PATH`.
    pub(crate) fn fake(self, name: &str, scenario: &str) -> Bench {
        fake::install(&self.bin(), name);
        self.script(name, scenario);
        self
    }

    /// Gives a fake another scenario, for its next start.
    pub(crate) fn script(&self, name: &str, scenario: &str) {
        fake::scenario(&self.bin(), name, scenario);
    }

    /// Adds the system's folders to the `PATH`.
    pub(crate) fn with_system_path(mut self) -> Bench {
        self.system = true;
        self
    }

    /// Sets a variable of the host.
    pub(crate) fn var(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Bench {
        self.vars.push((name.into(), value.into()));
        self
    }

    /// The folder all of this is in. Files of `wait-file` and `touch` are relative to [`bin`](Bench::bin).
    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    /// The home folder.
    pub(crate) fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    /// The folder of the fakes.
    pub(crate) fn bin(&self) -> PathBuf {
        self.root().join("bin")
    }

    /// The vault.
    pub(crate) fn vault(&self) -> PathBuf {
        self.root().join("vault")
    }

    /// The host as the launcher sees it. This system and architecture; no variable but those set here.
    pub(crate) fn host(&self) -> HostEnv {
        let os = match std::env::consts::OS {
            "windows" => Os::Windows,
            "macos" => Os::MacOs,
            _ => Os::Linux,
        };
        let arch = match std::env::consts::ARCH {
            "x86_64" => Arch::X64,
            "aarch64" => Arch::Arm64,
            _ => Arch::Other,
        };
        let mut path = vec![self.bin()];
        if self.system {
            path.extend(["/usr/bin", "/bin"].map(PathBuf::from));
        }
        let path = std::env::join_paths(path).expect("no separator in a temporary folder");
        let mut vars: Vec<(OsString, OsString)> = vec![
            ("HOME".into(), self.home().into()),
            ("PATH".into(), path),
            ("LANG".into(), "C.UTF-8".into()),
            ("TMPDIR".into(), self.root().into()),
        ];
        vars.extend(self.vars.iter().cloned());
        HostEnv::new(os, arch, Some(self.home()), vars)
    }

    /// Settings of a launcher on this bench.
    pub(crate) fn builder(&self) -> LauncherBuilder {
        Launcher::builder().app("Bench").host(self.host())
    }

    /// A launcher on this bench. It takes the fake Copilot by its path, so that nothing depends on the search.
    pub(crate) fn launcher(&self) -> Launcher {
        let copilot = self.bin().join(format!("copilot{}", std::env::consts::EXE_SUFFIX));
        let builder = self.builder();
        if copilot.exists() { builder.program(AgentId::COPILOT, copilot) } else { builder }.build()
    }

    /// A request to Copilot in the vault.
    pub(crate) fn request(&self, prompt: &str) -> Request {
        Request::new(AgentId::COPILOT, self.vault(), prompt)
    }

    /// Plans and starts a request.
    pub(crate) async fn start(&self, launcher: &Launcher, request: &Request) -> Run {
        let plan = launcher.plan(request).await.expect("a plan");
        launcher.start(plan).expect("a started run")
    }

    /// The runs of the fakes, without the questions for their version.
    pub(crate) fn runs(&self) -> Vec<Call> {
        self.calls().into_iter().filter(|call| !call.is_probe()).collect()
    }

    /// All calls of the fakes.
    pub(crate) fn calls(&self) -> Vec<Call> {
        fake::calls(&self.bin())
    }

    /// The pids of all runs of the fakes and of every process they started.
    pub(crate) fn pids(&self) -> Vec<u32> {
        let mut pids: Vec<u32> = self.runs().iter().map(|call| call.pid).collect();
        pids.extend(fake::child_pids(&self.bin()));
        pids.sort_unstable();
        pids.dedup();
        pids
    }

    /// The live processes that were started from this bench, found in the system's table.
    pub(crate) fn processes(&self) -> Vec<super::processes::Process> {
        super::processes::of(self.root())
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        // A test that failed, or one that shows what escapes, leaves nothing to the next.
        super::processes::kill_all(self.root());
    }
}

/// This test program again, running one ignored test alone, with the given variables: for what counts threads and
/// descriptors of a whole process, or has to be killed as a host.
pub(crate) fn rerun(test: &str, vars: &[(&str, &Path)]) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("the path of the test program"));
    command.args(["--exact", test, "--ignored", "--nocapture", "--test-threads=1"]);
    command.envs(vars.iter().copied());
    command
}
