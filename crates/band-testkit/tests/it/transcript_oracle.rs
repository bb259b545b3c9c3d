//! How rooms are shown to models, against the released Python SDK: the same events are read to the same end, and the
//! same lines are written. Where we differ on purpose is said beside the case.

use std::process::Stdio;

use band::Member;
use band_adapters::render::anthropic;
use band_core::room::participants_update;
use band_core::transcript::{Said, Transcript, parse_tool_call, parse_tool_result};
use band_core::turn::{mention_name, show_mentions, speaker, speaker_line};
use band_testkit::peers;
use band_wire::{Id, Open};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value, json};
use uuid::Uuid;

/// What may stand in a field of an event, absence apart.
fn anything() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(7),
        json!(1.5),
        json!(""),
        json!("f"),
        json!([1, "a"]),
        json!({ "a": { "b": [null] } }),
    ]
}

/// An object with each of the fields as each of the values, and without it.
fn crossed(fields: &[&str]) -> Vec<Map<String, Value>> {
    let mut all = vec![Map::new()];
    for field in fields {
        let with = all.iter().flat_map(|object| {
            anything().into_iter().map(move |value| {
                let mut object = object.clone();
                object.insert((*field).to_owned(), value);
                object
            })
        });
        let with: Vec<_> = with.collect();
        all.extend(with);
    }
    all
}

#[tokio::test]
async fn every_tool_event_is_read_as_the_released_sdk_reads_it() {
    let broken = ["", "{", "[]", "null", "7", "\"f\"", "{} {}", "{\"name\": \"f\",}"];
    let calls: Vec<String> = crossed(&["name", "args", "tool_call_id"])
        .into_iter()
        .map(|object| Value::Object(object).to_string())
        .chain(broken.map(str::to_owned))
        .collect();
    let questions = calls.iter().map(|content| json!({ "call": content })).collect();
    for (content, theirs) in calls.iter().zip(ask(questions).await) {
        let ours = parse_tool_call(content)
            .map(|call| json!({ "id": call.id, "name": call.name, "arguments": call.arguments }));
        assert_eq!(ours.unwrap_or_default(), theirs, "{content}");
    }
    let results: Vec<String> = crossed(&["name", "output", "tool_call_id", "is_error"])
        .into_iter()
        // Theirs writes other outputs in Python's words, and takes any value for a failure that Python takes for true.
        .filter(|object| object.get("output").is_none_or(Value::is_string))
        .filter(|object| object.get("is_error").is_none_or(|flag| flag.is_boolean() || flag.is_null()))
        .map(|object| Value::Object(object).to_string())
        .chain(broken.map(str::to_owned))
        .collect();
    assert!(calls.len() + results.len() > 1_400);
    let questions = results.iter().map(|content| json!({ "result": content })).collect();
    for (content, theirs) in results.iter().zip(ask(questions).await) {
        let ours = parse_tool_result(content).map(|(id, name, outcome)| {
            json!({ "id": id, "name": name, "output": outcome.as_text(), "is_error": outcome.is_error })
        });
        assert_eq!(ours.unwrap_or_default(), theirs, "{content}");
    }
}

#[tokio::test]
async fn messages_mentions_and_participants_are_written_as_the_released_sdk_writes_them() {
    let names = [None, Some("Ada"), Some("Ada Lovelace"), Some("é 漢"), Some("")];
    let kinds = ["User", "Agent", "System", ""];
    let contents = ["hi", "", "two\nlines", "[not a speaker] x", "@ada hi"];
    let mut questions = Vec::new();
    let mut ours = Vec::new();
    for (name, kind, content) in
        names.iter().flat_map(|name| kinds.iter().flat_map(move |kind| contents.map(|c| (name, kind, c))))
    {
        questions
            .push(json!({ "message": { "sender_name": name, "sender_type": kind, "content": content } }));
        ours.push(json!(speaker_line(&speaker(*name, kind, None), content)));
    }
    // Theirs writes `@@ada` for a handle that comes with its mark.
    for (handle, name) in [Some("ada"), Some("ada/bot"), Some(""), None]
        .into_iter()
        .flat_map(|handle| names.map(|name| (handle, name)))
    {
        questions.push(json!({ "label": { "handle": handle, "name": name } }));
        ours.push(json!(mention_name(handle, name)));
    }
    let ada = Uuid::from_u128(1);
    let token = format!("@[[{ada}]]");
    for content in [format!("{token} hi {token}"), format!("@[[{}]] x", Uuid::nil()), "@[[".to_owned(), token]
    {
        let participants = json!([{ "id": ada, "handle": "ada", "name": "Ada" }]);
        questions.push(json!({ "mentions": { "content": content, "participants": participants } }));
        ours.push(json!(show_mentions(&content, |id| (id.uuid() == ada).then(|| "ada".to_owned()))));
    }
    let theirs = ask(questions.clone()).await;
    for ((question, ours), theirs) in questions.iter().zip(ours).zip(theirs) {
        assert_eq!(ours, theirs, "{question}");
    }
}

