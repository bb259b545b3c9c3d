//! Which tools a model is offered in a room: decided once, for telling it and for letting it call.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use band_wire::tools::{AgentTool, Effect, Format, Group, ToolDefinition};
use serde_json::Value;

use super::Tool;
use crate::adapter::EffectiveFeatures;
use crate::error::{Error, Result};

/// The tools that a model is offered in a room, in the order in which they are advertised; the platform's come
/// first. What is not in it can't be called either. Cheap to clone.
#[derive(Clone, Default)]
pub struct ToolSet(Arc<[Offered]>);

#[derive(Clone)]
pub(super) enum Offered {
    Band(AgentTool),
    Own(Tool),
}

impl Offered {
    fn definition(&self) -> &ToolDefinition {
        match self {
            Self::Band(tool) => tool.definition(),
            Self::Own(tool) => tool.definition(),
        }
    }
}

impl ToolSet {
    /// The tools of a room: the platform's that the features leave, then one's own. In the hub room those for
    /// contacts are chosen always. One's own are never filtered.
    pub fn resolve(features: &EffectiveFeatures, is_hub: bool, own: &[Tool]) -> Self {
        let band = AgentTool::ALL
            .iter()
            .copied()
            .filter(|tool| features.offers(tool.name(), tool.group().as_str(), is_hub));
        Self(band.map(Offered::Band).chain(own.iter().cloned().map(Offered::Own)).collect())
    }

    /// The definitions, in the order in which they are advertised.
    pub fn definitions(&self) -> impl Iterator<Item = &ToolDefinition> {
        self.0.iter().map(Offered::definition)
    }

    /// The names, in the order in which they are advertised.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.definitions().map(|tool| tool.name.as_ref())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a tool of this name is offered.
    pub fn allows(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Whether a tool of this group is offered.
    pub fn has(&self, group: Group) -> bool {
        self.definitions().any(|tool| tool.group == group)
    }

    /// The definition of the tool of this name.
    pub fn get(&self, name: &str) -> Option<&ToolDefinition> {
        self.find(name).map(Offered::definition)
    }

    /// What a tool amounts to when it works. The platform's are known by their names on its MCP server, too; what is
    /// not known observes.
    pub fn effect(&self, name: &str) -> Effect {
        match AgentTool::resolve(name.strip_prefix("band-").unwrap_or(name)) {
            Some(tool) => tool.effect(),
            None => self.get(name).map_or(Effect::Observe, |tool| tool.effect),
        }
    }

    /// All of them in a provider's form: one JSON array.
    pub fn shaped(&self, format: Format) -> Value {
        self.definitions().map(|tool| format.shape(tool)).collect()
    }

    pub(super) fn find(&self, name: &str) -> Option<&Offered> {
        self.0.iter().find(|tool| tool.definition().name == name)
    }
}

impl fmt::Debug for ToolSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.definitions().map(|tool| &tool.name)).finish()
    }
}

/// What an adapter does in the end, and the tools that follow from it.
#[derive(Debug, Default)]
pub(crate) struct Offer {
    features: EffectiveFeatures,
    rooms: ToolSet,
    hub: ToolSet,
}

impl Offer {
    pub(crate) fn new(features: EffectiveFeatures, own: &[Tool]) -> Self {
        let rooms = ToolSet::resolve(&features, false, own);
        let hub = ToolSet::resolve(&features, true, own);
        Self { features, rooms, hub }
    }

    pub(crate) const fn tools(&self, is_hub: bool) -> &ToolSet {
        if is_hub { &self.hub } else { &self.rooms }
    }
}

impl Deref for Offer {
    type Target = EffectiveFeatures;

    fn deref(&self) -> &EffectiveFeatures {
        &self.features
    }
}

