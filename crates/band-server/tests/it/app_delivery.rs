//! Where messages stand: next, marks, lists, delivered.

use band_wire::MessageId;
use band_wire::rest::query::{AgentMessagesQuery, OffsetQuery, Order, Paging, StatusFilter};
use band_wire::rest::{DeliveryStatus, EventType, FailMark, Message};

use crate::site::{Site, agent, audience, event, message, payload};

fn failed() -> FailMark {
    FailMark { error: "boom".to_owned() }
}

fn list(status: StatusFilter) -> AgentMessagesQuery {
    AgentMessagesQuery { paging: Paging::first(20), status, order: Order::Asc }
}

async fn next(site: &Site) -> Option<Message> {
    site.app.next_message(site.echo, site.room).await.unwrap()
}

async fn processing(site: &Site, message: MessageId) -> u32 {
    site.app.mark_processing(site.echo, site.room, message).await.unwrap().unwrap().attempt_number
}

async fn processed(site: &Site, message: MessageId) {
    site.app.mark_processed(site.echo, site.room, message).await.unwrap().unwrap();
}

#[tokio::test]
async fn next_gives_the_oldest_until_it_is_processed() {
    let site = Site::new().await;
    let first = site.say(site.echo, "one").await.id;
    let second = site.say(site.echo, "two").await.id;
    site.say(site.mate, "not for echo").await;
    assert_eq!(next(&site).await.unwrap().id, first);
    assert_eq!(processing(&site, first).await, 1);
    assert_eq!(next(&site).await.unwrap().id, first, "an open attempt is served again");
    site.app.mark_failed(site.echo, site.room, first, failed()).await.unwrap();
    assert_eq!(next(&site).await.unwrap().id, first, "a failed one is served again");
    assert_eq!(processing(&site, first).await, 2);
    processed(&site, first).await;
    assert_eq!(next(&site).await.unwrap().id, second);
    processing(&site, second).await;
    processed(&site, second).await;
    assert!(next(&site).await.is_none());
    assert_eq!(processing(&site, first).await, 2 + 1, "a processed one is live again");
    assert_eq!(next(&site).await.unwrap().id, first);
}

#[tokio::test]
async fn every_change_of_state_tells_people_everything() {
    let site = Site::new().await;
    let id = site.say(site.echo, "hi").await.id;
    site.record.take();
    processing(&site, id).await;
    processing(&site, id).await;
    site.app.mark_failed(site.echo, site.room, id, failed()).await.unwrap();
    let pushes = site.record.take();
    let updates: Vec<_> = pushes.iter().map(|push| (push.event, audience(push).unwrap().len())).collect();
    assert_eq!(updates, [("message_updated", 0), ("message_updated", 0)], "a repeated mark changes nothing");
    let last = payload(pushes.last().unwrap());
    let record = &last["metadata"]["delivery_status"][agent(site.echo).to_string()];
    assert_eq!(record["status"], "failed");
    assert_eq!(record["attempts"][0]["error"], "boom");
    assert_eq!(last["metadata"]["mentions"][0]["handle"], "ann/echo");
    let read = next(&site).await.unwrap();
    assert_eq!(
        serde_json::to_value(read.metadata).unwrap(),
        last["metadata"],
        "what is pushed is what is read"
    );
}

#[tokio::test]
async fn a_message_is_read_as_of_the_time_that_its_last_mark_pushed() {
    let site = Site::new().await;
    let id = site.say(site.echo, "hi").await.id;
    site.record.take();
    let read = async || {
        let page = site.app.agent_messages(site.echo, site.room, list(StatusFilter::All)).await.unwrap();
        let mut found = page.data.into_iter().filter(|message| message.id == id);
        serde_json::to_value(found.next().unwrap()).unwrap()
    };
    let mut before = read().await["updated_at"].clone();
    for mark in ["processing", "failed", "processing", "processed"] {
        match mark {
            "processing" => drop(processing(&site, id).await),
            "failed" => drop(site.app.mark_failed(site.echo, site.room, id, failed()).await.unwrap()),
            _ => processed(&site, id).await,
        }
        let [push] = site.record.take().try_into().unwrap();
        let (pushed, now) = (payload(&push)["updated_at"].clone(), read().await);
        assert_eq!(now["updated_at"], pushed, "{mark}");
        assert_eq!(now["inserted_at"], payload(&push)["inserted_at"], "{mark}");
        assert_ne!(pushed, before, "{mark}");
        before = pushed;
    }
}

