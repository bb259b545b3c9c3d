//! What the agent's loop leaves for a room's task. It never waits, and never loses what must not get lost.

use std::collections::VecDeque;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use band_core::room::{Control, Member, QUEUE_MAX, Updates};
use band_wire::rest::Message;
use tokio::time::Instant;

use crate::sync::{AtomicBool, Mutex, MutexGuard, Notify};

/// Steering signals that wait; of more, the oldest are dropped: the newest say what holds.
const CONTROLS: usize = 64;

/// Something that happened in a room.
#[derive(Debug)]
pub(super) enum News {
    Message(Box<Message>),
    Synthetic(Box<Message>),
    Arrived(Box<Member>),
    Left(Box<Member>),
}

/// All that happened since the last look, in the order in which the task should hear of it.
#[derive(Debug, Default)]
pub(super) struct Mail {
    /// Pushes went missing.
    pub(super) gap: bool,
    /// The topics are joined again since.
    pub(super) subscribed: bool,
    /// Something may have been missed.
    pub(super) resync: bool,
    /// The agent's contacts are handled here.
    pub(super) hub: bool,
    pub(super) controls: VecDeque<Control>,
    pub(super) news: VecDeque<News>,
    /// The room is to close; a turn may finish until then.
    pub(super) close: Option<Option<Instant>>,
}

/// The mailbox of one room.
#[derive(Debug, Default)]
pub(super) struct Mailbox {
    mail: Mutex<Mail>,
    /// The room closes because the agent stops.
    agents_end: AtomicBool,
    updates: Mutex<Updates>,
    arrived: Notify,
}

impl Mailbox {
    fn put(&self, change: impl FnOnce(&mut Mail)) {
        change(&mut self.lock());
        self.arrived.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Mail> {
        self.mail.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What does not fit is replaced by a look at the platform.
    pub(super) fn news(&self, news: News) {
        self.put(|mail| {
            if mail.news.len() < QUEUE_MAX {
                mail.news.push_back(news);
            } else {
                mail.resync = true;
            }
        });
    }

    pub(super) fn subscribed(&self) {
        self.put(|mail| mail.subscribed = true);
    }

    pub(super) fn unsubscribed(&self) {
        self.put(|mail| {
            mail.gap = true;
            mail.subscribed = false;
        });
    }

    /// A text for the model, with the room's next turn. Of more than a hundred, the oldest are forgotten.
    pub(super) fn system(&self, text: String) {
        self.updates().push(text);
    }

    /// A message of the agent's own, for its own eyes. What does not fit is lost, and said so in the log.
    pub(super) fn synthetic(&self, message: Box<Message>) {
        self.put(|mail| {
            if mail.news.len() < QUEUE_MAX {
                mail.news.push_back(News::Synthetic(message));
            } else {
                tracing::warn!(target: "band.room", "too much waits for a room: a contact event was lost");
            }
        });
    }

    /// The agent's contacts are handled in this room.
    pub(super) fn hub(&self) {
        self.put(|mail| mail.hub = true);
    }

    /// What the room's next turn is to be told besides its message.
    pub(super) fn updates(&self) -> MutexGuard<'_, Updates> {
        self.updates.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn resync(&self) {
        self.put(|mail| mail.resync = true);
    }

    pub(super) fn control(&self, control: Control) {
        self.put(|mail| {
            if mail.controls.len() >= CONTROLS {
                mail.controls.pop_front();
            }
            mail.controls.push_back(control);
        });
    }

    pub(super) fn close(&self, by: Option<Instant>) {
        self.put(|mail| mail.close = Some(mail.close.map_or(by, |known| sooner(known, by))));
    }

    /// The same, because the agent stops.
    pub(super) fn close_for_good(&self, by: Option<Instant>) {
        self.agents_end.store(true, Ordering::Release);
        self.close(by);
    }

    pub(super) fn is_agents_end(&self) -> bool {
        self.agents_end.load(Ordering::Acquire)
    }

    /// Waits for mail and takes all of it. May be dropped and called again.
    pub(super) async fn take(&self) -> Mail {
        self.arrived.notified().await;
        std::mem::take(&mut *self.lock())
    }
}

/// The sooner of two ends; none is at once.
pub(super) fn sooner(one: Option<Instant>, other: Option<Instant>) -> Option<Instant> {
    one.zip(other).map(|(one, other)| one.min(other))
}

#[cfg(test)]
#[cfg(feature = "shuttle")]
mod interleavings;

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_gap_is_told_even_when_it_is_closed_again() {
        let mailbox = Mailbox::default();
        mailbox.unsubscribed();
        mailbox.subscribed();
        let mail = mailbox.take().await;
        assert!(mail.gap && mail.subscribed);
        mailbox.subscribed();
        mailbox.unsubscribed();
        let mail = mailbox.take().await;
        assert!(mail.gap && !mail.subscribed);
    }

    #[tokio::test]
    async fn what_does_not_fit_becomes_a_resync() {
        let mailbox = Mailbox::default();
        let gone = Member {
            id: band_wire::Id::new(uuid::Uuid::nil()),
            kind: band_wire::rest::SenderType::User.into(),
            name: None,
            handle: None,
            description: None,
        };
        for _ in 0..=QUEUE_MAX {
            mailbox.news(News::Left(Box::new(gone.clone())));
        }
        let mail = mailbox.take().await;
        assert!(mail.resync);
        assert_eq!(mail.news.len(), QUEUE_MAX);
    }
}
