//! Checked when all faults have ended and everything should have come to rest.

use std::collections::BTreeMap;
use std::sync::Arc;

use band_wire::rest::DeliveryStatus;
use band_wire::{ChatId, MessageId};

use super::super::watch::{End, Excuse, Said};
use super::super::world::{Net, Process, World};

/// A message and an agent that it mentions.
struct Mention {
    message: MessageId,
    agent: usize,
    said: Said,
    status: Option<DeliveryStatus>,
}

/// All that was said, to everyone it was said to.
fn mentions(world: &World) -> Vec<Mention> {
    let mut all = Vec::new();
    for (message, said) in &world.watch.said {
        for agent in &said.to {
            let status = status(world, *agent, said.room, *message);
            all.push(Mention { message: *message, agent: *agent, said: said.clone(), status });
        }
    }
    all
}

fn status(world: &World, agent: usize, room: ChatId, message: MessageId) -> Option<DeliveryStatus> {
    let id = world.actors.get(agent)?.id;
    let (seq, _) = world.platform.store().message(room, message)?;
    world.platform.store().mentions(id, room).find(|(at, _)| *at == seq)?.1.status()
}

impl Mention {
    fn excused(&self, world: &World, why: Excuse) -> bool {
        world.watch.is_excused(self.agent, self.message, why)
    }

    /// Whether the last word on it has been spoken: no later look will change anything.
    fn is_settled(&self, world: &World) -> bool {
        let running = world.watch.runs_of(self.agent, self.message).any(|run| run.end.is_none());
        match self.status {
            Some(DeliveryStatus::Processed) => !running,
            Some(DeliveryStatus::Failed) => !running && self.may_fail(world) && self.is_exhausted(world),
            _ => !running && self.excused(world, Excuse::Unmarked),
        }
    }

    /// Whether the process that runs now has made all attempts that it may.
    fn is_exhausted(&self, world: &World) -> bool {
        let Some(actor) = world.actors.get(self.agent) else { return false };
        let made = |life: u32| {
            let runs = world.watch.runs_of(self.agent, self.message);
            runs.filter(|run| run.process.life == life && run.end != Some(End::NotAccepted)).count()
        };
        let most = usize::try_from(world.watch.retries).unwrap_or(usize::MAX);
        actor.alive.iter().any(|life| made(*life) >= most) || self.excused(world, Excuse::Unmarked)
    }

    fn may_fail(&self, world: &World) -> bool {
        let has_failed =
            |end| matches!(end, End::Failed | End::Silent | End::Unposted | End::Dropped | End::Cancelled);
        self.said.how.always_fails()
            || world.watch.runs_of(self.agent, self.message).any(|run| run.end.is_some_and(has_failed))
    }
}

/// Whether nothing is left to do.
pub(crate) fn is_quiet(world: &World) -> bool {
    let is_running = world.watch.runs.iter().any(|run| run.end.is_none());
    let is_asked = world.watch.asked.iter().any(|(_, request)| world.platform.is_pending(*request));
    !is_running && !is_asked && mentions(world).iter().all(|mention| mention.is_settled(world))
}

/// What a process could not see on its disk it may do again.
pub(crate) fn remembers(world: &mut World, agent: usize) {
    if world.actors.get(agent).is_some_and(|actor| actor.disk.take_hidden()) {
        forgets(world, agent);
    }
}

/// What was done before may be done again, unless the platform knows of it.
fn forgets(world: &mut World, agent: usize) {
    let open: Vec<MessageId> = mentions(world)
        .iter()
        .filter(|mention| mention.agent == agent && mention.status != Some(DeliveryStatus::Processed))
        .map(|mention| mention.message)
        .collect();
    open.into_iter().for_each(|message| world.watch.ended.retain(|ended, _| *ended != (agent, message)));
}

/// An agent starts, perhaps once more in the same process: it knows what its disk knows, and nothing else.
pub(crate) fn starts(world: &mut World, process: Process) {
    let Process { agent, .. } = process;
    world.watch.forget_waits(process);
    if world.actors.get(agent).is_some_and(|actor| actor.disk.take_lost()) {
        forgets(world, agent);
        for room in world.rooms.clone() {
            world.watch.moved(agent, room);
        }
    }
}

