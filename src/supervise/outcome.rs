//! Decides how a run ended. Pure: what is known goes in, the status and its cause come out.

use std::time::Duration;

use crate::adapters::Report;
use crate::event::Status;
use crate::guidance::Cause;
use crate::process::Exit;

/// Why the supervisor stopped an agent that had not exited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The time limit of the run passed.
    TimedOut(Duration),
    /// Both pipes were silent for longer than the limit.
    Idle(Duration),
    /// An error ended the run, and the agent did not exit.
    Fatal,
    /// The final event came, or stdout was closed, and the agent did not exit.
    Lingering,
    /// The agent did what its mode forbids.
    Bypassed,
}

/// All that decides.
#[derive(Debug)]
pub(super) struct Ending<'a> {
    pub(super) cancelled: bool,
    pub(super) stop: Option<Stop>,
    pub(super) report: &'a Report,
    pub(super) exit: Exit,
    /// Whether a tool was started: an agent may do its work and say nothing.
    pub(super) used_tools: bool,
    /// Whether the answer is nothing but an error of the model's provider.
    pub(super) answer_is_error: bool,
}

/// The status, and the cause where the run did not do what was asked.
///
/// Cancelled goes before timed out, that before the agent's final event, that before its exit status.
pub(super) fn decide<'a>(ending: &Ending<'a>) -> (Status, Option<Cause<'a>>) {
    let report = ending.report;
    if ending.cancelled {
        return (Status::Cancelled, None);
    }
    match ending.stop {
        Some(Stop::TimedOut(limit)) => return (Status::TimedOut, Some(Cause::TimedOut(limit))),
        Some(Stop::Idle(limit)) => return (Status::TimedOut, Some(Cause::Idle(limit))),
        _ => {}
    }
    if let Some(what) = &report.bypassed {
        return (Status::Failed, Some(Cause::Bypassed(what)));
    }
    let said = report.answered || ending.used_tools;
    let failed =
        report.fatal || report.aborted || ending.answer_is_error || (!report.errors.is_empty() && !report.answered);
    let clean = match (report.has_final_event, report.finished) {
        // After a final event the event decides: an agent that was stopped because it lingered did its work.
        (_, true) => report.told_exit_code.unwrap_or(0) == 0,
        (true, false) => false,
        (false, false) => ending.exit.code == Some(0),
    };
    if clean && !failed && said {
        return (Status::Completed, None);
    }
    let exited_clean = ending.exit.code == Some(0) || ending.stop == Some(Stop::Lingering);
    let cause = if failed || (report.finished && !clean) {
        Cause::Told
    } else if exited_clean && !said {
        Cause::NoAnswer
    } else if report.has_final_event && !report.finished && exited_clean {
        Cause::CutShort
    } else {
        Cause::Exited
    };
    (Status::Failed, Some(cause))
}
