//! The names of OpenCode's own tools.

/// What Safe mode gives: reading, searching, creating and editing files, and a list of tasks. (1.18.33 has no `list`; older ones
/// do.)
pub(super) const SAFE: &[&str] = &["edit", "glob", "grep", "list", "read", "todowrite", "write"];

/// Those of them that edit, under one permission. `apply_patch` is a third, and is never given: it takes the place of both for
/// some models, and does not keep to the rules ([`super::model`]).
pub(super) const EDITORS: &[&str] = &["edit", "write"];

/// What OpenCode gives beside the tools of servers, where one offers resources. They count as `read` (by name, in the program).
pub(super) const RESOURCES: &[&str] = &["list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource"];

/// What Safe mode leaves out: all others of 1.18.33, by the program's own table of tools.
const LEFT_OUT: &[&str] = &[
    "apply_patch",
    "bash",
    "codesearch",
    "execute",
    "lsp",
    "multiedit",
    "patch",
    "plan_enter",
    "plan_exit",
    "question",
    "skill",
    "task",
    "todoread",
    "webfetch",
    "websearch",
];

/// Whether OpenCode has or had a tool of this name.
pub(super) fn is_known(name: &str) -> bool {
    SAFE.contains(&name) || LEFT_OUT.contains(&name) || RESOURCES.contains(&name)
}

/// Whether a tool is one of a server's, by OpenCode's `server_tool` spelling.
pub(super) fn is_of(tool: &str, server: &str) -> bool {
    tool.strip_prefix(server).is_some_and(|rest| rest.starts_with('_'))
}
