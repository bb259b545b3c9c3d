//! A room that remembers what was said in it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use band_core::room::{Member, Roster};
use band_wire::rest::{
    AgentContact, Attachment, Board, CreateChat, CreateEvent, EventCreated, EventType, MemberStatus, Memory,
    Message, MessageSent, Page, Paged, Participant, Peer, PeerSource, Recipient, Role, SendMessage,
    SenderType, Task,
};
use band_wire::{AgentId, ChatId, ContactRequestId, Id, ParticipantId};
use bytes::Bytes;
use secrecy::SecretString;
use serde_json::{Map, Value, json};
use tokio::sync::Notify;
use tokio::time::error::Elapsed;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::fake_contacts::FakeContacts;
use super::fake_files::FakeFiles;
use super::fake_memory::FakeMemory;
use super::fake_tasks::FakeTasks;
use crate::adapter::{EffectiveFeatures, Identity, PlatformConnection};
use crate::error::{ApiError, Result};
use crate::history::RawHistory;
use crate::journal::RoomJournal;
use crate::rest::{RestClient, RestConfig};
use crate::tools::{Answer, Offer, RoomPort, RoomTools, SeenFiles, Tool};
use crate::turn::{AgentInput, IncomingMessage, RoomShared, Turn, TurnShared};

/// A made-up room for unit tests of adapters: the agent and one person, `Ada` with the handle `ada`. It keeps
/// what is sent and refuses what the real tools would refuse.
///
/// ```
/// # tokio_test();
/// # fn tokio_test() { tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use band::testing::FakeTools;
/// use band::{FrameworkAdapter, Turn, adapter_fn};
///
/// let shout = adapter_fn(|turn: Turn| async move { turn.reply(turn.text().to_uppercase()).await });
/// let room = FakeTools::new();
/// shout.on_event(room.turn("hello")).await.unwrap();
/// assert_eq!(room.sent()[0].content, "HELLO");
/// # }); }
/// ```
#[derive(Debug)]
pub struct FakeTools {
    said: Arc<Said>,
    identity: Arc<Identity>,
    roster: Arc<Mutex<Roster>>,
    room: ChatId,
    cancel: CancellationToken,
    features: EffectiveFeatures,
    own: Vec<Tool>,
    is_hub: bool,
}

/// A message that was sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sent {
    /// Its text.
    pub content: String,
    /// Whom it mentions.
    pub mentions: Vec<ParticipantId>,
    /// The files that it carries.
    pub files: Vec<String>,
    /// Its idempotency key.
    pub key: String,
}

/// An event that was posted.
#[derive(Debug, Clone, PartialEq)]
pub struct SentEvent {
    /// Its type.
    pub kind: EventType,
    /// Its text.
    pub content: String,
    /// Its metadata.
    pub metadata: Option<Map<String, Value>>,
}

#[derive(Debug, Default)]
pub(super) struct Said {
    messages: Mutex<Vec<Sent>>,
    events: Mutex<Vec<SentEvent>>,
    people: Mutex<Vec<Participant>>,
    /// What the next posts are refused with.
    refusals: Mutex<VecDeque<ApiError>>,
    peers: Mutex<Vec<Peer>>,
    /// Those that were opened, and for which task.
    rooms: Mutex<Vec<(ChatId, Option<String>)>>,
    pub(super) contacts: Mutex<FakeContacts>,
    pub(super) memories: Mutex<FakeMemory>,
    pub(super) files: Mutex<FakeFiles>,
    pub(super) seen: SeenFiles,
    pub(super) tasks: Mutex<FakeTasks>,
    /// Wakes those who wait for something to be said.
    news: Notify,
}

/// 2025-01-01T00:00:00Z in microseconds: when everything happens here.
pub(super) const EPOCH: i64 = 1_735_689_600_000_000;

impl Said {
    pub(super) fn agent() -> AgentId {
        Id::new(Uuid::from_u128(1))
    }

    /// The refusal that the next call gets, if there is one.
    pub(super) fn refused<'a, T: Send + 'a>(&self) -> Option<Answer<'a, T>> {
        let refusal = locked(&self.refusals).pop_front()?;
        Some(Box::pin(std::future::ready(Err(refusal.into()))))
    }
}

impl Default for FakeTools {
    fn default() -> Self {
        Self::new()
    }
}

