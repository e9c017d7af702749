//! How the person signs in, as far as their own settings of Claude Code say: a run reads none of them, since they may hold
//! hooks, permissions and plugins, so what concerns the sign-in alone is handed over beside it.
//!
//! Measured: with `--setting-sources ''` a helper for the key is not asked ("Not logged in"), and is where `--settings`
//! names it; a sign-in by `claude auth login` and a key in the environment work as ever.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Map, Value};

use super::environment::TABLE;
use crate::adapters::Context;
use crate::env::{HostEnv, Os};
use crate::request::{Mode, Request};
use crate::survey::{Look, Seen};

/// What is handed over: commands that bring a key, and the model that the person chose.
const KEYS: &[&str] = &["apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "gcpAuthRefresh", "model"];

/// Variables of the settings that are none of the sign-in, though they pass.
const OTHERS: &[&str] = &["CLAUDE_CONFIG_DIR", "HOME", "PATH", "SHELL", "TEMP", "TMP", "TMPDIR", "USERPROFILE"];

/// The variable that says where Claude Code's files are.
const CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";

/// What the settings say of the sign-in.
#[derive(Debug, Default)]
pub(super) struct SignIn {
    /// For `--settings`; empty where there is nothing to say.
    pub(super) settings: Map<String, Value>,
    /// Variables that the settings set.
    pub(super) env: BTreeMap<String, String>,
}

/// Where Claude Code's files are, where another place than its folder in the home is set.
pub(super) fn config_dir(request: &Request, host: &HostEnv) -> Option<PathBuf> {
    let asked = request.env.get(CONFIG_DIR).map(|value| value.expose().to_owned());
    let inherited = || host.var(CONFIG_DIR).map(|value| value.to_string_lossy().into_owned());
    let removed = request.env_remove.iter().any(|name| name == CONFIG_DIR);
    asked.or_else(|| if removed { None } else { inherited() }).filter(|dir| !dir.is_empty()).map(PathBuf::from)
}

/// Claude Code's own folder and the home folders, which no vault may hold.
pub(super) fn folders(request: &Request, host: &HostEnv) -> Vec<PathBuf> {
    let asked = ["HOME", "USERPROFILE"].iter().filter_map(|name| request.env.get(*name));
    let homes: Vec<PathBuf> = asked.map(|home| PathBuf::from(home.expose())).chain(host.home.clone()).collect();
    let own = config_dir(request, host).or_else(|| Some(homes.first()?.join(".claude")));
    own.into_iter().chain(homes).collect()
}

/// The person's settings file. What lies in a folder that the request names is not known to be the person's.
pub(super) fn settings(request: &Request, host: &HostEnv) -> Option<PathBuf> {
    if request.env.contains_key(CONFIG_DIR) {
        return None;
    }
    let folder = config_dir(request, host).or_else(|| Some(host.home.as_ref()?.join(".claude")))?;
    Some(folder.join("settings.json"))
}

/// Reads the settings that were seen.
pub(super) fn sign_in(request: &Request, context: &Context<'_>) -> SignIn {
    let Some(path) = settings(request, context.host) else { return SignIn::default() };
    let Seen::Text(bytes) = context.survey.seen(&Look::Text(path)) else { return SignIn::default() };
    let Ok(Value::Object(settings)) = serde_json::from_slice(bytes) else { return SignIn::default() };
    let windows = context.host.os == Os::Windows;
    let concerns = |name: &str| TABLE.passes(name, Mode::Safe, windows) && !OTHERS.contains(&name);
    let variables = settings.get("env").and_then(Value::as_object).into_iter().flatten();
    let variables = variables.filter(|(name, _)| concerns(name) && !name.contains(['=', '\0']));
    let env = variables.filter_map(|(name, value)| Some((name.clone(), plain(value)?))).collect();
    let kept = settings.into_iter().filter(|(key, value)| KEYS.contains(&key.as_str()) && value.is_string());
    SignIn { settings: kept.collect(), env }
}

/// A value as it stands in an environment.
fn plain(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        _ => return None,
    };
    (!text.contains('\0')).then_some(text)
}
