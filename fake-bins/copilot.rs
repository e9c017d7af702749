//! Plays GitHub Copilot CLI: refuses what the played version refuses, in its words, and answers in its formats.
//!
//! Texts are those of the real 1.0.102 and 1.0.69 (Linux, 2026-11). Not played: suggestions behind unknown flags
//! (`Did you mean…`), the order in which two mistakes in one command are found, sign-in.

use crate::copilot_flags::{self as flags, Flag, Takes, Version};
use crate::copilot_workflow as workflow;
use crate::faults::{self, Context};
use crate::record::Call;
use crate::scenario::Scenario;

const LATEST: &str = "1.0.102";

const NOT_QUOTED: &str = "error: Invalid command format.

It looks like your prompt was not quoted, so the extra words were treated as separate arguments.
Wrap the prompt in quotes, for example: copilot -p \"your prompt here\"

Try 'copilot --help' for more information.";

/// The arguments, read.
#[derive(Debug, Default)]
struct Args {
    prompt: Option<String>,
    version: bool,
    values: Vec<(&'static str, String)>,
    chdir: Option<String>,
    /// What stands after the word `workflow`.
    workflow: Option<Vec<String>>,
}

impl Args {
    fn has(&self, name: &str) -> bool {
        self.values.iter().any(|(long, _)| *long == name)
    }

    fn last(&self, name: &str) -> Option<&str> {
        self.values.iter().rev().find(|(long, _)| *long == name).map(|(_, value)| value.as_str())
    }
}

/// The whole life of a fake Copilot, unless the scenario's steps return.
pub(crate) fn play(args: &[String], scenario: &Scenario, call: &mut Call) {
    let text = scenario.version.as_deref().unwrap_or(LATEST);
    let version = flags::version(text).unwrap_or_else(|| crate::bad_setup(&format!("`{text}` is no version")));
    let args = parse(args, version).unwrap_or_else(|message| refuse(&message));
    if args.version {
        if scenario.probe.is_empty() {
            faults::print(
                format!("GitHub Copilot CLI {text}.\nRun 'copilot update' to check for updates.\n").as_bytes(),
            );
        } else {
            faults::run(&scenario.probe, call, &Context::default());
        }
        std::process::exit(0);
    }
    if let Some(folder) = &args.chdir {
        let cwd = std::env::current_dir().unwrap_or_default();
        if std::env::set_current_dir(folder).is_err() {
            refuse(&format!(
                "error: cannot change working directory to '{folder}': Error: ENOENT: no such file or directory, \
                 chdir '{}' -> '{folder}'",
                cwd.display()
            ));
        }
    }
    if let Some(rest) = &args.workflow {
        let mut session: Vec<&str> = args.values.iter().map(|(long, _)| *long).collect();
        session.extend(args.prompt.as_ref().map(|_| "prompt"));
        let plugins = args.values.iter().filter(|(long, _)| *long == "plugin-dir").map(|(_, dir)| dir.as_str());
        workflow::play(rest, &session, &plugins.collect::<Vec<_>>(), version, scenario, call);
    }
    let servers = mcp_servers(&args, flags::new_parser(version)).unwrap_or_else(|message| refuse(&message));
    check_session(&args).unwrap_or_else(|message| refuse(&message));
    let prompt = match &args.prompt {
        Some(prompt) => prompt.clone(),
        // Without a prompt the real one reads stdin to its end, and waits for ever on one that stays open.
        None if scenario.ignore_stdin => "unread".into(),
        None => {
            let bytes = faults::read_stdin();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            call.stdin(bytes);
            text.strip_suffix('\n').unwrap_or(&text).to_owned()
        }
    };
    if prompt.trim().is_empty() {
        refuse("No prompt provided. Run in an interactive terminal or provide a prompt with -p or via standard in.");
    }
    if prompt.trim_start().to_ascii_lowercase().starts_with("/compact") {
        refuse("Error executing prompt: Error: Nothing to compact.");
    }
    let session = args.last("session-id").or(args.last("resume")).filter(|id| !id.is_empty());
    let context = Context {
        prompt,
        session_id: session.map_or_else(|| uuid::Uuid::new_v4().to_string(), str::to_owned),
        model: args.last("model").unwrap_or("mock").to_owned(),
        json: args.last("output-format") == Some("json"),
        silent: args.has("silent"),
        stream: args.last("stream") != Some("off"),
        servers,
    };
    if scenario.steps.is_empty() {
        crate::copilot_answer::answer(&context);
    } else {
        faults::run(&scenario.steps, call, &context);
    }
}

fn refuse(message: &str) -> ! {
    faults::print_err(format!("{message}\n").as_bytes());
    std::process::exit(1)
}

fn parse(args: &[String], version: Version) -> Result<Args, String> {
    let new = flags::new_parser(version);
    let prompted = args.iter().any(|arg| arg.starts_with("-p") || arg == "--prompt" || arg.starts_with("--prompt="));
    let mut read = Args::default();
    let mut rest = args.iter().map(String::as_str).peekable();
    while let Some(arg) = rest.next() {
        if arg == "--" {
            return rest.next().map_or(Ok(read), |stray| Err(stray_word(stray, prompted)));
        }
        if let Some(long) = arg.strip_prefix("--") {
            let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            let flag = flags::long(name, version).ok_or_else(|| unknown(arg, name, new, prompted))?;
            take(flag, value, &mut rest, version, &mut read, arg)?;
        } else if arg.len() > 1 && arg.starts_with('-') {
            cluster(arg, &mut rest, version, prompted, &mut read)?;
        } else if workflow::begins(arg, version) {
            read.workflow = Some(rest.map(str::to_owned).collect());
            break;
        } else {
            return Err(stray_word(arg, prompted));
        }
    }
    conflicts(&read, new)?;
    Ok(read)
}

/// Reads `-sp text`, `-ptext` and `-p=text`.
fn cluster<'a>(
    arg: &'a str,
    rest: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>,
    version: Version,
    prompted: bool,
    read: &mut Args,
) -> Result<(), String> {
    let new = flags::new_parser(version);
    for (at, letter) in arg.char_indices().skip(1) {
        let flag =
            flags::short(letter, version).ok_or_else(|| unknown(arg, arg.trim_start_matches('-'), new, prompted))?;
        let glued = &arg[at + letter.len_utf8()..];
        if flag.takes == Takes::Nothing {
            take(flag, None, rest, version, read, arg)?;
            continue;
        }
        // Only the newer parser takes the `=` of `-p=text` away.
        let glued = if new { glued.strip_prefix('=').unwrap_or(glued) } else { glued };
        let value = Some(glued).filter(|_| at + letter.len_utf8() < arg.len());
        return take(flag, value, rest, version, read, arg);
    }
    Ok(())
}

