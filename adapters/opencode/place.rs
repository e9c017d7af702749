//! Where a run works: an empty folder of the launcher's own, the same for every run in a vault (`docs/adr/0008`).
//!
//! OpenCode loads what the folder it works in holds, and what the folders above hold, so it cannot be the vault. It finds a
//! session again only from a folder of the same path, so it cannot be a fresh one. And below a Git repository it takes all of
//! the repository for the folder, so there must be none above.

use std::path::{Path, PathBuf};

use super::SPEC;
use crate::adapters::Context;
use crate::adapters::boundary::{both, lies_in};
use crate::env::{HostEnv, Os};
use crate::error::Error;
use crate::plan::Scratch;
use crate::request::Request;
use crate::survey::{Look, Survey};

/// The name of the folder that does not stay. Hidden, so that nobody mistakes it for a place for notes.
const PASSING: &str = ".agent-launcher-empty";

/// What OpenCode loads from the folders above the one that it works in.
const SETTINGS: &[&str] = &[".opencode", "opencode.json", "opencode.jsonc"];

/// What to know of it: what the folders are really called, and whether a repository is above.
pub(super) fn looks(request: &Request, host: &HostEnv, seen: &Survey) -> Vec<Look> {
    let mut looks = vec![Look::PrivateRoot, Look::Real(request.vault.clone())];
    let cache = caches(request, host);
    looks.extend(cache.iter().cloned().map(Look::Real));
    let temporary = temporary(seen);
    for folder in cache.iter().chain(&temporary) {
        let real = seen.real(folder).unwrap_or(folder).to_path_buf();
        for place in [folder.clone(), real] {
            looks.extend(place.ancestors().take(64).map(|above| Look::Kind(above.join(".git"))));
        }
    }
    let settings = temporary.iter().flat_map(|folder| folder.ancestors().take(64));
    looks.extend(settings.flat_map(|above| SETTINGS.iter().map(|name| Look::Kind(above.join(name)))));
    looks
}

/// The folder for a run.
///
/// # Errors
///
/// [`Error::Unsupported`] where there is none, or none that stays and the request continues a session.
pub(super) fn place(request: &Request, context: &Context<'_>) -> Result<Scratch, Error> {
    let survey = context.survey;
    let unfit = |what: String| Error::Unsupported { agent: SPEC.id.clone(), what };
    let cache = caches(request, context.host);
    let problem = match &cache {
        Some(cache) => unfit_for_work(cache, request, survey),
        None => Some("there is no folder for caches".into()),
    };
    let (Some(cache), None) = (&cache, &problem) else {
        let problem = problem.unwrap_or_default();
        if request.resume.is_some() {
            let what = "continue a session: it finds one by the folder it was in, and there is none to keep";
            return Err(unfit(format!("{what}, since {problem}")));
        }
        // Anyone may write there, on some systems.
        let temporary = temporary(survey);
        let again = temporary.and_then(|folder| {
            let foreign = |above: &&Path| SETTINGS.iter().any(|name| survey.exists(&above.join(name)));
            let settings = folder.ancestors().find(foreign);
            let settings = settings.map(|above| format!("`{}` holds settings of OpenCode", above.display()));
            unfit_for_work(&folder, request, survey).or(settings)
        });
        return match again {
            Some(again) => {
                Err(unfit(format!("work here: it needs an empty folder elsewhere, and {problem}, and {again}")))
            }
            None => Ok(Scratch { name: PASSING.into(), below: None, stays: false }),
        };
    };
    let below = cache.join("agent-launcher").join("opencode");
    let name = name(survey.real(&request.vault).unwrap_or(&request.vault));
    Ok(Scratch { name, below: Some(below), stays: true })
}

/// Why a run must not work from below a folder, in words.
fn unfit_for_work(folder: &Path, request: &Request, survey: &Survey) -> Option<String> {
    if let Some(repository) = repository(folder, survey) {
        let repository = repository.display();
        return Some(format!(
            "`{}` lies in the Git repository `{repository}`, all of which would be open to it",
            folder.display()
        ));
    }
    let vaults = both(&request.vault, survey);
    let within = both(folder, survey).iter().any(|folder| vaults.iter().any(|vault| lies_in(folder, vault)));
    // What a vault above it holds would be obeyed.
    within.then(|| format!("`{}` lies in the vault", folder.display()))
}

/// The person's folder for caches.
fn caches(request: &Request, host: &HostEnv) -> Option<PathBuf> {
    let windows = host.os == Os::Windows;
    let absolute = |path: &PathBuf| crate::validate::is_absolute(path, windows);
    let value = |name: &str| value(name, request, host).filter(absolute);
    match host.os {
        Os::Windows => value("LOCALAPPDATA"),
        Os::MacOs => home(request, host).map(|home| home.join("Library/Caches")),
        Os::Linux => value("XDG_CACHE_HOME").or_else(|| home(request, host).map(|home| home.join(".cache"))),
    }
    .filter(absolute)
}

/// The person's home folder in the run's environment.
pub(super) fn home(request: &Request, host: &HostEnv) -> Option<PathBuf> {
    let name = if host.os == Os::Windows { "USERPROFILE" } else { "HOME" };
    value(name, request, host).or_else(|| host.home.clone())
}

/// A variable of the run's environment that names a folder.
pub(super) fn value(name: &str, request: &Request, host: &HostEnv) -> Option<PathBuf> {
    if let Some(value) = request.env.get(name) {
        return Some(PathBuf::from(value.expose()));
    }
    let removed = request.env_remove.iter().any(|removed| removed == name);
    host.var(name).filter(|value| !removed && !value.is_empty()).map(PathBuf::from)
}

fn temporary(survey: &Survey) -> Option<PathBuf> {
    survey.private_root().map(Path::to_path_buf)
}

/// The repository that a folder lies in.
fn repository(folder: &Path, survey: &Survey) -> Option<PathBuf> {
    let real = survey.real(folder).unwrap_or(folder);
    let above = folder.ancestors().chain(real.ancestors()).take(128);
    above.into_iter().find(|above| survey.exists(&above.join(".git"))).map(Path::to_path_buf)
}

/// A name for the vault's folder: readable at its beginning, and its own by a number made of the whole path (FNV-1a, 128 bits).
/// Vaults that shared one would share no more than an empty folder.
fn name(vault: &Path) -> String {
    let text = vault.to_string_lossy();
    let number = text.bytes().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128, |number, byte| {
        (number ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
    });
    let last = text.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or("vault");
    let readable: String = last.chars().filter(char::is_ascii_alphanumeric).take(24).collect();
    format!("{readable}-{number:032x}")
}
