use band_wire::rest::{
    ActivityKind, ActivityReport, AddContact, AddParticipant, ContactAction, CreateChat,
    CreateContactRequest, CreateEvent, EventType, FailMark, MentionInput, RegisterAgent, RemoveContact,
    ReportActivity, ResolveHandle, RespondContact, Role, SendMessage, UpdateProfile,
};
use serde_json::{Map, json};

use super::id;

pub(crate) fn create_chat() -> CreateChat {
    CreateChat { title: Some("Hall".to_owned()), task_id: Some(id::<()>(9).to_string()) }
}

pub(crate) fn add_participant() -> AddParticipant {
    AddParticipant { participant_id: id(2), role: Role::Admin }
}

pub(crate) fn send_message() -> SendMessage {
    let reference =
        MentionInput { kind: Some("reference".to_owned()), ..MentionInput::of_handle("ann/echo") };
    let named = MentionInput { name: Some("Ann Lee".to_owned()), ..MentionInput::of(id(1)) };
    SendMessage {
        content: "hello".to_owned(),
        mentions: vec![named, reference],
        attachment_ids: vec![id::<()>(8).to_string()],
    }
}

pub(crate) fn create_event() -> CreateEvent {
    CreateEvent {
        content: "looking it up".to_owned(),
        message_type: EventType::ToolCall,
        metadata: Some(Map::from_iter([("function".to_owned(), json!({"name": "look_up"}))])),
    }
}

pub(crate) fn fail_mark() -> FailMark {
    FailMark { error: "model unavailable".to_owned() }
}

pub(crate) fn report_activity() -> ReportActivity {
    let activity = ActivityReport { kind: ActivityKind::ToolCall, name: Some("look_up".to_owned()) };
    ReportActivity { working: true, activity: Some(activity) }
}

pub(crate) fn register_agent() -> RegisterAgent {
    RegisterAgent { name: "Echo".to_owned(), description: "Says it again.".to_owned() }
}

pub(crate) fn update_profile() -> UpdateProfile {
    UpdateProfile { first_name: Some("Ann".to_owned()), last_name: Some("Lee".to_owned()) }
}

pub(crate) fn add_contact() -> AddContact {
    AddContact { handle: "@bob/scout".to_owned(), message: Some("hello".to_owned()) }
}

pub(crate) fn remove_contact() -> RemoveContact {
    RemoveContact { handle: Some("@bob".to_owned()), contact_id: Some(id(6)) }
}

pub(crate) fn respond_contact() -> RespondContact {
    RespondContact {
        action: ContactAction::Approve,
        handle: Some("@bob".to_owned()),
        request_id: Some(id(5)),
    }
}

pub(crate) fn create_contact_request() -> CreateContactRequest {
    CreateContactRequest { recipient_handle: "@bob/scout".to_owned(), message: Some("hello".to_owned()) }
}

pub(crate) fn resolve_handle() -> ResolveHandle {
    ResolveHandle { handle: "@bob/scout".to_owned() }
}