#[tokio::test]
async fn a_message_to_a_listening_agent_is_delivered_at_once() {
    let site = Site::new().await;
    site.record.listen(site.echo, site.room);
    site.app.send_message(site.ann, site.room, message("hi", &[site.echo, site.mate]), None).await.unwrap();
    let [push] = site.record.take().try_into().unwrap();
    let states = &payload(&push)["metadata"]["delivery_status"];
    assert_eq!(states.as_object().unwrap().len(), 1);
    let read = next(&site).await.unwrap();
    assert_eq!(read.delivery_status(agent(site.echo)), Some(DeliveryStatus::Delivered));
    assert_eq!(read.delivery_status(agent(site.mate)), None);
}

#[tokio::test]
async fn marks_that_do_not_fit_are_refused() {
    let site = Site::new().await;
    let id = site.say(site.echo, "hi").await.id;
    let (app, room) = (&site.app, site.room);
    site.refused((422, "validation_error"), app.mark_processed(site.echo, room, id)).await;
    site.refused((422, "validation_error"), app.mark_failed(site.echo, room, id, failed())).await;
    let refusal = app.mark_processed(site.echo, room, id).await.unwrap_err().into_refusal();
    assert!(refusal.details.unwrap().into_map().contains_key("/processing_attempt"));
    site.refused((404, "not_found"), app.mark_processing(site.far, room, id)).await;
    site.refused((403, "forbidden"), app.mark_processing(site.ann, room, id)).await;
    let unknown = MessageId::new(uuid::Uuid::from_u128(1));
    site.refused((404, "not_found"), app.mark_processing(site.echo, room, unknown)).await;
    let other = app.create_agent_chat(site.echo, Default::default(), None).await.unwrap().id;
    site.refused((404, "not_found"), app.mark_processing(site.echo, other, id)).await;
}

#[tokio::test]
async fn two_agents_of_one_message_stand_apart() {
    let site = Site::new().await;
    let sent = site.app.send_message(site.ann, site.room, message("hi", &[site.echo, site.mate]), None);
    let id = sent.await.unwrap().id;
    processing(&site, id).await;
    processed(&site, id).await;
    assert!(next(&site).await.is_none());
    assert_eq!(site.app.next_message(site.mate, site.room).await.unwrap().unwrap().id, id);
}

#[tokio::test]
async fn a_marked_message_that_mentions_nobody_is_never_served() {
    let site = Site::new().await;
    let own = site.app.create_event(site.echo, site.room, event(EventType::Thought, "hm"), None);
    let own = own.await.unwrap().id;
    assert_eq!(processing(&site, own).await, 1);
    assert!(next(&site).await.is_none());
    let all = site.app.agent_messages(site.echo, site.room, list(StatusFilter::All)).await.unwrap();
    assert!(all.data.is_empty());
    processed(&site, own).await;
}

