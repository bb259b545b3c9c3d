//! The forms in which models are asked and answer.

mod anthropic;
mod chat;
mod gemini;
mod responses;

use axum::http::{HeaderMap, HeaderValue};
use serde_json::Value;

use super::check::{self, Refused};
use super::state::Minted;
use super::step::Answer;

/// The form of a request: which provider's it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Dialect {
    /// `POST …/chat/completions`.
    Chat,
    /// `POST …/responses`.
    Responses,
    /// `POST …/v1/messages`.
    Anthropic,
    /// `POST …/models/{model}:generateContent`, or `:streamGenerateContent`.
    Gemini,
}

/// One event of a stream.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Event {
    pub(super) name: Option<&'static str>,
    pub(super) data: String,
}

impl Event {
    fn data(value: &Value) -> Self {
        Self { name: None, data: value.to_string() }
    }

    fn named(name: &'static str, value: &Value) -> Self {
        Self { name: Some(name), data: value.to_string() }
    }

    /// As it goes over the wire.
    pub(super) fn to_text(&self) -> String {
        match self.name {
            Some(name) => format!("event: {name}\ndata: {}\n\n", self.data),
            None => format!("data: {}\n\n", self.data),
        }
    }
}

/// What is asked: the dialect, and of Gemini what stands in the path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) dialect: Dialect,
    path_model: Option<String>,
    streams_by_path: bool,
}

impl Asked {
    /// By the path, without its query.
    pub(super) fn of(path: &str) -> Option<Self> {
        let plain = |dialect| Some(Self::bare(dialect));
        if path.ends_with("/chat/completions") {
            return plain(Dialect::Chat);
        }
        if path.ends_with("/responses") {
            return plain(Dialect::Responses);
        }
        if path.ends_with("/v1/messages") {
            return plain(Dialect::Anthropic);
        }
        let (_, rest) = path.split_once("/models/")?;
        let (model, verb) = rest.split_once(':')?;
        let streams_by_path = match verb {
            "generateContent" => false,
            "streamGenerateContent" => true,
            _ => return None,
        };
        Some(Self { dialect: Dialect::Gemini, path_model: Some(model.to_owned()), streams_by_path })
    }

    /// Without a path.
    pub(super) const fn bare(dialect: Dialect) -> Self {
        Self { dialect, path_model: None, streams_by_path: false }
    }

    /// What the provider would refuse about the body alone.
    pub(super) fn check_body(&self, body: &Value) -> Result<(), Refused> {
        let mut headers = HeaderMap::new();
        headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
        self.check(&headers, body, &Minted::believing())
    }

    /// Whether the answer is to come as events.
    pub(super) fn streams(&self, body: &Value) -> bool {
        self.streams_by_path || body.get("stream").and_then(Value::as_bool).unwrap_or_default()
    }

    /// The model that is asked.
    pub(super) fn model(&self, body: &Value) -> String {
        let named = || body.get("model").and_then(Value::as_str).map(str::to_owned);
        self.path_model.clone().or_else(named).unwrap_or_default()
    }

    /// What the provider would refuse.
    pub(super) fn check(&self, headers: &HeaderMap, body: &Value, minted: &Minted) -> Result<(), Refused> {
        match self.dialect {
            Dialect::Chat => check::chat::request(body),
            Dialect::Responses => check::responses::request(body, minted),
            Dialect::Anthropic => check::anthropic::request(headers, body, minted),
            Dialect::Gemini => check::gemini::request(body, minted),
        }
    }

    /// The answer in one piece.
    pub(super) fn whole(&self, model: &str, answer: &Answer, minted: &mut Minted) -> Value {
        match self.dialect {
            Dialect::Chat => chat::whole(model, answer, minted),
            Dialect::Responses => responses::whole(model, answer, minted),
            Dialect::Anthropic => anthropic::whole(model, answer, minted),
            Dialect::Gemini => gemini::whole(model, answer, minted),
        }
    }

    /// The answer as events.
    pub(super) fn events(&self, body: &Value, answer: &Answer, minted: &mut Minted) -> Vec<Event> {
        let model = self.model(body);
        match self.dialect {
            Dialect::Chat => chat::events(body, &model, answer, minted),
            Dialect::Responses => responses::events(&responses::whole(&model, answer, minted)),
            Dialect::Anthropic => anthropic::events(&anthropic::whole(&model, answer, minted)),
            Dialect::Gemini => gemini::events(&model, answer, minted),
        }
    }

    /// The body of a refusal.
    pub(super) fn refusal(&self, refused: &Refused) -> Value {
        match self.dialect {
            Dialect::Chat | Dialect::Responses => chat::refusal(refused),
            Dialect::Anthropic => anthropic::refusal(refused),
            Dialect::Gemini => gemini::refusal(refused),
        }
    }

    /// What the provider says to a key that it does not know.
    pub(super) fn unauthorized(&self) -> Refused {
        let (status, kind, code) = match self.dialect {
            Dialect::Chat | Dialect::Responses => (401, "invalid_request_error", Some("invalid_api_key")),
            Dialect::Anthropic => (401, "authentication_error", None),
            Dialect::Gemini => (400, "INVALID_ARGUMENT", None),
        };
        let message = "the API key is not valid".to_owned();
        Refused { status, kind: kind.to_owned(), code: code.map(str::to_owned), message }
    }

    /// What the provider says to a body that is no JSON.
    pub(super) fn unreadable(&self) -> Refused {
        let kind = if self.dialect == Dialect::Gemini { "INVALID_ARGUMENT" } else { "invalid_request_error" };
        let message = "the body of the request is not valid JSON".to_owned();
        Refused { status: 400, kind: kind.to_owned(), code: None, message }
    }

    /// What the provider says of a conversation that is too long.
    pub(super) fn overflow(&self) -> Refused {
        let (kind, code, message) = match self.dialect {
            Dialect::Chat | Dialect::Responses => (
                "invalid_request_error",
                Some("context_length_exceeded"),
                "Your input exceeds the context window of this model.",
            ),
            Dialect::Anthropic => {
                ("invalid_request_error", None, "prompt is too long: 210000 tokens > 200000 maximum")
            }
            Dialect::Gemini => (
                "INVALID_ARGUMENT",
                None,
                "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).",
            ),
        };
        Refused {
            status: 400,
            kind: kind.to_owned(),
            code: code.map(str::to_owned),
            message: message.to_owned(),
        }
    }
}

/// A text in pieces of a few letters, as models write.
fn pieces(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(7).map(|piece| piece.iter().collect()).collect()
}
