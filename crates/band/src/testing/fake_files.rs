//! The files of a room that is made up.

use band_wire::rest::{Attachment, Cursored, Message, Paged};
use band_wire::{FileId, Id};
use bytes::Bytes;
use uuid::Uuid;

use super::fake_tools::{Said, answered, locked, not_found};
use crate::rest::ContextQuery;
use crate::tools::{Answer, FilePort, SeenFiles};

/// Files with their bytes, in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct FakeFiles {
    pub(super) stored: Vec<(Attachment, Bytes)>,
    pub(super) past: Vec<Message>,
}

impl FakeFiles {
    pub(super) fn store(&mut self, name: &str, content_type: &str, content: Bytes) -> Attachment {
        let number = u128::try_from(self.stored.len()).unwrap_or_default();
        let file = Attachment {
            id: Id::new(Uuid::from_u128(number.saturating_add(5000))),
            name: name.to_owned(),
            bytes: u64::try_from(content.len()).unwrap_or(u64::MAX),
            content_type: content_type.to_owned(),
            sha256: String::new(),
            has_thumb: false,
            expires_at: None,
        };
        self.stored.push((file.clone(), content));
        file
    }
}

/// The past comes on pages of two messages, so that walking them is tried.
const PAGE: usize = 2;

impl FilePort for Said {
    fn past<'a>(&'a self, query: &'a ContextQuery) -> Answer<'a, Paged<Message, Cursored>> {
        let past = &locked(&self.files).past;
        let start: usize = query.cursor.as_deref().and_then(|cursor| cursor.parse().ok()).unwrap_or_default();
        let mut all: Vec<Message> = past.clone();
        if query.newest_first {
            all.reverse();
        }
        let next = start.saturating_add(PAGE);
        let has_more = next < all.len();
        let data = all.into_iter().skip(start).take(PAGE).collect();
        let next_cursor = has_more.then(|| next.to_string());
        answered(Paged { data, metadata: Cursored { has_more, next_cursor, ..Cursored::default() } })
    }

    fn upload<'a>(&'a self, name: &'a str, content: Bytes) -> Answer<'a, Attachment> {
        if let Some(refused) = self.refused() {
            return refused;
        }
        answered(locked(&self.files).store(name, "text/plain", content))
    }

    fn download(&self, file: FileId) -> Answer<'_, Bytes> {
        let found = locked(&self.files).stored.iter().find(|(known, _)| known.id == file).cloned();
        found.map_or_else(not_found, |(_, content)| answered(content))
    }

    fn seen(&self) -> &SeenFiles {
        &self.seen
    }
}
