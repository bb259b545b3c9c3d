//! A Chat Completions endpoint that follows a script and refuses what a real provider refuses.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::{Value, json};
use tokio::task::JoinSet;

/// What the model does next.
pub(crate) enum Move {
    /// Says something.
    Say(&'static str),
    /// Calls tools: name and arguments, as text.
    Call(Vec<(&'static str, &'static str)>),
    /// Answers with a status and a body.
    Refuse(StatusCode, Value, Option<&'static str>),
    /// Answers with what is no completion.
    Garble,
}

#[derive(Default)]
struct Script {
    moves: Mutex<VecDeque<Move>>,
    requests: Mutex<Vec<Value>>,
    keys: Mutex<Vec<Option<String>>>,
}

/// The endpoint. It ends when it is dropped.
pub(crate) struct ModelServer {
    script: Arc<Script>,
    address: String,
    _server: JoinSet<()>,
}

impl ModelServer {
    pub(crate) async fn start(moves: impl IntoIterator<Item = Move>) -> Self {
        let script = Arc::new(Script { moves: Mutex::new(moves.into_iter().collect()), ..Script::default() });
        let router =
            Router::new().route("/v1/chat/completions", post(complete)).with_state(Arc::clone(&script));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { script, address, _server: server }
    }

    pub(crate) fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The bodies that were sent.
    pub(crate) fn requests(&self) -> Vec<Value> {
        self.script.requests.lock().unwrap().clone()
    }

    /// The messages of the last request.
    pub(crate) fn last_messages(&self) -> Vec<Value> {
        self.requests().last().unwrap()["messages"].as_array().unwrap().clone()
    }

    pub(crate) fn keys(&self) -> Vec<Option<String>> {
        self.script.keys.lock().unwrap().clone()
    }
}

async fn complete(State(script): State<Arc<Script>>, headers: HeaderMap, body: String) -> Response {
    let key = headers.get("authorization").map(|value| value.to_str().unwrap().to_owned());
    script.keys.lock().unwrap().push(key);
    let Ok(request) = serde_json::from_str::<Value>(&body) else { return refuse("no JSON") };
    script.requests.lock().unwrap().push(request.clone());
    if let Err(problem) = check(&request) {
        return refuse(&problem);
    }
    let next = script.moves.lock().unwrap().pop_front();
    let message = match next {
        None => return refuse("the script is over"),
        Some(Move::Garble) => return "<html>".into_response(),
        Some(Move::Refuse(status, body, retry_after)) => {
            let mut answer = (status, body.to_string()).into_response();
            if let Some(seconds) = retry_after {
                answer.headers_mut().insert("retry-after", seconds.parse().unwrap());
            }
            return answer;
        }
        Some(Move::Say(text)) => json!({ "role": "assistant", "content": text }),
        Some(Move::Call(calls)) => {
            let at = request["messages"].as_array().unwrap().len();
            let calls: Vec<Value> = calls
                .into_iter()
                .enumerate()
                .map(|(n, (name, arguments))| {
                    json!({ "id": format!("call_{at}_{n}"), "type": "function",
                            "function": { "name": name, "arguments": arguments } })
                })
                .collect();
            json!({ "role": "assistant", "content": null, "tool_calls": calls })
        }
    };
    let body =
        json!({ "id": "c", "object": "chat.completion", "choices": [{ "index": 0, "message": message }] });
    body.to_string().into_response()
}

fn refuse(problem: &str) -> Response {
    let body = json!({ "error": { "message": problem, "type": "invalid_request_error", "code": null } });
    (StatusCode::BAD_REQUEST, body.to_string()).into_response()
}

/// What a provider would refuse.
fn check(request: &Value) -> Result<(), String> {
    let fields = request.as_object().ok_or("no object")?;
    if let Some(unknown) = fields.keys().find(|key| !["model", "messages", "tools"].contains(&key.as_str())) {
        return Err(format!("Unrecognized request argument supplied: {unknown}"));
    }
    for tool in request["tools"].as_array().ok_or("tools is no list")? {
        let is_function = tool["type"] == "function" && tool["function"]["parameters"]["type"] == "object";
        if !is_function || tool["function"]["name"].as_str().is_none_or(str::is_empty) {
            return Err(format!("Invalid tool: {tool}"));
        }
    }
    let messages = request["messages"].as_array().ok_or("messages is no list")?;
    let mut open: Vec<String> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        if role == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            let Some(at) = open.iter().position(|call| call == id) else {
                return Err(format!("messages[{index}]: a tool message answers no call"));
            };
            open.remove(at);
            continue;
        }
        if !open.is_empty() {
            return Err(format!("messages[{index}]: tool calls {open:?} are not answered"));
        }
        match role {
            "system" if index == 0 => {}
            "user" if message["content"].as_str().is_some_and(|text| !text.is_empty()) => {}
            "assistant" => {
                for call in message["tool_calls"].as_array().into_iter().flatten() {
                    if call["type"] != "function" || !call["function"]["arguments"].is_string() {
                        return Err(format!("messages[{index}]: a bad tool call"));
                    }
                    open.push(call["id"].as_str().unwrap_or_default().to_owned());
                }
                if message["content"].is_null() && open.is_empty() {
                    return Err(format!("messages[{index}]: an assistant message without content"));
                }
            }
            _ => return Err(format!("messages[{index}]: invalid role or content")),
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("tool calls {open:?} are not answered")) }
}
