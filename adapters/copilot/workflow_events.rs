//! A workflow's JSON as events: the session's own, and the one that tells the end.
//!
//! Pure and total. The shapes of `workflow.result` were read from the CLI's own JavaScript (1.0.102, 2026-11) and are those
//! measured on 1.0.92 by its users; a key that is missing makes the verdict `failed`, never a panic.

use serde::Deserialize;
use serde_json::Value;

use super::decode;
use super::surrogates::mended;
use crate::adapters::{Decoder, Report};
use crate::event::{EventKind, NoticeLevel};
use crate::guidance::AgentError;
use crate::plan::{Arg, Plan};
use crate::workflow::WorkflowOutcome;

/// What the tag of a workflow's own event begins with.
const WORKFLOW: &[u8] = b"\"workflow.";

/// The longest error of a workflow that is told, in characters.
const LONGEST: usize = 2000;

pub(super) fn decoder(plan: &Plan) -> Box<dyn Decoder> {
    let inner = decode::json(plan);
    let workflow = Some(WorkflowOutcome::default());
    let report = Report { has_final_event: true, workflow, ..Report::default() };
    Box::new(Workflow { name: requested(plan), inner, report, run_status: None, result: None, errors: Vec::new() })
}

/// The name behind `workflow run`.
fn requested(plan: &Plan) -> Option<String> {
    let text = |arg: &Arg| match arg {
        Arg::Text(text) => Some(text.clone()),
        Arg::File { .. } => None,
    };
    let at = plan.args.windows(2).position(|two| two.iter().filter_map(text).eq(["workflow", "run"]))?;
    plan.args.get(at + 2).and_then(text)
}

struct Workflow {
    /// What was asked for.
    name: Option<String>,
    /// Reads what a session tells beside the workflow: servers, tools of sub-agents, warnings.
    inner: Box<dyn Decoder>,
    report: Report,
    run_status: Option<String>,
    result: Option<Value>,
    errors: Vec<AgentError>,
}

#[derive(Deserialize)]
struct Tag {
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct Line<D> {
    data: D,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Started {
    workflow_name: Option<String>,
}

#[derive(Deserialize)]
struct Ended {
    name: Option<String>,
    run: Option<Run>,
}

/// A run as `workflow.result` tells it. `result` is absent where it went to the result file.
#[derive(Deserialize)]
struct Run {
    status: Option<String>,
    result: Option<Value>,
    error: Option<Value>,
    reason: Option<Value>,
    failure: Option<Value>,
}

impl Decoder for Workflow {
    fn line(&mut self, line: &[u8], events: &mut Vec<EventKind>) {
        // Few lines name a workflow; all others go to the session's own decoder unread.
        let named = line.windows(WORKFLOW.len()).any(|window| window == WORKFLOW);
        let tag = named.then(|| serde_json::from_slice::<Tag>(line).ok()).flatten();
        match tag.as_ref().map(|tag| tag.kind.as_str()) {
            Some("workflow.result") => self.ended(line, events),
            Some("workflow.run_started") => {
                if let Ok(Line { data: Started { workflow_name: Some(name) } }) = serde_json::from_slice(line) {
                    notice(NoticeLevel::Info, format!("The workflow `{name}` has started."), events);
                }
            }
            _ => self.pass_on(line, events),
        }
        self.refresh();
    }

    fn end(&mut self, events: &mut Vec<EventKind>) {
        let from = events.len();
        self.inner.end(events);
        keep_off_answers(events, from);
        self.refresh();
    }

    fn result_file(&mut self, bytes: &[u8]) {
        // What stands in the file counts only for a run that said it completed.
        if self.report.finished && self.result.is_none() {
            let read = |bytes: &[u8]| serde_json::from_slice(bytes).ok();
            self.result = read(bytes).or_else(|| read(&mended(bytes)?));
        }
        self.refresh();
    }

    fn report(&self) -> &Report {
        &self.report
    }
}

impl Workflow {
    fn pass_on(&mut self, line: &[u8], events: &mut Vec<EventKind>) {
        let from = events.len();
        self.inner.line(line, events);
        keep_off_answers(events, from);
    }

    /// The run's end. Of several the last one counts.
    fn ended(&mut self, line: &[u8], events: &mut Vec<EventKind>) {
        let read = |line: &[u8]| serde_json::from_slice::<Line<Ended>>(line).ok();
        let read = read(line).or_else(|| read(&mended(line)?));
        let Some((name, run)) = read.and_then(|line| Some((line.data.name, line.data.run?))) else {
            events.extend(crate::adapters::text::unrecognized(line));
            return;
        };
        // The end of another one, as a workflow that starts others may tell it, is no verdict on this one.
        if let (Some(told), Some(asked)) = (&name, &self.name)
            && told != asked
        {
            return notice(NoticeLevel::Info, format!("The workflow `{told}` has ended."), events);
        }
        self.report.finished = true;
        self.errors.clear();
        if run.status.as_deref() != Some("completed") {
            let status = run.status.as_deref().unwrap_or("unknown");
            let why =
                [run.error, run.reason, run.failure].into_iter().flatten().map(told).collect::<Vec<_>>().join("; ");
            let message = match why.as_str() {
                "" => format!("The workflow ended as `{status}`."),
                why => format!("The workflow ended as `{status}`: {why}"),
            };
            let error = AgentError { error_type: "workflow".into(), message, status: None, code: None };
            self.errors.push(error);
        }
        self.run_status = run.status;
        self.result = run.result;
    }

    /// Brings the report up to date.
    fn refresh(&mut self) {
        let inner = self.inner.report();
        let completed = self.run_status.as_deref() == Some("completed");
        self.report.told_exit_code = self.report.finished.then_some(if completed { 0 } else { 1 });
        self.report.answered = completed;
        self.report.aborted = inner.aborted && !self.report.finished;
        self.report.usage = inner.usage.clone();
        // What went wrong on the way of a run that completed did not end it.
        self.report.errors = if completed { Vec::new() } else { [&self.errors[..], &inner.errors[..]].concat() };
        self.report.workflow = Some(WorkflowOutcome::of(self.run_status.clone(), self.result.clone()));
    }
}

/// What sub-agents say is not an answer to anybody; the result is.
fn keep_off_answers(events: &mut Vec<EventKind>, from: usize) {
    let told = events.split_off(from);
    let answer = |event: &EventKind| {
        matches!(event, EventKind::TextDelta { .. } | EventKind::TextRetracted { .. } | EventKind::ThinkingDelta { .. })
    };
    events.extend(told.into_iter().filter(|event| !answer(event)));
}

fn told(value: Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.chars().take(LONGEST).collect()
}

fn notice(level: NoticeLevel, message: String, events: &mut Vec<EventKind>) {
    events.push(EventKind::Notice { level, message });
}
