//! Stop, play and interrupt: what people may do about the turns of agents.
//!
//! | mode | kept | pushed to the agent | while it holds |
//! | --- | --- | --- | --- |
//! | interrupt | nothing | `agent.control` | – |
//! | stop | the execution is stopped | `agent.control` | no next message, marks answer nothing, posts are 403, activity reads back false |
//! | play | the execution runs | `agent.control` | – |
//!
//! The flag is stored before the push leaves, so that an agent that obeys finds it. A flag belongs to an agent
//! and a room: it outlives connections, restarts and the agent's leaving the room. A signal that changes
//! nothing is pushed all the same: the agent may have missed the one before.
//!
//! | who | all agents of a room | one agent of a room | an agent in all its rooms |
//! | --- | --- | --- | --- |
//! | an active participant of the room | yes | yes | – |
//! | the agent's owner | 404 | yes | yes |
//! | anyone else | 404 | 404 | 403, 404 when there is no such agent |

use band_wire::event::{AgentControl, ControlMode, name};
use band_wire::phx::Topic;
use band_wire::rest::{self, ControlSent, ControlledExecution, ExecutionStatus};
use band_wire::{AgentId, ChatId, ExecutionId, Stamp, UserId};
use uuid::Uuid;

use super::plan::{AgentRow, Plan, Write};
use super::{Audience, Member, Principal, Push, Refusal, Room, announce};

/// Clients look for "execution is stopped" in the refusal of a post.
const STOPPED: &str = "The agent's execution is stopped in this room";

/// Goes on when the sender is not stopped here.
///
/// # Errors
/// 403 while it is.
pub fn may_post(sender: &Member) -> Result<(), Refusal> {
    if sender.is_stopped() { Err(Refusal::forbidden(STOPPED)) } else { Ok(()) }
}

/// An execution as stored, of an agent that may have left the room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutionRow {
    /// One for each agent and room.
    pub id: Uuid,
    /// The agent.
    pub agent: AgentId,
    /// The room.
    pub chat: ChatId,
    /// Why it is stopped, and since when.
    pub stopped: Option<(String, Stamp)>,
    /// When the agent came into the room first.
    pub inserted_at: Stamp,
}

impl ExecutionRow {
    /// The execution as its agent's owner sees it.
    pub fn view(self) -> rest::Execution {
        let (stop_reason, stopped_at) = self.stopped.unzip();
        let status = status(stopped_at.is_some()).into();
        rest::Execution {
            id: ExecutionId::new(self.id),
            agent_id: self.agent,
            chat_room_id: self.chat,
            status,
            stop_reason,
            stopped_at,
            inserted_at: self.inserted_at,
        }
    }
}

const fn status(stopped: bool) -> ExecutionStatus {
    if stopped { ExecutionStatus::Stopped } else { ExecutionStatus::Running }
}

/// What is asked for, and when.
#[derive(Debug, Clone, Copy)]
pub struct Signal {
    /// Stop, play or interrupt.
    pub mode: ControlMode,
    /// Unique: the correlation ids of the pushes are made of it.
    pub id: Uuid,
    /// Now.
    pub now: Stamp,
}

impl Signal {
    /// What is stored, if anything: an interrupt is over when it is pushed.
    fn write(self, agent: AgentId, chat: ChatId) -> Option<Write> {
        let stopped = match self.mode {
            ControlMode::Interrupt => return None,
            ControlMode::Stop => Some(AgentControl::USER_REQUESTED),
            ControlMode::Play => None,
        };
        Some(Write::SetStopped { agent, chat, stopped, at: self.now })
    }

    fn correlation(self, number: usize) -> String {
        format!("ctl-{}-{number}", self.id.simple())
    }

    fn status(self, was_stopped: bool) -> ExecutionStatus {
        status(match self.mode {
            ControlMode::Interrupt => was_stopped,
            ControlMode::Stop => true,
            ControlMode::Play => false,
        })
    }
}

