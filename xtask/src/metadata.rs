//! What `cargo metadata` says, as far as the rules need it.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use serde::Deserialize;

/// The whole answer.
#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    packages: Vec<Package>,
    workspace_members: Vec<String>,
    resolve: Resolve,
}

#[derive(Debug, Deserialize)]
struct Package {
    id: String,
    name: String,
    source: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Debug, Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dep>,
}

#[derive(Debug, Deserialize)]
struct Dep {
    pkg: String,
    dep_kinds: Vec<DepKind>,
}

#[derive(Debug, Deserialize)]
struct DepKind {
    kind: Option<String>,
}

/// Which edges a walk follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edges {
    /// Those of the built product: normal and build dependencies.
    Product,
    /// Those of its tests too, at the first step.
    WithTests,
}

impl Metadata {
    /// Asks cargo, for the machine it runs on: what only other systems need is left out.
    pub(crate) fn load() -> Result<Self> {
        let version = crate::step::read(crate::step::command("rustc").arg("-vV"))?;
        let host = version.lines().find_map(|line| line.strip_prefix("host: "));
        let host = host.context("rustc does not say which machine it is for")?;
        let arguments = ["metadata", "--format-version", "1", "--locked", "--filter-platform", host];
        Self::parse(&crate::step::read(crate::step::command("cargo").args(arguments))?)
    }

    /// Reads cargo's answer.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        serde_json::from_str(text).context("cargo metadata answered something unexpected")
    }

    /// The names of our own packages.
    pub(crate) fn members(&self) -> BTreeSet<&str> {
        let ids: BTreeSet<&str> = self.workspace_members.iter().map(String::as_str).collect();
        let ours = self.packages.iter().filter(|package| ids.contains(package.id.as_str()));
        ours.map(|package| package.name.as_str()).collect()
    }

    /// Every package's name and where it comes from; none for our own.
    pub(crate) fn sources(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.packages.iter().map(|package| (package.name.as_str(), package.source.as_deref()))
    }

    /// The names of all packages that one of ours needs, itself included.
    pub(crate) fn tree(&self, member: &str, edges: Edges) -> BTreeSet<&str> {
        let names: BTreeMap<&str, &str> =
            self.packages.iter().map(|package| (package.id.as_str(), package.name.as_str())).collect();
        let nodes: BTreeMap<&str, &Node> =
            self.resolve.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
        let start = self.packages.iter().find(|package| package.name == member && package.source.is_none());
        let mut waiting: Vec<(&str, Edges)> =
            start.map(|package| (package.id.as_str(), edges)).into_iter().collect();
        let mut seen = BTreeSet::new();
        while let Some((id, edges)) = waiting.pop() {
            if !seen.insert(id) {
                continue;
            }
            let deps = nodes.get(id).map(|node| node.deps.as_slice()).unwrap_or_default();
            let wanted = deps.iter().filter(|dep| dep.dep_kinds.iter().any(|kind| follows(kind, edges)));
            waiting.extend(wanted.map(|dep| (dep.pkg.as_str(), Edges::Product)));
        }
        seen.into_iter().filter_map(|id| names.get(id).copied()).collect()
    }
}

fn follows(kind: &DepKind, edges: Edges) -> bool {
    match kind.kind.as_deref() {
        Some("dev") => edges == Edges::WithTests,
        _ => true,
    }
}
