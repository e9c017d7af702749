//! A vault that is a Git repository whose own settings name programs: filters, a monitor of files, hooks. Git starts them
//! when it is asked how the folder stands, which several agents do unasked, outside of every tool and sandbox.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use agent_launcher::{Mode, Status};
use serde_json::json;

use crate::support::anthropic::{self, on_every_claude};
use crate::support::codex;
use crate::support::machine::Machine;
use crate::support::model::{Model, text, tool};
use crate::support::responses::{outputs, patch};
use crate::support::told;

on_every_claude!(claude_starts_nothing_that_git_would_start);

/// Makes the vault such a repository, with a note that Git must look at anew.
fn hostile(machine: &Machine) {
    std::fs::create_dir_all(machine.root().join("marks")).expect("the folder can be made");
    git(machine, &["init", "-q"]);
    git(machine, &["add", "note.md"]);
    git(machine, &["-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "x"]);
    let mark = |name: &str| format!("touch {}/marks/{name}; cat", machine.root().display());
    let settings = format!(
        "\tfsmonitor = \"{}\"\n\tpager = \"{}\"\n[diff]\n\texternal = \"{}\"\n[diff \"x\"]\n\ttextconv = \"{}\"\n\
         [filter \"x\"]\n\tclean = \"{}\"\n\tsmudge = \"{}\"\n",
        mark("monitor"),
        mark("pager"),
        mark("diff"),
        mark("textconv"),
        mark("clean"),
        mark("smudge"),
    );
    let own = machine.read("vault/.git/config").expect("Git wrote it");
    machine.write("vault/.git/config", &format!("{own}{settings}"));
    machine.write("vault/.git/info/attributes", "* filter=x diff=x\n");
    for hook in ["post-index-change", "reference-transaction", "post-checkout"] {
        let path = format!("vault/.git/hooks/{hook}");
        machine.write(&path, &format!("#!/bin/sh\n{}\n", mark(hook)));
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(machine.root().join(path), mode).expect("the hook is ours");
    }
    // Of the same size, so that Git reads it.
    machine.write("vault/note.md", "# Note\n\nMilk, eggs, bread!\n");
}

fn git(machine: &Machine, args: &[&str]) {
    let output = Command::new("git").args(args).current_dir(machine.vault()).env("HOME", machine.home()).output();
    let output = output.expect("git is installed");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn marks(machine: &Machine) -> Vec<String> {
    machine.files("marks").into_keys().collect()
}

#[tokio::test]
async fn the_repository_would_start_programs() {
    let model = Model::empty().await;
    let Some(machine) = codex::machine(&model, "").await else { return };
    hostile(&machine);
    git(&machine, &["status", "--short"]);
    let marks = marks(&machine);
    assert!(marks.contains(&"marks/clean".into()) && marks.contains(&"marks/monitor".into()), "{marks:?}");
}

async fn claude_starts_nothing_that_git_would_start(version: &'static str) {
    for mode in [Mode::Safe, Mode::PowerUser] {
        let model = Model::start([
            text("Writing. ")
                .tool("Write", json!({ "file_path": "new.md", "content": "x" }))
                .tool("Read", json!({ "file_path": "note.md" })),
            text("Done."),
        ])
        .await;
        let machine = anthropic::with(version, &model).await;
        hostile(&machine);
        let told = told::run(&machine.launcher(), &machine.request("Go.").mode(mode)).await;
        assert_eq!(told.outcome().status, Status::Completed, "{told:#?}");
        assert_eq!(machine.read("vault/new.md").as_deref(), Some("x"));
        assert_eq!(marks(&machine), Vec::<String>::new(), "{mode:?}");
    }
}

#[tokio::test]
async fn codex_starts_nothing_that_git_would_start() {
    for mode in [Mode::Safe, Mode::PowerUser] {
        let model = Model::start([tool("apply_patch", patch("new.md", "x")), text("Done.")]).await;
        let Some(machine) = codex::machine(&model, "").await else { return };
        hostile(&machine);
        let told = told::run(&machine.launcher(), &machine.request("Go.").mode(mode)).await;
        assert_eq!(told.outcome().status, Status::Completed, "{told:#?}");
        assert_eq!(marks(&machine), Vec::<String>::new(), "{mode:?}");
    }
}

#[tokio::test]
async fn codex_keeps_git_from_nobody_else() {
    let model = Model::start([
        tool("exec_command", json!({ "cmd": "git log --format=%s; echo GIT_DIR=$GIT_DIR." })),
        text("Done."),
    ])
    .await;
    let Some(machine) = codex::machine(&model, "").await else { return };
    hostile(&machine);
    let request = machine.request("Go.").mode(Mode::PowerUser).mcp_server(machine.mcp("ok"));
    let told = told::run(&machine.launcher(), &request).await;
    assert_eq!(told.outcome().status, Status::Completed, "{told:#?}");
    let answers = outputs(model.calls().last().expect("the model was asked"));
    assert!(answers[0].contains("x\nGIT_DIR=.") || !codex::sandboxed(), "{answers:#?}");
    assert_eq!(machine.mcp_log()[0]["started"]["env"]["GIT_DIR"], json!(null));
}
