//! What keeps a run from starting is told before a process exists.

use std::path::PathBuf;

use agent_launcher::{Code, Error, Launcher};

use crate::support::Bench;

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
