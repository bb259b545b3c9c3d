//! Administration of a platform whose server does not run: the same use cases, on the database itself.

use anyhow::{Result, anyhow};
use band_server::app::{App, AppError};
use band_server::bus::Nowhere;
use band_server::server::DirLock;
use band_server::store::DataDir;
use band_wire::rest::{
    Body, CreateAgent, CreateSignInLink, CreateUser, CreatedUser, FromBody, IssuedCredentials, SignInLink,
};
use serde::Serialize;

/// The platform of a directory. No server can start on it meanwhile.
#[derive(Debug)]
pub(crate) struct Stored {
    app: App,
    _lock: DirLock,
}

impl Stored {
    pub(super) async fn open(dir: &DataDir, lock: DirLock) -> Result<Self> {
        let app = App::open(dir, std::sync::Arc::new(Nowhere)).await?;
        Ok(Self { app, _lock: lock })
    }

    pub(super) async fn add_user(&self, request: &CreateUser) -> Result<CreatedUser> {
        self.app.create_user(strictly(request)?).await.map_err(refused)
    }

    pub(super) async fn add_agent(&self, request: &CreateAgent) -> Result<IssuedCredentials> {
        self.app.create_agent(strictly(request)?).await.map_err(refused)
    }

    pub(super) async fn sign_in_link(&self, request: &CreateSignInLink) -> Result<SignInLink> {
        self.app.create_sign_in_link(strictly(request)?).await.map_err(refused)
    }
}

/// The request as a server would read it off the wire, so that one set of rules holds for both ways.
fn strictly<T: FromBody + Serialize>(request: &T) -> Result<T> {
    T::from_body(serde_json::to_value(Body(request))?)
        .map_err(|issues| super::refusal(422, "", Some(&issues.into_map())))
}

fn refused(error: AppError) -> anyhow::Error {
    let AppError::Refused(refusal) = error else { return anyhow!(error) };
    let details = refusal.details.map(band_wire::rest::Issues::into_map);
    super::refusal(refusal.status, &refusal.message, details.as_ref())
}
