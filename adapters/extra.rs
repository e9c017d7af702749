//! The arguments that a host may add to an agent's command, beside its table of flags.

use crate::error::Error;
use crate::request::Request;

/// Whether a flag that a host may add takes a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    Nothing,
    Value,
}

/// The extra arguments of a request, each with its value joined to it: a list would else swallow what follows. What is not
/// in the table is refused, for the reason that `reason` gives.
pub(crate) fn taken(
    request: &Request,
    addable: &[(&str, Takes)],
    reason: impl Fn(&str) -> &'static str,
) -> Result<Vec<String>, Error> {
    let mut args = request.extra_args.iter();
    let mut taken = Vec::new();
    while let Some(arg) = args.next() {
        let (name, value) = match arg.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (arg.as_str(), None),
        };
        let Some((_, takes)) = addable.iter().find(|(addable, _)| *addable == name) else {
            return Err(refuse(arg, reason(name)));
        };
        match (takes, value) {
            (Takes::Nothing, None) => taken.push(arg.clone()),
            (Takes::Nothing, Some(_)) => return Err(refuse(arg, "it takes no value")),
            (Takes::Value, Some(value)) if !value.is_empty() => taken.push(arg.clone()),
            (Takes::Value, Some(_)) => return Err(refuse(arg, "its value is missing")),
            (Takes::Value, None) => match args.next().filter(|value| !value.is_empty() && !value.starts_with('-')) {
                Some(value) => taken.push(format!("{arg}={value}")),
                None => return Err(refuse(arg, "its value is missing; write it as `--flag=value`")),
            },
        }
    }
    Ok(taken)
}

/// Why a flag is refused: what a table says of it, in any case and with a value glued to its one letter, or that it is not known.
pub(crate) fn reason(name: &str, refused: &[(&str, &'static str)]) -> &'static str {
    or_unknown(name, refused.iter().find(|(known, _)| is_same(name, known)))
}

/// Whether a flag is one that is known: in any case, or with a value glued to its one letter.
pub(crate) fn is_same(name: &str, known: &str) -> bool {
    let short = known.len() == 2 && name.starts_with(known) && !name.starts_with("--");
    name.eq_ignore_ascii_case(known) || short
}

/// The reason of an entry; without one, what can be said of any flag.
pub(crate) fn or_unknown(name: &str, entry: Option<&(&str, &'static str)>) -> &'static str {
    match entry {
        Some((_, reason)) => reason,
        None if !name.starts_with('-') => "it belongs to no flag",
        None => "it is not known to leave the mode as it is",
    }
}

/// The refusal of an argument.
pub(crate) fn refuse(arg: &str, reason: &str) -> Error {
    Error::Forbidden { argument: arg.to_owned(), reason: reason.to_owned() }
}
