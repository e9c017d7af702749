//! Secrets by shape: what looks like a token, key or credential, whoever put it there.
//!
//! Each shape is a pattern whose group `s` is the secret, and a check of that secret. The checks keep prose apart: a
//! sentence about tokens has none.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// What else must hold of the secret of a shape.
#[derive(Clone, Copy)]
enum Check {
    /// Nothing: the shape alone is proof.
    Proof,
    /// It looks random: it has a digit, or small and capital letters mixed.
    Random,
    /// It is a value: not a word that stands for none, not a variable or a mask.
    Value,
    /// A value that is not merely a number: `max_tokens=4096` counts.
    Counted,
    /// A value that is more than the number of an error: `?code=12`.
    Code,
}

/// Prefixes that their makers chose so that tokens can be found (as of 2026-11).
const PREFIXED: &str = concat!(
    // GitHub, GitLab.
    r"(?P<s>(?:gh[pousr]_[A-Za-z0-9]{10,}(?:[._-][A-Za-z0-9_-]+)*|github_pat_[A-Za-z0-9_]{10,}|gl(?:pat|dt|rt|soat|ptt)-[A-Za-z0-9_.-]{10,}",
    // Slack, Amazon, Google.
    r"|xox[abeoprs]-[A-Za-z0-9-]{8,}|xapp-\d-[A-Za-z0-9-]{8,}|(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}|AIza[0-9A-Za-z_-]{20,}|ya29\.[0-9A-Za-z_-]{20,}|GOCSPX-[0-9A-Za-z_-]{10,}",
    // Providers of models.
    r"|sk-(?:ant|proj|svcacct|admin|or|lf)-[A-Za-z0-9_-]{8,}|hf_[A-Za-z0-9]{20,}|gsk_[A-Za-z0-9]{20,}|xai-[A-Za-z0-9]{20,}|pplx-[A-Za-z0-9]{20,}|r8_[A-Za-z0-9]{20,}|nvapi-[A-Za-z0-9_-]{20,}|tvly-[A-Za-z0-9_-]{16,}|AQ\.[A-Za-z0-9_-]{30,}",
    // Registries, payment, mail and others.
    r"|npm_[A-Za-z0-9]{20,}|pypi-[A-Za-z0-9_-]{20,}|cio[A-Za-z0-9]{32,}|[sr]k_(?:live|test)_[A-Za-z0-9]{10,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|dop_v1_[a-f0-9]{20,}|figd_[A-Za-z0-9_-]{16,}|lin_api_[A-Za-z0-9]{16,}|ntn_[A-Za-z0-9]{20,}|AGE-SECRET-KEY-1[A-Z0-9]{20,}",
    // JSON Web Tokens, whole or cut.
    r"|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?|eyJ[A-Za-z0-9_-]{40,}))",
);

/// A private key, whole or cut at either end; line breaks may be escaped.
const KEY: &str = concat!(
    r"(?P<s>-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----(?:[A-Za-z0-9+/=\s]|\\+[nr]|[A-Z][A-Za-z-]+: [^\n]*\n)*(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----)?",
    r"|(?:[A-Za-z0-9+/=]{12,}(?:\s|\\+[nr])+)+-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----)",
);

/// What may stand between a name and its value.
const IS: &str = r#"(?:\\*["'])?\s?[:=]\s?"#;

/// Names that end in one of these hold secrets.
const NAMES: &str = r"(?:pass(?:word|wd|phrase|code)|secret|api[_-]?key|access[_-]?key|account[_-]?key|private[_-]?key|secret[_-]?key|auth[_-]?key|client[_-]?secret|credentials?)";

/// A value without quotes: up to what ends one in settings, addresses and JSON.
const BARE: &str = r#"(?P<s>(?:[^\s"'&,;\\<>]|\\[^\snrt"'])+)"#;

