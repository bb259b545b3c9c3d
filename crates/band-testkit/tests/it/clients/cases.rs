//! Conversations, each for our models and for the clients.

use band_adapters::{ModelRequest, render};
use band_core::transcript::{Block, Call, Exchange, Exchanged, Opaque, Outcome, Transcript};
use band_testkit::Dialect;
use band_wire::Id;
use band_wire::tools::{AgentTool, Format, ToolDefinition};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::MODEL;

/// What our models and the clients put before images where a result can't hold them.
const IMAGES_LINE: &str = "[System]: The tools gave these images.";
const SYSTEM: &str = "You are Echo.\n\nBe brief.";
/// How thoughts are sealed here: base64, as the providers have it.
const SEAL: &str = "c2lnbmVk";
const REASONING_SEAL: &str = "c2VhbGVk";

/// A conversation by its name; its turns as the driver takes them.
pub(super) struct Case {
    pub(super) name: &'static str,
    turns: Vec<Value>,
    /// How many tools it has.
    tools: usize,
}

fn peer(speaker: &str, words: &str) -> Value {
    json!({ "heard": format!("[{speaker}]: {words}"), "speaker": speaker, "words": words })
}

fn news(words: &str) -> Value {
    json!({ "heard": format!("[System]: {words}"), "words": words })
}

fn own(words: &str) -> Value {
    json!({ "own": words })
}

fn call(id: &str, name: &str, args: &Value, output: &str) -> Value {
    json!({ "id": id, "name": name, "args": args, "output": output, "is_error": false, "images": [] })
}

fn failed(mut call: Value) -> Value {
    call["is_error"] = json!(true);
    call
}

fn with_image(mut call: Value, media_type: &str, data: &str) -> Value {
    call["images"] = json!([{ "media_type": media_type, "data": data }]);
    call
}

fn calls(text: Option<&str>, calls: &[Value]) -> Value {
    json!({ "text": text, "calls": calls })
}

fn look(id: &str, output: &str) -> Value {
    call(id, "band_get_participants", &json!({}), output)
}

fn sent(id: &str, words: &str) -> Value {
    let args = json!({ "content": words, "mentions": ["ada", "bob/helper"] });
    call(id, "band_send_message", &args, "{\"id\":\"1\",\"status\":\"sent\"}")
}

pub(super) fn all() -> Vec<Case> {
    let case = |name, turns| Case { name, turns, tools: 3 };
    let odd = "שלום 🌍\u{200d} \"quoted\" \\ and\ttabs\r\nlines \u{1F468}\u{200D}\u{1F469} ﷽ \u{7f}";
    let mut thinking = calls(Some("I look."), &[look("c1", "Ada, Bob")]);
    thinking["thoughts"] = json!(["Who may be here?"]);
    vec![
        case("plain", vec![peer("Ada", "hi")]),
        case(
            "news between words",
            vec![
                news("Ada joined.\nBob joined."),
                peer("Ada", "hi"),
                peer("Bob", "hi too"),
                own("Hello both."),
                news("Bob left."),
                peer("Ada", "who is here?"),
            ],
        ),
        case(
            "parallel calls",
            vec![
                peer("Ada", "who is here?"),
                calls(None, &[look("c1", "Ada"), look("c2", "Bob"), sent("c3", "Ada and Bob.")]),
                peer("Ada", "thanks"),
            ],
        ),
        case(
            "a call that failed beside one that worked",
            vec![
                peer("Ada", "tell Bob"),
                calls(None, &[failed(sent("c1", "Hi")), look("c2", "Ada")]),
                calls(None, &[sent("c3", "No Bob here.")]),
            ],
        ),
        case(
            "an image",
            vec![
                peer("Ada", "what do you see?"),
                calls(None, &[with_image(look("c1", "taken"), "image/png", "iVBORw0KGgo=")]),
            ],
        ),
        case(
            "own words beside calls",
            vec![
                peer("Ada", "who is here?"),
                calls(Some("Let me look."), &[look("c1", "Ada")]),
                calls(Some("Now I tell."), &[sent("c2", "Only you.")]),
                own("Sent."),
                peer("Ada", "really?"),
            ],
        ),
        case(
            "letters of all kinds",
            vec![
                peer("Ünïcode 名", odd),
                calls(
                    Some(odd),
                    &[sent("c1", odd), call("c2", "band_no_reply", &json!({ "reason": odd }), odd)],
                ),
                peer("Ada", "𝔘"),
            ],
        ),
        case("long", long()),
        case("thoughts that go back", vec![peer("Ada", "who is here?"), thinking]),
        case("deep arguments", vec![peer("Ada", "plan it"), calls(None, &[deep()])]),
        Case { name: "all tools", turns: vec![peer("Ada", "hi")], tools: AgentTool::ALL.len() },
    ]
}

