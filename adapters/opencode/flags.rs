//! OpenCode's flags: those of every plan, and those a host may add.

use crate::adapters::extra::{self, refuse};
use crate::error::Error;
use crate::request::Request;

/// Flags of every plan, from the help of `opencode run` of 1.18.33. The log says at once what stdout says late or never: which
/// server did not start, and why the model's provider does not answer.
pub(super) const ALWAYS: &[&str] = &["run", "--format=json", "--thinking", "--print-logs", "--log-level=WARN"];

/// What a host may add, with a value joined to it: it cannot widen what a mode gives.
const ADDABLE: &[&str] = &["--title", "--variant"];

/// Flags that a person knows and why they are refused, for a better answer than "not known".
const REFUSED: &[(&str, &str)] = &[
    ("--agent", "an agent brings permissions of its own; the mode decides on them"),
    ("--attach", "the run would be another server's"),
    ("--auto", "it approves what the mode does not"),
    ("--command", "a command brings an agent and a prompt of its own"),
    ("--continue", "it continues any folder's last session"),
    ("--dangerously-skip-permissions", "it approves what the mode does not"),
    ("--dir", "it changes the folder"),
    ("--file", "it reads files that the mode may not; name them in the prompt"),
    ("--fork", "the session is given with the request"),
    ("--format", "the output is read by the launcher"),
    ("--interactive", "the run has no terminal"),
    ("--log-level", "the log is read by the launcher"),
    ("--mini", "the run has no terminal"),
    ("--model", "the model is given with the request"),
    ("--password", "the run has a server of its own"),
    ("--port", "the run has a server of its own"),
    ("--print-logs", "the log is read by the launcher"),
    ("--pure", "the mode decides on plugins"),
    ("--session", "the session is given with the request"),
    ("--share", "it makes the session public"),
    ("--thinking", "the launcher asks for it"),
    ("--username", "the run has a server of its own"),
    ("--yolo", "it approves what the mode does not"),
    ("-c", "it continues any folder's last session"),
    ("-f", "it reads files that the mode may not; name them in the prompt"),
    ("-i", "the run has no terminal"),
    ("-m", "the model is given with the request"),
    ("-p", "the run has a server of its own"),
    ("-s", "the session is given with the request"),
    ("-u", "the run has a server of its own"),
];

/// The extra arguments of a request, each with its value joined to it.
pub(super) fn extra(request: &Request) -> Result<Vec<String>, Error> {
    let mut args = request.extra_args.iter();
    let mut taken = Vec::new();
    while let Some(arg) = args.next() {
        let (name, value) = match arg.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (arg.as_str(), None),
        };
        if !ADDABLE.contains(&name) {
            return Err(refuse(arg, reason(name)));
        }
        let value = value.or_else(|| args.next().cloned()).filter(|value| !value.is_empty() && !value.starts_with('-'));
        let Some(value) = value else { return Err(refuse(arg, "its value is missing; write it as `--flag=value`")) };
        taken.push(format!("{name}={value}"));
    }
    Ok(taken)
}

fn reason(name: &str) -> &'static str {
    // `-sID` and `-cf` as well, and `--no-…`, which turns a flag off.
    let plain = name.strip_prefix("--no-").map(|rest| format!("--{rest}"));
    extra::reason(plain.as_deref().unwrap_or(name), REFUSED)
}
