//! The load itself: a flood for the rate, a steady trickle for the times.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use band_testkit::usage::Usage;
use band_testkit::{NewAgent, Person, Served, Watcher};
use band_wire::phx::Topic;
use band_wire::rest::DeliveryStatus;
use band_wire::{ChatId, MessageId};
use tokio::task::JoinSet;
use tokio::time::interval;

use crate::case::Case;

/// Posts on their way at the same time during the flood.
const POSTERS: usize = 16;
/// Messages of the trickle, and the time between two.
const TRICKLE: (usize, Duration) = (200, Duration::from_millis(100));
/// How long a run may take.
const LIMIT: Duration = Duration::from_secs(600);

/// What one run showed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measured {
    /// From the start of the agent's process until it says that it has started.
    pub(crate) ready: Duration,
    /// Messages answered and settled each second of the flood.
    pub(crate) rate: f64,
    /// Push of the message to its claim, in the trickle.
    pub(crate) claim: Quantiles,
    /// Post to the reply's push, in the trickle.
    pub(crate) reply: Quantiles,
    /// Post to settled, in the trickle.
    pub(crate) settled: Quantiles,
    /// Of the flood alone; memory from the start.
    pub(crate) agent: Usage,
    pub(crate) platform: Usage,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Quantiles {
    pub(crate) p50: Duration,
    pub(crate) p99: Duration,
}

struct Site {
    served: Served,
    person: Person,
    agent: NewAgent,
    rooms: Vec<ChatId>,
}

/// Runs one case from a fresh platform to its end.
pub(crate) async fn measure(case: Case) -> Measured {
    let mut site = set(case).await;
    let folder = tempfile::tempdir().unwrap();
    let begun = Instant::now();
    let platform = site.person.api().base_url();
    let agent = case.sdk.start(&site.agent, platform, folder.path(), LIMIT).await.unwrap();
    let ready = begun.elapsed();
    let mut watcher = watch(&site).await;
    settle(&site, &mut watcher).await;

    let (agent_id, platform_id) = (agent.id().unwrap(), site.served.process().id().unwrap());
    let before = (usage(agent_id), usage(platform_id));
    let flood = flood(&site, &mut watcher, case.messages).await;
    let after = (usage(agent_id), usage(platform_id));
    let (claim, reply, settled) = trickle(&site, &mut watcher).await;
    let used = |before: Usage, after: Usage| Usage { cpu: after.cpu - before.cpu, ..after };
    Measured {
        ready,
        rate: case.messages as f64 / flood.as_secs_f64(),
        claim,
        reply,
        settled,
        agent: used(before.0, after.0),
        platform: used(before.1, after.1),
    }
}

fn usage(pid: u32) -> Usage {
    Usage::of(pid).unwrap()
}

async fn set(case: Case) -> Site {
    let served = Served::start().await.unwrap();
    let person = served.add_person("Ann").await.unwrap();
    let agent = person.register("Helper", "Repeats what it is told.").await.unwrap();
    let mut rooms = Vec::with_capacity(case.rooms);
    for number in 0..case.rooms {
        rooms.push(person.room_with(&format!("Room {number}"), &agent).await.unwrap());
    }
    Site { served, person, agent, rooms }
}

async fn watch(site: &Site) -> Watcher {
    let mut watcher = site.person.watch().await.unwrap();
    for room in &site.rooms {
        watcher.join(Topic::ChatRoom(*room)).await.unwrap();
    }
    watcher
}

/// One message to each room, so that first-message work is not measured.
async fn settle(site: &Site, watcher: &mut Watcher) {
    flood(site, watcher, site.rooms.len()).await;
}

/// Posts as fast as the platform takes it, and waits until everything is settled.
async fn flood(site: &Site, watcher: &mut Watcher, messages: usize) -> Duration {
    let begun = Instant::now();
    let mut posting = JoinSet::new();
    for poster in 0..POSTERS {
        let (person, agent, rooms) = (site.person.clone(), site.agent.id, site.rooms.clone());
        posting.spawn(async move {
            for number in (poster..messages).step_by(POSTERS) {
                person.say(rooms[number % rooms.len()], agent, &format!("number {number}")).await.unwrap();
            }
        });
    }
    let agent = site.agent.id;
    let mut settled = std::collections::BTreeSet::new();
    let all_settled = watcher.until("everything to be settled", LIMIT, |seen| {
        let message = seen.message()?;
        if message.delivery_status(agent) == Some(DeliveryStatus::Processed) {
            settled.insert(message.id);
        }
        (settled.len() == messages).then_some(())
    });
    all_settled.await.unwrap();
    let took = begun.elapsed();
    while let Some(poster) = posting.join_next().await {
        poster.unwrap();
    }
    took
}

/// Posts at a steady pace, one room after another, and times each message's reply and end.
async fn trickle(site: &Site, watcher: &mut Watcher) -> (Quantiles, Quantiles, Quantiles) {
    let (count, pace) = TRICKLE;
    let mut posting = JoinSet::new();
    let (person, agent, rooms) = (site.person.clone(), site.agent.id, site.rooms.clone());
    posting.spawn(async move {
        let mut posted = Vec::with_capacity(count);
        let mut pace = interval(pace);
        for number in 0..count {
            pace.tick().await;
            let begun = Instant::now();
            let room = rooms[number % rooms.len()];
            let message = person.say(room, agent, &format!("trickle {number}")).await.unwrap();
            posted.push((number, message, begun));
        }
        posted
    });
    let mut replied: BTreeMap<usize, Instant> = BTreeMap::new();
    let mut settled: BTreeMap<MessageId, Instant> = BTreeMap::new();
    let mut pushed: BTreeMap<MessageId, Instant> = BTreeMap::new();
    let mut claims: BTreeMap<MessageId, Duration> = BTreeMap::new();
    let watched = watcher.until("the trickle to be settled", LIMIT, |seen| {
        let message = seen.message()?;
        match (seen.event.as_str(), message.delivery_status(agent)) {
            ("message_created", _) => _ = pushed.entry(message.id).or_insert_with(Instant::now),
            (_, Some(DeliveryStatus::Processing)) if pushed.contains_key(&message.id) => {
                claims.entry(message.id).or_insert_with(|| pushed[&message.id].elapsed());
            }
            _ => {}
        }
        let number = message.content.rsplit_once("trickle ").and_then(|(_, number)| number.parse().ok());
        if message.sender_id == agent.into() && seen.event == "message_created" {
            replied.entry(number?).or_insert_with(Instant::now);
        } else if message.delivery_status(agent) == Some(DeliveryStatus::Processed) && number.is_some() {
            settled.entry(message.id).or_insert_with(Instant::now);
        }
        (replied.len() == count && settled.len() == count).then_some(())
    });
    watched.await.unwrap();
    let posted = posting.join_next().await.unwrap().unwrap();
    let replies = posted.iter().map(|(number, _, begun)| replied[number] - *begun).collect();
    let ends = posted.iter().map(|(_, message, begun)| settled[message] - *begun).collect();
    let claims = claims.into_values().collect();
    (quantiles(claims), quantiles(replies), quantiles(ends))
}

fn quantiles(mut times: Vec<Duration>) -> Quantiles {
    times.sort_unstable();
    Quantiles { p50: times[times.len() / 2], p99: times[times.len() * 99 / 100] }
}
