//! One conversation in all forms, and what each makes of the odd parts.

use band_core::transcript::{Block, Call, Exchange, Exchanged, Opaque, Outcome, Transcript};
use serde_json::{Value, json};

use super::{anthropic, chat, gemini, responses};

fn call(id: &str, city: &str) -> Call {
    Call::new(id, "weather", [("city".to_owned(), json!(city))].into_iter().collect())
}

/// News, a question, two calls of which one fails, a word of someone else, the answer, and thanks.
fn conversation() -> Transcript {
    let mut transcript = Transcript::new();
    transcript.push_update("Bob is here.");
    transcript.push_peer("Ada", "How is it in Ulm and Oz?");
    let calls = [
        Exchanged::new(call("c1", "Ulm"), Outcome::text("sunny")),
        Exchanged::new(call("c2", "Oz"), Outcome::error("no such city")),
    ];
    let exchange = Exchange::new(calls).unwrap();
    transcript.push_exchange(exchange.said(Some("Let me look.".to_owned())));
    transcript.push_peer("Bob", "I am curious too.");
    transcript.push_own("Sunny in Ulm.");
    transcript.push_peer("Ada", "Thanks.");
    transcript
}

#[test]
fn one_conversation_in_the_two_forms_of_openai() {
    let user = |text: &str| json!({ "role": "user", "content": text });
    let function = |city: &str| json!({ "name": "weather", "arguments": format!("{{\"city\":\"{city}\"}}") });
    assert_eq!(
        Value::from(chat::messages(Some("Be brief."), &conversation())),
        json!([
            { "role": "system", "content": "Be brief." },
            user("[System]: Bob is here."),
            user("[Ada]: How is it in Ulm and Oz?"),
            { "role": "assistant", "content": "Let me look.", "tool_calls": [
                { "id": "c1", "type": "function", "function": function("Ulm") },
                { "id": "c2", "type": "function", "function": function("Oz") },
            ] },
            { "role": "tool", "tool_call_id": "c1", "content": "sunny" },
            { "role": "tool", "tool_call_id": "c2", "content": "Error: no such city" },
            user("[Bob]: I am curious too."),
            { "role": "assistant", "content": "Sunny in Ulm." },
            user("[Ada]: Thanks."),
        ])
    );
    let message = |role: &str, text: &str| json!({ "type": "message", "role": role, "content": text });
    assert_eq!(
        Value::from(responses::messages(&conversation())),
        json!([
            message("user", "[System]: Bob is here."),
            message("user", "[Ada]: How is it in Ulm and Oz?"),
            message("assistant", "Let me look."),
            { "type": "function_call", "call_id": "c1", "name": "weather", "arguments": "{\"city\":\"Ulm\"}" },
            { "type": "function_call", "call_id": "c2", "name": "weather", "arguments": "{\"city\":\"Oz\"}" },
            { "type": "function_call_output", "call_id": "c1", "output": "sunny" },
            { "type": "function_call_output", "call_id": "c2", "output": "Error: no such city" },
            message("user", "[Bob]: I am curious too."),
            message("assistant", "Sunny in Ulm."),
            message("user", "[Ada]: Thanks."),
        ])
    );
}

#[test]
fn one_conversation_in_the_forms_of_anthropic_and_gemini() {
    let text = |text: &str| json!({ "type": "text", "text": text });
    assert_eq!(
        Value::from(anthropic::messages(&conversation())),
        json!([
            { "role": "user", "content": [
                text("[System]: Bob is here."), text("[Ada]: How is it in Ulm and Oz?"),
            ] },
            { "role": "assistant", "content": [
                text("Let me look."),
                { "type": "tool_use", "id": "c1", "name": "weather", "input": { "city": "Ulm" } },
                { "type": "tool_use", "id": "c2", "name": "weather", "input": { "city": "Oz" } },
            ] },
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "c1", "content": "sunny" },
                { "type": "tool_result", "tool_use_id": "c2", "content": "no such city", "is_error": true },
                text("[Bob]: I am curious too."),
            ] },
            { "role": "assistant", "content": [text("Sunny in Ulm.")] },
            { "role": "user", "content": [text("[Ada]: Thanks.")] },
        ])
    );
    let part = |text: &str| json!({ "text": text });
    let gave = |id: &str, response: Value| json!({ "functionResponse": { "id": id, "name": "weather", "response": response } });
    assert_eq!(
        Value::from(gemini::messages(&conversation())),
        json!([
            { "role": "user", "parts": [part("[System]: Bob is here."), part("[Ada]: How is it in Ulm and Oz?")] },
            { "role": "model", "parts": [
                part("Let me look."),
                { "functionCall": { "id": "c1", "name": "weather", "args": { "city": "Ulm" } } },
                { "functionCall": { "id": "c2", "name": "weather", "args": { "city": "Oz" } } },
            ] },
            { "role": "user", "parts": [
                gave("c1", json!({ "output": "sunny" })), gave("c2", json!({ "error": "no such city" })),
                part("[Bob]: I am curious too."),
            ] },
            { "role": "model", "parts": [part("Sunny in Ulm.")] },
            { "role": "user", "parts": [part("[Ada]: Thanks.")] },
        ])
    );
}

