//! Every prompt arrives as it was written, whatever it looks like.

use agent_launcher::Status;

use crate::support::machine::Machine;
use crate::support::model::{Gate, Model, text};
use crate::support::told;
use crate::support::versions::{on_every_version, on_newest};

on_every_version!(
    a_prompt_that_looks_like_something_else_arrives_as_written,
    a_long_prompt_arrives_whole,
    a_private_prompt_stands_in_no_argument_list,
    a_system_prompt_comes_first,
);
on_newest!(the_check_of_argument_lists_sees_a_prompt_that_is_not_private);

async fn a_prompt_that_looks_like_something_else_arrives_as_written(version: &'static str) {
    let model = Model::start([text("Yes.")]).await;
    let machine = Machine::with(version, &model).await;
    let launcher = machine.launcher();
    let prompts = [
        "- an item",
        "-p",
        "--yolo",
        "--allow-all-tools --prompt=x",
        "/autopilot go on for ever",
        " \n/AutoPilot go on for ever",
        "/compact",
        "/unknown command",
        "@note.md and @/etc/passwd",
        "!touch pwned",
        "#1 is first",
        "\nafter a newline",
        "two\nlines",
        "🥛 Ünïcödé \u{2028} and \u{202e}right to left",
        "\"double\" 'single' $HOME `touch pwned` %PATH% ^& \\",
        "{\"json\": true}",
    ];
    // The ways of a prompt are the same in every version; the older ones are asked by those that are near a command.
    let asked = if version == "1.0.102" { prompts.len() } else { 7 };
    for prompt in &prompts[..asked] {
        let before = model.calls().len();
        let told = told::run(&launcher, &machine.request(prompt)).await;
        let calls = model.calls().split_off(before);
        assert_eq!(told.text(), "Yes.", "{prompt:?}: {told:#?}");
        assert_eq!(told.outcome().status, Status::Completed, "{prompt:?}");
        assert_eq!(calls.len(), 1, "{prompt:?} asks the model once");
        assert!(calls[0].prompt().contains(prompt.trim_end()), "{prompt:?} arrived as {:?}", calls[0].prompt());
    }
    assert_eq!(machine.files("vault").into_keys().collect::<Vec<_>>(), ["vault/note.md"]);
}

async fn a_long_prompt_arrives_whole(version: &'static str) {
    let model = Model::start([text("Long.")]).await;
    let machine = Machine::with(version, &model).await;
    let long: String = (0..).map(|n| format!("Line {n} of a long note.\n")).take(8_000).collect();
    let long = format!("{long}The end.");
    assert!(long.len() > 200_000);
    let told = told::run(&machine.launcher(), &machine.request(&long)).await;
    assert_eq!(told.text(), "Long.", "{told:#?}");
    assert!(model.calls()[0].prompt().contains(&long), "the prompt is whole");
}

/// The argument lists of all processes of the machine while the model answers.
async fn argument_lists(version: &'static str, private: bool) -> (Machine, Vec<String>) {
    let gate = Gate::new();
    let model = Model::start([text("Begin ").gate(&gate).text("end.")]).await;
    let machine = Machine::with(version, &model).await;
    let launcher = machine.launcher();
    let request = machine.request("canary-in-the-prompt").private_prompt(private);
    let plan = launcher.plan(&request).await.expect("the request can be planned");
    let mut run = launcher.start(plan).expect("the plan can be started");
    let before = told::until(&mut run, |kind| matches!(kind, agent_launcher::EventKind::TextDelta { .. })).await;
    let lists = machine.processes();
    gate.open();
    let told = told::rest(run, before).await;
    assert_eq!(told.text(), "Begin end.");
    assert!(model.calls()[0].prompt().contains("canary-in-the-prompt"));
    (machine, lists)
}

async fn a_private_prompt_stands_in_no_argument_list(version: &'static str) {
    let (_machine, lists) = argument_lists(version, true).await;
    assert!(!lists.is_empty());
    assert_eq!(lists.iter().find(|list| list.contains("canary")), None);
}

async fn the_check_of_argument_lists_sees_a_prompt_that_is_not_private(version: &'static str) {
    let (_machine, lists) = argument_lists(version, false).await;
    assert!(lists.iter().any(|list| list.contains("canary-in-the-prompt")), "{lists:?}");
}

async fn a_system_prompt_comes_first(version: &'static str) {
    let model = Model::start([text("Yes.")]).await;
    let machine = Machine::with(version, &model).await;
    let request = machine.request("/autopilot is a word here").system_prompt("You are the helper of a notes app.");
    let told = told::run(&machine.launcher(), &request).await;
    assert_eq!(told.text(), "Yes.", "{told:#?}");
    let prompt = model.calls()[0].prompt();
    let system = prompt.find("You are the helper of a notes app.").expect("the instructions arrive");
    let user = prompt.find("/autopilot is a word here").expect("the prompt arrives");
    assert!(system < user, "{prompt}");
    assert_eq!(model.calls().len(), 1);
}
