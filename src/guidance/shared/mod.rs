//! Rules that hold for every agent, and the names of signals. An agent's own rules come before them.

mod network;
mod provider;
mod system;

use super::Code;
use super::rule::{Example::*, On, Rule};

/// The tables, in the order in which they are asked: the words of a certificate hold those of the network.
pub(super) static RULES: &[&[Rule]] = &[system::RULES, network::RULES, provider::RULES];

/// Chosen by the count of refused tools, not by a signal.
pub(super) static DENIED: Rule = Rule {
    on: On::LastExit(&[]),
    code: Code::PermissionDenied,
    text: "permission_denied",
    source: "the run's own count",
    example: Exit(0),
    near_miss: Exit(0),
};

/// The signal that an exit code of a shell stands for.
pub(super) fn signal_of_exit(code: i32) -> Option<i32> {
    let signal = code - 128;
    [1, 2, 4, 5, 6, 7, 8, 9, 11, 15].contains(&signal).then_some(signal)
}

/// The name of a signal. Only of those whose numbers are the same everywhere.
pub(super) fn signal_name(signal: i32) -> String {
    let name = match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        other => return format!("signal {other}"),
    };
    name.to_owned()
}
