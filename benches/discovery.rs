//! The search for an agent: cold with a login shell against that login shell alone, and warm.
//!
//! `cargo bench --bench discovery`. The targets: cold at most 1.15 times the shell alone, warm at most 100 µs.
//!
//! For Linux (`setsid`). The shell is bash with start files that take as long as those of people (some 80 ms; a bare bash takes 3 ms, which
//! nobody's does), the agent a native program in a known place, asked for its version while the shell works.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program that prints what it measured, and starts the floor by hand"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use agent_launcher::{AgentId, Arch, HostEnv, Launcher, Os};

const ROUNDS: usize = 25;
const WARM: u32 = 10_000;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let root = tempfile::tempdir().expect("a temporary folder");
    for (what, place) in [("in a known place", "home/.npm-global/bin"), ("only on the login shell's PATH", "tools")] {
        let home = machine(root.path(), place);
        let (mut alone, mut cold) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            alone.push(timed(|| shell_alone(&home)));
            cold.push(timed(|| {
                let found = runtime.block_on(launcher(&home).agents());
                assert!(found.iter().any(|status| status.version.is_some()), "{found:#?}");
            }));
        }
        let (alone, cold) = (median(alone), median(cold));
        println!("the agent {what}");
        println!("  floor: the login shell alone   {:>9.2} ms", alone.as_secs_f64() * 1e3);
        println!(
            "  cold search of all agents      {:>9.2} ms   {:.2} × the floor (target: at most 1.15)",
            cold.as_secs_f64() * 1e3,
            cold.as_secs_f64() / alone.as_secs_f64()
        );
        let launcher = launcher(&home);
        runtime.block_on(launcher.search(&AgentId::COPILOT)).expect("Copilot is known");
        let warm = timed(|| {
            runtime.block_on(async {
                for _ in 0..WARM {
                    let search = launcher.search(&AgentId::COPILOT).await.expect("Copilot is known");
                    assert!(search.binary.is_some());
                }
            });
        });
        println!(
            "  warm search                    {:>9.2} µs   (target: at most 100)",
            warm.as_secs_f64() * 1e6 / f64::from(WARM)
        );
    }
}

/// A home with bash's start files, and the fake agent at one place.
fn machine(root: &Path, place: &str) -> PathBuf {
    let home = root.join("home");
    let _ = std::fs::remove_dir_all(&home);
    let _ = std::fs::remove_dir_all(root.join("tools"));
    let agent = root.join(place);
    std::fs::create_dir_all(&agent).expect("folders");
    std::fs::create_dir_all(&home).expect("a home");
    std::fs::copy(env!("CARGO_BIN_EXE_fake-agent"), agent.join("copilot")).expect("a copy of the fake");
    std::fs::write(agent.join("copilot.scenario"), "").expect("its scenario");
    let tools = root.join("tools");
    let rc =
        format!("for ((n = 0; n < 20000; n++)); do x=$((n * n)); done\nexport PATH=\"{}:$PATH\"\n", tools.display());
    std::fs::write(home.join(".bashrc"), rc).expect("a start file");
    std::fs::write(home.join(".bash_profile"), ". ~/.bashrc\n").expect("a start file");
    home
}

/// The app as a desktop starts it.
fn launcher(home: &Path) -> Launcher {
    let vars = [
        ("HOME", home.as_os_str()),
        ("PATH", "/usr/bin:/bin:/usr/sbin:/sbin".as_ref()),
        ("SHELL", "/bin/bash".as_ref()),
    ];
    let os = if cfg!(target_os = "macos") { Os::MacOs } else { Os::Linux };
    let arch = if cfg!(target_arch = "aarch64") { Arch::Arm64 } else { Arch::X64 };
    let vars = vars.map(|(name, value)| (name.into(), value.to_owned()));
    Launcher::builder().host(HostEnv::new(os, arch, Some(home.to_owned()), vars)).build()
}

/// What everybody pays who asks: the shell, interactive and login, printing its environment. In a session of its own like
/// ours: on a busy machine the system shares its time among sessions.
fn shell_alone(home: &Path) {
    let output = Command::new("setsid")
        .args(["/bin/bash", "-ilc", "/usr/bin/env -0"])
        .env_clear()
        .env("HOME", home)
        .env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .expect("bash starts");
    assert!(output.status.success());
}

fn timed(call: impl FnOnce()) -> Duration {
    let begin = Instant::now();
    call();
    begin.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
