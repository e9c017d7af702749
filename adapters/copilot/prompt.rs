//! The prompt: its text, and the way it takes to Copilot.

use crate::plan::{Arg, Stdin};
use crate::request::Request;

/// A longer prompt goes through stdin, in bytes. Linux takes 131,071 bytes in one argument, Windows 32,767 UTF-16 units
/// in a whole command line: far above this, which keeps process lists readable and leaves room for the other arguments.
const LONGEST_ARGUMENT: usize = 8 * 1024;

/// Stands before a prompt that begins with a slash, as it stands after system instructions.
const HEADING: &str = "User request:";

/// The prompt as it is handed over.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Prompt {
    /// First argument, where the prompt travels in the arguments.
    pub(super) args: Vec<Arg>,
    pub(super) stdin: Stdin,
    pub(super) notice: Option<String>,
}

/// `away` says that the run works from elsewhere and reaches the vault by its full path.
pub(super) fn prompt(request: &Request, away: bool, through_shim: bool) -> Prompt {
    let (text, notice) = text(request, away);
    // Without `-p`, Copilot reads stdin to its end (measured on 1.0.20 to 1.0.102). What a `.cmd` shim makes of quotes,
    // percent signs and line ends cannot be foreseen, so nothing that a person wrote goes through one.
    let private = request.private_prompt || through_shim || text.len() > LONGEST_ARGUMENT;
    if private {
        return Prompt { args: Vec::new(), stdin: Stdin::Bytes(text.into_bytes()), notice };
    }
    // `-p -x` is refused by Copilot, `--prompt=-x` is not (measured on 1.0.20 to 1.0.102).
    let args = if text.starts_with('-') {
        vec![Arg::Text(format!("--prompt={text}"))]
    } else {
        vec![Arg::Text("-p".into()), Arg::Text(text)]
    };
    Prompt { args, stdin: Stdin::Null, notice }
}

/// The text for the model. `/autopilot x` loops without end in `-p` mode and `/compact` fails (measured on 1.0.69 and
/// 1.0.102, whatever blank stands before them); a line of text before them makes them text. Every slash is treated
/// alike: a later version may know more commands, `/allow-all` among them.
fn text(request: &Request, away: bool) -> (String, Option<String>) {
    let asked = request.system_prompt.as_deref().filter(|text| !text.trim().is_empty());
    let place = away.then(|| {
        format!(
            "The folder to work in is `{0}`; the current directory is empty and stays so. Give every path in full, beginning \
             with that folder. Where it holds instructions for agents (`{0}/AGENTS.md`, \
             `{0}/.github/copilot-instructions.md`), read them first.",
            request.vault.display()
        )
    });
    if asked.is_some() || place.is_some() {
        let instructions: Vec<&str> = place.as_deref().into_iter().chain(asked).collect();
        let instructions = instructions.join("\n\n");
        return (format!("System instructions:\n{instructions}\n\n{HEADING}\n{}", request.prompt), None);
    }
    let blank = |c: char| c.is_whitespace() || c.is_control() || c == '\u{feff}';
    if !request.prompt.trim_start_matches(blank).starts_with('/') {
        return (request.prompt.clone(), None);
    }
    let notice = format!(
        "The prompt begins with `/`, which Copilot could take for a command of its own; it is sent as text below the line \
         `{HEADING}`."
    );
    (format!("{HEADING}\n{}", request.prompt), Some(notice))
}
