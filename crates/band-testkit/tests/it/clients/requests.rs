//! What is asked: our request beside that of the provider's client, and held against the client's own types.

use band_testkit::{Dialect, ModelServer, ModelStep, SeenRequest};
use serde_json::{Value, json};

use super::same::{difference, plain};
use super::{DIALECTS, ask, cases, clients, ours, send, word};

/// A model that answers everybody, whatever signatures they bring.
async fn server() -> ModelServer {
    let steps = cases::all().into_iter().map(|_| ModelStep::say("ok"));
    ModelServer::start(steps).await.unwrap().believing()
}

/// What tells a provider who asks, and in which version of its form.
fn envelope(seen: &SeenRequest) -> Value {
    let header = |name: &str| seen.headers.get(name);
    json!({
        "path": seen.path, "key": seen.key, "key header": seen.key_header,
        "version": header("anthropic-version"), "content type": header("content-type"),
        "status": seen.status,
    })
}

/// Our envelope as the client of that provider writes it. Both forms of each are served:
///
/// - Anthropic's client has gone over to a version that takes no `temperature`, and to another header for the key; we
///   keep the documented `x-api-key`, and the version that servers of others know too.
/// - Google's client asks `v1` by default, where names of models that end in `-latest` are not known.
fn as_the_client_has_it(dialect: Dialect, mut envelope: Value) -> Value {
    match dialect {
        Dialect::Anthropic => {
            assert_eq!(envelope["version"], "2023-06-01");
            assert_eq!(envelope["key header"], "x-api-key");
            envelope["version"] = json!("2026-10-21");
            envelope["key header"] = json!("authorization");
        }
        Dialect::Gemini => {
            let path = envelope["path"].as_str().unwrap().replace("/v1beta/", "/v1/");
            envelope["path"] = json!(path);
        }
        _ => {}
    }
    envelope
}

async fn our_requests(dialect: Dialect, streaming: bool) -> Vec<SeenRequest> {
    let server = server().await;
    let model = ours(dialect, &server, streaming);
    for case in cases::all() {
        let step = ask(&*model, case.request(dialect)).await;
        assert!(step.is_ok(), "{dialect:?}, {}: {step:?}", case.name);
    }
    server.seen()
}

/// Every conversation in every form, asked by our model and by the provider's client.
#[tokio::test]
async fn for_the_same_conversation_our_models_ask_what_the_providers_own_clients_ask() {
    let forms = DIALECTS.into_iter().flat_map(|dialect| [(dialect, true), (dialect, false)]);
    let mut servers = Vec::new();
    let mut questions = Vec::new();
    for (dialect, streaming) in forms {
        let server = server().await;
        questions.extend(cases::all().iter().map(|case| send(dialect, &server, streaming, &case.told())));
        servers.push((dialect, streaming, server));
    }
    let mut read = clients(questions).await.into_iter();
    let mut different = Vec::new();
    for (dialect, streaming, server) in &servers {
        let (ours, theirs) = (our_requests(*dialect, *streaming).await, server.seen());
        for (at, case) in cases::all().iter().enumerate() {
            let place = format!("{}, streaming {streaming}, {}", word(*dialect), case.name);
            let read = read.next().unwrap();
            let Some(theirs) = theirs.get(at).filter(|_| read["text"] == "ok") else {
                different.push(format!("{place}: the client reads {read}, refused {:?}", server.refusals()));
                continue;
            };
            let ours = &ours[at];
            let body = |seen: &SeenRequest| plain(*dialect, seen.body.clone());
            different.extend(difference(
                &as_the_client_has_it(*dialect, envelope(ours)),
                &envelope(theirs),
                &place,
            ));
            different.extend(difference(&body(ours), &body(theirs), &place));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// The clients' types of a request refuse a field that they do not have.
#[tokio::test]
async fn our_requests_are_of_the_clients_own_types() {
    let mut questions = Vec::new();
    for dialect in DIALECTS {
        for streaming in [true, false] {
            let seen = our_requests(dialect, streaming).await;
            questions.extend(seen.into_iter().map(|seen| parse(dialect, &seen.body)));
        }
    }
    let count = questions.len();
    // So that nobody takes silence for a look: what no provider knows is refused, at the top and deep inside.
    let wrong = DIALECTS.map(|dialect| {
        let mut body =
            questions.iter().find(|question| question["dialect"] == word(dialect)).unwrap()["body"].clone();
        body["bogus"] = json!(1);
        parse(dialect, &body)
    });
    let deep = DIALECTS.map(|dialect| {
        let mut body =
            questions.iter().find(|question| question["dialect"] == word(dialect)).unwrap()["body"].clone();
        body["tools"][0]["bogus"] = json!(1);
        parse(dialect, &body)
    });
    questions.extend(wrong.into_iter().chain(deep));
    let mut verdicts = clients(questions.clone()).await;
    let refused = verdicts.split_off(count);
    for (verdict, question) in verdicts.iter().zip(&questions) {
        assert!(verdict["problem"].is_null(), "{}: {verdict:#}", question["dialect"]);
    }
    for verdict in refused {
        assert!(verdict["problem"].as_str().is_some_and(|problem| problem.contains("bogus")), "{verdict:#}");
    }
}

fn parse(dialect: Dialect, body: &Value) -> Value {
    json!({ "act": "parse", "dialect": word(dialect), "body": body })
}
