//! The Agent API of the simulated platform: requests are read strictly by the real types, decided by the real
//! plans, and answered in the real types.

use band_core::platform::activity::Input;
use band_core::platform::delivery::{Mark, shows};
use band_core::platform::page::{self, Key, List, Position, Scope, Span};
use band_core::platform::{Principal, Refusal, TEXT, handles, marks, participant_view, post, send};
use band_wire::rest::query::{
    AgentChatsQuery, AgentMessagesQuery, ContextQuery, FromQuery, NoQuery, Order, QueryReader,
};
use band_wire::rest::{
    self, ActivityState, AgentChat, AgentMe, ContextPage, CreateEvent, Cursored, FailMark, FromBody, Issues,
    Paged, Participant, ReportActivity, SendMessage, code,
};
use band_wire::{AgentId, ChatId, MessageId, UserId};
use bytes::Bytes;
use http::{Method, Request};
use serde::Serialize;
use uuid::Uuid;

use super::Platform;
use super::answer::{self, Answer, Answered, bad_query};
use super::contacts;
use super::store::Kept;

/// How long an answer is kept for its key, in microseconds: 24 h.
const KEPT: i64 = 24 * 60 * 60 * 1_000_000;

/// Who calls.
#[derive(Debug, Clone, Copy)]
struct Caller {
    agent: AgentId,
    owner: UserId,
}

impl Caller {
    const fn principal(self) -> Principal {
        Principal::Agent { id: self.agent, owner: self.owner }
    }
}

/// Finds the use case of a request.
pub(super) fn route(platform: &mut Platform, request: &Request<Bytes>) -> Answered {
    let caller = authenticate(platform, request)?;
    let path = request.uri().path().trim_start_matches('/').to_owned();
    let parts: Vec<&str> = path.split('/').collect();
    let Some(rest) = parts.strip_prefix(&["api", "v1", "agent"]) else { return Err(Refusal::not_found()) };
    let get = request.method() == Method::GET;
    let post = request.method() == Method::POST;
    match *rest {
        ["me"] if get => me(platform, caller),
        ["chats"] if get => Ok(chats(platform, caller, &query(request)?)),
        ["contacts", "requests"] if get => Ok(contacts::requests(platform, caller.agent, &query(request)?)),
        ["contacts", "requests", "respond"] if post => {
            contacts::respond(platform, caller.principal(), &body(request)?)
        }
        ["chats", chat, what] if get => {
            let chat = id(chat)?;
            access(platform, caller, chat)?;
            match what {
                "participants" => participants(platform, chat),
                "messages" => messages(platform, caller, chat, &query(request)?),
                "context" => context(platform, caller, chat, &query(request)?),
                _ => Err(Refusal::not_found()),
            }
        }
        ["chats", chat, "messages", "next"] if get => {
            query::<NoQuery>(request)?;
            next(platform, caller, id(chat)?)
        }
        ["chats", chat, "messages"] if post => send_message(platform, caller, id(chat)?, request),
        ["chats", chat, "events"] if post => create_event(platform, caller, id(chat)?, request),
        ["chats", chat, "activity"] if post => activity(platform, caller, id(chat)?, body(request)?),
        ["chats", chat, "messages", message, mark] if post => {
            let mark = match mark {
                "processing" => Mark::Processing,
                "processed" => Mark::Processed,
                "failed" => Mark::Failed(body::<FailMark>(request)?.error),
                _ => return Err(Refusal::not_found()),
            };
            let message = message.parse().map_err(|_| Refusal::not_found())?;
            mark_message(platform, caller, id(chat)?, message, mark)
        }
        _ => Err(Refusal::not_found()),
    }
}

fn authenticate(platform: &Platform, request: &Request<Bytes>) -> Result<Caller, Refusal> {
    let key = request.headers().get("x-api-key").and_then(|key| key.to_str().ok());
    match key.and_then(|key| platform.principal(key)) {
        Some(Principal::Agent { id, owner }) => Ok(Caller { agent: id, owner }),
        _ => Err(Refusal::new(401, code::UNAUTHORIZED, "Invalid API key")),
    }
}

fn id(text: &str) -> Result<ChatId, Refusal> {
    text.parse().map_err(|_| Refusal::not_found())
}

fn query<Q: FromQuery>(request: &Request<Bytes>) -> Result<Q, Refusal> {
    let text = request.uri().query().unwrap_or_default();
    let url = reqwest::Url::parse(&format!("http://sim/?{text}")).map_err(|_| Refusal::not_found())?;
    let pairs: Vec<(String, String)> = url
        .query_pairs()
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .filter(|(name, _)| !name.is_empty())
        .collect();
    Q::from_query(QueryReader::new(pairs)).map_err(bad_query)
}

fn body<T: FromBody>(request: &Request<Bytes>) -> Result<T, Refusal> {
    let value = serde_json::from_slice(request.body())
        .map_err(|err| Refusal::new(400, code::BAD_REQUEST, format!("no JSON: {err}")))?;
    T::from_body(value).map_err(Refusal::invalid)
}

