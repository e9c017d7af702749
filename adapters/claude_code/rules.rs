//! What the sentences and error events of Claude Code mean, as data. Recordings are of 2.1.332 and 2.1.197, 2026-11-30, Linux;
//! "by its strings" is read from the program. It tells failures of the model's service as `assistant` messages with a kind,
//! and an answer of that kind has the sentence; the sentence says more, so it stands first.

use crate::guidance::{Code, Example::*, Rule, kind, kind_status, phrase};

pub(super) static RULES: &[&[Rule]] = &[SENTENCES, KINDS];

static SENTENCES: &[Rule] = &[
    // Sign-in.
    Rule {
        on: phrase(
            r"Not logged in · (?:Please run /login|Run /login)|Claude Code web sessions require authentication with a Claude\.ai account\b",
        ),
        code: Code::NotSignedIn,
        text: "claude_not_signed_in",
        source: "2.1.332, recording fail_nologin; 2.1.197, recording fail_nologin197; anthropics/claude-code#54566",
        example: Text("Not logged in · Please run /login"),
        near_miss: Text("She was not logged in, says the note."),
    },
    Rule {
        on: phrase(r"(?:API Error: 401 )?Invalid API key · (?:Fix external API key|Please run /login)"),
        code: Code::TokenRejected,
        text: "token_rejected",
        source: "2.1.332, recording fail_e401r0; the other ending by its strings",
        example: Text("Invalid API key · Fix external API key"),
        near_miss: Text("Invalid API keys are listed in the note."),
    },
    Rule {
        on: phrase(
            r"(?:Login expired|Login reached its time limit|OAuth token revoked) · Please run /login|Failed to authenticate: OAuth token revoked\.|OAuth (?:access )?token has expired\b|Session expired\. Please run /login to sign in again",
        ),
        code: Code::TokenRejected,
        text: "token_rejected",
        source: "2.1.332, by its strings",
        example: Text("Login expired · Please run /login"),
        near_miss: Text("The login expired on Tuesday."),
    },
    Rule {
        on: phrase(
            r"(?:Your )?organization has disabled (?:API key authentication|Claude subscription access for Claude Code)\b",
        ),
        code: Code::PolicyBlocked,
        text: "claude_policy",
        source: "2.1.332, by its strings",
        example: Text(
            "Your organization has disabled API key authentication · Unset ANTHROPIC_API_KEY to use your claude.ai account instead",
        ),
        near_miss: Text("Your organization has disabled parking."),
    },
    Rule {
        on: phrase(
            r#"(?:Failed to authenticate\. |Please run /login · )API Error: 401\b|(?:API Error: )?401 \{"type":"error","error":\{"type":"authentication_error""#,
        ),
        code: Code::TokenRejected,
        text: "token_rejected",
        source: "2.0.30, 2.1.72, 2.1.214; anthropics/claude-code#10712, #84903, paperclipai/paperclip#139; the first by that of 403",
        example: Text(
            r#"API Error: 401 {"type":"error","error":{"type":"authentication_error","message":"OAuth token has expired."}}"#,
        ),
        near_miss: Text(r#"My note has an authentication_error: 401 {"type":"error"}"#),
    },
    Rule {
        on: phrase(r"Claude Code on Windows requires (?:either )?git-bash\b"),
        code: Code::InterpreterMissing,
        text: "claude_git_bash",
        source: "2.0 and later on Windows; anthropics/claude-code#11496, #37908",
        example: Text(
            "Error: Claude Code on Windows requires git-bash (https://git-scm.com/downloads/win). If installed but not in PATH, set environment variable pointing to your bash.exe",
        ),
        near_miss: Text("Claude Code on Windows requires patience"),
    },
    Rule {
        on: phrase(r"Failed to authenticate\. API Error: (?P<status>403)\b"),
        code: Code::TokenLacksPermission,
        text: "access_refused",
        source: "2.1.332, recording fail_e403",
        example: Text(
            "Failed to authenticate. API Error: 403 Your account does not have permission to use this resource.",
        ),
        near_miss: Text("Failed to authenticate. The painting is a copy."),
    },
    // Allowance.
    Rule {
        on: phrase(
            r#"Credit balance is too low\s*$|(?:API Error: )?(?:400 \{"type":"error","error":\{"type":"invalid_request_error","message":")?Your credit balance is too low to access the Anthropic API\b"#,
        ),
        code: Code::QuotaExhausted,
        text: "claude_credit",
        source: "2.1.332, recording fail_e400bal; 1.0.58; anthropics/claude-code#4208",
        example: Text("Credit balance is too low"),
        near_miss: Text("Credit balance is too low for a holiday this year."),
    },
    Rule {
        on: phrase(
            r"You['’]ve hit your (?:(?:monthly|weekly|daily|session|5-hour|usage|spend|opus|sonnet|Opus|Sonnet) )*limit\b|Claude(?: AI)? usage limit reached\b",
        ),
        code: Code::QuotaExhausted,
        text: "claude_usage_limit",
        source: "2.1.332, by its strings; anthropics/claude-code#9236",
        example: Text("You've hit your session limit · resets 5pm"),
        near_miss: Text("You've hit your head on the limit."),
    },
    Rule {
        on: phrase(r"API Error: Request rejected \((?P<status>429)\)"),
        code: Code::RateLimited,
        text: "rate_limited",
        source: "2.1.332, recording fail_e429",
        example: Text("API Error: Request rejected (429) · This request would exceed your rate limit"),
        near_miss: Text("API Error: Request rejected (400) · no"),
    },
    // The model.
    Rule {
        on: phrase(
            r#"There's an issue with the selected model \((?P<model>[^)\n]+)\)|(?:API Error: )?404 \{"type":"error","error":\{"type":"not_found_error","message":"model\b"#,
        ),
        code: Code::ModelUnavailable,
        text: "model_unavailable",
        source: "2.1.332, recordings fail_e404, fail_e404m; anthropics/claude-code#51084",
        example: Text(
            "There's an issue with the selected model (claude-nope). It may not exist or you may not have access to it. Run --model to pick a different model.",
        ),
        near_miss: Text("There's an issue with the selected model railway."),
    },
    Rule {
        on: phrase(r"Prompt is too long\b"),
        code: Code::PromptTooLong,
        text: "prompt_too_long",
        source: "2.1.332, by its strings",
        example: Text("Prompt is too long"),
        near_miss: Text("The prompt is too long for my taste."),
    },
    // The network and the service.
    Rule {
        on: phrase(
            r"(?:API Error: )?Unable to connect to API: (?:SSL certificate|TLS certificate|Self-signed certificate)\b",
        ),
        code: Code::Tls,
        text: "tls",
        source: "2.1.332, by its strings",
        example: Text("API Error: Unable to connect to API: SSL certificate has expired"),
        near_miss: Text("Unable to connect to API: the certificate hangs on the wall"),
    },
    Rule {
        on: phrase(
            r"(?:API Error: )?(?:Connection refused — a firewall or proxy may be blocking it|Unable to connect to API\b|Request timed out\. Check your internet connection|Connection error\.\s*$)",
        ),
        code: Code::Network,
        text: "network",
        source: "2.1.332, recording fail_refused; the others by its strings",
        example: Text("API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)"),
        near_miss: Text("Connection refused, said the railway."),
    },
    Rule {
        on: phrase(
            r"API Error: (?:Server error mid-response\.|Connection to the API was lost\b|API returned an empty or malformed response\b)",
        ),
        code: Code::Network,
        text: "answer_cut",
        source: "2.1.332, recording fail_mid; a connection cut by hand on 2.1.197 and 2.1.332, 2026-11-30",
        example: Text("API Error: Server error mid-response. The response above may be incomplete."),
        near_miss: Text("API Error: Server errors are explained below."),
    },
    Rule {
        on: phrase(r"API Error: (?P<status>5\d\d)\b"),
        code: Code::Network,
        text: "server_trouble",
        source: "2.1.332, recordings fail_e500, fail_e529",
        example: Text(
            "API Error: 529 Overloaded. This is a server-side issue, usually temporary — try again in a moment.",
        ),
        near_miss: Text("API Error: 5000 lines"),
    },
    // The start.
    Rule {
        on: phrase(r"No conversation found with session ID: (?P<session>[^\s]+)"),
        code: Code::SessionNotFound,
        text: "session_not_found",
        source: "2.1.332, recording fail_resumeunknown",
        example: Text("No conversation found with session ID: 11111111-2222-3333-4444-555555555555"),
        near_miss: Text("No conversation found with my aunt."),
    },
    Rule {
        on: phrase(r"--resume requires a valid session ID or session title when used with --print\."),
        code: Code::SessionNotFound,
        text: "session_not_found",
        source: "2.1.332, recording fail_resumebad",
        example: Text(
            "Error: --resume requires a valid session ID or session title when used with --print. Usage: claude -p --resume <session-id|title>.",
        ),
        near_miss: Text("--resume requires a valid passport."),
    },
    Rule {
        on: phrase(r"Invalid MCP configuration:\s*(?P<detail>[^\n]*)"),
        code: Code::McpFailed,
        text: "mcp_configuration",
        source: "2.1.332, recordings fail_badmcpjson, fail_mcpnofile",
        example: Text("Error: Invalid MCP configuration:\nMCP config file not found: /home/user/Notes/{bad"),
        near_miss: Text("An invalid MCP configuration: what now?"),
    },
    Rule {
        on: phrase(r"Input must be provided either through stdin or as a prompt argument when using --print"),
        code: Code::ArgumentsRejected,
        text: "prompt_empty",
        source: "2.1.332, recording fail_nostdin",
        example: Text("Error: Input must be provided either through stdin or as a prompt argument when using --print"),
        near_miss: Text("Input must be provided in ink."),
    },
    Rule {
        on: phrase(
            r"(?P<detail>unknown option '[^'\n]+'|unknown command '[^'\n]+'|too many arguments\b[^\n]*|option '[^'\n]+' argument missing|option '[^'\n]+' argument '[^'\n]*' is invalid\b[^\n]*|Invalid session ID\. Must be a valid UUID|Session ID [0-9a-fA-F-]{36} is already in use|When using --print, --output-format=stream-json requires --verbose)\.?",
        ),
        code: Code::ArgumentsRejected,
        text: "arguments_rejected",
        source: "2.1.332, recordings fail_badflag, fail_badmode, fail_sessbad, fail_noverbose; 2.1.197, recording fail_restricted197",
        example: Text("error: unknown option '--no-such-flag'"),
        near_miss: Text("The user chose an unknown option '--x' in the note"),
    },
];

/// The kinds of `assistant` messages that tell a failure, most specific first.
static KINDS: &[Rule] = &[
    Rule {
        on: kind_status(&["authentication_failed"], 401, 401),
        code: Code::TokenRejected,
        text: "token_rejected",
        source: "2.1.332, recording fail_e401r0",
        example: Event("authentication_failed", "", 401),
        near_miss: Event("authentication_failed", "", 403),
    },
    Rule {
        on: kind_status(&["authentication_failed"], 403, 403),
        code: Code::TokenLacksPermission,
        text: "access_refused",
        source: "2.1.332, recording fail_e403",
        example: Event("authentication_failed", "", 403),
        near_miss: Event("authentication_failed", "", 401),
    },
    Rule {
        on: kind(&["authentication_failed"]),
        code: Code::NotSignedIn,
        text: "claude_not_signed_in",
        source: "2.1.332, recording fail_nologin",
        example: Event("authentication_failed", "", 0),
        near_miss: Event("billing_error", "", 0),
    },
    Rule {
        on: kind(&["oauth_org_not_allowed"]),
        code: Code::PolicyBlocked,
        text: "claude_policy",
        source: "2.1.332, by its strings",
        example: Event("oauth_org_not_allowed", "", 403),
        near_miss: Event("oauth", "", 0),
    },
    Rule {
        on: kind(&["billing_error"]),
        code: Code::QuotaExhausted,
        text: "claude_credit",
        source: "2.1.332, recording fail_e400bal",
        example: Event("billing_error", "", 400),
        near_miss: Event("invalid_request", "", 400),
    },
    Rule {
        on: kind(&["rate_limit"]),
        code: Code::RateLimited,
        text: "rate_limited",
        source: "2.1.332, recording fail_e429",
        example: Event("rate_limit", "", 429),
        near_miss: Event("rate_limit_event", "", 200),
    },
    Rule {
        on: kind(&["model_not_found"]),
        code: Code::ModelUnavailable,
        text: "model_unavailable",
        source: "2.1.332, recording fail_e404",
        example: Event("model_not_found", "", 404),
        near_miss: Event("not_found", "", 404),
    },
    Rule {
        on: kind(&["server_error", "overloaded"]),
        code: Code::Network,
        text: "server_trouble",
        source: "2.1.332, recordings fail_e500, fail_e529",
        example: Event("server_error", "", 500),
        near_miss: Event("unknown", "", 400),
    },
    Rule {
        on: kind(&["error_max_budget_usd"]),
        code: Code::QuotaExhausted,
        text: "session_limit",
        source: "2.1.332, by its help and strings",
        example: Event("error_max_budget_usd", "", 0),
        near_miss: Event("error_during_execution", "", 0),
    },
];
