//! The queue, case by case and as a law.

use std::collections::BTreeSet;
use std::time::Duration;

use band_wire::AgentId;
use band_wire::event::{AgentControl, ControlMode, Event};
use band_wire::phx::Topic;
use proptest::prelude::*;
use serde_json::json;
use uuid::Uuid;

use super::*;
use crate::link::{Disconnect, StopReason};

fn room(number: u128) -> ChatId {
    ChatId::new(Uuid::from_u128(number))
}

fn removed(number: u128) -> LinkEvent {
    LinkEvent::RoomRemoved(room(number))
}

fn overflow(number: u128) -> LinkEvent {
    LinkEvent::Overflow { room: room(number) }
}

fn control() -> LinkEvent {
    let agent = AgentId::new(Uuid::nil());
    LinkEvent::Control(Box::new(AgentControl::in_room(ControlMode::Stop, agent, room(1), "ctl-1".to_owned())))
}

/// A queue whose lane is full.
fn full() -> EventQueue {
    let mut queue = EventQueue::new();
    for number in 0..EVENT_QUEUE {
        queue.push(removed(number.try_into().unwrap()));
    }
    queue
}

fn drain(queue: &mut EventQueue) -> Vec<LinkEvent> {
    std::iter::from_fn(|| queue.pop()).filter(|event| !matches!(event, LinkEvent::RoomRemoved(_))).collect()
}

// `Overflow` stands in for a message here: the queue treats both alike.
#[test]
fn events_of_a_room_that_find_no_place_become_one_overflow() {
    let mut queue = full();
    for _ in 0..5_000 {
        queue.push(overflow(1));
        queue.push(overflow(2));
    }
    assert_eq!(queue.dropped(), 10_000);
    assert_eq!(drain(&mut queue), [overflow(1), overflow(2)]);
    assert!(queue.is_empty());
}

#[test]
fn a_later_event_does_not_overtake_one_that_was_dropped() {
    let mut queue = full();
    queue.push(overflow(1));
    queue.pop();
    queue.push(overflow(1));
    queue.push(overflow(2));
    assert_eq!(queue.dropped(), 2, "room 2 was never marked and has a place");
    assert_eq!(drain(&mut queue), [overflow(2), overflow(1)]);
}

#[test]
fn the_newest_word_on_a_room_and_on_the_session_is_kept() {
    let mut queue = full();
    let failed = LinkEvent::RoomJoinFailed { room: room(1), reason: "no".to_owned(), retry_in: None };
    queue.push(LinkEvent::Connected { reconnect: true });
    queue.push(failed);
    queue.push(LinkEvent::RoomJoined(room(1)));
    queue.push(overflow(1));
    let expected = [LinkEvent::Connected { reconnect: true }, LinkEvent::RoomJoined(room(1)), overflow(1)];
    assert_eq!(drain(&mut queue), expected);
}

#[test]
fn a_membership_that_finds_no_place_makes_the_list_stale() {
    let mut queue = full();
    queue.push(removed(1));
    queue.pop();
    queue.push(removed(1));
    assert_eq!(drain(&mut queue), [LinkEvent::RoomsStale]);
}

#[test]
fn control_signals_overtake_a_full_lane_and_are_bounded_too() {
    let mut queue = full();
    for _ in 0..=CONTROL_QUEUE {
        queue.push(control());
    }
    for _ in 0..CONTROL_QUEUE {
        assert_eq!(queue.pop(), Some(control()));
    }
    assert_eq!(drain(&mut queue), [LinkEvent::RoomsStale]);
}

fn disconnected() -> LinkEvent {
    LinkEvent::Disconnected { reason: Disconnect::Dead, retry_in: Duration::ZERO }
}

#[test]
fn nothing_of_the_next_socket_overtakes_a_disconnect_that_found_the_lane_full() {
    let mut queue = full();
    queue.push(disconnected());
    queue.pop();
    queue.pop();
    queue.push(LinkEvent::RoomJoined(room(1)));
    queue.push(overflow(2));
    assert_eq!(drain(&mut queue), [disconnected(), LinkEvent::RoomJoined(room(1)), overflow(2)]);
}

#[test]
fn a_join_of_a_socket_that_is_gone_is_not_told_after_its_end() {
    let mut queue = full();
    queue.push(LinkEvent::RoomJoined(room(1)));
    queue.push(LinkEvent::RoomJoined(room(2)));
    queue.push(overflow(2));
    queue.push(disconnected());
    assert_eq!(drain(&mut queue), [disconnected(), overflow(2)]);
}

