//! Keys, sessions, topics, and callers of the wrong kind.

use band_core::platform::Principal;
use band_wire::phx::Topic;
use band_wire::rest::{CreateSignInLink, CreateUser, RegisterAgent, Role, UpdateProfile};
use secrecy::SecretString;

use crate::site::{Site, adding, agent, new_agent, titled};

#[tokio::test]
async fn a_key_is_its_holder_and_another_text_is_nobody() {
    let site = Site::new().await;
    for (name, who) in [("Ann", site.ann), ("Bob", site.bob), ("Echo", site.echo), ("Far", site.far)] {
        let key = &site.keys[name];
        for _ in 0..2 {
            assert_eq!(site.app.authenticate(key).await.unwrap(), Some(who));
        }
        assert_eq!(site.app.authenticate(&key.to_uppercase()).await.unwrap(), None);
        assert_eq!(site.app.authenticate(key.split_at(key.len() - 1).0).await.unwrap(), None);
    }
    for text in ["", "band_u_1_x", "ä", &"x".repeat(10_000)] {
        assert_eq!(site.app.authenticate(text).await.unwrap(), None);
    }
}

#[tokio::test]
async fn keys_are_nowhere_in_the_files() {
    let site = Site::new().await;
    let link = site.app.create_sign_in_link(CreateSignInLink::default()).await.unwrap().token;
    let session = site.app.exchange_sign_in(&link).await.unwrap().unwrap();
    site.app.close().await;
    let mut secrets: Vec<String> = site.keys.into_values().collect();
    secrets.push(link);
    secrets.push(secrecy::ExposeSecret::expose_secret(&session.secret).to_owned());
    for file in std::fs::read_dir(site.dir.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        for secret in &secrets {
            let random = secret.splitn(4, '_').last().unwrap();
            assert!(random.len() >= 32, "{random}");
            assert!(
                !bytes.windows(random.len()).any(|window| window == random.as_bytes()),
                "{secret} is stored"
            );
        }
    }
}

#[tokio::test]
async fn a_second_key_works_beside_the_first() {
    let site = Site::new().await;
    let key = site.app.issue_user_key(Some("@BOB".to_owned())).await.unwrap();
    assert_eq!(site.app.authenticate(&key.api_key).await.unwrap(), Some(site.bob));
    assert_eq!(site.app.authenticate(&site.keys["Bob"]).await.unwrap(), Some(site.bob));
    let first = site.app.issue_user_key(None).await.unwrap();
    assert_eq!(site.app.authenticate(&first.api_key).await.unwrap(), Some(site.ann));
    site.refused((404, "not_found"), site.app.issue_user_key(Some("nobody".to_owned()))).await;
}

#[tokio::test]
async fn the_first_person_administers_and_handles_are_unique() {
    let site = Site::new().await;
    assert_eq!(site.app.profile(site.ann).await.unwrap().role, "admin");
    assert_eq!(site.app.profile(site.bob).await.unwrap().role, "user");
    let other = site.app.create_user(CreateUser { name: "Ann Lee".to_owned() }).await.unwrap().user;
    assert_eq!((other.handle.as_str(), other.last_name.as_deref()), ("ann-lee", Some("Lee")));
    let third = site.app.create_user(CreateUser { name: "Ann".to_owned() }).await.unwrap().user;
    assert_eq!(third.handle, "ann-2");
    assert_eq!(site.app.users().await.unwrap().len(), 4);
    let blank = site.app.create_user(CreateUser { name: "\u{200b}".to_owned() });
    site.refused((422, "validation_error"), blank).await;
    site.refused((404, "not_found"), site.app.create_agent(new_agent("nobody", "Lost"))).await;
    site.refused((422, "validation_error"), site.app.create_agent(new_agent("ann", "x"))).await;
}

