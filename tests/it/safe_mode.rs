//! Safe mode beyond the flags: what happens where an agent does not keep to them, and where the person's own settings would
//! let the vault do more.

use std::path::Path;
use std::time::Duration;

use agent_launcher::{Code, Error, EventKind, Mode, Status};
use serde_json::json;

use crate::support::{Bench, check, collect, kinds, processes};

/// A call of a tool that went well, as Copilot tells it.
fn tool(name: &str, arguments: serde_json::Value) -> String {
    let start = json!({ "type": "tool.execution_start", "data": { "toolCallId": "1", "toolName": name, "arguments": arguments } });
    let done = json!({ "type": "tool.execution_complete", "data": { "toolCallId": "1", "success": true, "result": { "content": "ok" } } });
    format!("json {start}\njson {done}\n")
}

/// Runs a fake that does this and would then go on for ever, and tells what broke the mode.
async fn breach(scenario: &str, mode: Mode) -> Option<String> {
    let bench = Bench::copilot(&format!("{scenario}fork sleep-forever\nstall\n"));
    let request = bench.request("hello").mode(mode).timeout(Duration::from_secs(5));
    let mut run = bench.start(&bench.launcher(), &request).await;
    let events = collect(&mut run).await;
    let outcome = check(&events);
    processes::assert_gone(&bench.pids(), Duration::from_secs(2));
    let told = kinds(&events);
    let Some(EventKind::Error { guidance, .. }) = told.get(told.len() - 2) else { panic!("no error: {told:?}") };
    match guidance.code {
        Code::PermissionBypassed => {
            assert_eq!(outcome.status, Status::Failed);
            assert!(guidance.message.starts_with("GitHub Copilot CLI 1.0.102 did what"), "{guidance:?}");
            Some(format!("{} {:?}", guidance.message, guidance.evidence))
        }
        Code::TimedOut => None,
        code => panic!("ended as {code:?}: {guidance:?}"),
    }
}

#[tokio::test]
async fn a_shell_that_runs_in_safe_mode_ends_the_run_at_once() {
    let bash = tool("bash", json!({ "command": "touch x" }));
    let what = breach(&bash, Mode::Safe).await.expect("the wire is tripped");
    assert!(what.contains("`bash`"), "{what}");
    assert_eq!(breach(&bash, Mode::PowerUser).await, None, "Power User mode gives the shell");
}

#[tokio::test]
async fn a_shell_that_only_prints_in_safe_mode_ends_the_run_before_it_is_done() {
    let start =
        json!({ "type": "tool.execution_start", "data": { "toolCallId": "1", "toolName": "bash", "arguments": {} } });
    let prints =
        json!({ "type": "tool.execution_partial_result", "data": { "toolCallId": "1", "partialOutput": "x" } });
    assert!(breach(&format!("json {start}\njson {prints}\n"), Mode::Safe).await.is_some());
}