/// Plans a signal for the agents of a room, or for one of them.
///
/// # Errors
/// 404 when the caller may not, as this module's table says, and when the agent is not in the room.
pub fn in_room(
    room: &Room,
    who: Principal,
    only: Option<AgentId>,
    signal: Signal,
) -> Result<Plan<ControlSent>, Refusal> {
    let user = who.user()?;
    room.access(who).read()?;
    let agents: Vec<&Member> = match only {
        None => {
            room.member(who)?;
            room.roster.iter().filter(|member| member.agent().is_some()).collect()
        }
        Some(agent) => {
            let member = room.roster.get(agent.into()).filter(|member| member.agent().is_some());
            let member = member.ok_or_else(Refusal::not_found)?;
            if member.owner != Some(user) {
                room.member(who)?;
            }
            vec![member]
        }
    };
    let chat = room.chat.id;
    let sent = ControlSent { success: true, mode: signal.mode, executions: Vec::new() };
    let mut plan = Plan::answer(sent);
    for (number, member) in agents.into_iter().enumerate() {
        let (Some(agent), Some(execution)) = (member.agent(), member.execution) else { continue };
        let mut payload = AgentControl::in_room(signal.mode, agent, chat, signal.correlation(number));
        payload.execution_id = Some(execution.id.to_string());
        plan.writes.extend(signal.write(agent, chat));
        plan.pushes.push(push(agent, &payload));
        plan.answer.executions.push(ControlledExecution {
            id: ExecutionId::new(execution.id),
            agent_id: agent,
            chat_room_id: chat,
            status: signal.status(execution.stopped).into(),
        });
    }
    Ok(plan)
}

/// What is known when an agent is controlled everywhere.
#[derive(Debug)]
pub struct Everywhere<'a> {
    /// The agent, if there is one.
    pub agent: Option<&'a AgentRow>,
    /// The execution that was named.
    pub execution: Uuid,
    /// All executions of the agent.
    pub executions: &'a [ExecutionRow],
}

/// Plans a signal for an agent in all its rooms.
///
/// # Errors
/// 404 when there is no such agent or it has no such execution, 403 when it is another's.
pub fn everywhere(facts: &Everywhere<'_>, who: UserId, signal: Signal) -> Result<Plan<ControlSent>, Refusal> {
    let agent = owned(facts.agent, who)?;
    if !facts.executions.iter().any(|execution| execution.id == facts.execution) {
        return Err(Refusal::not_found());
    }
    let mut payload = AgentControl::everywhere(signal.mode, agent.id, signal.correlation(0));
    payload.execution_id = Some(facts.execution.to_string());
    let executions = facts.executions.iter().map(|execution| ControlledExecution {
        id: ExecutionId::new(execution.id),
        agent_id: execution.agent,
        chat_room_id: execution.chat,
        status: signal.status(execution.stopped.is_some()).into(),
    });
    let answer = ControlSent { success: true, mode: signal.mode, executions: executions.collect() };
    let writes = facts.executions.iter().filter_map(|execution| signal.write(agent.id, execution.chat));
    Ok(Plan { writes: writes.collect(), pushes: vec![push(agent.id, &payload)], answer })
}

/// Goes on when the agent is the caller's own.
///
/// # Errors
/// 404 when there is none, 403 when it is another's.
pub fn owned(agent: Option<&AgentRow>, who: UserId) -> Result<&AgentRow, Refusal> {
    let agent = agent.ok_or_else(Refusal::not_found)?;
    if agent.owner == who {
        Ok(agent)
    } else {
        Err(Refusal::forbidden("Only its owner may see and control the executions of an agent"))
    }
}

