//! What agents and people read of a room.

use band_wire::MessageId;
use band_wire::rest::query::{Anchor, ContextQuery, MyMessagesQuery, OffsetQuery, Order, Paging, TypeFilter};
use band_wire::rest::{EventType, Message};

use crate::site::{Site, event};

fn by_cursor(cursor: Option<String>, limit: u64) -> Paging {
    Paging::Cursor { cursor, limit }
}

fn whole() -> MyMessagesQuery {
    MyMessagesQuery { paging: Paging::first(100), types: None, since: None, anchor: None }
}

fn ids(messages: &[Message]) -> Vec<MessageId> {
    messages.iter().map(|message| message.id).collect()
}

/// Ann to Echo, Ann to Mate, a thought of Echo's, Echo to Ann, a thought of Mate's: in this order.
async fn conversation(site: &Site) -> Vec<MessageId> {
    let mut all = vec![site.say(site.echo, "to echo").await.id, site.say(site.mate, "to mate").await.id];
    let thought = |who| site.app.create_event(who, site.room, event(EventType::Thought, "hm"), None);
    all.push(thought(site.echo).await.unwrap().id);
    all.push(site.send(site.echo, site.ann, "to ann").await.unwrap().id);
    all.push(thought(site.mate).await.unwrap().id);
    all
}

#[tokio::test]
async fn context_is_what_an_agent_sent_and_what_mentions_it() {
    let site = Site::new().await;
    let all = conversation(&site).await;
    let query = |order| ContextQuery { paging: Paging::first(50), order };
    let echo = site.app.context(site.echo, site.room, query(Order::Asc)).await.unwrap();
    assert_eq!(ids(&echo.data), [all[0], all[2], all[3]]);
    assert_eq!(echo.meta, Some(echo.metadata));
    let mate = site.app.context(site.mate, site.room, query(Order::Desc)).await.unwrap();
    assert_eq!(ids(&mate.data), [all[4], all[1]]);
    site.refused((404, "not_found"), site.app.context(site.far, site.room, query(Order::Asc))).await;
    site.refused((403, "forbidden"), site.app.context(site.ann, site.room, query(Order::Asc))).await;
}

