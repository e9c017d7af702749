//! The toy's words about what went wrong.

use crate::guidance::{Code, Example::Text, Rule, phrase};

pub(super) static RULES: &[Rule] = &[Rule {
    on: phrase(r"toy: nobody is signed in\b"),
    code: Code::NotSignedIn,
    text: "not_signed_in",
    source: "1.2.3, made up (2026-11)",
    example: Text("toy: nobody is signed in"),
    near_miss: Text("The note says that toy: nobody is signed in"),
}];
