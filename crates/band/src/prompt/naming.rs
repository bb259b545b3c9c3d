//! How a model has to call the tools, and which of them it has.

use std::collections::BTreeSet;

/// How a model has to call the platform's tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Naming {
    /// `band_send_message`
    #[default]
    Plain,
    /// `mcp__band__band_send_message`, for the MCP server of this name.
    Mcp(String),
    /// `band.send_message`, for the object of this name in code that the model writes.
    Method(String),
}

/// The tools as the text speaks of them.
#[derive(Debug, Clone)]
pub(super) struct Voice {
    tools: BTreeSet<String>,
    pub(super) naming: Naming,
}

impl Voice {
    pub(super) fn new<T: Into<String>>(tools: impl IntoIterator<Item = T>, naming: Naming) -> Self {
        Self { tools: tools.into_iter().map(Into::into).collect(), naming }
    }

    /// The tool of this name, as the model calls it, in code marks. None, if it does not have it.
    pub(super) fn tool(&self, name: &str) -> Option<String> {
        self.tools.contains(name).then(|| format!("`{}`", self.called(name)))
    }

    /// The same with what is to be given to it.
    pub(super) fn call(&self, name: &str, arguments: &str) -> Option<String> {
        self.tools.contains(name).then(|| format!("`{}({arguments})`", self.called(name)))
    }

    fn called(&self, name: &str) -> String {
        match &self.naming {
            Naming::Plain => name.to_owned(),
            Naming::Mcp(server) => format!("mcp__{server}__{name}"),
            Naming::Method(object) => format!("{object}.{}", name.strip_prefix("band_").unwrap_or(name)),
        }
    }

    /// What the tools are for, those that the model has: `` `a` does this, `b` does that. ``
    pub(super) fn uses(&self, uses: &[(&str, &str)]) -> Option<String> {
        let all: Vec<String> =
            uses.iter().filter_map(|(name, what)| Some(format!("{} {what}", self.tool(name)?))).collect();
        (!all.is_empty()).then(|| format!("{}.", all.join(", ")))
    }
}

/// The lines that there are, as a list.
pub(super) fn list(lines: impl IntoIterator<Item = Option<String>>) -> String {
    let lines: Vec<String> = lines.into_iter().flatten().map(|line| format!("- {line}")).collect();
    lines.join("\n")
}

/// A section, unless it says nothing.
pub(super) fn section(heading: &str, paragraphs: impl IntoIterator<Item = String>) -> Option<String> {
    let paragraphs: Vec<String> = paragraphs.into_iter().filter(|text| !text.is_empty()).collect();
    (!paragraphs.is_empty()).then(|| format!("## {heading}\n\n{}", paragraphs.join("\n\n")))
}
