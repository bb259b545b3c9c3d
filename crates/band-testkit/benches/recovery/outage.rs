//! The platform is out of reach for a while: how long until a waiting message is answered afterwards?

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use band_testkit::contender::Contender;
use band_testkit::weather::{FaultyNetwork, Weather};
use band_testkit::{Error, NewAgent, Process, Served, Watcher};
use band_wire::phx::Topic;
use band_wire::{ChatId, ParticipantId};
use tempfile::TempDir;

use crate::{LIMIT, percentile};

pub(crate) const HEAD: &str = "| outage | agent | agents | answered after it p50 | p95 | longest |\n\
    | ---: | --- | ---: | ---: | ---: | ---: |\n";

struct One {
    sdk: Contender,
    agent: NewAgent,
    room: ChatId,
    _process: Process,
    _folder: TempDir,
}

/// Runs one case, with agents of both SDKs at the same time; gives its rows.
pub(crate) async fn measure(seconds: u64, agents: usize) -> String {
    let served = Served::start().await.unwrap();
    let person = served.add_person("Ann").await.unwrap();
    let network = FaultyNetwork::to(served.base_url().trim_start_matches("http://")).await.unwrap();
    let platform = format!("http://{}", network.address());
    let mut watcher = person.watch().await.unwrap();
    let mut all = Vec::new();
    for number in 0..agents {
        for sdk in [Contender::Ours, Contender::Python] {
            let agent =
                person.register(&format!("Helper {sdk} {number}"), "Repeats what it is told.").await.unwrap();
            let room = person.room_with("Room", &agent).await.unwrap();
            watcher.join(Topic::ChatRoom(room)).await.unwrap();
            let folder = tempfile::tempdir().unwrap();
            let process = sdk.start(&agent, &platform, folder.path(), LIMIT).await.unwrap();
            all.push(One { sdk, agent, room, _process: process, _folder: folder });
        }
    }
    let ask = async |text: &str| {
        for one in &all {
            person.say(one.room, one.agent.id, text).await.unwrap();
        }
    };
    ask("before").await;
    // A connection that has been up for a minute is no flapping one to either SDK.
    pause(&mut watcher, Duration::from_secs(61)).await;
    network.set(Weather::Closed);
    pause(&mut watcher, Duration::from_secs(seconds)).await;
    ask("meanwhile").await;
    network.set(Weather::Fair);
    let over = Instant::now();
    let mut replied: BTreeMap<ParticipantId, Duration> = BTreeMap::new();
    let waiting = watcher.until("every reply", LIMIT, |seen| {
        let message = seen.message().filter(|message| message.content.ends_with("echo: meanwhile"))?;
        replied.entry(message.sender_id).or_insert_with(|| over.elapsed());
        (replied.len() == all.len()).then_some(())
    });
    if let Err(err) = waiting.await {
        eprintln!("{err}");
    }
    [Contender::Ours, Contender::Python].map(|sdk| row(seconds, sdk, &all, &replied)).concat()
}

/// Waits, and keeps the person's socket alive meanwhile: it is told so as it is read.
async fn pause(watcher: &mut Watcher, time: Duration) {
    match watcher.until("the end of a pause", time, |_| None::<()>).await {
        Err(Error::Late { .. }) => {}
        other => panic!("the person's socket did not last: {other:?}"),
    }
}

fn row(seconds: u64, sdk: Contender, all: &[One], replied: &BTreeMap<ParticipantId, Duration>) -> String {
    let of_sdk: Vec<&One> = all.iter().filter(|one| one.sdk == sdk).collect();
    let after = |one: &&One| replied.get(&one.agent.id.into()).copied().unwrap_or(LIMIT);
    let times: Vec<Duration> = of_sdk.iter().map(after).collect();
    let [p50, p95, most] = [50, 95, 100].map(|part| percentile(&times, part).as_secs_f64());
    format!("| {seconds} s | {sdk} | {} | {p50:.2} s | {p95:.2} s | {most:.2} s |\n", times.len())
}
