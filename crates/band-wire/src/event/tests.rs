use serde_json::{Value, json};

use super::validate;

fn issues(name: &str, payload: Value) -> Vec<(String, &'static str)> {
    let err = validate(name, payload).unwrap_err();
    err.issues.into_iter().map(|issue| (issue.path, issue.code.as_str())).collect()
}

fn message(extra: &Value) -> Value {
    let mut payload = json!({
        "id": "m", "content": "", "message_type": "text", "sender_id": "u", "sender_type": "User",
        "inserted_at": "", "updated_at": "",
    });
    for (key, value) in extra.as_object().unwrap() {
        payload[key] = value.clone();
    }
    payload
}

#[test]
fn an_unknown_event_is_an_issue_of_its_name() {
    let err = validate("message_deleted", json!({})).unwrap_err();
    assert_eq!(err.to_string(), "1 validation issue(s): unknown event type `message_deleted` (event_type)");
}

#[test]
fn a_payload_is_an_object() {
    assert_eq!(issues("room_deleted", json!([1])), [(String::new(), "wrong_type")]);
    assert_eq!(validate("event_created", json!([1])).unwrap(), json!([1]));
}

#[test]
fn every_issue_is_reported_in_the_order_of_the_rules() {
    let payload = message(&json!({
        "attachments": 3,
        "metadata": {"mentions": [{"id": null, "handle": 4}, "x", {}]},
        "id": 1,
    }));
    assert_eq!(
        issues("message_created", payload),
        [
            ("id", "wrong_type"),
            ("metadata.mentions[0].id", "wrong_type"),
            ("metadata.mentions[0].handle", "wrong_type"),
            ("metadata.mentions[1]", "wrong_type"),
            ("metadata.mentions[2].id", "missing"),
            ("attachments", "wrong_type"),
        ]
        .map(|(path, code)| (path.to_owned(), code))
    );
}

#[test]
fn a_message_gets_its_empty_lists() {
    let out =
        validate("message_created", message(&json!({"metadata": null, "z": {"b": 1, "a": 2}}))).unwrap();
    assert_eq!(out["metadata"], json!({"mentions": []}));
    assert_eq!(out["attachments"], json!([]));
    assert_eq!(out["z"].to_string(), r#"{"a":2,"b":1}"#, "unknown fields stay, keys sorted");
}

#[test]
fn one_alias_stands_in_for_the_other() {
    let read = |extra: Value| {
        let mut payload = json!({"id": "", "type": "", "name": ""});
        payload.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let out = validate("participant_added", payload).unwrap();
        (out.get("is_remote").cloned(), out.get("is_external").cloned())
    };
    let yes = Some(json!(true));
    assert_eq!(read(json!({"is_remote": true})), (yes.clone(), yes.clone()));
    assert_eq!(read(json!({"is_remote": null, "is_external": true})), (yes.clone(), yes.clone()));
    assert_eq!(read(json!({"is_remote": false, "is_external": true})), (Some(json!(false)), yes));
    assert_eq!(read(json!({"is_remote": null})), (Some(Value::Null), None));
    assert_eq!(read(json!({})), (None, None));
}

#[test]
fn a_supersede_is_lenient_about_its_numbers() {
    let read = |retryable: Value, retry_after: Value| {
        let payload = json!({
            "reason": "r", "message": "m", "correlation_id": null,
            "retryable": retryable, "retry_after": retry_after,
        });
        let out = validate("supersede", payload).unwrap();
        (out["retryable"] == true, out["retry_after"].as_i64())
    };
    assert_eq!(read(json!(1), json!("5")), (false, None));
    assert_eq!(read(json!(true), json!(5.0)), (true, Some(5)));
    assert_eq!(read(json!("true"), json!(5.5)), (false, None));
    assert_eq!(read(json!(null), json!(-1)), (false, Some(-1)));
    assert_eq!(read(json!(false), json!(true)), (false, None));
    assert_eq!(read(json!(false), json!(u64::MAX)), (false, None));
    assert_eq!(read(json!(false), json!(9.3e18)), (false, None));
    assert_eq!(read(json!(false), json!(-9_223_372_036_854_775_808.0)), (false, Some(i64::MIN)));
}
