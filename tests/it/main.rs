//! Tests on fakes: every promise of the crate that needs a process but no real agent. One file a topic.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests read this process's own state, start the fakes by hand, and may panic"
)]

#[cfg(all(unix, feature = "cli"))]
mod command_ask;
#[cfg(all(unix, feature = "cli"))]
mod command_demo;
#[cfg(all(unix, feature = "cli"))]
mod command_json;
#[cfg(all(unix, feature = "cli"))]
mod command_request;
#[cfg(all(unix, feature = "cli"))]
mod command_signals;
#[cfg(all(unix, feature = "cli"))]
mod command_usage;
mod contract;
#[cfg(unix)]
mod custom;
#[cfg(unix)]
mod discover;
#[cfg(unix)]
mod engine_cancel;
#[cfg(unix)]
mod engine_sessions;
#[cfg(unix)]
mod engine_start;
#[cfg(unix)]
mod engine_stream;
mod fakes;
#[cfg(unix)]
mod fault_matrix;
mod faults;
#[cfg(all(unix, feature = "cli"))]
mod guidance_cases;
#[cfg(unix)]
mod hostile_host;
#[cfg(unix)]
mod hostile_output;
#[cfg(all(unix, feature = "cli"))]
mod plugins;
#[cfg(unix)]
mod safe_mode;
#[cfg(target_os = "linux")]
mod soak;
#[allow(dead_code, reason = "each topic takes what it needs of the support")]
mod support;
mod tidy;
#[cfg(unix)]
mod watch;
#[cfg(all(unix, feature = "cli"))]
mod workflow;