#[tokio::test]
async fn a_changed_name_is_the_name_of_the_next_message() {
    let site = Site::new().await;
    site.say(site.echo, "one").await;
    let body = UpdateProfile { first_name: Some("Anna".to_owned()), last_name: Some("Lee".to_owned()) };
    assert_eq!(site.app.update_profile(site.ann, body).await.unwrap().last_name.as_deref(), Some("Lee"));
    site.record.take();
    site.say(site.echo, "two").await;
    assert_eq!(crate::site::payload(&site.record.take()[0])["sender_name"], "Anna Lee");
    let long = UpdateProfile { first_name: Some("x".repeat(101)), last_name: None };
    site.refused((422, "validation_error"), site.app.update_profile(site.ann, long)).await;
}

#[tokio::test]
async fn a_sign_in_link_works_once_and_its_session_until_it_is_ended() {
    let site = Site::new().await;
    let link = site.app.create_sign_in_link(CreateSignInLink { user: Some("bob".to_owned()) }).await.unwrap();
    let session = site.app.exchange_sign_in(&link.token).await.unwrap().unwrap();
    assert!(site.app.exchange_sign_in(&link.token).await.unwrap().is_none(), "it was used");
    assert_eq!(site.app.session(&session.secret).await.unwrap(), Some(site.bob.user().unwrap()));
    site.app.end_session(&session.secret).await.unwrap();
    assert_eq!(site.app.session(&session.secret).await.unwrap(), None);
    for text in ["", "band_l_1_x", &site.keys["Bob"]] {
        assert!(site.app.exchange_sign_in(text).await.unwrap().is_none());
        assert_eq!(site.app.session(&SecretString::from(text)).await.unwrap(), None);
    }
}

#[tokio::test]
async fn a_link_and_a_session_that_are_too_old_are_none() {
    let site = Site::new().await;
    let make = || site.app.create_sign_in_link(CreateSignInLink::default());
    let old = make().await.unwrap();
    let session = site.app.exchange_sign_in(&make().await.unwrap().token).await.unwrap().unwrap();
    let raw = rusqlite::Connection::open(site.dir.database()).unwrap();
    raw.execute("UPDATE sign_in_links SET expires_at = 1", []).unwrap();
    raw.execute("UPDATE sessions SET expires_at = 1", []).unwrap();
    assert!(site.app.exchange_sign_in(&old.token).await.unwrap().is_none());
    assert_eq!(site.app.session(&session.secret).await.unwrap(), None);
}

#[tokio::test]
async fn topics_are_joined_by_their_own_and_by_who_reads_the_room() {
    let site = Site::new().await;
    let (ann, bob) = (site.ann.user().unwrap(), site.bob.user().unwrap());
    let (echo, far) = (agent(site.echo), agent(site.far));
    let nowhere = band_wire::ChatId::new(uuid::Uuid::from_u128(1));
    let table = [
        (Topic::AgentControl(echo), site.echo, true),
        (Topic::AgentRooms(echo), site.echo, true),
        (Topic::AgentContacts(echo), site.echo, true),
        (Topic::AgentControl(far), site.echo, false),
        (Topic::AgentControl(echo), site.ann, false),
        (Topic::UserRooms(ann), site.ann, true),
        (Topic::UserContacts(ann), site.ann, true),
        (Topic::UserAgents(ann), site.ann, true),
        (Topic::Tasks(ann), site.ann, true),
        (Topic::UserRooms(bob), site.ann, false),
        (Topic::UserRooms(ann), site.echo, false),
        (Topic::ChatRoom(site.room), site.ann, true),
        (Topic::ChatRoom(site.room), site.echo, true),
        (Topic::RoomParticipants(site.room), site.mate, true),
        (Topic::RoomActivity(site.room), site.ann, true),
        (Topic::RoomTasks(site.room), site.ann, true),
        (Topic::ChatRoom(site.room), site.bob, false),
        (Topic::ChatRoom(site.room), site.far, false),
        (Topic::ChatRoom(nowhere), site.ann, false),
    ];
    for (topic, who, allowed) in table {
        assert_eq!(site.app.may_join(who, topic).await.unwrap(), allowed, "{topic} {who:?}");
    }
    assert!(site.app.owns(ann, echo).await.unwrap());
    assert!(!site.app.owns(bob, echo).await.unwrap());
}

