//! Guards the JSON contract: what one release wrote, every later release reads and writes alike.
//!
//! The files under `v1/` are only ever added to. A change that makes one of them fail is a break of the contract.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use agent_launcher::discover::{AgentStatus, Verdict, Via};
use agent_launcher::{Code, Event, Guidance, Step};
use serde_json::Value;

#[cfg(feature = "ts")]
mod typescript;

/// Files of `v1/` that hold something else than an event.
const OTHERS: [&str; 2] = ["agents.json", "guidance.json"];

/// The fields that may be absent, by the file that has them all.
const OPTIONAL: &[(&str, &str, &[&str])] = &[
    ("init.full.json", "", &["agent_version", "model"]),
    ("init.tools.json", "", &["agent_version", "model", "tools"]),
    ("tool_start.full.json", "", &["input"]),
    ("tool_done.full.json", "", &["output", "denied"]),
    ("mcp_status.full.json", "", &["detail"]),
    ("usage.full.json", "", USAGE),
    ("done.full.json", "/outcome", &["exit_code", "signal", "session_id", "usage"]),
    ("done.full.json", "/outcome/usage", USAGE),
    ("done.workflow.json", "/outcome", &["exit_code", "workflow"]),
    ("done.workflow.json", "/outcome/workflow", &["run_status", "result_status", "result"]),
];

const USAGE: &[&str] = &[
    "input_tokens",
    "output_tokens",
    "cost_usd",
    "premium_requests",
    "api_ms",
    "session_ms",
    "lines_added",
    "lines_removed",
    "files_modified",
    "other",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wire/v1")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap().trim_end().to_owned()
}

