//! What a run tells, from `Init` to `Done`.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use agent_launcher::{AgentId, Arch, Event, EventKind, HostEnv, Launcher, Os, Request, Run, Status};

/// A vault and a launcher whose Copilot is a shell script.
pub(crate) struct Shell {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) launcher: Launcher,
}

impl Shell {
    pub(crate) fn new(script: &str) -> Shell {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("copilot");
        let text =
            format!("#!/bin/sh\n[ \"$1\" = --version ] && echo 'GitHub Copilot CLI 1.0.102.' && exit\n{script}\n");
        std::fs::write(&program, text).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::create_dir(folder.path().join("vault")).unwrap();
        let vars = [("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())];
        let host = HostEnv::new(Os::Linux, Arch::X64, Some(folder.path().into()), vars);
        let launcher = Launcher::builder().host(host).program(AgentId::COPILOT, program);
        Shell { folder, launcher: launcher.grace(Duration::from_millis(500)).build() }
    }

    pub(crate) fn request(&self) -> Request {
        Request::new(AgentId::COPILOT, self.folder.path().join("vault"), "Say hello").stream_id("panel")
    }

    pub(crate) async fn start(&self) -> Run {
        let plan = self.launcher.plan(&self.request()).await.unwrap();
        self.launcher.start(plan).unwrap()
    }
}

pub(crate) async fn rest(run: &mut Run) -> Vec<Event> {
    let mut events = Vec::new();
    let all = async {
        while let Some(event) = run.next().await {
            events.push(event);
        }
    };
    tokio::time::timeout(Duration::from_secs(30), all).await.expect("the run ends in time");
    events
}

#[tokio::test]
async fn init_is_first_done_is_last_and_seq_has_no_gaps() {
    let shell = Shell::new("echo one; printf two; echo oops >&2; exit 3");
    let mut run = shell.start().await;
    let events = rest(&mut run).await;
    assert!(matches!(events.first().unwrap().kind, EventKind::Init { .. }));
    let EventKind::Done { outcome } = &events.last().unwrap().kind else { panic!("{events:?}") };
    assert_eq!((outcome.status, outcome.exit_code), (Status::Failed, Some(3)));
    assert_eq!(outcome.stderr_tail, "oops\n");
    assert!(matches!(events[events.len() - 2].kind, EventKind::Error { .. }));
    assert_eq!(events.iter().map(|event| event.seq).collect::<Vec<_>>(), (0..events.len() as u64).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_cancelled_run_says_so_and_its_tree_is_gone() {
    let shell = Shell::new("trap '' TERM; setsid sleep 60 & echo $!; sleep 60");
    let mut run = shell.start().await;
    let mut sleeper = String::new();
    while let Some(event) = run.next().await {
        if let EventKind::Unrecognized { line } = event.kind {
            sleeper = line;
            break;
        }
    }
    assert!(std::path::Path::new("/proc").join(&sleeper).exists());
    assert!(shell.launcher.cancel("panel"));
    let events = rest(&mut run).await;
    let EventKind::Done { outcome } = &events.last().unwrap().kind else { panic!("{events:?}") };
    assert_eq!(outcome.status, Status::Cancelled);
    assert!(!std::path::Path::new("/proc").join(&sleeper).join("exe").exists());
    assert!(!shell.launcher.cancel("panel"));
}

#[tokio::test]
async fn c16_a_plan_cancelled_before_its_start_starts_nothing() {
    let shell = Shell::new("touch started");
    let plan = shell.launcher.plan(&shell.request()).await.unwrap();
    assert!(shell.launcher.cancel("panel"));
    let mut run = shell.launcher.start(plan).unwrap();
    let events = rest(&mut run).await;
    assert_eq!(events.len(), 2);
    let EventKind::Done { outcome } = &events[1].kind else { panic!("{events:?}") };
    assert_eq!(outcome.status, Status::Cancelled);
    assert!(!shell.folder.path().join("vault/started").exists());
}
