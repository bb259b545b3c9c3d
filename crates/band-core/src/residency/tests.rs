use proptest::prelude::*;

use super::*;

const ONE: Ticket = Ticket(1);
const TWO: Ticket = Ticket(2);

fn at(secs: u64) -> Moment {
    Moment::at(Duration::from_secs(secs))
}

/// A room's resource, driven by hand.
struct Rig {
    machine: Residency,
    now: Moment,
}

impl Rig {
    fn new(idle_after: Option<u64>) -> Self {
        Self { machine: Residency::new(idle_after.map(Duration::from_secs)), now: Moment::ZERO }
    }

    /// One that is resident and granted to `ONE`.
    fn granted(idle_after: Option<u64>) -> Self {
        let mut rig = Self::new(idle_after);
        rig.tell(Input::Acquire(ONE));
        rig.tell(Input::Opened(Generation(1)));
        rig
    }

    fn tell(&mut self, input: Input) -> Vec<Output> {
        self.machine.handle(self.now, input);
        self.drain()
    }

    fn wait(&mut self, secs: u64) -> Vec<Output> {
        self.now = at(secs);
        self.machine.expire(self.now);
        self.drain()
    }

    fn drain(&mut self) -> Vec<Output> {
        std::iter::from_fn(|| self.machine.poll()).collect()
    }
}

#[test]
fn it_is_opened_once_for_all_who_wait() {
    let mut rig = Rig::new(None);
    let open = Output::Open { generation: Generation(1), resume: false };
    assert_eq!(rig.tell(Input::Acquire(ONE)), [open]);
    assert_eq!(rig.tell(Input::Acquire(TWO)), []);
    assert_eq!(
        rig.tell(Input::Opened(Generation(1))),
        [Output::Grant(ONE, Generation(1)), Output::Grant(TWO, Generation(1))]
    );
}

#[test]
fn an_opening_that_hangs_holds_up_the_end_of_its_room_for_ten_seconds() {
    let mut rig = Rig::new(None);
    rig.tell(Input::Acquire(ONE));
    let refused = Output::Refuse(ONE, Refusal::Closing);
    assert_eq!(rig.tell(Input::Dispose { ticket: TWO, by: None }), [refused]);
    assert_eq!(rig.wait(9), []);
    let over = [Output::Abandon(Generation(1)), Output::Erase, Output::Answer(TWO, Disposal::Done)];
    assert_eq!(rig.wait(10), over);
    assert_eq!(rig.tell(Input::Opened(Generation(1))), [], "it comes too late");
    assert!(rig.machine.is_closed());
}

#[test]
fn an_opening_that_ends_in_time_is_released_when_its_room_is_over() {
    let mut rig = Rig::new(None);
    rig.tell(Input::Acquire(ONE));
    rig.tell(Input::Dispose { ticket: TWO, by: None });
    assert_eq!(rig.tell(Input::Opened(Generation(1))), [Output::Release(Generation(1), Cause::Final)]);
    assert_eq!(rig.wait(10), [], "the time that openings have does not concern it");
}

#[test]
fn idleness_suspends_it_only_when_it_was_asked_for_and_the_provider_says_so_and_it_is_resumed_then() {
    let mut rig = Rig::granted(Some(60));
    rig.tell(Input::Done(ONE));
    assert_eq!(rig.wait(100), [], "the provider has not said that it rests");
    rig.tell(Input::Quiescent(Generation(1), true));
    rig.tell(Input::Quiescent(Generation(1), false));
    assert_eq!(rig.wait(200), [], "it works again");
    rig.tell(Input::Quiescent(Generation(1), true));
    assert_eq!(rig.wait(260), [Output::Release(Generation(1), Cause::Idle)]);
    assert_eq!(rig.tell(Input::Acquire(TWO)), [], "it waits for the suspension");
    assert_eq!(
        rig.tell(Input::Released(Generation(1))),
        [Output::Open { generation: Generation(2), resume: true }]
    );
    let mut never = Rig::granted(None);
    never.tell(Input::Done(ONE));
    never.tell(Input::Quiescent(Generation(1), true));
    assert_eq!(never.machine.deadline(), None);
}

#[test]
fn what_is_broken_is_cancelled_joined_released_and_opened_afresh() {
    let mut rig = Rig::granted(None);
    assert_eq!(rig.tell(Input::Release(Cause::Recovery)), [Output::CancelWork(Generation(1))]);
    assert_eq!(rig.tell(Input::Release(Cause::Recovery)), [], "cancelled once");
    assert_eq!(rig.tell(Input::Acquire(TWO)), []);
    assert_eq!(rig.tell(Input::Done(ONE)), [Output::Release(Generation(1), Cause::Recovery)]);
    let afresh = Output::Open { generation: Generation(2), resume: false };
    assert_eq!(rig.tell(Input::Released(Generation(1))), [afresh]);
}

