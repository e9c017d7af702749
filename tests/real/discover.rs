//! The agents as npm, pnpm and Bun install them for a person, found from a desktop's bare environment and run without Node.
//! `scripts/install-layouts.sh` installs them.

use std::path::{Path, PathBuf};

use agent_launcher::discover::{Search, Via};
use agent_launcher::{AgentId, Status};

use crate::opencode_ground;
use crate::support::machine::{Machine, skipped};
use crate::support::model::{Model, text};
use crate::support::told;
use crate::support::{anthropic, codex};

const VERSION: &str = "1.0.102";

/// An agent, as far as its installation goes.
struct Agent {
    id: AgentId,
    version: &'static str,
    program: &'static str,
}

const AGENTS: &[Agent] = &[
    Agent { id: AgentId::COPILOT, version: VERSION, program: "copilot" },
    Agent { id: AgentId::CLAUDE_CODE, version: "2.1.332", program: "claude" },
    Agent { id: AgentId::CODEX, version: codex::VERSION, program: "codex" },
    Agent { id: AgentId::OPENCODE, version: opencode_ground::VERSION, program: "opencode" },
];

/// What `scripts/install-layouts.sh` has installed.
fn layout(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real/npm/node_modules/.layouts").join(name);
    assert!(folder.exists(), "`{name}` is not installed: run scripts/install-layouts.sh");
    folder
}

/// A machine whose agent has this model.
async fn machine_of(agent: &Agent, model: &Model) -> Machine {
    match agent.program {
        "copilot" => Machine::with(agent.version, model).await,
        "claude" => anthropic::with(agent.version, model).await,
        "codex" => codex::machine(model, "").await.expect("left out before, where it is"),
        "opencode" => opencode_ground::with(model).await,
        other => panic!("no machine for `{other}`"),
    }
}

/// A machine with one installation, at `place` below its home, and a desktop's environment: nothing of it is on the `PATH`.
async fn machine(agent: &Agent, name: &str, place: &str, model: &Model) -> Machine {
    let mut machine = machine_of(agent, model).await;
    std::fs::remove_file(machine.home().join("bin").join(agent.program)).expect("the machine's own agent");
    let place = machine.home().join(place);
    std::fs::create_dir_all(place.parent().expect("below the home")).expect("folders");
    std::os::unix::fs::symlink(layout(name), place).expect("a link");
    machine.vars.insert("PATH".into(), "/usr/bin:/bin:/usr/sbin:/sbin".into());
    machine
}

/// Each is found in `folder` by this way, is its native program, and answers a prompt.
async fn found_and_run(name: &str, place: &str, folder: &str, via: Via) {
    for agent in AGENTS {
        let model = Model::start([text("Native.")]).await;
        let machine = machine(agent, name, place, &model).await;
        let launcher = machine.launcher();
        let search: Search = launcher.search(&agent.id).await.expect("the agent is known");
        let binary = search.binary.as_ref().unwrap_or_else(|| panic!("not found: {search:#?}"));
        assert_eq!((&binary.found, binary.via), (&machine.home().join(folder).join(agent.program), via));
        assert_eq!(binary.version, agent.version);
        assert_eq!(binary.program.file_name().and_then(|name| name.to_str()), Some(agent.program));
        let head = std::fs::read(&binary.program).expect("the program can be read");
        assert!(head.starts_with(b"\x7fELF"), "a native program: {binary:#?}");
        assert!(binary.first_args.is_empty());
        let told = told::run(&launcher, &machine.request("hello")).await;
        assert_eq!((told.text().as_str(), told.outcome().status), ("Native.", Status::Completed), "{told:#?}");
        assert_eq!(machine.processes(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn d05_d16_a_global_npm_install_under_a_prefix_of_the_persons_own() {
    if !skipped() {
        found_and_run("npm", ".npm-global", ".npm-global/bin", Via::Npm).await;
    }
}

#[tokio::test]
async fn d13_a_global_npm_install_of_an_nvm_version() {
    if !skipped() {
        let version = ".nvm/versions/node/v22.14.0";
        found_and_run("npm", version, &format!("{version}/bin"), Via::Nvm).await;
    }
}

#[tokio::test]
async fn d16_a_global_pnpm_install() {
    if !skipped() {
        found_and_run("pnpm", ".local/share/pnpm", ".local/share/pnpm", Via::Pnpm).await;
    }
}

#[tokio::test]
async fn d16_a_global_bun_install() {
    if !skipped() {
        found_and_run("bun", ".bun", ".bun/bin", Via::Bun).await;
    }
}

#[tokio::test]
async fn d17_an_npm_install_without_its_platform_package_is_broken_and_says_why() {
    if skipped() {
        return;
    }
    let model = Model::start([text("Never.")]).await;
    let machine = Machine::with(VERSION, &model).await;
    // The loader alone, as `npm install --omit=optional` leaves it.
    let package = machine.home().join("lib/node_modules/@github/copilot");
    std::fs::create_dir_all(&package).expect("folders");
    for file in ["npm-loader.js", "package.json"] {
        let from = layout("npm").join("lib/node_modules/@github/copilot").join(file);
        std::fs::copy(from, package.join(file)).expect("a copy");
    }
    let needs = layout("npm").join("lib/node_modules/@github/copilot/node_modules/detect-libc");
    std::fs::create_dir_all(package.join("node_modules")).expect("a folder");
    std::os::unix::fs::symlink(needs, package.join("node_modules/detect-libc")).expect("a link");
    let link = machine.home().join("bin/copilot");
    std::fs::remove_file(&link).expect("the machine's own Copilot");
    std::os::unix::fs::symlink(package.join("npm-loader.js"), &link).expect("a link");
    let search = machine.launcher().search(&AgentId::COPILOT).await.expect("Copilot is known");
    let guidance = search.guidance.expect("guidance");
    assert_eq!(guidance.code, agent_launcher::Code::BrokenInstall);
    assert!(guidance.message.contains("no platform package found"), "{}", guidance.message);
}

#[tokio::test]
async fn e01_without_node_the_native_program_runs_all_the_same() {
    if skipped() {
        return;
    }
    let model = Model::start([text("Native.")]).await;
    let mut machine = machine(&AGENTS[0], "npm", ".npm-global", &model).await;
    // Nothing that is started here finds a `node`: not by the app's PATH, and the login shell adds none.
    machine.vars.insert("PATH".into(), machine.home().join("bin").display().to_string());
    machine.write("home/.profile", &format!("PATH={}\n", machine.home().join("bin").display()));
    let launcher = machine.launcher();
    let search = launcher.search(&AgentId::COPILOT).await.expect("Copilot is known");
    let node = search.path.iter().find(|folder| folder.join("node").exists());
    assert_eq!(node, None, "{search:#?}");
    let told = told::run(&launcher, &machine.request("hello")).await;
    assert_eq!((told.text().as_str(), told.outcome().status), ("Native.", Status::Completed), "{told:#?}");
}
