//! The SDK's two doors, link and REST client, against the real platform in this process.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use band::link::{
    ConflictPolicy, Disconnect, Link, LinkConfig, LinkEvent, LinkEvents, LinkHandle, StopReason,
};
use band::rest::{Mark, RestClient, RestConfig};
use band_server::server::{RunningServer, Server, ServerConfig};
use band_testkit::{NewAgent, PATIENCE, Person};
use band_wire::ChatId;
use band_wire::phx::SOCKET_PATH;
use band_wire::rest::{CreateUser, MentionInput, SendMessage};
use tempfile::TempDir;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// A platform with one person and one agent.
struct Site {
    server: RunningServer,
    data: TempDir,
    person: Person,
    agent: NewAgent,
}

async fn serve(data: &Path, port: u16) -> RunningServer {
    let config = ServerConfig::new(SocketAddr::from(([127, 0, 0, 1], port)), data);
    Server::start(config).await.unwrap()
}

impl Site {
    async fn start() -> Self {
        let data = tempfile::tempdir().unwrap();
        let server = serve(data.path(), 0).await;
        let ann = server.app().create_user(CreateUser { name: "Ann".to_owned() }).await.unwrap();
        let person = Person::sign_in(&server.url(), &ann.credentials.api_key).await.unwrap();
        let agent = person.register("Helper", "Helps with whatever comes up").await.unwrap();
        Self { server, data, person, agent }
    }

    fn config(&self, key: &str) -> LinkConfig {
        LinkConfig::new(format!("ws://{}{SOCKET_PATH}", self.server.addr()), key.into(), self.agent.id)
    }

    fn link(&self) -> Running {
        Running::start(&self.config(&self.agent.key))
    }

    fn rest(&self) -> RestClient {
        RestClient::new(RestConfig::new(self.server.url(), self.agent.key.as_str().into())).unwrap()
    }
}

/// A link with its driver.
struct Running {
    handle: LinkHandle,
    events: LinkEvents,
    stop: CancellationToken,
    driver: JoinSet<StopReason>,
}

impl Running {
    fn start(config: &LinkConfig) -> Self {
        let (handle, events, link) = Link::new(config).unwrap();
        let stop = CancellationToken::new();
        let mut driver = JoinSet::new();
        driver.spawn(link.run(stop.clone()));
        Self { handle, events, stop, driver }
    }

    async fn event(&mut self) -> LinkEvent {
        timeout(PATIENCE, self.events.next()).await.expect("an event in time").expect("no end yet")
    }

    async fn ended(&mut self) -> StopReason {
        timeout(PATIENCE, self.driver.join_next()).await.expect("an end in time").unwrap().unwrap()
    }

    /// Connected, and in these rooms.
    async fn connect(&mut self, rooms: &[ChatId]) {
        assert_eq!(self.event().await, LinkEvent::Connected { reconnect: false });
        for room in rooms {
            self.handle.join_room(*room).await;
        }
        let mut joined = BTreeSet::new();
        while joined.len() < rooms.len() {
            let event = self.event().await;
            let LinkEvent::RoomJoined(room) = event else { panic!("{event:?}") };
            joined.insert(room);
        }
        assert_eq!(joined, rooms.iter().copied().collect());
    }
}

#[tokio::test]
async fn a_mention_is_pushed_claimed_answered_once_and_marked() {
    let site = Site::start().await;
    let rest = site.rest();
    assert_eq!(rest.me().await.unwrap().id, site.agent.id);
    let mut link = site.link();
    link.connect(&[]).await;
    let room = site.person.room_with("Room", &site.agent).await.unwrap();
    let LinkEvent::RoomAdded(added) = link.event().await else { panic!("another event") };
    assert_eq!(added.id, room);
    link.handle.join_room(room).await;
    assert_eq!(link.event().await, LinkEvent::RoomJoined(room));

    let id = site.person.say(room, site.agent.id, "hello").await.unwrap();
    let LinkEvent::Message { room: of, message } = link.event().await else { panic!("another event") };
    assert_eq!((of, message.id), (room, id));
    assert_eq!(rest.next(room).await.unwrap().unwrap().id, id);
    assert!(matches!(rest.mark_processing(room, id).await.unwrap(), Mark::Accepted(_)));
    let ann = MentionInput { id: Some(site.person.details().id.to_string()), ..MentionInput::default() };
    let reply = SendMessage { content: "hi".to_owned(), mentions: vec![ann], attachment_ids: Vec::new() };
    let key = format!("{id}:0");
    let sent = rest.send_message(room, &reply, Some(&key)).await.unwrap();
    assert_eq!(rest.send_message(room, &reply, Some(&key)).await.unwrap().id, sent.id);
    assert!(matches!(rest.mark_processed(room, id).await.unwrap(), Mark::Accepted(_)));
    assert_eq!(rest.mark_processed(room, id).await.unwrap(), Mark::Rejected);
    assert_eq!(rest.next(room).await.unwrap(), None);
    assert_eq!(site.person.timeline(room).await.unwrap().iter().filter(|said| said.id == sent.id).count(), 1);

    site.person.remove(room, site.agent.id).await.unwrap();
    let mut event = link.event().await;
    while matches!(event, LinkEvent::ParticipantRemoved { .. }) {
        event = link.event().await;
    }
    assert_eq!(event, LinkEvent::RoomRemoved(room));
    assert_eq!(rest.mark_processed(room, id).await.unwrap(), Mark::NotFound);
    link.stop.cancel();
    assert_eq!(link.ended().await, StopReason::Requested);
}