/// A person interrupts: what is open there may be consumed without a reply.
pub(crate) fn interrupted(world: &mut World, agent: usize, room: ChatId) {
    let here = world.watch.said.iter().filter(|(_, said)| said.room == room && said.to.contains(&agent));
    let open: Vec<MessageId> = here
        .map(|(message, _)| *message)
        .filter(|message| status(world, agent, room, *message) != Some(DeliveryStatus::Processed))
        .collect();
    open.into_iter().for_each(|message| world.watch.excuse(agent, message, Excuse::Interrupted));
    *world.watch.interrupts.entry((agent, room)).or_default() += 1;
}

/// Everything that was said has come to its end.
pub(crate) fn at_rest(net: &Arc<Net>) {
    let mut world = net.lock();
    let mut found = Vec::new();
    for mention in mentions(&world) {
        let Mention { message, agent, status, .. } = &mention;
        if !mention.is_settled(&world) {
            found.push(("handled", format!("{message} for agent {agent} is left as {status:?}")));
        }
        // A later life that does not know of an answer may run it once more, and that end counts.
        let last = world.watch.runs_of(*agent, *message).last();
        if last.is_some_and(|run| run.end == Some(End::Answered))
            && *status != Some(DeliveryStatus::Processed)
            && !mention.excused(&world, Excuse::Unmarked)
        {
            found
                .push(("ack", format!("{message} was answered by agent {agent}, and is left as {status:?}")));
        }
        replies(&world, &mention, &mut found);
    }
    consumed(&world, &mut found);
    let asked = world.watch.asked.iter().filter(|(_, request)| world.platform.is_pending(*request));
    found.extend(asked.map(|(agent, request)| {
        ("contact", format!("agent {agent} was asked to be a contact, and left {request} as it was"))
    }));
    found.into_iter().for_each(|(checker, text)| world.watch.violated(checker, text));
}

