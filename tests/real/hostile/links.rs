//! Links that come about in ways no permission of an agent sees, or only at the moment of the call: what is promised and what
//! is not.

use std::fs;

use agent_launcher::{EventKind, Status};
use serde_json::json;

use crate::support::machine::Machine;
use crate::support::model::{Gate, Model, text};
use crate::support::told;
use crate::support::versions::{on_every_safe_version, on_newest};

on_every_safe_version!(a_link_that_is_made_during_the_run_leads_nowhere);
on_newest!(a_hard_link_in_the_vault_is_the_file_itself);

/// As an MCP server, or a sync program, could make it: the vault had no such link when the run began.
async fn a_link_that_is_made_during_the_run_leads_nowhere(version: &'static str) {
    let gate = Gate::new();
    let model = Model::empty().await;
    let machine = Machine::with(version, &model).await;
    machine.write("outside/secret.txt", "SECRET-OUTSIDE\n");
    let create = json!({ "path": "late/new.md", "file_text": "escaped" });
    let edit = json!({ "path": "late/secret.txt", "old_str": "SECRET", "new_str": "escaped" });
    model.script([
        text("Looking. ")
            .gate(&gate)
            .tool("view", json!({ "path": "late/secret.txt" }))
            .tool("create", create)
            .tool("edit", edit),
        text("Done."),
    ]);
    let launcher = machine.launcher();
    let plan = launcher.plan(&machine.request("Look.")).await.expect("the request can be planned");
    let mut run = launcher.start(plan).expect("the plan can be started");
    let before = told::until(&mut run, |kind| matches!(kind, EventKind::TextDelta { .. })).await;
    std::os::unix::fs::symlink(machine.outside(), machine.vault().join("late")).expect("the link is new");
    gate.open();
    let told = told::rest(run, before).await;
    let ends = told.tool_ends();
    assert!(ends.len() == 3 && ends.iter().all(|(ok, denied, _)| !ok && *denied), "{told:#?}");
    assert_eq!(told.outcome().status, Status::Completed, "{told:#?}");
    assert!(!format!("{told:?}").contains("SECRET-OUTSIDE"), "{told:#?}");
    assert_eq!(machine.files("outside").into_keys().collect::<Vec<_>>(), ["outside/secret.txt"]);
    assert_eq!(machine.read("outside/secret.txt").as_deref(), Some("SECRET-OUTSIDE\n"));
}

/// Not promised, and shown here so that it is known: a file under two names is one file, and no path tells them apart.
async fn a_hard_link_in_the_vault_is_the_file_itself(version: &'static str) {
    let model = Model::empty().await;
    let machine = Machine::with(version, &model).await;
    machine.write("outside/other.md", "Milk\n");
    fs::hard_link(machine.outside().join("other.md"), machine.vault().join("hard.md")).expect("one disk");
    let edit = json!({ "path": machine.vault().join("hard.md"), "old_str": "Milk", "new_str": "Soap" });
    model.script([text("Editing. ").tool("edit", edit), text("Done.")]);
    let told = told::run(&machine.launcher(), &machine.request("Edit.")).await;
    assert!(told.tool("edit")[0].0, "{told:#?}");
    assert_eq!(machine.read("vault/hard.md").as_deref(), Some("Soap\n"));
    assert_eq!(machine.read("outside/other.md").as_deref(), Some("Soap\n"), "one file under two names");
}
