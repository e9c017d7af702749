//! The lines of `opencode run --format json`, as far as they are read. Unknown fields are left alone.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

/// What every line has.
#[derive(Debug, Deserialize)]
pub(super) struct Line<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
    #[serde(rename = "sessionID", borrow, default)]
    pub(super) session_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) part: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) error: Option<&'a RawValue>,
}

/// A whole text of the answer or the thinking.
#[derive(Debug, Deserialize)]
pub(super) struct Text {
    #[serde(default)]
    pub(super) id: String,
    pub(super) text: String,
}

/// The use of a tool, told when it is over.
#[derive(Debug, Deserialize)]
pub(super) struct Tool<'a> {
    #[serde(borrow)]
    pub(super) tool: Cow<'a, str>,
    #[serde(rename = "callID", borrow, default)]
    pub(super) call_id: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) state: State<'a>,
}

#[derive(Debug, Deserialize)]
pub(super) struct State<'a> {
    pub(super) status: String,
    #[serde(borrow, default)]
    pub(super) input: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) output: Option<String>,
    #[serde(default)]
    pub(super) error: Option<String>,
}

/// What is read of a tool's input.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Input {
    #[serde(rename = "filePath", default)]
    pub(super) file: Option<String>,
    #[serde(default)]
    pub(super) path: Option<String>,
    #[serde(rename = "patchText", default)]
    pub(super) patch: Option<String>,
}

/// The end of one answer of the model.
#[derive(Debug, Deserialize)]
pub(super) struct Finish {
    #[serde(default)]
    pub(super) reason: String,
    #[serde(default)]
    pub(super) tokens: Option<Tokens>,
    #[serde(default)]
    pub(super) cost: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Tokens {
    #[serde(default)]
    pub(super) input: f64,
    #[serde(default)]
    pub(super) output: f64,
    #[serde(default)]
    pub(super) reasoning: f64,
    #[serde(default)]
    pub(super) cache: Cache,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Cache {
    #[serde(default)]
    pub(super) read: f64,
    #[serde(default)]
    pub(super) write: f64,
}

/// An error that ended the work.
#[derive(Debug, Deserialize)]
pub(super) struct Failure {
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    pub(super) data: FailureData,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct FailureData {
    #[serde(default)]
    pub(super) message: Option<String>,
    #[serde(rename = "statusCode", default)]
    pub(super) status: Option<u16>,
    #[serde(rename = "responseBody", default)]
    pub(super) body: Option<String>,
}

/// The body of a provider's answer, where it is of the common shape.
#[derive(Debug, Deserialize)]
pub(super) struct Body {
    pub(super) error: BodyError,
}

#[derive(Debug, Deserialize)]
pub(super) struct BodyError {
    #[serde(default)]
    pub(super) code: Option<String>,
}
