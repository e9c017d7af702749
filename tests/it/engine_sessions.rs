//! Sessions as the engine tells them. Numbers such as `n02` are cases of the field log.

use agent_launcher::{Code, EventKind, Status};

use crate::support::{Bench, check, collect};

const SESSION: &str = "0f8fad5b-d9cb-469f-a165-70867728950e";

/// The arguments that name a session.
fn session_args(bench: &Bench) -> Vec<String> {
    let runs = bench.runs();
    let args = runs.last().unwrap().args().into_iter().map(str::to_owned);
    args.filter(|arg| arg.starts_with("--session-id") || arg.starts_with("--resume") || arg == "--continue").collect()
}

#[tokio::test]
async fn n01_a_new_session_has_an_id_before_the_agent_speaks_and_at_the_end() {
    let bench = Bench::copilot("");
    let mut run = bench.start(&bench.launcher(), &bench.request("hello")).await;
    let events = collect(&mut run).await;
    let EventKind::Init { session_id: Some(first), .. } = &events[0].kind else { panic!("{events:#?}") };
    assert_eq!(check(&events).session_id.as_ref(), Some(first));
    assert_eq!(session_args(&bench), [format!("--session-id={first}")]);

    // No id in the output, and none at all: the one we gave is told.
    let bench =
        Bench::copilot(r#"json {"type":"assistant.message_delta","data":{"messageId":"m","deltaContent":"hi"}}"#);
    let mut run = bench.start(&bench.launcher(), &bench.request("hello").session_id(SESSION)).await;
    assert_eq!(check(&collect(&mut run).await).session_id.as_deref(), Some(SESSION));
}

#[tokio::test]
async fn n02_a_session_that_is_gone_is_told_as_such() {
    let bench = Bench::copilot(&format!("err Error: No session, task, or name matched '{SESSION}'.\nexit 1"));
    let mut run = bench.start(&bench.launcher(), &bench.request("hello").resume(SESSION)).await;
    let events = collect(&mut run).await;
    assert_eq!(check(&events).status, Status::Failed);
    let EventKind::Error { guidance, .. } = &events[events.len() - 2].kind else { panic!("{events:#?}") };
    assert_eq!(guidance.code, Code::SessionNotFound);
}

#[tokio::test]
async fn n03_one_flag_names_the_session_and_is_never_empty() {
    let bench = Bench::copilot("");
    for (request, flag) in [
        (bench.request("hello").resume(SESSION), "--resume"),
        (bench.request("hello").session_id(SESSION), "--session-id"),
    ] {
        let mut run = bench.start(&bench.launcher(), &request).await;
        assert_eq!(check(&collect(&mut run).await).status, Status::Completed);
        assert_eq!(session_args(&bench), [format!("{flag}={SESSION}")]);
    }
    for request in [bench.request("hello").resume(""), bench.request("hello").session_id("")] {
        assert!(bench.launcher().plan(&request).await.unwrap_err().is_usage());
    }
}

#[tokio::test]
async fn n06_the_latest_id_that_the_agent_told_is_the_one_to_keep() {
    let bench = Bench::copilot(
        r#"json {"type":"assistant.message_delta","data":{"messageId":"m","deltaContent":"hi"}}
json {"type":"result","sessionId":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","exitCode":0}"#,
    );
    let mut run = bench.start(&bench.launcher(), &bench.request("hello").resume(SESSION)).await;
    let outcome = collect(&mut run).await;
    assert_eq!(check(&outcome).session_id.as_deref(), Some("6ba7b810-9dad-11d1-80b4-00c04fd430c8"));
}

#[tokio::test]
async fn n07_a_resumed_session_works_in_the_vault_of_the_request() {
    let bench = Bench::copilot("");
    let mut run = bench.start(&bench.launcher(), &bench.request("hello").resume(SESSION)).await;
    collect(&mut run).await;
    let run = &bench.runs()[0];
    assert_eq!(run.cwd, bench.vault().to_str().unwrap());
    // By this variable Copilot stays where it is started; without it, it would move to the folder of the session.
    assert_eq!(run.env.get("COPILOT_DISABLE_RESUME_AUTO_CD").map(String::as_str), Some("1"));
}

#[tokio::test]
async fn n08_a_resume_that_hangs_is_ended_by_the_idle_limit() {
    let bench = Bench::copilot("stall");
    let request = bench.request("hello").resume(SESSION).private_prompt(true);
    let mut run = bench.start(&bench.launcher(), &request.idle_timeout(std::time::Duration::from_millis(300))).await;
    assert_eq!(check(&collect(&mut run).await).status, Status::TimedOut);
}

#[tokio::test]
async fn n09_a_failed_resume_is_told_and_never_retried_behind_the_persons_back() {
    let bench = Bench::copilot("err Error: Session file is corrupted or incompatible.\nexit 1");
    let mut run = bench.start(&bench.launcher(), &bench.request("hello").resume(SESSION)).await;
    let events = collect(&mut run).await;
    assert_eq!(check(&events).status, Status::Failed);
    assert!(matches!(events[events.len() - 2].kind, EventKind::Error { .. }));
    assert_eq!(bench.runs().len(), 1);
}
