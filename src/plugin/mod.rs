//! Plugins of an agent: folders that bring it tools and workflows for one run.
//!
//! Owns what is read of a plugin's folder and the plugin that ships with this crate. What an agent is told of a plugin is
//! its adapter's to decide.

mod adrkit;

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::error::Error;

pub use adrkit::{ExportedPlugin, adrkit_path, export_adrkit};

/// A plugin for one run, by its folder.
///
/// Its code runs beside the agent with the person's own rights and outside the agent's permission questions: naming a
/// plugin in a request is a decision to trust it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plugin {
    pub(crate) dir: PathBuf,
    /// What the folder says, once it was read.
    pub(crate) manifest: Option<Manifest>,
    /// Tools that the host named.
    pub(crate) named: Vec<String>,
}

impl Plugin {
    /// The plugin in this folder, read when the plan is made.
    ///
    /// `dir` must be an absolute path and hold `.claude-plugin/plugin.json`.
    pub fn new(dir: impl Into<PathBuf>) -> Plugin {
        Plugin { dir: dir.into(), manifest: None, named: Vec::new() }
    }

    /// The plugin in this folder, read now: what [`plan_with`](crate::Launcher::plan_with), which reads no plugin, needs.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidPlugin`].
    pub fn read(dir: impl Into<PathBuf>) -> Result<Plugin, Error> {
        Plugin::new(dir).ready()
    }

    /// Names a tool of the plugin that the agent may use without a question. May be repeated.
    ///
    /// In Safe mode an agent is offered only tools that are named here or in the plugin's own manifest. A tool that would
    /// ask at each call waits for ever in a run without a person, so it must be named here, which allows it for this run.
    #[must_use]
    pub fn tool(mut self, name: impl Into<String>) -> Plugin {
        self.named.push(name.into());
        self
    }

    /// The plugin's folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The plugin's name, where it was read.
    pub fn name(&self) -> Option<&str> {
        self.manifest.as_ref().map(|manifest| manifest.name.as_str())
    }

    /// What the folder says; an error where it was not read.
    pub(crate) fn manifest(&self) -> Result<&Manifest, Error> {
        self.manifest.as_ref().ok_or_else(|| self.invalid("was not read: read it first with `Plugin::read`"))
    }

    /// The plugin with its folder read.
    pub(crate) fn ready(self) -> Result<Plugin, Error> {
        let manifest = match self.manifest {
            Some(manifest) => manifest,
            None => Manifest::read(&self.dir)?,
        };
        Ok(Plugin { manifest: Some(manifest), ..self })
    }

    pub(crate) fn invalid(&self, problem: impl Into<String>) -> Error {
        Error::InvalidPlugin { dir: self.dir.clone(), problem: problem.into() }
    }
}

/// What a plugin's folder says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Manifest {
    pub(crate) name: String,
    /// Its extensions: folders below `extensions/` that hold an `extension.mjs`, in order.
    pub(crate) extensions: Vec<String>,
    /// The tools that it names.
    pub(crate) tools: Vec<PluginTool>,
    /// Whether its extensions keep the vault's own hooks from running when they join.
    pub(crate) keeps_file_hooks_out: bool,
    /// Variables of the host's environment that it reads.
    pub(crate) environment: Vec<String>,
}

/// A tool of a plugin, as the manifest names it.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PluginTool {
    pub(crate) name: String,
    /// Whether it runs without a question at each call.
    #[serde(default)]
    pub(crate) skip_permission: bool,
}

/// `.claude-plugin/plugin.json`, as far as it is used.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ManifestFile {
    name: String,
    #[serde(default)]
    agent_launcher: Own,
}

/// What a plugin may say for this launcher. Agents ignore it.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Own {
    tools: Vec<PluginTool>,
    keeps_file_hooks_out: bool,
    environment: Vec<String>,
}

/// A manifest larger than this is none.
const LARGEST: u64 = 1024 * 1024;

