//! Guidance for what the launcher itself found out, before a process exists or beside one.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::classify::with_denied;
use super::fill::{Params, guidance};
use super::{Code, Guidance, wait};
use crate::adapters::{Agents, Spec};
use crate::error::Error;

/// A login shell that did not answer in time.
#[derive(Clone, Debug)]
pub(crate) struct SlowShell<'a> {
    /// The shell.
    pub(crate) shell: &'a Path,
    /// The start file to look at, as a person writes it.
    pub(crate) file: &'a str,
    /// How long it was waited for.
    pub(crate) limit: Duration,
}

/// Nowhere to be found. `searched` are the folders looked at, in order; `slow` is a shell that might know more.
pub(crate) fn not_installed(spec: &Spec, app: &str, searched: &[PathBuf], slow: Option<&SlowShell<'_>>) -> Guidance {
    let shown: Vec<String> = searched.iter().take(4).map(|path| path.display().to_string()).collect();
    let more = searched.len().saturating_sub(shown.len());
    let mut list = shown.join(", ");
    if more > 0 {
        list = format!("{list} and {more} more place{}", if more == 1 { "" } else { "s" });
    }
    // The command that was tried stands in the evidence too: "no such file" alone helps nobody.
    let evidence =
        searched.iter().take(8).map(|path| format!("{}: not in {}", spec.programs[0], path.display())).collect();
    let mut params = Params::of(spec, app).with("searched", &list);
    if let Some(slow) = slow {
        params.add("shell", &slow.shell.display().to_string());
        params.add("shell_file", slow.file);
        params.add("limit", &wait::in_words(u64::try_from(slow.limit.as_millis()).unwrap_or(u64::MAX)));
    }
    guidance(Code::NotInstalled, "not_installed", params, evidence, &[])
}

/// The path that the person chose cannot be used. `line` says why, `other` is what a search would try.
pub(crate) fn chosen_path(
    spec: &Spec,
    app: &str,
    code: Code,
    path: &Path,
    line: &str,
    other: Option<&Path>,
) -> Guidance {
    let other = other.map(|path| path.display().to_string()).unwrap_or_default();
    let params = Params::of(spec, app).with_path(path).with("path", "(empty)").with("other", &other);
    let params = params.with("line", line.trim_end_matches('.'));
    guidance(code, "chosen_path", params, lines(line), &[])
}

/// Found, and it does not start or does not answer. `line` is what it said.
pub(crate) fn broken_install(spec: &Spec, app: &str, path: &Path, line: &str) -> Guidance {
    at(Code::BrokenInstall, "broken_install", spec, app, path, line)
}

/// Found, and the program that runs it (node) is not.
pub(crate) fn interpreter_missing(spec: &Spec, app: &str, path: &Path, interpreter: &str) -> Guidance {
    let params = Params::of(spec, app).with_path(path).with("interpreter", shown_interpreter(interpreter));
    guidance(Code::InterpreterMissing, "interpreter_missing", params, Vec::new(), &[])
}

fn shown_interpreter(interpreter: &str) -> &str {
    if interpreter == "node" { "Node.js" } else { interpreter }
}

/// Found, and made for another kind of machine.
pub(crate) fn wrong_architecture(spec: &Spec, app: &str, path: &Path, line: &str) -> Guidance {
    at(Code::WrongArchitecture, "wrong_architecture", spec, app, path, line)
}

/// Found, and it may not be run.
pub(crate) fn not_executable(spec: &Spec, app: &str, path: &Path, line: &str) -> Guidance {
    at(Code::NotExecutable, "not_executable", spec, app, path, line)
}

/// Found, and it only offers to install the agent.
pub(crate) fn install_prompt(spec: &Spec, app: &str, path: &Path, line: &str) -> Guidance {
    at(Code::NotInstalled, "install_prompt", spec, app, path, line)
}

fn at(code: Code, key: &str, spec: &Spec, app: &str, path: &Path, line: &str) -> Guidance {
    let params = Params::of(spec, app).with_path(path).with("line", line.trim_end_matches('.'));
    guidance(code, key, params, lines(line), &[])
}

/// Found in a version that may not run. `needed` is the oldest that may.
pub(crate) fn version_unsupported(spec: &Spec, app: &str, path: &Path, found: &str, needed: &str) -> Guidance {
    let params = Params::of(spec, app).with_path(path).with("found", found).with("needed", needed);
    guidance(Code::VersionUnsupported, "version_too_old", params, Vec::new(), &[])
}

/// The host app runs in a sandbox, such as `Flatpak` or `Snap`, that hides programs.
pub(crate) fn sandboxed(spec: &Spec, app: &str, sandbox: &str) -> Guidance {
    guidance(Code::NotInstalled, "sandboxed", Params::of(spec, app).with("sandbox", sandbox), Vec::new(), &[])
}

