//! The fakes themselves: a fake that accepts anything proves nothing.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::support::{DEADLINE, fake, processes};

/// The parts of a recording's `meta.json` that a fake can be held to.
#[derive(Deserialize)]
struct Meta {
    cmd: Vec<String>,
    rc: i32,
}

/// What a program printed and how it ended.
#[derive(Debug, PartialEq, Eq)]
struct Ended {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

fn recordings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings/copilot")
}

fn recorded(name: &str) -> (Vec<String>, Ended) {
    let read = |end: &str| std::fs::read_to_string(recordings().join(format!("{name}.{end}"))).unwrap();
    let meta: Meta = serde_json::from_str(&read("meta.json")).unwrap();
    (meta.cmd[1..].to_vec(), Ended { code: Some(meta.rc), stdout: read("stdout"), stderr: read("stderr") })
}

/// A fake Copilot alone in a folder.
struct Alone {
    root: tempfile::TempDir,
}

impl Alone {
    fn new(scenario: &str) -> Alone {
        let root = fake::temp_dir();
        std::fs::create_dir(root.path().join("vault")).unwrap();
        fake::install(root.path(), "copilot");
        fake::scenario(root.path(), "copilot", scenario);
        Alone { root }
    }

    fn run(&self, args: &[impl AsRef<std::ffi::OsStr>], stdin: Option<&str>) -> Ended {
        let mut command = Command::new(self.root.path().join("copilot"));
        command.args(args).current_dir(self.root.path().join("vault")).env_clear().env("MARK", "é");
        command.stdin(if stdin.is_some() { Stdio::piped() } else { Stdio::null() });
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        if let Some(text) = stdin {
            // A fake that refuses its flags may be gone before it is written to.
            let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
        }
        let output = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ended { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

#[test]
fn it_refuses_what_the_real_copilot_refuses_in_the_same_words() {
    let names = [
        "2_dash_item",
        "2_dash_single",
        "2_dash_dash",
        "2_dash_p_sep",
        "2_dash_p_sep_yolo",
        "2_p_last",
        "2_empty",
        "2_empty_eq",
        "2_ws",
        "2_stdin_empty",
        "2_stdin_devnull_nop",
        "2_slash_compact",
        "5_unknown_flag_text",
        "5_unknown_flag_typo_text",
        "5_unknown_flag_json",
        "5_flag_bad_value_text",
        "5_extra_positional_text",
        "5_sessionid_notuuid_text",
        "5_mcp_badjson_text",
        "5_mcp_badjson_json",
        "5_mcp_badshape_text",
        "5_mcp_noServersWrapper_text",
        "5_mcp_atfile_missing_text",
        "5_max_ai_credits_low_text",
        "7_sid_noncanon",
    ];
    let alone = Alone::new("");
    for name in names {
        let (args, expected) = recorded(name);
        assert_eq!(alone.run(&args, None), expected, "{name}: {args:?}");
        assert_ne!(expected.code, Some(0), "{name} is a refusal");
    }
}

#[test]
fn it_accepts_what_the_real_copilot_accepts() {
    let names = [
        "1_text_default",
        "1_json_default",
        "1_json_multi",
        "1_text_multi_nosilent",
        "1_text_stream_on",
        "2_dash_p_eq",
        "2_dash_p_glued",
        "2_dash_prompt_eq",
        "2_p_eq_value",
        "2_p_eq_value2",
        "2_stdin_and_p",
        "2_stdin_p_dash",
        "7_sid_upper",
        "9_json_denied",
    ];
    for name in names {
        let (args, expected) = recorded(name);
        let path = recordings().join(name);
        let path = path.display();
        let scenario =
            format!("recorded-chunks {path}.stdout 7 0\nrecorded-err {path}.stderr\nexit {}", expected.code.unwrap());
        assert_eq!(Alone::new(&scenario).run(&args, None), expected, "{name}: {args:?}");
    }
}

#[test]
fn it_answers_the_version_as_the_real_copilot_does() {
    let (args, expected) = recorded("6_version");
    let expected = Ended { stdout: format!("{}\n", expected.stdout.trim_end()), ..expected };
    assert_eq!(Alone::new("").run(&args, None), expected);
    let older = Alone::new("version 1.0.69").run(&args, None);
    assert_eq!(older.stdout, expected.stdout.replace("1.0.102", "1.0.69"));
}

#[test]
fn a_scenario_may_answer_the_probe_wrongly() {
    let alone = Alone::new("probe err nothing here\nprobe exit 3\nout the run");
    let probed = alone.run(&["--version"], None);
    assert_eq!(probed, Ended { code: Some(3), stdout: String::new(), stderr: "nothing here\n".into() });
    assert_eq!(alone.run(&["-p", "hi"], None).stdout, "the run\n");
    assert_eq!(fake::calls(alone.root.path()).iter().filter(|call| call.is_probe()).count(), 1);
}

#[test]
fn each_version_refuses_the_flags_it_did_not_have() {
    let quoted = recorded("5_unknown_flag_text").1.stderr;
    let cases = [
        ("1.0.102", "--trust-folder", None),
        ("1.0.99", "--trust-folder", Some(quoted.clone())),
        ("1.0.89", "--no-such-flag", Some(quoted)),
        ("1.0.80", "--no-such-flag", Some(older("--no-such-flag"))),
        ("1.0.69", "--trust-folder", Some(older("--trust-folder"))),
        ("1.0.60", "--session-id=5f0e46c1-9c7e-4040-8bd0-b39ff6459b1a", None),
        (
            "1.0.50",
            "--session-id=5f0e46c1-9c7e-4040-8bd0-b39ff6459b1a",
            Some(older("--session-id=5f0e46c1-9c7e-4040-8bd0-b39ff6459b1a")),
        ),
        ("0.0.403", "--output-format=json", Some(older("--output-format=json"))),
    ];
    for (version, flag, refusal) in cases {
        let ended = Alone::new(&format!("version {version}")).run(&["-p", "hi", "-s", flag], None);
        match refusal {
            None => assert_eq!(ended.code, Some(0), "{version} {flag}: {ended:?}"),
            Some(stderr) => {
                let expected = Ended { code: Some(1), stdout: String::new(), stderr };
                assert_eq!(ended, expected, "{version} {flag}");
            }
        }
    }
}

fn older(flag: &str) -> String {
    format!("error: unknown option '{flag}'\n\nTry 'copilot --help' for more information.\n")
}

#[test]
fn the_older_parser_takes_a_dash_prompt_for_a_prompt() {
    let ended = Alone::new("version 1.0.69\nout {{prompt}}").run(&["-p", "--yolo", "-s"], None);
    assert_eq!(ended, Ended { code: Some(0), stdout: "--yolo\n".into(), stderr: String::new() });
}

#[test]
fn a_session_id_and_a_resume_exclude_each_other() {
    let id = "5f0e46c1-9c7e-4040-8bd0-b39ff6459b1a";
    let args = ["-p", "hi", &format!("--session-id={id}"), &format!("--resume={id}")];
    let newer = Alone::new("").run(&args, None);
    assert_eq!(
        newer.stderr,
        "error: the argument '--session-id <id>' cannot be used with '--resume [<value>]'\n\n\
         Usage: copilot --prompt <text> --session-id <id>\n\nFor more information, try '--help'.\n"
    );
    let older = Alone::new("version 1.0.69").run(&args, None);
    assert_eq!(older.stderr, "error: option '--session-id <id>' cannot be used with option '-r, --resume[=value]'\n");
    let empty = Alone::new("").run(&["-p", "hi", "--session-id="], None);
    assert_eq!(empty.stderr, recorded("5_sessionid_notuuid_text").1.stderr.replace("'abc'", "''"));
}

#[test]
fn it_reads_stdin_only_where_the_real_one_does() {
    let alone = Alone::new("out {{prompt}}");
    assert_eq!(alone.run(&["-s"], Some("from stdin\n")).stdout, "from stdin\n");
    assert_eq!(alone.run(&["-s", "-p", "from p"], Some("from stdin")).stdout, "from p\n");
    let calls = fake::calls(alone.root.path());
    assert_eq!(calls[0].stdin.as_deref(), Some("from stdin\n"));
    assert_eq!(calls[0].stdin_bytes, Some(11));
    assert_eq!(calls[1].stdin, None);
}

#[test]
fn it_writes_down_what_it_was_given() {
    let alone = Alone::new("");
    alone.run(&["-p", "two words", "-s"], None);
    let calls = fake::calls(alone.root.path());
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].name, "copilot");
    assert_eq!(calls[0].args(), ["-p", "two words", "-s"]);
    assert_eq!(calls[0].env, [("MARK".to_owned(), "é".to_owned())].into());
    assert_eq!(calls[0].cwd, alone.root.path().join("vault").to_str().unwrap());
    assert_ne!(calls[0].pid, std::process::id());
}

#[test]
fn without_a_scenario_it_answers_in_the_format_asked_for() {
    let root = fake::temp_dir();
    fake::install(root.path(), "copilot");
    let id = "5f0e46c1-9c7e-4040-8bd0-b39ff6459b1a";
    let args = ["-p", "hi", "-s", "--output-format=json", &format!("--session-id={id}")];
    let output = Command::new(root.path().join("copilot")).args(args).output().unwrap();
    let lines: Vec<serde_json::Value> =
        output.stdout.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
    let deltas: String = lines.iter().filter_map(|line| line["data"]["deltaContent"].as_str()).collect();
    assert_eq!(deltas, "Hello from the fake");
    let result = lines.last().unwrap();
    assert_eq!((result["type"].as_str(), result["sessionId"].as_str()), (Some("result"), Some(id)));
    let text = Command::new(root.path().join("copilot")).args(["-p", "hi", "-s"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&text.stdout), "Hello from the fake\n\n");
}

#[test]
fn a_misspelt_scenario_and_an_unscripted_agent_are_no_agents() {
    let ended = Alone::new("flod-out 3").run(&["-p", "hi"], None);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(97), ""));
    let root = fake::temp_dir();
    fake::install(root.path(), "codex");
    let output = Command::new(root.path().join("codex")).arg("exec").output().unwrap();
    assert_eq!(output.status.code(), Some(97));
}

#[cfg(target_os = "linux")]
#[test]
fn it_dies_by_a_signal_and_its_children_are_written_down() {
    use std::os::unix::process::ExitStatusExt as _;

    // Rust handles this one itself, and would live on.
    let alone = Alone::new("signal 11");
    let status = Command::new(alone.root.path().join("copilot")).args(["-p", "hi"]).status().unwrap();
    assert_eq!(status.signal(), Some(11));
    let alone = Alone::new("fork\nsetsid-child ignore-term\ndouble-fork\nsignal 9");
    let status = Command::new(alone.root.path().join("copilot")).args(["-p", "hi"]).status().unwrap();
    assert_eq!(status.signal(), Some(9));
    let pids = fake::child_pids(alone.root.path());
    assert_eq!(pids.len(), 4, "a child, one in a session of its own, and the two of the double fork: {pids:?}");
    // The middle one of the double fork has gone, or is about to.
    let middle = fake::calls(alone.root.path())[0].children[2];
    processes::assert_gone(&[middle], DEADLINE);
    let left: Vec<u32> = pids.into_iter().filter(|pid| *pid != middle).collect();
    assert_eq!(processes::alive(&left), left);
    processes::kill_all(alone.root.path());
    processes::assert_gone(&left, DEADLINE);
}
