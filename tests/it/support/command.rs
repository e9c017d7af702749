//! The command `agent-launcher` as a child process on a bench.

use std::process::{Child, Command, Output, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use super::{Bench, DEADLINE};

/// The command that `cargo test` built.
pub(crate) const COMMAND: &str = env!("CARGO_BIN_EXE_agent-launcher");

impl Bench {
    /// `agent-launcher` with these arguments and the bench's environment, nothing of the test's own.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.program(COMMAND, args)
    }

    /// Another program with the bench's environment.
    pub(crate) fn program(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).current_dir(self.root()).env_clear();
        command.env("HOME", self.home()).env("PATH", self.bin()).env("LANG", "C.UTF-8").env("TMPDIR", self.root());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the command to its end.
    pub(crate) fn run(&self, args: &[&str]) -> Ended {
        self.end(self.command(args).spawn().expect("the command starts"))
    }

    /// `ask` with the fake Copilot in the vault and these further arguments, run to its end.
    pub(crate) fn ask(&self, args: &[&str]) -> Ended {
        self.end(self.asking(args).spawn().expect("the command starts"))
    }

    /// `ask` with the fake Copilot in the vault and these further arguments.
    pub(crate) fn asking(&self, args: &[&str]) -> Command {
        let mut command = self.command(&["ask", "--agent", "copilot", "--vault"]);
        command.arg(self.vault()).args(args);
        command
    }

    /// Waits for a child; what it printed, with the bench's folder as `[ROOT]`.
    pub(crate) fn end(&self, child: Child) -> Ended {
        let output = output_in_time(child);
        let text = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).expect("the command prints UTF-8");
            text.replace(self.root().to_str().expect("a UTF-8 path"), "[ROOT]")
        };
        Ended { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

/// How the command ended and what it printed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    /// Stdout as one JSON value.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Stdout as one JSON object a line.
    pub(crate) fn events(&self) -> Vec<Value> {
        let parse = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: `{line}` of {self:?}"));
        self.stdout.lines().map(parse).collect()
    }

    /// The kinds of the events, in order.
    pub(crate) fn kinds(&self) -> Vec<String> {
        self.events().iter().map(|event| event["kind"].as_str().unwrap_or("none").to_owned()).collect()
    }

    /// The outcome that the last event tells.
    pub(crate) fn outcome(&self) -> Value {
        self.events().last().unwrap_or_else(|| panic!("no event: {self:?}"))["outcome"].clone()
    }
}

/// Waits for a child and kills it where it takes too long, so that a failed test leaves nothing.
fn output_in_time(child: Child) -> Output {
    let pid = child.id();
    let (done, waited) = std::sync::mpsc::channel();
    std::thread::spawn(move || done.send(child.wait_with_output()));
    match waited.recv_timeout(DEADLINE) {
        Ok(output) => output.expect("the output of the command"),
        Err(_) => {
            signal(pid, Signal::SIGKILL);
            panic!("the command did not end in time");
        }
    }
}

/// Sends a signal to one process.
pub(crate) fn signal(pid: u32, signal: Signal) {
    let pid = i32::try_from(pid).expect("a pid");
    let _ = kill(Pid::from_raw(pid), signal);
}
