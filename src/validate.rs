//! What is wrong with a request whatever the agent, told before anything is looked up. Pure: the vault's state on disk
//! is the launcher's to look at, and what one agent cannot take is its adapter's to refuse.

use std::path::Path;

use crate::error::Error;
use crate::request::{McpServer, Request};

/// The longest name of an MCP server: tool names of models end at 64 characters, and the server's is their beginning.
const SERVER_NAME: usize = 32;

/// The longest stream id, in bytes. It stands in every event, and in a variable of the agent by which its tree is found.
const STREAM_ID: usize = 1024;

/// Refuses what no agent can be given.
///
/// # Errors
///
/// [`Error::VaultRelative`], [`Error::InvalidField`] or [`Error::InvalidServer`], for the first fault found.
pub(crate) fn request(request: &Request, windows: bool) -> Result<(), Error> {
    if !is_absolute(&request.vault, windows) {
        return Err(Error::VaultRelative { path: request.vault.clone() });
    }
    no_nul("vault", &request.vault.to_string_lossy())?;
    filled("prompt", &request.prompt)?;
    filled("stream id", &request.stream_id)?;
    if request.stream_id.len() > STREAM_ID {
        return Err(Error::InvalidField { field: "stream id", problem: format!("is longer than {STREAM_ID} bytes") });
    }
    for (field, value) in [("model", &request.model), ("session id to resume", &request.resume)] {
        value.as_deref().map_or(Ok(()), |value| filled(field, value))?;
    }
    request.system_prompt.as_deref().map_or(Ok(()), |text| no_nul("system prompt", text))?;
    // None would be over before the agent could begin.
    for (field, limit) in [("time limit", request.timeout), ("idle time limit", request.idle_timeout)] {
        if limit.is_some_and(|limit| limit.is_zero()) {
            return Err(Error::InvalidField { field, problem: "is 0; leave it out for no limit".into() });
        }
    }
    for (name, value) in &request.env {
        variable("environment variable", name)?;
        no_nul("environment variable", value.expose())?;
    }
    request.env_remove.iter().try_for_each(|name| variable("environment variable", name))?;
    request.extra_args.iter().try_for_each(|arg| no_nul("extra argument", arg))?;
    servers(&request.mcp_servers)
}

fn servers(servers: &[McpServer]) -> Result<(), Error> {
    for (at, server) in servers.iter().enumerate() {
        let refuse = |problem: String| Err(Error::InvalidServer { name: server.name.clone(), problem });
        if let Some(twin) = servers[..at].iter().find(|twin| twin.name.eq_ignore_ascii_case(&server.name)) {
            return refuse(if twin.name == server.name {
                "another server of the request has this name; give each its own".into()
            } else {
                format!("differs from `{}` only by case, which agents ignore; give each its own name", twin.name)
            });
        }
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if server.name.is_empty() || !server.name.bytes().all(plain) || server.name.starts_with('-') {
            return refuse("a name is letters, digits, `_` and `-`, and begins with none of `-`".into());
        }
        if server.name.len() > SERVER_NAME {
            return refuse(format!("a name has at most {SERVER_NAME} characters"));
        }
        let texts = server.args.iter().chain(server.env.keys()).map(String::as_str);
        let values = server.env.values().map(|value| value.expose());
        let command = server.command.to_string_lossy();
        if command.trim().is_empty() {
            return refuse("the command is empty".into());
        }
        if texts.chain(values).chain([&*command]).any(|text| text.contains('\0')) {
            return refuse("holds a NUL, which no process can be given".into());
        }
        if server.env.keys().any(|name| name.is_empty() || name.contains('=')) {
            return refuse("a variable's name is empty or holds `=`".into());
        }
    }
    Ok(())
}

/// Whether `path` is absolute where the agent runs; a plan for another system than this one is only printed.
pub(crate) fn is_absolute(path: &Path, windows: bool) -> bool {
    let text = path.to_string_lossy();
    let drive = text.as_bytes().get(1) == Some(&b':') && matches!(text.as_bytes().get(2), Some(b'\\' | b'/'));
    path.is_absolute() || (windows && (drive || text.starts_with(r"\\")))
}

fn filled(field: &'static str, value: &str) -> Result<(), Error> {
    // JavaScript programs trim the byte order mark, too.
    if value.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}').is_empty() {
        return Err(Error::InvalidField { field, problem: "is empty".into() });
    }
    no_nul(field, value)
}

fn no_nul(field: &'static str, value: &str) -> Result<(), Error> {
    if value.contains('\0') {
        return Err(Error::InvalidField { field, problem: "holds a NUL, which no process can be given".into() });
    }
    Ok(())
}

fn variable(field: &'static str, name: &str) -> Result<(), Error> {
    if name.is_empty() || name.contains('=') {
        return Err(Error::InvalidField {
            field,
            problem: format!("`{name}` is not a name: it is empty or holds `=`"),
        });
    }
    no_nul(field, name)
}
