//! The events of a run as text for people: the answer on stdout, all else on stderr.
//!
//! Decides what each event looks like and keeps the two outputs from running into each other. Reads nothing.

use std::collections::BTreeMap;
use std::io::{self, Write};

use agent_launcher::{Event, EventKind, Gate, NoticeLevel, Outcome, Status};

use super::card::card;
use super::style::{Ink, Style, harmless, one_line, paint};

/// Pictures of the spinner, one a tick.
const SPINNER: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/// Longest line about a tool, in characters.
const TOOL_LINE: usize = 160;

/// Longest line of a notice, which was written for people.
const NOTICE_LINE: usize = 600;

/// Prints events. `out` takes the answer, `err` everything else.
#[derive(Debug)]
pub(super) struct Renderer<O, E> {
    style: Style,
    out: O,
    err: E,
    /// Whether the answer so far ends in the middle of a line.
    open_line: bool,
    /// Whether the spinner stands on stderr.
    spinning: bool,
    ticks: usize,
    /// What the agent is about, for the spinner.
    doing: String,
    tools: BTreeMap<String, String>,
    /// How many uses of tools were refused; each was told when it was.
    refused: u32,
    /// The line about a server that failed, and the server: a warning that says more may follow at once.
    held: Option<(String, String)>,
}

impl<O: Write, E: Write> Renderer<O, E> {
    pub(super) fn new(style: Style, out: O, err: E) -> Renderer<O, E> {
        let doing = "starting".to_owned();
        let tools = BTreeMap::new();
        Renderer { style, out, err, open_line: false, spinning: false, ticks: 0, doing, tools, refused: 0, held: None }
    }

    /// Prints one event. Errors only where stdout cannot be written.
    pub(super) fn event(&mut self, event: &Event) -> io::Result<()> {
        self.unspin();
        if let Some((server, line)) = self.held.take() {
            let says_more = matches!(&event.kind, EventKind::Notice { level: NoticeLevel::Warning, message }
                if message.contains(&server));
            if !says_more {
                self.note(Ink::Yellow, &line)?;
            }
        }
        match &event.kind {
            EventKind::Init { agent, agent_version, model, mode, .. } => {
                let mut words = vec![agent.to_string()];
                words.extend(agent_version.clone());
                words.extend(model.clone());
                words.push(mode.as_str().replace('_', " "));
                self.doing = "waiting for the answer".into();
                self.note(Ink::Dim, &words.join(" · "))
            }
            EventKind::TextDelta { text } => {
                self.doing = "writing".into();
                self.answer(text)
            }
            EventKind::TextRetracted { .. } => {
                self.note(Ink::Yellow, "the connection broke: disregard the last part of the answer, it starts again")
            }
            EventKind::ThinkingDelta { .. } => {
                self.doing = "thinking".into();
                Ok(())
            }
            EventKind::ToolStart { tool_name, tool_id, input } => {
                self.tools.insert(tool_id.clone(), tool_name.clone());
                self.doing = format!("using {}", one_line(tool_name, 40));
                let input = input.as_deref().unwrap_or_default();
                self.note(Ink::Dim, &format!("→ {tool_name} {input}"))
            }
            EventKind::ToolDone { tool_id, ok, output, denied } => {
                let name = self.tools.remove(tool_id).unwrap_or_else(|| tool_id.clone());
                let output = output.as_deref().unwrap_or_default();
                self.doing = "waiting for the answer".into();
                self.refused += u32::from(*denied);
                match (ok, denied) {
                    (_, true) => self.note(Ink::Yellow, &format!("✗ {name} was refused: {output}")),
                    (false, false) => self.note(Ink::Yellow, &format!("✗ {name} failed: {output}")),
                    (true, false) => self.note(Ink::Dim, &format!("✓ {name}")),
                }
            }
            EventKind::McpStatus { server, status, detail } => {
                let detail = detail.as_deref().map(|detail| format!(": {detail}")).unwrap_or_default();
                let line = format!("MCP server {server} {status}{detail}");
                if status == "failed" {
                    self.held = Some((server.clone(), line));
                    return Ok(());
                }
                self.note(Ink::Dim, &line)
            }
            // The sum of what was told one by one; the last line has the number.
            EventKind::Notice { message, .. } if self.refused > 0 && is_sum(message, self.refused) => Ok(()),
            EventKind::Notice { level, message } => match level {
                NoticeLevel::Warning => self.line(Ink::Yellow, &format!("warning: {message}"), NOTICE_LINE),
                _ => self.line(Ink::Dim, &format!("note: {message}"), NOTICE_LINE),
            },
            EventKind::Unrecognized { line } => self.note(Ink::Dim, &format!("? {line}")),
            EventKind::Error { guidance, .. } => {
                self.close_line()?;
                let card = card(guidance, self.style.err_color);
                self.say(&format!("\n{card}"));
                Ok(())
            }
            EventKind::Done { outcome } => {
                self.close_line()?;
                // A workflow's answer is its result.
                if let Some(result) = outcome.workflow.as_ref().and_then(|workflow| workflow.result.as_ref()) {
                    self.answer(&format!("{result:#}\n"))?;
                }
                self.note(Ink::Dim, &summary(outcome))
            }
            // Usage is told with `Done`; kinds of a later library have no place in a text for people.
            _ => Ok(()),
        }
    }

