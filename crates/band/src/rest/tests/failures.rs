//! Refusals, broken connections, silence.

use std::io;

use band_wire::rest::{CreateEvent, EventType, ReportActivity, SendMessage};

use super::*;
use crate::error::Error;
use crate::rest::Mark;

fn hello() -> SendMessage {
    SendMessage { content: "hi".to_owned(), mentions: Vec::new(), attachment_ids: Vec::new() }
}

#[tokio::test]
async fn a_wrong_key_is_told_with_the_platforms_words() {
    let platform = Platform::follow([refuse(401, "unauthorized")]).await;
    let err = platform.client().me().await.unwrap_err();
    assert!(matches!(err, Error::Unauthorized(_)));
    let text = err.to_string();
    assert!(text.contains("status_code: 401, code: unauthorized, message: No., request_id: r-1"), "{text}");
    assert!(!text.contains(KEY));
    assert!(matches!(platform.client().mark_processed(CHAT, MESSAGE).await, Err(Error::Unauthorized(_))));
}

#[tokio::test]
async fn the_identity_is_asked_for_once_and_its_owner_decides_on_retries() {
    let platform = Platform::follow([Step::Answer(429, "Retry-After: 3\r\n", String::new())]).await;
    let err = platform.client().me().await.unwrap_err();
    assert_eq!(err.api().unwrap().retry_after, Some(Duration::from_secs(3)));
    assert_eq!(platform.lines().len(), 1);
}

#[tokio::test]
async fn a_refusal_that_may_pass_is_tried_three_times_more() {
    for (status, attempts) in
        [(408, 4), (409, 1), (429, 4), (500, 4), (503, 4), (400, 1), (403, 1), (404, 1), (422, 1)]
    {
        let platform = Platform::follow([refuse(status, "x")]).await;
        assert_eq!(platform.client().next(CHAT).await.unwrap_err().status(), Some(status));
        assert_eq!(platform.lines().len(), attempts, "{status}");
    }
    let platform = Platform::follow([refuse(503, "x"), refuse(500, "x"), refuse(502, "x"), sent()]).await;
    platform.client().send_message(CHAT, &hello(), Some("k")).await.unwrap();
    let seen = platform.seen();
    assert_eq!(seen.len(), 4);
    for again in &seen {
        assert_eq!(again.body, seen[0].body);
        assert!(again.headers.contains("idempotency-key: k"));
    }
}

#[tokio::test]
async fn a_conflict_is_the_answer_to_a_keyed_send() {
    let platform = Platform::follow([refuse(409, "conflict")]).await;
    let err = platform.client().send_message(CHAT, &hello(), Some("k")).await.unwrap_err();
    assert_eq!((err.status(), platform.lines().len()), (Some(409), 1));
}

#[tokio::test]
async fn a_send_that_broke_off_is_repeated_under_its_key_and_never_without_one() {
    let keyed = Platform::follow([Step::HangUp, Step::HangUp, sent()]).await;
    keyed.client().send_message(CHAT, &hello(), Some("k")).await.unwrap();
    assert_eq!(keyed.lines().len(), 3);
    for step in [Step::HangUp, refuse(500, "x"), refuse(503, "x")] {
        let unkeyed = Platform::follow([step, sent()]).await;
        let err = unkeyed.client().send_message(CHAT, &hello(), None).await.unwrap_err();
        assert!(matches!(err, Error::Unconfirmed(_)), "{err:?}");
        assert_eq!(unkeyed.lines().len(), 1);
    }
}

#[tokio::test]
async fn where_keys_are_not_honoured_a_send_that_may_have_been_stored_is_reported_and_not_repeated() {
    for step in [Step::HangUp, refuse(500, "x"), refuse(502, "x"), refuse(408, "x")] {
        let platform = Platform::follow([step, sent()]).await;
        let mut config = platform.config();
        config.honours_keys = false;
        let err = quick(config).send_message(CHAT, &hello(), Some("k")).await.unwrap_err();
        assert!(matches!(err, Error::Unconfirmed(_)), "{err:?}");
        assert!(err.to_string().contains("may have carried it out all the same"), "{err}");
        assert_eq!(platform.lines().len(), 1);
        // The key goes along all the same: it does no harm.
        assert!(platform.seen()[0].headers.contains("idempotency-key: k"));
    }
    // What can't have been stored is.
    let platform = Platform::follow([refuse(429, "x"), sent()]).await;
    let mut config = platform.config();
    config.honours_keys = false;
    quick(config).send_message(CHAT, &hello(), Some("k")).await.unwrap();
    assert_eq!(platform.lines().len(), 2);
}

