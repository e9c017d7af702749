//! `--agents-file`: described agents through the command.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::json;

use super::{PLAIN, SCRIBE, bench, with};
use crate::support::Bench;
use crate::support::command::Ended;

const ANSWER: &str = "json {\"type\":\"delta\",\"channel\":\"answer\",\"delta\":{\"text\":\"Hello\"}}\njson {\"type\":\"bye\",\"code\":0}";

/// A bench with files that describe the two agents.
fn described(scenario: &str) -> Bench {
    let bench = bench(scenario).fake("plain", "probe out plain 1.0.0\nread-stdin\nout Plainly");
    std::fs::write(bench.root().join("scribe.toml"), SCRIBE).unwrap();
    std::fs::write(bench.root().join("plain.toml"), PLAIN).unwrap();
    bench
}

fn file(bench: &Bench, name: &str) -> String {
    bench.root().join(name).to_str().unwrap().to_owned()
}

#[test]
fn the_command_lists_plans_and_asks_a_described_agent() {
    let bench = described(ANSWER);
    let (scribe, plain) = (file(&bench, "scribe.toml"), file(&bench, "plain.toml"));
    let vault = file(&bench, "vault");
    let agents = bench.run(&["agents", "--json", "--agents-file", &scribe, "--agents-file", &plain]).json();
    let ids: Vec<_> = agents.as_array().unwrap().iter().map(|agent| agent["agent"].as_str().unwrap()).collect();
    assert_eq!(ids[ids.len() - 2..], ["scribe", "plain"]);
    let doctor = bench.run(&["doctor", "scribe", "--json", "--agents-file", &scribe]).json();
    assert_eq!((&doctor["agent"], &doctor["auth_variables"]), (&json!("scribe"), &json!([])));

    let common = ["--agents-file", &scribe, "--agent", "scribe", "--vault", &vault, "--session-id", "s-1"];
    let plan = bench.run(&[&["plan", "--json"], &common[..], &["hi"]].concat()).json();
    let asked = bench.run(&[&["ask"], &common[..], &["hi"]].concat());
    assert_eq!((asked.code, asked.stdout.as_str()), (Some(0), "Hello\n"), "{asked:?}");
    let runs = bench.runs();
    assert_eq!(json!(runs[0].args()), plan["args"], "what `plan` prints is what `ask` starts");

    let power = bench.run(&[
        "ask",
        "--json",
        "--mode",
        "power-user",
        "--agents-file",
        &plain,
        "--agent",
        "plain",
        "--vault",
        &vault,
        "hi",
    ]);
    assert_eq!(power.code, Some(2), "a mode that is not described is wrong usage: {power:?}");
    assert_eq!(power.json()["error"], "plain cannot run in this mode: its definition has no `[modes.power_user]`");
}

#[test]
fn the_command_explains_a_described_agents_failure() {
    let bench = described("err Error: Nobody is logged in to Scribe.\nexit 1");
    let (scribe, vault) = (file(&bench, "scribe.toml"), file(&bench, "vault"));
    let asked = bench.run(&["ask", "--json", "--agents-file", &scribe, "--agent", "scribe", "--vault", &vault, "hi"]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    let mut command = bench.command(&["classify", "--json", "--agents-file", &scribe, "--agent", "scribe"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"Error: Nobody is logged in to Scribe.\n").unwrap();
    assert_eq!(bench.end(child).json()["code"], "not_signed_in");
}

#[test]
fn a_variable_names_the_files_and_the_flag_wins_over_it() {
    let bench = described("");
    let listed = |args: &[&str]| {
        let paths = std::env::join_paths([file(&bench, "plain.toml"), file(&bench, "scribe.toml")]).unwrap();
        let mut command = bench.command(&[&["agents", "--json"], args].concat());
        let child = command.env("AGENT_LAUNCHER_AGENTS_FILE", paths).spawn().unwrap();
        let agents = bench.end(child).json();
        let ids = agents.as_array().unwrap().iter().map(|agent| agent["agent"].as_str().unwrap().to_owned());
        let ids: Vec<String> = ids.collect();
        ids
    };
    let ids = listed(&[]);
    assert_eq!(ids[ids.len() - 2..], ["plain", "scribe"]);
    let ids = listed(&["--agents-file", &file(&bench, "scribe.toml")]);
    assert!(ids.contains(&"scribe".to_owned()) && !ids.contains(&"plain".to_owned()), "{ids:?}");
}

#[test]
fn a_bad_file_is_told_by_name_and_line_before_anything_starts() {
    let bench = described("");
    let bad = with(SCRIBE, "name = \"Scribe\"", "nmae = \"Scribe\"");
    std::fs::write(bench.root().join("bad.toml"), bad).unwrap();
    std::fs::write(bench.root().join("binary.toml"), [0xff, 0xfe, 0x00]).unwrap();
    let (bad, vault) = (file(&bench, "bad.toml"), file(&bench, "vault"));
    let said = "`[ROOT]/bad.toml`, line 4, column 1: a definition has no key `nmae`; it may have ";
    let commands: [&[&str]; 5] = [
        &["agents"],
        &["doctor"],
        &["classify", "--agent", "scribe"],
        &["plan", "--agent", "scribe", "--vault", &vault, "hi"],
        &["ask", "--agent", "scribe", "--vault", &vault, "hi"],
    ];
    for command in commands {
        let ended = bench.run(&[command, &["--agents-file", &bad]].concat());
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{command:?}: {ended:?}");
        assert!(ended.stderr.starts_with(&format!("error: {said}")), "{ended:?}");
        assert!(ended.stderr.ends_with("\n\nhint: the format is described in docs/CUSTOM.md\n"), "{ended:?}");
    }
    let json = bench.run(&["agents", "--json", "--agents-file", &bad]).json();
    assert!(json["error"].as_str().unwrap().starts_with(said), "{json}");
    assert_eq!(json["exit_code"], 2);
    let ended = bench.run(&["agents", "--agents-file", &file(&bench, "none.toml")]);
    let stderr =
        "error: --agents-file: `[ROOT]/none.toml` cannot be read: No such file or directory (os error 2)\n".to_owned();
    assert_eq!(ended, Ended { code: Some(2), stdout: String::new(), stderr });
    let ended = bench.run(&["agents", "--agents-file", &file(&bench, "binary.toml")]);
    assert!(ended.stderr.contains("cannot be read: it is not UTF-8"), "{ended:?}");
    let twice = file(&bench, "plain.toml");
    let ended = bench.run(&["agents", "--agents-file", &twice, "--agents-file", &twice]);
    assert!(ended.stderr.contains("line 3, column 6: another definition has the id `plain`"), "{ended:?}");
    assert_eq!(bench.calls().len(), 0, "nothing was started");
}