impl FakeTools {
    /// A room with the agent and Ada.
    pub fn new() -> Self {
        let agent = Said::agent();
        let people = vec![
            person(Self::ada(), SenderType::User, "Ada", "ada"),
            person(agent.into(), SenderType::Agent, "Echo", "ada/echo"),
        ];
        let mut roster = Roster::default();
        roster.replace(people.iter().cloned().map(Member::from));
        let said = Said { people: Mutex::new(people), ..Said::default() };
        Self {
            said: Arc::new(said),
            identity: Arc::new(Identity::new(agent, "Echo", "Repeats what it is told.")),
            roster: Arc::new(Mutex::new(roster)),
            room: Id::new(Uuid::from_u128(3)),
            cancel: CancellationToken::new(),
            features: EffectiveFeatures::default(),
            own: Vec::new(),
            is_hub: false,
        }
    }

    /// With these features, for adapters that look at them.
    #[must_use]
    pub fn with_features(mut self, features: EffectiveFeatures) -> Self {
        self.features = features;
        self
    }

    /// With these tools of one's own beside the platform's.
    #[must_use]
    pub fn with_tools(mut self, own: Vec<Tool>) -> Self {
        self.own = own;
        self
    }

    /// With this id, for adapters that tell rooms apart.
    #[must_use]
    pub const fn in_room(mut self, room: ChatId) -> Self {
        self.room = room;
        self
    }

    /// As the agent's hub room: the tools for contacts are offered, whatever the features say.
    #[must_use]
    pub const fn in_hub_room(mut self) -> Self {
        self.is_hub = true;
        self
    }

    /// Someone asks the agent to become a contact.
    pub fn ask_for_contact(&self, handle: &str, name: &str, message: Option<&str>) -> ContactRequestId {
        locked(&self.said.contacts).ask(handle, name, message)
    }

    /// Someone whom the agent may bring into the room.
    pub fn add_peer(&self, kind: SenderType, name: &str, handle: &str) -> ParticipantId {
        let mut peers = locked(&self.said.peers);
        let number = u128::try_from(peers.len()).unwrap_or_default();
        let id = Id::new(Uuid::from_u128(number.saturating_add(100)));
        peers.push(Peer {
            id,
            name: name.to_owned(),
            handle: handle.to_owned(),
            kind: kind.into(),
            source: PeerSource::Registry.into(),
            is_contact: false,
            online: true,
            description: None,
            is_external: None,
            listed_in_directory: None,
            tags: None,
        });
        id
    }

    /// Someone else is in the room. The tools know it when they next ask for the participants.
    pub fn join(&self, kind: SenderType, name: &str, handle: &str) -> ParticipantId {
        let mut people = locked(&self.said.people);
        let number = u128::try_from(people.len()).unwrap_or_default();
        let id = Id::new(Uuid::from_u128(number.saturating_add(1000)));
        people.push(person(id, kind, name, handle));
        id
    }

    /// Who is in the room.
    pub fn people(&self) -> Vec<Participant> {
        locked(&self.said.people).clone()
    }

    /// The rooms that were opened, each with the task it is for.
    pub fn opened_rooms(&self) -> Vec<(ChatId, Option<String>)> {
        locked(&self.said.rooms).clone()
    }

    /// The agent's contacts: those whose requests were approved.
    pub fn contacts(&self) -> Vec<AgentContact> {
        locked(&self.said.contacts).contacts.clone()
    }

    /// The next message, event or change of contacts is refused with this. More wait in order.
    pub fn refuse(&self, refusal: ApiError) {
        locked(&self.said.refusals).push_back(refusal);
    }

    /// Ada's id.
    pub fn ada() -> ParticipantId {
        Id::new(Uuid::from_u128(2))
    }

    /// The agent.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// A platform that is not there: what `on_started` gets in a test.
    ///
    /// # Errors
    /// This machine has no TLS to set up.
    pub fn platform(&self) -> Result<PlatformConnection> {
        let (rest_url, key) = ("http://127.0.0.1:9", SecretString::from("key"));
        let rest = RestClient::new(RestConfig::new(rest_url, key.clone()))?;
        let ws_url = "ws://127.0.0.1:9/api/v1/socket/websocket".to_owned();
        Ok(PlatformConnection::new(self.identity.id, key, rest_url.to_owned(), ws_url, rest))
    }

    /// A turn about a message of Ada's, which is the first of its session. A token `@[[uuid]]` of someone in
    /// the room is a mention.
    pub fn turn(&self, content: &str) -> AgentInput {
        self.turn_after(content, RawHistory::default())
    }

