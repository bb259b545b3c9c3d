//! Each rule refuses something.

use serde_json::{Value, json};

use super::{anthropic, chat, gemini, responses};

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Tries each with the check; the text is a piece of the refusal, empty where nothing is refused.
fn table(check: impl Fn(&[Value]) -> Result<(), super::Refusal>, cases: &[(Value, &str)]) {
    for (request, expected) in cases {
        match check(list(request)) {
            Ok(()) => assert_eq!(*expected, "", "taken: {request}"),
            Err(refusal) => {
                assert_eq!(refusal.status, 400);
                let fits = !expected.is_empty() && refusal.message.contains(expected);
                assert!(fits, "{} for {request}", refusal.message);
            }
        }
    }
}

#[test]
fn chat_completions_refuses_what_the_provider_does() {
    let asked = |ids: &[&str]| {
        let calls: Vec<Value> = ids
            .iter()
            .map(|id| json!({ "id": id, "type": "function", "function": { "name": "f", "arguments": "{}" } }))
            .collect();
        json!({ "role": "assistant", "content": null, "tool_calls": calls })
    };
    let tool = |id: &str| json!({ "role": "tool", "tool_call_id": id, "content": "out" });
    let user = json!({ "role": "user", "content": "hi" });
    let named = |name: &str, arguments: &str| {
        json!([{ "role": "assistant", "tool_calls": [
            { "id": "1", "type": "function", "function": { "name": name, "arguments": arguments } },
        ] }])
    };
    table(
        chat::messages,
        &[
            (json!([user, asked(&["1", "2"]), tool("2"), tool("1"), user]), ""),
            (json!([]), "empty array"),
            (json!([{ "role": "function", "content": "x" }]), "not a known role"),
            (json!([{ "role": "user", "content": "" }]), "must not be empty"),
            (json!([{ "role": "user", "content": [] }]), "must not be empty"),
            (json!([{ "role": "user", "content": [{ "type": "video" }] }]), "not a known type"),
            (json!([{ "role": "user", "content": "x", "mood": "good" }]), "Extra inputs"),
            (json!([{ "role": "assistant", "content": null }]), "Field required"),
            (json!([{ "role": "assistant", "content": null, "tool_calls": [] }]), "must not be empty"),
            (json!([user, asked(&["1"]), user]), "did not have response messages: 1"),
            (json!([user, asked(&["1", "2"]), tool("1")]), "did not have response messages: 2"),
            (json!([user, tool("1")]), "preceeding message"),
            (json!([user, asked(&["1"]), tool("1"), tool("1")]), "preceeding message"),
            (json!([user, asked(&["1", "1"])]), "duplicate id"),
            (json!([asked(&["x".repeat(41).as_str()])]), "maximum length 40"),
            (named("a b", "{}"), "pattern"),
            (named("f", "[]"), "JSON of an object"),
            (named("f", ""), "JSON of an object"),
        ],
    );
}

#[test]
fn responses_refuses_what_the_provider_does() {
    let call = |id: &str| json!({ "type": "function_call", "call_id": id, "name": "f", "arguments": "{}" });
    let out = |id: &str| json!({ "type": "function_call_output", "call_id": id, "output": "o" });
    let user = json!({ "role": "user", "content": "hi" });
    let thought = json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x" });
    table(
        responses::input,
        &[
            (json!([user, thought, call("1"), call("2"), out("1"), out("2"), user]), ""),
            (json!([]), "empty array"),
            (json!([user, call("1"), user]), "No tool output found for function call 1"),
            (json!([user, call("1")]), "No tool output found for function call 1"),
            (json!([user, out("1")]), "No tool call found"),
            (json!([user, call("1"), out("1"), call("1"), out("1")]), "Duplicate call_id"),
            (json!([thought, user]), "required following item"),
            (json!([user, thought]), "required following item"),
            (json!([{ "role": "tool", "content": "x" }]), "not a known role"),
            (
                json!([{ "role": "assistant", "content": [{ "type": "input_text", "text": "x" }] }]),
                "does not belong",
            ),
            (json!([{ "role": "user", "content": " " }]), "must not be empty"),
            (json!([{ "type": "tool_use" }]), "not a known type"),
            (
                json!([{ "type": "function_call", "call_id": "1", "name": "f", "arguments": "x" }]),
                "JSON of an object",
            ),
        ],
    );
}

