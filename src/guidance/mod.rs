//! What went wrong, and what the person can do about it.
//!
//! Owns the codes, the texts and the rules that choose among them. Reads no file and starts nothing: the same code
//! serves a live run, a failed search and a captured stderr.

mod before;
mod classify;
mod clean;
mod fill;
mod noise;
mod rule;
mod sentences;
mod shared;
#[cfg(test)]
mod tests;
mod texts;
mod wait;
mod warning;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub(crate) use before::of_error;
pub(crate) use before::{
    SlowShell, broken_install, cannot_start, chosen_path, denied, install_prompt, interpreter_missing, mcp_failed,
    no_private_files, not_executable, not_installed, sandboxed, version_unsupported, wrong_architecture,
};
pub(crate) use classify::{AgentError, Cause, Failure, NAMES, classify};
pub(crate) use rule::{Example, On, Rule, anchored, answer, code, event, kind, kind_status, phrase};
pub(crate) use sentences::says;
pub(crate) use texts::{Text, Todo};
pub(crate) use warning::{EarlyWarning, answer_is_failure, early_warning};

/// The longest answer, in bytes, that may be nothing but an error.
pub(crate) const ANSWER_LIMIT: usize = 2048;

/// What happened and what to do, for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Guidance {
    /// The cause, for programs.
    pub code: Code,
    /// A few words, such as "Sign in to GitHub Copilot".
    pub title: String,
    /// What happened, in plain words.
    pub message: String,
    /// What to do, in order.
    pub steps: Vec<Step>,
    /// The few lines of the agent that decided, secrets masked.
    pub evidence: Vec<String>,
    /// The name of the text, stable across releases, for an app that translates.
    pub key: String,
    /// What the text was filled in with.
    pub params: BTreeMap<String, String>,
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Step {
    /// Run a command in a terminal.
    Run {
        /// The command.
        command: String,
    },
    /// Open an address in a browser.
    Open {
        /// The address.
        url: String,
    },
    /// Set or correct an environment variable.
    Set {
        /// Its name.
        variable: String,
    },
    /// Try again.
    Retry {
        /// Not before this many milliseconds have passed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(type = "number", optional))]
        after_ms: Option<u64>,
    },
    /// Choose or do something in words.
    Choose {
        /// The words.
        text: String,
    },
}

/// The cause of a failure. Codes may be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Code {
    /// The agent is nowhere to be found.
    NotInstalled,
    /// The agent is there and does not start or does not answer.
    BrokenInstall,
    /// The file found may not be run.
    NotExecutable,
    /// The file found is for another kind of machine.
    WrongArchitecture,
    /// The agent's interpreter (node) is missing or too old.
    InterpreterMissing,
    /// The agent is too old, or too new for a flag it dropped.
    VersionUnsupported,
    /// Nobody is signed in.
    NotSignedIn,
    /// The token was refused.
    TokenRejected,
    /// The token lacks a permission.
    TokenLacksPermission,
    /// The account has no subscription to the agent.
    SubscriptionRequired,
    /// A policy of the organisation forbids it.
    PolicyBlocked,
    /// The agent does not trust the folder.
    FolderNotTrusted,
    /// Too many requests; it passes.
    RateLimited,
    /// The allowance is used up.
    QuotaExhausted,
    /// The model is not available.
    ModelUnavailable,
    /// The network or the model's server could not be reached.
    Network,
    /// A certificate was refused.
    Tls,
    /// An MCP server did not start.
    McpFailed,
    /// The session to continue does not exist.
    SessionNotFound,
    /// The agent refused its arguments.
    ArgumentsRejected,
    /// The prompt is too long.
    PromptTooLong,
    /// The vault does not exist.
    VaultMissing,
    /// The vault cannot be read.
    VaultUnreadable,
    /// The agent crashed.
    AgentCrashed,
    /// The agent ended without an answer.
    NoAnswer,
    /// The agent needed a permission that nobody could give.
    PermissionDenied,
    /// The agent did what its mode forbids.
    PermissionBypassed,
    /// The time limit of the run passed.
    TimedOut,
    /// The agent was silent for longer than the limit.
    Idle,
    /// None of the above.
    Unknown,
}

impl Code {
    /// The code as it stands in JSON, such as `not_signed_in`.
    pub fn as_str(self) -> String {
        match serde_json::to_value(self) {
            Ok(serde_json::Value::String(text)) => text,
            _ => String::from("unknown"),
        }
    }

    /// Whether something on the person's machine or account must change before any run of this agent can succeed.
    ///
    /// False for what is wrong with one request, and for what passes by itself.
    pub fn needs_setup(self) -> bool {
        match self {
            Code::NotInstalled
            | Code::BrokenInstall
            | Code::NotExecutable
            | Code::WrongArchitecture
            | Code::InterpreterMissing
            | Code::VersionUnsupported
            | Code::NotSignedIn
            | Code::TokenRejected
            | Code::TokenLacksPermission
            | Code::SubscriptionRequired
            | Code::PolicyBlocked
            | Code::FolderNotTrusted
            | Code::Tls => true,
            Code::RateLimited
            | Code::QuotaExhausted
            | Code::ModelUnavailable
            | Code::Network
            | Code::McpFailed
            | Code::SessionNotFound
            | Code::ArgumentsRejected
            | Code::PromptTooLong
            | Code::VaultMissing
            | Code::VaultUnreadable
            | Code::AgentCrashed
            | Code::NoAnswer
            | Code::PermissionDenied
            | Code::PermissionBypassed
            | Code::TimedOut
            | Code::Idle
            | Code::Unknown => false,
        }
    }
}
