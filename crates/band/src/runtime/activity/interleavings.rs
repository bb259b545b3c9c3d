//! What rooms that report at once leave in the log, in many orders of their steps.

use std::cell::RefCell;
use std::sync::Arc;

use band_wire::Id;
use shuttle::thread;
use tracing::level_filters::LevelFilter;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use uuid::Uuid;

use super::*;
use crate::error::Error;
use crate::sync::model::{orders, step};

thread_local! {
    /// The levels of the lines that an operator sees. All threads of a model are run by one real thread.
    static LINES: RefCell<Vec<Level>> = const { RefCell::new(Vec::new()) };
}

/// No other thread comes in here: tracing would drop its lines.
struct Lines;

impl<S: Subscriber> Layer<S> for Lines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let of = event.metadata();
        if of.target() == "band.room" && *of.level() <= LevelFilter::INFO {
            LINES.with_borrow_mut(|lines| lines.push(*of.level()));
        }
    }
}

#[test]
fn a_failure_is_logged_once_its_end_once_and_the_newest_line_says_what_holds() {
    let _listens = tracing::subscriber::set_default(tracing_subscriber::registry().with(Lines));
    orders(|| {
        LINES.take();
        let log = Arc::new(ActivityLog::default());
        let report = |told: [bool; 3]| {
            let log = Arc::clone(&log);
            thread::spawn(move || {
                for is_told in told {
                    let told = if is_told { Ok(true) } else { Err(Error::Config("no".to_owned())) };
                    log.heard(told.is_err(), |was_failing| {
                        step();
                        say(Id::new(Uuid::nil()), &told, was_failing);
                    });
                }
            })
        };
        for thread in
            [report([false, false, true]), report([false, true, false]), report([true, false, true])]
        {
            thread.join().unwrap();
        }
        let is_failing = *log.failing.lock().unwrap();
        let lines = LINES.take();
        let alternate = [Level::WARN, Level::INFO].into_iter().cycle();
        assert!(lines.iter().copied().eq(alternate.take(lines.len())), "{lines:?}");
        assert_eq!(lines.last() == Some(&Level::WARN), is_failing, "{lines:?}");
    });
}
