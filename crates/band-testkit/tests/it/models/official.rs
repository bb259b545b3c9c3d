//! Our requests beside those of the providers' own clients, and their answers read by us.

use band::testing::FakeTools;
use band_testkit::{Dialect, ModelServer, ModelStep, peers};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use super::subjects::{
    ANTHROPIC, ANTHROPIC_WHOLE, CHAT, CHAT_WHOLE, GEMINI, GEMINI_WHOLE, KEY, RESPONSES, RESPONSES_WHOLE,
    Subject,
};
use super::{Setup, Stage};

/// What the driver says to one question.
async fn driver(ask: &Value) -> Value {
    let mut command = peers::python().unwrap();
    command.arg(peers::script("official_clients.py"));
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    command.stderr(std::process::Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(ask.to_string().as_bytes()).await.unwrap();
    let done = tokio::time::timeout(band_testkit::PATIENCE, child.wait_with_output()).await.unwrap().unwrap();
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    serde_json::from_str(&out).unwrap_or_else(|_| panic!("{}: {err}", ask["act"]))
}

fn name(subject: &Subject) -> &'static str {
    match subject.dialect {
        Dialect::Chat => "chat",
        Dialect::Responses => "responses",
        Dialect::Anthropic => "anthropic",
        _ => "gemini",
    }
}

/// The tools as the driver wants them, from our request.
fn tools(subject: &Subject, body: &Value) -> Value {
    match subject.dialect {
        Dialect::Gemini => body["tools"][0]["functionDeclarations"].clone(),
        _ => body["tools"].clone(),
    }
}

fn system(subject: &Subject, body: &Value) -> Value {
    match subject.dialect {
        Dialect::Chat => body["messages"][0]["content"].clone(),
        Dialect::Responses => body["instructions"].clone(),
        Dialect::Anthropic => body["system"][0]["text"].clone(),
        _ => body["systemInstruction"]["parts"][0]["text"].clone(),
    }
}

/// What only we ask for, and what only says the same in other words.
fn comparable(mut body: Value) -> Value {
    strip(&mut body);
    body
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.remove("cache_control");
            fields.retain(|_, value| !value.is_null());
            // Nothing chosen is told by the Gemini client, and not by us.
            if fields.get("generationConfig") == Some(&json!({})) {
                fields.remove("generationConfig");
            }
            // Google takes either spelling.
            if let Some(any) = fields.remove("any_of") {
                fields.insert("anyOf".to_owned(), any);
            }
            if fields.get("type").is_some_and(|kind| kind == "message") && fields.contains_key("role") {
                fields.remove("type");
            }
            fields.values_mut().for_each(strip);
            if let Some(Value::String(kind)) = fields.get_mut("type") {
                *kind = kind.to_lowercase();
            }
        }
        Value::Array(list) => list.iter_mut().for_each(strip),
        _ => {}
    }
}

async fn our_request_is_the_one_of_the_providers_client(subject: &Subject) {
    let call = ModelStep::call("band_get_participants", json!({}));
    let calls = call.and_call("band_fly", json!({ "to": "Ulm" }));
    let script =
        [calls, ModelStep::send("Ada is here.", &["ada"]), ModelStep::say("Sent."), ModelStep::decline()];
    let stage = Stage::of(subject, script).await;
    stage.hear("who is here?").await.unwrap();
    stage.hear_next("thanks").await.unwrap();
    let ours = stage.model.last().body;
    let call = |events: &[Value], at: usize| {
        let (call, result) = (&stage.events("tool_call")[at], &events[at]);
        json!({
            "id": call["tool_call_id"], "name": call["name"], "args": call["args"],
            "output": told(subject, result), "is_error": result["is_error"],
        })
    };
    let results = stage.events("tool_result");
    let update = band_update(&stage.room);
    let conversation = json!([
        { "user": update }, { "user": "[Ada]: who is here?" },
        { "calls": [call(&results, 0), call(&results, 1)] },
        { "calls": [call(&results, 2)] },
        { "own": "Sent." }, { "user": "[Ada]: thanks" },
    ]);
    let theirs = ModelServer::start([ModelStep::say("Bye.").usage(7, 3)]).await.unwrap().with_key(KEY);
    let ask = json!({
        "act": "send", "dialect": name(subject), "url": theirs.url(), "key": KEY, "model": "m",
        "stream": subject.streams, "system": system(subject, &ours), "tools": tools(subject, &ours),
        "conversation": conversation,
    });
    let said = driver(&ask).await;
    assert_eq!(said["text"], "Bye.", "{said}");
    assert_eq!((&said["input_tokens"], &said["output_tokens"]), (&json!(7), &json!(3)));
    let (ours, theirs) = (comparable(ours), comparable(theirs.last().body));
    assert_eq!(ours, theirs, "\nours {ours:#}\ntheirs {theirs:#}");
    if subject.dialect != Dialect::Gemini {
        let ask = json!({ "act": "check", "dialect": name(subject), "body": stage.model.last().body });
        assert_eq!(driver(&ask).await, json!({ "ok": true }));
    }
    stage.assert_accepted();
}