#[tokio::test]
async fn the_owner_of_an_agent_inside_may_watch_and_loses_that_with_it() {
    let site = Site::new().await;
    let room = site.app.create_agent_chat(site.echo, titled("Backstage"), None).await.unwrap().id;
    assert!(site.app.may_join(site.ann, Topic::ChatRoom(room)).await.unwrap());
    site.app.add_participant(site.echo, room, adding(site.mate, Role::Owner), None).await.unwrap();
    site.app.remove_participant(site.echo, room, site.echo.participant()).await.unwrap();
    assert!(site.app.may_join(site.ann, Topic::ChatRoom(room)).await.unwrap(), "through Mate");
    site.record.ask(site.ann, room);
    site.app
        .delete_agent(site.ann, agent(site.mate), band_wire::rest::query::DeleteAgentQuery { force: true })
        .await
        .unwrap();
    assert!(!site.app.may_join(site.ann, Topic::ChatRoom(room)).await.unwrap());
    assert_eq!(site.record.readers("participant_removed"), [(site.ann, false)]);
}

#[tokio::test]
async fn callers_of_the_wrong_kind_are_told_so() {
    let site = Site::new().await;
    let registration =
        RegisterAgent { name: "Third".to_owned(), description: "Answers questions".to_owned() };
    site.refused((403, "forbidden"), site.app.agent_me(site.ann)).await;
    site.refused((403, "forbidden"), site.app.agent_chats(site.ann, Default::default())).await;
    site.refused((403, "forbidden"), site.app.agent_chat(site.ann, site.room)).await;
    site.refused((403, "forbidden"), site.app.agent_participants(site.ann, site.room)).await;
    site.refused((403, "forbidden"), site.app.next_message(site.ann, site.room)).await;
    site.refused((403, "forbidden"), site.app.profile(site.echo)).await;
    site.refused((403, "forbidden"), site.app.update_profile(site.echo, Default::default())).await;
    site.refused((403, "forbidden"), site.app.register_agent(site.echo, registration, None)).await;
    site.refused((403, "forbidden"), site.app.my_chat(site.echo, site.room, Default::default())).await;
    let gone = Principal::User(band_wire::UserId::new(uuid::Uuid::from_u128(1)));
    site.refused((404, "not_found"), site.app.profile(gone)).await;
}

#[tokio::test]
async fn a_join_and_a_push_ask_for_access_in_two_ways_that_agree() {
    let site = Site::new().await;
    let raw = rusqlite::Connection::open(site.dir.database()).unwrap();
    let set = |who: Principal, kind: &str, status: Option<&str>| {
        let (room, who) = (site.room.uuid().into_bytes(), who.participant().uuid().into_bytes());
        raw.execute("DELETE FROM participants WHERE chat_id = ?1 AND participant_id = ?2", (room, who))
            .unwrap();
        if let Some(status) = status {
            let sql = "INSERT INTO participants VALUES (?1, ?2, ?3, 'member', ?4, 0)";
            raw.execute(sql, (room, who, kind, status)).unwrap();
        }
    };
    for who in [site.bob, site.far] {
        site.record.ask(who, site.room);
    }
    let mut seen = std::collections::BTreeSet::new();
    for person in [None, Some("active"), Some("inactive"), Some("blocked")] {
        for agent in [None, Some("active"), Some("inactive"), Some("blocked")] {
            set(site.bob, "User", person);
            set(site.far, "Agent", agent);
            // A change of the room makes the writer look at it anew.
            site.app.remove_participant(site.ann, site.room, site.mate.participant()).await.unwrap();
            site.app
                .add_participant(site.ann, site.room, adding(site.mate, Role::Member), None)
                .await
                .unwrap();
            let pushed = site.record.readers("participant_added");
            for (who, may_read) in pushed {
                let joined = site.app.may_join(who, Topic::ChatRoom(site.room)).await.unwrap();
                assert_eq!(may_read, joined, "{person:?} {agent:?} {who:?}");
                seen.insert((person, agent, who, joined));
            }
        }
    }
    assert_eq!(seen.len(), 32);
    assert_eq!(seen.iter().filter(|(_, _, who, joined)| *joined && *who == site.bob).count(), 4 + 2 * 2);
}
