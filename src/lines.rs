//! Splits bytes into bounded lines. Does no I/O, and gives the same lines however the bytes are cut.
//!
//! Lines end at `\n` alone, before any decoding, so that a character cut by two reads stays whole and a U+2028 inside a
//! JSON string ends nothing.

/// What the splitter hands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// A line without its end (`\n` or `\r\n`).
    Line(&'a [u8]),
    /// A line is longer than the cap: it is skipped up to its newline. Told once for a line, as soon as it is known.
    TooLong,
}

/// Splits bytes into lines of at most `cap` bytes, the line end aside.
#[derive(Debug)]
pub(crate) struct LineSplitter {
    cap: usize,
    /// The beginning of a line whose end has not come; never longer than `cap` and a `\r`.
    partial: Vec<u8>,
    skipping: bool,
    first: bool,
}

/// A buffer that grew for one long line is given back beyond this size.
const KEPT_CAPACITY: usize = 128 * 1024;

impl LineSplitter {
    pub(crate) fn new(cap: usize) -> LineSplitter {
        LineSplitter { cap, partial: Vec::new(), skipping: false, first: true }
    }

    /// How many bytes it holds back.
    #[cfg(test)]
    pub(crate) fn held(&self) -> usize {
        self.partial.len()
    }

    /// Takes the next bytes and hands out each line that they complete.
    pub(crate) fn push(&mut self, mut bytes: &[u8], mut each: impl FnMut(Piece<'_>)) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (line, rest) = (&bytes[..end], &bytes[end + 1..]);
            bytes = rest;
            if std::mem::take(&mut self.skipping) {
                continue;
            }
            if self.partial.is_empty() {
                self.line(line, &mut each);
            } else {
                let mut whole = std::mem::take(&mut self.partial);
                // Not even its beginning is needed of a line that is too long.
                if whole.len() + line.len() <= self.cap + 1 {
                    whole.extend_from_slice(line);
                    self.line(&whole, &mut each);
                } else {
                    self.first = false;
                    each(Piece::TooLong);
                }
                if whole.capacity() <= KEPT_CAPACITY {
                    whole.clear();
                    self.partial = whole;
                }
            }
        }
        if self.skipping || bytes.is_empty() {
            return;
        }
        // One more than the cap, as the last byte may be the `\r` of the line end.
        if self.partial.len() + bytes.len() > self.cap + 1 {
            self.partial = Vec::new();
            self.skipping = true;
            self.first = false;
            each(Piece::TooLong);
        } else {
            self.partial.extend_from_slice(bytes);
        }
    }

    /// Takes the end of the bytes: a last line needs no newline.
    pub(crate) fn finish(&mut self, mut each: impl FnMut(Piece<'_>)) {
        let last = std::mem::take(&mut self.partial);
        if !last.is_empty() {
            self.line(&last, &mut each);
        }
        self.skipping = false;
    }

    fn line(&mut self, line: &[u8], each: &mut impl FnMut(Piece<'_>)) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.len() > self.cap {
            self.first = false;
            return each(Piece::TooLong);
        }
        let first = std::mem::take(&mut self.first);
        let line = if first { line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line) } else { line };
        each(Piece::Line(line));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The pieces of `bytes` cut at `cuts`; `None` stands for a line that was too long.
    fn split(cap: usize, bytes: &[u8], cuts: &[usize]) -> Vec<Option<Vec<u8>>> {
        let mut pieces = Vec::new();
        let mut splitter = LineSplitter::new(cap);
        let mut each = |piece: Piece<'_>| {
            pieces.push(match piece {
                Piece::Line(line) => Some(line.to_vec()),
                Piece::TooLong => None,
            });
        };
        let mut rest = bytes;
        for cut in cuts {
            let (chunk, tail) = rest.split_at(cut % (rest.len() + 1));
            splitter.push(chunk, &mut each);
            assert!(splitter.held() <= cap + 1);
            rest = tail;
        }
        splitter.push(rest, &mut each);
        splitter.finish(&mut each);
        pieces
    }

    fn lines(bytes: &[u8]) -> Vec<Option<Vec<u8>>> {
        split(8, bytes, &[])
    }

    fn some(lines: &[&str]) -> Vec<Option<Vec<u8>>> {
        lines.iter().map(|line| Some(line.as_bytes().to_vec())).collect()
    }

    #[test]
    fn line_ends_a_byte_order_mark_and_a_last_line_without_newline() {
        assert_eq!(lines(b"\xEF\xBB\xBFa\r\nb\n\nc"), some(&["a", "b", "", "c"]));
        assert_eq!(lines(b""), some(&[]));
        assert_eq!(lines(b"\n"), some(&[""]));
        assert_eq!(lines("a\u{2028}b\n".as_bytes()), some(&["a\u{2028}b"]));
    }

    #[test]
    fn a_line_over_the_cap_is_skipped_to_its_newline_and_the_next_arrives() {
        let mut expected = some(&["12345678"]);
        expected.push(None);
        expected.extend(some(&["ok"]));
        assert_eq!(lines(b"12345678\r\n123456789\nok\n"), expected);
        assert_eq!(lines(b"123456789"), vec![None]);
        assert_eq!(lines(b"1234567890123"), vec![None]);
    }

    #[test]
    fn s04_the_cap_is_per_line() {
        let bytes = b"1234567\n".repeat(10_000);
        assert_eq!(lines(&bytes).len(), 10_000);
    }

    proptest! {
        #[test]
        fn s01_any_bytes_cut_anywhere_give_the_same_lines(
            bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(0xEF), Just(0xBB), Just(0xBF), any::<u8>()], 0..64),
            cuts in proptest::collection::vec(0usize..16, 0..40),
            cap in 1usize..12,
        ) {
            prop_assert_eq!(split(cap, &bytes, &cuts), split(cap, &bytes, &[]));
        }
    }
}
