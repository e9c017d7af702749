//! What to tell the person where no candidate can be used: the one that came nearest decides.

use std::path::PathBuf;
use std::time::Duration;

use super::hunt::{Hunt, Item, State};
use super::probe::Refusal;
use super::{ShellStatus, Verdict, environment, paths};
use crate::guidance::{self, Code, Guidance, SlowShell};

/// The guidance for a search that found nothing to run.
pub(super) fn advise(hunt: &Hunt<'_>) -> Guidance {
    let (spec, app) = (hunt.spec, hunt.app);
    let sandbox = environment::sandbox(hunt.host, hunt.disk);
    let nearest = if hunt.override_path.is_some() { hunt.items.first() } else { nearest(&hunt.items) };
    let refusal = nearest.and_then(|item| match &item.state {
        State::Refused(refusal) => Some((item, refusal)),
        _ => None,
    });
    match (refusal, sandbox) {
        // In a sandbox a path of the host is not there: that is no typing error.
        (Some((_, refusal)), Some(sandbox)) if refusal.verdict == Verdict::Missing => {
            guidance::sandboxed(spec, app, sandbox.name())
        }
        (None, Some(sandbox)) => guidance::sandboxed(spec, app, sandbox.name()),
        (Some((item, refusal)), _) if hunt.override_path.is_some() => chosen(hunt, item, refusal),
        (Some((item, refusal)), _) => found(hunt, item, refusal),
        (None, None) => {
            let mut folders: Vec<PathBuf> = Vec::new();
            for item in &hunt.items {
                folders.extend(paths::parent(hunt.host.os, &item.path).filter(|folder| !folders.contains(folder)));
            }
            guidance::not_installed(spec, app, &folders, slow_shell(hunt).as_ref())
        }
    }
}

/// The refused candidate that is most likely the person's installation.
fn nearest(items: &[Item]) -> Option<&Item> {
    let rank = |item: &Item| match &item.state {
        State::Refused(refusal) => match refusal.verdict {
            Verdict::Broken if refusal.interpreter.is_some() => 0,
            Verdict::Broken => 1,
            Verdict::WrongArchitecture => 2,
            Verdict::NotExecutable => 3,
            Verdict::InstallPrompt => 4,
            _ => 9,
        },
        _ => 9,
    };
    items.iter().min_by_key(|item| rank(item)).filter(|item| rank(item) < 9)
}

/// The guidance for an installation that was found and does not work.
fn found(hunt: &Hunt<'_>, item: &Item, refusal: &Refusal) -> Guidance {
    let (spec, app, path, line) = (hunt.spec, hunt.app, item.path.as_path(), refusal.detail.as_str());
    match (refusal.verdict, &refusal.interpreter) {
        (_, Some(interpreter)) => guidance::interpreter_missing(spec, app, path, interpreter),
        (Verdict::WrongArchitecture, _) => guidance::wrong_architecture(spec, app, path, line),
        (Verdict::NotExecutable, _) => guidance::not_executable(spec, app, path, line),
        (Verdict::InstallPrompt, _) => guidance::install_prompt(spec, app, path, line),
        _ => guidance::broken_install(spec, app, path, line),
    }
}

/// The guidance for a path that the person chose and that cannot be used.
fn chosen(hunt: &Hunt<'_>, item: &Item, refusal: &Refusal) -> Guidance {
    let code = match (refusal.verdict, &refusal.interpreter) {
        (_, Some(_)) => Code::InterpreterMissing,
        (Verdict::NotExecutable, _) => Code::NotExecutable,
        (Verdict::WrongArchitecture, _) => Code::WrongArchitecture,
        _ => Code::BrokenInstall,
    };
    let other = hunt.items.iter().skip(1).find(|item| matches!(item.state, State::Open));
    let other = other.map(|item| item.path.as_path());
    guidance::chosen_path(hunt.spec, hunt.app, code, &item.path, &refusal.detail, other)
}

/// The login shell that did not answer, and the file to look at.
fn slow_shell<'a>(hunt: &'a Hunt<'_>) -> Option<SlowShell<'a>> {
    let report = &hunt.told.as_ref()?.report;
    let shell = report.shell.as_deref().filter(|_| report.status == ShellStatus::TimedOut)?;
    let file = match paths::name(hunt.host.os, shell).as_str() {
        "zsh" => "~/.zshrc",
        "bash" => "~/.bashrc",
        "fish" => "~/.config/fish/config.fish",
        "nu" => "~/.config/nushell/config.nu",
        "tcsh" | "csh" => "~/.cshrc",
        _ => "~/.profile",
    };
    Some(SlowShell { shell, file, limit: Duration::from_millis(report.elapsed_ms) })
}
