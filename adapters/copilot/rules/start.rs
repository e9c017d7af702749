//! Copilot's words about what keeps it from starting or going on: arguments, sessions, installation, trust. Recordings are of 1.0.102, 2026-11-30, Linux.

use crate::guidance::{Code, Example::*, Rule, phrase};

pub(super) static RULES: &[Rule] = &[
    // Sessions.
    Rule {
        on: phrase(r"No session(?:, task, or name| or task) matched '(?P<session>[^'\n]*)'\."),
        code: Code::SessionNotFound,
        text: "session_not_found",
        source: "1.0.102, recordings 5_resume_unknown_text, 5_sessionid_notuuid_text",
        example: Text("Error: No session, task, or name matched '0cb916db-26aa-40f2-86b5-1ba81b225fd2'."),
        near_miss: Text("No session today; the name matched 'x'."),
    },
    Rule {
        on: phrase(r"Multiple sessions are available and bare --resume needs an interactive session picker"),
        code: Code::SessionNotFound,
        text: "session_not_found",
        source: "1.0.102, recording 7_resume_bare",
        example: Text(
            "Error: Multiple sessions are available and bare --resume needs an interactive session picker, which cannot be shown in the current non-interactive mode.",
        ),
        near_miss: Text("Multiple sessions are available on Tuesday."),
    },
    Rule {
        on: phrase(
            r"(?:Failed to resume session: (?:Error: )?|Request session\.resume failed with message: )?Session file is corrupted \(line \d+: ",
        ),
        code: Code::SessionNotFound,
        text: "session_damaged",
        source: "github/copilot-cli#1864, github/copilot-sdk#1007",
        example: Text("Failed to resume session: Error: Session file is corrupted (line 7103: SyntaxError)"),
        near_miss: Text("Session file is corrupted, says my note."),
    },
    // Arguments.
    Rule {
        on: phrase(r"No prompt provided\. Run in an interactive terminal or provide a prompt"),
        code: Code::ArgumentsRejected,
        text: "prompt_empty",
        source: "1.0.102, recording 2_empty",
        example: Text(
            "No prompt provided. Run in an interactive terminal or provide a prompt with -p or via standard in.",
        ),
        near_miss: Text("No prompt provided in the drawing lesson."),
    },
    Rule {
        on: phrase(
            r"Failed to read MCP config file (?P<detail>\x22(?P<path>[^\x22\n]+)\x22: [^\n]+)|Invalid JSON: (?P<line>[^\n]+ at line \d+ column \d+)|mcpServers: (?:Required|Expected) ?[^\n]*\s*$",
        ),
        code: Code::McpFailed,
        text: "mcp_configuration",
        source: "1.0.102, recordings 5_mcp_atfile_missing_text, 5_mcp_badjson_text, 5_mcp_badshape_text",
        example: Text("Failed to read MCP config file \"/nonexistent.json\": No such file or directory (os error 2)"),
        near_miss: Text("mcpServers: a heading in my note"),
    },
    Rule {
        on: phrase(r"cannot change working directory to '(?P<path>[^'\n]+)': Error: (?:ENOENT|ENOTDIR): "),
        code: Code::VaultMissing,
        text: "vault_missing",
        source: "1.0.102, recordings 5_dashC__nonexistent_dir, 5_dashC__etc_passwd",
        example: Text(
            "error: cannot change working directory to '/nonexistent/dir': Error: ENOENT: no such file or directory, chdir '/a' -> '/nonexistent/dir'",
        ),
        near_miss: Text("You cannot change working directory to '/x' in the story"),
    },
    Rule {
        on: phrase(
            r"cannot change working directory to '(?P<path>[^'\n]+)': Error: (?P<line>(?:EACCES|EPERM): [^\n,]+)",
        ),
        code: Code::VaultUnreadable,
        text: "vault_unreadable",
        source: "1.0.102, the sentence of recording 5_dashC__nonexistent_dir with the error of a closed folder",
        example: Text(
            "error: cannot change working directory to '/srv/x': Error: EACCES: permission denied, chdir '/a' -> '/srv/x'",
        ),
        near_miss: Text("EACCES: a working directory"),
    },
    Rule {
        on: phrase(
            r"(?P<detail>unknown option '[^'\n]+'|unknown command '[^'\n]+'|unexpected argument '[^'\n]+' found|too many arguments\b[^\n]*|option '[^'\n]+' argument missing|option '[^'\n]+' argument '[^'\n]*' is invalid\b[^\n]*|invalid value '[^'\n]*' for '[^'\n]+'|Invalid value for --[a-z-]+: [^\n]+|a value is required for '[^'\n]+' but none was supplied|Invalid command format)\.?",
        ),
        code: Code::ArgumentsRejected,
        text: "arguments_rejected",
        source: "1.0.102, recordings 5_unknown_flag_text, 5_flag_bad_value_text, 5_max_ai_credits_low_text, 2_p_last; 1.0.80 and older: unknown option",
        example: Text("error: unknown option '--frobnicate'"),
        near_miss: Text("The user chose an unknown option '--x' in the note"),
    },
    // Installation.
    Rule {
        on: phrase(
            r"(?:GitHub Copilot CLI requires Node\.js (?P<needed>v\d+(?: \(v\d+\))?) or higher\. Currently using (?P<found>v[\d.]+\d)|Unsupported Node\.js version(?::? (?P<line>v?[\d.]+\d))?[^\n]* requires Node)",
        ),
        code: Code::InterpreterMissing,
        text: "interpreter_too_old",
        source: "0.0.370 and 1.0.0 under Node 20.20.2, 2026-11-30; a string of 1.0.102",
        example: Text("GitHub Copilot CLI requires Node.js v22 or higher. Currently using v20.20.2."),
        near_miss: Text("GitHub Copilot CLI requires patience."),
    },
    Rule {
        on: phrase(
            r#"(?:(?:-)?(?:ba|z|da|k|a)?sh: )?(?:line \d+: )?(?:\d+: )?(?:copilot: (?:command )?not found|command not found: copilot)\s*$|Command 'copilot' not found\b|'\x22?copilot\x22?' is not recognized as an internal or external command"#,
        ),
        code: Code::NotInstalled,
        text: "not_installed",
        source: "github/copilot-cli#88, #113, #42",
        example: Text(r#"copilot: command not found"#),
        near_miss: Text(r#"The copilot was not found after the crash"#),
    },
    Rule {
        on: phrase(r#"Cannot find package '(?P<path>[^'\n]+)' imported from "#),
        code: Code::BrokenInstall,
        text: "broken_install",
        source: "github/copilot-cli#300",
        example: Text(
            r#"Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'node-pty' imported from /home/user/node_modules/@github/copilot/index.js"#,
        ),
        near_miss: Text(r#"We cannot find package 'x' at the post office"#),
    },
    Rule {
        on: phrase(r#"spawn EPERM\b"#),
        code: Code::NotExecutable,
        text: "not_executable",
        source: "eugene1g/agent-safehouse#47",
        example: Text(r#"✗ Execution failed: Error: spawn EPERM"#),
        near_miss: Text(r#"spawn EPERMIT"#),
    },
    Rule {
        on: phrase(r#"Cannot invoke native session after disposal has started"#),
        code: Code::AgentCrashed,
        text: "agent_killed",
        source: "1.0.102, recording 6_startup_native_TERM2",
        example: Text(r#"Error executing prompt: Error: Cannot invoke native session after disposal has started"#),
        near_miss: Text(r#"You cannot invoke native session after disposal has started"#),
    },
    Rule {
        on: phrase(
            r"GitHub Copilot native binary at (?P<path>[^\n]+) was terminated by signal (?:SIGKILL|SIGTERM|SIGINT|SIGHUP)",
        ),
        code: Code::AgentCrashed,
        text: "agent_killed",
        source: "1.0.102, recording 6_shim_nativekilled_KILL",
        example: Text("GitHub Copilot native binary at /usr/lib/copilot was terminated by signal SIGKILL."),
        near_miss: Text("The native binary was terminated by signal lamps."),
    },
    Rule {
        on: phrase(r"GitHub Copilot native binary at (?P<path>[^\n]+) was terminated by signal "),
        code: Code::AgentCrashed,
        text: "agent_crashed",
        source: "1.0.102, the sentence of recording 6_shim_nativekilled_KILL",
        example: Text("GitHub Copilot native binary at /usr/lib/copilot was terminated by signal SIGSEGV."),
        near_miss: Text("The native binary was terminated by signal lamps."),
    },
    Rule {
        on: phrase(
            r"GitHub Copilot CLI: no platform package found\.|Native addon \x22[^\x22\n]+\x22 not found for (?:win32|darwin|linux|linuxmusl)-[a-z0-9]+\.|Cannot find native binding\. npm has a bug\b|Failed to load native module: [\w.-]+\.node\b",
        ),
        code: Code::BrokenInstall,
        text: "package_missing",
        source: "1.0.102, recording 6_shim_nativekilled_KILL; github/copilot-cli#3310, #3281; microsoft/vscode#300855",
        example: Text(
            "GitHub Copilot CLI: no platform package found. Reinstall with `npm install -g @github/copilot` to fetch the package for your platform.",
        ),
        near_miss: Text("GitHub Copilot CLI: a platform package was found."),
    },
    Rule {
        on: phrase(r"(?:Install GitHub Copilot CLI\?|[^\n]*GitHub Copilot CLI is not installed)"),
        code: Code::NotInstalled,
        text: "install_prompt",
        source: "the stub of the VS Code extension, public reports; github/copilot-cli#1181",
        example: Text("Install GitHub Copilot CLI? (y/N)"),
        near_miss: Text("How do I install GitHub Copilot CLI?"),
    },
    Rule {
        on: phrase(
            r"Failed to extract bundled package: [^\n]*ENOSPC|Package extraction attempt \d+/\d+ failed, retrying: [^\n]*ENOSPC",
        ),
        code: Code::BrokenInstall,
        text: "disk_full",
        source: "1.0.102, recording 5_disk_full_home_cache_text",
        example: Text("Failed to extract bundled package: Error: ENOSPC: no space left on device, write"),
        near_miss: Text("Failed to extract bundled luggage"),
    },
    Rule {
        on: phrase(
            r"Failed to extract bundled package: [^\n]*?(?:EACCES|EROFS|EPERM|ENOTDIR): [^\n']*(?:'(?P<path>[^'\n]+)')?",
        ),
        code: Code::BrokenInstall,
        text: "home_unwritable",
        source: "1.0.102, recordings 5_home_readonly_nocache, 5_home_file_text",
        example: Text(
            "Failed to extract bundled package: Error: EACCES: permission denied, mkdir '/home/user/nb_ro/.cache'",
        ),
        near_miss: Text("Failed to extract bundled luggage: EACCES"),
    },
    // Trust and permission.
    Rule {
        on: phrase(r"(?:Confirm folder trust|Do you trust the files in this folder\?)\s*$"),
        code: Code::FolderNotTrusted,
        text: "folder_not_trusted",
        source: "1.0.102, strings of the program, 2026-11",
        example: Text("Do you trust the files in this folder?"),
        near_miss: Text("Do you trust the files in this folder? asked the teacher, and policy says no"),
    },
    Rule {
        on: phrase(
            r#"Permission denied and could not request permission from user|Allow access to these paths\? \(y/n\)"#,
        ),
        code: Code::PermissionDenied,
        text: "permission_denied",
        source: "0.0.348 to 1.0.79; github/copilot-cli#549, #382, #4433",
        example: Text(r#"   Permission denied and could not request permission from user"#),
        near_miss: Text(r#"The guard denied and could not request permission from user groups."#),
    },
    Rule {
        on: phrase(r"Permission denied because no interactive user response was available\."),
        code: Code::PermissionDenied,
        text: "permission_denied",
        source: "1.0.102, recording 9_json_denied",
        example: Text(
            "Permission denied because no interactive user response was available. Retry in an interactive session so the user can approve it.",
        ),
        near_miss: Text("Permission denied because of the rain."),
    },
];
