//! Why a platform doesn't start, or ends badly.

use std::io;
use std::net::SocketAddr;

use super::LockError;
use crate::store::StoreError;

/// Why a platform doesn't start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// Another server uses the data directory, or it can't be locked.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// Someone listens there already.
    #[error("the address {0} is taken: choose another port")]
    AddressInUse(SocketAddr),
    /// The address can't be listened on.
    #[error("can't listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// The data directory or the store in it can't be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// `server.json` can't be written.
    #[error("can't write server.json: {0}")]
    File(io::Error),
    /// Random bytes could not be had.
    #[error("the system gives no random bytes: {0}")]
    Random(getrandom::Error),
}

impl StartError {
    pub(super) fn listen(address: SocketAddr, source: io::Error) -> Self {
        if source.kind() == io::ErrorKind::AddrInUse {
            Self::AddressInUse(address)
        } else {
            Self::Listen { address, source }
        }
    }
}

/// Why a platform ended badly.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// A defect; the log has it.
    #[error("the platform panicked; its log has the place")]
    Panicked,
}
