//! Rules of every agent about the computer: crashes, the interpreter, the installation, the disk.

use crate::guidance::Code;
use crate::guidance::rule::{Example::*, On, Rule, phrase};

pub(super) static RULES: &[Rule] = &[
    // Crashes.
    Rule {
        // ILL, TRAP, ABRT, BUS (Linux), FPE, BUS (macOS), SEGV, SYS.
        on: On::Signal(&[4, 5, 6, 7, 8, 10, 11, 31]),
        code: Code::AgentCrashed,
        text: "agent_crashed",
        source: "signal(7), Linux and macOS",
        example: Signal(11),
        near_miss: Signal(15),
    },
    Rule {
        // The same as a shell tells them, and access violation, stack buffer overrun, stack overflow of Windows.
        on: On::Exit(&[132, 133, 134, 135, 136, 139, -1_073_741_819, -1_073_740_791, -1_073_741_571]),
        code: Code::AgentCrashed,
        text: "agent_crashed",
        source: "128 + signal as shells report it; NTSTATUS values of Windows",
        example: Exit(139),
        near_miss: Exit(1),
    },
    Rule {
        on: phrase(
            r"(?:FATAL ERROR: )?[A-Z][^\n]*Allocation failed - JavaScript heap out of memory|# Fatal process out of memory: [A-Z]",
        ),
        code: Code::AgentCrashed,
        text: "out_of_memory",
        source: "V8's own message; github/copilot-cli#4725, #1457, #4499, #1468",
        example: Text("FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory"),
        near_miss: Text("The note says: JavaScript heap out of memory is common"),
    },
    Rule {
        on: phrase(r"thread '[^'\n]*' (?:\(\d+\) )?panicked at "),
        code: Code::AgentCrashed,
        text: "agent_crashed",
        source: "the panic message of Rust, 2026",
        example: Text("thread 'main' panicked at src/main.rs:10:5:\nexplicit panic"),
        near_miss: Text("the thread about panicked buyers"),
    },
    Rule {
        on: phrase(r"panic: (?:runtime error: |\S)[^\n]*\n(?s:.*?)goroutine \d+ \["),
        code: Code::AgentCrashed,
        text: "agent_crashed",
        source: "the panic message of Go, 2026",
        example: Text(
            "panic: runtime error: invalid memory address or nil pointer dereference\n\ngoroutine 1 [running]:",
        ),
        near_miss: Text("panic: do not"),
    },
    Rule {
        on: phrase(
            r"(?:\[\d+\] +(?:\d+|\+) +)?(?i:segmentation fault|IOT instruction|trace trap|illegal hardware instruction|abort trap: 6|bus error)(?: \(core dumped\))?(?: +\S+)?\s*$|# Fatal (?:JavaScript [^\n]+|error in ,? ?line \d+)\s*$",
        ),
        code: Code::AgentCrashed,
        text: "agent_crashed",
        source: "what shells and V8 print; github/copilot-cli#2937, #4725, #4102",
        example: Text("Segmentation fault (core dumped)"),
        near_miss: Text("Segmentation fault lines are studied in geology"),
    },
    // The interpreter and the installation.
    Rule {
        on: phrase(
            r"node: No such file or directory\s*$|(?:/usr/bin/)?env: (?:[‘'\x22`]?(?P<interpreter>node|bun|deno|python3?)[’'\x22`]?): No such file or directory",
        ),
        code: Code::InterpreterMissing,
        text: "interpreter_missing",
        source: "env of coreutils 9 and macOS 15, measured 2026-11",
        example: Text("env: node: No such file or directory"),
        near_miss: Text("cat: node: No such file or directory"),
    },
    Rule {
        on: phrase(
            r"(?:(?:-)?(?:/bin/|/usr/bin/)?(?:ba|z|da|k)?sh: (?:(?:line )?\d+: )?(?:exec: )?)?(?:[^\n:]*: (?:(?:line )?\d+: )?(?:exec: )?)?(?P<interpreter>node): (?:command )?not found\s*$",
        ),
        code: Code::InterpreterMissing,
        text: "interpreter_missing",
        source: "bash 5.2 and dash 0.5 for a launcher script without node, 2026-11",
        example: Text("/usr/local/bin/copilot: line 3: exec: node: not found"),
        near_miss: Text("XML element node: not found in note"),
    },
    Rule {
        on: phrase(r"'\x22?node\x22?' is not recognized as an internal or external command"),
        code: Code::InterpreterMissing,
        text: "interpreter_missing",
        source: "cmd.exe of Windows for an npm shim without node",
        example: Text("'node' is not recognized as an internal or external command,\noperable program or batch file."),
        near_miss: Text("'git' is not recognized as an internal or external command,"),
    },
    Rule {
        on: phrase(r"No such built-in module: node:|Cannot find module 'node:[a-z_/]+'"),
        code: Code::InterpreterMissing,
        text: "interpreter_too_old",
        source: "Node 16 and 18 with a newer program, ERR_UNKNOWN_BUILTIN_MODULE",
        example: Text("Error [ERR_UNKNOWN_BUILTIN_MODULE]: No such built-in module: node:sqlite"),
        near_miss: Text("There is no such built-in module"),
    },
    Rule {
        on: phrase(
            r#"Unsupported engine for [^\n:]+: wanted: \{"node":[^\n]*\(current: \{[^\n}]*"node":"(?P<found>v?[\d.]+)""#,
        ),
        code: Code::InterpreterMissing,
        text: "interpreter_too_old",
        source: "npm 6, ENOTSUP; vectara/create-ui#38",
        example: Text(
            r#"npm ERR! notsup Unsupported engine for @github/copilot@1.0.0: wanted: {"node":">=22"} (current: {"node":"12.22.9","npm":"6.14.15"})"#,
        ),
        near_miss: Text("Unsupported engine for the boat: wanted: a new one"),
    },
    Rule {
        on: phrase(
            r#"Not compatible with your version of node/npm: [^\n]+\n(?s:.{0,800}?)Required: \{"node":[^\n]*\n[^\n]*Actual: [^\n]*"node":"(?P<found>v?[\d.]+)""#,
        ),
        code: Code::InterpreterMissing,
        text: "interpreter_too_old",
        source: "npm 9 to 11, EBADENGINE; Azure-Samples/azure-search-openai-demo#2276",
        example: Text(
            "npm error engine Not compatible with your version of node/npm: @github/copilot@1.0.0\nnpm error notsup Required: {\"node\":\">=22\"}\nnpm error notsup Actual:   {\"npm\":\"10.9.0\",\"node\":\"v18.20.3\"}",
        ),
        near_miss: Text("Not compatible with your version of node/npm: see the note"),
    },
    Rule {
        on: phrase(
            r"(?:[^\n:]+: (?:line \d+: )?)?(?P<path>/[^\n:]+): cannot execute binary file(?:: Exec format error)?|(?:[^\n]+: )?Exec format error\s*$|spawn [^\n]+ ENOEXEC",
        ),
        code: Code::WrongArchitecture,
        text: "wrong_architecture",
        source: "bash 5.2 on Linux, Node 20 spawn, 2026-11",
        example: Text("bash: /usr/local/bin/copilot: cannot execute binary file: Exec format error"),
        near_miss: Text("The manual explains: Exec format error means another machine"),
    },
    Rule {
        on: phrase(r"(?:[^\n]+: )?(?i:bad CPU type in executable)(?:: (?P<path>/[^\n]+))?\s*$"),
        code: Code::WrongArchitecture,
        text: "wrong_architecture",
        source: "macOS 15, zsh",
        example: Text("zsh: bad CPU type in executable: /opt/homebrew/bin/copilot"),
        near_miss: Text("a bad CPU type is listed"),
    },
    Rule {
        on: phrase(r"Cannot find module '(?P<path>[^'\n]+)'"),
        code: Code::BrokenInstall,
        text: "broken_install",
        source: "Node 20, MODULE_NOT_FOUND of a half-removed npm package, 2026-11",
        example: Text("Error: Cannot find module '/usr/local/lib/node_modules/@github/copilot/index.js'"),
        near_miss: Text("note: Cannot find module 'x' was a test"),
    },
    Rule {
        on: phrase(
            r"(?:[^\n]*: )?error while loading shared libraries: (?P<line>[^\n]+)|dyld(?:\[\d+\])?: (?P<detail>Library not loaded: [^\n]+)|[^\n]*version `GLIBC(?:XX)?_[\d.]+' not found",
        ),
        code: Code::BrokenInstall,
        text: "broken_install",
        source: "ld.so of glibc, dyld of macOS",
        example: Text(
            "copilot: error while loading shared libraries: libatomic.so.1: cannot open shared object file: No such file or directory",
        ),
        near_miss: Text("error while loading the note"),
    },
    // Disk.
    Rule {
        on: phrase(
            r"(?:[^\n]*[ (:])?(?:ENOSPC: no space left on device|No space left on device \(os error 28\)|ENOSPC\)?: System limit|ENOSPC: )|ENOSPC, (?:write|open|mkdir|rename|close)\b|npm (?:ERR!|error) code ENOSPC\s*$|(?:[^\n]*: )No space left on device\s*$|(?:[^\n]*: )?EDQUOT: ",
        ),
        code: Code::BrokenInstall,
        text: "disk_full",
        source: "Copilot CLI 1.0.102, recording 5_disk_full_home_cache_text, 2026-11-30; Node's and the system's own words; npm/npm#9104, npm/cli#1124",
        example: Text("Error: ENOSPC: no space left on device, write"),
        near_miss: Text("my notebook has no space left on device pages"),
    },
    // The folder of programs for all users belongs to the system: not the home folder's fault.
    Rule {
        on: phrase(
            r"(?:[^\n]*[ (:])?(?:EROFS: read-only file system|EACCES: permission denied), (?:mkdir|open|write|rename|unlink|rmdir|copyfile|symlink|scandir|access)(?: '[^'\n]*' ->)? '(?P<path>/(?:usr|opt)/(?:[^'\n]*/)?(?:node_modules|bin)(?:/[^'\n]*)?)'",
        ),
        code: Code::BrokenInstall,
        text: "npm_folder_unwritable",
        source: "npm 6 to 11 under a system's Node.js: anthropics/claude-code#3951, anthropics/claude-code#43, maxritter/pilot-shell#58, google-gemini/gemini-cli#1648",
        example: Text(
            "npm error Error: EACCES: permission denied, mkdir '/usr/local/lib/node_modules/@github'\nnpm error     at async mkdir",
        ),
        near_miss: Text("Error: EACCES: permission denied, mkdir '/home/user/.copilot'"),
    },
    Rule {
        on: phrase(r"Insufficient permissions (?:for global npm install|to install update)\b"),
        code: Code::BrokenInstall,
        text: "npm_folder_unwritable",
        source: "Claude Code 1.0.34; anthropics/claude-code#2820",
        example: Text("Error: Insufficient permissions for global npm install."),
        near_miss: Text("Insufficient permissions for the note"),
    },
    Rule {
        on: phrase(
            r"(?:[^\n]*[ (:])?(?:EROFS: read-only file system|EACCES: permission denied), (?:mkdir|open|write|rename|unlink|copyfile|symlink|scandir|access)(?: '(?P<path>[^'\n]+)'|\s*$)",
        ),
        code: Code::BrokenInstall,
        text: "home_unwritable",
        source: "Copilot CLI 1.0.102, recording 5_home_readonly_nocache, 2026-11-30",
        example: Text("Error: EACCES: permission denied, mkdir '/home/user/.copilot'"),
        near_miss: Text("EACCES is the name of an error"),
    },
    Rule {
        on: phrase(r"spawn (?P<path>[^\n:]+|[A-Za-z]:\\[^\n]+) EACCES\b"),
        code: Code::NotExecutable,
        text: "not_executable",
        source: "Node 20, a native binary without the execute bit",
        example: Text("Error: spawn /usr/local/lib/node_modules/@github/copilot-linux-x64/copilot EACCES"),
        near_miss: Text("spawn failed: EACCES"),
    },
];
