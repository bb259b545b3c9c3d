//! Putting rooms away, and deleting them. Both are for a room's owners, and for the person who owns an agent
//! that owns it.

use std::collections::BTreeSet;

use band_wire::event::emit;
use band_wire::event::name;
use band_wire::phx::Topic;
use band_wire::rest::{ChatStatus, Role};
use band_wire::{ParticipantId, Stamp};

use super::plan::{Plan, Write};
use super::{Audience, Chat, Principal, Refusal, Room, announce};

/// Goes on when the caller may dispose of the room.
fn may_dispose(room: &Room, who: Principal) -> Result<(), Refusal> {
    let user = who.user()?;
    room.access(who).read()?;
    let owns = |member: &super::Member| {
        member.role == Role::Owner && (member.user() == Some(user) || member.owner == Some(user))
    };
    if room.roster.iter().any(owns) {
        Ok(())
    } else {
        Err(Refusal::forbidden(
            "Only an owner of the room, or the owner of an agent that owns it, may do this",
        ))
    }
}

/// Plans a room's being put away, or taken out again. It stays as it is otherwise: who is in it may write to it.
///
/// # Errors
/// 404 for whom the room does not exist, 403 for who may not.
pub fn set_status(
    room: &Room,
    who: Principal,
    status: ChatStatus,
    now: Stamp,
) -> Result<Plan<Chat>, Refusal> {
    may_dispose(room, who)?;
    if room.chat.status == status {
        return Ok(Plan::answer(room.chat.clone()));
    }
    let chat = Chat { status, updated_at: now, ..room.chat.clone() };
    let pushes = announce::room_updated(&chat, room.roster.iter());
    Ok(Plan { writes: vec![Write::SetChatStatus { chat: chat.id, status, at: now }], pushes, answer: chat })
}

/// Plans a room's end. Everyone in it hears `room_removed`, then those who could read it `room_deleted`.
///
/// # Errors
/// 404 for whom the room does not exist, 403 for who may not.
pub fn delete(room: &Room, who: Principal, now: Stamp) -> Result<Plan<Chat>, Refusal> {
    may_dispose(room, who)?;
    let chat = Chat { updated_at: now, ..room.chat.clone() };
    let mut pushes: Vec<_> =
        room.roster.iter().map(|member| announce::room_removed(&chat, member, now)).collect();
    let payload = emit::RoomDeleted { id: chat.id };
    let topic = Topic::RoomParticipants(chat.id);
    pushes.push(announce::push(topic, Audience::These(readers(room)), name::ROOM_DELETED, &payload));
    Ok(Plan { writes: vec![Write::RemoveChat { chat: chat.id, at: now }], pushes, answer: chat })
}

/// Who may read a room. When it is gone nobody could be asked any more.
fn readers(room: &Room) -> BTreeSet<ParticipantId> {
    let mut readers = BTreeSet::new();
    for member in room.roster.iter() {
        let who = match (member.agent(), member.owner) {
            (Some(id), Some(owner)) => Principal::Agent { id, owner },
            _ => Principal::User(member.id.cast()),
        };
        for who in [Some(who), member.owner.map(Principal::User)].into_iter().flatten() {
            if room.access(who).may_read() {
                readers.insert(who.participant());
            }
        }
    }
    readers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::test_site::{
        agent, agent_id, at, blocked, bot, person, room, user, user_id, with_role,
    };

    fn site() -> Room {
        room([
            with_role(Role::Owner, agent(2, "Echo", 1)),
            agent(3, "Mate", 5),
            with_role(Role::Admin, person(4, "Ada")),
            blocked(person(8, "Out")),
        ])
    }

    #[test]
    fn owners_and_the_owner_of_an_owning_agent_dispose_and_nobody_else() {
        for (who, status) in
            [(user(1), 200), (user(4), 403), (user(5), 403), (user(8), 404), (user(9), 404), (bot(2, 1), 403)]
        {
            let gone = delete(&site(), who, at(1));
            assert_eq!(gone.map_or_else(|refusal| refusal.status, |_| 200), status, "{who:?}");
            let away = set_status(&site(), who, ChatStatus::Archived, at(1));
            assert_eq!(away.map_or_else(|refusal| refusal.status, |_| 200), status, "{who:?}");
        }
        let own = room([with_role(Role::Owner, person(1, "Ann")), with_role(Role::Owner, person(6, "Eve"))]);
        assert!(delete(&own, user(1), at(1)).is_ok() && delete(&own, user(6), at(1)).is_ok());
    }

    #[test]
    fn everyone_who_could_read_the_room_hears_of_its_end_last() {
        let plan = delete(&site(), user(1), at(1)).unwrap();
        let (last, rest) = plan.pushes.split_last().unwrap();
        assert!(rest.iter().all(|push| push.event == "room_removed"));
        assert_eq!((rest.len(), last.event), (4, "room_deleted"));
        let told = BTreeSet::from([
            user_id(1).into(),
            agent_id(2).into(),
            agent_id(3).into(),
            user_id(4).into(),
            user_id(5).into(),
        ]);
        assert_eq!(last.audience, Audience::These(told), "the blocked hear nothing");
    }

    #[test]
    fn a_room_is_put_away_and_taken_out_again() {
        let plan = set_status(&site(), user(1), ChatStatus::Archived, at(1)).unwrap();
        assert_eq!((plan.answer.status, plan.pushes.len()), (ChatStatus::Archived, 1));
        let away = Room { chat: plan.answer, ..site() };
        assert!(set_status(&away, user(1), ChatStatus::Archived, at(2)).unwrap().writes.is_empty());
        let plan = set_status(&away, user(1), ChatStatus::Active, at(2)).unwrap();
        assert!(matches!(plan.writes.as_slice(), [Write::SetChatStatus { status: ChatStatus::Active, .. }]));
    }
}
