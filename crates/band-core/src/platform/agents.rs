//! Agents come and go.

use band_wire::phx::Topic;
use band_wire::rest::{DeletedAgent, Issues, MyAgent, RegisterAgent, code};
use band_wire::{AgentId, Stamp, UserId};

use super::memories::MemoryWrite;
use super::plan::{AgentRow, ContactRequestRow, ContactRow, Plan, Write};
use super::{Audience, Refusal, Room, announce, contacts, handles, membership};

/// What is known when an agent is registered.
#[derive(Debug)]
pub struct Registering {
    /// Who will own it.
    pub owner: UserId,
    /// The id it will have.
    pub id: AgentId,
    /// Whether another agent of the owner has the name.
    pub name_taken: bool,
    /// Now.
    pub now: Stamp,
}

/// Plans a registration. `slug_taken` says which slugs the owner's agents have.
///
/// # Errors
/// 422 under `name` when the owner has an agent of that name; the key is bare, as clients expect it.
pub fn register(
    facts: &Registering,
    request: RegisterAgent,
    slug_taken: impl FnMut(&str) -> bool,
) -> Result<Plan<AgentRow>, Refusal> {
    if facts.name_taken {
        return Err(Refusal::invalid(Issues::one("name", "has already been taken")));
    }
    let row = AgentRow {
        id: facts.id,
        owner: facts.owner,
        slug: handles::unique(&handles::slug(&request.name, "agent"), slug_taken),
        name: request.name,
        description: Some(request.description),
        shared_with_organization: false,
        listed_in_directory: false,
        tags: Vec::new(),
        inserted_at: facts.now,
        updated_at: facts.now,
    };
    let topic = Topic::UserAgents(facts.owner);
    let push = announce::push(topic, Audience::Everyone, "agent_created", &my_agent(&row));
    Ok(Plan { writes: vec![Write::AddAgent(row.clone())], pushes: vec![push], answer: row })
}

/// An agent as its owner sees it.
pub fn my_agent(row: &AgentRow) -> MyAgent {
    MyAgent {
        id: row.id,
        name: row.name.clone(),
        description: row.description.clone(),
        is_external: true,
        slug: Some(row.slug.clone()),
        model_type: None,
        system_prompt_id: None,
        registry_access: true,
        shared_with_organization: row.shared_with_organization,
        listed_in_directory: row.listed_in_directory,
        tags: row.tags.clone(),
        inserted_at: row.inserted_at,
        updated_at: row.updated_at,
        avatar_url: None,
    }
}

/// What is known when an agent is deleted.
#[derive(Debug)]
pub struct Deleting<'a> {
    /// The agent, if there is one.
    pub agent: Option<&'a AgentRow>,
    /// The rooms it is in.
    pub rooms: &'a [std::sync::Arc<Room>],
    /// How many executions it has or had.
    pub executions: u64,
    /// The records of its contacts, of both sides.
    pub contacts: &'a [ContactRow],
    /// The open requests of which it is a side.
    pub requests: &'a [ContactRequestRow],
    /// Whether executions are no obstacle.
    pub force: bool,
    /// Now.
    pub now: Stamp,
}

/// Plans a deletion: out of all rooms and contacts, keys invalid, name and slug free again.
///
/// # Errors
/// 404 when there is none; 403 when it is another's; 422 when it has executions and `force` isn't given.
pub fn delete(facts: &Deleting<'_>, who: UserId) -> Result<Plan<DeletedAgent>, Refusal> {
    let agent = facts.agent.ok_or_else(Refusal::not_found)?;
    if agent.owner != who {
        return Err(Refusal::forbidden("Only its owner may delete an agent"));
    }
    if facts.executions > 0 && !facts.force {
        return Err(has_history(facts.executions));
    }
    let answer = DeletedAgent {
        id: agent.id,
        name: agent.name.clone(),
        description: agent.description.clone(),
        executions_deleted: facts.executions,
    };
    let mut plan = Plan::answer(answer);
    for room in facts.rooms {
        let evicted = membership::evict(room, agent.id, facts.now);
        plan.writes.extend(evicted.writes);
        plan.pushes.extend(evicted.pushes);
    }
    let forgotten = contacts::forget(agent.id.into(), facts.contacts, facts.requests, facts.now);
    plan.writes.extend(forgotten.writes);
    plan.pushes.extend(forgotten.pushes);
    plan.writes.push(MemoryWrite::Orphan(agent.id).into());
    plan.writes.push(Write::RemoveAgent { agent: agent.id, at: facts.now });
    plan.pushes.push(announce::agent_deleted(agent.owner, agent.id));
    Ok(plan)
}

