//! The rooms that the writer has at hand, so that a message costs no look-up of its room.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use band_core::platform::hub::Readers;
use band_core::platform::{Principal, Room};
use band_wire::ChatId;

use super::{StoreError, View};

/// Participants kept, over all rooms. When more come, all rooms are let go: a busy platform has its own back
/// at once.
const MAX_MEMBERS: usize = 100_000;

/// Rooms as they stand in the writer's open transaction. Every write to a room drops its entry.
#[derive(Debug, Default)]
pub(super) struct Rosters(RefCell<Kept>);

#[derive(Debug, Default)]
struct Kept {
    rooms: BTreeMap<ChatId, Arc<Room>>,
    members: usize,
}

impl Rosters {
    /// One room, from memory or from the database.
    pub(super) fn room(&self, view: View<'_>, chat: ChatId) -> Result<Option<Arc<Room>>, StoreError> {
        if let Some(room) = self.0.borrow().rooms.get(&chat) {
            return Ok(Some(Arc::clone(room)));
        }
        let Some(room) = view.room(chat)? else { return Ok(None) };
        let room = Arc::new(room);
        let mut kept = self.0.borrow_mut();
        // An empty room counts as well.
        kept.members += room.roster.len() + 1;
        if kept.members > MAX_MEMBERS {
            *kept = Kept { members: room.roster.len() + 1, ..Kept::default() };
        }
        kept.rooms.insert(chat, Arc::clone(&room));
        Ok(Some(room))
    }

    /// One room has changed.
    pub(super) fn forget(&self, chat: ChatId) {
        let mut kept = self.0.borrow_mut();
        if let Some(room) = kept.rooms.remove(&chat) {
            kept.members = kept.members.saturating_sub(room.roster.len() + 1);
        }
    }

    /// Any room may have changed.
    pub(super) fn forget_all(&self) {
        *self.0.borrow_mut() = Kept::default();
    }
}

/// The rooms after a commit, lent to those who hand its pushes on.
pub(super) struct AfterCommit<'a> {
    pub(super) rosters: &'a Rosters,
    pub(super) view: View<'a>,
}

impl Readers for AfterCommit<'_> {
    fn may_read(&self, who: Principal, chat: ChatId) -> bool {
        match self.rosters.room(self.view, chat) {
            Ok(room) => room.is_some_and(|room| room.access(who).may_read()),
            Err(error) => {
                tracing::error!(room = %chat, error = &error as &dyn std::error::Error, "can't tell who reads a room");
                false
            }
        }
    }
}
