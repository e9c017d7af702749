//! The texts: what a person reads, apart from the rules that choose it.
//!
//! A text has a key that stays the same across releases. `{name}` stands for a parameter, `{name|words}` for a
//! parameter or else the words, and a part in `[brackets]` is left out where a parameter in it is unknown. An app that
//! translates takes the key and the parameters of a [`Guidance`](super::Guidance) and leaves the English aside.

mod account;
mod machine;
mod run;

use crate::adapters::ALL;

/// A text and what to do.
#[derive(Debug)]
pub(crate) struct Text {
    /// The name.
    pub(crate) key: &'static str,
    /// A few words.
    pub(crate) title: &'static str,
    /// What happened.
    pub(crate) message: &'static str,
    /// What to do, in order. A step whose parameter is unknown is left out.
    pub(crate) steps: &'static [Todo],
}

/// A step before it is filled in.
#[derive(Debug)]
pub(crate) enum Todo {
    /// A command for a terminal.
    Run(&'static str),
    /// An address.
    Open(&'static str),
    /// An environment variable.
    Set(&'static str),
    /// Try again, after the waiting time where one is known.
    Retry,
    /// Words.
    Choose(&'static str),
}

/// Every text: those for all agents, then those that an adapter brings for its own.
pub(crate) fn all() -> impl Iterator<Item = &'static Text> {
    let own = ALL.iter().flat_map(|adapter| adapter.spec().texts);
    account::TEXTS.iter().chain(machine::TEXTS).chain(run::TEXTS).chain(own)
}

/// The text with this key; the one for the unknown where there is none, which a test rules out for every rule.
pub(crate) fn find(key: &str) -> &'static Text {
    all().find(|text| text.key == key).unwrap_or(&run::TEXTS[0])
}
