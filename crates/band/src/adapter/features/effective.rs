//! What holds in the end: chosen, supported, and served by the platform.

use std::collections::BTreeMap;

use super::{Capabilities, Capability, Emit, Emits};

/// The platform's flag for files.
const FILES_FLAG: &str = "ff_file_transfer";
/// The platform's flag for tasks and the board.
const TASKS_FLAG: &str = "ff_room_tasks";
/// Groups of tools by name, `chat` being those that every room has.
const CATEGORIES: [&str; 5] = ["chat", "contacts", "memory", "files", "tasks"];

/// What an adapter does in the end: what was chosen for it, less what this platform does not serve.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EffectiveFeatures {
    /// Events to post.
    pub emit: Emits,
    /// Groups of tools to offer beyond those of every room.
    pub capabilities: Capabilities,
    /// The only tools to offer, by name. None: all.
    pub include_tools: Option<Vec<String>>,
    /// Tools not to offer, by name.
    pub exclude_tools: Vec<String>,
    /// The only groups to offer. None: all.
    pub include_categories: Option<Vec<String>>,
}

impl EffectiveFeatures {
    /// Whether events of this kind are posted.
    pub fn emits(&self, kind: Emit) -> bool {
        self.emit.contains(kind)
    }

    /// Whether a group of tools is offered beyond those of every room.
    pub fn has(&self, capability: Capability) -> bool {
        self.capabilities.contains(capability)
    }

    /// Drops what the platform does not serve: files, unless their flag is true, and tasks, if their flag is false:
    /// older platforms served tasks without a flag. A platform that has no flags is trusted to serve everything.
    #[must_use]
    pub fn served_by(mut self, flags: Option<&BTreeMap<String, bool>>) -> Self {
        let Some(flags) = flags else { return self };
        if flags.get(FILES_FLAG) != Some(&true) && self.capabilities.remove(Capability::Files) {
            tracing::warn!(target: "band.agent", "the platform does not serve files: no tools for them are offered");
        }
        if flags.get(TASKS_FLAG) == Some(&false) && self.capabilities.remove(Capability::Tasks) {
            tracing::warn!(target: "band.agent", "the platform does not serve tasks: no tools for them are offered");
        }
        self
    }

    /// Whether a tool of a category is offered to the model: first by its category, then by name. In the room
    /// for contact requests those tools are always there.
    pub fn offers(&self, tool: &str, category: &str, is_hub: bool) -> bool {
        let has_group = match category.parse::<Capability>() {
            Ok(Capability::Contacts) if is_hub => true,
            Ok(capability) => self.has(capability),
            Err(_) => true,
        };
        let is_named = |names: &[String], name: &str| names.iter().any(|one| one == name);
        has_group
            && self.include_categories.as_deref().is_none_or(|names| is_named(names, category))
            && self.include_tools.as_deref().is_none_or(|names| is_named(names, tool))
            && !is_named(&self.exclude_tools, tool)
    }

    /// The names in the filters that nothing has: most likely slips of the pen.
    pub fn unknown_names<'a>(&'a self, tools: &[&str]) -> Vec<&'a str> {
        let named = self.include_tools.iter().flatten().chain(&self.exclude_tools);
        let tools = named.map(String::as_str).filter(|name| !tools.contains(name));
        let groups = self.include_categories.iter().flatten().map(String::as_str);
        tools.chain(groups.filter(|name| !CATEGORIES.contains(name))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Features, Supported};
    use super::*;

    fn held(features: &Features) -> EffectiveFeatures {
        let all = Supported {
            emit: Emits::none(),
            capabilities: Capability::Files | Capability::Contacts | Capability::Memory,
        };
        features.resolve("Foo", &all).unwrap()
    }

    #[test]
    fn files_are_offered_only_where_the_platform_says_that_it_serves_them() {
        let flags = |on| Some(BTreeMap::from([("ff_file_transfer".to_owned(), on)]));
        let table =
            [(None, true), (flags(true), true), (flags(false), false), (Some(BTreeMap::new()), false)];
        for (flags, offered) in table {
            let chosen = held(&Features::new().capabilities(Capability::Files | Capability::Memory));
            let chosen = chosen.served_by(flags.as_ref());
            assert_eq!(chosen.has(Capability::Files), offered, "{flags:?}");
            assert!(chosen.has(Capability::Memory), "no other group is gated");
        }
    }

    #[test]
    fn tasks_are_offered_unless_the_platform_says_that_it_does_not_serve_them() {
        let all = Supported { emit: Emits::none(), capabilities: Capability::Tasks.into() };
        let chosen = Features::new().capabilities(Capability::Tasks).resolve("Foo", &all).unwrap();
        let flags = |on| BTreeMap::from([("ff_room_tasks".to_owned(), on)]);
        for (flags, offered) in [
            (None, true),
            (Some(flags(true)), true),
            (Some(flags(false)), false),
            (Some(BTreeMap::new()), true),
        ] {
            let held = chosen.clone().served_by(flags.as_ref());
            assert_eq!(held.has(Capability::Tasks), offered, "{flags:?}");
        }
    }

    #[test]
    fn tools_are_filtered_by_group_then_by_name() {
        let plain = held(&Features::new());
        assert!(plain.offers("band_send_message", "chat", false));
        assert!(!plain.offers("band_add_contact", "contacts", false));
        assert!(plain.offers("band_add_contact", "contacts", true), "in the hub room");
        let some = held(
            &Features::new()
                .capabilities(Capability::Memory)
                .include_categories(["memory"])
                .include_tools(["band_store_memory", "band_get_memory", "band_send_message"])
                .exclude_tools(["band_get_memory"]),
        );
        let offered = |tool, category| some.offers(tool, category, false);
        assert!(offered("band_store_memory", "memory"));
        assert!(!offered("band_get_memory", "memory"), "left out by name");
        assert!(!offered("band_list_memories", "memory"), "not among the named");
        assert!(!offered("band_send_message", "chat"), "not in a named group");
    }

    #[test]
    fn names_that_nothing_has_are_found() {
        let chosen = held(
            &Features::new()
                .include_tools(["a", "b"])
                .exclude_tools(["c"])
                .include_categories(["chat", "chats"]),
        );
        assert_eq!(chosen.unknown_names(&["a"]), ["b", "c", "chats"]);
    }
}
