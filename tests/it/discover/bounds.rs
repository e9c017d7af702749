use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use agent_launcher::discover::{ShellStatus, Verdict, Via};
use agent_launcher::{HostEnv, Launcher};

use super::{GOOD, Machine, asked, found, search, this_arch, this_os, verdict};
use crate::support::{processes, rerun};

fn files(folder: &Path) -> BTreeSet<PathBuf> {
    let mut all = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path));
        }
        all.insert(path);
    }
    all
}

/// Runs one ignored test in a process of its own.
#[track_caller]
fn alone(test: &str) {
    let output = rerun(test, &[]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}{}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test]
async fn a_search_leaves_no_process_no_file_and_the_host_as_it_was() {
    let machine = Machine::desktop().path(&["bad", "bin"]).shell("/bin/bash");
    // Each starts something that would outlive it.
    machine.file("home/.bash_profile", "sleep 300 & (setsid sleep 300 &) \n");
    machine.script("bad/copilot", "sleep 300 & (setsid sleep 300 &) ; exit 1");
    let copilot = machine.script("bin/copilot", &format!("sleep 300 & (setsid sleep 300 >/dev/null 2>&1 &) ; {GOOD}"));
    machine.file("starts.log", "");
    let before = (files(&machine.at("")), std::env::vars_os().collect::<Vec<_>>(), std::env::current_dir().unwrap());
    found(&machine.search().await, &copilot, Via::Path);
    let after = (files(&machine.at("")), std::env::vars_os().collect::<Vec<_>>(), std::env::current_dir().unwrap());
    assert_eq!(before, after);
    assert_eq!(machine.processes(), []);
}

#[tokio::test]
async fn a_shell_that_hangs_is_bounded_and_ended_with_all_it_started() {
    let machine = Machine::new().shell("shells/hang");
    machine
        .script("shells/hang", "trap '' TERM INT HUP; sleep 300 & (setsid sleep 300 &) ; while :; do sleep 300; done");
    let copilot = machine.script("home/.local/bin/copilot", GOOD);
    let launcher = machine.builder().login_shell_limit(Duration::from_millis(300)).build();
    let begin = Instant::now();
    let search = search(&launcher).await;
    assert!(begin.elapsed() < Duration::from_secs(20));
    found(&search, &copilot, Via::Native);
    asked(&search, ShellStatus::TimedOut);
    assert_eq!(machine.processes(), []);
}

#[tokio::test]
async fn a_probe_that_ignores_sigterm_and_forks_is_bounded_and_ended() {
    let machine = Machine::new().path(&["bad", "bin"]);
    let body =
        "trap '' TERM INT HUP; for n in 1 2 3; do (trap '' TERM; sleep 300) & done; (setsid sleep 300 &) ; sleep 300";
    let bad = machine.script("bad/copilot", body);
    let good = machine.script("bin/copilot", GOOD);
    let launcher = machine.builder().probe_limit(Duration::from_millis(500)).build();
    let search = search(&launcher).await;
    found(&search, &good, Via::Path);
    let (verdict, detail) = verdict(&search, &bad);
    assert_eq!(verdict, Verdict::Broken);
    assert!(detail.starts_with("did not tell its version within "), "{detail}");
    assert_eq!(machine.processes(), []);
}

#[test]
fn a_shell_and_a_probe_that_print_100_mb_are_bounded_in_memory() {
    alone("discover::bounds::floods");
}

#[tokio::test]
#[ignore = "started alone by `a_shell_and_a_probe_that_print_100_mb_are_bounded_in_memory`"]
async fn floods() {
    let machine = Machine::new().path(&["bad"]).shell("shells/flood");
    let flood = "head -c 100000000 /dev/zero | tr '\\0' x; head -c 100000000 /dev/zero | tr '\\0' x >&2";
    // After its answer the flood does no harm; before it, it costs no more than the answer.
    machine.script("shells/flood", &format!("{flood}; shift; exec /bin/sh -c \"$1\""));
    machine.script("bad/copilot", flood);
    let copilot = machine.script("home/.local/bin/copilot", GOOD);
    let before = processes::own();
    let search = machine.search().await;
    found(&search, &copilot, Via::Native);
    let after = processes::own();
    let grown = after.resident_kib.saturating_sub(before.resident_kib);
    assert!(grown < 32 * 1024, "{grown} KiB");
    assert_eq!((after.descriptors, after.children), (before.descriptors, before.children));
}

#[test]
fn a_thousand_searches_leave_no_zombie_and_no_descriptor() {
    alone("discover::bounds::many");
}

