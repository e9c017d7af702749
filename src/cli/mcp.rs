//! `--mcp`: an MCP server as JSON, inline or in a file.
//!
//! The JSON is parsed by hand over `serde_json::Value`'s own errors so that a message names the field that is wrong and
//! never repeats a value: the variables of a server are often tokens.

use agent_launcher::McpServer;
use serde_json::{Map, Value};

use super::output::Refusal;

/// The form, as help and hints show it.
const FORM: &str = r#"{"name":"tolaria","command":"node","args":["server.js"],"env":{"NAME":"value"}}"#;

/// All servers of the command line. Values of `env` are taken as secrets: they are never printed. What a name may be, and
/// that no two are alike, is the library's to check.
pub(super) fn servers(values: &[String]) -> Result<Vec<McpServer>, Refusal> {
    let mut servers = Vec::new();
    for value in values {
        let (source, text) = match value.strip_prefix('@') {
            Some(path) => {
                let text = std::fs::read_to_string(path)
                    .map_err(|error| Refusal::usage(format!("--mcp: `{path}` cannot be read: {error}")))?;
                (format!("--mcp `@{path}`"), text)
            }
            None => ("--mcp".to_owned(), value.clone()),
        };
        let server = server(&text)
            .map_err(|problem| Refusal::usage(format!("{source}: {problem}")).hint(format!("the form is {FORM}")))?;
        servers.push(server);
    }
    Ok(servers)
}

fn server(text: &str) -> Result<McpServer, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
    let Value::Object(mut object) = value else {
        return Err(format!("expected an object, found {}", kind(&value)));
    };
    let name = string(&mut object, "name")?.ok_or("the field `name` is missing")?;
    let command = string(&mut object, "command")?.ok_or("the field `command` is missing")?;
    if command.is_empty() {
        return Err("the field `command` is empty".into());
    }
    let mut server = McpServer::stdio(name, command);
    match object.remove("args") {
        None => {}
        Some(Value::Array(args)) => {
            for (at, arg) in args.into_iter().enumerate() {
                let Value::String(arg) = arg else {
                    return Err(format!("`args[{at}]` must be a string, found {}", kind(&arg)));
                };
                server = server.arg(arg);
            }
        }
        Some(other) => return Err(format!("`args` must be an array of strings, found {}", kind(&other))),
    }
    match object.remove("env") {
        None => {}
        Some(Value::Object(env)) => {
            for (name, value) in env {
                let Value::String(value) = value else {
                    return Err(format!("`env.{name}` must be a string, found {}", kind(&value)));
                };
                server = server.secret_env(name, value);
            }
        }
        Some(other) => return Err(format!("`env` must be an object of strings, found {}", kind(&other))),
    }
    match object.keys().next() {
        Some(unknown) => Err(format!("unknown field `{unknown}`, expected `name`, `command`, `args` or `env`")),
        None => Ok(server),
    }
}

fn string(object: &mut Map<String, Value>, field: &str) -> Result<Option<String>, String> {
    match object.remove(field) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(format!("`{field}` must be a string, found {}", kind(&other))),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_server_is_read_and_its_variables_are_secret() {
        let text = r#"{"name":"tolaria","command":"node","args":["a b","-x"],"env":{"TOKEN":"hunter2","V":"/v"}}"#;
        let expected = McpServer::stdio("tolaria", "node")
            .arg("a b")
            .arg("-x")
            .secret_env("TOKEN", "hunter2")
            .secret_env("V", "/v");
        assert_eq!(server(text).unwrap(), expected);
    }

    #[test]
    fn what_is_wrong_is_named_and_no_value_is_repeated() {
        let cases = [
            ("", "not JSON: EOF while parsing a value at line 1 column 0"),
            (r#"{"name":"a",}"#, "not JSON: trailing comma at line 1 column 13"),
            ("[1]", "expected an object, found an array"),
            (r#"{"command":"x"}"#, "the field `name` is missing"),
            (r#"{"name":"a"}"#, "the field `command` is missing"),
            (r#"{"name":"a","command":""}"#, "the field `command` is empty"),
            (r#"{"name":7,"command":"x"}"#, "`name` must be a string, found a number"),
            (r#"{"name":"a","command":"x","args":"y"}"#, "`args` must be an array of strings, found a string"),
            (r#"{"name":"a","command":"x","args":["y",null]}"#, "`args[1]` must be a string, found null"),
            (r#"{"name":"a","command":"x","env":["T=1"]}"#, "`env` must be an object of strings, found an array"),
            (r#"{"name":"a","command":"x","env":{"T":12345}}"#, "`env.T` must be a string, found a number"),
            (
                r#"{"name":"a","command":"x","url":"u"}"#,
                "unknown field `url`, expected `name`, `command`, `args` or `env`",
            ),
        ];
        for (text, problem) in cases {
            assert_eq!(server(text).unwrap_err(), problem, "{text}");
        }
    }
}
