//! A person's machine for one test: a home, a vault, a temp folder, the agent on the `PATH`, nothing of the real machine.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use agent_launcher::{AgentId, Arch, HostEnv, Launcher, McpServer, Mode, Os, Request};
use tempfile::TempDir;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::model::Model;

/// The real CLIs are heavy: no more than this many machines live at once.
static ROOM: Semaphore = Semaphore::const_new(3);

/// How an agent is installed: its id, its program, and the file of its npm package that the program links to.
const INSTALLED: &[(&str, &str, &str)] = &[
    ("copilot", "copilot", "npm-loader.js"),
    ("claude-code", "claude", "bin/claude.exe"),
    ("codex", "codex", "bin/codex.js"),
    ("opencode", "opencode", "bin/opencode.exe"),
];

/// A machine with one version of one agent.
pub struct Machine {
    pub agent: &'static str,
    pub version: &'static str,
    /// The environment of the app.
    pub vars: BTreeMap<String, String>,
    dir: TempDir,
    room: Option<SemaphorePermit<'static>>,
}

/// Where `scripts/install-agents.sh` installs.
fn installed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real/npm/node_modules")
}

/// Whether the tests of the real CLIs are asked to be left out. Says so where they are.
///
/// # Panics
///
/// Where the CLIs are not installed: a test that cannot run must not look like one that passed.
pub fn skipped() -> bool {
    if std::env::var_os("AGENT_LAUNCHER_REAL").is_some_and(|value| value == "skip") {
        eprintln!("skipped: AGENT_LAUNCHER_REAL=skip leaves out the tests of the real CLIs");
        return true;
    }
    assert!(
        installed().join(".installed-lock.json").exists(),
        "the real CLIs are not installed: run scripts/install-agents.sh, \
         or set AGENT_LAUNCHER_REAL=skip to leave these tests out"
    );
    false
}

impl Machine {
    /// A machine with this version of Copilot, which asks `url` instead of GitHub.
    pub async fn new(version: &'static str, url: &str) -> Machine {
        let vars = [("COPILOT_OFFLINE", "true"), ("COPILOT_PROVIDER_BASE_URL", url), ("COPILOT_MODEL", "mock")];
        Machine::of("copilot", version, &vars).await
    }

