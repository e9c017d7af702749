//! Turns an agent's output into what the reader is told. No I/O, and no waiting but for the look at the vault in the end.
//!
//! Owns the promises about content: `Init` first and once, `Done` last and once, an `Error` only on a run that failed.

use std::path::PathBuf;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::outcome::{Ending, Stop, decide};
use super::tail::last;
use crate::adapters::{Adapter, Decoder, Report};
use crate::event::{EventKind, NoticeLevel, Outcome, Status};
use crate::guidance::{self, Cause, Code, EarlyWarning, Failure, classify};
use crate::lines::{LineSplitter, Piece};
use crate::process::Exit;
use crate::redact::redact;
use crate::request::{AgentId, Mode};
use crate::watch::Watch;

/// How much of a line that no decoder knows is told.
const UNRECOGNIZED: usize = 4 * 1024;

/// How much of stderr `Done` carries.
const STDERR_TAIL: usize = 4 * 1024;

/// How much is kept of what the first refused tool said.
const DENIED: usize = 1024;

/// How much of stderr is looked at for early signs of a failure. They come early, and looking costs.
const COMPLAINTS: usize = 64 * 1024;

/// How many early signs are told.
const WARNINGS: usize = 4;

/// What is known of a run before it starts.
pub(crate) struct Facts {
    pub(crate) agent: AgentId,
    pub(crate) adapter: &'static dyn Adapter,
    pub(crate) decoder: Box<dyn Decoder>,
    pub(crate) app: String,
    pub(crate) version: Option<String>,
    pub(crate) program: PathBuf,
    pub(crate) mode: Mode,
    /// The agent's own tools that the mode gives; `None` where it names none.
    pub(crate) tools: Option<Vec<String>>,
    pub(crate) model: Option<String>,
    pub(crate) session_id: Option<String>,
    pub(crate) notices: Vec<String>,
    pub(crate) mcp_servers: Vec<String>,
    pub(crate) vault: PathBuf,
    /// Names of the variables that hold a sign-in and reach the agent.
    pub(crate) auth_variables: Vec<String>,
    /// Names of the proxy and certificate variables that reach the agent.
    pub(crate) network_variables: Vec<String>,
    /// Values that must not be shown.
    pub(crate) secrets: Vec<String>,
    pub(crate) started: Instant,
    /// The vault, where it is watched.
    pub(crate) watch: Option<Watch>,
    /// The longest line that is decoded.
    pub(crate) line: usize,
}

/// Tells a run.
pub(super) struct Teller {
    facts: Facts,
    splitter: LineSplitter,
    decoded: Vec<EventKind>,
    init_told: bool,
    used_tools: bool,
    denied_tools: u32,
    first_denied: Option<String>,
    /// The answer, as long as it is short enough to be an error in disguise.
    answer: Option<String>,
    complaints: Complaints,
    /// What changed in the vault beside notes, in words.
    changed: Option<String>,
}

impl Teller {
    pub(super) fn new(facts: Facts) -> Teller {
        let splitter = LineSplitter::new(facts.line);
        Teller {
            facts,
            splitter,
            decoded: Vec::new(),
            init_told: false,
            used_tools: false,
            denied_tools: 0,
            first_denied: None,
            answer: Some(String::new()),
            complaints: Complaints::new(),
            changed: None,
        }
    }

    /// What can be told before the agent says anything.
    pub(super) fn start(&mut self) -> Vec<EventKind> {
        let mut events = Vec::new();
        if self.facts.session_id.is_some() {
            self.init(&mut events);
        }
        events
    }

    /// Takes bytes of stdout.
    pub(super) fn stdout(&mut self, bytes: &[u8]) -> Vec<EventKind> {
        let mut events = Vec::new();
        let mut splitter = std::mem::replace(&mut self.splitter, LineSplitter::new(0));
        splitter.push(bytes, |piece| self.piece(piece, &mut events));
        self.splitter = splitter;
        events
    }

    /// Takes bytes of stderr: what keeps an agent from answering often stands there long before it gives up.
    pub(super) fn stderr(&mut self, bytes: &[u8]) -> Vec<EventKind> {
        let Facts { adapter, app, secrets, .. } = &self.facts;
        let warnings = self.complaints.push(bytes, |line| guidance::early_warning(adapter.spec(), app, line, secrets));
        self.decoded.extend(warnings.into_iter().map(notice));
        let mut events = Vec::new();
        self.pass_on(&mut events);
        events
    }

