//! From a definition to the tables that every agent has.

use super::definition::{Definition, Meaning, Signal};
use super::read_guidance;
use crate::adapters::environment::{Stripped, Table, disturbs, widens};
use crate::adapters::{Answer, Floor, Spec};
use crate::guidance::{self, Example, On, Rule};
use crate::request::AgentId;

/// Keeps a text for as long as the process lives. Definitions are few, and each is kept once.
fn keep(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

fn keep_list<T>(items: Vec<T>) -> &'static [T] {
    Box::leak(items.into_boxed_slice())
}

fn keep_texts(texts: &[String]) -> &'static [&'static str] {
    keep_list(texts.iter().map(|text| keep(text)).collect())
}

fn keep_pairs(pairs: &[(String, String)]) -> &'static [(&'static str, &'static str)] {
    keep_list(pairs.iter().map(|(name, value)| (keep(name), keep(value))).collect())
}

pub(super) fn spec(definition: &Definition) -> Spec {
    let (find, version, setup) = (&definition.find, &definition.version, &definition.setup);
    // A floor that nobody named is below every version.
    let floor = version.floor.as_deref().map_or("0.0.0", keep);
    let rules = definition.guidance.iter().map(rule).collect();
    Spec {
        id: AgentId::new(definition.id.value.clone()),
        name: keep(&definition.name),
        programs: keep_texts(&definition.programs),
        npm_package: find.npm_package.as_deref().map(keep),
        npm_native: find.npm_native.as_ref().map(|(package, program)| (keep(package), keep(program))),
        home_dirs: keep_texts(&find.home_dirs),
        version_args: keep_texts(&version.args),
        version_env: keep_pairs(&version.env),
        identity: keep(&version.identity),
        install_prompts: keep_texts(&version.install_prompts),
        install_command: keep(&setup.install),
        install_url: keep(&setup.install_url),
        update_command: keep(&setup.update),
        login_command: keep(&setup.login),
        auth_variables: keep_texts(&setup.auth_variables),
        floor: Floor { safe: floor, power_user: floor },
        tested: version.tested.as_deref().map_or(floor, keep),
        // Only a table of this crate's own agents shows it.
        answer: Answer::Pieces,
        stop_signal: definition.stop,
        permissions: &[],
        sources: &[],
        texts: &[],
        // One list even where it is empty: what is cached of an agent's rules is known by the address of its lists.
        rules: keep_list(vec![keep_list(rules)]),
    }
}

pub(super) fn table(definition: &Definition) -> Table {
    let environment = &definition.environment;
    // What the host's own tools say of the agent must not widen a run, and what a mode sets is not a request's to change.
    let fixed = |name: &String| widens(keep(name), "the agent's definition sets it, or takes it away");
    let of_modes = definition.safe.iter().chain(&definition.power_user).flat_map(|mode| &mode.env);
    let of_servers = definition.mcp.iter().filter_map(|mcp| match &mcp.form {
        super::definition::McpForm::Variable(name) => Some(name),
        _ => None,
    });
    let stripped: Vec<Stripped> = environment
        .strip
        .iter()
        .map(fixed)
        .chain(of_modes.map(|(name, _)| fixed(name)))
        .chain(of_servers.map(fixed))
        .chain(environment.set.iter().map(|(name, _)| disturbs(keep(name), "the agent's definition sets it")))
        .collect();
    let sign_in = environment.safe.iter().chain(&definition.setup.auth_variables);
    Table {
        safe: keep_list(sign_in.map(|name| keep(name)).collect()),
        stripped: keep_list(stripped),
        // Set by the plan, which knows the vault.
        set: &[],
        secret: keep_list(definition.setup.auth_variables.iter().map(|name| keep(name)).collect()),
    }
}

fn rule(meaning: &Meaning) -> Rule {
    let on = match &meaning.signal {
        Signal::Phrase(text) => guidance::phrase(keep(text)),
        Signal::Answer(text) => guidance::answer(keep(text)),
        Signal::Exit(codes) => On::Exit(keep_list(codes.clone())),
        Signal::Event { kinds, codes, status } => guidance::event(keep_texts(kinds), keep_texts(codes), *status),
    };
    Rule {
        on,
        code: meaning.code,
        text: read_guidance::text_of(meaning.code),
        source: keep(&meaning.source),
        example: Example::Text(keep(&meaning.example)),
        near_miss: Example::Text(keep(&meaning.near_miss)),
    }
}
