//! The rows of the table, and what holds whatever happens.

use band_wire::Id;
use proptest::prelude::*;
use uuid::Uuid;

use super::*;

fn room(n: u128) -> ChatId {
    Id::new(Uuid::from_u128(n))
}

/// Presence with a clock; gives what comes out.
struct Rig {
    presence: Presence,
    now: Moment,
}

impl Rig {
    fn new() -> Self {
        Self { presence: Presence::new(1), now: Moment::ZERO }
    }

    fn tell(&mut self, input: Input) -> Vec<Output> {
        self.presence.handle(self.now, input);
        std::iter::from_fn(|| self.presence.poll()).collect()
    }

    fn listed(&mut self, rooms: &[u128]) -> Vec<Output> {
        self.tell(Input::Listed(Ok(rooms.iter().copied().map(room).collect())))
    }

    fn wait(&mut self, secs: u64) -> Vec<Output> {
        let until = self.now + Duration::from_secs(secs);
        while let Some(next) = self.presence.deadline().filter(|next| next.at <= until) {
            self.now = next.at;
            self.presence.expire(self.now);
        }
        self.now = until;
        std::iter::from_fn(|| self.presence.poll()).collect()
    }

    /// Started, in these rooms.
    fn in_rooms(rooms: &[u128]) -> Self {
        let mut rig = Self::new();
        rig.tell(Input::Connected);
        rig.listed(rooms);
        for n in rooms {
            rig.tell(Input::Joined(room(*n)));
        }
        rig
    }
}

#[test]
fn a_start_lists_and_joins_in_parallel_and_is_ready_when_each_join_is_decided() {
    let mut rig = Rig::new();
    assert_eq!(rig.tell(Input::Connected), [Output::List]);
    assert_eq!(rig.listed(&[1, 2, 1]), [Output::Join(room(1)), Output::Join(room(2))]);
    assert_eq!(rig.tell(Input::Joined(room(2))), [Output::Open(room(2))]);
    assert_eq!(rig.tell(Input::JoinFailed(room(1))), [Output::Ready(1)]);
    assert_eq!(rig.tell(Input::Joined(room(1))), [Output::Open(room(1))]);
}

#[test]
fn without_existing_rooms_only_those_that_it_is_added_to_are_joined() {
    let mut rig = Rig { presence: Presence::new(1).existing_rooms(false), now: Moment::ZERO };
    rig.tell(Input::Connected);
    assert_eq!(rig.tell(Input::Added(room(3))), [Output::Join(room(3))], "while the first list is under way");
    assert_eq!(rig.listed(&[1, 2, 3]), []);
    assert_eq!(rig.tell(Input::Joined(room(3))), [Output::Open(room(3)), Output::Ready(1)]);
    rig.tell(Input::Stale);
    assert_eq!(rig.listed(&[1, 2, 3, 4]), [Output::Join(room(4))], "it was added to it since, unheard");
    assert_eq!(rig.tell(Input::Added(room(1))), [Output::Join(room(1))], "added anew");
    rig.tell(Input::Stale);
    assert_eq!(rig.listed(&[1, 3, 4]), []);
    rig.tell(Input::Stale);
    assert_eq!(rig.listed(&[1, 2, 3, 4]), [Output::Join(room(2))], "it was gone in between");
}

#[test]
fn a_first_list_that_failed_leaves_the_next_one_to_say_what_is_old() {
    let mut rig = Rig { presence: Presence::new(1).existing_rooms(false), now: Moment::ZERO };
    rig.tell(Input::Connected);
    assert_eq!(rig.tell(Input::Listed(Err(()))), [Output::Ready(0)]);
    assert_eq!(rig.wait(1), [Output::List]);
    assert_eq!(rig.listed(&[1]), []);
}

#[test]
fn an_agent_without_rooms_is_ready_at_once_and_one_whose_list_failed_tries_again() {
    let mut rig = Rig::new();
    rig.tell(Input::Connected);
    assert_eq!(rig.tell(Input::Listed(Err(()))), [Output::Ready(0)]);
    assert_eq!(rig.wait(1), [Output::List]);
    assert_eq!(rig.listed(&[1]), [Output::Join(room(1))]);
}

