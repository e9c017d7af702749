//! A toy: the smallest adapter that keeps to the contract, for who adds an agent (`docs/ADAPTERS.md`). In tests alone.
//!
//! It plays a program `toy` that reads its prompt from stdin and tells one JSON object a line: `{"say":TEXT}`,
//! `{"tool":NAME,"file":PATH}` for a tool that ran, `{"failed":TEXT}`, and `{"end":CODE}` last.

mod permissions;
mod rules;
mod sources;
#[cfg(test)]
mod tests;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::environment::Table;
use super::{Adapter, Answer, Context, Decoder, Floor, Report, Spec, StopSignal, boundary, version};
use crate::error::Error;
use crate::event::EventKind;
use crate::guidance::{self, AgentError};
use crate::plan::{Arg, Plan, PrivateFile, Stdin};
use crate::request::{AgentId, Mode, Request};

/// The adapter.
#[derive(Debug)]
pub(crate) struct Toy;

static SPEC: Spec = Spec {
    id: AgentId::from_static("toy"),
    name: "Toy",
    programs: &["toy"],
    npm_package: None,
    npm_native: None,
    home_dirs: &[".local/bin"],
    version_args: &["--version"],
    version_env: &[],
    identity: r"(?m)^toy (\d+\.\d+\.\d+)$",
    install_prompts: &[],
    install_command: "sh install-toy",
    install_url: "https://example.org/toy",
    update_command: "toy update",
    login_command: "toy login",
    auth_variables: &["TOY_KEY"],
    floor: Floor { safe: "1.1.0", power_user: "1.0.0" },
    tested: "1.2.3",
    answer: Answer::Pieces,
    stop_signal: StopSignal::Term,
    permissions: permissions::PERMISSIONS,
    sources: sources::SOURCES,
    texts: &[],
    rules: &[rules::RULES],
};

/// The tools of Safe mode.
const SAFE: &[&str] = &["read", "edit"];

static ENVIRONMENT: Table = Table { safe: &["TOY_KEY"], stripped: &[], set: &[], secret: &["TOY_KEY"] };

impl Adapter for Toy {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn plan(&self, request: &Request, context: &Context<'_>) -> Result<Plan, Error> {
        let unsupported = |what: &str| Error::Unsupported { agent: SPEC.id.clone(), what: what.into() };
        if request.resume.is_some() {
            return Err(unsupported("continue a session: it keeps none"));
        }
        if let Some(arg) = request.extra_args.first() {
            let reason = "it is not known to leave the mode as it is".into();
            return Err(Error::Forbidden { argument: arg.clone(), reason });
        }
        let (safe, found) = (request.mode == Mode::Safe, context.binary.version.as_str());
        let floor = if safe { SPEC.floor.safe } else { SPEC.floor.power_user };
        if !version::is_at_least(found, floor) {
            let guidance = guidance::version_unsupported(&SPEC, context.app, &context.binary.found, found, floor);
            return Err(Error::Setup(Box::new(guidance)));
        }
        let tools = if safe { SAFE.join(",") } else { "all".into() };
        let mut args = vec![Arg::Text("--jsonl".into()), Arg::Text(format!("--tools={tools}"))];
        args.extend(request.model.iter().map(|model| Arg::Text(format!("--model={model}"))));
        let mut files = Vec::new();
        if !request.mcp_servers.is_empty() {
            // In a file of the run: the variables may be secrets.
            args.push(Arg::File { prefix: "--servers=".into(), file: 0 });
            let bytes = servers(request, context).to_string().into_bytes();
            files.push(PrivateFile { purpose: "servers".into(), name: "servers.json".into(), bytes });
        }
        let system = request.system_prompt.as_ref().map(|system| format!("{system}\n\n"));
        let prompt = format!("{}{}", system.unwrap_or_default(), request.prompt);
        Ok(Plan {
            args,
            files,
            stdin: Stdin::Bytes(prompt.into_bytes()),
            env: ENVIRONMENT.changes(request, context)?.asked(request),
            allowed_tools: safe.then(|| SAFE.iter().map(|tool| (*tool).to_owned()).collect()),
            ..Plan::new(&SPEC, request, context)
        })
    }

    fn decoder(&self, plan: &Plan) -> Box<dyn Decoder> {
        let report = Report { has_final_event: true, ..Report::default() };
        Box::new(Lines { report, tools: plan.allowed_tools.clone(), folders: plan.allowed_folders.clone(), calls: 0 })
    }
}

fn servers(request: &Request, context: &Context<'_>) -> Value {
    let servers = request.mcp_servers.iter().zip(context.mcp_commands).map(|(server, command)| {
        let env: Map<_, _> = server.env.iter().map(|(name, value)| (name.clone(), value.expose().into())).collect();
        (server.name.clone(), json!({ "command": command, "args": server.args, "env": env }))
    });
    Value::Object(servers.collect())
}

struct Lines {
    report: Report,
    tools: Option<Vec<String>>,
    folders: Vec<std::path::PathBuf>,
    calls: u32,
}

/// One line. What is not known of it is let alone.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Line {
    say: Option<String>,
    tool: Option<String>,
    file: String,
    failed: Option<String>,
    end: Option<i32>,
}

impl Decoder for Lines {
    fn line(&mut self, line: &[u8], events: &mut Vec<EventKind>) {
        let unknown = || EventKind::Unrecognized { line: String::from_utf8_lossy(line).into_owned() };
        match serde_json::from_slice(line) {
            Ok(Line { say: Some(text), .. }) => {
                self.report.answered = true;
                events.push(EventKind::TextDelta { text });
            }
            Ok(Line { tool: Some(tool), file, .. }) => self.tool(tool, &file, events),
            Ok(Line { failed: Some(message), .. }) => {
                self.report.errors.push(AgentError { message, ..AgentError::default() });
            }
            Ok(Line { end: Some(code), .. }) => {
                self.report.finished = true;
                self.report.told_exit_code = Some(code);
            }
            _ => events.push(unknown()),
        }
    }

    fn end(&mut self, _events: &mut Vec<EventKind>) {}

    fn report(&self) -> &Report {
        &self.report
    }
}

impl Lines {
    /// A tool that ran. One that the mode does not give trips the wire.
    fn tool(&mut self, tool_name: String, file: &str, events: &mut Vec<EventKind>) {
        let outside = self.tools.as_ref().is_some_and(|tools| !tools.contains(&tool_name));
        let breach = boundary::breach(&self.folders, file.as_ref(), tool_name == "edit");
        let breach = outside.then(|| format!("the tool `{tool_name}` ran")).or(breach);
        self.report.bypassed = self.report.bypassed.take().or(breach);
        self.calls += 1;
        let tool_id = self.calls.to_string();
        events.push(EventKind::ToolStart { tool_name, tool_id: tool_id.clone(), input: Some(file.to_owned()) });
        events.push(EventKind::ToolDone { tool_id, ok: true, output: None, denied: false });
    }
}