fn has_history(executions: u64) -> Refusal {
    let text = format!("has execution history ({executions}): delete it with force=true");
    Refusal {
        status: 422,
        code: code::VALIDATION_ERROR,
        message: "The agent has execution history".into(),
        details: Some(Issues::one("/force", text)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use band_wire::rest::Role;

    use super::*;
    use crate::platform::test_site::{agent, agent_id, at, person, room, user_id, with_role};

    fn registered(name: &str, name_taken: bool, slugs: &[&str]) -> Result<Plan<AgentRow>, Refusal> {
        let facts = Registering { owner: user_id(1), id: agent_id(2), name_taken, now: at(1) };
        let request = RegisterAgent { name: name.to_owned(), description: "Says what it hears".to_owned() };
        register(&facts, request, |slug| slugs.contains(&slug))
    }

    fn deleting(agent: Option<&AgentRow>, executions: u64, force: bool) -> Deleting<'_> {
        Deleting { agent, rooms: &[], executions, contacts: &[], requests: &[], force, now: at(9) }
    }

    #[test]
    fn an_agent_gets_a_slug_of_its_own() {
        assert_eq!(registered("Echo Bot", false, &[]).unwrap().answer.slug, "echo-bot");
        assert_eq!(registered("Echo Bot", false, &["echo-bot"]).unwrap().answer.slug, "echo-bot-2");
    }

    #[test]
    fn a_taken_name_is_refused_under_its_bare_field() {
        let refusal = registered("Echo", true, &[]).unwrap_err();
        assert_eq!(refusal.status, 422);
        assert_eq!(refusal.details.unwrap().into_map()["name"], ["has already been taken"]);
    }

    #[test]
    fn a_deletion_takes_it_out_of_every_room() {
        let row = registered("Echo", false, &[]).unwrap().answer;
        let rooms = [Arc::new(room([with_role(Role::Owner, person(1, "Ann")), agent(2, "Echo", 1)]))];
        let facts = Deleting { rooms: &rooms, ..deleting(Some(&row), 1, true) };
        let plan = delete(&facts, user_id(1)).unwrap();
        assert_eq!(plan.answer.executions_deleted, 1);
        assert!(matches!(plan.writes.first(), Some(Write::RemoveMember { .. })));
        assert!(matches!(plan.writes.last(), Some(Write::RemoveAgent { .. })));
        let told: Vec<_> = plan.pushes.iter().map(|push| push.event).collect();
        assert_eq!(told, ["participant_removed", "room_removed", "room_updated", "agent_deleted"]);
    }

    #[test]
    fn a_deletion_is_refused_to_strangers_and_with_history() {
        let row = registered("Echo", false, &[]).unwrap().answer;
        let table = [
            (deleting(None, 0, true), 1, 404),
            (deleting(Some(&row), 0, true), 2, 403),
            (deleting(Some(&row), 3, false), 1, 422),
            (deleting(Some(&row), 3, true), 1, 200),
            (deleting(Some(&row), 0, false), 1, 200),
        ];
        for (facts, who, status) in table {
            let got = delete(&facts, user_id(who)).map_or_else(|refusal| refusal.status, |_| 200);
            assert_eq!(got, status, "{facts:?}");
        }
    }
}
