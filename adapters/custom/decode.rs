//! Reads an agent's JSON lines by the rules of its definition. Pure and total.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::definition::{Count, Definition, Means, OutputRule, ToolFacts};
use super::values::{Condition, all_hold};
use crate::adapters::text::unrecognized;
use crate::adapters::{Decoder, Report, boundary};
use crate::event::{EventKind, NoticeLevel, Usage};
use crate::guidance::AgentError;
use crate::plan::Plan;

/// Most tool calls that are followed at once; more can only be nonsense.
const OPEN: usize = 4096;
/// Most errors that are kept: the last decide.
const ERRORS: usize = 64;
/// Most entries of a list that are looked at.
const ENTRIES: usize = 4096;
/// How much of a message's pieces is remembered, in bytes, to know the message again.
const REMEMBERED: usize = 1 << 20;
/// The longest id, in bytes.
const LONGEST_ID: usize = 1024;

/// Reads lines by rules.
#[derive(Debug)]
pub(super) struct Jsonl {
    rules: &'static [OutputRule],
    report: Report,
    answer: Pieces,
    thinking: Pieces,
    /// Whether the answer so far ends with a line end, or is nothing.
    at_line_start: bool,
    /// Whether the next piece begins a paragraph.
    owes_break: bool,
    tripwire: Tripwire,
    /// How many calls came without an id.
    nameless: u64,
}

/// The pieces of a message that came before it came as a whole.
#[derive(Debug, Default)]
struct Pieces {
    told: String,
    /// Whether there were too many to remember.
    over: bool,
}

impl Pieces {
    fn piece(&mut self, text: &str) {
        if self.told.len() + text.len() > REMEMBERED {
            self.over = true;
            self.told.clear();
        } else if !self.over {
            self.told.push_str(text);
        }
    }

    /// What of a whole message is not told yet.
    fn rest(&mut self, text: &str) -> Option<String> {
        if std::mem::take(&mut self.over) {
            return None;
        }
        if self.told.is_empty() {
            return Some(text.to_owned());
        }
        // One message may come in several parts, whose pieces came before all of them.
        if let Some(later) = self.told.strip_prefix(text) {
            self.told = later.to_owned();
            return None;
        }
        let told = std::mem::take(&mut self.told);
        text.strip_prefix(told.as_str()).map(str::to_owned)
    }
}

impl Jsonl {
    pub(super) fn new(rules: &'static [OutputRule], definition: &Definition, plan: &Plan) -> Jsonl {
        let has_final_event = rules.iter().any(|rule| matches!(rule.event, Means::Final { .. }));
        let servers = definition.mcp.as_ref().and_then(|mcp| mcp.tools.as_deref());
        let prefixes = plan.mcp_servers.iter().filter_map(|name| Some(servers?.replace("{server}", name)));
        Jsonl {
            rules,
            report: Report { has_final_event, ..Report::default() },
            answer: Pieces::default(),
            thinking: Pieces::default(),
            at_line_start: true,
            owes_break: false,
            tripwire: Tripwire {
                tools: plan.allowed_tools.clone(),
                prefixes: prefixes.collect(),
                writers: definition.mode(plan.mode).map(|mode| mode.writers.clone()).unwrap_or_default(),
                folders: plan.allowed_folders.clone(),
                away: plan.scratch.is_some(),
                open: HashMap::new(),
            },
            nameless: 0,
        }
    }

