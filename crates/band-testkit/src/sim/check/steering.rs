//! Checked whenever a handler starts: whether a person has stopped the agent in the room.

use std::time::Duration;

use band_wire::{ChatId, MessageId};

use super::super::world::{Process, World};

/// A stop that is older must have been noticed: the claim that a start needs is refused.
const NOTICED: Duration = Duration::from_secs(60);

/// A handler begins.
pub(crate) fn begins(world: &mut World, process: Process, room: ChatId, message: MessageId) {
    let Some(since) = world.stopped_since(process.agent, room) else { return };
    let stopped_for = world.now().since(since);
    if stopped_for > NOTICED {
        let text = format!("{process:?} in {room}: {message} starts {stopped_for:?} after the stop");
        world.watch.violated("while-stopped", text);
    }
}
