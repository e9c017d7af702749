//! The app's MCP servers, in the form that the definition says.

use serde_json::{Map, Value};

use super::definition::{Definition, Mcp, McpForm};
use super::template::{self, Template, Values};
use crate::adapters::Context;
use crate::plan::{Arg, PrivateFile};
use crate::request::{EnvValue, McpServer, Request};

/// The longest configuration in a variable or an argument, in bytes: Linux takes 131,071 in one string.
const LONGEST: usize = 96 * 1024;

/// Names that stand for something in each object of JavaScript, in which many agents are written: a server under such a name
/// may be nowhere.
const INHERITED: &[&str] = &["__proto__", "constructor", "prototype"];

/// Words that agents use for tools and for kinds of permissions. Where a server's name stands in the arguments of its own,
/// one of these might give a tool that the mode does not.
const TOOLS: &[&str] = &[
    "agent",
    "all",
    "any",
    "apply_patch",
    "bash",
    "browser",
    "cmd",
    "command",
    "computer",
    "create",
    "custom-tool",
    "default",
    "edit",
    "exec",
    "execute",
    "fetch",
    "hook",
    "mcp",
    "memory",
    "none",
    "patch",
    "powershell",
    "process",
    "python",
    "read",
    "run",
    "run_shell_command",
    "sh",
    "shell",
    "sql",
    "sub-agent",
    "task",
    "terminal",
    "tool",
    "tools",
    "url",
    "view",
    "web",
    "web_fetch",
    "web_search",
    "write",
];

/// How the servers are handed over.
#[derive(Debug, Default)]
pub(super) struct Servers {
    /// The configuration.
    pub(super) text: String,
    pub(super) args: Vec<Template>,
    /// What each server has in the arguments beside.
    pub(super) each: Vec<Arg>,
    pub(super) file: Option<PrivateFile>,
    pub(super) variable: Option<String>,
    /// Whether the configuration holds a secret.
    pub(super) secret: bool,
}

/// Why they cannot be handed over.
#[derive(Debug)]
pub(super) enum Problem {
    Unsupported(String),
    /// A server's name, and what is wrong with it.
    Server(String, String),
}

/// `files` are the files of the plan so far.
pub(super) fn servers(
    definition: &Definition,
    request: &Request,
    context: &Context<'_>,
    files: usize,
) -> Result<Servers, Problem> {
    let unsupported = |what: &str| Err(Problem::Unsupported(what.into()));
    let Some(mcp) = &definition.mcp else {
        return match request.mcp_servers.as_slice() {
            [] => Ok(Servers::default()),
            _ => unsupported("use MCP servers: its definition has no `[mcp]`, or the form `none`"),
        };
    };
    if request.mcp_servers.is_empty() && !mcp.always {
        return Ok(Servers::default());
    }
    let text = config(mcp, request, context)?;
    let secret = request.mcp_servers.iter().flat_map(|server| server.env.values()).any(EnvValue::is_secret);
    let bounded = |text: &str| {
        if text.len() <= LONGEST {
            return Ok(());
        }
        let what = format!("take {} bytes of MCP servers in one text; at most {LONGEST}", text.len());
        Err(Problem::Unsupported(what))
    };
    let file = |name: &str, text: String| PrivateFile {
        purpose: "mcp-config".into(),
        name: name.to_owned(),
        bytes: text.into_bytes(),
    };
    debug_assert_eq!(files, definition.files.len(), "the configuration comes behind the definition's own files");
    let mut each = Vec::new();
    for server in &request.mcp_servers {
        reserved(definition, mcp, server)?;
        let values = Values {
            vault: template::path_text(&request.vault).unwrap_or_default(),
            server: &server.name,
            ..Values::default()
        };
        // A server's name begins with no dash: that is checked of every request.
        each.extend(
            template::fill(&mcp.each, &values).map_err(|problem| Problem::Server(server.name.clone(), problem))?,
        );
    }
    let handed = match &mcp.form {
        McpForm::Argument(_) if secret => {
            return unsupported(
                "keep a secret of an MCP server: its definition passes servers as an argument, which others can read; use the \
                 form `file`, or `env` where the value is no secret",
            );
        }
        McpForm::Argument(args) => {
            bounded(&text)?;
            Servers { text, args: args.clone(), ..Servers::default() }
        }
        McpForm::File(args) => {
            Servers { args: args.clone(), file: Some(file("mcp.json", text)), secret, ..Servers::default() }
        }
        McpForm::ScratchFile(path) => Servers { file: Some(file(path, text)), secret, ..Servers::default() },
        McpForm::Variable(name) => {
            bounded(&text)?;
            Servers { text, variable: Some(name.clone()), secret, ..Servers::default() }
        }
    };
    Ok(Servers { each, ..handed })
}