/// The system refused to start the program.
pub(crate) fn cannot_start(spec: &Spec, app: &str, program: &Path, vault: &Path, error: &io::Error) -> Guidance {
    let line = error.to_string();
    match error.kind() {
        // The system reports a missing folder, a missing program and a missing interpreter alike.
        io::ErrorKind::NotFound if !vault.is_dir() => vault_missing(app, vault),
        io::ErrorKind::NotFound if program.is_file() => interpreter_missing(spec, app, program, ""),
        io::ErrorKind::NotFound => broken_install(spec, app, program, &line),
        io::ErrorKind::PermissionDenied => not_executable(spec, app, program, &line),
        // Never the prompt: a long one does not travel in the arguments.
        io::ErrorKind::ArgumentListTooLong => {
            let detail = "the arguments and variables of the run are longer than this computer takes".to_owned();
            let params = Params::of(spec, app).with("detail", &detail);
            guidance(Code::ArgumentsRejected, "request_refused", params, lines(&line), &[])
        }
        _ if error.to_string().contains("Exec format") => wrong_architecture(spec, app, program, &line),
        _ => broken_install(spec, app, program, &line),
    }
}

/// The folder for temporary files does not take the run's private ones.
pub(crate) fn no_private_files(spec: &Spec, app: &str, error: &io::Error) -> Guidance {
    let line = error.to_string();
    let params = Params::of(spec, app).with("line", line.trim_end_matches('.'));
    guidance(Code::Unknown, "no_private_files", params, lines(&line), &[])
}

/// The vault does not exist.
pub(crate) fn vault_missing(app: &str, path: &Path) -> Guidance {
    guidance(Code::VaultMissing, "vault_missing", alone(app).with_path(path), Vec::new(), &[])
}

/// The vault is a file.
pub(crate) fn vault_not_a_folder(app: &str, path: &Path) -> Guidance {
    guidance(Code::VaultMissing, "vault_not_a_folder", alone(app).with_path(path), Vec::new(), &[])
}

/// The vault cannot be read. `reason` is the system's.
pub(crate) fn vault_unreadable(app: &str, path: &Path, reason: &str) -> Guidance {
    let params = alone(app).with_path(path).with("line", reason.trim_end_matches('.'));
    guidance(Code::VaultUnreadable, "vault_unreadable", params, lines(reason), &[])
}

/// An MCP server of the app did not start or went away.
pub(crate) fn mcp_failed(spec: &Spec, app: &str, server: &str, detail: &str, secrets: &[String]) -> Guidance {
    let params = Params::of(spec, app).with("server", server).with("detail", detail.trim_end_matches('.'));
    guidance(Code::McpFailed, "mcp_failed", params, lines(detail), secrets)
}

/// Tools were refused in a run that answered all the same: for a notice, not for a failure.
pub(crate) fn denied(spec: &Spec, app: &str, count: u32, first: Option<&str>, secrets: &[String]) -> Guidance {
    let params = with_denied(Params::of(spec, app), count, first);
    guidance(Code::PermissionDenied, "some_denied", params, first.map(str::to_owned).into_iter().collect(), secrets)
}

/// Guidance for an error that kept a run from starting.
pub(crate) fn of_error(error: &Error, app: &str, agents: &Agents) -> Guidance {
    let refused = |agent: Option<&crate::request::AgentId>| {
        let spec = agent.and_then(|agent| agents.find(agent).ok()).map(|adapter| adapter.spec());
        let params = spec.map_or_else(|| alone(app), |spec| Params::of(spec, app));
        guidance(Code::ArgumentsRejected, "request_refused", params.with("detail", &error.to_string()), Vec::new(), &[])
    };
    match error {
        Error::Setup(guidance) => (**guidance).clone(),
        Error::VaultMissing { path } => vault_missing(app, path),
        Error::VaultNotAFolder { path } => vault_not_a_folder(app, path),
        Error::VaultUnreadable { path, reason } => vault_unreadable(app, path, reason),
        Error::Unsupported { agent, .. } => refused(Some(agent)),
        Error::UnknownAgent { .. }
        | Error::VaultRelative { .. }
        | Error::InvalidField { .. }
        | Error::InvalidServer { .. }
        | Error::InvalidPlugin { .. }
        | Error::Forbidden { .. } => refused(None),
        Error::StreamIdInUse(_) => {
            let params = alone(app).with("detail", &error.to_string());
            guidance(Code::ArgumentsRejected, "already_running", params, Vec::new(), &[])
        }
        Error::ShutDown | Error::NoRuntime => {
            guidance(Code::Unknown, "internal", alone(app).with("detail", &error.to_string()), Vec::new(), &[])
        }
    }
}

/// Parameters where no agent is known.
fn alone(app: &str) -> Params {
    Params::default().with("app", app)
}

fn lines(text: &str) -> Vec<String> {
    text.lines().filter(|line| !line.trim().is_empty()).take(4).map(str::to_owned).collect()
}
