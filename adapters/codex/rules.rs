//! What the sentences of Codex CLI mean, as data. Recordings are of 0.171.0 for Linux, 2026-11-30. The more specific stands
//! first.

use crate::guidance::{Code, Example::*, Rule, code, phrase};

pub(super) static RULES: &[&[Rule]] = &[START, ACCOUNT, LIMITS, MODEL, SERVICE];

/// What keeps it from starting: servers, sessions, settings, the sandbox.
static START: &[Rule] = &[
    Rule {
        on: phrase(
            r"(?:[a-z_:]+: )?(?:thread/(?:start|resume): [^\n]*)?(?:Fatal error: )?(?:Failed to (?:create|initialize) session: )?required MCP servers failed to initialize: (?P<server>[\w-]+): (?P<detail>[^\n]+?)(?: \(code -?\d+\))?\s*$",
        ),
        code: Code::McpFailed,
        text: "mcp_failed",
        source: "recordings mcpfail_required, mcpfail_hang_req",
        example: Text(
            "Error: thread/start: thread/start failed: error creating thread: Fatal error: Failed to initialize session: required MCP servers failed to initialize: tolaria: handshaking with MCP server failed: connection closed: initialize response (code -32603)",
        ),
        near_miss: Text("The required MCP servers failed to initialize: a story"),
    },
    Rule {
        on: phrase(
            r"(?:thread/resume: thread/resume failed: )?no rollout found for thread id (?P<session>[0-9A-Fa-f-]+)",
        ),
        code: Code::SessionNotFound,
        text: "session_not_found",
        source: "recording resume_resume_unknown",
        example: Text(
            "Error: thread/resume: thread/resume failed: no rollout found for thread id 11111111-2222-3333-4444-555555555555 (code -32600)",
        ),
        near_miss: Text("We found no rollout found for thread id 1"),
    },
    Rule {
        on: phrase(r"Not inside a trusted directory and --skip-git-repo-check was not specified\."),
        code: Code::FolderNotTrusted,
        text: "codex_no_repository",
        source: "recording fail_nogit; openai/codex#7522",
        example: Text("Not inside a trusted directory and --skip-git-repo-check was not specified."),
        near_miss: Text("You are not inside a trusted directory."),
    },
    Rule {
        on: phrase(
            r"(?:Error loading config(?:uration)?(?:\.toml)?|[Ff]ailed to load configuration): (?P<detail>[^\n]+)",
        ),
        code: Code::ArgumentsRejected,
        text: "codex_settings",
        source: "recordings fail_badconf, fail_badtoml; openai/codex#19476",
        example: Text(
            "Error loading config.toml: unknown variant `yolo`, expected one of `read-only`, `workspace-write`, `danger-full-access`",
        ),
        near_miss: Text("An error loading config.toml: see page 3"),
    },
    Rule {
        on: phrase(
            r"(?P<detail>unexpected argument '[^'\n]+' found|invalid value '[^'\n]*' for '[^'\n]+'|unrecognized subcommand '[^'\n]+'|a value is required for '[^'\n]+' but none was supplied|the argument '[^'\n]+' cannot be used with '[^'\n]+'|Unknown feature flag: [\w.-]+)",
        ),
        code: Code::ArgumentsRejected,
        text: "arguments_rejected",
        source: "recordings fail_badflag, fail_badsandbox, resume_resume_sandbox_after",
        example: Text("error: unexpected argument '--frobnicate' found"),
        near_miss: Text("The chapter on the unexpected argument '--x' found no readers"),
    },
    Rule {
        on: phrase(
            r"(?:[a-z_:]+: error=)?(?:[^\n]*: )?(?P<detail>bwrap: (?:Creating new namespace failed|No permissions to create (?:a )?new namespace|setting up uid map|Can't mount proc)[^\n]*)",
        ),
        code: Code::PermissionDenied,
        text: "codex_sandbox",
        source: "0.171.0 on a machine without user namespaces, 2026-11; bubblewrap's own words",
        example: Text(
            "Error: thread/start: thread/start failed: error creating thread: failed to load AGENTS.md instructions for environment `local`: fs sandbox helper failed with status exit status: 1: bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC) (code -32603)",
        ),
        near_miss: Text("bwrap is a program that makes namespaces"),
    },
    Rule {
        on: phrase(r"[^\n]{0,80}Missing optional dependency (?P<path>@openai/codex-[a-z0-9-]+)"),
        code: Code::BrokenInstall,
        text: "package_missing",
        source: "openai/codex#24672, #13555",
        example: Text(
            "Error: Missing optional dependency @openai/codex-linux-x64. Reinstall Codex: npm install -g @openai/codex@latest",
        ),
        near_miss: Text("A missing optional dependency is no trouble."),
    },
];

