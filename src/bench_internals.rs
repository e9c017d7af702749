//! A door for `benches/` to what is private. Holds no logic of its own; may change at any time.

use crate::adapters::{self, Decoder};
use crate::event::EventKind;
use crate::lines::{LineSplitter, Piece};
use crate::plan::{OutputFormat, Plan, Stdin};
use crate::request::{AgentId, Mode};

/// Copilot's JSON stream from bytes to events, as a run does it.
#[expect(missing_debug_implementations, reason = "a decoder is not printed")]
pub struct CopilotJson {
    decoder: Box<dyn Decoder>,
    lines: LineSplitter,
    events: Vec<EventKind>,
}

impl CopilotJson {
    /// A new stream of Copilot 1.0.102 in Safe mode.
    pub fn new() -> CopilotJson {
        let adapter = adapters::find(&AgentId::COPILOT).expect("Copilot is an agent of this crate");
        let plan = Plan {
            stream_id: "bench".into(),
            agent: AgentId::COPILOT,
            agent_version: Some("1.0.102".into()),
            mode: Mode::Safe,
            model: None,
            session_id: None,
            program: "/usr/bin/copilot".into(),
            args: Vec::new(),
            cwd: "/vault".into(),
            scratch: None,
            stdin: Stdin::Null,
            env: Default::default(),
            files: Vec::new(),
            result_file: None,
            notices: Vec::new(),
            output: OutputFormat::Json,
            mcp_servers: vec!["tolaria".into()],
            allowed_tools: None,
            allowed_folders: Vec::new(),
            watched: &[],
            leftovers: Vec::new(),
            timeout: None,
            idle_timeout: None,
            ticket: Default::default(),
        };
        CopilotJson { decoder: adapter.decoder(&plan), lines: LineSplitter::new(8 << 20), events: Vec::new() }
    }

    /// Takes the next bytes; the events they complete, to be taken before the next call.
    pub fn push(&mut self, bytes: &[u8]) -> &[EventKind] {
        let (decoder, events) = (&mut self.decoder, &mut self.events);
        events.clear();
        self.lines.push(bytes, |piece| {
            if let Piece::Line(line) = piece {
                decoder.line(line, events);
            }
        });
        events
    }
}

impl Default for CopilotJson {
    fn default() -> CopilotJson {
        CopilotJson::new()
    }
}