/// The JSON for the agent.
fn config(mcp: &Mcp, request: &Request, context: &Context<'_>) -> Result<String, Problem> {
    let mut all = Map::new();
    for (at, server) in request.mcp_servers.iter().enumerate() {
        if INHERITED.contains(&server.name.to_ascii_lowercase().as_str()) {
            let problem = "is what every object of JavaScript has, and could not be told from it; choose another name";
            return Err(Problem::Server(server.name.clone(), problem.into()));
        }
        let command = context.mcp_commands.get(at).unwrap_or(&server.command);
        let Some(command) = command.to_str() else {
            return Err(Problem::Server(server.name.clone(), "its command is not UTF-8".into()));
        };
        unchanged(mcp, server, command)?;
        let args = server.args.iter().map(|arg| Value::from(arg.as_str()));
        let mut entry = mcp.server.clone();
        match &mcp.args {
            Some(key) => {
                entry.insert(mcp.command.clone(), command.into());
                entry.insert(key.clone(), args.collect());
            }
            None => {
                drop(entry.insert(mcp.command.clone(), std::iter::once(Value::from(command)).chain(args).collect()))
            }
        }
        let env = server.env.iter().map(|(name, value)| (name.clone(), Value::from(value.expose())));
        entry.insert(mcp.env.clone(), Value::Object(env.collect()));
        all.insert(server.name.clone(), entry.into());
    }
    let names: Value = request.mcp_servers.iter().map(|server| server.name.as_str()).collect();
    let mut config = Value::Object(mcp.rest.clone());
    put(&mut config, &mcp.servers, all.into());
    if !mcp.names.is_empty() {
        put(&mut config, &mcp.names, names);
    }
    Ok(config.to_string())
}

/// Refuses a name that the agent could take for something else.
fn reserved(definition: &Definition, mcp: &Mcp, server: &McpServer) -> Result<(), Problem> {
    let same = |name: &str| name.eq_ignore_ascii_case(&server.name);
    let tools = definition.safe.iter().filter_map(|safe| safe.tools.as_ref()).flatten();
    let of_definition = mcp.reserved.iter().chain(tools).any(|name| same(name));
    let in_arguments = !mcp.each.is_empty() && TOOLS.iter().any(|name| same(name));
    // Its tools would pass for the server's, and be watched by nobody.
    let begins = mcp.tools.as_ref().map(|tools| tools.replace("{server}", &server.name).to_ascii_lowercase());
    let tools = definition.safe.iter().filter_map(|safe| safe.tools.as_ref()).flatten().map(String::as_str);
    let mut known = TOOLS.iter().copied().chain(mcp.reserved.iter().map(String::as_str)).chain(tools);
    let in_front = begins.is_some_and(|begins| known.any(|name| name.to_ascii_lowercase().starts_with(&begins)));
    if of_definition || in_arguments || in_front {
        let problem = "is what the agent calls a tool or a permission; choose another name";
        return Err(Problem::Server(server.name.clone(), problem.into()));
    }
    Ok(())
}

/// Refuses a server that the agent would get with other words.
fn unchanged(mcp: &Mcp, server: &McpServer, command: &str) -> Result<(), Problem> {
    let values = server.env.values().map(EnvValue::expose);
    let mut texts = std::iter::once(command).chain(server.args.iter().map(String::as_str)).chain(values);
    let sign = texts.find_map(|text| mcp.expands.iter().find(|sign| text.contains(sign.as_str())));
    match sign {
        None => Ok(()),
        Some(sign) => {
            let problem = format!("holds `{sign}`, which the agent replaces by something else; leave it out");
            Err(Problem::Server(server.name.clone(), problem))
        }
    }
}

/// Sets a value at the end of keys, making what is missing on the way.
fn put(root: &mut Value, keys: &[String], value: Value) {
    let mut at = root;
    for key in keys {
        if !at.is_object() {
            *at = Value::Object(Map::new());
        }
        let Value::Object(fields) = at else { return };
        at = fields.entry(key.clone()).or_insert(Value::Null);
    }
    *at = value;
}
