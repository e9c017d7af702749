//! The tripwire of Safe mode: what ran is compared with what the mode gives. The permissions keep the mode; this notices a
//! version that stopped keeping them.

use std::path::{Component, Path, PathBuf};

use super::{tools, wire};
use crate::adapters::boundary;
use crate::plan::Plan;

/// Tools that write the file named by `filePath`.
const WRITERS: &[&str] = &["edit", "write"];

#[derive(Debug, Default)]
pub(super) struct Tripwire {
    /// `None` where the mode gives every tool.
    tools: Option<Vec<String>>,
    servers: Vec<String>,
    /// The vault as given and as it really is; empty where that is not watched.
    folders: Vec<PathBuf>,
    /// The name of the empty folder that the run works from.
    away: Option<String>,
}

impl Tripwire {
    pub(super) fn new(plan: &Plan) -> Tripwire {
        Tripwire {
            tools: plan.allowed_tools.clone(),
            servers: plan.mcp_servers.clone(),
            folders: plan.allowed_folders.clone(),
            away: plan.scratch.as_ref().map(|scratch| scratch.name.clone()),
        }
    }

    /// Whether the mode leaves out a tool that OpenCode has.
    pub(super) fn leaves_out(&self, tool: &str) -> bool {
        self.tools.as_ref().is_some_and(|given| tools::is_known(tool) && !given.iter().any(|known| known == tool))
    }

    /// What a call that succeeded breaks, in words: its tool, or the file that it wrote or read.
    pub(super) fn succeeded(&self, tool: &str, input: &wire::Input) -> Option<String> {
        let given = self.tools.as_ref()?;
        if self.servers.iter().any(|own| tools::is_of(tool, own)) {
            return None;
        }
        if !given.iter().any(|known| known == tool) {
            return Some(format!("the tool `{tool}` ran although the mode does not give it"));
        }
        let patched = input.patch.iter().flat_map(|patch| patched(patch));
        let writes = WRITERS.contains(&tool);
        let named = input.file.iter().chain(&input.path).map(String::as_str);
        patched.map(|path| (path, true)).chain(named.map(|path| (path, writes))).find_map(|(path, writes)| {
            let path = Path::new(path);
            // Long answers of tools are put aside there, for the model to read on.
            let put_aside = path.components().any(|part| part.as_os_str() == "tool-output");
            let exempt = !writes && put_aside && path.to_string_lossy().contains("opencode");
            (!exempt).then(|| self.reached(path, writes)).flatten()
        })
    }

    fn reached(&self, path: &Path, writes: bool) -> Option<String> {
        // Looking around in the empty folder that the run works from finds nothing and breaks nothing; models do it often.
        let leaves = path.components().any(|part| part == Component::ParentDir);
        let is_away = self.away.iter().any(|away| path.iter().any(|part| part == away.as_str()));
        if !writes && !leaves && (path.is_relative() || is_away) {
            return None;
        }
        if !self.folders.is_empty() && path.is_relative() {
            // It counts from that folder.
            let how = if writes { "written" } else { "read" };
            return Some(format!("`{}` was {how}, which is outside the vault", path.display()));
        }
        boundary::breach(&self.folders, path, writes)
    }
}

/// The files that a patch touches.
fn patched(patch: &str) -> impl Iterator<Item = &str> {
    const HEADS: [&str; 4] = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
    patch.lines().filter_map(|line| HEADS.iter().find_map(|head| line.strip_prefix(head))).map(str::trim)
}
