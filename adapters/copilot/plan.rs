//! The exact Copilot command for a request. Pure: what is on the disk is told in the context.

use std::path::{Path, PathBuf};

use super::plugins::{self, Plugins};
use super::trust::{self, Trust};
use super::{SPEC, environment, flags, prompt, servers, tools};
use crate::adapters::obeyed::OBEYED;
use crate::adapters::{Context, boundary, version};
use crate::env::Os;
use crate::error::Error;
use crate::guidance;
use crate::plan::{Arg, EnvChange, OutputFormat, Plan, Scratch};
use crate::request::{EnvValue, Mode, Request};
use crate::validate;

/// The empty folder that a run works from where it must not work from the vault. A hidden name, so that the rules for hidden
/// folders hold for it as well.
const SCRATCH: &str = ".agent-launcher-empty";

pub(super) fn plan(request: &Request, context: &Context<'_>) -> Result<Plan, Error> {
    validate::request(request, context.host.os == Os::Windows)?;
    servers::check_names(&request.mcp_servers)?;
    let extra = flags::extra(request)?;
    let session = session(request)?;
    let version = context.binary.version.as_str();
    supported(request.mode, context)?;
    let through_shim = is_shim(context.binary.program.as_path());

    let plugins = plugins::plugins(request, context)?;

    let mut notices = plugins.notices.clone();
    let trust = if request.mode == Mode::Safe { trust::trust(request, context) } else { trust::Trust::default() };
    let away = stays_away(&trust)?;
    notices.extend(away.then(|| trust.keep_out.as_deref().map(notice_of_away)).flatten());
    let handed = prompt::prompt(request, away, through_shim);
    notices.extend(handed.notice);
    let own = servers::servers(&request.mcp_servers, context.mcp_commands, through_shim)?;

    let first = context.binary.first_args.iter().map(|arg| Arg::Text(arg.to_string_lossy().into_owned()));
    let mut args: Vec<Arg> = first.chain(handed.args).collect();
    let mut text = |arg: String| args.push(Arg::Text(arg));
    flags::ALWAYS.iter().filter(|flag| flag.is_in(version)).for_each(|flag| text(flag.name.to_owned()));
    let output = if flags::OUTPUT_FORMAT.is_in(version) {
        text(flags::OUTPUT_FORMAT.name.to_owned());
        OutputFormat::Json
    } else {
        OutputFormat::Text
    };
    if flags::STREAM.is_in(version) {
        text(flags::STREAM.name.to_owned());
    }
    let name = if request.resume.is_some() { flags::RESUME } else { flags::SESSION_ID.name };
    text(format!("{name}={session}"));
    if let Some(model) = &request.model {
        text(format!("--model={model}"));
    }
    match request.mode {
        Mode::Safe => safe(request, context, &trust, &plugins, &mut text),
        Mode::PowerUser => {
            text("--allow-all-tools".into());
            // The vault names the language servers' commands (`.github/lsp.json`), and the tool starts them even where
            // the vault is not trusted (measured on 1.0.102).
            text("--excluded-tools=lsp".into());
        }
    }
    text(format!("--secret-env-vars={}", environment::secret_names(request, context).join(",")));
    extra.into_iter().for_each(&mut text);
    plugins.args.iter().cloned().for_each(&mut text);
    args.extend(own.arg);

    let mut env = environment::environment(request, context, own.uses_dollar)?;
    if !plugins.args.is_empty() {
        let (name, value) = plugins::FEATURE_FLAG;
        env.insert(name.into(), EnvChange::Set(EnvValue::Plain(value.into())));
        environment::TABLE.let_through(&mut env, request, context, &plugins.environment);
        if away {
            // A plugin starts in the run's working directory, and is asked about the vault.
            let vault = request.vault.to_string_lossy().into_owned();
            env.insert(plugins::VAULT.into(), EnvChange::Set(EnvValue::Plain(vault)));
        }
    }
    let base = Plan::new(&SPEC, request, context);
    Ok(Plan {
        session_id: Some(session),
        args,
        scratch: away.then(|| scratch(&trust)),
        stdin: handed.stdin,
        env,
        files: own.file.into_iter().collect(),
        notices,
        output,
        allowed_tools: (request.mode == Mode::Safe)
            .then(|| tools::SAFE.iter().map(|tool| (*tool).to_owned()).chain(plugins.tools).collect()),
        ..base
    })
}

