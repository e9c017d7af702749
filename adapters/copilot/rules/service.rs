//! The service's own status, where Copilot prints it instead of words. Asked last: whatever says more decides first.

use crate::guidance::{Code, Example::*, Rule, phrase};

pub(super) static RULES: &[Rule] = &[
    Rule {
        on: phrase(r#"(?:(?:Execution failed|Model call failed): \x22?(?:Error: )?(?:CAPIError: )?|CAPIError: )401\b"#),
        code: Code::TokenRejected,
        text: "token_rejected",
        source: "0.0.372; github/copilot-cli#829",
        example: Text(r#"Execution failed: CAPIError: 401 401 Unauthorized"#),
        near_miss: Text(r#"Execution failed: 4012 files"#),
    },
    Rule {
        on: phrase(r#"(?:(?:Execution failed|Model call failed): \x22?(?:Error: )?(?:CAPIError: )?|CAPIError: )402\b"#),
        code: Code::QuotaExhausted,
        text: "quota_exhausted",
        source: "0.0.367; github/copilot-cli#730",
        example: Text(r#"Execution failed: CAPIError: 402 402 Payment Required"#),
        near_miss: Text(r#"CAPIError: 4021"#),
    },
    Rule {
        on: phrase(r#"(?:(?:Execution failed|Model call failed): \x22?(?:Error: )?(?:CAPIError: )?|CAPIError: )403\b"#),
        code: Code::PolicyBlocked,
        text: "copilot_refused",
        source: "0.0.326; github/copilot-cli#18",
        example: Text(r#"Execution failed: CAPIError: 403 403 Forbidden"#),
        near_miss: Text(r#"CAPIError 403"#),
    },
    Rule {
        on: phrase(r#"(?:(?:Execution failed|Model call failed): \x22?(?:Error: )?(?:CAPIError: )?|CAPIError: )413\b"#),
        code: Code::PromptTooLong,
        text: "prompt_too_long",
        source: "RFC 9110, in the form of github/copilot-cli#2190",
        example: Text(r#"CAPIError: 413 413 Request Entity Too Large"#),
        near_miss: Text(r#"CAPIError: 4130"#),
    },
    Rule {
        on: phrase(r#"(?:(?:Execution failed|Model call failed): \x22?(?:Error: )?(?:CAPIError: )?|CAPIError: )429\b"#),
        code: Code::RateLimited,
        text: "rate_limited",
        source: "RFC 6585, in the form of github/copilot-cli#2190",
        example: Text(r#"Execution failed: CAPIError: 429 429 Too Many Requests"#),
        near_miss: Text(r#"CAPIError: 4290"#),
    },
    Rule {
        on: phrase(
            r#"(?:(?:Execution failed|Model call failed): \x22?(?:Error: )?(?:CAPIError: )?|CAPIError: )(?P<status>5\d\d)\b"#,
        ),
        code: Code::Network,
        text: "server_trouble",
        source: "github/copilot-cli#1704",
        example: Text(r#"✗ Execution failed: CAPIError: 502 502 <!DOCTYPE html>"#),
        near_miss: Text(r#"CAPIError: 5020"#),
    },
];
