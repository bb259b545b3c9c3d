//! Creating requests that may be repeated: the same key with the same request gets the same answer.

use band_core::platform::{Principal, Refusal};
use band_wire::rest::{Issues, code};
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::{App, AppResult};
use crate::store::{Answered, Scope, StoreError};

/// The longest key, in bytes.
const MAX_KEY: usize = 255;

/// How long an answer is kept, in microseconds: 24 h.
pub(super) const KEPT: i64 = 24 * 60 * 60 * 1_000_000;

/// The request is not run again, and what it was answered with is not there any more.
pub(super) const LOST: &str = "The request was carried out before, and its answer can't be given again";

/// One creating request with its key, of one caller on one route.
pub(super) struct Once {
    who: Principal,
    route: String,
    key: String,
    request_hash: [u8; 32],
}

impl Once {
    /// Reads the key; none when the caller gave none.
    pub(super) fn read(
        who: Principal,
        route: String,
        key: Option<String>,
        request: &impl Serialize,
    ) -> Result<Option<Self>, Refusal> {
        let Some(key) = key else { return Ok(None) };
        if key.is_empty() || key.len() > MAX_KEY || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            let text = format!("should be 1 to {MAX_KEY} printable ASCII characters without spaces");
            return Err(Refusal::invalid(Issues::one("/idempotency-key", text)));
        }
        let request = serde_json::to_vec(request).unwrap_or_default();
        Ok(Some(Self { who, route, key, request_hash: *blake3::hash(&request).as_bytes() }))
    }

    /// The answer that was given before, if the key has been seen within 24 h.
    pub(super) fn replay<T: DeserializeOwned>(&self, scope: &Scope<'_>) -> AppResult<Option<T>> {
        let caller = self.who.participant();
        let stored = scope.view().stored_answer(caller, &self.route, &self.key)?;
        let oldest = scope.now().as_micros().saturating_sub(KEPT);
        let Some(stored) = stored.filter(|stored| stored.inserted_at.as_micros() > oldest) else {
            return Ok(None);
        };
        if stored.request_hash != self.request_hash {
            let message = "The idempotency key was used for another request";
            return Err(conflict(message, stored.resource).into());
        }
        // Another version may have kept it. What it tells of is there, so the request is not run again.
        let answer = serde_json::from_str(&stored.answer).map_err(|error| {
            tracing::warn!(error = &error as &dyn std::error::Error, "an answer that was kept can't be read");
            conflict(LOST, stored.resource)
        })?;
        Ok(Some(answer))
    }

    /// Keeps an answer, in the same transaction as what it tells of.
    pub(super) fn keep(
        &self,
        scope: &mut Scope<'_>,
        resource: Uuid,
        answer: &impl Serialize,
    ) -> Result<(), StoreError> {
        let answer = serde_json::to_string(answer).unwrap_or_default();
        scope.keep_answer(&Answered {
            caller: self.who.participant(),
            route: &self.route,
            key: &self.key,
            request_hash: self.request_hash,
            resource,
            answer: &answer,
        })
    }
}

pub(super) fn conflict(message: &'static str, resource: Uuid) -> Refusal {
    Refusal {
        status: 409,
        code: code::IDEMPOTENCY_CONFLICT,
        message: message.into(),
        details: Some(Issues::one("id", resource.to_string())),
    }
}

impl App {
    /// Runs a creating request: gives the answer from before, or creates and keeps the answer. Every creating
    /// route passes here; without a key the request is just carried out.
    pub(super) async fn once<T>(
        &self,
        once: Option<Once>,
        id: impl FnOnce(&T) -> Uuid + Send + 'static,
        create: impl FnOnce(&mut Scope<'_>) -> AppResult<T> + Send + 'static,
    ) -> AppResult<T>
    where
        T: Serialize + DeserializeOwned + Send + 'static,
    {
        let command = move |scope: &mut Scope<'_>| {
            let Some(once) = once else { return create(scope) };
            if let Some(answer) = once.replay(scope)? {
                return Ok(answer);
            }
            let answer = create(scope)?;
            once.keep(scope, id(&answer), &answer)?;
            Ok(answer)
        };
        self.store().write(command).await
    }
}
