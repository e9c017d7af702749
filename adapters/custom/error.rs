//! Why a definition was refused, and where.

/// Why the definition of an agent was refused: the place in its text, what is wrong there and what to write instead.
///
/// Values of variables are never in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {problem}")]
#[non_exhaustive]
pub struct CustomAgentError {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// What is wrong, and what to do.
    pub problem: String,
}

impl CustomAgentError {
    /// A problem at a byte of the text.
    pub(super) fn at(text: &str, byte: usize, problem: impl Into<String>) -> CustomAgentError {
        let mut byte = byte.min(text.len());
        while !text.is_char_boundary(byte) {
            byte -= 1;
        }
        let before = &text[..byte];
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        CustomAgentError {
            line: before.matches('\n').count() + 1,
            column: before[start..].chars().count() + 1,
            problem: problem.into(),
        }
    }
}
