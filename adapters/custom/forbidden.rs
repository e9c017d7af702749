//! What no definition may pass to an agent: flags and values that are known to switch an agent's own checks off.
//!
//! A list of what is known is no proof that a mode is kept: that is the `verified` of a mode, and the host's to find out.

/// Where something is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Where {
    /// In whatever is passed in Power User mode alone.
    PowerUser,
    /// In whatever is passed in Safe mode.
    Safe,
}

#[derive(Clone, Copy, Debug)]
enum Means {
    /// The name of a flag, up to its `=`.
    Flag(&'static str),
    /// What a flag begins with.
    Begin(&'static str),
    /// A part of an argument or value.
    Part(&'static str),
}

/// Refused in every mode: no path, no address and no sandbox of the agent is left then.
const ALWAYS: &[(Means, &str)] = &[
    (Means::Flag("--allow-all"), "Copilot opens every tool, path and address with it"),
    (Means::Flag("--allow-all-paths"), "Copilot opens every path with it"),
    (Means::Flag("--allow-all-urls"), "Copilot opens every address with it"),
    (Means::Flag("--yolo"), "it switches an agent's checks off as a whole (Copilot, Gemini, Qwen, Codex)"),
    (Means::Part("dangerously-skip-permissions"), "Claude Code drops every check with it"),
    (Means::Part("dangerously-bypass-approvals-and-sandbox"), "Codex drops its sandbox with it"),
    (Means::Part("danger-full-access"), "Codex drops its sandbox with it"),
    (Means::Flag("--skip-permissions-unsafe"), "Droid drops every check with it"),
    (Means::Flag("--no-sandbox"), "it switches a sandbox off"),
];

/// Refused in Safe mode beside these: what lets an agent use tools unasked.
const SAFE: &[(Means, &str)] = &[
    (Means::Begin("--allow-all"), "it allows every tool"),
    (Means::Part("dangerously"), "it says itself that it is dangerous"),
    (Means::Part("bypasspermissions"), "Claude Code and Qwen ask nobody with it"),
    (Means::Part("yolo"), "it lets every tool run (Gemini, Qwen)"),
    (Means::Flag("--full-auto"), "Codex runs commands unasked with it"),
    (Means::Flag("--trust-all-tools"), "Kiro lets every tool run with it"),
    (Means::Flag("--yes-always"), "Aider runs commands unasked with it"),
    (Means::Flag("--force"), "Cursor runs commands unasked with it"),
    (Means::Flag("--approve-mcps"), "Cursor starts the vault's own servers with it"),
    (Means::Begin("--auto-approve"), "it lets tools run unasked"),
    (Means::Begin("--approve-all"), "it lets every tool run"),
    (Means::Begin("--always-approve"), "it lets every tool run"),
];

/// Variables that open tools, with the beginning of the value that does; `""` for any value.
const VARIABLES: &[(&str, &str, &str)] = &[
    ("GOOSE_MODE", "auto", "Goose runs every tool unasked with it"),
    ("OPENCODE_PERMISSION", "", "OpenCode merges it last, over the permissions of the run"),
    ("COPILOT_ALLOW_ALL", "", "Copilot opens every tool, path and address with it"),
    ("GEMINI_YOLO_MODE", "", "it lets every tool run"),
];

/// Why an argument must not be passed.
pub(super) fn argument(text: &str, place: Where) -> Option<&'static str> {
    let lower = text.to_lowercase();
    let lower = lower.trim();
    let name = lower.split(['=', ' ']).next().unwrap_or_default();
    let safe: &[_] = if place == Where::Safe { SAFE } else { &[] };
    let met = |means: &Means| match means {
        Means::Flag(flag) => name == *flag,
        Means::Begin(begin) => name.starts_with(begin),
        Means::Part(part) => lower.contains(part),
    };
    ALWAYS.iter().chain(safe).find(|(means, _)| met(means)).map(|(_, reason)| *reason)
}

/// Why a variable must not have a value.
pub(super) fn variable(name: &str, value: &str, place: Where) -> Option<&'static str> {
    let known = VARIABLES.iter().filter(|_| place == Where::Safe);
    let mut known = known
        .filter(|(known, begin, _)| known.eq_ignore_ascii_case(name) && value.trim().to_lowercase().starts_with(begin));
    known.next().map(|(_, _, reason)| *reason).or_else(|| argument(value, place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_bypasses_are_refused_in_each_spelling() {
        let everywhere = [
            "--yolo",
            "--YOLO",
            "--allow-all",
            "--allow-all=true",
            "--allow-all-paths",
            "--allow-all-urls",
            "--dangerously-skip-permissions",
            "--allow-dangerously-skip-permissions",
            "--dangerously-bypass-approvals-and-sandbox",
            "danger-full-access",
            "sandbox_mode=\"danger-full-access\"",
            " --yolo",
            "--no-sandbox",
            "--skip-permissions-unsafe",
        ];
        for arg in everywhere {
            assert!(argument(arg, Where::PowerUser).is_some() && argument(arg, Where::Safe).is_some(), "{arg}");
        }
        let safe = [
            "--allow-all-tools",
            "--full-auto",
            "--approval-mode=yolo",
            "yolo",
            "bypassPermissions",
            "--permission-mode=bypassPermissions",
            "--dangerously-allow-all",
            "--trust-all-tools",
            "--yes-always",
            "--force",
            "--auto-approve-everything",
            "--approve-mcps",
        ];
        for arg in safe {
            assert!(argument(arg, Where::Safe).is_some(), "{arg}");
            assert_eq!(argument(arg, Where::PowerUser), None, "{arg}");
        }
        for arg in ["--allow-tool=write", "--approval-mode=auto_edit", "--auto", "--model=x", "--sandbox"] {
            assert_eq!(argument(arg, Where::Safe), None, "{arg}");
        }
    }

    #[test]
    fn variables_that_open_tools_are_refused_in_safe_mode() {
        assert!(variable("GOOSE_MODE", "auto", Where::Safe).is_some());
        assert!(variable("goose_mode", " AUTO", Where::Safe).is_some());
        assert_eq!(variable("GOOSE_MODE", "approve", Where::Safe), None);
        assert_eq!(variable("GOOSE_MODE", "auto", Where::PowerUser), None);
        assert!(variable("OPENCODE_PERMISSION", "{}", Where::Safe).is_some());
        assert!(variable("X", "danger-full-access", Where::PowerUser).is_some());
    }
}
