//! Copilot's flags: those the plans use, by the version that has them, and those a host may add.

use crate::adapters::extra::{self, Takes};
use crate::adapters::version::Flag;
use crate::error::Error;
use crate::request::Request;

/// A flag and the first version measured to take it (2026-11).
const fn flag(name: &'static str, since: (u64, u64, u64)) -> Flag {
    Flag::new(name, since)
}

// From the help of 0.0.403, 0.0.423, 1.0.20, 1.0.40, 1.0.50, 1.0.60 and 1.0.69: a flag counts from the first that lists
// it; `--output-format` by the changelog. All are older than the floor of Power User mode, which may yet be lowered.
pub(super) const OUTPUT_FORMAT: Flag = flag("--output-format=json", (0, 0, 422));
pub(super) const STREAM: Flag = flag("--stream=on", (0, 0, 403));
pub(super) const SESSION_ID: Flag = flag("--session-id", (1, 0, 51));
/// Continues a session and fails where there is none; `--session-id` would begin a new one and say nothing (measured on
/// 1.0.69, 1.0.80 and 1.0.102). It would also move to the session's own folder: [`super::environment`] keeps it here.
pub(super) const RESUME: &str = "--resume";

/// Flags of every plan.
pub(super) const ALWAYS: &[Flag] = &[
    flag("-s", (0, 0, 403)),
    flag("--no-ask-user", (0, 0, 403)),
    flag("--no-color", (0, 0, 403)),
    // Also pins the program: without it, a newer version that the package cache holds starts in its place.
    flag("--no-auto-update", (0, 0, 403)),
    flag("--no-remote", (1, 0, 40)),
    flag("--no-remote-export", (1, 0, 69)),
];

/// Further flags of Safe mode. The built-in servers reach the network; the folder for temporary files is no vault.
pub(super) const SAFE: &[&str] = &["--disable-builtin-mcps", "--disallow-temp-dir"];

/// What a host may add: flags that cannot widen what a mode gives, cannot change where the run works, and leave nothing
/// behind in the user's settings. All others are refused, those of later versions included.
const ADDABLE: &[(&str, Takes)] = &[
    ("--auto-tier", Takes::Value),
    ("--context", Takes::Value),
    ("--deny-tool", Takes::Value),
    ("--deny-url", Takes::Value),
    ("--disable-builtin-mcps", Takes::Nothing),
    ("--disable-client-telemetry", Takes::Nothing),
    ("--disable-mcp-server", Takes::Value),
    ("--disallow-temp-dir", Takes::Nothing),
    ("--effort", Takes::Value),
    ("--enable-reasoning-summaries", Takes::Nothing),
    ("--log-level", Takes::Value),
    ("--max-ai-credits", Takes::Value),
    ("--max-autopilot-continues", Takes::Value),
    ("--no-custom-instructions", Takes::Nothing),
    ("--no-eager-powershell-resolution", Takes::Nothing),
    ("--plain-diff", Takes::Nothing),
    ("--reasoning-effort", Takes::Value),
    ("--screen-reader", Takes::Nothing),
    ("--secret-env-vars", Takes::Value),
];

/// Flags that a person knows and why they are refused, for a better answer than "not known".
const REFUSED: &[(&str, &str)] = &[
    ("--acp", "it changes how the run is driven"),
    ("--add-dir", "it opens another folder"),
    ("--additional-mcp-config", "MCP servers are given with the request"),
    ("--agent", "an agent's file can bring tools and servers of its own"),
    ("--allow-all", "it opens every tool, path and address"),
    ("--allow-all-mcp-server-instructions", "it lets every server write into the prompt"),
    ("--allow-all-paths", "it opens every path"),
    ("--allow-all-tools", "the mode decides on tools"),
    ("--allow-all-urls", "it opens every address"),
    ("--allow-tool", "the mode decides on tools"),
    ("--allow-url", "it opens an address"),
    ("--assisted-approval", "it lets a model approve tools"),
    ("--autopilot", "it goes on without end"),
    ("--available-tools", "the mode decides on tools"),
    ("--config-dir", "it changes whose settings count"),
    ("--continue", "it continues any folder's last session"),
    ("--dynamic-retrieval", "it stays in the user's settings"),
    ("--enable-mcp-server", "it starts another server"),
    ("--excluded-tools", "the mode decides on tools"),
    ("--experimental", "it stays in the user's settings and lets extensions run"),
    ("--extension-sdk-path", "it loads code"),
    ("--interactive", "the run has no terminal"),
    ("--mode", "the mode is given with the request"),
    ("--model", "the model is given with the request"),
    ("--output-format", "the output is read by the launcher"),
    ("--plugin-dir", "plugins are given with the request"),
    ("--prompt", "the prompt is given with the request"),
    ("--remote", "it lets others steer the run"),
    ("--resume", "the session is given with the request"),
    ("--session-id", "the session is given with the request"),
    ("--stream", "the output is read by the launcher"),
    ("--trust-folder", "it lets the vault's own hooks and servers run"),
    ("--yolo", "it opens every tool, path and address"),
    ("-C", "it changes the folder"),
    ("-i", "the run has no terminal"),
    ("-p", "the prompt is given with the request"),
    ("-r", "the session is given with the request"),
];

/// The extra arguments of a request.
pub(super) fn extra(request: &Request) -> Result<Vec<String>, Error> {
    extra::taken(request, ADDABLE, reason)
}

fn reason(name: &str) -> &'static str {
    // The shortest known flag that the argument is, begins with or abbreviates: `-p=x`, `-C/x`, `--allow-all-t`.
    let same = |known: &str| {
        let abbreviated = name.len() > 3 && name.starts_with("--") && known.starts_with(name);
        extra::is_same(name, known) || abbreviated
    };
    let known = REFUSED.iter().filter(|(known, _)| same(known)).min_by_key(|(known, _)| known.len());
    extra::or_unknown(name, known)
}
