//! Copilot's words about models, and servers of models. Recordings are of 1.0.102, 2026-11-30, Linux.

use crate::guidance::{Code, Example::*, Rule, phrase};

pub(super) static RULES: &[Rule] = &[
    // A model server of the person's own.
    Rule {
        on: phrase(r"Authentication failed with provider at (?P<address>\S+) \(HTTP (?P<status>40[13])\)"),
        code: Code::TokenRejected,
        text: "provider_rejected",
        source: "1.0.102, recordings 5_http_401_text, 5_http_403_json",
        example: Text("Authentication failed with provider at http://127.0.0.1:8910/v1 (HTTP 401)."),
        near_miss: Text("I wrote that Authentication failed with provider at home (HTTP 401)."),
    },
    Rule {
        on: phrase(r"Model '(?P<model>[^'\n]+)' not found on provider at (?P<address>\S+) \(HTTP 404\)"),
        code: Code::ModelUnavailable,
        text: "model_not_on_provider",
        source: "1.0.102, recordings 5_http_404_text, 5_http_404_json",
        example: Text("Model 'mock' not found on provider at http://127.0.0.1:8910/v1 (HTTP 404)."),
        near_miss: Text("Model trains not found on provider at home"),
    },
    Rule {
        on: phrase(r"Could not connect to (?:local model )?provider at (?P<address>\S+?)\.?\s*$"),
        code: Code::Network,
        text: "provider_unreachable",
        source: "1.0.102, recordings 5_conn_refused_text, 5_conn_refused_json",
        example: Text("Could not connect to local model provider at http://127.0.0.1:8919/v1."),
        near_miss: Text("We could not connect to local model provider at the fair."),
    },
    Rule {
        on: phrase(r"BYOK providers require an explicit model\."),
        code: Code::ModelUnavailable,
        text: "model_missing",
        source: "1.0.102, recording 5_byok_nomodel_text",
        example: Text(
            "BYOK providers require an explicit model. Run `copilot help providers` for configuration details.",
        ),
        near_miss: Text("Some BYOK providers require an explicit model name."),
    },
    Rule {
        on: phrase(r"Offline mode requires a local model provider\."),
        code: Code::Network,
        text: "provider_missing",
        source: "1.0.102, recording 5_offline_noprovider_text",
        example: Text("Offline mode requires a local model provider. Set COPILOT_PROVIDER_BASE_URL to configure one."),
        near_miss: Text("The offline mode requires a local model provider."),
    },
    // Models.
    Rule {
        on: phrase(r"Run `copilot --model (?P<model>[^`\n]+)` in interactive mode to enable this model"),
        code: Code::ModelUnavailable,
        text: "model_disabled",
        source: "1.0.102, recording 5_gh_models_policy_disabled_text (simulated)",
        example: Text("Error: Run `copilot --model gpt-5-mini` in interactive mode to enable this model"),
        near_miss: Text("Run `copilot --model gpt-5-mini` to use this model"),
    },
    Rule {
        on: phrase(r#"Model "(?P<model>[^"\n]+)" from [^\n]* is not available\b"#),
        code: Code::ModelUnavailable,
        text: "model_unavailable",
        source: "1.0.102, recordings 5_model_unknown_text, 5_gh_ok_text (simulated)",
        example: Text("Error: Model \"gpt-4.1\" from --model flag is not available."),
        near_miss: Text("Model \"T\" from Ford is not for sale."),
    },
    Rule {
        on: phrase(
            r#"Model "(?P<model>[^"\n]+)" is not (?:available\. It may be disabled by your organization\x27s policy|supported by Copilot CLI)\."#,
        ),
        code: Code::ModelUnavailable,
        text: "model_policy",
        source: "0.0.353; github/copilot-cli#461",
        example: Text(
            r#"✗ Model "claude-sonnet-4.5" is not available. It may be disabled by your organization's policy."#,
        ),
        near_miss: Text(r#"Model "T" is not available in red."#),
    },
    Rule {
        on: phrase(
            r"This model is disabled by your organization's policy\.|Your plan doesn't include this model\.|[^\n]* can't be selected — only Auto mode is available on your plan",
        ),
        code: Code::ModelUnavailable,
        text: "model_policy",
        source: "1.0.102, strings of the program, 2026-11",
        example: Text("This model is disabled by your organization's policy."),
        near_miss: Text("This model is disabled by your choice."),
    },
    // Before what is said of retries: asking again cannot help.
    Rule {
        on: phrase(r"\x22?400 400 Bad Request\b"),
        code: Code::Unknown,
        text: "not_understood",
        source: "0.0.328 to 1.0.34; github/copilot-cli#110, #2190, #2859",
        example: Text("Execution failed: CAPIError: 400 400 Bad Request\n   (Request ID: EAC9:137083)"),
        near_miss: Text("Error: 401 401 Unauthorized"),
    },
    Rule {
        on: phrase(
            r#"(?:\d{3} )?\{(?:"error":\{)?"message":"[^"]{0,300}","code":"(?:model_not_supported|no_available_model_endpoints?|model_not_found)""#,
        ),
        code: Code::ModelUnavailable,
        text: "model_unavailable",
        source: "0.0.351; github/copilot-cli#639, #85, #400",
        example: Text(
            r#"Model call failed: {"message":"The requested model is not supported.","code":"model_not_supported","param":"model","type":"invalid_request_error"} (Request ID: C275:33D2F9)"#,
        ),
        near_miss: Text(r#"{"message":"The requested model is not supported.","code":"fine"}"#),
    },
    Rule {
        on: phrase(r#"No supported models? available\b"#),
        code: Code::ModelUnavailable,
        text: "model_policy",
        source: "0.0.333, 0.0.337; github/copilot-cli#190, #251, #207",
        example: Text(r#"✗ Error: No supported model available"#),
        near_miss: Text(r#"There is no supported model available."#),
    },
    Rule {
        on: phrase(r"(?:400 )?The requested model is not supported\b"),
        code: Code::ModelUnavailable,
        text: "model_unavailable",
        source: "1.0.102, recording 5_gh_chat_400_modelnotsupported_text (simulated)",
        example: Text("Execution failed: 400 The requested model is not supported. (Request ID: ABCD:1234:5678)"),
        near_miss: Text("The requested model railway is not supported."),
    },
    // The list of models could not be had: the second line says why.
    Rule {
        on: phrase(
            r#"(?:Failed to get response from the AI model; [^\n]*Last error: )?(?:CAPIError: )?408 Timed out reading request body\."#,
        ),
        code: Code::Network,
        text: "answer_cut",
        source: "github/app#3386 (CLI of August 2026)",
        example: Text(
            r#"Execution failed: Error: Failed to get response from the AI model; retried 5 times (total retry wait time: 30.23 seconds) (Request-ID 16AF:205ED6) Last error: 408 Timed out reading request body. Try again, or use a smaller request size."#,
        ),
        near_miss: Text(r#"408 Timed out reading of the book"#),
    },
    Rule {
        on: phrase(r#"Connection error\.\x22?\s*$"#),
        code: Code::Network,
        text: "network",
        source: "0.0.328; github/copilot-cli#116",
        example: Text(r#"Model call failed: "Connection error.""#),
        near_miss: Text(r#"Connection error. I wrote about it at length."#),
    },
    Rule {
        on: phrase(
            r#"(?:466 )?(?:bad request: )?the specified API version is no longer supported\. You may need to update your client|466 +\(Request ID: "#,
        ),
        code: Code::VersionUnsupported,
        text: "service_dropped_version",
        source: "1.0.102, recording 5_gh_chat_466_upgrade_text (simulated); microsoft/vscode#294307",
        example: Text(r#"Execution failed: 466  (Request ID: ABCD:1234:5678)"#),
        near_miss: Text(r#"Room 466 (Request ID on the door)"#),
    },
    Rule {
        on: phrase(r"Failed to load models\b[^\n]*\s+Error: 429 "),
        code: Code::RateLimited,
        text: "rate_limited",
        source: "1.0.102, recording 5_gh_models429_text (simulated)",
        example: Text("Error: Failed to load models\nError: 429 \"rate limit exceeded\""),
        near_miss: Text("Error: Failed to load models\nError: 404 Not Found"),
    },
    Rule {
        on: phrase(r"Failed to load models\b[^\n]*\s+Error: 407 "),
        code: Code::Network,
        text: "proxy",
        source: "1.0.102, recording 5_gh_models_html_proxy_text (simulated)",
        example: Text("Error: Failed to load models\nError: 407 \" [HTML error page omitted]"),
        near_miss: Text("Error: Failed to load models\nError: 404 Not Found"),
    },
    Rule {
        on: phrase(r"Failed to load models\b[^\n]*\s+Error: (?P<status>5\d\d) "),
        code: Code::Network,
        text: "github_trouble",
        source: "1.0.102, recording 5_gh_models500_text (simulated)",
        example: Text("Error: Failed to load models (Request ID: ABCD:1234:5678)\nError: 500 \"oops\""),
        near_miss: Text("Error: Failed to load models\nError: 404 Not Found"),
    },
    Rule {
        on: phrase(r"Failed to load models\b[^\n]*\s+Error: [^\n]*(?:dns error|\[ENOTFOUND\])"),
        code: Code::Network,
        text: "dns",
        source: "1.0.102, recording 5_gh_user200_minimal_text (simulated)",
        example: Text(
            "Error: Failed to load models\nError: error sending request for url (https://api.githubcopilot.com/models): client error (Connect): dns error: error resolving DNS: failed to lookup address information: Name or service not known [ENOTFOUND]",
        ),
        near_miss: Text("Error: Failed to load models\nError: 404 Not Found"),
    },
    // The model's server, after all retries.
    Rule {
        on: phrase(r"Failed to get response from the AI model; [^\n]*Last error: (?:CAPIError: )?429 "),
        code: Code::RateLimited,
        text: "rate_limited",
        source: "1.0.102, recording 5_http_429_text",
        example: Text(
            "Failed to get response from the AI model; retried 5 times (total retry wait time: 52.20 seconds) Last error: 429 mock error 429",
        ),
        near_miss: Text(
            "Failed to get response from the AI model; retried 5 times (total retry wait time: 5.00 seconds) Last error: 4290",
        ),
    },
    Rule {
        on: phrase(
            r"Failed to get response from the AI model; [^\n]*Last error: (?:(?:CAPIError: )?(?P<status>5\d\d) |overloaded\b)",
        ),
        code: Code::Network,
        text: "server_trouble",
        source: "1.0.102, recordings 5_http_500_text, 5_http_503_text, 5_http_500_html_text, 5_sse_errorevent_text",
        example: Text(
            "Failed to get response from the AI model; retried 5 times (total retry wait time: 16.14 seconds) Last error: 500 mock error 500",
        ),
        near_miss: Text("Failed to get response from the committee; retried 5 times"),
    },
    Rule {
        on: phrase(
            r"Failed to get response from the AI model; [^\n]*Last error: (?:Error: )?(?:Failed native model HTTP request|Failed to (?:parse|finalize) [A-Za-z -]* stream|non-streaming response body was not valid JSON)",
        ),
        code: Code::Network,
        text: "answer_cut",
        source: "1.0.102, recordings 5_sse_cut_text, 5_sse_empty_text, 5_sse_malformed_text, 1_text_stream_off",
        example: Text(
            "Failed to get response from the AI model; retried 5 times (total retry wait time: 5.00 seconds) Last error: Failed to finalize chat-completions stream: request ended without sending any chunks",
        ),
        near_miss: Text("Failed to finalize chat-completions stream in my own program"),
    },
    Rule {
        on: phrase(r#"Failed to get response from the AI model;\s+retried \d+ times"#),
        code: Code::Network,
        text: "server_trouble",
        source: "0.0.412 to 1.0.48; github/copilot-cli#1590, #1645, #3363",
        example: Text(
            r#"✗ Execution failed: Error: Failed to get response from the AI model; retried 5 times (total retry wait time: 6.33 seconds) Last error: Unknown error"#,
        ),
        near_miss: Text(r#"I failed to get response from the AI model; I retried 5 times."#),
    },
    Rule {
        on: phrase(
            r"(?:Request Failed: )?(?:\d{3} \x22?)?(?:This model's maximum (?:prompt|context) length is \d+ (?:tokens|but the request)\b|\{[^\n]*\x22message\x22: ?\x22prompt is too long: \d+ tokens > \d+ maximum|The request is too large to send through CAPI Responses\.|prompt token count of \d+ exceeds the limit of \d+|\{[^\n]*\x22code\x22:\x22model_max_prompt_tokens_exceeded\x22|The provider rejected the prompt as too long, but automatic recovery could not reduce it\.|Request exceeds the model's prompt budget after reserving output(?: \((?P<size>\d+) tokens; limit (?P<limit>\d+)\))?)",
        ),
        code: Code::PromptTooLong,
        text: "prompt_too_long",
        source: "1.0.102, recordings 5_http_413_text, 2_stdin_2mb; github/copilot-cli#4424; microsoft/copilot-intellij-feedback#94; microsoft/vscode#293191; cline/cline#3120",
        example: Text(
            "Request exceeds the model's prompt budget after reserving output (503051 tokens; limit 128000). Reduce context or compact before continuing.",
        ),
        near_miss: Text("The request exceeds the model's budget for travel."),
    },
    Rule {
        on: phrase(r"No response was returned\. Send your message again to retry\."),
        code: Code::NoAnswer,
        text: "empty_answer",
        source: "1.0.102, recording 1_text_empty",
        example: Text("No response was returned. Send your message again to retry."),
        near_miss: Text("No response was returned by the printer."),
    },
];
