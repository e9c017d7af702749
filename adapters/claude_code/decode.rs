//! Claude Code's stdout as events. Pure and total: a line that cannot be read loses only itself.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::answers::{is_refusal, text_of};
use super::tripwire::Tripwire;
use super::usage;
use super::wire::{self, Block, Said};
use crate::adapters::answer::Answer;
use crate::adapters::text::{strip_escapes, unrecognized};
use crate::adapters::{Decoder, Report};
use crate::event::{EventKind, NoticeLevel, Usage};
use crate::guidance::AgentError;
use crate::plan::Plan;

/// Most errors and servers that are kept.
const KEPT: usize = 64;

/// Events of which nothing is told.
const IGNORED: &[&str] = &[
    "auth_status",
    "control_request",
    "control_response",
    "keep_alive",
    "prompt_suggestion",
    "tool_progress",
    "tool_use_summary",
];

pub(super) fn decoder(plan: &Plan) -> Box<dyn Decoder> {
    Box::new(Json {
        report: Report { has_final_event: true, ..Report::default() },
        // A message that begins before the last was told in full is the same one asked for again: 2.1.197 does not say so.
        answer: Answer::inferring(true),
        tripwire: Tripwire::new(plan),
        own_servers: plan.mcp_servers.clone(),
        ..Json::default()
    })
}

/// Decodes `--output-format=stream-json`.
#[derive(Debug, Default)]
struct Json {
    report: Report,
    answer: Answer,
    /// The thinking as told. A retry thinks anew; nothing of it is taken back.
    thinking: Answer,
    /// Where the stream is, and where the messages told in full are.
    stream: Place,
    full: Place,
    tripwire: Tripwire,
    /// The last state told of each MCP server.
    servers: BTreeMap<String, String>,
    own_servers: Vec<String>,
    /// Calls that were refused and have not ended.
    denied: BTreeSet<String>,
    told_tools: bool,
    usage: Usage,
}

/// The message that blocks belong to, and how many of each kind it has had: a block has no name of its own.
#[derive(Debug, Default)]
struct Place {
    /// Which of the messages of that id it is: some gateways give all the same one, or none.
    turn: u32,
    message: String,
    texts: u32,
    thoughts: u32,
}

impl Place {
    fn enter(&mut self, message: &str) {
        if self.message != message {
            *self = Place { turn: self.turn, message: message.to_owned(), texts: 0, thoughts: 0 };
        }
    }

    /// A message that begins, in the stream.
    fn next(&mut self, message: &str) {
        let again = u32::from(self.message == message);
        *self = Place { turn: self.turn.saturating_add(again), message: message.to_owned(), texts: 0, thoughts: 0 };
    }

    fn text(&self) -> String {
        format!("{}#{}#{}", self.turn, self.message, self.texts)
    }

    fn thought(&self) -> String {
        format!("{}#{}#{}", self.turn, self.message, self.thoughts)
    }
}

