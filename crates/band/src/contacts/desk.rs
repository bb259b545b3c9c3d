//! The loop around the contacts' machine: its calls run beside the rooms, what it wants of rooms is handed back.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;

use band_core::agent::contacts::{Contacts, Input, Output};
use band_core::{Machine, Moment};
use band_wire::rest::query::SentFilter;
use band_wire::rest::{CreateChat, CreateEvent, EventType, Message};
use band_wire::{ChatId, MessageId, ParticipantId};
use futures_util::FutureExt;
use serde_json::{Map, Value};
use tokio::task::{self, JoinError, JoinSet};
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use super::{ContactCallback, ContactEvent, ContactEventConfig, ContactTools, HubRoom};
use crate::alarm;
use crate::rest::RestClient;
use crate::sim::Chance;

/// Requests of each direction that are looked through for one that is not known.
const ENRICH_PAGE: u64 = 100;

/// What the contacts want of the agent's rooms.
#[derive(Debug)]
pub(crate) enum Order {
    /// Tell every serving room, with its next turn.
    Broadcast(String),
    /// The agent is in this room, whether the platform has pushed that or not.
    Serve(ChatId),
    /// This room is the hub; the text is for its model.
    Designate(ChatId, String),
    /// A message of the agent's own for this room.
    Tell(ChatId, Box<Message>),
    /// The start is done.
    Settled,
}

/// The agent's contacts. Dropped, it ends what is under way.
pub(crate) struct ContactDesk {
    machine: Contacts,
    origin: Instant,
    rest: RestClient,
    chance: Chance,
    callback: Option<ContactCallback>,
    task_id: Option<String>,
    hub: HubRoom,
    told: String,
    /// The calls under way, each with the input that it becomes. The machine bounds them: one of each kind.
    calls: JoinSet<Input>,
    /// What each of them becomes when its task breaks.
    otherwise: BTreeMap<task::Id, Input>,
}

impl ContactDesk {
    /// `told` is what the model is told in the hub room.
    pub(crate) fn new(
        config: &ContactEventConfig,
        rest: RestClient,
        chance: Chance,
        hub: HubRoom,
        told: String,
    ) -> Self {
        let parsed = config.hub_task_id.as_deref().and_then(|id| Uuid::try_parse(id).ok());
        Self {
            machine: Contacts::new(config.options(), chance.seed()),
            origin: Instant::now(),
            rest,
            chance,
            callback: config.on_event.clone(),
            task_id: parsed.map(|id| id.to_string()),
            hub,
            told,
            calls: JoinSet::new(),
            otherwise: BTreeMap::new(),
        }
    }

    pub(crate) fn tell(&mut self, input: Input) {
        let now = Moment::at(self.origin.elapsed());
        self.machine.handle(now, input);
    }

    /// Waits until something of its own is done or due, and takes it up. May be dropped and called again.
    pub(crate) async fn next(&mut self) {
        let due = alarm::due(self.origin, self.machine.deadline());
        tokio::select! {
            biased;
            Some(done) = self.calls.join_next_with_id() => self.called(done),
            () = due => {
                let now = Moment::at(self.origin.elapsed());
                self.machine.expire(now);
            }
        }
    }

    /// Waits for what would be lost, an event that is shown and a callback, until then at most; without a time not
    /// at all. May be dropped and called again.
    pub(crate) async fn finish(&mut self, by: Option<Instant>) {
        let Some(by) = by else { return };
        let finished = async {
            while self.otherwise.values().any(|what| matches!(what, Input::Posted | Input::Called(_))) {
                let Some(done) = self.calls.join_next_with_id().await else { return };
                self.called(done);
            }
        };
        if timeout_at(by, finished).await.is_err() {
            tracing::warn!(target: "band.contacts", "a contact event is not handled to its end: the agent stops");
        }
    }

