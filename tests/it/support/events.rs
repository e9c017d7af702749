//! Reads the events of a run, always with a deadline.

use std::future::Future;
use std::time::Duration;

use agent_launcher::{Event, EventKind, Outcome, Run};

/// How long anything may take before a test gives up. Generous, since it only ever passes on a failure.
pub(crate) const DEADLINE: Duration = Duration::from_secs(30);

/// Waits for a future, at most until the deadline.
pub(crate) async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(DEADLINE, future).await {
        Ok(value) => value,
        Err(_) => panic!("{what} took longer than {DEADLINE:?}"),
    }
}

/// All events of a run to its end.
pub(crate) async fn collect(run: &mut Run) -> Vec<Event> {
    let mut events = Vec::new();
    let end = async {
        while let Some(event) = run.next().await {
            events.push(event);
        }
    };
    if tokio::time::timeout(DEADLINE, end).await.is_err() {
        panic!("the run did not end within {DEADLINE:?}; so far: {events:#?}");
    }
    events
}

/// The events up to the first one that is wanted, that one included.
pub(crate) async fn until(run: &mut Run, wanted: impl Fn(&EventKind) -> bool) -> Vec<Event> {
    let mut events = Vec::new();
    let found = async {
        while let Some(event) = run.next().await {
            let found = wanted(&event.kind);
            events.push(event);
            if found {
                return true;
            }
        }
        false
    };
    match tokio::time::timeout(DEADLINE, found).await {
        Ok(true) => events,
        Ok(false) => panic!("the run ended before the wanted event: {events:#?}"),
        Err(_) => panic!("the wanted event did not come within {DEADLINE:?}; so far: {events:#?}"),
    }
}

/// Checks what holds of every run, and returns its outcome: `Init` first and `Done` last, once each, `seq` without a gap,
/// one stream id, at most one `Error` and that right before `Done`.
pub(crate) fn check(events: &[Event]) -> &Outcome {
    assert!(events.len() >= 2, "a run has at least two events: {events:#?}");
    let last = events.len() - 1;
    for (index, event) in events.iter().enumerate() {
        assert_eq!(event.seq, index as u64, "a gap in seq: {events:#?}");
        assert_eq!(event.stream_id, events[0].stream_id, "another stream id: {events:#?}");
        assert_eq!(matches!(event.kind, EventKind::Init { .. }), index == 0, "Init is first: {events:#?}");
        assert_eq!(matches!(event.kind, EventKind::Done { .. }), index == last, "Done is last: {events:#?}");
        if matches!(event.kind, EventKind::Error { .. }) {
            assert_eq!(index + 1, last, "Error is right before Done: {events:#?}");
        }
    }
    match &events[last].kind {
        EventKind::Done { outcome } => outcome,
        other => panic!("the last event is {other:?}"),
    }
}

/// The kinds of all events.
pub(crate) fn kinds(events: &[Event]) -> Vec<&EventKind> {
    events.iter().map(|event| &event.kind).collect()
}

/// The names of the kinds in order, repeats in a row told once.
pub(crate) fn shape(events: &[Event]) -> Vec<String> {
    let name = |event: &Event| {
        let json = serde_json::to_value(event).expect("an event is JSON");
        json["kind"].as_str().expect("an event has a kind").to_owned()
    };
    let mut names: Vec<String> = events.iter().map(name).collect();
    names.dedup();
    names
}

/// The answer: every piece in order, what was taken back cut off.
pub(crate) fn text(events: &[Event]) -> String {
    let mut text = String::new();
    for event in events {
        match &event.kind {
            EventKind::TextDelta { text: piece } => text.push_str(piece),
            EventKind::TextRetracted { text: end } => {
                let rest = text.strip_suffix(end.as_str()).expect("only the end of the answer is taken back");
                text.truncate(rest.len());
            }
            _ => {}
        }
    }
    text
}