/// Each reply is visible once, and none is missing.
fn replies(world: &World, mention: &Mention, found: &mut Vec<(&'static str, String)>) {
    let Mention { message, agent, said, status } = mention;
    let Some(actor) = world.actors.get(*agent) else { return };
    let mut seen: BTreeMap<u32, u32> = BTreeMap::new();
    let own = format!("re {message} ");
    for (_, stored) in world.platform.store().timeline(said.room) {
        let is_own = stored.sender_id == actor.id.into() && stored.message_type == "text";
        let Some((_, rest)) = stored.content.split_once(&own).filter(|_| is_own) else { continue };
        let ordinal = rest.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(u32::MAX);
        *seen.entry(ordinal).or_default() += 1;
    }
    for (ordinal, count) in &seen {
        if *count > 1 {
            found.push((
                "one-reply",
                format!("agent {agent}: reply {ordinal} to {message} is there {count} times"),
            ));
        }
    }
    let wanted = said.how.replies();
    let is_complete = (0..wanted).all(|ordinal| seen.contains_key(&ordinal));
    let lacks = !is_complete && *status == Some(DeliveryStatus::Processed);
    let signalled = world.watch.was_cut_short(*agent, *message);
    if lacks
        && !signalled
        && !mention.excused(world, Excuse::Interrupted)
        && !mention.excused(world, Excuse::Unposted)
    {
        found.push((
            "one-reply",
            format!("agent {agent}: {message} is processed with {} of {wanted} replies", seen.len()),
        ));
    }
}

/// An interrupt consumes one message at most.
fn consumed(world: &World, found: &mut Vec<(&'static str, String)>) {
    let mut consumed: BTreeMap<(usize, ChatId), usize> = BTreeMap::new();
    for mention in mentions(world) {
        let runs = || world.watch.runs_of(mention.agent, mention.message);
        let was_answered = runs().any(|run| run.end == Some(End::Answered));
        let is_silent = mention.status == Some(DeliveryStatus::Processed) && !was_answered;
        if is_silent
            && mention.excused(world, Excuse::Interrupted)
            && runs().all(|run| run.end != Some(End::Died))
        {
            *consumed.entry((mention.agent, mention.said.room)).or_default() += 1;
        }
    }
    for ((agent, room), count) in consumed {
        let interrupts = world.watch.interrupts.get(&(agent, room)).copied().unwrap_or_default();
        if count > interrupts {
            found.push((
                "interrupt",
                format!("agent {agent} in {room}: {interrupts} interrupts consumed {count} messages"),
            ));
        }
    }
}

/// Every room has heard the push and answered at once.
pub(crate) fn prompt(net: &Arc<Net>) {
    let mut world = net.lock();
    let late: Vec<String> = mentions(&world)
        .iter()
        .filter(|mention| mention.said.is_canary && mention.status != Some(DeliveryStatus::Processed))
        // Whoever missed a play, or that it was brought in, finds out by asking, some minutes later.
        .filter(|mention| !world.watch.was_stopped(mention.agent, mention.said.room))
        .filter(|mention| !world.watch.was_misled(mention.agent, mention.said.room))
        // Whoever was told to wait goes on at a slower pace for some minutes.
        .filter(|mention| !world.watch.was_slowed(mention.agent))
        .map(|mention| format!("agent {} has not answered in {} yet", mention.agent, mention.said.room))
        .collect();
    late.into_iter().for_each(|text| world.watch.violated("prompt", text));
    for agent in 0..world.actors.len() {
        let alive = world.actors.get(agent).map_or(0, |actor| actor.alive.len());
        if alive != 1 {
            world.watch.violated("rival", format!("{alive} processes of agent {agent} run"));
        }
    }
}

/// All agents have stopped: none is shown as working, and their adapters have forgotten every room.
pub(crate) fn silent(net: &Arc<Net>) {
    let mut world = net.lock();
    let mut found = Vec::new();
    for (agent, actor) in world.actors.iter().enumerate() {
        for room in &world.rooms {
            if world.platform.is_working(*room, actor.id) {
                found.push(format!("agent {agent} is shown as working in {room}"));
            }
            let process = Process { agent, life: actor.life };
            let has_run = world.watch.runs.iter().any(|run| run.process == process && run.room == *room);
            if has_run && !world.watch.forgotten.contains(&(process, *room)) {
                found.push(format!("the adapter of agent {agent} was not told to forget {room}"));
            }
        }
    }
    found.into_iter().for_each(|text| world.watch.violated("left-over", text));
}

/// Every room answers.
pub(crate) fn canaries(net: &Arc<Net>) {
    let mut world = net.lock();
    let deaf: Vec<String> = mentions(&world)
        .iter()
        .filter(|mention| mention.said.is_canary && mention.status != Some(DeliveryStatus::Processed))
        .map(|mention| format!("agent {} does not answer in {}", mention.agent, mention.said.room))
        .collect();
    deaf.into_iter().for_each(|text| world.watch.violated("deaf", text));
    let found = {
        let mut found = Vec::new();
        let all = mentions(&world);
        let canaries = all.iter().filter(|mention| mention.said.is_canary);
        canaries.for_each(|mention| replies(&world, mention, &mut found));
        found
    };
    found.into_iter().for_each(|(checker, text)| world.watch.violated(checker, text));
}

/// No process has damaged what it wrote.
pub(crate) fn disks(net: &Arc<Net>) {
    let mut world = net.lock();
    let found = world.actors.iter().enumerate().flat_map(|(agent, actor)| {
        actor.disk.take_found().into_iter().map(move |text| format!("the journal of agent {agent}: {text}"))
    });
    let found: Vec<String> = found.collect();
    found.into_iter().for_each(|text| world.watch.violated("journal", text));
}

/// All agents have stopped: nothing of theirs is left.
pub(crate) fn stopped(net: &Arc<Net>) {
    let mut world = net.lock();
    let mut found = Vec::new();
    for mention in mentions(&world) {
        let is_open = mention.status == Some(DeliveryStatus::Processing);
        if is_open && !mention.excused(&world, Excuse::Unmarked) {
            found.push(format!("agent {} has left {} processing", mention.agent, mention.message));
        }
    }
    for (agent, actor) in world.actors.iter().enumerate() {
        for room in world.rooms.iter().filter(|room| world.platform.is_working(**room, actor.id)) {
            found.push(format!("agent {agent} is shown as working in {room}"));
        }
        if world.platform.is_online(actor.id) {
            found.push(format!("agent {agent} is still connected"));
        }
    }
    let running = world.watch.runs.iter().filter(|run| run.end.is_none());
    found.extend(running.map(|run| format!("{:?} still runs {}", run.process, run.message)));
    found.into_iter().for_each(|text| world.watch.violated("left-over", text));
}