static SHAPES: LazyLock<Vec<(Regex, Check)>> = LazyLock::new(|| {
    // In double quotes a backslash hides the next sign; where the quote itself is hidden, it ends the value.
    let quoted = r#""(?P<s>(?:[^"\\\n]|\\[^\n])+)|'(?P<t>[^'\n]+)|\\+"(?P<u>[^"\\\n]+)|\\+'(?P<v>[^'\\\n]+)"#;
    let texts = [
        (PREFIXED.to_owned(), Check::Proof),
        (KEY.to_owned(), Check::Proof),
        (r"(?:^|[^A-Za-z0-9])(?P<s>sk-[A-Za-z0-9_-]{16,})".to_owned(), Check::Random),
        // Headers.
        (
            format!(
                r#"(?i)authorization{IS}(?:\\*["'])?(?:bearer|basic|token|digest|negotiate|apikey|aws4-hmac-sha256)\s+(?P<s>[^\s"'\\,;]{{4,}})"#
            ),
            Check::Proof,
        ),
        (format!(r#"(?i)authorization{IS}(?:\\*["'])?(?P<s>[^\s"'\\,;]{{8,}})"#), Check::Random),
        (r#"(?i)\b(?:bearer|basic)(?:\s+|:\s?)(?P<s>[A-Za-z0-9._~+/-]{12,}=*)"#.to_owned(), Check::Random),
        (
            format!(
                r#"(?i)\b(?:x-[a-z-]{{0,30}}(?:key|token|secret)|private-token|api-key){IS}(?:\\*["'])?(?P<s>[^\s"'\\,;]{{4,}})"#
            ),
            Check::Counted,
        ),
        (r"(?i)\b(?:set-)?cookie:\s?(?P<s>[^\s=;]{1,80}=[^\n]+)".to_owned(), Check::Proof),
        // Addresses.
        (r#"[A-Za-z][A-Za-z0-9+.-]{0,30}://(?P<s>[^\s/?#@:"'<>\\]*:[^\s/?#"'<>\\]+)@"#.to_owned(), Check::Value),
        (r#"[A-Za-z][A-Za-z0-9+.-]{0,30}://(?P<s>[^\s/?#@:"'<>\\]{16,})@"#.to_owned(), Check::Random),
        (
            format!(
                r#"(?i)[?&#;](?:[a-z0-9_.-]{{0,40}}(?:{NAMES}|token)|key|pwd|sig|signature|auth|jwt|x-amz-(?:signature|credential))=(?P<s>[^&;\s"'#\\<>]+)"#
            ),
            Check::Value,
        ),
        (r#"[?&#;]code=(?P<s>[^&;\s"'#\\<>]+)"#.to_owned(), Check::Code),
        // A signature without its address.
        (r#"(?i)(?:^|[\s"'(,])sig(?:nature)?=(?P<s>[A-Za-z0-9%+/=_-]{16,})"#.to_owned(), Check::Random),
        // Names and values, as in settings, environments and command lines.
        (format!(r#"(?i)(?:{NAMES}|token|\bpwd)s?(?:\\*["'])?\s?[:=]\s?(?:{quoted})"#), Check::Value),
        (
            r#"(?:[A-Z0-9]_)?(?:PASSWORD|PASSWD|SECRET|API_?KEY|ACCESS_KEY|PRIVATE_KEY|SECRET_KEY|TOKEN|CREDENTIALS?)=(?P<s>[^\s"'<>]+)"#.to_owned(),
            Check::Value,
        ),
        (format!(r#"(?i){NAMES}\s?=\s?{BARE}"#), Check::Value),
        (format!(r#"(?i)tokens?\s?=\s?{BARE}"#), Check::Counted),
        (r#"(?i)\bpwd\s?=\s?(?P<s>[^\s"'&,;\\<>/][^\s"'&,;<>]*)"#.to_owned(), Check::Value),
        (format!(r#"(?i)(?:{NAMES}|token)(?:\\*["'])?:\s?{BARE}"#), Check::Random),
        // A key that ends its line needs no sign of chance: hardly a sentence ends in such a name and one word.
        (
            r#"(?im)(?:api|access|account|private|secret|auth)[_-]?key:\s?(?P<s>[a-z]{8,})["',}\])]*\s*$"#.to_owned(),
            Check::Value,
        ),
        (r#"(?im)^\s*[\w.-]*password:\s?(?P<s>[^\s"']{6,})\s*$"#.to_owned(), Check::Value),
        (format!(r#"(?i)--(?:[a-z-]{{0,30}}-)?(?:{NAMES}|token)[ =](?P<s>[^\s"'<>-][^\s"'<>]*)"#), Check::Value),
        // Files of sign-ins (netrc, npmrc), command lines of curl, and short or translated names.
        (r"(?i)\blogin\s+\S{1,80}\s+password\s+(?P<s>\S+)".to_owned(), Check::Proof),
        (r#"(?:^|[\s:/;])(?:_auth|pass)\s?=\s?(?P<s>[^\s"'&,;<>]+)"#.to_owned(), Check::Counted),
        (r"(?:^|\s)(?:-u|--user|--proxy-user)[ =](?P<s>[A-Za-z][^\s:/]*:[^\s]+)".to_owned(), Check::Random),
        (
            r"(?i)(?:passwort|kennwort|mot de passe|contrase\u{f1}a|senha|\u{43f}\u{430}\u{440}\u{43e}\u{43b}\u{44c}|\u{442}\u{43e}\u{43a}\u{435}\u{43d}|\u{5bc6}\u{7801}|\u{5bc6}\u{78bc}|\u{4ee4}\u{724c}|\u{30d1}\u{30b9}\u{30ef}\u{30fc}\u{30c9})\s?[:=\u{ff1a}]\s?(?P<s>\S{4,})".to_owned(),
            Check::Random,
        ),
    ];
    texts.into_iter().filter_map(|(text, check)| Regex::new(&text).ok().map(|regex| (regex, check))).collect()
});

/// Adds where a secret of a known shape stands in `text`.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    for (regex, check) in SHAPES.iter() {
        for captures in regex.captures_iter(text) {
            let secret = ["s", "t", "u", "v"].into_iter().find_map(|group| captures.name(group));
            if let Some(secret) = secret.filter(|secret| check.holds(secret.as_str())) {
                found.push(secret.range());
            }
        }
    }
}

impl Check {
    fn holds(self, secret: &str) -> bool {
        match self {
            Check::Proof => true,
            Check::Random => is_value(secret) && is_random(secret),
            Check::Value => is_value(secret),
            Check::Counted => is_value(secret) && !secret.chars().all(|c| c.is_ascii_digit() || c == '.'),
            Check::Code => is_value(secret) && (secret.len() > 4 || !secret.chars().all(|c| c.is_ascii_digit())),
        }
    }
}

/// Words that stand after a name without being its value.
const NO_VALUES: &[&str] = &[
    "true",
    "false",
    "null",
    "none",
    "nil",
    "undefined",
    "yes",
    "no",
    "unset",
    "missing",
    "empty",
    "required",
    "optional",
    "invalid",
    "incorrect",
    "expired",
    "rejected",
    "denied",
    "failed",
    "unknown",
    "authentication",
    // What examples and descriptions of types say.
    "foo",
    "bar",
    "baz",
    "string",
    "number",
    "boolean",
    "object",
    "example",
    "placeholder",
];

/// Whether it is not a word that stands for none, a variable, or a mask.
fn is_value(secret: &str) -> bool {
    let word = secret.trim_end_matches(['.', ')', ']', '}']);
    !word.is_empty()
        && !NO_VALUES.iter().any(|none| word.eq_ignore_ascii_case(none))
        && !word.starts_with(['$', '%', '*', '<', '{', '['])
        && !["your-", "your_", "your "]
            .iter()
            .any(|mine| word.get(..mine.len()).is_some_and(|head| head.eq_ignore_ascii_case(mine)))
        && !word.chars().all(|c| c == 'x' || c == 'X' || c == '*' || c == '.' || c == '…')
}

/// Whether no word of a language looks like it.
fn is_random(secret: &str) -> bool {
    let word = secret.trim_end_matches(['.', ')', ']', '}', ':', '!', '?']);
    let digit = word.chars().any(|c| c.is_ascii_digit());
    let capital_inside = word.chars().skip(1).any(|c| c.is_ascii_uppercase());
    let small = word.chars().any(|c| c.is_ascii_lowercase());
    // Longer than the words that stand in messages.
    let long = word.len() >= 24 && word.chars().all(|c| c.is_ascii_lowercase());
    digit || long || (capital_inside && small) || word.chars().any(|c| "!@$%^&*+=~".contains(c))
}

#[cfg(test)]
pub(super) fn all_compile() -> bool {
    SHAPES.len() == 26
}