    /// Whether the agent said what it cannot get over, and has done nothing else since it began.
    pub(super) fn is_hopeless(&self) -> bool {
        self.complaints.fatal && !self.used_tools && !self.facts.decoder.report().answered
    }

    /// Takes the end of stdout.
    pub(super) fn end(&mut self) -> Vec<EventKind> {
        let mut events = Vec::new();
        let mut splitter = std::mem::replace(&mut self.splitter, LineSplitter::new(0));
        splitter.finish(|piece| self.piece(piece, &mut events));
        self.facts.decoder.end(&mut self.decoded);
        self.pass_on(&mut events);
        events
    }

    /// Looks whether something changed in the vault that other programs obey.
    pub(super) async fn look_again(&mut self, watch: Option<Watch>, hurry: &CancellationToken) {
        let Some(watch) = watch else { return };
        let told = watch.end(self.facts.adapter.spec().name, hurry).await;
        self.changed = told.map(|told| redact(&told, &self.facts.secrets));
    }

    /// Takes what the agent wrote into its result file.
    pub(super) fn result_file(&mut self, bytes: &[u8]) {
        self.facts.decoder.result_file(bytes);
    }

    /// The last events. Told once, by the supervisor. `stderr` is its end, and the part of it that may be a cause.
    pub(super) fn last(
        &mut self,
        cancelled: bool,
        stop: Option<Stop>,
        exit: Exit,
        (stderr, decisive): (&str, &str),
    ) -> Vec<EventKind> {
        let mut events = Vec::new();
        if !self.init_told {
            self.init(&mut events);
        }
        let stderr = redact(stderr, &self.facts.secrets);
        let decisive = redact(decisive, &self.facts.secrets);
        let (report, spec) = (self.facts.decoder.report(), self.facts.adapter.spec());
        let answer_is_error = self.answer.as_deref().is_some_and(|answer| guidance::answer_is_failure(spec, answer));
        let ending = Ending { cancelled, stop, report, exit, used_tools: self.used_tools, answer_is_error };
        let (status, cause) = decide(&ending);
        if status == Status::Completed && self.denied_tools > 0 {
            let (count, first) = (self.denied_tools, self.first_denied.as_deref());
            let denied = guidance::denied(spec, &self.facts.app, count, first, &self.facts.secrets);
            events.push(EventKind::Notice { level: NoticeLevel::Info, message: denied.message });
        }
        events.extend(self.changed.take().map(notice));
        if let Some(cause) = cause {
            let guidance = classify(&self.failure(cause, exit, &decisive));
            let message = guidance.message.clone();
            events.push(EventKind::Error { message, guidance });
        }
        events.push(EventKind::Done {
            outcome: Outcome {
                status,
                exit_code: exit.code,
                signal: exit.signal,
                session_id: report.session_id.clone().or_else(|| self.facts.session_id.clone()),
                usage: report.usage.clone(),
                denied_tools: self.denied_tools,
                elapsed_ms: u64::try_from(self.facts.started.elapsed().as_millis()).unwrap_or(u64::MAX),
                stderr_tail: last(&stderr, STDERR_TAIL).to_owned(),
                workflow: report.workflow.clone(),
            },
        });
        events
    }

    /// When the run began.
    pub(super) fn started(&self) -> Instant {
        self.facts.started
    }

    pub(super) fn report(&self) -> &Report {
        self.facts.decoder.report()
    }

