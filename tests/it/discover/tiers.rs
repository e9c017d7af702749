use agent_launcher::discover::{Readiness, ShellStatus, Verdict, Via};
use agent_launcher::{Code, Mode, Request, Step};

use super::{GOOD, Machine, asked, found, search, verdict};
use crate::support::{collect, fake};

#[tokio::test]
async fn d01_without_a_which_program_and_off_the_path_it_is_found() {
    let mut machine = Machine::new();
    // Nothing is on this PATH, no `which` either.
    machine.path = vec![machine.at("empty")];
    let copilot = machine.script("home/.local/bin/copilot", GOOD);
    found(&machine.search().await, &copilot, Via::Native);
}

#[tokio::test]
async fn d03_what_the_status_shows_is_what_runs() {
    let machine = Machine::new();
    let folder = machine.at("home/.npm-global/bin");
    let copilot = fake::install(&folder, "copilot");
    fake::scenario(&folder, "copilot", "");
    std::fs::create_dir(machine.at("vault")).unwrap();
    let launcher = machine.launcher();
    let status = launcher.agents().await.into_iter().find(|status| status.agent.as_str() == "copilot").unwrap();
    assert_eq!(
        (status.status, status.path.as_deref(), status.via),
        (Readiness::Ready, Some(&*copilot), Some(Via::Npm))
    );
    let request = Request::new(status.agent, machine.at("vault"), "hello").mode(Mode::Safe);
    let plan = launcher.plan(&request).await.unwrap();
    collect(&mut launcher.start(plan).unwrap()).await;
    let calls = fake::calls(&folder);
    assert!(!calls.last().unwrap().is_probe());
    assert!(calls.iter().all(|call| call.argv[0] == copilot.to_str().unwrap()), "{calls:#?}");
}

#[tokio::test]
async fn d05_the_prefix_that_npm_was_given_is_looked_in() {
    let machine = Machine::new();
    let copilot = machine.script("projects/npm/npm-global/bin/copilot", GOOD);
    machine.file("home/.npmrc", format!("prefix={}\n", machine.at("projects/npm/npm-global").display()));
    found(&machine.search().await, &copilot, Via::Npm);
    let by_variable = Machine::new();
    let copilot = by_variable.script("p/bin/copilot", GOOD);
    let prefix = by_variable.at("p");
    let by_variable = by_variable.var("NPM_CONFIG_PREFIX", prefix);
    found(&by_variable.search().await, &copilot, Via::Npm);
}

#[tokio::test]
async fn d08_a_stale_wrapper_does_not_hide_a_healthy_copy() {
    let machine = Machine::new().path(&["d1", "d2"]);
    let stale = machine.script(
        "d1/copilot",
        "echo \"Error: Cannot find module '/x/npm-loader.js'\" >&2; echo '  code: MODULE_NOT_FOUND' >&2; exit 1",
    );
    let good = machine.script("d2/copilot", GOOD);
    let search = machine.search().await;
    found(&search, &good, Via::Path);
    let detail = "ended with exit code 1: Error: Cannot find module '/x/npm-loader.js'";
    assert_eq!(verdict(&search, &stale), (Verdict::Broken, detail.into()));
}

#[tokio::test]
async fn d09_a_folder_of_the_name_is_no_program() {
    let machine = Machine::new().path(&["d1", "d2", "d3"]);
    std::fs::create_dir_all(machine.at("d1/copilot")).unwrap();
    let link = machine.link("d2/copilot", &machine.at("d1/copilot"));
    let good = machine.script("d3/copilot", GOOD);
    let search = machine.search().await;
    found(&search, &good, Via::Path);
    assert_eq!(verdict(&search, &machine.at("d1/copilot")).0, Verdict::NotAFile);
    assert_eq!(verdict(&search, &link).0, Verdict::NotAFile);
}

