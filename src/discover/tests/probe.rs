use super::{copilot, host};
use crate::discover::Verdict;
use crate::discover::format::Format;
use crate::discover::probe::{Answer, Refusal, judge, refuse_by_format, version};
use crate::env::{Arch, Os};
use crate::process::Captured;

fn script() -> Format {
    Format::Script("/usr/bin/env node".into())
}

fn judged(exit_code: Option<i32>, stdout: &str, stderr: &str) -> Answer {
    let captured = Captured {
        exit_code,
        signal: if exit_code.is_none() { Some(11) } else { None },
        stdout: stdout.into(),
        stderr: stderr.into(),
        timed_out: false,
        elapsed: Default::default(),
    };
    judge(copilot(), &script(), &captured)
}

#[track_caller]
fn refused(answer: Answer, verdict: Verdict, detail: &str) {
    assert_eq!(answer, Answer::Refused(Refusal { verdict, detail: detail.into(), interpreter: None }));
}

#[test]
fn d23_every_form_of_a_version_is_read() {
    for (output, expected) in [
        ("GitHub Copilot CLI 1.0.102.\nRun 'copilot update' to check for updates.\n", Some("1.0.102")),
        ("0.0.370\nCommit: 0123abc\n", Some("0.0.370")),
        ("v1.2.3\r\n", Some("1.2.3")),
        ("GitHub Copilot CLI 1.0.103-2.\n", Some("1.0.103-2")),
        ("(node:12) Warning: something\nGitHub Copilot CLI 1.0.69.\n", Some("1.0.69")),
        ("copilot version: v1.34.1 [build: 0ff5f9d]\n", None),
        ("3.14159\n", None),
        ("", None),
    ] {
        assert_eq!(version(copilot(), output).as_deref(), expected, "{output}");
    }
    assert_eq!(judged(Some(0), "", "GitHub Copilot CLI 1.0.102.\n"), Answer::Version("1.0.102".into()));
}

#[test]
fn d11_another_program_of_the_name_is_an_impostor() {
    refused(judged(Some(0), "3.14159\n", ""), Verdict::Impostor, "another program of that name: it answered `3.14159`");
}

#[test]
fn d18_an_empty_answer_is_a_broken_install() {
    refused(judged(Some(0), " \n", ""), Verdict::Broken, "printed nothing when asked for its version");
    refused(judged(Some(1), "", ""), Verdict::Broken, "ended with exit code 1 and printed nothing");
    refused(judged(None, "", ""), Verdict::Broken, "was ended by signal 11 and printed nothing");
}

#[test]
fn d17_the_line_that_tells_is_kept() {
    let stderr = "file:///x/bin/codex.js:100\n    throw new Error(\n    ^\n\nError: Missing optional dependency @openai/codex-linux-x64. Reinstall Codex: npm install -g @openai/codex@latest\n    at file:///x\n";
    let detail = "ended with exit code 1: Error: Missing optional dependency @openai/codex-linux-x64. Reinstall Codex: npm install -g @openai/codex@latest";
    refused(judged(Some(1), "", stderr), Verdict::Broken, detail);
    let stderr = "GitHub Copilot CLI: no platform package found. Reinstall with `npm install -g @github/copilot` to fetch the package for your platform.\n";
    refused(judged(Some(1), "", stderr), Verdict::Broken, &format!("ended with exit code 1: {}", stderr.trim()));
}

#[test]
fn an_offer_to_install_is_its_own_verdict() {
    let detail = "not GitHub Copilot CLI, but an offer to install it: `Install GitHub Copilot CLI?`";
    for code in [Some(0), Some(1)] {
        let output = "Cannot find GitHub Copilot CLI\nInstall GitHub Copilot CLI? (y/N) ";
        refused(judged(code, output, ""), Verdict::InstallPrompt, detail);
    }
}

#[test]
fn e01_a_missing_interpreter_is_told_in_every_shells_words() {
    for stderr in [
        "env: node: No such file or directory\n",
        "env: \u{2018}node\u{2019}: No such file or directory\n",
        "/usr/bin/env: 'node': No such file or directory\n",
        "/x/copilot: 14: exec: node: not found\n",
        "/x/copilot: line 15: exec: node: not found\n",
        "/x/copilot: line 3: node: command not found\n",
        "zsh:1: command not found: node\n",
        "'node' is not recognized as an internal or external command,\r\noperable program or batch file.\r\n",
        "\"node\" is not recognized as an internal or external command,\r\n",
    ] {
        let expected = Refusal {
            verdict: Verdict::Broken,
            detail: "its interpreter `node` is missing".into(),
            interpreter: Some("node".into()),
        };
        assert_eq!(judged(Some(127), "", stderr), Answer::Refused(expected), "{stderr}");
    }
    // Another program that is missing is not the interpreter; nor is any word of a message.
    refused(
        judged(Some(127), "", "sh: 1: jq: not found\n"),
        Verdict::Broken,
        "ended with exit code 127: sh: 1: jq: not found",
    );
    refused(
        judged(Some(1), "", "Cannot find module node: x\n"),
        Verdict::Broken,
        "ended with exit code 1: Cannot find module node: x",
    );
}

#[test]
fn d22_a_file_that_cannot_run_is_not_started() {
    let linux = host(Os::Linux, &[]);
    let foreign = Format::of(&super::native(Os::Linux, Arch::Arm64));
    let refusal = refuse_by_format(&foreign, &linux).expect("refused");
    assert_eq!(refusal.verdict, Verdict::WrongArchitecture);
    assert_eq!(refusal.detail, "a program for Linux on 64-bit ARM, which this machine cannot run");
    assert_eq!(refuse_by_format(&Format::Unknown, &linux).expect("refused").verdict, Verdict::Broken);
    assert_eq!(refuse_by_format(&Format::Text, &linux), None);
    assert_eq!(refuse_by_format(&script(), &linux), None);
}

#[test]
fn the_identity_of_every_agent_is_a_pattern_with_the_version_in_it() {
    for adapter in crate::adapters::ALL {
        let pattern = regex::Regex::new(adapter.spec().identity).unwrap();
        assert!(pattern.captures_len() >= 2, "{}", adapter.spec().name);
    }
}
