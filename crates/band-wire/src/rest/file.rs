//! Files of a room.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::message::Message;
use crate::{FileId, Stamp};

/// The header that names an upload: printable ASCII, at most [`Attachment::MAX_NAME`] bytes.
pub const FILE_NAME: &str = "x-file-name";
/// The header with an upload's SHA-256 in lower-case hexadecimal digits.
pub const FILE_SHA256: &str = "x-file-sha256";

/// A file of a room, as messages carry it and uploads answer it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// The file.
    pub id: FileId,
    /// Its name, as it was uploaded first.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// Its type, found by looking at what it holds; the header of the upload has no say.
    pub content_type: String,
    /// Its SHA-256 in lower-case hexadecimal digits.
    pub sha256: String,
    /// Whether there is a small picture of it.
    #[serde(default)]
    pub has_thumb: bool,
    /// When it goes away; null is never.
    #[serde(default)]
    pub expires_at: Option<Stamp>,
}

impl Attachment {
    /// The longest name, in bytes.
    pub const MAX_NAME: usize = 255;
    /// The greatest size in bytes that Band takes: 100 MB.
    pub const MAX_BYTES: u64 = 100_000_000;
}

impl Message {
    /// The files that the message carries; entries that are none are passed over.
    pub fn files(&self) -> Vec<Attachment> {
        self.attachments.iter().filter_map(|item| Attachment::deserialize(item).ok()).collect()
    }

    /// The same message with these files.
    #[must_use]
    pub fn with_files(mut self, files: &[Attachment]) -> Self {
        self.attachments =
            files.iter().map(|file| serde_json::to_value(file).unwrap_or(Value::Null)).collect();
        self
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_file_that_makes_no_sense_does_not_cost_the_others() {
        let id = "00000000-0000-0000-0000-000000000001";
        let file = json!({
            "id": id, "name": "a.txt", "bytes": 3, "content_type": "text/plain", "sha256": "00",
            "has_thumb": false, "expires_at": null,
        });
        let message: Message = serde_json::from_value(json!({
            "id": id, "content": "hi", "message_type": "text", "sender_id": id, "sender_type": "User",
            "attachments": [file, {"id": id}, 7],
        }))
        .unwrap();
        let files = message.files();
        assert_eq!(files.len(), 1);
        assert_eq!(message.with_files(&files).attachments, [file]);
    }
}