    /// A task that broke counts as a call that failed: the machine waits for each.
    fn called(&mut self, done: Result<(task::Id, Input), JoinError>) {
        let task = match &done {
            Ok((task, _)) => *task,
            Err(broken) => broken.id(),
        };
        let otherwise = self.otherwise.remove(&task);
        match done {
            Ok((_, input)) => self.tell(input),
            Err(broken) => {
                tracing::error!(target: "band.contacts", %broken, "a contact call broke");
                if let Some(otherwise) = otherwise {
                    self.tell(otherwise);
                }
            }
        }
    }

    fn begin(&mut self, otherwise: Input, call: impl Future<Output = Input> + Send + 'static) {
        let task = self.calls.spawn(call).id();
        self.otherwise.insert(task, otherwise);
    }

    /// The next thing that the rooms have to do with. Calls are begun on the way.
    pub(crate) fn order(&mut self) -> Option<Order> {
        while let Some(output) = self.machine.poll() {
            match output {
                Output::Broadcast(text) => return Some(Order::Broadcast(text)),
                Output::Serve(room) => {
                    self.hub.set(room);
                    tracing::info!(target: "band.contacts", %room, "contact events are handled in a room of their own");
                    return Some(Order::Serve(room));
                }
                Output::Designate(room) => return Some(Order::Designate(room, self.told.clone())),
                Output::Tell(room, text) => {
                    return Some(Order::Tell(room, Box::new(self.synthetic(room, text))));
                }
                Output::Settled => return Some(Order::Settled),
                Output::Call(event) => self.call(*event),
                Output::CreateHub => self.create_hub(),
                Output::Post(room, text, kind) => self.post(room, text, kind),
                Output::Enrich => self.enrich(),
                Output::Look => self.look(),
                Output::List => self.list(),
                Output::Overflow => tracing::warn!(
                    target: "band.contacts",
                    "more contact events wait than fit; open requests are looked for later"
                ),
            }
        }
        None
    }

    /// A message as nobody has sent it.
    fn synthetic(&self, room: ChatId, content: String) -> Message {
        Message {
            id: MessageId::new(self.chance.uuid()),
            content,
            message_type: band_core::platform::TEXT.to_owned(),
            sender_id: ParticipantId::new(Uuid::nil()),
            sender_type: "System".to_owned(),
            sender_name: Some("Contact Events".to_owned()),
            chat_room_id: Some(room),
            metadata: Map::new(),
            attachments: Vec::new(),
            inserted_at: Some(self.chance.timestamp(self.origin.elapsed()).into()),
            updated_at: None,
        }
    }

    /// Runs the callback in a task of its own: however long it takes, or whatever it does, nothing waits for it
    /// but further contact events.
    fn call(&mut self, event: band_wire::event::Event) {
        let (Some(callback), Some(event)) = (self.callback.clone(), ContactEvent::read(event)) else {
            return self.tell(Input::Called(Ok(())));
        };
        let tools = ContactTools::new(self.rest.clone());
        self.begin(Input::Called(Err(())), async move {
            let called =
                AssertUnwindSafe(async move { callback.call(event, tools).await }).catch_unwind().await;
            Input::Called(match called {
                Ok(Ok(())) => Ok(()),
                Ok(Err(err)) => {
                    tracing::warn!(target: "band.contacts", %err, "the callback for contact events failed");
                    Err(())
                }
                Err(_) => {
                    tracing::error!(target: "band.contacts", "the callback for contact events panicked");
                    Err(())
                }
            })
        });
    }

    fn create_hub(&mut self) {
        let (rest, task_id) = (self.rest.clone(), self.task_id.clone());
        let key = self.chance.uuid().to_string();
        self.begin(Input::HubCreated(Err(())), async move {
            let made = rest.create_chat(&CreateChat { title: None, task_id }, Some(&key)).await;
            Input::HubCreated(made.map(|chat| chat.id).map_err(|err| {
                tracing::warn!(target: "band.contacts", %err, "the room for contact events could not be made");
            }))
        });
    }

