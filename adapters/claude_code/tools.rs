//! Claude Code's own tools, by what the modes make of them.

/// What Safe mode gives: `--tools` names these and nothing else is there, for sub-agents too. In the order of `init`.
pub(super) const SAFE: &[&str] = &["Edit", "Glob", "Grep", "Read", "Write"];

/// What Power User mode lets run unasked beside what `acceptEdits` does. The file tools are not among them: a rule without
/// a path would let them out of the vault, while the mode keeps them in it. All others of the `init` of 2.1.197 and
/// 2.1.332 ask for nothing; `PowerShell` is the shell on Windows (by the program's strings).
pub(super) const POWER_USER: &[&str] = &["Bash", "Monitor", "PowerShell", "Skill", "WebFetch", "WebSearch", "Workflow"];

/// Tools that write a file, with the argument that names it.
pub(super) const WRITERS: &[(&str, &str)] =
    &[("Edit", "file_path"), ("Write", "file_path"), ("NotebookEdit", "notebook_path")];

/// Tools that read a file or a folder, with the argument that names it. A relative pattern is not followed outside.
pub(super) const READERS: &[(&str, &str)] = &[("Glob", "path"), ("Grep", "path"), ("Read", "file_path")];

/// What the tools of a server begin with.
pub(super) fn prefix(server: &str) -> String {
    format!("mcp__{server}")
}

/// Whether a tool is of this server.
pub(super) fn is_of(tool: &str, server: &str) -> bool {
    tool.strip_prefix("mcp__").and_then(|rest| rest.strip_prefix(server)).is_some_and(|rest| rest.starts_with("__"))
}
