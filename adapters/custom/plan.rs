//! The exact command for a request to an agent that the host described. Pure.

use super::definition::{Definition, ModeFacts};
use super::servers::{self, Servers};
use super::template::{self, Template, Values};
use super::{Custom, forbidden};
use crate::adapters::{Context, version};
use crate::env::Os;
use crate::error::Error;
use crate::guidance;
use crate::plan::{Arg, EnvChange, OutputFormat, Plan, PrivateFile, Scratch, Stdin};
use crate::request::{Mode, Request};
use crate::validate;

/// The longest argument, in bytes: Linux takes 131,071 in one, Windows 32,767 units in all.
const LONGEST_ARGUMENT: usize = 96 * 1024;
const LONGEST_ON_WINDOWS: usize = 24 * 1024;

/// The empty folder that a run works from where its definition says so.
const SCRATCH: &str = ".agent-launcher-empty";

/// Stands before a prompt that comes below instructions, or that the agent would take for a command.
const HEADING: &str = "User request:";

pub(super) fn plan(custom: &Custom, request: &Request, context: &Context<'_>) -> Result<Plan, Error> {
    let (spec, definition) = (custom.spec, custom.definition);
    let windows = context.host.os == Os::Windows;
    validate::request(request, windows)?;
    let unsupported = |what: String| Error::Unsupported { agent: spec.id.clone(), what };
    let Some(mode) = definition.mode(request.mode) else {
        let key = request.mode.as_str();
        return Err(unsupported(format!("run in this mode: its definition has no `[modes.{key}]`")));
    };
    if definition.version.floor.is_some() && !version::is_at_least(&context.binary.version, spec.floor.safe) {
        let (found, needed) = (context.binary.version.as_str(), spec.floor.safe);
        let guidance = guidance::version_unsupported(spec, context.app, &context.binary.found, found, needed);
        return Err(Error::Setup(Box::new(guidance)));
    }
    let Some(vault) = template::path_text(&request.vault) else {
        return Err(unsupported("work in a folder whose path is not UTF-8".into()));
    };
    let (prompt, notice) = prompt(definition, request, vault);
    let files = definition.files.len();
    let own = servers::servers(definition, request, context, files).map_err(|problem| match problem {
        servers::Problem::Unsupported(what) => unsupported(what),
        servers::Problem::Server(name, problem) => Error::InvalidServer { name, problem },
    })?;
    let session = request.resume.as_deref().unwrap_or(&request.session_id);
    let values = Values {
        vault,
        prompt: &prompt,
        model: request.model.as_deref().unwrap_or_default(),
        session,
        system_prompt: request.system_prompt.as_deref().unwrap_or_default(),
        mcp_config: &own.text,
        mcp_file: own.file.as_ref().map(|_| files),
        ..Values::default()
    };
    let prompt_args = definition.run.prompt_args.as_deref();
    let args = args(definition, mode, request, context, (&own, prompt_args), &values)?;
    let longest = if windows { LONGEST_ON_WINDOWS } else { LONGEST_ARGUMENT };
    let too_long = args.iter().any(|arg| matches!(arg, Arg::Text(text) if text.len() > longest));
    if too_long {
        let problem = format!("is longer than {longest} bytes, and {} takes it as an argument; shorten it", spec.name);
        return Err(Error::InvalidField { field: "prompt", problem });
    }
    through_shim(custom, request, context, &own)?;
    let mut all: Vec<PrivateFile> = definition
        .files
        .iter()
        .map(|file| PrivateFile {
            purpose: file.purpose.clone(),
            name: file.name.clone(),
            bytes: template::with_vault(&file.text, vault).into_bytes(),
        })
        .collect();
    let (variable, secret) = (own.variable, own.secret);
    all.extend(own.file);
    Ok(Plan {
        session_id: (request.resume.is_some() || definition.options.new_session.is_some()).then(|| session.to_owned()),
        args,
        scratch: definition.run.scratch.then(|| Scratch { name: SCRATCH.into(), below: None, stays: false }),
        stdin: if prompt_args.is_none() {
            Stdin::Bytes(template::on_stdin(definition.run.prompt_text.as_deref(), &prompt).into_bytes())
        } else {
            Stdin::Null
        },
        env: environment(custom, mode, request, context, variable.map(|name| (name, own.text, secret)))?,
        files: all,
        notices: unverified(definition, mode, request.mode).into_iter().chain(notice).collect(),
        output: match definition.output {
            super::definition::Output::Text => OutputFormat::Text,
            super::definition::Output::Json(_) => OutputFormat::Json,
        },
        allowed_tools: mode.tools.clone(),
        ..Plan::new(spec, request, context)
    })
}