#[tokio::test]
async fn d10_a_file_that_may_not_run_and_a_dangling_link_are_passed_over() {
    let machine = Machine::new().path(&["d1", "d2", "d3"]);
    let plain = machine.file("d1/copilot", "#!/bin/sh\n");
    let dangling = machine.link("d2/copilot", &machine.at("gone"));
    let good = machine.script("d3/copilot", GOOD);
    let search = machine.search().await;
    found(&search, &good, Via::Path);
    assert_eq!(verdict(&search, &plain), (Verdict::NotExecutable, "not marked as executable".into()));
    assert_eq!(verdict(&search, &dangling), (Verdict::Missing, "a link to a file that is gone".into()));
    std::fs::remove_file(&good).unwrap();
    // Where nothing else is there, that is the reason told.
    let guidance = machine.search().await.guidance.unwrap();
    assert_eq!(guidance.code, Code::NotExecutable);
    assert_eq!(guidance.params["path"], plain.display().to_string());
}

#[tokio::test]
async fn d11_another_program_of_the_name_does_not_end_the_search() {
    let machine = Machine::new().path(&["d1"]);
    let impostor = machine.script("d1/copilot", "echo 'copilot version: v1.34.1'");
    let good = machine.script("home/.npm-global/bin/copilot", GOOD);
    let search = machine.search().await;
    found(&search, &good, Via::Npm);
    assert_eq!(verdict(&search, &impostor).0, Verdict::Impostor);
    std::fs::remove_file(good).unwrap();
    let status = &machine.launcher().agents().await[0];
    assert_eq!(status.status, Readiness::NotInstalled);
}

#[tokio::test]
async fn d13_of_many_node_versions_the_highest_by_number_is_taken() {
    let machine = Machine::new();
    let at = |version: &str| format!("home/.nvm/versions/node/{version}/bin/copilot");
    let old = machine.script(&at("v9.1.0"), "echo 'GitHub Copilot CLI 0.0.1.'");
    let middle = machine.script(&at("v18.20.8"), GOOD);
    let high = machine.script(&at("v22.14.0"), GOOD);
    let search = machine.search().await;
    found(&search, &high, Via::Nvm);
    assert_eq!(verdict(&search, &middle).0, Verdict::Deferred);
    machine.file("home/.nvm/alias/default", "lts/*\n");
    machine.file("home/.nvm/alias/lts/*", "lts/hydrogen\n");
    machine.file("home/.nvm/alias/lts/hydrogen", "v18.20.8\n");
    found(&machine.search().await, &middle, Via::Nvm);
    let folder = old.parent().unwrap().to_owned();
    found(&machine.var("NVM_BIN", folder).search().await, &old, Via::Nvm);
}

#[tokio::test]
async fn d16_the_folder_that_is_off_the_path_is_named() {
    let machine = Machine::new();
    let copilot = machine.script("home/.npm-global/bin/copilot", GOOD);
    let search = machine.search().await;
    found(&search, &copilot, Via::Npm);
    let folder = copilot.parent().unwrap().display();
    let detail = format!("version 1.0.102; its folder `{folder}` is not on the PATH");
    assert_eq!(verdict(&search, &copilot), (Verdict::Chosen, detail));
    // On the PATH, nothing is said.
    let machine = Machine::new().path(&["bin"]);
    let copilot = machine.script("bin/copilot", GOOD);
    assert_eq!(verdict(&machine.search().await, &copilot).1, "version 1.0.102");
}

#[tokio::test]
async fn d17_half_an_install_is_broken_and_its_line_is_kept() {
    let machine = Machine::new().path(&["bin"]);
    let line = "Error: Missing optional dependency @github/copilot-linux-x64. Reinstall Copilot: npm install -g @github/copilot";
    let copilot = machine.script("bin/copilot", &format!("echo 'file:///x.js:1'>&2; echo '{line}' >&2; exit 1"));
    let search = machine.search().await;
    assert_eq!(verdict(&search, &copilot), (Verdict::Broken, format!("ended with exit code 1: {line}")));
    let status = &machine.launcher().agents().await[0];
    let guidance = status.guidance.as_ref().unwrap();
    assert_eq!((status.status, guidance.code), (Readiness::Broken, Code::BrokenInstall));
    assert!(guidance.message.contains(line), "{}", guidance.message);
    assert!(guidance.steps.contains(&Step::Run { command: "npm install -g @github/copilot".into() }));
}

