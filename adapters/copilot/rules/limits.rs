//! Copilot's words about the allowance and the rate of requests. Recordings are of 1.0.102, 2026-11-30, Linux.

use crate::guidance::{Code, Example::*, Rule, code, kind, phrase};

pub(super) static RULES: &[Rule] = &[
    // Allowance and rate: finer codes decide before kinds.
    Rule {
        on: code(&["session_quota_exceeded", "session_limit_reached"]),
        code: Code::QuotaExhausted,
        text: "session_limit",
        source: "1.0.102, recording 5_gh_chat_402_session_text (simulated)",
        example: Event("quota", "session_quota_exceeded", 402),
        near_miss: Event("query", "session_error", 400),
    },
    Rule {
        on: code(&[
            "quota_exceeded",
            "free_quota_exceeded",
            "no_quota",
            "billing_not_configured",
            "custom_billing_not_configured",
            "additional_spend_limit_reached",
            "overage_limit_reached",
        ]),
        code: Code::QuotaExhausted,
        text: "quota_exhausted",
        source: "1.0.102, recording 5_gh_chat_402_quota_json (simulated); github/copilot-cli#730",
        example: Event("quota", "quota_exceeded", 402),
        near_miss: Event("query", "quota_shown", 400),
    },
    Rule {
        on: code(&[
            "user_weekly_rate_limited",
            "user_global_rate_limited",
            "user_model_rate_limited",
            "integration_rate_limited",
            "rate_limited",
        ]),
        code: Code::RateLimited,
        text: "rate_limited",
        source: "1.0.102, recording 5_gh_chat_429_weekly_json (simulated); github/copilot-cli#2740",
        example: Event("rate_limit", "user_weekly_rate_limited", 429),
        near_miss: Event("query", "rate", 400),
    },
    Rule {
        on: kind(&["quota"]),
        code: Code::QuotaExhausted,
        text: "quota_exhausted",
        source: "1.0.102, recording 5_gh_chat_402_quota_json (simulated)",
        example: Event("quota", "", 402),
        near_miss: Event("query", "", 400),
    },
    Rule {
        on: kind(&["rate_limit"]),
        code: Code::RateLimited,
        text: "rate_limited",
        source: "1.0.102, recording 5_http_429_json",
        example: Event("rate_limit", "", 429),
        near_miss: Event("query", "", 400),
    },
    // Allowance and rate as sentences.
    Rule {
        on: phrase(
            r#"(?:402 )?\{(?:"error":\{)?"message":"[^"\n]*","code":"(?:quota_exceeded|free_quota_exceeded|no_quota|billing_not_configured|additional_spend_limit_reached)""#,
        ),
        code: Code::QuotaExhausted,
        text: "quota_exhausted",
        source: "0.0.367 and 1.0.49; github/copilot-cli#730, #3431",
        example: Text(
            r#"✘ Model call failed: {"message":"You have no quota","code":"quota_exceeded"} (Request ID: 676E:18712:55183D)"#,
        ),
        near_miss: Text(r#"{"message":"You have no quota","code":"fine"}"#),
    },
    Rule {
        on: phrase(r#"(?:403 |429 )?API rate limit exceeded for user ID\b"#),
        code: Code::RateLimited,
        text: "rate_limited",
        source: "1.0.47; github/copilot-cli#3311",
        example: Text(r#"API rate limit exceeded for user ID 1234567."#),
        near_miss: Text(r#"The API rate limit exceeded expectations."#),
    },
    Rule {
        on: phrase(
            r"(?:402 )?(?:You have no quota(?:[.\x22]| \(|\s*$)|You have exceeded your monthly quota\b|Quota exceeded\. Upgrade to increase your limit|You've run out of your (?:included )?AI credits\b|You've reached your additional usage limit for your plan\b|No remaining quota for premium requests\b)|402 Payment Required \(Request ID: ",
        ),
        code: Code::QuotaExhausted,
        text: "quota_exhausted",
        source: "1.0.102, recording 5_gh_chat_402_quota_text (simulated) and strings of the program; github/copilot-cli#730, #2063",
        example: Text("Execution failed: 402 You have no quota"),
        near_miss: Text("You have no quotation marks in this sentence."),
    },
    Rule {
        on: phrase(r"You've reached the spending limit for this session\b"),
        code: Code::QuotaExhausted,
        text: "session_limit",
        source: "1.0.102, a string of the program, 2026-11",
        example: Text("You've reached the spending limit for this session."),
        near_miss: Text("You've reached the end of this session."),
    },
    Rule {
        on: phrase(
            r"(?:Sorry, you've hit a rate limit\b|Sorry, you have been rate-limited\.|You've (?:hit|reached) (?:your|the) (?:session |weekly |global |daily |monthly )?rate limit\b|Sorry, you have exceeded your [^\n]* rate limits?\b)",
        ),
        code: Code::RateLimited,
        text: "rate_limited",
        source: "1.0.102, recordings 5_gh_chat_429_*_text (simulated); github/copilot-cli#2336, #2696, #2740, #2787",
        example: Text(
            "You've hit your rate limit. Please wait for your limit to reset in 1 hour or switch to auto model to continue.",
        ),
        near_miss: Text("You've hit the jackpot; rate limits do not apply."),
    },
    Rule {
        on: phrase(
            r#"You have exceeded your premium request (?:limit|allowance)\b|You(?:'ve| have) reached your monthly (?:credit limit\b|limit for premium requests\b)|(?:\d{3} )?(?:\{\x22(?:error|message|code)\x22[^\n]*\x22code\x22: ?\x22)?(?:free_)?quota_exceeded(?:\x22|\s*$)"#,
        ),
        code: Code::QuotaExhausted,
        text: "quota_exhausted",
        source: "microsoft/vscode-copilot-release#9279, #13608; microsoft/github-copilot-appmod#139",
        example: Text(
            r#"You've reached your monthly credit limit. Please enable additional paid credits, upgrade to Copilot Pro+, or wait until your credits reset on July 1, 2026 at 5:30 AM."#,
        ),
        near_miss: Text(r#"You've reached your monthly savings limit."#),
    },
    Rule {
        on: phrase(
            r#"(?:\{\x22message\x22:\x22)?Sorry, you have exceeded your Copilot token\s+usage\b|Sorry, your request was rate-limited\.|(?:\d{3} )?(?:\{\x22(?:error|message|code)\x22[^\n]*\x22code\x22: ?\x22)?(?:(?:user_(?:weekly|global|model)|integration)_)?rate_limited(?:\x22|\s*$)"#,
        ),
        code: Code::RateLimited,
        text: "rate_limited",
        source: "github/copilot-cli#954, #793; microsoft/vscode-copilot-release#4256",
        example: Text(
            r#"Model call failed: Sorry, you have exceeded your Copilot token
   usage. Please review our [Terms of Service]"#,
        ),
        near_miss: Text(r#"Sorry, you have exceeded your time."#),
    },
];
