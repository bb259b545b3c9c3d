//! Whom a message that a model sends is for.

use std::time::Duration;

use band_core::turn::{MentionError, address};
use band_wire::ParticipantId;

use super::{RoomTools, ToolError};
use crate::error::{Error, Result};

/// How long after a fruitless look the participants are asked for once more: someone who was just brought in may
/// not be listed yet.
const RETRY_AFTER: Duration = Duration::from_millis(500);

/// Whom a message is for.
#[derive(Debug)]
pub(super) struct Resolved {
    pub(super) to: Vec<ParticipantId>,
    /// The agent had named itself beside others.
    pub(super) self_dropped: bool,
}

impl RoomTools {
    /// Finds those whom the mentions name: among those who are known, then among those who are there now, then
    /// once more a moment later.
    pub(super) async fn resolve<M: AsRef<str> + Sync>(&self, mentions: &[M]) -> Result<Resolved> {
        let me = self.shared.identity.id;
        let mut found = address(mentions, &self.participants(), me);
        if found.is_err() && !mentions.is_empty() {
            self.get_participants().await?;
            found = address(mentions, &self.participants(), me);
        }
        if matches!(found, Err(MentionError::Unknown { .. })) {
            self.pause(RETRY_AFTER).await?;
            self.get_participants().await?;
            found = address(mentions, &self.participants(), me);
        }
        let found = found.map_err(ToolError::from)?;
        if found.self_dropped {
            tracing::warn!(target: "band.tools", room = %self.room(), "left the agent itself out of the mentions");
        }
        let to = found.to.iter().map(|member| member.id).collect();
        Ok(Resolved { to, self_dropped: found.self_dropped })
    }

    async fn pause(&self, time: Duration) -> Result<()> {
        tokio::select! {
            biased;
            () = self.cancelled() => Err(Error::Cancelled),
            () = tokio::time::sleep(time) => Ok(()),
        }
    }
}
