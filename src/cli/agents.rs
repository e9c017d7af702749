//! `agents`: every agent, in one table.

use agent_launcher::discover::{AgentStatus, Readiness};
use agent_launcher::{HostEnv, Step};
use clap::Args;

use super::HostArgs;
use super::card::step_text;
use super::exit::Exit;
use super::output::{finish, pretty};
use super::style::{Ink, Style, one_line, paint};

/// Flags of `agents`.
#[derive(Debug, Args)]
pub(super) struct AgentsArgs {
    /// Prints an array of objects.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    host: HostArgs,
}

pub(super) async fn run(args: &AgentsArgs, host: &HostEnv, style: &Style) -> Exit {
    let agents = match args.host.launcher(host, None) {
        Ok(launcher) => launcher.agents().await,
        Err(refusal) => return refusal.report(args.json, style),
    };
    let text = if args.json { pretty(&agents) } else { table(&agents, style.out_color) };
    finish(&text, style)
}

fn table(agents: &[AgentStatus], color: bool) -> String {
    let width = agents.iter().map(|status| status.agent.as_str().len()).max().unwrap_or(0);
    let mut text = String::new();
    for status in agents {
        let (word, ink) = match status.status {
            Readiness::Checking => ("checking     ", Ink::Dim),
            Readiness::Ready => ("ready        ", Ink::Green),
            Readiness::NotInstalled => ("not installed", Ink::Dim),
            Readiness::Broken => ("broken       ", Ink::Red),
            _ => ("?            ", Ink::Dim),
        };
        let mut rest = vec![status.name.clone()];
        rest.extend(status.version.clone());
        rest.extend(status.path.as_ref().map(|path| path.display().to_string()));
        rest.extend(status.via.map(|via| format!("({})", super::doctor::word(&via))));
        let agent = status.agent.as_str();
        text += &format!("{agent:width$}  {}  {}\n", paint(color, ink, word), one_line(&rest.join(" "), 400));
        if let Some(guidance) = &status.guidance {
            if status.status == Readiness::Broken {
                text += &format!("{:width$}  {}\n", "", one_line(&guidance.message, 400));
            }
            // One line a row: the command, where there is one, says the most.
            let command = guidance.steps.iter().find(|step| matches!(step, Step::Run { .. }));
            if let Some(step) = command.or(guidance.steps.first()) {
                text += &format!("{:width$}  {}\n", "", step_text(step, color));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_agent_is_a_row_with_what_to_do() {
        let guidance = serde_json::json!({
            "code": "not_installed", "title": "t", "message": "m", "evidence": [], "key": "k", "params": {},
            "steps": [
                {"kind": "choose", "text": "Open a terminal."},
                {"kind": "run", "command": "npm install -g @openai/codex"},
            ],
        });
        let agents: Vec<AgentStatus> = serde_json::from_value(serde_json::json!([
            {"agent": "copilot", "name": "GitHub Copilot CLI", "status": "ready", "path": "/usr/bin/copilot",
             "version": "1.0.102", "via": "login_shell"},
            {"agent": "codex", "name": "Codex", "status": "not_installed", "guidance": guidance},
            {"agent": "pi", "name": "Pi", "status": "broken", "path": "/bin/pi", "guidance": guidance},
        ]))
        .unwrap();
        insta::assert_snapshot!(table(&agents, false), @r"
        copilot  ready          GitHub Copilot CLI 1.0.102 /usr/bin/copilot (login shell)
        codex    not installed  Codex
                 In a terminal, run: npm install -g @openai/codex
        pi       broken         Pi /bin/pi
                 m
                 In a terminal, run: npm install -g @openai/codex
        ");
    }
}