fn access(platform: &Platform, caller: Caller, chat: ChatId) -> Result<(), Refusal> {
    let room = platform.store.room(chat).ok_or_else(Refusal::not_found)?;
    room.access(caller.principal()).read().map(|_| ())
}

fn me(platform: &Platform, caller: Caller) -> Answered {
    let agent = platform.store.agent(caller.agent).ok_or_else(Refusal::not_found)?;
    let owner = platform.store.user(caller.owner).ok_or_else(Refusal::not_found)?;
    Ok(answer::ok(AgentMe {
        id: agent.id,
        name: agent.name.clone(),
        handle: handles::of_agent(&owner.handle, &agent.slug),
        description: agent.description.clone(),
        owner_uuid: owner.id,
        listed_in_directory: false,
        tags: Vec::new(),
        feature_flags: Some(std::collections::BTreeMap::from([(rest::IDEMPOTENCY_KEYS.to_owned(), true)])),
        avatar_url: None,
        inserted_at: agent.inserted_at,
        updated_at: agent.updated_at,
    }))
}

fn chats(platform: &Platform, caller: Caller, query: &AgentChatsQuery) -> Answer {
    let all = platform.store.rooms_of(caller.agent);
    let total = all.len() as u64;
    let skip = usize::try_from(page::skipped(query.page)).unwrap_or(usize::MAX);
    let most = usize::try_from(query.page.page_size).unwrap_or(usize::MAX);
    let shown = all.into_iter().skip(skip).take(most).map(|chat| AgentChat {
        id: chat.id,
        title: Some(chat.title.clone()),
        task_id: None,
        inserted_at: chat.inserted_at,
        updated_at: chat.updated_at,
        participants: None,
        participant_count: None,
        participants_truncated: None,
    });
    answer::whole(&Paged { data: shown.collect::<Vec<_>>(), metadata: page::numbered(query.page, total) })
}

fn participants(platform: &Platform, chat: ChatId) -> Answered {
    let room = platform.store.room(chat).ok_or_else(Refusal::not_found)?;
    let all: Vec<Participant> =
        room.roster.iter().map(|member| participant_view(member, member.role)).collect();
    Ok(answer::ok(all))
}

/// The items of a page: of those that are wanted, some from a place on.
fn paged(
    platform: &Platform,
    chat: ChatId,
    span: &Span,
    order: Order,
    wanted: impl DoubleEndedIterator<Item = i64>,
) -> Paged<rest::Message, Cursored> {
    let wanted: Vec<i64> = wanted.collect();
    let ordered: Vec<i64> = match order {
        Order::Asc => wanted,
        Order::Desc => wanted.into_iter().rev().collect(),
    };
    let most = usize::try_from(span.wanted()).unwrap_or(usize::MAX);
    let after = |seq: &i64| match (&span.position, order) {
        (Position::After(Key::Number(place), _), Order::Asc) => seq > place,
        (Position::After(Key::Number(place), _), Order::Desc) => seq < place,
        _ => true,
    };
    let skip = match span.position {
        Position::Skip(skip) => usize::try_from(skip).unwrap_or(usize::MAX),
        Position::Start | Position::After(..) => 0,
    };
    let found: Vec<i64> = ordered.into_iter().filter(after).skip(skip).take(most).collect();
    let (shown, metadata) = span.page(found, None, |seq| (Key::Number(*seq), Uuid::nil()));
    let data = shown.into_iter().filter_map(|seq| platform.store.complete(chat, seq)).collect();
    Paged { data, metadata }
}

const fn number(order: Order) -> u8 {
    match order {
        Order::Asc => 0,
        Order::Desc => 1,
    }
}

fn messages(platform: &Platform, caller: Caller, chat: ChatId, query: &AgentMessagesQuery) -> Answered {
    let scope = Scope { list: List::AgentMessages, order: number(query.order), filter: 0 };
    let span = Span::read(&query.paging, scope)?;
    let all = platform.store.mentions(caller.agent, chat);
    let wanted = all.filter(|(_, delivery)| shows(query.status, delivery.status())).map(|(seq, _)| seq);
    let mut page = paged(platform, chat, &span, query.order, wanted);
    page.metadata.status_filter = query.status.as_str().map(str::to_owned);
    Ok(answer::whole(&page))
}

fn context(platform: &Platform, caller: Caller, chat: ChatId, query: &ContextQuery) -> Answered {
    let scope = Scope { list: List::Context, order: number(query.order), filter: 0 };
    let span = Span::read(&query.paging, scope)?;
    let mentioned: std::collections::BTreeSet<i64> =
        platform.store.mentions(caller.agent, chat).map(|(seq, _)| seq).collect();
    let own = |message: &rest::Message| message.sender_id == caller.agent.into();
    let visible = platform
        .store
        .timeline(chat)
        .filter(|(seq, message)| own(message) || (message.message_type == TEXT && mentioned.contains(seq)));
    let page = paged(platform, chat, &span, query.order, visible.map(|(seq, _)| seq));
    Ok(answer::whole(&ContextPage::from(page)))
}

