//! Safe is safe on the real CLI, whatever the vault, the person's settings and the app's environment hold.

mod escapes;
mod ground;
mod links;
mod person;
mod secrets;
mod spellings;

use std::collections::BTreeSet;

use agent_launcher::{Code, Error, Mode, Status, Step};
use serde_json::json;

use crate::support::machine::Machine;
use crate::support::model::{Model, text};
use crate::support::told::{self, Told};
use crate::support::versions::{on_every_safe_version, on_every_version, on_versions_below_safe};

on_every_version!(
    the_ground_bites_where_nothing_holds_it_back,
    an_untrusted_vault_runs_nothing,
    power_user_runs_what_the_person_trusted,
    power_user_runs_what_the_person_set_up_and_nothing_of_an_untrusted_vault,
    no_language_server_of_the_vault_starts,
);
on_every_safe_version!(
    a_trusted_vault_runs_nothing_in_safe_mode,
    a_session_of_a_trusted_vault_goes_on,
    a_hostile_home_gives_the_vault_nothing_in_safe_mode,
    a_trust_in_everything_is_refused,
    saved_approvals_and_a_vault_among_temporary_files_open_nothing_in_safe_mode,
);
on_versions_below_safe!(safe_mode_is_refused_and_nothing_runs);

/// All kinds of files in a vault that run something where Copilot trusts it.
const VAULT: [&str; 6] = [
    "vault-claude-settings.json",
    "vault-claude-settings.local.json",
    "vault-copilot-settings.json",
    "vault-copilot-settings.local.json",
    "vault-dotmcp",
    "vault-github-hooks",
];

fn set<const N: usize>(names: [&str; N]) -> BTreeSet<String> {
    names.map(str::to_owned).into()
}

/// A hostile vault whose model reads a note by its full path.
async fn hostile(version: &'static str) -> (Machine, Model) {
    let model = Model::empty().await;
    let machine = Machine::with(version, &model).await;
    let note = machine.vault().join("note.md");
    model.script([text("Reading. ").tool("view", json!({ "path": note })), text("Done.")]);
    ground::vault(&machine);
    ground::trust(&machine, &[]);
    (machine, model)
}

fn inherit_widening_variables(machine: &mut Machine) {
    machine.vars.extend(ground::WIDENING.map(|(name, value)| (name.to_owned(), value.to_owned())));
}

/// What came of a run on the ground.
enum Came {
    Told(Told),
    Refused(Error),
}

/// Asks in a mode, with the app's server; the vault and the person's settings are as before in any case.
async fn ask(machine: &Machine, mode: Mode) -> Came {
    let launcher = machine.launcher();
    let request = machine.request("Hello there.").mode(mode).mcp_server(machine.mcp("ok"));
    let (vault, home) = (machine.files("vault"), settings(machine));
    let came = match launcher.plan(&request).await {
        Ok(plan) => Came::Told(told::rest(launcher.start(plan).expect("the plan can be started"), Vec::new()).await),
        Err(error) => Came::Refused(error),
    };
    assert_eq!(machine.files("vault"), vault, "the vault is as it was");
    assert_eq!(settings(machine), home, "the person's settings are as they were");
    assert_eq!(machine.processes(), Vec::<String>::new(), "nothing is left");
    if let Came::Told(told) = &came {
        assert_eq!(told.outcome().status, Status::Completed, "{told:#?}");
        assert_eq!(told.text(), "Reading. \n\nDone.");
        assert!(told.tool("view")[0].0, "the note is read: {told:#?}");
        assert_eq!(told.mcp("tolaria").last(), Some(&"connected"), "the app's server is there: {told:#?}");
    }
    came
}

/// The files of the person's Copilot that say something, with their bytes.
fn settings(machine: &Machine) -> Vec<(String, Vec<u8>)> {
    let said = ["config.json", "settings.json", "mcp-config.json", "permissions-config.json", "lsp-config.json"];
    let files = machine.files("home/.copilot").into_iter();
    files.filter(|(path, _)| said.iter().any(|name| path.ends_with(name)) || path.contains("hooks")).collect()
}

fn told(came: Came) -> Told {
    match came {
        Came::Told(told) => told,
        Came::Refused(error) => panic!("the run was refused: {error}"),
    }
}

/// Copilot without the launcher, with flags of the same kind as Safe mode's.
async fn raw(machine: &Machine) {
    let flags = ["--allow-tool=write", "--deny-tool=shell", "--available-tools=view,create,edit,glob,grep"];
    raw_with(machine, &flags).await;
}

