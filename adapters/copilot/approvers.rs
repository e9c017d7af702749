//! What the person has set up in Copilot that may approve what Safe mode refuses: hooks, and extensions.
//!
//! Measured on 1.0.69, 1.0.80 and 1.0.102 for Linux, 2026-11 (`docs/adr/0007`): a `preToolUse` hook of the person that
//! answers `allow`, or a `permissionRequest` hook that does, opens files outside the vault and hidden ones, against every
//! flag. No flag, no variable and no setting (`disableAllHooks`) keeps the person's own hooks off a run. Hooks of other
//! events cannot approve.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::survey::{Look, Seen, Survey};

use super::jsonc;

/// The events whose hooks may approve a tool call, in small letters and without the ways to join words.
const DECIDING: &[&str] = &["pretooluse", "permissionrequest", "premcptoolcall"];

/// Folders of Copilot's home.
const HOOKS: &str = "hooks";
const EXTENSIONS: &str = "extensions";
const PLUGINS: &str = "installed-plugins";

/// How many folders deep hooks are looked for: one less than a survey has rounds, as the files come last.
const DEEPEST: usize = 2;

/// Where a plugin names its hooks.
const OF_A_PLUGIN: &[&str] = &["hooks.json", "hooks/hooks.json", "plugin.json", ".claude-plugin/plugin.json"];

/// Where to look for it; `home` is Copilot's.
pub(super) fn looks(home: &Path, survey: &Survey) -> Vec<Look> {
    let mut looks: Vec<Look> = [EXTENSIONS, PLUGINS].iter().map(|name| Look::Names(home.join(name))).collect();
    looks.extend(hook_folders(home, survey).into_iter().map(Look::Names));
    looks.extend(below(&home.join(PLUGINS), survey).into_iter().map(Look::Names));
    looks.extend(hook_files(home, survey).into_iter().map(Look::Text));
    looks
}

/// Why Safe mode cannot be kept, for people. `settings` are the person's settings files, `experimental` says whether
/// these let extensions run.
pub(super) fn approvers(home: &Path, settings: [&str; 2], experimental: bool, survey: &Survey) -> Option<String> {
    let way_out = "choose Power User mode, or take it out of Copilot's settings";
    if experimental && !below(&home.join(EXTENSIONS), survey).is_empty() {
        let folder = home.join(EXTENSIONS);
        return Some(format!("your own extensions of Copilot in `{}` may do anything; {way_out}", folder.display()));
    }
    let parsed = settings.map(|name| match survey.seen(&Look::Text(home.join(name))) {
        Seen::Text(bytes) => jsonc::parse(bytes).map(|value| (home.join(name), value)),
        _ => None,
    });
    let settings: Vec<(PathBuf, Value)> = parsed.into_iter().flatten().collect();
    let in_settings = settings.into_iter().find(|(_, value)| value.get("hooks").is_some_and(decides)).map(|(at, _)| at);
    let deciding = in_settings.or_else(|| {
        hook_files(home, survey).into_iter().find(|path| match survey.seen(&Look::Text(path.clone())) {
            Seen::Text(bytes) => jsonc::texts(bytes).iter().any(|text| is_deciding(text)),
            seen => *seen == Seen::Unreadable,
        })
    })?;
    Some(format!("your own hook of Copilot in `{}` may approve what Safe mode refuses; {way_out}", deciding.display()))
}

/// Whether an object of hooks has one of a deciding event.
fn decides(hooks: &Value) -> bool {
    hooks.as_object().is_none_or(|hooks| hooks.keys().any(|event| is_deciding(event)))
}

fn is_deciding(event: &str) -> bool {
    let plain: String = event.chars().filter(char::is_ascii_alphanumeric).collect();
    DECIDING.contains(&&*plain.to_ascii_lowercase())
}

/// Every file that may hold hooks of the person's own or of a plugin that they installed.
fn hook_files(home: &Path, survey: &Survey) -> Vec<PathBuf> {
    // Files in folders below count as well (measured on 1.0.102).
    let mut files: Vec<PathBuf> = hook_folders(home, survey)
        .iter()
        .flat_map(|folder| below(folder, survey))
        .filter(|path| is_json(path))
        .collect();
    // By marketplace, then by plugin; some lie directly in the folder, and the settings may name any other.
    let mut plugins = below(&home.join(PLUGINS), survey);
    plugins.extend(plugins.clone().iter().flat_map(|folder| below(folder, survey)));
    if let Seen::Text(bytes) = survey.seen(&Look::Text(home.join("config.json"))) {
        let config = jsonc::parse(bytes).unwrap_or_default();
        let named = config.get("installedPlugins").and_then(Value::as_array).into_iter().flatten();
        let named = named.filter_map(|plugin| plugin.get("cache_path")?.as_str());
        plugins.extend(named.map(PathBuf::from).take(32).filter(|path| path.is_absolute()));
    }
    plugins.sort();
    plugins.dedup();
    files.extend(plugins.iter().flat_map(|plugin| OF_A_PLUGIN.iter().map(|name| plugin.join(name))));
    files
}

/// The folder of the person's hooks and those in it.
fn hook_folders(home: &Path, survey: &Survey) -> Vec<PathBuf> {
    let mut folders = vec![home.join(HOOKS)];
    let mut from = 0;
    for _ in 0..DEEPEST {
        let deeper: Vec<PathBuf> = folders[from..].iter().flat_map(|folder| below(folder, survey)).collect();
        from = folders.len();
        folders.extend(deeper.into_iter().filter(|path| !is_json(path)));
    }
    folders
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("json"))
}

/// What lies in a folder.
fn below(folder: &Path, survey: &Survey) -> Vec<PathBuf> {
    let names = match survey.seen(&Look::Names(folder.to_path_buf())) {
        Seen::Names(names) => names.as_slice(),
        _ => &[],
    };
    names.iter().map(|name| folder.join(name)).collect()
}
