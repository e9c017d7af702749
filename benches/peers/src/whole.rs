//! What takes no bytes runs an agent that prints them, as its users would; so does ours, and so does a loop by hand.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use agent_abstraction::nagoya::reactor::Reactor;
use agent_launcher::{AgentId, Arch, EventKind, HostEnv, Launcher, Mode, Os, Status};
#[cfg(feature = "sdk")]
use github_copilot_sdk::subscription::RecvErrorKind;
#[cfg(feature = "sdk")]
use github_copilot_sdk::types::SessionConfig;
use harness::Harness;
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::{Corpus, Found, Way, own};

pub(crate) const SESSION: &str = "45c47e3c-9921-4df8-9cf8-e372e5a5b015";

/// The frames before and behind the events of a JSON-RPC connection: the answer to the first request, and the end.
pub(crate) fn frames_around() -> (Vec<u8>, Vec<u8>) {
    let answer = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"sessionId":"{SESSION}"}}}}"#);
    let answer = format!("Content-Length: {}\r\n\r\n{answer}", answer.len()).into_bytes();
    let end =
        br#"{"type":"session.idle","data":{},"ephemeral":true,"id":"end","timestamp":"2026-11-30T11:34:35.480Z"}"#;
    (answer, crate::as_frame(end))
}

/// A stand-in for an agent: it answers what is asked before a run, and prints a file.
fn stand_in(path: PathBuf, first: &str, file: &Path) -> PathBuf {
    let text = format!(
        "#!/bin/sh\ncase \"$*\" in\n*--version*) echo 'GitHub Copilot CLI 1.0.102'; exit;;\n\
         auth*) echo '{{\"loggedIn\":true}}'; exit;;\nesac\n{first}\nexec /bin/cat '{}'\n",
        file.display()
    );
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder of a stand-in");
    std::fs::write(&path, text).expect("a stand-in");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a stand-in that may run");
    path
}

pub(crate) fn compare(corpus: &Corpus, claude: Option<&[u8]>, root: &Path) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let on_worker = |task: std::pin::Pin<Box<dyn Future<Output = Found> + Send>>| {
        runtime.block_on(async { tokio::spawn(task).await.expect("the task ends") })
    };
    let copilot = stand_in(root.join("bin/copilot"), "", &corpus.file);
    let reactor = Reactor::start().expect("a reactor of the peer");
    let reactor = &reactor;
    let bytes = corpus.bytes();
    let copilot = &copilot;
    let mut ways = vec![
        Way {
            name: "agent-launcher: plan, start, next()",
            bytes,
            run: Box::new(move || on_worker(Box::pin(ours(copilot.clone(), root.to_owned())))),
        },
        Way {
            name: "by hand: tokio lines (256 KB) + serde_json::Value",
            bytes,
            run: Box::new(move || on_worker(Box::pin(by_hand(copilot.clone())))),
        },
        Way {
            name: "agent-abstraction: stream, recv()",
            bytes,
            run: Box::new(move || on_worker(Box::pin(abstraction(copilot.clone(), root.to_owned(), reactor.handle())))),
        },
    ];
    // A server speaks when spoken to: the first byte of the first request.
    #[cfg(feature = "sdk")]
    let server = stand_in(root.join("server/copilot"), "/usr/bin/head -c 1 >/dev/null", &corpus.frames);
    #[cfg(feature = "sdk")]
    ways.push(Way {
        name: "github-copilot-sdk: the same events as JSON-RPC, recv()",
        bytes,
        run: Box::new(move || on_worker(Box::pin(sdk(server.clone(), root.to_owned(), corpus.lines())))),
    });
    if let Some(block) = claude {
        let (file, times) = (root.join("claude.jsonl"), bytes.div_ceil(block.len()));
        let end = br#"{"type":"result","subtype":"success","is_error":false,"result":"","session_id":"one"}"#;
        crate::write(&file, block, times, b"", end);
        let claude = stand_in(root.join("bin/claude"), "", &file);
        let root = root.to_owned();
        ways.push(Way {
            name: "agent-harness: the same answer in Claude Code's form, run()",
            bytes: block.len() * times,
            run: Box::new(move || harness_run(&claude, &root)),
        });
    }
    let title = format!("end to end: {}, {:.0} MB", corpus.name, bytes as f64 / 1e6);
    crate::compare(&title, ["on the clock", "processor time of the host, all its threads"], on_both, &ways);
}

