//! The prompt arrives as it was written, whatever it begins with and however long it is, on the real Claude Code.

use agent_launcher::Status;

use crate::support::anthropic::{self, on_every_claude, on_newest_claude};
use crate::support::model::{Model, text};
use crate::support::told;

on_every_claude!(a_prompt_of_any_kind_arrives_as_it_is);
on_newest_claude!(a_long_system_prompt_and_a_private_one_arrive);

async fn a_prompt_of_any_kind_arrives_as_it_is(version: &'static str) {
    let model = Model::start([text("Yes.")]).await;
    let machine = anthropic::with(version, &model).await;
    machine.write("outside/secret.md", "SECRET-OUTSIDE\n");
    let launcher = machine.launcher();
    let long = format!("BEGIN {} END", "long words ".repeat(20_000));
    let outside = format!("@{} what does it say?", machine.outside().join("secret.md").display());
    let prompts = [
        "- [ ] do the thing",
        "-p",
        "--help",
        "---\ntitle: x\n---\n",
        "/config verbose=true",
        " /cost",
        "\n\u{feff}/clear",
        "/// <summary>",
        "!touch ran-a-shell",
        "# remember this",
        "$HOME and `id` and $(id) \"quoted\" 'too' 100% \u{1f600}",
        &outside,
        &long,
    ];
    for prompt in prompts {
        let before = model.calls().len();
        let told = told::run(&launcher, &machine.request(prompt)).await;
        assert_eq!(told.text(), "Yes.", "{prompt:.80}: {told:#?}");
        assert_eq!(told.outcome().status, Status::Completed, "{prompt:.80}");
        let calls = model.calls();
        assert_eq!(calls.len(), before + 1, "{prompt:.80}: the model was asked once");
        let asked = calls[before].messages("user").join("\n");
        assert!(asked.contains(prompt.trim()), "{prompt:.80}: {asked:.2000}");
    }
    assert_eq!(machine.read("home/.claude/settings.json"), None, "no command wrote the person's settings");
    assert_eq!(machine.read("vault/ran-a-shell"), None);
    let all: String = model.all_calls().iter().map(|call| call.body.to_string()).collect();
    assert!(!all.contains("SECRET-OUTSIDE"), "a file outside is not brought in by its name");
}

async fn a_long_system_prompt_and_a_private_one_arrive(version: &'static str) {
    let model = Model::start([text("Yes.")]).await;
    let machine = anthropic::with(version, &model).await;
    let launcher = machine.launcher();
    let long = format!("BEGIN {} END", "words ".repeat(40_000));
    for (system, private) in [(long.as_str(), false), ("PRIVATE-SYSTEM", true), ("-x\nUSUAL-SYSTEM", false)] {
        let request = machine.request("Hello.").system_prompt(system).private_prompt(private);
        let plan = launcher.plan(&request).await.expect("the request can be planned");
        let told = told::rest(launcher.start(plan).expect("the plan can be started"), Vec::new()).await;
        assert_eq!(told.text(), "Yes.", "{told:#?}");
        assert!(anthropic::system(&model.calls().pop().unwrap()).contains(system));
    }
    assert_eq!(machine.files("tmp").keys().filter(|path| path.contains("system-prompt")).count(), 0, "no file is left");
}
