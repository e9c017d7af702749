//! The arguments that a host may add: settings that cannot widen what a mode gives and cannot change where the run works.

use crate::adapters::extra::{self, refuse};
use crate::error::Error;
use crate::request::Request;

/// Settings that may be given as `-c key=value`: how the model thinks and speaks. All others are refused, those of later
/// versions included.
const SETTINGS: &[&str] = &[
    "hide_agent_reasoning",
    "model_auto_compact_token_limit",
    "model_context_window",
    "model_reasoning_effort",
    "model_reasoning_summary",
    "model_supports_reasoning_summaries",
    "model_verbosity",
    "personality",
    "service_tier",
    "show_raw_agent_reasoning",
    "stream_idle_timeout_ms",
    "tool_output_token_limit",
];

/// Flags that may be given, none with a value: it keeps no session; it refuses settings that are not known.
const FLAGS: &[&str] = &["--ephemeral", "--strict-config"];

/// Flags that a person knows and why they are refused, for a better answer than "not known".
const REFUSED: &[(&str, &str)] = &[
    ("--add-dir", "it opens another folder"),
    ("--approve-for-me", "it lets a model approve what the sandbox refuses"),
    ("--ask-for-approval", "nobody is there to be asked"),
    ("--cd", "it changes the folder"),
    ("--color", "the output is read by the launcher"),
    ("--dangerously-bypass-approvals-and-sandbox", "it opens everything"),
    ("--dangerously-bypass-hook-trust", "it lets every hook run"),
    ("--disable", "the mode decides on features"),
    ("--enable", "the mode decides on features"),
    ("--full-auto", "the mode decides on the sandbox"),
    ("--ignore-rules", "it drops what the person forbade"),
    ("--ignore-user-config", "it loses the person's model, provider and servers"),
    ("--image", "it attaches files from anywhere"),
    ("--json", "the output is read by the launcher"),
    ("--last", "the session is given with the request"),
    ("--local-provider", "the provider is the person's to choose"),
    ("--model", "the model is given with the request"),
    ("--oss", "the provider is the person's to choose"),
    ("--output-last-message", "it writes a file anywhere"),
    ("--output-schema", "it changes what the answer is"),
    ("--profile", "it changes whose settings count"),
    ("--remote", "it works on another machine"),
    ("--sandbox", "the mode decides on the sandbox"),
    ("--skip-git-repo-check", "the launcher gives it already"),
    ("--trust", "it stays in the person's settings and lets the vault's servers and hooks run"),
    ("--worktree", "it changes the folder"),
    ("--yolo", "it opens everything"),
    ("-C", "it changes the folder"),
    ("-a", "nobody is there to be asked"),
    ("-i", "it attaches files from anywhere"),
    ("-m", "the model is given with the request"),
    ("-o", "it writes a file anywhere"),
    ("-p", "it changes whose settings count"),
    ("-s", "the mode decides on the sandbox"),
];

/// The extra arguments of a request, each setting with its value joined to it.
pub(super) fn extra(request: &Request) -> Result<Vec<String>, Error> {
    let mut args = request.extra_args.iter();
    let mut taken = Vec::new();
    while let Some(arg) = args.next() {
        let setting = match arg.as_str() {
            "-c" | "--config" => match args.next() {
                Some(setting) => Some(setting.as_str()),
                None => return Err(refuse(arg, "its value is missing")),
            },
            arg => arg.strip_prefix("--config=").or_else(|| arg.strip_prefix("-c").filter(|rest| !rest.is_empty())),
        };
        match setting {
            Some(setting) => taken.push(format!("--config={}", checked(setting.trim_start_matches('='))?)),
            None if FLAGS.contains(&arg.as_str()) => taken.push(arg.clone()),
            None => {
                let name = arg.split('=').next().unwrap_or(arg);
                return Err(refuse(arg, extra::reason(name, REFUSED)));
            }
        }
    }
    Ok(taken)
}

/// A setting that may be given.
fn checked(setting: &str) -> Result<&str, Error> {
    let Some((key, value)) = setting.split_once('=') else {
        return Err(refuse(setting, "it is no setting; write it as `-c key=value`"));
    };
    if value.trim().is_empty() {
        return Err(refuse(setting, "its value is missing"));
    }
    if SETTINGS.contains(&key.trim()) {
        return Ok(setting);
    }
    Err(refuse(setting, "the setting is not known to leave the mode as it is"))
}
