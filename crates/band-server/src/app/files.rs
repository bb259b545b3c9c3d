//! Files of rooms, on both sides.

use band_core::platform::files::{self, Declared, FileRow, Uploading};
use band_core::platform::page::{Key, List, Scope as Bound, Span};
use band_core::platform::{Principal, Refusal};
use band_wire::rest::query::FilesQuery;
use band_wire::rest::{Attachment, Cursored, Paged, code};
use band_wire::{ChatId, FileId, Stamp};
use tokio::fs::File;
use uuid::Uuid;

use super::{App, AppError, AppResult};
use crate::store::{Draft, Scope, View, WhoseFiles};

impl App {
    /// Begins an upload to a room.
    ///
    /// # Errors
    /// 404 for who takes no part in the room.
    pub async fn begin_upload(&self, who: Principal, chat: ChatId) -> AppResult<Draft> {
        let check = move |view: View<'_>| {
            let may = view.access(who, chat)?.may_write();
            if may { Ok(()) } else { Err(AppError::from(Refusal::not_found())) }
        };
        self.store().read(check).await?;
        Ok(self.files().draft().await?)
    }

    /// The next bytes of an upload.
    ///
    /// # Errors
    /// 413 when there are too many of them.
    pub async fn upload(&self, draft: &mut Draft, bytes: &[u8]) -> AppResult<()> {
        if draft.bytes().saturating_add(bytes.len() as u64) > Attachment::MAX_BYTES {
            let text = format!("A file may have {} bytes", Attachment::MAX_BYTES);
            return Err(Refusal::new(413, code::PAYLOAD_TOO_LARGE, text).into());
        }
        Ok(draft.push(bytes).await?)
    }

    /// Ends an upload: the file of the room with this content, new or known.
    ///
    /// # Errors
    /// 404 for who takes no part in the room any more, 422 for another digest than was declared.
    pub async fn finish_upload(
        &self,
        who: Principal,
        chat: ChatId,
        declared: Declared,
        mut draft: Draft,
    ) -> AppResult<Attachment> {
        let new = FileRow {
            id: FileId::new(Uuid::now_v7()),
            chat,
            name: declared.name.clone(),
            bytes: draft.bytes(),
            content_type: content_type(&draft).to_owned(),
            sha256: draft.sha256(),
            uploader: who.participant(),
            inserted_at: Stamp::from_micros(0),
        };
        let id = new.id;
        if new.sha256 == declared.sha256 {
            self.files().keep(&mut draft, id).await?;
        }
        let command = move |scope: &mut Scope<'_>| {
            let room = scope.room(chat)?.ok_or_else(Refusal::not_found)?;
            let known = scope.view().file_by_content(chat, &new.sha256)?;
            let new = FileRow { inserted_at: scope.now(), ..new };
            let facts = Uploading { room: &room, known, new, declared: &declared };
            Ok::<_, AppError>(scope.carry_out(files::upload(facts, who)?)?)
        };
        let stored = self.store().write(command).await;
        match &stored {
            Ok(row) if row.id == id => {}
            // Nobody knows whether the row is there. Without one, the next start removes the content.
            Err(AppError::Failed(_)) => {}
            Ok(_) | Err(AppError::Refused(_)) => self.files().remove(id).await?,
        }
        Ok(stored?.attachment())
    }

    /// A file of a room.
    ///
    /// # Errors
    /// 404 for who can't read the room, and for no file of it.
    pub async fn file(&self, who: Principal, chat: ChatId, file: FileId) -> AppResult<FileRow> {
        let load = move |view: View<'_>| {
            view.access(who, chat)?.read()?;
            Ok::<_, AppError>(view.file(chat, file)?.ok_or_else(Refusal::not_found)?)
        };
        self.store().read(load).await
    }

    /// What a file holds, from a byte on.
    ///
    /// # Errors
    /// It can't be read.
    pub async fn content(&self, file: FileId, start: u64) -> AppResult<File> {
        Ok(self.files().read(file, start).await?)
    }

    /// The files of a room that the caller may know of, the newest first: for agents those that they uploaded
    /// or that messages of theirs or for them carry, for people all.
    ///
    /// # Errors
    /// 404 for who can't read the room, 422 for a bad cursor.
    pub async fn room_files(
        &self,
        who: Principal,
        chat: ChatId,
        query: FilesQuery,
    ) -> AppResult<Paged<Attachment, Cursored>> {
        let span = Span::read(&query.page.into(), Bound { list: List::Files, order: 0, filter: 0 })?;
        let whose = match who {
            Principal::Agent { id, .. } => WhoseFiles::Agent(id),
            Principal::User(_) => WhoseFiles::Room,
        };
        let load = move |view: View<'_>| {
            view.access(who, chat)?.read()?;
            let found = view.files(chat, whose, &span.position, span.wanted())?;
            let place = |row: &FileRow| (Key::Number(row.inserted_at.as_micros()), row.id.uuid());
            let (found, metadata) = span.page(found, None, place);
            let data = found.iter().map(FileRow::attachment).collect();
            Ok::<_, AppError>(Paged { data, metadata })
        };
        self.store().read(load).await
    }
}

/// The type of what has arrived. What reads as text is text, whatever its first letters look like.
fn content_type(draft: &Draft) -> &'static str {
    let head = draft.head();
    let is_whole = draft.bytes() == head.len() as u64;
    let guess = infer::get(head).map(|found| found.mime_type());
    match (files::text_type(head, is_whole), guess) {
        (Some(_), Some(guess)) if guess.starts_with("text/") || guess == "application/pdf" => guess,
        (Some(text), _) => text,
        (None, Some(guess)) if !guess.starts_with("text/") => guess,
        (None, _) => "application/octet-stream",
    }
}
