//! Values of settings as they stand in an argument: `-c key=VALUE` reads the value as TOML.

/// A text as a basic string of TOML. JSON's escapes are TOML's too; what TOML forbids beyond JSON is one character.
pub(super) fn text(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

/// A list of texts.
pub(super) fn list<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let texts: Vec<String> = texts.into_iter().map(self::text).collect();
    format!("[{}]", texts.join(","))
}

/// An inline table; the values are TOML already.
pub(super) fn table<'a>(entries: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let entries: Vec<String> = entries.into_iter().map(|(key, value)| format!("{}={value}", text(key))).collect();
    format!("{{{}}}", entries.join(","))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::{list, table, text};

    /// What a reader of TOML makes of a value.
    fn read(value: &str) -> toml::Value {
        let read: toml::Table = toml::from_str(&format!("key={value}")).expect("the value is TOML");
        read["key"].clone()
    }

    #[test]
    fn a_text_of_any_kind_is_one_value_on_one_line() {
        let all = "\"quoted\" 'single' \\ back\nline\r\n\ttab \u{7f}\u{0}\u{1b}\u{2028} é 中 😀 ${HOME} #x ]}";
        assert_eq!(read(&text(all)), toml::Value::from(all));
        assert!(!text(all).contains('\n'));
    }

    proptest! {
        #[test]
        fn any_text_comes_out_as_it_went_in(any: String) {
            prop_assert_eq!(read(&text(&any)), toml::Value::from(any));
        }

        #[test]
        fn any_list_and_table_come_out_as_they_went_in(
            any in proptest::collection::btree_map(any::<String>(), proptest::collection::vec(any::<String>(), 0..4), 0..4),
        ) {
            let any: BTreeMap<String, Vec<String>> = any;
            let entries = any.iter().map(|(key, texts)| (key.as_str(), list(texts.iter().map(String::as_str))));
            let expected: toml::Table = any.iter().map(|(key, texts)| (key.clone(), texts.clone().into())).collect();
            prop_assert_eq!(read(&table(entries)), toml::Value::from(expected));
        }
    }
}
