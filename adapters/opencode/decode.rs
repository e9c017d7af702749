//! OpenCode's stdout as events. Pure and total: a line that cannot be read loses only itself.
//!
//! There are no pieces: a text comes when it is whole, a tool's use when it is over. There is no final event either; the end
//! of an answer that asks for no tool is one (`step_finish` with another reason than `tool-calls`). `unknown` is the reason of
//! an answer that broke off, and OpenCode asks again (measured).

use std::collections::HashSet;

use serde::Deserialize;

use super::tripwire::Tripwire;
use super::wire::{self, Line};
use crate::adapters::text::{strip_escapes, unrecognized};
use crate::adapters::{Decoder, Report};
use crate::event::{EventKind, NoticeLevel, Usage};
use crate::guidance::AgentError;
use crate::plan::Plan;

/// Most parts whose ids are kept to tell a repetition; more can only be nonsense.
const PARTS: usize = 65_536;

/// What OpenCode answers in place of a tool that may not run, as sentences that begin its error (1.18.33).
const DENIALS: &[&str] = &[
    "The user has specified a rule which prevents you from using this specific tool call.",
    "The user rejected permission to use this specific tool call",
];

/// What it answers where it has no such tool in this run, whatever the name was.
const UNAVAILABLE: &str = "Model tried to call unavailable tool ";

#[derive(Debug, Default)]
pub(super) struct Json {
    report: Report,
    tripwire: Tripwire,
    usage: Usage,
    /// Whether a tool was used since the model's last answer began: then another follows.
    used_tool: bool,
    thought: bool,
    parts: HashSet<String>,
}

impl Json {
    pub(super) fn new(plan: &Plan) -> Json {
        let report = Report { has_final_event: true, ..Report::default() };
        Json { report, tripwire: Tripwire::new(plan), ..Json::default() }
    }
}

impl Decoder for Json {
    fn line(&mut self, line: &[u8], events: &mut Vec<EventKind>) {
        let line = line.trim_ascii();
        if line.is_empty() {
            return;
        }
        if self.take(line, events).is_none() && self.stray(line, events).is_none() {
            events.extend(unrecognized(line));
        }
    }

    fn end(&mut self, _events: &mut Vec<EventKind>) {}

    fn report(&self) -> &Report {
        &self.report
    }
}

fn read<'a, T: Deserialize<'a>>(json: &'a serde_json::value::RawValue) -> Option<T> {
    serde_json::from_str(json.get()).ok()
}

impl Json {
    /// A line that is no event as it stands: perhaps one behind terminal escapes.
    fn stray(&mut self, line: &[u8], events: &mut Vec<EventKind>) -> Option<()> {
        if line.first() == Some(&b'{') {
            return None;
        }
        let clean = strip_escapes(std::str::from_utf8(line).ok()?).trim().to_owned();
        self.take(clean.as_bytes(), events)
    }

    /// Takes a line; `None` where it cannot be read, and then nothing has changed.
    fn take(&mut self, line: &[u8], events: &mut Vec<EventKind>) -> Option<()> {
        let line: Line<'_> = serde_json::from_slice(line).ok()?;
        match &*line.kind {
            "text" => self.text(read(line.part?)?, events),
            "reasoning" => self.thinking(read(line.part?)?, events),
            "tool_use" => self.tool(&read(line.part?)?, events),
            "step_start" => {
                self.used_tool = false;
                self.report.finished = false;
                self.report.told_exit_code = None;
            }
            "step_finish" => self.finish(&read(line.part?)?, events),
            "error" => self.error(read(line.error?)?),
            _ => return None,
        }
        if let Some(id) = line.session_id.filter(|_| self.report.session_id.is_none()) {
            self.report.session_id = Some(id.into_owned());
        }
        Some(())
    }

    /// Whether a part is told for the first time.
    fn is_new(&mut self, id: String) -> bool {
        id.is_empty() || self.parts.len() >= PARTS || self.parts.insert(id)
    }

    fn text(&mut self, part: wire::Text, events: &mut Vec<EventKind>) {
        if !self.is_new(part.id) || part.text.is_empty() {
            return;
        }
        // The agent went on after an error, so it did not end the run.
        for error in std::mem::take(&mut self.report.errors) {
            events.push(EventKind::Notice { level: NoticeLevel::Warning, message: error.message });
        }
        let answered = std::mem::replace(&mut self.report.answered, true);
        events.push(EventKind::TextDelta { text: apart(answered, part.text) });
    }

