//! What the person has set up in their own Copilot and could approve more than Safe mode gives.

use agent_launcher::{Error, Mode, Request};
use serde_json::json;

use super::{Came, ask, ground, hostile, set};
use crate::support::machine::Machine;
use crate::support::model::text;
use crate::support::versions::{on_every_safe_version, on_newest};

on_every_safe_version!(a_hook_of_the_person_opens_everything_and_is_refused_in_safe_mode);
on_newest!(an_extension_of_the_person_is_refused_in_safe_mode, a_home_folder_is_no_vault_in_safe_mode);

/// Safe mode's own flags, without the launcher's look at the person's hooks.
async fn with_flags_alone(machine: &Machine) {
    let flags = "-p hi -s --no-ask-user --no-auto-update --disallow-temp-dir --disable-builtin-mcps --allow-tool=write \
                 --available-tools=write,view,create,edit,glob,grep";
    let run = tokio::process::Command::new(machine.home().join("bin/copilot"))
        .args(flags.split_whitespace())
        .arg("--deny-tool=shell,write(.*),write(.*/**)")
        .env_clear()
        .envs(&machine.vars)
        .current_dir(machine.vault())
        .stdin(std::process::Stdio::null())
        .output();
    run.await.expect("Copilot can be started");
}

async fn a_hook_of_the_person_opens_everything_and_is_refused_in_safe_mode(version: &'static str) {
    for event in ["preToolUse", "permissionRequest"] {
        let (machine, model) = hostile(version).await;
        let create = |path: std::path::PathBuf| json!({ "path": path, "file_text": "escaped" });
        model.script([
            text("Writing. ")
                .tool("create", create(machine.outside().join("escaped.md")))
                .tool("create", create(machine.vault().join(".git/post-commit"))),
            text("Done."),
        ]);
        with_flags_alone(&machine).await;
        assert!(!machine.outside().join("escaped.md").exists(), "{event}: the flags hold where there is no such hook");
        ground::approving_hook(&machine, event);
        with_flags_alone(&machine).await;
        assert!(machine.outside().join("escaped.md").exists(), "{event}: the hook opens what the flags close");
        assert!(machine.vault().join(".git/post-commit").exists(), "{event}: and what a rule refuses");
        assert_eq!(ground::marks(&machine), set(["user-approves"]));
        let asked = model.all_calls().len();
        refused(ask(&machine, Mode::Safe).await, "hook of Copilot");
        assert_eq!(model.all_calls().len(), asked, "nothing was started");
    }
}

async fn an_extension_of_the_person_is_refused_in_safe_mode(version: &'static str) {
    let (machine, model) = hostile(version).await;
    ground::persons_extension(&machine);
    refused(ask(&machine, Mode::Safe).await, "extensions of Copilot");
    assert_eq!((ground::marks(&machine), model.all_calls().len()), (set([]), 0));
}

async fn a_home_folder_is_no_vault_in_safe_mode(version: &'static str) {
    let (machine, model) = hostile(version).await;
    for vault in [machine.home(), machine.root().to_path_buf(), "/".into(), machine.home().join(".copilot")] {
        let request = Request::new(agent_launcher::AgentId::COPILOT, vault, "Hello.");
        let error = machine.launcher().plan(&request).await.expect_err("no folder of notes");
        assert!(matches!(error, Error::Unsupported { .. }), "{error}");
    }
    assert!(model.all_calls().is_empty());
}

fn refused(came: Came, why: &str) {
    let Came::Refused(error) = came else { panic!("Safe mode cannot be kept beside this") };
    assert!(matches!(&error, Error::Unsupported { what, .. } if what.contains(why)), "{error}");
}