fn take<'a>(
    flag: &'static Flag,
    value: Option<&str>,
    rest: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>,
    version: Version,
    read: &mut Args,
    arg: &str,
) -> Result<(), String> {
    let new = flags::new_parser(version);
    let value = match (flag.takes, value) {
        (Takes::Nothing, Some(value)) if new => {
            return Err(format!(
                "error: unexpected value '{value}' for '--{}' found; no more were expected\n\nUsage: copilot --{}\n\n\
                 For more information, try '--help'.",
                flag.long, flag.long
            ));
        }
        (Takes::Nothing, Some(_)) => return Err(unknown(arg, flag.long, new, false)),
        (Takes::Nothing, None) => String::new(),
        (_, Some(value)) => value.to_owned(),
        (Takes::One, None) => required(flag, rest, version)?,
        (Takes::Optional, None) => rest.next_if(|next| !next.starts_with('-')).unwrap_or_default().to_owned(),
        (Takes::Many, None) => {
            let mut values = Vec::new();
            while let Some(next) = rest.next_if(|next| !next.starts_with('-')) {
                values.push(next);
            }
            values.join(",")
        }
    };
    check_value(flag, &value, new)?;
    match flag.long {
        "prompt" => read.prompt = Some(value),
        "version" => read.version = true,
        "" => read.chdir = Some(value),
        long => read.values.push((long, value)),
    }
    Ok(())
}

/// The value of a flag that must have one. The older parser takes whatever follows; the newer one nothing that looks like a
/// flag, a lone dash aside.
fn required<'a>(
    flag: &Flag,
    rest: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>,
    version: Version,
) -> Result<String, String> {
    let new = flags::new_parser(version);
    let next = rest.next();
    if !new {
        return next
            .map(str::to_owned)
            .ok_or_else(|| format!("error: option '{}' argument missing", flag.usage(false)));
    }
    let choices = flag.choices();
    let possible =
        if choices.is_empty() { String::new() } else { format!("\n  [possible values: {}]", choices.join(", ")) };
    let missing = format!(
        "error: a value is required for '{}' but none was supplied{possible}\n\nFor more information, try '--help'.",
        flag.usage(true)
    );
    match next {
        None => Err(missing),
        Some("--") => Err(if rest.peek().is_some() { NOT_QUOTED.into() } else { missing }),
        Some(next) if next.len() > 1 && next.starts_with('-') => {
            let known = match next.strip_prefix("--") {
                Some(long) => flags::long(long.split('=').next().unwrap_or(long), version).is_some(),
                None => next[1..].chars().next().is_some_and(|letter| flags::short(letter, version).is_some()),
            };
            Err(if known { missing } else { NOT_QUOTED.into() })
        }
        Some(next) => Ok(next.to_owned()),
    }
}

