//! The catalogue of tools: every tool that a model may be offered, defined once.
//!
//! A tool is one line of [`AgentTool`] or [`HumanTool`] (name, group, effect, whether it needs a room) and one type
//! for its arguments. The type gives the schema; its doc comments are what a model reads. What a model writes
//! is read by [`check`], leniently where models are known to slip, and every problem is told at once.

mod agent;
pub mod args;
mod check;
mod definition;
mod effect;
mod human;
mod problems;
mod schema;
mod shape;

pub use agent::{AgentCall, AgentTool};
pub use check::{check, read};
pub use definition::{Group, Surface, ToolDefinition};
pub use effect::Effect;
pub use human::{HumanCall, HumanTool};
pub use problems::{MAX_PROBLEM_TEXT, Problems};
pub use schema::{for_models, schema_of};
pub use shape::Format;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

/// How mentions are written: in the schemas of tools and in system prompts alike, so that they can't disagree.
pub const MENTIONS: &str = "`mentions` takes ids of participants, one at least. Ids are safest; handles work too: \
                            `@<username>` for a user, `@<username>/<agent-name>` for an agent.";

/// The arguments of a tool.
pub trait ToolArgs: DeserializeOwned + JsonSchema {
    /// Spellings that are taken for a field and not advertised: theirs, ours.
    const ALIASES: &'static [(&'static str, &'static str)] = &[];

    /// What a schema can't say. Called when every field has its type.
    fn rules(&self, problems: &mut Problems) {
        let _ = problems;
    }
}

/// Makes a surface of the catalogue: its tools in the order in which they are advertised, and their calls.
macro_rules! catalogue {
    (
        $surface:ident,
        $(#[$tool_meta:meta])* $tool:ident,
        $(#[$call_meta:meta])* $call:ident,
        { $($variant:ident($args:ty) = $name:literal, $group:ident, $effect:ident, $room:literal;)+ }
    ) => {
        $(#[$tool_meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $tool { $(#[doc = concat!("`", $name, "`")] $variant,)+ }

        $(#[$call_meta])*
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum $call { $(#[doc = concat!("`", $name, "`")] $variant($args),)+ }

        impl $tool {
            /// All of them, in the order in which they are advertised.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// The group it is in.
            pub const fn group(self) -> $crate::tools::Group {
                match self { $(Self::$variant => $crate::tools::Group::$group),+ }
            }

            /// What it amounts to when it works.
            pub const fn effect(self) -> $crate::tools::Effect {
                match self { $(Self::$variant => $crate::tools::Effect::$effect),+ }
            }

            /// Whether it is about one room: a front door without a room of its own asks for it.
            pub const fn is_room_bound(self) -> bool {
                match self { $(Self::$variant => $room),+ }
            }

            /// The tool of exactly this name.
            pub fn of_name(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant),)+ _ => None }
            }

            /// All that a model is told of it.
            pub fn definition(self) -> &'static $crate::tools::ToolDefinition {
                static ALL: std::sync::LazyLock<Vec<$crate::tools::ToolDefinition>> =
                    std::sync::LazyLock::new(|| vec![$(
                        $crate::tools::ToolDefinition::of::<$args>(
                            $name,
                            $crate::tools::Surface::$surface,
                            $crate::tools::Group::$group,
                            $crate::tools::Effect::$effect,
                        )
                    ),+]);
                static NONE: std::sync::LazyLock<$crate::tools::ToolDefinition> =
                    std::sync::LazyLock::new($crate::tools::ToolDefinition::empty);
                ALL.get(self as usize).unwrap_or(&NONE)
            }

            /// Reads its arguments.
            ///
            /// # Errors
            /// All that is wrong with them.
            pub fn read(self, args: serde_json::Value) -> Result<$call, $crate::tools::Problems> {
                match self {
                    $(Self::$variant => {
                        $crate::tools::read::<$args>(&self.definition().schema, args).map($call::$variant)
                    })+
                }
            }
        }
    };
}

pub(crate) use catalogue;

#[cfg(test)]
mod tests;
