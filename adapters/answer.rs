//! The answer as it has been shown so far: joins messages, drops what comes twice, takes back what a retry replaced.
//!
//! Agents stream a message as deltas and then tell it in full. When Copilot's connection breaks in the middle it asks the
//! model again and streams a new message from the start (measured on 1.0.102: `assistant.turn_retry`, then another
//! message id), and so does Claude Code, which does not say so on 2.1.197. What was shown of the broken one stays until the new text departs from it.

use std::collections::VecDeque;

use crate::event::EventKind;

/// What stands between two messages of one answer, as in Copilot's own text output.
const SEPARATOR: &str = "\n\n";
/// Longest message that is kept to compare a retry with; a longer one is not taken back.
const KEPT: usize = 4 << 20;
/// How many earlier messages are remembered, so that their late full text is not taken for a new one.
const EARLIER: usize = 64;

/// The text shown of the current message, and where a retry of it stands.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    id: String,
    /// What is shown of the current message, without the separator.
    shown: String,
    /// Whether the separator was shown before it.
    separated: bool,
    /// Whether an earlier message is shown.
    before: bool,
    /// While a retry repeats what is shown: how many bytes of it have come again.
    matched: Option<usize>,
    /// Whether the retry's own message has begun.
    attempt: bool,
    /// Whether the message has been told in full.
    complete: bool,
    /// Whether the message is too long to be kept.
    overlong: bool,
    earlier: VecDeque<String>,
    /// Whether a message that begins before the last was told in full is a retry, for versions that do not say so.
    infers: bool,
}

impl Answer {
    /// An answer of a version that does not tell retries.
    pub(crate) fn inferring(infers: bool) -> Answer {
        Answer { infers, ..Answer::default() }
    }

    /// Takes a piece of a message.
    pub(crate) fn delta(&mut self, id: &str, text: &str, events: &mut Vec<EventKind>) {
        if text.is_empty() {
            return;
        }
        if id != self.id {
            self.begin(id, events);
        }
        match self.matched {
            Some(matched) => self.repeat(matched, text, events),
            None => self.show(text, events),
        }
    }

    /// Takes a message in full: shows what the pieces left out.
    pub(crate) fn message(&mut self, id: &str, content: &str, events: &mut Vec<EventKind>) {
        if id != self.id {
            if self.earlier.iter().any(|earlier| earlier == id) {
                return;
            }
            self.begin(id, events);
        }
        if let Some(matched) = self.matched {
            if let Some(rest) = content.strip_prefix(&self.shown[..matched]) {
                self.repeat(matched, rest, events);
            }
            self.settle(events);
        } else if !self.overlong
            && let Some(rest) = content.strip_prefix(self.shown.as_str())
        {
            let rest = rest.to_owned();
            self.show(&rest, events);
        }
        self.complete = true;
    }

    /// The agent asks the model again: what is shown of the unfinished message waits for the new attempt.
    pub(crate) fn retry(&mut self) {
        if !self.complete && !self.overlong && !self.shown.is_empty() {
            self.matched = Some(0);
            self.attempt = false;
        }
    }

    /// A new turn begins: what is shown stays.
    pub(crate) fn turn(&mut self, events: &mut Vec<EventKind>) {
        if self.matched.is_some() {
            self.settle(events);
        }
        self.complete = true;
    }

    /// Takes back what the last attempt did not repeat.
    pub(crate) fn settle(&mut self, events: &mut Vec<EventKind>) {
        let Some(matched) = self.matched.take() else { return };
        let mut text = self.shown.split_off(matched);
        if matched == 0 && self.separated {
            text.insert_str(0, SEPARATOR);
            self.separated = false;
        }
        if !text.is_empty() {
            events.push(EventKind::TextRetracted { text });
        }
    }

    /// Whether any text is shown.
    pub(crate) fn is_shown(&self) -> bool {
        self.before || self.overlong || !self.shown.is_empty()
    }

    fn begin(&mut self, id: &str, events: &mut Vec<EventKind>) {
        if self.earlier.len() == EARLIER {
            self.earlier.pop_front();
        }
        self.earlier.push_back(std::mem::replace(&mut self.id, id.to_owned()));
        if self.infers && self.matched.is_none() {
            self.retry();
        }
        if self.matched.is_some() && !self.attempt {
            self.attempt = true;
            return;
        }
        self.settle(events);
        self.before = self.is_shown();
        self.shown.clear();
        self.separated = false;
        self.complete = false;
        self.overlong = false;
    }

    /// Compares a piece of a new attempt with what is shown.
    fn repeat(&mut self, matched: usize, text: &str, events: &mut Vec<EventKind>) {
        let held = &self.shown[matched..];
        let common = common_prefix(held, text);
        let (departs, ends) = (common < text.len() && common < held.len(), common == held.len());
        self.matched = (!departs && !ends).then_some(matched + common);
        if departs {
            let text = self.shown.split_off(matched + common);
            events.push(EventKind::TextRetracted { text });
        }
        self.show(&text[common..], events);
    }

    fn show(&mut self, text: &str, events: &mut Vec<EventKind>) {
        if text.is_empty() {
            return;
        }
        let first = self.shown.is_empty() && !self.overlong;
        if first && self.before && !self.separated {
            self.separated = true;
            events.push(EventKind::TextDelta { text: [SEPARATOR, text].concat() });
        } else {
            events.push(EventKind::TextDelta { text: text.to_owned() });
        }
        if self.overlong || self.shown.len() + text.len() > KEPT {
            self.overlong = true;
            self.shown = String::new();
        } else {
            self.shown.push_str(text);
        }
    }
}

