//! The tripwire of Safe mode: what ran is compared with what the mode gives. The flags keep the mode; this notices a version
//! that stopped keeping it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::value::RawValue;

use super::surrogates::mended;
use super::{tools, wire};
use crate::adapters::boundary;
use crate::plan::Plan;

/// Most tool calls that are followed at once; more can only be nonsense.
const OPEN: usize = 4096;

/// Tools that write a file, named by the argument `path`.
const WRITERS: &[&str] = &["create", "edit"];
/// Tools that read a file or a folder, named by the argument `path`. A pattern is not followed.
const READERS: &[&str] = &["view", "glob", "grep"];

#[derive(Debug, Default)]
pub(super) struct Tripwire {
    /// `None` where the mode gives every tool.
    tools: Option<Vec<String>>,
    servers: Vec<String>,
    /// The vault as given and as it really is; empty where that is not known.
    folders: Vec<PathBuf>,
    /// The session's own folder is Copilot's to read: it keeps plans and long answers of tools there.
    session: Option<String>,
    /// Tools of the agent that it said it leaves out of this run.
    left_out: Vec<String>,
    /// Calls that have begun, by id.
    open: HashMap<String, Call>,
}

#[derive(Debug)]
struct Call {
    tool: String,
    server: Option<String>,
    path: Option<PathBuf>,
    writes: bool,
}

impl Tripwire {
    pub(super) fn new(plan: &Plan) -> Tripwire {
        Tripwire {
            tools: plan.allowed_tools.clone(),
            servers: plan.mcp_servers.clone(),
            folders: plan.allowed_folders.clone(),
            session: plan.session_id.clone(),
            ..Tripwire::default()
        }
    }

    /// Takes the list that Copilot prints of what it leaves out.
    pub(super) fn leave_out(&mut self, list: &str) {
        self.left_out = list.split(", ").take(256).map(str::to_owned).collect();
    }

    /// Whether Safe mode gives this tool: by its name, or as one of an app's server.
    pub(super) fn gives(&self, tool: &str) -> bool {
        let of_app = || self.servers.iter().any(|own| is_tool_of(tool, own));
        self.tools.as_ref().is_some_and(|given| given.iter().any(|known| known == tool) || of_app())
    }

    pub(super) fn begin(&mut self, start: &wire::ToolStart<'_>) {
        if self.open.len() >= OPEN {
            return;
        }
        let server = start.mcp_config_server_name.clone().or_else(|| start.mcp_server_name.clone());
        let tool = start.tool_name.as_ref();
        let writes = WRITERS.contains(&tool);
        let followed = self.tools.is_some() && (writes || READERS.contains(&tool));
        let path = start.arguments.filter(|_| followed).and_then(path_of);
        self.open.insert(start.tool_call_id.to_string(), Call { tool: tool.to_owned(), server, path, writes });
    }

    /// Whether a call failed since the mode leaves its tool out. To a person that is a refusal; a name that Copilot never
    /// had is the model's mistake. Forgets the call.
    pub(super) fn end(&mut self, id: &str, error: Option<&wire::ToolError>) -> bool {
        let (Some(call), Some(error), Some(given)) = (self.open.remove(id), error, &self.tools) else { return false };
        let known = tools::is_known(&call.tool) || self.left_out.contains(&call.tool);
        known && !given.contains(&call.tool) && error.message == format!("Tool '{}' does not exist.", call.tool)
    }

    /// What a call that really runs breaks, in words. A call whose beginning was not seen cannot be judged.
    pub(super) fn ran(&self, id: &str) -> Option<String> {
        let (given, call) = (self.tools.as_ref()?, self.open.get(id)?);
        let permitted = match &call.server {
            Some(server) => self.servers.contains(server),
            None => given.contains(&call.tool) || self.servers.iter().any(|own| is_tool_of(&call.tool, own)),
        };
        (!permitted).then(|| format!("the tool `{}` ran although the mode does not give it", call.tool))
    }

    /// What a call that succeeded breaks, in words: besides its tool, the file that it wrote.
    pub(super) fn succeeded(&self, id: &str) -> Option<String> {
        self.ran(id).or_else(|| {
            let call = self.open.get(id).filter(|call| call.server.is_none())?;
            self.reached(call.path.as_deref()?, call.writes)
        })
    }

    /// Measured on 1.0.69 and 1.0.102: `session-state/ID` in Copilot's home may be read in Safe mode, and 1.0.69 puts long
    /// answers of tools into the folder for temporary files.
    fn is_of_the_session(&self, path: &Path) -> bool {
        let parts: Vec<&str> = path.iter().filter_map(|part| part.to_str()).collect();
        let of_session =
            parts.windows(2).any(|pair| pair[0] == "session-state" && Some(pair[1]) == self.session.as_deref());
        of_session || parts.last().is_some_and(|name| name.starts_with("copilot-tool-output-"))
    }

    fn reached(&self, path: &Path, writes: bool) -> Option<String> {
        if !writes && self.is_of_the_session(&boundary::without_dots(path)) {
            return None;
        }
        boundary::breach(&self.folders, path, writes)
    }
}

/// The argument `path` as the agent reads it: the last one where there are several, and halves of characters as what stands for
/// them in a file's name.
fn path_of(arguments: &RawValue) -> Option<PathBuf> {
    let arguments: HashMap<String, &RawValue> = serde_json::from_str(arguments.get()).ok()?;
    let path = arguments.get("path")?.get();
    let read = |text: &[u8]| serde_json::from_slice::<PathBuf>(text).ok();
    read(path.as_bytes()).or_else(|| read(&mended(path.as_bytes())?))
}

/// Whether a tool name is of this server, by Copilot's `server-tool` spelling.
fn is_tool_of(name: &str, server: &str) -> bool {
    name.strip_prefix(server).is_some_and(|rest| rest.starts_with('-'))
}
