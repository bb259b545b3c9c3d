//! Rooms and who is in them.

use band_core::platform::Principal;
use band_wire::phx::Topic;
use band_wire::rest::query::{
    AgentChatsQuery, AgentPeersQuery, ChatInclude, ChatSort, MyChatQuery, MyChatsQuery, MyParticipantsQuery,
    MyPeersQuery, OffsetQuery, Order, Paging,
};
use band_wire::rest::{MemberStatus, Membership, Role, SenderType};
use band_wire::{ChatId, ParticipantId};

use crate::site::{Site, adding, agent, titled};

fn my_chats() -> MyChatsQuery {
    MyChatsQuery {
        paging: Paging::first(20),
        status: None,
        kind: None,
        sort: ChatSort::default(),
        order: Order::Desc,
        include: Vec::new(),
    }
}

fn page(page: u64, page_size: u64) -> OffsetQuery {
    OffsetQuery { page, page_size }
}

fn user(who: Principal) -> band_wire::UserId {
    who.user().unwrap()
}

#[tokio::test]
async fn whoever_makes_a_room_owns_it_and_hears_of_it() {
    let site = Site::new().await;
    let chat = site.app.create_agent_chat(site.echo, titled("Backstage"), None).await.unwrap();
    let names = site.record.take_names();
    assert_eq!(names[0], ("room_added", Topic::AgentRooms(agent(site.echo))));
    assert_eq!(names[1], ("participant_added", Topic::RoomParticipants(chat.id)));
    let inside = site.app.agent_participants(site.echo, chat.id).await.unwrap();
    assert_eq!((inside.len(), inside[0].role.known()), (1, Some(Role::Owner)));
    let mine = site.app.create_my_chat(site.ann, titled("Mine"), None).await.unwrap();
    assert_eq!(site.record.take_names()[0], ("room_added", Topic::UserRooms(user(site.ann))));
    assert_eq!((mine.title.as_deref(), mine.last_message_at), (Some("Mine"), None));
    site.refused((403, "forbidden"), site.app.create_agent_chat(site.ann, titled("x"), None)).await;
    site.refused((403, "forbidden"), site.app.create_my_chat(site.echo, titled("x"), None)).await;
    let task = band_wire::rest::CreateChat { title: None, task_id: Some("t".to_owned()) };
    site.refused((422, "validation_error"), site.app.create_my_chat(site.ann, task, None)).await;
}

#[tokio::test]
async fn an_agent_walks_its_rooms_by_number_with_their_people() {
    let site = Site::new().await;
    for number in 0..4 {
        site.app.create_agent_chat(site.echo, titled(&number.to_string()), None).await.unwrap();
    }
    let mut seen = Vec::new();
    for number in 1..=3 {
        let query = AgentChatsQuery { page: page(number, 2), participants: number == 3 };
        let chats = site.app.agent_chats(site.echo, query).await.unwrap();
        assert_eq!((chats.metadata.total_count, chats.metadata.total_pages), (5, 3));
        seen.extend(chats.data);
    }
    let titles: Vec<_> = seen.iter().map(|chat| chat.title.clone().unwrap()).collect();
    assert_eq!(titles, ["3", "2", "1", "0", "Hall"]);
    let hall = seen.last().unwrap();
    assert_eq!((hall.participant_count, hall.participants_truncated), (Some(3), Some(false)));
    assert_eq!(hall.participants.as_ref().unwrap().len(), 3);
    assert!(seen[0].participants.is_none() && seen[0].participant_count.is_none());
    site.refused((404, "not_found"), site.app.agent_chat(site.far, site.room)).await;
    assert_eq!(site.app.agent_chat(site.echo, site.room).await.unwrap().title.as_deref(), Some("Hall"));
}

#[tokio::test]
async fn people_list_their_rooms_and_those_of_their_agents_when_asked() {
    let site = Site::new().await;
    let backstage = site.app.create_agent_chat(site.echo, titled("Backstage"), None).await.unwrap().id;
    site.say(site.echo, "hello").await;
    let plain = site.app.my_chats(site.ann, my_chats()).await.unwrap();
    assert_eq!(plain.data.iter().map(|chat| chat.id).collect::<Vec<_>>(), [site.room]);
    assert!(plain.data[0].membership.is_none() && plain.data[0].last_message.is_none());
    assert!(plain.data[0].last_message_at.is_some());
    let all = vec![
        ChatInclude::AgentRooms,
        ChatInclude::Participants,
        ChatInclude::LastMessage,
        ChatInclude::Membership,
        ChatInclude::TotalCount,
    ];
    let rich = site.app.my_chats(site.ann, MyChatsQuery { include: all, ..my_chats() }).await.unwrap();
    assert_eq!(rich.metadata.total_count, Some(2));
    let [agents, own] = rich.data.try_into().unwrap();
    assert_eq!((agents.id, own.id), (backstage, site.room));
    let via = agents.membership.unwrap();
    assert_eq!((via.membership.known(), via.my_role), (Some(Membership::ViaAgent), None));
    assert_eq!(via.via_agent_ids, [agent(site.echo)]);
    assert_eq!(agents.last_message, Some(None));
    let membership = own.membership.unwrap();
    assert_eq!(membership.membership.known(), Some(Membership::Participant));
    assert_eq!(membership.my_role.unwrap().known(), Some(Role::Owner));
    assert_eq!(own.last_message.unwrap().unwrap().sender_name.as_deref(), Some("Ann"));
    let people = own.participants.unwrap();
    assert_eq!((people.len(), own.participant_count), (3, Some(3)));
    assert_eq!(
        people.iter().filter(|one| one.connection_status == Some(None)).count(),
        1,
        "people have none"
    );
    assert_eq!(site.app.my_chats(site.bob, my_chats()).await.unwrap().data.len(), 0);
}