#[test]
fn the_end_of_a_room_refuses_the_new_and_gives_accepted_work_its_time() {
    let mut rig = Rig::granted(None);
    assert_eq!(rig.tell(Input::Dispose { ticket: TWO, by: None }), []);
    assert_eq!(rig.tell(Input::Acquire(Ticket(3))), [Output::Refuse(Ticket(3), Refusal::Closing)]);
    assert_eq!(rig.wait(9), []);
    assert_eq!(rig.wait(10), [Output::CancelWork(Generation(1))]);
    assert_eq!(rig.wait(99), [], "it is joined, however long that takes");
    assert_eq!(rig.tell(Input::Done(ONE)), [Output::Release(Generation(1), Cause::Final)]);
    assert_eq!(
        rig.tell(Input::Released(Generation(1))),
        [Output::Erase, Output::Answer(TWO, Disposal::Done)]
    );
    assert!(rig.machine.is_closed());
    assert_eq!(
        rig.tell(Input::Dispose { ticket: TWO, by: None }),
        [Output::Answer(TWO, Disposal::Done)],
        "asked again"
    );
}

#[test]
fn work_that_asks_for_the_end_of_its_own_room_is_not_waited_for_by_itself() {
    let mut rig = Rig::granted(None);
    assert_eq!(
        rig.tell(Input::Dispose { ticket: TWO, by: Some(ONE) }),
        [Output::Answer(TWO, Disposal::Pending)]
    );
    assert_eq!(rig.tell(Input::Done(ONE)), [Output::Release(Generation(1), Cause::Final)]);
}

#[test]
fn a_release_that_takes_too_long_is_left_and_counts_as_one_that_failed() {
    let mut rig = Rig::granted(None);
    rig.tell(Input::Done(ONE));
    rig.tell(Input::Dispose { ticket: TWO, by: None });
    let limit = rig.now.since_origin().as_secs() + RELEASE_LIMIT.as_secs();
    assert_eq!(rig.wait(limit - 1), []);
    assert_eq!(
        rig.wait(limit),
        [Output::AbandonRelease(Generation(1)), Output::Answer(TWO, Disposal::Failed)]
    );
    assert_eq!(rig.tell(Input::Released(Generation(1))), [], "it comes too late to count");
    assert_eq!(
        rig.tell(Input::Dispose { ticket: TWO, by: None }),
        [Output::Release(Generation(1), Cause::Final)],
        "it is tried again when somebody asks"
    );
    assert_eq!(
        rig.tell(Input::Released(Generation(1))),
        [Output::Erase, Output::Answer(TWO, Disposal::Done)]
    );
    assert_eq!(rig.wait(limit * 3), []);
}

#[test]
fn a_cleanup_that_failed_stays_owned_and_is_tried_again_when_somebody_asks() {
    let mut rig = Rig::granted(None);
    rig.tell(Input::Done(ONE));
    assert_eq!(
        rig.tell(Input::Dispose { ticket: TWO, by: None }),
        [Output::Release(Generation(1), Cause::Final)]
    );
    assert_eq!(
        rig.tell(Input::Dispose { ticket: Ticket(3), by: None }),
        [],
        "it joins the attempt under way"
    );
    assert_eq!(
        rig.tell(Input::ReleaseFailed(Generation(1))),
        [Output::Answer(TWO, Disposal::Failed), Output::Answer(Ticket(3), Disposal::Failed)]
    );
    assert!(rig.machine.is_owned() && !rig.machine.is_closed());
    assert_eq!(rig.wait(1_000), []);
    assert_eq!(
        rig.tell(Input::Dispose { ticket: TWO, by: None }),
        [Output::Release(Generation(1), Cause::Final)]
    );
    rig.tell(Input::Released(Generation(1)));
    assert!(rig.machine.is_closed());
}

#[test]
fn a_suspension_that_failed_is_made_up_for_before_it_is_opened_again() {
    let mut rig = Rig::granted(Some(1));
    rig.tell(Input::Done(ONE));
    rig.tell(Input::Quiescent(Generation(1), true));
    assert_eq!(rig.wait(1), [Output::Release(Generation(1), Cause::Idle)]);
    assert_eq!(rig.tell(Input::ReleaseFailed(Generation(1))), []);
    assert_eq!(rig.tell(Input::Acquire(TWO)), [Output::Release(Generation(1), Cause::Idle)]);
    assert_eq!(
        rig.tell(Input::Released(Generation(1))),
        [Output::Open { generation: Generation(2), resume: true }]
    );
}

#[test]
fn whoever_waits_too_long_is_refused_and_the_opening_goes_on() {
    let mut rig = Rig::new(None);
    rig.tell(Input::Acquire(ONE));
    assert_eq!(rig.wait(10), [Output::Refuse(ONE, Refusal::TooLong)]);
    assert_eq!(rig.tell(Input::Acquire(TWO)), []);
    assert_eq!(rig.tell(Input::Opened(Generation(1))), [Output::Grant(TWO, Generation(1))]);
}

