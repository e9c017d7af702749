//! Where things are printed: data on stdout, the rest on stderr; and how a refusal is told.

use std::io::{self, Write};

use agent_launcher::{Error, Guidance, Launcher};

use super::card::card;
use super::exit::Exit;
use super::style::{Ink, Style, harmless, paint};

/// Why nothing was started.
#[derive(Debug)]
pub(super) struct Refusal {
    exit: Exit,
    message: String,
    hint: Option<String>,
    guidance: Option<Box<Guidance>>,
    /// Whether people get the guidance as a card; a slip on the command line is told in one line instead.
    card: bool,
}

impl Refusal {
    /// A refusal of the command itself.
    pub(super) fn new(exit: Exit, message: impl Into<String>) -> Refusal {
        Refusal { exit, message: message.into(), hint: None, guidance: None, card: false }
    }

    /// Wrong usage.
    pub(super) fn usage(message: impl Into<String>) -> Refusal {
        Refusal::new(Exit::Usage, message)
    }

    /// Adds what to do instead.
    pub(super) fn hint(mut self, hint: impl Into<String>) -> Refusal {
        self.hint = Some(hint.into());
        self
    }

    /// Adds guidance, for the JSON; people get the message and the hint.
    pub(super) fn guided(mut self, guidance: Option<Guidance>) -> Refusal {
        self.guidance = guidance.map(Box::new);
        self
    }

    /// Tells it: a card or a line on stderr, or with `json` one object on stdout. Returns the exit code.
    pub(super) fn report(&self, json: bool, style: &Style) -> Exit {
        // Nothing is left to do where even this cannot be written.
        let _ = if json { print(&format!("{}\n", self.json())) } else { print_err(&self.text(style.err_color)) };
        self.exit
    }

    fn json(&self) -> serde_json::Value {
        let mut object = serde_json::Map::new();
        object.insert("error".into(), self.message.clone().into());
        if let Some(hint) = &self.hint {
            object.insert("hint".into(), hint.clone().into());
        }
        if let Some(guidance) = &self.guidance {
            object.insert("guidance".into(), serde_json::to_value(guidance).unwrap_or_default());
        }
        object.insert("exit_code".into(), self.exit.code().into());
        object.into()
    }

    fn text(&self, color: bool) -> String {
        if let Some(guidance) = self.guidance.as_ref().filter(|_| self.card) {
            return card(guidance, color);
        }
        let mut text = format!("{} {}\n", paint(color, Ink::Red, "error:"), harmless(&self.message));
        if let Some(hint) = &self.hint {
            text += &format!("\n{} {}\n", paint(color, Ink::Green, "hint:"), harmless(hint));
        }
        text
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        let guidance = error.guidance();
        Refusal::told(error, guidance)
    }
}

impl Refusal {
    /// A refusal of `launcher`, which knows the app's name.
    pub(super) fn of(error: Error, launcher: &Launcher) -> Refusal {
        let guidance = launcher.guidance(&error);
        Refusal::told(error, guidance)
    }

    fn told(error: Error, guidance: Guidance) -> Refusal {
        let guidance = Some(Box::new(guidance));
        let card = matches!(error, Error::Setup(_));
        let refusal = Refusal { guidance, card, ..Refusal::new(Exit::of_error(&error), error.to_string()) };
        match error {
            Error::VaultRelative { .. } => refusal.hint("give the full path, such as --vault \"$PWD/notes\""),
            Error::UnknownAgent { .. } => {
                refusal.hint("`agent-launcher agents` lists them; `--agent demo` needs none installed")
            }
            _ => refusal,
        }
    }
}

/// Writes data to stdout and flushes it.
pub(super) fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writes words to stderr.
pub(super) fn print_err(text: &str) -> io::Result<()> {
    io::stderr().lock().write_all(text.as_bytes())
}

/// Prints `text` as the whole output of a subcommand. A reader that left early is no failure.
pub(super) fn finish(text: &str, style: &Style) -> Exit {
    match print(text) {
        Ok(()) => Exit::Completed,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Completed,
        Err(error) => Refusal::new(Exit::Failed, format!("stdout cannot be written: {error}")).report(false, style),
    }
}

/// `value` as JSON text that ends in a newline.
pub(super) fn pretty(value: &impl serde::Serialize) -> String {
    // The values are the library's own plain data: maps with string keys and no failing serializer.
    serde_json::to_string_pretty(value).map_or_else(|error| format!("{{\"error\":\"{error}\"}}\n"), |json| json + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_one_json_object_or_a_line_with_a_hint() {
        let refusal = Refusal::from(Error::VaultRelative { path: "notes".into() });
        let mut json = refusal.json();
        assert_eq!(json["guidance"].take()["code"], "arguments_rejected");
        let expected = serde_json::json!({
            "error": "the vault `notes` is not an absolute path",
            "hint": "give the full path, such as --vault \"$PWD/notes\"",
            "guidance": null,
            "exit_code": 2,
        });
        assert_eq!(json, expected);
        assert_eq!(
            refusal.text(false),
            "error: the vault `notes` is not an absolute path\n\nhint: give the full path, such as --vault \"$PWD/notes\"\n"
        );
        assert_eq!(refusal.exit, Exit::Usage);
    }
}
