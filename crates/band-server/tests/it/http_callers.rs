//! Every line of the route table against every kind of caller.

use band_server::http::{Kind, table};
use http::Method;
use serde_json::json;

use crate::live::{As, Populated};

/// The two routes that become sockets answer by their own rules.
fn is_socket(path: &str) -> bool {
    path.starts_with("/api/v1/socket")
}

#[tokio::test]
async fn a_key_of_the_wrong_kind_is_refused_on_every_route() {
    let p = Populated::start().await;
    for route in table() {
        let path = p.fill(route.path);
        let (key, text) = match route.kind {
            Kind::Agent => (&p.ann.key, "Agent authentication required"),
            Kind::Human => (&p.helper.key, "User authentication required"),
            Kind::Anyone | Kind::Admin => continue,
        };
        let answer = p.site.call(As::Key(key), route.method, &path, None).await;
        assert_eq!(answer.refused(403, "forbidden")["message"], text, "{path}");
    }
}

#[tokio::test]
async fn no_key_and_a_wrong_key_are_refused_on_every_route() {
    let p = Populated::start().await;
    for route in table().into_iter().filter(|route| route.kind != Kind::Anyone) {
        let path = p.fill(route.path);
        for who in [
            As::Nobody,
            As::Key("band_u_1700000000_nobodyshasthiskeyatall0000000000"),
            As::Key(""),
            As::Bearer("x"),
        ] {
            let answer = p.site.call(who, route.method.clone(), &path, None).await;
            answer.refused(401, "unauthorized");
        }
    }
}

#[tokio::test]
async fn keys_and_cookies_open_no_administration() {
    let p = Populated::start().await;
    let cookie = p.site.session(&p.ann).await;
    let origin = p.site.origin();
    for route in table().into_iter().filter(|route| route.kind == Kind::Admin) {
        for who in [As::Key(&p.ann.key), As::Key(&p.helper.key), As::Cookie(&cookie, Some(&origin))] {
            let body = Some(json!({"user": {"name": "Eve"}}));
            p.site.call(who, route.method.clone(), route.path, body).await.refused(401, "unauthorized");
        }
    }
}

#[tokio::test]
async fn an_unknown_query_parameter_is_refused_on_every_route() {
    let p = Populated::start().await;
    for route in table().into_iter().filter(|route| !is_socket(route.path)) {
        let path = format!("{}?surprise=1", p.fill(route.path));
        let answer = match route.kind {
            Kind::Agent => p.site.call(As::Key(&p.helper.key), route.method, &path, None).await,
            Kind::Human => p.site.call(As::Key(&p.ann.key), route.method, &path, None).await,
            Kind::Admin => p.site.admin(&path, json!({})).await,
            Kind::Anyone => p.site.call(As::Nobody, route.method, &path, None).await,
        };
        answer.invalid("/surprise", "Unexpected field: surprise");
    }
}

#[tokio::test]
async fn another_method_on_a_known_path_is_405_with_the_known_ones() {
    let p = Populated::start().await;
    for route in table() {
        let answer = p.site.call(As::Nobody, Method::TRACE, &p.fill(route.path), None).await;
        let allow = answer.header("allow").unwrap_or_default().to_owned();
        assert!(allow.contains(route.method.as_str()), "{}: {allow}", route.path);
        answer.refused(405, "method_not_allowed");
    }
}

/// The public description, and what newer clients know beyond it.
#[test]
fn every_operation_of_the_description_is_a_line_of_the_table() {
    let facts = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../band-wire/facts");
    let read = |name: &str| -> serde_json::Value {
        serde_json::from_str(&std::fs::read_to_string(facts.join(name)).unwrap()).unwrap()
    };
    let shape = |path: &str| path.replace("{chat_id}", "{id}");
    let table: Vec<(String, String)> =
        table().iter().map(|route| (route.method.to_string(), shape(route.path))).collect();
    let (described, additions) = (read("operations.json"), read("additions.json"));
    let both = [described.as_array().unwrap(), additions["operations"].as_array().unwrap()];
    let operations: Vec<_> = both.into_iter().flatten().collect();
    assert_eq!(operations.len(), 70);
    for operation in operations {
        let line =
            (operation["method"].as_str().unwrap().to_owned(), shape(operation["path"].as_str().unwrap()));
        assert!(table.contains(&line), "{line:?} is not served");
    }
}

/// Nothing tells a room of others from one that was never made, whatever is sent.
#[tokio::test]
async fn a_room_of_others_is_answered_like_one_that_is_not_there() {
    let p = Populated::start().await;
    let nowhere = "0190a8d4-5f3e-7c2a-9b1d-2f3e4a5b6c7d";
    for route in table().into_iter().filter(|route| route.path.contains("{chat_id}")) {
        let key = if route.kind == Kind::Agent { &p.rival.key } else { &p.bob.key };
        let path = p.fill(route.path);
        let foreign = p.site.call(As::Key(key), route.method.clone(), &path, None).await;
        let missing = path.replace(&p.room, nowhere);
        let missing = p.site.call(As::Key(key), route.method.clone(), &missing, None).await;
        assert_eq!(foreign.status, missing.status, "{} {path}", route.method);
        assert!(matches!(foreign.status.as_u16(), 404 | 422), "{} {path}: {}", route.method, foreign.status);
        if route.method == Method::GET {
            foreign.refused(404, "not_found");
        }
    }
}

#[tokio::test]
async fn what_is_no_id_names_nothing() {
    let p = Populated::start().await;
    for route in table().into_iter().filter(|route| route.path.contains('{')) {
        let path = route.path.replace("{chat_id}", "7").replace("{id}", "x%2Fy");
        let key = if route.kind == Kind::Agent { &p.helper.key } else { &p.ann.key };
        p.site.call(As::Key(key), route.method, &path, None).await.refused(404, "not_found");
    }
}

#[tokio::test]
async fn a_key_in_any_header_case_works_and_a_wrong_key_beats_a_good_cookie() {
    let p = Populated::start().await;
    let request = p.site.request(Method::GET, "/api/v1/me/profile").header("X-API-KEY", &p.ann.key);
    crate::live::Answer::of(request).await.expect(200);
    let cookie = format!("band_session={}", p.site.session(&p.ann).await);
    let request = p.site.request(Method::GET, "/api/v1/me/profile").header("cookie", cookie);
    crate::live::Answer::of(request.header("x-api-key", "wrong")).await.refused(401, "unauthorized");
}
