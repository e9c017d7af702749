//! What Claude Code gets of the host's environment, beside what every agent gets.

use crate::adapters::environment::{Stripped, Table, disturbs, runs_for_the_person, widens};

/// By the program's strings and its documents; what was measured says so.
pub(super) static TABLE: Table = Table { safe: SAFE, stripped: STRIPPED, set: SET, secret: SECRET };

const SAFE: &[&str] = &[
    // Sign-in, the model and where its server is.
    "ANTHROPIC_*",
    "CLAUDE_CODE_API_KEY_HELPER_TTL_MS",
    "CLAUDE_CODE_OAUTH_TOKEN",
    // Its files.
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_SECURESTORAGE_CONFIG_DIR",
    // Models at a cloud provider.
    "AWS_*",
    "CLAUDE_CODE_USE_ANTHROPIC_AWS",
    "CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_FOUNDRY",
    "CLAUDE_CODE_USE_GATEWAY",
    "CLAUDE_CODE_USE_MANTLE",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_SKIP_BEDROCK_AUTH",
    "CLAUDE_CODE_SKIP_FOUNDRY_AUTH",
    "CLAUDE_CODE_SKIP_VERTEX_AUTH",
    "CLOUD_ML_REGION",
    "CLOUDSDK_CONFIG",
    "AZURE_CLIENT_CERTIFICATE_PATH",
    "AZURE_CLIENT_ID",
    "AZURE_CLIENT_SECRET",
    "AZURE_CONFIG_DIR",
    "AZURE_TENANT_ID",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_CLOUD_PROJECT",
    "VERTEX_REGION_*",
    // Certificates of its own.
    "CLAUDE_CODE_CERT_STORE",
    "CLAUDE_CODE_CLIENT_CERT",
    "CLAUDE_CODE_CLIENT_KEY",
    "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE",
    // What the person does not want sent, and how much the model thinks and writes.
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    "CLAUDE_CODE_EFFORT_LEVEL",
    "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
    "DISABLE_ERROR_REPORTING",
    "DISABLE_PROMPT_CACHING*",
    "DISABLE_TELEMETRY",
    "DO_NOT_TRACK",
    "MAX_THINKING_TOKENS",
    // On Windows it needs Git's bash.
    "CLAUDE_CODE_GIT_BASH_PATH",
];