/// Nobody should take a mode for kept that nobody tried.
fn unverified(definition: &Definition, facts: &ModeFacts, mode: Mode) -> Option<String> {
    let name = if mode == Mode::Safe { "Safe" } else { "Power User" };
    (!facts.verified).then(|| {
        format!(
            "What {} may do in {name} mode is what the flags of its description give; that was not verified.",
            definition.name
        )
    })
}

/// The text for the agent, and what the person should know of it.
fn prompt(definition: &Definition, request: &Request, vault: &str) -> (String, Option<String>) {
    let asked = request.system_prompt.as_deref().filter(|text| !text.trim().is_empty());
    let asked = asked.filter(|_| definition.options.system_in_prompt);
    let place = definition.run.scratch.then(|| {
        format!(
            "The folder to work in is `{vault}`; the current directory is empty and stays so. Give every path in full, \
             beginning with that folder."
        )
    });
    if asked.is_some() || place.is_some() {
        let instructions: Vec<&str> = place.as_deref().into_iter().chain(asked).collect();
        let instructions = instructions.join("\n\n");
        return (format!("System instructions:\n{instructions}\n\n{HEADING}\n{}", request.prompt), None);
    }
    let blank = |c: char| c.is_whitespace() || c.is_control() || c == '\u{feff}';
    let begin = request.prompt.trim_start_matches(blank);
    match definition.run.commands.iter().find(|command| begin.starts_with(command.as_str())) {
        None => (request.prompt.clone(), None),
        Some(command) => {
            let notice = format!(
                "The prompt begins with `{command}`, which {} could take for a command of its own; it is sent as text below \
                 the line `{HEADING}`.",
                definition.name
            );
            (format!("{HEADING}\n{}", request.prompt), Some(notice))
        }
    }
}

/// All arguments, in this order: those of every run, of the mode, of the options, of the servers, of the request, the prompt.
fn args(
    definition: &Definition,
    mode: &ModeFacts,
    request: &Request,
    context: &Context<'_>,
    (own, prompt): (&Servers, Option<&[Template]>),
    values: &Values<'_>,
) -> Result<Vec<Arg>, Error> {
    let agent = &request.agent;
    let unsupported = |what: &str| Error::Unsupported { agent: agent.clone(), what: what.into() };
    let options = &definition.options;
    let mut args: Vec<Arg> =
        context.binary.first_args.iter().map(|arg| Arg::Text(arg.to_string_lossy().into_owned())).collect();
    let mut add = |field: &'static str, templates: &[Template]| {
        let filled = template::fill(templates, values).map_err(|problem| Error::InvalidField { field, problem })?;
        args.extend(filled);
        Ok::<_, Error>(())
    };
    add("prompt", &definition.run.args)?;
    add("prompt", &mode.args)?;
    if request.model.is_some() {
        let model = options.model.as_ref();
        add("model", model.ok_or_else(|| unsupported("choose a model: its definition has no `options.model`"))?)?;
    }
    if request.resume.is_some() {
        let resume = options.resume.as_ref();
        let resume = resume.ok_or_else(|| unsupported("continue a session: its definition has no `options.resume`"))?;
        add("session id to resume", resume)?;
    } else if let Some(new) = &options.new_session {
        add("session id", new)?;
    }
    if request.system_prompt.as_deref().is_some_and(|text| !text.trim().is_empty()) {
        match &options.system_prompt {
            Some(system) => add("system prompt", system)?,
            None if options.system_in_prompt => {}
            None => {
                let what = "follow a system prompt: its definition has neither `options.system_prompt` nor \
                            `options.system_in_prompt`";
                return Err(unsupported(what));
            }
        }
    }
    add("prompt", &own.args)?;
    args.extend(own.each.iter().cloned());
    let extra = extra(definition, request)?;
    let prompt = match prompt {
        Some(_) if request.private_prompt => {
            return Err(unsupported("take the prompt in private: its definition passes it as an argument"));
        }
        Some(prompt) => {
            template::fill(prompt, values).map_err(|problem| Error::InvalidField { field: "prompt", problem })?
        }
        None => Vec::new(),
    };
    Ok(args.into_iter().chain(extra).chain(prompt).collect())
}

