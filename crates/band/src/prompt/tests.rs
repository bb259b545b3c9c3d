//! What every prompt has to hold, for any choice of tools.

use std::collections::BTreeSet;

use band_wire::Id;
use proptest::prelude::*;
use serde_json::Value;
use uuid::Uuid;

use super::*;

const FACTS: &str = include_str!("../../../band-wire/facts/tools.json");
const CHAT: &str = "chat";
const GROUPS: [&str; 4] = ["memory", "contacts", "files", "tasks"];

/// The tools of an agent with their groups.
fn catalogue() -> Vec<(String, String)> {
    let facts: Value = serde_json::from_str(FACTS).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let tools = facts["tools"].as_array().unwrap().iter();
    tools
        .filter(|tool| tool["surface"] == "agent")
        .map(|tool| (text(&tool["name"]), text(&tool["group"])))
        .collect()
}

fn tools_of(groups: &[&str]) -> Vec<String> {
    catalogue()
        .into_iter()
        .filter(|(_, group)| groups.contains(&group.as_str()))
        .map(|(name, _)| name)
        .collect()
}

fn me() -> Identity {
    let mut me = Identity::new(Id::new(Uuid::from_u128(7)), "Weather\nBot", "Tells the\n## weather");
    me.handle = "@ada/weather".to_owned();
    me
}

fn prompt(tools: &[String]) -> String {
    SystemPrompt::new(&me(), tools.iter().cloned()).render()
}

fn headings(prompt: &str) -> Vec<&str> {
    prompt.lines().filter_map(|line| line.strip_prefix("## ")).collect()
}

/// Every combination of the groups that can be chosen, each with its tools.
fn combinations() -> Vec<(String, Vec<String>)> {
    let all = (0u8..16).map(|bits| {
        let chosen: Vec<&str> = GROUPS
            .iter()
            .enumerate()
            .filter(|(at, _)| bits & (1 << at) != 0)
            .map(|(_, group)| *group)
            .collect();
        let name = if chosen.is_empty() { "chat".to_owned() } else { chosen.join("_") };
        (name, tools_of(&[&[CHAT], chosen.as_slice()].concat()))
    });
    all.collect()
}

#[test]
fn each_combination_of_features_has_its_prompt() {
    for (name, tools) in combinations() {
        insta::assert_snapshot!(format!("prompt_{name}"), prompt(&tools));
        let bare = SystemPrompt::new(&me(), tools.clone()).base_instructions(false).render();
        let kept = prompt(&tools);
        let groups = kept.split_once("\n\n## Memory").or_else(|| kept.split_once("\n\n## Contact"));
        if let Some((_, sections)) = groups {
            assert!(bare.ends_with(sections), "{name}: groups of tools do not depend on the base");
        }
    }
}

#[test]
fn the_same_prompt_speaks_of_tools_as_each_target_calls_them() {
    let tools = tools_of(&[&[CHAT], GROUPS.as_slice()].concat());
    let me = me();
    let plain = SystemPrompt::new(&me, tools.clone());
    let mcp = plain.clone().naming(Naming::Mcp("band".to_owned())).render();
    let method = plain.clone().naming(Naming::Method("band".to_owned())).render();
    let plain = plain.render();
    for tool in &tools {
        if plain.contains(tool.as_str()) {
            assert!(mcp.contains(&format!("`mcp__band__{tool}")), "{tool}");
            assert!(method.contains(&format!("`band.{}", tool.trim_start_matches("band_"))), "{tool}");
        }
    }
    assert_eq!(mcp.replace("mcp__band__", ""), plain);
    assert!(!method.contains("band_"));
}

