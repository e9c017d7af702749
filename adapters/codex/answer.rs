//! The answer, told message by message, and no message twice.
//!
//! When the connection breaks, Codex asks the model again, and what it had told of the broken answer is told once more, or
//! told differently (recording `fail_xcut`, 0.171.0).

use crate::event::EventKind;

/// What stands between two messages.
const BETWEEN: &str = "\n\n";

/// The most messages of one answer that are remembered. More can only be nonsense, and are not taken back.
const FRESH: usize = 256;

/// A message as it was told.
#[derive(Clone, Debug)]
struct Message {
    /// What stood before it.
    before: &'static str,
    text: String,
}

/// The messages of a run so far.
#[derive(Debug, Default)]
pub(super) struct Messages {
    shown: bool,
    /// Messages of the answer that is being given, which a new attempt would repeat.
    fresh: Vec<Message>,
    /// Messages of a broken answer, oldest first, that the new attempt has not come to. They are the end of what is shown.
    broken: Vec<Message>,
}

impl Messages {
    /// Whether anything was told that still stands.
    pub(super) fn is_shown(&self) -> bool {
        self.shown
    }

    /// The model is asked anew: what it said may come again.
    pub(super) fn retry(&mut self) {
        self.fresh.append(&mut self.broken);
        std::mem::swap(&mut self.fresh, &mut self.broken);
    }

    /// Something else happened: what was said before it stands, and is not said again.
    pub(super) fn moved_on(&mut self) {
        self.fresh.clear();
        self.broken.clear();
    }

    /// A whole message.
    pub(super) fn message(&mut self, text: &str, events: &mut Vec<EventKind>) {
        if text.is_empty() {
            return;
        }
        if let Some(first) = self.broken.first() {
            if first.text == text {
                let again = self.broken.remove(0);
                self.fresh.push(again);
                return;
            }
            self.shown = !first.before.is_empty();
            let withdrawn =
                self.broken.drain(..).flat_map(|message| [message.before.to_owned(), message.text]).collect();
            events.push(EventKind::TextRetracted { text: withdrawn });
        }
        let message = Message { before: if self.shown { BETWEEN } else { "" }, text: text.to_owned() };
        events.push(EventKind::TextDelta { text: [message.before, text].concat() });
        self.shown = true;
        if self.fresh.len() >= FRESH {
            self.fresh.clear();
        }
        self.fresh.push(message);
    }
}
