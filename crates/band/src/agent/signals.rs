//! The signals that ask a process to end, and their return to what they did before.

use std::fmt;

#[cfg(not(unix))]
use crate::error::Result;

/// A signal that asks a process to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShutdownSignal {
    /// SIGINT: the keyboard.
    Interrupt,
    /// SIGTERM: a supervisor.
    Terminate,
    /// SIGHUP: the terminal is gone.
    Hangup,
}

impl ShutdownSignal {
    /// Its number.
    pub const fn number(self) -> i32 {
        match self {
            Self::Hangup => 1,
            Self::Interrupt => 2,
            Self::Terminate => 15,
        }
    }
}

impl fmt::Display for ShutdownSignal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Interrupt => "SIGINT",
            Self::Terminate => "SIGTERM",
            Self::Hangup => "SIGHUP",
        })
    }
}

#[cfg(unix)]
pub(super) use self::unix::Signals;

#[cfg(unix)]
mod unix {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::sync::{Arc, LazyLock};

    use tokio::signal::unix::{Signal, SignalKind, signal};

    use super::ShutdownSignal;
    use crate::error::{Error, Result};

    /// Listens until it is dropped.
    #[derive(Debug)]
    pub(in crate::agent) struct Signals {
        interrupt: Signal,
        terminate: Signal,
        hangup: Option<Signal>,
        held: Vec<Held>,
    }

    impl Signals {
        pub(in crate::agent) fn listen(with_hangup: bool) -> Result<Self> {
            let held = Held::all(with_hangup);
            let listen = |kind| {
                signal(kind).map_err(|err| Error::Config(format!("signals can't be listened to: {err}")))
            };
            Ok(Self {
                interrupt: listen(SignalKind::interrupt())?,
                terminate: listen(SignalKind::terminate())?,
                hangup: if with_hangup { Some(listen(SignalKind::hangup())?) } else { None },
                held,
            })
        }

        /// May be dropped and called again.
        pub(in crate::agent) async fn next(&mut self) -> ShutdownSignal {
            tokio::select! {
                biased;
                _ = self.interrupt.recv() => ShutdownSignal::Interrupt,
                _ = self.terminate.recv() => ShutdownSignal::Terminate,
                () = hung_up(&mut self.hangup) => ShutdownSignal::Hangup,
            }
        }

        /// From here on they do again what they did before.
        pub(in crate::agent) fn let_go(&mut self) {
            self.held.clear();
        }
    }

    async fn hung_up(hangup: &mut Option<Signal>) {
        match hangup {
            Some(signal) => drop(signal.recv().await),
            None => std::future::pending().await,
        }
    }

    /// One signal of this process. What the system has installed for a listener stays installed when the
    /// listener is gone, and would swallow the signal; so where nobody had listened before, its default is
    /// carried out by hand while nobody listens.
    #[derive(Debug)]
    struct Slot {
        listeners: AtomicUsize,
        /// Whether nobody listens. None where somebody had listened before us: they still do.
        at_rest: Option<Arc<AtomicBool>>,
    }

    impl Slot {
        fn of(signal: ShutdownSignal) -> Self {
            let number = signal.number();
            let at_rest = has_default(number).then(|| Arc::new(AtomicBool::new(false)));
            let at_rest = at_rest.filter(|flag| {
                signal_hook::flag::register_conditional_default(number, Arc::clone(flag)).is_ok()
            });
            Self { listeners: AtomicUsize::new(0), at_rest }
        }

        fn rest(&self, rests: bool) {
            if let Some(flag) = &self.at_rest {
                flag.store(rests, Ordering::SeqCst);
            }
        }
    }

    static INTERRUPT: LazyLock<Slot> = LazyLock::new(|| Slot::of(ShutdownSignal::Interrupt));
    static TERMINATE: LazyLock<Slot> = LazyLock::new(|| Slot::of(ShutdownSignal::Terminate));
    static HANGUP: LazyLock<Slot> = LazyLock::new(|| Slot::of(ShutdownSignal::Hangup));

    /// Somebody listens to a signal.
    #[derive(Debug)]
    struct Held(&'static Slot);

    impl Held {
        fn all(with_hangup: bool) -> Vec<Self> {
            let mut slots: Vec<&'static Slot> = vec![&INTERRUPT, &TERMINATE];
            if with_hangup {
                slots.push(&HANGUP);
            }
            slots
                .into_iter()
                .map(|slot| {
                    slot.listeners.fetch_add(1, Ordering::SeqCst);
                    slot.rest(false);
                    Self(slot)
                })
                .collect()
        }
    }

    impl Drop for Held {
        fn drop(&mut self) {
            if self.0.listeners.fetch_sub(1, Ordering::SeqCst) == 1 {
                self.0.rest(true);
            }
        }
    }

    /// Whether a signal would end this process now: nobody catches or ignores it. Known on Linux only;
    /// elsewhere the answer is no, and nothing is carried out by hand.
    fn has_default(number: i32) -> bool {
        let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return false };
        let bit = 1_u64 << (number - 1);
        let is_clear = |name: &str| {
            let mask = status.lines().find_map(|line| line.strip_prefix(name));
            let mask = mask.and_then(|text| u64::from_str_radix(text.trim(), 16).ok());
            mask.is_some_and(|mask| mask & bit == 0)
        };
        is_clear("SigCgt:") && is_clear("SigIgn:")
    }
}

#[cfg(not(unix))]
#[derive(Debug)]
pub(super) struct Signals;

#[cfg(not(unix))]
impl Signals {
    #[expect(clippy::unnecessary_wraps, reason = "the other platform can fail")]
    pub(super) fn listen(_with_hangup: bool) -> Result<Self> {
        Ok(Self)
    }

    pub(super) async fn next(&mut self) -> ShutdownSignal {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        ShutdownSignal::Interrupt
    }

    pub(super) fn let_go(&mut self) {}
}
