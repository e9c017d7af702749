//! What is wrong with a request is told in one clear error, with exit code 2, and nothing is started.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::json;

use crate::support::Bench;
use crate::support::command::{COMMAND, Ended};

/// Runs the command and holds it to: exit code 2, this error and hint, nothing on stdout, nothing started.
fn refused(bench: &Bench, args: &[&str], message: &str) {
    let ended = bench.run(args);
    let expected = Ended { code: Some(2), stdout: String::new(), stderr: message.to_owned() };
    assert_eq!(ended, expected, "{args:?}");
    assert_eq!(bench.runs().len(), 0, "{args:?} started an agent");
}

fn path(bench: &Bench, name: &str) -> String {
    bench.root().join(name).to_str().unwrap().to_owned()
}

#[test]
fn a_missing_vault_is_refused() {
    let bench = Bench::copilot("");
    let vault = path(&bench, "none");
    for command in ["ask", "plan"] {
        let message = "error: the vault `[ROOT]/none` does not exist\n";
        refused(&bench, &[command, "--agent", "copilot", "--vault", &vault, "hi"], message);
    }
}

#[test]
fn a_file_as_vault_is_refused() {
    let bench = Bench::copilot("");
    let vault = path(&bench, "note.md");
    std::fs::write(&vault, "a note").unwrap();
    let message = "error: the vault `[ROOT]/note.md` is not a folder\n";
    refused(&bench, &["ask", "--agent", "copilot", "--vault", &vault, "hi"], message);
}

#[test]
fn a_relative_vault_is_refused_with_a_hint() {
    let bench = Bench::copilot("");
    for vault in ["vault", "./vault", "."] {
        let message = format!(
            "error: the vault `{vault}` is not an absolute path\n\n\
             hint: give the full path, such as --vault \"$PWD/notes\"\n"
        );
        refused(&bench, &["ask", "--agent", "copilot", "--vault", vault, "hi"], &message);
    }
}

