//! Copilot's stdout as events. Pure and total: a line that cannot be read loses only itself.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::surrogates::mended;
use super::tools;
use super::tripwire::Tripwire;
use super::wire::{self, Kind, Line};
use crate::adapters::answer::Answer;
use crate::adapters::text::{Text, strip_escapes, unrecognized};
use crate::adapters::{Decoder, Report};
use crate::event::{EventKind, NoticeLevel, Usage};
use crate::guidance::AgentError;
use crate::plan::{OutputFormat, Plan};

/// The first version known to tell retries: 1.0.80 does, 1.0.69 does not and 1.0.70 to 1.0.79 were not looked at.
const TURN_RETRY: (u64, u64, u64) = (1, 0, 80);

pub(super) fn decoder(plan: &Plan) -> Box<dyn Decoder> {
    match plan.output {
        OutputFormat::Json => Box::new(Json::new(plan)),
        OutputFormat::Text => Box::<Text>::default(),
        OutputFormat::Workflow => super::workflow_events::decoder(plan),
    }
}

/// A decoder of a session's JSON, whatever the plan's own format is.
pub(super) fn json(plan: &Plan) -> Box<dyn Decoder> {
    Box::new(Json::new(plan))
}

/// Decodes `--output-format=json`.
#[derive(Debug, Default)]
struct Json {
    report: Report,
    answer: Answer,
    /// The thinking as told, joined like the answer. A retry thinks anew; nothing of it is taken back.
    thinking: Answer,
    tripwire: Tripwire,
    /// The last state told of each MCP server.
    servers: BTreeMap<String, String>,
    warnings: Vec<String>,
    usage: Usage,
    own_servers: Vec<String>,
}

impl Json {
    fn new(plan: &Plan) -> Json {
        let told =
            plan.agent_version.as_deref().is_none_or(|version| crate::adapters::version::has(version, TURN_RETRY));
        Json {
            answer: Answer::inferring(!told),
            report: Report { has_final_event: true, ..Report::default() },
            own_servers: plan.mcp_servers.clone(),
            tripwire: Tripwire::new(plan),
            ..Json::default()
        }
    }
}

impl Decoder for Json {
    fn line(&mut self, line: &[u8], events: &mut Vec<EventKind>) {
        let line = line.trim_ascii();
        if line.is_empty() {
            return;
        }
        // A line that cannot be read has changed nothing yet, so it may be tried again.
        let read = self.take(line, events).or_else(|| self.take(&mended(line)?, events));
        if read.is_none() {
            events.extend(unrecognized(line));
        }
    }

    fn end(&mut self, events: &mut Vec<EventKind>) {
        self.answer.settle(events);
        self.report.answered = self.answer.is_shown();
    }

    fn report(&self) -> &Report {
        &self.report
    }
}

/// The kind of an event line. The tag stands first in all of Copilot's events, so the rest need not be read to find it.
fn tag(line: &[u8]) -> Option<Kind> {
    if let Some(rest) = line.strip_prefix(br#"{"type":""#) {
        let end = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
        if rest[end] == b'"' {
            return Some(Kind::of(std::str::from_utf8(&rest[..end]).ok()?));
        }
    }
    if line.first() != Some(&b'{') {
        return None;
    }
    serde_json::from_slice::<wire::Tag<'_>>(line).ok().map(|tag| Kind::of(&tag.kind))
}

fn read<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Option<T> {
    // Checked once as a whole, which is cheaper than string by string.
    match std::str::from_utf8(line) {
        Ok(text) => serde_json::from_str(text).ok(),
        // Bytes that are no text may stand where nobody looks.
        Err(_) => serde_json::from_slice(line).ok(),
    }
}

fn data<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Option<T> {
    read::<Line<T>>(line).map(|line| line.data)
}

impl Json {
    /// Takes a line; `None` where it cannot be read.
    fn take(&mut self, line: &[u8], events: &mut Vec<EventKind>) -> Option<()> {
        match tag(line) {
            Some(Kind::Unknown) | None => self.stray(line, events),
            Some(kind) => self.event(kind, line, events),
        }
    }

