//! What a mode permits, as OpenCode's rules have it: the last rule that fits decides, so their order is part of them.
//!
//! Paths of edits and of reading are told from the root of the disk, without its slash (measured; on Windows without the
//! drive, not verified). A path outside of the folder that the run works from is asked for as `external_directory` first: by
//! the folder it lies in, as written, so that a link in the vault counts as what it is called.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::adapters::Context;
use crate::adapters::boundary::both;
use crate::env::Os;
use crate::request::{McpServer, Mode, Request};
use crate::survey::{Look, Seen};

/// Patterns with what becomes of them, in order.
pub(super) type Patterns = Vec<(String, &'static str)>;

/// One permission.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Rule {
    All(&'static str),
    By(Patterns),
}

const ALLOW: &str = "allow";
const DENY: &str = "deny";

/// The permissions of a mode, in order.
///
/// `edits` says whether a Safe run may edit at all.
pub(super) fn permissions(request: &Request, context: &Context<'_>, edits: bool) -> Vec<(String, Rule)> {
    let vaults = both(&request.vault, context.survey);
    let links = links(request, context);
    let outside = outside(&vaults, &links);
    match request.mode {
        Mode::Safe => {
            let mut rules = safe(&request.mcp_servers, &vaults, &links, outside, context.host.os);
            if !edits {
                let edit = rules.iter_mut().filter(|(name, _)| name == "edit");
                edit.for_each(|(_, rule)| *rule = Rule::All(DENY));
            }
            rules
        }
        Mode::PowerUser => {
            vec![("*".into(), Rule::All(ALLOW)), ("external_directory".into(), Rule::By(outside))]
        }
    }
}

fn safe(
    servers: &[McpServer],
    vaults: &[PathBuf],
    links: &[PathBuf],
    outside: Patterns,
    os: Os,
) -> Vec<(String, Rule)> {
    let mut rules = vec![("*".to_owned(), Rule::All(DENY))];
    // Before the rest: a server's name must not be the beginning of a permission that stands here.
    rules.extend(servers.iter().map(|server| (format!("{}_*", server.name), Rule::All(ALLOW))));
    let mut edit: Patterns = vec![("*".into(), DENY)];
    for vault in vaults.iter().flat_map(|vault| spellings(vault, os)) {
        edit.push((format!("{vault}/*"), ALLOW));
        // Whatever begins with a dot: other programs run or obey what lies there.
        edit.extend([format!("{vault}/.*"), format!("{vault}/*/.*")].map(|hidden| (hidden, DENY)));
        if os == Os::Windows {
            // The short name of a hidden folder (`GIT~1`) begins with no dot.
            edit.extend([format!("{vault}/*~*")].map(|short| (short, DENY)));
        }
        // What OpenCode itself would obey in this vault.
        // At any depth, since a link to a folder of the vault gives its files other names.
        let own = ["opencode.json", "opencode.jsonc"];
        edit.extend(
            own.iter().flat_map(|own| [format!("{vault}/{own}"), format!("{vault}/*/{own}")]).map(|own| (own, DENY)),
        );
    }
    let env = ["*.env", "*.env.*"].map(|pattern| (pattern.to_owned(), DENY));
    let mut read: Patterns = vec![("*".into(), ALLOW)];
    read.extend(env);
    read.push(("*.env.example".into(), ALLOW));
    // Resources of servers: the app's alone, since an organisation's servers may run as well.
    read.push(("mcp:*".into(), DENY));
    read.extend(servers.iter().map(|server| (format!("mcp:{}:*", server.name), ALLOW)));
    for link in links.iter().flat_map(|link| spellings(link, os)) {
        for pattern in [link.clone(), format!("{link}/*")] {
            edit.push((pattern.clone(), DENY));
            read.push((pattern, DENY));
        }
    }
    rules.push(("read".into(), Rule::By(read)));
    rules.push(("edit".into(), Rule::By(edit)));
    rules.extend(["glob", "list", "todowrite"].map(|tool| (tool.to_owned(), Rule::All(ALLOW))));
    // Its rules are about what it looks for, not where; named as the place to look, a link to a file is followed (measured).
    rules.push(("grep".to_owned(), Rule::All(if links.is_empty() { ALLOW } else { DENY })));
    rules.push(("external_directory".into(), Rule::By(outside)));
    rules
}

/// Folders outside the one that the run works from: the vault alone, without what links in it lead to.
fn outside(vaults: &[PathBuf], links: &[PathBuf]) -> Patterns {
    let mut rules: Patterns = vec![("*".into(), DENY)];
    rules.extend(vaults.iter().map(|vault| (format!("{}/*", slashes(vault)), ALLOW)));
    rules.extend(links.iter().map(|link| (format!("{}/*", slashes(link)), DENY)));
    rules
}

/// Links out of the vault, in every spelling of it.
fn links(request: &Request, context: &Context<'_>) -> Vec<PathBuf> {
    let Seen::Links(links) = context.survey.seen(&Look::Links(request.vault.clone())) else { return Vec::new() };
    let below = links.iter().filter_map(|link| link.strip_prefix(&request.vault).ok());
    let vaults = both(&request.vault, context.survey);
    below.flat_map(|link| vaults.iter().map(move |vault| vault.join(link))).collect()
}

/// A path with slashes, without one at its end.
fn slashes(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/").trim_end_matches('/').to_owned()
}

/// How a path is told to the rules of single files: from the root of the disk, and in full.
fn spellings(path: &Path, os: Os) -> Vec<String> {
    let full = slashes(path);
    let from_root = match os {
        Os::Windows => full.get(2..).unwrap_or_default().trim_start_matches('/').to_owned(),
        _ => full.trim_start_matches('/').to_owned(),
    };
    vec![from_root, full]
}

/// Why a path cannot be told in a rule, for people: there are signs that stand for others, and no way to write them plainly.
pub(super) fn untellable(path: &Path, os: Os) -> Option<String> {
    let text = path.to_string_lossy();
    // `~` and `$HOME` count at a beginning alone, and a vault's path is absolute.
    let stands_for_others = |c: &char| matches!(c, '*' | '?') || (*c == '\\' && os != Os::Windows);
    let sign = text.chars().find(stands_for_others)?;
    Some(format!(
        "keep to `{text}`: `{sign}` in its name stands for other signs in OpenCode's rules; rename the folder"
    ))
}

/// The rules as JSON, in their order.
pub(super) fn json(rules: &[(String, Rule)]) -> String {
    let object = |pairs: Vec<String>| format!("{{{}}}", pairs.join(","));
    let text = |text: &str| Value::String(text.to_owned()).to_string();
    let rule = |rule: &Rule| match rule {
        Rule::All(action) => text(action),
        Rule::By(patterns) => {
            object(patterns.iter().map(|(pattern, action)| format!("{}:{}", text(pattern), text(action))).collect())
        }
    };
    object(rules.iter().map(|(name, value)| format!("{}:{}", text(name), rule(value))).collect())
}