/// The sign-in.
static ACCOUNT: &[Rule] = &[
    Rule {
        on: phrase(
            r"(?:unexpected status )?401 Unauthorized: Missing bearer or basic authentication in header|Not logged in\s*$",
        ),
        code: Code::NotSignedIn,
        text: "codex_not_signed_in",
        source: "recording fail_nologin; `codex login status`",
        example: Text(
            "unexpected status 401 Unauthorized: Missing bearer or basic authentication in header, url: https://api.openai.com/v1/responses",
        ),
        near_miss: Text("Not logged in, the visitor saw nothing"),
    },
    Rule {
        on: phrase(
            r"(?:Failed to refresh token: 40[013]\b|[^\n]{0,40}refresh token[^\n]{0,60}(?:revoked|expired|already been used|already used))|Your access token could not be refreshed\b|Your session has ended\. Please log in again",
        ),
        code: Code::TokenRejected,
        text: "token_rejected",
        source: "strings of the program, 0.171.0; openai/codex#4432, #6028",
        example: Text("Your access token could not be refreshed because your refresh token was already used."),
        near_miss: Text("Her access token could not be refreshed."),
    },
    Rule {
        on: phrase(r"Failed to refresh token: (?:error sending request\b|(?P<status>5\d\d)\b)"),
        code: Code::Network,
        text: "network",
        source: "by the words for a refused one and those of the program's HTTP client, 0.171.0",
        example: Text("Failed to refresh token: error sending request for url (https://auth.openai.com/oauth/token)"),
        near_miss: Text("Failed to refresh token: 401 Unauthorized: Your refresh token has already been used"),
    },
    Rule {
        on: phrase(r"(?:unexpected status|(?:stream error: )?exceeded retry limit, last status:) 401 Unauthorized\b"),
        code: Code::TokenRejected,
        text: "token_rejected",
        source: "recording fail_x401; openai/codex#2896",
        example: Text(
            "unexpected status 401 Unauthorized: Incorrect API key provided: k-dummy. You can find your API key at https://platform.openai.com/account/api-keys.",
        ),
        near_miss: Text("The unexpected status 401 Unauthorized came up"),
    },
    Rule {
        on: phrase(r"unexpected status 403 Forbidden\b"),
        code: Code::TokenLacksPermission,
        text: "access_refused",
        source: "recording fail_x403",
        example: Text(
            "unexpected status 403 Forbidden: You do not have access, url: https://api.openai.com/v1/responses",
        ),
        near_miss: Text("An unexpected status 403 Forbidden"),
    },
    Rule {
        on: phrase(r"Missing environment variable: `(?P<variable>[A-Za-z0-9_]+)`\."),
        code: Code::NotSignedIn,
        text: "codex_key_missing",
        source: "recording fail_missingkey",
        example: Text("Missing environment variable: `AZURE_OPENAI_API_KEY`."),
        near_miss: Text("A missing environment variable: `X`."),
    },
    Rule {
        on: phrase(
            r"(?:To use Codex with your ChatGPT plan, upgrade to Plus|[^\n]{0,60}upgrade to Plus to (?:use|continue using) Codex)",
        ),
        code: Code::SubscriptionRequired,
        text: "codex_subscription",
        source: "strings of the program, 0.171.0",
        example: Text("To use Codex with your ChatGPT plan, upgrade to Plus: https://chatgpt.com/explore/plus."),
        near_miss: Text("You may upgrade to Plus."),
    },
];

/// What is used up, for a while or for good.
static LIMITS: &[Rule] = &[
    Rule {
        on: phrase(r"You.ve hit your usage limit\b"),
        code: Code::QuotaExhausted,
        text: "codex_quota",
        source: "recording fail_x429u",
        example: Text(
            "You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/settings/usage to purchase more credits or try again at Jan 30th, 2030 9:13 PM.",
        ),
        near_miss: Text("If you've hit your usage limit, rest."),
    },
    Rule {
        on: phrase(
            r"Quota exceeded\. Check your plan and billing details\.|You exceeded your current quota, please check your plan and billing details\b",
        ),
        code: Code::QuotaExhausted,
        text: "codex_quota",
        source: "recording fail_x429q",
        example: Text("Quota exceeded. Check your plan and billing details."),
        near_miss: Text("The quota exceeded. Check your plan."),
    },
    Rule {
        on: phrase(
            r"exceeded retry limit, last status: 429\b|rate limit exceeded: |(?:stream disconnected before completion: )?Rate limit (?:is exceeded|reached)\b",
        ),
        code: Code::RateLimited,
        text: "rate_limited",
        source: "recordings fail_x429, fail_xfailed; openai/codex#3764",
        example: Text("exceeded retry limit, last status: 429 Too Many Requests"),
        near_miss: Text("He exceeded the retry limit, last status: 429"),
    },
    Rule {
        on: phrase(
            r"Codex ran out of room in the model's context window\b|[^\n]{0,60}exceeds the maximum length of \d+ characters",
        ),
        code: Code::PromptTooLong,
        text: "prompt_too_long",
        source: "recording fail_xfailedctx; a prompt of 1,048,577 characters, 0.171.0",
        example: Text(
            "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.",
        ),
        near_miss: Text("When Codex ran out of room, we moved."),
    },
];