    /// Takes an event; `None` where it does not have the shape of its kind.
    fn event(&mut self, kind: Kind, line: &[u8], events: &mut Vec<EventKind>) -> Option<()> {
        match kind {
            Kind::MessageDelta => {
                let delta: Line<wire::Delta<'_>> = read(line)?;
                // A sub-agent's words are not the answer.
                if delta.agent_id.is_none() && delta.data.parent.is_none() {
                    let told = events.len();
                    self.answer.delta(&delta.data.id, &delta.data.text, events);
                    self.answered(told, events);
                }
            }
            Kind::Message => {
                let message: Line<wire::Full<'_>> = read(line)?;
                if let Some(tokens) = message.data.output_tokens {
                    let sum = self.usage.output_tokens.get_or_insert(0);
                    *sum = sum.saturating_add(tokens);
                }
                if message.agent_id.is_none() && message.data.parent.is_none() {
                    let told = events.len();
                    self.answer.message(&message.data.id, &message.data.content, events);
                    self.answered(told, events);
                }
            }
            Kind::ReasoningDelta => {
                let delta: Line<wire::Delta<'_>> = read(line)?;
                if delta.agent_id.is_none() {
                    let told = events.len();
                    self.thinking.delta(&delta.data.id, &delta.data.text, events);
                    as_thinking(&mut events[told..]);
                }
            }
            Kind::Reasoning => {
                let full: Line<wire::Full<'_>> = read(line)?;
                if full.agent_id.is_none() {
                    let told = events.len();
                    self.thinking.message(&full.data.id, &full.data.content, events);
                    as_thinking(&mut events[told..]);
                }
            }
            Kind::TurnStart => {
                let start: Line<wire::TurnStart> = read(line)?;
                if start.agent_id.is_none() && start.data.parent.is_none() {
                    self.answer.turn(events);
                }
            }
            Kind::TurnRetry => {
                let retry: Line<wire::Retry> = read(line)?;
                if retry.agent_id.is_none() {
                    self.answer.retry();
                }
                let reason = retry.data.reason.unwrap_or_else(|| "unknown reason".into());
                notice(
                    NoticeLevel::Info,
                    format!("The answer of the model failed ({reason}); Copilot asks again."),
                    events,
                );
            }
            Kind::ToolStart => self.tool_start(data(line)?, events),
            Kind::ToolOutput => {
                let output: wire::ToolOutput<'_> = data(line)?;
                self.trip(self.tripwire.ran(&output.tool_call_id));
            }
            Kind::ToolComplete => self.tool_complete(data(line)?, events),
            Kind::McpServers => {
                let loaded: wire::McpServers = data(line)?;
                loaded.servers.into_iter().for_each(|server| self.server(server, events));
            }
            Kind::McpServerStatus => self.server(data(line)?, events),
            Kind::McpServerTools => {
                let loaded: wire::McpServerTools = data(line)?;
                if loaded.tool_count == 0 && self.own_servers.contains(&loaded.server_name) {
                    let message = format!("The server `{}` is connected and offers no tool.", loaded.server_name);
                    notice(NoticeLevel::Warning, message, events);
                }
            }
            Kind::Error => {
                let error: Line<wire::SessionError> = read(line)?;
                self.error(error.data, error.agent_id.is_some(), events);
            }
            Kind::Warning => {
                let warning: wire::Told = data(line)?;
                if self.warnings.len() < 64 && !self.warnings.contains(&warning.message) {
                    self.warnings.push(warning.message.clone());
                    notice(NoticeLevel::Warning, warning.message, events);
                }
            }
            Kind::Info => self.info(&data::<wire::Told>(line)?.message, events),
            Kind::Idle => self.report.aborted |= data::<wire::Idle>(line)?.aborted.unwrap_or(false),
            Kind::Abort => self.report.aborted = true,
            Kind::Usage => {
                let call: wire::CallUsage = data(line)?;
                let sum = self.usage.input_tokens.get_or_insert(0);
                *sum = sum.saturating_add(call.input_tokens.unwrap_or(0));
                // Told once here and once with the message: this one also counts calls without a message.
                self.usage.output_tokens = self.usage.output_tokens.max(call.output_tokens);
            }
            Kind::Result => self.result(read(line)?, events),
            Kind::Ignored | Kind::Unknown => {}
        }
        Some(())
    }

    /// A line that is no event as it stands: perhaps one behind terminal escapes.
    fn stray(&mut self, line: &[u8], events: &mut Vec<EventKind>) -> Option<()> {
        if line.first() == Some(&b'{') {
            return None;
        }
        let text = std::str::from_utf8(line).ok()?;
        let clean = strip_escapes(text);
        let clean = clean.trim().as_bytes();
        match tag(clean) {
            Some(Kind::Unknown) | None => None,
            Some(kind) => self.event(kind, clean, events),
        }
    }

    /// Keeps the report in step with the answer, after events from `told` on were added.
    fn answered(&mut self, told: usize, events: &mut Vec<EventKind>) {
        self.report.answered = self.answer.is_shown();
        if events.len() > told && !self.report.errors.is_empty() {
            // The agent went on after an error, so it did not end the run.
            for (at, error) in std::mem::take(&mut self.report.errors).into_iter().enumerate() {
                let event = EventKind::Notice { level: NoticeLevel::Warning, message: error.message };
                events.insert(told + at, event);
            }
        }
    }