/// Tools of one's own must have names of their own.
pub(crate) fn check_own(own: &[Tool]) -> Result<()> {
    let quoted = |names: Vec<&str>| {
        let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
        format!("[{}]", names.join(", "))
    };
    let names: Vec<&str> = own.iter().map(Tool::name).collect();
    let shadows: Vec<&str> =
        names.iter().copied().filter(|name| AgentTool::resolve(name).is_some()).collect();
    if !shadows.is_empty() {
        return Err(Error::Config(format!(
            "Custom tools may not shadow Band platform tools: {}",
            quoted(shadows)
        )));
    }
    let twice: std::collections::BTreeSet<&str> = names
        .iter()
        .copied()
        .filter(|name| names.iter().filter(|other| *other == name).count() > 1)
        .collect();
    if !twice.is_empty() {
        return Err(Error::Config(format!(
            "Custom tool names must be unique: {}",
            quoted(twice.into_iter().collect())
        )));
    }
    let is_plain = |name: &&str| {
        (1..=64).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    };
    match names.iter().find(|name| !is_plain(name)) {
        None => Ok(()),
        Some(name) => Err(Error::Config(format!(
            "the name of the custom tool {name:?}: providers take 1 to 64 letters, digits, underscores or hyphens"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::Value;

    use super::*;
    use crate::{Capabilities, Capability, Features, Supported};

    /// Files a ticket.
    #[derive(Deserialize, JsonSchema)]
    struct Nothing {}

    fn own(name: &str) -> Tool {
        Tool::new(name, |_: Nothing, _| async { Ok("done") })
    }

    fn set(features: &Features, is_hub: bool, own: &[Tool]) -> ToolSet {
        let all = Capability::Files | Capability::Contacts | Capability::Memory | Capability::Tasks;
        let supported = Supported { capabilities: all, ..Supported::default() };
        ToolSet::resolve(&features.resolve("Foo", &supported).unwrap(), is_hub, own)
    }

    fn names(set: &ToolSet) -> Vec<&str> {
        set.names().collect()
    }

    #[test]
    fn capabilities_add_the_published_groups_in_the_published_order() {
        let facts: Value = serde_json::from_str(include_str!("../../../band-wire/facts/tools.json")).unwrap();
        let listed = |list: &Value| -> Vec<String> {
            list.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
        };
        let advertised = &facts["advertised"];
        assert_eq!(names(&set(&Features::new(), false, &[])), listed(&advertised["none"]));
        let contacts = Features::new().capabilities(Capability::Contacts);
        assert_eq!(names(&set(&contacts, false, &[])), listed(&advertised["default"]));
        assert_eq!(names(&set(&Features::new(), true, &[])), listed(&advertised["default"]), "the hub room");
        let all: Capabilities =
            [Capability::Files, Capability::Contacts, Capability::Memory, Capability::Tasks].into();
        assert_eq!(names(&set(&Features::new().capabilities(all), false, &[])), listed(&advertised["all"]));
        let chat: BTreeSet<String> = listed(&advertised["none"]).into_iter().collect();
        for (group, added) in advertised["added_by"].as_object().unwrap() {
            let one: Capability = group.parse().unwrap();
            let set = set(&Features::new().capabilities(one), false, &[]);
            let beyond: Vec<&str> = names(&set).into_iter().filter(|name| !chat.contains(*name)).collect();
            assert_eq!(beyond, listed(added), "{group}");
        }
    }

    #[test]
    fn what_is_not_offered_is_not_allowed_and_own_tools_are_never_filtered() {
        let features =
            Features::new().include_tools(["band_send_message", "band_get_memory"]).exclude_tools(["x"]);
        let set = set(&features, false, &[own("open_ticket"), own("x")]);
        assert_eq!(names(&set), ["band_send_message", "open_ticket", "x"]);
        assert!(set.allows("x") && !set.allows("band_no_reply") && !set.allows("band_get_memory"));
        assert!(!set.allows("send_message") && !set.allows("create_agent_chat_message"));
        assert!(set.has(Group::Chat) && set.has(Group::Custom) && !set.has(Group::Memory));
        let empty = Features::new().include_tools(Vec::<String>::new());
        let nothing = self::set(&empty, false, &[]);
        assert!(nothing.is_empty(), "an empty list keeps nothing");
    }

    #[test]
    fn own_tools_have_names_of_their_own() {
        let told = |own: &[Tool]| check_own(own).unwrap_err().to_string();
        assert!(check_own(&[own("a"), own("b")]).is_ok());
        assert_eq!(
            told(&[own("band_send_message"), own("create_agent_chat_message"), own("a")]),
            "Custom tools may not shadow Band platform tools: ['band_send_message', 'create_agent_chat_message']"
        );
        assert_eq!(told(&[own("a"), own("b"), own("a")]), "Custom tool names must be unique: ['a']");
        assert!(told(&[own("open ticket")]).contains("open ticket"));
    }

    #[test]
    fn a_set_comes_in_each_providers_form() {
        let set = set(&Features::new(), false, &[own("open_ticket")]);
        for format in Format::ALL {
            assert_eq!(set.shaped(*format).as_array().unwrap().len(), 9, "{format}");
        }
        assert_eq!(set.shaped(Format::OpenAi)[8]["function"]["description"], "Files a ticket.");
        assert_eq!(set.effect("open_ticket"), Effect::Observe);
        assert_eq!(set.effect("band-band_send_message"), Effect::Reply);
        assert_eq!(set.effect("band_store_memory"), Effect::Act, "known, offered or not");
    }
}
