//! Vaults and settings of the person by which Codex would do or read what Safe mode does not give, beside what
//! [`codex_hostile`](super::codex_hostile) has.

use std::os::unix::fs::symlink;

use agent_launcher::{AgentId, Request, Status};
use serde_json::json;

use crate::support::codex::{assert_sandbox, machine};
use crate::support::machine::Machine;
use crate::support::model::{Model, text, tool};
use crate::support::responses::{outputs, patch, prompt, said, tools};
use crate::support::told;

/// Adds tables to the person's settings.
fn settings(machine: &Machine, tables: &str) {
    let base = machine.read("home/.codex/config.toml").expect("the settings are there");
    machine.write("home/.codex/config.toml", &format!("{base}{tables}"));
}

#[tokio::test]
async fn codex_safe_does_not_send_what_instructions_link_to_outside_the_vault() {
    let model = Model::start([text("Done.")]).await;
    let Some(machine) = machine(&model, "").await else { return };
    machine.write("outside/secret.txt", "SECRET-OUTSIDE\n");
    symlink(machine.outside().join("secret.txt"), machine.vault().join("AGENTS.md")).expect("the link is new");
    told::run(&machine.launcher(), &machine.request("Go.")).await;
    assert!(!model.calls()[0].body.to_string().contains("SECRET-OUTSIDE"));
    // A link that stays in the vault is read.
    std::fs::remove_file(machine.vault().join("AGENTS.md")).expect("it was just made");
    machine.write("vault/AI.md", "Write in British English.\n");
    symlink("AI.md", machine.vault().join("AGENTS.md")).expect("the link is new");
    told::run(&machine.launcher(), &machine.request("Go.")).await;
    assert!(prompt(&model.calls()[1]).contains("British"));
}

#[tokio::test]
async fn codex_safe_takes_nothing_from_a_trusted_repository_that_the_vault_lies_in() {
    let model = Model::start([text("Done.")]).await;
    let Some(machine) = machine(&model, "").await else { return };
    let made = std::process::Command::new("git").args(["init", "-q"]).arg(machine.root().join("repo")).status();
    assert!(made.expect("git is installed").success());
    std::fs::create_dir(machine.root().join("marks")).expect("the folder is new");
    let marks = machine.root().join("marks").display().to_string();
    machine.write("repo/a/vault/note.md", "x");
    for (folder, name) in [("repo", "top"), ("repo/a", "middle")] {
        let settings = format!(
            "developer_instructions = \"PARENT-SAYS\"\n[mcp_servers.{name}]\ncommand = \"/bin/sh\"\n\
             args = [\"-c\", \"touch {marks}/{name}\"]\n"
        );
        machine.write(&format!("{folder}/.codex/config.toml"), &settings);
        let place = machine.root().join(folder).display().to_string();
        self::settings(&machine, &format!("[projects.\"{place}\"]\ntrust_level = \"trusted\"\n"));
    }
    let request = Request::new(AgentId::CODEX, machine.root().join("repo/a/vault"), "Go.");
    let told = told::run(&machine.launcher(), &request).await;
    assert_eq!(told.outcome().status, Status::Completed, "{told:#?}");
    assert_eq!(machine.files("marks").into_keys().collect::<Vec<_>>(), Vec::<String>::new());
    assert!(!said(&model.calls()[0], "developer").concat().contains("PARENT-SAYS"));
}

#[tokio::test]
async fn codex_safe_refuses_hidden_names_of_a_vault_with_many_notes() {
    let model = Model::empty().await;
    let Some(machine) = machine(&model, "").await else { return };
    assert_sandbox(&machine);
    for at in 0..400 {
        machine.write(&format!("vault/n-{at}.md"), "x");
    }
    machine.write("vault/.my-tool/x", "old");
    let paths =
        [".my-tool/y", ".obsidian/plugins/y/main.js", ".husky/post-commit", ".zed/tasks.json", ".factory/x", ".kiro/x"];
    model.script(paths.iter().map(|path| tool("apply_patch", patch(path, "escaped"))).chain([text("Done.")]));
    let told = told::run(&machine.launcher(), &machine.request("Go.")).await;
    assert_eq!(told.outcome().status, Status::Completed, "{told:#?}");
    let answers = outputs(model.calls().last().expect("the model was asked"));
    assert_eq!(answers.len(), paths.len());
    for (path, answer) in paths.iter().zip(&answers) {
        assert!(answer.contains("patch rejected"), "{path}: {answer}");
    }
    let hidden: Vec<_> = machine.files("vault").into_keys().filter(|path| path.contains("/.")).collect();
    assert_eq!(hidden, ["vault/.my-tool/x"]);
}

