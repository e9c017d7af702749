//! JSON as Copilot's settings files have it: with comments, commas at the end and a byte order mark (measured on 1.0.69 and
//! 1.0.102; single quotes and bare keys are not read).

use serde_json::Value;

/// The value of a file; `None` where Copilot would ignore it as well.
pub(in crate::adapters) fn parse(bytes: &[u8]) -> Option<Value> {
    serde_json::from_str(&strict(std::str::from_utf8(bytes).ok()?)).ok()
}

/// Every string in a file, keys too, whether or not the rest of it can be read.
pub(super) fn texts(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let (mut texts, mut rest) = (Vec::new(), &*text);
    while let Some(at) = rest.find('"') {
        let string = &rest[at..];
        let Some(end) = string_end(string) else { break };
        texts.extend(serde_json::from_str::<String>(&string[..end]).ok());
        rest = &string[end..];
    }
    texts
}

/// The length of the string literal that `text` begins with.
fn string_end(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Takes out the byte order mark, comments and commas before a closing bracket.
fn strict(text: &str) -> String {
    let mut rest = text.trim_start_matches('\u{feff}');
    let mut clean = String::with_capacity(rest.len());
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '"' => {
                let end = string_end(rest).unwrap_or(rest.len());
                clean.push_str(&rest[..end]);
                end
            }
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '}' | ']' => {
                let kept = clean.trim_end();
                let kept = kept.strip_suffix(',').unwrap_or(kept).len();
                clean.truncate(kept);
                clean.push(c);
                1
            }
            _ => {
                clean.push(c);
                c.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    clean
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::{parse, texts};

    #[test]
    fn settings_are_read_as_copilot_reads_them() {
        let text = "\u{feff}// mine\n{ \"a\": [\"/x // y\", \"b\\\"}\",], /* \"c\": 1 */ \"d\": {\"e\": 1,}, }";
        assert_eq!(parse(text.as_bytes()), Some(json!({ "a": ["/x // y", "b\"}"], "d": { "e": 1 } })));
        assert_eq!(texts(text.as_bytes()), ["a", "/x // y", "b\"}", "c", "d", "e"]);
        assert_eq!(parse(b"{'a':1}"), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(bytes: Vec<u8>) {
            let _ = (parse(&bytes), texts(&bytes));
        }

        #[test]
        fn plain_json_is_read_as_it_is(a in "\\PC*", b in "\\PC*") {
            let value = json!({ &a: [&b, 1, null], "z": { "y": &a } });
            prop_assert_eq!(parse(value.to_string().as_bytes()), Some(value));
        }
    }
}
