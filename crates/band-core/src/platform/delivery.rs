//! Where a message stands for one agent.
//!
//! | mark | state | effect |
//! | --- | --- | --- |
//! | processing | none, delivered | opens attempt 1 |
//! | processing | processing | nothing: the same attempt is answered |
//! | processing | failed, processed | opens attempt n+1; a processed message is live again |
//! | processed | processing | closes the attempt as success |
//! | failed | processing | closes the attempt as failed, with the error |
//! | processed, failed | any other | refused: no attempt is open |
//!
//! A mark leases nothing: two workers of one agent may both hold an attempt. Any message of the room may be
//! marked, its own included; only mentions are ever served.

use band_wire::Stamp;
use band_wire::rest::query::StatusFilter;
use band_wire::rest::{AttemptRecord, DeliveryRecord, DeliveryStatus, Issues};

use super::{Refusal, text};

/// The longest error text that is kept of a failed attempt, in bytes. The rest is cut.
pub const MAX_ERROR: usize = 8_192;

/// What an agent says about a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// It begins.
    Processing,
    /// It is done.
    Processed,
    /// It failed, and why.
    Failed(String),
}

impl Mark {
    /// The status the mark leads to.
    pub const fn status(&self) -> DeliveryStatus {
        match self {
            Self::Processing => DeliveryStatus::Processing,
            Self::Processed => DeliveryStatus::Processed,
            Self::Failed(_) => DeliveryStatus::Failed,
        }
    }
}

/// The outcome of a mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Marked {
    /// The record as it is now, with this attempt begun or ended.
    Changed(DeliveryRecord),
    /// Nothing changed; this attempt is open.
    Open(u32),
}

/// The record of a message that was handed to a live connection, and not marked yet.
pub const fn delivered(at: Stamp) -> DeliveryRecord {
    DeliveryRecord {
        status: DeliveryStatus::Delivered,
        delivered_at: Some(at),
        processed_at: None,
        current_attempt: None,
        attempts: Vec::new(),
    }
}

/// Applies a mark to a record; none is a message that was never acknowledged.
///
/// # Errors
/// 422 under `/processing_attempt` when the mark ends an attempt and none is open.
pub fn mark(record: Option<&DeliveryRecord>, mark: Mark, now: Stamp) -> Result<Marked, Refusal> {
    let mut record = record.cloned().unwrap_or(DeliveryRecord { delivered_at: None, ..delivered(now) });
    match (open_attempt(&record), mark) {
        (Some(number), Mark::Processing) => return Ok(Marked::Open(number)),
        (None, Mark::Processing) => {
            let number = record.current_attempt.unwrap_or_default().saturating_add(1);
            record.current_attempt = Some(number);
            record.processed_at = None;
            record.status = DeliveryStatus::Processing;
            record.attempts.push(AttemptRecord {
                attempt_number: number,
                status: attempt::OPEN.to_owned(),
                started_at: Some(now),
                completed_at: None,
                error: None,
            });
        }
        (Some(_), Mark::Processed) => {
            close(&mut record, attempt::SUCCESS, None, now);
            record.status = DeliveryStatus::Processed;
            record.processed_at = Some(now);
        }
        (Some(_), Mark::Failed(error)) => {
            close(&mut record, attempt::FAILED, Some(text::cut(&error, MAX_ERROR).to_owned()), now);
            record.status = DeliveryStatus::Failed;
        }
        (None, Mark::Processed | Mark::Failed(_)) => {
            let text = "no processing attempt is open: mark the message as processing first";
            return Err(Refusal::invalid(Issues::one("/processing_attempt", text)));
        }
    }
    Ok(Marked::Changed(record))
}

/// The statuses of an attempt.
mod attempt {
    pub(super) const OPEN: &str = "processing";
    pub(super) const SUCCESS: &str = "success";
    pub(super) const FAILED: &str = "failed";
}

