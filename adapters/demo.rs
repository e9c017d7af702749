//! The demo agent: the command `agent-launcher` under another name, so that a run works on a machine with no agent.
//!
//! It is in no list of agents, and is found only where the host says which program plays it. Its output is this
//! crate's own events, one a line, so its decoder lets the few kinds that an agent may tell pass through.

use serde::Deserialize;

use super::{Adapter, Answer, Context, Decoder, Floor, Report, Spec, StopSignal};
use crate::error::Error;
use crate::event::{EventKind, Usage};
use crate::plan::{Arg, EnvChange, Plan};
use crate::request::{AgentId, Request};

/// The adapter.
#[derive(Debug)]
pub(crate) struct Demo;

static SPEC: Spec = Spec {
    id: AgentId::DEMO,
    name: "Demo agent",
    programs: &["agent-launcher"],
    npm_package: None,
    npm_native: None,
    home_dirs: &[],
    version_args: &["demo-agent", "--version"],
    version_env: &[],
    identity: r"(?m)^agent-launcher demo (\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)$",
    install_prompts: &[],
    install_command: "cargo install agent-launcher",
    install_url: "https://docs.rs/agent-launcher",
    update_command: "cargo install agent-launcher",
    login_command: "agent-launcher ask --agent demo",
    auth_variables: &[],
    floor: Floor { safe: "0.1.0", power_user: "0.1.0" },
    tested: env!("CARGO_PKG_VERSION"),
    answer: Answer::Pieces,
    stop_signal: StopSignal::Term,
    permissions: &[],
    sources: &[],
    texts: &[],
    rules: &[],
};

impl Adapter for Demo {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn plan(&self, request: &Request, context: &Context<'_>) -> Result<Plan, Error> {
        let unsupported = |what: &str| Error::Unsupported { agent: AgentId::DEMO, what: what.into() };
        // An option that the script cannot honour is refused, as with every agent.
        if !request.mcp_servers.is_empty() {
            return Err(unsupported("use MCP servers: it is a script"));
        }
        if request.model.is_some() {
            return Err(unsupported("choose a model: it is a script"));
        }
        if request.resume.is_some() {
            return Err(unsupported("continue a session: it keeps none"));
        }
        if request.system_prompt.is_some() {
            return Err(unsupported("follow a system prompt: it is a script"));
        }
        if request.private_prompt {
            return Err(unsupported("take the prompt in private"));
        }
        if !request.extra_args.is_empty() {
            return Err(unsupported("take extra arguments"));
        }
        let first = context.binary.first_args.iter().map(|arg| Arg::Text(arg.to_string_lossy().into_owned()));
        let own = [
            "demo-agent".to_owned(),
            format!("--mode={}", request.mode.as_str()),
            format!("--session={}", request.session_id),
            format!("--prompt={}", request.prompt),
        ];
        let set = request.env.iter().map(|(name, value)| (name.clone(), EnvChange::Set(value.clone())));
        let removed = request.env_remove.iter().map(|name| (name.clone(), EnvChange::Remove));
        Ok(Plan {
            model: None,
            session_id: Some(request.session_id.clone()),
            args: first.chain(own.map(Arg::Text)).collect(),
            env: set.chain(removed).collect(),
            allowed_folders: Vec::new(),
            leftovers: Vec::new(),
            ..Plan::new(&SPEC, request, context)
        })
    }

    fn decoder(&self, _plan: &Plan) -> Box<dyn Decoder> {
        Box::new(Lines { report: Report { has_final_event: true, ..Report::default() } })
    }
}

struct Lines {
    report: Report,
}

/// The last line.
#[derive(Deserialize)]
struct Last {
    finish: Finish,
}

#[derive(Deserialize)]
struct Finish {
    exit_code: i32,
    session_id: String,
    output_tokens: u64,
}

impl Decoder for Lines {
    fn line(&mut self, line: &[u8], events: &mut Vec<EventKind>) {
        if let Ok(Last { finish }) = serde_json::from_slice(line) {
            let usage = Usage { output_tokens: Some(finish.output_tokens), ..Usage::default() };
            self.report.finished = true;
            self.report.told_exit_code = Some(finish.exit_code);
            self.report.session_id = Some(finish.session_id);
            self.report.usage = Some(usage.clone());
            events.push(EventKind::Usage(usage));
            return;
        }
        match serde_json::from_slice(line) {
            Ok(event @ EventKind::TextDelta { .. }) => {
                self.report.answered = true;
                events.push(event);
            }
            Ok(event @ (EventKind::ToolStart { .. } | EventKind::ToolDone { .. } | EventKind::Notice { .. })) => {
                events.push(event);
            }
            _ => events.push(EventKind::Unrecognized { line: String::from_utf8_lossy(line).into_owned() }),
        }
    }

    fn end(&mut self, _events: &mut Vec<EventKind>) {}

    fn report(&self) -> &Report {
        &self.report
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(lines: &[&str]) -> (Vec<EventKind>, Report) {
        let mut decoder = Lines { report: Report { has_final_event: true, ..Report::default() } };
        let mut events = Vec::new();
        for line in lines {
            decoder.line(line.as_bytes(), &mut events);
        }
        decoder.end(&mut events);
        (events, decoder.report.clone())
    }

    #[test]
    fn an_agent_cannot_tell_what_only_the_launcher_tells() {
        let done =
            r#"{"kind":"Done","outcome":{"status":"completed","denied_tools":0,"elapsed_ms":1,"stderr_tail":""}}"#;
        let (events, report) = decode(&[done, "rubbish"]);
        let expected = [done, "rubbish"].map(|line| EventKind::Unrecognized { line: line.into() });
        assert_eq!((events, report.finished), (expected.to_vec(), false));
    }

    #[test]
    fn the_last_line_carries_session_and_usage() {
        let (events, report) = decode(&[
            r#"{"kind":"TextDelta","text":"Hi"}"#,
            r#"{"finish":{"exit_code":0,"session_id":"s","output_tokens":1}}"#,
        ]);
        let usage = Usage { output_tokens: Some(1), ..Usage::default() };
        assert_eq!(events, [EventKind::TextDelta { text: "Hi".into() }, EventKind::Usage(usage.clone())]);
        let expected = Report {
            finished: true,
            has_final_event: true,
            told_exit_code: Some(0),
            session_id: Some("s".into()),
            usage: Some(usage),
            answered: true,
            ..Report::default()
        };
        assert_eq!(report, expected);
    }
}
