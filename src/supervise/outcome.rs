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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guidance::AgentError;

    const LIMIT: Duration = Duration::from_secs(9);

    /// A run that went well, with a final event.
    fn well() -> Report {
        let told_exit_code = Some(0);
        Report { finished: true, has_final_event: true, told_exit_code, answered: true, ..Report::default() }
    }

    fn exit(code: i32) -> Exit {
        Exit { code: Some(code), signal: None }
    }

    fn ended(report: &Report, exit: Exit) -> (Status, Option<Cause<'_>>) {
        let ending = Ending { cancelled: false, stop: None, report, exit, used_tools: false, answer_is_error: false };
        decide(&ending)
    }

    #[test]
    fn cancelled_goes_before_timed_out_and_that_before_the_final_event() {
        let report = well();
        let mut ending = Ending {
            cancelled: true,
            stop: Some(Stop::TimedOut(LIMIT)),
            report: &report,
            exit: exit(0),
            used_tools: true,
            answer_is_error: false,
        };
        assert_eq!(decide(&ending), (Status::Cancelled, None));
        ending.cancelled = false;
        assert_eq!(decide(&ending), (Status::TimedOut, Some(Cause::TimedOut(LIMIT))));
        ending.stop = Some(Stop::Idle(LIMIT));
        assert_eq!(decide(&ending), (Status::TimedOut, Some(Cause::Idle(LIMIT))));
        ending.stop = Some(Stop::Lingering);
        assert_eq!(decide(&ending), (Status::Completed, None));
    }

    #[test]
    fn a_final_event_goes_before_the_exit_status() {
        let killed = Exit { code: None, signal: Some(9) };
        assert_eq!(ended(&well(), killed), (Status::Completed, None));
        let told = Report { told_exit_code: Some(1), ..well() };
        assert_eq!(ended(&told, exit(0)), (Status::Failed, Some(Cause::Told)));
    }

    #[test]
    fn an_answer_without_its_final_event_is_a_failure_whatever_the_exit_status() {
        let cut = Report { finished: false, ..well() };
        assert_eq!(ended(&cut, exit(0)), (Status::Failed, Some(Cause::CutShort)));
        assert_eq!(ended(&cut, exit(1)), (Status::Failed, Some(Cause::Exited)));
    }

    #[test]
    fn without_a_final_event_in_the_format_the_exit_status_decides() {
        let text = Report { answered: true, ..Report::default() };
        assert_eq!(ended(&text, exit(0)), (Status::Completed, None));
        assert_eq!(ended(&text, exit(2)), (Status::Failed, Some(Cause::Exited)));
        assert_eq!(ended(&Report::default(), exit(0)), (Status::Failed, Some(Cause::NoAnswer)));
    }

    #[test]
    fn what_the_agent_told_of_itself_decides() {
        let error = || vec![AgentError::default()];
        for report in [
            Report { aborted: true, ..well() },
            Report { fatal: true, ..well() },
            Report { errors: error(), answered: false, ..well() },
        ] {
            assert_eq!(ended(&report, exit(0)), (Status::Failed, Some(Cause::Told)), "{report:?}");
        }
        // An error that an answer followed was got over.
        assert_eq!(ended(&Report { errors: error(), ..well() }, exit(0)), (Status::Completed, None));
        let bypassed = Report { bypassed: Some("ran a shell".into()), ..well() };
        assert_eq!(ended(&bypassed, exit(0)), (Status::Failed, Some(Cause::Bypassed("ran a shell"))));
    }

    #[test]
    fn work_without_words_is_an_answer_and_words_that_are_an_error_are_none() {
        let report = Report { answered: false, ..well() };
        let silent = Ending {
            cancelled: false,
            stop: None,
            report: &report,
            exit: exit(0),
            used_tools: true,
            answer_is_error: false,
        };
        assert_eq!(decide(&silent), (Status::Completed, None));
        assert_eq!(ended(&report, exit(0)), (Status::Failed, Some(Cause::NoAnswer)));
        let report = well();
        let error = Ending { report: &report, answer_is_error: true, ..silent };
        assert_eq!(decide(&error), (Status::Failed, Some(Cause::Told)));
    }
}