fn open_attempt(record: &DeliveryRecord) -> Option<u32> {
    if record.status == DeliveryStatus::Processing { record.current_attempt } else { None }
}

fn close(record: &mut DeliveryRecord, status: &str, error: Option<String>, now: Stamp) {
    if let Some(attempt) = record.attempts.last_mut() {
        status.clone_into(&mut attempt.status);
        attempt.completed_at = Some(now);
        attempt.error = error;
    }
}

/// Whether an agent's list shows a message in this state; no status means never acknowledged. What the
/// default shows is also what `/next` serves the oldest of.
pub fn shows(filter: StatusFilter, status: Option<DeliveryStatus>) -> bool {
    match filter {
        StatusFilter::All => true,
        StatusFilter::Open => status != Some(DeliveryStatus::Processed),
        StatusFilter::Pending => {
            matches!(status, None | Some(DeliveryStatus::Delivered | DeliveryStatus::Failed))
        }
        StatusFilter::Processing => status == Some(DeliveryStatus::Processing),
        StatusFilter::Processed => status == Some(DeliveryStatus::Processed),
        StatusFilter::Failed => status == Some(DeliveryStatus::Failed),
    }
}

/// The states that a filter shows.
pub fn shown(filter: StatusFilter) -> impl Iterator<Item = Option<DeliveryStatus>> {
    EVERY_STATE.into_iter().filter(move |status| shows(filter, *status))
}

