//! What to tell the person where no candidate can be used.

use super::hunt::{Hunt, Item, State};
use super::probe::Refusal;
use super::{ShellStatus, Verdict, environment};
use crate::guidance::{Code, Guidance, Step};

/// The guidance for a search that found nothing to run: the candidate that came nearest decides.
pub(super) fn advise(hunt: &Hunt<'_>) -> Guidance {
    let name = hunt.spec.name;
    let nearest = if hunt.override_path.is_some() { hunt.items.first() } else { nearest(&hunt.items) };
    let refusal = nearest.and_then(|item| match &item.state {
        State::Refused(refusal) => Some((item, refusal)),
        _ => None,
    });
    let mut guidance = match refusal {
        Some((item, refusal)) if hunt.override_path.is_some() => chosen(hunt, item, refusal),
        Some((item, refusal)) => found(hunt, item, refusal),
        None => guidance(
            Code::NotInstalled,
            format!("Install {name}"),
            format!("{name} was not found on this computer."),
            install(hunt),
        ),
    };
    add_shell(hunt, &mut guidance);
    if let Some(sandbox) = environment::sandbox(hunt.host, hunt.disk) {
        let sandbox = sandbox.name();
        guidance.message.push_str(&format!(
            " This app runs in a {sandbox} sandbox, which hides the programs of the computer: {name} may be installed all the same."
        ));
        let text = format!(
            "Use a version of this app that is not packaged as {sandbox}, or allow it to run programs of the computer."
        );
        guidance.steps.push(Step::Choose { text });
        guidance.params.insert("sandbox".into(), sandbox.into());
    }
    guidance.params.insert("agent".into(), name.into());
    guidance.steps.push(Step::Retry { after_ms: None });
    guidance
}

fn guidance(code: Code, title: String, message: String, steps: Vec<Step>) -> Guidance {
    let key = format!("discover.{}", code.as_str());
    Guidance { code, title, message, steps, evidence: Vec::new(), key, params: Default::default() }
}

fn install(hunt: &Hunt<'_>) -> Vec<Step> {
    vec![Step::Run { command: hunt.spec.install_command.into() }, Step::Open { url: hunt.spec.install_url.into() }]
}

/// The refused candidate that is most likely the person's installation.
fn nearest(items: &[Item]) -> Option<&Item> {
    let rank = |item: &Item| match &item.state {
        State::Refused(refusal) => match refusal.verdict {
            Verdict::Broken if refusal.interpreter.is_some() => 0,
            Verdict::Broken => 1,
            Verdict::WrongArchitecture => 2,
            Verdict::NotExecutable => 3,
            _ => 9,
        },
        _ => 9,
    };
    items.iter().min_by_key(|item| rank(item)).filter(|item| rank(item) < 9)
}

/// The guidance for an installation that was found and does not work.
fn found(hunt: &Hunt<'_>, item: &Item, refusal: &Refusal) -> Guidance {
    let name = hunt.spec.name;
    let path = item.path.display();
    let mut guidance = match (refusal.verdict, &refusal.interpreter) {
        (_, Some(interpreter)) => guidance(
            Code::InterpreterMissing,
            format!("{interpreter} is missing"),
            format!("{name} is installed at `{path}`, but the program `{interpreter}` that runs it was not found."),
            vec![
                Step::Choose {
                    text: format!("Install {interpreter}, or put its folder on the PATH of your login shell."),
                },
                Step::Run { command: hunt.spec.install_command.into() },
            ],
        ),
        (Verdict::WrongArchitecture, _) => guidance(
            Code::WrongArchitecture,
            format!("{name} is for another kind of computer"),
            format!("`{path}` cannot run here: {}.", refusal.detail),
            install(hunt),
        ),
        (Verdict::NotExecutable, _) => guidance(
            Code::NotExecutable,
            format!("{name} may not be run"),
            format!("`{path}` is there but cannot be run: {}.", refusal.detail),
            vec![
                Step::Run { command: format!("chmod +x '{path}'") },
                Step::Run { command: hunt.spec.install_command.into() },
            ],
        ),
        _ => guidance(
            Code::BrokenInstall,
            format!("Reinstall {name}"),
            format!("{name} is installed at `{path}` but does not work: {}.", refusal.detail.trim_end_matches('.')),
            install(hunt),
        ),
    };
    guidance.evidence.clone_from(&refusal.evidence);
    guidance.params.insert("path".into(), path.to_string());
    guidance
}

/// The guidance for a path that the person chose and that cannot be used.
fn chosen(hunt: &Hunt<'_>, item: &Item, refusal: &Refusal) -> Guidance {
    let name = hunt.spec.name;
    let path = item.path.display();
    let code = match refusal.verdict {
        Verdict::NotExecutable => Code::NotExecutable,
        Verdict::WrongArchitecture => Code::WrongArchitecture,
        _ if refusal.interpreter.is_some() => Code::InterpreterMissing,
        _ => Code::BrokenInstall,
    };
    let message =
        format!("The path chosen for {name}, `{path}`, cannot be used: {}.", refusal.detail.trim_end_matches('.'));
    let mut steps =
        vec![Step::Choose { text: format!("Choose the absolute path of the {name} program, or clear the setting.") }];
    if let Some(other) = hunt.items.iter().skip(1).find(|item| matches!(item.state, State::Open)) {
        steps.push(Step::Choose { text: format!("`{}` is there and was not tried.", other.path.display()) });
    }
    let mut guidance = guidance(code, format!("Correct the path of {name}"), message, steps);
    guidance.key = "discover.override".into();
    guidance.evidence.clone_from(&refusal.evidence);
    guidance.params.insert("path".into(), path.to_string());
    guidance
}

/// Says that the login shell did not answer, and which file to look at.
fn add_shell(hunt: &Hunt<'_>, guidance: &mut Guidance) {
    let Some(told) = &hunt.told else { return };
    let Some(shell) = &told.report.shell else { return };
    if told.report.status != ShellStatus::TimedOut {
        return;
    }
    let file = match shell.file_name().and_then(|name| name.to_str()) {
        Some("zsh") => "~/.zshrc",
        Some("bash") => "~/.bashrc",
        Some("fish") => "~/.config/fish/config.fish",
        Some("nu") => "~/.config/nushell/config.nu",
        _ => "~/.profile",
    };
    let seconds = told.report.elapsed_ms as f64 / 1000.0;
    let text = format!(
        "Your login shell `{}` did not answer within {seconds:.0} s, so its PATH is not known: look at `{file}`, which starts it.",
        shell.display()
    );
    guidance.steps.push(Step::Choose { text });
    guidance.params.insert("shell_file".into(), file.into());
}
