//! The exact Claude Code command for a request. Pure: what is on the disk is told in the context.

use std::path::Path;

use serde_json::Value;

use super::sign_in::{self, SignIn};
use super::{SPEC, environment, flags, prompt, servers, tools};
use crate::adapters::obeyed::OBEYED;
use crate::adapters::{Context, boundary, version};
use crate::env::Os;
use crate::error::Error;
use crate::guidance;
use crate::plan::{Arg, Plan, PrivateFile, Stdin};
use crate::request::{Mode, Request};
use crate::validate;

/// Longer texts travel in a private file, in bytes. Linux takes 131,071 bytes in one argument, Windows 32,767 UTF-16 units
/// in a whole command line.
const LONGEST_ARGUMENT: usize = 8 * 1024;

pub(super) fn plan(request: &Request, context: &Context<'_>) -> Result<Plan, Error> {
    validate::request(request, context.host.os == Os::Windows)?;
    servers::check_names(&request.mcp_servers)?;
    let extra = flags::extra(request)?;
    let session = session(request)?;
    supported(request.mode, context)?;
    let version = context.binary.version.as_str();
    let safe = request.mode == Mode::Safe;
    if safe {
        is_fit(request, context)?;
    }
    let sign_in = sign_in::sign_in(request, context);
    let (text, notice) = prompt::text(request);

    let mut args = Arguments::new(context);
    flags::ALWAYS.iter().for_each(|flag| args.text((*flag).to_owned()));
    let name = if request.resume.is_some() { "--resume" } else { "--session-id" };
    args.text(format!("{name}={session}"));
    if let Some(model) = &request.model {
        args.text(format!("--model={model}"));
    }
    // A rule names all tools of a server. Without servers of the app no tool is named that is not the agent's own.
    let own = request.mcp_servers.iter().map(|server| tools::prefix(&server.name));
    if safe {
        args.text(format!("--tools={}", tools::SAFE.join(",")));
        let own: Vec<String> = own.collect();
        if !own.is_empty() {
            args.text(format!("--allowedTools={}", own.join(",")));
        }
        args.text(format!("--disallowedTools={}", denied(request, context).join(",")));
    } else {
        let allowed: Vec<String> = tools::POWER_USER.iter().map(|tool| (*tool).to_owned()).chain(own).collect();
        args.text(format!("--allowedTools={}", allowed.join(",")));
    }
    if context.survey.real(&request.vault).is_some_and(|real| real != request.vault) {
        // It works in the folder that a link leads to, and refuses what is named by the link (measured).
        args.text(format!("--add-dir={}", request.vault.display()));
    }
    if let Some(system) = request.system_prompt.as_deref().filter(|text| !text.trim().is_empty()) {
        let private = request.private_prompt;
        args.value("--append-system-prompt", "--append-system-prompt-file", "system-prompt", system, private);
        if flags::FRESH_SYSTEM_PROMPT.is_in(version) {
            args.text(flags::FRESH_SYSTEM_PROMPT.name.to_owned());
        }
    }
    let withheld = withheld(request, context, &sign_in);
    if let Some((config, secret)) = servers::config(&request.mcp_servers, context.mcp_commands, &withheld) {
        args.value("--mcp-config", "--mcp-config", "mcp-config", &config, secret);
    }
    if !sign_in.settings.is_empty() {
        // A helper's command may hold the key itself.
        let settings = Value::Object(sign_in.settings.clone()).to_string();
        args.value("--settings", "--settings", "settings", &settings, true);
    }
    extra.into_iter().for_each(|arg| args.text(arg));

    let mut changes = environment::TABLE.changes(request, context)?;
    for (name, value) in sign_in.env {
        changes.set_secret(&name, value);
    }
    if safe {
        // What it wrote down in earlier sessions of this folder would come with the prompt.
        changes.set("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1");
        // Else `@/etc/passwd` in a prompt, which may quote a note, brings in the file, whatever may be read (measured).
        changes.set("CLAUDE_CODE_DISABLE_ATTACHMENTS", "1");
    }
    if safe || !flags::CAREFUL_GIT.is_in(version) {
        // Else it asks Git how the vault stands, and 2.1.197 lets Git start what `.git/config` names (measured).
        changes.set("CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS", "1");
    }
    Ok(Plan {
        session_id: Some(session),
        args: args.args,
        stdin: Stdin::Bytes(text.into_bytes()),
        env: changes.asked(request),
        files: args.files,
        notices: notice.into_iter().collect(),
        allowed_tools: safe.then(|| tools::SAFE.iter().map(|tool| (*tool).to_owned()).collect()),
        ..Plan::new(&SPEC, request, context)
    })
}

/// The arguments and the private files that they name.
struct Arguments {
    args: Vec<Arg>,
    files: Vec<PrivateFile>,
    through_shim: bool,
}

impl Arguments {
    fn new(context: &Context<'_>) -> Arguments {
        let first = context.binary.first_args.iter().map(|arg| Arg::Text(arg.to_string_lossy().into_owned()));
        let through_shim = is_shim(&context.binary.program);
        Arguments { args: first.collect(), files: Vec::new(), through_shim }
    }

    fn text(&mut self, arg: String) {
        self.args.push(Arg::Text(arg));
    }

