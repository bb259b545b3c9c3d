//! What the renderers make of any room, before the scripted provider.

use band_adapters::render::{anthropic, chat, gemini, responses};
use band_core::transcript::{Call, Exchange, Exchanged, Outcome, Said, Transcript};
use band_testkit::{Dialect, check_request};
use proptest::prelude::*;
use serde_json::{Map, json};

fn word() -> impl Strategy<Value = String> {
    prop_oneof![Just("f".to_owned()), Just("1".to_owned()), Just(String::new()), "\\PC{0,80}"]
}

/// Events of a room in any order, some of them broken: whose, of which type, what.
fn event() -> impl Strategy<Value = (bool, &'static str, String)> {
    let tool = (word(), word(), word(), any::<bool>()).prop_map(|(id, name, text, failed)| {
        json!({ "name": name, "args": { "content": text }, "output": text, "tool_call_id": id, "is_error": failed })
            .to_string()
    });
    let kind = proptest::sample::select(vec![
        "text",
        "tool_call",
        "tool_call",
        "tool_result",
        "tool_result",
        "thought",
    ]);
    (any::<bool>(), kind, prop_oneof![3 => tool, 1 => word()])
}

/// The room's past, and the start of a turn in which tools are called.
fn transcript(past: &[(bool, &str, String)], calls: Vec<(String, String)>, most: usize) -> Transcript {
    let said = past.iter().map(|(is_own, message_type, content)| Said {
        is_own: *is_own,
        message_type,
        speaker: "Ada",
        content,
    });
    let mut transcript = Transcript::from_past(said);
    transcript.push_update("Bob is here.");
    transcript.push_peer("Ada", "hi");
    let calls = calls
        .into_iter()
        .map(|(id, name)| Exchanged::new(Call::new(id, name, Map::new()), Outcome::text("")));
    if let Some(exchange) = Exchange::new(calls) {
        transcript.push_exchange(exchange);
    }
    let _ = transcript.cut_to(most);
    transcript
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn the_scripted_provider_takes_what_is_rendered_of_any_room(
        past in prop::collection::vec(event(), 0..16),
        calls in prop::collection::vec((word(), word()), 0..4),
        most in 0usize..4_000,
    ) {
        let transcript = transcript(&past, calls, most);
        let bodies = [
            (Dialect::Chat, json!({ "model": "m", "messages": chat::messages(Some("You."), &transcript) })),
            (Dialect::Responses, json!({ "model": "m", "input": responses::messages(&transcript) })),
            (
                Dialect::Anthropic,
                json!({ "model": "m", "max_tokens": 9, "messages": anthropic::messages(&transcript) }),
            ),
            (Dialect::Gemini, json!({ "contents": gemini::messages(&transcript) })),
        ];
        for (dialect, body) in bodies {
            prop_assert_eq!(check_request(dialect, &body), Ok(()), "{:?} {}", dialect, body);
        }
    }
}