#[test]
fn sections_keep_their_order_and_the_developer_has_the_last_word() {
    let tools = tools_of(&[&[CHAT], GROUPS.as_slice()].concat());
    let me = me();
    let full = SystemPrompt::new(&me, tools.clone())
        .section(turn_completion(tools.clone(), Naming::Plain))
        .section("\n## Mine\n\nx\n")
        .instructions("  Be brief.\n## Own heading\n");
    let text = full.render();
    assert_eq!(
        headings(&text),
        [
            "Environment",
            "Security",
            "Activation",
            "Delegation",
            "Relaying",
            "Memory Tools",
            "Contact Management Tools",
            "Room File Tools",
            "Task Board Tools",
            "Ending a Turn",
            "Mine",
            "Developer Instructions",
            "Own heading",
        ]
    );
    assert!(text.ends_with("## Mine\n\nx\n\n## Developer Instructions\n\n  Be brief.\n## Own heading\n"));
    let bare = full.clone().base_instructions(false).render();
    assert!(bare.ends_with("## Mine\n\nx\n\n  Be brief.\n## Own heading\n"), "no heading without the base");
    assert!(!bare.contains("## Environment") && bare.contains("## Memory Tools"));
    let blank = SystemPrompt::new(&me, tools).instructions(" \n").render();
    assert!(!blank.contains("Developer"));
}

#[test]
fn the_agent_knows_its_handle_and_its_own_words_stay_on_one_line() {
    let text = prompt(&[]);
    let first = text.lines().next().unwrap();
    let id = Uuid::from_u128(7);
    assert_eq!(
        first,
        format!("You are Weather Bot: Tells the ## weather. Your handle is `@ada/weather`, your id `{id}`.")
    );
    let long = Identity::new(Id::new(Uuid::nil()), &"n".repeat(500), &"d".repeat(5_000));
    let first = SystemPrompt::new(&long, [""; 0]).base_instructions(false).render();
    assert!(first.chars().count() < NAME_MAX + DESCRIPTION_MAX + 100);
}

#[test]
fn prompts_stay_short() {
    let base = |groups: &[&str]| prompt(&tools_of(&[&[CHAT], groups].concat())).chars().count();
    let nothing = SystemPrompt::new(&me(), [""; 0]).base_instructions(false).render().chars().count();
    let plain = base(&[]);
    assert!(plain - nothing <= 2_300, "{}", plain - nothing);
    for (group, most) in [("memory", 2_300), ("contacts", 320), ("files", 260), ("tasks", 800)] {
        let size = base(&[group]) - plain;
        assert!((100..=most).contains(&size), "{group}: {size}");
    }
    let ending = turn_completion(tools_of(&[CHAT]), Naming::Plain).chars().count();
    assert!(ending <= 560, "{ending}");
    assert!(communication(tools_of(&[CHAT]), Naming::Plain).chars().count() <= 900);
}

#[test]
fn every_value_of_a_memory_is_told_as_the_platform_takes_it() {
    let facts: Value = serde_json::from_str(FACTS).unwrap();
    let store =
        facts["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "band_store_memory").unwrap();
    let text = prompt(&tools_of(&[CHAT, "memory"]));
    let mut told = 0;
    for field in ["system", "type", "segment", "scope"] {
        let mut values = Vec::new();
        collect(&store["parameters"]["properties"][field], &store["parameters"], &mut values);
        assert!(!values.is_empty(), "{field}");
        for value in values {
            assert!(text.contains(&format!("`{value}`")), "{field}: {value}");
            told += 1;
        }
    }
    assert!(told >= 16);
}

/// The words of an enum, wherever the schema has it.
fn collect(schema: &Value, root: &Value, words: &mut Vec<String>) {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        collect(&root["$defs"][name], root, words);
    }
    for one in schema["anyOf"].as_array().into_iter().flatten() {
        collect(one, root, words);
    }
    words
        .extend(schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned));
}

#[test]
fn prompt_and_schemas_speak_of_mentions_in_the_same_words() {
    use band_wire::tools::{AgentTool, MENTIONS};
    assert!(prompt(&tools_of(&[CHAT])).contains(MENTIONS));
    for tool in [AgentTool::SendMessage, AgentTool::SendRoomFile] {
        assert_eq!(tool.definition().parameters["properties"]["mentions"]["description"], MENTIONS);
    }
}

