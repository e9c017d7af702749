//! The prompt: its text, and the way it takes to Claude Code.

use crate::request::Request;

/// Stands before a prompt that begins with a slash.
const HEADING: &str = "User request:";

/// The text for stdin and what the person should know of it.
///
/// Stdin takes any prompt as it is, ten megabytes included. In the arguments a dash would begin a flag, a prompt behind a
/// list would be its next value, and 128 KB would be the end. `/config x=y` writes the person's settings even with
/// `--setting-sources ''`, and `--disable-slash-commands` leaves some commands; a line of text before them makes them
/// text. `!` and `#` are text (all measured); `@` is the plan's to settle.
pub(super) fn text(request: &Request) -> (String, Option<String>) {
    let blank = |c: char| c.is_whitespace() || c.is_control() || c == '\u{feff}';
    if !request.prompt.trim_start_matches(blank).starts_with('/') {
        return (request.prompt.clone(), None);
    }
    let notice = format!(
        "The prompt begins with `/`, which Claude Code could take for a command of its own; it is sent as text below the \
         line `{HEADING}`."
    );
    (format!("{HEADING}\n{}", request.prompt), Some(notice))
}
