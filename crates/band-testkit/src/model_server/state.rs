//! What a model server remembers.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::Value;

use super::dialect::Dialect;
use super::recording::{Exchange, Recording};
use super::step::ModelStep;

/// A request that came, as it came.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SeenRequest {
    /// Which provider's form it has.
    pub dialect: Dialect,
    /// The path, with its query.
    pub path: String,
    /// The body.
    pub body: Value,
    /// What names whoever asks: `authorization`, `x-api-key` or `x-goog-api-key`.
    pub key: Option<String>,
    /// Which of these it was.
    pub key_header: Option<&'static str>,
    /// The other headers, by name in small letters.
    pub headers: BTreeMap<String, String>,
    /// The status of the answer.
    pub status: u16,
    /// What it was refused for, if the server found it wrong.
    pub refused: Option<String>,
}

/// Ids and signatures that the server gave out.
#[derive(Debug, Default)]
pub(super) struct Minted {
    next: u64,
    signatures: BTreeSet<String>,
    believes_all: bool,
}

impl Minted {
    /// Takes every signature for its own.
    pub(super) fn believing() -> Self {
        Self { believes_all: true, ..Self::default() }
    }

    /// A new id.
    pub(super) fn id(&mut self, kind: &str) -> String {
        self.next += 1;
        format!("{kind}_{:04}", self.next)
    }

    /// A signature that the server wants back as it is.
    pub(super) fn sign(&mut self, what: &str) -> String {
        self.next += 1;
        let length = what.chars().count();
        // Looks like base64, as the providers' own do.
        let signature = format!("c2lnbmVk{:04}{length:04}", self.next);
        self.signatures.insert(signature.clone());
        signature
    }

    /// Whether the server gave this out.
    pub(super) fn is_signed(&self, signature: &str) -> bool {
        self.believes_all || self.signatures.contains(signature)
    }
}

/// The script, and what came.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) script: VecDeque<ModelStep>,
    pub(super) seen: Vec<SeenRequest>,
    pub(super) minted: Minted,
    /// The key that is wanted.
    pub(super) key: Option<String>,
    /// What is left of a recording that is played.
    pub(super) replay: Option<VecDeque<Exchange>>,
    pub(super) recording: Recording,
}

impl State {
    /// The first step that is meant for this request.
    pub(super) fn next_step(&mut self, body: &Value) -> Option<ModelStep> {
        let text = body.to_string();
        let fits = |step: &ModelStep| step.when.as_ref().is_none_or(|wanted| text.contains(wanted));
        let at = self.script.iter().position(fits)?;
        self.script.remove(at)
    }
}
