//! The adapters of the suite.

use std::time::Duration;

use band::BoxedAdapter;
use band_adapters::anthropic::{Anthropic, Thinking};
use band_adapters::gemini::Gemini;
use band_adapters::generic::Generic;
use band_adapters::openai::{Chat, Responses};
use band_adapters::{DynModel, Model, ModelAdapter, ModelRequest};
use band_testkit::{Dialect, ModelServer};

use super::Setup;

/// One adapter under test.
pub(crate) struct Subject {
    /// As the table of the docs names it.
    pub(crate) name: &'static str,
    pub(crate) dialect: Dialect,
    /// Whether a final text is relayed.
    pub(crate) relays: bool,
    /// Whether its provider wants thoughts back.
    pub(crate) keeps_thoughts: bool,
    /// Whether answers come as events.
    pub(crate) streams: bool,
    pub(crate) make: fn(&ModelServer, Setup) -> BoxedAdapter,
}

/// The key that all of them have.
pub(crate) const KEY: &str = "sk-very-secret";
/// How long nothing may come.
pub(crate) const STALL: Duration = Duration::from_millis(300);

fn boxed<M: Model>(mut adapter: ModelAdapter<M>, setup: Setup) -> BoxedAdapter {
    adapter = adapter.instructions("Be brief.");
    if let Some(features) = setup.features {
        adapter = adapter.features(features);
    }
    if let Some(rounds) = setup.rounds {
        adapter = adapter.max_tool_rounds(rounds);
    }
    for tool in setup.tools {
        adapter = adapter.tool(tool);
    }
    BoxedAdapter::new(adapter)
}

fn chat(model: &ModelServer, setup: &Setup) -> Chat {
    let adapter = Chat::new("m").base_url(model.openai_url()).provider_key(KEY).stall_timeout(STALL);
    adapter.retry_limit(setup.patience())
}

fn responses(model: &ModelServer, setup: &Setup) -> Responses {
    let adapter = Responses::new("m").base_url(model.openai_url()).provider_key(KEY).stall_timeout(STALL);
    adapter.retry_limit(setup.patience())
}

fn anthropic(model: &ModelServer, setup: &Setup) -> Anthropic {
    let adapter = Anthropic::new("m").base_url(model.url()).provider_key(KEY).stall_timeout(STALL);
    let adapter = adapter.retry_limit(setup.patience());
    if setup.thinking { adapter.thinking(Thinking::Budget(1024)) } else { adapter }
}

fn gemini(model: &ModelServer, setup: &Setup) -> Gemini {
    let adapter = Gemini::new("m").base_url(model.url()).provider_key(KEY).stall_timeout(STALL);
    adapter.retry_limit(setup.patience())
}

pub(crate) const CHAT: Subject = Subject {
    name: "openai: Chat Completions",
    dialect: Dialect::Chat,
    relays: true,
    keeps_thoughts: false,
    streams: true,
    make: |model, setup| boxed(chat(model, &setup), setup),
};
pub(crate) const CHAT_WHOLE: Subject = Subject {
    name: "in one piece",
    streams: false,
    make: |model, setup| boxed(chat(model, &setup).streaming(false), setup),
    ..CHAT
};
pub(crate) const RESPONSES: Subject = Subject {
    name: "openai: Responses",
    dialect: Dialect::Responses,
    relays: true,
    keeps_thoughts: true,
    streams: true,
    make: |model, setup| boxed(responses(model, &setup), setup),
};
pub(crate) const RESPONSES_WHOLE: Subject = Subject {
    name: "in one piece",
    streams: false,
    make: |model, setup| boxed(responses(model, &setup).streaming(false), setup),
    ..RESPONSES
};
pub(crate) const ANTHROPIC: Subject = Subject {
    name: "anthropic",
    dialect: Dialect::Anthropic,
    relays: false,
    keeps_thoughts: true,
    streams: true,
    make: |model, setup| boxed(anthropic(model, &setup), setup),
};
pub(crate) const ANTHROPIC_WHOLE: Subject = Subject {
    name: "in one piece",
    streams: false,
    make: |model, setup| boxed(anthropic(model, &setup).streaming(false), setup),
    ..ANTHROPIC
};
pub(crate) const GEMINI: Subject = Subject {
    name: "gemini",
    dialect: Dialect::Gemini,
    relays: false,
    keeps_thoughts: true,
    streams: true,
    make: |model, setup| boxed(gemini(model, &setup), setup),
};
pub(crate) const GEMINI_WHOLE: Subject = Subject {
    name: "in one piece",
    streams: false,
    make: |model, setup| boxed(gemini(model, &setup).streaming(false), setup),
    ..GEMINI
};
/// A function of one's own, here one that asks another model.
pub(crate) const GENERIC: Subject = Subject {
    name: "generic",
    make: |model, setup| {
        let inner: std::sync::Arc<Box<dyn DynModel>> =
            std::sync::Arc::new(Box::new(chat(model, &setup).into_model()));
        let next = move |request: ModelRequest| {
            let inner = std::sync::Arc::clone(&inner);
            async move { inner.next(request).await }
        };
        boxed(Generic::new(next), setup)
    },
    ..CHAT
};

/// Stamps a scenario, a function from a subject, on every adapter.
macro_rules! stamp {
    ($($scenario:ident),+ $(,)?) => {
        /// The scenarios that are stamped here.
        pub(super) const SCENARIOS: &[&str] = &[$(stringify!($scenario)),+];

        $crate::models::subjects::stamp!(@each chat = CHAT; $($scenario),+);
        $crate::models::subjects::stamp!(@each chat_whole = CHAT_WHOLE; $($scenario),+);
        $crate::models::subjects::stamp!(@each responses = RESPONSES; $($scenario),+);
        $crate::models::subjects::stamp!(@each responses_whole = RESPONSES_WHOLE; $($scenario),+);
        $crate::models::subjects::stamp!(@each anthropic = ANTHROPIC; $($scenario),+);
        $crate::models::subjects::stamp!(@each anthropic_whole = ANTHROPIC_WHOLE; $($scenario),+);
        $crate::models::subjects::stamp!(@each gemini = GEMINI; $($scenario),+);
        $crate::models::subjects::stamp!(@each gemini_whole = GEMINI_WHOLE; $($scenario),+);
        $crate::models::subjects::stamp!(@each generic = GENERIC; $($scenario),+);
    };
    (@each $module:ident = $subject:ident; $($scenario:ident),+) => {
        mod $module {
            $(#[tokio::test]
            async fn $scenario() {
                super::$scenario(&$crate::models::subjects::$subject).await;
            })+
        }
    };
}

pub(crate) use stamp;

/// All of them, in the order of the table.
pub(crate) const SUBJECTS: [&Subject; 9] = [
    &CHAT,
    &CHAT_WHOLE,
    &RESPONSES,
    &RESPONSES_WHOLE,
    &ANTHROPIC,
    &ANTHROPIC_WHOLE,
    &GEMINI,
    &GEMINI_WHOLE,
    &GENERIC,
];
