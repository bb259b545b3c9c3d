//! What each call sends, and what it makes of the answer.

use band_wire::rest::{
    ActivityKind, ActivityReport, CreateChat, CreateEvent, DeliveryStatus, EventType, MentionInput,
    ReportActivity, Role, SendMessage,
};

use super::*;
use crate::rest::{ContextQuery, Mark, MessagesQuery};

const BASE: &str = "/api/v1/agent/chats/00000000-0000-0000-0000-000000000001";

fn greeting() -> SendMessage {
    let ann = MentionInput { handle: Some("ann".to_owned()), ..MentionInput::default() };
    SendMessage { content: "hi".to_owned(), mentions: vec![ann], attachment_ids: Vec::new() }
}

fn chat(number: u128) -> Value {
    json!({
        "id": Uuid::from_u128(number), "title": "t", "task_id": null,
        "inserted_at": "2026-07-01T10:00:00Z", "updated_at": "2026-07-01T10:00:00Z",
    })
}

fn page(chats: impl IntoIterator<Item = u128>, page: u64, total_pages: u64) -> Step {
    page_of(0, chats, page, total_pages)
}

fn page_of(total: u64, chats: impl IntoIterator<Item = u128>, page: u64, total_pages: u64) -> Step {
    let data: Vec<Value> = chats.into_iter().map(chat).collect();
    let metadata = json!({"page": page, "page_size": 100, "total_count": total, "total_pages": total_pages});
    ok(&json!({"data": data, "metadata": metadata}))
}

#[tokio::test]
async fn every_call_carries_the_key_in_a_header_and_says_who_calls() {
    let platform = Platform::follow([Step::Answer(204, "", String::new())]).await;
    let client = platform.client();
    assert_eq!(client.next(CHAT).await.unwrap(), None);
    let seen = platform.seen().remove(0);
    assert_eq!(seen.line, format!("GET {BASE}/messages/next"));
    assert!(seen.headers.contains(&format!("x-api-key: {KEY}")), "{}", seen.headers);
    assert!(seen.headers.contains("user-agent: band-rust/"), "{}", seen.headers);
    assert!(!format!("{client:?} {:?}", platform.config()).contains(KEY));
}

#[tokio::test]
async fn the_next_message_is_read() {
    let platform = Platform::follow([ok(&json!({"data": message()}))]).await;
    let next = platform.client().next(CHAT).await.unwrap().unwrap();
    assert_eq!((next.id, next.content.as_str()), (MESSAGE, "hi"));
}