/// Root reads everything, so there the command is run without the capabilities that let it.
#[cfg(target_os = "linux")]
#[test]
fn an_unreadable_vault_is_refused() {
    use std::os::unix::fs::PermissionsExt;

    let bench = Bench::copilot("");
    std::fs::set_permissions(bench.vault(), std::fs::Permissions::from_mode(0o000)).unwrap();
    let vault = path(&bench, "vault");
    let args = ["ask", "--agent", "copilot", "--vault", &vault, "hi"];
    let child = if nix::unistd::geteuid().is_root() {
        let drop = ["--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"];
        bench.program("/usr/bin/setpriv", &[&drop[..], &[COMMAND], &args].concat()).spawn().unwrap()
    } else {
        bench.command(&args).spawn().unwrap()
    };
    let ended = bench.end(child);
    std::fs::set_permissions(bench.vault(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let message = "error: the vault `[ROOT]/vault` cannot be read: Permission denied (os error 13)\n";
    assert_eq!(ended, Ended { code: Some(2), stdout: String::new(), stderr: message.into() });
    assert_eq!(bench.runs().len(), 0);
}

#[test]
fn an_unknown_agent_is_refused_with_those_there_are() {
    let bench = Bench::copilot("");
    let vault = path(&bench, "vault");
    for args in [
        &["ask", "--agent", "clippy", "--vault", &vault, "hi"][..],
        &["plan", "--agent", "clippy", "--vault", &vault, "hi"],
        &["doctor", "clippy"],
        &["classify", "--agent", "clippy"],
    ] {
        let ended = bench.run(args);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{ended:?}");
        assert!(ended.stderr.starts_with("error: unknown agent `clippy`, known: copilot"), "{ended:?}");
        assert!(ended.stderr.contains("\nhint: `agent-launcher agents` lists them"), "{ended:?}");
    }
    assert_eq!(bench.runs().len(), 0);
}

#[test]
fn a_bad_mcp_server_is_refused_and_its_secrets_are_not_repeated() {
    let bench = Bench::copilot("");
    let vault = path(&bench, "vault");
    let file = path(&bench, "server.json");
    std::fs::write(&file, "{\"name\":\"a\",\n \"command\":}").unwrap();
    let at_file = format!("@{file}");
    let form = "\n\nhint: the form is {\"name\":\"tolaria\",\"command\":\"node\",\"args\":[\"server.js\"],\
                \"env\":{\"NAME\":\"value\"}}\n";
    let cases = [
        (r#"{"name":"a","env":{"T":"hunter2"}"#, "--mcp: not JSON: EOF while parsing an object at line 1 column 33"),
        (r#"{"name":"a","comand":"x"}"#, "--mcp: the field `command` is missing"),
        (
            r#"{"name":"a","command":"x","cwd":"/"}"#,
            "--mcp: unknown field `cwd`, expected `name`, `command`, `args` or `env`",
        ),
        (at_file.as_str(), "--mcp `@[ROOT]/server.json`: not JSON: expected value at line 2 column 12"),
    ];
    for (value, problem) in cases {
        let message = format!("error: {problem}{form}");
        refused(&bench, &["ask", "--agent", "copilot", "--vault", &vault, "--mcp", value, "hi"], &message);
    }
    let message = "error: --mcp: `/none/server.json` cannot be read: No such file or directory (os error 2)\n";
    refused(&bench, &["ask", "--vault", &vault, "--mcp", "@/none/server.json", "hi"], message);
}

#[test]
fn two_servers_of_one_name_are_refused() {
    let bench = Bench::copilot("");
    let vault = path(&bench, "vault");
    let server = r#"{"name":"tolaria","command":"node"}"#;
    let message = "error: MCP server `tolaria`: another server of the request has this name; give each its own\n";
    refused(&bench, &["ask", "--agent", "copilot", "--vault", &vault, "--mcp", server, "--mcp", server, "hi"], message);
}

#[test]
fn a_prompt_on_stdin_that_is_not_utf8_is_refused() {
    let bench = Bench::copilot("");
    let mut child = bench.asking(&["-"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"caf\xe9").unwrap();
    let ended = bench.end(child);
    let message = "error: the prompt on stdin is not UTF-8: incomplete utf-8 byte sequence from index 3\n";
    assert_eq!(ended, Ended { code: Some(2), stdout: String::new(), stderr: message.into() });
    assert_eq!(bench.runs().len(), 0);
}

#[test]
fn flags_that_make_no_sense_are_refused() {
    let bench = Bench::copilot("");
    for args in [
        &["--mode", "yolo", "hi"][..],
        &["--timeout", "0", "hi"],
        &["--timeout", "soon", "hi"],
        &["--idle-timeout", "-1", "hi"],
        &["--env", "=x", "hi"],
        &["--env", "NOT_SET_HERE", "hi"],
        &["--resume", "a", "--session-id", "b", "hi"],
        &["--system", "@/none/system.md", "hi"],
        &["--no-such-flag", "hi"],
        &["two", "prompts"],
        &[],
    ] {
        let ended = bench.ask(args);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{args:?}: {ended:?}");
        assert!(ended.stderr.starts_with("error: "), "{args:?}: {ended:?}");
    }
    assert_eq!(bench.runs().len(), 0);
}

#[test]
fn with_json_a_refusal_is_one_object_on_stdout() {
    let bench = Bench::copilot("");
    let vault = path(&bench, "none");
    for command in ["ask", "plan"] {
        let ended = bench.run(&[command, "--json", "--agent", "copilot", "--vault", &vault, "hi"]);
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(2), ""), "{ended:?}");
        assert_eq!(ended.stdout.lines().count(), 1);
        let mut refusal = ended.json();
        assert_eq!(refusal["guidance"].take()["code"], "vault_missing");
        let message = "the vault `[ROOT]/none` does not exist";
        assert_eq!(refusal, json!({ "error": message, "guidance": null, "exit_code": 2 }));
    }
}

#[test]
fn a_refused_request_is_told_in_the_apps_own_name() {
    let bench = Bench::copilot("");
    let vault = path(&bench, "none");
    let refusal =
        bench.run(&["ask", "--app", "Tolaria", "--agent", "copilot", "--json", "--vault", &vault, "hi"]).json();
    assert_eq!(refusal["guidance"]["code"], "vault_missing");
    assert_eq!(refusal["guidance"]["params"]["app"], "Tolaria");
}
