//! Masks secrets in text: by the values a run carried, and by shape.
//!
//! Owns what counts as a secret in text. Linear in the text; what comes out is never longer than twice what went in plus
//! a few marks, and masking what is masked changes nothing. Keeps no state and logs nothing.

mod shapes;
mod values;

use std::ops::Range;

/// What stands in the place of a secret.
pub(crate) const MASK: &str = "<redacted>";

/// Masks each of `values`, also where it is escaped or encoded, and what looks like a token, key or credential.
pub(crate) fn redact(text: &str, values: &[String]) -> String {
    let mut found = Vec::new();
    values::find(text, values, &mut found);
    shapes::find(text, &mut found);
    mask(text, found)
}

/// Puts the mask in the place of each range; of ranges that touch, one for all.
fn mask(text: &str, mut found: Vec<Range<usize>>) -> String {
    if found.is_empty() {
        return text.to_owned();
    }
    found.sort_unstable_by_key(|range| range.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    let mut ranges = found.into_iter().peekable();
    while let Some(mut range) = ranges.next() {
        while let Some(next) = ranges.next_if(|next| next.start < range.end) {
            range.end = range.end.max(next.end);
        }
        out.push_str(&text[at..range.start]);
        out.push_str(MASK);
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests;
