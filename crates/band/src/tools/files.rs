//! The tools for the room's files: offered where the adapter chose them and the platform serves them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use band_wire::FileId;
use band_wire::rest::{Attachment, Cursored, Message, MessageSent, Paged};
use band_wire::text::has_visible;
use band_wire::tools::args::{SendRoomFileArgs, given};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::dispatch::told;
use super::port::{Answer, RestPort};
use super::{RoomTools, ToolError};
use crate::error::{Error, Result};
use crate::rest::ContextQuery;

/// Bytes of a file that is sent, at most.
pub const MAX_SENT: usize = 1_000_000;
/// Bytes of a text that is shown to a model, at most.
pub const MAX_SHOWN_TEXT: u64 = 16_384;
/// Bytes of a picture that is shown to a model, at most.
pub const MAX_SHOWN_IMAGE: u64 = 5_242_880;
/// Pictures that models read.
const IMAGES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];
/// Texts whose type does not say so.
const TEXTS: [&str; 11] = [
    "application/json",
    "application/javascript",
    "application/sql",
    "application/toml",
    "application/x-ndjson",
    "application/x-sh",
    "application/x-toml",
    "application/x-yaml",
    "application/xml",
    "application/yaml",
    "image/svg+xml",
];

/// Entries of a page of the room's past where a file is looked for.
const PAGE_SIZE: u32 = 100;
/// Pages looked through at most.
const PAGES: u32 = 50;
/// Files a room remembers without asking.
const REMEMBERED: usize = 1000;

/// The calls about a room's files.
pub(crate) trait FilePort: Send + Sync {
    /// Reads a page of the past.
    fn past<'a>(&'a self, query: &'a ContextQuery) -> Answer<'a, Paged<Message, Cursored>>;
    /// Uploads one.
    fn upload<'a>(&'a self, name: &'a str, content: Bytes) -> Answer<'a, Attachment>;
    /// The bytes of one.
    fn download(&self, file: FileId) -> Answer<'_, Bytes>;
    /// The files that were seen.
    fn seen(&self) -> &SeenFiles;
}

impl FilePort for RestPort {
    fn past<'a>(&'a self, query: &'a ContextQuery) -> Answer<'a, Paged<Message, Cursored>> {
        Box::pin(self.rest.context(self.room, query))
    }

    fn upload<'a>(&'a self, name: &'a str, content: Bytes) -> Answer<'a, Attachment> {
        Box::pin(self.rest.upload_file(self.room, name, content))
    }

    fn download(&self, file: FileId) -> Answer<'_, Bytes> {
        Box::pin(self.rest.download_file(self.room, file))
    }

    fn seen(&self) -> &SeenFiles {
        &self.seen
    }
}

/// The files of one room that were seen in its past, as many as are remembered.
#[derive(Debug, Default)]
pub(crate) struct SeenFiles(Mutex<Seen>);

#[derive(Debug, Default)]
struct Seen {
    files: BTreeMap<FileId, Attachment>,
    /// The oldest first.
    order: VecDeque<FileId>,
}

impl SeenFiles {
    fn note(&self, file: Attachment) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let id = file.id;
        if seen.files.insert(id, file).is_none() {
            seen.order.push_back(id);
        }
        while seen.files.len() > REMEMBERED
            && let Some(oldest) = seen.order.pop_front()
        {
            seen.files.remove(&oldest);
        }
    }

    fn get(&self, id: FileId) -> Option<Attachment> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).files.get(&id).cloned()
    }
}

/// One page of a room's files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileList {
    /// Those that messages of this page carry, each once.
    pub data: Vec<Attachment>,
    /// Where the next page begins, if there is one. A page may be empty and have a next one.
    pub next_cursor: Option<String>,
}

/// A file as a model gets to see it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileContent {
    /// A text. `replaced` says that some of its bytes were no UTF-8.
    Text {
        /// The file.
        file: Attachment,
        /// The text.
        text: String,
        /// Whether some bytes could not be read.
        replaced: bool,
    },
    /// A picture, in Base64.
    Image {
        /// The file.
        file: Attachment,
        /// Its bytes in Base64.
        data: String,
    },
    /// Its bytes were not fetched.
    NotShown {
        /// The file.
        file: Attachment,
        /// Why.
        reason: String,
    },
}

/// Files of the room.
impl RoomTools {
    /// The files of one page of the room's past, as far as the agent may see it.
    ///
    /// # Errors
    /// The platform refused or could not be reached.
    pub async fn list_room_files(&self, cursor: Option<&str>) -> Result<FileList> {
        let cursor = given(cursor).map(str::to_owned);
        let query = ContextQuery { cursor, ..ContextQuery::default() };
        let page = self.shared.port.past(&query).await.map_err(no_file)?;
        let next_cursor = page.metadata.next_cursor.clone().filter(|_| page.metadata.has_more);
        Ok(FileList { data: self.files_of(&page.data), next_cursor })
    }

    /// Reads a file: texts and pictures up to a size, of others only what they are.
    ///
    /// # Errors
    /// [`ToolError::NoFile`]: there is none, it has expired, or the platform serves none.
    pub async fn read_room_file(&self, file: FileId) -> Result<FileContent> {
        let file = self.find_file(file).await?;
        let reason = match kind(&file.content_type) {
            Kind::Text if file.bytes <= MAX_SHOWN_TEXT => {
                let bytes = self.shared.port.download(file.id).await.map_err(no_file)?;
                let text = String::from_utf8_lossy(&bytes);
                let replaced = matches!(text, std::borrow::Cow::Owned(_));
                return Ok(FileContent::Text { file, text: text.into_owned(), replaced });
            }
            Kind::Image if file.bytes <= MAX_SHOWN_IMAGE => {
                let bytes = self.shared.port.download(file.id).await.map_err(no_file)?;
                return Ok(FileContent::Image { file, data: STANDARD.encode(&bytes) });
            }
            Kind::Text => format!("exceeds the {MAX_SHOWN_TEXT}-byte inline text limit"),
            Kind::Image => format!("exceeds the {MAX_SHOWN_IMAGE}-byte inline image limit"),
            Kind::Other => "is not a previewable text or image type".to_owned(),
        };
        Ok(FileContent::NotShown { file, reason })
    }

