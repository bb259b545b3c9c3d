//! Who is working right now. A report holds for ten seconds; whoever goes on working goes on reporting.
//!
//! | state | input | next | pushed |
//! | --- | --- | --- | --- |
//! | idle | works | working | started |
//! | working | works, at the same | working, ten seconds more | – |
//! | working | works, at something else | working, ten seconds more | started, with the new detail |
//! | working | stops, leaves | idle | stopped |
//! | working | ten seconds pass | idle | stopped |
//! | idle | stops, leaves | idle | – |

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use band_wire::event::emit::{AgentActivity, WorkingAgents};
use band_wire::phx::Topic;
use band_wire::rest::ActivityReport;
use band_wire::{AgentId, ChatId};
use uuid::Uuid;

use super::{Audience, Push, announce};
use crate::machine::{Deadline, Machine};
use crate::moment::Moment;

/// How long a report holds.
pub const LAPSE: Duration = Duration::from_secs(10);

/// Agents at work at a time, over all rooms. A report beyond is not shown.
pub const MAX_WORKING: usize = 100_000;

/// What an agent reports, or what is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// It works.
    Works {
        /// Where.
        chat: ChatId,
        /// Which.
        agent: AgentId,
        /// The execution that binds the two.
        execution: Uuid,
        /// At what.
        at: Option<ActivityReport>,
    },
    /// It stopped working, or left the room.
    Stops {
        /// Where.
        chat: ChatId,
        /// Which.
        agent: AgentId,
    },
    /// It left all rooms.
    Gone(AgentId),
}

/// Why the machine wants to wake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// An agent's report lapses.
    Lapse,
}

#[derive(Debug)]
struct Working {
    execution: Uuid,
    at: Option<ActivityReport>,
    until: Moment,
}

/// The machine. Its outputs are pushes for the people of the rooms.
#[derive(Debug, Default)]
pub struct Activity {
    working: BTreeMap<(ChatId, AgentId), Working>,
    lapses: BTreeSet<(Moment, ChatId, AgentId)>,
    pushes: VecDeque<Push>,
}

impl Activity {
    /// Nobody works.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether an agent is shown as working.
    pub fn is_working(&self, chat: ChatId, agent: AgentId) -> bool {
        self.working.contains_key(&(chat, agent))
    }

    /// Who works in a room: the reply to those who begin to watch it.
    pub fn working(&self, chat: ChatId) -> WorkingAgents {
        let nil = AgentId::new(Uuid::nil());
        let here = self.working.range((chat, nil)..).take_while(|((room, _), _)| *room == chat);
        WorkingAgents::new(here.map(|((_, agent), working)| shown(*agent, working, true)))
    }

    fn works(
        &mut self,
        now: Moment,
        (chat, agent): (ChatId, AgentId),
        execution: Uuid,
        at: Option<ActivityReport>,
    ) {
        let until = now + LAPSE;
        let key = (chat, agent);
        let known = self.working.get(&key);
        if known.is_none() && self.working.len() >= MAX_WORKING {
            return;
        }
        let is_news = known.is_none_or(|working| working.at != at);
        if let Some(working) = known {
            self.lapses.remove(&(working.until, chat, agent));
        }
        self.lapses.insert((until, chat, agent));
        let working = Working { execution, at, until };
        if is_news {
            self.push(chat, "agent_activity_started", &shown(agent, &working, true));
        }
        self.working.insert(key, working);
    }

    fn stops(&mut self, chat: ChatId, agent: AgentId) {
        if let Some(working) = self.working.remove(&(chat, agent)) {
            self.lapses.remove(&(working.until, chat, agent));
            self.push(chat, "agent_activity_stopped", &shown(agent, &working, false));
        }
    }

    fn push(&mut self, chat: ChatId, event: &'static str, payload: &AgentActivity) {
        self.pushes.push_back(announce::push(Topic::RoomActivity(chat), Audience::Users, event, payload));
    }
}

fn shown(agent: AgentId, working: &Working, is_working: bool) -> AgentActivity {
    AgentActivity {
        agent_id: agent,
        execution_id: working.execution.to_string(),
        working: is_working,
        activity: working.at.clone().filter(|_| is_working),
    }
}

impl Machine for Activity {
    type Input = Input;
    type Output = Push;
    type Why = Why;

    fn handle(&mut self, now: Moment, input: Input) {
        match input {
            Input::Works { chat, agent, execution, at } => self.works(now, (chat, agent), execution, at),
            Input::Stops { chat, agent } => self.stops(chat, agent),
            Input::Gone(agent) => {
                let rooms = self.working.keys().filter(|(_, who)| *who == agent).map(|(chat, _)| *chat);
                for chat in rooms.collect::<Vec<_>>() {
                    self.stops(chat, agent);
                }
            }
        }
    }

    fn poll(&mut self) -> Option<Push> {
        self.pushes.pop_front()
    }

    fn deadline(&self) -> Option<Deadline<Why>> {
        self.lapses.first().map(|(at, _, _)| Deadline { at: *at, why: Why::Lapse })
    }

    fn expire(&mut self, now: Moment) {
        while let Some((at, chat, agent)) = self.lapses.first().copied() {
            if at > now {
                return;
            }
            self.stops(chat, agent);
        }
    }
}