#[tokio::test]
async fn a_hidden_or_outside_file_written_in_safe_mode_ends_the_run() {
    for path in [".git/hooks/pre-commit", "../outside.md"] {
        let create = tool("create", json!({ "path": path, "file_text": "x" }));
        let what = breach(&create, Mode::Safe).await.expect(path);
        assert!(what.contains("was written"), "{what}");
    }
    // Spellings that a strict reader would give up on, and JavaScript takes.
    for arguments in [r#"{"path":"note.md","path":"../outside.md"}"#, r#"{"path":"../outside \ud83d.md"}"#] {
        let create = tool("create", json!("[ARGUMENTS]")).replace(r#""[ARGUMENTS]""#, arguments);
        let what = breach(&create, Mode::Safe).await.expect(arguments);
        assert!(what.contains("was written"), "{what}");
    }
    let create = tool("create", json!({ "path": "note.md", "file_text": "x" }));
    assert_eq!(breach(&create, Mode::Safe).await, None, "notes are what the mode is for");
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a writable bench");
    std::fs::write(path, text).expect("a writable bench");
}

/// A bench whose vault holds a hook and whose person trusts the vault in Copilot.
fn trusting(scenario: &str) -> Bench {
    let bench = Bench::copilot(scenario);
    write(&bench.vault().join(".github/hooks/hook.json"), "{}");
    let config = format!("// of Copilot\n{}", json!({ "trustedFolders": [bench.vault()] }));
    write(&bench.home().join(".copilot/config.json"), &config);
    bench
}

#[tokio::test]
async fn a_vault_that_the_person_trusts_is_reached_from_an_empty_folder_that_is_gone_afterwards() {
    let bench = trusting("answer\nwrite-note seen.md x\n");
    let before = std::fs::read(bench.home().join(".copilot/config.json")).expect("written above");
    let mut run = bench.start(&bench.launcher(), &bench.request("hello")).await;
    let events = collect(&mut run).await;
    assert_eq!(check(&events).status, Status::Completed);
    let notice =
        |event: &EventKind| matches!(event, EventKind::Notice { message, .. } if message.contains("trust the vault"));
    assert!(kinds(&events).into_iter().any(notice), "{events:#?}");
    let [call] = &bench.runs()[..] else { panic!("one run") };
    let cwd = Path::new(&call.cwd);
    assert!(
        !cwd.starts_with(bench.root()) && cwd.file_name().is_some_and(|name| name == ".agent-launcher-empty"),
        "{cwd:?}"
    );
    assert!(!cwd.exists(), "the folder is gone with the run");
    assert!(call.args().contains(&&*format!("--add-dir={}", bench.vault().display())), "{:?}", call.args());
    assert_eq!(std::fs::read(bench.home().join(".copilot/config.json")).expect("still there"), before);
}

#[tokio::test]
async fn power_user_mode_works_from_a_trusted_vault() {
    let bench = trusting("");
    let mut run = bench.start(&bench.launcher(), &bench.request("hello").mode(Mode::PowerUser)).await;
    check(&collect(&mut run).await);
    let vault = bench.vault().canonicalize().expect("the vault is there");
    assert_eq!(Path::new(&bench.runs()[0].cwd).canonicalize().expect("the vault is there"), vault);
}

#[tokio::test]
async fn safe_mode_is_refused_where_all_of_the_disk_is_trusted() {
    let bench = trusting("");
    write(&bench.home().join(".copilot/config.json"), r#"{"trustedFolders":["/"]}"#);
    let error = bench.launcher().plan(&bench.request("hello")).await.expect_err("nowhere to work from");
    assert!(matches!(&error, Error::Unsupported { .. }) && error.is_usage(), "{error:?}");
    assert!(bench.runs().is_empty());
}

#[tokio::test]
async fn an_inherited_variable_neither_widens_nor_reaches_a_safe_run() {
    let bench = Bench::copilot("")
        .var("COPILOT_ALLOW_ALL", "true")
        .var("GITHUB_COPILOT_PROMPT_MODE_WORKSPACE_MCP", "true")
        .var("COPILOT_PROMPT_TURN_DELIMITER", "e")
        .var("AWS_SECRET_ACCESS_KEY", "canary")
        .var("HTTPS_PROXY", "http://proxy.example:8080");
    for (mode, secret) in [(Mode::Safe, false), (Mode::PowerUser, true)] {
        let mut run = bench.start(&bench.launcher(), &bench.request("hello").mode(mode)).await;
        check(&collect(&mut run).await);
        let env = bench.runs().pop().expect("a run").env;
        let has = |name: &str| env.contains_key(name);
        assert!(!has("COPILOT_ALLOW_ALL") && !has("GITHUB_COPILOT_PROMPT_MODE_WORKSPACE_MCP"), "{env:?}");
        assert!(!has("COPILOT_PROMPT_TURN_DELIMITER") && has("HTTPS_PROXY") && has("HOME"), "{env:?}");
        assert_eq!(has("AWS_SECRET_ACCESS_KEY"), secret, "{env:?}");
    }
}

#[tokio::test]
async fn a_file_read_outside_the_vault_in_safe_mode_ends_the_run() {
    for (name, path) in [("view", "/etc/passwd"), ("view", "../outside.md"), ("grep", "/etc"), ("glob", "..")] {
        let what = breach(&tool(name, json!({ "path": path, "pattern": "x" })), Mode::Safe).await.expect(path);
        assert!(what.contains("was read, which is outside the vault"), "{what}");
    }
    for path in ["note.md", ".obsidian/app.json", "."] {
        assert_eq!(breach(&tool("view", json!({ "path": path })), Mode::Safe).await, None, "the vault may be read");
    }
}

#[tokio::test]
async fn safe_mode_is_refused_where_a_hook_or_an_extension_of_the_person_could_approve_more() {
    let hook =
        |event: &str| json!({ "version": 1, "hooks": { event: [{ "type": "command", "bash": "true" }] } }).to_string();
    let rows = [
        (".copilot/hooks/a.json", hook("preToolUse"), true),
        (".copilot/hooks/a.json", hook("PreToolUse"), true),
        (".copilot/hooks/deep/er/a.json", hook("preToolUse"), true),
        (".copilot/hooks/a.json", hook("permissionRequest"), true),
        (".copilot/settings.json", hook("permission_request"), true),
        (".copilot/settings.json", format!("// mine\n{}", hook("preToolUse")), true),
        (".copilot/installed-plugins/market/plugin/hooks.json", hook("preToolUse"), true),
        (".copilot/hooks/a.json", hook("sessionEnd"), false),
        (".copilot/hooks/a.json", hook("postToolUse"), false),
        (".copilot/settings.json", hook("sessionStart"), false),
        (".copilot/hooks/read-me.txt", hook("preToolUse"), false),
    ];
    for (path, text, refused) in rows {
        let bench = Bench::copilot("");
        write(&bench.home().join(path), &text);
        let safe = bench.launcher().plan(&bench.request("hello")).await;
        match safe {
            Err(Error::Unsupported { what, .. }) if refused => assert!(what.contains("hook of Copilot"), "{what}"),
            Ok(_) if !refused => {}
            other => panic!("{path} {text}: {other:?}"),
        }
        bench.launcher().plan(&bench.request("hello").mode(Mode::PowerUser)).await.expect("their own setup");
    }
    let bench = Bench::copilot("");
    write(&bench.home().join(".copilot/extensions/mine/extension.mjs"), "");
    bench.launcher().plan(&bench.request("hello")).await.expect("extensions need the experimental features");
    write(&bench.home().join(".copilot/settings.json"), r#"{"experimental":true}"#);
    let error = bench.launcher().plan(&bench.request("hello")).await.expect_err("an extension may do anything");
    assert!(matches!(&error, Error::Unsupported { what, .. } if what.contains("extensions")), "{error:?}");
}

#[tokio::test]
async fn safe_mode_is_refused_for_a_vault_that_holds_the_home_folder_or_copilots_own() {
    let bench = Bench::copilot("");
    let home = bench.home();
    std::fs::create_dir_all(home.join(".copilot/session-state")).expect("a writable bench");
    std::fs::create_dir_all(home.join("Notes")).expect("a writable bench");
    let link = bench.root().join("link-home");
    #[cfg(unix)]
    std::os::unix::fs::symlink(&home, &link).expect("a writable bench");
    let above = home.parent().expect("a home lies in a folder").to_path_buf();
    let mut vaults = vec![home.clone(), above, "/".into(), home.join(".copilot"), home.join(".copilot/session-state")];
    if cfg!(unix) {
        vaults.push(link);
    }
    for vault in vaults {
        let request = agent_launcher::Request::new(agent_launcher::AgentId::COPILOT, &vault, "hello");
        let error = bench.launcher().plan(&request).await.expect_err("no folder of notes");
        assert!(matches!(&error, Error::Unsupported { .. }), "{}: {error:?}", vault.display());
        bench.launcher().plan(&request.mode(Mode::PowerUser)).await.expect("asked for by name");
    }
    let request = agent_launcher::Request::new(agent_launcher::AgentId::COPILOT, home.join("Notes"), "hello");
    bench.launcher().plan(&request).await.expect("notes below the home folder");
}

#[tokio::test]
async fn a_secret_that_the_agent_inherits_is_kept_from_its_servers_in_both_modes() {
    let bench = Bench::copilot("").var("COPILOT_PROVIDER_GHES_TOKEN", "canary").var("AWS_SECRET_ACCESS_KEY", "canary");
    for (mode, aws) in [(Mode::Safe, false), (Mode::PowerUser, true)] {
        let plan = bench.launcher().plan(&bench.request("hello").mode(mode)).await.expect("planned").to_string();
        let names = plan.split("--secret-env-vars=").nth(1).and_then(|rest| rest.split_whitespace().next());
        let names: Vec<&str> = names.expect("always given").split(',').collect();
        assert!(names.contains(&"COPILOT_PROVIDER_GHES_TOKEN"), "{names:?}");
        // In Safe mode it does not reach the agent at all.
        assert_eq!(names.contains(&"AWS_SECRET_ACCESS_KEY"), aws, "{names:?}");
    }
}
