//! Where each flag and variable of an agent's command is known from, as data: `docs/ADAPTERS.md` is generated from it, and a test
//! holds every plan to it.

/// A flag, a setting or a variable that a plan uses, and how it is known.
#[derive(Debug)]
#[cfg_attr(not(test), expect(dead_code, reason = "the document is generated from it, by a test"))]
pub(crate) struct Source {
    /// The flag or variable as it stands in a plan, without its value. Of `-c KEY=VALUE` it is `-c KEY`.
    pub(crate) name: &'static str,
    /// What it is for, in Markdown.
    pub(crate) what: &'static str,
    /// How it is known: measured, by the help, by the documents.
    pub(crate) how: &'static str,
    /// The version that it was looked at on, as the first of a range or alone.
    pub(crate) version: &'static str,
    /// When, as `2026-11` or to the day.
    pub(crate) date: &'static str,
}
