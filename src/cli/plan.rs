//! `plan`: the exact command, printed and not started.

use agent_launcher::{HostEnv, Plan};
use clap::Args;

use super::exit::Exit;
use super::output::{Refusal, finish, pretty};
use super::request::RequestArgs;
use super::style::Style;

/// Flags of `plan`.
#[derive(Debug, Args)]
pub(super) struct PlanArgs {
    /// Prints an object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    request: RequestArgs,
}

pub(super) async fn run(args: &PlanArgs, host: &HostEnv, style: &Style) -> Exit {
    match plan(args, host).await {
        Ok(plan) if args.json => finish(&pretty(&plan), style),
        Ok(plan) => finish(&format!("{plan}\n"), style),
        Err(refusal) => refusal.report(args.json, style),
    }
}

async fn plan(args: &PlanArgs, host: &HostEnv) -> Result<Plan, Refusal> {
    let prompt = args.request.prompt()?;
    args.request.plan(&args.request.launcher(host)?, host, prompt).await
}
