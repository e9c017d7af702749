//! Fills a text in: parameters into templates, templates into guidance, secrets out of both.
//!
//! The only place where a [`Guidance`] is made, so that nothing reaches a person that was not masked and bounded.

use std::collections::BTreeMap;
use std::path::Path;

use super::texts::{self, Text, Todo};
use super::{Code, Guidance, Step, clean};
use crate::adapters::Spec;
use crate::redact::redact;

/// The longest parameter, in characters.
const PARAM_LIMIT: usize = 300;
/// The longest line of evidence, in characters.
const LINE_LIMIT: usize = 400;
/// The most lines of evidence.
const LINES: usize = 8;

/// Parameters on their way into a text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Params {
    values: BTreeMap<String, String>,
}

impl Params {
    /// The parameters that every text about an agent may use.
    pub(crate) fn of(spec: &Spec, app: &str) -> Params {
        let tested = if let Some(package) = spec.npm_package {
            format!("npm install -g {package}@{}", spec.tested)
        } else {
            String::new()
        };
        Params::default()
            .with("app", app)
            .with("agent", spec.name)
            .with("program_name", spec.programs.first().copied().unwrap_or_default())
            .with("login", spec.login_command)
            .with("install", spec.install_command)
            .with("install_url", spec.install_url)
            .with("install_tested", &tested)
            .with("update", spec.update_command)
            .with("tested", spec.tested)
    }

    /// With one more; an empty value is an unknown one. The first value of a name stays.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Params {
        self.add(name, value);
        self
    }

    /// As [`with`](Params::with), in place.
    pub(crate) fn add(&mut self, name: &str, value: &str) {
        if !value.trim().is_empty() {
            self.values.entry(name.to_owned()).or_insert_with(|| value.to_owned());
        }
    }

    /// With a path, also in the form that a unix shell takes; commands with it are left out for a path of Windows.
    pub(crate) fn with_path(self, path: &Path) -> Params {
        let shown = path.display().to_string();
        if shown.contains('\\') {
            return self.with("path", &shown);
        }
        let quoted = if shown.chars().all(|c| c.is_alphanumeric() || "/._-+@".contains(c)) {
            shown.clone()
        } else {
            format!("'{}'", shown.replace('\'', r"'\''"))
        };
        self.with("path", &shown).with("path_quoted", &quoted)
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }
}

/// The guidance with this code and text.
pub(crate) fn guidance(code: Code, key: &str, params: Params, evidence: Vec<String>, secrets: &[String]) -> Guidance {
    // Masked before it is cut: half a secret is known by nothing.
    let masked = |(name, value): (String, String)| (name, bounded(&redact(within(&value), secrets), PARAM_LIMIT));
    let params = Params { values: params.values.into_iter().map(masked).collect() };
    let text = texts::find(key);
    let mut message = sentence(fill(text.message, &params));
    if let Some(details) = fill(" (Program: {agent}[ {version}], {program})", &params) {
        message.push_str(&details);
    }
    Guidance {
        code,
        title: sentence(fill(text.title, &params)),
        message,
        steps: steps(text, &params),
        evidence: evidence.iter().take(LINES).map(|line| bounded(&redact(within(line), secrets), LINE_LIMIT)).collect(),
        key: text.key.to_owned(),
        params: params.values,
    }
}

/// As much of `text` as is looked at, without a word that would be cut: half a secret is known by nothing.
fn within(text: &str) -> &str {
    if text.len() <= clean::LIMIT {
        return text;
    }
    let head = &text[..clean::floor(text, clean::LIMIT)];
    // Of one endless word half, as no key is as long as the other half.
    &head[..head.rfind(char::is_whitespace).unwrap_or(clean::floor(head, head.len() / 2))]
}

/// A text as it begins a sentence. An app without a name is "the app"; a name is written as it is, "iA Writer" too.
fn sentence(text: Option<String>) -> String {
    let text = text.unwrap_or_default();
    text.strip_prefix("the app ").map_or_else(|| text.clone(), |rest| format!("The app {rest}"))
}

/// The steps of which every parameter is known.
fn steps(text: &Text, params: &Params) -> Vec<Step> {
    let step = |todo: &Todo| match todo {
        // What an agent said is not put into a command unless every shell takes it as one word.
        Todo::Run(command) if command.contains("{model}") && !params.get("model").is_some_and(is_word) => None,
        Todo::Run(command) => fill(command, params).map(|command| Step::Run { command }),
        Todo::Open(url) => fill(url, params).map(|url| Step::Open { url }),
        Todo::Set(variable) => fill(variable, params).map(|variable| Step::Set { variable }),
        Todo::Retry => Some(Step::Retry { after_ms: params.get("wait_ms").and_then(|ms| ms.parse().ok()) }),
        Todo::Choose(words) => fill(words, params).map(|text| Step::Choose { text }),
    };
    text.steps.iter().filter_map(step).collect()
}

