//! What whoever owns the data folder may do: add people and agents, make keys and sign-in links.

use std::time::Duration;

use band_core::platform::people::{self, NewUser};
use band_core::platform::plan::User;
use band_core::platform::{Principal, Refusal, handles};
use band_wire::rest::{
    CreateAgent, CreateSignInLink, CreateUser, CreatedUser, FromBody, IssuedCredentials, IssuedKey,
    RegisterAgent, SignInLink,
};
use band_wire::{AgentId, Stamp, UserId};
use secrecy::ExposeSecret;
use serde_json::json;
use uuid::Uuid;

use super::register_agent::register;
use super::sessions::later;
use super::{App, AppResult};
use crate::keys::{NewKey, Purpose};
use crate::store::{Scope, StoreError, View};

/// How long a sign-in link is good: one hour.
pub const LINK_AGE: Duration = Duration::from_secs(60 * 60);

impl App {
    /// Adds a person, with a key that is shown this once. The first one administers the site.
    ///
    /// # Errors
    /// 422 for a name that can't be one.
    pub async fn create_user(&self, request: CreateUser) -> AppResult<CreatedUser> {
        let key = self.new_key(Purpose::UserKey)?;
        let command = move |scope: &mut Scope<'_>| {
            let view = scope.view();
            let new = NewUser { name: request.name, email: None, is_admin: view.has_no_users()? };
            // A look-up that fails counts as taken; the write then says why.
            let taken = |handle: &str| view.user_by_handle(handle).map_or(true, |user| user.is_some());
            let plan = people::add(UserId::new(Uuid::now_v7()), &new, scope.now(), taken)?;
            let user = scope.carry_out(plan)?;
            scope.add_key(&key.hash, &key.prefix, Principal::User(user.id))?;
            AppResult::Ok(CreatedUser { user: people::details(&user), credentials: shown(&key) })
        };
        self.store().write(command).await
    }

    /// Makes another key for a person, named by handle or id; for the first person when nobody is named.
    ///
    /// # Errors
    /// 404 when there is no such person.
    pub async fn issue_user_key(&self, user: Option<String>) -> AppResult<IssuedKey> {
        let key = self.new_key(Purpose::UserKey)?;
        let command = move |scope: &mut Scope<'_>| {
            let user = named(scope.view(), user.as_deref())?;
            scope.add_key(&key.hash, &key.prefix, Principal::User(user.id))?;
            AppResult::Ok(shown(&key))
        };
        self.store().write(command).await
    }

    /// Makes another key for an agent.
    ///
    /// # Errors
    /// 404 when there is no such agent.
    pub async fn issue_agent_key(&self, agent: AgentId) -> AppResult<IssuedKey> {
        let key = self.new_key(Purpose::AgentKey)?;
        let command = move |scope: &mut Scope<'_>| {
            let row = scope.view().agent(agent)?.ok_or_else(Refusal::not_found)?;
            scope.add_key(&key.hash, &key.prefix, Principal::Agent { id: row.id, owner: row.owner })?;
            AppResult::Ok(shown(&key))
        };
        self.store().write(command).await
    }

    /// Registers an agent for a person, named by handle or id; for the first person when nobody is named.
    ///
    /// # Errors
    /// 404 when there is no such person, 422 as in a registration.
    pub async fn create_agent(&self, request: CreateAgent) -> AppResult<IssuedCredentials> {
        let CreateAgent { owner, name, description } = request;
        let body = json!({"agent": {"name": name, "description": description}});
        let request = RegisterAgent::from_body(body).map_err(Refusal::invalid)?;
        let key = self.new_key(Purpose::AgentKey)?;
        let command = move |scope: &mut Scope<'_>| {
            let owner = named(scope.view(), owner.as_deref())?;
            register(scope, owner.id, request, &key)
        };
        self.store().write(command).await
    }

    /// Makes a link that signs a person in once, named by handle or id; the first person when nobody is
    /// named.
    ///
    /// # Errors
    /// 404 when there is no such person.
    pub async fn create_sign_in_link(&self, request: CreateSignInLink) -> AppResult<SignInLink> {
        let key = self.new_key(Purpose::SignInLink)?;
        let command = move |scope: &mut Scope<'_>| {
            let user = named(scope.view(), request.user.as_deref())?;
            let expires_at = later(scope.now(), LINK_AGE);
            scope.add_sign_in_link(&key.hash, user.id, expires_at)?;
            AppResult::Ok(SignInLink { token: key.text.expose_secret().to_owned(), expires_at })
        };
        self.store().write(command).await
    }

    /// Everyone of the site, the first one first.
    ///
    /// # Errors
    /// The store can't be asked.
    pub async fn users(&self) -> AppResult<Vec<User>> {
        self.store().read(|view| AppResult::Ok(view.users()?)).await
    }

    pub(super) fn new_key(&self, purpose: Purpose) -> Result<NewKey, StoreError> {
        let now = Stamp::from(jiff::Timestamp::now()).as_micros().div_euclid(1_000_000);
        self.keyring().issue(purpose, now).map_err(StoreError::Random)
    }
}

fn shown(key: &NewKey) -> IssuedKey {
    IssuedKey { api_key: key.text.expose_secret().to_owned() }
}

/// The person of a handle or an id; the first one when nobody is named.
fn named(view: View<'_>, name: Option<&str>) -> AppResult<User> {
    let Some(name) = name else {
        let first = view.users()?.into_iter().next();
        let missing =
            || Refusal::new(404, band_wire::rest::code::NOT_FOUND, "There is nobody yet: add a person first");
        return Ok(first.ok_or_else(missing)?);
    };
    let found = match name.parse::<UserId>() {
        Ok(id) => view.user(id)?,
        Err(_) => view.user_by_handle(&handles::canonical(name))?,
    };
    let missing = || {
        let name: String = name.chars().take(80).collect();
        Refusal::new(
            404,
            band_wire::rest::code::NOT_FOUND,
            format!("There is nobody with the handle or id {name}"),
        )
    };
    Ok(found.ok_or_else(missing)?)
}
