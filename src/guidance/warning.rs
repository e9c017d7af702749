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
    let line = said(filled.evidence.first().map(String::as_str).unwrap_or_default());
    Some(EarlyWarning { code: rule.code, message: format!("{}: {line}", filled.title), fatal: fatal && own })
}

/// What a line of a log in `name=value` pairs says, without what is for programs; any other line as it is.
fn said(line: &str) -> &str {
    if !line.starts_with("timestamp=") || !line.contains(" level=") {
        return line;
    }
    // The error says more than the place where it was met. A line that was cut has no last quote.
    let value =
        |name: &str| line.split_once(name).map(|(_, rest)| rest.split_once('"').map_or(rest, |(value, _)| value));
    [" error.error=\"", " error=\"", " message=\""].into_iter().find_map(value).unwrap_or(line)
}

/// Whether an answer is as a whole the error of the model's provider, so that the run failed.
pub(crate) fn answer_is_failure(spec: &Spec, answer: &str) -> bool {
    answer_rule(spec, answer).is_some()
}

#[cfg(test)]
mod tests {
    use super::early_warning;
    use crate::request::AgentId;

    #[test]
    fn a_line_of_a_log_is_told_by_its_error_without_what_is_for_programs() {
        let opencode = crate::adapters::find(&AgentId::OPENCODE).unwrap().spec();
        let line = r#"timestamp=2026-11-30T18:12:00.632Z level=ERROR run=53c8b9da message="stream error" providerID=opencode modelID=mock session.id=ses_1 error.error="AI_APICallError: Cannot connect to API: Unable to connect. (cause: Error)""#;
        let message = early_warning(opencode, "Tolaria", line, &[]).unwrap().message;
        let told = "AI_APICallError: Cannot connect to API: Unable to connect. (cause: Error)";
        assert_eq!(message, format!("OpenCode cannot reach its service: {told}"));
        for (line, told) in [
            (
                r#"timestamp=x level=WARN run=1 message="server unavailable" key=tolaria type=local status=failed"#,
                "server unavailable",
            ),
            (
                r#"timestamp=x level=ERROR run=1 message=failed ref=err_1 error="ProviderModelNotFoundError: Model not found: a/b."#,
                "ProviderModelNotFoundError: Model not found: a/b.",
            ),
        ] {
            let message = early_warning(opencode, "Tolaria", line, &[]).unwrap().message;
            assert!(message.ends_with(&format!(": {told}")), "{message}");
        }
    }
}