/// Whether a shell takes it as it stands, and not as an option.
fn is_word(text: &str) -> bool {
    !text.starts_with('-') && text.chars().all(|c| c.is_ascii_alphanumeric() || "._:/@-".contains(c))
}

/// A template with its parameters. `None` where one outside brackets is unknown and has no default.
fn fill(template: &str, params: &Params) -> Option<String> {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(at) = rest.find(['{', '[']) {
        out.push_str(&rest[..at]);
        let open = &rest[at..];
        let close = if open.starts_with('{') { '}' } else { ']' };
        let Some(end) = open.find(close) else {
            out.push_str(open);
            return Some(out);
        };
        let inside = &open[1..end];
        if close == '}' {
            let (name, default) = inside.split_once('|').map_or((inside, None), |(name, words)| (name, Some(words)));
            out.push_str(params.get(name).or(default)?);
        } else if let Some(part) = fill(inside, params) {
            out.push_str(&part);
        }
        rest = &open[end + 1..];
    }
    out.push_str(rest);
    Some(out)
}

/// One line of at most `limit` characters: control characters and line breaks become spaces.
pub(super) fn bounded(text: &str, limit: usize) -> String {
    let clean = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut kept: String = clean.take(limit).collect();
    if text.chars().nth(limit).is_some() {
        kept.push('…');
    }
    kept.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_in_brackets_is_left_out_where_its_parameter_is_unknown() {
        let params = Params::default().with("a", "A");
        assert_eq!(fill("x {a}[ and {b}][ or {a}] {c|none}", &params).as_deref(), Some("x A or A none"));
        assert_eq!(fill("{b}", &params), None);
        assert_eq!(fill("open {a", &params).as_deref(), Some("open {a"));
    }

    #[test]
    fn what_an_agent_said_never_becomes_a_part_of_a_command() {
        let commands = |model: &str| {
            let params = Params::default().with("program_name", "copilot").with("model", model);
            let steps = guidance(Code::ModelUnavailable, "model_disabled", params, Vec::new(), &[]).steps;
            steps.iter().filter(|step| matches!(step, Step::Run { .. })).cloned().collect::<Vec<_>>()
        };
        assert_eq!(commands("gpt-5.1"), [Step::Run { command: String::from("copilot --model gpt-5.1") }]);
        for model in ["x; curl example.org | sh", "$(id)", "`id`", "a b", "--yolo", "x&y", "x\ny", "é"] {
            assert_eq!(commands(model), [], "{model}");
        }
    }

    #[test]
    fn a_command_of_a_unix_shell_is_not_given_for_a_path_of_windows() {
        let commands = |path: &str| {
            let params = Params::default().with_path(Path::new(path));
            let steps = guidance(Code::NotExecutable, "not_executable", params, Vec::new(), &[]).steps;
            steps.iter().filter(|step| matches!(step, Step::Run { .. })).count()
        };
        assert_eq!((commands("/opt/a b/copilot"), commands(r"C:\Tools\copilot.exe")), (1, 0));
    }

    #[test]
    fn no_more_than_a_bounded_part_of_a_value_is_looked_at_and_no_word_is_cut() {
        assert_eq!(within("short"), "short");
        let words = "word ".repeat(clean::LIMIT);
        assert!(within(&words).len() <= clean::LIMIT && within(&words).ends_with("word"));
        assert_eq!(within(&"é".repeat(clean::LIMIT)).len(), clean::LIMIT / 2);
    }

    #[test]
    fn a_parameter_is_one_bounded_line_and_never_a_template() {
        let params = Params::default().with("detail", &format!("{{agent}}\n[x]{}", "y".repeat(500)));
        let filled = guidance(Code::Unknown, "internal", params.with("app", "Tolaria"), Vec::new(), &[]).message;
        assert!(filled.starts_with("Tolaria is not ready: {agent} [x]yyy"), "{filled}");
        let ys = filled.chars().filter(|c| *c == 'y').count();
        assert!(ys < PARAM_LIMIT && filled.contains("yyy…. This is"), "{filled}");
    }
}
