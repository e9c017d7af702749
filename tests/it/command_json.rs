//! `agents`, `doctor`, `plan` and `classify`: the JSON that other programs are written against.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::Bench;
use crate::support::command::Ended;

fn classify(bench: &Bench, args: &[&str], stderr: &str) -> Ended {
    let all = [&["classify", "--agent", "copilot"][..], args].concat();
    let mut child = bench.command(&all).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(stderr.as_bytes()).unwrap();
    bench.end(child)
}

/// The keys of an object, sorted.
fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

#[test]
fn agents_tells_what_is_ready_and_where() {
    let bench = Bench::copilot("version 1.0.80");
    let ended = bench.run(&["agents", "--json"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
    let expected = json!({
        "agent": "copilot", "name": "GitHub Copilot CLI", "status": "ready", "path": "[ROOT]/bin/copilot",
        "version": "1.0.80", "via": "path",
    });
    assert_eq!(ended.json()[0], expected);
    let names: Vec<String> =
        ended.json().as_array().unwrap().iter().map(|agent| agent["agent"].as_str().unwrap().to_owned()).collect();
    assert!(!names.contains(&"demo".to_owned()), "{names:?}");
    let ended = bench.run(&["agents"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
    let row = "copilot  ready          GitHub Copilot CLI 1.0.80 [ROOT]/bin/copilot (path)";
    assert_eq!(
        ended.stdout.lines().next().map(|line| line.split_whitespace().collect::<Vec<_>>()),
        Some(row.split_whitespace().collect())
    );
}

#[test]
fn agents_tells_what_to_do_for_an_agent_that_is_not_there() {
    let bench = Bench::new();
    let ended = bench.run(&["agents", "--json"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let copilot = &ended.json()[0];
    assert_eq!(keys(copilot), ["agent", "guidance", "name", "status"]);
    assert_eq!(
        (&copilot["status"], &copilot["guidance"]["code"]),
        (&"not_installed".into(), &"not_installed".into()),
        "{copilot}"
    );
    let step = json!({ "kind": "run", "command": "npm install -g @github/copilot" });
    assert!(copilot["guidance"]["steps"].as_array().unwrap().contains(&step), "{copilot}");
}

#[test]
fn doctor_tells_every_place_looked_at_in_order() {
    let bench = Bench::copilot("");
    let ended = bench.run(&["doctor", "copilot", "--json"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
    let doctor = ended.json();
    for key in ["agent", "auth_variables", "candidates", "child_environments", "chosen", "login_shell", "path"] {
        assert!(keys(&doctor).contains(&key), "{key}: {doctor}");
    }
    assert_eq!((&doctor["agent"], &doctor["chosen"]), (&"copilot".into(), &"[ROOT]/bin/copilot".into()), "{doctor}");
    for key in ["elapsed_ms", "shell", "status"] {
        assert!(keys(&doctor["login_shell"]).contains(&key), "{key}: {doctor}");
    }
    let candidates = doctor["candidates"].as_array().unwrap();
    let chosen: Vec<&Value> = candidates.iter().filter(|candidate| candidate["verdict"] == "chosen").collect();
    assert_eq!(chosen.len(), 1, "{doctor}");
    assert_eq!((&chosen[0]["path"], &chosen[0]["via"]), (&"[ROOT]/bin/copilot".into(), &"path".into()), "{doctor}");
    for candidate in candidates {
        assert_eq!(keys(candidate), ["detail", "path", "verdict", "via"], "{candidate}");
    }
}

#[test]
fn doctor_tells_by_name_what_servers_and_shells_get_of_the_environment() {
    let bench = Bench::copilot("");
    let names = ["GH_TOKEN", "DATABASE_PASSWORD", "EDITOR", "COPILOT_ALLOW_ALL", "HTTPS_PROXY"];
    let doctor = |args: &[&str]| {
        let mut command = bench.command(args);
        command.envs(names.map(|name| (name, "canary")));
        bench.end(command.spawn().unwrap())
    };
    let ended = doctor(&["doctor", "copilot", "--json"]);
    let json = ended.json();
    let has = |mode: usize, list: &str, name: &str| {
        json["child_environments"][mode][list].as_array().unwrap().contains(&name.into())
    };
    let modes = json["child_environments"].as_array().unwrap().iter().map(|child| child["mode"].clone());
    assert_eq!(modes.collect::<Vec<_>>(), ["safe", "power_user"]);
    for (name, safe, power_user) in [
        ("HOME", true, true),
        ("HTTPS_PROXY", true, true),
        ("EDITOR", false, true),
        ("GH_TOKEN", false, false),
        ("DATABASE_PASSWORD", false, false),
        ("COPILOT_ALLOW_ALL", false, false),
    ] {
        for (mode, gets) in [safe, power_user].into_iter().enumerate() {
            assert_eq!((has(mode, "gets", name), has(mode, "withheld", name)), (gets, !gets), "{name} {mode}");
        }
    }
    let text = doctor(&["doctor", "copilot"]);
    assert!(text.stdout.contains("MCP servers and shells, power user"), "{text:?}");
    assert!(!ended.stdout.contains("canary") && !text.stdout.contains("canary"), "names alone: {text:?}");
}

#[test]
fn doctor_without_an_agent_tells_of_all() {
    let bench = Bench::copilot("");
    let all = bench.run(&["doctor", "--json"]).json();
    let agents = bench.run(&["agents", "--json"]).json();
    let ids = |list: &Value| list.as_array().unwrap().iter().map(|row| row["agent"].clone()).collect::<Vec<_>>();
    assert_eq!(ids(&all), ids(&agents));
    let text = bench.run(&["doctor"]);
    assert_eq!(text.code, Some(0));
    assert!(text.stdout.starts_with("copilot\n  chosen       [ROOT]/bin/copilot"), "{}", text.stdout);
}

#[test]
fn doctor_names_sign_in_variables_and_never_their_values() {
    let bench = Bench::copilot("");
    for args in [&["doctor", "copilot", "--json"][..], &["doctor", "copilot"]] {
        let ended = bench.end(bench.command(args).env("GH_TOKEN", "canary-token-1").spawn().unwrap());
        assert!(ended.stdout.contains("GH_TOKEN"), "{ended:?}");
        assert!(!format!("{ended:?}").contains("canary"), "{ended:?}");
    }
}

#[test]
fn a_path_that_the_person_chose_wins_and_is_checked() {
    let bench = Bench::copilot("").fake("mine", "out 1.0.99");
    let mine = bench.bin().join("copilot");
    let other = Bench::new();
    let ended = other.run(&["doctor", "copilot", "--json", "--program", mine.to_str().unwrap()]);
    assert_eq!(ended.json()["chosen"], mine.to_str().unwrap(), "{ended:?}");
    assert_eq!(ended.json()["candidates"][0]["via"], "override", "{ended:?}");
    let ended = other.run(&["doctor", "copilot", "--json", "--program", "/none/copilot"]);
    assert_eq!(ended.json()["candidates"][0]["verdict"], "missing", "{ended:?}");
}

#[test]
fn classify_explains_a_captured_stderr() {
    let bench = Bench::new();
    let ended = classify(&bench, &["--json", "--exit-code", "1"], "Error: No authentication information found.\n");
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
    let guidance = ended.json();
    assert_eq!(keys(&guidance), ["code", "evidence", "key", "message", "params", "steps", "title"]);
    assert_eq!(guidance["code"], "not_signed_in");
    let ended = classify(&bench, &["--json"], "Error: author not found\n");
    assert_eq!(ended.json()["code"], "unknown", "{ended:?}");
    let ended = classify(&bench, &[], "Error: No authentication information found.\n");
    assert!(ended.stdout.contains(". In a terminal, run: copilot login\n"), "{}", ended.stdout);
}

#[test]
fn classify_bears_any_bytes() {
    let bench = Bench::new();
    let mut child = bench.command(&["classify", "--agent", "copilot", "--json"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"\xff\xfe\0\x1b[31m\xf0\x9f").unwrap();
    let ended = bench.end(child);
    assert_eq!((ended.code, &ended.json()["code"]), (Some(0), &"unknown".into()), "{ended:?}");
}

#[test]
fn classify_reads_a_flood_to_its_end_where_the_last_words_stand() {
    let bench = Bench::new();
    let mut child = bench.command(&["classify", "--agent", "copilot", "--json"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for _ in 0..40 {
        stdin.write_all(&b"downloading a part of the index\n".repeat(16 * 1024)).expect("it reads to the end");
    }
    stdin.write_all(b"Error: No authentication information found.\n").expect("it reads to the end");
    drop(stdin);
    let ended = bench.end(child);
    assert_eq!((ended.code, &ended.json()["code"]), (Some(0), &"not_signed_in".into()), "{ended:?}");
}