    /// The same, with a past.
    pub fn turn_after(&self, content: &str, history: RawHistory) -> AgentInput {
        let message = self.message_of_ada(content);
        let trigger = message.id;
        let shared = self.shared(trigger);
        let participants = shared.roster().members();
        Turn {
            message: IncomingMessage::read(message, self.room, &participants),
            room: self.room,
            history,
            contacts_update: None,
            participants_update: Some(band_core::room::participants_update(&participants)),
            participants,
            is_bootstrap: true,
            tools: RoomTools { shared: Arc::new(shared) },
        }
    }

    /// The tools alone, bound to a turn of their own.
    pub fn tools(&self) -> RoomTools {
        RoomTools { shared: Arc::new(self.shared(Id::new(Uuid::new_v4()))) }
    }

    /// Asks every turn of this room to end.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// What was sent so far.
    pub fn sent(&self) -> Vec<Sent> {
        locked(&self.said.messages).clone()
    }

    /// The first message that has this in it.
    ///
    /// # Panics
    /// There is none; the text names all that were sent.
    #[track_caller]
    pub fn expect_sent(&self, fragment: &str) -> Sent {
        let sent = self.sent();
        let found = sent.iter().find(|one| one.content.contains(fragment)).cloned();
        assert!(found.is_some(), "No message with {fragment:?} in it. Sent: {sent:?}");
        found.unwrap_or_default()
    }

    /// Waits for a message that has this in it.
    ///
    /// # Errors
    /// None came in time.
    pub async fn until_said(&self, fragment: &str, within: Duration) -> Result<Sent, Elapsed> {
        let said = async {
            loop {
                let news = self.said.news.notified();
                tokio::pin!(news);
                // Before the look, so that nothing is missed between it and the wait.
                news.as_mut().enable();
                if let Some(sent) = self.sent().into_iter().find(|one| one.content.contains(fragment)) {
                    return sent;
                }
                news.await;
            }
        };
        tokio::time::timeout(within, said).await
    }

    /// A file that someone shared in the room: a message of Ada's carries it.
    pub fn share_file(&self, name: &str, content_type: &str, content: impl Into<Bytes>) -> Attachment {
        let mut files = locked(&self.said.files);
        let file = files.store(name, content_type, content.into());
        let message = Message { attachments: vec![json!(file)], ..self.message_of_ada(name) };
        files.past.push(message);
        file
    }

    /// What was remembered, the oldest first.
    pub fn memories(&self) -> Vec<Memory> {
        locked(&self.said.memories).0.clone()
    }

    /// The tasks of the room, by number.
    pub fn tasks(&self) -> Vec<Task> {
        locked(&self.said.tasks).tasks.iter().map(|(task, _)| task.clone()).collect()
    }

    /// The board of the room, once it was set.
    pub fn board(&self) -> Option<Board> {
        locked(&self.said.tasks).board.clone()
    }

    /// The files of the room with their bytes.
    pub fn files(&self) -> Vec<(Attachment, Bytes)> {
        locked(&self.said.files).stored.clone()
    }

    /// The events so far.
    pub fn events(&self) -> Vec<SentEvent> {
        locked(&self.said.events).clone()
    }

    fn message_of_ada(&self, content: &str) -> Message {
        Message {
            id: Id::new(Uuid::new_v4()),
            content: content.to_owned(),
            message_type: "text".to_owned(),
            sender_id: Self::ada(),
            sender_type: "User".to_owned(),
            sender_name: Some("Ada".to_owned()),
            chat_room_id: Some(self.room),
            metadata: self.mentions_in(content),
            attachments: Vec::new(),
            inserted_at: None,
            updated_at: None,
        }
    }

    fn mentions_in(&self, content: &str) -> Map<String, Value> {
        let people = locked(&self.said.people);
        let named = people.iter().filter(|person| content.contains(&format!("@[[{}]]", person.id)));
        let mentions =
            named.map(|person| json!({ "id": person.id, "name": person.name, "handle": person.handle }));
        Map::from_iter([("mentions".to_owned(), mentions.collect())])
    }

    fn shared(&self, trigger: band_wire::MessageId) -> TurnShared {
        let common = RoomShared {
            room: self.room,
            identity: Arc::clone(&self.identity),
            port: Arc::clone(&self.said) as Arc<dyn RoomPort>,
            roster: Arc::clone(&self.roster),
            features: Arc::new(Offer::new(self.features.clone(), &self.own)),
            is_hub: self.is_hub,
            wake: Arc::default(),
            journal: RoomJournal::none(),
        };
        TurnShared::new(common, trigger, self.cancel.clone())
    }
}

