//! Safe mode in Codex's settings: a permission profile that lets notes be written and nothing else, no shell, no vault's own
//! configuration, none of the person's hooks, servers and plugins.
//!
//! Measured on 0.171.0 for Linux, 2026-11. A profile given as `-c` goes before a `sandbox_mode` of the person, before one
//! given beside it, and before `default_permissions` of the person; `-s` would go before it. It refuses patches of protected
//! names also where nothing of the name exists, which `-s workspace-write` does for `.git`, `.codex` and `.agents` alone.
//! An explicitly untrusted folder has no say: no server, no hook, no setting of `.codex`; it also loses its `AGENTS.md`,
//! which therefore stands before the prompt. The dotted form of `projects` has no effect, the inline table has.

use std::path::{Path, PathBuf};

use super::person::{self, Person};
use super::{SPEC, value};
use crate::adapters::obeyed::OBEYED;
use crate::adapters::{Context, boundary};
use crate::env::{HostEnv, Os};
use crate::error::Error;
use crate::request::{Mode, Request};
use crate::survey::{Look, Seen};
use crate::validate;

/// What a patch may not touch at the top of the vault, there or not: all that other programs run or obey. Every hidden name
/// that is there comes on top; hidden names further down are watched by the tripwire.
fn protected() -> Vec<&'static str> {
    let mut names: Vec<&str> = OBEYED.iter().filter_map(|obeyed| obeyed.path.split('/').next()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Where skills of a vault lie.
const SKILLS: &[&str] = &[".agents/skills", ".codex/skills"];

/// What a skill is, at any depth there.
const SKILL: &str = "SKILL.md";

/// The vault's instructions.
const INSTRUCTIONS: &str = "AGENTS.md";

/// The profile's name, where the person has none of the name.
const PROFILE: &str = "agent-launcher";

/// Features that Safe mode goes without. What a version does not know it names in a warning and ignores.
///
/// `view_image` would read pictures outside the vault too. The others start programs, reach the network or go on by
/// themselves.
const OFF: &[&str] = &[
    "agent_message_board",
    "apps",
    "browser_use",
    "code_mode",
    "code_mode_only",
    "computer_use",
    "deferred_executor",
    "exec_permission_approvals",
    "goals",
    "hooks",
    "image_generation",
    "in_app_browser",
    "memories",
    "multi_agent",
    "multi_agent_v2",
    "plugins",
    "remote_plugin",
    "request_permissions_tool",
    "skill_mcp_dependency_install",
    "sleep_tool",
    "standalone_web_search",
    "tool_suggest",
    "unified_exec",
    "view_image",
];

/// Where to look.
pub(super) fn looks(request: &Request, host: &HostEnv) -> Vec<Look> {
    if request.mode != Mode::Safe {
        return Vec::new();
    }
    let vault = &request.vault;
    let skills = SKILLS.iter().map(|place| Look::Named(vault.join(place), SKILL));
    let instructions = vault.join(INSTRUCTIONS);
    let looks = [
        Look::Real(vault.clone()),
        Look::Hidden(vault.clone()),
        Look::Real(instructions.clone()),
        Look::Text(instructions),
    ];
    let homes = homes(request, host).into_iter().chain(person::codex_home(request, host)).map(Look::Real);
    looks.into_iter().chain(skills).chain(homes).collect()
}

/// The settings of Safe mode.
pub(super) fn settings(request: &Request, context: &Context<'_>, person: &Person) -> Result<Vec<String>, Error> {
    let refuse = |what: String| Err(Error::Unsupported { agent: SPEC.id.clone(), what });
    if let Some(file) = &person.unreadable {
        let file = file.display();
        return refuse(format!(
            "keep to Safe mode here: its settings in `{file}` cannot be read, so that what they start is not known; correct \
             the file"
        ));
    }
    let vaults = boundary::both(&request.vault, context.survey);
    if vaults.iter().any(|vault| vault.to_str().is_none()) {
        return refuse("keep to Safe mode in a folder whose name is not Unicode; rename it".into());
    }
    let (homes, own) = (homes(request, context.host), person::codex_home(request, context.host));
    if let Some(relative) = own.as_deref().filter(|own| !validate::is_absolute(own, context.host.os == Os::Windows)) {
        // Codex would count it from the vault, which then had settings that nobody looked at.
        return refuse(format!(
            "keep to Safe mode while `CODEX_HOME` is `{}`; set it to a full path, or not at all",
            relative.display()
        ));
    }
    // Without a home there is no folder of its own; the vault's neighbour is none.
    let own = own.unwrap_or_else(|| request.vault.with_file_name(".codex"));
    if let Some(why) = boundary::unfit(&vaults, &homes, &own, "Codex", context.survey) {
        return refuse(format!("keep to Safe mode here: {why}"));
    }
    let Some(profile) = (0..64).map(profile_name).find(|name| !person.profiles.contains(name)) else {
        return refuse("keep to Safe mode beside so many permission profiles of the name `agent-launcher`".into());
    };
    let Some(permissions) = permissions(&request.vault, context) else {
        return refuse("keep to Safe mode here: the vault holds too much at its top to be looked through".into());
    };
    let Some(skills) = skills(&vaults, context) else {
        return refuse("keep to Safe mode here: the vault holds too many skills to turn each one off".into());
    };
    // The folders above it as well: Codex takes settings from each one up to the top of a repository, trusted or not by
    // itself, and a server that stands there would start.
    let mut folders: Vec<&str> = vaults
        .iter()
        .flat_map(|vault| vault.ancestors())
        .filter_map(Path::to_str)
        .filter(|path| !path.is_empty())
        .collect();
    folders.sort_unstable();
    folders.dedup();
    let untrusted = || value::table([("trust_level", value::text("untrusted"))]);
    let trust = folders.into_iter().map(|folder| (folder, untrusted()));
    let mut settings = vec![
        format!("default_permissions={}", value::text(&profile)),
        format!("permissions.{profile}={permissions}"),
        // Only where a version should not know profiles: what the person widened stays closed then too.
        "sandbox_mode=\"workspace-write\"".into(),
        "sandbox_workspace_write={writable_roots=[],network_access=false,exclude_slash_tmp=true,exclude_tmpdir_env_var=true}"
            .into(),
        format!("projects={}", value::table(trust)),
        "web_search=\"disabled\"".into(),
        "notify=[]".into(),
    ];
    if !skills.is_empty() {
        // A `$name` in the question would put the vault's text in its place.
        let off = skills.iter().map(|path| value::table([("path", value::text(path)), ("enabled", "false".into())]));
        settings.push(format!("skills.config=[{}]", off.collect::<Vec<_>>().join(",")));
    }
    Ok(settings)
}

/// What Codex's sandbox holds by empty files and folders while it lives, in the vault: a run that is stopped in that moment
/// leaves them behind (Linux; `.aws` is Codex's own to hold).
pub(super) fn leftovers(request: &Request, context: &Context<'_>) -> Vec<PathBuf> {
    let held = protected().into_iter().chain([".aws"]);
    if context.host.os == Os::Linux { held.map(|name| request.vault.join(name)).collect() } else { Vec::new() }
}

/// The features that Safe mode turns off.
pub(super) fn features() -> impl Iterator<Item = &'static str> {
    OFF.iter().copied()
}

