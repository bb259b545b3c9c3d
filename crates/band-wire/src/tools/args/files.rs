//! Files of the room.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{MENTIONS, Problems, ToolArgs};
use super::rules::resource_id;

/// List files that were shared in this room, as far as you can see its past. A page may be empty and still name a next
/// one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListRoomFilesArgs {
    /// next_cursor of the page before.
    pub cursor: Option<String>,
}

impl ToolArgs for ListRoomFilesArgs {}

/// Read a file of this room: text up to 16 KiB and pictures up to 5 MiB are shown to you, of others you learn
/// name, type and size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReadRoomFileArgs {
    /// The file's id, from a message or band_list_room_files.
    pub file_id: String,
}

impl ToolArgs for ReadRoomFileArgs {
    fn rules(&self, problems: &mut Problems) {
        resource_id(problems, "file_id", &self.file_id);
    }
}

/// Share a text file with those you mention. It is a message with the file attached, so it counts as your answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SendRoomFileArgs {
    /// The text of the file, 1,000,000 bytes at most.
    pub content: String,
    /// Its name, in plain ASCII: report.md.
    pub filename: String,
    /// What the message says. Without one it names the file.
    #[serde(default)]
    pub caption: String,
    /// Whom it is for, one at least.
    #[schemars(description = MENTIONS)]
    pub mentions: Vec<String>,
}

impl ToolArgs for SendRoomFileArgs {}
