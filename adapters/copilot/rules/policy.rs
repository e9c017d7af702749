//! Copilot's words about the plan and policies. Recordings are of 1.0.102, 2026-11-30, Linux.

use crate::guidance::{Code, Example::*, Rule, phrase};

pub(super) static RULES: &[Rule] = &[
    Rule {
        on: phrase(r"(?:\d{3} )?(?:You are not licensed to use Copilot\b|unauthorized: not licensed to use Copilot)"),
        code: Code::SubscriptionRequired,
        text: "subscription_required",
        source: "1.0.102, a string of the program, 2026-11; in lines of a terminal github/copilot-cli#1526",
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
            r"You are not authorized to use this Copilot feature, it requires an\s+enterprise\s+or\s+organization\s+policy\s+to\s+be\s+enabled\.",
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
    Rule {
        on: phrase(
            r#"(?:Failed to list models: )?RPC error -?\d+: Request models\.list failed with message: 403\b|(?:403 )?"?[Uu]nauthorized: not authorized to use this Copilot feature|403 Unauthorized: not authorized to use this Copilot feature|(?:Failed to load models: )?access denied by Copilot policy\."#,
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
        text: "copilot_refused",
        source: "0.0.404; github/copilot-cli#1316, #1006",
        example: Text(r#"Execution failed: Error: Failed to list models: 403"#),
        near_miss: Text(r#"They failed to list models: 403 of them were toys, said the clerk"#),
    },
];