#[tokio::test]
async fn rooms_are_walked_by_cursor_in_both_orders_and_cursors_do_not_mix() {
    let site = Site::new().await;
    for number in 0..4 {
        site.app.create_my_chat(site.ann, titled(&number.to_string()), None).await.unwrap();
    }
    let mut cursor_of = None;
    for (sort, order) in [
        (ChatSort::Inserted, Order::Desc),
        (ChatSort::Inserted, Order::Asc),
        (ChatSort::Updated, Order::Desc),
        (ChatSort::Updated, Order::Asc),
    ] {
        let (mut seen, mut cursor) = (Vec::<ChatId>::new(), None);
        loop {
            let paging = Paging::Cursor { cursor, limit: 2 };
            let chats = site
                .app
                .my_chats(site.ann, MyChatsQuery { paging, sort, order, ..my_chats() })
                .await
                .unwrap();
            seen.extend(chats.data.iter().map(|chat| chat.id));
            assert_eq!(chats.metadata.total_count, None);
            cursor = chats.metadata.next_cursor;
            if cursor.is_none() {
                break;
            }
            cursor_of = cursor_of.or_else(|| cursor.clone());
        }
        seen.dedup();
        assert_eq!(seen.len(), 5, "{sort:?} {order:?}");
    }
    let paging = Paging::Cursor { cursor: cursor_of, limit: 2 };
    let ascending = MyChatsQuery { paging: paging.clone(), order: Order::Asc, ..my_chats() };
    site.refused((422, "validation_error"), site.app.my_chats(site.ann, ascending)).await;
    let with_agents = MyChatsQuery { paging, include: vec![ChatInclude::AgentRooms], ..my_chats() };
    site.refused((422, "cursor_filter_mismatch"), site.app.my_chats(site.ann, with_agents)).await;
}

#[tokio::test]
async fn one_room_tells_how_much_was_said() {
    let site = Site::new().await;
    site.say(site.echo, "hello").await;
    let event = crate::site::event(band_wire::rest::EventType::Thought, "hm");
    site.app.create_event(site.echo, site.room, event, None).await.unwrap();
    let query = MyChatQuery { message_counts: true };
    let room = site.app.my_chat(site.ann, site.room, query).await.unwrap();
    let counts: Vec<_> = room.message_counts.unwrap().into_iter().collect();
    assert_eq!(counts, [("text".to_owned(), 1), ("thought".to_owned(), 1)]);
    assert!(
        site.app.my_chat(site.ann, site.room, Default::default()).await.unwrap().message_counts.is_none()
    );
    site.refused((404, "not_found"), site.app.my_chat(site.bob, site.room, query)).await;
}

#[tokio::test]
async fn who_comes_in_is_shown_to_agents_and_to_people() {
    let site = Site::new().await;
    let added =
        site.app.add_participant(site.ann, site.room, adding(site.bob, Role::Admin), None).await.unwrap();
    assert_eq!((added.role.known(), added.status.known()), (Some(Role::Admin), Some(MemberStatus::Active)));
    let names = site.record.take_names();
    assert_eq!(
        names[..2],
        [
            ("participant_added", Topic::RoomParticipants(site.room)),
            ("room_added", Topic::UserRooms(user(site.bob))),
        ]
    );
    site.record.connect(site.echo);
    let seen = site.app.agent_participants(site.echo, site.room).await.unwrap();
    let echo = seen.iter().find(|one| one.id == site.echo.participant()).unwrap();
    assert_eq!((echo.online, echo.connection_status.clone()), (Some(true), None));
    assert_eq!(
        (echo.status.known(), echo.handle.as_deref()),
        (Some(MemberStatus::Inactive), Some("ann/echo"))
    );
    let query = MyParticipantsQuery { paging: Paging::first(20), kind: Some(SenderType::Agent) };
    let seen = site.app.my_participants(site.bob, site.room, query).await.unwrap().data;
    let states: Vec<_> = seen.iter().map(|one| one.connection_status.clone().unwrap().unwrap()).collect();
    assert_eq!(states, ["connected", "disconnected"]);
}

