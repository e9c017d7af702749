//! An agent's raw stderr as text to match on: bounded, without escapes and noise.

use super::noise::is_noise;

/// The most that is looked at, in bytes: the first half from the start, the other from the end.
pub(super) const LIMIT: usize = 64 * 1024;

/// `raw` bounded, without escape sequences and without lines of noise.
pub(super) fn text(raw: &str) -> String {
    let plain = plain(raw);
    let mut kept = String::with_capacity(plain.len());
    for line in plain.lines().filter(|line| !is_noise(line)) {
        kept.push_str(line);
        kept.push('\n');
    }
    kept
}

/// `raw` bounded and without escape sequences. A carriage return counts as a line's end.
pub(super) fn plain(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len().min(LIMIT));
    if raw.len() <= LIMIT {
        strip(raw, &mut out);
        return out;
    }
    // Only whole lines stay on both sides of the gap: half a line may be half a secret.
    let head = &raw[..floor(raw, LIMIT / 2)];
    let tail = &raw[floor(raw, raw.len() - LIMIT / 2)..];
    strip(&head[..head.rfind('\n').unwrap_or(0)], &mut out);
    out.push('\n');
    match tail.find('\n') {
        Some(end) => strip(&tail[end + 1..], &mut out),
        // One endless line: its end says most, and no key is as long as what is left out here.
        None => strip(&tail[floor(tail, tail.len() / 2)..], &mut out),
    }
    out
}

/// The last boundary between characters that is not after `at`.
pub(super) fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Appends `raw` without CSI, OSC and other escape sequences.
fn strip(raw: &str, out: &mut String) {
    let mut chars = raw.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            // The same in one character.
            '\u{9b}' => while chars.next_if(|c| !('\u{40}'..='\u{7e}').contains(c) && *c != '\n').is_some() {},
            '\u{1b}' => match chars.next() {
                // A control sequence ends with a letter or one of a few signs.
                Some('[') => while chars.next_if(|c| !('\u{40}'..='\u{7e}').contains(c) && *c != '\n').is_some() {},
                // A command to the terminal ends with a bell or a string terminator.
                Some(']') => while chars.next_if(|c| *c != '\u{7}' && *c != '\u{1b}' && *c != '\n').is_some() {},
                _ => continue,
            },
            '\r' => {
                if chars.peek() != Some(&'\n') {
                    out.push('\n');
                }
                continue;
            }
            '\n' | '\t' => {
                out.push(c);
                continue;
            }
            c if c.is_control() => continue,
            c => {
                out.push(c);
                continue;
            }
        }
        // The sign that ended the sequence.
        if chars.peek() != Some(&'\n') && chars.peek() != Some(&'\u{1b}') {
            chars.next();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_carriage_returns_go() {
        assert_eq!(plain("\u{1b}[31mError:\u{1b}[0m no\r\nx\ry\u{1b}]0;title\u{7}z\u{1b}[?25l"), "Error: no\nx\nyz");
        assert_eq!(plain("\u{9b}31mError\u{9b}0m"), "Error");
        assert_eq!(plain("\u{1b}"), "");
        assert_eq!(plain("a\u{1b}[\nb"), "a\nb");
    }

    #[test]
    fn no_more_than_the_limit_is_looked_at() {
        let raw = format!("first\n{}\nlast", "é\n".repeat(LIMIT));
        let kept = plain(&raw);
        assert!(kept.len() <= LIMIT + 1, "{}", kept.len());
        assert!(kept.starts_with("first") && kept.ends_with("last"));
        let kept = plain(&format!("{}end", "é".repeat(LIMIT)));
        assert!(kept.len() < LIMIT && kept.ends_with("end"));
    }
}