#[tokio::test]
async fn codex_safe_reads_no_skill_of_the_vault_however_deep_or_linked() {
    let model = Model::start([text("Done.")]).await;
    let Some(machine) = machine(&model, "").await else { return };
    let skill = |name: &str| format!("---\nname: {name}\ndescription: MARK-SKILL\n---\nMARK-BODY\n");
    machine.write("vault/.agents/skills/one/SKILL.md", &skill("one"));
    machine.write("vault/.agents/skills/a/b/two/SKILL.md", &skill("two"));
    machine.write("vault/.codex/skills/three/SKILL.md", &skill("three"));
    machine.write("vault/elsewhere/four/SKILL.md", &skill("four"));
    symlink("../../elsewhere", machine.vault().join(".agents/skills/link")).expect("the link is new");
    for at in 0..150 {
        machine.write(&format!("vault/.agents/skills/n{at}/README.md"), "x");
    }
    machine.write("vault/.agents/skills/zz/SKILL.md", &skill("five"));
    let asked = "$one $two $three $four $five go.";
    let told = told::run(&machine.launcher(), &machine.request(asked)).await;
    assert_eq!(told.outcome().status, Status::Completed, "{told:#?}");
    let body = model.calls()[0].body.to_string();
    assert!(!body.contains("MARK-SKILL") && !body.contains("MARK-BODY"), "{body}");
}

#[tokio::test]
async fn codex_safe_keeps_off_features_that_the_person_switched_on() {
    let model = Model::start([text("Done.")]).await;
    let Some(machine) = machine(&model, "").await else { return };
    settings(
        &machine,
        "[features]\nshell_tool = true\nunified_exec = true\ncode_mode = true\nmulti_agent = true\nmulti_agent_v2 = true\n\
         deferred_executor = true\nrequest_permissions_tool = true\nexec_permission_approvals = true\nview_image = true\n\
         standalone_web_search = true\nskill_search = true\nagent_message_board = true\ngoals = true\nsleep_tool = true\n",
    );
    let told = told::run(&machine.launcher(), &machine.request("Go.").mcp_server(machine.mcp("ok"))).await;
    assert_eq!(told.outcome().status, Status::Completed, "{told:#?}");
    let mut offered = tools(&model.calls()[0]);
    offered.sort();
    let known = [
        "apply_patch",
        "list_mcp_resource_templates",
        "list_mcp_resources",
        "read_mcp_resource",
        "request_user_input",
        "tool_search",
    ];
    assert_eq!(offered, known);
}

/// Every name by which some version or some model knows a shell.
#[tokio::test]
async fn codex_safe_has_no_shell_by_any_name() {
    let model = Model::empty().await;
    let Some(machine) = machine(&model, "").await else { return };
    let args = |name: &str| {
        json!({ "cmd": format!("touch ran-{name}"), "command": ["touch", format!("ran-{name}")], "code": "1", "chars": "x",
            "session_id": 1, "sandbox_permissions": "require_escalated", "justification": "x" })
    };
    let names = [
        "shell",
        "container.exec",
        "shell_command",
        "local_shell",
        "unified_exec",
        "exec_command",
        "Exec_Command",
        "exec",
        "write_stdin",
        "js_repl",
        "functions.exec_command",
        "bash",
        "python",
        "spawn_agent",
        "request_permissions",
    ];
    let item = json!({ "type": "exec", "command": ["touch", "ran-item"], "timeout_ms": 1000 });
    let turns = names.iter().map(|name| tool(name, args(name)));
    let odd = [
        tool("local_shell_call", item),
        tool("custom:exec", json!({ "input": "touch ran-custom" })),
        tool("custom:shell", json!({ "input": "touch ran-custom" })),
        text("Done."),
    ];
    model.script(turns.chain(odd));
    told::run(&machine.launcher(), &machine.request("Go.")).await;
    let answers = outputs(model.calls().last().expect("the model was asked"));
    assert!(answers.len() >= names.len(), "{answers:#?}");
    assert!(answers.iter().all(|answer| answer.starts_with("unsupported c")), "{answers:#?}");
    assert_eq!(machine.files("vault").into_keys().collect::<Vec<_>>(), ["vault/note.md"]);
}

#[tokio::test]
async fn codex_safe_holds_in_vaults_of_odd_names() {
    for name in ["a b", "it's \"q\" $HOME `x` \\n", "we (ird), [v]*{a}?!#", "é中😀", "-dash", ".hid/den", "x\nline"]
    {
        let model = Model::start([
            tool("apply_patch", patch("new.md", "- milk")),
            tool("apply_patch", patch("../escaped.md", "x")),
            tool("apply_patch", patch(".claude/x", "x")),
            text("Done."),
        ])
        .await;
        let Some(machine) = machine(&model, "").await else { return };
        let vault = machine.root().join(name);
        std::fs::create_dir_all(vault.join(".codex")).expect("the folder is new");
        std::fs::write(vault.join(".codex/config.toml"), "developer_instructions = \"VAULT-SAYS\"").expect("it is new");
        let quoted = serde_json::Value::from(vault.to_str().expect("the name is text"));
        settings(&machine, &format!("[projects.{quoted}]\ntrust_level = \"trusted\"\n"));
        let told = told::run(&machine.launcher(), &Request::new(AgentId::CODEX, &vault, "Go.")).await;
        assert_eq!(told.outcome().status, Status::Completed, "{name:?}: {told:#?}");
        assert!(!vault.join("../escaped.md").exists() && !vault.join(".claude/x").exists(), "{name:?}");
        assert!(!model.calls()[0].body.to_string().contains("VAULT-SAYS"), "{name:?}");
    }
}
