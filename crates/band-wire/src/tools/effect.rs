//! What the acts of a turn amount to.

use super::AgentTool;

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

impl Effect {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Observe => "observe",
            Self::Act => "act",
            Self::Reply => "reply",
            Self::Decline => "decline",
        }
    }

    /// The effect of a tool, by its name.
    ///
    /// The platform's tools carry the prefix `band_`, and over the Band MCP server `band-band_`. The older
    /// send tool of that server, `create_agent_chat_message`, replies. A name of another server never
    /// resolves: it observes.
    pub fn of_tool(name: &str) -> Self {
        let name = name.strip_prefix("band-").unwrap_or(name);
        AgentTool::resolve(name).map_or(Self::Observe, AgentTool::effect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
