//! Colours and terminals: what may be printed where.

use std::io::IsTerminal;

use agent_launcher::HostEnv;

/// What the two outputs can show.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Style {
    /// Whether stdout may carry escape codes.
    pub(super) out_color: bool,
    /// Whether stderr may carry escape codes.
    pub(super) err_color: bool,
    /// Whether stdout is a terminal: control characters of an agent are then kept from it.
    pub(super) out_terminal: bool,
    /// Whether stdout and stderr go to the same place, where a note in the middle of a line would run into it.
    pub(super) one_place: bool,
    /// Whether a spinner may be drawn on stderr.
    pub(super) spinner: bool,
}

impl Style {
    /// For this process's own outputs. `NO_COLOR` counts where it is not empty (no-color.org).
    pub(super) fn new(host: &HostEnv, no_color: bool) -> Style {
        let out_terminal = std::io::stdout().is_terminal();
        let err_terminal = std::io::stderr().is_terminal();
        let dumb = host.var("TERM").is_some_and(|term| term == "dumb");
        let plain = no_color || dumb || host.var("NO_COLOR").is_some_and(|value| !value.is_empty());
        Style {
            out_color: out_terminal && !plain,
            err_color: err_terminal && !plain,
            out_terminal,
            one_place: out_terminal || is_one_place(),
            spinner: err_terminal && !dumb,
        }
    }
}

/// Whether stdout and stderr are one file or pipe, as after `2>&1`.
#[cfg(unix)]
fn is_one_place() -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;

    let place = |output: std::os::fd::BorrowedFd<'_>| {
        let file = std::fs::File::from(output.try_clone_to_owned().ok()?);
        file.metadata().ok().map(|meta| (meta.dev(), meta.ino()))
    };
    let stdout = place(std::io::stdout().as_fd());
    stdout.is_some() && stdout == place(std::io::stderr().as_fd())
}

/// Not known there: a line may run into another.
#[cfg(not(unix))]
fn is_one_place() -> bool {
    false
}

/// Ways to set off a piece of text.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ink {
    Dim,
    Bold,
    Yellow,
    Red,
    Green,
}

/// `text` in `ink` where colours are on.
pub(super) fn paint(color: bool, ink: Ink, text: &str) -> String {
    if !color {
        return text.to_owned();
    }
    let code = match ink {
        Ink::Dim => "2",
        Ink::Bold => "1",
        Ink::Yellow => "33",
        Ink::Red => "31",
        Ink::Green => "32",
    };
    format!("\u{1b}[{code}m{text}\u{1b}[0m")
}

/// `text` without control characters other than newline and tab, so that an agent's words cannot drive the terminal.
pub(super) fn harmless(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

/// `text` on one line, without control characters, cut to `limit` characters.
pub(super) fn one_line(text: &str, limit: usize) -> String {
    let flat: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let words = flat.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.chars().count() <= limit {
        return words;
    }
    let cut: String = words.chars().take(limit.saturating_sub(1)).collect();
    format!("{cut}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agents_words_cannot_drive_the_terminal() {
        assert_eq!(harmless("a\u{1b}]52;c;eA==\u{7}b\n\tc\r\u{9b}2J"), "a]52;c;eA==b\n\tc2J");
        assert_eq!(one_line("a\u{1b}[2J\n  b\u{7}", 80), "a [2J b");
    }

    #[test]
    fn a_long_line_is_cut_with_a_mark() {
        assert_eq!(one_line("ééééé", 5), "ééééé");
        assert_eq!(one_line("éééééé", 5), "éééé…");
        assert_eq!(one_line("abc", 0), "…");
    }

    #[test]
    fn paint_without_colour_changes_nothing() {
        assert_eq!(paint(false, Ink::Red, "x"), "x");
        assert_eq!(paint(true, Ink::Red, "x"), "\u{1b}[31mx\u{1b}[0m");
    }
}
