//! Tests of the rules, the texts and the classification as a whole.

mod cases;
mod corpus;
mod properties;
mod rules;

/// The table of Copilot.
fn spec() -> &'static crate::adapters::Spec {
    crate::adapters::ALL[0].spec()
}

/// The table of an agent.
fn spec_of(id: &str) -> &'static crate::adapters::Spec {
    let mut all = crate::adapters::ALL.iter().map(|adapter| adapter.spec());
    all.find(|spec| spec.id.as_str() == id).unwrap_or_else(|| panic!("no agent is called {id}"))
}
