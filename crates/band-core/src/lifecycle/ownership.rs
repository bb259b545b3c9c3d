//! Who may use an adapter that has callbacks to release what it uses.

/// A host of an adapter: one agent, through all its starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostId(pub u64);

/// Why a step was refused. The texts are part of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// A callback came after a start.
    #[error("Register cleanup before starting the host")]
    TooLate,
    /// Another host uses the adapter.
    #[error("Adapter is already in use by another host; use that host or build a separate adapter")]
    InUse,
    /// Its resources are gone.
    #[error("Adapter resources are disposed; build fresh resources, tool closures, adapter and host")]
    Disposed,
    /// Some of its resources are gone, others could not be released.
    #[error("Adapter cleanup is incomplete; retry stop() or shutdown() on the same host")]
    Incomplete,
    /// Only the owner disposes.
    #[error("Adapter resource disposal requires ownership; start the host before disposing resources")]
    NotOwned,
    /// The adapter was to start while its resources are released.
    #[error(
        "Host disposal has started; retry its cleanup, then build a fresh lifetime for registered resources"
    )]
    Disposing,
}

/// The life of an adapter's callbacks.
///
/// | state | register | accept a host | start the adapter | dispose |
/// |---|---|---|---|---|
/// | open | yes | yes: sealed, and owned if there are callbacks | – | not owned |
/// | sealed, without callbacks | too late | yes, any host, any time | yes | nothing to do |
/// | owned | too late | the owner; others: in use | yes | begins |
/// | disposing | too late | the owner: incomplete; others: in use | disposing | goes on |
/// | disposed | too late | disposed | disposing | nothing to do |
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ownership {
    state: State,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Open,
    Sealed,
    Owned(HostId),
    Disposing(HostId),
    Disposed,
}

impl Ownership {
    /// Whether a callback may still be registered.
    ///
    /// # Errors
    /// A host has started.
    pub fn register(&self) -> Result<(), Refused> {
        match self.state {
            State::Open => Ok(()),
            _ => Err(Refused::TooLate),
        }
    }

    /// A host is about to start. Says whether it owns callbacks now, which it has to dispose of at its end.
    ///
    /// # Errors
    /// Another host owns the adapter, or its resources are gone.
    pub fn accept(&mut self, host: HostId, has_callbacks: bool) -> Result<bool, Refused> {
        match self.state {
            State::Open if has_callbacks => self.state = State::Owned(host),
            State::Open | State::Sealed => self.state = State::Sealed,
            State::Owned(owner) if owner == host => {}
            State::Disposing(owner) if owner == host => return Err(Refused::Incomplete),
            State::Owned(_) | State::Disposing(_) => return Err(Refused::InUse),
            State::Disposed => return Err(Refused::Disposed),
        }
        Ok(matches!(self.state, State::Owned(_)))
    }

    /// Whether the adapter may start now.
    ///
    /// # Errors
    /// Its resources are being released, or are gone.
    pub fn starts(&self) -> Result<(), Refused> {
        match self.state {
            State::Disposing(_) | State::Disposed => Err(Refused::Disposing),
            State::Open | State::Sealed | State::Owned(_) => Ok(()),
        }
    }

    /// The callbacks are about to run.
    ///
    /// # Errors
    /// This host does not own them.
    pub fn dispose(&mut self, host: HostId) -> Result<(), Refused> {
        match self.state {
            State::Owned(owner) | State::Disposing(owner) if owner == host => {
                self.state = State::Disposing(host);
                Ok(())
            }
            State::Sealed | State::Disposed => Ok(()),
            State::Open | State::Owned(_) | State::Disposing(_) => Err(Refused::NotOwned),
        }
    }

    /// The last callback has run.
    pub const fn disposed(&mut self) {
        if let State::Disposing(_) = self.state {
            self.state = State::Disposed;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: HostId = HostId(1);
    const THEM: HostId = HostId(2);

    #[test]
    fn an_adapter_with_callbacks_serves_one_host_until_they_have_run() {
        let mut ownership = Ownership::default();
        assert_eq!(ownership.register(), Ok(()));
        assert_eq!(ownership.dispose(US), Err(Refused::NotOwned));
        assert_eq!(ownership.accept(US, true), Ok(true));
        assert_eq!(ownership.register(), Err(Refused::TooLate));
        assert_eq!(ownership.accept(THEM, true), Err(Refused::InUse));
        assert_eq!(ownership.accept(US, true), Ok(true), "the same host again");
        assert_eq!(ownership.starts(), Ok(()));
        assert_eq!(ownership.dispose(THEM), Err(Refused::NotOwned));
        assert_eq!(ownership.dispose(US), Ok(()));
        assert_eq!(ownership.accept(US, true), Err(Refused::Incomplete));
        assert_eq!(ownership.accept(THEM, true), Err(Refused::InUse));
        assert_eq!(ownership.starts(), Err(Refused::Disposing));
        assert_eq!(ownership.dispose(US), Ok(()), "again, what failed");
        ownership.disposed();
        assert_eq!(ownership.accept(US, true), Err(Refused::Disposed));
        assert_eq!(ownership.accept(THEM, true), Err(Refused::Disposed));
    }

    #[test]
    fn an_adapter_without_callbacks_may_start_again_and_is_owned_by_nobody() {
        let mut ownership = Ownership::default();
        assert_eq!(ownership.accept(US, false), Ok(false));
        assert_eq!(ownership.accept(THEM, false), Ok(false));
        assert_eq!(ownership.dispose(US), Ok(()));
        ownership.disposed();
        assert_eq!(ownership.accept(US, false), Ok(false));
        assert_eq!(ownership.register(), Err(Refused::TooLate));
    }
}
