use std::collections::BTreeMap;

use band_wire::rest::{
    AgentsPage, AttemptRecord, ContextPage, Cursored, Data, DeliveryMap, DeliveryRecord, DeliveryStatus,
    ErrorBody, ErrorEnvelope, MentionKind, MentionRecord, Message, Page, Paged,
};
use serde_json::{Map, json};

use super::{at, golden, id};

pub(super) fn message() -> Message {
    let agent = id(2);
    let mention = MentionRecord {
        id: agent,
        name: Some("Echo".to_owned()),
        handle: Some("ann/echo".to_owned()),
        participant_type: Some("agent".to_owned()),
        kind: MentionKind::Mention.into(),
        avatar_url: None,
    };
    let metadata = Map::from_iter([
        ("mentions".to_owned(), json!([mention])),
        ("status".to_owned(), json!("sent")),
        ("delivery_status".to_owned(), json!(DeliveryMap::from([(agent.cast(), delivery())]))),
    ]);
    Message {
        id: id(3),
        content: format!("@[[{agent}]] hello"),
        message_type: "text".to_owned(),
        sender_id: id(1),
        sender_type: "User".to_owned(),
        sender_name: Some("Ann Lee".to_owned()),
        chat_room_id: Some(id(4)),
        metadata,
        attachments: Vec::new(),
        inserted_at: Some(at(0)),
        updated_at: Some(at(2)),
    }
}

fn delivery() -> DeliveryRecord {
    DeliveryRecord {
        status: DeliveryStatus::Processing,
        delivered_at: Some(at(0)),
        processed_at: None,
        current_attempt: Some(2),
        attempts: vec![
            AttemptRecord {
                attempt_number: 1,
                status: "failed".to_owned(),
                started_at: Some(at(0)),
                completed_at: Some(at(1)),
                error: Some("model unavailable".to_owned()),
            },
            AttemptRecord {
                attempt_number: 2,
                status: "processing".to_owned(),
                started_at: Some(at(2)),
                completed_at: None,
                error: None,
            },
        ],
    }
}

pub(super) fn cursored() -> Cursored {
    Cursored { has_more: true, limit: 20, next_cursor: Some("c2".to_owned()), ..Cursored::default() }
}

#[test]
fn messages() {
    golden!("message", both message());
    let bare = Message {
        sender_name: None,
        chat_room_id: None,
        metadata: Map::new(),
        inserted_at: None,
        updated_at: None,
        ..message()
    };
    golden!("message_bare", both bare);
    golden!("delivery_record", both delivery());
}

#[test]
fn pages() {
    golden!("data", both Data { data: "x".to_owned() });
    let metadata = Page { page: 1, page_size: 20, total_count: 1, total_pages: 1 };
    golden!("paged", both Paged { data: vec![1], metadata });
    golden!("cursored_last", both Cursored { limit: 20, ..Cursored::default() });
    let full = Cursored {
        status_filter: Some("pending".to_owned()),
        has_older: Some(true),
        has_newer: Some(false),
        page: Some(1),
        page_size: Some(20),
        total_count: Some(40),
        total_pages: Some(2),
        ..cursored()
    };
    golden!("cursored_full", both full);
    golden!("context_page", both ContextPage::from(Paged { data: vec![1], metadata: cursored() }));
    golden!("agents_page", both AgentsPage::from(cursored()));
}

#[test]
fn errors() {
    let error = ErrorBody {
        code: "validation_error".to_owned(),
        message: "Request validation failed".to_owned(),
        request_id: Some("r-1".to_owned()),
        details: Some(BTreeMap::from([("/chat".to_owned(), vec!["Missing field: chat".to_owned()])])),
        retry_after: None,
    };
    golden!("error", both ErrorEnvelope { error: error.clone() });
    let upgrade = ErrorBody { request_id: None, details: None, retry_after: Some(5), ..error };
    golden!("error_upgrade", both ErrorEnvelope { error: upgrade });
}