fn unknown(arg: &str, name: &str, new: bool, prompted: bool) -> String {
    if !new {
        return format!("error: unknown option '{arg}'\n\nTry 'copilot --help' for more information.");
    }
    if prompted {
        return NOT_QUOTED.into();
    }
    let dashes = if arg.starts_with("--") { "--" } else { "-" };
    format!(
        "error: unexpected argument '{dashes}{name}' found\n\nUsage: copilot [OPTIONS] [COMMAND]\n\n\
         For more information, try '--help'."
    )
}

fn stray_word(word: &str, prompted: bool) -> String {
    if prompted {
        return NOT_QUOTED.into();
    }
    format!(
        "error: Invalid command format.\n\nDid you mean: copilot -i \"{word}\"?\n\nFor non-interactive mode, use the -p or \
         --prompt option.\nTry 'copilot --help' for more information."
    )
}

fn check_value(flag: &Flag, value: &str, new: bool) -> Result<(), String> {
    let choices = flag.choices();
    if !choices.is_empty() && !choices.contains(&value) {
        return Err(if new {
            format!(
                "error: invalid value '{value}' for '{}'\n  [possible values: {}]\n\nFor more information, try '--help'.",
                flag.usage(true),
                choices.join(", ")
            )
        } else {
            let usage = flag.usage(false);
            format!(
                "error: option '{usage}' argument '{value}' is invalid. Allowed choices are {}.",
                choices.join(", ")
            )
        });
    }
    if flag.long == "max-ai-credits" && value.parse::<f64>().is_ok_and(|credits| credits < 30.0) {
        return Err(format!("error: Invalid value for --max-ai-credits: \"{value}\". Use at least 30 AI credits."));
    }
    Ok(())
}

fn conflicts(args: &Args, new: bool) -> Result<(), String> {
    let pairs = [("session-id", "resume"), ("session-id", "continue"), ("continue", "resume")];
    for (one, other) in pairs.into_iter().filter(|(one, other)| args.has(one) && args.has(other)) {
        let names = |long| flags::long(long, (u64::MAX, 0, 0)).map(|flag| flag.usage(new)).unwrap_or_default();
        if new {
            let prompt = if args.prompt.is_some() { " --prompt <text>" } else { "" };
            return Err(format!(
                "error: the argument '{}' cannot be used with '{}'\n\nUsage: copilot{prompt} {}\n\n\
                 For more information, try '--help'.",
                names(one),
                names(other),
                names(one)
            ));
        } else if one == "session-id" {
            return Err(format!("error: option '{}' cannot be used with option '{}'", names(one), names(other)));
        }
    }
    Ok(())
}

/// The names of the servers in every `--additional-mcp-config`. As in the real one, bad JSON ends the run.
fn mcp_servers(args: &Args, new: bool) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    for (_, config) in args.values.iter().filter(|(long, _)| *long == "additional-mcp-config") {
        let text = match config.strip_prefix('@') {
            Some(file) => {
                let path = std::path::absolute(file).unwrap_or_default();
                std::fs::read_to_string(&path).map_err(|error| {
                    let path = path.display();
                    let why = if new {
                        error.to_string()
                    } else {
                        format!("ENOENT: no such file or directory, open '{path}'")
                    };
                    format!("Failed to read MCP config file \"{path}\": {why}")
                })?
            }
            None => config.clone(),
        };
        let json: serde_json::Value = serde_json::from_str(&text).map_err(|error| {
            let before = if new { "" } else { "Invalid JSON in --additional-mcp-config: " };
            format!("{before}Invalid JSON: {error}")
        })?;
        let before = if new { "" } else { "Invalid MCP server configuration in --additional-mcp-config: " };
        let servers = json.get("mcpServers").and_then(|servers| servers.as_object());
        let servers = servers.ok_or_else(|| format!("{before}mcpServers: Required"))?;
        names.extend(servers.keys().cloned());
    }
    Ok(names)
}

fn check_session(args: &Args) -> Result<(), String> {
    if let Some(id) = args.last("session-id").filter(|id| uuid::Uuid::try_parse(id).is_err()) {
        return Err(format!(
            "Error: No session or task matched '{id}'.\nThe value is not a valid UUID, so a new session cannot be \
             created.\n\nTo resume an existing session or task:  copilot --session-id=<id>\nTo start a new session with \
             ID:        copilot --session-id=<valid-uuid>\nTo resume by name or ID prefix:        copilot \
             --resume=<name-or-prefix>"
        ));
    }
    // A fake keeps no sessions: an id that is one is taken as known, everything else as unknown.
    if let Some(id) = args.last("resume").filter(|id| !id.is_empty() && uuid::Uuid::try_parse(id).is_err()) {
        return Err(format!(
            "Error: No session, task, or name matched '{id}'.\n\nTo resume by session or task ID:  copilot \
             --resume=<id>\nTo resume by name:                copilot --resume=<name>\nTo name a new session:            \
             copilot --name=<name>\nTo pick from existing sessions:   copilot --resume\nTo start a new session with ID:   \
             copilot --session-id=<valid-uuid>"
        ));
    }
    Ok(())
}
