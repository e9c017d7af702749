//! Reads which variables an agent gets, and refuses those that no definition may set.

use super::definition::Environment;
use super::forbidden::{self, Where};
use super::read::{MOST, MOST_ARGS, Result, plain};
use super::reader::{At, Table};
use super::shown;
use crate::adapters::environment;

pub(super) fn variable_name(table: &Table<'_>, name: &At<String>) -> Result<()> {
    let text = name.value.as_str();
    let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if text.is_empty() || !plain || text.starts_with(|c: char| c.is_ascii_digit()) || text.len() > 128 {
        let problem = "is no name of a variable; one is letters, digits and `_`";
        return Err(table.error(name.at, format!("`{}` {problem}", shown(text))));
    }
    Ok(())
}

/// Refuses to set what decides what every program is and loads.
pub(super) fn may_set(table: &Table<'_>, name: &At<String>, value: &str, place: Where) -> Result<()> {
    variable_name(table, name)?;
    let upper = name.value.to_ascii_uppercase();
    let own =
        upper.starts_with("AGENT_LAUNCHER") || ["PATH", "HOME", "USERPROFILE", "TMPDIR"].contains(&upper.as_str());
    let problem = if own {
        "is the launcher's to set".to_owned()
    } else if let Some(reason) = environment::widening(&upper) {
        format!("must not be set: it {reason}")
    } else if environment::is_secret(&upper) {
        "has the name of a secret, and a definition is no place for one; give it with the request".to_owned()
    } else if let Some(reason) = forbidden::variable(&name.value, value, place) {
        format!("must not have this value: {reason}")
    } else {
        return Ok(());
    };
    Err(table.error(name.at, format!("`{}` {problem}", name.value)))
}

/// Variables to set, with their values.
pub(super) fn set(table: &Table<'_>, key: &str, place: Where) -> Result<Vec<(String, String)>> {
    let mut set = Vec::new();
    for (name, value) in table.pairs(key, MOST)? {
        let value = value.any_text()?;
        may_set(table, &name, &value.value, place)?;
        set.push((name.value, value.value));
    }
    Ok(set)
}

pub(super) fn variables(root: &Table<'_>, place: Where) -> Result<Environment> {
    let keys = &["safe", "strip", "set"];
    let Some(table) = root.child("environment", keys)? else { return Ok(Environment::default()) };
    let names = |key: &str| {
        let names = table.texts(key, MOST_ARGS)?;
        for name in &names {
            let starred = name.value.strip_suffix('*');
            if starred.is_some_and(|start| start.len() < 3) {
                let problem = format!("`{}` stands for too much; name at least three letters before `*`", name.value);
                return Err(table.error(name.at, problem));
            }
            let bare = At { value: starred.unwrap_or(&name.value).to_owned(), at: name.at };
            variable_name(&table, &bare)?;
            if key == "safe" && environment::widening(&bare.value).is_some() {
                return Err(table.error(name.at, format!("`{}` reaches no agent, in no mode", name.value)));
            }
        }
        Ok(plain(names))
    };
    Ok(Environment { safe: names("safe")?, strip: names("strip")?, set: set(&table, "set", place)? })
}