/// Safe mode in flags. Each list is one argument: spread over several, it would swallow what follows.
fn safe(request: &Request, context: &Context<'_>, trust: &Trust, plugins: &Plugins, text: &mut impl FnMut(String)) {
    flags::SAFE.iter().for_each(|flag| text((*flag).to_owned()));
    let servers: Vec<&str> = request.mcp_servers.iter().map(|server| server.name.as_str()).collect();
    // `write` is no tool's name and gives nothing; it is kept as the record has it.
    let given = plugins.tools.iter().map(String::as_str);
    let available = ["write"].iter().chain(tools::SAFE).chain(&servers).copied().chain(given);
    text(format!("--available-tools={}", join(available)));
    let grants = plugins.grants.iter().map(String::as_str);
    let allowed = ["write"].iter().chain(&servers).copied().chain(grants);
    text(format!("--allow-tool={}", join(allowed)));
    let mut denied = vec!["shell".to_owned()];
    denied.extend(hidden(&boundary::both(&request.vault, context.survey), context.host.os));
    if trust.keep_out.is_some() {
        // A note under a path that is not full would be gone with the folder: refused, the model gives the full one.
        denied.push(format!("write({SCRATCH}/**)"));
    }
    text(format!("--deny-tool={}", denied.join(",")));
    if trust.keep_out.is_some() {
        text(format!("--add-dir={}", request.vault.display()));
    }
    trust.servers.iter().for_each(|name| text(format!("--disable-mcp-server={name}")));
}

/// The empty folder.
pub(super) fn scratch(trust: &Trust) -> Scratch {
    Scratch { name: SCRATCH.to_owned(), below: trust.below.clone(), stays: false }
}

/// Whether the run has to work from an empty folder. Refused where that would not help.
pub(super) fn stays_away(trust: &Trust) -> Result<bool, Error> {
    if let Some(not_safe) = &trust.not_safe {
        return Err(Error::Unsupported { agent: SPEC.id.clone(), what: format!("keep to Safe mode here: {not_safe}") });
    }
    let Some(keep_out) = &trust.keep_out else { return Ok(false) };
    if let Some(no_way) = &trust.no_way {
        let what = format!(
            "keep to Safe mode here: {keep_out}, and {no_way}; take that folder out of Copilot's `config.json`, or choose \
             another vault"
        );
        return Err(Error::Unsupported { agent: SPEC.id.clone(), what });
    }
    Ok(true)
}

pub(super) fn notice_of_away(keep_out: &str) -> String {
    format!("Copilot works from an empty folder and reaches the vault by its full path: {keep_out}.")
}

/// Rules that refuse to write hidden files and folders: what other programs run or obey lies there (`.git/hooks`,
/// `.github`, `.mcp.json`, `.claude`, `.vscode`, `.envrc`, `.obsidian` and whatever comes next). What they obey and is not
/// hidden is refused by its name.
///
/// A relative pattern also meets folders above the vault, so a vault that lies in a hidden folder gets absolute ones, in
/// which characters with a meaning stand as `?`.
fn hidden(vaults: &[PathBuf], os: Os) -> Vec<String> {
    let vaults: Vec<String> = vaults.iter().map(|vault| vault.to_string_lossy().replace('\\', "/")).collect();
    let is_hidden = |part: &str| part.len() > 1 && part.starts_with('.') && part != "..";
    let mut rules = Vec::new();
    let named = OBEYED.iter().map(|place| place.path).filter(|path| !path.starts_with('.'));
    if vaults.iter().any(|vault| vault.split('/').any(is_hidden)) {
        for vault in &vaults {
            let plain = |c: char| if "()[]{}*!,\\".contains(c) { '?' } else { c };
            let vault: String = vault.trim_end_matches('/').chars().map(plain).collect();
            rules.extend([".*", "**/.*", ".*/**", "**/.*/**"].map(|pattern| format!("write({vault}/{pattern})")));
            rules.extend(named.clone().map(|name| format!("write({vault}/{name})")));
        }
    } else {
        rules.extend(["write(.*)".to_owned(), "write(.*/**)".to_owned()]);
        rules.extend(named.map(|name| format!("write({name})")));
    }
    if os == Os::Windows {
        // The short name of a hidden folder (`GIT~1`) begins with no dot.
        rules.push("write(*~*/**)".to_owned());
    }
    rules
}

/// The session's id: a new one is ours, an old one is what `Done` told.
fn session(request: &Request) -> Result<String, Error> {
    let (field, id) = match &request.resume {
        Some(id) => ("session id to resume", id),
        None => ("session id", &request.session_id),
    };
    // What Copilot takes for a UUID (measured on 1.0.69 and 1.0.102): with hyphens, of a known version and variant.
    let parsed = uuid::Uuid::try_parse(id).ok().filter(|_| id.len() == 36);
    let known =
        parsed.filter(|id| id.get_variant() == uuid::Variant::RFC4122 && (1..=8).contains(&id.get_version_num()));
    match known {
        Some(_) => Ok(id.clone()),
        None => {
            let problem = format!("`{id}` is not a UUID, as Copilot's are; use the one that `Done` told");
            Err(Error::InvalidField { field, problem })
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

/// Whether the program is a script of `cmd.exe`.
fn is_shim(program: &Path) -> bool {
    program.extension().is_some_and(|end| end.eq_ignore_ascii_case("cmd") || end.eq_ignore_ascii_case("bat"))
}

fn join<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(",")
}
