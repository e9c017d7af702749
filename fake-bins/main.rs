//! A scripted stand-in for an agent. Tests put it into a folder under an agent's name; a scenario beside it says what it does.
//!
//! Whom it plays is the file name it was started by (`copilot`, `claude`…). What it does is in `<name>.scenario` beside
//! that file (see [`scenario`]), never in a variable, since Safe mode passes only some of them. What it was given is
//! written to `calls/` beside it (see [`record`]). It must not be kinder than the agent it plays: it refuses what the real
//! one refuses, in the same words, and reads stdin when the real one does. Started as `fake-mcp` it is an MCP server instead.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::exit,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "this is a program of the test suite, not a part of the library"
)]

mod adr;
mod copilot;
mod copilot_answer;
mod copilot_flags;
mod copilot_workflow;
mod faults;
mod mcp;
mod record;
mod scenario;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use scenario::Scenario;

/// The exit code of a fake that was set up wrongly, so that no test takes it for an agent's answer.
const BAD_SETUP: i32 = 97;

fn main() -> ExitCode {
    let all: Vec<String> = std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect();
    if mcp::is_meant(&all) {
        return mcp::run(&all);
    }
    let args = all.get(1..).unwrap_or_default();
    let path = invoked_path();
    if args.first().is_some_and(|arg| arg == faults::CHILD) {
        faults::run_child(&path, &args[1..]);
    }
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let scenario = match Scenario::beside(&path, &name) {
        Ok(scenario) => scenario,
        Err(why) => bad_setup(&why),
    };
    let mut call = record::Call::new(&path, &name);
    call.write();
    if args.len() == 1 && (args[0] == "--version" || args[0] == "-v") && name != "copilot" {
        version(&name, &scenario, &mut call);
    }
    match name.as_str() {
        "adr" => adr::play(args, &mut call),
        "copilot" => copilot::play(args, &scenario, &mut call),
        _ if scenario.steps.is_empty() => {
            bad_setup(&format!("`{name}` has no scenario, and a fake that accepts anything proves nothing"))
        }
        _ => faults::run(&scenario.steps, &mut call, &Default::default()),
    }
    ExitCode::SUCCESS
}

/// Answers `--version` of an agent that has no rules of its own here: the scenario's probe, or the bare version.
fn version(name: &str, scenario: &Scenario, call: &mut record::Call) -> ! {
    if scenario.probe.is_empty() {
        let version = scenario.version.as_deref().unwrap_or("1.0.0");
        match name {
            "claude" => println!("{version} (Claude Code)"),
            "codex" => println!("codex-cli {version}"),
            _ => println!("{version}"),
        }
    } else {
        faults::run(&scenario.probe, call, &Default::default());
    }
    std::process::exit(0);
}

/// The path this program was started by: not resolved, so that links keep their name and folder.
fn invoked_path() -> PathBuf {
    let first = PathBuf::from(std::env::args_os().next().unwrap_or_default());
    if first.components().count() > 1 {
        return std::path::absolute(first).unwrap_or_default();
    }
    let search = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&search).map(|folder| folder.join(&first)).find(|path| path.is_file());
    found.or_else(|| std::env::current_exe().ok()).unwrap_or_default()
}

/// The folder of a path.
fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("."))
}

/// Ends the fake with a code that no agent uses.
fn bad_setup(why: &str) -> ! {
    eprintln!("fake agent: {why}");
    std::process::exit(BAD_SETUP)
}
