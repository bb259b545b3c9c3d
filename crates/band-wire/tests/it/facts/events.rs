use band_wire::event::{IssueCode, validate};
use serde_json::{Map, Value, json};

use super::facts;

/// One rule: field, letter, words.
struct Rule {
    field: String,
    code: String,
    words: Vec<Value>,
}

impl Rule {
    fn of(fact: &Value) -> Self {
        let text = |key: &str| fact[key].as_str().unwrap().to_owned();
        Self { field: text("field"), code: text("rule"), words: fact["words"].as_array().unwrap().clone() }
    }

    /// A value that fits.
    fn good(&self) -> Value {
        match self.code.chars().next().unwrap() {
            'S' => json!("text"),
            'B' => json!(true),
            'O' => json!({}),
            'A' => json!([]),
            'W' => self.words[0].clone(),
            _ => json!(7),
        }
    }

    fn may_be_absent(&self) -> bool {
        !matches!(self.code.as_str(), "S" | "S!" | "W")
    }

    fn may_be_null(&self) -> bool {
        self.code.ends_with(['?', '!']) || matches!(self.code.as_str(), "any" | "lenient")
    }

    fn is_checked(&self) -> bool {
        !matches!(self.code.as_str(), "any" | "lenient")
    }

    /// The path of an issue of the field.
    fn path(&self) -> String {
        self.field.replace("[]", "[0]")
    }
}

/// Sets or removes a field, wherever it stands: `a`, `a.b`, `a.b[].c`.
fn put(payload: &mut Value, field: &str, value: Option<Value>) {
    let (head, rest) = field.split_once('.').map_or((field, None), |(head, rest)| (head, Some(rest)));
    let name = head.trim_end_matches("[]");
    let map = payload.as_object_mut().unwrap();
    let Some(rest) = rest else {
        match value {
            Some(value) => map.insert(name.to_owned(), value),
            None => map.remove(name),
        };
        return;
    };
    let empty = if head.ends_with("[]") { json!([{}]) } else { json!({}) };
    let inner = map.entry(name).or_insert_with(|| empty.clone());
    if inner.as_array().is_some_and(Vec::is_empty) {
        *inner = empty;
    }
    let inner = if head.ends_with("[]") { &mut inner[0] } else { inner };
    put(inner, rest, value);
}

fn rules(event: &str) -> Vec<Rule> {
    let facts = facts("events.json");
    let rules = facts[event].as_array().unwrap().iter().map(Rule::of);
    rules.filter(|rule| !rule.field.ends_with('*')).collect()
}

/// A payload with every field that has a rule.
fn full(rules: &[Rule]) -> Value {
    let mut payload = Value::Object(Map::new());
    for rule in rules {
        put(&mut payload, &rule.field, Some(rule.good()));
    }
    payload
}

fn verdict(event: &str, payload: Value) -> Vec<(String, IssueCode)> {
    match validate(event, payload) {
        Ok(_) => Vec::new(),
        Err(err) => err.issues.into_iter().map(|issue| (issue.path, issue.code)).collect(),
    }
}

fn law(event: &str, rule: &Rule, payload: &Value) {
    let with = |value: Option<Value>| {
        let mut payload = payload.clone();
        put(&mut payload, &rule.field, value);
        verdict(event, payload)
    };
    let issue = |fits: bool, code| if fits { Vec::new() } else { vec![(rule.path(), code)] };
    let at = format!("{event} {}", rule.field);
    assert_eq!(with(None), issue(rule.may_be_absent(), IssueCode::Missing), "{at} absent");
    assert_eq!(with(Some(Value::Null)), issue(rule.may_be_null(), IssueCode::WrongType), "{at} null");
    for wrong in [json!("text"), json!(true), json!({}), json!([]), json!(7), json!(7.5)] {
        let same_type = std::mem::discriminant(&wrong) == std::mem::discriminant(&rule.good());
        if rule.code == "W" && wrong.is_string() {
            assert_eq!(with(Some(wrong)), [(rule.path(), IssueCode::InvalidValue)], "{at}");
        } else {
            let text = format!("{at} {wrong}");
            let fits = same_type || !rule.is_checked();
            assert_eq!(with(Some(wrong)), issue(fits, IssueCode::WrongType), "{text}");
        }
    }
    for word in &rule.words {
        assert_eq!(with(Some(word.clone())), [], "{at} {word}");
    }
}

#[test]
fn every_field_of_every_event_follows_its_rule() {
    let facts = facts("events.json");
    assert_eq!(facts.as_object().unwrap().len(), 12);
    for event in facts.as_object().unwrap().keys() {
        let rules = rules(event);
        let payload = full(&rules);
        assert_eq!(verdict(event, payload.clone()), [], "{event}");
        for rule in &rules {
            law(event, rule, &payload);
        }
    }
}

#[test]
fn what_the_platform_emits_has_every_field_with_a_rule() {
    use crate::samples::events;
    let emitted = [
        ("message_created", json!(events::message())),
        ("room_added", json!(events::room())),
        ("participant_added", json!(events::agent())),
        ("contact_request_received", json!(events::contact_request())),
        ("contact_added", json!(events::agent_contact())),
        ("supersede", json!(events::supersede())),
        ("agent.control", json!(events::stop())),
    ];
    for (event, payload) in emitted {
        assert_eq!(verdict(event, payload.clone()), [], "{event}");
        for rule in rules(event).iter().filter(|rule| !rule.field.contains('.')) {
            assert!(payload.get(&rule.field).is_some(), "{event} {}", rule.field);
        }
    }
}
