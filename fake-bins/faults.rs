//! Runs the steps of a scenario, the faulty ones included, and the children that a fake starts.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::record::{self, Call};
use crate::scenario::Step;

/// The first argument of a child that a fake starts: the program itself in another role.
pub(crate) const CHILD: &str = "--fake-child";

/// "For ever", bounded so that a failed test leaves nothing behind for good.
const FOR_EVER: Duration = Duration::from_secs(600);

/// What the texts of a scenario may refer to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Context {
    pub(crate) prompt: String,
    pub(crate) session_id: String,
    pub(crate) model: String,
    pub(crate) json: bool,
    pub(crate) silent: bool,
    pub(crate) stream: bool,
    pub(crate) servers: Vec<String>,
}

impl Context {
    fn fill(&self, text: &str, json: bool) -> String {
        if !text.contains("{{") {
            return text.to_owned();
        }
        let quoted = |value: &str| {
            let text = serde_json::Value::from(value).to_string();
            if json { text[1..text.len() - 1].to_owned() } else { value.to_owned() }
        };
        let cwd = std::env::current_dir().map(|cwd| cwd.to_string_lossy().into_owned()).unwrap_or_default();
        text.replace("{{session_id}}", &quoted(&self.session_id))
            .replace("{{prompt}}", &quoted(&self.prompt))
            .replace("{{model}}", &quoted(&self.model))
            .replace("{{pid}}", &std::process::id().to_string())
            .replace("{{cwd}}", &quoted(&cwd))
    }
}

/// Runs all steps in order; returns unless one of them ends the process.
pub(crate) fn run(steps: &[Step], call: &mut Call, context: &Context) {
    for step in steps {
        one(step, call, context);
    }
}

fn one(step: &Step, call: &mut Call, context: &Context) {
    match step {
        Step::Out(text) => print(format!("{}\n", context.fill(text, false)).as_bytes()),
        Step::Part(text) => print(context.fill(text, false).as_bytes()),
        Step::Err(text) => print_err(format!("{}\n", context.fill(text, false)).as_bytes()),
        Step::Json(text) => {
            let text = context.fill(text, true);
            if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(&text) {
                crate::bad_setup(&format!("a `json` step holds no JSON: {error}: {text}"));
            }
            print(format!("{text}\n").as_bytes());
        }
        Step::Recorded { file, pace_ms } => {
            for line in read(file).split_inclusive(|byte| *byte == b'\n') {
                print(line);
                pause(*pace_ms);
            }
        }
        Step::RecordedErr(file) => print_err(&read(file)),
        Step::RecordedChunks { file, bytes, pace_ms } => {
            for chunk in read(file).chunks(*bytes) {
                print(chunk);
                pause(*pace_ms);
            }
        }
        Step::Repeat { file, bytes } => repeat(&read(file), *bytes),
        Step::Stamps { count, pace_us } => {
            for _ in 0..*count {
                crate::copilot_answer::stamp();
                std::thread::sleep(Duration::from_micros(*pace_us));
            }
        }
        Step::Sleep(ms) => pause(*ms),
        Step::Stall => std::thread::sleep(FOR_EVER),
        Step::Exit(code) => std::process::exit(*code),
        Step::Signal(number) => unix::die(*number),
        Step::Ignore(signal) => unix::ignore(signal),
        Step::Graceful => unix::graceful(context),
        Step::Fork(flags) => fork(flags, call, true),
        Step::ForkLoop(count) => {
            for _ in 0..*count {
                fork(&[], call, false);
                pause(5);
            }
        }
        Step::CloseStdout => unix::close_stdout(),
        Step::CloseStderr => unix::close_stderr(),
        Step::FloodOut(bytes) => flood(*bytes, &mut std::io::stdout()),
        Step::FloodErr(bytes) => flood(*bytes, &mut std::io::stderr()),
        Step::EndlessLine(bytes) => endless(*bytes),
        Step::ReadStdin => call.stdin(read_stdin()),
        Step::WaitFile(path) => wait_file(path),
        Step::Touch(path) => written(path, b""),
        Step::WriteNote { name, text } => {
            let path = Path::new(name);
            // Where the folder cannot be made, the file cannot be written either, and that is told.
            let _ = path.parent().map(std::fs::create_dir_all);
            written(path, context.fill(text, false).as_bytes());
        }
        Step::Answer => crate::copilot_answer::answer(context),
    }
}

