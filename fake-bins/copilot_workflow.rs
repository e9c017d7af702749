//! Plays `copilot workflow run`, as strictly as the real one.
//!
//! Measured on 1.0.102 without a login: the refusals of arguments, and the end at "not available for this session", which is
//! what it plays by default. Past that gate it plays what was read from the CLI's own JavaScript. `workflow.json` beside the
//! fake says which end: `{"case": "…", "result"?, "events"?: […], "error"?}` with one of the cases in [`end`]. Of 1.0.92 the
//! exit code is 0 in every case past the gate.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::copilot_flags::Version;
use crate::faults;
use crate::record::Call;
use crate::scenario::{Scenario, Step};

/// The first version whose help lists `workflow`.
pub(crate) const SINCE: Version = (1, 0, 89);

/// Session flags that `workflow run` refuses.
const REFUSED: &[&str] = &[
    "prompt",
    "interactive",
    "fleet",
    "autopilot",
    "plan",
    "mode",
    "agent",
    "attachment",
    "acp",
    "connect",
    "resume",
    "continue",
    "share",
    "share-gist",
];

const EXCLUDED: &str = "Project extensions are excluded because the working folder is not trusted. Trust the folder or set \
                        GITHUB_COPILOT_PROMPT_MODE_EXTENSIONS=true for this invocation.\n";

/// What stands after the word `workflow`.
#[derive(Debug, Default)]
struct Words {
    name: String,
    args: Option<String>,
    result_file: Option<String>,
    json: bool,
    silent: bool,
}

/// One call. `session` are the names of the flags before the word `workflow`, `plugins` the plugins' folders.
pub(crate) fn play(
    rest: &[String],
    session: &[&str],
    plugins: &[&str],
    version: Version,
    scenario: &Scenario,
    call: &mut Call,
) -> ! {
    let words = read(rest).unwrap_or_else(|message| refuse(&message, 1));
    if let Some(flag) = session.iter().find(|flag| REFUSED.contains(flag)) {
        refuse(&format!("error: option '--{flag}' cannot be used with 'workflow run'"), 1);
    }
    let silent = words.silent || session.contains(&"silent");
    let flags = std::env::var("COPILOT_CLI_ENABLED_FEATURE_FLAGS").unwrap_or_default();
    if !flags.split(',').any(|flag| flag == "EXTENSIONS") {
        failed(&words.name, "extensions are not configured for session 00000000-0000-4000-8000-000000000001", 1);
    }
    faults::print_err(EXCLUDED.as_bytes());
    check_args(&words);
    if let Some(plugin) = plugins.iter().find(|plugin| !Path::new(plugin).join(".claude-plugin/plugin.json").is_file())
    {
        crate::bad_setup(&format!("`{plugin}` is no plugin"));
    }
    if !scenario.steps.is_empty() {
        faults::run(&scenario.steps, call, &Default::default());
        std::process::exit(0);
    }
    end(&words, silent, version, call)
}

fn read(rest: &[String]) -> Result<Words, String> {
    const USAGE: &str = "Usage: copilot workflow run <name>\n\nFor more information, try '--help'.";
    let mut rest = rest.iter().map(String::as_str);
    match rest.next() {
        Some("run") => {}
        other => return Err(format!("error: unrecognized subcommand '{}'", other.unwrap_or_default())),
    }
    let mut words = Words::default();
    let mut names = Vec::new();
    while let Some(word) = rest.next() {
        let Some(long) = word.strip_prefix("--") else {
            names.push(word);
            continue;
        };
        if long.is_empty() {
            names.extend(rest.by_ref());
            break;
        }
        let (flag, value) = long.split_once('=').map_or((long, None), |(flag, value)| (flag, Some(value.to_owned())));
        let mut value = || value.clone().or_else(|| rest.next().map(str::to_owned)).unwrap_or_default();
        match flag {
            "args" => words.args = Some(value()),
            "result-file" => words.result_file = Some(value()),
            "output-format" => words.json = value() == "json",
            "silent" => words.silent = true,
            _ => {
                let tip = format!("tip: to pass '--{flag}' as a value, use '-- --{flag}'");
                return Err(format!("error: unexpected argument '--{flag}' found\n\n  {tip}\n\n{USAGE}"));
            }
        }
    }
    match names.as_slice() {
        [] => Err(format!("error: the following required arguments were not provided:\n  <name>\n\n{USAGE}")),
        [name] => Ok(Words { name: (*name).to_owned(), ..words }),
        [_, stray, ..] => Err(format!(
            "error: unexpected argument '{stray}' found\n\nUsage: copilot workflow run [OPTIONS] <name>\n\nFor more \
             information, try '--help'."
        )),
    }
}