#[tokio::test]
async fn d18_an_answer_without_a_byte_is_a_broken_install() {
    for code in [0, 1] {
        let machine = Machine::new().path(&["bin"]);
        machine.script("bin/copilot", &format!("exit {code}"));
        let search = machine.search().await;
        let guidance = search.guidance.unwrap();
        assert_eq!((search.chosen, guidance.code), (None, Code::BrokenInstall));
        assert!(guidance.message.contains("printed nothing"), "{}", guidance.message);
    }
}

#[tokio::test]
async fn d20_in_wsl_a_copy_of_this_system_wins_over_one_of_windows() {
    // `/mnt/c` itself cannot be made here: a PATH that names it must at least not end the search.
    let machine = Machine::new().var("WSL_DISTRO_NAME", "Ubuntu").path(&["bin"]);
    let good = machine.script("bin/copilot", GOOD);
    let windows = std::path::Path::new("/mnt/c/Users/u/AppData/Roaming/npm");
    let mut machine = machine;
    machine.path.insert(0, windows.into());
    let search = machine.search().await;
    found(&search, &good, Via::Path);
    let last = &search.candidates.last().unwrap().path;
    assert_eq!(last, &windows.join("copilot"));
}

#[tokio::test]
async fn d21_the_working_directory_is_never_looked_in() {
    let machine = Machine::new();
    // The test program's own folder, by every name it has in a PATH.
    let own = std::env::current_dir().unwrap();
    let mut machine = machine;
    machine.path = ["", ".", "./tests", "tests"].map(Into::into).into();
    let search = machine.search().await;
    assert_eq!(search.binary, None);
    let inside = |path: &std::path::Path| path.starts_with(&own) && !path.starts_with(machine.at(""));
    assert!(search.candidates.iter().all(|candidate| candidate.path.is_absolute() && !inside(&candidate.path)));
    assert!(search.path.iter().all(|folder| folder.is_absolute()));
}

#[tokio::test]
async fn d22_a_program_for_another_machine_is_told_apart_and_never_started() {
    let machine = Machine::new().path(&["d1", "d2", "d3"]);
    let mut elf = vec![0u8; 4096];
    elf[..6].copy_from_slice(b"\x7fELF\x02\x01");
    elf[18] = 243; // RISC-V
    let foreign = machine.program("d1/copilot", &elf);
    // Bytes that a shell would take for a command.
    let garbage = machine
        .program("d2/copilot", [b"\x00\xff\n>", machine.at("made").to_str().unwrap().as_bytes(), b"\n"].concat());
    let search = machine.search().await;
    assert_eq!(verdict(&search, &foreign).0, Verdict::WrongArchitecture);
    assert_eq!(verdict(&search, &garbage), (Verdict::Broken, "empty or damaged: no program and no script".into()));
    assert!(!machine.at("made").exists());
    assert_eq!(search.guidance.unwrap().code, Code::BrokenInstall);
    std::fs::remove_file(&garbage).unwrap();
    assert_eq!(machine.search().await.guidance.unwrap().code, Code::WrongArchitecture);
    let good = machine.script("d3/copilot", GOOD);
    found(&machine.search().await, &good, Via::Path);
}

#[tokio::test]
async fn d23_the_path_and_version_of_what_is_used_are_shown() {
    let machine = Machine::new().path(&["d1"]);
    let first = machine.script("d1/copilot", "echo '1.0.70'; echo 'Commit: abc'");
    machine.script("home/.local/bin/copilot", GOOD);
    let launcher = machine.launcher();
    found(&search(&launcher).await, &first, Via::Path);
    let status = &launcher.agents().await[0];
    assert_eq!((status.path.as_deref(), status.version.as_deref()), (Some(&*first), Some("1.0.70")));
}

