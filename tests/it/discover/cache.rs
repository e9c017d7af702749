use std::time::Duration;

use agent_launcher::discover::{Readiness, Via};

use super::{GOOD, Machine, found, search};

#[tokio::test]
async fn d06_a_first_failure_is_not_remembered() {
    let machine = Machine::new().path(&["bin"]);
    let once = machine.at("once");
    let copilot =
        machine.script("bin/copilot", &format!("[ -e '{0}' ] || {{ : >'{0}'; exit 1; }}; {GOOD}", once.display()));
    let launcher = machine.launcher();
    assert_eq!(search(&launcher).await.binary, None);
    found(&search(&launcher).await, &copilot, Via::Path);
}

#[tokio::test]
async fn d06_a_probe_that_was_too_slow_once_is_asked_again() {
    let machine = Machine::new().path(&["bin"]);
    let once = machine.at("once");
    let body = format!("[ -e '{0}' ] || {{ : >'{0}'; sleep 60; }}; {GOOD}", once.display());
    let copilot = machine.script("bin/copilot", &body);
    let launcher = machine.builder().probe_limit(Duration::from_millis(500)).build();
    assert_eq!(search(&launcher).await.binary, None);
    found(&search(&launcher).await, &copilot, Via::Path);
}

#[tokio::test]
async fn d06_a_shell_that_was_too_slow_once_is_asked_again() {
    let machine = Machine::new().shell("shells/slow");
    let once = machine.at("once");
    let tools = machine.at("tools");
    let body = format!(
        "[ -e '{0}' ] || {{ : >'{0}'; sleep 60; }}; shift; PATH='{1}' exec /bin/sh -c \"$1\"",
        once.display(),
        tools.display()
    );
    machine.script("shells/slow", &body);
    let copilot = machine.script("tools/copilot", GOOD);
    let limit = Duration::from_millis(500);
    let launcher = machine.builder().login_shell_limit(limit).build();
    assert_eq!(search(&launcher).await.binary, None);
    // For as long as its limit it is left alone, so that looking for many agents in turn costs the limit once.
    tokio::time::sleep(limit).await;
    found(&search(&launcher).await, &copilot, Via::LoginShell);
}

#[tokio::test]
async fn what_was_found_is_not_asked_again_until_its_file_changes() {
    let machine = Machine::new().path(&["bin"]);
    let copilot = machine.script("bin/copilot", GOOD);
    let launcher = machine.launcher();
    let first = search(&launcher).await;
    let again = search(&launcher.clone()).await;
    assert_eq!((&again, machine.starts().len()), (&first, 1));
    machine.script("bin/copilot", "echo 'GitHub Copilot CLI 1.0.103.'");
    let updated = search(&launcher).await;
    found(&updated, &copilot, Via::Path);
    assert_eq!((updated.binary.unwrap().version.as_str(), machine.starts().len()), ("1.0.103", 2));
    std::fs::remove_file(&copilot).unwrap();
    assert_eq!(search(&launcher).await.binary, None);
}

#[tokio::test]
async fn a_better_one_that_appears_is_taken() {
    let machine = Machine::new().path(&["first", "second"]);
    let second = machine.script("second/copilot", GOOD);
    let launcher = machine.launcher();
    found(&search(&launcher).await, &second, Via::Path);
    let first = machine.script("first/copilot", GOOD);
    found(&search(&launcher).await, &first, Via::Path);
}

#[tokio::test]
async fn an_agent_that_is_installed_while_the_app_runs_is_found() {
    let machine = Machine::new();
    let launcher = machine.launcher();
    assert_eq!(search(&launcher).await.binary, None);
    let copilot = machine.script("home/.local/bin/copilot", GOOD);
    found(&search(&launcher).await, &copilot, Via::Native);
}

#[tokio::test]
async fn callers_at_the_same_time_share_one_search_and_one_shell() {
    let machine = Machine::new().path(&["bad"]).shell("shells/slow");
    machine.script("bad/copilot", "exit 1");
    machine.script("shells/slow", "sleep 0.2; shift; exec /bin/sh -c \"$1\"");
    let copilot = machine.script("home/.local/bin/copilot", GOOD);
    let launcher = machine.launcher();
    let callers: Vec<_> = (0..8)
        .map(|_| {
            tokio::spawn({
                let launcher = launcher.clone();
                async move { search(&launcher).await }
            })
        })
        .collect();
    for caller in callers {
        found(&caller.await.unwrap(), &copilot, Via::Native);
    }
    let mut starts = machine.starts();
    starts.sort();
    assert_eq!(starts, ["bad/copilot --version", "home/.local/bin/copilot --version", "shells/slow -ilc"]);
}

#[tokio::test]
async fn a_caller_that_goes_away_leaves_the_search_to_the_others() {
    let machine = Machine::new().shell("shells/slow");
    machine.script("shells/slow", "sleep 0.2; shift; exec /bin/sh -c \"$1\"");
    let copilot = machine.script("home/.local/bin/copilot", GOOD);
    let launcher = machine.launcher();
    let first = tokio::spawn({
        let launcher = launcher.clone();
        async move { search(&launcher).await }
    });
    let second = tokio::spawn({
        let launcher = launcher.clone();
        async move { search(&launcher).await }
    });
    crate::support::within("the shell is started", async {
        while machine.starts().is_empty() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    })
    .await;
    first.abort();
    found(&second.await.unwrap(), &copilot, Via::Native);
}

