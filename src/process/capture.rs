//! Runs a short process, such as a version probe or a login shell, and keeps what it printed.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::{Instant, timeout};

use super::{Command, Exit, Polite, Spawn, Tree};

/// How long a pipe may stay silent and open once its process has exited and the rest of the tree was ended.
const LINGER: Duration = Duration::from_millis(200);

/// What a short process printed.
#[derive(Debug)]
pub(crate) struct Captured {
    pub(crate) exit_code: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    /// Whether the limit passed before it ended by itself.
    pub(crate) timed_out: bool,
    pub(crate) elapsed: Duration,
}

/// Runs a short process in a session of its own with stdin null and keeps at most the first `max_bytes` of each pipe.
///
/// Its whole tree is ended afterwards, whether it exited or the limit passed; so is it when this future is dropped.
/// Errors only where it could not start.
pub(crate) async fn capture(command: Command, limit: Duration, max_bytes: usize) -> io::Result<Captured> {
    let began = Instant::now();
    let (tree, pipes) = Tree::spawn(&command, Spawn { stdin: false, polite: Polite::Term, guarded: None })?;

    let mut captured = Captured {
        exit_code: None,
        signal: None,
        stdout: Vec::new(),
        stderr: Vec::new(),
        timed_out: false,
        elapsed: Duration::ZERO,
    };
    let (mut stdout, mut stderr) = (pipes.stdout, pipes.stderr);
    let (out, err) = (&mut captured.stdout, &mut captured.stderr);
    let ended = {
        let read = async {
            tokio::join!(keep(&mut stdout, out, max_bytes, None), keep(&mut stderr, err, max_bytes, None));
            std::future::pending::<()>().await;
        };
        tokio::select! {
            exit = timeout(limit, tree.exited()) => exit.ok(),
            () = read => None,
        }
    };
    captured.timed_out = ended.is_none();
    tree.kill().await;
    let exit = match ended {
        Some(exit) => exit,
        None => timeout(LINGER, tree.exited()).await.unwrap_or_else(|_| Ok(Exit::default())),
    }?;
    let linger = Some(LINGER);
    tokio::join!(keep(&mut stdout, out, max_bytes, linger), keep(&mut stderr, err, max_bytes, linger));
    captured.exit_code = exit.code;
    captured.signal = exit.signal;
    captured.elapsed = began.elapsed();
    Ok(captured)
}

/// Reads to the end and keeps the first `max_bytes`. With `silence`, stops after that long without a byte.
async fn keep<R: AsyncRead + Unpin>(pipe: &mut R, kept: &mut Vec<u8>, max_bytes: usize, silence: Option<Duration>) {
    let mut chunk = [0; 8192];
    loop {
        let read = pipe.read(&mut chunk);
        let read = match silence {
            Some(silence) => timeout(silence, read).await.unwrap_or(Ok(0)),
            None => read.await,
        };
        let Ok(count @ 1..) = read else { return };
        let room = max_bytes.saturating_sub(kept.len());
        kept.extend_from_slice(&chunk[..count.min(room)]);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::collections::BTreeMap;
    use std::ffi::OsString;
    use std::path::Path;

    use super::*;

    fn shell(script: &str) -> Command {
        let path = OsString::from("/usr/local/bin:/usr/bin:/bin");
        Command {
            program: "/bin/sh".into(),
            args: vec!["-c".into(), script.into()],
            cwd: "/".into(),
            env: BTreeMap::from([("PATH".into(), path)]),
        }
    }

    async fn run(script: &str) -> Captured {
        capture(shell(script), Duration::from_secs(10), 1024).await.expect("a shell")
    }

    #[tokio::test]
    async fn what_it_printed_and_its_exit_code_are_kept() {
        let captured = run("echo out; echo err >&2; exit 3").await;
        assert_eq!(captured.stdout, b"out\n");
        assert_eq!(captured.stderr, b"err\n");
        assert_eq!((captured.exit_code, captured.signal, captured.timed_out), (Some(3), None, false));
    }

    #[tokio::test]
    async fn stdin_is_empty_and_there_is_no_terminal() {
        let captured = run("cat; (: < /dev/tty) 2>/dev/null || echo none").await;
        assert_eq!(captured.stdout, b"none\n");
    }

    #[tokio::test]
    async fn a_flood_is_cut_at_the_bound_and_does_not_block() {
        let captured = run("head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2; exit 0").await;
        assert_eq!((captured.stdout.len(), captured.stderr.len()), (1024, 1024));
        assert_eq!((captured.exit_code, captured.timed_out), (Some(0), false));
    }

    #[tokio::test]
    async fn at_the_limit_the_whole_tree_is_killed_and_what_was_printed_is_kept() {
        let script = "echo early; trap '' TERM; setsid sleep 60 & sleep 60 & echo $!; wait";
        let captured = capture(shell(script), Duration::from_millis(300), 1024).await.unwrap();
        assert!(captured.timed_out);
        assert_eq!((captured.exit_code, captured.signal), (None, Some(9)));
        let printed = String::from_utf8(captured.stdout).unwrap();
        let sleeper = printed.strip_prefix("early\n").unwrap().trim();
        assert!(!Path::new("/proc").join(sleeper).join("exe").exists());
    }

    #[tokio::test]
    async fn a_child_that_holds_the_pipe_does_not_delay_the_end() {
        let captured = run("setsid sleep 60 & echo $!").await;
        assert!(captured.elapsed < Duration::from_secs(5));
        let sleeper = String::from_utf8(captured.stdout).unwrap();
        assert!(!Path::new("/proc").join(sleeper.trim()).join("exe").exists());
    }

    #[tokio::test]
    async fn a_double_fork_into_another_session_is_found_and_killed() {
        let captured = run("(setsid sh -c 'sleep 60 >/dev/null 2>&1 & echo $!' &) ; sleep 0.3").await;
        let sleeper = String::from_utf8(captured.stdout).unwrap();
        assert!(!sleeper.is_empty());
        assert!(!Path::new("/proc").join(sleeper.trim()).join("exe").exists());
    }

    #[tokio::test]
    async fn a_missing_program_is_an_error() {
        let mut command = shell("");
        command.program = "/nonexistent/program".into();
        let error = capture(command, Duration::from_secs(1), 10).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
