//! Administration of the platform of a data directory: through the server that runs on it, or else by
//! opening its database.

mod running;
mod stored;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use band_server::server::{DirLock, LockError};
use band_server::store::DataDir;
use band_wire::rest::{
    CreateAgent, CreateSignInLink, CreateUser, CreatedUser, IssuedCredentials, SignInLink, routes,
};

use crate::exit::{Exit, Failure};
use running::Running;
use stored::Stored;

/// The platform of a data directory.
#[derive(Debug)]
pub(crate) enum Admin {
    /// Its server.
    Running(Running),
    /// Its database, held for this command alone.
    Stored(Stored),
}

impl Admin {
    /// Finds the server, or opens the database, which is made where there is none.
    pub(crate) async fn open(data: &Path) -> Result<Self> {
        let dir = DataDir::open(data)?;
        match DirLock::take(dir.path()) {
            Ok(lock) => {
                let stored = Stored::open(&dir, lock).await;
                Ok(Self::Stored(stored.with_context(|| format!("data directory {}", data.display()))?))
            }
            Err(LockError::Held { server: Some(server), .. }) => Ok(Self::Running(Running::new(&server)?)),
            Err(LockError::Held { server: None, .. }) => Err(Failure::with(
                Exit::Error,
                format!(
                    "data directory {}: another process uses it, and its server.json does not say where; try again, \
                     and if a server runs on it, stop that one first",
                    data.display()
                ),
            )),
            Err(error) => Err(error).with_context(|| format!("data directory {}", data.display())),
        }
    }

    /// The address of the server, where one runs.
    pub(crate) fn base_url(&self) -> Option<&str> {
        match self {
            Self::Running(running) => Some(running.base_url()),
            Self::Stored(_) => None,
        }
    }

    pub(crate) async fn add_user(&self, request: CreateUser) -> Result<CreatedUser> {
        match self {
            Self::Running(running) => running.post(routes::ADMIN_USERS, &request).await,
            Self::Stored(stored) => stored.add_user(&request).await,
        }
    }

    pub(crate) async fn add_agent(&self, request: CreateAgent) -> Result<IssuedCredentials> {
        match self {
            Self::Running(running) => running.post(routes::ADMIN_AGENTS, &request).await,
            Self::Stored(stored) => stored.add_agent(&request).await,
        }
    }

    pub(crate) async fn sign_in_link(&self, request: CreateSignInLink) -> Result<SignInLink> {
        match self {
            Self::Running(running) => running.post(routes::ADMIN_SIGN_IN_LINKS, &request).await,
            Self::Stored(stored) => stored.sign_in_link(&request).await,
        }
    }
}

/// A refusal of the platform: field by field where it says which, else its message; with the exit code that
/// its status asks for.
fn refusal(status: u16, message: &str, details: Option<&BTreeMap<String, Vec<String>>>) -> anyhow::Error {
    let text = words(message, details);
    match status {
        401 | 403 => Failure::with(Exit::Refused, text),
        404 | 409 | 422 => Failure::usage(text),
        _ => anyhow!(text),
    }
}

fn words(message: &str, details: Option<&BTreeMap<String, Vec<String>>>) -> String {
    let field = |pointer: &str| pointer.rsplit('/').next().unwrap_or(pointer).replace('_', " ");
    let lines = details
        .into_iter()
        .flatten()
        .map(|(pointer, texts)| format!("{} {}", field(pointer), texts.join(", ")));
    let text = lines.collect::<Vec<_>>().join("; ");
    if text.is_empty() { message.to_owned() } else { text }
}
