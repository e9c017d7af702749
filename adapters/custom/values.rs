//! Finds values in an agent's JSON: by paths with dots, and whether they are what a definition wants.

use serde_json::Value;

/// The longest path, in steps.
const STEPS: usize = 16;

/// Where a value is: `message.usage.input_tokens`; a number counts within a list, from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path {
    steps: Vec<String>,
}

impl Path {
    /// Reads a path.
    pub(super) fn parse(text: &str) -> Result<Path, String> {
        let steps: Vec<String> = text.split('.').map(str::to_owned).collect();
        if steps.iter().any(String::is_empty) {
            return Err(format!("`{text}` is no path; one is names with dots between, such as `message.text`"));
        }
        if steps.len() > STEPS {
            return Err(format!("the path has {} steps, and may have {STEPS}", steps.len()));
        }
        Ok(Path { steps })
    }

    /// The value at this path; `None` where there is none, or `null`.
    pub(super) fn find<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        let found = self.steps.iter().try_fold(value, |value, step| match value {
            Value::Object(fields) => fields.get(step),
            Value::Array(items) => items.get(step.parse::<usize>().ok()?),
            _ => None,
        });
        found.filter(|found| !found.is_null())
    }

    /// The value as text: a text as it is, anything else as JSON. Empty is none.
    pub(super) fn text(&self, value: &Value) -> Option<String> {
        match self.find(value)? {
            Value::String(text) => (!text.is_empty()).then(|| text.clone()),
            other => Some(other.to_string()),
        }
    }

    /// The value where it is a text, an empty one too.
    pub(super) fn string<'v>(&self, value: &'v Value) -> Option<&'v str> {
        self.find(value)?.as_str()
    }

    /// The value as a number that is not negative. Some agents write numbers as text.
    pub(super) fn number(&self, value: &Value) -> Option<f64> {
        let number = match self.find(value)? {
            Value::String(text) => text.trim().parse().ok(),
            other => other.as_f64(),
        };
        number.filter(|number| number.is_finite() && *number >= 0.0)
    }

    /// The value as a whole number that is not negative.
    pub(super) fn whole(&self, value: &Value) -> Option<u64> {
        // A float of this size is whole, and a larger one is nonsense.
        const LARGEST: f64 = 9_007_199_254_740_992.0;
        let number = self.number(value)?;
        (number <= LARGEST).then_some(number as u64)
    }
}

/// What a value must be.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Condition {
    pub(super) path: Path,
    /// One of these; `"*"` is anything but `null`.
    pub(super) one_of: Vec<Value>,
}

impl Condition {
    fn holds(&self, value: &Value) -> bool {
        let found = self.path.find(value);
        found.is_some_and(|found| self.one_of.iter().any(|wanted| wanted == found || wanted.as_str() == Some("*")))
    }
}

/// Whether all conditions hold.
pub(super) fn all_hold(conditions: &[Condition], value: &Value) -> bool {
    conditions.iter().all(|condition| condition.holds(value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn path(text: &str) -> Path {
        Path::parse(text).unwrap()
    }

    #[test]
    fn a_path_leads_through_objects_and_lists() {
        let value = json!({"a": {"b": [{"c": "x"}, {"c": 2}], "n": null, "": "e"}, "s": "", "t": "7"});
        assert_eq!(path("a.b.0.c").text(&value).as_deref(), Some("x"));
        assert_eq!(path("a.b.1.c").number(&value), Some(2.0));
        assert_eq!(path("a.b").text(&value).as_deref(), Some(r#"[{"c":"x"},{"c":2}]"#));
        assert_eq!(path("t").whole(&value), Some(7));
        for none in ["a.n", "a.b.2", "a.b.c", "a.b.-1", "s.x", "none", "s"] {
            assert_eq!(path(none).text(&value), None, "{none}");
        }
        assert_eq!(path("s").string(&value), Some(""));
        assert!(Path::parse("a..b").is_err() && Path::parse("").is_err());
        assert!(Path::parse(&["a"; 17].join(".")).is_err() && Path::parse(&["a"; 16].join(".")).is_ok());
    }

    #[test]
    fn a_number_is_never_negative_or_endless() {
        let value = json!({"a": -1, "b": 1e300, "c": "inf", "d": 1.9, "e": true});
        let whole = |name: &str| path(name).whole(&value);
        assert_eq!(["a", "b", "c", "d", "e"].map(whole), [None, None, None, Some(1), None]);
    }

    #[test]
    fn a_condition_wants_one_of_its_values_or_anything() {
        let value = json!({"type": "text", "ok": true, "n": 3, "none": null});
        let holds = |name: &str, one_of: Vec<Value>| Condition { path: path(name), one_of }.holds(&value);
        assert!(holds("type", vec![json!("x"), json!("text")]) && holds("ok", vec![json!(true)]));
        assert!(holds("n", vec![json!(3)]) && holds("type", vec![json!("*")]));
        assert!(
            !holds("none", vec![json!("*")]) && !holds("type", vec![json!("Text")]) && !holds("x", vec![json!("*")])
        );
        assert!(all_hold(&[], &value));
    }
}
