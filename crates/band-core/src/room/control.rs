//! A person steers the agent; and the working indicator, which can tell that one did.

use super::io::{Call, Control, Note, Output};
use super::working::Told;
use super::{Room, Why};
use crate::trial::{self, Fault};
use crate::turn::Cancel;

impl Room {
    pub(super) fn control(&mut self, control: Control) {
        self.steered += 1;
        let knows = self.running().is_some_and(|running| running.told);
        if control == Control::Interrupt || (control == Control::Stop && !knows) {
            self.out.push_back(Output::TellAdapter(control));
        }
        match control {
            Control::Interrupt => {
                self.consume_prepared();
                self.cancel(Cancel::Interrupt);
                if trial::has(Fault::InterruptLeaks)
                    && let Some(next) = self.queue.pop()
                {
                    self.owe(super::Debt { message: next.id, failure: None, reclaim: true });
                }
            }
            Control::Stop => {
                self.stopped = !trial::has(Fault::StopIgnored);
                self.drop_prepared();
                self.cancel(Cancel::Stop);
                // What waits here is kept by the platform, which serves it when the room goes on.
                self.queue.clear();
                self.pass.start_over();
                self.reschedule();
            }
            Control::Play => {
                self.stopped = false;
                self.wake();
                self.pass.want();
                self.reschedule();
            }
        }
    }

    /// The platform has stopped the agent in this room, and nobody told us: the adapter hears of it once.
    pub(super) fn observed_stop(&mut self) {
        if let Some(running) = self.running()
            && !std::mem::replace(&mut running.told, true)
        {
            self.out.push_back(Output::TellAdapter(Control::Stop));
        }
        self.cancel(Cancel::ObservedStop);
    }

    fn reschedule(&mut self) {
        self.schedule.hurry(self.now, self.stopped);
        self.timers.set(Why::Resync, self.schedule.due());
    }

    pub(super) fn start_working(&mut self) {
        if self.config.keep_alive.is_some() {
            self.working.start(self.now);
            // The report goes out before the turn starts, and is not waited for.
            self.report_working();
            self.repeat_later();
        }
    }

    pub(super) fn stop_working(&mut self) {
        let more = !self.is_closing() && self.has_more();
        if !trial::has(Fault::WorkingNotEnded) {
            self.working.stop(more);
        }
        self.timers.clear(Why::Working);
        self.report_working();
    }

    fn repeat_later(&mut self) {
        if let Some(every) = self.config.keep_alive {
            self.timers.set(Why::Working, self.now + every);
        }
    }

    /// Says what has changed, unless the last report is still on its way.
    pub(super) fn report_working(&mut self) {
        if let Some(working) = self.working.next() {
            let id = self.call(Call::Activity(working));
            self.working.sent(id, working, self.steered);
        }
    }

    pub(super) fn activity_answered(&mut self, told: Option<Told>, holds: Option<bool>) {
        let Some(Told { working: true, steered }) = told else { return };
        if self.working.since().is_none() {
            return;
        }
        // What was answered before the last word of a person says nothing about now.
        if holds == Some(false) && steered == self.steered {
            self.observed_stop();
        }
        self.repeat_later();
    }

    pub(super) fn repeat_working(&mut self) {
        let at_work = self.working.since().map(|since| self.now.since(since));
        if self.config.max_working.is_none_or(|most| at_work.is_some_and(|so_far| so_far < most)) {
            self.working.repeat();
        } else if at_work.is_some() {
            // The last of its repeats: none is planned after it.
            self.note(Note::WorkingTooLong);
        }
    }
}