impl Manifest {
    /// Reads the folder.
    pub(crate) fn read(dir: &Path) -> Result<Manifest, Error> {
        let invalid = |problem: String| Error::InvalidPlugin { dir: dir.to_owned(), problem };
        if !dir.is_absolute() {
            return Err(invalid("is not an absolute path".into()));
        }
        let path = dir.join(".claude-plugin").join("plugin.json");
        let size = std::fs::metadata(&path)
            .map_err(|error| invalid(format!("`.claude-plugin/plugin.json` cannot be read: {error}")))?
            .len();
        if size > LARGEST {
            return Err(invalid("`.claude-plugin/plugin.json` is larger than 1 MiB".into()));
        }
        let text = std::fs::read(&path)
            .map_err(|error| invalid(format!("`.claude-plugin/plugin.json` cannot be read: {error}")))?;
        let file: ManifestFile = serde_json::from_slice(&text)
            .map_err(|error| invalid(format!("`.claude-plugin/plugin.json` is not a manifest: {error}")))?;
        for name in std::iter::once(&file.name).chain(&file.agent_launcher.environment) {
            plain(name).map_err(|problem| invalid(format!("the name `{name}` {problem}")))?;
        }
        Ok(Manifest {
            name: file.name,
            extensions: extensions(dir).map_err(|error| invalid(format!("`extensions` cannot be read: {error}")))?,
            tools: file.agent_launcher.tools,
            keeps_file_hooks_out: file.agent_launcher.keeps_file_hooks_out,
            environment: file.agent_launcher.environment,
        })
    }
}

/// The extensions' names. One with a name that no permission rule could hold is an error, since it would run ungranted.
fn extensions(dir: &Path) -> std::io::Result<Vec<String>> {
    let entries = match std::fs::read_dir(dir.join("extensions")) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry?;
        if entry.path().join("extension.mjs").is_file() {
            let name = entry.file_name().to_string_lossy().into_owned();
            plain(&name).map_err(|problem| std::io::Error::other(format!("the name `{name}` {problem}")))?;
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// Names stand in permission rules and variables, where other characters have a meaning.
fn plain(name: &str) -> Result<(), &'static str> {
    let good = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if name.is_empty() || name.len() > 128 || !name.bytes().all(good) || name.starts_with(['-', '.']) {
        return Err("is not made of letters, digits, `-`, `_` and `.`");
    }
    Ok(())
}

impl fmt::Display for Plugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => self.dir.display().fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(manifest: &str, extensions: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join(".claude-plugin")).unwrap();
        std::fs::write(dir.path().join(".claude-plugin/plugin.json"), manifest).unwrap();
        for name in extensions {
            let folder = dir.path().join("extensions").join(name);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("extension.mjs"), "").unwrap();
        }
        dir
    }

    #[test]
    fn a_folder_is_read_for_its_name_extensions_and_tools() {
        let dir = folder(r#"{"name":"p","other":1,"agentLauncher":{"tools":[{"name":"a"}],"x":2}}"#, &["b", "a"]);
        std::fs::create_dir_all(dir.path().join("extensions/empty")).unwrap();
        let plugin = Plugin::read(dir.path()).unwrap();
        let manifest = Manifest {
            name: "p".into(),
            extensions: vec!["a".into(), "b".into()],
            tools: vec![PluginTool { name: "a".into(), skip_permission: false }],
            keeps_file_hooks_out: false,
            environment: Vec::new(),
        };
        assert_eq!(plugin.manifest, Some(manifest));
        assert_eq!(plugin.name(), Some("p"));
    }

    #[test]
    fn what_is_no_plugin_is_refused_with_the_folder_and_the_reason() {
        let none = tempfile::tempdir().unwrap();
        let broken = folder("{", &[]);
        let nameless = folder("{}", &[]);
        let odd = folder(r#"{"name":"a b)"}"#, &[]);
        let odd_extension = folder(r#"{"name":"a"}"#, &["x)y"]);
        for dir in [&none, &broken, &nameless, &odd, &odd_extension] {
            let error = Plugin::read(dir.path()).unwrap_err();
            assert!(matches!(error, Error::InvalidPlugin { .. }), "{error}");
            assert!(error.to_string().contains(&*dir.path().to_string_lossy()), "{error}");
        }
        assert!(Plugin::read("relative").unwrap_err().to_string().contains("absolute"));
        assert!(Plugin::new("/x").manifest().is_err());
    }
}