const STRIPPED: &[Stripped] = &[
    widens(
        "CLAUDE_CODE_DISABLE_ATTACHMENTS",
        "is set in Safe mode, for `@` in a prompt not to read any file (measured)",
    ),
    widens(
        "CLAUDE_CODE_DISABLE_AUTO_MEMORY",
        "is set in Safe mode, for notes of other sessions to stay out (measured)",
    ),
    widens(
        "CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS",
        "is set, for Git not to run programs that the vault's settings of it name (measured)",
    ),
    widens("CLAUDE_CODE_PLUGIN_*", "loads plugins, whose hooks run (measured)"),
    widens("CLAUDE_CODE_SHELL_PREFIX", "wraps the start of shells and of MCP servers (measured)"),
    widens("CLAUDE_CODE_SYNC_PLUGIN*", "loads plugins (by name, in the program)"),
    widens("CLAUDE_CODE_SYNC_SKILLS*", "loads skills (by name, in the program)"),
    widens("CLAUDE_CODE_DESKTOP_SKILLS_PLUGIN_DIR", "loads a plugin (by name, in the program)"),
    widens("CLAUDE_CODE_USE_COWORK_PLUGINS", "loads plugins (by name, in the program)"),
    widens("CLAUDE_CODE_ENABLE_FUNCTION_HOOKS", "lets hooks run (by name, in the program)"),
    widens("CLAUDE_CODE_EVEN_MORE_DANGEROUSLY_SKIP_PERMISSIONS", "approves every tool (by name, in the program)"),
    widens("CLAUDE_CODE_MANAGED_SETTINGS_PATH", "replaces the organisation's settings (by name, in the program)"),
    widens("CLAUDE_CODE_REMOTE*", "steers the run from elsewhere (by name, in the program)"),
    widens("CLAUDE_CODE_BRIDGE_*", "steers the run from elsewhere (by name, in the program)"),
    widens("CLAUDE_CODE_TERMINAL_MCP_TOOLS", "brings tools of a server (by name, in the program)"),
    widens("CLAUDE_CODE_SHELL_MCP_SERVERS", "brings servers (by name, in the program)"),
    widens("CLAUDE_AGENT_SDK_MCP_NO_PREFIX", "takes away what a server's tools are known by (by name, in the program)"),
    widens("CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD", "adds instructions from elsewhere (documented)"),
    widens("CLAUDE_RELAUNCH_*", "opens folders (by name, in the program)"),
    widens("CLAUDE_BG_*", "hands over another session's rules and trust (by name, in the program)"),
    widens("CLAUDE_COWORK_*", "opens another folder for notes of its own (by name, in the program)"),
    widens("CLAUDE_MEMORY_STORES", "opens another folder for notes of its own (by name, in the program)"),
    widens("CLAUDE_INTERNAL_*", "switches features on (by name, in the program)"),
    widens("CLAUDE_ENV_FILE", "runs a file before every shell command (documented)"),
    widens("USE_BUILTIN_RIPGREP", "searches with whatever is called `rg` (measured)"),
    widens("BUN_BE_BUN", "makes the program a plain Bun (by name, in the program)"),
    widens("BUN_INSPECT*", "opens the program to a debugger (by name, in the program)"),
    widens("BUN_CONFIG_FILE", "loads code into the program (by name, in the program)"),
    runs_for_the_person("AWS_CONFIG_FILE", "names programs that bring credentials (documented by AWS)"),
    runs_for_the_person("AWS_SHARED_CREDENTIALS_FILE", "names programs that bring credentials (documented by AWS)"),
    runs_for_the_person(
        "GOOGLE_APPLICATION_CREDENTIALS",
        "may name a program that brings credentials (documented by Google)",
    ),
    disturbs("CLAUDECODE", "is the mark of a session that this one would be nested in (measured)"),
    disturbs("CLAUDE_CODE_ENTRYPOINT", "is the mark of a session that this one would be nested in (measured)"),
    disturbs("CLAUDE_CODE_SESSION_ID", "names another session (measured: set for the program's children)"),
    disturbs("CLAUDE_CODE_CHILD_*", "is the mark of a session that this one would be nested in (measured)"),
    disturbs("CLAUDE_CODE_LAUNCHED_BY_SESSION_IDS", "is the mark of another session (measured)"),
    disturbs(
        "CLAUDE_CODE_MESSAGING_*",
        "lets another session be written to (measured: set for the program's children)",
    ),
    disturbs("CLAUDE_CODE_SSE_PORT", "connects to an editor (documented)"),
    disturbs("CLAUDE_CODE_SIMPLE", "takes tools away: Write, Glob and Grep (measured)"),
    disturbs("CLAUDE_CODE_SAFE_MODE", "drops the MCP servers of the run (measured for its flag)"),
    // It needs bubblewrap, and without it the program does not start (measured).
    disturbs(
        "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB",
        "keeps the program from starting where bubblewrap is missing (measured)",
    ),
];

const SET: &[(&str, &str)] = &[
    ("DISABLE_AUTOUPDATER", "1"),
    // Else 2.1.332 offers the tools of servers only through a search, where more than Safe mode's are there (measured).
    ("ENABLE_TOOL_SEARCH", "false"),
    // Else 2.1.197 begins without a server that takes longer than a second (measured).
    ("MCP_CONNECTION_NONBLOCKING", "0"),
    // Else a server that hangs holds the run up for 30 seconds (measured).
    ("MCP_TIMEOUT", "15000"),
    // Else a wrong key is tried ten times, for more than a minute (measured). These take some ten seconds.
    ("CLAUDE_CODE_MAX_RETRIES", "4"),
];

/// Variables whose values the servers of a run do not get.
const SECRET: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_AWS_API_KEY",
    "ANTHROPIC_CUSTOM_HEADERS",
    "ANTHROPIC_FOUNDRY_API_KEY",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE",
    "CLAUDE_CODE_OAUTH_TOKEN",
];
