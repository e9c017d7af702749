//! Agents that a host describes as data: read, found, run in both modes, stopped, explained, through the library and through the
//! command. The format is `docs/CUSTOM.md`.

#[cfg(feature = "cli")]
mod command;
mod examples;
mod refused;
mod requests;
mod runs;

use agent_launcher::{AgentId, CustomAgent, Launcher, Mode, Request};

use crate::support::Bench;

pub(super) const SCRIBE: &str = include_str!("scribe.toml");
pub(super) const PLAIN: &str = include_str!("plain.toml");

/// A bench with the fake of a definition, found by the search as any agent is.
pub(super) fn bench(scenario: &str) -> Bench {
    Bench::new().fake("scribe", &format!("probe out scribe 2.1.0\n{scenario}"))
}

/// A launcher that knows this definition.
pub(super) fn launcher(bench: &Bench, definition: &str) -> Launcher {
    let agent = CustomAgent::from_toml(definition).unwrap();
    bench.builder().agent(agent).unwrap().build()
}

/// A request to the agent of `scribe.toml`.
pub(super) fn request(bench: &Bench, prompt: &str) -> Request {
    Request::new(AgentId::new("scribe"), bench.vault(), prompt)
        .session_id("0f8fad5b-d9cb-469f-a165-70867728950e")
        .mode(Mode::Safe)
}

/// A definition with one part of its text replaced.
pub(super) fn with(definition: &str, part: &str, by: &str) -> String {
    assert!(definition.contains(part), "`{part}` is not in the definition");
    definition.replacen(part, by, 1)
}
