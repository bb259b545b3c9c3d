//! The catalogue held against the published facts.

use serde_json::{Map, Value, json};

use super::*;

fn facts() -> Value {
    serde_json::from_str(include_str!("../../facts/tools.json")).unwrap()
}

fn published(facts: &Value, surface: &str) -> Vec<Value> {
    let tools = facts["tools"].as_array().unwrap();
    tools.iter().filter(|tool| tool["surface"] == surface).cloned().collect()
}

fn definitions() -> Vec<(&'static ToolDefinition, bool)> {
    let agents = AgentTool::ALL.iter().map(|tool| (tool.definition(), tool.is_room_bound()));
    agents.chain(HumanTool::ALL.iter().map(|tool| (tool.definition(), tool.is_room_bound()))).collect()
}

/// Without descriptions, and with definitions where they are used.
fn bare(schema: &Value, defs: &Value) -> Value {
    let Value::Object(map) = schema else { return schema.clone() };
    if let Some(name) = map.get("$ref").and_then(Value::as_str) {
        return bare(&defs[name.rsplit('/').next().unwrap()], defs);
    }
    let mut kept = Map::new();
    for (key, value) in map {
        let value = match (key.as_str(), value) {
            ("description" | "title", Value::String(_)) | ("$defs", _) => continue,
            ("properties", Value::Object(fields)) => {
                fields.iter().map(|(name, field)| (name.clone(), bare(field, defs))).collect()
            }
            (_, Value::Array(items)) => items.iter().map(|item| bare(item, defs)).collect(),
            (_, other) => bare(other, defs),
        };
        kept.insert(key.clone(), value);
    }
    Value::Object(kept)
}

#[test]
fn every_schema_is_the_published_one_and_so_is_their_order() {
    let facts = facts();
    let published: Vec<Value> = ["agent", "human"].iter().flat_map(|of| published(&facts, of)).collect();
    let ours = definitions();
    assert_eq!(ours.len(), 56);
    for ((tool, is_room_bound), fact) in ours.iter().zip(&published) {
        assert_eq!(fact["name"], *tool.name, "the order");
        let theirs = bare(&fact["parameters"], &fact["parameters"]["$defs"]);
        assert_eq!(bare(&tool.parameters, &Value::Null), theirs, "{}", tool.name);
        assert_eq!(fact["surface"], tool.surface.as_str(), "{}", tool.name);
        assert_eq!(fact["group"], tool.group.as_str(), "{}", tool.name);
        assert_eq!(fact["room_bound"], *is_room_bound, "{}", tool.name);
        if tool.surface == Surface::Agent {
            assert_eq!(fact["effect"], tool.effect.as_str(), "{}", tool.name);
            assert_eq!(fact["read_only"], tool.is_read_only(), "{}", tool.name);
        }
    }
    assert_eq!(published.len(), 56);
}

