//! What a run told, in the words of the tests.

use agent_launcher::{Event, EventKind, Guidance, Launcher, NoticeLevel, Outcome, Request, Run};

use super::DEADLINE;

/// All events of a run.
#[derive(Debug)]
pub struct Told(pub Vec<Event>);

/// Plans, starts and hears a run to its end.
pub async fn run(launcher: &Launcher, request: &Request) -> Told {
    let plan = launcher.plan(request).await.expect("the request can be planned");
    rest(launcher.start(plan).expect("the plan can be started"), Vec::new()).await
}

/// Hears a run to its end.
pub async fn rest(mut run: Run, mut events: Vec<Event>) -> Told {
    while let Some(event) = next(&mut run, &events).await {
        events.push(event);
    }
    let told = Told(events);
    told.check();
    told
}

/// The next event, in time. `before` is shown where it does not come.
pub async fn next(run: &mut Run, before: &[Event]) -> Option<Event> {
    match tokio::time::timeout(DEADLINE, run.next()).await {
        Ok(event) => event,
        Err(_) => panic!("no event in time after {before:#?}"),
    }
}

/// Hears a run until an event that `wanted` accepts, and returns all so far.
pub async fn until(run: &mut Run, mut wanted: impl FnMut(&EventKind) -> bool) -> Vec<Event> {
    let mut events = Vec::new();
    loop {
        let Some(event) = next(run, &events).await else { panic!("the run ended early: {events:#?}") };
        let found = wanted(&event.kind);
        events.push(event);
        if found {
            return events;
        }
    }
}

impl Told {
    /// What holds for every run: `Init` first, `Done` last, once each, and `seq` without a gap.
    pub fn check(&self) {
        let kinds: Vec<&EventKind> = self.kinds().collect();
        let seqs: Vec<u64> = self.0.iter().map(|event| event.seq).collect();
        assert_eq!(seqs, (0..self.0.len() as u64).collect::<Vec<_>>(), "seq has no gap: {self:#?}");
        assert!(matches!(kinds.first(), Some(EventKind::Init { .. })), "Init comes first: {self:#?}");
        assert!(matches!(kinds.last(), Some(EventKind::Done { .. })), "Done comes last: {self:#?}");
        let ends = kinds.iter().filter(|kind| matches!(kind, EventKind::Init { .. } | EventKind::Done { .. })).count();
        assert_eq!(ends, 2, "Init and Done come once: {self:#?}");
    }

    pub fn kinds(&self) -> impl Iterator<Item = &EventKind> {
        self.0.iter().map(|event| &event.kind)
    }

    /// The pieces of the answer.
    pub fn deltas(&self) -> Vec<&str> {
        self.kinds()
            .filter_map(|kind| if let EventKind::TextDelta { text } = kind { Some(&**text) } else { None })
            .collect()
    }

    /// The answer.
    pub fn text(&self) -> String {
        self.deltas().concat()
    }

    /// What a person sees in the end: the answer without what was taken back.
    pub fn shown(&self) -> String {
        let mut shown = String::new();
        for kind in self.kinds() {
            match kind {
                EventKind::TextDelta { text } => shown += text,
                EventKind::TextRetracted { text } => {
                    assert!(shown.ends_with(text.as_str()), "{text:?} ends {shown:?}");
                    shown.truncate(shown.len() - text.len());
                }
                _ => {}
            }
        }
        shown
    }

    /// The thinking.
    pub fn thinking(&self) -> String {
        self.kinds()
            .filter_map(|kind| if let EventKind::ThinkingDelta { text } = kind { Some(&**text) } else { None })
            .collect()
    }

    /// The lines that no decoder knew.
    pub fn unrecognized(&self) -> Vec<&str> {
        self.kinds()
            .filter_map(|kind| if let EventKind::Unrecognized { line } = kind { Some(&**line) } else { None })
            .collect()
    }

    /// The notices.
    pub fn notices(&self) -> Vec<(NoticeLevel, &str)> {
        self.kinds()
            .filter_map(
                |kind| if let EventKind::Notice { level, message } = kind { Some((*level, &**message)) } else { None },
            )
            .collect()
    }

    /// What is told of changes to what other programs obey in the vault. The agents make none there by themselves.
    pub fn changed(&self) -> Option<&str> {
        let mut notices = self.notices().into_iter().map(|(_, message)| message);
        notices.find(|message| message.contains("other programs run or obey"))
    }

    /// The status words of a server, in order.
    pub fn mcp(&self, name: &str) -> Vec<&str> {
        self.kinds()
            .filter_map(|kind| match kind {
                EventKind::McpStatus { server, status, .. } if server == name => Some(&**status),
                _ => None,
            })
            .collect()
    }

    /// The ends of the uses of a tool: whether it worked, whether it was refused, and what it answered.
    pub fn tool(&self, name: &str) -> Vec<(bool, bool, String)> {
        self.ends_of(|tool| tool == name)
    }

    /// The ends of the uses of all tools, in the order in which they began.
    pub fn tool_ends(&self) -> Vec<(bool, bool, String)> {
        self.ends_of(|_| true)
    }

    fn ends_of(&self, wanted: impl Fn(&str) -> bool) -> Vec<(bool, bool, String)> {
        let began = self.kinds().filter_map(|kind| match kind {
            EventKind::ToolStart { tool_name, tool_id, .. } if wanted(tool_name) => Some(tool_id),
            _ => None,
        });
        let end = |id: &String| {
            self.kinds().find_map(|kind| match kind {
                EventKind::ToolDone { tool_id, ok, output, denied } if tool_id == id => {
                    Some((*ok, *denied, output.clone().unwrap_or_default()))
                }
                _ => None,
            })
        };
        began.filter_map(end).collect()
    }

    /// The guidance of the `Error` event.
    pub fn error(&self) -> Option<&Guidance> {
        self.kinds().find_map(|kind| if let EventKind::Error { guidance, .. } = kind { Some(guidance) } else { None })
    }

    /// How the run ended.
    pub fn outcome(&self) -> &Outcome {
        match self.0.last().map(|event| &event.kind) {
            Some(EventKind::Done { outcome }) => outcome,
            _ => panic!("the run did not end: {self:#?}"),
        }
    }

    /// The place of the first event that `wanted` accepts.
    pub fn position(&self, wanted: impl Fn(&EventKind) -> bool) -> Option<usize> {
        self.kinds().position(wanted)
    }
}
