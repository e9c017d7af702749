//! The real CLIs, on a scripted local model: no account, no network. `scripts/install-agents.sh` installs them.
#![expect(clippy::disallowed_methods, reason = "tests read their environment and start processes")]
#![allow(missing_docs, clippy::print_stderr, clippy::unwrap_used, dead_code, unreachable_pub, reason = "tests")]

mod claude_failures;
mod claude_hostile;
mod claude_mcp;
mod claude_prompts;
mod claude_scenario;
mod claude_stop;
mod codex_failures;
mod codex_hostile;
mod codex_scenario;
mod codex_stop;
mod codex_vault;
mod command;
mod copilot_failures;
mod copilot_mcp;
mod copilot_plugin;
mod copilot_prompts;
mod copilot_scenario;
mod copilot_signed_in;
mod copilot_stop;
mod described;
mod discover;
mod git;
mod hostile;
mod opencode_failures;
mod opencode_ground;
mod opencode_hostile;
mod opencode_resources;
mod opencode_scenario;
mod opencode_stop;
mod support;
