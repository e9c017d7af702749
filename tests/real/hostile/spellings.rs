//! The model spells places outside in ways that some reader could take for a path: none of them leads out of the vault.

use std::fs;

use agent_launcher::{AgentId, Request, Status};
use serde_json::{Value, json};

use super::ground;
use crate::support::machine::Machine;
use crate::support::model::{Model, text};
use crate::support::told;
use crate::support::versions::{on_every_safe_version, on_every_version};

on_every_safe_version!(no_odd_spelling_leads_out_of_the_vault);
on_every_version!(a_vault_named_by_a_link_is_kept_to);

/// A tool and its arguments.
type Try = (&'static str, Value);

fn spellings(machine: &Machine) -> Vec<Try> {
    let root = machine.root().display().to_string();
    let fill = |path: &str| path.replace("ROOT", &root);
    let create = |path: &str| ("create", json!({ "path": fill(path), "file_text": "escaped" }));
    let view = |path: &str| ("view", json!({ "path": fill(path) }));
    let edit = |path: &str| ("edit", json!({ "path": fill(path), "old_str": "SECRET", "new_str": "escaped" }));
    vec![
        create("~/escaped.md"),
        create("$HOME/escaped.md"),
        create("${HOME}/escaped.md"),
        create("file://ROOT/outside/escaped.md"),
        create("%2e%2e/outside/escaped.md"),
        create("..%2foutside%2fescaped.md"),
        create("\u{2024}\u{2024}/outside/escaped.md"),
        create("\u{ff0e}\u{ff0e}\u{ff0f}outside\u{ff0f}escaped.md"),
        create("..\\outside\\escaped.md"),
        create("note.md\n../outside/escaped.md"),
        create(" ../outside/escaped.md"),
        create("../outside/escaped.md "),
        create(&format!("{}outside/escaped.md", "../".repeat(600))),
        create("/proc/self/root/ROOT/outside/escaped.md"),
        create("ROOT/vault//..//outside//escaped.md"),
        create("ROOT/VAULT/../outside/escaped.md"),
        create("link-folder/../outside/escaped.md"),
        edit("~/../outside/secret.txt"),
        edit("/dev/fd/../../ROOT/outside/secret.txt"),
        edit("/proc/self/root/ROOT/outside/secret.txt"),
        edit("link-file.md/"),
        view("~/.copilot/settings.json"),
        view("$HOME/.copilot"),
        view("file://ROOT/outside/secret.txt"),
        view("/proc/self/cwd/../outside/secret.txt"),
        view("/proc/self/root/ROOT/outside/secret.txt"),
        view("/proc/thread-self/environ"),
        view("\u{ff0e}\u{ff0e}/outside/secret.txt"),
        view("ROOT/vault/./link-folder/./secret.txt"),
        ("glob", json!({ "pattern": "../**" })),
        ("glob", json!({ "pattern": fill("ROOT/outside/**") })),
        ("glob", json!({ "pattern": "link-folder/**" })),
        ("glob", json!({ "pattern": "{..,x}/outside/*" })),
        ("glob", json!({ "pattern": "*", "paths": [fill("ROOT/outside")] })),
        ("grep", json!({ "pattern": "SECRET-OUT", "glob": "../**", "output_mode": "content" })),
        ("grep", json!({ "pattern": "SECRET-OUT", "output_mode": "content" })),
        ("grep", json!({ "pattern": "SECRET-OUT", "path": "link-file.md", "output_mode": "content" })),
        ("grep", json!({ "pattern": "SECRET-OUT", "paths": fill("ROOT/outside"), "output_mode": "content" })),
        ("grep", json!({ "pattern": "SECRET-OUT", "paths": [".", "../outside"], "output_mode": "content" })),
    ]
}

async fn no_odd_spelling_leads_out_of_the_vault(version: &'static str) {
    let model = Model::empty().await;
    let machine = Machine::with(version, &model).await;
    ground::vault(&machine);
    machine.write("home/.copilot/settings.json", "{\"theme\":\"dark\"}");
    let tried = spellings(&machine);
    let turns = tried
        .chunks(8)
        .map(|calls| calls.iter().fold(text("Trying. "), |turn, (name, args)| turn.tool(name, args.clone())));
    model.script(turns.chain([text("I could not.")]));
    let before = machine.files("");

    let told = told::run(&machine.launcher(), &machine.request("Escape.")).await;

    assert_eq!(told.outcome().status, Status::Completed, "{told:#?}");
    assert_eq!(told.tool_ends().len(), tried.len(), "every call ended: {told:#?}");
    assert!(!format!("{told:?}").contains("SECRET-OUTSIDE"), "nothing from outside was read: {told:#?}");
    assert!(!format!("{told:?}").contains("outside/secret.txt\\n"), "nothing outside was listed: {told:#?}");
    for (path, bytes) in machine.files("") {
        let own = ["home/.copilot/", "home/.cache/", "tmp/node-compile-cache/"];
        // A strange name is a note all the same, as long as it lies in the vault and is not hidden.
        let note = path.strip_prefix("vault/").is_some_and(|name| !name.starts_with('.') && !name.contains("/."));
        if note || (own.iter().any(|folder| path.starts_with(folder)) && !path.contains("escaped")) {
            continue;
        }
        assert_eq!(before.get(&path), Some(&bytes), "{path} was written");
    }
}

async fn a_vault_named_by_a_link_is_kept_to(version: &'static str) {
    let model = Model::empty().await;
    let machine = Machine::with(version, &model).await;
    let link = machine.root().join("vault-by-link");
    std::os::unix::fs::symlink(machine.vault(), &link).expect("the link is new");
    fs::create_dir_all(machine.vault().join(".git/hooks")).expect("the vault is writable");
    machine.write("outside/secret.txt", "SECRET-OUTSIDE\n");
    let create = |path: String| json!({ "path": path, "file_text": "x" });
    let (by_link, real) = (link.display().to_string(), machine.vault().display().to_string());
    model.script([
        text("Writing. ")
            .tool("create", create(format!("{by_link}/a.md")))
            .tool("create", create(format!("{real}/b.md")))
            .tool("view", json!({ "path": format!("{by_link}/note.md") }))
            .tool("view", json!({ "path": format!("{real}/note.md") }))
            .tool("view", json!({ "path": format!("{by_link}/../outside/secret.txt") }))
            .tool("create", create(format!("{by_link}/../outside/c.md"))),
        text("Done."),
    ]);
    let request = Request::new(AgentId::COPILOT, &link, "Write.").mode(machine.mode());
    let told = told::run(&machine.launcher(), &request).await;
    assert_eq!(told.outcome().status, Status::Completed, "{told:#?}");
    let done: Vec<bool> = told.tool_ends().iter().map(|(ok, ..)| *ok).collect();
    assert_eq!(done, [true, true, true, true, false, false], "{told:#?}");
    assert!(!machine.outside().join("c.md").exists());
}
