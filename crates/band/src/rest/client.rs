//! One client for all rooms of an agent: the connections, the gate, the retries.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use band_core::backoff::Dice;
use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue, USER_AGENT};
use http::{Method, Request, StatusCode};
use secrecy::ExposeSecret;
use serde::Serialize;
use tokio::time::{Instant, sleep, timeout};

use super::answer::{Answer, Unreadable};
use super::config::{BaseUrl, RestConfig};
use super::gate::{Gate, Lane};
use super::retry::{Failure, Pace, Patience, Policy, Retry};
use super::transport::{self, Lost, Transport};
use super::waiting::Waiting;
use crate::error::{ConnectionError, Error, Result};

const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// A client of the Agent API. Clones share connections, gate and retry state.
#[derive(Clone)]
pub struct RestClient(pub(super) Arc<Inner>);

pub(super) struct Inner {
    transport: Arc<dyn Transport>,
    /// Marked as sensitive. It goes with each request: the connections may be shared with other agents.
    api_key: HeaderValue,
    base: BaseUrl,
    gate: Gate,
    dice: Mutex<Dice>,
    pace: Pace,
    timeout: Duration,
    pub(super) mark_timeout: Duration,
    /// Whether the platform is known to honour idempotency keys.
    honours_keys: AtomicBool,
    waiting: Waiting,
}

impl fmt::Debug for RestClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RestClient").field("base_url", &self.0.base.text).finish_non_exhaustive()
    }
}

/// One call, before its first attempt.
#[derive(Debug)]
pub(super) struct Call {
    method: Method,
    path: String,
    query: Vec<(&'static str, String)>,
    body: Option<Bytes>,
    content_type: &'static str,
    headers: Vec<(HeaderName, HeaderValue)>,
    idempotency_key: Option<HeaderValue>,
    policy: Policy,
    patience: Patience,
    lane: Lane,
    timeout: Option<Duration>,
}

impl Call {
    fn new(method: Method, path: impl Into<String>, policy: Policy) -> Self {
        Self {
            method,
            path: path.into(),
            query: Vec::new(),
            body: None,
            content_type: "application/json",
            headers: Vec::new(),
            idempotency_key: None,
            policy,
            patience: Patience::Short,
            lane: Lane::Work,
            timeout: None,
        }
    }

    pub(super) fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path, Policy::Repeatable)
    }

    pub(super) fn post(path: impl Into<String>, policy: Policy) -> Self {
        Self::new(Method::POST, path, policy)
    }

    pub(super) fn put(path: impl Into<String>, policy: Policy) -> Self {
        Self::new(Method::PUT, path, policy)
    }

    pub(super) fn delete(path: impl Into<String>) -> Self {
        Self::new(Method::DELETE, path, Policy::Unkeyed)
    }

    pub(super) const fn in_lane(mut self, lane: Lane) -> Self {
        self.lane = lane;
        self
    }

    pub(super) const fn once(mut self) -> Self {
        self.policy = Policy::Once;
        self
    }

    /// What it brings must not be lost.
    pub(super) const fn patient(mut self) -> Self {
        self.patience = Patience::Long;
        self
    }

    pub(super) const fn within(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    pub(super) fn query(mut self, name: &'static str, value: Option<impl ToString>) -> Self {
        self.query.extend(value.map(|value| (name, value.to_string())));
        self
    }

    pub(super) fn json(mut self, body: &impl Serialize) -> Result<Self> {
        let bytes = serde_json::to_vec(body)
            .map_err(|err| Error::Config(format!("the body of {} can't be written: {err}", self.path)))?;
        self.body = Some(bytes.into());
        Ok(self)
    }

    /// With a body that is no JSON.
    pub(super) fn bytes(mut self, body: Bytes, content_type: &'static str) -> Self {
        self.body = Some(body);
        self.content_type = content_type;
        self
    }

    pub(super) fn header(mut self, name: &'static str, value: &str) -> Result<Self> {
        let value = HeaderValue::from_str(value)
            .map_err(|_| Error::Config(format!("{name}: {value:?}: only visible ASCII is allowed")))?;
        self.headers.push((HeaderName::from_static(name), value));
        Ok(self)
    }

    /// A call that creates something: repeated freely under a key, and hardly at all without.
    pub(super) fn keyed(mut self, key: Option<&str>) -> Result<Self> {
        let Some(key) = key else { return Ok(self) };
        let value = HeaderValue::from_str(key)
            .map_err(|_| Error::Config(format!("idempotency key {key:?}: only visible ASCII is allowed")))?;
        self.idempotency_key = Some(value);
        self.policy = Policy::Keyed;
        Ok(self)
    }
}