#[test]
fn what_a_provider_wants_back_goes_back_to_it_alone_and_in_its_place() {
    let mut transcript = Transcript::new();
    transcript.push_peer("Ada", "hi");
    let mut asked = call("c1", "Ulm");
    asked.opaque = Some(Opaque::new(gemini::PROVIDER, json!("sig")));
    let thinking = json!({ "type": "thinking", "thinking": "hm", "signature": "s" });
    let reasoning = json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "e" });
    let opaque = vec![
        Opaque::new(anthropic::PROVIDER, thinking.clone()),
        Opaque::new(responses::PROVIDER, reasoning.clone()),
        Opaque::new(chat::PROVIDER, json!({ "reasoning_content": "hm" })),
    ];
    let exchange = Exchange::new([Exchanged::new(asked, Outcome::text("sunny"))]).unwrap().opaque(opaque);
    transcript.push_exchange(exchange);
    assert_eq!(anthropic::messages(&transcript)[1]["content"][0], thinking);
    assert_eq!(responses::messages(&transcript)[1], reasoning);
    assert_eq!(chat::messages(None, &transcript)[1]["reasoning_content"], "hm");
    assert_eq!(gemini::messages(&transcript)[1]["parts"][0]["thoughtSignature"], "sig");
    assert!(crate::testing::gemini::signatures(&gemini::messages(&transcript)).is_ok());
    transcript.end_turn();
    let all = [
        Value::from(anthropic::messages(&transcript)),
        Value::from(responses::messages(&transcript)),
        Value::from(chat::messages(None, &transcript)),
        Value::from(gemini::messages(&transcript)),
    ];
    for rendered in all.map(|rendered| rendered.to_string()) {
        assert!(!["thinking", "reasoning", "sig"].iter().any(|word| rendered.contains(word)), "{rendered}");
    }
}

#[test]
fn an_image_reaches_the_model_as_an_image() {
    let mut transcript = Transcript::new();
    transcript.push_peer("Ada", "look");
    let image = Block::Image { media_type: "image/png".into(), data: "AAAA".into() };
    let outcome = Outcome { blocks: vec![Block::Text("taken".into()), image], is_error: false };
    transcript.push_exchange(Exchange::new([Exchanged::new(call("c1", "Ulm"), outcome)]).unwrap());
    let url = "data:image/png;base64,AAAA";
    let messages = chat::messages(None, &transcript);
    assert_eq!(messages[2]["content"], "taken");
    assert_eq!(messages[3]["content"][1]["image_url"]["url"], url);
    assert_eq!(
        responses::messages(&transcript)[2]["output"],
        json!([{ "type": "input_text", "text": "taken" }, { "type": "input_image", "image_url": url }])
    );
    assert_eq!(
        anthropic::messages(&transcript)[2]["content"][0]["content"][1]["source"],
        json!({ "type": "base64", "media_type": "image/png", "data": "AAAA" })
    );
    let contents = gemini::messages(&transcript);
    assert_eq!(contents[2]["parts"][1]["inlineData"], json!({ "mimeType": "image/png", "data": "AAAA" }));
}

#[test]
fn an_empty_room_a_room_of_ones_own_words_and_one_that_was_shortened_are_conversations_too() {
    let nothing = chat::messages(None, &Transcript::new());
    assert_eq!(
        Value::from(nothing),
        json!([{ "role": "user", "content": "[System]: Nothing new was said." }])
    );
    let mut own = Transcript::new();
    own.push_own("hello");
    let roles =
        |messages: Vec<Value>| messages.iter().map(|m| m["role"].as_str().unwrap().to_owned()).collect();
    let roles: Vec<String> = roles(chat::messages(None, &own));
    assert_eq!(roles, ["user", "assistant", "user"]);
    let mut shortened = conversation();
    shortened.note_shortened();
    let first = &chat::messages(None, &shortened)[0]["content"];
    assert_eq!(first, "[System]: Older parts of this conversation were left out.");
}

#[test]
fn for_templates_that_want_it_the_sides_alternate() {
    let joined = chat::alternating(chat::messages(None, &conversation()));
    let roles: Vec<&str> = joined.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "tool", "user", "assistant", "user"]);
    assert_eq!(joined[0]["content"], "[System]: Bob is here.\n\n[Ada]: How is it in Ulm and Oz?");
}