    /// A value in the arguments, or in a private file where it must not be seen, is long, or a `.cmd` shim might change it.
    fn value(&mut self, flag: &str, file_flag: &str, purpose: &str, value: &str, private: bool) {
        if !private && !self.through_shim && value.len() <= LONGEST_ARGUMENT {
            return self.text(format!("{flag}={value}"));
        }
        let name = format!("{purpose}.{}", if value.starts_with('{') { "json" } else { "txt" });
        let bytes = value.as_bytes().to_vec();
        self.args.push(Arg::File { prefix: format!("{file_flag}="), file: self.files.len() });
        self.files.push(PrivateFile { purpose: purpose.to_owned(), name, bytes });
    }
}

/// What Safe mode refuses beside what `acceptEdits` asks for, which nobody answers. Measured on both versions: a rule for
/// `Edit` holds for `Write` as well, in every spelling and through links; one without a slash holds at any depth of the
/// vault and nowhere above it.
fn denied(request: &Request, context: &Context<'_>) -> Vec<String> {
    let windows = context.host.os == Os::Windows;
    // Hidden files and folders: what other programs run or obey lies there (`.codex`, `.github`, `.opencode`, `.gemini`,
    // `.obsidian` and whatever comes next).
    let mut rules = vec!["Edit(.*)".to_owned()];
    let plain = OBEYED.iter().map(|obeyed| obeyed.path).filter(|path| !path.starts_with('.'));
    rules.extend(plain.map(|path| format!("Edit({path})")));
    if windows {
        // The short name of a hidden folder (`GIT~1`) begins with no dot.
        rules.push("Edit(**/*~*/**)".to_owned());
    }
    // It may write its own notes about the folder unasked, whatever the variable for that says: outside of the vault, and
    // part of the next prompt. Of the rest of its folder it may read what it keeps of long answers of tools.
    let home = match sign_in::config_dir(request, context.host) {
        Some(folder) => pattern(&folder, windows),
        None => "~/.claude".to_owned(),
    };
    rules.push(format!("Edit({home}/**)"));
    rules.push(format!("Read({home}/projects/*/memory/**)"));
    rules
}

/// An absolute path as a rule has it, with a slash more; characters with a meaning stand as `?`.
fn pattern(folder: &Path, windows: bool) -> String {
    let mut path = folder.to_string_lossy().into_owned();
    if windows {
        path = path.replace('\\', "/");
        if path.as_bytes().get(1) == Some(&b':') {
            path = format!("/{}{}", path[..1].to_ascii_lowercase(), &path[2..]);
        }
    }
    let plain = |c: char| if "()[]{}*!,\\".contains(c) { '?' } else { c };
    format!("/{}", path.trim_end_matches('/').chars().map(plain).collect::<String>())
}

/// Secrets that reach the agent and not its servers.
fn withheld(request: &Request, context: &Context<'_>, sign_in: &SignIn) -> Vec<String> {
    let windows = context.host.os == Os::Windows;
    let reaches = |name: &str| {
        let inherited = context.host.var(name).is_some() && environment::TABLE.passes(name, request.mode, windows);
        inherited || request.env.contains_key(name) || sign_in.env.contains_key(name)
    };
    let mut names = environment::TABLE.secret_names(request, context);
    names.retain(|name| reaches(name));
    names
}

/// The session's id: a new one is ours, an old one is what `Done` told.
fn session(request: &Request) -> Result<String, Error> {
    let (field, id) = match &request.resume {
        Some(id) => ("session id to resume", id),
        None => ("session id", &request.session_id),
    };
    if uuid::Uuid::try_parse(id).is_ok() && id.len() == 36 {
        return Ok(id.clone());
    }
    let problem = format!("`{id}` is not a UUID, as Claude Code's are; use the one that `Done` told");
    Err(Error::InvalidField { field, problem })
}

fn supported(mode: Mode, context: &Context<'_>) -> Result<(), Error> {
    let needed = match mode {
        Mode::Safe => SPEC.floor.safe,
        Mode::PowerUser => SPEC.floor.power_user,
    };
    let found = context.binary.version.as_str();
    if version::is_at_least(found, needed) {
        return Ok(());
    }
    let guidance = guidance::version_unsupported(&SPEC, context.app, &context.binary.found, found, needed);
    Err(Error::Setup(Box::new(guidance)))
}

/// Refuses a vault in which keys and sign-ins would be read as notes.
fn is_fit(request: &Request, context: &Context<'_>) -> Result<(), Error> {
    let vaults = boundary::both(&request.vault, context.survey);
    let folders = sign_in::folders(request, context.host);
    let why =
        folders.split_first().and_then(|(own, homes)| boundary::unfit(&vaults, homes, own, SPEC.name, context.survey));
    match why {
        Some(why) => {
            let what = format!("keep to Safe mode here: {why}");
            Err(Error::Unsupported { agent: SPEC.id.clone(), what })
        }
        None => Ok(()),
    }
}

/// Whether the program is a script of `cmd.exe`.
fn is_shim(program: &Path) -> bool {
    program.extension().is_some_and(|end| end.eq_ignore_ascii_case("cmd") || end.eq_ignore_ascii_case("bat"))
}
