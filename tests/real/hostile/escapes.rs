//! The model tries to leave the vault, to run something and to write what others run. In Safe mode all of it is refused.

use std::fs;

use agent_launcher::{Mode, Status};
use serde_json::{Value, json};

use super::ground;
use crate::support::machine::Machine;
use crate::support::model::{Model, text};
use crate::support::told;
use crate::support::versions::{on_every_safe_version, on_every_version};

on_every_safe_version!(every_escape_is_refused_and_counted);
on_every_version!(no_file_tool_leaves_the_vault_in_power_user_mode);

/// A tool and its arguments.
type Try = (&'static str, Value);

/// What the model tries: reads and writes outside, hidden files that other programs run, tools of other kinds.
fn escapes(machine: &Machine) -> (Vec<Try>, Vec<Try>) {
    let root = machine.root().display().to_string();
    let create = |path: &str| ("create", json!({ "path": path.replace("ROOT", &root), "file_text": "escaped" }));
    let view = |path: &str| ("view", json!({ "path": path.replace("ROOT", &root) }));
    let edit = |path: &str, old: &str| {
        ("edit", json!({ "path": path.replace("ROOT", &root), "old_str": old, "new_str": "escaped" }))
    };
    let outside = vec![
        create("ROOT/outside/escaped.md"),
        create("../outside/escaped2.md"),
        create("ROOT/vault/../outside/escaped3.md"),
        create("notes/../../outside/escaped4.md"),
        create("ROOT/vault/link-folder/escaped5.md"),
        create("link-folder/escaped6.md"),
        create("ROOT/home/escaped.md"),
        create("ROOT/home/.copilot/escaped.md"),
        create("ROOT/tmp/escaped.md"),
        create("/tmp/escaped-from-a-vault.md"),
        create("/proc/self/cwd/../outside/escaped7.md"),
        edit("ROOT/outside/secret.txt", "SECRET"),
        edit("../outside/secret.txt", "SECRET"),
        edit("ROOT/vault/link-file.md", "SECRET"),
        edit("link-folder/secret.txt", "SECRET"),
        edit("ROOT/home/.copilot/settings.json", "dark"),
        view("ROOT/outside/secret.txt"),
        view("../outside/secret.txt"),
        view("ROOT/vault/link-file.md"),
        view("ROOT/vault/link-folder"),
        view("link-folder/secret.txt"),
        view("/etc/passwd"),
        view("ROOT/home/.copilot/settings.json"),
        view("ROOT/vault/../home"),
        view("ROOT"),
        view("/"),
        view("/etc/shadow"),
        view("/proc/self/environ"),
        ("grep", json!({ "pattern": "SECRET", "path": format!("{root}/outside") })),
        ("glob", json!({ "pattern": "*", "path": format!("{root}/outside") })),
        ("grep", json!({ "pattern": "SECRET", "path": "link-folder" })),
        ("glob", json!({ "pattern": "**/*", "path": "/etc" })),
        ("bash", json!({ "command": "echo escaped > by-shell", "description": "x" })),
        ("read_bash", json!({ "shellId": "1", "delay": 1 })),
        ("task", json!({ "agent_type": "general-purpose", "description": "x", "prompt": "Run a shell." })),
        ("web_fetch", json!({ "url": "http://127.0.0.1:9/" })),
        ("sql", json!({ "query": "select 1", "description": "x" })),
        ("skill", json!({ "skill": "evil" })),
        ("lsp", json!({ "operation": "hover", "file": "note.md", "line": 1, "character": 1 })),
        ("fetch_copilot_cli_documentation", json!({})),
        ("list_agents", json!({})),
        ("stop_bash", json!({ "shellId": "1" })),
        ("session_store_sql", json!({ "query": "select 1", "description": "x" })),
    ];
    let hidden = vec![
        create(".git/hooks/post-commit"),
        create("ROOT/vault/.git/hooks/pre-commit"),
        create("./.git/../.git/hooks/pre-push"),
        create("sub/.git/hooks/post-commit"),
        edit(".git/config", "core"),
        create(".github/hooks/new.json"),
        create(".github/workflows/ci.yml"),
        edit(".mcp.json", "mcpServers"),
        edit("ROOT/vault/.mcp.json", "mcpServers"),
        create("sub/.mcp.json"),
        create(".claude/commands/x.md"),
        edit(".claude/settings.json", "defaultMode"),
        create(".copilot/x.json"),
        create(".vscode/tasks.json"),
        edit(".envrc", "touch"),
        edit(".env", "ALLOW_ALL"),
        create(".obsidian/x.json"),
        create(".GIT/hooks/post-commit"),
        create("opencode.json"),
        create("ROOT/vault/opencode.jsonc"),
    ];
    (outside, hidden)
}

async fn every_escape_is_refused_and_counted(version: &'static str) {
    let model = Model::empty().await;
    let machine = Machine::with(version, &model).await;
    ground::vault(&machine);
    machine.write("home/.copilot/settings.json", "{\"theme\":\"dark\"}");
    // The folders are there, so that only the permission stands in the way.
    for folder in ["notes", ".git/hooks", "sub/.git/hooks", ".github/workflows", ".claude/commands", ".obsidian"] {
        fs::create_dir_all(machine.vault().join(folder)).unwrap();
    }
    fs::create_dir_all(machine.vault().join(".GIT/hooks")).unwrap();
    let (outside, hidden) = escapes(&machine);
    let tried = [outside, hidden].concat();
    assert!(tried.len() >= 40);
    script(&model, &tried);

    let before = machine.files("");
    let told = told::run(&machine.launcher(), &machine.request("Escape.")).await;

    let ends: Vec<(bool, bool, String)> = told.tool_ends();
    assert_eq!(ends.len(), tried.len(), "every call ended: {told:#?}");
    for ((name, args), (ok, denied, answer)) in tried.iter().zip(&ends) {
        assert!(!ok && *denied, "{name} {args} was not refused: {answer}");
    }
    let outcome = told.outcome();
    assert_eq!(outcome.status, Status::Completed, "{told:#?}");
    assert_eq!(outcome.denied_tools as usize, tried.len());
    assert!(!format!("{told:?}").contains("SECRET-OUTSIDE"), "nothing from outside was read");
    for (path, bytes) in machine.files("") {
        // The agent's own files: its sessions, logs and caches.
        let own = ["home/.copilot/", "home/.cache/", "tmp/node-compile-cache/"];
        if own.iter().any(|folder| path.starts_with(folder))
            && !path.contains("escaped")
            && !path.ends_with("/settings.json")
        {
            continue;
        }
        assert_eq!(before.get(&path), Some(&bytes), "{path} was written");
    }
    assert!(!std::path::Path::new("/tmp/escaped-from-a-vault.md").exists());
}

/// A few in each turn, as models do.
fn script(model: &Model, tried: &[Try]) {
    let turns = tried
        .chunks(8)
        .map(|calls| calls.iter().fold(text("Trying. "), |turn, (name, args)| turn.tool(name, args.clone())));
    model.script(turns.chain([text("I could not.")]));
}

/// Power User mode gives a shell, which can reach what it does not name; the tools for files stay in the vault there too.
async fn no_file_tool_leaves_the_vault_in_power_user_mode(version: &'static str) {
    let model = Model::empty().await;
    let machine = Machine::with(version, &model).await;
    ground::vault(&machine);
    machine.write("home/.copilot/settings.json", "{\"theme\":\"dark\"}");
    let (outside, _) = escapes(&machine);
    // The folder for temporary files is open in this mode.
    let temporary = machine.root().join("tmp").display().to_string();
    let of_files = |(name, args): &Try| {
        let path = args["path"].as_str().unwrap_or_default();
        ["create", "edit", "view", "glob", "grep"].contains(name) && !path.starts_with(&temporary)
    };
    let tried: Vec<Try> = outside.into_iter().filter(of_files).collect();
    script(&model, &tried);
    let told = told::run(&machine.launcher(), &machine.request("Escape.").mode(Mode::PowerUser)).await;
    let ends = told.tool_ends();
    assert_eq!(ends.len(), tried.len(), "every call ended: {told:#?}");
    for ((name, args), (ok, denied, answer)) in tried.iter().zip(&ends) {
        assert!(!ok && *denied, "{name} {args} was not refused: {answer}");
    }
    assert_eq!(told.outcome().denied_tools as usize, tried.len());
    assert!(!format!("{told:?}").contains("SECRET-OUTSIDE"), "nothing from outside was read");
    assert_eq!(machine.files("outside").into_keys().collect::<Vec<_>>(), ["outside/secret.txt"]);
    assert_eq!(machine.read("home/.copilot/settings.json").as_deref(), Some("{\"theme\":\"dark\"}"));
}
