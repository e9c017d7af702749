//! The run's own settings, which OpenCode takes from a variable after the person's and before an organisation's.

use super::reach::{self, Rule};
use super::servers::{self, Parts};
use crate::adapters::Context;
use crate::plan::{Arg, PrivateFile};
use crate::request::{Mode, Request};
use crate::survey::{Look, Seen};

/// The agent of OpenCode that runs work under. One of its own, so that no rule that the person set for an agent stands beside
/// or after the mode's: merged with theirs, rules would keep their order and not ours.
pub(super) const AGENT: &str = "agent-launcher";

/// The files that tell agents what to do in a vault; OpenCode takes the first that is there.
const INSTRUCTIONS: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];

/// The settings as the value of a variable, and the private files that they name.
pub(super) fn config(
    request: &Request,
    context: &Context<'_>,
    permissions: &[(String, Rule)],
    off: &[String],
    model: Option<&str>,
) -> (Vec<Arg>, Vec<PrivateFile>) {
    let mut parts = Parts::default();
    // Written so already: its texts are paths, in which a bracket might stand as well.
    let permissions = reach::json(permissions).replace("{env:", r"\u007benv:").replace("{file:", r"\u007bfile:");
    parts.push("{\"autoupdate\":false,\"default_agent\":");
    parts.literal(AGENT);
    // For what does not run under the agent: its sub-agents, and OpenCode's own agent, which it takes where it cannot find ours.
    parts.push(&format!(",\"permission\":{permissions}"));
    if request.mode == Mode::Safe {
        // Nothing of it is a tool of the run, and each starts programs or sends the session away.
        parts.push(",\"share\":\"disabled\",\"snapshot\":false,\"formatter\":false,\"lsp\":false");
    }
    if let Some(path) = instructions(request, context) {
        parts.push(",\"instructions\":[");
        parts.literal(&path);
        parts.push("]");
    }
    parts.push(",\"mcp\":");
    servers::write(&mut parts, &request.mcp_servers, context.mcp_commands, off);
    parts.push(",\"agent\":{");
    parts.literal(AGENT);
    parts.push(":{\"mode\":\"primary\"");
    if let Some(model) = model {
        parts.push(",\"model\":");
        parts.literal(model);
    }
    parts.push(&format!(",\"permission\":{permissions}}}}}}}"));
    parts.done()
}

/// The vault's instructions. It is not the folder that the run works from, so OpenCode would not look there. One that leads
/// out of the vault is none of its files.
fn instructions(request: &Request, context: &Context<'_>) -> Option<String> {
    let survey = context.survey;
    let leads_away = |path: &std::path::PathBuf| match survey.seen(&Look::Links(request.vault.clone())) {
        Seen::Links(links) => links.contains(path),
        _ => false,
    };
    let paths = INSTRUCTIONS.map(|name| request.vault.join(name));
    let found = paths.into_iter().find(|path| *survey.seen(&Look::Kind(path.clone())) == Seen::File)?;
    (!leads_away(&found)).then(|| found.to_string_lossy().into_owned())
}

/// Where to look for them.
pub(super) fn looks(request: &Request) -> impl Iterator<Item = Look> {
    INSTRUCTIONS.map(|name| Look::Kind(request.vault.join(name))).into_iter()
}