async fn raw_with(machine: &Machine, flags: &[&str]) {
    let run = tokio::process::Command::new(machine.home().join("bin/copilot"))
        .args(["-p", "hi", "-s", "--no-ask-user", "--no-auto-update"])
        .args(flags)
        .env_clear()
        .envs(&machine.vars)
        .current_dir(machine.vault())
        .stdin(std::process::Stdio::null())
        .output();
    run.await.expect("Copilot can be started");
}

/// Without the launcher: flags of the same kind, and an environment that trusts the vault. What does not bite here
/// proves nothing in the other tests.
async fn the_ground_bites_where_nothing_holds_it_back(version: &'static str) {
    let (mut machine, _model) = hostile(version).await;
    inherit_widening_variables(&mut machine);
    raw(&machine).await;
    let mut expected = set(VAULT);
    expected.insert("vault-extension".into());
    assert_eq!(ground::marks(&machine), expected);
}

async fn an_untrusted_vault_runs_nothing(version: &'static str) {
    for mode in [Mode::Safe, Mode::PowerUser] {
        for inherited in [false, true] {
            let (mut machine, model) = hostile(version).await;
            if mode == Mode::Safe && machine.mode() != Mode::Safe {
                // Refused: `safe_mode_is_refused_and_nothing_runs`.
                continue;
            }
            if inherited {
                inherit_widening_variables(&mut machine);
            }
            told(ask(&machine, mode).await);
            assert_eq!(ground::marks(&machine), set([]), "{mode:?} {inherited}");
            let call = &model.calls()[0];
            assert!(call.body.to_string().contains("INSTRUCTIONS-OF-AGENTS"), "AGENTS.md counts");
            if mode == Mode::Safe {
                assert_eq!(call.tools(), ["view", "create", "edit", "grep", "glob", "tolaria-note_info"]);
            }
        }
    }
}

/// A version that cannot keep Safe mode is refused on every ground, with the version that can and how to get it.
async fn safe_mode_is_refused_and_nothing_runs(version: &'static str) {
    type Ground = fn(&mut Machine);
    let grounds: [Ground; 5] = [
        |_| {},
        inherit_widening_variables,
        |machine| ground::trust(machine, &[&machine.vault().display().to_string()]),
        |machine| ground::trust(machine, &["/"]),
        |machine| ground::home(machine),
    ];
    for prepare in grounds {
        let (mut machine, model) = hostile(version).await;
        prepare(&mut machine);
        let Came::Refused(Error::Setup(guidance)) = ask(&machine, Mode::Safe).await else {
            panic!("{version} is refused")
        };
        assert_eq!(guidance.code, Code::VersionUnsupported, "{guidance:#?}");
        assert!(guidance.message.contains(version) && guidance.message.contains("1.0.80"), "{}", guidance.message);
        assert_eq!(guidance.steps[0], Step::Run { command: "copilot update".into() });
        assert_eq!((ground::marks(&machine), model.all_calls().len()), (set([]), 0), "nothing was started");
    }
}

/// What the run told, from an empty folder.
fn from_an_empty_folder(came: Came) -> Told {
    let told = told(came);
    assert!(
        told.notices().iter().any(|(_, message)| message.contains("works from an empty folder")),
        "what is different is told: {told:#?}"
    );
    told
}

async fn a_trusted_vault_runs_nothing_in_safe_mode(version: &'static str) {
    for parent in [false, true] {
        let (mut machine, model) = hostile(version).await;
        inherit_widening_variables(&mut machine);
        let trusted = if parent { machine.root().to_path_buf() } else { machine.vault() };
        ground::trust(&machine, &[&trusted.display().to_string()]);
        from_an_empty_folder(ask(&machine, Mode::Safe).await);
        let tools = model.calls()[0].tools();
        assert_eq!(tools, ["view", "create", "edit", "grep", "glob", "tolaria-note_info"]);
        assert_eq!(ground::marks(&machine), set([]), "parent: {parent}");
    }
}

async fn a_session_of_a_trusted_vault_goes_on(version: &'static str) {
    let (machine, model) = hostile(version).await;
    ground::trust(&machine, &[&machine.vault().display().to_string()]);
    let first = from_an_empty_folder(ask(&machine, Mode::Safe).await);
    let session = first.outcome().session_id.clone().expect("the session is told");
    let asked = model.calls().len();
    // The empty folder that the first run worked from is gone.
    let again = told::run(&machine.launcher(), &machine.request("And now?").resume(&session)).await;
    assert_eq!(again.outcome().status, Status::Completed, "{again:#?}");
    assert!(model.calls()[asked].messages("user")[0].contains("Hello there."), "the session goes on");
    assert_eq!(ground::marks(&machine), set([]));
}