    fn apply(&mut self, event: &Means, value: &Value, events: &mut Vec<EventKind>) {
        match event {
            Means::Text { text, whole } => {
                if let Some(text) = text.string(value) {
                    self.text(text, *whole, events);
                }
            }
            Means::Thinking { text, whole } => {
                let Some(text) = text.string(value) else { return };
                let told = if *whole { self.thinking.rest(text) } else { Some(text.to_owned()) };
                let Some(text) = told.filter(|text| !text.is_empty()) else { return };
                if !whole {
                    self.thinking.piece(&text);
                }
                events.push(EventKind::ThinkingDelta { text });
            }
            Means::Break => self.owes_break = true,
            Means::Tool(facts) => self.tool(facts, value, events),
            Means::Session { id } => {
                if let Some(id) = id.text(value).filter(|id| id.len() <= LONGEST_ID) {
                    self.report.session_id = Some(id);
                }
            }
            Means::Usage { counts, add } => self.usage(counts, *add, value, events),
            Means::Error { message, kind, code, status, fatal } => {
                let text = |path: &Option<super::values::Path>| path.as_ref().and_then(|path| path.text(value));
                let status = status.as_ref().and_then(|status| status.whole(value));
                let error = AgentError {
                    error_type: text(kind).unwrap_or_default(),
                    message: message.text(value).unwrap_or_default(),
                    status: status.and_then(|status| u16::try_from(status).ok()),
                    code: text(code),
                };
                if self.report.errors.len() >= ERRORS {
                    self.report.errors.remove(0);
                }
                self.report.errors.push(error);
                // An answer that came before an error is not the answer to it.
                self.report.answered = false;
                self.report.fatal |= *fatal;
            }
            Means::Notice { message } => {
                if let Some(message) = message.text(value) {
                    events.push(EventKind::Notice { level: NoticeLevel::Info, message });
                }
            }
            Means::Mcp { server, status, detail } => {
                if let (Some(server), Some(status)) = (server.text(value), status.text(value)) {
                    let detail = detail.as_ref().and_then(|detail| detail.text(value));
                    events.push(EventKind::McpStatus { server, status, detail });
                }
            }
            Means::Final { exit_code } => {
                self.report.finished = true;
                let told = exit_code.as_ref().and_then(|code| code.whole(value));
                self.report.told_exit_code = told.and_then(|code| i32::try_from(code).ok());
            }
            Means::Ignore => {}
        }
    }

    fn text(&mut self, text: &str, whole: bool, events: &mut Vec<EventKind>) {
        let fresh = whole && self.answer.told.is_empty() && !self.answer.over;
        let told = if whole { self.answer.rest(text) } else { Some(text.to_owned()) };
        let Some(mut told) = told.filter(|told| !told.is_empty()) else { return };
        if !whole {
            self.answer.piece(&told);
        }
        if (std::mem::take(&mut self.owes_break) || fresh) && !self.at_line_start {
            told.insert_str(0, "\n\n");
        }
        self.at_line_start = told.ends_with('\n');
        self.report.answered |= !told.trim().is_empty();
        events.push(EventKind::TextDelta { text: told });
    }

    fn tool(&mut self, facts: &ToolFacts, value: &Value, events: &mut Vec<EventKind>) {
        let id = facts.id.text(value).filter(|id| id.len() <= LONGEST_ID);
        let id = id.unwrap_or_else(|| {
            self.nameless += 1;
            format!("tool-{}", self.nameless)
        });
        if facts.begins {
            let name = facts.name.as_ref().and_then(|name| name.text(value)).unwrap_or_else(|| "tool".into());
            let path = facts.path.as_ref().and_then(|path| path.string(value)).map(PathBuf::from);
            self.tripwire.begin(&id, &name, path);
            let input = facts.input.as_ref().and_then(|input| input.text(value));
            events.push(EventKind::ToolStart { tool_name: name, tool_id: id.clone(), input });
        }
        if facts.ends {
            let any = |conditions: &[Condition]| !conditions.is_empty() && all_hold(conditions, value);
            let denied = any(&facts.denied);
            let ok = !denied && !any(&facts.failed) && all_hold(&facts.ok, value);
            let broken = self.tripwire.end(&id, ok);
            if self.report.bypassed.is_none() {
                self.report.bypassed = broken;
            }
            let output = facts.output.as_ref().and_then(|output| output.text(value));
            events.push(EventKind::ToolDone { tool_id: id, ok, output, denied });
        }
    }

