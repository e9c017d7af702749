//! Secrets by value: what the run itself carried, in each form in which a program may print it.

use std::collections::BTreeSet;
use std::ops::Range;

/// Values shorter than this are words, not secrets.
const SHORTEST: usize = 4;
/// Values shorter than this are masked only where they stand alone: `true` in `trueborn` is no secret.
const ANYWHERE: usize = 8;

/// Adds where a value stands in `text`.
pub(super) fn find(text: &str, values: &[String], found: &mut Vec<Range<usize>>) {
    let mut forms = BTreeSet::new();
    for value in values {
        add_forms(value, &mut forms);
    }
    for form in &forms {
        for (start, _) in text.match_indices(form.as_str()) {
            let end = start + form.len();
            if form.len() >= ANYWHERE || stands_alone(text, start, end) {
                found.push(start..end);
            }
        }
    }
}

fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let before = text[..start].chars().next_back();
    let after = text[end..].chars().next();
    !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
}

/// The value and its encoded forms. A value of several lines also counts line by line.
fn add_forms(value: &str, forms: &mut BTreeSet<String>) {
    let value = value.trim();
    let mut parts = vec![value];
    if value.contains('\n') {
        parts.extend(value.lines().map(str::trim).filter(|line| line.len() >= ANYWHERE));
    }
    for part in parts.into_iter().filter(|part| part.len() >= SHORTEST) {
        let json = json(part);
        let double = self::json(&json);
        for form in
            [ascii_json(part), double, json, percent(part, true), percent(part, false), shell(part), part.to_owned()]
        {
            forms.insert(form);
        }
        // Shorter ones have too few characters left between the uncertain ends.
        if part.len() >= ANYWHERE {
            for skip in 0..3 {
                let encoded = base64(part.as_bytes(), skip);
                forms.insert(encoded.replace('+', "-").replace('/', "_"));
                forms.insert(encoded);
            }
        }
    }
}

/// As it stands inside a JSON string.
fn json(value: &str) -> String {
    let quoted = serde_json::to_string(value).unwrap_or_default();
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned()
}

/// The same from a writer that keeps to ASCII.
fn ascii_json(value: &str) -> String {
    let mut out = String::new();
    for c in json(value).chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    out
}

/// As it stands in an address.
fn percent(value: &str, upper: bool) -> String {
    let mut out = String::new();
    for byte in value.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            _ if upper => out.push_str(&format!("%{byte:02X}")),
            _ => out.push_str(&format!("%{byte:02x}")),
        }
    }
    out
}

/// As it stands in single quotes of a shell.
fn shell(value: &str) -> String {
    value.replace('\'', r"'\''")
}

/// The characters of base64 that are the same wherever the value stands, `skip` bytes after a multiple of three.
fn base64(value: &[u8], skip: usize) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = vec![0; skip];
    bytes.extend_from_slice(value);
    let mut out = String::new();
    for chunk in bytes.chunks_exact(3) {
        let bits = chunk.iter().fold(0_usize, |bits, byte| (bits << 8) | usize::from(*byte));
        for shift in [18, 12, 6, 0] {
            out.push(char::from(SIGNS[(bits >> shift) & 63]));
        }
    }
    // The first characters hold bits of what stands before.
    let uncertain = match skip {
        0 => 0,
        1 => 2,
        _ => 3,
    };
    out.get(uncertain..).unwrap_or_default().to_owned()
}
