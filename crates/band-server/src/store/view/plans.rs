//! How SQLite finds what is asked of it: every statement of the views, explained.

use std::cell::RefCell;
use std::collections::BTreeSet;

use band_core::platform::Principal;
use band_core::platform::page::Position;
use band_wire::rest::query::{
    AgentSort, ChatSort, MemoryFilter, OffsetQuery, Order, SentFilter, StatusFilter,
};
use band_wire::rest::{ContactRequestStatus, SenderType, TaskRef, TaskState};
use band_wire::{AgentId, ChatId, Id, MessageId, Stamp, UserId};
use rusqlite::Connection;
use uuid::Uuid;

use super::{
    AgentFilter, ChatFilter, Direction, MemoryQuery, Slice, TypesWanted, View, WhoseFiles, WhoseMemories,
};
use crate::store::{connection, migrate};

thread_local! {
    static SEEN: RefCell<BTreeSet<String>> = const { RefCell::new(BTreeSet::new()) };
}

/// Remembers a statement of this thread.
pub(super) fn note(sql: &str) {
    SEEN.with_borrow_mut(|seen| seen.insert(sql.to_owned()));
}

fn seen() -> BTreeSet<String> {
    SEEN.take()
}

fn site() -> (tempfile::TempDir, Connection) {
    let dir = tempfile::tempdir().unwrap();
    let mut connection = connection::writer(&dir.path().join("band.db")).unwrap();
    migrate::migrate(&mut connection).unwrap();
    (dir, connection)
}

/// The steps by which a statement is carried out.
fn plan(connection: &Connection, sql: &str) -> Vec<String> {
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let mut rows = statement.raw_query();
    let mut steps = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        steps.push(row.get(3).unwrap());
    }
    steps
}

fn chat() -> ChatId {
    Id::new(Uuid::from_u128(1))
}

fn agent() -> AgentId {
    Id::new(Uuid::from_u128(2))
}

fn user() -> UserId {
    Id::new(Uuid::from_u128(3))
}

const FILTERS: [StatusFilter; 6] = [
    StatusFilter::Open,
    StatusFilter::Pending,
    StatusFilter::Processing,
    StatusFilter::Processed,
    StatusFilter::Failed,
    StatusFilter::All,
];

/// Asks everything that grows with the site, its rooms or their messages.
fn ask_everything(view: View<'_>) {
    let (page, at) = (OffsetQuery::default(), Position::Start);
    let slice = |direction| Slice { direction, from: None, skip: 0, limit: 20 };
    view.key(&[0; 32]).unwrap();
    view.session(&[0; 32], Stamp::from_micros(0)).unwrap();
    view.stored_answer(agent().into(), "messages", "key").unwrap();
    view.user(user()).unwrap();
    view.user_by_handle("ann").unwrap();
    view.candidate(agent().into()).unwrap();
    view.agent(agent()).unwrap();
    view.has_agent_named(user(), "Echo").unwrap();
    view.slugs(user()).unwrap();
    view.executions(agent()).unwrap();
    view.is_stopped(agent(), chat()).unwrap();
    let request = Id::new(Uuid::nil());
    view.contact_request(request).unwrap();
    view.open_request(agent().into(), user().into()).unwrap();
    view.open_requests_of(agent().into()).unwrap();
    view.received_requests(user().into(), page).unwrap();
    view.contact(agent().into(), user().into()).unwrap();
    view.contact_record(agent().into(), Id::new(Uuid::nil())).unwrap();
    view.contact_records_of(agent().into()).unwrap();
    view.contacts(agent().into(), page).unwrap();
    for filter in [SentFilter::All, SentFilter::Only(ContactRequestStatus::Pending)] {
        view.sent_requests(agent().into(), filter, page).unwrap();
    }
    view.by_handle("ann", Some("echo")).unwrap();
    view.count_executions(agent()).unwrap();
    view.room(chat()).unwrap();
    for who in [Principal::User(user()), Principal::Agent { id: agent(), owner: user() }] {
        view.access(who, chat()).unwrap();
    }
    view.first_members(&[chat()], 9).unwrap();
    view.own_agents_in(user(), &[chat()]).unwrap();
    view.count_members(chat(), Some(SenderType::Agent)).unwrap();
    view.agent_chats(agent(), page).unwrap();
    view.count_agent_chats(agent()).unwrap();
    view.agent_chat_ids(agent()).unwrap();
    view.message(chat(), MessageId::new(Uuid::nil())).unwrap();
    view.last_messages(&[chat()]).unwrap();
    view.message_counts(chat()).unwrap();
    view.deliveries(7).unwrap();
    view.next_message(agent(), chat()).unwrap();
    view.count_context(agent(), chat()).unwrap();
    let wanted = TypesWanted::default();
    view.count_timeline(chat(), &wanted).unwrap();
    view.is_wanted(chat(), &wanted, 7).unwrap();
    for direction in [Direction::Newer, Direction::Older] {
        view.timeline(chat(), &wanted, slice(direction)).unwrap();
        view.context(agent(), chat(), slice(direction)).unwrap();
    }
    ask_what_is_kept(view);
    for order in [Order::Asc, Order::Desc] {
        for filter in FILTERS {
            view.agent_messages((agent(), chat()), filter, order, &at, 20).unwrap();
            view.count_agent_messages(agent(), chat(), filter).unwrap();
        }
        for agent_rooms in [false, true] {
            let filter = ChatFilter { agent_rooms, ..ChatFilter::default() };
            view.count_my_chats(user(), filter).unwrap();
            for sort in [ChatSort::Inserted, ChatSort::Updated] {
                view.my_chats(user(), filter, (sort, order), &at, 20).unwrap();
            }
        }
        for sort in [AgentSort::Name, AgentSort::Inserted, AgentSort::Updated] {
            view.agents(user(), &AgentFilter::default(), (sort, order), &at, 20).unwrap();
        }
    }
}