    /// Moves the spinner on, where one may be shown and no line of the answer is open.
    pub(super) fn tick(&mut self, seconds: u64) {
        if !self.style.spinner || self.open_line {
            return;
        }
        self.ticks += 1;
        let picture = SPINNER[self.ticks % SPINNER.len()];
        let line = paint(self.style.err_color, Ink::Dim, &format!("{picture} {} {seconds} s", self.doing));
        self.say(&format!("\r\u{1b}[K{line}"));
        self.spinning = true;
    }

    /// Takes the spinner away.
    pub(super) fn unspin(&mut self) {
        if std::mem::take(&mut self.spinning) {
            self.say("\r\u{1b}[K");
        }
    }

    /// A line on stderr, cut to what a tool may say.
    pub(super) fn note(&mut self, ink: Ink, text: &str) -> io::Result<()> {
        self.line(ink, text, TOOL_LINE)
    }

    fn line(&mut self, ink: Ink, text: &str, longest: usize) -> io::Result<()> {
        if self.style.one_place {
            self.close_line()?;
        }
        let line = paint(self.style.err_color, ink, &one_line(text, longest));
        self.say(&format!("{line}\n"));
        Ok(())
    }

    fn answer(&mut self, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let shown = if self.style.out_terminal { harmless(text) } else { text.to_owned() };
        self.open_line = !text.ends_with('\n');
        self.out.write_all(shown.as_bytes())?;
        self.out.flush()
    }

    fn close_line(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.open_line) {
            self.out.write_all(b"\n")?;
            self.out.flush()?;
        }
        Ok(())
    }

    fn say(&mut self, text: &str) {
        // Words for people that nobody can read any more are no reason to end the run.
        let _ = self.err.write_all(text.as_bytes()).and_then(|()| self.err.flush());
    }
}

/// Whether a notice is the one that sums up how many uses of tools were refused.
fn is_sum(message: &str, refused: u32) -> bool {
    let words = if refused == 1 { "1 action was refused" } else { &format!("{refused} actions were refused") };
    message.starts_with(words)
}

/// A verdict for people.
fn word_of(gate: Gate) -> &'static str {
    match gate {
        Gate::Ok => "ok",
        Gate::Findings => "findings",
        Gate::Incomplete => "incomplete",
        Gate::UsageError => "the workflow could not do what it was asked",
        Gate::Failed => "failed",
    }
}