fn next(platform: &Platform, caller: Caller, chat: ChatId) -> Answered {
    access(platform, caller, chat)?;
    if platform.store.is_stopped(caller.agent, chat) {
        return Ok(answer::some(None::<rest::Message>));
    }
    let mut open = platform.store.mentions(caller.agent, chat);
    let first = open.find(|(_, delivery)| shows(rest::query::StatusFilter::Open, delivery.status()));
    Ok(answer::some(first.and_then(|(seq, _)| platform.store.complete(chat, seq))))
}

fn mark_message(
    platform: &mut Platform,
    caller: Caller,
    chat: ChatId,
    message: MessageId,
    mark: Mark,
) -> Answered {
    let room = platform.store.room(chat).ok_or_else(Refusal::not_found)?;
    room.member(caller.principal())?;
    let (seq, stored) = platform.store.message(chat, message).ok_or_else(Refusal::not_found)?;
    let (stored, deliveries) = (stored.clone(), platform.store.records(chat, seq));
    if platform.store.is_stopped(caller.agent, chat) {
        return Ok(answer::some(None::<rest::MessageMark>));
    }
    let facts = marks::Facts { chat, message: stored, deliveries, now: platform.stamp() };
    let plan = marks::mark(facts, caller.agent, mark)?;
    Ok(answer::ok(platform.commit(plan)))
}

fn activity(platform: &mut Platform, caller: Caller, chat: ChatId, report: ReportActivity) -> Answered {
    let none = || Refusal::new(404, code::NOT_FOUND, "No active execution");
    let room = platform.store.room(chat).ok_or_else(none)?;
    let member = room.member(caller.principal()).map_err(|_| none())?;
    let execution = member.execution.ok_or_else(none)?.id;
    let agent = caller.agent;
    if report.working && !member.is_stopped() {
        platform.work(Input::Works { chat, agent, execution, at: report.activity });
    } else {
        platform.work(Input::Stops { chat, agent });
    }
    Ok(answer::ok(ActivityState { working: platform.is_working(chat, agent) }))
}

fn send_message(platform: &mut Platform, caller: Caller, chat: ChatId, request: &Request<Bytes>) -> Answered {
    let message: SendMessage = body(request)?;
    once(platform, caller, format!("messages:{chat}"), request, &message, |platform| {
        let room = platform.store.room(chat).ok_or_else(Refusal::not_found)?;
        let facts = send::Facts {
            room: &room,
            id: platform.id(),
            files: &[],
            has_task: false,
            now: platform.stamp(),
        };
        let board = &platform.board;
        let plan = send::send(&facts, caller.principal(), &message, |agent| board.is_listening(agent, chat))?;
        let sent = platform.commit(plan);
        Ok((sent.id.uuid(), sent))
    })
}

fn create_event(platform: &mut Platform, caller: Caller, chat: ChatId, request: &Request<Bytes>) -> Answered {
    let event: CreateEvent = body(request)?;
    once(platform, caller, format!("events:{chat}"), request, &event.clone(), |platform| {
        let room = platform.store.room(chat).ok_or_else(Refusal::not_found)?;
        let facts = send::Facts {
            room: &room,
            id: platform.id(),
            files: &[],
            has_task: false,
            now: platform.stamp(),
        };
        let plan = post::post(&facts, caller.principal(), event)?;
        let created = platform.commit(plan);
        Ok((created.id.uuid(), created))
    })
}

/// Creates once for each key: a repeated key is answered with the answer from before.
fn once<T: Serialize>(
    platform: &mut Platform,
    caller: Caller,
    route: String,
    request: &Request<Bytes>,
    parsed: &impl Serialize,
    create: impl FnOnce(&mut Platform) -> Result<(Uuid, T), Refusal>,
) -> Answered {
    let key = request.headers().get("idempotency-key").and_then(|key| key.to_str().ok());
    let asked = serde_json::to_string(parsed).unwrap_or_default();
    let place = key.map(|key| (caller.agent.into(), route, key.to_owned()));
    let oldest = platform.stamp().as_micros().saturating_sub(KEPT);
    if let Some(kept) = place.as_ref().and_then(|place| platform.store.kept.get(place))
        && kept.at.as_micros() > oldest
    {
        if kept.request != asked {
            let mut refusal = Refusal::new(
                409,
                code::IDEMPOTENCY_CONFLICT,
                "The idempotency key was used for another request",
            );
            refusal.details = Some(Issues::one("id", kept.resource.to_string()));
            return Err(refusal);
        }
        let body: serde_json::Value = serde_json::from_str(&kept.answer).unwrap_or_default();
        return Ok(answer::created(body));
    }
    let (resource, created) = create(platform)?;
    if let Some(place) = place {
        let answer = serde_json::to_string(&created).unwrap_or_default();
        let at = platform.stamp();
        platform.store.kept.insert(place, Kept { request: asked, resource, answer, at });
    }
    Ok(answer::created(created))
}