impl RestClient {
    /// The platform, as a text may show it.
    pub(crate) fn address(&self) -> &str {
        &self.0.base.text
    }

    /// Makes a client; nothing is sent.
    ///
    /// # Errors
    /// The address or the key can't be used, or TLS can't be set up.
    pub fn new(config: RestConfig) -> Result<Self> {
        Self::with_pace(config, Pace::DEFAULT)
    }

    pub(super) fn with_pace(config: RestConfig, pace: Pace) -> Result<Self> {
        let RestConfig { base_url, api_key, timeout, mark_timeout, transport, gates, seed, honours_keys } =
            config;
        let honours_keys = AtomicBool::new(honours_keys);
        let base = BaseUrl::parse(&base_url)?;
        let mut api_key = HeaderValue::from_str(api_key.expose_secret().trim())
            .map_err(|_| Error::Config("api_key: only visible ASCII is allowed".to_owned()))?;
        api_key.set_sensitive(true);
        let transport = transport.unwrap_or_else(transport::network);
        transport.prepare(&base.uri)?;
        let seed = seed.unwrap_or_else(crate::seed);
        let gate = gates.gate(&base.text);
        let dice = Mutex::new(Dice::new(seed));
        let waiting = Waiting::default();
        let inner = Inner {
            transport,
            api_key,
            base,
            gate,
            dice,
            pace,
            timeout,
            mark_timeout,
            honours_keys,
            waiting,
        };
        Ok(Self(Arc::new(inner)))
    }

    /// Makes a call, with as many attempts as its policy allows. Gives successes alone.
    pub(super) async fn call(&self, call: Call) -> Result<Answer> {
        self.ask(call, Ok).await
    }

    /// The same for a body that is to be read. One that can't be is a failed attempt like others, as far as the
    /// call may be repeated.
    pub(super) async fn ask<T>(
        &self,
        call: Call,
        read: impl Fn(Answer) -> Result<T, Unreadable>,
    ) -> Result<T> {
        let started = Instant::now();
        let policy = self.policy(&call);
        let mut retry = Retry::new(policy, call.patience, self.0.pace);
        let mut place = None;
        loop {
            let (failure, error) = match self.0.attempt(&call).await {
                Ok(answer) if answer.status.is_success() => match read(answer) {
                    Ok(value) => return Ok(value),
                    Err(unreadable) => unreadable.failed(),
                },
                Ok(answer) => refused(&answer),
                Err(lost) => lost,
            };
            let delay = {
                let mut dice = self.0.dice.lock().unwrap_or_else(PoisonError::into_inner);
                retry.after(failure, started.elapsed(), &mut dice)
            };
            let Some(delay) = delay else { return Err(policy.judge(failure, error)) };
            tracing::debug!(method = %call.method, path = call.path, ?delay, %error, "call failed, trying again");
            if retry.is_waiting() {
                place.get_or_insert_with(|| self.0.waiting.begin(self.0.pace.patience, &error));
            }
            sleep(delay).await;
        }
    }

    /// A key is worth what the platform makes of it.
    fn policy(&self, call: &Call) -> Policy {
        match call.policy {
            Policy::Keyed if !self.honours_keys() => Policy::Unkeyed,
            policy => policy,
        }
    }

