//! The exit codes: a promise to scripts.

use std::process::ExitCode;

use agent_launcher::{Code, Error, Status};

/// The codes, as `--help` tells them.
pub(super) const HELP: &str = "\
Exit codes:
  0    completed
  1    the agent failed
  2    wrong usage: something in the request must change
  3    setup needed: something on this machine or account must change, the guidance says what
  124  timed out
  130  cancelled (Ctrl-C, SIGTERM, or the reader of stdout left)";

/// How the command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    Completed,
    Failed,
    Usage,
    Setup,
    TimedOut,
    Cancelled,
}

impl Exit {
    /// The number that the shell sees.
    pub(super) fn code(self) -> u8 {
        match self {
            Exit::Completed => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Setup => 3,
            Exit::TimedOut => 124,
            Exit::Cancelled => 130,
        }
    }

    /// For a failure that nothing was started for.
    pub(super) fn of_error(error: &Error) -> Exit {
        match error {
            Error::Setup(guidance) => Exit::of_guidance(guidance.code),
            error if error.is_usage() => Exit::Usage,
            _ => Exit::Failed,
        }
    }

    /// For a failed run, by the cause that its guidance names.
    pub(super) fn of_guidance(code: Code) -> Exit {
        match code {
            Code::VaultMissing | Code::VaultUnreadable | Code::PromptTooLong => Exit::Usage,
            code if code.needs_setup() => Exit::Setup,
            _ => Exit::Failed,
        }
    }

    /// For a run that ended. `code` is that of its `Error` event.
    pub(super) fn of_run(status: Status, code: Option<Code>) -> Exit {
        match status {
            Status::Completed => Exit::Completed,
            Status::Cancelled => Exit::Cancelled,
            Status::TimedOut => Exit::TimedOut,
            Status::Failed => code.map_or(Exit::Failed, Exit::of_guidance),
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every code of the contract with the exit code of a run that failed for it.
    const TABLE: &[(&str, u8)] = &[
        ("not_installed", 3),
        ("broken_install", 3),
        ("not_executable", 3),
        ("wrong_architecture", 3),
        ("interpreter_missing", 3),
        ("version_unsupported", 3),
        ("not_signed_in", 3),
        ("token_rejected", 3),
        ("token_lacks_permission", 3),
        ("subscription_required", 3),
        ("policy_blocked", 3),
        ("folder_not_trusted", 3),
        ("tls", 3),
        ("rate_limited", 1),
        ("quota_exhausted", 1),
        ("model_unavailable", 1),
        ("network", 1),
        ("mcp_failed", 1),
        ("session_not_found", 1),
        ("arguments_rejected", 1),
        ("agent_crashed", 1),
        ("no_answer", 1),
        ("permission_denied", 1),
        ("permission_bypassed", 1),
        ("timed_out", 1),
        ("idle", 1),
        ("unknown", 1),
        ("prompt_too_long", 2),
        ("vault_missing", 2),
        ("vault_unreadable", 2),
    ];

    #[test]
    fn every_guidance_code_has_its_exit_code() {
        for (name, exit) in TABLE {
            let code: Code = serde_json::from_value((*name).into()).unwrap();
            assert_eq!(Exit::of_run(Status::Failed, Some(code)).code(), *exit, "{name}");
        }
    }

    #[test]
    fn the_status_decides_before_the_guidance() {
        assert_eq!(Exit::of_run(Status::Completed, None).code(), 0);
        assert_eq!(Exit::of_run(Status::Cancelled, Some(Code::NotSignedIn)).code(), 130);
        assert_eq!(Exit::of_run(Status::TimedOut, Some(Code::Idle)).code(), 124);
        assert_eq!(Exit::of_run(Status::Failed, None).code(), 1);
    }
}
