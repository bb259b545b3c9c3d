//! Each refusal, once.

use serde_json::{Value, json};

use super::{Dialect, check_request};

/// A body that is good, with a part of it replaced: by the JSON pointer, or removed where the value is none.
fn with(mut body: Value, at: &str, value: Option<Value>) -> Value {
    let (parent, key) = at.rsplit_once('/').unwrap();
    let parent = body.pointer_mut(parent).unwrap_or_else(|| panic!("no {at}"));
    match (parent, value) {
        (Value::Object(fields), Some(value)) => drop(fields.insert(key.to_owned(), value)),
        (Value::Object(fields), None) => drop(fields.remove(key)),
        (Value::Array(list), Some(value)) if key == "-" => list.push(value),
        (Value::Array(list), Some(value)) => list[key.parse::<usize>().unwrap()] = value,
        (Value::Array(list), None) => drop(list.remove(key.parse().unwrap())),
        _ => panic!("no place {at}"),
    }
    body
}

fn refused(dialect: Dialect, good: &Value, table: &[(&str, Option<Value>, &str)]) {
    assert_eq!(check_request(dialect, good), Ok(()), "the good one");
    for (at, value, expected) in table {
        let body = with(good.clone(), at, value.clone());
        let problem = check_request(dialect, &body).expect_err(&format!("{at} = {value:?}"));
        assert!(problem.contains(expected), "{at} = {value:?}: {problem}");
    }
}

