//! Copilot's words about the sign-in. Recordings are of 1.0.102, 2026-11-30, Linux.

use crate::guidance::{Code, Example::*, Rule, kind_status, phrase};

pub(super) static RULES: &[Rule] = &[
    // Sign-in.
    Rule {
        on: phrase(r"No authentication information found\.|You must be logged in to send messages\."),
        code: Code::NotSignedIn,
        text: "not_signed_in",
        source: "1.0.102, recordings 5_noauth_text, 5_noauth_json; github/copilot-cli#3746, #198",
        example: Text("Error: No authentication information found."),
        near_miss: Text("Error: author not found; no authentication information found in the note."),
    },
    Rule {
        on: phrase(
            r"Classic Personal Access Tokens \(ghp_\) are not supported by Copilot\.(?:\s+The (?P<variable>[A-Z_]+) environment variable contains a classic PAT)?",
        ),
        code: Code::TokenRejected,
        text: "classic_token",
        source: "1.0.102, recording 5_badtoken_ghp_text",
        example: Text("Error: Classic Personal Access Tokens (ghp_) are not supported by Copilot."),
        near_miss: Text("Classic Personal Access Tokens are being phased out."),
    },
    Rule {
        on: phrase(r"(?:\S )?Waiting for authorization\.\.\.|Enter one-time code: \S+ at https://\S+/login/device"),
        code: Code::NotSignedIn,
        text: "sign_in_prompt",
        source: "0.0.418, 0.0.422; github/copilot-cli#1686, #1866",
        example: Text("Enter one-time code: CA8D-C2B6 at https://github.com/login/device"),
        near_miss: Text("Enter the one-time code of the door at the gate"),
    },
    Rule {
        on: phrase(
            r"Login succeeded, but the token was not saved\.|System keychain unavailable\. Store token in plaintext config file\?|The system vault \(keychain, keyring, password manager, etc\.\) is not available\.",
        ),
        code: Code::NotSignedIn,
        text: "sign_in_not_saved",
        source: "1.0.102, recording 5_login_with_token; 1.0.9, 1.0.32; github/copilot-cli#2165, #3081",
        example: Text(
            "Login succeeded, but the token was not saved. Install a system keychain or rerun login and accept plaintext storage.",
        ),
        near_miss: Text("The login succeeded, but the token was not saved in the note."),
    },
    Rule {
        on: phrase(
            r"Authentication token found but could not be validated\.(?s:.*?)SAML enforcement|Resource protected by organization SAML enforcement\. You must grant your ",
        ),
        code: Code::TokenLacksPermission,
        text: "sso_required",
        source: "1.0.102, recording 5_gh_user403_sso_text (simulated)",
        example: Text(
            "Error: Authentication token found but could not be validated.\n\n  Failed to fetch PAT user login (403): GitHub returned: Resource protected by organization SAML enforcement. You must grant your OAuth token access to this organization.",
        ),
        near_miss: Text("Our organization's SAML enforcement is explained here."),
    },
    Rule {
        on: phrase(r"Authentication token found but could not be validated\.(?s:.*?)user login \(401\): "),
        code: Code::TokenRejected,
        text: "token_rejected",
        source: "1.0.102, recording 5_gh_user401_text (simulated)",
        example: Text(
            "Error: Authentication token found but could not be validated.\n\n  Failed to fetch PAT user login (401): GitHub returned: Bad credentials",
        ),
        near_miss: Text("  Failed to fetch PAT user login (500): GitHub returned: boom"),
    },
    Rule {
        on: phrase(r"Authentication token found but could not be validated\.(?s:.*?)user login \(403\): "),
        code: Code::TokenLacksPermission,
        text: "token_lacks_permission",
        source: "1.0.102, recording 5_gh_user403_plain_text (simulated)",
        example: Text(
            "Error: Authentication token found but could not be validated.\n\n  Failed to fetch PAT user login (403): GitHub returned: Resource not accessible by personal access token",
        ),
        near_miss: Text("Resource not accessible by wheelchair"),
    },
    Rule {
        on: phrase(r"Authentication token found but could not be validated\.(?s:.*?)user login \(429\): "),
        code: Code::RateLimited,
        text: "rate_limited",
        source: "1.0.102, recording 5_gh_user429_text (simulated)",
        example: Text(
            "Error: Authentication token found but could not be validated.\n\n  Failed to fetch PAT user login (429): GitHub returned: API rate limit exceeded",
        ),
        near_miss: Text("API rate limits are documented"),
    },
    Rule {
        on: phrase(
            r"Authentication token found but could not be validated\.(?s:.*?)user login \((?P<status>5\d\d)\): ",
        ),
        code: Code::Network,
        text: "github_trouble",
        source: "1.0.102, recording 5_gh_user500_text (simulated)",
        example: Text(
            "Error: Authentication token found but could not be validated.\n\n  Failed to fetch PAT user login (500): GitHub returned: boom",
        ),
        near_miss: Text("GitHub returned: boom"),
    },
    Rule {
        on: phrase(
            r"Authentication token found but could not be validated\.(?s:.*?)copilot_plan: Expected string, received null",
        ),
        code: Code::SubscriptionRequired,
        text: "subscription_required",
        source: "1.0.102, recording 5_gh_user200_nosub_text (simulated)",
        example: Text(
            "Error: Authentication token found but could not be validated.\n\n  Failed to fetch PAT user login: response validation failed: copilot_plan: Expected string, received null",
        ),
        near_miss: Text("copilot_plan: Expected string, received null"),
    },
    Rule {
        on: phrase(
            r"Authentication token found but could not be validated\.(?s:.*?)(?:invalid peer certificate|self[- ]signed certificate|certificate verify failed|unable to get local issuer)",
        ),
        code: Code::Tls,
        text: "tls",
        source: "1.0.102, the header of recording 5_badtoken_gho_text with the words of its TLS library; github/copilot-cli#333",
        example: Text(
            "Error: Authentication token found but could not be validated.\n\n  Failed to fetch PAT user login: network fetch failed: client error (Connect): invalid peer certificate: UnknownIssuer",
        ),
        near_miss: Text("a self-signed certificate is fine here"),
    },
    Rule {
        on: phrase(
            r"Authentication token found but could not be validated\.(?s:.*?)(?:network fetch failed: request failed: error sending request for url \((?P<address>[^)\n]+)\)|network fetch failed)",
        ),
        code: Code::Network,
        text: "network",
        source: "1.0.102, recording 5_badtoken_gho_text",
        example: Text(
            "Error: Authentication token found but could not be validated.\n\n  Failed to fetch PAT user login: network fetch failed: request failed: error sending request for url (https://api.github.com/copilot_internal/user)",
        ),
        near_miss: Text("The network fetch failed to start in the story."),
    },
    Rule {
        on: phrase(r"Authentication token found but could not be validated\.(?s:.*?)Invalid Copilot user response"),
        code: Code::Network,
        text: "proxy",
        source: "1.0.102, recording 5_gh_user_html_text: a page of a proxy instead of GitHub's answer (simulated)",
        example: Text(
            "Error: Authentication token found but could not be validated.\n\n  Failed to fetch PAT user login: response validation failed: Invalid Copilot user response: expected value at line 1 column 1",
        ),
        near_miss: Text("Invalid Copilot user response"),
    },
    Rule {
        on: phrase(r"Authentication token found but could not be validated\."),
        code: Code::TokenRejected,
        text: "token_rejected",
        source: "1.0.102, recording 5_gh_all404_text (simulated)",
        example: Text("Error: Authentication token found but could not be validated."),
        near_miss: Text("An authentication token found but could not be validated."),
    },
    Rule {
        on: phrase(r#"Session was not created with authentication info or custom provider"#),
        code: Code::NotSignedIn,
        text: "not_signed_in",
        source: "github/copilot-cli#3311 (1.0.36 to 1.0.47)",
        example: Text(
            r#"Execution failed: Error: Session was not created with authentication info or custom provider"#,
        ),
        near_miss: Text(r#"The session was not created with authentication in mind."#),
    },
    Rule {
        on: phrase(
            r#"(?:(?:401 ){1,2}unauthorized: )?Personal Access Token does not have Copilot Requests permission"#,
        ),
        code: Code::TokenLacksPermission,
        text: "token_lacks_permission",
        source: "0.0.327; github/copilot-cli#46, #18",
        example: Text(
            r#"× Execution failed: 401 401 unauthorized: Personal Access Token does not have Copilot Requests permission"#,
        ),
        near_miss: Text(r#"Does a Personal Access Token need Copilot Requests permission?"#),
    },
    Rule {
        on: phrase(
            r#"(?:401 ){1,2}unauthorized: (?:unauthorized: )?|Authorization error, you may need to run /login\b"#,
        ),
        code: Code::TokenRejected,
        text: "token_rejected",
        source: "0.0.372; github/copilot-cli#829",
        example: Text(
            r#"✗ Model call failed: "401 401 unauthorized: unauthorized: AuthenticateToken authentication failed\n""#,
        ),
        near_miss: Text(r#"In 401 unauthorized: entries were counted."#),
    },
    Rule {
        on: phrase(r"Authentication failed \(Request ID: "),
        code: Code::TokenRejected,
        text: "token_rejected",
        source: "1.0.102, recording 5_gh_models401_text (simulated)",
        example: Text("Error: Authentication failed (Request ID: ABCD:1234:5678)"),
        near_miss: Text("The chapter \"Authentication failed\" (Request ID: none)"),
    },
    Rule {
        on: kind_status(&["authorization"], 403, 403),
        code: Code::PolicyBlocked,
        text: "copilot_refused",
        source: "1.0.102, recordings 5_gh_chat_403_policy_text, 5_gh_chat_403_feature_text (simulated)",
        example: Event("authorization", "", 403),
        near_miss: Event("authorization", "", 401),
    },
    Rule {
        on: phrase(r"Authorization error\. Your credentials may be expired or invalid\."),
        code: Code::TokenRejected,
        text: "token_rejected",
        source: "1.0.102, recordings 5_gh_chat_401_expired_text, 5_gh_chat_401_expired_json (simulated)",
        example: Text(
            "Authorization error. Your credentials may be expired or invalid. (Request ID: ABCD:1234:5678) Run /login to sign in again.",
        ),
        near_miss: Text("An authorization error. Your credentials may be fine."),
    },
    Rule {
        on: phrase(r"Session token expired and the request could not be retried\."),
        code: Code::TokenRejected,
        text: "token_rejected",
        source: "1.0.102, a string of the program, 2026-11",
        example: Text("Session token expired and the request could not be retried. Please resend your message."),
        near_miss: Text("The session token expired and the request was retried."),
    },
    Rule {
        on: phrase(r"The provided personal access token \(PAT\) does not have Copilot Requests permission"),
        code: Code::TokenLacksPermission,
        text: "token_lacks_permission",
        source: "1.0.102, a string of the program, 2026-11",
        example: Text("The provided personal access token (PAT) does not have Copilot Requests permission."),
        near_miss: Text("A personal access token (PAT) may have Copilot Requests permission."),
    },
];
