use std::path::{Path, PathBuf};

use agent_launcher::discover::{Readiness, Search, Verdict, Via};
use agent_launcher::{AgentId, Code, Error, Request};

use super::{GOOD, Machine, found, search, verdict};

async fn choose(machine: &Machine, path: impl Into<PathBuf>) -> Search {
    search(&machine.builder().program(AgentId::COPILOT, path).build()).await
}

#[tokio::test]
async fn d04_the_path_that_the_person_chose_wins() {
    let machine = Machine::new().path(&["bin"]);
    machine.script("bin/copilot", GOOD);
    let wrapper = machine.script("company tools/start copilot.sh", GOOD);
    found(&choose(&machine, &wrapper).await, &wrapper, Via::Override);
    assert_eq!(machine.starts(), ["company tools/start copilot.sh --version"]);
    // Written as people write it.
    let at_home = machine.script("home/x/copilot", GOOD);
    found(&choose(&machine, "~/x/copilot").await, &at_home, Via::Override);
}

#[tokio::test]
async fn d04_a_chosen_path_that_cannot_be_used_is_a_clear_error_and_nothing_else_runs() {
    let machine = Machine::new().path(&["bin"]);
    let other = machine.script("bin/copilot", GOOD);
    std::fs::create_dir(machine.at("folder")).unwrap();
    let text = |path: PathBuf| path.to_str().unwrap().to_owned();
    let plain = machine.file("plain", "#!/bin/sh\n");
    let dangling = machine.link("dangling", Path::new("/no/such"));
    let impostor = machine.script("impostor", "echo 3.14159");
    let mute = machine.script("mute", "exit 0");
    let command = format!("{} --verbose", other.display());
    for (path, verdict_of, code, detail) in [
        (text(machine.at("folder")), Verdict::NotAFile, Code::BrokenInstall, "it is a folder, not a program"),
        (
            "the one I use at work".into(),
            Verdict::Missing,
            Code::BrokenInstall,
            "it is a command or a sentence; give the absolute path of the program alone",
        ),
        (
            "npx @github/copilot".into(),
            Verdict::Missing,
            Code::BrokenInstall,
            "it is a command or a sentence; give the absolute path of the program alone",
        ),
        (command, Verdict::Missing, Code::BrokenInstall, "it is a command with arguments; give the path alone"),
        ("copilot".into(), Verdict::Missing, Code::BrokenInstall, "it is not an absolute path"),
        ("./copilot".into(), Verdict::Missing, Code::BrokenInstall, "it is not an absolute path"),
        (String::new(), Verdict::Missing, Code::BrokenInstall, "it is empty"),
        ("/no/such/copilot".into(), Verdict::Missing, Code::BrokenInstall, "nothing is there"),
        (text(dangling), Verdict::Missing, Code::BrokenInstall, "it is a link to a file that is gone"),
        (text(plain), Verdict::NotExecutable, Code::NotExecutable, "not marked as executable"),
        (text(impostor), Verdict::Impostor, Code::BrokenInstall, "another program of that name: it answered `3.14159`"),
        (text(mute), Verdict::Broken, Code::BrokenInstall, "printed nothing when asked for its version"),
    ] {
        let search = choose(&machine, &path).await;
        assert_eq!(search.binary, None, "{path}");
        let first = &search.candidates[0];
        let said = first.detail.split("; its folder").next().unwrap();
        assert_eq!((first.via, first.verdict, said), (Via::Override, verdict_of, detail), "{path}");
        let guidance = search.guidance.as_ref().unwrap();
        assert_eq!((guidance.code, guidance.key.as_str()), (code, "chosen_path"), "{path}");
        assert!(guidance.message.contains(detail), "{}", guidance.message);
        // What would be found is named, and was not started.
        assert_eq!(verdict(&search, &other).0, Verdict::Deferred);
        assert_eq!(guidance.params["other"], other.display().to_string());
    }
    assert!(machine.starts().iter().all(|start| !start.starts_with("bin/")), "{:?}", machine.starts());
}

#[tokio::test]
async fn i17_a_missing_folder_interpreter_and_program_are_three_errors() {
    let machine = Machine::new().path(&["bin"]);
    let launcher = machine.launcher();
    let request = Request::new(AgentId::COPILOT, machine.at("gone"), "hello");
    machine.script("bin/copilot", GOOD);
    let error = launcher.plan(&request).await.unwrap_err();
    assert!(matches!(&error, Error::VaultMissing { path } if *path == machine.at("gone")), "{error:?}");

    std::fs::create_dir(machine.at("vault")).unwrap();
    let request = Request::new(AgentId::COPILOT, machine.at("vault"), "hello");
    let plan = async |machine: &Machine| match machine.launcher().plan(&request).await {
        Err(Error::Setup(guidance)) => guidance,
        other => panic!("{other:?}"),
    };
    machine.program("bin/copilot", "#!/no/such/interpreter\n");
    let guidance = plan(&machine).await;
    assert_eq!(guidance.code, Code::InterpreterMissing);
    assert!(guidance.message.contains("/no/such/interpreter"), "{}", guidance.message);

    std::fs::remove_file(machine.at("bin/copilot")).unwrap();
    assert_eq!(plan(&machine).await.code, Code::NotInstalled);
}

#[tokio::test]
async fn a_chosen_path_is_shown_as_broken_in_the_status() {
    let machine = Machine::new();
    let launcher = machine.builder().program(AgentId::COPILOT, "/no/such/copilot").build();
    let status = &launcher.agents().await[0];
    assert_eq!((status.status, &status.path, &status.version), (Readiness::Broken, &None, &None));
}
