//! Plugins in a plan: their folders, the least grant that lets their extensions join, and the tools they bring.
//!
//! Measured on 1.0.102 (2026-11): an extension whose tools skip the permission question is refused without a grant of the
//! kind `extension-permission-access`; extensions load in `-p` only with the feature flag; a tool that asks waits for ever.

use super::{SPEC, tools};
use crate::adapters::{Context, version};
use crate::error::Error;
use crate::guidance;
use crate::plugin::{Manifest, Plugin};
use crate::request::{Mode, Request};

/// The oldest version that the plugin mechanism was measured on: extensions of plugins with tools and workflows. 1.0.69
/// loads no extension of a plugin in `-p`.
pub(super) const SINCE: &str = "1.0.92";

/// Lets extensions load at all. `--experimental` would too, and stays in the user's settings.
pub(super) const FEATURE_FLAG: (&str, &str) = ("COPILOT_CLI_ENABLED_FEATURE_FLAGS", "EXTENSIONS");

/// Names the vault to a plugin where the run works from elsewhere.
pub(super) const VAULT: &str = "AGENT_LAUNCHER_VAULT";

/// What a plan says of its plugins.
#[derive(Debug, Default)]
pub(super) struct Plugins {
    /// `--plugin-dir` and its value, for each.
    pub(super) args: Vec<String>,
    /// Rules for `--allow-tool`.
    pub(super) grants: Vec<String>,
    /// Tools for `--available-tools`.
    pub(super) tools: Vec<String>,
    /// Variables of the host that they read.
    pub(super) environment: Vec<String>,
    pub(super) notices: Vec<String>,
}

pub(super) fn plugins(request: &Request, context: &Context<'_>) -> Result<Plugins, Error> {
    let mut all = Plugins::default();
    if request.plugins.is_empty() {
        return Ok(all);
    }
    let found = context.binary.version.as_str();
    if !version::is_at_least(found, SINCE) {
        let guidance = guidance::version_unsupported(&SPEC, context.app, &context.binary.found, found, SINCE);
        return Err(Error::Setup(Box::new(guidance)));
    }
    let mut names: Vec<&str> = Vec::new();
    for plugin in &request.plugins {
        let manifest = plugin.manifest()?;
        if names.contains(&manifest.name.as_str()) {
            return Err(plugin.invalid(format!("has the name `{}`, as another plugin of the request", manifest.name)));
        }
        names.push(&manifest.name);
        let dir = plugin.dir.to_str().ok_or_else(|| plugin.invalid("has a path that is not UTF-8"))?;
        all.args.extend(["--plugin-dir".to_owned(), dir.to_owned()]);
        all.environment.extend(manifest.environment.iter().cloned());
        hooks(request.mode, plugin, manifest, &mut all)?;
        offer(request.mode, plugin, manifest, &mut all)?;
    }
    Ok(all)
}

/// Where any extension joins a headless run, Copilot runs the shell commands of the vault's `.github/hooks`, even in a
/// vault that nobody trusts (measured on 1.0.102). Safe mode takes only plugins that keep them out.
fn hooks(mode: Mode, plugin: &Plugin, manifest: &Manifest, all: &mut Plugins) -> Result<(), Error> {
    if manifest.extensions.is_empty() || manifest.keeps_file_hooks_out {
        return Ok(());
    }
    if mode == Mode::Safe {
        return Err(plugin.invalid(
            "has an extension that may let the vault's own hooks run, which Safe mode rules out: join with \
             `enableFileHooks: false`, and say so in `.claude-plugin/plugin.json` as \
             `\"agentLauncher\": { \"keepsFileHooksOut\": true }`",
        ));
    }
    all.notices.push(format!("The plugin `{}` lets the hooks of this folder (`.github/hooks`) run.", manifest.name));
    Ok(())
}

/// Adds the plugin's tools, those that would ask only where the host named them.
fn offer(mode: Mode, plugin: &Plugin, manifest: &Manifest, all: &mut Plugins) -> Result<(), Error> {
    let declared = manifest.tools.iter().map(|tool| tool.name.as_str());
    let undeclared = plugin.named.iter().filter(|name| manifest.tools.iter().all(|tool| tool.name != **name));
    let offered: Vec<&str> = declared.chain(undeclared.map(String::as_str)).collect();
    for name in &offered {
        check_name(plugin, name, &all.tools)?;
        let skips = manifest.tools.iter().any(|tool| tool.name == *name && tool.skip_permission);
        let named = plugin.named.iter().any(|named| named == name);
        // In Power User mode nothing asks.
        if mode == Mode::Safe && !skips {
            if !named {
                return Err(plugin.invalid(format!(
                    "has the tool `{name}`, which asks at each call and would wait for ever in a run without a person: \
                     allow it with `Plugin::tool`"
                )));
            }
            all.grants.push(format!("custom-tool({name})"));
        }
        all.tools.push((*name).to_owned());
    }
    if !offered.is_empty() {
        let grant = |extension| format!("extension-permission-access(plugin:{}:{extension})", manifest.name);
        all.grants.extend(manifest.extensions.iter().map(grant));
    } else if mode == Mode::Safe && !manifest.extensions.is_empty() {
        all.notices.push(format!(
            "The plugin `{}` names no tools, so Safe mode offers none of them. The app can name them.",
            manifest.name
        ));
    }
    Ok(())
}

/// A bad name makes Copilot refuse the join; a built-in's name fails the whole run; a name used twice refuses the second.
fn check_name(plugin: &Plugin, name: &str, others: &[String]) -> Result<(), Error> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let problem = if name.is_empty() || name.len() > 64 || !name.bytes().all(plain) {
        "is not made of letters, digits, `_` and `-`"
    } else if tools::is_known(name) {
        "is the name of a tool of Copilot"
    } else if others.iter().any(|other| other == name) {
        "is given twice"
    } else {
        return Ok(());
    };
    Err(plugin.invalid(format!("has a tool whose name `{name}` {problem}")))
}