async fn a_hostile_home_gives_the_vault_nothing_in_safe_mode(version: &'static str) {
    let (mut machine, model) = hostile(version).await;
    inherit_widening_variables(&mut machine);
    ground::home(&machine);
    from_an_empty_folder(ask(&machine, Mode::Safe).await);
    let tools = model.calls()[0].tools();
    assert_eq!(tools, ["view", "create", "edit", "grep", "glob", "tolaria-note_info"], "no tool of another server");
    // What the person has set up for every run of Copilot is theirs, and runs; the vault's is not, and does not.
    assert_eq!(ground::marks(&machine), set(["user-hooks", "user-settings"]));
}

async fn a_trust_in_everything_is_refused(version: &'static str) {
    let (machine, model) = hostile(version).await;
    ground::trust(&machine, &["/"]);
    let Came::Refused(error) = ask(&machine, Mode::Safe).await else { panic!("Safe mode cannot be kept") };
    assert!(matches!(error, Error::Unsupported { .. }), "{error}");
    assert!(error.to_string().contains("trust"), "{error}");
    assert_eq!((ground::marks(&machine), model.all_calls().len()), (set([]), 0));
}

async fn power_user_runs_what_the_person_trusted(version: &'static str) {
    let (mut machine, _model) = hostile(version).await;
    inherit_widening_variables(&mut machine);
    let vault = machine.vault().display().to_string();
    ground::trust(&machine, &[&vault]);
    told(ask(&machine, Mode::PowerUser).await);
    // As under Copilot itself, and no more: the extension needs a variable that no run gets.
    assert_eq!(ground::marks(&machine), set(VAULT));
}

/// Power User mode on the hostile home, less the trust: the person's own hooks and servers run, as under Copilot itself.
async fn power_user_runs_what_the_person_set_up_and_nothing_of_an_untrusted_vault(version: &'static str) {
    let (mut machine, _model) = hostile(version).await;
    inherit_widening_variables(&mut machine);
    ground::home(&machine);
    ground::trust(&machine, &[]);
    told(ask(&machine, Mode::PowerUser).await);
    assert_eq!(ground::marks(&machine), set(["user-Tolaria", "user-hooks", "user-other", "user-settings"]));
}

/// The vault names the program of its language server, and Copilot starts it even where nobody trusts the vault.
async fn no_language_server_of_the_vault_starts(version: &'static str) {
    let (machine, model) = hostile(version).await;
    let asks = json!({ "operation": "hover", "file": "note.md", "line": 1, "character": 1 });
    model.script([text("Asking. ").tool("lsp", asks), text("Done.")]);
    raw_with(&machine, &["--allow-all-tools"]).await;
    assert_eq!(ground::marks(&machine), set(["vault-lsp"]), "the ground bites");
    std::fs::remove_file(machine.root().join("marks/vault-lsp")).expect("the mark is there");
    let told = told::run(&machine.launcher(), &machine.request("Ask.").mode(Mode::PowerUser)).await;
    assert_eq!(told.tool("lsp").iter().map(|(ok, ..)| *ok).collect::<Vec<_>>(), [false], "{told:#?}");
    assert_eq!(ground::marks(&machine), set([]));
    assert!(
        model.calls().iter().filter(|call| call.tools().contains(&"lsp".to_owned())).count() <= 2,
        "only in the raw run"
    );
}

async fn saved_approvals_and_a_vault_among_temporary_files_open_nothing_in_safe_mode(version: &'static str) {
    for bites in [true, false] {
        let model = Model::empty().await;
        let mut machine = Machine::with(version, &model).await;
        ground::trust(&machine, &[]);
        ground::approve(&machine);
        machine.vars.insert("TMPDIR".into(), machine.root().display().to_string());
        machine.write("outside/secret.txt", "SECRET-OUTSIDE\n");
        let secret = machine.outside().join("secret.txt");
        let new = machine.outside().join("new.md");
        model.script([
            text("Trying. ")
                .tool("view", json!({ "path": secret }))
                .tool("create", json!({ "path": new, "file_text": "x" })),
            text("Done."),
        ]);
        if bites {
            // Without the launcher: the approvals and the temporary folder open what lies outside.
            raw(&machine).await;
            assert!(model.tool_results().concat().contains("SECRET-OUTSIDE") && new.exists(), "{:?}", model.calls());
            continue;
        }
        let told = told::run(&machine.launcher(), &machine.request("Try.")).await;
        let ends = told.tool_ends();
        assert!(ends.len() == 2 && ends.iter().all(|(ok, denied, _)| !ok && *denied), "{told:#?}");
        assert_eq!(told.outcome().denied_tools, 2);
        assert!(!new.exists());
    }
}
