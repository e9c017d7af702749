//! The names of Copilot's own tools.

/// What Safe mode gives: reading, searching, creating and editing files. Measured on 1.0.69 and 1.0.102: these are the
/// tools' real names; `--available-tools` takes no kinds, so that the record's `write` names no tool.
pub(super) const SAFE: &[&str] = &["view", "create", "edit", "glob", "grep"];

/// What Safe mode leaves out, over all versions from 1.0.20 to 1.0.102 (`--allow-all-tools`, offline and signed in).
const LEFT_OUT: &[&str] = &[
    "apply_patch",
    "ask_user",
    "bash",
    "exit_plan_mode",
    "fetch_copilot_cli_documentation",
    "list_agents",
    "list_bash",
    "list_powershell",
    "lsp",
    "powershell",
    "read_agent",
    "read_bash",
    "read_powershell",
    "report_intent",
    "semantic_code_search",
    "session_store_sql",
    "skill",
    "sql",
    "stop_bash",
    "stop_powershell",
    "str_replace_editor",
    "task",
    "task_complete",
    "update_todo",
    "web_fetch",
    "web_search",
    "write_agent",
    "write_bash",
    "write_powershell",
];

/// Whether Copilot has or had a tool of this name.
pub(super) fn is_known(name: &str) -> bool {
    SAFE.contains(&name) || LEFT_OUT.contains(&name)
}
