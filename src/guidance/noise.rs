//! Lines that say nothing of a failure: start-up notes, warnings, statistics. They never become the cause.

use std::sync::LazyLock;

use regex::RegexSet;

/// Each with where it was seen.
const NOISE: &[&str] = &[
    // Node 20 to 24 on standard error, 2026.
    r"^\(node:\d+\) ",
    r"^\(Use `node --trace-",
    r"^Debugger (?:attached|listening on)",
    // What calls itself a warning or a note is not what ended the run.
    r"^(?:\S+: )?(?i:warn|warning|note|notice|info|debug|hint|tip|trace)(?: [^:\]]*)?[:\]]",
    r"^(?:\[?\d{4}-\d{2}-\d{2}[T ][\d:.,]+Z?\]?\s+)?\[(?i:warn|warning|note|notice|info|log|debug|trace|startup|start-group|end-group)\]",
    r"^(?:\[?\d{4}-\d{2}-\d{2}[T ][\d:.,]+Z?\]?\s+)(?i:warn|warning|info|debug|trace)\b",
    r"^npm (?i:warn|notice)\b",
    // Copilot CLI 1.0.102: the statistics after an answer, 2026-11-30.
    r"^(?:Changes|Duration|Tokens|Resume|Session|AI Credits|Requests)\s{2,}\S",
    r"^Exiting…$",
    // The same in 1.0.20 and 0.0.355.
    r"^(?:API time spent|Total session time|Total code changes|Breakdown by AI model|Total usage est|Total duration \((?:API|wall)\)|Usage by model):",
    r"^\S+ +[\d.]+[km]? in(?:put)?, [\d.]+[km]? out(?:put)?, ",
    // 1.0.102 where the vault is not trusted, which it need not be.
    r"^Project extensions are excluded because the working folder is not trusted\.",
    // Copilot CLI and others look for updates on the side; that this fails matters to nobody.
    r"(?i)^(?:\[?\d{4}-\d{2}-\d{2}[T ][\d:.,]+Z?\]?\s+)?(?:\[error\] )*(?:\[\w+\] )?(?:error:? )?(?:failed to |could not |unable to )?check(?:ing)? for (?:an )?updates?\b",
    r"(?i)^(?:\[?\d{4}-\d{2}-\d{2}[T ][\d:.,]+Z?\]?\s+)?(?:\[error\] )*(?:\[\w+\] )?(?:error:? |failed to |could not )(?:send|flush|upload|report)(?:ing)? telemetry\b",
    // Copilot CLI 1.0.102, before every workflow in a folder that is not trusted, 2026-11-30.
    r"^Project extensions are excluded because the working folder is not trusted\.",
    // Gemini CLI 0.61.0, 2026-11.
    r"^Ripgrep is not available",
    r"^\[STARTUP\]",
    r"^Loaded cached credentials",
    r"^Data collection is disabled",
    // Codex CLI 0.171.0, 2026-11.
    r"^Reading (?:additional input|prompt) from stdin",
    // OpenCode 1.18.33 with `--print-logs`, 2026-11: what it does without.
    r"^timestamp=\S+ level=(?:DEBUG|INFO) ",
    r#"^timestamp=\S+ level=(?:WARN|ERROR) run=\S+ message="?(?:Failed to fetch models\.dev|background dependency install failed|configuration compatibility diagnostic|failed to (?:read|get) )"#,
    // macOS and GTK libraries in any program.
    r"^objc\[\d+\]: Class ",
    r"^\S+\[\d+:\d+\] \+\[",
    // Shells without a terminal, and wrappers.
    r"^bash: (?:cannot set terminal process group|no job control in this shell)",
    r"^(?:/bin/)?(?:ba|z|da)?sh: warning: ",
    r"^perl: warning: ",
    r"^Picked up (?:_JAVA_OPTIONS|JAVA_TOOL_OPTIONS)",
];

static SET: LazyLock<Option<RegexSet>> = LazyLock::new(|| RegexSet::new(NOISE).ok());

/// Whether a line says nothing of a failure.
pub(super) fn is_noise(line: &str) -> bool {
    let line = line.trim_start();
    // A full disk is told by npm as a warning, and it is what ends the installation.
    if line.starts_with("npm ") && line.contains(" ENOSPC: ") {
        return false;
    }
    SET.as_ref().is_some_and(|set| set.is_match(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert!(SET.is_some());
    }

    #[test]
    fn warnings_and_statistics_are_noise_and_errors_are_not() {
        for line in [
            "(node:4242) [DEP0040] DeprecationWarning: The `punycode` module is deprecated.",
            "(node:7) Warning: Setting the NODE_TLS_REJECT_UNAUTHORIZED environment variable to '0' makes TLS connections and HTTPS requests insecure",
            "Changes    +1 -0",
            "Resume     copilot --resume=56ea09a1-e7c8-4a4e-afea-cf0647fb0f8c",
            "[STARTUP] Phase 'cli_startup' was started but never ended.",
            "npm warn deprecated inflight@1.0.6",
            "warning: self-signed certificate accepted by your setting",
        ] {
            assert!(is_noise(line), "{line}");
        }
        for line in [
            "Error: No authentication information found.",
            "error: unknown option '--x'",
            "npm WARN tar ENOSPC: no space left on device, write",
            "Session not found",
            "Session token expired and the request could not be retried. Please resend your message.",
            "Requests are limited",
        ] {
            assert!(!is_noise(line), "{line}");
        }
    }
}
