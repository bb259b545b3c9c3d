//! What handlers share.

use std::fmt;
use std::sync::Arc;

use secrecy::{ExposeSecret, SecretString};
use subtle::ConstantTimeEq;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::app::App;
use crate::socket::Switchboard;

/// The state of the router.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    pub(crate) app: App,
    pub(crate) board: Arc<Switchboard>,
    pub(crate) sockets: Sockets,
    pub(crate) admin: AdminToken,
}

/// Where the tasks of open sockets live, and what ends them at once. The server awaits them.
#[derive(Debug, Clone)]
pub(crate) struct Sockets {
    pub(crate) tasks: TaskTracker,
    pub(crate) hard: CancellationToken,
}

impl Context {
    pub(crate) fn new(
        app: App,
        board: Arc<Switchboard>,
        admin: AdminToken,
        hard: &CancellationToken,
    ) -> Self {
        let sockets = Sockets { tasks: TaskTracker::new(), hard: hard.clone() };
        Self { app, board, sockets, admin }
    }
}

/// What `/api/v1/admin` wants as a bearer token.
#[derive(Clone)]
pub(crate) struct AdminToken(Arc<SecretString>);

impl AdminToken {
    pub(crate) fn new(token: SecretString) -> Self {
        Self(Arc::new(token))
    }

    /// Takes as long for a near miss as for a far one.
    pub(crate) fn is(&self, given: &str) -> bool {
        self.0.expose_secret().as_bytes().ct_eq(given.as_bytes()).into()
    }
}

impl fmt::Debug for AdminToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AdminToken([REDACTED])")
    }
}
