//! Laws over any sequence of inputs.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

/// What the world may do.
#[derive(Debug, Clone)]
enum Act {
    Join(u128),
    Leave(u128),
    Pass(u64),
    Open,
    Refuse(u16),
    Unreachable,
    Gone(Option<u16>),
    Old(u16),
    Answer { index: usize, ok: bool },
    Event { index: usize, event: &'static str, own_ref: bool },
    Text(&'static str),
    Binary(Vec<u8>),
    Take,
}

fn act() -> impl Strategy<Value = Act> {
    let names = prop::sample::select(vec![
        "phx_error",
        "phx_close",
        "message_created",
        "room_added",
        "room_deleted",
        "participant_added",
        "nonsense",
    ]);
    prop_oneof![
        4 => (0..4_u128).prop_map(Act::Join),
        2 => (0..4_u128).prop_map(Act::Leave),
        4 => (0..20_000_u64).prop_map(Act::Pass),
        4 => Just(Act::Open),
        1 => prop::sample::select(vec![302_u16, 404, 429, 500, 503]).prop_map(Act::Refuse),
        1 => Just(Act::Unreachable),
        1 => prop::option::of(1000..1016_u16).prop_map(Act::Gone),
        1 => (0..1_000_u16).prop_map(Act::Old),
        8 => (0..8_usize, prop::bool::weighted(0.8)).prop_map(|(index, ok)| Act::Answer { index, ok }),
        3 => (0..8_usize, names, any::<bool>())
            .prop_map(|(index, event, own_ref)| Act::Event { index, event, own_ref }),
        1 => prop::sample::select(vec!["", "x", "[]", "{}", "[1,2,3,4,5]", "[null,null,\"t\",\"e\",7]"]).prop_map(Act::Text),
        1 => prop::collection::vec(any::<u8>(), 0..20).prop_map(Act::Binary),
        2 => Just(Act::Take),
    ]
}

/// A desk that also keeps what the owner wants, and which requests were not answered.
struct World {
    desk: Desk,
    wanted: BTreeSet<u128>,
    unanswered: Vec<Frame>,
    joined: Vec<Frame>,
}

impl World {
    fn new() -> Self {
        let mut desk = Desk::new(&OPTIONS);
        desk.input(Input::Start);
        Self { desk, wanted: BTreeSet::new(), unanswered: Vec::new(), joined: Vec::new() }
    }

    fn act(&mut self, act: Act) {
        let generation = self.desk.generation;
        match act {
            Act::Join(number) => {
                self.wanted.insert(number);
                self.desk.input(Input::JoinRoom(room(number)));
            }
            Act::Leave(number) => {
                self.wanted.remove(&number);
                self.desk.input(Input::LeaveRoom(room(number)));
            }
            Act::Pass(millis) => self.desk.pass(Duration::from_millis(millis)),
            Act::Open => self.desk.input(Input::Opened(generation)),
            Act::Refuse(status) => self.desk.refused(status),
            Act::Unreachable => {
                self.desk.input(Input::OpenFailed(generation, Failure::Unreachable(String::new())));
            }
            Act::Gone(Some(code)) => self.desk.gone(code),
            Act::Gone(None) => self.desk.input(Input::Gone(generation, Gone::Broken(String::new()))),
            Act::Old(code) => {
                let gone = Gone::Closed { code: Some(code), reason: String::new() };
                self.desk.input(Input::Gone(Generation::default(), gone));
            }
            Act::Answer { index, ok } => self.answer(index, ok),
            Act::Event { index, event, own_ref } => {
                if let Some(join) = self.joined.get(index).cloned() {
                    let join_ref = own_ref.then_some(join.join_ref).flatten();
                    self.desk.frame(&Frame::new(join_ref, None, &join.topic, event));
                }
            }
            Act::Text(text) => self.desk.text(text),
            Act::Binary(bytes) => {
                self.desk.input(Input::Received(generation, Received::Binary(bytes)));
            }
            Act::Take => drop(self.desk.events()),
        }
        self.unanswered.extend(self.desk.sent());
    }

    /// Refusals of `agent_control` would end the link: that is another test.
    fn answer(&mut self, index: usize, ok: bool) {
        if index >= self.unanswered.len() {
            return;
        }
        let request = self.unanswered.remove(index);
        if ok || request.topic == control_topic() {
            self.desk.reply_ok(&request);
            self.joined.push(request);
        } else {
            self.desk.refuse(&request, "no");
        }
    }

    /// From here on the world is fair: it opens every socket and answers every request at once.
    fn be_fair(&mut self) {
        for _ in 0..600 {
            self.desk.input(Input::Opened(self.desk.generation));
            self.desk.answer_all();
            self.desk.events();
            self.desk.pass_secs(1);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    // The desk checks on the way that nothing is sent on a dead socket.
    #[test]
    fn whatever_happens_a_fair_world_gets_every_wanted_room_joined(acts in prop::collection::vec(act(), 0..120)) {
        let mut world = World::new();
        for act in acts {
            world.act(act);
        }
        // A socket that was half answered may have to be lost before the rest can be right.
        world.desk.input(Input::Gone(world.desk.generation, Gone::Broken(String::new())));
        world.desk.sent();
        world.be_fair();
        prop_assert_eq!(world.desk.ended(), None);
        for number in 0..4 {
            prop_assert_eq!(world.desk.link.is_subscribed(room(number)), world.wanted.contains(&number), "{}", number);
        }
    }

    #[test]
    fn a_deadline_never_stays_due(acts in prop::collection::vec(act(), 0..120)) {
        let mut world = World::new();
        for act in acts {
            world.act(act);
            if let Some(due) = world.desk.link.deadline() {
                world.desk.link.expire(due.at);
                let next = world.desk.link.deadline();
                prop_assert!(next.is_none_or(|next| next.at > due.at), "{:?} then {:?}", due, next);
                world.desk.now = world.desk.now.max(due.at);
                world.desk.drain();
            }
        }
    }

    #[test]
    fn a_close_always_ends_the_link_within_seven_seconds(acts in prop::collection::vec(act(), 0..120)) {
        let mut world = World::new();
        for act in acts {
            world.act(act);
        }
        world.desk.input(Input::Close);
        world.desk.pass_secs(7);
        prop_assert_eq!(world.desk.ended(), Some(StopReason::Requested));
        prop_assert_eq!(world.desk.events().pop(), Some(LinkEvent::Ended(StopReason::Requested)));
    }
}