    fn thinking(&mut self, part: wire::Text, events: &mut Vec<EventKind>) {
        if !self.is_new(part.id) || part.text.is_empty() {
            return;
        }
        let thought = std::mem::replace(&mut self.thought, true);
        events.push(EventKind::ThinkingDelta { text: apart(thought, part.text) });
    }

    fn tool(&mut self, part: &wire::Tool<'_>, events: &mut Vec<EventKind>) {
        if !self.is_new(format!("call {}", part.call_id)) {
            return;
        }
        self.used_tool = true;
        let ok = part.state.status == "completed";
        if ok {
            let input = part.state.input.and_then(read).unwrap_or_default();
            let breach = self.tripwire.succeeded(&part.tool, &input);
            self.report.bypassed = self.report.bypassed.take().or(breach);
        }
        let error = part.state.error.as_deref().unwrap_or_default();
        let denial = DENIALS.iter().find(|denial| error.starts_with(**denial));
        let left_out = error.starts_with(UNAVAILABLE) && self.tripwire.leaves_out(&part.tool);
        let output = match (denial, left_out) {
            // What follows is the whole table of rules.
            (Some(denial), _) => Some((*denial).to_owned()),
            (None, true) => Some(format!("The mode does not give the tool `{}`.", part.tool)),
            (None, false) => part.state.output.clone().or_else(|| part.state.error.clone()),
        };
        let tool_id = part.call_id.clone().into_owned();
        events.push(EventKind::ToolStart {
            tool_name: part.tool.clone().into_owned(),
            tool_id: tool_id.clone(),
            input: part.state.input.map(|input| input.get().to_owned()),
        });
        events.push(EventKind::ToolDone { tool_id, ok, output, denied: !ok && (denial.is_some() || left_out) });
    }

    fn finish(&mut self, part: &wire::Finish, events: &mut Vec<EventKind>) {
        let count = |number: f64| if number.is_finite() && number > 0.0 { number as u64 } else { 0 };
        if let Some(tokens) = &part.tokens {
            // The cache's are input as well, told apart from the rest.
            let input = count(tokens.input) + count(tokens.cache.read) + count(tokens.cache.write);
            let output = count(tokens.output) + count(tokens.reasoning);
            let add = |sum: &mut Option<u64>, more: u64| *sum = Some(sum.unwrap_or(0).saturating_add(more));
            add(&mut self.usage.input_tokens, input);
            add(&mut self.usage.output_tokens, output);
        }
        if let Some(cost) = part.cost.filter(|cost| cost.is_finite() && *cost >= 0.0) {
            self.usage.cost_usd = Some(self.usage.cost_usd.unwrap_or(0.0) + cost);
        }
        self.report.usage = Some(self.usage.clone());
        if matches!(part.reason.as_str(), "tool-calls" | "unknown") || self.used_tool {
            return;
        }
        self.report.finished = true;
        self.report.told_exit_code = Some(i32::from(part.reason != "stop"));
        if part.reason != "stop" {
            self.keep(AgentError {
                error_type: "Unfinished".into(),
                message: format!("The model ended its answer early: {}", part.reason),
                status: None,
                code: Some(part.reason.clone()),
            });
        }
        events.push(EventKind::Usage(self.usage.clone()));
    }

    fn error(&mut self, error: wire::Failure) {
        self.report.aborted |= error.name == "MessageAbortedError";
        let body = error.data.body.as_deref().and_then(|body| serde_json::from_str::<wire::Body>(body).ok());
        let message = error.data.message.filter(|message| !message.is_empty()).unwrap_or_else(|| error.name.clone());
        self.keep(AgentError {
            error_type: error.name,
            message,
            status: error.data.status,
            code: body.and_then(|body| body.error.code),
        });
    }

    fn keep(&mut self, error: AgentError) {
        if self.report.errors.len() < 64 {
            self.report.errors.push(error);
        }
    }
}

/// A text that stands apart from one before it.
fn apart(follows: bool, text: String) -> String {
    if follows { format!("\n\n{text}") } else { text }
}