impl Decoder for Json {
    fn line(&mut self, line: &[u8], events: &mut Vec<EventKind>) {
        let line = line.trim_ascii();
        if !line.is_empty() && self.take(line, events).is_none() {
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

fn read<'a, T: Deserialize<'a>>(line: &'a str) -> Option<T> {
    serde_json::from_str(line).ok()
}

impl Json {
    /// Takes a line; `None` where it is no event, or not of the shape of its kind.
    fn take(&mut self, line: &[u8], events: &mut Vec<EventKind>) -> Option<()> {
        // Bytes that are no text may stand in what a tool answered, and lose no more than themselves.
        let text = String::from_utf8_lossy(line);
        if text.starts_with('{') {
            return self.event(&text, events);
        }
        let clean = strip_escapes(&text);
        self.event(clean.trim(), events)
    }

    fn event(&mut self, line: &str, events: &mut Vec<EventKind>) -> Option<()> {
        let tag: wire::Tag<'_> = read(line)?;
        match &*tag.kind {
            "stream_event" => self.streamed(&read(line)?, events),
            "assistant" => self.assistant(&read(line)?, events)?,
            "user" => self.tool_results(&read(line)?, events),
            "system" => self.system(tag.subtype.as_deref().unwrap_or_default(), line, events)?,
            "result" => self.result(read(line)?, events),
            "rate_limit_event" => {
                let limit: wire::RateLimit = read(line)?;
                if limit.rate_limit_info.status != "allowed" {
                    let message = "The allowance of the account is nearly or wholly used up.".to_owned();
                    notice(NoticeLevel::Warning, message, events);
                }
            }
            kind if IGNORED.contains(&kind) => {}
            _ => return None,
        }
        Some(())
    }

    fn streamed(&mut self, streamed: &wire::Streamed<'_>, events: &mut Vec<EventKind>) {
        // A sub-agent's words are not the answer.
        if streamed.parent.is_some() {
            return;
        }
        let event = &streamed.event;
        match &*event.kind {
            "message_start" => {
                // The agent goes on: what ended was one of several turns.
                self.report.finished = false;
                self.stream.next(event.message.as_ref().map_or("", |message| &message.id));
                if self.full.turn != self.stream.turn {
                    self.full = Place { turn: self.stream.turn, ..Place::default() };
                }
            }
            "content_block_start" => match event.content_block.as_ref().map(|block| &*block.kind) {
                Some("text") => self.stream.texts = self.stream.texts.saturating_add(1),
                Some("thinking") => self.stream.thoughts = self.stream.thoughts.saturating_add(1),
                _ => {}
            },
            "content_block_delta" => {
                let Some(delta) = &event.delta else { return };
                let told = events.len();
                if let Some(thinking) = &delta.thinking {
                    self.thinking.delta(&self.stream.thought(), thinking, events);
                    as_thinking(&mut events[told..]);
                } else if let Some(text) = &delta.text {
                    self.answer.delta(&self.stream.text(), text, events);
                    self.answered(told, events);
                }
            }
            _ => {}
        }
    }

    /// Takes a block of a message in full: what its pieces left out, and what the model wants done.
    fn assistant(&mut self, said: &Said<'_>, events: &mut Vec<EventKind>) -> Option<()> {
        let blocks: Vec<Block<'_>> = read(said.message.content.get())?;
        if let Some(error) = &said.error {
            let text: Vec<&str> = blocks.iter().filter_map(|block| block.text.as_deref()).collect();
            if said.parent.is_some() {
                notice(NoticeLevel::Warning, text.join("\n"), events);
            } else {
                self.error(error.clone(), text.join("\n"), said.api_error_status);
            }
            return Some(());
        }
        let own = said.parent.is_none();
        if own {
            self.full.enter(&said.message.id);
        }
        for block in &blocks {
            match (&*block.kind, &block.text, &block.thinking) {
                ("text", Some(text), _) if own => {
                    self.full.texts = self.full.texts.saturating_add(1);
                    let told = events.len();
                    self.answer.message(&self.full.text(), text, events);
                    self.answered(told, events);
                }
                ("thinking", _, Some(thinking)) if own => {
                    self.full.thoughts = self.full.thoughts.saturating_add(1);
                    let told = events.len();
                    self.thinking.message(&self.full.thought(), thinking, events);
                    as_thinking(&mut events[told..]);
                }
                ("tool_use" | "server_tool_use", _, _) => {
                    let (Some(id), Some(name)) = (&block.id, &block.name) else { continue };
                    self.tripwire.begin(id, name, block.input);
                    events.push(EventKind::ToolStart {
                        tool_name: name.to_string(),
                        tool_id: id.to_string(),
                        input: block.input.map(|input| input.get().to_owned()),
                    });
                }
                _ => {}
            }
        }
        Some(())
    }

    fn tool_results(&mut self, said: &Said<'_>, events: &mut Vec<EventKind>) {
        // Else it is what the program itself adds to the conversation, as text.
        let blocks: Vec<Block<'_>> = read(said.message.content.get()).unwrap_or_default();
        for block in blocks {
            let (Some(id), "tool_result") = (&block.tool_use_id, &*block.kind) else { continue };
            let ok = block.is_error != Some(true);
            let output = block.content.map(text_of);
            let decided = said.tool_result_meta.iter().find(|meta| meta.id == *id);
            let decided = decided.and_then(|meta| meta.permission_decision.as_ref());
            let told = decided.is_some_and(|decided| decided.decision == "reject") || self.denied.remove(&**id);
            let refused = told || output.as_deref().is_some_and(is_refusal);
            let breach = self.tripwire.end(id, ok);
            self.report.bypassed = self.report.bypassed.take().or(breach);
            events.push(EventKind::ToolDone { tool_id: id.to_string(), ok, output, denied: refused && !ok });
        }
    }

    /// Events of the program itself. Those that are not named are bookkeeping: hooks, tasks, compaction, states.
    fn system(&mut self, subtype: &str, line: &str, events: &mut Vec<EventKind>) -> Option<()> {
        match subtype {
            "init" => self.init(read(line)?, events),
            "api_retry" => {
                let retry: wire::Retry = read(line)?;
                let status = retry.error_status.map(|status| format!("{status}, ")).unwrap_or_default();
                let kind = retry.error.as_deref().unwrap_or("unknown");
                let (attempt, most) = (retry.attempt, retry.max_retries);
                let message =
                    format!("The model did not answer ({status}{kind}); Claude Code asks again ({attempt} of {most}).");
                notice(NoticeLevel::Info, message, events);
            }
            "permission_denied" => {
                let denied: wire::Denied = read(line)?;
                if self.denied.len() < 4096 {
                    self.denied.insert(denied.tool_use_id);
                }
            }
            "informational" => {
                let told: wire::Informational = read(line)?;
                if told.level.as_deref() == Some("warning") {
                    notice(NoticeLevel::Warning, told.content, events);
                }
            }
            _ => {}
        }
        Some(())
    }

    fn init(&mut self, init: wire::Init, events: &mut Vec<EventKind>) {
        self.report.session_id = Some(init.session_id);
        for wire::Server { name, status } in init.mcp_servers.into_iter().take(256) {
            if self.servers.get(&name) == Some(&status) {
                continue;
            }
            let failed = self.own_servers.contains(&name) && status != "connected";
            self.servers.insert(name.clone(), status.clone());
            events.push(EventKind::McpStatus { server: name.clone(), status: status.clone(), detail: None });
            if failed {
                notice(NoticeLevel::Warning, format!("The tools of `{name}` are not available: {status}"), events);
            }
        }
        let (more, less) = self.tripwire.compare(&init.tools);
        if std::mem::replace(&mut self.told_tools, true) {
            return;
        }
        if !more.is_empty() {
            let message = format!("Claude Code offers what Safe mode does not give: `{}`.", more.join("`, `"));
            notice(NoticeLevel::Warning, message, events);
        }
        if !less.is_empty() {
            let message = format!("Claude Code leaves out what Safe mode gives: `{}`.", less.join("`, `"));
            notice(NoticeLevel::Warning, message, events);
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

    fn error(&mut self, error_type: String, message: String, status: Option<u16>) {
        if self.report.errors.len() < KEPT {
            self.report.errors.push(AgentError { error_type, message, status, code: None });
        }
    }

    /// The end of a turn. An answer that is an error is one of subtype `success`, and there may be several ends.
    fn result(&mut self, result: wire::RunResult, events: &mut Vec<EventKind>) {
        self.report.finished = true;
        self.report.told_exit_code = Some(i32::from(result.is_error));
        self.report.aborted |= result.terminal_reason.as_deref().is_some_and(|reason| reason.starts_with("aborted"));
        self.report.session_id = result.session_id.or(self.report.session_id.take());
        if result.is_error {
            let errors = if result.errors.is_empty() { result.result.into_iter().collect() } else { result.errors };
            match self.report.errors.last_mut().filter(|last| errors.contains(&last.message)) {
                Some(known) => known.status = known.status.or(result.api_error_status),
                None => errors.into_iter().for_each(|error| {
                    self.error(result.subtype.clone(), error, result.api_error_status);
                }),
            }
        }
        usage::add(
            &mut self.usage,
            result.usage,
            result.total_cost_usd,
            result.model_usage_since_last_result.as_ref(),
            result.duration_ms,
        );
        self.report.usage = Some(self.usage.clone());
        events.push(EventKind::Usage(self.usage.clone()));
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