/// The model.
static MODEL: &[Rule] = &[
    Rule {
        on: phrase(
            r"(?:unexpected status 404 Not Found: )?The model `(?P<model>[^`\n]+)` does not exist or you do not have access to it\.",
        ),
        code: Code::ModelUnavailable,
        text: "model_unavailable",
        source: "recording fail_x404; the same with its status, 0.171.0",
        example: Text("The model `nope` does not exist or you do not have access to it."),
        near_miss: Text("The model `ship` does not exist any more."),
    },
    Rule {
        on: phrase(
            r#"(?:unexpected status 400 Bad Request: )?(?:\{(?:"type":"error","status":400,"error":\{"type":"invalid_request_error","message"|"detail"):")?(?:The '(?P<model>[^'\n]+)' model is not supported when using Codex\b|Unsupported model"\})"#,
        ),
        code: Code::ModelUnavailable,
        text: "model_unavailable",
        source: "recording fail_x400; openai/codex#6603, #25838, atxtechbro/dotfiles#1259",
        example: Text("The 'nope' model is not supported when using Codex with a ChatGPT account."),
        near_miss: Text("The 'T' model is not supported by the garage."),
    },
    Rule {
        on: code(&["model_not_found"]),
        code: Code::ModelUnavailable,
        text: "model_unavailable",
        source: "error code of the Responses API",
        example: Event("invalid_request_error", "model_not_found", 404),
        near_miss: Event("invalid_request_error", "", 400),
    },
];

/// The service and the way to it.
static SERVICE: &[Rule] = &[
    Rule {
        on: phrase(
            r"We.re currently experiencing high demand, which may cause temporary errors\.|(?:unexpected status |exceeded retry limit, last status: )(?P<status>5\d\d)\b|Selected model is at capacity\b",
        ),
        code: Code::Network,
        text: "server_trouble",
        source: "recordings fail_x500, fail_x503",
        example: Text("We’re currently experiencing high demand, which may cause temporary errors."),
        near_miss: Text("The exceeded retry limit, last status: 500"),
    },
    Rule {
        on: phrase(
            r"(?:Connection failed: error sending request|Reconnecting\.\.\. waiting for network \(Connection failed: error sending request\))",
        ),
        code: Code::Network,
        text: "network",
        source: "recordings fail_refused, fail_refused_nounb",
        example: Text("Connection failed: error sending request"),
        near_miss: Text("The connection failed: error sending requests"),
    },
    Rule {
        on: phrase(
            r"(?:Reconnecting\.\.\. \d+/\d+ \()?stream disconnected before completion: (?:failed to lookup address information\b|[^\n]*dns error\b)",
        ),
        code: Code::Network,
        text: "dns",
        source: "recording fail_env_base_url",
        example: Text(
            "stream disconnected before completion: failed to lookup address information: Name does not resolve",
        ),
        near_miss: Text("The stream disconnected before completion"),
    },
    Rule {
        on: phrase(
            r"(?:Reconnecting\.\.\. \d+/\d+ \()?stream disconnected before completion: [^\n]*invalid peer certificate: [A-Za-z]+",
        ),
        code: Code::Tls,
        text: "tls",
        source: "the words of the program's TLS library, behind its own (recording fail_xcut has those); 0.171.0, 2026-11",
        example: Text(
            "stream disconnected before completion: error sending request: client error (Connect): invalid peer \
             certificate: UnknownIssuer",
        ),
        near_miss: Text("stream disconnected before completion: no certificate"),
    },
    Rule {
        on: phrase(r"stream disconnected before completion: "),
        code: Code::Network,
        text: "answer_cut",
        source: "recording fail_xcut",
        example: Text(
            "stream disconnected before completion: Transport error: network error: error decoding response body",
        ),
        near_miss: Text("Our stream disconnected before completion: sad"),
    },
];
