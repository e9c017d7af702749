//! Which model a Safe run has, as far as it decides on the tools.
//!
//! OpenCode gives models whose id holds `gpt-` (but not `gpt-4` or `oss`) one tool to edit with, `apply_patch`, in place of
//! `edit` and `write`. Measured on 1.18.33: where a patch moves a file, only the old path is checked against the rules of
//! `edit`, so that a note becomes `.mcp.json`, or is written through a link out of the vault. No rule keeps the three apart.
//! So a Safe run edits where its model is known not to be one of these; a model that the person set is named again in the run's
//! own settings, since a session, or a list that changed, might bring another.

use std::path::PathBuf;

use serde_json::Value;

use super::{person, place};
use crate::adapters::copilot::jsonc;
use crate::env::HostEnv;
use crate::request::Request;
use crate::survey::{Look, Seen, Survey};

/// What is known of the model.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Model {
    /// Whether it edits with tools that keep to the rules.
    pub(super) keeps_to_rules: bool,
    /// The person's own choice, to be held to.
    pub(super) held: Option<String>,
}

/// Where to look, beside the person's settings.
pub(super) fn looks(request: &Request, host: &HostEnv) -> Option<Look> {
    used_last(request, host).map(Look::Text)
}

/// The model of a request.
pub(super) fn model(request: &Request, host: &HostEnv, survey: &Survey) -> Model {
    let mut settings = Vec::new();
    for path in person::settings(request, host) {
        match survey.seen(&Look::Text(path)) {
            Seen::Text(bytes) => match jsonc::parse(bytes) {
                Some(config) => settings.push(config),
                None => return Model::default(),
            },
            Seen::Unreadable => return Model::default(),
            _ => {}
        }
    }
    let set = settings.iter().rev().find_map(|config| config.get("model")).map(Value::as_str);
    let own = match set {
        Some(set) => set.map(str::to_owned),
        None => last(request, host, survey),
    };
    let Some(name) = request.model.clone().or(own) else { return Model::default() };
    // The id at the provider may be another than the name.
    let (provider, model) = name.split_once('/').unwrap_or_default();
    let pointer = ["provider", provider, "models", model, "id"];
    let id = |config: &Value| pointer.iter().try_fold(config, |value, key| value.get(key)).map(ToString::to_string);
    let ids = settings.iter().filter_map(id);
    let keeps_to_rules = !model.is_empty() && ids.chain([name.clone()]).all(|id| !patches(&id));
    let held = (keeps_to_rules && request.model.is_none()).then_some(name);
    Model { keeps_to_rules, held }
}

/// Whether OpenCode may give a model of this id `apply_patch`. A text to be filled in may be any.
fn patches(id: &str) -> bool {
    let id = id.to_ascii_lowercase();
    id.contains('{') || (id.contains("gpt-") && !id.contains("oss") && !id.contains("gpt-4"))
}

/// The model that was used last, which OpenCode takes where none is set.
fn last(request: &Request, host: &HostEnv, survey: &Survey) -> Option<String> {
    let Seen::Text(bytes) = survey.seen(&Look::Text(used_last(request, host)?)) else { return None };
    let state: Value = serde_json::from_slice(bytes).ok()?;
    let first = state.get("recent")?.get(0)?;
    Some(format!("{}/{}", first.get("providerID")?.as_str()?, first.get("modelID")?.as_str()?))
}

fn used_last(request: &Request, host: &HostEnv) -> Option<PathBuf> {
    let state = place::value("XDG_STATE_HOME", request, host);
    let state = state.or_else(|| Some(place::home(request, host)?.join(".local/state")));
    state.map(|state| state.join("opencode/model.json"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::{Arch, Os};
    use crate::request::AgentId;

    fn known(request: &Request, files: &[(&str, &str)]) -> Model {
        let host = HostEnv::new(Os::Linux, Arch::X64, Some("/home/user".into()), []);
        let seen = files
            .iter()
            .map(|(path, text)| (Look::Text(PathBuf::from("/home/user").join(path)), Seen::Text((*text).into())));
        model(request, &host, &Survey::of(seen))
    }

    #[test]
    fn a_run_edits_where_its_model_is_known_to_keep_to_the_rules() {
        let request = || Request::new(AgentId::OPENCODE, "/home/user/Notes", "Hi");
        let held = |name: &str| Model { keeps_to_rules: true, held: Some(name.to_owned()) };
        let unknown = Model::default;
        let config = |text: &'static str| (".config/opencode/opencode.json", text);
        let state = |text: &'static str| (".local/state/opencode/model.json", text);
        let sonnet = r#"{"model":"anthropic/claude-sonnet-4"}"#;
        let recent =
            r#"{"recent":[{"providerID":"xai","modelID":"grok-4"},{"providerID":"openai","modelID":"gpt-5"}]}"#;

        assert_eq!(known(&request(), &[]), unknown(), "OpenCode's own choice begins with `gpt-5`");
        assert_eq!(known(&request(), &[config(sonnet)]), held("anthropic/claude-sonnet-4"));
        assert_eq!(known(&request(), &[config(sonnet), state(recent)]), held("anthropic/claude-sonnet-4"));
        assert_eq!(known(&request(), &[state(recent)]), held("xai/grok-4"));
        for other in [r#"{"model":"openai/gpt-5"}"#, r#"{"model":"{env:MODEL}"}"#, r#"{"model":5}"#, "{"] {
            assert_eq!(known(&request(), &[config(other), state(recent)]), unknown(), "{other}");
        }
        let alias = r#"{"model":"x/fast","provider":{"x":{"models":{"fast":{"id":"openai/GPT-5.2"}}}}}"#;
        assert_eq!(known(&request(), &[config(alias)]), unknown());
        let later = (".opencode/opencode.json", r#"{"model":"openai/gpt-5"}"#);
        assert_eq!(known(&request(), &[config(sonnet), later]), unknown(), "the last of the settings counts");

        let asked = |model: &str| known(&request().model(model), &[config(r#"{"model":"openai/gpt-5"}"#)]);
        assert_eq!(asked("anthropic/claude-sonnet-4"), Model { keeps_to_rules: true, held: None });
        assert_eq!(asked("groq/openai/gpt-oss-120b"), Model { keeps_to_rules: true, held: None });
        assert_eq!(asked("openai/gpt-5-codex"), unknown());
    }
}