const EVERY_STATE: [Option<DeliveryStatus>; 5] = [
    None,
    Some(DeliveryStatus::Delivered),
    Some(DeliveryStatus::Processing),
    Some(DeliveryStatus::Failed),
    Some(DeliveryStatus::Processed),
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{mark as mark_of, *};
    use crate::platform::test_site::at;

    fn failed() -> Mark {
        Mark::Failed("boom".to_owned())
    }

    fn after(marks: &[Mark]) -> Option<DeliveryRecord> {
        let mut record = None;
        for (second, mark) in (0..).zip(marks) {
            if let Ok(Marked::Changed(changed)) = mark_of(record.as_ref(), mark.clone(), at(second)) {
                record = Some(changed);
            }
        }
        record
    }

    fn changed(record: Option<&DeliveryRecord>, mark: Mark) -> DeliveryRecord {
        match mark_of(record, mark, at(100)).unwrap() {
            Marked::Changed(record) => record,
            Marked::Open(number) => panic!("attempt {number} was open"),
        }
    }

    #[test]
    fn processing_opens_the_first_attempt_of_a_new_or_delivered_message() {
        for record in [None, Some(delivered(at(1)))] {
            let now = changed(record.as_ref(), Mark::Processing);
            assert_eq!((now.status, now.current_attempt), (DeliveryStatus::Processing, Some(1)));
            assert_eq!(now.delivered_at, record.and_then(|record| record.delivered_at));
            assert_eq!(now.attempts.len(), 1);
        }
    }

    #[test]
    fn processing_twice_is_one_attempt() {
        let open = after(&[Mark::Processing]);
        assert_eq!(mark_of(open.as_ref(), Mark::Processing, at(9)), Ok(Marked::Open(1)));
    }

    #[test]
    fn processing_after_the_end_opens_the_next_attempt() {
        for end in [Mark::Processed, failed()] {
            let ended = after(&[Mark::Processing, end]);
            let now = changed(ended.as_ref(), Mark::Processing);
            assert_eq!((now.current_attempt, now.attempts.len()), (Some(2), 2));
            assert_eq!(now.processed_at, None, "it is live again");
        }
    }

    #[test]
    fn an_end_closes_the_attempt() {
        let open = after(&[Mark::Processing]);
        let done = changed(open.as_ref(), Mark::Processed);
        assert_eq!((done.status, done.processed_at), (DeliveryStatus::Processed, Some(at(100))));
        assert_eq!(done.attempts.last().unwrap().status, "success");
        let broken = changed(open.as_ref(), failed());
        assert_eq!((broken.status, broken.processed_at), (DeliveryStatus::Failed, None));
        let attempt = broken.attempts.last().unwrap();
        assert_eq!((attempt.status.as_str(), attempt.error.as_deref()), ("failed", Some("boom")));
    }

    #[test]
    fn an_end_without_an_open_attempt_is_refused_under_its_pointer() {
        let states = [
            None,
            Some(delivered(at(1))),
            after(&[Mark::Processing, Mark::Processed]),
            after(&[Mark::Processing, failed()]),
        ];
        for record in states {
            for end in [Mark::Processed, failed()] {
                let refusal = mark_of(record.as_ref(), end, at(5)).unwrap_err();
                assert_eq!((refusal.status, refusal.code), (422, "validation_error"));
                assert!(refusal.details.unwrap().into_map().contains_key("/processing_attempt"));
            }
        }
    }

    #[test]
    fn a_long_error_is_cut_at_a_character() {
        let open = after(&[Mark::Processing]);
        let record = changed(open.as_ref(), Mark::Failed("é".repeat(MAX_ERROR)));
        assert_eq!(record.attempts.last().unwrap().error.as_deref().unwrap().len(), MAX_ERROR);
    }

    #[test]
    fn each_filter_shows_its_states() {
        use DeliveryStatus::{Delivered, Failed, Processed, Processing};
        let table: [(&str, &[Option<DeliveryStatus>]); 5] = [
            ("pending", &[None, Some(Delivered), Some(Failed)]),
            ("processing", &[Some(Processing)]),
            ("processed", &[Some(Processed)]),
            ("failed", &[Some(Failed)]),
            ("all", &EVERY_STATE),
        ];
        for (word, states) in table {
            let filter = StatusFilter::parse(word).unwrap();
            assert_eq!(shown(filter).collect::<Vec<_>>(), states, "{word}");
        }
        let default = StatusFilter::default();
        let open = [None, Some(Delivered), Some(Processing), Some(Failed)];
        assert_eq!(shown(default).collect::<Vec<_>>(), open);
    }

    fn any_mark() -> impl Strategy<Value = Mark> {
        prop_oneof![Just(Mark::Processing), Just(Mark::Processed), ".{0,3}".prop_map(Mark::Failed)]
    }

    proptest! {
        #[test]
        fn no_sequence_of_marks_breaks_a_record(marks in prop::collection::vec(any_mark(), 0..40)) {
            let mut record: Option<DeliveryRecord> = None;
            for (second, mark) in (0..).zip(marks) {
                let open = record.as_ref().is_some_and(|r| r.status == DeliveryStatus::Processing);
                let before = record.clone();
                match mark_of(record.as_ref(), mark.clone(), at(second)) {
                    Ok(Marked::Changed(now)) => {
                        prop_assert_eq!(open, mark != Mark::Processing);
                        prop_assert_eq!(now.status, mark.status());
                        record = Some(now);
                    }
                    Ok(Marked::Open(number)) => {
                        prop_assert!(open && mark == Mark::Processing);
                        prop_assert_eq!(before.as_ref().and_then(|r| r.current_attempt), Some(number));
                    }
                    Err(_) => prop_assert!(!open && mark != Mark::Processing),
                }
                let Some(now) = &record else { continue };
                let numbers: Vec<u32> = now.attempts.iter().map(|a| a.attempt_number).collect();
                let expected: Vec<u32> = (1..=now.current_attempt.unwrap_or_default()).collect();
                prop_assert_eq!(numbers, expected);
                let running = now.attempts.iter().filter(|a| a.status == "processing").count();
                prop_assert_eq!(running, usize::from(now.status == DeliveryStatus::Processing));
                prop_assert!(now.attempts.iter().all(|a| (a.status == "processing") == a.completed_at.is_none()));
                prop_assert_eq!(now.processed_at.is_some(), now.status == DeliveryStatus::Processed);
            }
        }
    }
}