/// What the vault holds for agents to read, as far as Codex would read it. A link out of the vault is not followed: it could
/// lead to the person's keys.
pub(super) fn instructions<'a>(request: &Request, context: &Context<'a>) -> Option<&'a str> {
    let file = request.vault.join(INSTRUCTIONS);
    let (vault, real) = (context.survey.real(&request.vault)?, context.survey.real(&file)?);
    let Seen::Text(bytes) = context.survey.seen(&Look::Text(file)) else { return None };
    if !real.starts_with(vault) {
        return None;
    }
    // `project_doc_max_bytes` of Codex.
    let most = bytes.len().min(32 * 1024);
    let text = match std::str::from_utf8(&bytes[..most]) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).ok()?,
    };
    Some(text).filter(|text| !text.trim().is_empty())
}

fn profile_name(attempt: usize) -> String {
    if attempt == 0 { PROFILE.to_owned() } else { format!("{PROFILE}-{attempt}") }
}

/// The profile: everything may be read, the vault written but for what is protected in it, nothing else written.
///
/// `:minimal` in place of `:root` would let less be read, though no tool of Safe mode reads. Measured on Linux, it puts a
/// sandbox around each look at the vault, and a sandbox holds each protected name that does not exist by an empty file: two
/// at once disturb one another, and most runs that are stopped leave some of these in the vault. With `:root` few do:
/// [`leftovers`].
fn permissions(vault: &Path, context: &Context<'_>) -> Option<String> {
    let there = match context.survey.seen(&Look::Hidden(vault.to_path_buf())) {
        Seen::Names(names) => names.as_slice(),
        Seen::Unreadable => return None,
        _ => &[],
    };
    let mut names: Vec<&str> = protected();
    names.extend(there.iter().filter_map(|name| name.to_str()));
    names.sort_unstable();
    names.dedup();
    let read = || value::text("read");
    let roots = std::iter::once((".", value::text("write"))).chain(names.into_iter().map(|name| (name, read())));
    let files = value::table([(":root", read()), (":workspace_roots", value::table(roots))]);
    Some(value::table([("filesystem", files), ("network", "{enabled=false}".into())]))
}

/// The files of the vault's skills, by each name of the vault; `None` where they are too many.
fn skills(vaults: &[PathBuf], context: &Context<'_>) -> Option<Vec<String>> {
    let (mut files, given) = (Vec::<PathBuf>::new(), vaults.first()?);
    for place in SKILLS {
        let found = match context.survey.seen(&Look::Named(given.join(place), SKILL)) {
            Seen::Files(found) => found.as_slice(),
            Seen::Unreadable => return None,
            _ => continue,
        };
        for file in found {
            files.push(file.clone());
            let below = file.strip_prefix(given).ok();
            files.extend(below.into_iter().flat_map(|below| vaults.iter().map(move |vault| vault.join(below))));
        }
    }
    files.sort();
    files.dedup();
    Some(files.iter().filter_map(|file| file.to_str().map(str::to_owned)).collect())
}

/// Home folders and Codex's own, in which no vault may lie and which none may hold.
fn homes(request: &Request, host: &HostEnv) -> Vec<PathBuf> {
    [person::home(request, host), host.home.clone()].into_iter().flatten().collect()
}