    /// Whether the platform is known to honour idempotency keys: [`me`](Self::me) has told, or the configuration.
    pub fn honours_keys(&self) -> bool {
        self.0.honours_keys.load(Ordering::Relaxed)
    }

    pub(super) fn learn_keys(&self, honoured: bool) {
        self.0.honours_keys.store(honoured, Ordering::Relaxed);
    }

    /// A key that no other request of this client has.
    pub(super) fn fresh_key(&self) -> String {
        let mut dice = self.0.dice.lock().unwrap_or_else(PoisonError::into_inner);
        format!("{:016x}{:016x}", dice.roll(), dice.roll())
    }

    /// Like [`call`](Self::call), with one limit for the whole of it.
    pub(super) async fn call_within(&self, call: Call, limit: Duration) -> Result<Answer> {
        let what = call.what();
        match timeout(limit, self.call(call)).await {
            Ok(answer) => answer,
            Err(elapsed) => Err(ConnectionError::new(what, elapsed).into()),
        }
    }
}

impl Call {
    /// For errors: the method and the path, never the query.
    fn what(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

fn refused(answer: &Answer) -> (Failure, Error) {
    let api = answer.refusal();
    (Failure::Status { status: api.status_code, retry_after: api.retry_after }, api.into())
}

impl Unreadable {
    fn failed(self) -> (Failure, Error) {
        (Failure::Unreadable { is_foreign: self.is_foreign }, (*self.error).into())
    }
}

impl Inner {
    /// The address of a call. The base was checked, so what can't be joined to it is left to the client to
    /// refuse.
    fn url(&self, call: &Call) -> String {
        let text = format!("{}{}", self.base.text, call.path);
        if call.query.is_empty() {
            return text;
        }
        match reqwest::Url::parse_with_params(&text, &call.query) {
            Ok(url) => url.into(),
            Err(_) => text,
        }
    }

    async fn attempt(&self, call: &Call) -> Result<Answer, (Failure, Error)> {
        let _permit = self.gate.pass(call.lane).await;
        let limit = call.timeout.unwrap_or(self.timeout);
        let failed = |failure, text: String| (failure, ConnectionError::new(call.what(), text).into());
        let request = self.request(call).map_err(|err| failed(Failure::Unsent, err.to_string()))?;
        let started = Instant::now();
        match timeout(limit, self.transport.carry(request)).await {
            Ok(Ok(response)) => {
                let answer = Answer::new(response);
                match answer.status {
                    StatusCode::TOO_MANY_REQUESTS => self.gate.limited(answer.refusal().retry_after),
                    _ => self.gate.answered(),
                }
                tracing::trace!(method = %call.method, path = call.path, status = answer.status.as_u16(),
                    elapsed = ?started.elapsed(), "call answered");
                Ok(answer)
            }
            Ok(Err(Lost::Unsent(text))) => Err(failed(Failure::Unsent, text)),
            Ok(Err(Lost::Broken(text))) => Err(failed(Failure::Broken, text)),
            Err(_) => Err(failed(Failure::Broken, format!("no answer within {limit:?}"))),
        }
    }

    fn request(&self, call: &Call) -> Result<Request<Bytes>, http::Error> {
        let mut request = Request::builder()
            .method(call.method.clone())
            .uri(self.url(call))
            .header(API_KEY, self.api_key.clone())
            .header(ACCEPT, "application/json")
            .header(USER_AGENT, crate::USER_AGENT);
        if call.body.is_some() {
            request = request.header(CONTENT_TYPE, call.content_type);
        }
        for (name, value) in &call.headers {
            request = request.header(name, value);
        }
        if let Some(key) = &call.idempotency_key {
            request = request.header(IDEMPOTENCY_KEY, key.clone());
        }
        request.body(call.body.clone().unwrap_or_default())
    }
}

/// Whether an answer has no body by its status.
pub(super) fn is_empty(answer: &Answer) -> bool {
    answer.status == StatusCode::NO_CONTENT
}
