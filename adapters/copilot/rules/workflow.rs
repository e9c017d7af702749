//! Copilot's words about workflows. Recordings are of 1.0.102, 2026-11-30, Linux; "by the code" was read from the CLI's own
//! JavaScript, as no workflow runs without a GitHub login.

use crate::guidance::{Code, Example::*, Rule, phrase};

pub(super) static RULES: &[Rule] = &[
    Rule {
        on: phrase(
            r"Error executing dynamic workflow \x22[^\x22\n]*\x22: Error: (?:Agent|Dynamic) workflows are not available for this session",
        ),
        code: Code::SubscriptionRequired,
        text: "workflows_not_available",
        source: "1.0.102, recordings w_gate, w_ok_json, w_hang_ext; 1.0.92 says `Dynamic` (measured 2026-11-30)",
        example: Text(
            "Error executing dynamic workflow \"adr-review\": Error: Agent workflows are not available for this session",
        ),
        near_miss: Text("Error executing dynamic workflow \"x\": Error: the note says workflows are not available"),
    },
    Rule {
        on: phrase(r"(?P<detail>Dynamic workflow \x22[^\x22\n]*\x22 was not found)\."),
        code: Code::ArgumentsRejected,
        text: "workflow_rejected",
        source: "1.0.102, by the code",
        example: Text("Dynamic workflow \"nope\" was not found."),
        near_miss: Text("Dynamic workflow \"x\" was found."),
    },
    Rule {
        on: phrase(r"(?P<detail>Invalid (?:JSON )?arguments for dynamic workflow \x22[^\x22\n]*\x22(?:: [^\n]+)?)"),
        code: Code::ArgumentsRejected,
        text: "workflow_rejected",
        source: "1.0.102, recordings w_badjson, w_argsfile_missing; the schema's refusal by the code",
        example: Text(
            "Invalid JSON arguments for dynamic workflow \"probe-wf\": SyntaxError: Expected property name or '}' in JSON at position 1 (line 1 column 2)",
        ),
        near_miss: Text("Invalid arguments for a static workflow \"x\""),
    },
];