fn person(id: ParticipantId, kind: SenderType, name: &str, handle: &str) -> Participant {
    Participant {
        id,
        kind: kind.into(),
        role: Role::Member.into(),
        status: MemberStatus::Active.into(),
        name: Some(name.to_owned()),
        handle: Some(handle.to_owned()),
        online: None,
        description: None,
        is_external: None,
        connection_status: None,
    }
}

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl RoomPort for Said {
    fn claim(&self, _: band_wire::MessageId) -> Answer<'_, bool> {
        Box::pin(std::future::ready(Ok(true)))
    }

    fn send<'a>(&'a self, message: &'a SendMessage, key: &'a str) -> Answer<'a, MessageSent> {
        if let Some(refused) = self.refused() {
            return refused;
        }
        let mentions: Vec<ParticipantId> =
            message.mentions.iter().filter_map(|mention| mention.id.as_ref()?.parse().ok()).collect();
        let people = locked(&self.people).clone();
        let known = people.into_iter().filter(|person| mentions.contains(&person.id));
        let recipients = known
            .map(|person| Recipient {
                id: person.id,
                handle: person.handle.unwrap_or_default(),
                name: person.name,
            })
            .collect();
        let (content, files) = (message.content.clone(), message.attachment_ids.clone());
        locked(&self.messages).push(Sent { content, mentions, files, key: key.to_owned() });
        self.news.notify_waiters();
        answered(MessageSent { id: Id::new(Uuid::new_v4()), success: true, recipients })
    }

    fn event<'a>(&'a self, event: &'a CreateEvent) -> Answer<'a, EventCreated> {
        if let Some(refused) = self.refused() {
            return refused;
        }
        locked(&self.events).push(SentEvent {
            kind: event.message_type,
            content: event.content.clone(),
            metadata: event.metadata.clone(),
        });
        self.news.notify_waiters();
        let id = Id::new(Uuid::new_v4());
        answered(EventCreated { id, message_type: event.message_type.into(), success: true })
    }

    fn participants(&self) -> Answer<'_, Vec<Participant>> {
        answered(locked(&self.people).clone())
    }

    fn add_participant(&self, who: ParticipantId, role: Role) -> Answer<'_, Participant> {
        if let Some(refused) = self.refused() {
            return refused;
        }
        let Some(peer) = locked(&self.peers).iter().find(|peer| peer.id == who).cloned() else {
            return not_found();
        };
        let mut added = person(peer.id, SenderType::User, &peer.name, &peer.handle);
        (added.kind, added.role) = (peer.kind, role.into());
        locked(&self.people).push(added.clone());
        answered(added)
    }

    fn remove_participant(&self, who: ParticipantId) -> Answer<'_, ()> {
        if let Some(refused) = self.refused() {
            return refused;
        }
        locked(&self.people).retain(|person| person.id != who);
        answered(())
    }

    fn peers(&self, page: u64, page_size: u64) -> Answer<'_, Paged<Peer, Page>> {
        let here: Vec<ParticipantId> = locked(&self.people).iter().map(|person| person.id).collect();
        let known = locked(&self.peers);
        let all: Vec<Peer> = known.iter().filter(|peer| !here.contains(&peer.id)).cloned().collect();
        answered(paged(&all, page, page_size))
    }

    fn create_chat<'a>(&'a self, chat: &'a CreateChat) -> Answer<'a, ChatId> {
        if let Some(refused) = self.refused() {
            return refused;
        }
        let id = Id::new(Uuid::new_v4());
        locked(&self.rooms).push((id, chat.task_id.clone()));
        answered(id)
    }
}

/// One page of a list.
pub(super) fn paged<T: Clone>(all: &[T], page: u64, page_size: u64) -> Paged<T, Page> {
    let size = usize::try_from(page_size.max(1)).unwrap_or(usize::MAX);
    let skipped = usize::try_from(page.saturating_sub(1)).unwrap_or(usize::MAX).saturating_mul(size);
    let total_count = u64::try_from(all.len()).unwrap_or(u64::MAX);
    let total_pages = total_count.div_ceil(page_size.max(1));
    let data = all.iter().skip(skipped).take(size).cloned().collect();
    Paged { data, metadata: Page { page, page_size, total_count, total_pages } }
}

pub(super) fn not_found<'a, T: Send + 'a>() -> Answer<'a, T> {
    Box::pin(std::future::ready(Err(ApiError::new(404, "not found").into())))
}

pub(super) fn unprocessable<'a, T: Send + 'a>() -> Answer<'a, T> {
    Box::pin(std::future::ready(Err(ApiError::new(422, "can't be done").into())))
}

pub(super) fn answered<'a, T: Send + 'a>(value: T) -> Answer<'a, T> {
    let answer: Result<T> = Ok(value);
    Box::pin(std::future::ready(answer))
}
