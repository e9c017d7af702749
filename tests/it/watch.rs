//! What other programs obey in a vault is looked at before and after every Safe run, and a change is told.

use std::time::Duration;

use agent_launcher::{Code, Event, EventKind, Mode, NoticeLevel, Status};
use serde_json::json;

use crate::support::{Bench, check, collect, kinds, until};

/// What a careless or captured agent writes beside a note.
const WRITES: &str = "write-note .claude/settings.json {}\nwrite-note opencode.json {}\nwrite-note list.md milk\n";

/// The warning of a change, and its place counted from the end.
fn told(events: &[Event]) -> Option<(usize, &str)> {
    let mut told = kinds(events).into_iter().rev().enumerate().filter_map(|(place, kind)| match kind {
        EventKind::Notice { level: NoticeLevel::Warning, message }
            if message.contains("other programs run or obey") =>
        {
            Some((place, message.as_str()))
        }
        _ => None,
    });
    let first = told.next();
    assert!(told.next().is_none(), "told once: {events:#?}");
    first
}

/// Runs a scenario to its end.
async fn run(bench: &Bench, mode: Mode) -> Vec<Event> {
    let request = bench.request("hello").mode(mode).timeout(Duration::from_secs(5));
    let mut run = bench.start(&bench.launcher(), &request).await;
    collect(&mut run).await
}

fn vault(bench: &Bench, path: &str, text: &str) {
    let path = bench.vault().join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[tokio::test]
async fn settings_of_other_agents_that_a_safe_run_wrote_are_told_before_done() {
    let bench = Bench::copilot(&format!("{WRITES}answer"));
    let events = run(&bench, Mode::Safe).await;
    assert_eq!(check(&events).status, Status::Completed, "{events:#?}");
    let (place, message) = told(&events).unwrap_or_else(|| panic!("it is told: {events:#?}"));
    assert_eq!(place, 1, "right before Done: {events:#?}");
    let expected = "While the run was going on, files changed in the vault that other programs run or obey: \
                    `.claude/settings.json` (new), `opencode.json` (new). Safe mode gives GitHub Copilot CLI no such change, \
                    so look at them before you open the vault in another agent or editor. It may also have been you, another \
                    program or another run.";
    assert_eq!(message, expected);
}

#[tokio::test]
async fn what_changed_and_what_is_gone_is_told_by_name() {
    let bench = Bench::copilot("write-note .git/hooks/post-commit evil\nwrite-note .mcp.json {}\nanswer");
    vault(&bench, ".git/hooks/post-commit", "good");
    vault(&bench, ".mcp.json", "{}");
    let events = run(&bench, Mode::Safe).await;
    check(&events);
    let (_, message) = told(&events).unwrap_or_else(|| panic!("it is told: {events:#?}"));
    assert!(
        message.contains("obey: `.git/hooks/post-commit` (changed). Safe"),
        "the same bytes are no change: {message}"
    );
}

#[tokio::test]
async fn notes_and_instructions_are_told_by_nobody_and_power_user_mode_may_write_all() {
    let bench = Bench::copilot("write-note list.md milk\nwrite-note AGENTS.md rules\nanswer");
    vault(&bench, ".claude/settings.json", "{}");
    let events = run(&bench, Mode::Safe).await;
    check(&events);
    assert_eq!(told(&events), None);
    let bench = Bench::copilot(&format!("{WRITES}answer"));
    let events = run(&bench, Mode::PowerUser).await;
    check(&events);
    assert_eq!(told(&events), None);
}

#[tokio::test]
async fn it_is_told_after_a_crash_a_time_limit_and_a_cancel_too() {
    let bench = Bench::copilot(&format!("{WRITES}err boom\nexit 3"));
    let events = run(&bench, Mode::Safe).await;
    assert_eq!(check(&events).status, Status::Failed);
    assert_eq!(told(&events).map(|(place, _)| place), Some(2), "before the error: {events:#?}");

    let bench = Bench::copilot(&format!("{WRITES}stall"));
    let request = bench.request("hello").timeout(Duration::from_millis(500));
    let events = collect(&mut bench.start(&bench.launcher(), &request).await).await;
    assert_eq!(check(&events).status, Status::TimedOut);
    assert_eq!(told(&events).map(|(place, _)| place), Some(2), "{events:#?}");

    let bench = Bench::copilot(&format!("{WRITES}out ready\nstall"));
    let launcher = bench.launcher();
    let mut run = bench.start(&launcher, &bench.request("hello").stream_id("panel")).await;
    let mut events = until(&mut run, |kind| matches!(kind, EventKind::Unrecognized { .. })).await;
    assert!(launcher.cancel("panel"));
    events.extend(collect(&mut run).await);
    assert_eq!(check(&events).status, Status::Cancelled);
    assert_eq!(told(&events).map(|(place, _)| place), Some(1), "{events:#?}");
}

#[tokio::test]
async fn what_the_agent_writes_after_its_last_word_is_seen() {
    // Written when all else is told: only a look after the end of the whole tree can see it.
    let bench = Bench::copilot("answer\nwrite-note .vscode/tasks.json {}\n");
    let events = run(&bench, Mode::Safe).await;
    check(&events);
    assert!(told(&events).is_some_and(|(_, message)| message.contains("`.vscode/tasks.json` (new)")), "{events:#?}");
}

#[tokio::test]
async fn a_tripwire_that_ends_the_run_leaves_the_names_of_what_was_really_written() {
    let arguments = json!({ "path": ".git/hooks/pre-commit", "file_text": "x" });
    let start = json!({ "type": "tool.execution_start", "data": { "toolCallId": "1", "toolName": "create", "arguments": arguments } });
    let done = json!({ "type": "tool.execution_complete", "data": { "toolCallId": "1", "success": true, "result": { "content": "ok" } } });
    let writes = "write-note .git/hooks/pre-commit x\nwrite-note .envrc x\n";
    let bench = Bench::copilot(&format!("{writes}json {start}\njson {done}\nstall"));
    let events = run(&bench, Mode::Safe).await;
    assert_eq!(check(&events).status, Status::Failed);
    let [.., EventKind::Error { guidance, .. }, EventKind::Done { .. }] = &kinds(&events)[..] else {
        panic!("the wire is tripped: {events:#?}")
    };
    assert_eq!(guidance.code, Code::PermissionBypassed);
    let (place, message) = told(&events).unwrap_or_else(|| panic!("it is told: {events:#?}"));
    assert_eq!(place, 2);
    assert!(message.contains("`.envrc` (new), `.git/hooks/pre-commit` (new)"), "{message}");
}

#[tokio::test]
async fn two_runs_in_one_vault_tell_the_same_and_blame_nobody() {
    let bench = Bench::copilot("touch first.started\nwait-file written\nanswer");
    let launcher = bench.launcher();
    let mut first = bench.start(&launcher, &bench.request("hello")).await;
    until_file(&bench, "first.started").await;
    bench.script("copilot", &format!("{WRITES}answer"));
    let second = collect(&mut bench.start(&launcher, &bench.request("hello")).await).await;
    std::fs::write(bench.bin().join("written"), "").unwrap();
    let first = collect(&mut first).await;
    for events in [&first, &second] {
        check(events);
        let (_, message) = told(events).unwrap_or_else(|| panic!("it is told: {events:#?}"));
        assert!(message.ends_with("It may also have been you, another program or another run."), "{message}");
    }
}

/// Waits until a fake has touched a file.
async fn until_file(bench: &Bench, name: &str) {
    let path = bench.bin().join(name);
    let found = async {
        while !path.exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), found).await.expect("the fake got that far");
}
