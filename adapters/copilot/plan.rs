//! The exact Copilot command for a request.

use crate::adapters::Context;
use crate::error::Error;
use crate::plan::{Arg, OutputFormat, Plan, Stdin};
use crate::request::Request;

pub(super) fn plan(request: &Request, context: &Context<'_>) -> Result<Plan, Error> {
    let mut args: Vec<Arg> = Vec::new();
    let mut text = |arg: &str| args.push(Arg::Text(arg.to_owned()));
    text("-p");
    text(&request.prompt);
    text("-s");
    text("--no-ask-user");
    text("--output-format=json");
    text("--stream=on");
    text(&format!("--session-id={}", request.session_id));
    Ok(Plan {
        stream_id: request.stream_id.clone(),
        agent: request.agent.clone(),
        agent_version: Some(context.binary.version.clone()),
        mode: request.mode,
        model: request.model.clone(),
        session_id: Some(request.session_id.clone()),
        program: context.binary.program.clone(),
        args,
        cwd: request.vault.clone(),
        stdin: Stdin::Null,
        env: Default::default(),
        files: Vec::new(),
        notices: Vec::new(),
        output: OutputFormat::Json,
        mcp_servers: Vec::new(),
        allowed_tools: None,
        timeout: request.timeout,
        idle_timeout: request.idle_timeout,
        ticket: Default::default(),
    })
}