#[tokio::test]
async fn context_keeps_processed_messages_and_is_walked_by_cursor_and_number() {
    let site = Site::new().await;
    let mut sent = Vec::new();
    for number in 0..5 {
        sent.push(site.say(site.echo, &number.to_string()).await.id);
    }
    site.app.mark_processing(site.echo, site.room, sent[0]).await.unwrap();
    site.app.mark_processed(site.echo, site.room, sent[0]).await.unwrap();
    for order in [Order::Asc, Order::Desc] {
        let (mut seen, mut cursor) = (Vec::new(), None);
        loop {
            let query = ContextQuery { paging: by_cursor(cursor, 2), order };
            let page = site.app.context(site.echo, site.room, query).await.unwrap();
            seen.extend(ids(&page.data));
            cursor = page.metadata.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        if order == Order::Desc {
            seen.reverse();
        }
        assert_eq!(seen, sent);
    }
    let paging = Paging::Offset(OffsetQuery { page: 2, page_size: 3 });
    let page =
        site.app.context(site.echo, site.room, ContextQuery { paging, order: Order::Asc }).await.unwrap();
    assert_eq!(ids(&page.data), sent[3..]);
    assert_eq!((page.metadata.total_count, page.metadata.total_pages), (Some(5), Some(2)));
}

#[tokio::test]
async fn people_see_everything_the_newest_first() {
    let site = Site::new().await;
    let mut all = conversation(&site).await;
    all.reverse();
    let page = site.app.my_messages(site.ann, site.room, whole()).await.unwrap();
    assert_eq!(ids(&page.data), all);
    assert!(page.data.iter().all(|message| message.chat_room_id == Some(site.room)));
    assert_eq!(page.data[1].sender_name.as_deref(), Some("Echo"));
    site.refused((404, "not_found"), site.app.my_messages(site.bob, site.room, whole())).await;
    site.refused((403, "forbidden"), site.app.my_messages(site.echo, site.room, whole())).await;
}

#[tokio::test]
async fn a_timeline_is_filtered_by_type_and_time() {
    let site = Site::new().await;
    let all = conversation(&site).await;
    let read = async |types, since| {
        let query = MyMessagesQuery { types, since, ..whole() };
        let mut found = ids(&site.app.my_messages(site.ann, site.room, query).await.unwrap().data);
        found.reverse();
        found
    };
    assert_eq!(read(Some(TypeFilter::Only(vec!["thought"])), None).await, [all[2], all[4]]);
    assert_eq!(read(Some(TypeFilter::Except(vec!["thought"])), None).await, [all[0], all[1], all[3]]);
    assert_eq!(read(Some(TypeFilter::Only(vec!["error", "task"])), None).await, []);
    let newest = site.app.my_messages(site.ann, site.room, whole()).await.unwrap().data[0].inserted_at;
    assert_eq!(read(None, newest).await, [all[4]]);
}

#[tokio::test]
async fn anchors_give_what_is_newer_older_and_around() {
    let site = Site::new().await;
    let mut sent = Vec::new();
    for number in 0..7 {
        sent.push(site.say(site.echo, &number.to_string()).await.id);
    }
    let read = async |anchor, limit, types| {
        let query =
            MyMessagesQuery { anchor: Some(anchor), paging: Paging::first(limit), types, since: None };
        let page = site.app.my_messages(site.ann, site.room, query).await.unwrap();
        assert_eq!(page.metadata.next_cursor, None);
        let places = page.data.iter().map(|message| sent.iter().position(|id| *id == message.id).unwrap());
        (places.collect::<Vec<_>>(), page.metadata)
    };
    let (found, page) = read(Anchor::After(sent[3]), 2, None).await;
    assert_eq!((found, page.has_more), (vec![4, 5], true), "the oldest first");
    let (found, page) = read(Anchor::After(sent[3]), 3, None).await;
    assert_eq!((found, page.has_more), (vec![4, 5, 6], false));
    let (found, page) = read(Anchor::Before(sent[3]), 2, None).await;
    assert_eq!((found, page.has_more), (vec![2, 1], true), "the newest first");
    let (found, page) = read(Anchor::Around(sent[3]), 3, None).await;
    assert_eq!(found, [4, 3, 2]);
    assert_eq!((page.has_older, page.has_newer), (Some(true), Some(true)));
    let (found, page) = read(Anchor::Around(sent[0]), 4, None).await;
    assert_eq!(found, [1, 0]);
    assert_eq!((page.has_older, page.has_newer), (Some(false), Some(true)));
    let only = Some(TypeFilter::Only(vec!["thought"]));
    let (found, _) = read(Anchor::Around(sent[3]), 3, only).await;
    assert_eq!(found, Vec::<usize>::new(), "a filtered message still serves as a place");
}

#[tokio::test]
async fn an_anchor_of_another_room_is_not_found() {
    let site = Site::new().await;
    let other = site.app.create_my_chat(site.ann, Default::default(), None).await.unwrap().id;
    let id = site.say(site.echo, "x").await.id;
    let query = MyMessagesQuery { anchor: Some(Anchor::After(id)), ..whole() };
    site.refused((404, "not_found"), site.app.my_messages(site.ann, other, query)).await;
}

#[tokio::test]
async fn a_timeline_by_cursor_does_not_shift_when_more_is_said() {
    let site = Site::new().await;
    for number in 0..4 {
        site.say(site.echo, &number.to_string()).await;
    }
    let query = |cursor| MyMessagesQuery { paging: by_cursor(cursor, 2), ..whole() };
    let first = site.app.my_messages(site.ann, site.room, query(None)).await.unwrap();
    site.say(site.echo, "new").await;
    let second = site.app.my_messages(site.ann, site.room, query(first.metadata.next_cursor)).await.unwrap();
    let texts: Vec<_> = second.data.iter().map(|message| message.content.chars().last().unwrap()).collect();
    assert_eq!(texts, ['1', '0']);
    assert_eq!(second.metadata.next_cursor, None);
    let numbered =
        MyMessagesQuery { paging: Paging::Offset(OffsetQuery { page: 1, page_size: 2 }), ..whole() };
    let page = site.app.my_messages(site.ann, site.room, numbered).await.unwrap().metadata;
    assert_eq!((page.total_count, page.total_pages, page.page), (Some(5), Some(3), Some(1)));
}
