//! The tables of coming in and going out.

use band_wire::phx::Topic;
use uuid::Uuid;

use super::*;
use crate::platform::test_site::{agent, agent_id, at, blocked, bot, person, room, user, user_id, with_role};

fn candidate(member: &Member) -> Candidate {
    Candidate {
        id: member.id,
        kind: member.kind,
        name: member.name.clone(),
        handle: member.handle.clone(),
        description: member.description.clone(),
        owner: member.owner,
        shared_with_organization: false,
        listed_in_directory: false,
        tags: Vec::new(),
    }
}

fn joining<'a>(room: &'a Room, target: Option<&'a Candidate>, role: Role) -> Joining<'a> {
    Joining { room, target, is_contact: false, role, execution: Uuid::from_u128(0xe), now: at(50) }
}

/// Ann owns the room; Boss is an owner agent; Aide an admin agent; Echo a member agent; Cy a member.
fn site() -> Room {
    room([
        with_role(Role::Owner, person(1, "Ann")),
        with_role(Role::Admin, agent(3, "Aide", 1)),
        agent(4, "Echo", 1),
        agent(5, "Mate", 1),
        person(6, "Cy"),
        with_role(Role::Admin, person(7, "Di")),
        with_role(Role::Admin, agent(8, "Peer", 1)),
        blocked(agent(9, "Gone", 1)),
    ])
}

#[test]
fn the_table_of_coming_in_holds() {
    let (sibling, foreign, dan) = (agent(20, "New", 1), agent(21, "Far", 2), person(22, "Dan"));
    let shared = Candidate { shared_with_organization: true, ..candidate(&foreign) };
    let (sibling, foreign, dan) = (candidate(&sibling), candidate(&foreign), candidate(&dan));
    let inside = candidate(&agent(4, "Echo", 1));
    let out = candidate(&agent(9, "Gone", 1));
    let table = [
        ("a stranger sees no room", bot(30, 1), Some(&sibling), Role::Member, 404),
        ("a blocked agent sees no room", bot(9, 1), Some(&sibling), Role::Member, 404),
        ("an owner of an agent inside has no row", user(2), Some(&sibling), Role::Member, 404),
        ("a member who is a person may not", user(6), Some(&sibling), Role::Member, 403),
        ("an admin who is a person may", user(7), Some(&dan), Role::Member, 200),
        ("nobody of that id", bot(4, 1), None, Role::Member, 404),
        ("someone who is in already", bot(4, 1), Some(&inside), Role::Member, 409),
        ("someone who is blocked", bot(4, 1), Some(&out), Role::Member, 409),
        ("an agent member adds a sibling", bot(4, 1), Some(&sibling), Role::Member, 200),
        ("an agent member may not add an admin", bot(4, 1), Some(&sibling), Role::Admin, 403),
        ("an agent admin may add an admin", bot(3, 1), Some(&sibling), Role::Admin, 200),
        ("an agent admin may not add an owner", bot(3, 1), Some(&sibling), Role::Owner, 403),
        ("an owner may add an owner", user(1), Some(&sibling), Role::Owner, 200),
        ("an agent can't reach a foreign agent", bot(3, 1), Some(&foreign), Role::Member, 403),
        ("an agent reaches a shared agent", bot(3, 1), Some(&shared), Role::Member, 200),
        ("an agent can't reach other people", bot(3, 1), Some(&dan), Role::Member, 403),
        ("a person can't reach a foreign agent", user(1), Some(&foreign), Role::Member, 403),
        ("a person reaches a shared agent", user(1), Some(&shared), Role::Member, 200),
        ("a person reaches the people of the site", user(1), Some(&dan), Role::Member, 200),
    ];
    for (row, who, target, role, status) in table {
        let room = site();
        let got = add(&joining(&room, target, role), who).map_or_else(|refusal| refusal.status, |_| 200);
        assert_eq!(got, status, "{row}");
    }
}

#[test]
fn an_agent_reaches_its_owner() {
    let room = room([agent(4, "Echo", 1)]);
    let ann = candidate(&person(1, "Ann"));
    let plan = add(&joining(&room, Some(&ann), Role::Member), bot(4, 1)).unwrap();
    assert_eq!(plan.answer.status, MemberStatus::Active);
}

#[test]
fn a_newcomer_is_announced_to_the_room_to_itself_and_to_people() {
    let room = site();
    let new = candidate(&agent(20, "New", 1));
    let plan = add(&joining(&room, Some(&new), Role::Member), user(1)).unwrap();
    assert_eq!(plan.answer.status, MemberStatus::Inactive);
    assert!(plan.writes.iter().any(|write| matches!(write, Write::OpenExecution { .. })));
    let told: Vec<_> = plan.pushes.iter().map(|push| (push.event, push.topic)).collect();
    assert_eq!(told.first(), Some(&("participant_added", Topic::RoomParticipants(room.chat.id))));
    assert_eq!(told.get(1), Some(&("room_added", Topic::AgentRooms(agent_id(20)))));
    let people = [1, 6, 7].map(|number| ("room_updated", Topic::UserRooms(user_id(number))));
    assert_eq!(told.get(2..), Some(people.as_slice()));
    for push in plan.pushes.iter().filter(|push| push.event != "room_updated") {
        band_wire::event::validate(push.event, serde_json::from_str(&push.payload).unwrap()).unwrap();
    }
}