    /// Sends a text file to those named. Without a caption the message names the file. Counts as the reply.
    ///
    /// # Errors
    /// The name or the size does not fit, nobody fitting is named, the turn was asked to end, or the platform refused.
    pub async fn send_room_file<M: AsRef<str> + Sync>(
        &self,
        content: impl Into<String> + Send,
        filename: &str,
        caption: &str,
        mentions: &[M],
    ) -> Result<(Attachment, MessageSent)> {
        let content = content.into();
        let caption =
            if has_visible(caption) { caption.to_owned() } else { format!("Shared a file: {filename}") };
        if filename.is_empty() || !filename.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
            return Err(ToolError::FileName(filename.to_owned()).into());
        }
        if content.len() > MAX_SENT {
            return Err(ToolError::FileTooLarge { bytes: content.len(), most: MAX_SENT }.into());
        }
        self.may_go_on()?;
        // First, so that nobody unknown leaves a file behind that no message names.
        let found = self.resolve(mentions).await?;
        let file = self.posted(self.shared.port.upload(filename, content.into()).await).map_err(no_file)?;
        self.shared.port.seen().note(file.clone());
        let sent = self.send_with(caption, found.to, vec![file.id.to_string()]).await?;
        Ok((file, sent))
    }

    async fn find_file(&self, id: FileId) -> Result<Attachment> {
        if let Some(file) = self.shared.port.seen().get(id).filter(is_there) {
            return Ok(file);
        }
        let mut query =
            ContextQuery { limit: Some(PAGE_SIZE), newest_first: true, ..ContextQuery::default() };
        let mut walked = 0;
        while walked < PAGES {
            let page = match self.shared.port.past(&query).await {
                // It does not know that order.
                Err(err) if query.newest_first && walked == 0 && err.status() == Some(422) => {
                    query.newest_first = false;
                    continue;
                }
                page => page.map_err(no_file)?,
            };
            walked += 1;
            if let Some(file) = self.files_of(&page.data).into_iter().find(|file| file.id == id) {
                return if is_there(&file) { Ok(file) } else { Err(ToolError::NoFile.into()) };
            }
            let next = page.metadata.next_cursor.filter(|_| page.metadata.has_more);
            if next.is_none() || next == query.cursor {
                break;
            }
            query.cursor = next;
        }
        Err(ToolError::NoFile.into())
    }

    /// The files of these messages, each once.
    fn files_of(&self, messages: &[Message]) -> Vec<Attachment> {
        let mut files: Vec<Attachment> = Vec::new();
        for file in messages.iter().flat_map(Message::files) {
            if files.iter().all(|known| known.id != file.id) {
                self.shared.port.seen().note(file.clone());
                files.push(file);
            }
        }
        files
    }

    pub(super) async fn do_read_room_file(&self, id: &str) -> Result<Value> {
        let id = id.parse().map_err(|_| ToolError::NoFile)?;
        let content = self.read_room_file(id).await?;
        Ok(match content {
            FileContent::Image { file, data } => {
                json!({ "content": [{ "type": "image", "data": data, "mimeType": file.content_type }] })
            }
            FileContent::Text { file, text, replaced } => {
                let note = replaced.then(|| "Some bytes are no UTF-8; each is shown as \u{fffd}.".to_owned());
                shown(&file, Some(text), note)
            }
            FileContent::NotShown { file, reason } => {
                let note = format!("File not shown inline: {reason}. Its contents were not fetched.");
                shown(&file, None, Some(note))
            }
        })
    }

    pub(super) async fn do_send_room_file(&self, args: SendRoomFileArgs) -> Result<Value> {
        let sent = self.send_room_file(args.content, &args.filename, &args.caption, &args.mentions).await;
        told(sent.map(|(attachment, sent)| json!({ "attachment": attachment, "message_id": sent.id })))
    }
}

fn shown(file: &Attachment, text: Option<String>, description: Option<String>) -> Value {
    let about = [
        ("name", Some(json!(file.name))),
        ("content_type", Some(json!(file.content_type))),
        ("bytes", Some(json!(file.bytes))),
        ("text", text.map(Value::String)),
        ("description", description.map(Value::String)),
    ];
    about.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect::<Map<_, _>>().into()
}

enum Kind {
    Text,
    Image,
    Other,
}

fn kind(content_type: &str) -> Kind {
    let bare = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if IMAGES.contains(&bare.as_str()) {
        Kind::Image
    } else if bare.starts_with("text/")
        || TEXTS.contains(&bare.as_str())
        || bare.ends_with("+json")
        || bare.ends_with("+xml")
    {
        Kind::Text
    } else {
        Kind::Other
    }
}

fn is_there(file: &Attachment) -> bool {
    file.expires_at.is_none_or(|until| until.as_micros() > Timestamp::now().as_microsecond())
}

fn no_file(err: Error) -> Error {
    if err.status() == Some(404) { ToolError::NoFile.into() } else { err }
}
