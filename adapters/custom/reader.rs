//! Reads a definition's TOML with the place of every value, so that whatever is wrong is told by its line.
//!
//! Owns what is wrong with the shape: a key that nobody knows, a value of another kind, too much of something. What the values
//! mean is its callers' concern.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::CustomAgentError;

/// The longest text of a definition, in bytes, where nothing else is said.
pub(super) const LONGEST: usize = 4096;

type Result<T> = std::result::Result<T, CustomAgentError>;

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(super) struct At<T> {
    pub(super) value: T,
    pub(super) at: usize,
}

/// A table of the definition, with the keys that it may have.
#[derive(Clone, Debug)]
pub(super) struct Table<'t> {
    text: &'t str,
    /// As it is written, such as `modes.safe`; empty for the definition itself.
    path: String,
    at: usize,
    fields: &'t DeTable<'t>,
}

impl<'t> Table<'t> {
    /// The whole definition.
    pub(super) fn root(text: &'t str, parsed: &'t Spanned<DeTable<'t>>, known: &[&str]) -> Result<Table<'t>> {
        Table { text, path: String::new(), at: 0, fields: parsed.get_ref() }.only(known)
    }

    /// Refuses keys that are not `known`: a misspelt one must not pass for one that was left out.
    fn only(self, known: &[&str]) -> Result<Table<'t>> {
        let stray = self.fields.iter().map(|(key, _)| key);
        let stray = stray.filter(|key| !known.contains(&key.get_ref().as_ref())).min_by_key(|key| key.span().start);
        match stray {
            None => Ok(self),
            Some(key) => {
                let problem =
                    format!("{} has no key `{}`; it may have {}", self.called(), shown(key.get_ref()), list(known));
                Err(self.error(key.span().start, problem))
            }
        }
    }

    /// How people call it.
    fn called(&self) -> String {
        if self.path.is_empty() { "a definition".into() } else { format!("`{}`", self.path) }
    }

    /// A key as it is written from the top.
    fn full(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// Where it begins.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// A problem at a place.
    pub(super) fn error(&self, at: usize, problem: impl Into<String>) -> CustomAgentError {
        CustomAgentError::at(self.text, at, problem)
    }

    fn get(&self, key: &str) -> Option<&'t Spanned<DeValue<'t>>> {
        self.fields.iter().find(|(known, _)| known.get_ref() == key).map(|(_, value)| value)
    }

    /// Whether a key is there.
    pub(super) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    fn wrong(&self, key: &str, value: &Spanned<DeValue<'t>>, wanted: &str) -> CustomAgentError {
        let found = value.get_ref().type_str();
        self.error(value.span().start, format!("`{}` must be {wanted}, and is {}", self.full(key), article(found)))
    }

    /// Where a key's value begins; where there is none, the table.
    pub(super) fn place(&self, key: &str) -> usize {
        self.get(key).map_or(self.at, |value| value.span().start)
    }

    /// What must be there is missing, or empty.
    pub(super) fn missing(&self, key: &str, example: &str) -> CustomAgentError {
        self.error(self.place(key), format!("{} needs `{key}`, such as `{example}`", self.called()))
    }

    /// A text of at most `longest` bytes, not blank, without control characters but tabs and line ends.
    pub(super) fn long_text(&self, key: &str, longest: usize) -> Result<Option<At<String>>> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let DeValue::String(text) = value.get_ref() else { return Err(self.wrong(key, value, "a text")) };
        self.checked(key, text, value.span().start, longest).map(Some)
    }

    fn checked(&self, key: &str, text: &str, at: usize, longest: usize) -> Result<At<String>> {
        let wrong = |problem: String| Err(self.error(at, format!("`{}` {problem}", self.full(key))));
        if text.trim().is_empty() {
            return wrong("is empty; leave the key out, or say something".into());
        }
        if text.len() > longest {
            return wrong(format!("has {} bytes, and may have {longest}", text.len()));
        }
        if text.chars().any(|c| c.is_control() && !matches!(c, '\t' | '\n' | '\r')) {
            return wrong("holds a control character; take it out".into());
        }
        Ok(At { value: text.to_owned(), at })
    }

    /// A text on one line.
    pub(super) fn text(&self, key: &str) -> Result<Option<At<String>>> {
        let text = self.long_text(key, LONGEST)?;
        match text {
            Some(text) if text.value.contains(['\n', '\r']) => {
                Err(self.error(text.at, format!("`{}` must stand on one line", self.full(key))))
            }
            text => Ok(text),
        }
    }