#[tokio::test]
#[ignore = "started alone by `a_thousand_searches_leave_no_zombie_and_no_descriptor`"]
async fn many() {
    let machine = Machine::desktop().path(&["bad", "bin"]);
    machine.script("bad/copilot", "exit 1");
    let copilot = machine.script("bin/copilot", GOOD);
    let warm = machine.launcher();
    search(&warm).await;
    let before = processes::own();
    for _ in 0..20 {
        found(&machine.search().await, &copilot, Via::Path);
    }
    for _ in 0..1000 {
        search(&warm).await;
    }
    let after = processes::own();
    assert_eq!((after.descriptors, after.children), (before.descriptors, before.children));
    // The runtime keeps the threads of its pool for blocking work for some seconds; their number does not grow with the
    // searches.
    assert!(after.threads <= before.threads + 3, "{} threads, then {}", before.threads, after.threads);
}

#[tokio::test]
async fn a_path_of_64_kib_is_searched_and_one_that_nothing_can_be_started_with_is_cut() {
    for (kib, kept) in [(64, true), (256, false)] {
        let mut machine = Machine::new();
        let name = "n".repeat(200);
        machine.path = vec![machine.at("bin")];
        machine.path.extend((0..kib * 5).map(|n| PathBuf::from(format!("/{name}{n:04}"))));
        assert!(std::env::join_paths(&machine.path).unwrap().len() > kib * 1024);
        let copilot = machine.script("bin/copilot", GOOD);
        let search = machine.search().await;
        found(&search, &copilot, Via::Path);
        assert_eq!(search.path.last() == machine.path.last(), kept);
        assert!(std::env::join_paths(&search.path).unwrap().len() < 128 * 1024);
    }
}

#[tokio::test]
async fn a_home_that_is_unset_gone_or_a_file_is_passed_over() {
    let machine = Machine::new().path(&["bin"]);
    let copilot = machine.script("bin/copilot", GOOD);
    let no_home = HostEnv::new(this_os(), this_arch(), None, [("PATH".into(), machine.at("bin").into())]);
    found(&search(&Launcher::builder().host(no_home.clone()).build()).await, &copilot, Via::Path);
    for home in [machine.at("gone"), machine.file("file", ""), PathBuf::new(), PathBuf::from("relative")] {
        let vars = [("PATH".into(), machine.at("bin").into()), ("HOME".into(), home.clone().into())];
        let host = HostEnv::new(this_os(), this_arch(), Some(home), vars);
        found(&search(&Launcher::builder().host(host).build()).await, &copilot, Via::Path);
    }
    std::fs::remove_file(&copilot).unwrap();
    let search = search(&Launcher::builder().host(no_home).build()).await;
    assert_eq!(search.binary, None);
    assert!(search.guidance.is_some());
}

#[tokio::test]
async fn a_home_with_spaces_and_bytes_that_are_not_utf_8_is_searched() {
    use std::os::unix::ffi::OsStringExt;
    let mut machine = Machine::new();
    let odd = OsString::from_vec(b"home of \xff 'u' \"x\"".to_vec());
    machine.home = machine.at("").join(&odd);
    let folder = machine.home.join(".npm-global/bin");
    std::fs::create_dir_all(&folder).unwrap();
    let plain = machine.program("copilot", "#!/usr/bin/env node-for-test\n");
    let node = machine.script("node", GOOD);
    let copilot = folder.join("copilot");
    std::fs::rename(plain, &copilot).unwrap();
    std::fs::rename(node, folder.join("node-for-test")).unwrap();
    let search = machine.search().await;
    found(&search, &copilot, Via::Npm);
    assert_eq!(search.path[0], folder);
    // It is told in JSON all the same, as far as JSON can.
    assert_eq!(serde_json::to_value(&search).unwrap()["chosen"], copilot.to_string_lossy().as_ref());
}

#[test]
#[cfg(all(target_os = "linux", feature = "cli"))]
fn a_home_that_may_not_be_entered_keeps_nothing_from_being_found() {
    use std::os::unix::fs::PermissionsExt;
    let command = env!("CARGO_BIN_EXE_agent-launcher");
    let machine = Machine::new();
    let copilot = machine.script("bin/copilot", GOOD);
    std::fs::set_permissions(&machine.home, std::fs::Permissions::from_mode(0o000)).unwrap();
    // As root every folder may be entered, unless that is given up.
    let mut doctor = if nix::unistd::geteuid().is_root() {
        let mut setpriv = std::process::Command::new("setpriv");
        let drop = "-dac_override,-dac_read_search";
        setpriv.args([format!("--bounding-set={drop}"), format!("--inh-caps={drop}"), command.into()]);
        setpriv
    } else {
        std::process::Command::new(command)
    };
    let path = std::env::join_paths([machine.at("bin"), "/usr/bin".into(), "/bin".into()]).unwrap();
    doctor.args(["doctor", "copilot", "--json"]).env_clear().env("HOME", &machine.home).env("PATH", path);
    let output = doctor.env("SHELL", "/bin/bash").output().expect("setpriv of util-linux");
    std::fs::set_permissions(&machine.home, std::fs::Permissions::from_mode(0o755)).unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let doctor: serde_json::Value =
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)));
    assert_eq!(doctor["chosen"], copilot.to_str().unwrap(), "{text}");
}