/// The names of all files that hold an event, in order.
fn event_files() -> Vec<String> {
    let entries = std::fs::read_dir(folder()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let events: BTreeSet<String> = names.filter(|name| !OTHERS.contains(&name.as_str())).collect();
    events.into_iter().collect()
}

#[test]
fn every_golden_event_reads_and_writes_to_the_byte() {
    for name in event_files() {
        let text = read(&name);
        let event: Event = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(serde_json::to_string(&event).unwrap(), text, "{name}");
    }
}

#[test]
fn every_combination_of_optional_fields_reads_and_writes_alike() {
    for (name, at, fields) in OPTIONAL {
        let full: Value = serde_json::from_str(&read(name)).unwrap();
        for subset in 0_u32..1 << fields.len() {
            let mut json = full.clone();
            let object = json.pointer_mut(at).and_then(Value::as_object_mut).unwrap();
            for (bit, field) in fields.iter().enumerate() {
                if subset & (1 << bit) != 0 {
                    assert!(object.remove(*field).is_some(), "{name} lacks `{field}`");
                }
            }
            let event: Event = serde_json::from_value(json.clone()).unwrap_or_else(|error| panic!("{json}: {error}"));
            assert_eq!(serde_json::to_value(&event).unwrap(), json);
        }
    }
}

#[test]
fn every_field_that_can_be_absent_stands_in_the_table() {
    for name in event_files() {
        let full: Value = serde_json::from_str(&read(&name)).unwrap();
        for at in ["", "/outcome", "/outcome/usage", "/outcome/workflow"] {
            let Some(object) = full.pointer(at).and_then(Value::as_object) else { continue };
            let listed: BTreeSet<&str> = OPTIONAL
                .iter()
                .filter(|(file, place, _)| *place == at && kind(&read(file)) == kind(&read(&name)))
                .flat_map(|(.., fields)| fields.iter().copied())
                .collect();
            for field in object.keys() {
                let mut json = full.clone();
                json.pointer_mut(at).and_then(Value::as_object_mut).unwrap().remove(field);
                // Absent and still the same JSON: the writer leaves it out as well.
                let alike = serde_json::from_value::<Event>(json.clone())
                    .is_ok_and(|event| serde_json::to_value(event).unwrap() == json);
                assert_eq!(alike, listed.contains(field.as_str()), "{name}: `{at}/{field}`");
            }
        }
    }
}

fn kind(text: &str) -> String {
    let json: Value = serde_json::from_str(text).unwrap();
    json["kind"].as_str().unwrap().to_owned()
}

#[test]
fn every_kind_of_the_published_types_has_a_golden_event() {
    let types = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/events.ts")).unwrap();
    let (_, from) = types.split_once("export type EventKind =").unwrap();
    let (declaration, _) = from.split_once(";\n\n/**").unwrap();
    let published: BTreeSet<String> =
        declaration.split("{ \"kind\": \"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect();
    let golden: BTreeSet<String> = event_files().iter().map(|name| kind(&read(name))).collect();
    assert_eq!(golden, published);
}

#[test]
fn a_reader_ignores_fields_that_a_later_release_adds() {
    for name in event_files() {
        let text = read(&name);
        let mut json: Value = serde_json::from_str(&text).unwrap();
        json["added_later"] = Value::from(1);
        let event: Event = serde_json::from_value(json).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(serde_json::to_string(&event).unwrap(), text, "{name}");
    }
}

#[test]
fn an_event_without_its_common_fields_is_refused_by_name() {
    let error = |text: &str| serde_json::from_str::<Event>(text).unwrap_err().to_string();
    assert_eq!(error(r#"{"seq":0,"kind":"TextDelta","text":"a"}"#), "missing field `stream_id`");
    assert_eq!(error(r#"{"stream_id":"s","kind":"TextDelta","text":"a"}"#), "missing field `seq`");
    assert_eq!(error(r#"{"stream_id":"s","seq":0,"text":"a"}"#), "missing field `kind`");
    assert_eq!(error(r#"{"stream_id":"s","seq":0,"kind":"TextDelta"}"#), "missing field `text`");
}

#[test]
fn guidance_reads_and_writes_to_the_byte_with_every_kind_of_step() {
    let text = read("guidance.json");
    let guidance: Guidance = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_string(&guidance).unwrap(), text);
    let expected = [
        Step::Run { command: "copilot login".into() },
        Step::Open { url: "https://example.com/sign-in".into() },
        Step::Set { variable: "GH_TOKEN".into() },
        Step::Retry { after_ms: Some(30_000) },
        Step::Retry { after_ms: None },
        Step::Choose { text: "Ask your administrator to turn Copilot CLI on.".into() },
    ];
    assert_eq!(guidance.steps, expected);
}

#[test]
fn the_list_of_agents_reads_and_writes_to_the_byte() {
    let text = read("agents.json");
    let agents: Vec<AgentStatus> = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_string(&agents).unwrap(), text);
}

/// The words of the contract, as other programs switch on them.
fn words<T: serde::Serialize + serde::de::DeserializeOwned>(list: &str) {
    for word in list.split_whitespace() {
        let value: T = serde_json::from_value(word.into()).unwrap_or_else(|error| panic!("{word}: {error}"));
        assert_eq!(serde_json::to_value(value).unwrap(), word);
    }
}

#[test]
fn every_word_of_the_contract_is_known() {
    words::<Code>(
        "not_installed broken_install not_executable wrong_architecture interpreter_missing version_unsupported \
         not_signed_in token_rejected token_lacks_permission subscription_required policy_blocked folder_not_trusted \
         rate_limited quota_exhausted model_unavailable network tls mcp_failed session_not_found arguments_rejected \
         prompt_too_long vault_missing vault_unreadable agent_crashed no_answer permission_denied permission_bypassed \
         timed_out idle unknown",
    );
    words::<Via>(
        "override path login_shell npm pnpm yarn bun volta mise asdf fnm nvm homebrew linuxbrew scoop winget native \
         system",
    );
    words::<Verdict>(
        "chosen usable missing not_executable not_a_file broken impostor wrong_architecture install_prompt deferred",
    );
}
