//! The rooms that the writer has at hand, so that a message costs no look-up of its room.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use band_core::platform::hub::Readers;
use band_core::platform::{Principal, Room};
use band_wire::ChatId;

use super::{StoreError, View};

/// Rooms kept. When one more comes, all are let go: a busy platform has them back at once.
const MAX_ROOMS: usize = 4_096;

/// Rooms as they stand in the writer's open transaction. Every write to a room drops its entry.
#[derive(Debug, Default)]
pub(super) struct Rosters(RefCell<BTreeMap<ChatId, Arc<Room>>>);

impl Rosters {
    /// One room, from memory or from the database.
    pub(super) fn room(&self, view: View<'_>, chat: ChatId) -> Result<Option<Arc<Room>>, StoreError> {
        if let Some(room) = self.0.borrow().get(&chat) {
            return Ok(Some(Arc::clone(room)));
        }
        let Some(room) = view.room(chat)? else { return Ok(None) };
        let room = Arc::new(room);
        let mut rooms = self.0.borrow_mut();
        if rooms.len() >= MAX_ROOMS {
            rooms.clear();
        }
        rooms.insert(chat, Arc::clone(&room));
        Ok(Some(room))
    }

    /// One room has changed.
    pub(super) fn forget(&self, chat: ChatId) {
        self.0.borrow_mut().remove(&chat);
    }

    /// Any room may have changed.
    pub(super) fn forget_all(&self) {
        self.0.borrow_mut().clear();
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
