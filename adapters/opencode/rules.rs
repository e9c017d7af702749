//! What the sentences and error events of OpenCode mean, as data. Recordings are of 1.18.33, 2026-11-30, Linux.
//!
//! Its log (`--print-logs`) says what stdout says late or never. A line of it is a sentence of its own.

use crate::guidance::{Code, Example::*, Rule, code, kind, phrase};

pub(super) static RULES: &[&[Rule]] = &[EVENTS, LOG, SENTENCES];

/// What stands before the words of a line of the log.
macro_rules! log {
    ($words:literal) => {
        concat!(r"timestamp=\S+ level=(?:WARN|ERROR) run=\S+ ", $words)
    };
}

/// What stands before the words of the model's provider.
macro_rules! stream_error {
    ($words:literal) => {
        concat!(
            r#"timestamp=\S+ level=ERROR run=\S+ message="stream error" [^\n]*error\.error="(?:AI_\w+: )?(?:Failed after \d+ attempts\. Last error: )?"#,
            $words
        )
    };
}

static EVENTS: &[Rule] = &[
    Rule {
        on: code(&["model_not_found"]),
        code: Code::ModelUnavailable,
        text: "model_unavailable",
        source: "recording f_404; the finer code of OpenAI's interface",
        example: Event("APIError", "model_not_found", 404),
        near_miss: Event("APIError", "not_found", 404),
    },
    Rule {
        on: code(&["insufficient_quota"]),
        code: Code::QuotaExhausted,
        text: "provider_payment",
        source: "the finer code of OpenAI's interface (documented)",
        example: Event("APIError", "insufficient_quota", 429),
        near_miss: Event("APIError", "rate_limit_exceeded", 429),
    },
    Rule {
        on: code(&["context_length_exceeded"]),
        code: Code::PromptTooLong,
        text: "prompt_too_long",
        source: "the finer code of OpenAI's interface (documented)",
        example: Event("APIError", "context_length_exceeded", 400),
        near_miss: Event("APIError", "string_above_max_length", 400),
    },
    Rule {
        on: kind(&["ContextOverflowError"]),
        code: Code::PromptTooLong,
        text: "prompt_too_long",
        source: "1.18.33, by name, in the program",
        example: Event("ContextOverflowError", "", 0),
        near_miss: Event("ContextError", "", 0),
    },
    Rule {
        on: kind(&["ProviderAuthError"]),
        code: Code::NotSignedIn,
        text: "not_signed_in",
        source: "1.18.33, by name, in the program: a provider without a sign-in",
        example: Event("ProviderAuthError", "", 0),
        near_miss: Event("APIError", "", 0),
    },
    Rule {
        on: kind(&["MessageOutputLengthError"]),
        code: Code::AgentCrashed,
        text: "answer_ended_early",
        source: "1.18.33, by name, in the program",
        example: Event("MessageOutputLengthError", "", 0),
        near_miss: Event("MessageAbortedError", "", 0),
    },
    Rule {
        on: kind(&["Unfinished"]),
        code: Code::AgentCrashed,
        text: "answer_ended_early",
        source: "recording r_length: `step_finish` with the reason `length`, exit code 0",
        example: Event("Unfinished", "length", 0),
        near_miss: Event("UnknownError", "", 0),
    },
];

