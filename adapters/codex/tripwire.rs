//! The tripwire of Safe mode: what Codex tells that it did is compared with what the mode gives. The settings keep the mode;
//! this notices a version that stopped keeping it, and hidden files below the vault's top, which no setting holds.

use std::path::{Path, PathBuf};

use super::servers::ALIAS;
use super::wire;
use crate::adapters::boundary;
use crate::plan::Plan;

#[derive(Debug)]
pub(super) struct Tripwire {
    /// Whether the mode gives only some tools.
    armed: bool,
    servers: Vec<String>,
    /// The vault as given and as it really is; empty where that is not known.
    folders: Vec<PathBuf>,
}

impl Tripwire {
    pub(super) fn new(plan: &Plan) -> Tripwire {
        Tripwire {
            armed: plan.allowed_tools.is_some(),
            servers: plan.mcp_servers.clone(),
            folders: plan.allowed_folders.clone(),
        }
    }

    /// The app's name of a server that Codex knows by another.
    pub(super) fn server<'a>(&'a self, told: &'a str) -> &'a str {
        let own = |name: &&str| self.servers.iter().any(|own| own == name);
        if own(&told) {
            return told;
        }
        told.strip_suffix(ALIAS).filter(own).unwrap_or(told)
    }

    /// A tool of Codex's own that no safe run has, in words.
    pub(super) fn ran(&self, tool: &str) -> Option<String> {
        self.armed.then(|| format!("the tool `{tool}` ran although the mode does not give it"))
    }

    /// A tool of a server that is not the app's, in words.
    pub(super) fn called(&self, server: &str, tool: &str) -> Option<String> {
        let own = self.servers.iter().any(|own| own == self.server(server));
        (self.armed && !own).then(|| format!("the tool `{tool}` of `{server}` ran although the mode does not give it"))
    }

    /// A file that was changed, in words.
    pub(super) fn changed(&self, changes: &[wire::Change]) -> Option<String> {
        let breach = |change: &wire::Change| boundary::breach(&self.folders, Path::new(&change.path), true);
        changes.iter().filter(|_| self.armed).find_map(breach)
    }
}
