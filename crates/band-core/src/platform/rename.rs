//! Another title for a room: its owners give it.

use band_wire::Stamp;
use band_wire::rest::{MemberStatus, Role};

use super::plan::{Plan, Write};
use super::{Chat, Principal, Refusal, Room, TitleState, announce};

/// Plans another title. It stays: no message names the room after this. The title that somebody gave already
/// changes nothing.
///
/// # Errors
/// 404 for whom the room does not exist, 403 for everyone but its owners.
pub fn rename(room: &Room, who: Principal, title: String, now: Stamp) -> Result<Plan<Chat>, Refusal> {
    room.access(who).read()?;
    let is_owner = room
        .roster
        .get(who.participant())
        .is_some_and(|member| member.role == Role::Owner && may_act(who, member.status));
    if !is_owner {
        return Err(Refusal::forbidden("Only an owner of the room may rename it"));
    }
    if room.chat.title == title && room.chat.title_state == TitleState::Locked {
        return Ok(Plan::answer(room.chat.clone()));
    }
    let chat = Chat { title, title_state: TitleState::Locked, updated_at: now, ..room.chat.clone() };
    let write =
        Write::SetTitle { chat: chat.id, title: chat.title.clone(), state: chat.title_state, at: now };
    Ok(Plan { writes: vec![write], pushes: announce::title_changed(&chat, &room.roster), answer: chat })
}

/// Whether a row lets its holder act.
const fn may_act(who: Principal, status: MemberStatus) -> bool {
    match (who, status) {
        (_, MemberStatus::Blocked) | (Principal::User(_), MemberStatus::Inactive) => false,
        (_, MemberStatus::Active) | (Principal::Agent { .. }, MemberStatus::Inactive) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::test_site::{agent, at, blocked, bot, person, room, user, with_role};

    fn site() -> Room {
        room([
            with_role(Role::Owner, agent(2, "Echo", 1)),
            agent(3, "Mate", 5),
            with_role(Role::Admin, person(4, "Ada")),
            blocked(person(8, "Out")),
        ])
    }

    #[test]
    fn owners_rename_and_nobody_else() {
        for (who, status) in [
            (bot(2, 1), 200),
            (bot(3, 5), 403),
            (user(4), 403),
            (user(1), 403),
            (user(5), 403),
            (user(8), 404),
            (user(9), 404),
            (bot(9, 1), 404),
        ] {
            let plan = rename(&site(), who, "Den".to_owned(), at(1));
            assert_eq!(plan.map_or_else(|refusal| refusal.status, |_| 200), status, "{who:?}");
        }
    }

    #[test]
    fn people_hear_of_another_title_and_the_same_one_changes_nothing() {
        let plan = rename(&site(), bot(2, 1), "Den".to_owned(), at(1)).unwrap();
        assert!(matches!(plan.writes.as_slice(), [Write::SetTitle { state: TitleState::Locked, .. }]));
        let told: Vec<&str> = plan.pushes.iter().map(|push| push.event).collect();
        assert_eq!(told, ["room_title_changed", "room_updated"]);
        let again = Room { chat: plan.answer, ..site() };
        let plan = rename(&again, bot(2, 1), "Den".to_owned(), at(2)).unwrap();
        assert!(plan.writes.is_empty() && plan.pushes.is_empty());
        assert_eq!(plan.answer.updated_at, at(1));
        let derived = Chat { title_state: TitleState::Derived, ..again.chat };
        let again = Room { chat: derived, ..site() };
        let plan = rename(&again, bot(2, 1), "Den".to_owned(), at(2)).unwrap();
        assert_eq!(plan.writes.len(), 1, "now it stays");
    }
}
