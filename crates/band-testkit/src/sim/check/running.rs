//! Checked whenever a handler starts.

use band_wire::{ChatId, MessageId};

use super::super::watch::{End, Excuse, Watch};
use super::super::world::Process;

/// A handler begins.
pub(crate) fn begins(watch: &mut Watch, process: Process, room: ChatId, message: MessageId) {
    let mut found = Vec::new();
    if !watch.take_claim(process, message) {
        found.push(("unclaimed", format!("{message} starts without a claim")));
    }
    if let Some(other) =
        watch.runs.iter().find(|run| run.process == process && run.room == room && run.end.is_none())
    {
        found.push(("two-at-once", format!("{message} starts while {} still runs", other.message)));
    }
    let mut charged = 0;
    for run in watch.runs_of(process.agent, message) {
        let is_same_life = run.process.life == process.life && !watch.has_moved_since(run);
        match run.end {
            Some(End::Answered) if is_same_life => {
                found.push(("run-again", format!("{message} was answered by this process before")));
            }
            // A turn that ends as it is asked to is not charged.
            Some(End::Failed | End::Silent) if is_same_life && !watch.was_signalled(run) => charged += 1,
            _ => {}
        }
    }
    let unmarked = watch.is_excused(process.agent, message, Excuse::Unmarked);
    if charged >= watch.retries && !unmarked {
        found.push(("over-budget", format!("{message} has had its {charged} attempts")));
    }
    let ended = watch.ended.get(&(process.agent, message));
    let answered = watch.runs_of(process.agent, message).any(|run| run.end == Some(End::Answered));
    // Two processes may be at one message, or one after the other before the first one's mark is there.
    let has_rival = watch.rivals.contains(&process.agent);
    if let Some(life) = ended.filter(|life| **life < process.life && answered && !unmarked && !has_rival) {
        found.push(("run-again", format!("{message} was marked by life {life} already")));
    }
    let first = watch.runs_of(process.agent, message).next().is_none();
    if first
        && !has_rival
        && let Some(late) = overtaken(watch, process, room, message)
    {
        found.push(("order", format!("{message} is taken up before {late}")));
    }
    for (checker, text) in found {
        watch.violated(checker, format!("{process:?} in {room}: {text}"));
    }
}

/// An earlier message of the room that was never taken up. Ids grow with time.
fn overtaken(watch: &Watch, process: Process, room: ChatId, message: MessageId) -> Option<MessageId> {
    let earlier = watch.said.range(..message);
    let agent = process.agent;
    let mut missed = earlier
        .filter(|(_, said)| said.room == room && said.to.contains(&agent))
        .map(|(id, _)| *id)
        .filter(|id| watch.runs_of(agent, *id).next().is_none())
        .filter(|id| !watch.ended.contains_key(&(agent, *id)))
        .filter(|id| {
            let excused = |why| watch.is_excused(agent, *id, why);
            !excused(Excuse::Disturbed) && !excused(Excuse::Unclaimed) && !excused(Excuse::Interrupted)
        });
    missed.next()
}