#[tokio::test]
async fn whether_keys_are_honoured_is_learnt_from_who_the_agent_is() {
    let me = |flags: Value| {
        ok(&json!({"data": {"id": MESSAGE, "handle": "a", "name": "A", "description": "Helps.",
            "owner_uuid": Uuid::nil(), "feature_flags": flags, "inserted_at": "2026-07-01T10:00:00Z",
            "updated_at": "2026-07-01T10:00:00Z"}}))
    };
    for (flags, honoured) in [
        (json!({"ff_idempotency_keys": true}), true),
        (json!({"ff_file_transfer": true}), false),
        (json!(null), false),
    ] {
        let platform = Platform::follow([me(flags)]).await;
        let client = quick(RestConfig::new(format!("http://{}", platform.address), KEY.into()));
        assert!(!client.honours_keys(), "nothing is known before");
        client.me().await.unwrap();
        assert_eq!(client.honours_keys(), honoured);
    }
}

#[tokio::test]
async fn a_send_that_was_stored_but_answered_unreadably_says_so_by_its_status() {
    let platform = Platform::follow([Step::Answer(201, "", r#"{"data":{"id":7}}"#.to_owned())]).await;
    let err = platform.client().send_message(CHAT, &hello(), Some("k")).await.unwrap_err();
    assert_eq!((err.status(), platform.lines().len()), (Some(201), 4));
    let seen = platform.seen();
    assert!(seen.iter().all(|again| again.headers.contains("idempotency-key: k")));
    let platform = Platform::follow([Step::Answer(201, "", "{}".to_owned())]).await;
    let err = platform.client().send_message(CHAT, &hello(), None).await.unwrap_err();
    assert_eq!((err.status(), platform.lines().len()), (Some(201), 1), "without a key it is not said again");
}

/// What stands before a platform says while that is started anew.
fn proxy(status: u16) -> Step {
    Step::Answer(status, "Content-Type: text/html\r\n", "<html>back soon</html>".to_owned())
}

#[tokio::test]
async fn a_message_waits_for_a_platform_that_is_started_anew_behind_a_proxy() {
    let away = [proxy(502), proxy(504), refuse(500, "x"), proxy(200), Step::HangUp, refuse(503, "x")];
    let steps = away.iter().cycle().take(35).cloned().chain([sent()]);
    let platform = Platform::follow(steps).await;
    platform.client().send_message(CHAT, &hello(), Some("k")).await.unwrap();
    let seen = platform.seen();
    assert_eq!(seen.len(), 36);
    for again in &seen {
        assert!(again.body == seen[0].body && again.headers.contains("idempotency-key: k"));
    }
    // What nobody needs that long is given up: another step of the work, a question that is asked again anyway.
    let platform = Platform::follow([proxy(502)]).await;
    let mut event =
        CreateEvent { content: "hm".to_owned(), message_type: EventType::Thought, metadata: None };
    platform.client().send_event(CHAT, &event, Some("k")).await.unwrap_err();
    platform.client().next(CHAT).await.unwrap_err();
    assert_eq!(platform.lines().len(), 8);
    // That it failed is said like an answer.
    event.message_type = EventType::Error;
    let created = json!({"data": {"id": MESSAGE, "message_type": "error", "success": true}});
    let created = Step::Answer(201, "", created.to_string());
    let platform = Platform::follow((0..9).map(|_| proxy(502)).chain([created])).await;
    platform.client().send_event(CHAT, &event, Some("k")).await.unwrap();
}

#[tokio::test]
async fn messages_that_wait_are_told_of_once_until_none_waits() {
    let lines = Lines::default();
    let pages = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::WARN)
        .with_ansi(false)
        .without_time()
        .with_writer(move || pages.clone())
        .finish();
    let _log = tracing::subscriber::set_default(subscriber);
    let told = || lines.told("the platform takes no message at the moment");

    let away = (0..12).map(|_| proxy(502));
    let platform = Platform::follow(away.chain([sent()])).await;
    let client = platform.client();
    let message = hello();
    let (one, two) = tokio::join!(
        client.send_message(CHAT, &message, Some("one")),
        client.send_message(CHAT, &message, Some("two")),
    );
    assert!(one.is_ok() && two.is_ok());
    let said = told();
    assert_eq!(said.len(), 1, "two wait, and are told of once: {said:?}");
    assert!(
        said[0].starts_with(" WARN band.rest: the platform takes no message at the moment: what is to be sent is kept and tried again for 60s error="),
        "{said:?}"
    );
    assert!(said[0].contains("502") && !said[0].contains(KEY), "{said:?}");

    // One that is refused once or twice is no news.
    let platform = Platform::follow([proxy(502), sent()]).await;
    platform.client().send_message(CHAT, &message, Some("three")).await.unwrap();
    assert_eq!(told().len(), 1);
    // Once none is left, the next one is told of.
    let platform = Platform::follow((0..12).map(|_| proxy(502)).chain([sent()])).await;
    let client = platform.client();
    client.send_message(CHAT, &message, Some("four")).await.unwrap();
    assert_eq!(told().len(), 2);
}

/// What is written to the log.
#[derive(Debug, Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    fn told(&self, of: &str) -> Vec<String> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        text.lines().filter(|line| line.contains(of)).map(str::to_owned).collect()
    }
}

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().map_err(|_| io::Error::other("poisoned"))?.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn without_keys_a_message_waits_as_long_while_the_platform_can_not_have_stored_it() {
    let asks = |status| Step::Answer(status, "Retry-After: 0\r\n", String::new());
    let steps = [asks(429), asks(503)].iter().cycle().take(20).cloned().chain([sent()]).collect::<Vec<_>>();
    let platform = Platform::follow(steps).await;
    platform.client().send_message(CHAT, &hello(), None).await.unwrap();
    assert_eq!(platform.lines().len(), 21);
}

