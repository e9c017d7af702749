//! What a request to Copilot becomes: what `plan` prints is what `ask` starts, what must not get through is refused.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::Bench;

fn path(bench: &Bench, name: &str) -> String {
    bench.root().join(name).to_str().unwrap().to_owned()
}

/// The keys of an object, sorted.
fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

#[test]
fn a_private_prompt_is_in_no_argument() {
    let bench = Bench::copilot("");
    let ended = bench.ask(&["--private-prompt", "my secret diary"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let runs = bench.runs();
    let call = runs.last().unwrap();
    assert!(call.args().iter().all(|arg| !arg.contains("diary")), "{call:?}");
    assert_eq!(call.stdin.as_deref(), Some("my secret diary"));
}

#[test]
fn a_long_prompt_arrives_whole() {
    let bench = Bench::copilot("");
    let prompt = "0123456789".repeat(20_000);
    let mut child = bench.asking(&["--json", "-"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(prompt.as_bytes()).unwrap();
    let ended = bench.end(child);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let runs = bench.runs();
    assert_eq!(runs.last().unwrap().stdin.as_deref(), Some(prompt.as_str()));
}

#[test]
fn a_prompt_may_begin_with_a_dash_after_two_dashes() {
    let bench = Bench::copilot("");
    for prompt in ["--yolo", "-x", "- item", "/compact", "@note.md", "--"] {
        let ended = bench.ask(&["--", prompt]);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), "Hello from the fake\n"), "{prompt}: {ended:?}");
        let runs = bench.runs();
        let call = runs.last().unwrap();
        let given = call.args().iter().any(|arg| arg.ends_with(prompt))
            || call.stdin.as_deref().is_some_and(|stdin| stdin.ends_with(prompt));
        assert!(given, "{prompt}: {call:?}");
    }
}

#[test]
fn a_variable_reaches_the_agent_and_is_printed_nowhere() {
    let bench = Bench::copilot("").fake("node", "");
    let server = r#"{"name":"tolaria","command":"node","env":{"TOLARIA_TOKEN":"canary-mcp-1"}}"#;
    let args =
        ["--json", "--env", "COPILOT_PROVIDER_API_KEY=canary-env-2", "--env", "HANDED_ON", "--mcp", server, "hi"];
    let child = bench.asking(&args).env("HANDED_ON", "canary-env-3").spawn().unwrap();
    let ended = bench.end(child);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(!format!("{ended:?}").contains("canary"), "{ended:?}");
    let runs = bench.runs();
    let call = runs.last().unwrap();
    assert_eq!(call.env.get("COPILOT_PROVIDER_API_KEY").map(String::as_str), Some("canary-env-2"));
    assert_eq!(call.env.get("HANDED_ON").map(String::as_str), Some("canary-env-3"));
    assert!(!format!("{:?}", call.argv).contains("canary"), "{call:?}");
}

#[test]
fn a_plan_is_an_object_with_no_secret() {
    let bench = Bench::copilot("").fake("node", "");
    let vault = bench.vault();
    let server = r#"{"name":"tolaria","command":"node","args":["s.js"],"env":{"T":"canary-1"}}"#;
    let args = [
        "plan",
        "--json",
        "--agent",
        "copilot",
        "--vault",
        vault.to_str().unwrap(),
        "--stream-id",
        "panel-3",
        "--mcp",
        server,
        "--env",
        "TOKEN=canary-2",
        "hi",
    ];
    let ended = bench.run(&args);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
    let plan = ended.json();
    assert_eq!(
        keys(&plan),
        ["agent", "args", "cwd", "env", "files", "mode", "program", "stdin", "stream_id"],
        "{plan}"
    );
    assert_eq!(
        (&plan["agent"], &plan["mode"], &plan["stream_id"], &plan["cwd"]),
        (&"copilot".into(), &"safe".into(), &"panel-3".into(), &"[ROOT]/vault".into())
    );
    assert_eq!(plan["stdin"], json!({ "kind": "null" }));
    assert_eq!(keys(&plan["env"]), ["remove", "secret", "set"]);
    assert!(plan["env"]["secret"].as_array().unwrap().contains(&"TOKEN".into()), "{plan}");
    let files = plan["files"].as_array().unwrap();
    assert_eq!(files.len(), 1, "{plan}");
    assert_eq!(keys(&files[0]), ["bytes", "purpose"]);
    assert!(!format!("{ended:?}").contains("canary"), "{ended:?}");
    let text = bench.run(&args.iter().copied().filter(|arg| *arg != "--json").collect::<Vec<_>>());
    assert_eq!(text.code, Some(0));
    assert!(text.stdout.starts_with("cd [ROOT]/vault\n"), "{}", text.stdout);
    assert!(!format!("{text:?}").contains("canary"), "{text:?}");
    assert_eq!(bench.runs().len(), 0, "a plan starts nothing");
}

#[test]
fn what_plan_prints_is_what_ask_starts() {
    let bench = Bench::copilot("");
    let vault = bench.vault();
    let session = "0b5c6d7e-8f90-4a1b-8c2d-3e4f5a6b7c8d";
    let prompts = ["hi", "--yolo", "it's a 'quoted' $HOME \"prompt\"\nof two lines"];
    for (mode, prompt) in [("safe", prompts[0]), ("power-user", prompts[1]), ("safe", prompts[2])] {
        let args = [
            "--json",
            "--agent",
            "copilot",
            "--vault",
            vault.to_str().unwrap(),
            "--stream-id",
            "panel-3",
            "--session-id",
            session,
            "--mode",
            mode,
            "--model",
            "gpt-5",
            "--",
            prompt,
        ];
        let plan = bench.run(&[&["plan"][..], &args].concat()).json();
        let ended = bench.run(&[&["ask"][..], &args].concat());
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let runs = bench.runs();
        let call = runs.last().unwrap();
        let root = bench.root().to_str().unwrap();
        let given: Vec<String> = call.args().iter().map(|arg| arg.replace(root, "[ROOT]")).collect();
        assert_eq!(plan["args"], json!(given), "{mode} {prompt}");
        assert_eq!(plan["program"], call.argv[0].replace(root, "[ROOT]"));
        for (name, value) in plan["env"]["set"].as_object().unwrap() {
            let given = call.env.get(name).map(|value| value.replace(root, "[ROOT]"));
            assert_eq!(given.as_deref(), value.as_str(), "{name}");
        }
        for name in plan["env"]["remove"].as_array().unwrap() {
            assert!(!call.env.contains_key(name.as_str().unwrap()), "{name}");
        }
    }
}

#[test]
fn a_forbidden_flag_in_the_extra_arguments_is_refused() {
    let bench = Bench::copilot("");
    let vault = path(&bench, "vault");
    for flag in ["--allow-all", "--yolo", "--allow-all-paths", "--allow-all-urls", "--allow-all=true"] {
        for mode in ["safe", "power-user"] {
            let extra = format!("--extra-arg={flag}");
            let args = ["ask", "--agent", "copilot", "--vault", &vault, "--mode", mode, &extra, "hi"];
            let ended = bench.run(&args);
            assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{flag} {mode}: {ended:?}");
            assert!(ended.stderr.starts_with(&format!("error: `{flag}` is refused: ")), "{flag} {mode}: {ended:?}");
            assert_eq!(bench.runs().len(), 0, "{flag} {mode}");
        }
    }
}

#[test]
fn a_forbidden_variable_is_refused_and_its_value_is_not_repeated() {
    let bench = Bench::copilot("");
    let vault = path(&bench, "vault");
    let ended =
        bench.run(&["ask", "--agent", "copilot", "--vault", &vault, "--env", "COPILOT_ALLOW_ALL=hunter2", "hi"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{ended:?}");
    assert!(ended.stderr.starts_with("error: `COPILOT_ALLOW_ALL` is refused: "), "{ended:?}");
    assert!(!ended.stderr.contains("hunter2"), "{ended:?}");
    assert_eq!(bench.runs().len(), 0);
}

#[test]
fn a_server_name_that_the_agent_cannot_match_is_refused() {
    let bench = Bench::copilot("").fake("node", "");
    let vault = path(&bench, "vault");
    for name in ["", "my server", "a,b", "a/b", "write", "Write", "__proto__"] {
        let server = json!({ "name": name, "command": "node" }).to_string();
        let ended = bench.run(&["ask", "--agent", "copilot", "--vault", &vault, "--mcp", &server, "hi"]);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{name}: {ended:?}");
        assert!(ended.stderr.starts_with(&format!("error: MCP server `{name}`: ")), "{name}: {ended:?}");
        assert_eq!(bench.runs().len(), 0, "{name}");
    }
}

#[test]
fn an_empty_prompt_is_refused() {
    let bench = Bench::copilot("");
    for prompt in ["", "  \n"] {
        let ended = bench.ask(&[prompt]);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{ended:?}");
        assert_eq!(ended.stderr, "error: the prompt is empty\n");
    }
    assert_eq!(bench.runs().len(), 0);
}
