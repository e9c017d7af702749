//! Rules of every agent about providers of models, and ends that say little.

use crate::guidance::Code;
use crate::guidance::rule::{Example::*, On, Rule, answer, phrase, status};

pub(super) static RULES: &[Rule] = &[
    // Errors of model providers: by status, then as an answer.
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
    Rule {
        on: phrase(r#"(?:(?:unexpected status|HTTP(?: error)?:?|Error code:) )?401:? Unauthorized(?:[.:,;]|\s*$)"#),
        code: Code::TokenRejected,
        text: "token_rejected",
        source: "RFC 9110; Codex CLI 0.171.0, 2026-11",
        example: Text(r#"Error: unexpected status 401 Unauthorized: Missing bearer"#),
        near_miss: Text(r#"401 unauthorized copies were found"#),
    },
    Rule {
        on: phrase(r#"(?:(?:unexpected status|HTTP(?: error)?:?|Error code:) )?403:? Forbidden(?:[.:,;]|\s*$)"#),
        code: Code::TokenLacksPermission,
        text: "access_refused",
        source: "RFC 9110",
        example: Text(r#"Error: 403 Forbidden"#),
        near_miss: Text(r#"403 forbidden fruits"#),
    },
    Rule {
        on: phrase(
            r#"(?:(?:unexpected status|HTTP(?: error)?:?|Error code:) )?429:? Too Many Requests(?:[.:,;]|\s*$)"#,
        ),
        code: Code::RateLimited,
        text: "rate_limited",
        source: "RFC 6585; Codex CLI 0.171.0, 2026-11",
        example: Text(r#"HTTP 429 Too Many Requests"#),
        near_miss: Text(r#"429 too many requests came in"#),
    },
    Rule {
        on: phrase(
            r#"(?:(?:unexpected status|HTTP(?: error)?:?|Error code:) )?(?P<status>50[0234]):? (?:Internal Server Error|Bad Gateway|Service Unavailable|Gateway Timeout)(?:[.:,;]|\s*$)"#,
        ),
        code: Code::Network,
        text: "server_trouble",
        source: "RFC 9110",
        example: Text(r#"Error: 503 Service Unavailable"#),
        near_miss: Text(r#"500 internal server errors later, we stopped"#),
    },
    // A question that a program without a terminal cannot answer.
    Rule {
        on: phrase(r"(?:Opening authentication page in your browser\. )?Do you want to continue\? \[Y/n\]:?\s*$"),
        code: Code::NotSignedIn,
        text: "sign_in_prompt",
        source: "Digital-Process-Tools/claude-remember#532",
        example: Text("Opening authentication page in your browser. Do you want to continue? [Y/n]:"),
        near_miss: Text("Do you want to continue? the letter asked"),
    },
    // What an agent can do without is the cause only where nothing was said after it.
    Rule {
        on: phrase(
            r"Failed to connect to MCP server ['\x22](?P<server>[^'\x22\n]+)['\x22]\.(?: Execute '/mcp show [^\n]*)?\s*\z",
        ),
        code: Code::McpFailed,
        text: "mcp_failed",
        source: "Copilot CLI 1.0.2; githubnext/agentics#242, github/copilot-cli#3461",
        example: Text(
            "Failed to connect to MCP server 'notes'. Execute '/mcp show notes' to inspect or check the logs.",
        ),
        near_miss: Text("Failed to connect to MCP server 'notes'.\nSomething else ended the run."),
    },
    // Little-saying ends.
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
