//! An agent in many rooms: its start, its memory, its way back.

use std::time::{Duration, Instant};

use band_testkit::contender::Contender;
use band_testkit::usage::Usage;
use band_testkit::weather::FaultyNetwork;
use band_testkit::{NewAgent, Person, Process, Served, Watcher};
use band_wire::ChatId;
use band_wire::phx::Topic;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::LIMIT;

pub(crate) const HEAD: &str = "| agent | rooms | started | first reply | resident, idle | CPU, idle \
    | CPU until idle | missed message after a reset |\n\
    | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";

/// Rooms that are made at the same time.
const MAKERS: usize = 16;

/// Runs one case; gives its row.
pub(crate) async fn measure(sdk: Contender, count: usize) -> String {
    let served = Served::start().await.unwrap();
    let person = served.add_person("Ann").await.unwrap();
    let agent = person.register("Helper", "Repeats what it is told.").await.unwrap();
    let last = make(&person, &agent, count).await;
    let network = FaultyNetwork::to(served.base_url().trim_start_matches("http://")).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let platform = format!("http://{}", network.address());

    let begun = Instant::now();
    let process = match sdk.start(&agent, &platform, folder.path(), LIMIT).await {
        Ok(process) => process,
        Err(err) => {
            eprintln!("{err}");
            return format!("| {sdk} | {count} | not within {} s | – | – | – | – | – |\n", LIMIT.as_secs());
        }
    };
    let started = begun.elapsed();
    let mut watcher = person.watch().await.unwrap();
    watcher.join(Topic::ChatRoom(last)).await.unwrap();
    answered(&person, &agent, last, &mut watcher, "first").await;
    let first = begun.elapsed();
    let pid = process.id().unwrap();
    let settled = quiet(&process).await;
    let before = Usage::of(pid).unwrap();
    let looked = Duration::from_secs(20);
    sleep(looked).await;
    let after = Usage::of(pid).unwrap();
    let share = (after.cpu - before.cpu).as_secs_f64() / looked.as_secs_f64() * 100.0;

    let reset = Instant::now();
    network.reset();
    answered(&person, &agent, last, &mut watcher, "after the reset").await;
    format!(
        "| {sdk} | {count} | {:.2} s | {:.2} s | {:.1} MB | {share:.2} % | {:.2} s | {:.2} s |\n",
        started.as_secs_f64(),
        first.as_secs_f64(),
        after.resident_bytes as f64 / 1e6,
        settled.cpu.as_secs_f64(),
        reset.elapsed().as_secs_f64(),
    )
}

/// Makes the rooms; gives one of the last.
async fn make(person: &Person, agent: &NewAgent, count: usize) -> ChatId {
    let mut makers = JoinSet::new();
    for maker in 0..MAKERS.min(count) {
        let (person, agent) = (person.clone(), agent.clone());
        makers.spawn(async move {
            let mut last = None;
            for number in (maker..count).step_by(MAKERS) {
                last = Some(person.room_with(&format!("Room {number}"), &agent).await.unwrap());
            }
            last
        });
    }
    let mut last = None;
    while let Some(made) = makers.join_next().await {
        last = made.unwrap().or(last);
    }
    last.unwrap()
}

async fn answered(person: &Person, agent: &NewAgent, room: ChatId, watcher: &mut Watcher, text: &str) {
    person.say(room, agent.id, text).await.unwrap();
    let ending = format!("echo: {text}");
    let reply = watcher.until("the reply", LIMIT, |seen| {
        let message = seen.message().filter(|message| message.sender_id == agent.id.into())?;
        message.content.ends_with(&ending).then_some(())
    });
    reply.await.unwrap();
}

/// Waits until the process hardly works any more.
async fn quiet(process: &Process) -> Usage {
    let pid = process.id().unwrap();
    let (mut seen, mut calm) = (Usage::of(pid).unwrap(), 0);
    while calm < 3 {
        sleep(Duration::from_secs(1)).await;
        let now = Usage::of(pid).unwrap();
        let busy = now.cpu - seen.cpu > Duration::from_millis(100);
        calm = if busy { 0 } else { calm + 1 };
        seen = now;
    }
    seen
}