#[test]
fn what_waits_of_a_room_that_was_left_is_dropped_and_its_membership_is_kept() {
    let mut queue = EventQueue::new();
    queue.push(LinkEvent::RoomJoined(room(1)));
    queue.push(overflow(1));
    queue.push(overflow(2));
    queue.push(removed(1));
    queue.forget(room(1));
    let left: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
    assert_eq!(left, [overflow(2), removed(1)]);
}

#[test]
fn the_end_comes_last() {
    let mut queue = full();
    queue.push(LinkEvent::Ended(StopReason::Requested));
    queue.push(overflow(1));
    assert_eq!(drain(&mut queue), [overflow(1), LinkEvent::Ended(StopReason::Requested)]);
}

/// A participant whose name is a number, so that the order shows.
fn numbered(of: u128, number: usize) -> LinkEvent {
    let payload = json!({"id": Uuid::nil(), "type": "User", "name": number.to_string()});
    match Event::read(Topic::RoomParticipants(room(of)), "participant_added", payload).unwrap() {
        Event::ParticipantAdded(who) => {
            LinkEvent::ParticipantAdded { room: room(of), participant: Box::new(who) }
        }
        other => panic!("{other:?}"),
    }
}

/// What the owner of one room may rely on.
#[derive(Debug, Default)]
struct Seen {
    last: Option<usize>,
    resynced_at: usize,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    // Pushes (room, or none for a pop) in any mix: the owner sees each room in order, and wherever something
    // is missing an overflow stands in its place.
    #[test]
    fn events_of_a_room_come_in_order_and_every_gap_is_told(steps in prop::collection::vec(prop::option::of(0..3_u128), 0..80)) {
        let mut queue = EventQueue::with_limit(4);
        let mut pushed = [0_usize; 3];
        let mut seen: [Seen; 3] = Default::default();
        let mut look = |queue: &mut EventQueue, pushed: &[usize; 3]| {
            let Some(event) = queue.pop() else { return Ok(false) };
            match event {
                LinkEvent::ParticipantAdded { room: of, participant } => {
                    let index = usize::try_from(of.uuid().as_u128()).unwrap();
                    let number: usize = participant.name.parse().unwrap();
                    let expected = seen[index].last.map_or(0, |last| last + 1).max(seen[index].resynced_at);
                    prop_assert_eq!(number, expected, "room {} without a gap", index);
                    seen[index].last = Some(number);
                }
                LinkEvent::Overflow { room: of } => {
                    let index = usize::try_from(of.uuid().as_u128()).unwrap();
                    // The owner reads the room by REST now, and finds everything pushed so far.
                    seen[index].resynced_at = pushed[index];
                }
                other => prop_assert!(false, "{:?}", other),
            }
            Ok(true)
        };
        for step in steps {
            if let Some(of) = step {
                let index = usize::try_from(of).unwrap();
                queue.push(numbered(of, pushed[index]));
                pushed[index] += 1;
            } else {
                look(&mut queue, &pushed)?;
            }
        }
        while look(&mut queue, &pushed)? {}
        for (seen, pushed) in seen.iter().zip(pushed) {
            let known = seen.last.map_or(0, |last| last + 1).max(seen.resynced_at);
            prop_assert_eq!(known, pushed, "nothing is lost silently");
        }
    }

    // Steps: pop, a filler, a lost socket, or a room that is joined on the socket of now. Whoever believes what
    // the queue says knows in the end which rooms are subscribed.
    #[test]
    fn the_owner_ends_up_knowing_which_rooms_are_subscribed(steps in prop::collection::vec(0..8_u128, 0..80)) {
        let mut queue = EventQueue::with_limit(4);
        let (mut subscribed, mut believed) = (BTreeSet::new(), BTreeSet::new());
        let mut look = |queue: &mut EventQueue| match queue.pop() {
            Some(LinkEvent::Disconnected { .. }) => { believed.clear(); true }
            Some(LinkEvent::RoomJoined(room)) => { believed.insert(room); true }
            other => other.is_some(),
        };
        for step in steps {
            match step {
                0 | 1 => { look(&mut queue); }
                2 | 3 => queue.push(removed(9)),
                4 => { subscribed.clear(); queue.push(disconnected()); }
                _ => { subscribed.insert(room(step)); queue.push(LinkEvent::RoomJoined(room(step))); }
            }
        }
        while look(&mut queue) {}
        prop_assert_eq!(believed, subscribed);
    }
}