#[tokio::test]
async fn the_second_link_of_an_agent_takes_over_or_is_refused() {
    let site = Site::start().await;
    let mut first = site.link();
    first.connect(&[]).await;
    let mut config = site.config(&site.agent.key);
    config.on_conflict = ConflictPolicy::Reject;
    let refused = Running::start(&config).ended().await;
    assert!(
        matches!(&refused, StopReason::Conflict(refusal) if refusal.code.as_deref() == Some("connection_conflict")),
        "{refused:?}"
    );
    let mut second = site.link();
    second.connect(&[]).await;
    let ended = first.ended().await;
    assert!(
        matches!(&ended, StopReason::Superseded { reason, retryable: false, correlation_id: Some(_), .. }
            if reason == "session.already_connected"),
        "{ended:?}"
    );
    second.stop.cancel();
    assert_eq!(second.ended().await, StopReason::Requested);
}

#[tokio::test]
async fn wrong_keys_are_told_at_both_doors() {
    let site = Site::start().await;
    let ended = Running::start(&site.config("band_a_1700000000_nobody")).ended().await;
    assert!(matches!(ended, StopReason::Forbidden(_) | StopReason::Unauthorized(_)), "{ended:?}");
    let rest =
        RestClient::new(RestConfig::new(site.server.url(), "band_a_1700000000_nobody".into())).unwrap();
    assert!(matches!(rest.me().await, Err(band::Error::Unauthorized(_))));
}

#[tokio::test]
async fn after_a_restart_of_the_platform_the_link_is_back_in_all_its_rooms() {
    const ROOMS: usize = 50;
    let Site { server, data, person, agent } = Site::start().await;
    let mut rooms = Vec::new();
    for number in 0..ROOMS {
        rooms.push(person.room_with(&format!("Room {number}"), &agent).await.unwrap());
    }
    let address = server.addr();
    let site = Site { server, data, person, agent };
    let mut link = site.link();
    link.connect(&rooms).await;
    let Site { server, data, person, agent } = site;
    server.shutdown();
    server.wait().await.unwrap();
    let event = link.event().await;
    assert!(
        matches!(event, LinkEvent::Disconnected { reason: Disconnect::Closed { code: Some(1012), .. }, .. }),
        "{event:?}"
    );
    let server = serve(data.path(), address.port()).await;
    let site = Site { server, data, person, agent };
    let id = site.person.say(rooms[7], site.agent.id, "while you were away").await.unwrap();
    let mut back = BTreeSet::new();
    loop {
        match link.event().await {
            LinkEvent::RoomJoined(room) => drop(back.insert(room)),
            LinkEvent::Connected { reconnect } => break assert!(reconnect),
            LinkEvent::Disconnected { .. } | LinkEvent::Message { .. } => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(back, rooms.iter().copied().collect());
    assert_eq!(site.rest().next(rooms[7]).await.unwrap().unwrap().id, id);
    let live = site.person.say(rooms[8], site.agent.id, "and now").await.unwrap();
    loop {
        if let LinkEvent::Message { message, .. } = link.event().await
            && message.id == live
        {
            break;
        }
    }
    link.stop.cancel();
    assert_eq!(
        timeout(Duration::from_secs(9), link.driver.join_next()).await.unwrap().unwrap().unwrap(),
        StopReason::Requested
    );
}