    /// A text that must be there.
    pub(super) fn need(&self, key: &str, example: &str) -> Result<At<String>> {
        self.text(key)?.ok_or_else(|| self.missing(key, example))
    }

    /// A list of texts, at most `most`; empty where the key is missing.
    pub(super) fn texts(&self, key: &str, most: usize) -> Result<Vec<At<String>>> {
        let Some(value) = self.get(key) else { return Ok(Vec::new()) };
        let DeValue::Array(items) = value.get_ref() else { return Err(self.wrong(key, value, "a list of texts")) };
        self.few(key, value.span().start, items.len(), most)?;
        let text = |item: &Spanned<DeValue<'t>>| match item.get_ref() {
            DeValue::String(text) => self.checked(key, text, item.span().start, LONGEST),
            _ => Err(self.wrong(key, item, "a list of texts")),
        };
        items.iter().map(text).collect()
    }

    fn few(&self, key: &str, at: usize, found: usize, most: usize) -> Result<()> {
        if found > most {
            return Err(self.error(at, format!("`{}` has {found} entries, and may have {most}", self.full(key))));
        }
        Ok(())
    }

    /// Yes or no; no where the key is missing.
    pub(super) fn flag(&self, key: &str) -> Result<bool> {
        match self.get(key) {
            None => Ok(false),
            Some(value) => match value.get_ref() {
                DeValue::Boolean(flag) => Ok(*flag),
                _ => Err(self.wrong(key, value, "`true` or `false`")),
            },
        }
    }

    /// A whole number within bounds.
    pub(super) fn number(&self, key: &str, first: i64, last: i64) -> Result<Option<At<i64>>> {
        let Some(value) = self.get(key) else { return Ok(None) };
        self.as_number(key, value, first, last).map(Some)
    }

    /// A list of whole numbers within bounds, or one.
    pub(super) fn numbers(&self, key: &str, first: i64, last: i64, most: usize) -> Result<Vec<At<i64>>> {
        let Some(value) = self.get(key) else { return Ok(Vec::new()) };
        let DeValue::Array(items) = value.get_ref() else {
            return Ok(vec![self.as_number(key, value, first, last)?]);
        };
        self.few(key, value.span().start, items.len(), most)?;
        items.iter().map(|item| self.as_number(key, item, first, last)).collect()
    }

    fn as_number(&self, key: &str, value: &Spanned<DeValue<'t>>, first: i64, last: i64) -> Result<At<i64>> {
        let number = match value.get_ref() {
            DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        let number = number.filter(|number| (first..=last).contains(number));
        number
            .map(|value_of| At { value: value_of, at: value.span().start })
            .ok_or_else(|| self.wrong(key, value, &format!("a whole number from {first} to {last}")))
    }

    /// A table below this one.
    pub(super) fn child(&self, key: &str, known: &[&str]) -> Result<Option<Table<'t>>> {
        let Some(value) = self.get(key) else { return Ok(None) };
        self.as_table(key, value)?.only(known).map(Some)
    }

    fn as_table(&self, key: &str, value: &'t Spanned<DeValue<'t>>) -> Result<Table<'t>> {
        match value.get_ref() {
            DeValue::Table(fields) => {
                Ok(Table { text: self.text, path: self.full(key), at: value.span().start, fields })
            }
            _ => Err(self.wrong(key, value, "a table")),
        }
    }

    /// The tables of a list, at most `most`.
    pub(super) fn children(&self, key: &str, most: usize, known: &[&str]) -> Result<Vec<Table<'t>>> {
        let Some(value) = self.get(key) else { return Ok(Vec::new()) };
        let wanted = format!("a list of tables, each under `[[{}]]`", self.full(key));
        let DeValue::Array(items) = value.get_ref() else { return Err(self.wrong(key, value, &wanted)) };
        self.few(key, value.span().start, items.len(), most)?;
        items.iter().map(|item| self.as_table(key, item)?.only(known)).collect()
    }

    /// All keys of a table below this one with their values, in the order of the text, at most `most`.
    pub(super) fn pairs(&self, key: &str, most: usize) -> Result<Vec<(At<String>, Value<'t>)>> {
        let Some(value) = self.get(key) else { return Ok(Vec::new()) };
        let table = self.as_table(key, value)?;
        self.few(key, value.span().start, table.fields.len(), most)?;
        let mut pairs = Vec::new();
        for (name, value) in table.fields.iter() {
            let at = name.span().start;
            let value = Value { table: table.clone(), key: name.get_ref().to_string(), value };
            pairs.push((At { value: name.get_ref().to_string(), at }, value));
        }
        pairs.sort_by_key(|(name, _)| name.at);
        Ok(pairs)
    }

    /// A table below this one as JSON.
    pub(super) fn json(&self, key: &str) -> Result<serde_json::Map<String, serde_json::Value>> {
        let Some(value) = self.get(key) else { return Ok(serde_json::Map::new()) };
        let table = self.as_table(key, value)?;
        match table.as_json(key, value)? {
            serde_json::Value::Object(map) => Ok(map),
            _ => Ok(serde_json::Map::new()),
        }
    }

    fn as_json(&self, key: &str, value: &Spanned<DeValue<'t>>) -> Result<serde_json::Value> {
        use serde_json::Value as Json;
        Ok(match value.get_ref() {
            DeValue::String(text) => Json::String(text.to_string()),
            DeValue::Boolean(flag) => Json::Bool(*flag),
            DeValue::Integer(number) => {
                let number = i64::from_str_radix(number.as_str(), number.radix());
                number.map(Json::from).map_err(|_| self.wrong(key, value, "a number of 64 bits"))?
            }
            DeValue::Float(number) => {
                let number = number.as_str().parse().ok().and_then(serde_json::Number::from_f64);
                Json::Number(number.ok_or_else(|| self.wrong(key, value, "a number that JSON has"))?)
            }
            DeValue::Datetime(_) => return Err(self.wrong(key, value, "what JSON has")),
            DeValue::Array(items) => {
                Json::Array(items.iter().map(|item| self.as_json(key, item)).collect::<Result<_>>()?)
            }
            DeValue::Table(fields) => {
                let field = |(name, value): (&Spanned<_>, _)| {
                    let name: &std::borrow::Cow<'_, str> = name.get_ref();
                    Ok((name.to_string(), self.as_json(name, value)?))
                };
                Json::Object(fields.iter().map(field).collect::<Result<_>>()?)
            }
        })
    }
}

