//! What an embedding app's types rest on.

use std::time::Duration;

use agent_launcher::{Error, Event, Guidance, Launcher, Plan, Request, Run};

use crate::support::Bench;

fn crosses_threads<T: Send>(value: T) -> T {
    value
}

#[test]
fn everything_an_app_holds_may_cross_threads() {
    fn holds<T: Send + Sync + 'static>() {}
    holds::<Launcher>();
    holds::<Request>();
    holds::<Plan>();
    holds::<Event>();
    holds::<Error>();
    holds::<Guidance>();
    fn moves<T: Send + 'static>() {}
    moves::<Run>();
}

#[tokio::test]
async fn every_future_may_cross_threads() {
    let bench = Bench::copilot("");
    let launcher = bench.launcher();
    let request = bench.request("hi");
    let agent = agent_launcher::AgentId::COPILOT;
    assert!(!crosses_threads(launcher.agents()).await.is_empty());
    assert!(crosses_threads(launcher.search(&agent)).await.is_ok());
    let plan = crosses_threads(launcher.plan(&request)).await.unwrap();
    let mut run = launcher.start(plan).unwrap();
    while crosses_threads(run.next()).await.is_some() {}
    assert_eq!(crosses_threads(launcher.shutdown(Duration::from_secs(1))).await, 0);
}
