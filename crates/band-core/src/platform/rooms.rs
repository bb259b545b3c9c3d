//! A new room.

use band_wire::rest::{ChatKind, ChatStatus, CreateChat, Issues, Role};
use band_wire::{ChatId, Stamp};
use uuid::Uuid;

use super::membership::{self, Candidate};
use super::plan::{Plan, Write};
use super::{Chat, Refusal, TitleState, announce, titles};

/// What is known when a room is made.
#[derive(Debug)]
pub struct Facts<'a> {
    /// Who makes it, and becomes its owner.
    pub creator: &'a Candidate,
    /// The id it will have.
    pub id: ChatId,
    /// The id of the creator's execution, if it is an agent.
    pub execution: Uuid,
    /// Whether the creator knows the task that the room is for.
    pub has_task: bool,
    /// Now.
    pub now: Stamp,
}

/// Plans a new room. The creator hears `room_added` like anyone who comes in.
///
/// # Errors
/// 422 when it names a task that its creator does not know.
pub fn create(facts: &Facts<'_>, request: CreateChat) -> Result<Plan<Chat>, Refusal> {
    if request.task_id.is_some() && !facts.has_task {
        return Err(Refusal::invalid(Issues::one("/chat/task_id", "does not exist")));
    }
    let title_state = if request.title.is_some() { TitleState::Locked } else { TitleState::Default };
    let chat = Chat {
        id: facts.id,
        title: request.title.unwrap_or_else(|| titles::DEFAULT_TITLE.to_owned()),
        title_state,
        kind: ChatKind::Direct,
        status: ChatStatus::Active,
        task_id: request.task_id,
        inserted_at: facts.now,
        updated_at: facts.now,
    };
    let owner = facts.creator.join(Role::Owner, facts.now);
    let mut writes = vec![Write::AddChat(chat.clone())];
    writes.extend(membership::joins(&chat, &owner, facts.execution, facts.now));
    let pushes = vec![
        announce::room_added(&chat, &owner),
        announce::participant("participant_added", chat.id, &owner),
    ];
    Ok(Plan { writes, pushes, answer: chat })
}

#[cfg(test)]
mod tests {
    use band_wire::phx::Topic;

    use super::*;
    use crate::platform::test_site::{agent_id, at, user_id};

    fn creator(is_agent: bool) -> Candidate {
        let kind =
            if is_agent { band_wire::rest::SenderType::Agent } else { band_wire::rest::SenderType::User };
        Candidate {
            id: agent_id(2).into(),
            kind,
            name: "Echo".to_owned(),
            handle: "ann/echo".to_owned(),
            description: None,
            owner: is_agent.then(|| user_id(1)),
            shared_with_organization: false,
            listed_in_directory: false,
            tags: Vec::new(),
        }
    }

    fn make(is_agent: bool, request: CreateChat) -> Result<Plan<Chat>, Refusal> {
        let id = ChatId::new(Uuid::from_u128(5));
        create(
            &Facts { creator: &creator(is_agent), id, execution: Uuid::nil(), has_task: false, now: at(1) },
            request,
        )
    }

    #[test]
    fn an_agent_that_makes_a_room_owns_it_and_hears_of_it() {
        let plan = make(true, CreateChat::default()).unwrap();
        assert_eq!((plan.answer.title.as_str(), plan.answer.title_state), ("New room", TitleState::Default));
        assert!(plan.writes.iter().any(|w| matches!(w, Write::AddMember { role: Role::Owner, .. })));
        assert!(plan.writes.iter().any(|w| matches!(w, Write::OpenExecution { .. })));
        let first = plan.pushes.first().unwrap();
        assert_eq!((first.event, first.topic), ("room_added", Topic::AgentRooms(agent_id(2))));
    }

    #[test]
    fn a_given_title_is_locked() {
        let plan = make(false, CreateChat { title: Some("Plans".to_owned()), task_id: None }).unwrap();
        assert_eq!((plan.answer.title.as_str(), plan.answer.title_state), ("Plans", TitleState::Locked));
        assert!(!plan.writes.iter().any(|w| matches!(w, Write::OpenExecution { .. })));
    }

    #[test]
    fn a_task_must_exist() {
        let refusal = make(true, CreateChat { title: None, task_id: Some("t".to_owned()) }).unwrap_err();
        assert_eq!(refusal.details.unwrap().into_map()["/chat/task_id"], ["does not exist"]);
    }
}
