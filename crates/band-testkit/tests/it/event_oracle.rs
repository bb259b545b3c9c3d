//! Our validator of pushed events against the released one, `band_sdk_core`, payload by payload: same verdict,
//! same issues in the same order with the same texts, same normal form.
//!
//! Two places differ from the published rules, and the validator is followed: `event_created` takes any JSON, not
//! objects alone, and a contact request loses the keys of its optional fields when they are null.

use std::path::Path;
use std::process::Stdio;

use band_testkit::peers;
use band_wire::event::validate;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::differential::setting;

/// Random payloads of one run, if `BAND_DIFFERENTIAL_OPS` does not ask for more.
const PAYLOADS: usize = 8_000;
/// Where the random payloads start; the same on every run.
const SEED: u64 = 0xBA2D;
/// Mismatches that are told before the rest is left out.
const TOLD: usize = 5;

/// An event and its payload.
type Case = (String, Value);

/// What a validator says.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum Verdict {
    Passed { normal: Value, keys: Vec<String> },
    Refused { issues: Vec<(String, String, String)>, text: String },
}

#[tokio::test]
async fn every_field_crossed_with_every_type_gets_the_released_verdict() {
    let mut cases = Vec::new();
    for (event, fields) in events() {
        for base in [fill(&fields, |_| true), fill(&fields, |field| field.required)] {
            cases.push((event.clone(), base.clone()));
            for field in &fields {
                cases.push((event.clone(), with(&base, &field.path, None)));
                for value in every_type() {
                    cases.push((event.clone(), with(&base, &field.path, Some(value))));
                }
            }
        }
        cases.extend(every_type().map(|payload| (event.clone(), payload)));
    }
    assert!(cases.len() > 2_000, "{} cases", cases.len());
    compare(cases).await;
}

#[tokio::test]
async fn thousands_of_random_payloads_get_the_released_verdict() {
    let events = events();
    let mut dice = Dice(SEED ^ setting("BAND_DIFFERENTIAL_SEED").unwrap_or(0));
    let wanted =
        setting("BAND_DIFFERENTIAL_OPS").map_or(PAYLOADS, |ops| PAYLOADS.max(ops.try_into().unwrap()));
    let cases = (0..wanted).map(|_| {
        let (event, fields) = &events[dice.below(events.len())];
        (event.clone(), random_payload(fields, &mut dice))
    });
    let cases = cases.collect();
    compare(cases).await;
}

#[tokio::test]
async fn the_committed_vectors_are_what_the_released_validator_says() {
    let vectors = facts("event_vectors.json");
    let cases: Vec<Case> = vectors
        .as_array()
        .unwrap()
        .iter()
        .map(|vector| (vector["event"].as_str().unwrap().to_owned(), vector["payload"].clone()))
        .collect();
    for (vector, verdict) in vectors.as_array().unwrap().iter().zip(ask(&cases).await) {
        match verdict {
            Verdict::Passed { normal, .. } => assert_eq!(normal, vector["normal"], "{vector}"),
            Verdict::Refused { issues, text } => {
                assert_eq!(json!(issues), vector["issues"], "{vector}");
                assert_eq!(json!(text), vector["text"], "{vector}");
            }
        }
    }
}

/// Asks both validators and tells where they differ.
async fn compare(cases: Vec<Case>) {
    let theirs = ask(&cases).await;
    let count = cases.len();
    let passed = theirs.iter().filter(|verdict| matches!(verdict, Verdict::Passed { .. })).count();
    assert!(
        passed > count / 20 && passed < count - count / 20,
        "{passed} of {count} pass: a lopsided sample"
    );
    let mut differences = Vec::new();
    for ((event, payload), theirs) in cases.into_iter().zip(theirs) {
        let ours = verdict(&event, payload.clone());
        if ours != theirs {
            differences.push(format!("{event} {payload}\n  ours:   {ours:?}\n  theirs: {theirs:?}"));
        }
    }
    let told = differences.iter().take(TOLD).cloned().collect::<Vec<_>>().join("\n");
    assert!(differences.is_empty(), "{} of {count} verdicts differ:\n{told}", differences.len());
}

fn verdict(event: &str, payload: Value) -> Verdict {
    match validate(event, payload) {
        Ok(normal) => {
            let keys = normal.as_object().map(|map| map.keys().cloned().collect()).unwrap_or_default();
            Verdict::Passed { normal, keys }
        }
        Err(err) => Verdict::Refused {
            text: err.to_string(),
            issues: err
                .issues
                .into_iter()
                .map(|issue| (issue.path, issue.code.as_str().to_owned(), issue.message))
                .collect(),
        },
    }
}

/// The released validator's verdicts, one for each case.
async fn ask(cases: &[Case]) -> Vec<Verdict> {
    let folder = tempfile::tempdir().unwrap();
    let questions = folder.path().join("cases");
    let lines: String = cases.iter().map(|case| format!("{}\n", json!(case))).collect();
    std::fs::write(&questions, lines).unwrap();
    let mut command = peers::python().unwrap_or_else(|err| panic!("{err}"));
    command
        .arg(peers::script("event_oracle.py"))
        .stdin(Stdio::from(std::fs::File::open(&questions).unwrap()));
    let output = command.output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let verdicts: Vec<Verdict> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|err| panic!("{err}: {line}")))
        .collect();
    assert_eq!(verdicts.len(), cases.len());
    verdicts
}

/// A field that an event has a rule for.
struct Field {
    path: String,
    required: bool,
    good: Value,
}

