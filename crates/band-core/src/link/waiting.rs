//! Requests that the server has not answered yet, and how long it may still take.
//!
//! Many joins go out at once, and a server answers those of one socket in turn. So the clock of a request
//! does not run from its sending alone: it starts anew with each answer to an older request. As long as the
//! server makes progress nobody times out; when it stops, all that wait time out together. A request that
//! was passed over by newer answers gets no extension from them.

use std::collections::BTreeMap;
use std::time::Duration;

use band_wire::phx::Topic;

use crate::Moment;

use super::limits::{JOIN_LIMIT, LEAVE_LIMIT};

#[derive(Debug, Clone, Copy)]
struct Request {
    topic: Topic,
    sent: Moment,
}

/// Requests by ref. Refs grow, so that is the order in which they were sent.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    joins: BTreeMap<u64, Request>,
    leaves: BTreeMap<u64, Request>,
    /// Answers: ref and moment, both growing. For a request, the last one with a smaller ref counts.
    progress: Vec<(u64, Moment)>,
}

impl Waiting {
    pub(super) fn join(&mut self, reference: u64, topic: Topic, now: Moment) {
        self.joins.insert(reference, Request { topic, sent: now });
    }

    pub(super) fn leave(&mut self, reference: u64, topic: Topic, now: Moment) {
        self.leaves.insert(reference, Request { topic, sent: now });
    }

    /// Nobody waits for this join any more; its answer will be passed over.
    pub(super) fn forget_join(&mut self, reference: u64) {
        self.joins.remove(&reference);
    }

    /// Nobody waits for this leave any more.
    pub(super) fn forget_leave(&mut self, reference: u64) {
        self.leaves.remove(&reference);
    }

    /// Takes the join that an answer is for.
    pub(super) fn joined(&mut self, reference: u64, now: Moment) -> Option<Topic> {
        let request = self.joins.remove(&reference)?;
        self.note_progress(reference, now);
        Some(request.topic)
    }

    /// Takes the leave that an answer is for.
    pub(super) fn left(&mut self, reference: u64, now: Moment) -> Option<Topic> {
        let request = self.leaves.remove(&reference)?;
        self.note_progress(reference, now);
        Some(request.topic)
    }

    /// The next join that is due, with its ref and topic.
    pub(super) fn next_join(&self) -> Option<(Moment, u64, Topic)> {
        self.next(&self.joins, JOIN_LIMIT)
    }

    /// The next leave that is due, with its ref and topic.
    pub(super) fn next_leave(&self) -> Option<(Moment, u64, Topic)> {
        self.next(&self.leaves, LEAVE_LIMIT)
    }

    /// The oldest request, and since when the server has had nothing older to answer.
    pub(super) fn oldest(&self) -> Option<(Moment, u64)> {
        let join = self.joins.first_key_value();
        let leave = self.leaves.first_key_value();
        let (reference, request) = match (join, leave) {
            (Some(join), Some(leave)) => {
                if join.0 < leave.0 {
                    join
                } else {
                    leave
                }
            }
            (join, leave) => join.or(leave)?,
        };
        Some((self.since(*reference, request), *reference))
    }

    /// Requests grow in both ref and moment, so the first of a kind is the first that is due.
    fn next(&self, requests: &BTreeMap<u64, Request>, limit: Duration) -> Option<(Moment, u64, Topic)> {
        let (reference, request) = requests.first_key_value()?;
        Some((self.since(*reference, request) + limit, *reference, request.topic))
    }

    fn since(&self, reference: u64, request: &Request) -> Moment {
        let older = self.progress.partition_point(|(answered, _)| *answered < reference);
        let answered = older.checked_sub(1).and_then(|last| self.progress.get(last));
        answered.map_or(request.sent, |(_, at)| request.sent.max(*at))
    }

    fn note_progress(&mut self, reference: u64, now: Moment) {
        let older = self.progress.partition_point(|(answered, _)| *answered < reference);
        self.progress.truncate(older);
        self.progress.push((reference, now));
        // Of the answers below the oldest request only the last one counts.
        let oldest = self.joins.keys().next().into_iter().chain(self.leaves.keys().next()).min();
        let spent = match oldest {
            Some(oldest) => self.progress.partition_point(|(answered, _)| answered < oldest),
            None => self.progress.len(),
        };
        self.progress.drain(..spent.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use band_wire::ChatId;
    use uuid::Uuid;

    use super::*;

    fn at(secs: u64) -> Moment {
        Moment::at(Duration::from_secs(secs))
    }

    fn topic(number: u64) -> Topic {
        Topic::ChatRoom(ChatId::new(Uuid::from_u128(number.into())))
    }

    fn joins(count: u64) -> Waiting {
        let mut waiting = Waiting::default();
        for reference in 1..=count {
            waiting.join(reference, topic(reference), at(0));
        }
        waiting
    }

    #[test]
    fn without_any_answer_all_are_due_together() {
        let mut waiting = joins(3);
        while let Some((due, reference, _)) = waiting.next_join() {
            assert_eq!(due, at(10));
            waiting.forget_join(reference);
        }
    }

    #[test]
    fn a_slow_server_that_makes_progress_lets_nobody_time_out() {
        let mut waiting = joins(100);
        for reference in 1..=100 {
            let answered = at(reference * 9);
            assert!(waiting.next_join().unwrap().0 > answered);
            assert_eq!(waiting.joined(reference, answered), Some(topic(reference)));
        }
        assert!(waiting.next_join().is_none());
        assert_eq!(waiting.progress.len(), 1);
    }

    #[test]
    fn one_that_was_passed_over_gets_no_more_time() {
        let mut waiting = joins(4);
        waiting.joined(1, at(3));
        waiting.joined(3, at(8));
        waiting.joined(4, at(9));
        assert_eq!(waiting.next_join(), Some((at(13), 2, topic(2))));
        assert_eq!(waiting.oldest(), Some((at(3), 2)));
    }

    #[test]
    fn answers_to_joins_move_the_clock_of_later_leaves() {
        let mut waiting = joins(2);
        waiting.leave(3, topic(1), at(1));
        waiting.joined(1, at(4));
        assert_eq!(waiting.next_leave(), Some((at(9), 3, topic(1))));
        assert_eq!(waiting.left(3, at(5)), Some(topic(1)));
        assert_eq!(waiting.left(3, at(5)), None);
        assert_eq!(waiting.next_join(), Some((at(14), 2, topic(2))));
    }
}