    fn failure<'a>(&'a self, cause: Cause<'a>, exit: Exit, stderr: &'a str) -> Failure<'a> {
        let report = self.facts.decoder.report();
        Failure {
            cause: Some(cause),
            version: self.facts.version.as_deref(),
            program: Some(&self.facts.program),
            exit_code: exit.code,
            signal: exit.signal,
            errors: &report.errors,
            stderr,
            answered: report.answered,
            answer: self.answer.as_deref().unwrap_or_default(),
            denied_tools: self.denied_tools,
            first_denied: self.first_denied.as_deref(),
            vault: Some(&self.facts.vault),
            auth_variables: &self.facts.auth_variables,
            network_variables: &self.facts.network_variables,
            secrets: &self.facts.secrets,
            ..Failure::new(self.facts.adapter.spec(), &self.facts.app)
        }
    }

    fn piece(&mut self, piece: Piece<'_>, events: &mut Vec<EventKind>) {
        match piece {
            Piece::Line(line) => self.facts.decoder.line(line, &mut self.decoded),
            Piece::TooLong => self.decoded.push(notice(format!(
                "A line of {} is longer than {} bytes and was skipped.",
                self.facts.adapter.spec().name,
                self.facts.line
            ))),
        }
        self.pass_on(events);
    }

    /// Passes on what was decoded.
    fn pass_on(&mut self, events: &mut Vec<EventKind>) {
        if !self.init_told && (!self.decoded.is_empty() || self.facts.decoder.report().session_id.is_some()) {
            self.init(events);
        }
        if self.decoded.is_empty() {
            return;
        }
        let mut decoded = std::mem::take(&mut self.decoded);
        for kind in decoded.drain(..) {
            match kind {
                // Not a decoder's to tell.
                EventKind::Init { .. } | EventKind::Error { .. } | EventKind::Done { .. } => {}
                EventKind::Unrecognized { line } => {
                    // Masked before it is cut: half a secret is known by nothing.
                    let line = first(&redact(&line, &self.facts.secrets), UNRECOGNIZED).to_owned();
                    events.push(EventKind::Unrecognized { line });
                }
                EventKind::ToolStart { .. } => {
                    self.used_tools = true;
                    events.push(kind);
                }
                EventKind::ToolDone { denied, ref output, .. } => {
                    if denied {
                        self.denied_tools = self.denied_tools.saturating_add(1);
                        let output = output.as_deref().unwrap_or_default();
                        let why = || first(&redact(output, &self.facts.secrets), DENIED).to_owned();
                        self.first_denied.get_or_insert_with(why);
                    }
                    events.push(kind);
                }
                EventKind::TextDelta { ref text } => {
                    let short = |answer: &String| answer.len() + text.len() <= guidance::ANSWER_LIMIT;
                    self.answer = self.answer.take().filter(short).map(|answer| answer + text);
                    events.push(kind);
                }
                EventKind::TextRetracted { ref text } => {
                    if let Some(rest) = self.answer.as_ref().and_then(|answer| answer.strip_suffix(text.as_str())) {
                        self.answer = Some(rest.to_owned());
                    }
                    events.push(kind);
                }
                EventKind::McpStatus { server, status, detail } => {
                    let detail = detail.map(|detail| redact(&detail, &self.facts.secrets));
                    let failed = status == "failed" && self.facts.mcp_servers.contains(&server);
                    let told = failed.then(|| {
                        let (spec, why) = (self.facts.adapter.spec(), detail.as_deref().unwrap_or_default());
                        guidance::mcp_failed(spec, &self.facts.app, &server, why, &self.facts.secrets).message
                    });
                    events.push(EventKind::McpStatus { server, status, detail });
                    events.extend(told.map(notice));
                }
                kind => events.push(kind),
            }
        }
        self.decoded = decoded;
    }

    fn init(&mut self, events: &mut Vec<EventKind>) {
        self.init_told = true;
        events.push(EventKind::Init {
            agent: self.facts.agent.clone(),
            session_id: self.facts.decoder.report().session_id.clone().or_else(|| self.facts.session_id.clone()),
            agent_version: self.facts.version.clone(),
            model: self.facts.model.clone(),
            mode: self.facts.mode,
            tools: self.facts.tools.take(),
        });
        events.extend(self.facts.notices.drain(..).map(notice));
    }
}

/// The beginning of stderr, line by line, and what was told of it.
struct Complaints {
    splitter: LineSplitter,
    looked_at: usize,
    told: Vec<Code>,
    /// Whether one of them is not got over by waiting.
    fatal: bool,
}

impl Complaints {
    fn new() -> Complaints {
        Complaints { splitter: LineSplitter::new(UNRECOGNIZED), looked_at: 0, told: Vec::new(), fatal: false }
    }

    /// The warnings that these bytes give rise to; one for a cause.
    fn push(&mut self, bytes: &[u8], look: impl Fn(&str) -> Option<EarlyWarning>) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.looked_at >= COMPLAINTS {
            return warnings;
        }
        self.looked_at += bytes.len();
        let (told, fatal) = (&mut self.told, &mut self.fatal);
        self.splitter.push(bytes, |piece| {
            let Piece::Line(line) = piece else { return };
            let warning = look(&String::from_utf8_lossy(line));
            *fatal |= warning.as_ref().is_some_and(|warning| warning.fatal);
            if let Some(warning) = warning.filter(|new| told.len() < WARNINGS && !told.contains(&new.code)) {
                told.push(warning.code);
                warnings.push(warning.message);
            }
        });
        warnings
    }
}