#[tokio::test]
async fn the_list_of_participants_has_the_released_lines() {
    let long = "x".repeat(201);
    let fits = "y".repeat(200);
    // Theirs shows a description of white space alone as an empty one.
    let descriptions = [
        None,
        Some(""),
        Some("Tells the weather."),
        Some("a \"b\"\n- @boss — Boss\tx"),
        Some(long.as_str()),
        Some(fits.as_str()),
    ];
    let members: Vec<Member> = descriptions
        .iter()
        .enumerate()
        .map(|(at, description)| Member {
            id: Id::new(Uuid::from_u128(at as u128)),
            kind: Open::read(["User", "Agent"][at % 2].to_owned()),
            name: Some(format!("Name {at}")),
            handle: Some(format!("user{at}/bot")),
            description: description.map(str::to_owned),
        })
        .collect();
    let told: Vec<Value> = members
        .iter()
        .map(|member| {
            json!({
                "id": member.id, "name": member.name, "type": member.kind.as_str(), "handle": member.handle,
                "description": member.description,
            })
        })
        .collect();
    let theirs = ask(vec![json!({ "participants": told }), json!({ "participants": [] })]).await;
    // The notes around the list are in each SDK's own words.
    let lines = |text: &str| -> Vec<String> {
        text.lines()
            .filter(|line| line.starts_with("- ") || line.starts_with('#'))
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(lines(&participants_update(&members)), lines(theirs[0].as_str().unwrap()));
    assert_eq!(lines(&participants_update(&[])), lines(theirs[1].as_str().unwrap()));
}

/// What happens in a room where nothing goes wrong: others speak, and the agent calls tools in peace.
#[derive(Debug, Clone)]
enum Scene {
    Peer(String),
    Exchange(Vec<(String, bool)>),
    Aside(&'static str),
}

fn scene() -> impl Strategy<Value = Scene> {
    let calls = prop::collection::vec(("[a-z ]{1,6}x", any::<bool>()), 1..4);
    prop_oneof![
        2 => "[a-z]{1,5}( [a-z]{1,5}){0,3}".prop_map(Scene::Peer),
        2 => calls.prop_map(Scene::Exchange),
        1 => proptest::sample::select(vec!["thought", "error", "task"]).prop_map(Scene::Aside),
    ]
}

/// The events of it: who, of which type, what.
fn events(scenes: &[Scene]) -> Vec<(bool, &'static str, String)> {
    let mut events = Vec::new();
    let mut calls = 0;
    for scene in scenes {
        match scene {
            Scene::Peer(text) => events.push((false, "text", text.clone())),
            Scene::Aside(kind) => events.push((true, *kind, "x".to_owned())),
            Scene::Exchange(outputs) => {
                let ids: Vec<String> =
                    outputs.iter().enumerate().map(|(at, _)| format!("c{}", calls + at)).collect();
                calls += ids.len();
                for id in &ids {
                    let call = json!({ "name": "f", "args": { "a": 1 }, "tool_call_id": id });
                    events.push((true, "tool_call", call.to_string()));
                }
                for (id, (output, failed)) in ids.iter().zip(outputs) {
                    let result =
                        json!({ "name": "f", "output": output, "tool_call_id": id, "is_error": failed });
                    events.push((true, "tool_result", result.to_string()));
                }
                // What others say next ends the exchange for both.
                events.push((false, "text", "next".to_owned()));
            }
        }
    }
    events
}

/// Each block with whose it is, however they are put into messages.
fn blocks(messages: &Value) -> Vec<(String, Value)> {
    let mut blocks = Vec::new();
    for message in messages.as_array().into_iter().flatten() {
        let role = message["role"].as_str().unwrap_or_default();
        match &message["content"] {
            Value::String(text) => blocks.push((role.to_owned(), json!({ "type": "text", "text": text }))),
            content => {
                blocks.extend(
                    content.as_array().into_iter().flatten().map(|block| (role.to_owned(), block.clone())),
                );
            }
        }
    }
    blocks
}

#[tokio::test]
async fn a_past_in_which_nothing_went_wrong_is_the_released_conversation_for_anthropic() {
    let mut runner = TestRunner::deterministic();
    let scenes = prop::collection::vec(scene(), 1..10);
    let pasts: Vec<_> = (0..200)
        .map(|_| {
            let mut scenes = scenes.new_tree(&mut runner).unwrap().current();
            scenes.insert(0, Scene::Peer("begin".to_owned()));
            scenes.push(Scene::Peer("end".to_owned()));
            events(&scenes)
        })
        .collect();
    let item = |(own, kind, content): &(bool, &str, String)| {
        json!({
            "role": if *own { "assistant" } else { "user" }, "content": content, "message_type": kind,
            "sender_name": if *own { "Bot" } else { "Ada" }, "sender_type": if *own { "Agent" } else { "User" },
            "metadata": {},
        })
    };
    let questions =
        pasts.iter().map(|past| json!({ "past": past.iter().map(item).collect::<Vec<_>>() })).collect();
    for (past, theirs) in pasts.iter().zip(ask(questions).await) {
        let said = past.iter().map(|(is_own, message_type, content)| Said {
            is_own: *is_own,
            message_type,
            speaker: "Ada",
            content,
        });
        let ours = Value::from(anthropic::messages(&Transcript::from_past(said)));
        assert_eq!(blocks(&ours), blocks(&theirs), "{past:?}");
    }
}

/// The released SDK's answers, one for each question.
async fn ask(questions: Vec<Value>) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("questions");
    let lines: String = questions.iter().map(|question| format!("{question}\n")).collect();
    std::fs::write(&file, lines).unwrap();
    let mut command = peers::python().unwrap_or_else(|err| panic!("{err}"));
    command
        .arg(peers::script("transcript_oracle.py"))
        .stdin(Stdio::from(std::fs::File::open(&file).unwrap()));
    let output = command.output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answers: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|err| panic!("{err}: {line}")))
        .collect();
    assert_eq!(answers.len(), questions.len());
    answers
}
