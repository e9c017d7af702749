//! `ask`: runs an agent and prints what it tells, as text or as JSON.

use std::io::{self, Stderr, Stdout};
use std::time::{Duration, Instant};

use agent_launcher::{Event, EventKind, HostEnv, Launcher, Run};
use clap::Args;

use super::exit::Exit;
use super::output::{Refusal, print};
use super::render::Renderer;
use super::request::RequestArgs;
use super::signals::Interrupts;
use super::style::Style;
use super::workflow;

/// How often the spinner moves.
const TICK: Duration = Duration::from_millis(120);

/// Flags of `ask`.
#[derive(Debug, Args)]
pub(super) struct AskArgs {
    /// Prints one event a line, as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    request: RequestArgs,
}

pub(super) async fn run(args: &AskArgs, host: &HostEnv, style: &Style) -> Exit {
    match ask(args, host, style).await {
        Ok(exit) => exit,
        Err(refusal) => refusal.report(args.json, style),
    }
}

async fn ask(args: &AskArgs, host: &HostEnv, style: &Style) -> Result<Exit, Refusal> {
    // Before signals are caught: Ctrl-C at a terminal that waits for the prompt ends the command as usual.
    let prompt = args.request.prompt()?;
    let mut interrupts = Interrupts::listen()
        .map_err(|error| Refusal::new(Exit::Failed, format!("signals cannot be caught: {error}")))?;
    let launcher = args.request.launcher(host)?;
    let plan = tokio::select! {
        plan = args.request.plan(&launcher, host, prompt) => plan?,
        // Dropping the search ends what it had started.
        () = interrupts.next() => {
            return Err(Refusal::new(Exit::Cancelled, "cancelled before the agent was started"));
        }
    };
    stream(launcher.start(plan)?, &launcher, interrupts, args.json, style).await
}

/// Prints a run to its end. A signal cancels it.
pub(super) async fn stream(
    run: Run,
    launcher: &Launcher,
    interrupts: Interrupts,
    json: bool,
    style: &Style,
) -> Result<Exit, Refusal> {
    // A task of its own: it must act while the main thread waits for a slow reader of stdout.
    tokio::spawn(interrupts.stop(launcher.clone()));
    let output = if json { Output::Json } else { Output::text(*style) };
    let (exit, written) = tell(run, launcher, output).await;
    Ok(match written {
        Ok(()) => exit,
        // The reader has what it wanted, as in `| head`.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Cancelled,
        // Told on stderr even with `--json`: stdout is what failed.
        Err(error) => Refusal::new(Exit::Failed, format!("stdout cannot be written: {error}")).report(false, style),
    })
}

/// Prints every event of the run; where stdout cannot be written, stops the run and waits for its end.
async fn tell(mut run: Run, launcher: &Launcher, mut output: Output) -> (Exit, io::Result<()>) {
    let start = Instant::now();
    let mut ticker = tokio::time::interval(TICK);
    let mut written = Ok(());
    let (mut code, mut exit) = (None, Exit::Failed);
    let mut over = false;
    loop {
        let event = tokio::select! {
            // First what was told: no spinner may follow the last event.
            biased;
            event = run.next() => event,
            _ = ticker.tick(), if output.spins() && !over => {
                output.tick(start.elapsed().as_secs());
                continue;
            }
        };
        let Some(event) = event else { break };
        match &event.kind {
            EventKind::Error { guidance, .. } => code = Some(guidance.code),
            EventKind::Done { outcome } => {
                over = true;
                exit = workflow::exit(outcome, Exit::of_run(outcome.status, code));
            }
            _ => {}
        }
        if written.is_ok() {
            written = output.event(&event);
            if written.is_err() {
                launcher.cancel(run.stream_id());
            }
        }
    }
    (exit, written)
}

/// How events are printed.
#[derive(Debug)]
enum Output {
    Json,
    Text { renderer: Box<Renderer<Stdout, Stderr>>, spins: bool },
}

impl Output {
    fn text(style: Style) -> Output {
        Output::Text { renderer: Box::new(Renderer::new(style, io::stdout(), io::stderr())), spins: style.spinner }
    }

    fn spins(&self) -> bool {
        matches!(self, Output::Text { spins: true, .. })
    }

    fn tick(&mut self, seconds: u64) {
        if let Output::Text { renderer, .. } = self {
            renderer.tick(seconds);
        }
    }

    fn event(&mut self, event: &Event) -> io::Result<()> {
        match self {
            Output::Json => print(&(serde_json::to_string(event).map_err(io::Error::other)? + "\n")),
            Output::Text { renderer, .. } => renderer.event(event),
        }
    }
}
