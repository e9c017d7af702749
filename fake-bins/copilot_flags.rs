//! Which flags each version of Copilot takes, and how the two parsers it had refuse the rest.
//!
//! Sources: `copilot --help` of 1.0.69 and 1.0.102, a matrix of 14 versions (0.0.340 to 1.0.102), and both programs run on
//! each rule here (Linux, 2026-11). A flag is listed from the first version it was *seen* in, so that a fake of a version
//! in between is rather too strict than too kind.

/// How many values a flag takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// None.
    Nothing,
    /// Exactly one.
    One,
    /// One or none: the next argument unless it begins with a dash.
    Optional,
    /// Any number: all following arguments up to one that begins with a dash.
    Many,
}

/// One flag.
#[derive(Debug)]
pub(crate) struct Flag {
    /// The long name without dashes; empty for `-C`.
    pub(crate) long: &'static str,
    /// The letter, where there is one.
    pub(crate) short: Option<char>,
    pub(crate) takes: Takes,
    /// What `--help` calls the value.
    pub(crate) value: &'static str,
    /// The first version seen with it.
    since: Version,
}

/// A version as numbers.
pub(crate) type Version = (u64, u64, u64);

/// Parses `1.0.102`.
pub(crate) fn version(text: &str) -> Option<Version> {
    let mut parts = text.split('.').map(|part| part.parse().ok());
    Some((parts.next()??, parts.next()??, parts.next()??))
}

/// Whether this version has the newer parser, with its own texts and a stricter reading of values.
pub(crate) fn new_parser(version: Version) -> bool {
    version >= (1, 0, 81)
}

impl Flag {
    /// The flag as both parsers name it in errors.
    pub(crate) fn usage(&self, new: bool) -> String {
        let dashed =
            if self.long.is_empty() { format!("-{}", self.short.unwrap_or('?')) } else { format!("--{}", self.long) };
        let short = self.short.filter(|_| !new && !self.long.is_empty()).map(|short| format!("-{short}, "));
        let short = short.unwrap_or_default();
        match (self.takes, new) {
            (Takes::Nothing, _) => format!("{short}{dashed}"),
            (Takes::One, _) => format!("{short}{dashed} <{}>", self.value),
            (Takes::Optional, true) => format!("{dashed} [<{}>]", self.value),
            (Takes::Optional, false) => format!("{short}{dashed}[={}]", self.value),
            (Takes::Many, true) => format!("{dashed} [<{}>...]", self.value),
            (Takes::Many, false) => format!("{short}{dashed}[={}...]", self.value),
        }
    }

    fn is_in(&self, version: Version) -> bool {
        self.since <= version
    }

    /// The values it allows, where it allows only some.
    pub(crate) fn choices(&self) -> &'static [&'static str] {
        match self.long {
            "stream" => &["on", "off"],
            "output-format" => &["text", "json"],
            "log-level" => &["none", "error", "warning", "info", "debug", "all", "default"],
            "mode" => &["interactive", "plan", "autopilot"],
            "context" => &["default", "long_context"],
            _ => &[],
        }
    }
}

/// The flag of this long name in a version.
pub(crate) fn long(name: &str, version: Version) -> Option<&'static Flag> {
    FLAGS.iter().find(|flag| !flag.long.is_empty() && flag.long == name && flag.is_in(version))
}

/// The flag of this letter in a version.
pub(crate) fn short(letter: char, version: Version) -> Option<&'static Flag> {
    FLAGS.iter().find(|flag| flag.short == Some(letter) && flag.is_in(version))
}

const ALWAYS: Version = (0, 0, 403);
const V423: Version = (0, 0, 423);
const V69: Version = (1, 0, 69);
const V102: Version = (1, 0, 102);

const fn flag(long: &'static str, takes: Takes, value: &'static str, since: Version) -> Flag {
    Flag { long, short: None, takes, value, since }
}

const fn lettered(mut flag: Flag, short: char) -> Flag {
    flag.short = Some(short);
    flag
}

use Takes::{Many, Nothing, One, Optional};