fn notice(message: String) -> EventKind {
    EventKind::Notice { level: NoticeLevel::Warning, message }
}

/// The first `max` bytes of `text`, cut at a character.
fn first(text: &str, max: usize) -> &str {
    let mut end = text.len().min(max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::discover::{Binary, Via};
    use crate::{Arch, HostEnv, Launcher, Os, Request};

    /// A teller of a Copilot run in JSON.
    fn teller(line: usize) -> Teller {
        let host = HostEnv::new(Os::Linux, Arch::X64, None, [("PATH".into(), "/usr/bin".into())]);
        let request =
            Request::new(AgentId::COPILOT, "/vault", "hello").session_id("0f8fad5b-d9cb-469f-a165-70867728950e");
        let binary = Binary {
            program: "/usr/bin/copilot".into(),
            first_args: Vec::new(),
            found: "/usr/bin/copilot".into(),
            via: Via::Path,
            version: "1.0.102".into(),
            search_path: "/usr/bin".into(),
            login_env: Vec::new(),
        };
        let launcher = Launcher::builder().host(host).max_line(line).build();
        let plan = launcher.plan_with(&request, &binary).unwrap();
        let adapter = crate::adapters::find(&AgentId::COPILOT).unwrap();
        Teller::new(launcher.facts(&plan, adapter))
    }

    /// All that is told of `bytes` on stdout, cut at `cuts`.
    fn told(bytes: &[u8], cuts: &[usize]) -> Vec<EventKind> {
        let mut teller = teller(512);
        let mut events = teller.start();
        let mut rest = bytes;
        for cut in cuts {
            let (chunk, tail) = rest.split_at(cut % (rest.len() + 1));
            events.extend(teller.stdout(chunk));
            rest = tail;
        }
        events.extend(teller.stdout(rest));
        events.extend(teller.end());
        events.extend(teller.last(false, None, Exit { code: Some(0), signal: None }, ("", "")));
        if let Some(EventKind::Done { outcome }) = events.last_mut() {
            outcome.elapsed_ms = 0;
        }
        events
    }

    /// Bytes as an agent might print them: events that are whole, broken or too long, noise, and bytes of no meaning.
    fn output() -> impl Strategy<Value = Vec<u8>> {
        let delta = |text: &str| {
            format!(r#"{{"type":"assistant.message_delta","data":{{"messageId":"m","deltaContent":"{text}"}}}}"#)
        };
        let line = prop_oneof![
            "[a-z \u{ac00}-\u{ac10}]{0,12}".prop_map(move |text| delta(&text)),
            Just(
                r#"{"type":"tool.execution_start","data":{"toolCallId":"t","toolName":"view","arguments":{}}}"#
                    .to_owned()
            ),
            Just(r#"{"type":"tool.execution_complete","data":{"toolCallId":"t","success":true}}"#.to_owned()),
            Just(r#"{"type":"result","sessionId":"s","exitCode":0}"#.to_owned()),
            Just("x".repeat(600)),
            Just("{\"type\":".to_owned()),
            "\\PC{0,20}",
        ];
        let bytes = prop_oneof![line.prop_map(String::into_bytes), proptest::collection::vec(any::<u8>(), 0..8)];
        let end = prop_oneof![Just(&b"\n"[..]), Just(&b"\r\n"[..]), Just(&b""[..])];
        proptest::collection::vec((bytes, end), 0..12)
            .prop_map(|lines| lines.into_iter().flat_map(|(line, end)| [line, end.to_vec()].concat()).collect())
    }

    proptest! {
        #[test]
        fn any_bytes_cut_anywhere_give_the_same_events(
            bytes in output(),
            cuts in proptest::collection::vec(0usize..64, 0..40),
        ) {
            let whole = told(&bytes, &[]);
            let init = |kind: &EventKind| matches!(kind, EventKind::Init { .. });
            prop_assert!(init(&whole[0]) && whole.iter().filter(|kind| init(kind)).count() == 1);
            prop_assert_eq!(told(&bytes, &cuts), whole);
        }
    }
}
