use band_wire::rest::{
    AddParticipant, Body, CreateChat, CreateEvent, FailMark, FromBody, RegisterAgent, ReportActivity,
    SendMessage, SetBoard, UpdateProfile, UpdateTask, routes,
};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::operation;
use super::schema::Schemas;
use crate::samples::{keeping, requests};

/// Holds a body type against each operation that takes it.
fn law<T: FromBody + Serialize + std::fmt::Debug>(sample: &T, operations: &[(&str, &str)]) {
    for (method, path) in operations {
        let at = format!("{method} {path}");
        let schema = operation(method, path)["body"].clone();
        let mut schemas = Schemas::load();
        schemas.check(&json!(Body(sample)), &schema, &at);
        assert_eq!(schemas.problems, [""; 0]);

        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let wrapper = T::WRAPPER.map(Value::from);
        let fields = match &wrapper {
            Some(name) => {
                assert_eq!(required, std::slice::from_ref(name), "{at}: the wrapper");
                let inner = &schema["properties"][name.as_str().unwrap()];
                inner["$ref"].as_str().map_or_else(|| inner.clone(), |name| schemas.named(name))
            }
            None => schema,
        };
        asks_for_what_is_required::<T>(&fields, &at);
        knows_every_property::<T>(&fields, &at);
    }
}

fn wrapped<T: FromBody>(fields: Map<String, Value>) -> Value {
    match T::WRAPPER {
        Some(wrapper) => json!({ wrapper: fields }),
        None => fields.into(),
    }
}

fn pointer<T: FromBody>(field: &str) -> String {
    T::WRAPPER.map_or(format!("/{field}"), |wrapper| format!("/{wrapper}/{field}"))
}

fn asks_for_what_is_required<T: FromBody>(fields: &Value, at: &str) {
    let required = fields["required"].as_array().cloned().unwrap_or_default();
    let required: Vec<String> = required.iter().filter_map(Value::as_str).map(pointer::<T>).collect();
    let asked: Vec<String> = match T::from_body(wrapped::<T>(Map::new())) {
        Ok(_) => Vec::new(),
        Err(issues) => issues.into_map().into_keys().collect(),
    };
    assert_eq!(asked, required, "{at}: required fields");
}

fn knows_every_property<T: FromBody>(fields: &Value, at: &str) {
    for (field, _) in fields["properties"].as_object().unwrap() {
        let body = wrapped::<T>(Map::from_iter([(field.clone(), json!({}))]));
        let Err(issues) = T::from_body(body) else { continue };
        let issues = issues.into_map();
        let texts = issues.get(&pointer::<T>(field)).cloned().unwrap_or_default();
        assert!(!texts.iter().any(|text| text.starts_with("Unexpected")), "{at}: {field} is not known");
    }
}

/// Bodies of which some field is needed, whichever: the description can't say so.
#[test]
fn bodies_that_need_any_field_know_every_property() {
    for (sample, method, path) in [
        (json!(Body(&keeping::update_task())), "POST", "/api/v1/agent/chats/{chat_id}/tasks/{id}"),
        (json!(Body(&keeping::set_board())), "PUT", "/api/v1/agent/chats/{chat_id}/board"),
    ] {
        let schema = operation(method, path)["body"].clone();
        let mut schemas = Schemas::load();
        schemas.check(&sample, &schema, path);
        assert_eq!(schemas.problems, [""; 0]);
    }
    let update = operation("POST", "/api/v1/agent/chats/{chat_id}/tasks/{id}")["body"].clone();
    knows_every_property::<UpdateTask>(&update, "task");
    let board = operation("PUT", "/api/v1/agent/chats/{chat_id}/board")["body"].clone();
    knows_every_property::<SetBoard>(&board, "board");
}

#[test]
fn every_body_fits_its_schema_and_is_read_by_it() {
    law(&requests::create_chat(), &[("POST", routes::AGENT_CHATS), ("POST", routes::ME_CHATS)]);
    law::<CreateChat>(&CreateChat::default(), &[("POST", routes::AGENT_CHATS)]);
    law::<SendMessage>(
        &requests::send_message(),
        &[
            ("POST", "/api/v1/agent/chats/{chat_id}/messages"),
            ("POST", "/api/v1/me/chats/{chat_id}/messages"),
        ],
    );
    law::<AddParticipant>(
        &requests::add_participant(),
        &[
            ("POST", "/api/v1/agent/chats/{chat_id}/participants"),
            ("POST", "/api/v1/me/chats/{chat_id}/participants"),
        ],
    );
    law::<CreateEvent>(&requests::create_event(), &[("POST", "/api/v1/agent/chats/{chat_id}/events")]);
    law::<FailMark>(
        &requests::fail_mark(),
        &[("POST", "/api/v1/agent/chats/{chat_id}/messages/{id}/failed")],
    );
    law::<ReportActivity>(
        &requests::report_activity(),
        &[("POST", "/api/v1/agent/chats/{chat_id}/activity")],
    );
    law::<RegisterAgent>(&requests::register_agent(), &[("POST", routes::ME_AGENTS_REGISTER)]);
    law(&requests::add_contact(), &[("POST", routes::AGENT_CONTACTS_ADD)]);
    law(
        &requests::remove_contact(),
        &[("POST", routes::AGENT_CONTACTS_REMOVE), ("POST", routes::ME_CONTACTS_REMOVE)],
    );
    law(&requests::respond_contact(), &[("POST", routes::AGENT_CONTACT_REQUESTS_RESPOND)]);
    law(&requests::create_contact_request(), &[("POST", routes::ME_CONTACT_REQUESTS)]);
    law(&requests::resolve_handle(), &[("POST", routes::ME_CONTACTS_RESOLVE)]);
    law(&keeping::rename_chat(), &[("PATCH", "/api/v1/agent/chats/{id}")]);
    law(&keeping::store_memory(), &[("POST", routes::AGENT_MEMORIES)]);
    law(&keeping::create_task(), &[("POST", "/api/v1/agent/chats/{chat_id}/tasks")]);
    law::<UpdateProfile>(&requests::update_profile(), &[("PUT", routes::ME_PROFILE)]);
}