/// The end of a run in one line.
fn summary(outcome: &Outcome) -> String {
    let word = match outcome.status {
        Status::Completed => "completed",
        Status::Failed => "failed",
        Status::Cancelled => "cancelled",
        Status::TimedOut => "timed out",
    };
    let mut parts =
        vec![format!("{word} in {:.1} s", std::time::Duration::from_millis(outcome.elapsed_ms).as_secs_f64())];
    if let Some(workflow) = &outcome.workflow {
        parts.push(format!("verdict: {}", word_of(workflow.gate)));
    }
    if let Some(usage) = &outcome.usage {
        parts.extend(usage.input_tokens.map(|n| format!("{n} tokens in")));
        parts.extend(usage.output_tokens.map(|n| format!("{n} tokens out")));
        parts.extend(usage.cost_usd.map(|cost| format!("${cost:.4}")));
    }
    match outcome.denied_tools {
        0 => {}
        1 => parts.push("1 action refused".into()),
        n => parts.push(format!("{n} actions refused")),
    }
    parts.extend(outcome.session_id.as_ref().map(|id| format!("session {id}")));
    parts.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(style: Style, events: &[serde_json::Value]) -> (String, String) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut renderer = Renderer::new(style, &mut out, &mut err);
        for (seq, event) in events.iter().enumerate() {
            let mut event = event.clone();
            event["stream_id"] = "s".into();
            event["seq"] = seq.into();
            renderer.event(&serde_json::from_value(event).unwrap()).unwrap();
        }
        (String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
    }

    fn sample() -> Vec<serde_json::Value> {
        use serde_json::json;
        vec![
            json!({"kind": "Init", "agent": "copilot", "session_id": null, "agent_version": "1.0.102", "mode": "safe"}),
            json!({"kind": "McpStatus", "server": "tolaria", "status": "failed", "detail": "no such file"}),
            json!({"kind": "TextDelta", "text": "Hello "}),
            json!({"kind": "ToolStart", "tool_name": "edit", "tool_id": "1", "input": "{\"path\":\n\"a.md\"}"}),
            json!({"kind": "ToolDone", "tool_id": "1", "ok": true}),
            json!({"kind": "ToolStart", "tool_name": "bash", "tool_id": "2"}),
            json!({"kind": "ToolDone", "tool_id": "2", "ok": false, "denied": true, "output": "not allowed"}),
            json!({"kind": "TextDelta", "text": "wor\u{1b}[2Jld"}),
            json!({"kind": "TextRetracted", "text": "ld"}),
            json!({"kind": "Notice", "level": "warning", "message": "something"}),
            json!({"kind": "Unrecognized", "line": "{\"type\":\"x\"}"}),
            json!({"kind": "Error", "message": "m", "guidance": {"code": "unknown", "title": "It stopped",
                "message": "No idea.", "steps": [{"kind": "retry"}], "evidence": [], "key": "k", "params": {}}}),
            json!({"kind": "Done", "outcome": {"status": "failed", "denied_tools": 1, "elapsed_ms": 1250,
                "stderr_tail": "", "session_id": "abc", "usage": {"input_tokens": 12, "output_tokens": 3}}}),
        ]
    }

    const NOTES: &str = "copilot · 1.0.102 · safe\n\
        MCP server tolaria failed: no such file\n\
        → edit {\"path\": \"a.md\"}\n\
        ✓ edit\n\
        → bash\n\
        ✗ bash was refused: not allowed\n\
        the connection broke: disregard the last part of the answer, it starts again\n\
        warning: something\n\
        ? {\"type\":\"x\"}\n\
        \n\
        It stopped\n  No idea.\n  1. Try again\n\
        failed in 1.2 s · 12 tokens in · 3 tokens out · 1 action refused · session abc\n";

    #[test]
    fn into_a_pipe_the_answer_is_the_agents_bytes_and_nothing_else() {
        let (out, err) = render(Style::default(), &sample());
        assert_eq!(out, "Hello wor\u{1b}[2Jld\n");
        assert_eq!(err, NOTES);
    }

    #[test]
    fn on_a_terminal_notes_start_on_a_line_of_their_own_and_escapes_are_kept_out() {
        let style = Style { out_terminal: true, one_place: true, ..Style::default() };
        let (out, err) = render(style, &sample());
        assert_eq!(out, "Hello \nwor[2Jld\n");
        assert_eq!(err, NOTES);
    }

    #[test]
    fn into_one_pipe_notes_start_on_a_line_of_their_own_and_the_answer_keeps_its_bytes() {
        let style = Style { one_place: true, ..Style::default() };
        let (out, err) = render(style, &sample());
        assert_eq!(out, "Hello \nwor\u{1b}[2Jld\n");
        assert_eq!(err, NOTES);
    }

    #[test]
    fn what_failed_or_was_refused_is_told_once() {
        use serde_json::json;
        let warning = "Copilot could not start or reach the MCP server tolaria, so its tools are missing.";
        let refused =
            |id: &str| json!({"kind": "ToolDone", "tool_id": id, "ok": false, "denied": true, "output": "no"});
        let (_, err) = render(
            Style::default(),
            &[
                json!({"kind": "McpStatus", "server": "tolaria", "status": "failed", "detail": "no such file"}),
                json!({"kind": "Notice", "level": "warning", "message": warning}),
                json!({"kind": "McpStatus", "server": "other", "status": "failed"}),
                refused("a"),
                refused("b"),
                json!({"kind": "Notice", "level": "info", "message": "2 actions were refused; first: no."}),
                json!({"kind": "Notice", "level": "info", "message": "2 notes were changed."}),
                json!({"kind": "Done", "outcome": {"status": "completed", "denied_tools": 2, "elapsed_ms": 100,
                    "stderr_tail": ""}}),
            ],
        );
        let lines = [
            &format!("warning: {warning}"),
            "MCP server other failed",
            "✗ a was refused: no",
            "✗ b was refused: no",
            "note: 2 notes were changed.",
            "completed in 0.1 s · 2 actions refused",
        ];
        assert_eq!(err.lines().collect::<Vec<_>>(), lines);
    }

    #[test]
    fn colours_appear_only_where_they_are_on() {
        let style = Style { err_color: true, ..Style::default() };
        let (_, err) = render(style, &sample()[..1]);
        assert_eq!(err, "\u{1b}[2mcopilot · 1.0.102 · safe\u{1b}[0m\n");
    }

    #[test]
    fn the_spinner_leaves_no_trace_and_never_breaks_a_line() {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut renderer = Renderer::new(Style { spinner: true, ..Style::default() }, &mut out, &mut err);
        renderer.tick(3);
        renderer.unspin();
        renderer.unspin();
        renderer.answer("half a line").unwrap();
        renderer.tick(4);
        assert_eq!(String::from_utf8(err).unwrap(), "\r\u{1b}[K⠙ starting 3 s\r\u{1b}[K");
    }
}