fn schema() -> Value {
    json!({ "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] })
}

/// Wrong schemas, below `at`.
fn bad_schemas(at: &str) -> Vec<(String, Option<Value>, &'static str)> {
    let table = [
        ("", Some(json!({})), "expected 'object'"),
        ("/properties/a/type", Some(json!("text")), "is not valid"),
        ("/properties/a", Some(json!({ "type": "array" })), "missing items"),
        ("/properties/a", Some(json!({ "enum": [] })), "expected a list of values"),
        ("/properties/a", Some(json!({ "anyOf": [] })), "expected a list of schemas"),
        ("/properties/a", Some(json!({ "$ref": "#/$defs/B" })), "is not in the schema"),
        ("/properties/a", Some(json!(7)), "expected an object"),
        ("/required", Some(json!(["b"])), "is not among the properties"),
    ];
    table.map(|(below, value, expected)| (format!("{at}{below}"), value, expected)).into()
}

fn refuses_schemas(dialect: Dialect, good: &Value, at: &str) {
    for (at, value, expected) in bad_schemas(at) {
        refused(dialect, good, &[(&at, value, expected)]);
    }
}

#[test]
fn chat_completions_refuses_what_openai_refuses() {
    let call = json!({ "id": "c1", "type": "function", "function": { "name": "f", "arguments": "{}" } });
    let good = json!({
        "model": "m", "temperature": 1.5, "max_completion_tokens": 9,
        "tools": [{ "type": "function", "function": { "name": "f", "description": "d", "parameters": schema() } }],
        "messages": [
            { "role": "system", "content": "s" },
            { "role": "user", "content": [{ "type": "text", "text": "u" }] },
            { "role": "assistant", "content": null, "tool_calls": [call] },
            { "role": "tool", "tool_call_id": "c1", "content": "r" },
            { "role": "assistant", "content": "a" },
            { "role": "user", "content": "again" },
        ],
    });
    let tool = good["tools"][0].clone();
    refused(
        Dialect::Chat,
        &good,
        &[
            ("/model", None, "model parameter"),
            ("/thinking", Some(json!({})), "Unrecognized request argument supplied: thinking"),
            ("/temperature", Some(json!(3)), "Invalid 'temperature'"),
            ("/max_completion_tokens", Some(json!(0)), "Invalid 'max_completion_tokens'"),
            (
                "/stream_options",
                Some(json!({ "include_usage": true })),
                "only allowed when 'stream' is enabled",
            ),
            ("/messages", Some(json!([])), "empty array"),
            ("/messages", Some(json!("hi")), "expected a list"),
            ("/messages/0/role", Some(json!("model")), "Invalid value: 'model'"),
            ("/messages/0/name_of", Some(json!("x")), "Unknown parameter: 'messages[0].name_of'"),
            ("/messages/1/content", Some(json!(null)), "expected a string, got null"),
            ("/messages/1/content/0/type", Some(json!("input_text")), "'input_text'"),
            ("/messages/2/tool_calls", None, "expected a string, got null"),
            ("/messages/2/tool_calls", Some(json!([])), "empty array"),
            ("/messages/2/tool_calls/0/id", Some(json!("")), "not empty"),
            ("/messages/2/tool_calls/0/type", None, "expected 'function'"),
            ("/messages/2/tool_calls/0/function/arguments", Some(json!({})), "expected a string"),
            ("/messages/2/tool_calls/0/function/name", Some(json!("f g")), "is no name"),
            (
                "/messages/2/tool_calls/-",
                Some(good["messages"][2]["tool_calls"][0].clone()),
                "must be unique",
            ),
            ("/messages/3", None, "must be followed by tool messages"),
            ("/messages/3/tool_call_id", Some(json!("c2")), "must be a response to a preceding message"),
            ("/messages/3/is_error", Some(json!(true)), "Unknown parameter"),
            ("/messages/3/content", Some(json!(7)), "Invalid type"),
            ("/tools", Some(json!([])), "empty array"),
            ("/tools", Some(json!("f")), "expected an array"),
            ("/tools", Some(Value::Array(vec![tool.clone(); 129])), "too long"),
            ("/tools/-", Some(tool), "must be unique"),
            ("/tools/0/type", Some(json!("tool")), "expected 'function'"),
            ("/tools/0/function/name", Some(json!("a b")), "is no name"),
            ("/tools/0/function/name", Some(json!("x".repeat(65))), "at most 64"),
            ("/tools/0/function/description", Some(json!(7)), "Invalid type"),
        ],
    );
    let without = with(with(good.clone(), "/tools", None), "/tool_choice", Some(json!("auto")));
    assert!(check_request(Dialect::Chat, &without).unwrap_err().contains("only allowed when 'tools'"));
    refuses_schemas(Dialect::Chat, &good, "/tools/0/function/parameters");
}

#[test]
fn responses_refuses_what_openai_refuses() {
    let good = json!({
        "model": "m", "instructions": "s", "store": false,
        "tools": [{ "type": "function", "name": "f", "description": "d", "parameters": schema(), "strict": false }],
        "input": [
            { "role": "user", "content": "u" },
            { "type": "reasoning", "id": "r1", "summary": [], "encrypted_content": "x" },
            { "type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}" },
            { "type": "function_call_output", "call_id": "c1", "output": "r" },
            { "role": "assistant", "content": [{ "type": "output_text", "text": "a" }] },
        ],
    });
    refused(
        Dialect::Responses,
        &good,
        &[
            ("/model", None, "'model'"),
            ("/messages", Some(json!([])), "Unknown parameter: 'messages'"),
            ("/input", None, "'input'"),
            ("/input", Some(json!([])), "'input'"),
            ("/max_output_tokens", Some(json!(0)), "Invalid 'max_output_tokens'"),
            ("/input/0/role", Some(json!("tool")), "Invalid value: 'tool'"),
            ("/input/0/tool_call_id", Some(json!("x")), "Unknown parameter"),
            ("/input/0/content", None, "Missing required parameter"),
            ("/input/4/content/0/type", Some(json!("input_text")), "'input_text'"),
            ("/input/1/type", Some(json!("thought")), "Invalid value: 'thought'"),
            ("/input/2", None, "No tool call found"),
            ("/input/3", None, "No tool output found for function call c1"),
            ("/input/2/arguments", Some(json!({})), "expected a string"),
            ("/input/2/name", Some(json!("")), "not empty"),
            ("/input/2/index", Some(json!(0)), "Unknown parameter"),
            ("/input/3/is_error", Some(json!(true)), "Unknown parameter"),
            ("/input/3/output", Some(json!(7)), "Invalid type"),
            ("/input/-", Some(good["input"][2].clone()), "must be unique"),
            ("/input/-", Some(good["input"][1].clone()), "without its required following item"),
            ("/tools/0/type", Some(json!("tool")), "expected 'function'"),
        ],
    );
    refuses_schemas(Dialect::Responses, &good, "/tools/0/parameters");
}

#[test]
fn messages_refuses_what_anthropic_refuses() {
    let mark = json!({ "type": "text", "text": "s", "cache_control": { "type": "ephemeral" } });
    let good = json!({
        "model": "m", "max_tokens": 4096, "system": [mark], "thinking": { "type": "enabled", "budget_tokens": 1024 },
        "tools": [{ "name": "f", "description": "d", "input_schema": schema() }],
        "messages": [
            { "role": "user", "content": "u" },
            { "role": "assistant", "content": [
                { "type": "thinking", "thinking": "hm", "signature": "x" },
                { "type": "text", "text": "I look." },
                { "type": "tool_use", "id": "t1", "name": "f", "input": {} },
            ] },
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "t1", "content": "r", "is_error": true },
                { "type": "text", "text": "more" },
            ] },
        ],
    });
    let result = good["messages"][2]["content"][0].clone();
    refused(
        Dialect::Anthropic,
        &good,
        &[
            ("/model", None, "model: Field required"),
            ("/max_tokens", None, "max_tokens: Field required"),
            ("/stop", Some(json!([])), "stop: Extra inputs are not permitted"),
            ("/system", Some(json!(7)), "system:"),
            ("/system/0/text", Some(json!(" ")), "non-whitespace"),
            ("/system", Some(Value::Array(vec![good["system"][0].clone(); 5])), "A maximum of 4 blocks"),
            ("/thinking/budget_tokens", Some(json!(100)), "greater than or equal to 1024"),
            ("/thinking/budget_tokens", Some(json!(4096)), "must be greater than `thinking.budget_tokens`"),
            ("/thinking/type", Some(json!("on")), "thinking.type"),
            ("/temperature", Some(json!(0.5)), "may only be set to 1"),
            ("/messages", None, "messages: Field required"),
            ("/messages", Some(json!([])), "at least one message"),
            ("/messages/0/role", Some(json!("system")), "Unexpected role \"system\""),
            ("/messages/0/role", Some(json!("assistant")), "first message must use the \"user\" role"),
            ("/messages/0/content", Some(json!("")), "non-empty content"),
            ("/messages/0/content", Some(json!([{ "type": "text", "text": "" }])), "must be non-empty"),
            ("/messages/0/name", Some(json!("x")), "Extra inputs"),
            ("/messages/1/content/0/type", Some(json!("image")), "is not expected here"),
            ("/messages/1/content/2/input", Some(json!("{}")), "valid dictionary"),
            ("/messages/1/content/2/id", Some(json!("a b")), "is no name"),
            ("/messages/1/content/2/index", Some(json!(0)), "Extra inputs"),
            ("/messages/1/content/-", Some(good["messages"][1]["content"][2].clone()), "must be unique"),
            ("/messages/2/content/0", None, "without `tool_result` blocks immediately after: t1"),
            ("/messages/2/content/0/tool_use_id", Some(json!("t9")), "unexpected `tool_use_id`"),
            ("/messages/2/content/0/name", Some(json!("f")), "Extra inputs"),
            (
                "/messages/2/content",
                Some(json!([{ "type": "text", "text": "x" }, result])),
                "must come first",
            ),
            ("/messages/2", None, "does not support assistant message prefill"),
            ("/tools/0/input_schema", None, "input_schema: Field required"),
            ("/tools/0/parameters", Some(json!({})), "Extra inputs"),
            ("/tools/0/name", Some(json!("x".repeat(129))), "at most 128"),
            ("/tools/-", Some(good["tools"][0].clone()), "must be unique"),
        ],
    );
    refuses_schemas(Dialect::Anthropic, &good, "/tools/0/input_schema");
}

