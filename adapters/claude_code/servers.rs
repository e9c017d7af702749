//! The app's MCP servers as Claude Code takes them: for one run, in place of all that the person or the vault set up.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use crate::error::Error;
use crate::request::{EnvValue, McpServer};

/// What stands for a dollar sign that would begin a `${NAME}`. Claude Code replaces those in commands, arguments and
/// variables and knows no escape; what it has put in it does not read again. `$NAME` it leaves alone (measured).
const DOLLAR: &str = "${AGENT_LAUNCHER_DOLLAR:-$}";

/// Names of servers that are, or were, Claude Code's own (by strings of 2.1.332).
const RESERVED: &[&str] = &["claude-in-chrome", "claude-preview", "claude-vscode", "computer-use", "ide", "workspace"];

/// Names that stand for something in each object of Claude Code's language: set under such a name, a server may be nowhere.
const INHERITED: &[&str] = &["constructor", "prototype", "toString", "valueOf"];

/// Refuses names that Claude Code would confuse. That they are plain and differ is checked for every agent.
pub(super) fn check_names(servers: &[McpServer]) -> Result<(), Error> {
    for server in servers {
        let problem = if server.name.contains("__") || server.name.ends_with('_') {
            "holds `__` or ends with `_`, so that its tools (`mcp__name__tool`) could be those of another server"
        } else if RESERVED.contains(&server.name.to_ascii_lowercase().as_str()) {
            "is the name of a server of Claude Code's own"
        } else if INHERITED.iter().any(|name| name.eq_ignore_ascii_case(&server.name)) {
            "is what every object of JavaScript has, and could not be told from it"
        } else {
            continue;
        };
        let problem = format!("{problem}; choose another name");
        return Err(Error::InvalidServer { name: server.name.clone(), problem });
    }
    Ok(())
}

/// The configuration, and whether it holds a secret. `commands` are the servers' programs as absolute paths, in order;
/// `withheld` are variables of the agent that the servers get with nothing in them.
pub(super) fn config(servers: &[McpServer], commands: &[PathBuf], withheld: &[String]) -> Option<(String, bool)> {
    if servers.is_empty() {
        return None;
    }
    let mut config = Map::new();
    for (at, server) in servers.iter().enumerate() {
        let command = commands.get(at).unwrap_or(&server.command).to_string_lossy();
        let args: Vec<Value> = server.args.iter().map(|arg| literal(arg)).collect();
        let mut env: Map<String, Value> = withheld.iter().map(|name| (name.clone(), "".into())).collect();
        env.extend(server.env.iter().map(|(name, value)| (name.clone(), literal(value.expose()))));
        let entry = json!({ "type": "stdio", "command": literal(&command), "args": args, "env": env });
        config.insert(server.name.clone(), entry);
    }
    let secret = servers.iter().flat_map(|server| server.env.values()).any(EnvValue::is_secret);
    Some((json!({ "mcpServers": config }).to_string(), secret))
}

fn literal(text: &str) -> Value {
    Value::String(text.replace("${", &format!("{DOLLAR}{{")))
}
