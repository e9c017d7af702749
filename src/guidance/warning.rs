//! A cause that shows before the end: on stderr while the agent still tries, or as an answer that is none.

use super::classify::{answer_rule, captured};
use super::fill::{Params, guidance};
use super::{Code, clean, sentences};
use crate::adapters::Spec;

/// A line of stderr that names what keeps the agent from answering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EarlyWarning {
    /// The cause.
    pub(crate) code: Code,
    /// What to show: the title of its guidance, and the line, masked.
    pub(crate) message: String,
    /// Whether waiting cannot help, so that the run may be ended at once.
    pub(crate) fatal: bool,
}

/// Whether a line of stderr names a cause, before the agent has given up.
pub(crate) fn early_warning(spec: &Spec, app: &str, line: &str, secrets: &[String]) -> Option<EarlyWarning> {
    let text = clean::text(line);
    if text.trim().is_empty() {
        return None;
    }
    let found = sentences::find(spec, &text)?;
    let rule = found.rule;
    let fatal = match rule.code {
        Code::NotSignedIn
        | Code::TokenRejected
        | Code::TokenLacksPermission
        | Code::SubscriptionRequired
        | Code::PolicyBlocked
        | Code::FolderNotTrusted
        | Code::QuotaExhausted
        | Code::ModelUnavailable
        | Code::InterpreterMissing
        | Code::WrongArchitecture => true,
        // A network comes back, a limit passes, and the rest says little before the end.
        Code::RateLimited | Code::Network | Code::Tls | Code::McpFailed => false,
        _ => return None,
    };
    let params = captured(Params::of(spec, app), &found.captures);
    // The words of all agents may come from a server or a tool of the agent, which it does without.
    let own = rule.text == "sign_in_prompt" || spec.rules.iter().copied().flatten().any(|own| std::ptr::eq(own, rule));
    let filled = guidance(rule.code, rule.text, params, vec![text.trim().to_owned()], secrets);
    let line = filled.evidence.first().map(String::as_str).unwrap_or_default();
    Some(EarlyWarning { code: rule.code, message: format!("{}: {line}", filled.title), fatal: fatal && own })
}

/// Whether an answer is as a whole the error of the model's provider, so that the run failed.
pub(crate) fn answer_is_failure(spec: &Spec, answer: &str) -> bool {
    answer_rule(spec, answer).is_some()
}