#[tokio::test]
async fn d25_in_a_sandbox_nobody_is_told_of_a_typing_error() {
    let machine = Machine::new().var("FLATPAK_ID", "org.tolaria.Tolaria");
    let launcher =
        machine.builder().program(agent_launcher::AgentId::COPILOT, "/usr/local/bin/no-such-copilot").build();
    for search in [search(&launcher).await, machine.search().await] {
        let guidance = search.guidance.unwrap();
        assert_eq!((guidance.key.as_str(), guidance.params["sandbox"].as_str()), ("sandboxed", "Flatpak"));
        assert!(guidance.message.contains("Flatpak"), "{}", guidance.message);
    }
}

#[tokio::test]
async fn an_offer_to_install_is_no_agent_and_vs_codes_folder_ranks_last() {
    let stub = "home/.config/Code/User/globalStorage/github.copilot-chat/copilotCli";
    let machine = Machine::new().path(&[stub]);
    let body = "printf 'Cannot find GitHub Copilot CLI\\nInstall GitHub Copilot CLI? (y/N) '; read answer; exit 1";
    let prompt = machine.script(&format!("{stub}/copilot"), body);
    let search = machine.search().await;
    assert_eq!(verdict(&search, &prompt).0, Verdict::InstallPrompt);
    let guidance = search.guidance.unwrap();
    assert_eq!((guidance.code, guidance.key.as_str()), (Code::NotInstalled, "install_prompt"));
    let good = machine.script("home/.bun/bin/copilot", GOOD);
    let search = machine.search().await;
    found(&search, &good, Via::Bun);
    assert_eq!(verdict(&search, &prompt).0, Verdict::Deferred);
    let prompts = machine.starts().iter().filter(|start| start.starts_with(stub)).count();
    assert_eq!(prompts, 1, "only by the first search");
}

#[tokio::test]
async fn where_nothing_is_there_the_places_looked_at_are_named() {
    let machine = Machine::new();
    let search = machine.search().await;
    asked(&search, ShellStatus::Ok);
    assert!(search.candidates.iter().all(|candidate| candidate.verdict == Verdict::Missing), "{search:#?}");
    let guidance = search.guidance.unwrap();
    assert_eq!(guidance.code, Code::NotInstalled);
    assert!(guidance.message.contains("/usr/bin") && guidance.message.contains("Tolaria"), "{}", guidance.message);
    assert_eq!(machine.launcher().agents().await[0].status, Readiness::NotInstalled);
}

#[tokio::test]
async fn an_npm_install_is_started_by_its_native_binary_without_node() {
    let machine = Machine::new().path(&["prefix/bin"]);
    let package = "prefix/lib/node_modules/@github/copilot";
    machine.file(&format!("{package}/package.json"), r#"{"name":"@github/copilot"}"#);
    let loader = machine.program(&format!("{package}/npm-loader.js"), "#!/usr/bin/env no-such-node\n");
    let link = machine.link("prefix/bin/copilot", &loader);
    let arch = if cfg!(target_arch = "x86_64") { "x64" } else { "arm64" };
    let os = if cfg!(target_os = "macos") { "darwin" } else { "linux" };
    let native = machine.script(&format!("{package}-{os}-{arch}/copilot"), GOOD);
    let search = machine.search().await;
    found(&search, &link, Via::Path);
    assert_eq!(search.binary.as_ref().unwrap().program, native);
    assert_eq!(verdict(&search, &link).1, format!("version 1.0.102, runs `{}`", native.display()));
    // Where the binary does not work, the shim may.
    machine.script(&format!("{package}-{os}-{arch}/copilot"), "exit 1");
    machine.program(&format!("{package}/npm-loader.js"), format!("#!/bin/sh\n{GOOD}\n"));
    let search = machine.search().await;
    found(&search, &link, Via::Path);
    assert_eq!(search.binary.unwrap().program, link);
}