/// Memories, files, task boards.
fn ask_what_is_kept(view: View<'_>) {
    let at = Position::Start;
    let memory = Id::new(Uuid::nil());
    view.memory(memory).unwrap();
    view.named_memory(memory).unwrap();
    view.organization().unwrap();
    for whose in [
        WhoseMemories::Agent(agent()),
        WhoseMemories::Organization,
        WhoseMemories::Subject(user().into()),
        WhoseMemories::Person(user()),
        WhoseMemories::Rooms(user()),
    ] {
        let filter = MemoryFilter { content: Some("tea".to_owned()), ..MemoryFilter::default() };
        let query = MemoryQuery { whose, scope: None, subject: None, agent: None, chat: None, filter };
        view.count_memories(&query).unwrap();
        view.memories(&query, &at, 20).unwrap();
    }
    let file = Id::new(Uuid::nil());
    view.file(chat(), file).unwrap();
    view.file_by_content(chat(), "00").unwrap();
    view.some_files(chat(), &[file]).unwrap();
    view.unknown_files(&[file]).unwrap();
    view.files_of(&[7]).unwrap();
    for whose in [WhoseFiles::Room, WhoseFiles::Agent(agent())] {
        view.files(chat(), whose, &at, 20).unwrap();
    }
    view.reached(agent(), MessageId::new(Uuid::nil())).unwrap();
    view.deletion(user(), Id::new(Uuid::nil())).unwrap();
    let task = Id::new(Uuid::nil());
    view.task(chat(), TaskRef::Id(task)).unwrap();
    view.task(chat(), TaskRef::Number(1)).unwrap();
    view.room_of_task(task).unwrap();
    for state in [None, Some(TaskState::Active)] {
        view.tasks(chat(), state, &at, 20).unwrap();
    }
    view.tasks_of(chat(), agent().into()).unwrap();
    view.assignments_of(&[task]).unwrap();
    view.next_task_number(chat()).unwrap();
    view.task_history(task, &at, 20).unwrap();
    view.newest_of_task(task, 20).unwrap();
    view.goal(chat()).unwrap();
    view.newest_of_goal(chat(), 20).unwrap();
}

#[test]
fn no_question_of_one_caller_walks_a_table_of_all() {
    let (_dir, connection) = site();
    ask_everything(View::new(&connection));
    let statements = seen();
    assert!(statements.len() > 50, "{} statements", statements.len());
    // What a statement has found already may be walked.
    let found = |sql: &str, table: &str| {
        ["json_each", "known", "seen", "CONSTANT"].contains(&table)
            || table.starts_with("(subquery")
            || (table == "p" && sql.contains("row_number()"))
    };
    for sql in statements {
        for step in plan(&connection, &sql) {
            let walked = step.strip_prefix("SCAN ").and_then(|rest| rest.split(' ').next());
            assert!(walked.is_none_or(|table| found(&sql, table)), "{step}: {sql}");
        }
    }
}

#[test]
fn what_is_done_is_not_walked_to_find_what_is_open() {
    let (_dir, connection) = site();
    let view = View::new(&connection);
    view.next_message(agent(), chat()).unwrap();
    for filter in
        FILTERS.into_iter().filter(|filter| !matches!(filter, StatusFilter::Processed | StatusFilter::All))
    {
        for order in [Order::Asc, Order::Desc] {
            view.agent_messages((agent(), chat()), filter, order, &Position::Start, 20).unwrap();
        }
        view.count_agent_messages(agent(), chat(), filter).unwrap();
    }
    for sql in seen() {
        let steps = plan(&connection, &sql);
        assert!(
            steps.iter().any(|step| step.contains("INDEX deliveries_open (agent_id=? AND chat_id=?")),
            "{steps:?}: {sql}"
        );
        assert!(!steps.iter().any(|step| step.contains("TEMP B-TREE")), "{steps:?}: {sql}");
    }
}
