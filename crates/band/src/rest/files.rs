//! The calls about files.

use band_wire::rest::{Attachment, FILE_NAME, FILE_SHA256, routes};
use band_wire::{ChatId, FileId};
use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::client::{Call, RestClient};
use super::retry::Policy;
use crate::error::Result;

impl RestClient {
    /// Uploads a file into a room. The same bytes once more are the same file. `name` is printable ASCII.
    ///
    /// # Errors
    /// As for [`chats`](Self::chats); 404 where the platform serves no files, 413 for one that is too large.
    pub async fn upload_file(&self, chat: ChatId, name: &str, content: Bytes) -> Result<Attachment> {
        let digest: String = Sha256::digest(&content).iter().map(|byte| format!("{byte:02x}")).collect();
        let call = Call::put(routes::agent_files(chat), Policy::Repeatable)
            .header(FILE_NAME, name)?
            .header(FILE_SHA256, &digest)?
            .bytes(content, "text/plain");
        Ok(self.call(call).await?.data()?)
    }

    /// The bytes of a file.
    ///
    /// # Errors
    /// As for [`chats`](Self::chats); 404 when there is none in this room.
    pub async fn download_file(&self, chat: ChatId, file: FileId) -> Result<Bytes> {
        Ok(self.call(Call::get(routes::agent_file(chat, file))).await?.bytes())
    }
}