#[test]
fn a_reconnect_leaves_what_is_gone_joins_what_is_new_and_keeps_the_rest() {
    let mut rig = Rig::in_rooms(&[1, 2, 3]);
    let lost = [1, 2, 3].map(|n| Output::Unsubscribed(room(n)));
    assert_eq!(rig.tell(Input::Disconnected), lost);
    assert_eq!(rig.tell(Input::Joined(room(1))), [Output::Subscribed(room(1))]);
    assert_eq!(rig.tell(Input::JoinFailed(room(2))), []);
    let missed = [2, 3].map(|n| Output::Resync(room(n)));
    assert_eq!(rig.tell(Input::Connected), [&[Output::List], &missed[..]].concat());
    assert_eq!(
        rig.listed(&[1, 2, 4]),
        [Output::Leave(room(3)), Output::Close(room(3)), Output::Join(room(4))]
    );
    assert_eq!(rig.tell(Input::Joined(room(2))), [Output::Subscribed(room(2))]);
}

#[test]
fn what_is_heard_while_a_list_is_under_way_is_newer_than_the_list() {
    let mut rig = Rig::in_rooms(&[1, 2]);
    assert_eq!(rig.tell(Input::Stale), [Output::List]);
    assert_eq!(rig.tell(Input::Added(room(3))), [Output::Join(room(3))]);
    assert_eq!(rig.tell(Input::Removed(room(2))), [Output::Leave(room(2)), Output::Close(room(2))]);
    assert_eq!(rig.tell(Input::Stale), [], "one list at a time");
    assert_eq!(rig.listed(&[1, 2]), [Output::List], "and another one after it");
}

#[test]
fn a_room_that_comes_back_while_its_task_closes_opens_when_that_has_ended() {
    let mut rig = Rig::in_rooms(&[1]);
    rig.tell(Input::Removed(room(1)));
    assert_eq!(rig.tell(Input::Added(room(1))), [Output::Join(room(1))]);
    assert_eq!(rig.tell(Input::Joined(room(1))), []);
    assert_eq!(rig.tell(Input::Ended(room(1))), [Output::Open(room(1))]);
}

#[test]
fn a_task_that_ended_by_itself_is_opened_again_after_a_while() {
    let mut rig = Rig::in_rooms(&[1]);
    assert_eq!(rig.tell(Input::Ended(room(1))), []);
    assert_eq!(rig.tell(Input::Joined(room(1))), []);
    assert_eq!(rig.wait(1), [Output::Open(room(1))]);
}

#[test]
fn a_join_that_succeeds_after_the_removal_opens_nothing() {
    let mut rig = Rig::in_rooms(&[]);
    rig.tell(Input::Added(room(1)));
    assert_eq!(rig.tell(Input::Removed(room(1))), [Output::Leave(room(1))]);
    assert_eq!(rig.tell(Input::Joined(room(1))), []);
}

#[test]
fn closing_ends_every_task_and_then_itself() {
    let mut rig = Rig::in_rooms(&[1, 2]);
    assert_eq!(rig.tell(Input::Close), [Output::Close(room(1)), Output::Close(room(2))]);
    assert_eq!(rig.tell(Input::Added(room(3))), []);
    assert_eq!(rig.tell(Input::Ended(room(2))), []);
    assert_eq!(rig.tell(Input::Ended(room(1))), [Output::Closed]);
    assert_eq!(rig.tell(Input::Close), []);
}

#[test]
fn trap_14_rooms_look_for_missed_messages_after_a_reconnect_even_when_they_could_not_be_listed() {
    let mut rig = Rig::in_rooms(&[1, 2]);
    rig.tell(Input::Disconnected);
    assert_eq!(rig.tell(Input::Joined(room(1))), [Output::Subscribed(room(1))]);
    assert_eq!(rig.tell(Input::Connected), [Output::List, Output::Resync(room(2))]);
    assert_eq!(rig.tell(Input::Listed(Err(()))), []);
    assert_eq!(rig.wait(1), [Output::List], "and the list is asked for again");
}

#[test]
fn trap_15_a_reconnect_joins_no_room_that_the_link_joins_by_itself() {
    let rooms: Vec<u128> = (1..=500).collect();
    let mut rig = Rig::in_rooms(&rooms);
    rig.tell(Input::Disconnected);
    for n in &rooms {
        rig.tell(Input::Joined(room(*n)));
    }
    assert_eq!(rig.tell(Input::Connected), [Output::List]);
    assert_eq!(rig.listed(&rooms), []);
}

#[test]
fn a_room_whose_removal_was_not_heard_of_looks_for_missed_messages_when_the_agent_is_added_again() {
    let mut rig = Rig::in_rooms(&[1]);
    assert_eq!(rig.tell(Input::Added(room(1))), [Output::Resync(room(1))]);
    rig.tell(Input::Disconnected);
    assert_eq!(rig.tell(Input::Added(room(1))), [], "it looks for them when it is joined again");
}