/// Every event with its fields, and one that nobody knows.
fn events() -> Vec<(String, Vec<Field>)> {
    let rules = facts("events.json");
    let fields = |rules: &Value| rules.as_array().unwrap().iter().map(field).collect::<Vec<_>>();
    let mut events: Vec<_> =
        rules.as_object().unwrap().iter().map(|(event, rules)| (event.clone(), fields(rules))).collect();
    let id = || Field { path: "id".to_owned(), required: true, good: json!("x") };
    for event in ["room_deleted", "event_created", "message_deleted"] {
        events.push((event.to_owned(), vec![id()]));
    }
    events
}

fn field(rule: &Value) -> Field {
    let code = rule["rule"].as_str().unwrap();
    let good = match code.chars().next().unwrap() {
        'S' => json!("some text"),
        'B' => json!(true),
        'O' => json!({}),
        'A' => json!([]),
        'W' => rule["words"][0].clone(),
        _ => json!({"kept": [1, 2.5, null]}),
    };
    let path = rule["field"].as_str().unwrap().replace("[].*", "[].kind");
    let optional = code.ends_with(['?', '~']) || matches!(code, "any" | "lenient");
    Field { required: !optional && !path.contains('.'), path, good }
}

fn facts(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../band-wire/facts").join(name);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// A payload with the fields that `wanted` picks.
fn fill(fields: &[Field], wanted: impl Fn(&Field) -> bool) -> Value {
    let picked = fields.iter().filter(|field| wanted(field));
    picked.fold(json!({}), |payload, field| with(&payload, &field.path, Some(field.good.clone())))
}

/// The payload with the value at a path, or without one: `a`, `a.b`, `a.b[].c`.
fn with(payload: &Value, path: &str, value: Option<Value>) -> Value {
    let (head, rest) = path.split_once('.').map_or((path, None), |(head, rest)| (head, Some(rest)));
    let (name, in_list) = head.strip_suffix("[]").map_or((head, false), |name| (name, true));
    let mut map = payload.as_object().cloned().unwrap_or_default();
    let inner = rest.map(|rest| {
        let old = map.get(name).cloned().unwrap_or_default();
        let old = if in_list { old.get(0).cloned().unwrap_or_default() } else { old };
        let new = with(&old, rest, value.clone());
        if in_list { json!([new]) } else { new }
    });
    match inner.or(value) {
        Some(value) => map.insert(name.to_owned(), value),
        None => map.remove(name),
    };
    map.into()
}

/// Null and the six types, and what looks like one and is another.
fn every_type() -> impl Iterator<Item = Value> {
    [
        json!(null),
        json!(false),
        json!(7),
        json!(7.5),
        json!(7.0),
        json!(-1),
        json!(u64::MAX),
        json!("text"),
        json!(""),
        json!([]),
        json!([{}, null]),
        json!({}),
        json!({"mentions": null}),
    ]
    .into_iter()
}

/// Each field right, wrong, null or absent, and now and then one that nobody knows.
fn random_payload(fields: &[Field], dice: &mut Dice) -> Value {
    if dice.below(40) == 0 {
        return dice.json(3);
    }
    let care = dice.below(20) + 1;
    let mut payload = json!({});
    for field in fields {
        let value = match dice.below(2 + care) {
            0 => dice.json(3),
            1 if !field.required => continue,
            _ => field.good.clone(),
        };
        payload = with(&payload, &field.path, Some(value));
    }
    if dice.below(3) == 0 {
        payload[dice.text()] = dice.json(4);
    }
    if dice.below(8) == 0 {
        payload["metadata"] = json!({"mentions": dice.mentions(), dice.text(): dice.json(2)});
    }
    payload
}

/// Numbers that look random and are the same on every run: the splitmix64 sequence.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap();
        usize::try_from(self.next() % end).unwrap()
    }

    fn text(&mut self) -> String {
        const PIECES: [&str; 10] = ["id", "a", "name", "ü", "\"", "\\", "`", " ", "\u{200b}", "\u{1f600}"];
        (0..self.below(4)).map(|_| PIECES[self.below(PIECES.len())]).collect()
    }

    fn json(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 7 } else { 10 }) {
            0 => Value::Null,
            1 => json!(self.below(2) == 0),
            2 => json!(self.next() >> self.below(64)),
            3 => json!(i64::from_ne_bytes(self.next().to_ne_bytes())),
            4 => json!(f64::from(i32::from_ne_bytes([7, 0, 0, u8::try_from(self.below(256)).unwrap()]))),
            5 => json!(f64::from_bits(self.next())),
            6 => json!(self.text()),
            7 => (0..self.below(4)).map(|_| self.json(depth - 1)).collect(),
            _ => {
                let entries = (0..self.below(4)).map(|_| (self.text(), self.json(depth - 1)));
                entries.collect::<Map<_, _>>().into()
            }
        }
    }

    fn mentions(&mut self) -> Value {
        const KEYS: [&str; 5] = ["id", "username", "handle", "name", "kind"];
        let mention = |dice: &mut Self| {
            let picked = KEYS.into_iter().filter(|_| dice.below(3) > 0).collect::<Vec<_>>();
            let value = |dice: &mut Self| if dice.below(4) == 0 { dice.json(1) } else { json!("x") };
            picked.into_iter().map(|key| (key.to_owned(), value(dice))).collect::<Map<_, _>>()
        };
        let count = self.below(4);
        (0..count).map(|_| if self.below(6) == 0 { self.json(1) } else { mention(self).into() }).collect()
    }
}