fn long() -> Vec<Value> {
    let round = |n: usize| {
        [
            peer("Ada", &format!("question {n} {}", "more ".repeat(200))),
            calls(None, &[look(&format!("a{n}"), &"Ada, ".repeat(300)), sent(&format!("b{n}"), "answer")]),
            own(&format!("Answered {n}.")),
        ]
    };
    (0..60).flat_map(round).chain([peer("Ada", "the last one")]).collect()
}

fn deep() -> Value {
    let args = json!({
        "content": "x", "mentions": [], "extra": { "list": [1, 2.5, true, null, { "a": { "b": [[]] } }], "": -7 },
    });
    call("c1", "band_send_message", &args, "[1,{\"a\":null}]")
}

impl Case {
    fn tools(&self) -> Vec<ToolDefinition> {
        AgentTool::ALL.iter().take(self.tools).map(|tool| tool.definition().clone()).collect()
    }

    /// As the driver takes it.
    pub(super) fn told(&self) -> Value {
        let tools = self.tools();
        let tool = |tool: &ToolDefinition| {
            json!({
                "name": tool.name, "description": tool.description, "parameters": tool.parameters,
                "gemini": Format::Gemini.shape(tool)["parameters"],
            })
        };
        json!({
            "model": MODEL, "system": SYSTEM, "turns": self.turns, "images_line": IMAGES_LINE,
            "tools": tools.iter().map(tool).collect::<Vec<_>>(),
        })
    }

    /// As our model takes it.
    pub(super) fn request(&self, dialect: Dialect) -> ModelRequest {
        let mut transcript = Transcript::new();
        for turn in &self.turns {
            let text = |key: &str| turn[key].as_str().map(str::to_owned);
            match (text("speaker"), text("words"), text("own")) {
                (Some(speaker), Some(words), _) => transcript.push_peer(speaker, words),
                (None, Some(words), _) => transcript.push_update(words),
                (_, _, Some(words)) => transcript.push_own(words),
                _ => transcript.push_exchange(exchange(turn, dialect)),
            }
        }
        ModelRequest::new(SYSTEM, transcript, self.tools(), Id::new(Uuid::nil()))
    }
}

fn exchange(turn: &Value, dialect: Dialect) -> Exchange {
    let thoughts = turn["thoughts"].as_array().cloned().unwrap_or_default();
    let mut answered: Vec<Exchanged> = turn["calls"].as_array().unwrap().iter().map(answered).collect();
    if !thoughts.is_empty() && dialect == Dialect::Gemini {
        answered[0].call.opaque = Some(Opaque::new(render::gemini::PROVIDER, json!(SEAL)));
    }
    let opaque = thoughts.iter().filter_map(|thought| match dialect {
        Dialect::Responses => {
            let item = json!({
                "type": "reasoning", "id": "rs_1", "summary": [{ "type": "summary_text", "text": thought }],
                "encrypted_content": REASONING_SEAL,
            });
            Some(Opaque::new(render::responses::PROVIDER, item))
        }
        Dialect::Anthropic => {
            let block = json!({ "type": "thinking", "thinking": thought, "signature": SEAL });
            Some(Opaque::new(render::anthropic::PROVIDER, block))
        }
        _ => None,
    });
    let opaque = opaque.collect();
    Exchange::new(answered).unwrap().said(turn["text"].as_str().map(str::to_owned)).opaque(opaque)
}

fn answered(told: &Value) -> Exchanged {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let args: Map<String, Value> = told["args"].as_object().unwrap().clone();
    let mut blocks = vec![Block::Text(text(&told["output"]))];
    let image =
        |image: &Value| Block::Image { media_type: text(&image["media_type"]), data: text(&image["data"]) };
    blocks.extend(told["images"].as_array().unwrap().iter().map(image));
    let outcome = Outcome { blocks, is_error: told["is_error"] == true };
    Exchanged::new(Call::new(text(&told["id"]), text(&told["name"]), args), outcome)
}