/// The length of what two texts begin with alike, in bytes, on a character boundary of both.
fn common_prefix(a: &str, b: &str) -> usize {
    let mut common = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    while !(a.is_char_boundary(common) && b.is_char_boundary(common)) {
        common -= 1;
    }
    common
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Answer;
    use crate::event::EventKind;

    /// What a host that follows the events shows.
    fn shown(events: &[EventKind]) -> String {
        let mut text = String::new();
        for event in events {
            match event {
                EventKind::TextDelta { text: more } => text.push_str(more),
                EventKind::TextRetracted { text: less } => {
                    assert!(text.ends_with(less.as_str()), "retracts `{less}` from `{text}`");
                    text.truncate(text.len() - less.len());
                }
                other => panic!("not a text event: {other:?}"),
            }
        }
        text
    }

    fn delta(text: &str) -> EventKind {
        EventKind::TextDelta { text: text.into() }
    }

    fn retracted(text: &str) -> EventKind {
        EventKind::TextRetracted { text: text.into() }
    }

    #[test]
    fn an_untold_retry_is_inferred_within_a_turn_only() {
        let (mut answer, mut events) = (Answer::inferring(true), Vec::new());
        answer.delta("1", "one two", &mut events);
        answer.delta("2", "one more", &mut events);
        answer.turn(&mut events);
        answer.delta("3", "end", &mut events);
        assert_eq!(events, [delta("one two"), retracted("two"), delta("more"), delta("\n\nend")]);
    }

    #[test]
    fn a_retry_that_repeats_shows_nothing_twice() {
        let (mut answer, mut events) = (Answer::default(), Vec::new());
        answer.delta("1", "one two", &mut events);
        answer.retry();
        answer.delta("2", "one ", &mut events);
        answer.delta("2", "two three", &mut events);
        answer.message("2", "one two three", &mut events);
        answer.settle(&mut events);
        assert_eq!(events, [delta("one two"), delta(" three")]);
    }

    #[test]
    fn a_retry_that_departs_takes_back_the_rest() {
        let (mut answer, mut events) = (Answer::default(), Vec::new());
        answer.delta("1", "one two", &mut events);
        answer.retry();
        answer.delta("2", "one more", &mut events);
        assert_eq!(events, [delta("one two"), retracted("two"), delta("more")]);
    }

    #[test]
    fn a_retry_departs_between_characters_and_never_within_one() {
        let (mut answer, mut events) = (Answer::default(), Vec::new());
        answer.delta("1", "né", &mut events);
        answer.retry();
        answer.delta("2", "nè!", &mut events);
        assert_eq!(events, [delta("né"), retracted("é"), delta("è!")]);
    }

    #[test]
    fn a_retry_that_says_less_takes_back_the_rest_at_the_end() {
        let (mut answer, mut events) = (Answer::default(), Vec::new());
        answer.delta("0", "first", &mut events);
        answer.message("0", "first", &mut events);
        answer.delta("1", "second", &mut events);
        answer.retry();
        answer.settle(&mut events);
        assert_eq!(events, [delta("first"), delta("\n\nsecond"), retracted("\n\nsecond")]);
        assert!(answer.is_shown());
    }

    #[test]
    fn a_retry_that_only_calls_a_tool_takes_back_the_partial_text() {
        let (mut answer, mut events) = (Answer::default(), Vec::new());
        answer.delta("1", "let me", &mut events);
        answer.retry();
        answer.message("2", "", &mut events);
        assert_eq!(events, [delta("let me"), retracted("let me")]);
        assert!(!answer.is_shown());
    }

    #[test]
    fn a_full_message_that_comes_late_is_not_shown_again() {
        let (mut answer, mut events) = (Answer::default(), Vec::new());
        answer.delta("1", "a", &mut events);
        answer.delta("2", "b", &mut events);
        answer.message("1", "a", &mut events);
        answer.message("2", "b", &mut events);
        assert_eq!(shown(&events), "a\n\nb");
    }

    #[derive(Clone, Debug)]
    enum Step {
        Delta(u8, String),
        Message(u8, String),
        Retry,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            4 => (0..4u8, "[abé]{0,4}").prop_map(|(id, text)| Step::Delta(id, text)),
            1 => (0..4u8, "[abé]{0,6}").prop_map(|(id, text)| Step::Message(id, text)),
            1 => Just(Step::Retry),
        ];
        proptest::collection::vec(step, 0..24)
    }

    proptest! {
        /// Whatever comes, a retraction is always exactly the end of what is shown.
        #[test]
        fn a_retraction_is_always_the_end_of_what_is_shown(steps in steps()) {
            let (mut answer, mut events) = (Answer::default(), Vec::new());
            for step in steps {
                match step {
                    Step::Delta(id, text) => answer.delta(&id.to_string(), &text, &mut events),
                    Step::Message(id, text) => answer.message(&id.to_string(), &text, &mut events),
                    Step::Retry => answer.retry(),
                }
            }
            answer.settle(&mut events);
            prop_assert_eq!(!shown(&events).is_empty(), answer.is_shown());
        }

        /// However often the connection breaks, the last attempt is what is shown in the end.
        #[test]
        fn the_last_attempt_is_what_is_shown(broken in proptest::collection::vec("[ab]{0,6}", 0..4), last in "[ab]{1,8}", cut in 0..8usize) {
            let (mut answer, mut events) = (Answer::default(), Vec::new());
            for (id, text) in broken.iter().enumerate() {
                answer.delta(&id.to_string(), text, &mut events);
                answer.retry();
            }
            let (head, tail) = last.split_at(cut.min(last.len()));
            answer.delta("last", head, &mut events);
            answer.delta("last", tail, &mut events);
            answer.message("last", &last, &mut events);
            prop_assert_eq!(shown(&events), last);
        }
    }
}
