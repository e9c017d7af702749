//! The same through the command: `agent-launcher ask --json` as a process of its own.

use std::process::{Output, Stdio};

use agent_launcher::{Event, Mode};
use serde_json::Value;
use tokio::process::{Child, Command};

use super::DEADLINE;
use super::machine::Machine;
use super::told::Told;

/// How the command ended.
#[derive(Debug)]
pub struct Asked {
    pub code: Option<i32>,
    pub stderr: String,
    /// Empty where nothing was started.
    pub told: Told,
    /// What it printed instead of events where nothing was started.
    pub refusal: Option<Value>,
}

/// `agent-launcher ask --agent … --vault … --json`, ready to be given more; in the tightest mode that the agent has where the
/// arguments name none.
pub fn command(machine: &Machine, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agent-launcher"));
    command.args(["ask", "--agent", machine.agent, "--json", "--vault"]).arg(machine.vault());
    if machine.mode() == Mode::PowerUser && !args.contains(&"--mode") {
        command.args(["--mode", "power-user"]);
    }
    command.args(args);
    command.env_clear().envs(&machine.vars).current_dir(machine.outside());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    command
}

/// The JSON of the app's MCP server for `--mcp`.
pub fn mcp(machine: &Machine, mode: &str) -> String {
    let program = machine.home().join("bin/fake-mcp");
    let log = machine.root().join("mcp.log");
    serde_json::json!({ "name": "tolaria", "command": program, "args": ["--fake-mcp", "--log", log, "--mode", mode],
        "env": { "VAULT_PATH": machine.vault() } })
    .to_string()
}

/// Runs it to its end.
pub async fn ask(machine: &Machine, args: &[&str]) -> Asked {
    let child = command(machine, args).spawn().expect("the command starts");
    end(child).await
}

/// Hears it to its end.
pub async fn end(child: Child) -> Asked {
    let output = tokio::time::timeout(DEADLINE, child.wait_with_output()).await.expect("the command ends in time");
    let Output { status, stdout, stderr } = output.expect("the command can be waited for");
    let stderr = String::from_utf8_lossy(&stderr).into_owned();
    let stdout = String::from_utf8(stdout).expect("the events are text");
    let mut refusal = None;
    let mut events = Vec::new();
    for line in stdout.lines() {
        match serde_json::from_str::<Event>(line) {
            Ok(event) => events.push(event),
            Err(error) => {
                let value: Option<Value> = serde_json::from_str(line).ok();
                let value = value.filter(|value| value["error"].is_string() && events.is_empty());
                refusal = Some(value.unwrap_or_else(|| panic!("{error} in {line}; stderr: {stderr}")));
            }
        }
    }
    Asked { code: status.code(), stderr, told: Told(events), refusal }
}
