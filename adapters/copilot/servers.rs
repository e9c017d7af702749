//! The app's MCP servers as Copilot takes them: for one run, beside the user's own configuration and never in it.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use crate::error::Error;
use crate::plan::{Arg, PrivateFile};
use crate::request::{EnvValue, McpServer};

use super::tools;

/// Longer configurations travel in a private file, in bytes.
const LONGEST_INLINE: usize = 4 * 1024;

/// Holds a dollar sign for the agent. Copilot replaces `$NAME` and `${NAME}` in commands, arguments and variables of MCP
/// servers where the agent has such a variable, and knows no escape (measured on 1.0.69 and 1.0.102). What it has put in
/// it does not read again, so a reference to this variable comes out as the sign itself.
pub(super) const DOLLAR: &str = "AGENT_LAUNCHER_DOLLAR";

/// Names that Copilot gives a meaning of its own: kinds of permission rules and its built-in servers.
///
/// Measured on 1.0.102: `--deny-tool=shell` also refuses the tools of a server named `shell`.
const RESERVED: &[&str] =
    &["shell", "write", "read", "url", "mcp", "memory", "custom-tool", "hook", "github-mcp-server", "github", "ide"];

/// Names that stand for something in each object of Copilot's language: set under such a name, a server may be nowhere.
const INHERITED: &[&str] = &["__proto__", "constructor", "prototype"];

/// How the servers are handed over.
#[derive(Debug, Default)]
pub(super) struct Servers {
    pub(super) arg: Option<Arg>,
    pub(super) file: Option<PrivateFile>,
    /// Whether [`DOLLAR`] must be set.
    pub(super) uses_dollar: bool,
}

/// Refuses names that Copilot would confuse. That they are plain and differ is checked for every agent.
pub(super) fn check_names(servers: &[McpServer]) -> Result<(), Error> {
    for server in servers {
        let lower = server.name.to_ascii_lowercase();
        let problem = if tools::is_known(&lower) {
            "is the name of a tool of Copilot"
        } else if RESERVED.contains(&lower.as_str()) {
            "has a meaning of its own in Copilot's permission rules"
        } else if INHERITED.contains(&lower.as_str()) {
            "is what every object of JavaScript has, and could not be told from it"
        } else {
            continue;
        };
        let problem = format!("{problem}; choose another name");
        return Err(Error::InvalidServer { name: server.name.clone(), problem });
    }
    Ok(())
}

/// `commands` are the servers' programs as absolute paths, in order.
pub(super) fn servers(servers: &[McpServer], commands: &[PathBuf], through_shim: bool) -> Result<Servers, Error> {
    if servers.is_empty() {
        return Ok(Servers::default());
    }
    let mut config = Map::new();
    let mut uses_dollar = false;
    for (at, server) in servers.iter().enumerate() {
        let mut literal = |text: &str| {
            uses_dollar |= text.contains('$');
            Value::String(text.replace('$', &format!("${{{DOLLAR}}}")))
        };
        let command = commands.get(at).unwrap_or(&server.command).to_string_lossy();
        let args: Vec<Value> = server.args.iter().map(|arg| literal(arg)).collect();
        let env: Map<String, Value> =
            server.env.iter().map(|(name, value)| (name.clone(), literal(value.expose()))).collect();
        let entry = json!({ "type": "local", "command": literal(&command), "args": args, "env": env, "tools": ["*"] });
        config.insert(server.name.clone(), entry);
    }
    let text = json!({ "mcpServers": config }).to_string();
    let secret = servers.iter().flat_map(|server| server.env.values()).any(EnvValue::is_secret);
    if secret || through_shim || text.len() > LONGEST_INLINE {
        let file = PrivateFile { purpose: "mcp-config".into(), name: "mcp.json".into(), bytes: text.into_bytes() };
        let arg = Arg::File { prefix: "--additional-mcp-config=@".into(), file: 0 };
        return Ok(Servers { arg: Some(arg), file: Some(file), uses_dollar });
    }
    let arg = Arg::Text(format!("--additional-mcp-config={text}"));
    Ok(Servers { arg: Some(arg), file: None, uses_dollar })
}