/// A value of which the key is not known beforehand.
#[derive(Clone, Debug)]
pub(super) struct Value<'t> {
    table: Table<'t>,
    key: String,
    value: &'t Spanned<DeValue<'t>>,
}

impl<'t> Value<'t> {
    /// As a text that may be empty and may span lines.
    pub(super) fn any_text(&self) -> Result<At<String>> {
        let DeValue::String(text) = self.value.get_ref() else {
            return Err(self.table.wrong(&self.key, self.value, "a text"));
        };
        let at = self.value.span().start;
        if text.len() > LONGEST || text.contains('\0') {
            let problem = format!("`{}` holds a NUL or more than {LONGEST} bytes", self.table.full(&self.key));
            return Err(self.table.error(at, problem));
        }
        Ok(At { value: text.to_string(), at })
    }

    /// As a table.
    pub(super) fn table(&self, known: &[&str]) -> Result<Table<'t>> {
        self.table.as_table(&self.key, self.value)?.only(known)
    }

    /// As one or several plain values: texts, whole numbers, `true` and `false`.
    pub(super) fn plain(&self) -> Result<Vec<serde_json::Value>> {
        let one = |value: &Spanned<DeValue<'t>>| {
            match value.get_ref() {
            DeValue::String(_) | DeValue::Integer(_) | DeValue::Boolean(_) => self.table.as_json(&self.key, value),
            _ => Err(self.table.wrong(
                &self.key,
                value,
                "a text, a whole number, `true`, `false` or a list of them (a path with dots stands in quotes: `\"a.b\" = …`)",
            )),
        }
        };
        match self.value.get_ref() {
            DeValue::Array(items) => {
                self.table.few(&self.key, self.value.span().start, items.len(), 16)?;
                items.iter().map(one).collect()
            }
            _ => Ok(vec![one(self.value)?]),
        }
    }
}

/// Words as a list for people.
pub(super) fn list(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// A name that somebody wrote, cut to what a line bears.
fn shown(text: &str) -> String {
    super::shown(text)
}

fn article(kind: &str) -> String {
    let vowel = kind.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {kind}", if vowel { "an" } else { "a" })
}
