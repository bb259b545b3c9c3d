//! What the acts of a turn amount to.

/// What a successful tool call, or another act of a turn, amounts to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Settles nothing: a look, or an event that tells of the work.
    Observe,
    /// A lasting side effect: silence afterwards is fine.
    Act,
    /// An answer reached the room.
    Reply,
    /// Silence on purpose.
    Decline,
}

/// The tools of the platform that settle something; every other tool observes.
const SETTLING: [(&str, Effect); 16] = [
    ("add_contact", Effect::Act),
    ("add_participant", Effect::Act),
    ("archive_memory", Effect::Act),
    ("create_chatroom", Effect::Act),
    ("create_task", Effect::Act),
    ("no_reply", Effect::Decline),
    ("remove_contact", Effect::Act),
    ("remove_participant", Effect::Act),
    ("respond_contact_request", Effect::Act),
    ("send_message", Effect::Reply),
    ("send_room_file", Effect::Reply),
    ("set_board", Effect::Act),
    ("store_memory", Effect::Act),
    ("supersede_memory", Effect::Act),
    ("update_task", Effect::Act),
    ("create_agent_chat_message", Effect::Reply),
];

impl Effect {
    /// The effect of a tool, by its name.
    ///
    /// The platform's tools carry the prefix `band_`, and over the Band MCP server `band-band_`. The older
    /// send tool of that server, `create_agent_chat_message`, replies. A name of another server never
    /// resolves: it observes.
    pub fn of_tool(name: &str) -> Self {
        const OLD_SEND: &str = "create_agent_chat_message";
        let name = name.strip_prefix("band-").unwrap_or(name);
        let bare = if name == OLD_SEND { Some(OLD_SEND) } else { name.strip_prefix("band_") };
        let found = SETTLING.iter().find(|(tool, _)| Some(*tool) == bare);
        match found {
            Some((tool, effect)) if *tool != OLD_SEND || name == OLD_SEND => *effect,
            _ => Self::Observe,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_effects_are_the_published_ones() {
        let facts = include_str!("../../../band-wire/facts/tools.json");
        let facts: serde_json::Value = serde_json::from_str(facts).unwrap();
        let tools: Vec<_> =
            facts["tools"].as_array().unwrap().iter().filter(|tool| tool["surface"] == "agent").collect();
        for tool in &tools {
            let effect = format!("{:?}", Effect::of_tool(tool["name"].as_str().unwrap())).to_lowercase();
            assert_eq!(tool["effect"], effect, "{}", tool["name"]);
        }
        assert_eq!(tools.len(), 28);
    }

    #[test]
    fn each_tool_has_the_effect_of_its_group() {
        let table = [
            ("band_send_message", Effect::Reply),
            ("band_send_room_file", Effect::Reply),
            ("band_no_reply", Effect::Decline),
            ("band_add_participant", Effect::Act),
            ("band_set_board", Effect::Act),
            ("band_get_participants", Effect::Observe),
            ("band_send_event", Effect::Observe),
            ("band-band_send_message", Effect::Reply),
            ("create_agent_chat_message", Effect::Reply),
            ("band-create_agent_chat_message", Effect::Reply),
            ("band_create_agent_chat_message", Effect::Observe),
            ("other-band_send_message", Effect::Observe),
            ("send_message", Effect::Observe),
            ("mcp__band__band_send_message", Effect::Observe),
            ("open_ticket", Effect::Observe),
        ];
        for (name, effect) in table {
            assert_eq!(Effect::of_tool(name), effect, "{name}");
        }
    }
}