/// The request's own arguments. Only flags that the definition names, each with its value joined to it.
fn extra(definition: &Definition, request: &Request) -> Result<Vec<Arg>, Error> {
    let place = if request.mode == Mode::Safe { forbidden::Where::Safe } else { forbidden::Where::PowerUser };
    let check = |arg: &String| {
        let name = arg.split('=').next().unwrap_or_default();
        let reason = if let Some(reason) = forbidden::argument(arg, place) {
            reason
        } else if !definition.options.extra.iter().any(|known| known == name) {
            "the agent's definition does not name it under `options.extra`"
        } else {
            return Ok(Arg::Text(arg.clone()));
        };
        Err(Error::Forbidden { argument: arg.clone(), reason: reason.to_owned() })
    };
    request.extra_args.iter().map(check).collect()
}

/// What a script of `cmd.exe` makes of quotes, percent signs and line ends cannot be foreseen.
fn through_shim(custom: &Custom, request: &Request, context: &Context<'_>, own: &Servers) -> Result<(), Error> {
    let end = context.binary.program.extension();
    if !end.is_some_and(|end| end.eq_ignore_ascii_case("cmd") || end.eq_ignore_ascii_case("bat")) {
        return Ok(());
    }
    let inline = !own.args.is_empty() && own.file.is_none();
    if custom.definition.run.prompt_args.is_some() || inline || request.system_prompt.is_some() {
        let what = "be started through a script of `cmd.exe`, which changes what is written in arguments; give the path of the \
                    program itself";
        return Err(Error::Unsupported { agent: request.agent.clone(), what: what.into() });
    }
    Ok(())
}

fn environment(
    custom: &Custom,
    mode: &ModeFacts,
    request: &Request,
    context: &Context<'_>,
    servers: Option<(String, String, bool)>,
) -> Result<std::collections::BTreeMap<String, EnvChange>, Error> {
    let vault = request.vault.to_string_lossy();
    let mut changes = custom.table.changes(request, context)?;
    let of_servers = servers.as_ref().map(|(name, ..)| name);
    let fixed = mode.env.iter().map(|(name, _)| name).chain(of_servers);
    let windows = context.host.os == Os::Windows;
    let same = |a: &str, b: &str| if windows { a.eq_ignore_ascii_case(b) } else { a == b };
    for name in fixed {
        if request.env_remove.iter().any(|removed| same(removed, name)) {
            let reason = "the agent's definition sets it, and the mode rests on it".to_owned();
            return Err(Error::Forbidden { argument: name.clone(), reason });
        }
    }
    for (name, value) in custom.definition.environment.set.iter().chain(&mode.env) {
        changes.set(name, &template::with_vault(value, &vault));
    }
    if let Some((name, text, secret)) = servers {
        if secret { changes.set_secret(&name, text) } else { changes.set(&name, &text) }
    }
    Ok(changes.asked(request))
}
