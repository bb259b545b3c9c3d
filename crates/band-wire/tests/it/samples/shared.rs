use std::collections::BTreeMap;

use band_wire::rest::{
    AgentsPage, AttemptRecord, Cursored, DeliveryMap, DeliveryRecord, DeliveryStatus, ErrorBody,
    ErrorEnvelope, MentionKind, MentionRecord, Message, Page,
};
use serde_json::{Map, json};

use super::{at, id};

pub(crate) fn message() -> Message {
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

pub(crate) fn bare_message() -> Message {
    Message {
        sender_name: None,
        chat_room_id: None,
        metadata: Map::new(),
        inserted_at: None,
        updated_at: None,
        ..message()
    }
}

pub(crate) fn delivery() -> DeliveryRecord {
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

pub(crate) fn page() -> Page {
    Page { page: 1, page_size: 20, total_count: 1, total_pages: 1 }
}

pub(crate) fn last_page() -> Cursored {
    Cursored { limit: 20, ..Cursored::default() }
}

/// With the deprecated fields too.
pub(crate) fn full_page() -> Cursored {
    Cursored {
        has_more: true,
        limit: 20,
        next_cursor: Some("c2".to_owned()),
        page: Some(1),
        page_size: Some(20),
        total_count: Some(40),
        total_pages: Some(2),
        ..Cursored::default()
    }
}

pub(crate) fn agents_page() -> AgentsPage {
    AgentsPage::from(full_page())
}

pub(crate) fn validation_error() -> ErrorEnvelope {
    let error = ErrorBody {
        code: "validation_error".to_owned(),
        message: "Request validation failed".to_owned(),
        request_id: Some("r-1".to_owned()),
        details: Some(BTreeMap::from([("/chat".to_owned(), vec!["Missing field: chat".to_owned()])])),
        retry_after: None,
    };
    ErrorEnvelope { error }
}

pub(crate) fn refused_upgrade() -> ErrorEnvelope {
    let ErrorEnvelope { error } = validation_error();
    ErrorEnvelope { error: ErrorBody { request_id: None, details: None, retry_after: Some(5), ..error } }
}
