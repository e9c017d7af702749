//! The exact command for a workflow.
//!
//! Without a GitHub login every `workflow run` of 1.0.102 ends at "not available for this session". So its flags are
//! measured up to that gate, and what follows was read from the CLI's own JavaScript (2026-11).

use super::plan::{notice_of_away, scratch, stays_away};
use super::trust::{self, Trust};
use super::{SPEC, environment, flags, plugins};
use crate::adapters::{Context, version};
use crate::error::Error;
use crate::guidance;
use crate::plan::{Arg, EnvChange, OutputFormat, Plan, PrivateFile};
use crate::request::{EnvValue, Mode, Request};
use crate::workflow::Call;

/// What the sub-agents of a workflow may use in Safe mode: they judge, and change nothing.
const READING: &[&str] = &["view", "glob", "grep"];

pub(super) fn plan(request: &Request, call: &Call, context: &Context<'_>) -> Result<Plan, Error> {
    check_name(&call.name)?;
    let found = context.binary.version.as_str();
    if !version::is_at_least(found, plugins::SINCE) {
        let guidance =
            guidance::version_unsupported(&super::SPEC, context.app, &context.binary.found, found, plugins::SINCE);
        return Err(Error::Setup(Box::new(guidance)));
    }
    let plugins = plugins::plugins(request, context)?;
    let trust = if request.mode == Mode::Safe { trust::trust(request, context) } else { Trust::default() };
    let away = stays_away(&trust)?;
    let mut notices = plugins.notices;
    notices.extend(away.then(|| trust.keep_out.as_deref().map(notice_of_away)).flatten());
    let mut files = Vec::new();
    let first = context.binary.first_args.iter().map(|arg| Arg::Text(arg.to_string_lossy().into_owned()));
    let mut args: Vec<Arg> = first.collect();
    let mut text = |arg: String| args.push(Arg::Text(arg));

    // The session's flags stand before the word `workflow`; behind it they are refused (measured). Not `-s`: it would
    // leave the result as the only event, and there would be no progress to tell.
    let flags = flags::ALWAYS.iter().filter(|flag| flag.name != "-s" && flag.is_in(found));
    flags.for_each(|flag| text(flag.name.to_owned()));
    text(format!("{}={}", flags::SESSION_ID.name, request.session_id));
    if let Some(model) = &request.model {
        text(format!("--model={model}"));
    }
    match request.mode {
        Mode::Safe => {
            flags::SAFE.iter().for_each(|flag| text((*flag).to_owned()));
            let available = READING.iter().copied().chain(plugins.tools.iter().map(String::as_str));
            text(format!("--available-tools={}", available.collect::<Vec<_>>().join(",")));
            // In the form `--flag=value` alone: a value apart would swallow the word `workflow`.
            if !plugins.grants.is_empty() {
                text(format!("--allow-tool={}", plugins.grants.join(",")));
            }
            text("--deny-tool=shell,write".into());
            if away {
                text(format!("--add-dir={}", request.vault.display()));
            }
            trust.servers.iter().for_each(|name| text(format!("--disable-mcp-server={name}")));
        }
        Mode::PowerUser => {
            text("--allow-all-tools".into());
            text("--excluded-tools=lsp".into());
        }
    }
    text(format!("--secret-env-vars={}", environment::secret_names(request, context).join(",")));
    plugins.args.into_iter().for_each(&mut text);
    ["workflow", "run", &call.name, "--output-format=json"].iter().for_each(|arg| text((*arg).to_owned()));

    if let Some(value) = &call.args {
        // In a file: arguments can be long, and other users can read a command line.
        args.push(Arg::File { prefix: "--args=@".into(), file: files.len() });
        let bytes = value.to_string().into_bytes();
        files.push(PrivateFile { purpose: "workflow-args".into(), name: "args.json".into(), bytes });
    }
    // A fresh path: a failed run leaves an older result where it is (by the code).
    let result = files.len();
    args.push(Arg::File { prefix: "--result-file=".into(), file: result });
    files.push(PrivateFile { purpose: "workflow-result".into(), name: "result.json".into(), bytes: Vec::new() });

    let mut env = environment::environment(request, context, false)?;
    env.insert(plugins::FEATURE_FLAG.0.into(), EnvChange::Set(EnvValue::Plain(plugins::FEATURE_FLAG.1.into())));
    environment::TABLE.let_through(&mut env, request, context, &plugins.environment);
    if away {
        let vault = request.vault.to_string_lossy().into_owned();
        env.insert(plugins::VAULT.into(), EnvChange::Set(EnvValue::Plain(vault)));
    }
    Ok(Plan {
        session_id: Some(request.session_id.clone()),
        args,
        scratch: away.then(|| scratch(&trust)),
        env,
        files,
        result_file: Some(result),
        notices,
        output: OutputFormat::Workflow,
        mcp_servers: Vec::new(),
        // What a workflow's sub-agents call beside these is not known, so nothing is taken for a breach.
        allowed_folders: Vec::new(),
        leftovers: Vec::new(),
        ..Plan::new(&SPEC, request, context)
    })
}

/// A name is an argument of its own, so it must not read as a flag.
fn check_name(name: &str) -> Result<(), Error> {
    let problem = if name.trim().is_empty() {
        "is empty"
    } else if name.starts_with('-') {
        "begins with `-`"
    } else if name.len() > 200 || name.chars().any(char::is_control) {
        "is longer than 200 bytes or holds control characters"
    } else {
        return Ok(());
    };
    Err(Error::InvalidField { field: "workflow", problem: problem.into() })
}

#[cfg(test)]
mod tests {
    use super::super::tools;
    use super::*;

    #[test]
    fn a_workflow_in_safe_mode_gets_no_tool_that_a_question_does_not_and_none_that_writes() {
        assert!(READING.iter().all(|tool| tools::SAFE.contains(tool)));
        assert!(!READING.contains(&"create") && !READING.contains(&"edit"));
    }
}