fn push(agent: AgentId, payload: &AgentControl) -> Push {
    announce::push(Topic::AgentControl(agent), Audience::Everyone, name::AGENT_CONTROL, payload)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::platform::test_site::{agent, agent_id, at, bot, person, room, stopped, user, user_id};

    fn signal(mode: ControlMode) -> Signal {
        Signal { mode, id: Uuid::from_u128(0xabc), now: at(9) }
    }

    /// Ann's Echo and Ben's Mate, with Cy.
    fn site() -> Room {
        room([person(6, "Cy"), agent(2, "Echo", 1), stopped(agent(3, "Mate", 5))])
    }

    #[test]
    fn the_table_of_who_may_holds() {
        let table = [
            (user(6), None, 200),
            (user(6), Some(2), 200),
            (user(6), Some(9), 404),
            (user(1), None, 404),
            (user(1), Some(2), 200),
            (user(1), Some(3), 404),
            (user(8), None, 404),
            (user(8), Some(2), 404),
            (bot(2, 1), Some(2), 403),
        ];
        for (who, only, wanted) in table {
            let plan = in_room(&site(), who, only.map(agent_id), signal(ControlMode::Stop));
            let got = plan.map_or_else(|refusal| refusal.status, |_| 200);
            assert_eq!(got, wanted, "{who:?} {only:?}");
        }
    }

    #[test]
    fn a_stop_is_stored_and_pushed_to_each_agent_with_an_id_of_its_own() {
        let plan = in_room(&site(), user(6), None, signal(ControlMode::Stop)).unwrap();
        let stops =
            |write: &Write| matches!(write, Write::SetStopped { stopped: Some("user_requested"), .. });
        assert!(plan.writes.len() == 2 && plan.writes.iter().all(stops), "{:?}", plan.writes);
        let payloads: Vec<Value> =
            plan.pushes.iter().map(|push| serde_json::from_str(&push.payload).unwrap()).collect();
        assert_eq!(plan.pushes[0].topic, Topic::AgentControl(agent_id(2)));
        assert_eq!((plan.pushes[0].event, &payloads[0]["mode"]), ("agent.control", &"stop".into()));
        assert_eq!(payloads[0]["room_id"], site().chat.id.to_string());
        assert_ne!(payloads[0]["correlation_id"], payloads[1]["correlation_id"]);
        for payload in payloads {
            band_wire::event::validate("agent.control", payload).unwrap();
        }
    }

    #[test]
    fn an_interrupt_stores_nothing_and_says_how_things_stand() {
        let plan = in_room(&site(), user(6), None, signal(ControlMode::Interrupt)).unwrap();
        assert!(plan.writes.is_empty());
        let states: Vec<&str> = plan.answer.executions.iter().map(|e| e.status.as_str()).collect();
        assert_eq!(states, ["running", "stopped"]);
        let plan = in_room(&site(), user(6), Some(agent_id(3)), signal(ControlMode::Play)).unwrap();
        assert!(matches!(plan.writes.as_slice(), [Write::SetStopped { stopped: None, .. }]));
        assert_eq!(plan.answer.executions[0].status, ExecutionStatus::Running);
    }

    #[test]
    fn an_owner_stops_an_agent_everywhere_with_one_signal() {
        let row = AgentRow {
            id: agent_id(2),
            owner: user_id(1),
            slug: "echo".to_owned(),
            name: "Echo".to_owned(),
            description: None,
            shared_with_organization: false,
            listed_in_directory: false,
            tags: Vec::new(),
            inserted_at: at(0),
            updated_at: at(0),
        };
        let execution = |number| ExecutionRow {
            id: Uuid::from_u128(number),
            agent: row.id,
            chat: ChatId::new(Uuid::from_u128(100 + number)),
            stopped: None,
            inserted_at: at(0),
        };
        let executions = [execution(1), execution(2)];
        let facts = |agent, execution| Everywhere { agent, execution, executions: &executions };
        let stop = signal(ControlMode::Stop);
        let one = Uuid::from_u128(1);
        let plan = everywhere(&facts(Some(&row), one), user_id(1), stop).unwrap();
        assert_eq!((plan.writes.len(), plan.pushes.len(), plan.answer.executions.len()), (2, 1, 2));
        let payload: Value = serde_json::from_str(&plan.pushes[0].payload).unwrap();
        assert_eq!((&payload["scope"], &payload["room_id"]), (&"agent".into(), &Value::Null));
        let refused = |facts, who| everywhere(&facts, user_id(who), stop).unwrap_err().status;
        assert_eq!(refused(facts(Some(&row), one), 2), 403);
        assert_eq!(refused(facts(Some(&row), Uuid::from_u128(9)), 1), 404);
        assert_eq!(refused(facts(None, one), 1), 404);
    }

    #[test]
    fn the_refusal_of_a_post_has_the_words_that_clients_look_for() {
        let refusal = may_post(&stopped(agent(3, "Mate", 5))).unwrap_err();
        assert_eq!((refusal.status, refusal.code), (403, "forbidden"));
        assert!(refusal.message.contains("execution is stopped"));
        assert!(may_post(&agent(3, "Mate", 5)).is_ok() && may_post(&person(1, "Ann")).is_ok());
    }
}
