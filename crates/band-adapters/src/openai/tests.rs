//! Settings and refusals.

use band::config::Env;
use serde_json::{Value, json};

use super::*;
use crate::engine::Model;

fn read(settings: Value, env: &[(&str, &str)]) -> Result<Chat> {
    let Value::Object(map) = settings else { panic!("settings are a map") };
    Chat::from_settings(&map.into_iter().collect(), &env.iter().copied().collect::<Env>())
}

#[test]
fn settings_win_over_the_environment_and_the_key_is_not_shown() {
    let env = [("OPENAI_API_KEY", "sk-1"), ("OPENAI_MODEL", "a"), ("OPENAI_BASE_URL", "http://b/v1")];
    let chat = read(json!({}), &env).unwrap();
    assert_eq!(
        (chat.model.service.model.as_str(), chat.model.service.base_url.as_str()),
        ("a", "http://b/v1")
    );
    assert!(!format!("{chat:?}").contains("sk-1"));
    let settings = json!({
        "model": "m", "base_url": "http://c/", "max_tool_rounds": "3", "emit": [], "provider_key": "sk-2",
        "capabilities": "contacts,memory", "headers": { "x-team": "t" }, "instructions": "Be brief.",
    });
    let chat = read(settings, &env).unwrap();
    assert_eq!((chat.model.service.model.as_str(), chat.max_tool_rounds), ("m", 3));
    assert_eq!(chat.model.service.url("/chat/completions"), "http://c/chat/completions");
    assert!(!format!("{chat:?}").contains("sk-"));
}

#[test]
fn a_server_of_ones_own_needs_no_key_and_gets_its_own_form() {
    let chat = read(json!({ "server": "ollama", "model": "qwen3" }), &[]).unwrap();
    assert_eq!(chat.model.service.base_url, "http://127.0.0.1:11434/v1");
    assert_eq!(chat.model.server, Server::Ollama);
    let routed = read(json!({ "server": "openrouter", "model": "m" }), &[("OPENROUTER_API_KEY", "or-1")]);
    assert!(routed.unwrap().model.service.key.is_some());
    assert_eq!("vllm".parse::<Server>().unwrap().to_string(), "vllm");
    assert_eq!(read(json!({}), &[("OPENAI_API_KEY", "k")]).unwrap().model.service.model, DEFAULT_MODEL);
}

#[test]
fn what_does_not_fit_is_named_with_the_way_out() {
    let table = [
        (json!({ "base_url": "http://b" }), "model: Field required: name a model here or in OPENAI_MODEL"),
        (json!({ "model": 7 }), "model: Input should be a valid string"),
        (
            json!({ "model": "m" }),
            "provider_key: Field required: set OPENAI_API_KEY, or base_url (OPENAI_BASE_URL) for another server",
        ),
        (
            json!({ "model": "m", "base_url": "localhost:1" }),
            "base_url: \"localhost:1\" must start with http:// or https://",
        ),
        (
            json!({ "model": "m", "max_tool_rounds": 0 }),
            "max_tool_rounds: Input should be a whole number greater than 0",
        ),
        (json!({ "modle": "m" }), "modle: Extra inputs are not permitted. Did you mean 'model'?"),
        (json!({ "api_key": "k" }), "api_key: Extra inputs are not permitted. Did you mean 'provider_key'?"),
        (
            json!({ "server": "lama" }),
            "server: \"lama\" is no server that is known; one of openai, ollama, vllm, llamacpp, lmstudio, openrouter, other",
        ),
        (
            json!({ "headers": 7, "base_url": "http://b", "model": "m" }),
            "headers: Input should be texts by name",
        ),
        (
            json!({ "temperature": "hot", "base_url": "http://b", "model": "m" }),
            "temperature: Input should be a valid number",
        ),
        (
            json!({ "instructions": "a", "custom_section": "b", "base_url": "http://b", "model": "m" }),
            "instructions: only one of instructions, custom_section, instructions_file",
        ),
    ];
    for (settings, text) in table {
        assert_eq!(read(settings, &[]).unwrap_err().to_string(), format!("ChatConfig: {text}"));
    }
    let err = read(json!({ "emit": "thoghts", "base_url": "http://b", "model": "m" }), &[]).unwrap_err();
    assert_eq!(err.to_string(), "invalid Emit value: 'thoghts' is not a valid Emit");
    let settings = [("api".to_owned(), json!("soap"))].into();
    let err = from_settings(&settings, &Env::default()).unwrap_err().to_string();
    assert_eq!(err, "ChatConfig: api: \"soap\" is none of chat, responses");
}

#[test]
fn each_server_says_in_its_own_way_that_a_conversation_is_too_long() {
    let error = |kind: &str, code: Value, message: &str| {
        refusal(&json!({ "error": { "type": kind, "code": code, "message": message } }))
    };
    let openai = error("invalid_request_error", json!("context_length_exceeded"), "too long");
    let llama =
        error("exceed_context_size_error", json!(400), "the request exceeds the available context size");
    let vllm = error("BadRequestError", json!(400), "This model's maximum context length is 4096 tokens.");
    assert!(openai.is_too_long && llama.is_too_long && vllm.is_too_long);
    assert!(refusal(&json!({ "error": "context window exceeded" })).is_too_long, "a bare text");
    let quota = error("insufficient_quota", json!("insufficient_quota"), "You exceeded your current quota");
    assert!(quota.is_final && !quota.is_too_long);
    let plain = error("invalid_request_error", Value::Null, "no");
    assert!(!plain.is_too_long && !plain.is_final);
    assert_eq!(plain.text, "invalid_request_error: no");
}

#[test]
fn responses_has_settings_of_its_own() {
    let settings =
        json!({ "api": "responses", "model": "m", "base_url": "http://b", "reasoning_effort": "low" });
    let Value::Object(map) = settings else { panic!("settings are a map") };
    let responses = Responses::from_settings(&map.into_iter().collect(), &Env::default()).unwrap();
    assert_eq!(responses.model.name(), "Responses");
    let settings = [("reasoning_efort".to_owned(), json!("low"))].into();
    let err = Responses::from_settings(&settings, &Env::default()).unwrap_err().to_string();
    assert_eq!(
        err,
        "ResponsesConfig: reasoning_efort: Extra inputs are not permitted. Did you mean 'reasoning_effort'?"
    );
}