#[test]
fn anthropic_refuses_what_the_provider_does() {
    let ask = |id: &str| json!({ "type": "tool_use", "id": id, "name": "f", "input": {} });
    let give = |id: &str| json!({ "type": "tool_result", "tool_use_id": id, "content": "o" });
    let text = json!({ "type": "text", "text": "t" });
    let user = |content: Value| json!({ "role": "user", "content": content });
    let own = |content: Value| json!({ "role": "assistant", "content": content });
    let hi = user(json!("hi"));
    table(
        anthropic::messages,
        &[
            (
                json!([
                    hi,
                    own(json!([text, ask("1"), ask("2")])),
                    user(json!([give("2"), give("1"), text]))
                ]),
                "",
            ),
            (json!([]), "at least one message"),
            (json!([own(json!("x"))]), "first message"),
            (json!([hi, hi]), "roles must alternate"),
            (json!([hi, own(json!("x"))]), "must end with a user message"),
            (json!([{ "role": "system", "content": "x" }]), "not a known role"),
            (json!([user(json!([{ "type": "text", "text": " " }]))]), "non-whitespace"),
            (json!([user(json!([]))]), "must not be empty"),
            (json!([hi, own(json!([ask("1")])), hi]), "without `tool_result` blocks immediately after: 1"),
            (json!([hi, own(json!([ask("1"), text])), user(json!([give("1")]))]), "must be followed by"),
            (json!([hi, own(json!([ask("1")])), user(json!([text, give("1")]))]), "unexpected `tool_use_id`"),
            (
                json!([hi, own(json!([ask("1")])), user(json!([give("1"), give("1")]))]),
                "unexpected `tool_use_id`",
            ),
            (json!([user(json!([give("1")]))]), "unexpected `tool_use_id`"),
            (json!([hi, own(json!([ask("1"), ask("1")])), user(json!([give("1")]))]), "must be unique"),
            (json!([hi, own(json!([ask("a.b")]))]), "pattern"),
            (
                json!([hi, own(json!([{ "type": "thinking", "thinking": "t" }])), hi]),
                "signature: Field required",
            ),
            (
                json!([hi, own(json!([{ "type": "tool_use", "id": "1", "name": "f", "input": "x" }]))]),
                "an object",
            ),
            (
                json!([
                    hi,
                    own(json!([ask("1")])),
                    user(json!([
                        { "type": "tool_result", "tool_use_id": "1", "content": "", "is_error": true },
                    ]))
                ]),
                "cannot be empty",
            ),
        ],
    );
}

#[test]
fn gemini_refuses_what_the_provider_does() {
    let ask = |name: &str| json!({ "functionCall": { "name": name, "args": {} } });
    let give = |name: &str| json!({ "functionResponse": { "name": name, "response": { "output": "o" } } });
    let text = json!({ "text": "t" });
    let user = |parts: Value| json!({ "role": "user", "parts": parts });
    let model = |parts: Value| json!({ "role": "model", "parts": parts });
    let hi = user(json!([text]));
    table(
        gemini::contents,
        &[
            (
                json!([
                    hi,
                    model(json!([text, ask("f"), ask("g")])),
                    user(json!([give("f"), give("g"), text]))
                ]),
                "",
            ),
            (json!([]), "not specified"),
            (json!([model(json!([text]))]), "alternate"),
            (json!([hi, hi]), "alternate"),
            (json!([hi, model(json!([text]))]), "end with a user role"),
            (json!([{ "role": "assistant", "parts": [text] }]), "valid role"),
            (json!([user(json!([]))]), "must not be empty"),
            (json!([user(json!([{}]))]), "oneof"),
            (json!([user(json!([{ "text": "a", "functionCall": {} }]))]), "oneof"),
            (json!([user(json!([{ "text": "" }]))]), "must not be empty"),
            (json!([user(json!([ask("f")]))]), "does not belong to the user"),
            (
                json!([hi, model(json!([ask("f"), ask("g")])), user(json!([give("f")]))]),
                "number of function response",
            ),
            (json!([hi, model(json!([ask("f")])), hi]), "number of function response"),
            (json!([user(json!([give("f")]))]), "number of function response"),
            (json!([hi, model(json!([ask("f")])), user(json!([text, give("f")]))]), "stand together"),
            (json!([hi, model(json!([ask("1f")]))]), "Must start with a letter"),
            (json!([hi, model(json!([ask("a b")]))]), "pattern"),
        ],
    );
    let signed = json!({ "functionCall": { "name": "f" }, "thoughtSignature": "s" });
    let round = |call: &Value| [model(json!([call, ask("f")])), user(json!([give("f"), give("f")]))];
    let [old_ask, old_give] = round(&ask("f"));
    let [new_ask, new_give] = round(&signed);
    assert!(
        gemini::signatures(&[hi.clone(), old_ask.clone(), old_give.clone(), hi.clone(), new_ask, new_give])
            .is_ok()
    );
    assert!(gemini::signatures(&[hi, old_ask, old_give]).is_err());
}
