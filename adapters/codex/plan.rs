//! The exact Codex command for a request. Pure: what is on the disk is told in the context.

use std::path::Path;

use super::{SPEC, environment, flags, person, prompt, safe, servers, value};
use crate::adapters::{Context, version};
use crate::env::Os;
use crate::error::Error;
use crate::guidance;
use crate::plan::{Arg, Plan, Stdin};
use crate::request::{Mode, Request};
use crate::validate;

/// The one built-in tool of Safe mode that touches files.
pub(super) const WRITER: &str = "apply_patch";

/// In both modes: without it a refused connection is tried again without end, with it for 25 s.
const UNBOUNDED: &str = "unbounded_connection_retries";

pub(super) fn plan(request: &Request, context: &Context<'_>) -> Result<Plan, Error> {
    validate::request(request, context.host.os == Os::Windows)?;
    let extra = flags::extra(request)?;
    let resume = request.resume.as_deref().map(session).transpose()?;
    supported(request.mode, context)?;
    direct(&context.binary.program)?;
    let person = person::person(request, context.host, context.survey);
    let own = servers::servers(request, context, &person)?;
    let is_safe = request.mode == Mode::Safe;
    let handed = prompt::prompt(request, &person, safe::instructions(request, context).filter(|_| is_safe))?;

    let mut args: Vec<String> =
        context.binary.first_args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
    // Codex wants a Git repository or a folder that it trusts; notes are neither.
    args.extend(["exec", "--json", "--skip-git-repo-check"].map(str::to_owned));
    let mut settings = vec!["approval_policy=\"never\"".to_owned()];
    let mut off = vec![UNBOUNDED];
    match request.mode {
        Mode::Safe => {
            // As a flag, since a version that no longer knew it must fail instead of going on with a shell.
            args.extend(["--disable", "shell_tool"].map(str::to_owned));
            settings.extend(safe::settings(request, context, &person)?);
            off.extend(safe::features());
        }
        Mode::PowerUser => {
            args.extend(["-s", "workspace-write"].map(str::to_owned));
            settings.push("sandbox_workspace_write={writable_roots=[],network_access=false}".into());
            let excluded = environment::excluded(request, context, &person, &own.secrets);
            let excluded = value::list(excluded.iter().map(String::as_str));
            settings.push(format!("shell_environment_policy.exclude={excluded}"));
        }
    }
    settings.push(format!("features={}", value::table(off.into_iter().map(|name| (name, "false".into())))));
    settings.extend(handed.setting);
    settings.extend(own.setting);
    args.extend(settings.into_iter().flat_map(|setting| ["-c".to_owned(), setting]));
    if let Some(model) = &request.model {
        args.push(format!("--model={model}"));
    }
    args.extend(extra);
    // Flags of `exec` must stand before it.
    args.extend(resume.iter().flat_map(|id| ["resume".to_owned(), id.clone()]));
    args.push("-".into());

    let base = Plan::new(&SPEC, request, context);
    Ok(Plan {
        session_id: resume,
        args: args.into_iter().map(Arg::Text).collect(),
        stdin: Stdin::Bytes(handed.stdin),
        env: environment::environment(request, context, &person, &own.secrets)?,
        notices: notices(request),
        leftovers: if is_safe { safe::leftovers(request, context) } else { Vec::new() },
        allowed_tools: is_safe.then(|| vec![WRITER.to_owned()]),
        ..base
    })
}

/// What Safe mode does not give although one would expect it.
fn notices(request: &Request) -> Vec<String> {
    let blind = request.mode == Mode::Safe && request.mcp_servers.is_empty();
    let notice = "In Safe mode Codex reads files only through MCP servers, and this request has none: it can write notes \
                  and knows only what the question says.";
    blind.then(|| notice.to_owned()).into_iter().collect()
}

/// The id of a session to continue. With anything but a UUID Codex begins a new one and says nothing.
fn session(id: &str) -> Result<String, Error> {
    match uuid::Uuid::try_parse(id).ok().filter(|_| id.len() == 36) {
        Some(_) => Ok(id.to_owned()),
        None => {
            let problem = format!("`{id}` is not a UUID, as Codex's are; use the one that `Done` told");
            Err(Error::InvalidField { field: "session id to resume", problem })
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

/// Refuses a script of `cmd.exe`: what it makes of the quotes in settings cannot be foreseen.
fn direct(program: &Path) -> Result<(), Error> {
    let script =
        program.extension().is_some_and(|end| end.eq_ignore_ascii_case("cmd") || end.eq_ignore_ascii_case("bat"));
    if !script {
        return Ok(());
    }
    let what = format!(
        "be started through the script `{}`, which would change the settings of the run; install it again so that its \
         program is found beside the script: `{}`",
        program.display(),
        SPEC.install_command
    );
    Err(Error::Unsupported { agent: SPEC.id.clone(), what })
}
