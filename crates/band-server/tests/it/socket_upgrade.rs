//! Who gets a socket.

use http::Method;
use serde_json::json;

use crate::live::{As, Phoenix, Populated};

impl Populated {
    async fn refusal(&self, query: &str, headers: &[(&str, &str)]) -> (u16, String) {
        let refused =
            Phoenix::try_open(&self.site, query, headers).await.err().expect("an upgrade that is refused");
        assert_eq!(refused.headers["content-type"], "application/json");
        assert_eq!(refused.error["request_id"].as_str().unwrap(), refused.headers["x-request-id"]);
        assert!(refused.error["message"].is_string(), "{refused:?}");
        (refused.status, refused.error["code"].as_str().unwrap().to_owned())
    }

    async fn speaks(&self, query: &str, headers: &[(&str, &str)]) -> Phoenix {
        Phoenix::try_open(&self.site, query, headers).await.unwrap()
    }
}

#[tokio::test]
async fn keys_come_in_the_header_or_in_the_query_and_the_header_wins() {
    let p = Populated::start().await;
    let (ann, helper) = (p.ann.key.as_str(), p.helper.key.as_str());
    let own = format!("agent_rooms:{}", p.helper.id);
    p.speaks("vsn=2.0.0", &[("x-api-key", helper)]).await.join(&own).await;
    p.speaks(&format!("vsn=2.0.0&api_key={helper}"), &[]).await.join(&own).await;
    p.speaks(&format!("api_key={ann}&vsn=2.0.1&foreign=1"), &[("x-api-key", helper)]).await.join(&own).await;
    p.speaks(&format!("vsn=2.0.0&agent_id={}", p.helper.id), &[("x-api-key", helper)]).await.join(&own).await;
}

#[tokio::test]
async fn a_person_acts_as_their_agent_and_as_no_other() {
    let p = Populated::start().await;
    let ann = [("x-api-key", p.ann.key.as_str())];
    let own = format!("agent_rooms:{}", p.helper.id);
    p.speaks(&format!("vsn=2.0.0&agent_id={}", p.helper.id), &ann).await.join(&own).await;
    for (key, agent) in [(&p.ann, &p.rival), (&p.helper, &p.scout), (&p.helper, &p.rival)] {
        let query = format!("vsn=2.0.0&agent_id={}", agent.id);
        assert_eq!(p.refusal(&query, &[("x-api-key", &key.key)]).await, (403, "forbidden".to_owned()));
    }
    assert_eq!(p.refusal("vsn=2.0.0&agent_id=7", &ann).await, (403, "forbidden".to_owned()));
}

#[tokio::test]
async fn no_key_a_wrong_key_and_another_version_are_403() {
    let p = Populated::start().await;
    let helper = [("x-api-key", p.helper.key.as_str())];
    assert_eq!(p.refusal("vsn=2.0.0", &[]).await.0, 403);
    assert_eq!(p.refusal("vsn=2.0.0", &[("x-api-key", "wrong")]).await.0, 403);
    assert_eq!(p.refusal("vsn=2.0.0&api_key=wrong", &[]).await.0, 403);
    for query in ["", "vsn=1.0.0", "vsn=3.0.0", "vsn=2.1.0", "vsn="] {
        assert_eq!(p.refusal(query, &helper).await, (403, "forbidden".to_owned()), "{query}");
    }
}

#[tokio::test]
async fn an_unknown_conflict_policy_is_400() {
    let p = Populated::start().await;
    let helper = [("x-api-key", p.helper.key.as_str())];
    let refused = p.refusal("vsn=2.0.0&on_conflict=fight", &helper).await;
    assert_eq!(refused, (400, "invalid_on_conflict".to_owned()));
    for policy in ["supersede", "reject", ""] {
        p.speaks(&format!("vsn=2.0.0&on_conflict={policy}"), &helper).await.close().await;
    }
}

#[tokio::test]
async fn the_bare_path_works_and_plain_requests_are_400() {
    let p = Populated::start().await;
    let url = format!("ws://{}/api/v1/socket?vsn=2.0.0", p.site.addr());
    Phoenix::try_open_at(&url, &[("x-api-key", &p.helper.key)]).await.unwrap();
    for path in ["/api/v1/socket", "/api/v1/socket/websocket?vsn=2.0.0"] {
        p.site.get(&p.helper, path).await.refused(400, "bad_request");
    }
    let post = p.site.call(As::Nobody, Method::POST, "/api/v1/socket/websocket", Some(json!({}))).await;
    post.refused(405, "method_not_allowed");
}

#[tokio::test]
async fn a_key_that_was_revoked_opens_nothing_and_its_socket_is_closed() {
    let p = Populated::start().await;
    let mut socket = Phoenix::open(&p.site, &p.helper).await;
    socket.join(&format!("agent_control:{}", p.helper.id)).await;
    p.site.delete(&p.ann, &format!("/api/v1/me/agents/{}?force=true", p.helper.id)).await.expect(200);
    assert_eq!(socket.closed().await, Some(1001));
    assert_eq!(p.refusal("vsn=2.0.0", &[("x-api-key", &p.helper.key)]).await.0, 403);
}