#[test]
fn gemini_refuses_what_google_refuses() {
    let good = json!({
        "systemInstruction": { "parts": [{ "text": "s" }] },
        "tools": [{ "functionDeclarations": [{ "name": "f", "description": "d", "parameters": schema() }] }],
        "contents": [
            { "role": "user", "parts": [{ "text": "u" }] },
            { "role": "model", "parts": [
                { "text": "I look." }, { "functionCall": { "name": "f", "args": {} }, "thoughtSignature": "x" },
            ] },
            { "role": "user", "parts": [{ "functionResponse": { "name": "f", "response": { "output": "r" } } }] },
        ],
    });
    let model = json!({ "role": "model", "parts": [{ "text": "a" }] });
    let parameters = "/tools/0/functionDeclarations/0/parameters";
    refused(
        Dialect::Gemini,
        &good,
        &[
            ("/contents", None, "contents is not specified"),
            ("/contents", Some(json!([])), "contents is not specified"),
            ("/model", Some(json!("m")), "Unknown name \"model\""),
            ("/systemInstruction/parts/0/text", Some(json!("")), "not empty"),
            ("/contents/0/role", Some(json!("assistant")), "valid role"),
            ("/contents/0/name", Some(json!("x")), "Unknown name \"name\""),
            ("/contents/0/parts", Some(json!([])), "must not be empty"),
            ("/contents/0/parts/0", Some(json!({})), "one initialized field"),
            ("/contents/0/parts/0/kind", Some(json!("x")), "Unknown name \"kind\""),
            ("/contents/1/role", Some(json!("user")), "valid role"),
            ("/contents/0", Some(model.clone()), "immediately after a user turn"),
            ("/contents/1/parts/1/functionCall/index", Some(json!(1)), "Unknown name \"index\""),
            ("/contents/2", None, "followed by a function response turn"),
            (
                "/contents/2",
                Some(json!({ "role": "user", "parts": [{ "text": "x" }] })),
                "number of function response parts",
            ),
            (
                "/contents/2/parts/0/functionResponse/name",
                Some(json!("g")),
                "number of function response parts",
            ),
            ("/contents/2/parts/0/functionResponse/response", Some(json!("r")), "Invalid value"),
            ("/contents/-", Some(model), "end with a user role"),
            ("/tools/0/functionDeclarations/0/name", Some(json!("1f")), "Invalid function name"),
            ("/tools/0/functionDeclarations/0/strict", Some(json!(true)), "Unknown name \"strict\""),
            ("/tools/0/functionDeclarations/0/parametersJsonSchema", Some(schema()), "only one of"),
            (
                "/tools/0/functionDeclarations/-",
                Some(good["tools"][0]["functionDeclarations"][0].clone()),
                "must be unique",
            ),
            (
                &format!("{parameters}/additionalProperties"),
                Some(json!(true)),
                "Unknown name \"additionalProperties\"",
            ),
            (&format!("{parameters}/properties/a/const"), Some(json!("x")), "Unknown name \"const\""),
            (&format!("{parameters}/properties/a/type"), Some(json!("text")), "Invalid value"),
            (&format!("{parameters}/required"), Some(json!(["b"])), "is not among the properties"),
        ],
    );
    let json = with(good, "/tools/0/functionDeclarations/0/parameters", None);
    let json = with(json, "/tools/0/functionDeclarations/0/parametersJsonSchema", Some(schema()));
    refuses_schemas(Dialect::Gemini, &json, "/tools/0/functionDeclarations/0/parametersJsonSchema");
}
