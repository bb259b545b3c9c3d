//! Whatever a room has seen, no provider refuses what is rendered of it, and nothing that was said is lost.

use band_core::transcript::{Block, Call, Entry, Exchange, Exchanged, Opaque, Outcome, Said, Transcript};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{anthropic, chat, gemini, responses};
use crate::testing;

/// Something that happens to a transcript.
#[derive(Debug, Clone)]
enum Act {
    Peer(String, String),
    Update(String),
    Own(String),
    Exchange(Exchange),
    Cut(usize),
    EndTurn,
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![Just("hi".to_owned()), Just(" ".to_owned()), "\\PC{0,12}", "[a-z\\[\\]:\n ]{0,20}"]
}

/// Names and ids, some of which are one as soon as they are written in a provider's letters.
fn word() -> impl Strategy<Value = String> {
    let alike = proptest::sample::select(vec!["a.b", "a b", "a:b", "a_b"]).prop_map(str::to_owned);
    prop_oneof![
        2 => alike,
        4 => odd_word(),
    ]
}

fn odd_word() -> impl Strategy<Value = String> {
    prop_oneof![Just("f".to_owned()), Just(String::new()), "[a-z0-9_.: ü-]{0,6}", "[a-z]{60,150}"]
}

fn outcome() -> impl Strategy<Value = Outcome> {
    let image = prop_oneof![Just("image/png"), Just("image/tiff")]
        .prop_map(|kind| Block::Image { media_type: kind.to_owned(), data: "AAAA".to_owned() });
    let block = prop_oneof![3 => text().prop_map(Block::Text), 1 => image];
    (prop::collection::vec(block, 0..3), any::<bool>())
        .prop_map(|(blocks, is_error)| Outcome { blocks, is_error })
}

fn opaque() -> impl Strategy<Value = Opaque> {
    let thinking = json!({ "type": "thinking", "thinking": "hm", "signature": "s" });
    proptest::sample::select(vec![
        Opaque::new(anthropic::PROVIDER, thinking.clone()),
        Opaque::new(anthropic::PROVIDER, json!({ "type": "redacted_thinking", "data": "x" })),
        Opaque::new(anthropic::PROVIDER, json!({ "type": "thinking", "thinking": "unsigned" })),
        Opaque::new(gemini::PROVIDER, json!("signature")),
        Opaque::new(gemini::PROVIDER, thinking),
        Opaque::new(chat::PROVIDER, json!({ "reasoning_content": "hm", "role": "user" })),
        Opaque::new(responses::PROVIDER, json!({ "type": "reasoning", "id": "rs_1", "summary": [] })),
        Opaque::new(responses::PROVIDER, json!(null)),
        Opaque::new("someone_else", json!({ "type": "x" })),
    ])
}

fn exchange() -> impl Strategy<Value = Exchange> {
    let one = (word(), word(), text(), outcome(), prop::option::of(opaque())).prop_map(
        |(id, name, argument, outcome, opaque)| {
            let arguments = [("content".to_owned(), json!(argument))].into_iter().collect();
            let mut call = Call::new(id, name, arguments);
            call.opaque = opaque;
            Exchanged::new(call, outcome)
        },
    );
    let calls = prop::collection::vec(one, 1..4);
    (calls, prop::option::of(text()), prop::collection::vec(opaque(), 0..3))
        .prop_filter_map("an exchange has calls", |(calls, said, opaque)| {
            Some(Exchange::new(calls)?.said(said).opaque(opaque))
        })
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => (text(), text()).prop_map(|(name, text)| Act::Peer(name, text)),
        2 => text().prop_map(Act::Update),
        3 => text().prop_map(Act::Own),
        4 => exchange().prop_map(Act::Exchange),
        1 => (0usize..2_000).prop_map(Act::Cut),
        1 => Just(Act::EndTurn),
    ]
}

/// Events of a room in any order, some of them broken.
fn event() -> impl Strategy<Value = (bool, &'static str, String)> {
    let tool = (word(), word(), text(), any::<bool>()).prop_map(|(id, name, text, failed)| {
        json!({ "name": name, "args": { "content": text }, "output": text, "tool_call_id": id, "is_error": failed })
            .to_string()
    });
    let kind = proptest::sample::select(vec![
        "text",
        "tool_call",
        "tool_call",
        "tool_result",
        "tool_result",
        "task",
    ]);
    (any::<bool>(), kind, prop_oneof![3 => tool, 1 => text()])
}

fn transcript() -> impl Strategy<Value = Transcript> {
    (prop::collection::vec(event(), 0..12), prop::collection::vec(act(), 0..8)).prop_map(|(past, acts)| {
        let said = past.iter().map(|(is_own, message_type, content)| Said {
            is_own: *is_own,
            message_type,
            speaker: "Ada",
            content,
        });
        let mut transcript = Transcript::from_past(said);
        for act in acts {
            match act {
                Act::Peer(name, text) => transcript.push_peer(name, text),
                Act::Update(text) => transcript.push_update(text),
                Act::Own(text) => transcript.push_own(text),
                Act::Exchange(exchange) => transcript.push_exchange(exchange),
                Act::Cut(most) => drop(transcript.cut_to(most)),
                Act::EndTurn => transcript.end_turn(),
            }
        }
        transcript
    })
}

/// Every text in it, as far as it is one line.
fn texts(transcript: &Transcript) -> Vec<String> {
    let mut texts = Vec::new();
    for entry in transcript.entries() {
        match entry {
            Entry::Peer { text, .. } | Entry::Update { text } | Entry::Own { text } => {
                texts.push(text.clone());
            }
            Entry::Exchange(exchange) => {
                texts.extend(exchange.text().map(str::to_owned));
                texts.extend(exchange.calls().map(|one| one.outcome.as_text().into_owned()));
            }
        }
    }
    texts.retain(|text| !text.contains('\n'));
    texts
}

fn holds(rendered: &[Value], texts: &[String]) -> bool {
    let all = Value::from(rendered.to_vec()).to_string();
    texts.iter().all(|text| {
        let quoted = Value::String(text.trim().to_owned()).to_string();
        all.contains(quoted.trim_matches('"')) || !band_core::platform::text::has_visible(text)
    })
}

#[test]
fn every_renderer_is_held_by_the_law() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/render");
    let mut renderers: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap().replace(".rs", ""))
        .filter(|name| !["mod", "names", "laws", "tests"].contains(&name.as_str()))
        .collect();
    renderers.sort();
    assert_eq!(renderers, ["anthropic", "chat", "gemini", "responses"], "a new one has to be tried below");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_provider_refuses_what_is_rendered_of_any_room(transcript in transcript()) {
        let texts = texts(&transcript);
        let messages = chat::messages(Some("You are a test."), &transcript);
        prop_assert_eq!(testing::chat::messages(&messages), Ok(()));
        prop_assert!(holds(&messages, &texts));
        let strict = chat::alternating(messages);
        prop_assert_eq!(testing::chat::messages(&strict), Ok(()));
        prop_assert!(holds(&strict, &texts));
        let items = responses::messages(&transcript);
        prop_assert_eq!(testing::responses::input(&items), Ok(()));
        prop_assert!(holds(&items, &texts));
        let messages = anthropic::messages(&transcript);
        prop_assert_eq!(testing::anthropic::messages(&messages), Ok(()));
        prop_assert!(holds(&messages, &texts));
        let contents = gemini::messages(&transcript);
        prop_assert_eq!(testing::gemini::contents(&contents), Ok(()));
        prop_assert!(holds(&contents, &texts));
    }
}
