//! A room's task that breaks is put up again, and nothing of the room is lost.

use std::sync::{Arc, Mutex};

use band::rest::{Carried, HttpPool, Transport};
use band::sim::Seams;
use band::{Running, SessionConfig};
use bytes::Bytes;
use http::Request;

use crate::platform::{Platform, room};
use crate::scene::{Book, Puppet, builder_of, journalless};
use crate::traps::Warnings;

/// Breaks whoever makes a request to this room whose path ends like this, once.
#[derive(Debug, Default)]
struct Brittle {
    pool: HttpPool,
    breaks: Mutex<Option<(u128, &'static str)>>,
}

impl Transport for Brittle {
    fn carry(&self, request: Request<Bytes>) -> Carried<'_> {
        let path = request.uri().path().to_owned();
        let hit = |(n, ending): &(u128, &str)| path.contains(&room(*n).to_string()) && path.ends_with(ending);
        assert!(self.breaks.lock().unwrap().take_if(|wanted| hit(wanted)).is_none(), "on purpose");
        self.pool.carry(request)
    }
}

async fn start(platform: &Platform) -> (Running, Arc<Book>, Arc<Brittle>) {
    let (book, brittle) = (Arc::new(Book::default()), Arc::new(Brittle::default()));
    let mut seams = Seams::default();
    seams.transport = Some(Arc::clone(&brittle) as Arc<dyn Transport>);
    let mut session = journalless(SessionConfig::default());
    // What is found again is found because the room was put up again.
    session.idle_resync_seconds = 3_600.0;
    let builder = builder_of(platform, Puppet(Arc::clone(&book))).session(session).seams(seams);
    (builder.build().unwrap().start().await.unwrap(), book, brittle)
}

fn turns(book: &Book, text: &str) -> usize {
    let begin = format!("turn {text},");
    book.notes().iter().filter(|note| note.starts_with(&begin)).count()
}

#[tokio::test]
async fn a_room_whose_task_breaks_is_put_up_again_and_answers_what_waited_once_each() {
    let warnings = Warnings::default();
    let _listening = warnings.listen();
    let platform = Platform::start(&[1, 2]).await;
    let (running, book, brittle) = start(&platform).await;
    let before = platform.say(1, "before").await;
    platform.stands(1, before, "processed").await;
    *brittle.breaks.lock().unwrap() = Some((1, "/processing"));
    let (one, two) = (platform.say(1, "one").await, platform.say(1, "two").await);
    let elsewhere = platform.say(2, "elsewhere").await;
    platform.stands(2, elsewhere, "processed").await;
    platform.stands(1, one, "processed").await;
    platform.stands(1, two, "processed").await;
    // What was handled before is known as such, although its room is a new one.
    platform.push_again(1, before).await;
    let after = platform.say(1, "after").await;
    platform.stands(1, after, "processed").await;
    for text in ["before", "one", "two", "after", "elsewhere"] {
        assert_eq!(turns(&book, text), 1, "{text}: {:?}", book.notes());
    }
    let first: Vec<String> = platform.texts().into_iter().filter(|text| text != "re: elsewhere").collect();
    assert_eq!(first, ["re: before", "re: one", "re: two", "re: after"]);
    let broke = warnings.lines("task broke");
    assert_eq!(broke.len(), 1, "{broke:?}");
    assert!(broke[0].contains("ERROR") && broke[0].contains(&room(1).to_string()), "{broke:?}");
    assert!(running.stop(None).await.unwrap().graceful);
}

#[tokio::test]
async fn a_turn_whose_room_breaks_around_it_is_cut_off_and_its_message_answered_once() {
    let platform = Platform::start(&[1]).await;
    let (running, book, brittle) = start(&platform).await;
    let gate = platform.hold("activity true");
    let id = platform.say(1, "wait").await;
    book.saw("turn wait, past [], first true").await;
    platform.saw("activity true", 1).await;
    // The turn runs. What reports that it still does breaks the room.
    *brittle.breaks.lock().unwrap() = Some((1, "/activity"));
    gate.notify_one();
    platform.saw("processing", 2).await;
    book.gate.notify_one();
    platform.stands(1, id, "processed").await;
    assert_eq!(turns(&book, "wait"), 2, "{:?}", book.notes());
    assert_eq!(platform.texts(), ["re: wait"]);
    assert!(brittle.breaks.lock().unwrap().is_none());
    running.stop(None).await.unwrap();
}
