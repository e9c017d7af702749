//! Arguments with placeholders: `--model={model}`.

use std::path::Path;

use crate::plan::Arg;

/// What a placeholder stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Hole {
    /// The vault's path.
    Vault,
    /// The same as the inside of a JSON text.
    VaultJson,
    /// The prompt.
    Prompt,
    /// The model asked for.
    Model,
    /// The session's id: to continue, or for a new one.
    Session,
    /// The app's own instructions.
    SystemPrompt,
    /// The configuration of the MCP servers, or the path of the file that holds it.
    McpConfig,
    /// The name of an MCP server.
    Server,
    /// The path of a private file of the definition, by its place in the list.
    File(usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Hole(Hole),
}

/// One argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Template {
    parts: Vec<Part>,
}

/// What the holes are filled with. A hole whose value is not there is a hole that was not allowed where it stands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Values<'a> {
    pub(super) vault: &'a str,
    pub(super) prompt: &'a str,
    pub(super) model: &'a str,
    pub(super) session: &'a str,
    pub(super) system_prompt: &'a str,
    /// The configuration itself, where it travels in the argument.
    pub(super) mcp_config: &'a str,
    pub(super) server: &'a str,
    /// Which private file holds it, where one does.
    pub(super) mcp_file: Option<usize>,
}

impl Template {
    /// Reads an argument. `allowed` are the placeholders that make sense here, beside those of the vault; `files` the private
    /// files by name; `as_file` whether `{mcp_config}` is a path.
    pub(super) fn parse(text: &str, allowed: &[&str], files: &[String], as_file: bool) -> Result<Template, String> {
        let mut parts = Vec::new();
        let (mut rest, mut plain) = (text, String::new());
        while let Some(open) = rest.find('{') {
            plain.push_str(&rest[..open]);
            let Some(name) = name_of(&rest[open..]) else {
                plain.push('{');
                rest = &rest[open + 1..];
                continue;
            };
            let hole = hole(name, allowed, files)?;
            rest = &rest[open + name.len() + 2..];
            let is_path = matches!(hole, Hole::File(_)) || (hole == Hole::McpConfig && as_file);
            if is_path && !rest.is_empty() {
                return Err(format!("`{{{name}}}` is the path of a file and must be the end of its argument"));
            }
            if parts.is_empty() && said(&hole) && plain.starts_with('-') && plain.trim_matches('-').is_empty() {
                return Err(format!(
                    "`{{{name}}}` stands where the name of a flag does, and a request would choose the flag"
                ));
            }
            if !plain.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut plain)));
            }
            parts.push(Part::Hole(hole));
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            parts.push(Part::Text(plain));
        }
        Ok(Template { parts })
    }

    /// Whether it holds this placeholder.
    pub(super) fn has(&self, hole: &Hole) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Hole(found) if found == hole))
    }

    /// Whether its beginning is what the request says: then a value that begins with `-` would be read as a flag.
    fn begins_with_the_request(&self) -> bool {
        matches!(self.parts.first(), Some(Part::Hole(hole)) if said(hole))
    }

    /// Whether it is exactly this text.
    fn is(&self, text: &str) -> bool {
        matches!(self.parts.as_slice(), [Part::Text(found)] if found == text)
    }

    fn filled(&self, values: &Values<'_>) -> Arg {
        let mut text = String::new();
        for part in &self.parts {
            let hole = match part {
                Part::Text(plain) => {
                    text.push_str(plain);
                    continue;
                }
                Part::Hole(hole) => hole,
            };
            match hole {
                Hole::Vault => text.push_str(values.vault),
                Hole::VaultJson => text.push_str(&inside_json(values.vault)),
                Hole::Prompt => text.push_str(values.prompt),
                Hole::Model => text.push_str(values.model),
                Hole::Session => text.push_str(values.session),
                Hole::SystemPrompt => text.push_str(values.system_prompt),
                Hole::Server => text.push_str(values.server),
                Hole::McpConfig => match values.mcp_file {
                    Some(file) => return Arg::File { prefix: text, file },
                    None => text.push_str(values.mcp_config),
                },
                Hole::File(file) => return Arg::File { prefix: text, file: *file },
            }
        }
        Arg::Text(text)
    }
}

/// Whether a placeholder is filled with what the request says.
fn said(hole: &Hole) -> bool {
    matches!(hole, Hole::Prompt | Hole::Model | Hole::Session | Hole::SystemPrompt)
}

/// The arguments with their placeholders filled in. Refuses a value of the request that the agent would read as a flag.
pub(super) fn fill(templates: &[Template], values: &Values<'_>) -> Result<Vec<Arg>, String> {
    let mut args = Vec::new();
    for (index, template) in templates.iter().enumerate() {
        let arg = template.filled(values);
        let after_dashes = templates[..index].iter().any(|before| before.is("--"));
        let dash = matches!(&arg, Arg::Text(text) if text.starts_with('-'));
        if dash && template.begins_with_the_request() && !after_dashes {
            return Err("begins with `-`, and the agent would read it as a flag".into());
        }
        args.push(arg);
    }
    Ok(args)
}

