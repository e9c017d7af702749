//! The end of a stream of bytes, within a bound.

use std::collections::VecDeque;

/// No key or token is longer.
const LONGEST_SECRET: usize = 4096;

/// Keeps the last bytes.
#[derive(Debug)]
pub(super) struct Tail {
    bytes: VecDeque<u8>,
    cap: usize,
    cut: bool,
}

impl Tail {
    pub(super) fn new(cap: usize) -> Tail {
        Tail { bytes: VecDeque::new(), cap, cut: false }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        let kept = &bytes[bytes.len().saturating_sub(self.cap)..];
        let over = (self.bytes.len() + kept.len()).saturating_sub(self.cap);
        self.cut |= over > 0 || kept.len() < bytes.len();
        self.bytes.drain(..over);
        self.bytes.extend(kept);
    }

    /// The kept text, from the start of a line where the beginning was cut off.
    ///
    /// Of a cut line without an end, the first bytes go: a secret that lost its beginning is known by nothing.
    pub(super) fn text(&self) -> String {
        let bytes: Vec<u8> = self.bytes.iter().copied().collect();
        let from = match memchr::memchr(b'\n', &bytes) {
            _ if !self.cut => 0,
            Some(newline) => newline + 1,
            None if bytes.len() > 2 * LONGEST_SECRET => LONGEST_SECRET,
            None => 0,
        };
        let rest = if from < bytes.len() { &bytes[from..] } else { &bytes[..] };
        String::from_utf8_lossy(rest).into_owned()
    }
}

/// The last `max` bytes of `text`, from the start of a line where one is near, always from the start of a character.
pub(super) fn last(text: &str, max: usize) -> &str {
    let mut from = text.len().saturating_sub(max);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let rest = &text[from..];
    match rest.find('\n') {
        Some(newline) if from > 0 && newline + 1 < rest.len() => &rest[newline + 1..],
        _ => rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_lines_of_the_end_are_kept() {
        let mut tail = Tail::new(8);
        tail.push(b"first\n");
        assert_eq!(tail.text(), "first\n");
        tail.push(b"ab\nlast\n");
        assert_eq!(tail.text(), "last\n");
        tail.push(b"0123456789");
        assert_eq!(tail.text(), "23456789");
        let mut tail = Tail::new(3 * LONGEST_SECRET);
        tail.push(&vec![b'x'; 4 * LONGEST_SECRET]);
        assert_eq!(tail.text().len(), 2 * LONGEST_SECRET);
    }

    #[test]
    fn a_cut_keeps_characters_whole() {
        assert_eq!(last("한글", 4), "글");
        assert_eq!(last("one\ntwo\nthree", 9), "three");
        assert_eq!(last("one", 9), "one");
    }
}
