//! Halves of characters. JavaScript counts text in UTF-16 and may cut it within a character, as where a tool's long output is
//! shortened. It then prints the half as an escape (`\ud83d`) that no JSON reader here takes.

/// The line with each half as `\ufffd`, the sign for what is no character; `None` where it has none.
pub(super) fn mended(line: &[u8]) -> Option<Vec<u8>> {
    let mut mended = None;
    let mut at = 0;
    while at < line.len() {
        at += match (line[at], code(line, at)) {
            (b'\\', Some(0xd800..=0xdbff)) if matches!(code(line, at + 6), Some(0xdc00..=0xdfff)) => 12,
            (b'\\', Some(0xd800..=0xdfff)) => {
                let mended: &mut Vec<u8> = mended.get_or_insert_with(|| line.to_vec());
                mended[at + 2..at + 6].copy_from_slice(b"fffd");
                6
            }
            // Whatever it escapes, a backslash included, begins no escape of its own.
            (b'\\', _) => 2,
            _ => 1,
        };
    }
    mended
}

/// The UTF-16 unit that is escaped here.
fn code(line: &[u8], at: usize) -> Option<u16> {
    let digits = line.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits =
        std::str::from_utf8(digits).ok().filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_halves_are_replaced() {
        let cases = [
            (r#""a\ud83db""#, Some(r#""a\ufffdb""#)),
            (r#""\uDE00""#, Some(r#""\ufffd""#)),
            (r#""\ud83d\ud83d\ude00""#, Some(r#""\ufffd\ud83d\ude00""#)),
            (r#""\ud83d\ude00""#, None),
            (r#""\\ud83d""#, None),
            (r#""\\\ud83d""#, Some(r#""\\\ufffd""#)),
            (r#""\ud8"#, None),
            (r#""\u+d83""#, None),
            ("\\", None),
            ("", None),
        ];
        for (line, expected) in cases {
            let mended = mended(line.as_bytes());
            assert_eq!(mended.as_deref().map(String::from_utf8_lossy).as_deref(), expected, "{line}");
        }
    }
}