/// Every tool that a text names.
fn named(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    words.filter(|word| word.starts_with("band_")).map(str::to_owned).collect()
}

/// Tools that a prompt has to name when the model has them.
fn told() -> BTreeSet<String> {
    let silent =
        ["band_send_event", "band_remove_participant", "band_create_chatroom", "band_get_participants"];
    catalogue().into_iter().map(|(name, _)| name).filter(|name| !silent.contains(&name.as_str())).collect()
}

#[test]
fn the_hub_room_is_told_in_full_to_a_model_with_its_tools() {
    let text = hub(tools_of(&[CHAT, "contacts"]));
    let tools = [
        "band_list_contact_requests",
        "band_list_contacts",
        "band_respond_contact_request",
        "band_send_event",
    ];
    assert_eq!(named(&text), tools.map(str::to_owned).into());
    assert!(text.contains("\"approve\" or \"reject\""));
    insta::assert_snapshot!("hub", text);
}

proptest! {
    #[test]
    fn no_prompt_names_a_tool_that_is_not_there_and_each_names_those_that_are(
        chosen in prop::collection::vec(any::<bool>(), 28),
    ) {
        let tools: BTreeSet<String> =
            catalogue().into_iter().zip(chosen).filter(|(_, on)| *on).map(|((name, _), _)| name).collect();
        let text = SystemPrompt::new(&me(), tools.clone()).section(turn_completion(tools.clone(), Naming::Plain)).render();
        let spoken = named(&text);
        prop_assert!(spoken.is_subset(&tools), "{:?}", spoken.difference(&tools));
        prop_assert!(named(&hub(tools.clone())).is_subset(&tools));
        let speaks = tools.contains("band_send_message");
        let wanted: BTreeSet<String> = told()
            .intersection(&tools)
            // Peers are looked for and brought in to be asked.
            .filter(|name| speaks || !["band_lookup_peers", "band_add_participant"].contains(&name.as_str()))
            .cloned()
            .collect();
        prop_assert!(wanted.is_subset(&spoken), "{:?}", wanted.difference(&spoken));
    }
}

#[test]
fn there_are_two_roles_and_each_knows_when_to_be_silent() {
    assert_eq!(available_roles(), ["planner", "reviewer"]);
    for role in available_roles() {
        let text = role_prompt(role, None).unwrap();
        for rule in
            ["explicit mention", "direct question of a human", "silent", "thought events", "acknowledgement"]
        {
            assert!(text.contains(rule), "{role}: {rule}");
        }
    }
    assert!(role_prompt("planner", None).unwrap().starts_with("Your role: Planner, planner."));
    assert!(role_prompt("reviewer", Some("Grace\nH")).unwrap().starts_with("Your role: Grace H, reviewer."));
    let unknown = role_prompt("boss", None).unwrap_err();
    assert_eq!(unknown.to_string(), "Unknown role 'boss'. Available roles: planner, reviewer");
}

#[test]
fn a_role_is_read_from_its_folder_and_from_nowhere_else() {
    let dir = tempfile::tempdir().unwrap();
    let inside = dir.path().join("roles");
    std::fs::create_dir(&inside).unwrap();
    std::fs::write(inside.join("planner.md"), "Mine.\n").unwrap();
    std::fs::write(dir.path().join("secret.md"), "secret").unwrap();
    let load = |role: &str| load_role_prompt(role, Some(&inside));
    assert_eq!(load("planner").as_deref(), Some("Mine.\n"), "as it is");
    assert!(load("reviewer").unwrap().contains("APPROVED"), "what the folder lacks is ours");
    for role in ["../secret", "boss", "", "a/b", "..", "\u{202e}x"] {
        assert_eq!(load(role), None, "{role:?}");
    }
    assert!(load_role_prompt("planner", None).unwrap().contains("design document"));
}
