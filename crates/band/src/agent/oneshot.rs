//! What a one-shot host uses of an agent: adapter, key, settings, and the same cleanup. Neither lock nor journal
//! nor socket.

use std::sync::Arc;

use tokio::sync::Mutex;

use super::Agent;
use super::body::Body;
use super::failure;
use super::host::Host;
use crate::adapter::BoxedAdapter;
use crate::config::SessionConfig;
use crate::error::{Error, Result};
use crate::preprocess::BoxedPreprocessor;

pub(crate) use super::start::Known as Up;

/// An agent of which only the adapter lives.
#[derive(Clone)]
pub(crate) struct OneShotHost {
    host: Arc<Host>,
    session: Arc<SessionConfig>,
    /// What is still to be cleaned up.
    body: Arc<Mutex<Body>>,
}

impl Agent {
    /// For an agent that is not started otherwise.
    pub(crate) fn one_shot(&self) -> OneShotHost {
        let session = Arc::new(self.host.setup.session.clone());
        OneShotHost { host: Arc::clone(&self.host), session, body: Arc::default() }
    }
}

impl OneShotHost {
    /// Asks once who the agent is, and starts the adapter. What has to be cleaned up is noted.
    ///
    /// # Errors
    /// Another clone of the agent has the adapter; the platform or the adapter refuses.
    pub(crate) async fn start(&self) -> Result<Up> {
        let mut body = self.body.lock().await;
        let setup = &self.host.setup;
        self.host.take_adapter(&mut body)?;
        body.pending.callbacks = setup.cleanups.accept(self.host.id)?;
        let agent = setup.credentials.agent_id;
        let (rest, chance) = self.host.client()?;
        let me = rest.me().await?;
        if me.id != agent {
            return Err(Error::Config(format!("the key belongs to agent {}, not to agent {agent}", me.id)));
        }
        let up = self.host.known(rest, me, chance);
        body.pending.adapter = true;
        self.host.start_adapter(&up).await?;
        Ok(up)
    }

    /// Whether an earlier attempt left something.
    pub(crate) async fn is_unclean(&self) -> bool {
        let pending = &self.body.lock().await.pending;
        pending.adapter || pending.callbacks
    }

    /// Cleans the adapter up, then its callbacks. Gives what failed; the next attempt does only that.
    pub(crate) async fn clean_up(&self) -> Result<(), String> {
        let failures = self.body.lock().await.tear_down(&self.host, None).await;
        if failures.is_empty() { Ok(()) } else { Err(failure::told(&failures)) }
    }

    pub(crate) fn adapter(&self) -> &BoxedAdapter {
        &self.host.setup.adapter
    }

    pub(crate) fn preprocessor(&self) -> &BoxedPreprocessor {
        &self.host.setup.hooks.preprocessor
    }

    pub(crate) fn session(&self) -> Arc<SessionConfig> {
        Arc::clone(&self.session)
    }
}