#[test]
fn the_table_of_going_out_holds() {
    let owned_by_agent = || {
        room([
            with_role(Role::Owner, agent(2, "Boss", 1)),
            with_role(Role::Admin, agent(3, "Aide", 1)),
            agent(4, "Echo", 1),
            agent(5, "Mate", 1),
            person(1, "Ann"),
        ])
    };
    let two_owners =
        || room([with_role(Role::Owner, agent(2, "Boss", 1)), with_role(Role::Owner, person(1, "Ann"))]);
    type Row = (&'static str, Room, Principal, u128, Result<(), (u16, &'static str)>);
    let forbidden = Err((403, "forbidden"));
    let last = Err((403, "cannot_remove_sole_owner"));
    let missing = Err((404, "not_found"));
    let table: Vec<Row> = vec![
        ("owner agent, admin agent", owned_by_agent(), bot(2, 1), 3, Ok(())),
        ("owner agent, member agent", owned_by_agent(), bot(2, 1), 4, Ok(())),
        ("owner agent, a person", owned_by_agent(), bot(2, 1), 1, forbidden),
        ("owner agent, itself", owned_by_agent(), bot(2, 1), 2, last),
        ("one of two owners, itself", two_owners(), bot(2, 1), 2, Ok(())),
        ("admin agent, itself", owned_by_agent(), bot(3, 1), 3, Ok(())),
        ("admin agent, the owner", owned_by_agent(), bot(3, 1), 2, forbidden),
        ("admin agent, a member", owned_by_agent(), bot(3, 1), 4, Ok(())),
        ("admin agent, an admin", site(), bot(3, 1), 8, forbidden),
        ("member agent, itself", owned_by_agent(), bot(4, 1), 4, Ok(())),
        ("member agent, the owner", owned_by_agent(), bot(4, 1), 2, forbidden),
        ("member agent, an admin", owned_by_agent(), bot(4, 1), 3, forbidden),
        ("member agent, a member", owned_by_agent(), bot(4, 1), 5, forbidden),
        ("a stranger, anyone", owned_by_agent(), bot(30, 1), 4, missing),
        ("anyone, someone outside", owned_by_agent(), bot(2, 1), 30, missing),
        ("an agent that left, itself", owned_by_agent(), bot(6, 1), 6, missing),
        ("a person who is owner, a member", site(), user(1), 6, Ok(())),
        ("a person who is owner, an agent", site(), user(1), 3, Ok(())),
        ("a person who is owner, themselves", site(), user(1), 1, last),
        ("a person who is admin, the owner", site(), user(7), 1, last),
        ("a person who is admin, an admin", site(), user(7), 3, forbidden),
        ("a person who is admin, a member", site(), user(7), 4, Ok(())),
        ("a person who is member, themselves", site(), user(6), 6, Ok(())),
        ("a person who is member, an agent", site(), user(6), 4, forbidden),
        ("a person with an agent inside alone", room([agent(4, "Echo", 1)]), user(1), 4, missing),
    ];
    for (row, room, who, target, wanted) in table {
        let got = remove(&room, who, ParticipantId::new(Uuid::from_u128(target)), at(60));
        let got = got.map(|_| ()).map_err(|refusal| (refusal.status, refusal.code));
        assert_eq!(got, wanted, "{row}");
    }
}

#[test]
fn a_removal_is_announced_to_the_room_to_the_removed_and_to_people() {
    let room = site();
    let plan = remove(&room, user(1), person(6, "Cy").id, at(60)).unwrap();
    let told: Vec<_> = plan.pushes.iter().map(|push| (push.event, push.topic)).collect();
    assert_eq!(
        told,
        [
            ("participant_removed", Topic::RoomParticipants(room.chat.id)),
            ("room_removed", Topic::UserRooms(user_id(6))),
            ("room_updated", Topic::UserRooms(user_id(1))),
            ("room_updated", Topic::UserRooms(user_id(7))),
        ]
    );
    for push in plan.pushes.iter().filter(|push| push.event != "room_updated") {
        band_wire::event::validate(push.event, serde_json::from_str(&push.payload).unwrap()).unwrap();
    }
}

#[test]
fn a_room_whose_owner_is_deleted_gets_an_heir() {
    let boss = with_role(Role::Owner, agent(2, "Boss", 1));
    let table = [
        ("its own person first", vec![with_role(Role::Admin, person(6, "Cy")), person(1, "Ann")], Some(1)),
        (
            "then the highest role",
            vec![person(6, "Cy"), with_role(Role::Admin, agent(3, "Aide", 1))],
            Some(3),
        ),
        ("then people", vec![agent(3, "Aide", 1), person(6, "Cy")], Some(6)),
        ("then the longest there", vec![agent(4, "Echo", 1), agent(3, "Aide", 1)], Some(3)),
        ("nobody is left", vec![blocked(person(6, "Cy"))], None),
        ("another owner is there", vec![with_role(Role::Owner, person(6, "Cy"))], None),
    ];
    for (row, others, heir) in table {
        let room = room(others.into_iter().chain([boss.clone()]));
        let plan = evict(&room, agent_id(2), at(60));
        let got = plan.writes.iter().find_map(|write| match write {
            Write::SetRole { who, .. } => Some(who.uuid().as_u128()),
            _ => None,
        });
        assert_eq!(got, heir, "{row}");
    }
    let member = room([with_role(Role::Owner, person(1, "Ann")), agent(2, "Boss", 1)]);
    assert_eq!(evict(&member, agent_id(2), at(60)).writes.len(), 1);
    assert_eq!(evict(&member, agent_id(77), at(60)).writes.len(), 0);
}

#[test]
fn a_contact_is_within_reach() {
    let far = candidate(&agent(21, "Far", 2));
    let room = site();
    let facts = Joining { is_contact: true, ..joining(&room, Some(&far), Role::Member) };
    for who in [bot(4, 1), user(1)] {
        assert!(add(&facts, who).is_ok(), "{who:?}");
    }
}
