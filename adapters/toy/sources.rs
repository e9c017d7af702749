//! Where each flag of the toy is known from.

use crate::adapters::sources::Source;

const fn made_up(name: &'static str, what: &'static str) -> Source {
    Source { name, what, how: "made up", version: "1.2.3", date: "2026-11" }
}

pub(super) static SOURCES: &[Source] = &[
    made_up("--jsonl", "one JSON object a line"),
    made_up("--tools", "the only tools that the model is offered"),
    made_up("--model", "the model"),
    made_up("--servers", "the app's servers, in a private file"),
];