    fn post(&mut self, room: ChatId, content: String, kind: &'static str) {
        let rest = self.rest.clone();
        let key = self.chance.uuid().to_string();
        let metadata = Map::from_iter([("contact_event_type".to_owned(), Value::from(kind))]);
        let event = CreateEvent { content, message_type: EventType::Task, metadata: Some(metadata) };
        self.begin(Input::Posted, async move {
            if let Err(err) = rest.send_event(room, &event, Some(&key)).await {
                tracing::warn!(target: "band.contacts", %room, %err, "a contact event could not be shown in its room");
            }
            Input::Posted
        });
    }

    fn enrich(&mut self) {
        let rest = self.rest.clone();
        self.begin(Input::Enriched(Err(())), async move {
            let found = rest.contact_requests(1, ENRICH_PAGE, SentFilter::All).await;
            Input::Enriched(found.map(|found| found.data).map_err(|err| {
                tracing::debug!(target: "band.contacts", %err, "a contact request could not be looked up");
            }))
        });
    }

    fn list(&mut self) {
        let rest = self.rest.clone();
        self.begin(Input::Listed(Err(())), async move {
            Input::Listed(rest.all_contacts().await.map_err(|err| {
                tracing::warn!(target: "band.contacts", %err, "the agent's contacts could not be listed");
            }))
        });
    }

    fn look(&mut self) {
        let rest = self.rest.clone();
        self.begin(Input::Looked(Err(())), async move {
            Input::Looked(rest.received_contact_requests().await.map_err(|err| {
                tracing::warn!(target: "band.contacts", %err, "open contact requests could not be listed");
            }))
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use bytes::Bytes;
    use http::Request;

    use super::*;
    use crate::contacts::ContactEvents;
    use crate::rest::{Carried, RestConfig, Transport};

    #[derive(Debug)]
    struct Broken;

    impl Transport for Broken {
        fn carry(&self, _: Request<Bytes>) -> Carried<'_> {
            panic!("on purpose")
        }
    }

    /// Answers after this.
    #[derive(Debug)]
    struct Slow(Duration);

    impl Transport for Slow {
        fn carry(&self, _: Request<Bytes>) -> Carried<'_> {
            Box::pin(async {
                tokio::time::sleep(self.0).await;
                let answer = r#"{"data": {"id": "7f1b2c1e-1111-4111-8111-111111111111", "message_type": "task", "success": true}}"#;
                Ok(http::Response::builder().status(201).body(Bytes::from(answer)).unwrap())
            })
        }
    }

    fn desk(transport: impl Transport + 'static) -> ContactDesk {
        let mut rest = RestConfig::new("http://127.0.0.1:1", "key".into());
        rest.transport = Some(Arc::new(transport));
        let config = ContactEvents::HubRoom { task_id: None }.into();
        let rest = RestClient::new(rest).unwrap();
        ContactDesk::new(&config, rest, Chance::new(Some(1)), HubRoom::default(), String::new())
    }

    #[tokio::test(start_paused = true)]
    async fn an_event_that_is_being_shown_may_finish_within_the_time_that_a_stop_gives() {
        for (takes, given, shown) in [(3, Some(5), true), (3, Some(1), false), (3, None, false)] {
            let mut desk = desk(Slow(Duration::from_secs(takes)));
            desk.post(ChatId::new(Uuid::nil()), "hello".to_owned(), "contact_added");
            // What is asked and not shown is not waited for.
            desk.list();
            let start = Instant::now();
            desk.finish(given.map(|given| start + Duration::from_secs(given))).await;
            assert_eq!(desk.otherwise.values().all(|what| *what != Input::Posted), shown, "{given:?}");
            assert!(start.elapsed() <= Duration::from_secs(given.unwrap_or(0).min(takes)), "{given:?}");
        }
    }

    #[tokio::test]
    async fn a_call_whose_task_breaks_counts_as_one_that_failed() {
        let mut desk = desk(Broken);
        desk.tell(Input::Start);
        assert!(desk.order().is_none(), "it waits for its room");
        desk.next().await;
        assert!(matches!(desk.order(), Some(Order::Settled)), "it goes on without");
    }
}
