//! What is read: answers made of the clients' own types, read by the client and by our model.

use band_adapters::{ProviderFailure, Step, StepEnd};
use band_testkit::{ModelServer, ModelStep};
use serde_json::{Value, json};

use super::same::difference;
use super::{DIALECTS, ask, cases, clients, ours, send, word};

/// A step of a script with this answer.
fn step(answer: &Value) -> ModelStep {
    let text = |key: &str| answer[key].as_str().unwrap_or_default();
    let status = answer["status"].as_u64().and_then(|status| u16::try_from(status).ok());
    ModelStep::raw(status.unwrap(), text("content_type"), text("body"))
}

/// What our model reads, in the form in which the driver tells what the client reads.
fn told(read: Result<Step, ProviderFailure>) -> Value {
    let step = match read {
        Ok(step) => step,
        Err(failure) => return json!({ "failure": failure.code, "message": failure.detail }),
    };
    let calls: Vec<Value> = step
        .calls
        .iter()
        .map(|call| json!({ "id": call.id, "name": call.name, "args": call.arguments.read().unwrap() }))
        .collect();
    json!({
        "text": step.text, "thoughts": step.thoughts, "calls": calls,
        "usage": {
            "input": step.usage.input_tokens, "output": step.usage.output_tokens,
            "cache_read": step.usage.cache_read_tokens, "cache_write": step.usage.cache_write_tokens,
        },
        "end": format!("{:?}", step.end),
    })
}

/// What a provider's word for the end means to us.
fn meaning(word: &str, has_calls: bool) -> StepEnd {
    match word {
        "stop"
        | "tool_calls"
        | "completed"
        | "end_turn"
        | "tool_use"
        | "stop_sequence"
        | "STOP"
        | "FINISH_REASON_UNSPECIFIED" => StepEnd::Complete,
        "length" | "max_output_tokens" | "max_tokens" | "model_context_window_exceeded" | "MAX_TOKENS" => {
            StepEnd::CutShort
        }
        "pause_turn" | "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" | "MALFORMED_RESPONSE" => {
            StepEnd::Paused
        }
        _ if has_calls => StepEnd::Complete,
        why => StepEnd::Refused(why.to_owned()),
    }
}

/// Where our reading and the client's are not the same.
fn compared(ours: &Value, theirs: &Value) -> Option<String> {
    let Some(end) = theirs["end"].as_str() else {
        // A failure: the same words are read, and of a refusal the same status.
        let message = theirs["message"].as_str().unwrap_or_default();
        let is_same = ours["message"].as_str().is_some_and(|ours| ours.contains(message));
        let status = theirs["status"].as_u64().map(|status| json!(status.to_string()));
        let is_same = is_same && status.is_none_or(|status| ours["failure"] == status);
        return (!is_same).then(|| format!("ours {ours}, theirs {theirs}"));
    };
    let mut theirs = theirs.clone();
    let has_calls = theirs["calls"].as_array().is_some_and(|calls| !calls.is_empty());
    theirs["end"] = json!(format!("{:?}", meaning(end, has_calls)));
    difference(ours, &theirs, "")
}

/// Each answer of the table, whole and as a stream.
#[tokio::test]
async fn answers_of_the_clients_own_types_are_read_as_the_clients_read_them() {
    let made = clients(DIALECTS.map(|dialect| json!({ "act": "answers", "dialect": word(dialect) })).into());
    let plain = &cases::all()[0];
    let (mut questions, mut asked) = (Vec::new(), Vec::new());
    for (dialect, table) in DIALECTS.into_iter().zip(made.await) {
        let table = table.as_array().unwrap_or_else(|| panic!("{dialect:?}: {table}")).clone();
        let server = ModelServer::start(table.iter().map(step)).await.unwrap();
        questions.extend(table.iter().map(|answer| send(dialect, &server, is_stream(answer), &plain.told())));
        asked.push((dialect, table, server));
    }
    let count = questions.len();
    let mut theirs = clients(questions).await.into_iter();
    let mut different = Vec::new();
    for (dialect, table, server) in &asked {
        assert_eq!((server.refusals(), server.steps_left()), (Vec::new(), 0));
        let (streaming, whole) = (ours(*dialect, server, true), ours(*dialect, server, false));
        for answer in table {
            server.push(step(answer));
            let model = if is_stream(answer) { &streaming } else { &whole };
            let ours = told(ask(&**model, plain.request(*dialect)).await);
            let difference = compared(&ours, &theirs.next().unwrap());
            different
                .extend(difference.map(|told| format!("{}, {}: {told}", word(*dialect), answer["name"])));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
    assert!(count > 100, "{count} answers");
}

fn is_stream(answer: &Value) -> bool {
    answer["content_type"] == "text/event-stream"
}
