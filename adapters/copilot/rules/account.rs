//! Copilot's words about the sign-in, the plan and policies. Recordings are of 1.0.102, 2026-11-30, Linux.

use crate::guidance::{Code, Rule, Signal::*, kind_status, phrase};

pub(super) static RULES: &[Rule] = &[
    // Sign-in.
    Rule {
        on: phrase(r"No authentication information found\."),
        code: Code::NotSignedIn,
        text: "not_signed_in",
        source: "1.0.102, recordings 5_noauth_text, 5_noauth_json; github/copilot-cli#3746",
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
        on: phrase(r"Login succeeded, but the token was not saved\."),
        code: Code::NotSignedIn,
        text: "sign_in_not_saved",
        source: "1.0.102, recording 5_login_with_token",
        example: Text(
            "Login succeeded, but the token was not saved. Install a system keychain or rerun login and accept plaintext storage.",
        ),
        near_miss: Text("The login succeeded, but the token was not saved in the note."),
    },
    Rule {
        on: phrase(r"Authentication token found but could not be validated\.(?s:.*?)SAML enforcement"),
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
        on: phrase(
            r#"(?:403 )?"?[Uu]nauthorized: not authorized to use this Copilot feature|403 Unauthorized: not authorized to use this Copilot feature|(?:Failed to load models: )?access denied by Copilot policy\."#,
        ),
        code: Code::PolicyBlocked,
        text: "policy_blocked",
        source: "0.0.326 to 1.0.41; github/copilot-cli#18, #1720, #3101, #4481",
        example: Text(
            r#"✗ Failed to load models: access denied by Copilot policy. (Request ID: DD28:396A99:1D5848:6BFB96:69F85427)"#,
        ),
        near_miss: Text(r#"We were denied access by Copilot policy last year."#),
    },
    Rule {
        on: phrase(r#"No model available\. Check policy enablement under GitHub Settings > Copilot"#),
        code: Code::PolicyBlocked,
        text: "policy_blocked",
        source: "0.0.361; github/copilot-cli#635, #400",
        example: Text(
            r#"Execution failed: No model available. Check policy enablement under GitHub Settings > Copilot"#,
        ),
        near_miss: Text(r#"No model available for the photo shoot. Check policy."#),
    },
    Rule {
        on: phrase(r#"Failed to list models: (?:403\b|Forbidden\b)"#),
        code: Code::PolicyBlocked,
        text: "access_refused",
        source: "0.0.404; github/copilot-cli#1316, #1006",
        example: Text(r#"Execution failed: Error: Failed to list models: 403"#),
        near_miss: Text(r#"They failed to list models: 403 of them were toys, said the clerk"#),
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
        text: "access_refused",
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
    // Plan and policy.
    Rule {
        on: phrase(r"(?:\d{3} )?(?:You are not licensed to use Copilot\b|unauthorized: not licensed to use Copilot)"),
        code: Code::SubscriptionRequired,
        text: "subscription_required",
        source: "1.0.102, a string of the program, 2026-11",
        example: Text("You are not licensed to use Copilot."),
        near_miss: Text("You are not licensed to use copilots in aviation."),
    },
    Rule {
        on: phrase(r"Copilot Pro trial paused\b|Copilot Pro trials have been temporarily paused\."),
        code: Code::SubscriptionRequired,
        text: "trial_paused",
        source: "1.0.102, recording 5_gh_models403_trial_text (simulated)",
        example: Text("Error: Copilot Pro trial paused (Request ID: ABCD:1234:5678)"),
        near_miss: Text("My Copilot Pro trial paused yesterday? No."),
    },
    Rule {
        on: phrase(r"Access denied by policy settings(?: \(Request ID: |\s*$)"),
        code: Code::PolicyBlocked,
        text: "policy_blocked",
        source: "1.0.102, recordings 5_gh_models403_other_text, 5_gh_models403_licensed_text (simulated)",
        example: Text("Error: Access denied by policy settings (Request ID: ABCD:1234:5678)"),
        near_miss: Text("Access denied by policy settings is a message that people ask about"),
    },
    Rule {
        on: phrase(
            r"You are not authorized to use this Copilot feature, it requires an enterprise or organization policy to be enabled\.",
        ),
        code: Code::PolicyBlocked,
        text: "policy_blocked",
        source: "1.0.102, a string of the program, 2026-11",
        example: Text(
            "You are not authorized to use this Copilot feature, it requires an enterprise or organization policy to be enabled.",
        ),
        near_miss: Text("You are not authorized to use this feature of the printer."),
    },
    Rule {
        on: phrase(r"Your organization's Copilot policy requires signing in with a GitHub account that belongs to "),
        code: Code::PolicyBlocked,
        text: "wrong_account",
        source: "1.0.102, a string of the program, 2026-11",
        example: Text(
            "Your organization's Copilot policy requires signing in with a GitHub account that belongs to the enterprise.",
        ),
        near_miss: Text("Your organization's policy requires signing in."),
    },
    Rule {
        on: phrase(r"Third-party MCP servers are disabled by your organization's Copilot policy\."),
        code: Code::McpFailed,
        text: "mcp_policy",
        source: "1.0.102, session.warning of recording 5_gh_mcp_enabled_3_json (simulated)",
        example: Text(
            "Third-party MCP servers are disabled by your organization's Copilot policy. Only built-in servers are available.",
        ),
        near_miss: Text("Third-party MCP servers are welcome."),
    },
];
