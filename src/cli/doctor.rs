//! `doctor`: how the search for an agent went.

use std::path::PathBuf;

use agent_launcher::discover::{Search, Verdict};
use agent_launcher::{AgentId, HostEnv};
use clap::Args;

use super::HostArgs;
use super::card::card;
use super::exit::Exit;
use super::output::{Refusal, finish, pretty};
use super::style::{Ink, Style, one_line, paint};

/// Flags of `doctor`.
#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    /// The agent. Default: all, one after another.
    #[arg(value_name = "AGENT")]
    agent: Option<String>,
    /// Prints an object; without AGENT an array of them.
    #[arg(long)]
    json: bool,
    /// The agent's program, in place of the search for it.
    #[arg(long, value_name = "PATH", requires = "agent")]
    program: Option<PathBuf>,
    #[command(flatten)]
    host: HostArgs,
}

pub(super) async fn run(args: &DoctorArgs, host: &HostEnv, style: &Style) -> Exit {
    let program = match (&args.agent, &args.program) {
        (Some(agent), Some(path)) => Some((AgentId::new(agent), path.as_path())),
        _ => None,
    };
    let launcher = match args.host.launcher(host, program) {
        Ok(launcher) => launcher,
        Err(refusal) => return refusal.report(args.json, style),
    };
    let agents = match &args.agent {
        Some(agent) => vec![AgentId::new(agent)],
        None => launcher.agents().await.into_iter().map(|status| status.agent).collect(),
    };
    let mut searches = Vec::new();
    for agent in &agents {
        match launcher.search(agent).await {
            Ok(search) => searches.push(search),
            Err(error) => return Refusal::from(error).report(args.json, style),
        }
    }
    let text = match (args.json, &args.agent, searches.as_slice()) {
        (true, Some(_), [search]) => pretty(search),
        (true, ..) => pretty(&searches),
        (false, ..) => searches.iter().map(|search| report(search, style.out_color)).collect::<Vec<_>>().join("\n"),
    };
    finish(&text, style)
}

fn report(search: &Search, color: bool) -> String {
    let mut text = format!("{}\n", paint(color, Ink::Bold, search.agent.as_str()));
    match &search.chosen {
        Some(path) => {
            let version = search.binary.as_ref().map(|binary| binary.version.as_str()).unwrap_or_default();
            text += &format!("  chosen       {}  {version}\n", path.display());
        }
        None => text += "  chosen       none\n",
    }
    let shell = &search.login_shell;
    let name = shell.shell.as_ref().map_or("none".into(), |shell| shell.display().to_string());
    text += &format!("  login shell  {name}: {}, {} ms\n", word(&shell.status), shell.elapsed_ms);
    let auth = if search.auth_variables.is_empty() { "none".into() } else { search.auth_variables.join(" ") };
    text += &format!("  sign-in variables  {auth}\n");
    for child in &search.child_environments {
        let names = |names: &[String]| if names.is_empty() { "none".into() } else { one_line(&names.join(" "), 2000) };
        let mode = child.mode.as_str().replace('_', " ");
        text += &format!("  MCP servers and shells, {mode}\n    get       {}\n", names(&child.gets));
        text += &format!("    withheld  {}\n", names(&child.withheld));
    }
    text += "  looked at\n";
    for candidate in &search.candidates {
        let ink = match candidate.verdict {
            Verdict::Chosen => Ink::Green,
            Verdict::Usable | Verdict::Missing | Verdict::Deferred => Ink::Dim,
            _ => Ink::Yellow,
        };
        let verdict = paint(color, ink, &format!("{:18}", word(&candidate.verdict)));
        let path = one_line(&candidate.path.display().to_string(), 400);
        text += &format!("    {verdict} {path}  ({})", word(&candidate.via));
        if !candidate.detail.is_empty() {
            text += &format!("  {}", one_line(&candidate.detail, 200));
        }
        text.push('\n');
    }
    text += "  PATH\n";
    for folder in &search.path {
        text += &format!("    {}\n", folder.display());
    }
    if let Some(guidance) = &search.guidance {
        text += &card(guidance, color).lines().map(|line| format!("  {line}\n")).collect::<String>();
    }
    text
}

/// A word of the JSON contract as people read it: `not_executable` is "not executable".
pub(super) fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(text)) => text.replace('_', " "),
        _ => String::new(),
    }
}
