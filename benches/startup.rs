//! From the command to the first word of the real Copilot CLI's answer, on a local model that answers at once.
//!
//! `scripts/install-agents.sh && cargo bench --bench startup`. Target: no slower than npm's shim by hand, which costs a
//! node start. Skipped, and said so, where the real CLI is not installed. Linux.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program that prints what it measured, and starts its floor by hand"
)]

#[allow(dead_code, unreachable_pub, reason = "the model server speaks more than this bench asks for")]
#[path = "../tests/real/support/messages.rs"]
mod messages;
#[allow(dead_code, unreachable_pub, missing_debug_implementations, reason = "the model of the tests of the real CLIs")]
#[path = "../tests/real/support/model.rs"]
mod model;
#[allow(dead_code, unreachable_pub, reason = "the model server speaks more than this bench asks for")]
#[path = "../tests/real/support/responses.rs"]
mod responses;
#[allow(dead_code, unreachable_pub, reason = "the model server can also play the agent's own service")]
#[path = "../tests/real/support/service.rs"]
mod service;
#[allow(dead_code, reason = "each bench takes what it needs of the support")]
mod support;

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use agent_launcher::{AgentId, Arch, EventKind, HostEnv, Launcher, Os, Request};
use support::median;
use tokio::io::{AsyncBufReadExt, BufReader};

const ROUNDS: usize = 15;
const VERSION: &str = "1.0.102";

/// How long the model waits for a question.
const DEADLINE: Duration = Duration::from_secs(60);

