//! What each room has said so far, and the turn that is adding to it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use band::tools::RoomTools;
use band_core::transcript::{Call, Exchange, Exchanged, Opaque, Outcome, Transcript};
use band_wire::ChatId;

/// The conversations of all rooms.
#[derive(Debug, Default)]
pub(super) struct Rooms(Mutex<BTreeMap<ChatId, Arc<Transcript>>>);

impl Rooms {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<ChatId, Arc<Transcript>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a room's conversation over, from its past.
    pub(super) fn begin(&self, room: ChatId, past: Transcript) {
        self.lock().insert(room, Arc::new(past));
    }

    /// Opens a room's conversation for a turn.
    pub(super) fn open<'r>(&'r self, room: ChatId, tools: &RoomTools) -> Talk<'r> {
        let transcript = Arc::clone(self.lock().entry(room).or_default());
        let before = Arc::clone(&transcript);
        Talk { rooms: self, room, tools: tools.clone(), transcript, before, pending: None, is_kept: false }
    }

    /// A room that was forgotten meanwhile stays forgotten.
    fn put(&self, room: ChatId, transcript: Arc<Transcript>) {
        if let Some(kept) = self.lock().get_mut(&room) {
            *kept = transcript;
        }
    }

    pub(super) fn forget(&self, room: ChatId) {
        self.lock().remove(&room);
    }

    pub(super) fn forget_all(&self) {
        self.lock().clear();
    }
}

/// A room's conversation while a turn adds to it. When it is dropped, what the turn said is kept if the turn went
/// well or the room has its answer; if not, the message will be handled again, or not at all, and may not stand
/// there unanswered.
#[derive(Debug)]
pub(super) struct Talk<'r> {
    rooms: &'r Rooms,
    room: ChatId,
    tools: RoomTools,
    transcript: Arc<Transcript>,
    before: Arc<Transcript>,
    pending: Option<Pending>,
    is_kept: bool,
}

/// Calls that are being run.
#[derive(Debug)]
struct Pending {
    said: String,
    opaque: Vec<Opaque>,
    answered: Vec<Exchanged>,
    open: std::collections::VecDeque<Call>,
}

impl Talk<'_> {
    /// The conversation as it is, to be looked at.
    pub(super) fn shared(&self) -> Arc<Transcript> {
        Arc::clone(&self.transcript)
    }

    /// The conversation, to be changed.
    pub(super) fn edit(&mut self) -> &mut Transcript {
        Arc::make_mut(&mut self.transcript)
    }

    /// A step with calls. Each gets its outcome by [`answer`](Self::answer), in order.
    pub(super) fn call(&mut self, said: String, opaque: Vec<Opaque>, calls: Vec<Call>) {
        self.pending = Some(Pending { said, opaque, answered: Vec::new(), open: calls.into() });
    }

    /// The outcome of the first call that has none.
    pub(super) fn answer(&mut self, outcome: Outcome) {
        let Some(pending) = &mut self.pending else { return };
        if let Some(call) = pending.open.pop_front() {
            pending.answered.push(Exchanged::new(call, outcome));
        }
        if pending.open.is_empty() {
            self.close();
        }
    }

    /// Puts the calls down; those without an outcome as interrupted.
    fn close(&mut self) {
        let Some(pending) = self.pending.take() else { return };
        let open = pending.open.into_iter().map(Exchanged::interrupted);
        let exchange = Exchange::new(pending.answered.into_iter().chain(open));
        if let Some(exchange) = exchange {
            let said = Some(pending.said).filter(|said| !said.is_empty());
            self.edit().push_exchange(exchange.said(said).opaque(pending.opaque));
        }
    }

    /// The turn went well.
    pub(super) const fn keep(&mut self) {
        self.is_kept = true;
    }
}

impl Drop for Talk<'_> {
    fn drop(&mut self) {
        let kept = if self.is_kept || self.tools.replied() {
            self.close();
            self.edit().end_turn();
            Arc::clone(&self.transcript)
        } else {
            Arc::clone(&self.before)
        };
        self.rooms.put(self.room, kept);
    }
}

#[cfg(test)]
mod tests {
    use band::testing::FakeTools;
    use band_core::transcript::{Entry, INTERRUPTED};
    use serde_json::Map;

    use super::*;

    #[test]
    fn a_turn_that_comes_to_nothing_leaves_no_trace() {
        let (rooms, fake) = (Rooms::default(), FakeTools::new());
        let tools = fake.tools();
        let mut talk = rooms.open(tools.room(), &tools);
        talk.edit().push_peer("Ada", "hi");
        drop(talk);
        assert!(rooms.open(tools.room(), &tools).shared().is_empty());
    }

    #[test]
    fn what_was_said_before_a_turn_was_cut_off_is_kept_once_the_room_has_its_answer() {
        let (rooms, fake) = (Rooms::default(), FakeTools::new());
        let tools = fake.tools();
        let mut talk = rooms.open(tools.room(), &tools);
        talk.edit().push_peer("Ada", "hi");
        let calls = ["1", "2"].map(|id| Call::new(id, "band_no_reply", Map::new()));
        talk.call(String::new(), Vec::new(), calls.into());
        tools.no_reply(None);
        talk.answer(Outcome::text("ok"));
        drop(talk);
        let kept = rooms.open(tools.room(), &tools).shared();
        let Some(Entry::Exchange(exchange)) = kept.entries().last() else { panic!("{kept:?}") };
        let outcomes: Vec<String> = exchange.calls().map(|one| one.outcome.as_text().into_owned()).collect();
        assert_eq!(outcomes, ["ok", INTERRUPTED]);
    }

    #[test]
    fn a_room_that_was_forgotten_stays_forgotten() {
        let (rooms, fake) = (Rooms::default(), FakeTools::new());
        let tools = fake.tools();
        let mut talk = rooms.open(tools.room(), &tools);
        talk.edit().push_peer("Ada", "hi");
        talk.keep();
        rooms.forget(tools.room());
        drop(talk);
        assert!(rooms.lock().is_empty());
    }
}