#[test]
fn trap_20_a_room_that_is_listed_and_pushed_is_joined_once() {
    let mut rig = Rig::new();
    rig.tell(Input::Connected);
    assert_eq!(rig.tell(Input::Added(room(2))), [Output::Join(room(2))]);
    assert_eq!(rig.listed(&[1, 2, 1]), [Output::Join(room(1))]);
    assert_eq!(rig.tell(Input::Added(room(1))), []);
    assert_eq!(rig.tell(Input::Joined(room(1))), [Output::Open(room(1))]);
    assert_eq!(rig.tell(Input::Added(room(1))), [Output::Resync(room(1))], "and not joined again");
}

#[test]
fn pain_a12_a_room_that_is_removed_and_added_while_its_messages_are_read_is_opened_afresh() {
    let mut rig = Rig::in_rooms(&[1]);
    rig.tell(Input::Stale);
    assert_eq!(rig.tell(Input::Removed(room(1))), [Output::Leave(room(1)), Output::Close(room(1))]);
    assert_eq!(rig.tell(Input::Added(room(1))), [Output::Join(room(1))]);
    assert_eq!(rig.listed(&[]), [], "the list is older than what was heard");
    assert_eq!(rig.tell(Input::Ended(room(1))), []);
    assert_eq!(rig.tell(Input::Joined(room(1))), [Output::Open(room(1))]);
}

fn input() -> impl Strategy<Value = Input> {
    let any_room = || (1_u128..5).prop_map(room);
    prop_oneof![
        Just(Input::Connected),
        Just(Input::Disconnected),
        prop::collection::vec(any_room(), 0..4).prop_map(|rooms| Input::Listed(Ok(rooms))),
        Just(Input::Listed(Err(()))),
        Just(Input::Stale),
        any_room().prop_map(Input::Added),
        any_room().prop_map(Input::Removed),
        any_room().prop_map(Input::Joined),
        any_room().prop_map(Input::JoinFailed),
        any_room().prop_map(Input::Ended),
    ]
}

proptest! {
    #[test]
    fn a_room_has_one_task_at_a_time_and_the_last_list_decides(
        inputs in prop::collection::vec(input(), 0..80),
    ) {
        let mut rig = Rig::new();
        let mut open = BTreeSet::new();
        let mut listing = false;
        for input in inputs {
            let is_real = match &input {
                Input::Listed(_) => std::mem::take(&mut listing),
                Input::Ended(room) => open.remove(room),
                _ => true,
            };
            if !is_real {
                continue;
            }
            for output in rig.tell(input) {
                match output {
                    Output::Open(room) => prop_assert!(open.insert(room), "two tasks for one room"),
                    Output::Close(room) => prop_assert!(open.contains(&room)),
                    Output::List => prop_assert!(!std::mem::replace(&mut listing, true)),
                    _ => {}
                }
            }
        }
        while listing {
            listing = rig.listed(&[1, 2]).contains(&Output::List);
        }
        rig.tell(Input::Stale);
        rig.listed(&[1, 2]);
        for room in open {
            rig.tell(Input::Ended(room));
        }
        rig.wait(1);
        for n in [1, 2] {
            rig.tell(Input::Joined(room(n)));
        }
        rig.wait(1);
        let rooms: Vec<ChatId> = rig.presence.open_rooms().collect();
        prop_assert_eq!(rooms, [room(1), room(2)]);
    }
}

#[test]
fn an_addition_and_a_removal_that_were_not_heard_of_are_found_by_the_next_list() {
    let mut rig = Rig::in_rooms(&[1, 2]);
    assert_eq!(rig.wait(149), []);
    assert_eq!(rig.wait(151), [Output::List]);
    assert_eq!(rig.listed(&[2, 3]), [Output::Leave(room(1)), Output::Close(room(1)), Output::Join(room(3))]);
}

#[test]
fn rooms_that_came_and_went_leave_nothing_behind() {
    let mut rig = Rig::in_rooms(&[1]);
    for n in 2..1_000 {
        rig.tell(Input::Added(room(n)));
        rig.tell(Input::Joined(room(n)));
        rig.tell(Input::Removed(room(n)));
        rig.tell(Input::Ended(room(n)));
    }
    let Presence { rooms, newer, timers, .. } = &rig.presence;
    assert_eq!((rooms.len(), newer.len()), (1, 0));
    assert_eq!(timers.next().map(|timer| timer.why), Some(Why::List));
}