/// Bad JSON and a missing file are refused before the session's gate (measured).
fn check_args(words: &Words) {
    let Some(args) = &words.args else { return };
    let refused = |why: &str| -> ! {
        refuse(&format!("Invalid JSON arguments for dynamic workflow \"{}\": {why}", words.name), 2)
    };
    let text = match args.strip_prefix('@') {
        None => args.clone(),
        Some(path) => std::fs::read_to_string(path)
            .unwrap_or_else(|_| refused(&format!("Error: ENOENT: no such file or directory, open '{path}'"))),
    };
    if let Err(error) = serde_json::from_str::<Value>(&text) {
        refused(&format!("SyntaxError: {error}"));
    }
}

/// Ends the call as `workflow.json` says.
fn end(words: &Words, silent: bool, version: Version, call: &mut Call) -> ! {
    let script = std::fs::read_to_string(crate::folder(call.path()).join("workflow.json")).unwrap_or("{}".into());
    let script: Map<String, Value> =
        serde_json::from_str(&script).unwrap_or_else(|error| crate::bad_setup(&format!("workflow.json: {error}")));
    let old = version < (1, 0, 93);
    let code = |code| if old { 0 } else { code };
    let case = script.get("case").and_then(Value::as_str).unwrap_or("not_available");
    if words.json && !silent {
        for event in script.get("events").and_then(Value::as_array).into_iter().flatten() {
            faults::print(format!("{event}\n").as_bytes());
        }
    }
    let run = |status: &str, more: Value| {
        let mut run = json!({ "runId": "run-1", "attempt": 1, "status": status });
        run.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        run
    };
    let error = script.get("error").cloned().unwrap_or("boom".into());
    match case {
        "completed" => {
            let result = script.get("result").cloned();
            let more = result.map_or(json!({}), |result| json!({ "result": result }));
            told(words, &run("completed", more), code(0))
        }
        "error" => told(words, &run("error", json!({ "error": error })), code(1)),
        "limit" => {
            let failure = json!({ "type": "workflow_limit_reached", "kind": "maxAiCredits" });
            told(words, &run("error", json!({ "error": error, "failure": failure })), code(1))
        }
        "cancelled" | "halted" => told(words, &run(case, json!({ "reason": "stopped" })), code(1)),
        "paused" => told(words, &run("paused", json!({ "pauseInfo": { "type": "user" } })), code(1)),
        "silent_exit" => std::process::exit(0),
        "invalid_args" => refuse(&format!("Invalid arguments for dynamic workflow \"{}\".", words.name), code(2)),
        "not_found" => refuse(&format!("Dynamic workflow \"{}\" was not found.", words.name), code(2)),
        // Not a matter of what passes the gate, so 1 on the old version too (measured on 1.0.92, 2026-11-30).
        "not_available" => {
            let what = if old { "Dynamic" } else { "Agent" };
            failed(&words.name, &format!("{what} workflows are not available for this session"), 1)
        }
        "interrupted" => failed(&words.name, "GenericFailure, LSP session '1' is closed", 130),
        "hang" => {
            faults::run(&[Step::Stall], call, &Default::default());
            std::process::exit(0)
        }
        other => crate::bad_setup(&format!("workflow.json: no case `{other}`")),
    }
}

/// Tells a run that ended, and writes its result where it has one.
fn told(words: &Words, run: &Value, code: i32) -> ! {
    let mut data = json!({ "name": words.name, "run": run });
    let status = run["status"].as_str().unwrap_or_default();
    if status != "completed" {
        faults::print_err(format!("Dynamic workflow \"{}\" {status}.\nRun ID: run-1\n", words.name).as_bytes());
    }
    if let Some(path) = &words.result_file {
        // With a result file the result is left out of the event, also where it could not be written.
        let result = data["run"].as_object_mut().and_then(|run| run.remove("result"));
        if let Some(result) = result.filter(|_| status == "completed") {
            let aside = format!("{path}.copilot-workflow.tmp");
            let written = std::fs::write(&aside, result.to_string()).and_then(|()| std::fs::rename(&aside, path));
            match written {
                Ok(()) => data["resultFile"] = path.clone().into(),
                Err(error) => refuse(&format!("Failed to write dynamic workflow result: {error}"), 1),
            }
        }
    }
    if words.json {
        faults::print(format!("{}\n", ordered("workflow.result", &data)).as_bytes());
    } else if let Some(result) = data["run"].get("result") {
        faults::print(format!("{result}\n").as_bytes());
    }
    std::process::exit(code)
}

/// An event as the CLI writes it: its type first.
fn ordered(kind: &str, data: &Value) -> String {
    format!("{{\"type\":\"{kind}\",\"data\":{data}}}")
}

fn failed(name: &str, why: &str, code: i32) -> ! {
    refuse(&format!("Error executing dynamic workflow \"{name}\": Error: {why}"), code)
}

fn refuse(message: &str, code: i32) -> ! {
    faults::print_err(format!("{message}\n").as_bytes());
    std::process::exit(code)
}

/// Whether a word of the command line begins the subcommand.
pub(crate) fn begins(word: &str, version: Version) -> bool {
    word == "workflow" && version >= SINCE
}