#[cfg(test)]
mod tests {
    use band_wire::rest::ActivityKind;
    use proptest::prelude::*;

    use super::*;
    use crate::platform::test_site::agent_id;

    fn at(seconds: u64) -> Moment {
        Moment::at(Duration::from_secs(seconds))
    }

    fn chat(number: u128) -> ChatId {
        ChatId::new(Uuid::from_u128(number))
    }

    fn works(room: u128, agent: u128, name: Option<&str>) -> Input {
        let at =
            name.map(|name| ActivityReport { kind: ActivityKind::ToolCall, name: Some(name.to_owned()) });
        Input::Works { chat: chat(room), agent: agent_id(agent), execution: Uuid::from_u128(5), at }
    }

    fn stops(room: u128, agent: u128) -> Input {
        Input::Stops { chat: chat(room), agent: agent_id(agent) }
    }

    fn told(activity: &mut Activity) -> Vec<&'static str> {
        std::iter::from_fn(|| activity.poll()).map(|push| push.event).collect()
    }

    #[test]
    fn every_row_of_the_table_holds() {
        const STARTED: &[&str] = &["agent_activity_started"];
        const STOPPED: &[&str] = &["agent_activity_stopped"];
        type Row = (&'static str, Vec<Input>, Input, &'static [&'static str], bool);
        let table: [Row; 8] = [
            ("idle, works", vec![], works(1, 2, None), STARTED, true),
            ("working, works at the same", vec![works(1, 2, Some("a"))], works(1, 2, Some("a")), &[], true),
            ("working, works at other", vec![works(1, 2, None)], works(1, 2, Some("a")), STARTED, true),
            ("working, stops", vec![works(1, 2, None)], stops(1, 2), STOPPED, false),
            ("working, another stops", vec![works(1, 2, None)], stops(1, 3), &[], true),
            ("working, stops elsewhere", vec![works(1, 2, None)], stops(9, 2), &[], true),
            ("working, gone", vec![works(1, 2, None)], Input::Gone(agent_id(2)), STOPPED, false),
            ("idle, stops", vec![], stops(1, 2), &[], false),
        ];
        for (row, before, input, pushed, is_working) in table {
            let mut activity = Activity::new();
            for input in before {
                activity.handle(at(0), input);
            }
            told(&mut activity);
            activity.handle(at(1), input);
            assert_eq!(told(&mut activity), pushed, "{row}");
            assert_eq!(activity.is_working(chat(1), agent_id(2)), is_working, "{row}");
        }
    }

    #[test]
    fn a_report_lapses_after_ten_seconds_and_another_one_renews_it() {
        let mut activity = Activity::new();
        activity.handle(at(0), works(1, 2, None));
        activity.handle(at(4), works(1, 2, None));
        assert_eq!(activity.deadline(), Some(Deadline { at: at(14), why: Why::Lapse }));
        activity.expire(at(13));
        assert_eq!(told(&mut activity), ["agent_activity_started"]);
        activity.expire(at(14));
        assert_eq!(told(&mut activity), ["agent_activity_stopped"]);
        assert_eq!(activity.deadline(), None);
    }

    #[test]
    fn only_people_are_told_and_they_learn_at_what() {
        let mut activity = Activity::new();
        activity.handle(at(0), works(1, 2, Some("search")));
        let push = activity.poll().unwrap();
        assert_eq!((push.topic, &push.audience), (Topic::RoomActivity(chat(1)), &Audience::Users));
        let payload: serde_json::Value = serde_json::from_str(&push.payload).unwrap();
        assert_eq!(payload["activity"]["name"], "search");
        assert_eq!(payload["working"], true);
        let here = serde_json::to_value(activity.working(chat(1))).unwrap();
        assert_eq!(here["working_agents"].as_array().unwrap().len(), 1);
        let elsewhere = serde_json::to_value(activity.working(chat(2))).unwrap();
        assert!(elsewhere["working_agents"].as_array().unwrap().is_empty());
    }

    proptest! {
        #[test]
        fn every_start_has_its_end(steps in prop::collection::vec((0u64..4, 1u128..3, 1u128..4, 0u8..5), 0..60)) {
            let mut activity = Activity::new();
            let mut now = 0;
            let mut shown: BTreeSet<String> = BTreeSet::new();
            for (pause, room, agent, what) in steps {
                now += pause * 3;
                activity.expire(at(now));
                match what {
                    0 => activity.handle(at(now), stops(room, agent)),
                    1 => activity.handle(at(now), Input::Gone(agent_id(agent))),
                    2 => activity.handle(at(now), works(room, agent, Some("a"))),
                    _ => activity.handle(at(now), works(room, agent, None)),
                }
                while let Some(push) = activity.poll() {
                    let payload: serde_json::Value = serde_json::from_str(&push.payload).unwrap();
                    let key = format!("{} {}", push.topic, payload["agent_id"]);
                    if push.event == "agent_activity_started" {
                        shown.insert(key);
                    } else {
                        prop_assert!(shown.remove(&key), "a stop without a start");
                    }
                }
                prop_assert_eq!(shown.len(), activity.working.len());
                prop_assert_eq!(activity.lapses.len(), activity.working.len());
            }
            activity.expire(at(now + 10));
            prop_assert!(activity.working.is_empty() && activity.deadline().is_none());
        }
    }
}
