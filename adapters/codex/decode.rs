//! Codex's stdout as events. Pure and total: a line that cannot be read loses only itself.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::answer::Messages;
use super::plan::WRITER;
use super::tripwire::Tripwire;
use super::wire;
use crate::adapters::text::{strip_escapes, unrecognized};
use crate::adapters::{Decoder, Report};
use crate::event::{EventKind, NoticeLevel, Usage};
use crate::guidance::AgentError;
use crate::plan::Plan;

/// The name of a shell command as a tool.
const SHELL: &str = "shell";

/// Most tool calls that are followed at once, and notices that are told; more can only be nonsense.
const MOST: usize = 256;

/// A patch that failed gives no reason. Without user namespaces each one does (0.171.0, 2026-11-30).
const NOT_WRITTEN: &str = "Codex could not write a file. If it can write none, the system may keep it from its sandbox: \
                           `codex doctor` tells.";

/// What Codex says of a tool call that nobody could approve (recordings `mcpappr_*`).
const REFUSALS: &[&str] = &[
    "user cancelled MCP tool call",
    "requires approval, but approval policy is never",
    "Automatic approval review failed",
];

pub(super) fn decoder(plan: &Plan) -> Box<dyn Decoder> {
    Box::new(Items {
        report: Report { has_final_event: true, ..Report::default() },
        tripwire: Tripwire::new(plan),
        servers: plan.mcp_servers.clone(),
        answer: Messages::default(),
        thoughts: Vec::new(),
        open: HashSet::new(),
        notices: Vec::new(),
    })
}

/// Decodes `exec --json`.
#[derive(Debug)]
struct Items {
    report: Report,
    tripwire: Tripwire,
    /// The app's servers whose state was not told yet.
    servers: Vec<String>,
    answer: Messages,
    /// Thoughts of the answer that is being given.
    thoughts: Vec<String>,
    /// Items that have begun and not ended.
    open: HashSet<String>,
    notices: Vec<String>,
}

impl Decoder for Items {
    fn line(&mut self, line: &[u8], events: &mut Vec<EventKind>) {
        let line = line.trim_ascii();
        if line.is_empty() {
            return;
        }
        // Perhaps an event behind terminal escapes.
        let read = self.take(line, events).or_else(|| {
            let clean = strip_escapes(std::str::from_utf8(line).ok()?);
            (clean.len() < line.len()).then(|| self.take(clean.trim().as_bytes(), events)).flatten()
        });
        if read.is_none() {
            events.extend(unrecognized(line));
        }
    }

    fn end(&mut self, _events: &mut Vec<EventKind>) {}

    fn report(&self) -> &Report {
        &self.report
    }
}

fn read<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Option<T> {
    serde_json::from_slice(line).ok()
}

impl Items {
    /// Takes a line; `None` where it cannot be read.
    fn take(&mut self, line: &[u8], events: &mut Vec<EventKind>) -> Option<()> {
        let tag: wire::Tag<'_> = read(line)?;
        match tag.kind.as_ref() {
            "thread.started" => {
                self.report.session_id = Some(read::<wire::ThreadStarted>(line)?.thread_id);
                // Each is required: without one of them there is no thread.
                for server in std::mem::take(&mut self.servers) {
                    events.push(EventKind::McpStatus { server, status: "connected".into(), detail: None });
                }
            }
            "turn.started" => self.moved_on(),
            "turn.completed" => {
                let usage = read::<wire::TurnCompleted>(line)?.usage;
                self.got_over(events);
                self.report.finished = true;
                self.report.told_exit_code = Some(0);
                events.extend(usage.map(|usage| self.used(&usage)));
            }
            "turn.failed" => {
                let message = read::<wire::TurnFailed>(line)?.error.message;
                self.report.finished = true;
                self.report.told_exit_code = Some(1);
                self.failed(&message);
            }
            "error" => {
                let message = read::<wire::Told>(line)?.message;
                if message.starts_with("Reconnecting...") {
                    self.answer.retry();
                    self.notice(NoticeLevel::Info, message, events);
                } else {
                    self.failed(&message);
                }
            }
            "item.started" | "item.updated" | "item.completed" => {
                let item = read::<wire::ItemLine<'_>>(line)?.item;
                self.item(item, tag.kind == "item.completed", events)?;
            }
            _ => return None,
        }
        Some(())
    }