    fn usage(
        &mut self,
        counts: &[(Count, super::values::Path)],
        add: bool,
        value: &Value,
        events: &mut Vec<EventKind>,
    ) {
        let before = self.report.usage.clone().unwrap_or_default();
        let mut usage = before.clone();
        let whole = |known: Option<u64>, path: &super::values::Path| match path.whole(value) {
            None => known,
            Some(found) if add => Some(known.unwrap_or(0).saturating_add(found)),
            found => found,
        };
        for (count, path) in counts {
            match count {
                Count::Input => usage.input_tokens = whole(usage.input_tokens, path),
                Count::Output => usage.output_tokens = whole(usage.output_tokens, path),
                Count::ApiMs => usage.api_ms = whole(usage.api_ms, path),
                Count::SessionMs => usage.session_ms = whole(usage.session_ms, path),
                Count::Cost => {
                    if let Some(cost) = path.number(value) {
                        let known = if add { usage.cost_usd.unwrap_or(0.0) } else { 0.0 };
                        usage.cost_usd = Some(known + cost);
                    }
                }
            }
        }
        if usage != before && usage != Usage::default() {
            self.report.usage = Some(usage.clone());
            events.push(EventKind::Usage(usage));
        }
    }
}

impl Decoder for Jsonl {
    fn line(&mut self, line: &[u8], events: &mut Vec<EventKind>) {
        let parsed = serde_json::from_slice::<Value>(line).ok().filter(Value::is_object);
        let Some(value) = parsed else {
            events.extend(unrecognized(line));
            return;
        };
        let mut known = false;
        for rule in self.rules.iter().filter(|rule| all_hold(&rule.when, &value)) {
            known = true;
            let Some(each) = &rule.each else {
                self.apply(&rule.event, &value, events);
                continue;
            };
            let entries = each.find(&value).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            for entry in entries.iter().take(ENTRIES).filter(|entry| all_hold(&rule.only, entry)) {
                self.apply(&rule.event, entry, events);
            }
        }
        if !known {
            events.extend(unrecognized(line));
        }
    }

    fn end(&mut self, _events: &mut Vec<EventKind>) {}

    fn report(&self) -> &Report {
        &self.report
    }
}

/// Notices an agent that did what Safe mode does not give, as far as the definition names its tools.
#[derive(Debug)]
struct Tripwire {
    /// `None` where they are not named.
    tools: Option<Vec<String>>,
    /// How tools of the app's servers begin.
    prefixes: Vec<String>,
    writers: Vec<String>,
    folders: Vec<PathBuf>,
    /// Whether it works from elsewhere, so that a path that is not full leads to no vault.
    away: bool,
    /// Calls that have begun, by id.
    open: HashMap<String, (String, Option<PathBuf>)>,
}

impl Tripwire {
    fn begin(&mut self, id: &str, name: &str, path: Option<PathBuf>) {
        if self.tools.is_some() && self.open.len() < OPEN {
            self.open.insert(id.to_owned(), (name.to_owned(), path));
        }
    }

    /// What a call that succeeded breaks, in words.
    fn end(&mut self, id: &str, ok: bool) -> Option<String> {
        let (name, path) = self.open.remove(id)?;
        let tools = self.tools.as_ref().filter(|_| ok)?;
        if self.prefixes.iter().any(|prefix| name.starts_with(prefix.as_str())) {
            return None;
        }
        if !tools.contains(&name) {
            return Some(format!("the tool `{name}` ran although the mode does not give it"));
        }
        let written = path.filter(|_| self.writers.contains(&name))?;
        self.outside(&written)
    }

    fn outside(&self, path: &Path) -> Option<String> {
        if self.away && !path.is_absolute() {
            return None;
        }
        boundary::breach(&self.folders, path, true)
    }
}
