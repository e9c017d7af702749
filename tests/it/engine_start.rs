//! What keeps a run from starting is told before a process exists.

use std::path::PathBuf;

use agent_launcher::{Code, Error, Launcher};

use crate::support::{Bench, collect};

#[tokio::test]
async fn an_agent_that_cannot_be_started_leaves_no_trace() {
    let bench = Bench::copilot("");
    let launcher = bench.launcher();
    let plan = launcher.plan(&bench.request("hello").stream_id("panel")).await.unwrap();
    std::fs::remove_dir(bench.vault()).unwrap();
    let error = launcher.start(plan.clone()).unwrap_err();
    let Error::Setup(guidance) = error else { panic!("{error:?}") };
    assert_eq!(guidance.code, Code::VaultMissing);
    assert!(!launcher.cancel("panel"));

    std::fs::create_dir(bench.vault()).unwrap();
    std::fs::remove_file(bench.bin().join("copilot")).unwrap();
    let error = launcher.start(plan).unwrap_err();
    let Error::Setup(guidance) = error else { panic!("{error:?}") };
    assert_eq!(guidance.code, Code::BrokenInstall);
}

#[test]
fn starting_outside_a_runtime_is_an_error() {
    let bench = Bench::copilot("");
    let launcher = bench.launcher();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let plan = runtime.block_on(launcher.plan(&bench.request("hello"))).unwrap();
    assert!(matches!(launcher.start(plan), Err(Error::NoRuntime)));
}

#[tokio::test]
async fn a_bad_vault_is_refused_before_anything_is_looked_for() {
    let bench = Bench::new();
    let launcher = bench.launcher();
    let plan = |vault: PathBuf| {
        let launcher = launcher.clone();
        async move {
            let request = agent_launcher::Request::new(agent_launcher::AgentId::COPILOT, vault, "hello");
            launcher.plan(&request).await.unwrap_err()
        }
    };
    std::fs::write(bench.root().join("file"), "").unwrap();
    assert!(matches!(plan("notes".into()).await, Error::VaultRelative { .. }));
    assert!(matches!(plan(bench.root().join("missing")).await, Error::VaultMissing { .. }));
    assert!(matches!(plan(bench.root().join("file")).await, Error::VaultNotAFolder { .. }));
    assert!(matches!(plan(bench.root().join("file/inside")).await, Error::VaultUnreadable { .. }));
}

#[test]
fn what_an_app_holds_may_move_between_threads() {
    fn check<T: Send + Sync>() {}
    check::<Launcher>();
    check::<agent_launcher::Plan>();
    check::<agent_launcher::Event>();
    fn sends<T: Send>() {}
    sends::<agent_launcher::Run>();
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_descriptor_that_the_host_forgot_does_not_reach_the_agent() {
    use std::os::fd::AsRawFd;
    let bench = Bench::copilot("").with_system_path();
    let forgotten = std::fs::File::create(bench.root().join("forgotten")).unwrap();
    nix::fcntl::fcntl(&forgotten, nix::fcntl::FcntlArg::F_SETFD(nix::fcntl::FdFlag::empty())).unwrap();
    assert!(forgotten.as_raw_fd() > 2);
    let script = bench.root().join("shell");
    let text = "#!/bin/sh\n[ \"$1\" = --version ] && echo 'GitHub Copilot CLI 1.0.102.' && exit\nls -l /proc/$$/fd\n";
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let launcher = bench.builder().program(agent_launcher::AgentId::COPILOT, script).build();
    let mut run = bench.start(&launcher, &bench.request("hello")).await;
    let printed = format!("{:?}", collect(&mut run).await);
    assert!(printed.contains("/dev/null"), "{printed}");
    assert!(!printed.contains("forgotten"), "{printed}");
}

#[tokio::test]
async fn private_files_are_for_this_user_alone_and_gone_with_the_run() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::copilot("out ready\nwait-file go\nanswer").fake("node", "");
    let server = agent_launcher::McpServer::stdio("tolaria", "node").secret_env("TOKEN", "correct-horse-battery");
    let launcher = bench.launcher();
    let mut run = bench.start(&launcher, &bench.request("hello").mcp_server(server)).await;
    let ready = |kind: &agent_launcher::EventKind| matches!(kind, agent_launcher::EventKind::Unrecognized { .. });
    crate::support::until(&mut run, ready).await;
    let runs = bench.runs();
    let path = runs[0].args().iter().find_map(|arg| arg.strip_prefix("--additional-mcp-config=@")).map(PathBuf::from);
    let path = path.expect("a private file");
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o600);
    let folder = path
        .ancestors()
        .find(|folder| folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with("agent-launcher-")));
    let folder = folder.expect("a folder of its own");
    assert_eq!(mode(folder), 0o700);
    assert!(std::fs::read_to_string(&path).unwrap().contains("correct-horse-battery"));
    std::fs::write(bench.bin().join("go"), "").unwrap();
    collect(&mut run).await;
    assert!(!folder.exists());
}

#[tokio::test]
async fn ask_plans_and_starts_in_one_stream() {
    use futures_util::StreamExt;
    let bench = Bench::copilot("");
    let launcher = bench.launcher();
    let events: Vec<_> = launcher.ask(bench.request("hello")).map(Result::unwrap).collect().await;
    assert_eq!(crate::support::check(&events).status, agent_launcher::Status::Completed);

    let empty = bench.request("  ");
    let refused: Vec<_> = launcher.ask(empty).collect().await;
    assert!(matches!(&refused[..], [Err(error)] if error.is_usage()), "{refused:?}");

    bench.script("copilot", "fork setsid ignore-term\nout ready\nstall");
    let mut asking = Box::pin(launcher.ask(bench.request("hello")));
    while let Some(event) = asking.next().await {
        if matches!(event.unwrap().kind, agent_launcher::EventKind::Unrecognized { .. }) {
            break;
        }
    }
    drop(asking);
    crate::support::processes::assert_gone(&bench.pids(), std::time::Duration::ZERO);
}

#[test]
fn the_log_tells_of_starts_and_ends_and_no_secret() {
    // In a process of its own, since what is logged is settled once for a whole process.
    let output = crate::support::rerun("engine_start::log_of_a_run", &[]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test]
#[ignore = "run by `the_log_tells_of_starts_and_ends_and_no_secret` in a process of its own"]
async fn log_of_a_run() {
    let secret = "correct-horse-battery-staple";
    let log = Log::default();
    let bench = Bench::copilot(&format!("err {secret}\nout {secret}\nexit 1"));
    let guard = tracing::subscriber::set_default(log.clone());
    let request = bench.request(&format!("my password is {secret}")).secret_env("APP_TOKEN", secret).stream_id("panel");
    let mut run = bench.start(&bench.launcher(), &request).await;
    collect(&mut run).await;
    drop(guard);
    let lines = log.0.lock().unwrap().join("\n");
    assert!(lines.contains("agent started") && lines.contains("run ended") && lines.contains("panel"), "{lines}");
    assert!(!lines.contains(secret), "{lines}");
}

/// Keeps every line that the crate logs.
#[derive(Clone, Default)]
struct Log(std::sync::Arc<std::sync::Mutex<Vec<String>>>);

impl tracing::Subscriber for Log {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target().starts_with("agent_launcher")
    }

    fn new_span(&self, span: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        self.0.lock().unwrap().push(format!("{span:?}"));
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, values: &tracing::span::Record<'_>) {
        self.0.lock().unwrap().push(format!("{values:?}"));
    }

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        self.0.lock().unwrap().push(format!("{event:?}"));
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}
