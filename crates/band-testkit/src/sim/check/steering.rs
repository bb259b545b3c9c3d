//! What people's signals do: no handler starts in a room that is stopped, and one that runs ends soon.

use std::time::Duration;

use band_wire::{ChatId, MessageId};
use tokio::time::Instant;

use super::super::watch::{Excuse, Run, Watch};
use super::super::world::{Process, World};

/// A turn that was asked to end has ended within this time: the grace, and the signal's own way.
const ENDED: Duration = Duration::from_millis(2_500);

/// A stop whose push was sent so long ago was heard, if it was not disturbed.
const HEARD: Duration = Duration::from_secs(1);

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

/// A claim departs. In a room that is known to be stopped only an attempt that is over is claimed once more, to
/// be marked.
pub(crate) fn claims(watch: &mut Watch, process: Process, message: MessageId) {
    let Some(since) = watch.told_since(process, message).filter(|_| watch.is_faithful) else { return };
    let is_late = Instant::now() > since + HEARD;
    let was_run = watch.runs_of(process.agent, message).next().is_some();
    if is_late && !was_run && !watch.is_excused(process.agent, message, Excuse::Interrupted) {
        let text = format!("{process:?} claims {message} {:?} after it heard a stop", Instant::now() - since);
        watch.violated("while-stopped", text);
    }
}

/// A handler's run is over, in a simulation in which every push arrives in time.
pub(crate) fn ends(watch: &mut Watch, run: &Run) {
    let now = Instant::now();
    let is_late = |at: &Instant| *at > run.began && now > *at + ENDED;
    let signals = watch.signals.iter();
    let mut here = signals.filter(|(agent, room, _)| (*agent, *room) == (run.process.agent, run.room));
    if here.any(|(_, _, at)| is_late(at)) {
        let text = format!("{:?} in {}: {} went on after a signal", run.process, run.room, run.message);
        watch.violated("signal", text);
    }
}