/// The vault's placeholders filled into a text that is no argument. All else in braces stays.
pub(super) fn with_vault(text: &str, vault: &str) -> String {
    // Each part by itself: a vault may be called `{vault}`.
    let parts = text.split("{vault_json}").map(|part| part.replace("{vault}", vault));
    parts.collect::<Vec<_>>().join(&inside_json(vault))
}

/// What stands on stdin. Ends with a line end where it is more than the prompt, since it is a message then.
pub(super) fn on_stdin(text: Option<&str>, prompt: &str) -> String {
    let Some(text) = text else { return prompt.to_owned() };
    match text.split_once("{prompt_json}") {
        Some((before, after)) => format!("{before}{}{after}\n", inside_json(prompt)),
        None => text.replacen("{prompt}", prompt, 1) + "\n",
    }
}

/// A path as text. What is not UTF-8 cannot stand in a text.
pub(super) fn path_text(path: &Path) -> Option<&str> {
    path.to_str()
}

/// A text as it stands between the quotes of JSON.
fn inside_json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// The name between the braces that `text` begins with, where it is spelled like one.
fn name_of(text: &str) -> Option<&str> {
    let (name, _) = text.strip_prefix('{')?.split_once('}')?;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-' | '.');
    (name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(plain)).then_some(name)
}

fn hole(name: &str, allowed: &[&str], files: &[String]) -> Result<Hole, String> {
    if let Some(file) = name.strip_prefix("file.") {
        let found = files.iter().position(|known| known == file);
        return found.map(Hole::File).ok_or_else(|| {
            format!("`{{{name}}}` names no file; a file is described under `[files.{file}]` with `name` and `text`")
        });
    }
    let known = allowed.contains(&name) || matches!(name, "vault" | "vault_json");
    let hole = match name {
        "vault" => Hole::Vault,
        "vault_json" => Hole::VaultJson,
        "prompt" => Hole::Prompt,
        "model" => Hole::Model,
        "session" => Hole::Session,
        "system_prompt" => Hole::SystemPrompt,
        "mcp_config" => Hole::McpConfig,
        "server" => Hole::Server,
        _ => return Err(format!("`{{{name}}}` is no placeholder; known here: {}", here(allowed))),
    };
    if known { Ok(hole) } else { Err(format!("`{{{name}}}` is not known here; known: {}", here(allowed))) }
}

fn here(allowed: &[&str]) -> String {
    let names = allowed.iter().chain(&["vault", "vault_json", "file.NAME"]);
    names.map(|name| format!("`{{{name}}}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(text: &str) -> Template {
        Template::parse(text, &["prompt", "model"], &["policy".into()], false).unwrap()
    }

    fn text(arg: &str) -> Arg {
        Arg::Text(arg.into())
    }

    #[test]
    fn placeholders_are_filled_in_and_other_braces_stay() {
        let values = Values { vault: "/a \"b\"", prompt: "{model}", model: "m", ..Values::default() };
        let cases = [
            ("--dir={vault}", text("--dir=/a \"b\"")),
            (r#"{"dir":"{vault_json}"}"#, text(r#"{"dir":"/a \"b\""}"#)),
            ("{prompt}", text("{model}")),
            ("{}{ {a b}{model}{", text("{}{ {a b}m{")),
            ("--policy={file.policy}", Arg::File { prefix: "--policy=".into(), file: 0 }),
        ];
        for (written, filled) in cases {
            assert_eq!(fill(&[template(written)], &values), Ok(vec![filled]), "{written}");
        }
    }

    #[test]
    fn a_value_that_would_be_read_as_a_flag_is_refused() {
        let values = Values { prompt: "-x", model: "--yolo", ..Values::default() };
        assert!(fill(&[template("-p"), template("{prompt}")], &values).is_err());
        assert!(fill(&[template("--model"), template("{model}")], &values).is_err());
        let joined = fill(&[template("--prompt={prompt}"), template("--"), template("{prompt}")], &values);
        assert_eq!(joined, Ok(vec![text("--prompt=-x"), text("--"), text("-x")]));
    }

    #[test]
    fn what_is_no_placeholder_is_told() {
        let parse = |text: &str| Template::parse(text, &["model"], &["policy".into()], true).unwrap_err();
        assert!(parse("{modle}").contains("`{modle}` is no placeholder; known here: `{model}`, `{vault}`"));
        assert!(parse("{prompt}").contains("`{prompt}` is not known here"));
        assert!(parse("{file.none}").contains("[files.none]"));
        assert!(parse("{file.policy}x").contains("must be the end"));
        for flag in ["--{model}", "-{model}=x"] {
            assert!(parse(flag).contains("a request would choose the flag"), "{flag}");
        }
    }

    #[test]
    fn a_vault_that_is_called_like_a_placeholder_is_filled_in_once() {
        let filled = with_vault("{vault}: \"{vault_json}\"", "/a \"{vault}\"");
        assert_eq!(filled, r#"/a "{vault}": "/a \"{vault}\"""#);
    }
}
