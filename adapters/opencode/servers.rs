//! The app's MCP servers as OpenCode takes them: for one run, beside the person's own settings and never in them.

use std::path::PathBuf;

use serde_json::Value;

use super::tools;
use crate::error::Error;
use crate::plan::{Arg, PrivateFile};
use crate::request::McpServer;

/// How long a server may take to tell its tools, and a call of it without a sign of progress, in milliseconds: one number for
/// both. OpenCode waits for its servers before it asks the model anything, as long as this by itself; a call could take a minute.
const TIMEOUT: u32 = 30_000;

/// Beginnings of permissions of OpenCode that hold an underscore: `external_*` would open every folder.
const BEGINNINGS: &[&str] = &["apply", "doom", "external", "plan"];

/// Names that stand for something in each object of OpenCode's language.
const INHERITED: &[&str] = &["__proto__", "constructor", "prototype"];

/// Refuses names that OpenCode would confuse. That they are plain and differ is checked for every agent.
pub(super) fn check_names(servers: &[McpServer]) -> Result<(), Error> {
    for server in servers {
        let lower = server.name.to_ascii_lowercase();
        let problem = if BEGINNINGS.contains(&lower.as_str()) {
            "is the beginning of one of OpenCode's own permissions".to_owned()
        } else if tools::is_known(&lower) {
            "is the name of a tool of OpenCode".to_owned()
        } else if INHERITED.contains(&lower.as_str()) {
            "is what every object of JavaScript has, and could not be told from it".to_owned()
        } else if let Some(other) = servers.iter().find(|other| tools::is_of(&server.name, &other.name)) {
            format!("cannot be told from a tool of `{}`, whose tools begin with `{}_`", other.name, other.name)
        } else {
            continue;
        };
        let problem = format!("{problem}; choose another name");
        return Err(Error::InvalidServer { name: server.name.clone(), problem });
    }
    Ok(())
}

/// A text in parts, some of which are the paths of private files.
#[derive(Debug, Default)]
pub(super) struct Parts {
    parts: Vec<Arg>,
    text: String,
    files: Vec<PrivateFile>,
}

impl Parts {
    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// A text as JSON, read as it is. OpenCode puts the values of `{env:NAME}` and `{file:PATH}` in before it reads the JSON,
    /// wherever they stand (measured), and knows no escape: so the bracket is written as a number.
    pub(super) fn literal(&mut self, text: &str) {
        let json = Value::String(text.to_owned()).to_string();
        self.text.push_str(&json.replace('{', r"\u007b"));
    }

    /// A secret: in a private file of its own, named in its place. Every child of OpenCode inherits the variable that holds
    /// this text, shells included.
    fn secret(&mut self, value: &str) {
        self.text.push_str("\"{file:");
        self.parts.push(Arg::File { prefix: std::mem::take(&mut self.text), file: self.files.len() });
        self.text.push_str("}\"");
        let (purpose, name) = ("mcp-secret".into(), "value".into());
        self.files.push(PrivateFile { purpose, name, bytes: value.as_bytes().to_vec() });
    }

    /// The parts, and the files that they name.
    pub(super) fn done(mut self) -> (Vec<Arg>, Vec<PrivateFile>) {
        self.parts.push(Arg::Text(self.text));
        (self.parts, self.files)
    }

    /// An object or a list of what `each` writes.
    pub(super) fn list<T>(
        &mut self,
        ends: [&str; 2],
        items: impl IntoIterator<Item = T>,
        mut each: impl FnMut(&mut Parts, T),
    ) {
        self.push(ends[0]);
        for (at, item) in items.into_iter().enumerate() {
            self.push(if at > 0 { "," } else { "" });
            each(self, item);
        }
        self.push(ends[1]);
    }
}

/// Writes the servers of the request, and those of the person that stay off. `commands` are absolute paths, in order.
pub(super) fn write(parts: &mut Parts, servers: &[McpServer], commands: &[PathBuf], off: &[String]) {
    enum Entry<'a> {
        On(&'a McpServer, Option<&'a PathBuf>),
        Off(&'a str),
    }
    let on = servers.iter().enumerate().map(|(at, server)| Entry::On(server, commands.get(at)));
    let entries: Vec<Entry<'_>> = on.chain(off.iter().map(|name| Entry::Off(name))).collect();
    parts.list(["{", "}"], entries, |parts, entry| match entry {
        Entry::Off(name) => {
            parts.literal(name);
            parts.push(":{\"enabled\":false}");
        }
        Entry::On(server, command) => {
            parts.literal(&server.name);
            // Said in full: where the person has a server of this name, theirs is filled in with these.
            parts.push(":{\"type\":\"local\",\"enabled\":true,\"command\":");
            let command = command.unwrap_or(&server.command).to_string_lossy().into_owned();
            parts.list(["[", "]"], std::iter::once(&command).chain(&server.args), |parts, arg| parts.literal(arg));
            parts.push(",\"environment\":");
            parts.list(["{", "}"], &server.env, |parts, (name, value)| {
                parts.literal(name);
                parts.push(":");
                // A file's content is trimmed, and an empty path is none.
                let text = value.expose();
                if value.is_secret() && !text.is_empty() && text.trim() == text {
                    parts.secret(text);
                } else {
                    parts.literal(text);
                }
            });
            parts.push(&format!(",\"timeout\":{TIMEOUT}}}"));
        }
    });
}

/// The first secret that cannot travel in a file.
pub(super) fn untellable(servers: &[McpServer]) -> Option<(&McpServer, &str)> {
    let blank = |text: &str| !text.is_empty() && text.trim() != text;
    servers.iter().find_map(|server| {
        let (name, _) = server.env.iter().find(|(_, value)| value.is_secret() && blank(value.expose()))?;
        Some((server, name.as_str()))
    })
}
