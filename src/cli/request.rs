//! The flags that `plan` and `ask` share, and the request they amount to.

use std::io::Read;
use std::path::PathBuf;
use std::time::Duration;

use agent_launcher::discover::Readiness;
use agent_launcher::{AgentId, HostEnv, Launcher, McpServer, Mode, Plan, Request};
use clap::{Args, ValueEnum};

use super::exit::Exit;
use super::output::Refusal;
use super::{HostArgs, mcp};

/// The mode as it is typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ModeArg {
    /// Reads and edits the vault and uses the given MCP servers; no shell.
    Safe,
    /// Every tool of the agent without asking, the shell included.
    #[value(alias = "power_user")]
    PowerUser,
}

impl ModeArg {
    /// The mode.
    pub(super) fn mode(self) -> Mode {
        match self {
            ModeArg::Safe => Mode::Safe,
            ModeArg::PowerUser => Mode::PowerUser,
        }
    }
}

/// What to run, where and how.
#[derive(Debug, Args)]
pub(super) struct RequestArgs {
    /// The agent. Default: the first one that is ready, in the order in which `agents` lists them. `demo` is a
    /// scripted stand-in that needs nothing installed.
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    /// The folder to work in, as an absolute path.
    #[arg(long, value_name = "DIR")]
    vault: PathBuf,
    /// How much the agent may do.
    #[arg(long, value_enum, default_value_t = ModeArg::Safe)]
    mode: ModeArg,
    /// An MCP server for this run: `{"name","command","args","env"}` as JSON, or `@` and a file that holds it. May be
    /// repeated. Values of `env` are treated as secrets.
    #[arg(long, value_name = "JSON|@FILE")]
    mcp: Vec<String>,
    /// A plugin for this run, as an absolute path. May be repeated. Its code runs with your own rights.
    #[arg(long, value_name = "DIR")]
    plugin_dir: Vec<PathBuf>,
    /// The model, by the agent's own name for it.
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Continues the session with this id.
    #[arg(long, value_name = "ID")]
    resume: Option<String>,
    /// The id of the new session, where the agent takes one. Default: a fresh UUID.
    #[arg(long, value_name = "ID", conflicts_with = "resume")]
    session_id: Option<String>,
    /// The name of the run in its events. Default: a fresh UUID.
    #[arg(long, value_name = "ID")]
    stream_id: Option<String>,
    /// Instructions that come before the prompt, or `@` and a file that holds them.
    #[arg(long, value_name = "TEXT|@FILE")]
    system: Option<String>,
    /// Keeps the prompt out of the argument list, which other users of the machine can read.
    #[arg(long)]
    private_prompt: bool,
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
    #[arg(long, value_name = "PATH", requires = "agent")]
    program: Option<PathBuf>,
    /// An argument of the agent's own, added as it is. May be repeated. What would widen the mode is refused.
    #[arg(long, value_name = "ARG", allow_hyphen_values = true)]
    extra_arg: Vec<String>,
    #[command(flatten)]
    host: HostArgs,
    /// What to ask. `-` reads it from stdin; after `--` it may begin with a dash.
    #[arg(value_name = "PROMPT")]
    prompt: String,
}

impl RequestArgs {
    /// The launcher for these flags.
    pub(super) fn launcher(&self, host: &HostEnv) -> Result<Launcher, Refusal> {
        let program = match (&self.agent, &self.program) {
            (Some(agent), Some(path)) => Some((AgentId::new(agent), path.as_path())),
            _ => None,
        };
        self.host.launcher(host, program)
    }

    /// The plan for these flags.
    pub(super) async fn plan(&self, launcher: &Launcher, host: &HostEnv, prompt: String) -> Result<Plan, Refusal> {
        // Before the search: what is wrong with the flags is told at once, whatever is installed.
        let servers = mcp::servers(&self.mcp)?;
        let agent = self.agent(launcher).await?;
        let request = self.request(host, agent, prompt, servers)?;
        launcher.plan(&request).await.map_err(|error| Refusal::of(error, launcher))
    }