static FLAGS: &[Flag] = &[
    lettered(flag("version", Nothing, "", ALWAYS), 'v'),
    lettered(flag("help", Nothing, "", ALWAYS), 'h'),
    lettered(flag("interactive", One, "prompt", ALWAYS), 'i'),
    lettered(flag("prompt", One, "text", ALWAYS), 'p'),
    lettered(flag("silent", Nothing, "", ALWAYS), 's'),
    lettered(flag("resume", Optional, "value", ALWAYS), 'r'),
    lettered(flag("name", One, "name", V69), 'n'),
    lettered(flag("", One, "directory", (1, 0, 50)), 'C'),
    flag("no-ask-user", Nothing, "", ALWAYS),
    flag("additional-mcp-config", One, "json", ALWAYS),
    flag("available-tools", Many, "tools", ALWAYS),
    flag("excluded-tools", Many, "tools", ALWAYS),
    flag("allow-tool", Many, "tools", ALWAYS),
    flag("deny-tool", Many, "tools", ALWAYS),
    flag("stream", One, "mode", ALWAYS),
    flag("continue", Nothing, "", ALWAYS),
    flag("no-color", Nothing, "", ALWAYS),
    flag("no-auto-update", Nothing, "", ALWAYS),
    flag("disable-builtin-mcps", Nothing, "", ALWAYS),
    flag("disallow-temp-dir", Nothing, "", ALWAYS),
    flag("acp", Nothing, "", ALWAYS),
    flag("no-custom-instructions", Nothing, "", ALWAYS),
    flag("add-dir", One, "directory", ALWAYS),
    flag("allow-all-paths", Nothing, "", ALWAYS),
    flag("yolo", Nothing, "", ALWAYS),
    flag("model", One, "model", ALWAYS),
    flag("allow-all-tools", Nothing, "", ALWAYS),
    flag("output-format", One, "format", (0, 0, 422)),
    flag("secret-env-vars", Many, "vars", V423),
    flag("plugin-dir", One, "directory", V423),
    flag("no-remote", Nothing, "", (1, 0, 40)),
    flag("session-id", One, "id", (1, 0, 51)),
    flag("add-github-mcp-tool", One, "tool", V69),
    flag("add-github-mcp-toolset", One, "toolset", V69),
    flag("agent", One, "agent", V69),
    flag("allow-all", Nothing, "", V69),
    flag("allow-all-mcp-server-instructions", Nothing, "", V69),
    flag("allow-all-urls", Nothing, "", V69),
    flag("allow-url", Many, "urls", V69),
    flag("attachment", One, "path", V69),
    flag("autopilot", Nothing, "", V69),
    flag("banner", Nothing, "", V69),
    flag("bash-env", Optional, "value", V69),
    flag("connect", Optional, "sessionId", V69),
    flag("context", One, "tier", V69),
    flag("deny-url", Many, "urls", V69),
    flag("disable-mcp-server", One, "server-name", V69),
    flag("effort", One, "level", V69),
    flag("reasoning-effort", One, "level", V69),
    flag("enable-all-github-mcp-tools", Nothing, "", V69),
    flag("enable-memory", Nothing, "", V69),
    flag("enable-reasoning-summaries", Nothing, "", V69),
    flag("experimental", Nothing, "", V69),
    flag("extension-sdk-path", One, "directory", V69),
    flag("log-dir", One, "directory", V69),
    flag("log-level", One, "level", V69),
    flag("max-ai-credits", One, "credits", V69),
    flag("max-autopilot-continues", One, "count", V69),
    flag("mode", One, "mode", V69),
    flag("mouse", Optional, "value", V69),
    flag("no-bash-env", Nothing, "", V69),
    flag("no-experimental", Nothing, "", V69),
    flag("no-mouse", Nothing, "", V69),
    flag("no-remote-export", Nothing, "", V69),
    flag("plain-diff", Nothing, "", V69),
    flag("plan", Nothing, "", V69),
    flag("remote", Nothing, "", V69),
    flag("remote-export", Nothing, "", V69),
    flag("screen-reader", Nothing, "", V69),
    flag("share", Optional, "path", V69),
    flag("share-gist", Nothing, "", V69),
    flag("trust-folder", Nothing, "", (1, 0, 100)),
    flag("assisted-approval", Nothing, "", V102),
    flag("auto-tier", One, "preference", V102),
    flag("disable-client-telemetry", Nothing, "", V102),
    flag("dynamic-retrieval", One, "category=on|off", V102),
    flag("enable-mcp-server", One, "server-name", V102),
    flag("environment-compute-id", One, "id", V102),
    flag("environment-host", One, "name", V102),
    flag("fleet", Nothing, "", V102),
    flag("mcp-github-auth", One, "server=origin", V102),
    flag("no-eager-powershell-resolution", Nothing, "", V102),
    flag("usage-output-file", One, "file", V102),
];