/// Reads stdin to its end.
pub(crate) fn read_stdin() -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = std::io::stdin().lock().read_to_end(&mut bytes);
    bytes
}

/// Prints at once. A closed pipe changes nothing, as with the real agents.
pub(crate) fn print(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(bytes).and_then(|()| out.flush());
}

/// Prints to stderr.
pub(crate) fn print_err(bytes: &[u8]) {
    let _ = std::io::stderr().lock().write_all(bytes);
}

fn pause(ms: u64) {
    if ms > 0 {
        std::thread::sleep(Duration::from_millis(ms));
    }
}

fn read(file: &Path) -> Vec<u8> {
    std::fs::read(file).unwrap_or_else(|error| crate::bad_setup(&format!("cannot read `{}`: {error}", file.display())))
}

fn written(path: &Path, bytes: &[u8]) {
    if let Err(error) = std::fs::write(path, bytes) {
        crate::bad_setup(&format!("cannot write `{}`: {error}", path.display()));
    }
}

fn wait_file(path: &Path) {
    let begin = Instant::now();
    while !path.exists() {
        if begin.elapsed() > Duration::from_secs(60) {
            crate::bad_setup(&format!("`{}` never came", path.display()));
        }
        pause(1);
    }
}

/// Prints whole copies of a recording in large writes until `bytes` are reached.
fn repeat(recording: &[u8], bytes: u64) {
    let mut block = Vec::new();
    while !recording.is_empty() && block.len() < 256 * 1024 {
        block.extend_from_slice(recording);
    }
    let mut out = std::io::stdout().lock();
    let mut printed = 0;
    while printed < bytes && !block.is_empty() {
        if out.write_all(&block).is_err() {
            return;
        }
        printed += block.len() as u64;
    }
    let _ = out.flush();
}

fn flood(bytes: u64, out: &mut dyn Write) {
    let mut line = [b'x'; 1024];
    line[1023] = b'\n';
    let mut printed = 0;
    while printed < bytes {
        let part = line.len().min((bytes - printed) as usize);
        if out.write_all(&line[line.len() - part..]).is_err() {
            return;
        }
        printed += part as u64;
    }
    let _ = out.flush();
}

fn endless(bytes: u64) {
    let block = [b'y'; 8192];
    let mut out = std::io::stdout().lock();
    let mut printed = 0;
    while printed < bytes {
        let part = (block.len() as u64).min(bytes - printed);
        // Flushed through, since a line-buffered writer would hold what has no newline.
        if out.write_all(&block[..part as usize]).and_then(|()| out.flush()).is_err() {
            return;
        }
        printed += part;
    }
}

/// Starts a child in another role of this program and, with `wait`, goes on once the last of it has noted itself.
fn fork(flags: &[String], call: &mut Call, wait: bool) {
    let token = format!("{}-{}", std::process::id(), call.next_token());
    let flags: Vec<&str> = flags.iter().map(String::as_str).filter(|flag| *flag != "sleep-forever").collect();
    let child = spawn(call.path(), call.folder(), &token, &flags);
    match child {
        Ok(pid) => call.child(pid),
        Err(error) => crate::bad_setup(&format!("cannot start a child: {error}")),
    }
    if wait {
        wait_file(&record::child_file(call.folder(), &token));
    }
}

/// Starts a child. Its pipes are null unless it is to hold stdout, so that only that fault holds one.
fn spawn(path: &Path, calls: &Path, token: &str, flags: &[&str]) -> std::io::Result<u32> {
    let mut command = Command::new(std::env::current_exe()?);
    unix::name(&mut command, path);
    command.arg(CHILD).arg(calls).arg(token).args(flags).stdin(Stdio::null()).stderr(Stdio::null());
    if flags.contains(&"clear-env") {
        command.env_clear();
    }
    let holds = flags.contains(&"hold-stdout");
    command.stdout(if holds { Stdio::inherit() } else { Stdio::null() });
    command.spawn().map(|child| child.id())
}

