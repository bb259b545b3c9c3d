//! Laws that hold for every sequence of connects, joins, leaves, pushes and time.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use proptest::prelude::*;
use serde_json::Map;

use super::bench::{Bench, agent, control, room, user};
use super::{Answer, ConnId, EVICTION, Input, PROBE_GRACE};
use crate::platform::Principal;

#[derive(Debug, Clone)]
enum Step {
    Open { who: u128 },
    Join { conn: usize, topic: u128 },
    Leave { conn: usize, topic: u128, stale: bool },
    Close { conn: usize },
    Pass { millis: u64 },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => (0..6_u128).prop_map(|who| Step::Open { who }),
        8 => (any::<usize>(), 0..5_u128).prop_map(|(conn, topic)| Step::Join { conn, topic }),
        3 => (any::<usize>(), 0..5_u128, any::<bool>())
            .prop_map(|(conn, topic, stale)| Step::Leave { conn, topic, stale }),
        2 => any::<usize>().prop_map(|conn| Step::Close { conn }),
        2 => (0..1500_u64).prop_map(|millis| Step::Pass { millis }),
    ];
    prop::collection::vec(step, 1..120)
}

/// Three people and three agents.
fn principal(who: u128) -> Principal {
    if who < 3 { user(10 + who) } else { agent(20 + who) }
}

/// What the test believes: for each open socket its owner and the join_ref of each channel.
#[derive(Default)]
struct Model {
    bench: Bench,
    open: BTreeMap<u64, (Principal, BTreeMap<u128, String>)>,
    next_conn: u64,
    next_ref: u64,
}

impl Model {
    fn pick(&self, nth: usize) -> Option<u64> {
        let conns: Vec<u64> = self.open.keys().copied().collect();
        nth.checked_rem(conns.len()).map(|nth| conns[nth])
    }

    fn step(&mut self, step: &Step) {
        let log = match *step {
            Step::Open { who } => {
                self.next_conn += 1;
                self.open.insert(self.next_conn, (principal(who), BTreeMap::new()));
                self.bench.open(self.next_conn, principal(who))
            }
            Step::Join { conn, topic } => self.join(conn, topic),
            Step::Leave { conn, topic, stale } => self.leave(conn, topic, stale),
            Step::Close { conn } => {
                let Some(conn) = self.pick(conn) else { return };
                self.open.remove(&conn);
                self.bench.close(conn)
            }
            Step::Pass { millis } => self.bench.pass(Duration::from_millis(millis)),
        };
        self.follow(&log);
    }

    /// Topic 0 is the agent's own control topic, the others are rooms.
    fn join(&mut self, conn: usize, topic: u128) -> Vec<String> {
        let Some(conn) = self.pick(conn) else { return Vec::new() };
        self.next_ref += 1;
        let reference = self.next_ref.to_string();
        let (principal, channels) = self.open.get_mut(&conn).unwrap();
        match (topic, *principal) {
            (0, Principal::User(_)) => Vec::new(),
            (0, Principal::Agent { id, .. }) => {
                channels.insert(0, reference.clone());
                self.bench.join(conn, &reference, control(id.uuid().as_u128()))
            }
            _ => {
                channels.insert(topic, reference.clone());
                let mut log = self.bench.join(conn, &reference, room(topic));
                log.append(&mut self.bench.answer(conn, self.next_ticket(), Answer::Allowed(Map::new())));
                log
            }
        }
    }

    fn next_ticket(&self) -> u64 {
        self.bench.hub.tickets
    }

    fn leave(&mut self, conn: usize, topic: u128, stale: bool) -> Vec<String> {
        let Some(conn) = self.pick(conn) else { return Vec::new() };
        let (_, channels) = self.open.get_mut(&conn).unwrap();
        let Some(join_ref) = channels.get(&topic).cloned().filter(|_| topic > 0) else { return Vec::new() };
        let join_ref = if stale {
            "stale".to_owned()
        } else {
            channels.remove(&topic);
            join_ref
        };
        self.bench.say(conn, &format!(r#"["{join_ref}","x","{}","phx_leave",{{}}]"#, room(topic)))
    }

    /// A socket that is superseded or closed by the hub has lost its channels; a close is obeyed.
    fn follow(&mut self, log: &[String]) {
        for line in log {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                ["close", conn, _] => {
                    let conn: u64 = conn.parse().unwrap();
                    self.open.remove(&conn);
                    self.bench.tell(Input::Closed { conn: ConnId(conn) });
                }
                [conn, ..] if line.contains("supersede") => {
                    self.open.remove(&conn.parse().unwrap());
                }
                _ => {}
            }
        }
    }

    fn expected(&self, topic: u128) -> Vec<String> {
        let reach = |(conn, (_, channels)): (&u64, &(Principal, BTreeMap<u128, String>))| {
            channels.get(&topic).map(|join_ref| format!("{conn}:{join_ref}"))
        };
        self.open.iter().filter_map(reach).collect()
    }
}

proptest! {
    #[test]
    fn every_subscriber_gets_every_push_once_with_its_current_join_ref(steps in steps()) {
        let mut model = Model::default();
        for step in &steps {
            model.step(step);
            for topic in 1..5 {
                prop_assert_eq!(model.bench.reach_all(room(topic)), model.expected(topic));
            }
        }
    }

    #[test]
    fn in_the_end_each_agent_has_the_newest_of_its_sockets(steps in steps()) {
        let mut model = Model::default();
        for step in &steps {
            model.step(step);
        }
        let before: Vec<(u64, Principal)> = model.open.iter().map(|(conn, (who, _))| (*conn, *who)).collect();
        let log = model.bench.pass(PROBE_GRACE + EVICTION);
        model.follow(&log);
        let agents: BTreeSet<Principal> =
            before.iter().map(|(_, who)| *who).filter(|who| matches!(who, Principal::Agent { .. })).collect();
        for who in agents {
            let left: Vec<u64> =
                model.open.iter().filter(|(_, (owner, _))| *owner == who).map(|(conn, _)| *conn).collect();
            let newest = before.iter().filter(|(_, owner)| *owner == who).map(|(conn, _)| *conn).max();
            prop_assert_eq!(left, newest.into_iter().collect::<Vec<_>>());
        }
    }
}