    /// Takes an item; `None` where it does not have the shape of its kind.
    fn item(&mut self, raw: &RawValue, ended: bool, events: &mut Vec<EventKind>) -> Option<()> {
        let json = raw.get().as_bytes();
        let item: wire::Item<'_> = read(json)?;
        let status = item.status.as_deref().unwrap_or_default();
        match item.kind.as_ref() {
            "agent_message" if ended => {
                let told = events.len();
                self.answer.message(&read::<wire::Spoken<'_>>(json)?.text, events);
                self.report.answered = self.answer.is_shown();
                if events.len() > told {
                    self.got_over(events);
                }
            }
            "reasoning" if ended => self.thought(&read::<wire::Spoken<'_>>(json)?.text, events),
            "agent_message" | "reasoning" | "todo_list" => {}
            "error" => self.notice(NoticeLevel::Warning, read::<wire::Told>(json)?.message, events),
            "command_execution" => {
                let command: wire::Command = read(json)?;
                let input = serde_json::json!({ "command": command.command }).to_string();
                self.begin(&item, SHELL, Some(input), events);
                if status != "declined" {
                    self.trip(self.tripwire.ran(SHELL));
                }
                let ok = status == "completed" && command.exit_code.unwrap_or(0) == 0;
                let no_sandbox = command.aggregated_output.as_deref().filter(|output| output.starts_with("bwrap: "));
                if let Some(why) = no_sandbox.and_then(|output| output.lines().next()).filter(|_| ended && !ok) {
                    let message = format!("The system keeps Codex from its sandbox, so that nothing was run: {why}");
                    self.notice(NoticeLevel::Warning, message, events);
                }
                let output = command.aggregated_output.filter(|output| !output.is_empty());
                self.done(&item, ended, ok, output, status == "declined", events);
            }
            "file_change" => {
                let changes = read::<wire::FileChange<'_>>(json)?.changes.get();
                let paths: Vec<wire::Change> = read(changes.as_bytes())?;
                self.begin(&item, WRITER, Some(changes.to_owned()), events);
                if ended && status == "completed" {
                    self.trip(self.tripwire.changed(&paths));
                }
                if ended && status == "failed" {
                    self.notice(NoticeLevel::Warning, NOT_WRITTEN.into(), events);
                }
                self.done(&item, ended, status == "completed", None, status == "declined", events);
            }
            "mcp_tool_call" => self.called(&item, read(json)?, ended, events),
            // Tools without more than a name: searching the web, working with other agents, drawing.
            kind if kind == "web_search" || kind.ends_with("_tool_call") || kind == "image_generation" => {
                self.begin(&item, kind, Some(raw.get().to_owned()), events);
                self.trip(self.tripwire.ran(kind));
                let ok = !matches!(status, "failed" | "declined");
                self.done(&item, ended, ok, None, status == "declined", events);
            }
            _ => return None,
        }
        Some(())
    }

    fn called(&mut self, item: &wire::Item<'_>, call: wire::McpCall<'_>, ended: bool, events: &mut Vec<EventKind>) {
        let name = format!("mcp__{}__{}", self.tripwire.server(&call.server), call.tool);
        self.begin(item, &name, call.arguments.map(|arguments| arguments.get().to_owned()), events);
        let status = item.status.as_deref().unwrap_or_default();
        if ended && status == "completed" {
            self.trip(self.tripwire.called(&call.server, &call.tool));
        }
        let error = call.error.map(|error| error.message);
        let denied = error.as_deref().is_some_and(|error| REFUSALS.iter().any(|words| error.contains(words)));
        let output = call.result.and_then(|result| result.content).map(|content| spoken(content.get()));
        self.done(item, ended, status == "completed", output.or(error), denied, events);
    }

    fn begin(&mut self, item: &wire::Item<'_>, name: &str, input: Option<String>, events: &mut Vec<EventKind>) {
        self.moved_on();
        if self.open.contains(item.id.as_ref()) || self.open.len() >= MOST {
            return;
        }
        self.open.insert(item.id.to_string());
        events.push(EventKind::ToolStart { tool_name: name.to_owned(), tool_id: item.id.to_string(), input });
    }

    fn done(
        &mut self,
        item: &wire::Item<'_>,
        ended: bool,
        ok: bool,
        output: Option<String>,
        denied: bool,
        events: &mut Vec<EventKind>,
    ) {
        if ended && self.open.remove(item.id.as_ref()) {
            events.push(EventKind::ToolDone { tool_id: item.id.to_string(), ok, output, denied: denied && !ok });
        }
    }

    fn thought(&mut self, text: &str, events: &mut Vec<EventKind>) {
        // A new attempt thinks anew; what it thought before is not told twice.
        if text.is_empty() || self.thoughts.iter().any(|thought| thought == text) || self.thoughts.len() >= MOST {
            return;
        }
        let between = if self.thoughts.is_empty() { "" } else { "\n\n" };
        self.thoughts.push(text.to_owned());
        events.push(EventKind::ThinkingDelta { text: [between, text].concat() });
    }

    fn moved_on(&mut self) {
        self.answer.moved_on();
    }

    /// Keeps the first breach.
    fn trip(&mut self, breach: Option<String>) {
        self.report.bypassed = self.report.bypassed.take().or(breach);
    }

    /// The agent went on after errors, so they did not end the run.
    fn got_over(&mut self, events: &mut Vec<EventKind>) {
        for error in std::mem::take(&mut self.report.errors) {
            self.notice(NoticeLevel::Warning, error.message, events);
        }
    }

    fn notice(&mut self, level: NoticeLevel, message: String, events: &mut Vec<EventKind>) {
        if self.notices.len() < MOST && !self.notices.contains(&message) {
            self.notices.push(message.clone());
            events.push(EventKind::Notice { level, message });
        }
    }

    fn failed(&mut self, message: &str) {
        let error = error(message);
        // The same is told twice: as an event, and as the end of the turn.
        if self.report.errors.len() < 64 && self.report.errors.last() != Some(&error) {
            self.report.errors.push(error);
        }
    }

    fn used(&mut self, told: &wire::TurnUsage) -> EventKind {
        let mut usage =
            Usage { input_tokens: told.input_tokens, output_tokens: told.output_tokens, ..Usage::default() };
        let counts = [
            ("cached_input_tokens", told.cached_input_tokens),
            ("reasoning_output_tokens", told.reasoning_output_tokens),
        ];
        #[expect(clippy::cast_precision_loss, reason = "a count of tokens is far below 2^52")]
        let counts = counts.into_iter().filter_map(|(name, count)| Some((name.to_owned(), count? as f64)));
        usage.other.extend(counts);
        self.report.usage = Some(usage.clone());
        EventKind::Usage(usage)
    }
}

/// The text of an MCP tool's answer; as JSON where it is not text alone.
fn spoken(content: &str) -> String {
    let texts: Option<Vec<String>> = read::<Vec<wire::McpContent>>(content.as_bytes())
        .and_then(|pieces| pieces.into_iter().map(|piece| piece.text).collect());
    texts.map_or_else(|| content.to_owned(), |texts| texts.join("\n"))
}

/// An error as Codex words it: a sentence with a status, or the provider's own JSON.
fn error(message: &str) -> AgentError {
    #[derive(Deserialize)]
    struct Body {
        error: Provided,
    }
    #[derive(Deserialize)]
    struct Provided {
        message: String,
        #[serde(rename = "type")]
        kind: Option<String>,
        code: Option<String>,
    }
    let after =
        |words: &str| message.find(words).and_then(|at| message.get(at + words.len()..)?.get(..3)?.parse().ok());
    let status = after("unexpected status ").or_else(|| after("last status: "));
    match serde_json::from_str::<Body>(message) {
        Ok(Body { error }) => AgentError {
            error_type: error.kind.unwrap_or_else(|| "turn_failed".into()),
            message: error.message,
            status,
            code: error.code,
        },
        Err(_) => AgentError { error_type: "turn_failed".into(), message: message.to_owned(), status, code: None },
    }
}