static LOG: &[Rule] = &[
    Rule {
        on: phrase(log!(
            r#"message=[^\n]*(?:error|cause)="(?:Cause\(\[Fail\()?ProviderModelNotFoundError: Model not found: (?P<model>[^\s"]+?)\.(?:[\s")]|$)"#
        )),
        code: Code::ModelUnavailable,
        text: "opencode_model_missing",
        source: "recordings f_model_logs, r_nokey_model",
        example: Text(
            r#"timestamp=2026-11-30T11:48:10.414Z level=ERROR run=31e27a33 message=failed ref=err_03acebd5 error="ProviderModelNotFoundError: Model not found: mock/nope." cause="x""#,
        ),
        near_miss: Text("ProviderModelNotFoundError: Model not found: mock/nope."),
    },
    Rule {
        on: phrase(log!(r#"message="server unavailable" key=(?P<server>\S+) type=\S+ status=failed[^\n]*\s*\z"#)),
        code: Code::McpFailed,
        text: "mcp_failed",
        source: "recording r_mcp: missing, crashing and hanging alike; the run goes on",
        example: Text(
            "timestamp=2026-11-30T17:02:45.377Z level=WARN run=8c1cf2bf message=\"server unavailable\" key=tolaria type=local status=failed",
        ),
        near_miss: Text("message=\"server unavailable\" key=tolaria"),
    },
    Rule {
        on: phrase(stream_error!(r"(?i:rate limit|too many requests|[^\n]*\brate[_ ]limit(?:ed|_error|_exceeded)?\b)")),
        code: Code::RateLimited,
        text: "rate_limited",
        source: "recording r_429: at once, and the event 19 seconds later",
        example: Text(
            r#"timestamp=2026-11-30T17:03:16.771Z level=ERROR run=9ddc6a2c message="stream error" providerID=local modelID=mock session.id=ses_1 small=false agent=agent-launcher mode=primary error.error="AI_APICallError: Rate limit reached""#,
        ),
        near_miss: Text(
            r#"timestamp=2026-11-30T17:03:29.266Z level=ERROR run=a8c32fcf message="stream error" providerID=local modelID=mock session.id=ses_1 small=false agent=agent-launcher mode=primary error.error="AI_APICallError: boom""#,
        ),
    },
    Rule {
        on: phrase(stream_error!(r"Cannot connect to API: (?P<detail>[^\n(\x22]+)")),
        code: Code::Network,
        text: "network",
        source: "recording f_refused_long: at once, and the event 76 seconds later",
        example: Text(
            r#"timestamp=2026-11-30T11:48:12.770Z level=ERROR run=219b8d5e message="stream error" providerID=mock modelID=mock session.id=ses_1 small=false agent=build mode=primary error.error="AI_APICallError: Cannot connect to API: Unable to connect. Is the computer able to access the url? (cause: Error)""#,
        ),
        near_miss: Text("Cannot connect to API: a chapter of the manual"),
    },
    Rule {
        on: phrase(stream_error!(
            r"(?i:internal server error|bad gateway|service unavailable|gateway time-?out|overloaded|the server had an error)"
        )),
        code: Code::Network,
        text: "server_trouble",
        source: "recording r_500: again and again, and no event for 40 seconds",
        example: Text(
            r#"timestamp=2026-11-30T17:03:29.266Z level=ERROR run=a8c32fcf message="stream error" providerID=local modelID=mock session.id=ses_1 small=false agent=agent-launcher mode=primary error.error="AI_APICallError: Internal Server Error""#,
        ),
        near_miss: Text(
            r#"timestamp=2026-11-30T17:03:29.266Z level=ERROR run=a8c32fcf message="stream error" providerID=local modelID=mock session.id=ses_1 small=false agent=agent-launcher mode=primary error.error="AI_APICallError: Incorrect API key provided""#,
        ),
    },
];

static SENTENCES: &[Rule] = &[
    Rule {
        on: phrase(r"Cannot connect to API: (?P<detail>[^\n(]+)"),
        code: Code::Network,
        text: "network",
        source: "recording f_refused_long, the event",
        example: Text("Cannot connect to API: Unable to connect. Is the computer able to access the url?"),
        near_miss: Text("We cannot connect to API: it is gone."),
    },
    Rule {
        on: phrase(r"(?:AI_\w+: )?(?:[\w-]+ ){0,4}API key is missing\. Pass it using the '"),
        code: Code::NotSignedIn,
        text: "not_signed_in",
        source: "AI SDK in 1.18.33, by its words in the program",
        example: Text(
            "AI_LoadAPIKeyError: OpenAI API key is missing. Pass it using the 'apiKey' parameter or the OPENAI_API_KEY environment variable.",
        ),
        near_miss: Text("The API key is missing. Pass it on."),
    },
    Rule {
        on: phrase(
            r"(?:ProviderModelNotFoundError: )?Model not found: (?P<model>[^\s\x22]+/[^\s\x22]+?)\.?\s*$|ProviderModelNotFoundError\s*$|Error from provider: Model not found\b",
        ),
        code: Code::ModelUnavailable,
        text: "opencode_model_missing",
        source: "1.0.223, 1.14.31, 1.14.50; anomalyco/opencode#6691, #27493, getpaseo/paseo#653",
        example: Text("Error: Model not found: cust-openai/gpt-5.5."),
        near_miss: Text("Model not found: the shop has no small trains."),
    },
    Rule {
        on: phrase(r"Missing API key\.\s*$"),
        code: Code::NotSignedIn,
        text: "not_signed_in",
        source: "1.18.3; anomalyco/opencode#38501",
        example: Text("Error: Missing API key."),
        near_miss: Text("Missing API key. See the drawer."),
    },
    Rule {
        on: phrase(r#"Unauthorized: \{"error":|Provider request failed with HTTP (?P<status>401)\b"#),
        code: Code::TokenRejected,
        text: "token_rejected",
        source: "1.2.6, 1.18.29; anomalyco/opencode#14252, Waishnav/devspace#302",
        example: Text(r#"Error: Unauthorized: {"error":{"message":"User not found.","code":401}}"#),
        near_miss: Text("Unauthorized: the sign at the gate"),
    },
    Rule {
        on: phrase(r"Upstream error from [^\n:]{1,40}: insufficient balance\b"),
        code: Code::QuotaExhausted,
        text: "provider_payment",
        source: "1.2.6; anomalyco/opencode#14252",
        example: Text("Error: Upstream error from Minimax: insufficient balance (1008)"),
        near_miss: Text("An upstream error from the river: insufficient balance"),
    },
    Rule {
        on: phrase(r"Session not found\s*$"),
        code: Code::SessionNotFound,
        text: "session_not_found",
        source: "recordings f_resume, f_resume2",
        example: Text("Error: Session not found"),
        near_miss: Text("Session not found in the calendar"),
    },
    Rule {
        on: phrase(r"opencode run \[message\.\.\]\s*\n+run opencode with a message\s*$"),
        code: Code::ArgumentsRejected,
        text: "arguments_rejected",
        source: "recording f_flag: the help in place of an answer",
        example: Text("opencode run [message..]\n\nrun opencode with a message\n\nPositionals:"),
        near_miss: Text("opencode run [message..] starts a run"),
    },
    Rule {
        on: phrase(r"You must provide a message or a command\s*$"),
        code: Code::ArgumentsRejected,
        text: "prompt_empty",
        source: "1.18.33, by its words in the program",
        example: Text("Error: You must provide a message or a command"),
        near_miss: Text("You must provide a message or a command to the crew"),
    },
    Rule {
        on: phrase(r"permission requested: (?P<tool>\w+) \((?P<detail>[^\n]*)\); auto-rejecting\s*$"),
        code: Code::PermissionDenied,
        text: "permission_denied",
        source: "anomalyco/opencode#44267",
        example: Text("! permission requested: external_directory (/*); auto-rejecting"),
        near_miss: Text("permission requested: please sign here"),
    },
];