#[test]
fn bounds_that_are_not_told_are_checked_all_the_same() {
    let facts = facts();
    let mut checked = 0;
    for tool in published(&facts, "agent") {
        let ours = AgentTool::of_name(tool["name"].as_str().unwrap()).unwrap().definition();
        for field in tool["params"].as_array().unwrap() {
            let name = field["name"].as_str().unwrap();
            for (bound, beyond) in [("minimum", -1), ("maximum", 1)] {
                let Some(bound) = field[bound].as_i64() else { continue };
                let problems = check(&ours.schema, json!({ name: bound + beyond })).unwrap_err();
                let told = problems.iter().any(|(place, text)| place == name && text.contains(" equal to "));
                assert!(told, "{}.{name}: {problems}", ours.name);
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 15);
}

#[test]
fn every_tool_and_every_argument_is_described_in_few_words() {
    for (tool, _) in definitions() {
        let length = tool.description.len();
        assert!((10..300).contains(&length), "{}: {length}", tool.name);
        for (name, field) in tool.parameters["properties"].as_object().unwrap() {
            let text = field["description"].as_str().unwrap_or_default();
            assert!((5..220).contains(&text.len()), "{}.{name}: {text:?}", tool.name);
        }
    }
}

#[test]
fn each_provider_gets_its_own_form() {
    let tool = AgentTool::StoreMemory.definition();
    let openai = Format::OpenAi.shape(tool);
    assert_eq!(openai["type"], "function");
    assert_eq!(openai["function"]["parameters"], tool.parameters);
    let responses = Format::OpenAiResponses.shape(tool);
    assert_eq!((&responses["name"], &responses["strict"]), (&json!("band_store_memory"), &json!(false)));
    assert_eq!(Format::Anthropic.shape(tool)["input_schema"], tool.parameters);
    assert!(tool.parameters.to_string().contains("additionalProperties"));
    assert!(!Format::Gemini.shape(tool).to_string().contains("additionalProperties"));
    let peers = AgentTool::LookupPeers.definition();
    assert!(!Format::OpenAi.shape(peers).to_string().contains("\"maximum\""));
    let mcp = Format::Mcp.shape(peers);
    assert_eq!(mcp["inputSchema"]["properties"]["page_size"]["maximum"], 100);
    assert_eq!(mcp["annotations"]["readOnlyHint"], true);
}

/// Wrong arguments, and what is told of them.
#[expect(clippy::too_many_lines, reason = "a table")]
#[test]
fn what_is_wrong_with_arguments_is_told_in_the_words_of_the_interface() {
    const ID: &str = "ID must contain only ASCII letters, digits, underscores or hyphens";
    let memory = |system: &str, kind: &str, scope: &str| json!({ "content": "c", "system": system, "type": kind, "segment": "user", "thought": "t", "scope": scope });
    let table = [
        (AgentTool::SendMessage, json!({}), "content: Field required, mentions: Field required".to_owned()),
        (
            AgentTool::SendMessage,
            json!({ "content": 7, "mentions": ["a", 1, null] }),
            "content: Input should be a valid string, mentions.1: Input should be a valid string, \
             mentions.2: Input should be a valid string"
                .to_owned(),
        ),
        (
            AgentTool::SendMessage,
            json!({ "content": "\u{200b}", "mentions": [] }),
            "content: Value error, can't be blank".to_owned(),
        ),
        (AgentTool::SendMessage, json!([]), "arguments: Input should be a valid dictionary".to_owned()),
        (
            AgentTool::SendEvent,
            json!({ "content": "x", "message_type": "text", "metadata": [] }),
            "message_type: Input should be 'thought', 'error' or 'task', metadata: Input should be a valid dictionary"
                .to_owned(),
        ),
        (AgentTool::NoReply, json!({ "reason": 3 }), "reason: Input should be a valid string".to_owned()),
        (
            AgentTool::AddParticipant,
            json!({ "identifier": "a", "role": null }),
            "role: Input should be 'owner', 'admin' or 'member'".to_owned(),
        ),
        (
            AgentTool::LookupPeers,
            json!({ "page": 0, "page_size": "500" }),
            "page: Input should be greater than or equal to 1, page_size: Input should be less than or equal to 100"
                .to_owned(),
        ),
        (
            AgentTool::StoreMemory,
            memory("long_term", "iconic", "agent"),
            "type: Value error, 1 validation issue(s): type `iconic` is not valid for system `long_term`; expected one \
             of: episodic, semantic, procedural (type)"
                .to_owned(),
        ),
        (AgentTool::GetMemory, json!({ "memory_id": "../x" }), format!("memory_id: Value error, {ID}")),
        (AgentTool::ReadRoomFile, json!({ "file_id": "" }), format!("file_id: Value error, {ID}")),
        (AgentTool::GetTask, json!({ "id": "##7" }), format!("id: Value error, {ID}")),
        (
            AgentTool::GetTask,
            json!({ "id": "#7", "include": "all" }),
            "include: Input should be 'history'".to_owned(),
        ),
        (
            AgentTool::UpdateTask,
            json!({ "id": "7", "status": null }),
            "arguments: Value error, At least one of status, active_form, comment, subject, detail, or state must be set"
                .to_owned(),
        ),
        (
            AgentTool::SetBoard,
            json!({}),
            "arguments: Value error, At least one of goal_title or goal_summary must be set".to_owned(),
        ),
        (
            AgentTool::RespondContactRequest,
            json!({ "action": "accept", "request_id": "r" }),
            "action: Input should be 'approve', 'reject' or 'cancel'".to_owned(),
        ),
    ];
    for (tool, args, expected) in table {
        assert_eq!(tool.read(args).unwrap_err().to_string(), expected, "{tool:?}");
    }
    let problems = AgentTool::StoreMemory.read(memory("working", "semantic", "subject")).unwrap_err();
    assert!(
        problems.to_string().starts_with("subject_id: Value error, scope=\"subject\" requires a subject_id")
    );
}

#[test]
fn what_models_write_otherwise_is_taken() {
    let read = AgentTool::AddParticipant.read(json!({ "name": "ada", "extra": 1 })).unwrap();
    let AgentCall::AddParticipant(args) = read else { panic!("{read:?}") };
    assert_eq!((args.identifier.as_str(), args.role), ("ada", args::ParticipantRole::Member));
    let both = AgentTool::AddParticipant.read(json!({ "name": "ada", "identifier": "bob" })).unwrap();
    assert!(matches!(both, AgentCall::AddParticipant(args) if args.identifier == "bob"));
    let read = AgentTool::LookupPeers.read(json!({ "page": "2", "page_size": 10.0 })).unwrap();
    assert!(matches!(read, AgentCall::LookupPeers(args) if (args.page, args.page_size) == (2, 10)));
    let read = AgentTool::ListTasks.read(json!({ "state": null, "limit": null })).unwrap();
    assert!(matches!(read, AgentCall::ListTasks(args) if args.limit.is_none()));
    assert!(AgentTool::GetParticipants.read(Value::Null).is_ok(), "no arguments at all");
}

#[test]
fn the_two_surfaces_know_each_others_tools_not() {
    assert_eq!(AgentTool::of_name("band_list_my_agents"), None);
    assert_eq!(HumanTool::of_name("band_send_message"), None);
    assert_eq!(AgentTool::resolve("create_agent_chat_message"), Some(AgentTool::SendMessage));
    assert_eq!(AgentTool::of_name("create_agent_chat_message"), None, "an alias is not dispatched by");
}

/// Every field of every tool crossed with absence, null and each type of JSON: what is wrong is told at its place,
/// and what the schema takes the type takes.
#[test]
fn whatever_a_field_holds_is_taken_or_told_at_its_place() {
    let facts = facts();
    let kinds = [
        Value::Null,
        json!(true),
        json!(-1),
        json!(1.5),
        json!(1e300),
        json!(""),
        json!("x"),
        json!("7"),
        json!([]),
        json!([{}]),
        json!({}),
        json!({ "x": [] }),
    ];
    let mut tried = 0;
    for fact in facts["tools"].as_array().unwrap() {
        let name = fact["name"].as_str().unwrap();
        for field in fact["params"].as_array().unwrap() {
            let field = field["name"].as_str().unwrap();
            for kind in kinds.iter().map(Some).chain([None]) {
                let args: Map<String, Value> =
                    kind.map(|value| (field.to_owned(), value.clone())).into_iter().collect();
                let problems = match (AgentTool::of_name(name), HumanTool::of_name(name)) {
                    (Some(tool), _) => tool.read(args.into()).err(),
                    (_, Some(tool)) => tool.read(args.into()).err(),
                    _ => panic!("{name} is in no catalogue"),
                };
                for (place, text) in problems.iter().flat_map(Problems::iter) {
                    let known = fact["params"].as_array().unwrap().iter().any(|param| {
                        let param = param["name"].as_str().unwrap();
                        place == param || place.starts_with(&format!("{param}."))
                    });
                    let is_rule =
                        place == Problems::WHOLE && text.starts_with("Value error, At least one of");
                    assert!(known || is_rule, "{name}.{field} = {kind:?}: {place}: {text}");
                }
                tried += 1;
            }
        }
    }
    assert!(tried > 1500, "{tried}");
}

proptest::proptest! {
    #[test]
    fn no_arguments_at_all_break_the_reader(text in "[ -~]{0,40}", depth in 0usize..200, at in 0usize..28) {
        let nested = (0..depth).fold(json!(text), |inner, level| {
            if level % 2 == 0 { json!([inner]) } else { json!({ "content": inner, "metadata": [], "id": 1 }) }
        });
        let tool = AgentTool::ALL[at];
        if let Err(problems) = tool.read(nested) {
            proptest::prop_assert!(problems.told(tool.name()).chars().count() <= MAX_PROBLEM_TEXT);
        }
    }
}