    fn tool_start(&mut self, start: wire::ToolStart<'_>, events: &mut Vec<EventKind>) {
        self.tripwire.begin(&start);
        events.push(EventKind::ToolStart {
            tool_name: start.tool_name.into_owned(),
            tool_id: start.tool_call_id.into_owned(),
            input: start.arguments.map(|arguments| arguments.get().to_owned()),
        });
    }

    fn tool_complete(&mut self, done: wire::ToolComplete<'_>, events: &mut Vec<EventKind>) {
        if done.success {
            self.trip(self.tripwire.succeeded(&done.tool_call_id));
        }
        let left_out = self.tripwire.end(&done.tool_call_id, done.error.as_ref());
        let denied = left_out || done.error.as_ref().is_some_and(|error| error.code.as_deref() == Some("denied"));
        let answer = done.result.and_then(|result| result.content);
        events.push(EventKind::ToolDone {
            tool_id: done.tool_call_id.into_owned(),
            ok: done.success,
            output: answer.or(done.error.map(|error| error.message)),
            denied: denied && !done.success,
        });
    }

    /// Keeps the first breach.
    fn trip(&mut self, breach: Option<String>) {
        self.report.bypassed = self.report.bypassed.take().or(breach);
    }

    fn server(&mut self, server: wire::McpServer, events: &mut Vec<EventKind>) {
        let wire::McpServer { name, status, error } = server;
        if self.servers.get(&name) == Some(&status) || (self.servers.len() >= 256 && !self.servers.contains_key(&name))
        {
            return;
        }
        self.servers.insert(name.clone(), status.clone());
        let own = self.own_servers.contains(&name);
        // Servers of others that the run switched off are no news.
        if !own && matches!(status.as_str(), "disabled" | "not_configured") {
            return;
        }
        // What failed is told for every agent alike, with what to do.
        let missing = own && !matches!(status.as_str(), "connected" | "pending" | "failed");
        let reason = error.clone().unwrap_or_else(|| status.clone());
        events.push(EventKind::McpStatus { server: name.clone(), status, detail: error });
        if missing {
            notice(NoticeLevel::Warning, format!("The tools of `{name}` are not available: {reason}"), events);
        }
    }

    fn error(&mut self, error: wire::SessionError, of_sub_agent: bool, events: &mut Vec<EventKind>) {
        if of_sub_agent {
            return notice(NoticeLevel::Warning, error.message, events);
        }
        // Measured on 1.0.102: after such an error the process waits for ever for an answer that nobody can give.
        self.report.fatal |= error.eligible_for_auto_switch == Some(true);
        if self.report.errors.len() < 64 {
            self.report.errors.push(AgentError {
                error_type: error.error_type,
                message: error.message,
                status: error.status_code,
                code: error.error_code,
            });
        }
    }

    fn info(&mut self, message: &str, events: &mut Vec<EventKind>) {
        if let Some(list) = message.strip_prefix("Disabled tools: ") {
            self.tripwire.leave_out(list);
            let missing: Vec<&str> = list.split(", ").filter(|name| self.tripwire.gives(name)).take(16).collect();
            if !missing.is_empty() {
                let missing = missing.join("`, `");
                let message = format!("Copilot leaves out what Safe mode gives: `{missing}`.");
                notice(NoticeLevel::Warning, message, events);
            }
        }
        let Some(name) = message.strip_prefix("Unknown tool name in the tool allowlist: ") else { return };
        let name = name.trim_matches('"');
        if tools::SAFE.contains(&name) {
            let message = format!("This version of Copilot has no tool `{name}`, which Safe mode relies on.");
            notice(NoticeLevel::Warning, message, events);
        }
    }

    fn result(&mut self, result: wire::RunResult, events: &mut Vec<EventKind>) {
        self.report.finished = true;
        self.report.told_exit_code = result.exit_code;
        self.report.session_id = result.session_id;
        let Some(told) = result.usage else { return };
        let changes = told.code_changes;
        let usage = Usage {
            premium_requests: told.premium_requests,
            api_ms: told.total_api_duration_ms,
            session_ms: told.session_duration_ms,
            lines_added: changes.as_ref().and_then(|changes| changes.lines_added),
            lines_removed: changes.as_ref().and_then(|changes| changes.lines_removed),
            files_modified: changes.and_then(|changes| changes.files_modified),
            ..self.usage.clone()
        };
        self.report.usage = Some(usage.clone());
        events.push(EventKind::Usage(usage));
    }
}

fn notice(level: NoticeLevel, message: String, events: &mut Vec<EventKind>) {
    events.push(EventKind::Notice { level, message });
}

fn as_thinking(events: &mut [EventKind]) {
    for event in events {
        if let EventKind::TextDelta { text } = event {
            *event = EventKind::ThinkingDelta { text: std::mem::take(text) };
        }
    }
}