fn on_both(run: &dyn Fn() -> Found) -> ([Duration; 2], Found) {
    let (begin, before) = (Instant::now(), own::busy());
    let found = run();
    let busy = own::busy().saturating_sub(before);
    ([begin.elapsed(), busy.max(Duration::from_millis(10))], found)
}

async fn ours(copilot: PathBuf, root: PathBuf) -> Found {
    let arch = if cfg!(target_arch = "x86_64") { Arch::X64 } else { Arch::Arm64 };
    let vars: Vec<(OsString, OsString)> =
        vec![("HOME".into(), root.clone().into()), ("PATH".into(), "/usr/bin:/bin".into())];
    let host = HostEnv::new(Os::Linux, arch, Some(root.clone()), vars);
    let launcher = Launcher::builder().app("Bench").host(host).program(AgentId::COPILOT, copilot).build();
    // The recordings use tools that Safe mode would stop a run for.
    let request = agent_launcher::Request::new(AgentId::COPILOT, root, "hi").mode(Mode::PowerUser);
    let plan = launcher.plan(&request).await.expect("a plan");
    let mut run = launcher.start(plan).expect("a run");
    let mut found = Found::default();
    while let Some(event) = run.next().await {
        found.events += 1;
        match &event.kind {
            EventKind::TextDelta { text } => found.text += text.len(),
            EventKind::Done { outcome } => assert_eq!(outcome.status, Status::Completed, "{outcome:?}"),
            _ => {}
        }
    }
    found
}

async fn by_hand(copilot: PathBuf) -> Found {
    let mut command = tokio::process::Command::new(copilot);
    command.arg("-p").stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the stand-in");
    let stdout = child.stdout.take().expect("stdout is piped");
    let mut lines = BufReader::with_capacity(256 << 10, stdout).lines();
    let mut found = Found::default();
    while let Some(line) = lines.next_line().await.expect("a pipe") {
        found.events += 1;
        found.text += crate::memory::value(&line).expect("recordings are JSON");
    }
    child.wait().await.expect("the stand-in ends");
    found
}

async fn abstraction(copilot: PathBuf, root: PathBuf, reactor: agent_abstraction::nagoya::reactor::Handle) -> Found {
    use agent_abstraction::{Agent, Event, Request, stream};
    let request = Request::new(Agent::Copilot, "hi").bin(copilot.to_str().expect("UTF-8")).cwd(root);
    let mut run = stream(&request, &reactor).expect("a run");
    let mut found = Found::default();
    while let Some(event) = run.recv().await {
        found.events += 1;
        if let Event::Text(text) = &event {
            found.text += text.len();
        }
    }
    run.finish().await.expect("an outcome");
    found
}

#[cfg(feature = "sdk")]
async fn sdk(server: PathBuf, root: PathBuf, lines: usize) -> Found {
    let mut command = tokio::process::Command::new(server);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the stand-in");
    let (stdout, stdin) = (child.stdout.take().expect("piped"), child.stdin.take().expect("piped"));
    let client = github_copilot_sdk::Client::from_streams(stdout, stdin, root).expect("a client");
    let prepared = client.prepare_session(SessionConfig::default().with_session_id(SESSION)).expect("a session");
    let mut events = prepared.subscribe();
    let session = prepared.start().await.expect("a session that starts");
    let mut found = Found::default();
    loop {
        match events.recv().await {
            Ok(event) if event.id == "end" => break,
            Ok(event) => {
                found.events += 1;
                found.text += crate::memory::sdk_text(&event);
            }
            Err(error) if matches!(error.kind(), RecvErrorKind::Lagged(_)) => {}
            Err(_) => break,
        }
    }
    found.lost = lines - found.events;
    drop(session);
    let _ = child.kill().await;
    found
}

fn harness_run(claude: &Path, root: &Path) -> Found {
    use harness::{ClaudeHarness, ClaudeHarnessConfig, RunEvent, RunRequest};
    let command = claude.to_str().expect("UTF-8").to_owned();
    let claude = ClaudeHarness::custom(ClaudeHarnessConfig { command });
    let request =
        RunRequest { run_id: "one".into(), prompt: "hi".into(), cwd: Some(root.to_owned()), ..Default::default() };
    let (_handle, events) = claude.run(request).expect("a run");
    let mut found = Found::default();
    for event in events {
        found.events += 1;
        match event {
            RunEvent::Text { delta, .. } => found.text += delta.len(),
            RunEvent::Error { message, .. } => panic!("{message}"),
            _ => {}
        }
    }
    found
}