fn main() {
    let installed = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real/npm/node_modules");
    let package = installed.join(format!("copilot-{VERSION}"));
    if !package.join("npm-loader.js").exists() {
        println!(
            "startup: skipped, since the real Copilot CLI is not installed; scripts/install-agents.sh installs it"
        );
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(measure(&installed, &package));
}

/// A home, a vault and the real CLI as `npm install -g` would have put it.
struct Machine {
    root: tempfile::TempDir,
    path: String,
    url: String,
}

impl Machine {
    fn command(&self, program: &Path) -> tokio::process::Command {
        let mut command = tokio::process::Command::new(program);
        command.env_clear().current_dir(self.root.path().join("vault")).kill_on_drop(true);
        command.env("HOME", self.root.path().join("home")).env("PATH", &self.path).env("LANG", "C.UTF-8");
        command.env("COPILOT_OFFLINE", "true").env("COPILOT_MODEL", "mock").env("COPILOT_PROVIDER_BASE_URL", &self.url);
        command.stdin(Stdio::null()).stderr(Stdio::null()).stdout(Stdio::piped());
        command
    }

    /// The time to the first line of stdout that has one of these parts.
    async fn first(&self, program: &Path, args: &[String], part: &str) -> Duration {
        let begin = Instant::now();
        let mut child = self.command(program).args(args).spawn().expect("the program starts");
        let mut lines = BufReader::new(child.stdout.take().expect("stdout is piped")).lines();
        let mut seen = Vec::new();
        let taken = loop {
            match lines.next_line().await.expect("a pipe") {
                Some(line) if line.contains(part) => break begin.elapsed(),
                Some(line) => seen.push(line),
                None => panic!("`{}` ended without {part}: {seen:#?}", program.display()),
            }
        };
        while lines.next_line().await.expect("a pipe").is_some() {}
        child.wait().await.expect("it ends");
        taken
    }
}

/// The time to the first word where an app has held its launcher for a while, as apps do.
async fn embedded(machine: &Machine, launcher: &Launcher) -> Duration {
    let begin = Instant::now();
    let request = Request::new(AgentId::COPILOT, machine.root.path().join("vault"), "hi");
    let plan = launcher.plan(&request).await.expect("a plan");
    let mut run = launcher.start(plan).expect("a run");
    let mut taken = None;
    while let Some(event) = run.next().await {
        if matches!(event.kind, EventKind::TextDelta { .. }) {
            taken.get_or_insert(begin.elapsed());
        }
    }
    taken.expect("an answer")
}

async fn measure(installed: &Path, package: &Path) {
    let model = model::Model::start([model::text("Hello")]).await;
    let root = tempfile::tempdir().expect("a temporary folder");
    for folder in ["home/bin", "home/.copilot", "vault"] {
        std::fs::create_dir_all(root.path().join(folder)).expect("a folder of the machine");
    }
    let link = |from: PathBuf, to: &str| std::os::unix::fs::symlink(from, root.path().join(to)).expect("a link");
    link(package.join("npm-loader.js"), "home/bin/copilot");
    // The 235 MB that the program unpacks at its first start: unpacked already, as on a person's machine.
    let cache = installed.join(format!(".homes/copilot-{VERSION}/.cache"));
    if cache.exists() {
        link(cache, "home/.cache");
    }
    let node = which::which("node").expect("the shim needs node");
    let node = node.parent().expect("a program lies in a folder").display();
    let path = format!("{}:/usr/bin:/bin:{node}", root.path().join("home/bin").display());
    let machine = Machine { path, url: model.url(), root };

    let launcher = PathBuf::from(env!("CARGO_BIN_EXE_agent-launcher"));
    let vault = machine.root.path().join("vault").display().to_string();
    let with =
        |first: &str| [first, "--agent", "copilot", "--vault", &vault, "--json", "hi"].map(str::to_owned).to_vec();
    let planned = machine.command(&launcher).args(with("plan")).output().await.expect("a plan");
    let plan: serde_json::Value = serde_json::from_slice(&planned.stdout).expect("a plan is JSON");
    let native = PathBuf::from(plan["program"].as_str().expect("a plan has a program"));
    // By hand with the very same flags, but a new session each time, as `ask` makes one.
    let args = plan["args"].as_array().expect("a plan has arguments").iter().filter_map(|arg| arg.as_str());
    let args: Vec<String> = args.filter(|arg| !arg.starts_with("--session-id")).map(str::to_owned).collect();
    let shim = machine.root.path().join("home/bin/copilot");

    let vars = [
        ("HOME", machine.root.path().join("home").display().to_string()),
        ("PATH", machine.path.clone()),
        ("LANG", "C.UTF-8".into()),
        ("COPILOT_OFFLINE", "true".into()),
        ("COPILOT_MODEL", "mock".into()),
        ("COPILOT_PROVIDER_BASE_URL", machine.url.clone()),
    ];
    let vars = vars.into_iter().map(|(name, value)| (name.into(), value.into()));
    let arch = if cfg!(target_arch = "aarch64") { Arch::Arm64 } else { Arch::X64 };
    let host = HostEnv::new(Os::Linux, arch, Some(machine.root.path().join("home")), vars);
    let warm = Launcher::builder().app("Bench").host(host).build();
    embedded(&machine, &warm).await;
    let mut warm_taken = Vec::new();

    let delta = r#""assistant.message_delta""#;
    let ways: [(&str, &Path, Vec<String>, &str); 4] = [
        ("npm's shim by hand, first word", &shim, args.clone(), delta),
        ("the native program by hand, first word", &native, args, delta),
        ("agent-launcher ask, first word", &launcher, with("ask"), r#""kind":"TextDelta""#),
        ("agent-launcher ask, first event (`Init`)", &launcher, with("ask"), r#""kind":"Init""#),
    ];
    let mut taken: Vec<Vec<Duration>> = vec![Vec::new(); ways.len()];
    for _ in 0..ROUNDS {
        for (index, (_, program, args, part)) in ways.iter().enumerate() {
            taken[index].push(machine.first(program, args, part).await);
        }
        warm_taken.push(embedded(&machine, &warm).await);
    }
    println!("\nstartup: GitHub Copilot CLI {VERSION} on a local model, median of {ROUNDS} rounds in turn");
    println!("found {}", native.strip_prefix(installed).unwrap_or(&native).display());
    let medians: Vec<Duration> = taken.iter_mut().map(|taken| median(taken).unwrap_or_default()).collect();
    let warm =
        ("agent-launcher in an app that has asked before, first word", median(&mut warm_taken).unwrap_or_default());
    let rows = ways.iter().map(|(name, ..)| *name).zip(medians.iter().copied()).chain([warm]);
    for (name, time) in rows {
        let ratio = time.as_secs_f64() / medians[0].as_secs_f64();
        println!("{:>6.0} ms {ratio:>5.2} x the shim  {name}", time.as_secs_f64() * 1e3);
    }
}