#[tokio::test]
async fn the_fewest_processes_are_started() {
    // The first place is asked while the shell is; it is not asked again in its turn.
    let machine = Machine::new().path(&["d1", "d2"]);
    machine.script("d1/copilot", "exit 1");
    machine.script("d2/copilot", "echo 3.14");
    let place = machine.script("home/.npm-global/bin/copilot", GOOD);
    machine.script("home/.bun/bin/copilot", GOOD);
    found(&machine.search().await, &place, Via::Npm);
    let mut starts = machine.starts();
    starts.sort();
    let expected =
        ["d1/copilot --version", "d2/copilot --version", "home/.npm-global/bin/copilot --version", "shells/quick -ilc"];
    assert_eq!(starts, expected);
    // Without a hit, nothing is asked twice either.
    let none = Machine::new().path(&["d1"]);
    none.script("d1/copilot", "exit 1");
    none.script("home/.local/bin/copilot", "exit 1");
    none.script("home/.bun/bin/copilot", "exit 1");
    assert_eq!(none.search().await.binary, None);
    let mut starts = none.starts();
    starts.sort();
    let expected = [
        "d1/copilot --version",
        "home/.bun/bin/copilot --version",
        "home/.local/bin/copilot --version",
        "shells/quick -ilc",
    ];
    assert_eq!(starts, expected);
}

#[test]
fn a_search_may_be_awaited_on_any_thread() {
    fn send<T: Send>(_: T) {}
    let launcher = Machine::new().launcher();
    send(launcher.agents());
    send(launcher.search(&agent_launcher::AgentId::COPILOT));
}

#[tokio::test]
async fn d06_checking_is_its_own_state_until_a_search_has_found_the_agent() {
    let machine = Machine::new().path(&["bin"]);
    let gate = machine.at("gate");
    let made = std::process::Command::new("mkfifo").arg(&gate).status().expect("mkfifo is there");
    assert!(made.success());
    // The probe is answered once something is written into the pipe.
    machine.script("bin/copilot", &format!("read -r go <'{}'; {GOOD}", gate.display()));
    let launcher = machine.launcher();
    let copilot = |launcher: &agent_launcher::Launcher| {
        launcher.agents_now().into_iter().find(|status| status.agent.as_str() == "copilot").expect("Copilot is listed")
    };
    assert_eq!(copilot(&launcher).status, Readiness::Checking, "before any search");
    let looking = tokio::spawn({
        let launcher = launcher.clone();
        async move { launcher.agents().await }
    });
    // Opening a pipe for writing waits for its reader, the probe.
    let mut pipe = tokio::task::spawn_blocking(move || std::fs::OpenOptions::new().write(true).open(gate))
        .await
        .expect("no panic")
        .expect("the probe reads");
    assert_eq!(copilot(&launcher).status, Readiness::Checking, "while a search is under way");
    assert_eq!(copilot(&launcher).path, None);
    std::io::Write::write_all(&mut pipe, b"go\n").expect("the probe is there");
    drop(pipe);
    let found = looking.await.expect("no panic");
    let found = found.into_iter().find(|status| status.agent.as_str() == "copilot");
    assert_eq!(found.as_ref().map(|status| status.status), Some(Readiness::Ready));
    let starts = machine.starts().len();
    assert_eq!(Some(copilot(&launcher)), found, "afterwards, what was found");
    std::fs::remove_file(machine.at("bin/copilot")).expect("it was there");
    assert_eq!(copilot(&launcher).status, Readiness::Checking, "an answer whose file is gone is none");
    assert_eq!(machine.starts().len(), starts, "nothing was started for it");
}

#[tokio::test]
async fn a_search_that_nobody_waits_for_any_more_ends_with_its_processes() {
    let machine = Machine::new().path(&["bin"]);
    let begun = machine.at("begun");
    let made = std::process::Command::new("mkfifo").arg(&begun).status().expect("mkfifo is there");
    assert!(made.success());
    machine.script("bin/copilot", &format!("echo here >'{}'; sleep 600; {GOOD}", begun.display()));
    let launcher = machine.builder().probe_limit(Duration::from_secs(600)).build();
    let looking = tokio::spawn(async move { search(&launcher).await });
    let told = tokio::task::spawn_blocking(move || std::fs::read_to_string(begun));
    assert_eq!(told.await.expect("no panic").expect("the probe writes"), "here\n");
    assert!(!machine.processes().is_empty());
    looking.abort();
    assert!(looking.await.is_err_and(|error| error.is_cancelled()));
    let deadline = std::time::Instant::now() + Duration::from_secs(30);
    while !machine.processes().is_empty() {
        assert!(std::time::Instant::now() < deadline, "still there: {:?}", machine.processes());
        tokio::task::yield_now().await;
    }
}
