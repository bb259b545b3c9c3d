//! Who is told of what.
//!
//! | what | people in the room | agents in the room |
//! | --- | --- | --- |
//! | a text message | `message_created` | `message_created`, if it mentions them; never their own |
//! | a reference in it | – | nothing: it names, it does not wake |
//! | an event | `event_created` | nothing |
//! | a delivery mark | `message_updated` | nothing |
//! | someone comes, someone leaves | `participant_added`, `participant_removed` | the same |
//! | a working agent | `agent_activity_started`, `agent_activity_stopped` | nothing |
//!
//! The one who comes or goes also gets `room_added` or `room_removed` on the topic of its rooms; the others'
//! people get `room_updated` on theirs.

use band_wire::AgentId;
use band_wire::rest::{MentionKind, SenderType};

use super::mention::Mention;
use super::plan::NewDelivery;
use super::{Audience, Member};
use band_wire::Stamp;

/// Who gets a text message pushed: people, and the agents it is for.
pub fn audience(agents: impl Iterator<Item = AgentId>) -> Audience {
    let mut agents: Vec<AgentId> = agents.collect();
    agents.sort_unstable();
    if agents.is_empty() { Audience::Users } else { Audience::UsersAnd(agents) }
}

/// The deliveries of a text message: one for each agent that is mentioned, at once as delivered if the agent
/// is listening. People need none.
pub fn deliveries(
    mentions: &[Mention<'_>],
    sender: &Member,
    listening: impl Fn(AgentId) -> bool,
    now: Stamp,
) -> Vec<NewDelivery> {
    mentions
        .iter()
        .filter(|mention| mention.kind == MentionKind::Mention && mention.member.id != sender.id)
        .filter(|mention| mention.member.kind == SenderType::Agent)
        .filter_map(|mention| mention.member.agent())
        .map(|agent| NewDelivery { agent, delivered_at: listening(agent).then_some(now) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::test_site::{agent, agent_id, at, person};

    #[test]
    fn only_mentioned_agents_get_a_delivery() {
        let (ann, bob, echo, quiet) =
            (person(1, "Ann"), person(5, "Bob"), agent(2, "Echo", 1), agent(3, "Quiet", 1));
        let mentions = [
            Mention { member: &bob, kind: MentionKind::Mention },
            Mention { member: &echo, kind: MentionKind::Mention },
            Mention { member: &quiet, kind: MentionKind::Reference },
        ];
        let found = deliveries(&mentions, &ann, |_| false, at(1));
        assert_eq!(found, [NewDelivery { agent: agent_id(2), delivered_at: None }]);
        let own = deliveries(&mentions, &echo, |_| true, at(1));
        assert!(own.is_empty(), "never its own");
    }

    #[test]
    fn a_listening_agent_has_it_delivered_at_once() {
        let (ann, echo) = (person(1, "Ann"), agent(2, "Echo", 1));
        let mentions = [Mention { member: &echo, kind: MentionKind::Mention }];
        let found = deliveries(&mentions, &ann, |agent| agent == agent_id(2), at(7));
        assert_eq!(found, [NewDelivery { agent: agent_id(2), delivered_at: Some(at(7)) }]);
    }

    #[test]
    fn people_are_always_in_the_audience() {
        assert_eq!(audience([].into_iter()), Audience::Users);
        let both = audience([agent_id(3), agent_id(2)].into_iter());
        assert_eq!(both, Audience::UsersAnd(vec![agent_id(2), agent_id(3)]));
    }
}