#[tokio::test]
async fn participants_are_walked_by_cursor() {
    let site = Site::new().await;
    let (mut seen, mut cursor) = (Vec::<ParticipantId>::new(), None);
    loop {
        let query = MyParticipantsQuery { paging: Paging::Cursor { cursor, limit: 2 }, kind: None };
        let page = site.app.my_participants(site.ann, site.room, query).await.unwrap();
        seen.extend(page.data.iter().map(|one| one.id));
        cursor = page.metadata.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen.len(), 3);
    assert!(seen.is_sorted());
    let query = MyParticipantsQuery { paging: Paging::Offset(page(2, 2)), kind: None };
    let last = site.app.my_participants(site.ann, site.room, query).await.unwrap();
    assert_eq!((last.data.len(), last.metadata.total_pages), (1, Some(2)));
}

#[tokio::test]
async fn comings_and_goings_that_break_the_rules_are_refused() {
    let site = Site::new().await;
    let add =
        |who, target: Principal, role| site.app.add_participant(who, site.room, adding(target, role), None);
    let remove = |who, target: Principal| site.app.remove_participant(who, site.room, target.participant());
    site.refused((409, "conflict"), add(site.ann, site.echo, Role::Member)).await;
    site.refused((403, "forbidden"), add(site.ann, site.far, Role::Member)).await;
    site.refused((403, "forbidden"), add(site.echo, site.bob, Role::Member)).await;
    site.refused((404, "not_found"), add(site.bob, site.far, Role::Member)).await;
    site.refused((403, "forbidden"), remove(site.echo, site.ann)).await;
    site.refused((403, "forbidden"), remove(site.echo, site.mate)).await;
    site.refused((403, "cannot_remove_sole_owner"), remove(site.ann, site.ann)).await;
    site.refused((404, "not_found"), remove(site.ann, site.far)).await;
    site.refused((404, "not_found"), remove(site.far, site.echo)).await;
    let nobody = band_wire::rest::AddParticipant {
        participant_id: ParticipantId::new(uuid::Uuid::from_u128(1)),
        role: Role::Member,
    };
    site.refused((404, "not_found"), site.app.add_participant(site.ann, site.room, nobody, None)).await;
    add(site.ann, site.bob, Role::Member).await.unwrap();
    site.refused((403, "forbidden"), add(site.bob, site.far, Role::Member)).await;
}

#[tokio::test]
async fn the_removed_lose_the_room_and_are_told() {
    let site = Site::new().await;
    for who in [site.echo, site.ann, site.bob, site.mate] {
        site.record.ask(who, site.room);
    }
    let removed = site.app.remove_participant(site.ann, site.room, site.echo.participant()).await.unwrap();
    assert_eq!(removed.id, site.echo.participant());
    let names = site.record.take_names();
    assert_eq!(
        names,
        [
            ("participant_removed", Topic::RoomParticipants(site.room)),
            ("room_removed", Topic::AgentRooms(agent(site.echo))),
            ("room_updated", Topic::UserRooms(user(site.ann))),
        ]
    );
    let readers = site.record.readers("participant_removed");
    assert_eq!(readers, [(site.echo, false), (site.ann, true), (site.bob, false), (site.mate, true)]);
    site.refused((404, "not_found"), site.app.agent_chat(site.echo, site.room)).await;
    let back = site.app.add_participant(site.echo, site.room, adding(site.echo, Role::Member), None);
    site.refused((404, "not_found"), back).await;
}

#[tokio::test]
async fn peers_are_whom_one_may_bring_in() {
    let site = Site::new().await;
    let handles = |page: band_wire::rest::Paged<band_wire::rest::Peer, band_wire::rest::Page>| {
        page.data.into_iter().map(|peer| peer.handle).collect::<Vec<_>>()
    };
    let agents = AgentPeersQuery::default();
    let echo = site.app.agent_peers(site.echo, agents).await.unwrap();
    assert_eq!(echo.metadata.total_count, 2);
    assert_eq!(handles(echo), ["ann", "ann/mate"]);
    let fresh = AgentPeersQuery { not_in_chat: Some(site.room), ..agents };
    assert_eq!(handles(site.app.agent_peers(site.echo, fresh).await.unwrap()), Vec::<String>::new());
    let hidden = AgentPeersQuery { not_in_chat: Some(site.room), ..agents };
    assert_eq!(
        handles(site.app.agent_peers(site.far, hidden).await.unwrap()),
        ["bob"],
        "a foreign room tells nothing"
    );
    let people = MyPeersQuery::default();
    assert_eq!(handles(site.app.my_peers(site.ann, people).await.unwrap()), ["bob", "ann/echo", "ann/mate"]);
    let only = MyPeersQuery { kind: Some(SenderType::Agent), page: page(2, 1), ..people };
    let second = site.app.my_peers(site.ann, only).await.unwrap();
    assert_eq!((second.metadata.total_pages, second.metadata.total_count), (2, 2));
    assert_eq!(handles(second), ["ann/mate"]);
    site.refused((403, "forbidden"), site.app.my_peers(site.echo, people)).await;
    site.refused((403, "forbidden"), site.app.agent_peers(site.ann, agents)).await;
}
