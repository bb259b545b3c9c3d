//! What the link does when a moment has come.

use band_wire::phx::{Frame, reserved};

use crate::{Deadline, Moment};

use super::super::channels::Overdue;
use super::super::event::Disconnect;
use super::super::heartbeat::{Due, Heartbeat};
use super::super::limits::{CLOSE_DEAD, CLOSE_NORMAL, PROBE_AFTER};
use super::super::port::Why;
use super::super::stop::StopReason;
use super::{LinkMachine, Phase};

impl LinkMachine {
    fn beat(&mut self, now: Moment) {
        let reference = self.channels.next_ref();
        if let Phase::Open { heartbeat, .. } = &mut self.phase {
            heartbeat.sent(now, reference);
        }
        self.send(&Frame::new(None, Some(reference.into()), reserved::PHOENIX, reserved::HEARTBEAT));
    }

    /// When the oldest request has waited long enough for a probe.
    fn probe_at(&self) -> Option<(Moment, u64)> {
        let (since, reference) = self.channels.oldest()?;
        (self.probed != Some(reference)).then(|| (since + PROBE_AFTER, reference))
    }

    pub(super) fn expire_one(&mut self, now: Moment, why: Why) {
        match why {
            Why::Open => self.lose(now, Disconnect::OpenTimedOut, Some((CLOSE_NORMAL, "upgrade timed out"))),
            Why::Retry => self.connect(now),
            Why::Beat => self.beat(now),
            Why::Dead => {
                let close = (CLOSE_DEAD, "Heartbeat dead-threshold exceeded");
                self.lose(now, Disconnect::Dead, Some(close));
            }
            Why::Join | Why::Leave => {
                if let Some(heard) = self.channels.expire(now) {
                    self.heard(now, heard);
                }
            }
            Why::Probe => {
                self.probed = self.channels.oldest().map(|(_, reference)| reference);
                if let Phase::Open { heartbeat, .. } = &mut self.phase {
                    heartbeat.probe(now);
                }
            }
            Why::Room => {
                if let Some(acts) = self.rooms.expire(now) {
                    self.act_all(now, acts);
                }
            }
            Why::Topic => {
                if let Some(topic) = self.own.take_due(now) {
                    self.join(now, topic);
                }
            }
            Why::LeaveControl => self.close_for_good(now, StopReason::Requested),
            Why::Close => self.gone(now, Disconnect::Dead),
        }
    }

    /// The deadlines of an open socket.
    pub(super) fn open_deadline(&self, heartbeat: &Heartbeat) -> Deadline<Why> {
        let (at, due) = heartbeat.deadline();
        let beat = Deadline { at, why: if due == Due::Dead { Why::Dead } else { Why::Beat } };
        let requests = self.channels.deadline().map(|(at, overdue)| {
            let why = if overdue == Overdue::Join { Why::Join } else { Why::Leave };
            Deadline { at, why }
        });
        let probe = self.probe_at().map(|(at, _)| Deadline { at, why: Why::Probe });
        let room = self.rooms.deadline().map(|at| Deadline { at, why: Why::Room });
        let topic = self.own.deadline().map(|at| Deadline { at, why: Why::Topic });
        [requests, probe, room, topic]
            .into_iter()
            .flatten()
            .fold(beat, |earliest, next| if next.at < earliest.at { next } else { earliest })
    }
}
