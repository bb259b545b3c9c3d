//! Sessions of browsers.

use std::time::Duration;

use band_wire::{Stamp, UserId};
use secrecy::{ExposeSecret, SecretString};

use super::{App, AppResult};
use crate::keys::Purpose;
use crate::store::Scope;

/// How long a session lasts: 30 days.
pub const SESSION_AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// A session that has begun.
#[derive(Debug)]
pub struct Session {
    /// What the browser keeps in its cookie.
    pub secret: SecretString,
    /// How long it lasts.
    pub max_age: Duration,
}

impl App {
    /// Uses a sign-in link up and begins a session; none when the link is unknown, used or too old.
    ///
    /// # Errors
    /// The store can't do it; the link stays good.
    pub async fn exchange_sign_in(&self, token: &str) -> AppResult<Option<Session>> {
        let Some(link) = self.keyring().hash(Purpose::SignInLink, token) else { return Ok(None) };
        let session = self.new_key(Purpose::Session)?;
        let command = move |scope: &mut Scope<'_>| {
            let Some(user) = scope.take_sign_in_link(&link)? else { return Ok(None) };
            let until = later(scope.now(), SESSION_AGE);
            scope.add_session(&session.hash, user, until)?;
            AppResult::Ok(Some(Session { secret: session.text, max_age: SESSION_AGE }))
        };
        self.store().write(command).await
    }

    /// Whose session this is; none when it is unknown or over.
    ///
    /// # Errors
    /// The store can't be asked.
    pub async fn session(&self, secret: &SecretString) -> AppResult<Option<UserId>> {
        let Some(hash) = self.keyring().hash(Purpose::Session, secret.expose_secret()) else {
            return Ok(None);
        };
        let now = Stamp::from(jiff::Timestamp::now());
        self.store().read(move |view| AppResult::Ok(view.session(&hash, now)?)).await
    }

    /// Ends a session. One that is unknown has ended already.
    ///
    /// # Errors
    /// The store can't do it.
    pub async fn end_session(&self, secret: &SecretString) -> AppResult<()> {
        let Some(hash) = self.keyring().hash(Purpose::Session, secret.expose_secret()) else { return Ok(()) };
        self.store().write(move |scope| AppResult::Ok(scope.end_session(&hash)?)).await
    }
}

/// A time so much after another.
pub(super) fn later(from: Stamp, by: Duration) -> Stamp {
    let by = i64::try_from(by.as_micros()).unwrap_or(i64::MAX);
    Stamp::from_micros(from.as_micros().saturating_add(by))
}