#[tokio::test]
async fn a_message_is_posted_with_its_key() {
    let platform = Platform::follow([sent()]).await;
    let sent = platform.client().send_message(CHAT, &greeting(), Some("m-1:0")).await.unwrap();
    assert_eq!(sent.id, MESSAGE);
    let seen = platform.seen().remove(0);
    assert_eq!(seen.line, format!("POST {BASE}/messages"));
    assert_eq!(seen.body, r#"{"message":{"content":"hi","mentions":[{"handle":"ann"}]}}"#);
    assert!(seen.headers.contains("idempotency-key: m-1:0"), "{}", seen.headers);
    assert!(seen.headers.contains("content-type: application/json"), "{}", seen.headers);
}

#[tokio::test]
async fn an_event_is_posted_without_empty_fields() {
    let answer = json!({"data": {"id": MESSAGE, "message_type": "thought", "success": true}});
    let platform = Platform::follow([Step::Answer(201, "", answer.to_string())]).await;
    let event = CreateEvent { content: "hm".to_owned(), message_type: EventType::Thought, metadata: None };
    platform.client().send_event(CHAT, &event, None).await.unwrap();
    let seen = platform.seen().remove(0);
    assert_eq!(seen.line, format!("POST {BASE}/events"));
    assert_eq!(seen.body, r#"{"event":{"content":"hm","message_type":"thought"}}"#);
}

#[tokio::test]
async fn marks_are_posted_and_told_apart() {
    let no_attempt = json!({"error": {"code": "validation_error", "message": "No.", "request_id": "r-1",
        "details": {"/processing_attempt": ["no live attempt"]}}});
    let platform = Platform::follow([
        ok(&mark("processing")),
        ok(&mark("processed")),
        ok(&mark("failed")),
        Step::Answer(204, "", String::new()),
        refuse(404, "not_found"),
        Step::Answer(422, "", no_attempt.to_string()),
        ok(&json!({"data": {"id": MESSAGE, "status": "processed", "attempt_number": 1, "success": false}})),
        ok(&json!({"data": null})),
        refuse(403, "forbidden"),
    ])
    .await;
    let client = platform.client();
    let accepted = |mark: &Mark| match mark {
        Mark::Accepted(mark) => serde_json::to_value(&mark.status).ok(),
        _ => None,
    };
    assert_eq!(accepted(&client.mark_processing(CHAT, MESSAGE).await.unwrap()), Some("processing".into()));
    assert_eq!(accepted(&client.mark_processed(CHAT, MESSAGE).await.unwrap()), Some("processed".into()));
    assert_eq!(accepted(&client.mark_failed(CHAT, MESSAGE, " ").await.unwrap()), Some("failed".into()));
    assert_eq!(client.mark_processed(CHAT, MESSAGE).await.unwrap(), Mark::Stopped);
    assert_eq!(client.mark_processed(CHAT, MESSAGE).await.unwrap(), Mark::NotFound);
    assert_eq!(client.mark_processed(CHAT, MESSAGE).await.unwrap(), Mark::Rejected);
    for status in [200, 200, 403] {
        let mark = client.mark_processed(CHAT, MESSAGE).await.unwrap();
        assert!(matches!(&mark, Mark::Unconfirmed(api) if api.status_code == status), "{mark:?}");
    }
    let seen = platform.seen();
    let path = format!("{BASE}/messages/{MESSAGE}");
    assert_eq!(seen[0].line, format!("POST {path}/processing"));
    assert_eq!((seen[0].body.as_str(), seen[2].body.as_str()), ("", r#"{"error":"Unknown error"}"#));
}

#[tokio::test]
async fn all_rooms_are_read_page_by_page_and_each_once() {
    let platform = Platform::follow([page(1..=100, 1, 2), page(100..=150, 2, 2)]).await;
    let chats = platform.client().all_chats().await.unwrap();
    assert_eq!(chats.len(), 150);
    assert_eq!(
        platform.lines(),
        ["GET /api/v1/agent/chats?page=1&page_size=100", "GET /api/v1/agent/chats?page=2&page_size=100",]
    );
}

#[tokio::test]
async fn a_list_that_grows_is_followed_and_one_that_repeats_ends() {
    let grows = Platform::follow([page([1], 1, 1), page([2], 2, 2)]).await;
    assert_eq!(grows.client().all_chats().await.unwrap().len(), 1, "one page was announced and read");
    let repeats = Platform::follow([page([1], 1, 9), page([1], 2, 9)]).await;
    assert_eq!(repeats.client().all_chats().await.unwrap().len(), 1);
    assert_eq!(repeats.lines().len(), 2);
}

#[tokio::test]
async fn trap_55_a_list_that_never_ends_is_read_as_far_as_fifty_pages() {
    let platform = Platform::follow((1..=60).map(|n| page([u128::from(n)], n, n + 1))).await;
    assert_eq!(platform.client().all_chats().await.unwrap().len(), 50);
    assert_eq!(platform.lines().len(), 50);
}

#[tokio::test]
async fn a_room_that_goes_while_the_pages_are_read_hides_no_other() {
    // Room 1 goes after the first page, so that room 101 moves to the page that was read.
    let platform = Platform::follow([
        page_of(150, 1..=100, 1, 2),
        page_of(149, 102..=150, 2, 2),
        page_of(149, 2..=101, 1, 2),
        page_of(149, 102..=150, 2, 2),
    ])
    .await;
    let chats = platform.client().all_chats().await.unwrap();
    let numbers: Vec<u128> = chats.iter().map(|chat| chat.id.uuid().as_u128()).collect();
    assert_eq!(numbers, (2..=150).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_list_that_never_stands_still_is_taken_as_it_is() {
    let changing = (1..=3).flat_map(|n| [page_of(n, [1], 1, 2), page_of(n + 1, [2], 2, 2)]);
    let platform = Platform::follow(changing).await;
    assert_eq!(platform.client().all_chats().await.unwrap().len(), 2);
    assert_eq!(platform.lines().len(), 6);
}

#[tokio::test]
async fn a_page_that_can_not_be_read_spoils_the_list() {
    let platform = Platform::follow([page([1], 1, 2), refuse(403, "forbidden")]).await;
    assert_eq!(platform.client().all_chats().await.unwrap_err().status(), Some(403));
}

#[tokio::test]
async fn queries_are_encoded() {
    let empty = json!({"data": [], "metadata": {"has_more": false, "limit": 50, "next_cursor": null}});
    let platform = Platform::follow([ok(&empty)]).await;
    let client = platform.client();
    let query = ContextQuery { cursor: Some("a+b/c=&d".to_owned()), limit: Some(100), newest_first: true };
    client.context(CHAT, &query).await.unwrap();
    client.context(CHAT, &ContextQuery::default()).await.unwrap();
    let query = MessagesQuery { status: Some(DeliveryStatus::Failed), ..MessagesQuery::default() };
    client.messages(CHAT, &query).await.unwrap();
    assert_eq!(
        platform.lines(),
        [
            format!("GET {BASE}/context?cursor=a%2Bb%2Fc%3D%26d&limit=100&sort_order=desc"),
            format!("GET {BASE}/context"),
            format!("GET {BASE}/messages?status=failed"),
        ]
    );
}

#[tokio::test]
async fn activity_is_told_and_what_holds_is_read() {
    let platform = Platform::follow([ok(&json!({"data": {"working": false}}))]).await;
    let tool = ActivityReport { kind: ActivityKind::ToolCall, name: Some("search".to_owned()) };
    let report = ReportActivity { working: true, activity: Some(tool) };
    assert!(!platform.client().report_activity(CHAT, &report, Duration::from_secs(60)).await.unwrap());
    let seen = platform.seen().remove(0);
    assert_eq!(seen.line, format!("POST {BASE}/activity"));
    assert_eq!(seen.body, r#"{"working":true,"activity":{"kind":"tool_call","name":"search"}}"#);
}

#[tokio::test]
async fn rooms_and_participants_are_made_and_read() {
    let who = json!({"id": Uuid::from_u128(3), "type": "User", "role": "member", "status": "active", "name": "Ann"});
    let platform = Platform::follow([
        Step::Answer(201, "", json!({"data": chat(1)}).to_string()),
        ok(&json!({"data": chat(1)})),
        Step::Answer(201, "", json!({"data": who}).to_string()),
        ok(&json!({"data": [who]})),
        ok(&json!({"data": who})),
    ])
    .await;
    let client = platform.client();
    let new = CreateChat { title: Some("t".to_owned()), task_id: None };
    assert_eq!(client.create_chat(&new, Some("k")).await.unwrap().id, CHAT);
    assert_eq!(client.chat(CHAT).await.unwrap().title.as_deref(), Some("t"));
    let ann = band_wire::ParticipantId::new(Uuid::from_u128(3));
    client.add_participant(CHAT, ann, Role::Member).await.unwrap();
    assert_eq!(client.participants(CHAT).await.unwrap().len(), 1);
    client.remove_participant(CHAT, ann).await.unwrap();
    let seen = platform.seen();
    assert_eq!(seen[0].body, r#"{"chat":{"title":"t"}}"#);
    assert_eq!(seen[2].body, format!(r#"{{"participant":{{"participant_id":"{ann}","role":"member"}}}}"#));
    assert_eq!(seen[4].line, format!("DELETE {BASE}/participants/{ann}"));
}
