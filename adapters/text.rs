//! Agents whose stdout is the answer itself, and the cleaning of text that may hold terminal escapes.

use std::borrow::Cow;

use super::{Decoder, Report};
use crate::event::EventKind;

/// The bound of an `Unrecognized` line, in bytes.
const UNRECOGNIZED: usize = 4096;

/// Shows stdout line by line as the answer, escapes taken out, blank lines at its end left out.
#[derive(Debug, Default)]
pub(crate) struct Text {
    report: Report,
    /// Line ends that are shown only if text follows.
    owed: String,
}

impl Decoder for Text {
    fn line(&mut self, line: &[u8], events: &mut Vec<EventKind>) {
        let text = String::from_utf8_lossy(line);
        let text = strip_escapes(text.strip_suffix('\r').unwrap_or(&text));
        if !text.trim().is_empty() {
            let answered = std::mem::replace(&mut self.report.answered, true);
            let owed = std::mem::take(&mut self.owed);
            let owed = if answered { owed.as_str() } else { "" };
            events.push(EventKind::TextDelta { text: [owed, &text].concat() });
        }
        // A flood of blank lines must not grow without bound.
        if self.owed.len() < UNRECOGNIZED {
            self.owed.push('\n');
        }
    }

    fn end(&mut self, _events: &mut Vec<EventKind>) {}

    fn report(&self) -> &Report {
        &self.report
    }
}

/// A line that no decoder knows, without escapes, cut to its bound. `None` where nothing is left to tell.
pub(crate) fn unrecognized(line: &[u8]) -> Option<EventKind> {
    let cut = &line[..line.len().min(UNRECOGNIZED)];
    let text = String::from_utf8_lossy(cut);
    let mut text = strip_escapes(&text).trim().to_owned();
    let mut end = text.len().min(UNRECOGNIZED - '…'.len_utf8());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    if end < text.len() || cut.len() < line.len() {
        text.truncate(end);
        text.push('…');
    }
    (!text.is_empty()).then_some(EventKind::Unrecognized { line: text })
}

/// Takes out terminal escapes (CSI, OSC, DCS and their kin, two-byte ones) and control characters other than tab and line end.
pub(crate) fn strip_escapes(text: &str) -> Cow<'_, str> {
    let plain = |c: char| !c.is_control() || matches!(c, '\t' | '\n');
    if text.chars().all(plain) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => match chars.next() {
                Some('[') => skip_csi(&mut chars),
                Some(']' | 'P' | 'X' | '^' | '_') => skip_string(&mut chars),
                // A charset or the like: intermediate bytes, then one final.
                Some(' '..='/') => while matches!(chars.next(), Some(' '..='/')) {},
                _ => {}
            },
            '\u{9b}' => skip_csi(&mut chars),
            '\u{9d}' | '\u{90}' | '\u{98}' | '\u{9e}' | '\u{9f}' => skip_string(&mut chars),
            c if plain(c) => clean.push(c),
            _ => {}
        }
    }
    Cow::Owned(clean)
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// Skips parameters and intermediates, then the final byte. Stops before anything that cannot belong to it.
fn skip_csi(chars: &mut Chars<'_>) {
    while chars.next_if(|c| matches!(c, ' '..='?')).is_some() {}
    chars.next_if(|c| matches!(c, '@'..='~'));
}

/// Skips to the string terminator or BEL, or to the end of the line where none comes.
fn skip_string(chars: &mut Chars<'_>) {
    while let Some(c) = chars.next_if(|c| *c != '\n') {
        match c {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                chars.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Text, strip_escapes, unrecognized};
    use crate::adapters::Decoder as _;
    use crate::event::EventKind;

    #[test]
    fn escapes_are_taken_out_and_text_stays() {
        let table = [
            ("plain é 中 😀\tx", "plain é 中 😀\tx"),
            ("\u{1b}[38;5;141m> \u{1b}[0mHELLO", "> HELLO"),
            ("\u{1b}[?2004hready", "ready"),
            ("\u{1b}]0;a title\u{7}text", "text"),
            ("\u{1b}]8;;https://example.org\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}(Bx\u{1b}7y\u{1b}=z", "xyz"),
            ("\u{9b}1mbold\r\u{8}", "bold"),
            ("\u{1b}", ""),
            ("cut\u{1b}[", "cut"),
        ];
        for (dirty, clean) in table {
            assert_eq!(strip_escapes(dirty), clean, "{dirty:?}");
        }
    }

    #[test]
    fn text_lines_are_the_answer_without_its_blank_end() {
        let (mut text, mut events) = (Text::default(), Vec::new());
        for line in ["", "First", "", "\u{1b}[1mSecond\u{1b}[0m\r", "", ""] {
            text.line(line.as_bytes(), &mut events);
        }
        text.end(&mut events);
        let expected = ["First", "\n\nSecond"].map(|text| EventKind::TextDelta { text: text.into() });
        assert_eq!(events, expected);
        assert!(text.report().answered);
    }

    #[test]
    fn an_unrecognized_line_is_bounded() {
        let Some(EventKind::Unrecognized { line }) = unrecognized("é".repeat(5000).as_bytes()) else {
            panic!("a long line is kept")
        };
        assert!(line.len() <= 4096 && line.ends_with('…'), "{} bytes", line.len());
        assert_eq!(unrecognized(b" \x1b[0m "), None);
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic_or_leave_an_escape(bytes: Vec<u8>) {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            prop_assert!(strip_escapes(&text).chars().all(|c| !c.is_control() || matches!(c, '\t' | '\n')));
            let _ = unrecognized(&bytes);
        }
    }
}
