//! The scripted agent behind `--agent demo`: the whole way of a run on a machine with no agent.
//!
//! Starts nothing and writes nothing: it lists the vault's files, answers word by word, and plays a refused shell call.
//! Its output is what the library's demo adapter decodes: one event kind a line, and a last line `{"finish":…}`.

use std::io::{self, Write};
use std::thread::sleep;
use std::time::Duration;

use agent_launcher::{EventKind, NoticeLevel};
use clap::Args;

use super::exit::Exit;

/// How many file names the answer gives.
const NAMES: usize = 8;

/// What the demo adapter passes.
#[derive(Debug, Args)]
pub(super) struct DemoArgs {
    /// Prints the version, as every agent does when asked.
    #[arg(long)]
    version: bool,
    /// `safe` or `power_user`.
    #[arg(long, default_value = "safe")]
    mode: String,
    /// The id of the session.
    #[arg(long, default_value = "demo")]
    session: String,
    /// Milliseconds between two words.
    #[arg(long, default_value_t = 30)]
    pace: u64,
    /// The prompt.
    #[arg(long, default_value = "", allow_hyphen_values = true)]
    prompt: String,
}

pub(super) fn run(args: &DemoArgs) -> Exit {
    let played = if args.version { version() } else { play(args) };
    match played {
        Ok(()) => Exit::Completed,
        Err(_) => Exit::Failed,
    }
}

fn version() -> io::Result<()> {
    writeln!(io::stdout().lock(), "agent-launcher demo {}", env!("CARGO_PKG_VERSION"))
}

fn play(args: &DemoArgs) -> io::Result<()> {
    let mut out = Out { pace: Duration::from_millis(args.pace) };
    out.event(&EventKind::Notice {
        level: NoticeLevel::Info,
        message: "this is a demo: a script answers, no model is asked and nothing is written".into(),
    })?;
    let mut words = 0;
    words += out.say("This is the demo agent of agent-launcher: a script, not a model. ")?;
    words += out.say(&format!("You asked: \u{201c}{}\u{201d}\n\n", args.prompt.trim()))?;

    out.event(&tool("list", "demo-1", r#"{"path":"."}"#))?;
    out.work();
    let listed = files();
    let output = match &listed {
        Ok(names) => names.join("\n"),
        Err(error) => error.to_string(),
    };
    out.event(&EventKind::ToolDone {
        tool_id: "demo-1".into(),
        ok: listed.is_ok(),
        output: Some(output),
        denied: false,
    })?;
    words += match &listed {
        Ok(names) if names.is_empty() => out.say("Your vault is empty. ")?,
        Ok(names) => {
            let shown = names.iter().take(NAMES).cloned().collect::<Vec<_>>().join(", ");
            let more = names.len().saturating_sub(NAMES);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            out.say(&format!("Your vault holds {shown}{more}. "))?
        }
        Err(_) => out.say("Your vault could not be listed. ")?,
    };

    out.event(&tool("shell", "demo-2", r#"{"command":"date"}"#))?;
    out.work();
    let safe = args.mode == "safe";
    let reason = if safe { "Safe mode has no shell" } else { "allowed, but the demo agent runs nothing" };
    out.event(&EventKind::ToolDone { tool_id: "demo-2".into(), ok: !safe, output: Some(reason.into()), denied: safe })?;
    words += out.say(if safe {
        "I tried a shell command and was refused, as Safe mode promises. "
    } else {
        "In Power User mode a real agent could now run a shell command. "
    })?;
    words += out.say("Nothing was changed.\n")?;
    out.line(&serde_json::json!({ "finish": { "exit_code": 0, "session_id": args.session, "output_tokens": words } }))
}

fn tool(name: &str, id: &str, input: &str) -> EventKind {
    EventKind::ToolStart { tool_name: name.into(), tool_id: id.into(), input: Some(input.into()) }
}

/// The names in the working directory, which is the vault, in order.
fn files() -> io::Result<Vec<String>> {
    let entries = std::fs::read_dir(".")?;
    let mut names: Vec<String> =
        entries.filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned())).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    Ok(names)
}

struct Out {
    pace: Duration,
}

impl Out {
    /// Takes as long as a real tool might.
    fn work(&self) {
        sleep(self.pace * 20);
    }

    /// Says `text` word by word. Returns how many words.
    fn say(&mut self, text: &str) -> io::Result<u64> {
        let mut words = 0;
        for word in text.split_inclusive(' ') {
            self.event(&EventKind::TextDelta { text: word.into() })?;
            words += 1;
            sleep(self.pace);
        }
        Ok(words)
    }

    fn event(&mut self, event: &EventKind) -> io::Result<()> {
        self.line(event)
    }

    fn line(&mut self, value: &impl serde::Serialize) -> io::Result<()> {
        let mut line = serde_json::to_string(value)?;
        line.push('\n');
        let mut out = io::stdout().lock();
        out.write_all(line.as_bytes())?;
        out.flush()
    }
}