#[tokio::test]
async fn each_filter_lists_its_messages_in_order() {
    let site = Site::new().await;
    let mut ids = Vec::new();
    for text in ["waits", "runs", "failed", "done"] {
        ids.push(site.say(site.echo, text).await.id);
    }
    for id in ids.iter().skip(1) {
        processing(&site, *id).await;
    }
    site.app.mark_failed(site.echo, site.room, ids[2], failed()).await.unwrap();
    processed(&site, ids[3]).await;
    let table: [(StatusFilter, Option<&str>, &[usize]); 6] = [
        (StatusFilter::Open, None, &[0, 1, 2]),
        (StatusFilter::Pending, Some("pending"), &[0, 2]),
        (StatusFilter::Processing, Some("processing"), &[1]),
        (StatusFilter::Failed, Some("failed"), &[2]),
        (StatusFilter::Processed, Some("processed"), &[3]),
        (StatusFilter::All, Some("all"), &[0, 1, 2, 3]),
    ];
    for (filter, echo, wanted) in table {
        for order in [Order::Asc, Order::Desc] {
            let query = AgentMessagesQuery { order, ..list(filter) };
            let page = site.app.agent_messages(site.echo, site.room, query).await.unwrap();
            let mut wanted: Vec<_> = wanted.iter().map(|index| ids[*index]).collect();
            if order == Order::Desc {
                wanted.reverse();
            }
            assert_eq!(page.data.iter().map(|message| message.id).collect::<Vec<_>>(), wanted, "{filter:?}");
            assert_eq!(page.metadata.status_filter.as_deref(), echo);
        }
    }
}

#[tokio::test]
async fn a_list_is_walked_by_cursor_and_by_number() {
    let site = Site::new().await;
    let mut ids = Vec::new();
    for number in 0..5 {
        ids.push(site.say(site.echo, &number.to_string()).await.id);
    }
    for order in [Order::Asc, Order::Desc] {
        let (mut seen, mut cursor) = (Vec::new(), None);
        loop {
            let paging = Paging::Cursor { cursor, limit: 2 };
            let query = AgentMessagesQuery { paging, order, ..list(StatusFilter::Open) };
            let page = site.app.agent_messages(site.echo, site.room, query).await.unwrap();
            seen.extend(page.data.iter().map(|message| message.id));
            cursor = page.metadata.next_cursor;
            assert_eq!(page.metadata.has_more, cursor.is_some());
            if cursor.is_none() {
                break;
            }
        }
        if order == Order::Desc {
            seen.reverse();
        }
        assert_eq!(seen, ids);
    }
    let paging = Paging::Offset(OffsetQuery { page: 3, page_size: 2 });
    let query = AgentMessagesQuery { paging, ..list(StatusFilter::Open) };
    let page = site.app.agent_messages(site.echo, site.room, query).await.unwrap();
    assert_eq!(page.data.iter().map(|message| message.id).collect::<Vec<_>>(), ids[4..]);
    assert_eq!((page.metadata.total_count, page.metadata.total_pages), (Some(5), Some(3)));
    let foreign = Paging::Cursor { cursor: Some("beef".to_owned()), limit: 2 };
    let query = AgentMessagesQuery { paging: foreign, ..list(StatusFilter::Open) };
    site.refused((422, "validation_error"), site.app.agent_messages(site.echo, site.room, query)).await;
}

#[tokio::test]
async fn mentions_of_an_agent_that_left_wait_for_its_return() {
    let site = Site::new().await;
    let id = site.say(site.echo, "hi").await.id;
    let echo = site.echo.participant();
    site.app.remove_participant(site.ann, site.room, echo).await.unwrap();
    site.refused((404, "not_found"), site.app.next_message(site.echo, site.room)).await;
    site.refused((404, "not_found"), site.app.mark_processing(site.echo, site.room, id)).await;
    let back = crate::site::adding(site.echo, band_wire::rest::Role::Member);
    site.app.add_participant(site.ann, site.room, back, None).await.unwrap();
    assert_eq!(next(&site).await.unwrap().id, id);
}

#[tokio::test]
async fn a_message_that_fails_for_ever_shows_its_newest_attempts() {
    let site = Site::new().await;
    let id = site.say(site.echo, "hi").await.id;
    for number in 1..=60 {
        assert_eq!(processing(&site, id).await, number);
        site.app.mark_failed(site.echo, site.room, id, failed()).await.unwrap();
    }
    let record = next(&site).await.unwrap().metadata["delivery_status"][agent(site.echo).to_string()].clone();
    let attempts = record["attempts"].as_array().unwrap();
    assert_eq!((record["current_attempt"].as_u64(), attempts.len()), (Some(60), 50));
    assert_eq!(attempts[0]["attempt_number"], 11);
}
