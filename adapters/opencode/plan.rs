//! The exact OpenCode command for a request. Pure: what is on the disk is told in the context.

use std::path::Path;

use super::model::{self, Model};
use super::person::{self, Person};
use super::reach::Rule;
use super::{SPEC, config, environment, flags, place, prompt, reach, servers, tools};
use crate::adapters::{Context, version};
use crate::env::Os;
use crate::error::Error;
use crate::guidance;
use crate::plan::{Arg, Plan, Stdin};
use crate::request::{Mode, Request};
use crate::survey::{Look, Seen};
use crate::validate;

/// The longest that the variable with the settings may be, in bytes: Linux takes 131,071 in one variable, Windows 32,767 characters.
const LONGEST: usize = 30_000;

/// What is said where a Safe run does not edit.
const NO_EDITS: &str = "Files are read in this run and not edited: OpenCode's model is one of OpenAI's newer ones, or not known, and \
                        the tool that OpenCode gives those to edit with does not keep to Safe mode. Name another model, or \
                        choose Power User mode.";

pub(super) fn plan(request: &Request, context: &Context<'_>) -> Result<Plan, Error> {
    let windows = context.host.os == Os::Windows;
    validate::request(request, windows)?;
    servers::check_names(&request.mcp_servers)?;
    let extra = flags::extra(request)?;
    supported(request.mode, context)?;
    let session = session(request)?;
    let named = model_flag(request)?;
    let mut person = if request.mode == Mode::Safe { safe(request, context)? } else { Person::default() };
    let unfit = |what: String| Error::Unsupported { agent: SPEC.id.clone(), what };
    if let Some(what) = reach::untellable(&request.vault, context.host.os) {
        return Err(unfit(what));
    }
    if let Some((server, name)) = servers::untellable(&request.mcp_servers) {
        let problem = format!("OpenCode would trim the secret `{name}`, which begins or ends with a blank");
        return Err(Error::InvalidServer { name: server.name.clone(), problem });
    }
    let scratch = place::place(request, context)?;
    let model = match request.mode {
        Mode::Safe => model::model(request, context.host, context.survey),
        Mode::PowerUser => Model { keeps_to_rules: true, held: None },
    };
    if !model.keeps_to_rules {
        person.notices.push(NO_EDITS.to_owned());
    }
    let permissions = reach::permissions(request, context, model.keeps_to_rules);
    let held = model.held.as_deref();
    let (settings, files) = config::config(request, context, &permissions, &person.servers, held);
    let length: usize = settings
        .iter()
        .map(|part| match part {
            Arg::Text(text) | Arg::File { prefix: text, .. } => text.len(),
        })
        .sum();
    if length > LONGEST {
        return Err(unfit(format!(
            "take settings of {length} bytes (servers, links out of the vault), more than {LONGEST}"
        )));
    }

    let first = context.binary.first_args.iter().map(|arg| arg.to_string_lossy().into_owned());
    let always = flags::ALWAYS.iter().map(|flag| (*flag).to_owned());
    let agent = format!("--agent={}", config::AGENT);
    let args = first.chain(always).chain([agent]).chain(session).chain(named).chain(extra).map(Arg::Text).collect();

    let env = environment::environment(request, context, settings)?;
    Ok(Plan {
        args,
        scratch: Some(scratch),
        stdin: Stdin::Bytes(prompt::prompt(request).into_bytes()),
        env,
        files,
        notices: person.notices,
        allowed_tools: (request.mode == Mode::Safe).then(|| given(&permissions, !request.mcp_servers.is_empty())),
        ..Plan::new(&SPEC, request, context)
    })
}

/// What Safe mode must know of the person and the vault.
fn safe(request: &Request, context: &Context<'_>) -> Result<Person, Error> {
    let mut person = person::person(request, context.host, context.survey);
    let links = context.survey.seen(&Look::Links(request.vault.clone()));
    if *links == Seen::Unreadable {
        let what = "the vault holds more files, or more links out of it, than can be looked at";
        person.not_safe.get_or_insert_with(|| format!("{what}; choose a smaller one, or Power User mode"));
    }
    if let Some(not_safe) = person.not_safe {
        return Err(Error::Unsupported { agent: SPEC.id.clone(), what: format!("keep to Safe mode here: {not_safe}") });
    }
    if let Seen::Links(links) = links
        && let Some(first) = links.first()
    {
        let first = shown(first, &request.vault);
        if context.host.os != Os::Linux {
            // Where case does not count, a link has more spellings than rules can name.
            return Err(Error::Unsupported {
                agent: SPEC.id.clone(),
                what: format!(
                    "keep to Safe mode here: the link `{first}` leads out of the vault or to hidden files, and OpenCode would \
                     follow it; take it out of the vault, or choose Power User mode"
                ),
            });
        }
        person.notices.push(format!(
            "{} of the vault's links are not followed, since some lead out of it or to hidden files; the first is `{first}`. OpenCode's \
             search in files would follow them, so it is not given.",
            links.len()
        ));
    }
    Ok(person)
}

/// The tools that the mode gives.
fn given(permissions: &[(String, Rule)], with_servers: bool) -> Vec<String> {
    let refused = |tool: &str| permissions.iter().any(|(name, rule)| name == tool && *rule == Rule::All("deny"));
    let left_out = |tool: &str| refused(tool) || (tools::EDITORS.contains(&tool) && refused("edit"));
    let resources = tools::RESOURCES.iter().filter(|_| with_servers);
    tools::SAFE.iter().filter(|tool| !left_out(tool)).chain(resources).map(|tool| (*tool).to_owned()).collect()
}

fn shown(path: &Path, vault: &Path) -> String {
    path.strip_prefix(vault).unwrap_or(path).display().to_string()
}

/// The session to continue. A new one gets its id from OpenCode.
fn session(request: &Request) -> Result<Option<String>, Error> {
    let Some(id) = &request.resume else { return Ok(None) };
    let plain =
        |rest: &str| !rest.is_empty() && rest.len() <= 64 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if id.strip_prefix("ses_").is_some_and(plain) {
        return Ok(Some(format!("--session={id}")));
    }
    let problem = format!("`{id}` is no id of OpenCode's, which begin with `ses_`; use the one that `Done` told");
    Err(Error::InvalidField { field: "session id to resume", problem })
}

/// The model, by OpenCode's name for it. It takes a name without a provider for a provider, and fails without a reason.
fn model_flag(request: &Request) -> Result<Option<String>, Error> {
    let Some(model) = &request.model else { return Ok(None) };
    match model.split_once('/') {
        Some((provider, name)) if !provider.is_empty() && !name.is_empty() => Ok(Some(format!("--model={model}"))),
        _ => {
            let problem = format!("`{model}` names no provider; OpenCode's models are called `provider/model`");
            Err(Error::InvalidField { field: "model", problem })
        }
    }
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