/// The whole life of a child.
pub(crate) fn run_child(path: &Path, args: &[String]) -> ! {
    let [calls, token, flags @ ..] = args else { crate::bad_setup("a child without a role") };
    // A blocked signal is inherited. What a child ignores is said by its own role alone.
    unix::unblock();
    let calls = Path::new(calls);
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    if let Some(generations) = flags.iter().find_map(|flag| flag.strip_prefix("chain=")?.parse::<u32>().ok()) {
        record::child(calls, token, &format!("chain={generations}"));
        if generations > 0 {
            let next = format!("chain={}", generations - 1);
            let _ = spawn(path, calls, token, &[&next]);
            std::process::exit(0);
        }
        std::thread::sleep(FOR_EVER);
    }
    if flags.contains(&"setsid") {
        unix::setsid();
    }
    if flags.contains(&"double") {
        let rest: Vec<&str> = flags.iter().copied().filter(|flag| *flag != "double" && *flag != "setsid").collect();
        let _ = spawn(path, calls, token, &rest);
        std::process::exit(0);
    }
    if flags.contains(&"ignore-term") {
        ["TERM", "INT", "HUP"].into_iter().for_each(unix::ignore);
    }
    if let Some(unknown) =
        flags.iter().find(|flag| !["setsid", "ignore-term", "hold-stdout", "clear-env"].contains(flag))
    {
        crate::bad_setup(&format!("no such kind of child: `{unknown}`"));
    }
    record::child(calls, token, &flags.join(" "));
    std::thread::sleep(FOR_EVER);
    std::process::exit(0)
}

#[cfg(unix)]
mod unix {
    use std::path::Path;
    use std::process::Command;

    use nix::sys::signal::{SigHandler, SigSet, Signal, raise, signal as set};

    pub(super) fn name(command: &mut Command, path: &Path) {
        use std::os::unix::process::CommandExt;
        command.arg0(path);
    }

    pub(super) fn die(number: i32) {
        match Signal::try_from(number) {
            Ok(signal) => {
                #[expect(
                    unsafe_code,
                    reason = "Rust itself handles SIGSEGV, and lives on after one that was only raised"
                )]
                // SAFETY: setting the default action installs no handler.
                let _ = unsafe { set(signal, SigHandler::SigDfl) };
                let _ = raise(signal);
            }
            Err(_) => crate::bad_setup(&format!("`{number}` is no signal")),
        }
        std::thread::sleep(super::FOR_EVER);
    }

    fn signal(name: &str) -> Signal {
        let full = format!("SIG{}", name.trim_start_matches("SIG"));
        full.parse().unwrap_or_else(|_| crate::bad_setup(&format!("`{name}` is no signal")))
    }

    pub(super) fn unblock() {
        let _ = SigSet::all().thread_unblock();
    }

    /// Blocks a signal for good, which to the sender is the same as ignoring it.
    pub(super) fn ignore(name: &str) {
        let mut set = SigSet::empty();
        set.add(signal(name));
        let _ = set.thread_block();
    }

    pub(super) fn graceful(context: &super::Context) {
        let mut set = SigSet::empty();
        set.add(Signal::SIGTERM);
        set.add(Signal::SIGINT);
        let _ = set.thread_block();
        let context = context.clone();
        std::thread::spawn(move || {
            if set.wait().is_ok() {
                crate::copilot_answer::aborted(&context);
                std::process::exit(0);
            }
        });
    }

    pub(super) fn setsid() {
        let _ = nix::unistd::setsid();
    }

    // Replaced by the null device: a free descriptor 1 would be taken by the next file that is opened.
    pub(super) fn close_stdout() {
        if let Ok(null) = std::fs::OpenOptions::new().write(true).open("/dev/null") {
            let _ = nix::unistd::dup2_stdout(null);
        }
    }

    pub(super) fn close_stderr() {
        if let Ok(null) = std::fs::OpenOptions::new().write(true).open("/dev/null") {
            let _ = nix::unistd::dup2_stderr(null);
        }
    }
}

#[cfg(not(unix))]
mod unix {
    use std::path::Path;
    use std::process::Command;

    pub(super) fn name(_command: &mut Command, _path: &Path) {}

    pub(super) fn die(_number: i32) {
        crate::bad_setup("signals are for unix");
    }

    pub(super) fn unblock() {}

    pub(super) fn ignore(_name: &str) {}

    pub(super) fn graceful(_context: &super::Context) {}

    pub(super) fn setsid() {}

    pub(super) fn close_stdout() {
        crate::bad_setup("closing a pipe is for unix");
    }

    pub(super) fn close_stderr() {
        crate::bad_setup("closing a pipe is for unix");
    }
}
