//! A person's machine with Codex whose model is the scripted server, and whether the machine lets Codex have its sandbox.

use std::process::Command;
use std::sync::OnceLock;

use super::machine::{Machine, skipped};
use super::model::Model;

/// The version that the tests of Codex run on.
pub const VERSION: &str = "0.171.0";

/// A machine whose settings name the server as the provider, beside `settings`. `None` where these tests are left out.
pub async fn machine(model: &Model, settings: &str) -> Option<Machine> {
    at(&model.url(), settings).await
}

/// The same with an address.
pub async fn at(url: &str, settings: &str) -> Option<Machine> {
    if skipped() {
        return None;
    }
    let machine = Machine::of("codex", VERSION, &[("MOCK_KEY", "k-dummy")]).await;
    let provider = format!(
        "[model_providers.mock]\nname = \"mock\"\nbase_url = \"{url}\"\nenv_key = \"MOCK_KEY\"\n\
         wire_api = \"responses\"\nrequires_openai_auth = false\n"
    );
    let model = "model_provider = \"mock\"\nmodel = \"gpt-5.5\"\ncheck_for_update_on_startup = false\n";
    machine.write("home/.codex/config.toml", &format!("{model}{settings}{provider}"));
    Some(machine)
}

/// Whether the system lets Codex make its sandbox, which stands on user namespaces. Says loudly where it does not: what was
/// to be shown about written files is then shown by nothing.
pub fn sandboxed() -> bool {
    static SANDBOXED: OnceLock<bool> = OnceLock::new();
    *SANDBOXED.get_or_init(|| {
        let made = Command::new("unshare").args(["--user", "--map-root-user", "--mount", "true"]).status();
        let made = made.is_ok_and(|status| status.success());
        if !made {
            eprintln!(
                "NOT TESTED: this machine has no user namespaces, so Codex has no sandbox and writes nothing; the tests \
                 of Codex check only that nothing was written where nothing may be"
            );
        }
        made
    })
}

/// Stops a test that means nothing without the sandbox.
///
/// # Panics
///
/// Where there is none, unless `AGENT_LAUNCHER_NO_SANDBOX=skip` says that this is known.
pub fn assert_sandbox(machine: &Machine) {
    assert!(
        sandboxed(),
        "this machine lets no program make a user namespace, which Codex's sandbox needs: {}",
        machine.root().display()
    );
}
