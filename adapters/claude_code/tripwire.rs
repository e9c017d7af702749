//! The tripwire of Safe mode: what ran is compared with what the mode gives. The flags keep the mode; this notices a version
//! that stopped keeping it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::value::RawValue;

use super::{tools, wire};
use crate::adapters::boundary;
use crate::plan::Plan;

/// Most tool calls that are followed at once; more can only be nonsense.
const OPEN: usize = 4096;

/// Tools without a name in `--tools` that do nothing to anything: the one waits for servers (2.1.197 names it), the other
/// takes the answer where a form for it was asked for.
const HARMLESS: &[&str] = &["StructuredOutput", "WaitForMcpServers"];

#[derive(Debug, Default)]
pub(super) struct Tripwire {
    /// `None` where the mode gives every tool.
    tools: Option<Vec<String>>,
    servers: Vec<String>,
    /// The vault as given and as it really is; empty where that is not known.
    folders: Vec<PathBuf>,
    session: Option<String>,
    /// Calls that have begun, by id.
    open: HashMap<String, Call>,
}

#[derive(Debug)]
struct Call {
    tool: String,
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
            open: HashMap::new(),
        }
    }

    /// What `init` offers beside what the mode gives, and what of that it leaves out.
    pub(super) fn compare(&self, offered: &[String]) -> (Vec<String>, Vec<String>) {
        let Some(given) = &self.tools else { return Default::default() };
        let more = offered.iter().filter(|tool| !self.permits(tool)).take(16).cloned().collect();
        let less = given.iter().filter(|tool| !offered.contains(tool)).take(16).cloned().collect();
        (more, less)
    }

    pub(super) fn begin(&mut self, id: &str, tool: &str, input: Option<&RawValue>) {
        if self.open.len() >= OPEN {
            return;
        }
        let argument =
            |table: &[(&str, &'static str)]| table.iter().find(|(name, _)| *name == tool).map(|(_, arg)| *arg);
        let writes = argument(tools::WRITERS);
        let path = writes.or_else(|| argument(tools::READERS)).and_then(|argument| path_of(input?, argument));
        let path = (tool == "Glob").then(|| listed(input?)).flatten().or(path);
        self.open.insert(id.to_owned(), Call { tool: tool.to_owned(), path, writes: writes.is_some() });
    }

    /// What a call that has ended breaks, in words, where it did what it was asked. Forgets the call; one whose beginning
    /// was not seen cannot be judged.
    pub(super) fn end(&mut self, id: &str, ok: bool) -> Option<String> {
        let call = self.open.remove(id).filter(|_| ok && self.tools.is_some())?;
        if !self.permits(&call.tool) {
            return Some(format!("the tool `{}` ran although the mode does not give it", call.tool));
        }
        let path = call.path?;
        if !call.writes && self.is_of_the_session(&boundary::without_dots(&path)) {
            return None;
        }
        boundary::breach(&self.folders, &path, call.writes)
    }

    fn permits(&self, tool: &str) -> bool {
        let given = self.tools.as_ref().is_none_or(|given| given.iter().any(|known| known == tool));
        given || HARMLESS.contains(&tool) || self.servers.iter().any(|server| tools::is_of(tool, server))
    }

    /// It keeps long answers of tools in a folder of the session, below its own, and may read them back.
    fn is_of_the_session(&self, path: &Path) -> bool {
        let Some(session) = &self.session else { return false };
        path.iter().any(|part| part.to_str() == Some(session))
    }
}

/// What an absolute pattern lists: 2.1.197 follows it wherever it leads (measured), 2.1.332 refuses it.
fn listed(input: &RawValue) -> Option<PathBuf> {
    let pattern = path_of(input, "pattern").filter(|pattern| pattern.is_absolute())?;
    let plain =
        |part: &std::path::Component<'_>| !part.as_os_str().to_string_lossy().contains(['*', '?', '[', '{', '!', '(']);
    Some(pattern.components().take_while(plain).collect())
}

/// An argument that names a file.
fn path_of(input: &RawValue, argument: &str) -> Option<PathBuf> {
    let input: wire::Input<'_> = serde_json::from_str(input.get()).ok()?;
    serde_json::from_str(input.get(argument)?.get()).ok()
}