/// A failure is marked where the provider has a mark, and said in words where it has none.
fn told(subject: &Subject, result: &Value) -> Value {
    let _ = subject;
    result["output"].clone()
}

/// What the model is told of the room.
fn band_update(room: &FakeTools) -> String {
    format!("[System]: {}", room.turn("x").participants_update.unwrap())
}

async fn answers_of_the_clients_own_types_are_read(subject: &Subject) {
    let args = json!({ "content": "Grüße", "mentions": ["ada"] });
    let ask = json!({
        "act": "build", "dialect": name(subject), "text": "I say it.", "name": "band_send_message", "args": args,
    });
    let body = driver(&ask).await;
    let raw = ModelStep::raw(200, "application/json", body.to_string());
    let stage = Stage::with(subject, [raw, ModelStep::silence()], super::room(), Setup::default()).await;
    stage.hear("say hello").await.unwrap();
    assert_eq!(stage.said(), ["Grüße"]);
    let usage = stage
        .room
        .events()
        .into_iter()
        .filter_map(|event| event.metadata)
        .find_map(|metadata| metadata.get("band_usage").cloned());
    assert_eq!(usage.unwrap()["input_tokens"], 17);
    stage.assert_accepted();
}

async fn what_the_scripted_model_says_is_what_the_client_reads(subject: &Subject) {
    let step = ModelStep::call("look", json!({ "at": "Ulm" }))
        .and_call("look", json!({ "at": "日本" }))
        .saying("I look.");
    let model = ModelServer::start([step.usage(11, 4)]).await.unwrap();
    let tool = json!({ "type": "object", "properties": { "at": { "type": "string" } }, "required": ["at"] });
    let tools = match subject.dialect {
        Dialect::Chat => {
            json!([{ "type": "function", "function": { "name": "look", "description": "d", "parameters": tool } }])
        }
        Dialect::Responses => {
            json!([{ "type": "function", "name": "look", "description": "d", "parameters": tool, "strict": false }])
        }
        Dialect::Anthropic => json!([{ "name": "look", "description": "d", "input_schema": tool }]),
        _ => json!([{ "name": "look", "description": "d", "parameters": tool }]),
    };
    let ask = json!({
        "act": "send", "dialect": name(subject), "url": model.url(), "key": KEY, "model": "m", "stream": subject.streams,
        "system": "s", "tools": tools, "conversation": [{ "user": "where?" }],
    });
    let said = driver(&ask).await;
    assert_eq!(said["text"], "I look.");
    let args: Vec<&Value> =
        said["calls"].as_array().unwrap().iter().map(|call| &call["args"]["at"]).collect();
    assert_eq!(args, ["Ulm", "日本"]);
    assert_eq!((&said["input_tokens"], &said["output_tokens"]), (&json!(11), &json!(4)));
    assert_eq!(model.refusals(), Vec::<String>::new());
}

macro_rules! official {
    ($($module:ident = $subject:ident;)+) => {$(
        mod $module {
            #[tokio::test]
            async fn our_request_is_the_one_of_the_providers_client() {
                super::our_request_is_the_one_of_the_providers_client(&super::$subject).await;
            }

            #[tokio::test]
            async fn answers_of_the_clients_own_types_are_read() {
                super::answers_of_the_clients_own_types_are_read(&super::$subject).await;
            }

            #[tokio::test]
            async fn what_the_scripted_model_says_is_what_the_client_reads() {
                super::what_the_scripted_model_says_is_what_the_client_reads(&super::$subject).await;
            }
        }
    )+};
}

official! {
    chat = CHAT;
    chat_whole = CHAT_WHOLE;
    responses = RESPONSES;
    responses_whole = RESPONSES_WHOLE;
    anthropic = ANTHROPIC;
    anthropic_whole = ANTHROPIC_WHOLE;
    gemini = GEMINI;
    gemini_whole = GEMINI_WHOLE;
}
