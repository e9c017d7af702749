//! `workflow run`: runs a workflow of an agent and says how it ended. The verdict is the workflow's, never an exit code.

use std::path::PathBuf;
use std::time::Duration;

use agent_launcher::{AgentId, Gate, HostEnv, Outcome, WorkflowRequest};
use clap::{Args, Subcommand};

use super::ask;
use super::exit::Exit;
use super::output::Refusal;
use super::request::{ModeArg, seconds, text_or_file, variable_of};
use super::style::Style;
use super::{HostArgs, signals::Interrupts};

/// Flags of `workflow`.
#[derive(Debug, Args)]
pub(super) struct WorkflowArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Runs a workflow. Exits with 0 only where the workflow completed and its result says `ok`.
    #[command(after_help = HELP)]
    Run(Box<RunArgs>),
}

/// The exit codes of a workflow, as `--help` tells them.
const HELP: &str = "\
Exit codes:
  0    the workflow completed and its result says ok
  1    the result says findings or incomplete, or there is none
  2    wrong usage, or the result says usage-error
  3    setup needed: something on this machine or account must change, the guidance says what
  124  timed out
  130  cancelled";

/// Flags of `workflow run`.
#[derive(Debug, Args)]
struct RunArgs {
    /// The agent.
    #[arg(long, value_name = "ID", default_value = "copilot")]
    agent: String,
    /// The folder to work in, as an absolute path.
    #[arg(long, value_name = "DIR")]
    vault: PathBuf,
    /// The workflow's arguments as JSON, or `@` and a file that holds them.
    #[arg(long, value_name = "JSON|@FILE")]
    args: Option<String>,
    /// A plugin that brings the workflow or tools for it, as an absolute path. May be repeated.
    #[arg(long, value_name = "DIR")]
    plugin_dir: Vec<PathBuf>,
    /// How much the workflow's sub-agents may do. A workflow's own rules may give less than the mode.
    #[arg(long, value_enum, default_value_t = ModeArg::Safe)]
    mode: ModeArg,
    /// The model, by the agent's own name for it.
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// The name of the run in its events. Default: a fresh UUID.
    #[arg(long, value_name = "ID")]
    stream_id: Option<String>,
    /// Stops the run after this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
    /// Stops the run after this many seconds without a byte from the agent.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    idle_timeout: Option<Duration>,
    /// A variable for the agent: `NAME=VALUE`, or `NAME` to hand on the value it has here. May be repeated. Values are
    /// treated as secrets.
    #[arg(long, value_name = "NAME[=VALUE]")]
    env: Vec<String>,
    /// The agent's program, in place of the search for it.
    #[arg(long, value_name = "PATH")]
    program: Option<PathBuf>,
    /// Prints one event a line, as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    host: HostArgs,
    /// The workflow's name.
    #[arg(value_name = "NAME")]
    name: String,
}

pub(super) async fn run(args: &WorkflowArgs, host: &HostEnv, style: &Style) -> Exit {
    let Action::Run(args) = &args.action;
    match start(args, host, style).await {
        Ok(exit) => exit,
        Err(refusal) => refusal.report(args.json, style),
    }
}

async fn start(args: &RunArgs, host: &HostEnv, style: &Style) -> Result<Exit, Refusal> {
    let request = request(args, host)?;
    let mut interrupts = Interrupts::listen()
        .map_err(|error| Refusal::new(Exit::Failed, format!("signals cannot be caught: {error}")))?;
    let program = args.program.as_deref().map(|path| (AgentId::new(&args.agent), path));
    let launcher = args.host.launcher(host, program)?;
    let plan = tokio::select! {
        plan = launcher.plan_workflow(&request) => plan.map_err(|error| Refusal::of(error, &launcher))?,
        () = interrupts.next() => return Ok(Exit::Cancelled),
    };
    ask::stream(launcher.start(plan)?, &launcher, interrupts, args.json, style).await
}

fn request(args: &RunArgs, host: &HostEnv) -> Result<WorkflowRequest, Refusal> {
    let request = WorkflowRequest::new(AgentId::new(&args.agent), &args.vault, &args.name).mode(args.mode.mode());
    let mut request = args.plugin_dir.iter().fold(request, WorkflowRequest::plugin_dir);
    if let Some(text) = &args.args {
        let text = text_or_file("--args", text)?;
        let value = serde_json::from_str(&text).map_err(|error| {
            Refusal::usage(format!("--args is not JSON: {error}")).hint("--args '{\"files\":[\"a\"]}'")
        })?;
        request = request.args(value);
    }
    for variable in &args.env {
        let (name, value) = variable_of(variable, host)?;
        request = request.secret_env(name, value);
    }
    if let Some(model) = &args.model {
        request = request.model(model);
    }
    if let Some(id) = &args.stream_id {
        request = request.stream_id(id);
    }
    if let Some(limit) = args.timeout {
        request = request.timeout(limit);
    }
    if let Some(limit) = args.idle_timeout {
        request = request.idle_timeout(limit);
    }
    Ok(request)
}

/// The exit code of a workflow that its agent ran to the end. `run` is that of the run itself.
pub(super) fn exit(outcome: &Outcome, run: Exit) -> Exit {
    match (run, outcome.workflow.as_ref().map(|workflow| workflow.gate)) {
        (Exit::Completed, Some(Gate::Ok)) | (Exit::Completed, None) => Exit::Completed,
        (Exit::Completed, Some(Gate::UsageError)) => Exit::Usage,
        (Exit::Completed, Some(_)) => Exit::Failed,
        (run, _) => run,
    }
}
