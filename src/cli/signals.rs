//! Ctrl-C and its like: what asks the command to end.

use std::io;
use std::time::Duration;

use agent_launcher::Launcher;

use super::exit::Exit;

/// How long the agent's tree may take to end after the first signal. The library's own grace is shorter.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long the last events may wait for a slow reader of stdout once the tree is gone.
const READER: Duration = Duration::from_secs(2);

/// How long a second signal waits for the tree to be killed.
const AT_ONCE: Duration = Duration::from_millis(500);

/// The signals that ask the command to end: SIGINT, SIGTERM and SIGHUP, or their like on Windows.
#[derive(Debug)]
pub(super) struct Interrupts {
    #[cfg(unix)]
    signals: [tokio::signal::unix::Signal; 3],
    #[cfg(windows)]
    signals: (tokio::signal::windows::CtrlC, tokio::signal::windows::CtrlBreak, tokio::signal::windows::CtrlClose),
}

impl Interrupts {
    /// Catches them from now on, in place of the system's default of ending the process.
    pub(super) fn listen() -> io::Result<Interrupts> {
        #[cfg(unix)]
        let signals = {
            use tokio::signal::unix::{SignalKind, signal};
            [signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?, signal(SignalKind::hangup())?]
        };
        #[cfg(windows)]
        let signals = {
            use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close};
            (ctrl_c()?, ctrl_break()?, ctrl_close()?)
        };
        Ok(Interrupts { signals })
    }

    /// Waits for the next one. Cancel safe.
    pub(super) async fn next(&mut self) {
        #[cfg(unix)]
        {
            let [interrupt, terminate, hangup] = &mut self.signals;
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
                _ = hangup.recv() => {}
            }
        }
        #[cfg(windows)]
        {
            let (c, r#break, close) = &mut self.signals;
            tokio::select! {
                _ = c.recv() => {}
                _ = r#break.recv() => {}
                _ = close.recv() => {}
            }
        }
    }

    /// Stops the run at the first signal and ends the process at the second, or where stdout is not read to the end.
    ///
    /// The command ends by itself once the run's last event is printed; then this task dies with it.
    pub(super) async fn stop(mut self, launcher: Launcher) {
        self.next().await;
        tokio::select! {
            () = self.next() => {
                launcher.shutdown(AT_ONCE).await;
            }
            () = async {
                launcher.shutdown(PATIENCE).await;
                tokio::time::sleep(READER).await;
            } => {}
        }
        leave(Exit::Cancelled)
    }
}

/// Ends the process from a task while the main thread is held up.
#[expect(clippy::exit, reason = "the main thread waits for a reader that may never come")]
fn leave(exit: Exit) {
    std::process::exit(i32::from(exit.code()))
}