#[test]
fn an_opening_that_failed_is_told_to_all_who_wait_and_tried_again_for_the_next() {
    let mut rig = Rig::new(None);
    rig.tell(Input::Acquire(ONE));
    assert_eq!(rig.tell(Input::OpenFailed(Generation(1))), [Output::Refuse(ONE, Refusal::Failed)]);
    assert_eq!(rig.tell(Input::Acquire(TWO)), [Output::Open { generation: Generation(2), resume: false }]);
    assert_eq!(rig.tell(Input::Opened(Generation(1))), [], "an older opening has no say");
}

#[test]
fn the_end_comes_while_it_is_opened_or_suspended() {
    let mut rig = Rig::new(None);
    rig.tell(Input::Acquire(ONE));
    assert_eq!(rig.tell(Input::Dispose { ticket: TWO, by: None }), [Output::Refuse(ONE, Refusal::Closing)]);
    assert_eq!(rig.tell(Input::Opened(Generation(1))), [Output::Release(Generation(1), Cause::Final)]);

    let mut rig = Rig::granted(Some(1));
    rig.tell(Input::Done(ONE));
    rig.tell(Input::Quiescent(Generation(1), true));
    rig.wait(1);
    assert_eq!(rig.tell(Input::Dispose { ticket: TWO, by: None }), []);
    assert_eq!(
        rig.tell(Input::Released(Generation(1))),
        [Output::Erase, Output::Answer(TWO, Disposal::Done)],
        "what is suspended is only forgotten"
    );
}

fn input() -> impl Strategy<Value = Input> {
    let ticket = || (0..8_u64).prop_map(Ticket);
    let generation = || (0..6_u64).prop_map(Generation);
    prop_oneof![
        3 => ticket().prop_map(Input::Acquire),
        3 => ticket().prop_map(Input::Done),
        2 => generation().prop_map(Input::Opened),
        1 => generation().prop_map(Input::OpenFailed),
        2 => (generation(), any::<bool>()).prop_map(|(of, rests)| Input::Quiescent(of, rests)),
        1 => prop::sample::select(vec![Cause::Idle, Cause::Recovery]).prop_map(Input::Release),
        1 => (ticket(), prop::option::of(ticket())).prop_map(|(ticket, by)| Input::Dispose { ticket, by }),
        2 => generation().prop_map(Input::Released),
        1 => generation().prop_map(Input::ReleaseFailed),
    ]
}

proptest! {
    /// Whatever happens: one opening or release at a time, of the newest generation; nothing is granted while
    /// it is not open, and nothing at all after the end.
    #[test]
    fn nothing_is_opened_twice_and_nothing_is_granted_after_the_end(
        inputs in prop::collection::vec((input(), 0..8_u64), 0..80),
    ) {
        let mut rig = Rig::new(Some(5));
        let mut seen = Seen::default();
        for (input, pause) in inputs {
            let secs = rig.now.since_origin().as_secs() + pause;
            for output in rig.wait(secs) {
                seen.see(output)?;
            }
            seen.answer(input);
            for output in rig.tell(input) {
                seen.see(output)?;
            }
        }
    }
}

/// What may be known of a resource from outside.
#[derive(Debug, Default)]
struct Seen {
    newest: u64,
    open: bool,
    under_way: bool,
    over: bool,
}

impl Seen {
    /// An answer to what is under way.
    fn answer(&mut self, input: Input) {
        let (of, open) = match input {
            Input::Opened(of) if !self.open => (of, true),
            Input::OpenFailed(of) if !self.open => (of, false),
            Input::Released(of) if self.open => (of, false),
            Input::ReleaseFailed(of) if self.open => (of, true),
            _ => return,
        };
        if of.0 == self.newest && self.under_way {
            (self.open, self.under_way) = (open, false);
        }
    }

    fn see(&mut self, output: Output) -> Result<(), TestCaseError> {
        match output {
            Output::Open { generation, .. } => {
                prop_assert!(!self.open && !self.under_way && !self.over && generation.0 > self.newest);
                (self.newest, self.under_way) = (generation.0, true);
            }
            Output::Release(generation, _) => {
                prop_assert!(self.open && !self.under_way && generation.0 == self.newest);
                self.under_way = true;
            }
            Output::Grant(_, generation) => {
                prop_assert!(self.open && generation.0 == self.newest && !self.over);
            }
            Output::Abandon(generation) => {
                prop_assert!(!self.open && self.under_way && generation.0 == self.newest);
                self.under_way = false;
            }
            Output::AbandonRelease(generation) => {
                prop_assert!(self.open && self.under_way && generation.0 == self.newest);
                self.under_way = false;
            }
            Output::Erase => {
                prop_assert!(!self.open && !self.over);
                self.over = true;
            }
            Output::Refuse(..) | Output::CancelWork(_) | Output::Answer(..) => {}
        }
        Ok(())
    }
}