    fn request(
        &self,
        host: &HostEnv,
        agent: AgentId,
        prompt: String,
        servers: Vec<McpServer>,
    ) -> Result<Request, Refusal> {
        let request =
            Request::new(agent, &self.vault, prompt).mode(self.mode.mode()).private_prompt(self.private_prompt);
        let mut request = servers.into_iter().fold(request, Request::mcp_server);
        request = self.plugin_dir.iter().fold(request, Request::plugin_dir);
        for variable in &self.env {
            let (name, value) = variable_of(variable, host)?;
            request = request.secret_env(name, value);
        }
        if let Some(system) = &self.system {
            request = request.system_prompt(text_or_file("--system", system)?);
        }
        if let Some(model) = &self.model {
            request = request.model(model);
        }
        if let Some(session) = &self.session_id {
            request = request.session_id(session);
        }
        if let Some(session) = &self.resume {
            request = request.resume(session);
        }
        if let Some(stream_id) = &self.stream_id {
            request = request.stream_id(stream_id);
        }
        if let Some(limit) = self.timeout {
            request = request.timeout(limit);
        }
        if let Some(limit) = self.idle_timeout {
            request = request.idle_timeout(limit);
        }
        Ok(self.extra_arg.iter().fold(request, Request::extra_arg))
    }

    /// The agent asked for, or the first one that is ready.
    async fn agent(&self, launcher: &Launcher) -> Result<AgentId, Refusal> {
        if let Some(agent) = &self.agent {
            return Ok(AgentId::new(agent));
        }
        let agents = launcher.agents().await;
        let ready = agents.iter().find(|status| status.status == Readiness::Ready);
        ready.map(|status| status.agent.clone()).ok_or_else(|| {
            let first = agents.into_iter().find_map(|status| status.guidance);
            Refusal::new(Exit::Setup, "no agent is ready on this machine").guided(first).hint(format!(
                "`agent-launcher agents` says what to do for each; `--agent {}` needs none installed",
                AgentId::DEMO
            ))
        })
    }

    /// The prompt, read from stdin where it is `-`.
    pub(super) fn prompt(&self) -> Result<String, Refusal> {
        if self.prompt != "-" {
            return Ok(self.prompt.clone());
        }
        let mut bytes = Vec::new();
        std::io::stdin()
            .read_to_end(&mut bytes)
            .map_err(|error| Refusal::usage(format!("the prompt cannot be read from stdin: {error}")))?;
        let text = String::from_utf8(bytes)
            .map_err(|error| Refusal::usage(format!("the prompt on stdin is not UTF-8: {}", error.utf8_error())))?;
        // What `echo` and editors add at the end is not part of the question.
        Ok(text.trim_end_matches(['\n', '\r']).to_owned())
    }
}

/// `NAME=VALUE` as it is, or `NAME` with the value it has in this process.
pub(super) fn variable_of(text: &str, host: &HostEnv) -> Result<(String, String), Refusal> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, value.to_owned()),
        None => {
            let value = host.var(text).ok_or_else(|| {
                Refusal::usage(format!("--env `{text}`: the variable is not set here"))
                    .hint("give its value: --env NAME=VALUE")
            })?;
            let value =
                value.to_str().ok_or_else(|| Refusal::usage(format!("--env `{text}`: its value is not UTF-8")))?;
            (text, value.to_owned())
        }
    };
    if name.is_empty() {
        return Err(Refusal::usage("--env: the name before `=` is empty"));
    }
    Ok((name.to_owned(), value))
}

/// The text itself, or what the file after `@` holds.
pub(super) fn text_or_file(flag: &str, value: &str) -> Result<String, Refusal> {
    match value.strip_prefix('@') {
        None => Ok(value.to_owned()),
        Some(path) => std::fs::read_to_string(path)
            .map_err(|error| Refusal::usage(format!("{flag}: `{path}` cannot be read: {error}"))),
    }
}

/// Seconds, with decimals, more than none.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "expected a number of seconds, such as 90 or 0.5".to_owned())?;
    let limit = match Duration::try_from_secs_f64(number) {
        Ok(limit) => limit,
        Err(_) if number > 0.0 => return Err("too many seconds".into()),
        Err(_) => Duration::ZERO,
    };
    // What is shorter than a nanosecond is none as well.
    if limit.is_zero() { Err("must be more than 0".into()) } else { Ok(limit) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_take_decimals_and_refuse_what_is_no_time() {
        assert_eq!(seconds("90"), Ok(Duration::from_secs(90)));
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for wrong in ["0", "-0", "-1", "1e-300", "NaN", "-inf", "1e300", "inf", "soon", ""] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_variable_is_given_or_handed_on() {
        let host = HostEnv::new(
            agent_launcher::Os::Linux,
            agent_launcher::Arch::X64,
            None,
            [("TOKEN".into(), "hunter2".into())],
        );
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(variable_of("A=b=c", &host).unwrap(), pair("A", "b=c"));
        assert_eq!(variable_of("A=", &host).unwrap(), pair("A", ""));
        assert_eq!(variable_of("TOKEN", &host).unwrap(), pair("TOKEN", "hunter2"));
        assert!(variable_of("NONE", &host).is_err());
        assert!(variable_of("=x", &host).is_err());
    }
}
