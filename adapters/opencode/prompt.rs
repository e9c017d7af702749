//! The prompt. On stdin it arrives to the byte, whatever it begins with and however long it is (measured up to 200 KB); in an
//! argument OpenCode would put it in quotes.

use crate::request::Request;

/// The text for the model.
pub(super) fn prompt(request: &Request) -> String {
    let place = format!(
        "The folder to work in is `{}`; the current directory is another, empty and to stay so. Give every path in full, \
         beginning with that folder.",
        request.vault.display()
    );
    let asked = request.system_prompt.as_deref().filter(|text| !text.trim().is_empty());
    let asked = asked.map(|text| format!("\n\n{text}")).unwrap_or_default();
    format!("System instructions:\n{place}{asked}\n\nUser request:\n{}", request.prompt)
}
