//! The command line: what was typed, and which subcommand answers it.
//!
//! Owns the flags, the exit codes and all that is printed. Finds, plans, starts and explains nothing itself: every
//! subcommand is a thin caller of the library.

mod agents;
mod agents_file;
mod ask;
mod card;
mod classify;
mod demo;
mod doctor;
mod exit;
mod mcp;
mod output;
mod plan;
mod plugin;
mod render;
mod request;
mod signals;
mod style;
mod workflow;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agent_launcher::{AgentId, HostEnv, Launcher};
use clap::{Args, Parser, Subcommand};

use exit::Exit;
use output::Refusal;
use style::Style;

/// Finds, runs, streams, stops and explains the AI coding agents on this machine.
#[derive(Debug, Parser)]
#[command(name = "agent-launcher", version, arg_required_else_help = true, after_help = exit::HELP)]
struct Cli {
    /// Prints without colours, as `NO_COLOR` and `TERM=dumb` do.
    #[arg(long, global = true)]
    no_color: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Lists every agent: installed, version, path, how it was found, or what to do.
    Agents(agents::AgentsArgs),
    /// Shows every place looked at for an agent, in order, with why it was taken or refused.
    Doctor(doctor::DoctorArgs),
    /// Prints the exact command that `ask` would start, and starts nothing.
    Plan(Box<plan::PlanArgs>),
    /// Hands a prompt to an agent in a vault and streams its answer.
    Ask(Box<ask::AskArgs>),
    /// Says what to do about the stderr of an agent, read from stdin.
    Classify(classify::ClassifyArgs),
    /// Runs an agent's workflow and says how it ended.
    Workflow(workflow::WorkflowArgs),
    /// Writes the plugin that ships with this command to where an agent can read it.
    Plugin(plugin::PluginArgs),
    /// The scripted agent behind `--agent demo`.
    #[command(hide = true, disable_version_flag = true)]
    DemoAgent(demo::DemoArgs),
}

/// On whose behalf agents are found and run.
#[derive(Debug, Args)]
struct HostArgs {
    /// The name of the app on whose behalf the agent runs, as guidance shows it.
    #[arg(long, value_name = "NAME", default_value = "agent-launcher")]
    app: String,
    /// A file that describes an agent, in the format of docs/CUSTOM.md. May be repeated. Default: the files that the variable
    /// AGENT_LAUNCHER_AGENTS_FILE names, separated as in PATH.
    #[arg(long, value_name = "FILE")]
    agents_file: Vec<PathBuf>,
}

impl HostArgs {
    /// A launcher on this machine. `demo` is known only here: the command starts itself under that name.
    fn launcher(&self, host: &HostEnv, program: Option<(AgentId, &Path)>) -> Result<Launcher, Refusal> {
        let mut builder = Launcher::builder().app(&self.app).host(host.clone());
        if let Ok(own) = HostEnv::own_program() {
            builder = builder.program(AgentId::DEMO, own);
        }
        if let Some((agent, path)) = program {
            builder = builder.program(agent, path);
        }
        Ok(agents_file::add(builder, &self.agents_file, host)?.build())
    }
}

/// Runs the command that was typed.
pub(crate) fn main() -> ExitCode {
    let cli = Cli::parse();
    let host = HostEnv::capture();
    let style = Style::new(&host, cli.no_color);
    // Two workers, so that a signal is seen while the main thread is held up by a reader of stdout.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            let refusal = Refusal::new(Exit::Failed, format!("no runtime could be started: {error}"));
            return refusal.report(false, &style).into();
        }
    };
    let exit = match cli.command {
        Command::Agents(args) => runtime.block_on(agents::run(&args, &host, &style)),
        Command::Doctor(args) => runtime.block_on(doctor::run(&args, &host, &style)),
        Command::Plan(args) => runtime.block_on(plan::run(&args, &host, &style)),
        Command::Ask(args) => runtime.block_on(ask::run(&args, &host, &style)),
        Command::Classify(args) => classify::run(&args, &host, &style),
        Command::Workflow(args) => runtime.block_on(workflow::run(&args, &host, &style)),
        Command::Plugin(args) => plugin::run(&args, &host, &style),
        Command::DemoAgent(args) => demo::run(&args),
    };
    // A blocked read of stdin or a silent pipe must not keep the process: whatever still runs is ended by its guards.
    runtime.shutdown_background();
    exit.into()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