#[tokio::test]
async fn whoever_drops_a_message_that_waits_ends_the_wait() {
    let platform = Platform::follow([proxy(502)]).await;
    let client = platform.client();
    let waits = async {
        while platform.lines().len() < 10 {
            tokio::task::yield_now().await;
        }
    };
    let message = hello();
    tokio::select! {
        sent = client.send_message(CHAT, &message, Some("k")) => panic!("{sent:?}"),
        () = waits => {}
    }
    // The only client, so the next request is its own.
    client.next(CHAT).await.unwrap_err();
    assert!(platform.lines().last().unwrap().starts_with("GET"));
}

#[tokio::test]
async fn an_answer_that_is_no_envelope_keeps_its_status() {
    let html = "<html><body>Forbidden by proxy</body></html>";
    let platform = Platform::follow([Step::Answer(403, "X-Request-Id: r-9\r\n", html.to_owned())]).await;
    let err = platform.client().next(CHAT).await.unwrap_err();
    let api = err.api().unwrap();
    assert_eq!((api.status_code, api.message.as_str(), api.request_id.as_deref()), (403, html, Some("r-9")));
}

#[tokio::test]
async fn a_redirect_is_an_error_and_the_key_does_not_follow_it() {
    let elsewhere = Platform::follow([ok(&json!({"data": message()}))]).await;
    let location: &'static str = format!("Location: http://{}/\r\n", elsewhere.address).leak();
    let platform = Platform::follow([Step::Answer(302, location, String::new())]).await;
    let err = platform.client().next(CHAT).await.unwrap_err();
    assert_eq!(err.status(), Some(302));
    assert!(err.to_string().contains("set rest_url to the final address"), "{err}");
    assert_eq!(elsewhere.lines().len(), 0);
}

#[tokio::test]
async fn a_mark_that_hangs_is_given_up_and_said_again() {
    let platform = Platform::follow([Step::Hang, ok(&mark("processed"))]).await;
    let mut config = platform.config();
    config.mark_timeout = Duration::from_millis(200);
    let mark = quick(config).mark_processed(CHAT, MESSAGE).await.unwrap();
    assert!(matches!(mark, Mark::Accepted(_)), "{mark:?}");
    assert_eq!(platform.lines().len(), 2);
}

#[tokio::test]
async fn an_activity_report_is_tried_once_within_its_limit() {
    let report = ReportActivity { working: true, activity: None };
    for step in [Step::Hang, Step::HangUp, refuse(503, "x"), refuse(429, "x")] {
        let platform = Platform::follow([step]).await;
        platform.client().report_activity(CHAT, &report, Duration::from_millis(200)).await.unwrap_err();
        assert_eq!(platform.lines().len(), 1);
    }
}

#[tokio::test]
async fn a_platform_that_is_away_is_tried_until_it_is_back() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let client = quick(RestConfig::new(format!("http://{address}"), KEY.into()));
    let mut calls = JoinSet::new();
    calls.spawn(async move { client.send_message(CHAT, &hello(), None).await });
    // Whatever comes first: some attempts against a closed port, or the listener.
    tokio::task::yield_now().await;
    let listener = TcpListener::bind(address).await.unwrap();
    let (stream, _) = listener.accept().await.unwrap();
    let script = Script { steps: Mutex::new([sent()].into()), ..Script::default() };
    let mut serving = JoinSet::new();
    serving.spawn(serve(stream, Arc::new(script)));
    calls.join_next().await.unwrap().unwrap().unwrap();
}

#[tokio::test]
async fn a_platform_that_stays_away_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let pace = Pace { unreachable_for: Duration::from_millis(50), ..Pace::DEFAULT };
    let config = RestConfig::new(format!("http://{address}"), KEY.into());
    let client = RestClient::with_pace(config, pace).unwrap();
    let err = client.next(CHAT).await.unwrap_err();
    assert!(matches!(err, Error::Connection(_)), "{err}");
    let text = err.to_string();
    assert!(text.starts_with("GET /api/v1/agent/chats/"), "{text}");
    assert!(text.to_lowercase().contains("refused"), "{text}");
    assert!(matches!(client.mark_processed(CHAT, MESSAGE).await.unwrap(), Mark::Unconfirmed(_)));
}
