//! Reads how an agent is handed MCP servers.

use super::definition::{Mcp, McpForm};
use super::forbidden::Where;
use super::read::{Result, below, plain};
use super::read_environment::may_set;
use super::read_run::templates;
use super::reader::{At, Table};
use super::shown;
use super::template::{Hole, Template};

pub(super) const KEYS: &[&str] = &[
    "form",
    "args",
    "variable",
    "path",
    "always",
    "servers",
    "command",
    "arguments",
    "command_line",
    "env",
    "server",
    "rest",
    "names",
    "each",
    "reserved",
    "expands",
    "tools",
];

pub(super) fn mcp(root: &Table<'_>, place: Where, scratch: bool) -> Result<Option<Mcp>> {
    let Some(table) = root.child("mcp", KEYS)? else { return Ok(None) };
    let Some(form) = form(&table, place, scratch)? else { return Ok(None) };
    let key = |key: &str, default: &str| Ok(table.text(key)?.map_or_else(|| default.to_owned(), |text| text.value));
    let command_line = table.flag("command_line")?;
    if command_line && table.has("arguments") {
        return Err(
            table.error(table.at(), "with `mcp.command_line` the arguments follow the command; leave `arguments` out")
        );
    }
    let tools = table.text("tools")?;
    if let Some(tools) = tools.as_ref().filter(|tools| !tools.value.contains("{server}")) {
        return Err(table.error(tools.at, "`mcp.tools` has no `{server}` in it, such as `mcp__{server}__`"));
    }
    // With nothing between, the tools of a server `b` would begin like `bash`.
    let parted = |tools: &&At<String>| tools.value.ends_with(|c: char| !c.is_alphanumeric() && c != '}');
    if let Some(tools) = tools.as_ref().filter(|tools| !parted(tools)) {
        let problem =
            "`mcp.tools` must end in the sign that parts a server's name from its tool's, such as `mcp__{server}__`";
        return Err(table.error(tools.at, problem));
    }
    let each = templates(&table, "each", &["server"], &[], place, false)?.unwrap_or_default();
    let rest = table.json("rest")?;
    let servers = steps(&table, "servers")?.unwrap_or_else(|| vec!["mcpServers".to_owned()]);
    let names = steps(&table, "names")?.unwrap_or_default();
    if names == servers {
        return Err(table.error(table.at(), "`mcp.names` and `mcp.servers` are one place; give each its own"));
    }
    Ok(Some(Mcp {
        form,
        always: table.flag("always")?,
        servers,
        command: key("command", "command")?,
        args: if command_line { None } else { Some(key("arguments", "args")?) },
        env: key("env", "env")?,
        server: table.json("server")?,
        rest,
        names,
        each,
        reserved: plain(table.texts("reserved", 256)?),
        expands: plain(table.texts("expands", 8)?),
        tools: tools.map(|tools| tools.value),
    }))
}

fn form(table: &Table<'_>, place: Where, scratch: bool) -> Result<Option<McpForm>> {
    let form = table.need("form", "form = \"file\"")?;
    let used = match form.value.as_str() {
        "argument" | "file" => "args",
        "scratch-file" => "path",
        "variable" => "variable",
        "none" => "",
        _ => {
            let problem = "is no form; one is `argument`, `file`, `scratch-file`, `variable` or `none`";
            return Err(table.error(form.at, format!("`{}` {problem}", shown(&form.value))));
        }
    };
    if let Some(other) = ["args", "path", "variable"].iter().find(|key| **key != used && table.has(key)) {
        return Err(table.error(form.at, format!("the form `{}` has no `{other}`", form.value)));
    }
    Ok(Some(match form.value.as_str() {
        "argument" => McpForm::Argument(config_args(table, place, false)?),
        "file" => McpForm::File(config_args(table, place, true)?),
        "scratch-file" => {
            let path = table.need("path", "path = \".my-agent/settings.json\"")?;
            below(table, &path, "a file below the private folder, such as `.my-agent/settings.json`")?;
            if !scratch {
                let problem =
                    "a scratch file lies in the private folder that the agent works from: set `run.cwd = \"scratch\"`";
                return Err(table.error(path.at, problem));
            }
            McpForm::ScratchFile(path.value)
        }
        "variable" => {
            let variable: At<String> = table.need("variable", "variable = \"MY_AGENT_CONFIG\"")?;
            may_set(table, &variable, "", place)?;
            McpForm::Variable(variable.value)
        }
        _ => return Ok(None),
    }))
}

fn config_args(table: &Table<'_>, place: Where, as_file: bool) -> Result<Vec<Template>> {
    let args = templates(table, "args", &["mcp_config"], &[], place, as_file)?.unwrap_or_default();
    if args.iter().filter(|arg| arg.has(&Hole::McpConfig)).count() != 1 {
        return Err(table.missing("args", "args = [\"--mcp-config={mcp_config}\"]"));
    }
    Ok(args)
}

/// Keys with dots between.
fn steps(table: &Table<'_>, key: &str) -> Result<Option<Vec<String>>> {
    let Some(text) = table.text(key)? else { return Ok(None) };
    let steps: Vec<String> = text.value.split('.').map(str::to_owned).collect();
    if steps.iter().any(String::is_empty) || steps.len() > 8 {
        return Err(table.error(text.at, format!("`{}` is no path of keys, such as `mcp.servers`", shown(&text.value))));
    }
    Ok(Some(steps))
}
