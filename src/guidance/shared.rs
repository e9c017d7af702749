//! Rules that hold for every agent: the system, Node, the network, certificates, and errors of model providers.

use super::Code;
use super::rule::{On, Rule, Signal::*, answer, phrase, status};

/// Chosen by the count of refused tools, not by a signal.
pub(super) static DENIED: Rule = Rule {
    on: On::LastExit(&[]),
    code: Code::PermissionDenied,
    text: "permission_denied",
    source: "the run's own count",
    example: Exit(0),
    near_miss: Exit(0),
};

pub(super) static RULES: &[Rule] = &[
    // --- Crashes ---------------------------------------------------------------------------------------------------
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
        on: phrase(r"(?:FATAL ERROR: )?[A-Z][^\n]*Allocation failed - JavaScript heap out of memory"),
        code: Code::AgentCrashed,
        text: "out_of_memory",
        source: "V8's own message; github/copilot-cli#4725, #1457, #4499",
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
    // --- The interpreter and the installation ------------------------------------------------------------------------
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
    // --- Disk ----------------------------------------------------------------------------------------------------------
    Rule {
        on: phrase(
            r"(?:[^\n]*[ (:])?(?:ENOSPC: no space left on device|No space left on device \(os error 28\)|ENOSPC\)?: System limit|ENOSPC: )|(?:[^\n]*: )No space left on device\s*$|(?:[^\n]*: )?EDQUOT: ",
        ),
        code: Code::BrokenInstall,
        text: "disk_full",
        source: "Copilot CLI 1.0.102, recording 5_disk_full_home_cache_text, 2026-11-30; Node's and the system's own words",
        example: Text("Error: ENOSPC: no space left on device, write"),
        near_miss: Text("my notebook has no space left on device pages"),
    },
    Rule {
        on: phrase(
            r"(?:[^\n]*[ (:])?(?:EROFS: read-only file system|EACCES: permission denied), (?:mkdir|open|write|rename|unlink|copyfile|symlink|scandir|access)(?: '(?P<path>[^'\n]+)')?",
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
    // --- Certificates before the network: their sentences hold network words ----------------------------------------------
    Rule {
        on: phrase(
            r"(?:[^\n]*(?:[:(\[] ?| - |\) ))?(?:self[- ]signed certificate(?: in certificate chain)?\b|unable to verify the first certificate\b|unable to get (?:local )?issuer certificate\b|certificate has expired\b|certificate is not yet valid\b|Hostname/IP does not match certificate's altnames)(?:[;:,.]|\s*\)|\s*$)",
        ),
        code: Code::Tls,
        text: "tls",
        source: "Node 20 (OpenSSL 3); github/copilot-cli#333",
        example: Text(
            "FetchError: request to https://api.github.com/ failed, reason: self-signed certificate in certificate chain",
        ),
        near_miss: Text("I described how a self-signed certificate in certificate chain works in the note."),
    },
    Rule {
        on: phrase(
            r"(?:[^\n]*[:(\[] ?)?['\x22]?(?:UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|CERT_HAS_EXPIRED|CERT_NOT_YET_VALID|CERT_UNTRUSTED|ERR_TLS_CERT_ALTNAME_INVALID|ERR_SSL_[A-Z_]+|ERR_TLS_[A-Z_]+)(?:[)\]'\x22.,]|\s*$)",
        ),
        code: Code::Tls,
        text: "tls",
        source: "the names of Node 20 for refused certificates; github/copilot-cli#333",
        example: Text("Error: request failed: UNABLE_TO_VERIFY_LEAF_SIGNATURE"),
        near_miss: Text("The constant UNABLE_TO_VERIFY_LEAF_SIGNATURE is explained in chapter 3"),
    },
    Rule {
        on: phrase(
            r"(?:[^\n]*: )?(?:invalid peer certificate: [A-Za-z]+|SSL certificate problem: [^\n]+|certificate verify failed\b[^\n]*|x509: certificate [^\n]+|The certificate chain was issued by an authority that is not trusted)",
        ),
        code: Code::Tls,
        text: "tls",
        source: "rustls 0.23, curl 8, Python 3 and Go, whose words Copilot's native core and others print",
        example: Text(
            "error sending request for url (https://api.github.com/): client error (Connect): invalid peer certificate: UnknownIssuer",
        ),
        near_miss: Text("a peer certificate in swimming"),
    },
    // --- Proxy -----------------------------------------------------------------------------------------------------------
    Rule {
        on: phrase(
            r"(?:[^\n]*[:(] ?)?(?:proxy authorization required|Proxy Authentication Required|407 Proxy Authentication Required|unsuccessful tunnel|Proxy response \(40[37]\) !== 200 when HTTP Tunneling|tunneling socket could not be established, (?:cause|statusCode)=[^\n]+)\)?\.?\s*$",
        ),
        code: Code::Network,
        text: "proxy",
        source: "Copilot CLI 1.0.102 strings (hyper), undici, 2026-11",
        example: Text("Error: Proxy response (407) !== 200 when HTTP Tunneling"),
        near_miss: Text("Write about why proxy authorization required a signature"),
    },
    // --- Names of the network --------------------------------------------------------------------------------------------
    Rule {
        on: phrase(
            r"(?:[^\n]*[:(\[,] ?)?'?(?:getaddrinfo (?:ENOTFOUND|EAI_AGAIN)(?: (?P<address>[\w.-]+))?|dns error: [^\n]+|failed to lookup address information: [^\n]+|Could not resolve host(?:: (?P<server>[\w.-]+))?|Temporary failure in name resolution\s*$|Name or service not known\s*$|nodename nor servname provided, or not known)",
        ),
        code: Code::Network,
        text: "dns",
        source: "Node 20, glibc, hyper; Copilot CLI 1.0.102, recording 5_gh_user200_minimal_text, 2026-11-30",
        example: Text("Error: getaddrinfo ENOTFOUND api.githubcopilot.com"),
        near_miss: Text("The function getaddrinfo is described here"),
    },
    Rule {
        on: phrase(
            r"(?:[^\n]*[:(\[,] ?)?(?:connect|read|write|socket|recv|send) (?:ECONNREFUSED|ECONNRESET|ECONNABORTED|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EPIPE|EADDRNOTAVAIL)(?: (?P<address>[\w.\[\]-]*[:.\d][\w.:\[\]-]*)|[;,)\]\x27\x22]|\s*$)",
        ),
        code: Code::Network,
        text: "network",
        source: "Node 20's system errors; github/copilot-cli#41",
        example: Text("Error: connect ECONNREFUSED 127.0.0.1:443"),
        near_miss: Text("connect the dots, ECONNREFUSED or not"),
    },
    Rule {
        on: phrase(
            r"(?:[^\n]*[\[(]|(?:errno|code|cause): ')?(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT|UND_ERR_SOCKET|ERR_NETWORK|ERR_INTERNET_DISCONNECTED|ERR_NAME_NOT_RESOLVED)(?:[\])',]|\s*$)",
        ),
        code: Code::Network,
        text: "network",
        source: "Node 20's and undici's names at the end of a sentence or as a code",
        example: Text("  code: 'UND_ERR_CONNECT_TIMEOUT',"),
        near_miss: Text("ENOTFOUND and friends are explained in the manual"),
    },
    Rule {
        on: phrase(r"(?:[^\n:]+: ){0,3}(?:fetch failed|network fetch failed(?:: [^\n]+)?|Failed to fetch)\s*$"),
        code: Code::Network,
        text: "network",
        source: "undici's TypeError; github/copilot-cli#355, #41",
        example: Text("TypeError: fetch failed"),
        near_miss: Text("the dog's fetch failed to impress"),
    },
    Rule {
        on: phrase(
            r"(?:[^\n]*: )?(?:error sending request for url \((?P<address>[^)\n]+)\)|socket hang up\s*$|request to (?P<server>https?://[^\n ]+) failed, reason: |Network is unreachable|Connection refused \(os error \d+\)|connection timed out|operation timed out|The socket connection was closed unexpectedly)",
        ),
        code: Code::Network,
        text: "network",
        source: "reqwest, Node 20, node-fetch, Bun; Copilot CLI 1.0.102, recording 5_badtoken_gho_text, 2026-11-30",
        example: Text(
            "network fetch failed: request failed: error sending request for url (https://api.github.com/copilot_internal/user)",
        ),
        near_miss: Text("I keep sending requests for the url"),
    },
    // --- Errors of model providers: by status, then as an answer ---------------------------------------------------------
    Rule {
        on: status(401, 401),
        code: Code::TokenRejected,
        text: "token_rejected",
        source: "RFC 9110",
        example: Event("", "", 401),
        near_miss: Event("", "", 400),
    },
    Rule {
        on: status(402, 402),
        code: Code::QuotaExhausted,
        text: "provider_payment",
        source: "RFC 9110; Copilot CLI 1.0.102, recording 5_http_402_json, 2026-11-30",
        example: Event("query", "", 402),
        near_miss: Event("query", "", 400),
    },
    Rule {
        on: status(403, 403),
        code: Code::TokenLacksPermission,
        text: "access_refused",
        source: "RFC 9110",
        example: Event("", "", 403),
        near_miss: Event("", "", 404),
    },
    Rule {
        on: status(407, 407),
        code: Code::Network,
        text: "proxy",
        source: "RFC 9110",
        example: Event("", "", 407),
        near_miss: Event("", "", 408),
    },
    Rule {
        on: status(413, 413),
        code: Code::PromptTooLong,
        text: "prompt_too_long",
        source: "RFC 9110",
        example: Event("", "", 413),
        near_miss: Event("", "", 414),
    },
    Rule {
        on: status(429, 429),
        code: Code::RateLimited,
        text: "rate_limited",
        source: "RFC 6585",
        example: Event("", "", 429),
        near_miss: Event("", "", 428),
    },
    Rule {
        on: status(500, 599),
        code: Code::Network,
        text: "server_trouble",
        source: "RFC 9110",
        example: Event("", "", 529),
        near_miss: Event("", "", 499),
    },
    Rule {
        on: answer(r"\[?API Error: (?:[^\n]*\b)?(?P<status>401)\b[^\n]*"),
        code: Code::TokenRejected,
        text: "token_rejected",
        source: "Qwen Code 0.24.4 prints it as its answer, 2026-11",
        example: Text("[API Error: 401 Incorrect API key provided]"),
        near_miss: Text("An API error 401 means that the key is wrong."),
    },
    Rule {
        on: answer(r"\[?API Error: (?:[^\n]*\b)?(?P<status>429)\b[^\n]*"),
        code: Code::RateLimited,
        text: "rate_limited",
        source: "Qwen Code 0.24.4, Claude Code 2.1.332 in text mode, 2026-11",
        example: Text("API Error: 429 {\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\"}}"),
        near_miss: Text("API Error: 429 is what you get for too many requests.\n\nWait and try again."),
    },
    Rule {
        on: answer(r"\[?API Error: (?:[^\n]*\b)?(?P<status>5\d\d)\b[^\n]*"),
        code: Code::Network,
        text: "server_trouble",
        source: "Qwen Code 0.24.4, Claude Code 2.1.332 in text mode, 2026-11",
        example: Text("[API Error: 503 Service Unavailable]"),
        near_miss: Text("[API Error: five hundred]"),
    },
    // --- Little-saying ends ------------------------------------------------------------------------------------------------
    Rule {
        on: On::LastExit(&[126]),
        code: Code::NotExecutable,
        text: "not_executable",
        source: "POSIX: found but cannot be executed",
        example: Exit(126),
        near_miss: Exit(125),
    },
    Rule {
        on: On::LastExit(&[127]),
        code: Code::BrokenInstall,
        text: "broken_install",
        source: "POSIX: not found, here the program behind the one that was found",
        example: Exit(127),
        near_miss: Exit(128),
    },
    Rule {
        // KILL and XCPU are never sent by the agent to itself; TERM, INT, HUP come from whoever ends programs.
        on: On::LastSignal(&[1, 2, 9, 13, 15, 24]),
        code: Code::AgentCrashed,
        text: "agent_killed",
        source: "signal(7)",
        example: Signal(9),
        near_miss: Signal(17),
    },
    Rule {
        on: On::LastExit(&[137, 143, 129, 130]),
        code: Code::AgentCrashed,
        text: "agent_killed",
        source: "128 + signal as shells report it",
        example: Exit(137),
        near_miss: Exit(145),
    },
];

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
