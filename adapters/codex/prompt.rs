//! The prompt, which always goes through stdin: as an argument a dash at its beginning is a flag, and an open stdin is waited
//! for either way (measured on 0.171.0). `/`, `@` and `!` mean nothing there; `$name` puts a skill in its place.

use super::person::Person;
use super::value;
use crate::error::Error;
use crate::request::Request;

/// The longest text that Codex takes on stdin, in characters; a longer one ends with exit code 1 (measured).
const LONGEST: usize = 1_048_576;

/// Longer instructions of the app travel with the prompt, in bytes: process lists stay readable, and a command line of
/// Windows, which has 32,767 units in all, stays possible.
const LONGEST_ARGUMENT: usize = 8 * 1024;

/// Stands between what is put before the prompt and the prompt.
const HEADING: &str = "User request:";

/// The prompt as it is handed over.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Prompt {
    pub(super) stdin: Vec<u8>,
    /// The app's own instructions as a setting, which the model hears as the developer's.
    pub(super) setting: Option<String>,
}

/// `instructions` are the vault's, where Codex does not read them itself.
pub(super) fn prompt(request: &Request, person: &Person, instructions: Option<&str>) -> Result<Prompt, Error> {
    let asked = request.system_prompt.as_deref().filter(|text| !text.trim().is_empty());
    let short = |text: &&str| !request.private_prompt && text.len() <= LONGEST_ARGUMENT;
    // The person's own would be replaced by the setting.
    let joined = |text: &str| match &person.instructions {
        Some(own) if own.len() <= LONGEST_ARGUMENT => format!("{own}\n\n{text}"),
        _ => text.to_owned(),
    };
    let setting = asked.filter(short).map(|text| format!("developer_instructions={}", value::text(&joined(text))));
    let mut before = Vec::new();
    // A session that goes on has heard them.
    if let Some(text) = instructions.filter(|_| request.resume.is_none()) {
        before.push(format!("Instructions of this folder (AGENTS.md):\n{}", text.trim_end()));
    }
    if let Some(text) = asked.filter(|_| setting.is_none()) {
        before.push(format!("System instructions:\n{text}"));
    }
    let text = if before.is_empty() {
        request.prompt.clone()
    } else {
        format!("{}\n\n{HEADING}\n{}", before.join("\n\n"), request.prompt)
    };
    if text.chars().count() > LONGEST {
        let problem = format!("is longer than {LONGEST} characters, the most that Codex takes; ask in several parts");
        return Err(Error::InvalidField { field: "prompt", problem });
    }
    Ok(Prompt { stdin: text.into_bytes(), setting })
}
