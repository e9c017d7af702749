//! Tests of the rules, the texts and the classification as a whole.

mod cases;
mod corpus;
mod properties;
mod rules;

/// The table of Copilot.
fn spec() -> &'static crate::adapters::Spec {
    crate::adapters::ALL[0].spec()
}
