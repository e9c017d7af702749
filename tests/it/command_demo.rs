//! `--agent demo`: the whole way of a run on a machine with no agent; and what a terminal is shown.

use serde_json::json;

use crate::support::Bench;
use crate::support::command::COMMAND;

fn demo(bench: &Bench, args: &[&str]) -> crate::support::command::Ended {
    let vault = bench.vault();
    bench.run(&[&["ask", "--agent", "demo", "--vault", vault.to_str().unwrap()][..], args].concat())
}

/// A bench with no agent and two notes.
fn notes() -> Bench {
    let bench = Bench::new();
    for name in ["alpha.md", "beta.md", ".hidden"] {
        std::fs::write(bench.vault().join(name), "text").unwrap();
    }
    bench
}

#[test]
fn the_demo_runs_where_nothing_is_installed_and_says_that_it_is_one() {
    let bench = notes();
    let ended = demo(&bench, &["What is here?"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let expected = "This is the demo agent of agent-launcher: a script, not a model. You asked: “What is here?”\n\n\
        Your vault holds alpha.md, beta.md. I tried a shell command and was refused, as Safe mode promises. \
        Nothing was changed.\n";
    assert_eq!(ended.stdout, expected);
    assert!(ended.stderr.contains("note: this is a demo: a script answers"), "{ended:?}");
    assert!(ended.stderr.contains("shell was refused: Safe mode has no shell"), "{ended:?}");
}

#[test]
fn the_demo_goes_the_whole_way_of_a_run() {
    let bench = notes();
    let ended = demo(&bench, &["--json", "hi"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
    let mut kinds = ended.kinds();
    kinds.dedup();
    let expected = [
        "Init",
        "Notice",
        "TextDelta",
        "ToolStart",
        "ToolDone",
        "TextDelta",
        "ToolStart",
        "ToolDone",
        "TextDelta",
        "Usage",
        "Notice",
        "Done",
    ];
    assert_eq!(kinds, expected);
    let events = ended.events();
    assert_eq!((&events[0]["agent"], &events[0]["agent_version"]), (&"demo".into(), &env!("CARGO_PKG_VERSION").into()));
    let outcome = ended.outcome();
    assert_eq!((&outcome["status"], &outcome["denied_tools"]), (&"completed".into(), &1.into()), "{outcome}");
    assert_eq!(outcome["session_id"], events[0]["session_id"]);
}

#[test]
fn the_demo_changes_nothing() {
    let bench = notes();
    for mode in ["safe", "power-user"] {
        assert_eq!(demo(&bench, &["--mode", mode, "hi"]).code, Some(0));
    }
    let mut names: Vec<_> = std::fs::read_dir(bench.vault()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, [".hidden", "alpha.md", "beta.md"]);
    assert_eq!(std::fs::read_dir(bench.home()).unwrap().count(), 0);
}

#[test]
fn the_demo_refuses_what_a_script_cannot_honour() {
    let bench = notes();
    let server = r#"{"name":"tolaria","command":"/bin/sh"}"#;
    for args in [
        &["--model", "gpt-5", "hi"][..],
        &["--resume", "s", "hi"],
        &["--system", "be kind", "hi"],
        &["--mcp", server, "hi"],
        &["--private-prompt", "hi"],
        &["--extra-arg=--x", "hi"],
    ] {
        let ended = demo(&bench, args);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{args:?}: {ended:?}");
        assert!(ended.stderr.starts_with("error: demo cannot "), "{args:?}: {ended:?}");
    }
}

#[test]
fn the_plan_of_the_demo_is_the_command_itself() {
    let bench = notes();
    let vault = bench.vault();
    let plan = bench.run(&["plan", "--json", "--agent", "demo", "--vault", vault.to_str().unwrap(), "--", "-x"]).json();
    assert_eq!(plan["program"], COMMAND);
    assert_eq!((&plan["args"][0], &plan["args"][3]), (&json!("demo-agent"), &json!("--prompt=-x")), "{plan}");
}

#[test]
fn in_a_pipe_there_is_no_escape_code_and_no_spinner() {
    let bench = notes();
    for args in [&["hi"][..], &["--json", "hi"]] {
        let ended = demo(&bench, args);
        assert!(!format!("{}{}", ended.stdout, ended.stderr).contains(['\u{1b}', '\r']), "{ended:?}");
    }
}

/// Runs the demo on a terminal of its own; all that was shown there.
#[cfg(target_os = "linux")]
fn on_a_terminal(bench: &Bench, vars: &[(&str, &str)], flag: &str) -> String {
    let line = format!("{COMMAND} {flag} ask --agent demo --vault '{}' hi", bench.vault().display());
    let mut command = bench.program("/usr/bin/script", &["--quiet", "--return", "--command", &line, "/dev/null"]);
    command.env("TERM", "xterm").env("SHELL", "/bin/sh").envs(vars.iter().copied());
    let ended = bench.end(command.spawn().unwrap());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("Nothing was changed."), "{ended:?}");
    ended.stdout
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_notes_are_dim_and_a_spinner_turns_unless_told_otherwise() {
    let bench = notes();
    let dim = "\u{1b}[2m→ list";
    let spinner = "\r\u{1b}[K";
    let shown = on_a_terminal(&bench, &[], "");
    assert!(shown.contains(dim) && shown.contains(spinner), "{shown:?}");
    for (vars, flag) in [(&[("NO_COLOR", "1")][..], ""), (&[], "--no-color")] {
        let shown = on_a_terminal(&bench, vars, flag);
        assert!(!shown.contains("\u{1b}[2m") && shown.contains("→ list"), "{shown:?}");
    }
    let shown = on_a_terminal(&bench, &[("NO_COLOR", "")], "");
    assert!(shown.contains(dim), "an empty NO_COLOR does not count: {shown:?}");
    let shown = on_a_terminal(&bench, &[("TERM", "dumb")], "");
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
}
