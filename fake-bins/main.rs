//! A scripted stand-in for an agent.
#![expect(clippy::disallowed_methods, reason = "a fake reads its own environment and working directory")]
#![expect(clippy::print_stderr, reason = "a fake prints what the program it plays prints")]

mod mcp;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect();
    if mcp::is_meant(&args) {
        return mcp::run(&args);
    }
    ExitCode::SUCCESS
}
