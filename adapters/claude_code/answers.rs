//! What tools answered, and whether it was a refusal.

use serde_json::value::RawValue;

use super::wire::Block;

/// How a tool's answer begins where the call was refused. 2.1.197 says it in no other way.
const REFUSALS: &[&str] = &[
    "Claude requested permissions to ",
    "Permission to ",
    "File is in a directory that is denied by your permission settings.",
];

/// What a tool's answer says where the mode left the tool out; a name that never was one is no refusal.
const LEFT_OUT: &[&str] = &[" exists but is not enabled in this context", " is disabled for this session"];

/// What a tool answered: a text, or parts of which some are; JSON where it is neither.
pub(super) fn text_of(content: &RawValue) -> String {
    let text = match serde_json::from_str::<Vec<Block<'_>>>(content.get()) {
        Ok(parts) if parts.iter().all(|part| part.kind == "text" && part.text.is_some()) => {
            parts.iter().filter_map(|part| part.text.as_deref()).collect::<Vec<_>>().join("\n")
        }
        _ => serde_json::from_str(content.get()).unwrap_or_else(|_| content.get().to_owned()),
    };
    // For the model alone.
    let inner = text.strip_prefix("<tool_use_error>").and_then(|rest| rest.strip_suffix("</tool_use_error>"));
    inner.map(str::to_owned).unwrap_or(text)
}

/// Whether a tool that failed was refused, by what it answered.
pub(super) fn is_refusal(output: &str) -> bool {
    let missing = output.strip_prefix("Error: No such tool available: ");
    REFUSALS.iter().any(|start| output.starts_with(start))
        || missing.is_some_and(|rest| LEFT_OUT.iter().any(|words| rest.contains(words)))
}