    /// A machine with this version of an agent, and these variables in the app's environment beside the usual ones.
    pub async fn of(agent: &'static str, version: &'static str, more: &[(&str, &str)]) -> Machine {
        let room = ROOM.acquire().await.expect("the semaphore is never closed");
        // Short, since a path of a machine stands in arguments, and outside this repository, since Copilot reads
        // instructions from the root of the repository it is in.
        let dir = tempfile::Builder::new().prefix("real-").tempdir().expect("a temp folder can be made");
        let root = dir.path().to_path_buf();
        for folder in ["home/bin", "vault", "tmp", "outside"] {
            fs::create_dir_all(root.join(folder)).expect("the folder is new");
        }
        let alias = format!("{agent}-{version}");
        let package = installed().join(&alias);
        let (_, program, file) = INSTALLED.iter().find(|(id, ..)| *id == agent).expect("the agent is in the table");
        // As `npm install -g` does: a link to the package's script, which starts the native program beside it.
        link(&package.join(file), &root.join("home/bin").join(program));
        link(Path::new(env!("CARGO_BIN_EXE_fake-agent")), &root.join("home/bin/fake-mcp"));
        if agent == "copilot" {
            fs::create_dir_all(root.join("home/.copilot")).expect("the folder is new");
            // 235 MB that the program unpacks at its first start; shared by all tests of a version.
            link(&installed().join(".homes").join(&alias).join(".cache"), &root.join("home/.cache"));
        }
        fs::write(root.join("vault/note.md"), "# Note\n\nMilk, eggs, bread.\n").expect("the vault is writable");
        let node = which::which("node").expect("scripts/install-agents.sh needs node too");
        let node = node.parent().expect("a program lies in a folder").display().to_string();
        let vars = [
            ("HOME", root.join("home").display().to_string()),
            ("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin:{node}", root.join("home/bin").display())),
            ("LANG", "C.UTF-8".into()),
            ("TMPDIR", root.join("tmp").display().to_string()),
            ("SHELL", "/bin/sh".into()),
        ];
        let more = more.iter().map(|(name, value)| (*name, (*value).to_owned()));
        let vars = vars.into_iter().chain(more).map(|(name, value)| (name.to_owned(), value)).collect();
        Machine { agent, version, vars, dir, room: Some(room) }
    }

    /// A machine whose model is this server.
    pub async fn with(version: &'static str, model: &Model) -> Machine {
        Machine::new(version, &model.url()).await
    }

    /// The same, without a sign-in and without a local model: Copilot as just installed.
    pub async fn signed_out(version: &'static str) -> Machine {
        let mut machine = Machine::new(version, "").await;
        machine.vars.retain(|name, _| !name.starts_with("COPILOT_"));
        machine
    }

    /// Lets other machines run beside this one, whose agent waits more than it works.
    pub fn is_idle(&mut self) {
        self.room = None;
    }

    pub fn root(&self) -> &Path {
        self.dir.path()
    }

    pub fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    pub fn vault(&self) -> PathBuf {
        self.root().join("vault")
    }

    /// A folder beside the vault, which no run may touch.
    pub fn outside(&self) -> PathBuf {
        self.root().join("outside")
    }

    /// Reads a file of the machine.
    pub fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.root().join(path)).ok()
    }

    /// Writes a file of the machine, and its folders.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("the folder can be made");
        fs::write(path, text).expect("the file can be written");
    }

    /// The app's environment.
    pub fn host(&self) -> HostEnv {
        let arch = if cfg!(target_arch = "aarch64") { Arch::Arm64 } else { Arch::X64 };
        let os = if cfg!(target_os = "macos") { Os::MacOs } else { Os::Linux };
        let vars = self.vars.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        HostEnv::new(os, arch, Some(self.home()), vars)
    }

    pub fn launcher(&self) -> Launcher {
        // Generous: many a test starts an agent of its own at the same time.
        Launcher::builder().app("Tolaria").host(self.host()).probe_limit(super::DEADLINE).build()
    }

    /// The tightest mode that the agent has in this version.
    pub fn mode(&self) -> Mode {
        if (self.agent, self.version) == ("copilot", "1.0.69") { Mode::PowerUser } else { Mode::Safe }
    }

    /// A request to the agent in the vault, in the tightest mode that it has.
    pub fn request(&self, prompt: &str) -> Request {
        Request::new(AgentId::new(self.agent), self.vault(), prompt).mode(self.mode())
    }

    /// The app's MCP server; `mode` is one of `fake-mcp`.
    pub fn mcp(&self, mode: &str) -> McpServer {
        McpServer::stdio("tolaria", self.home().join("bin/fake-mcp"))
            .arg("--fake-mcp")
            .arg("--log")
            .arg(self.root().join("mcp.log").display().to_string())
            .arg("--mode")
            .arg(mode)
            .env("VAULT_PATH", self.vault().display().to_string())
    }

    /// What the MCP server wrote down.
    pub fn mcp_log(&self) -> Vec<serde_json::Value> {
        let log = self.read("mcp.log").unwrap_or_default();
        log.lines().map(|line| serde_json::from_str(line).expect("the server logs JSON")).collect()
    }

    /// Every file below a folder of the machine with its bytes; links are not followed.
    pub fn files(&self, folder: &str) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(&self.root().join(folder), &mut files);
        let root = format!("{}/", self.root().display());
        files.into_iter().map(|(path, bytes)| (path.replacen(&root, "", 1), bytes)).collect()
    }

    /// Every live process that has to do with this machine, by its working directory or its environment, with its
    /// arguments.
    pub fn processes(&self) -> Vec<String> {
        self.environments().into_iter().map(|(process, _)| process).collect()
    }

    /// The same, with the environment of each.
    pub fn environments(&self) -> Vec<(String, String)> {
        let needle = self.root().display().to_string();
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc").expect("these tests run on Linux").flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
            if pid == std::process::id() {
                continue;
            }
            let text = |name: &str| {
                let bytes = fs::read(entry.path().join(name)).unwrap_or_default();
                String::from_utf8_lossy(&bytes).replace('\0', " ")
            };
            let environment = text("environ");
            let cwd = fs::read_link(entry.path().join("cwd")).unwrap_or_default();
            if cwd.starts_with(&needle) || environment.contains(&needle) {
                found.push((format!("{pid} {}", text("cmdline")), environment));
            }
        }
        found
    }
}

/// Whether `needle` lies in `hay`.
pub fn contains(hay: &[u8], needle: &[u8]) -> bool {
    hay.windows(needle.len()).any(|window| window == needle)
}

fn collect(folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => collect(&path, files),
            Ok(kind) if kind.is_file() => {
                files.insert(path.display().to_string(), fs::read(&path).unwrap_or_default());
            }
            _ => {}
        }
    }
}

fn link(target: &Path, at: &Path) {
    #[cfg(unix)]
    std::os::unix::fs::symlink(target, at).expect("the link is new");
    #[cfg(not(unix))]
    panic!("the tests of the real CLIs do not run here: {} {}", target.display(), at.display());
}
