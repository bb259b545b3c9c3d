//! The dependency rules of the house, held over `cargo metadata`.

use std::collections::BTreeSet;

use anyhow::{Result, bail};

use crate::metadata::{Edges, Metadata};

/// The only packages in which the SDK and the platform meet.
const MEETING_PLACES: &[&str] = &["band-cli", "band-testkit"];

/// What decides does no input or output.
const NOT_IN_CORE: &[&str] = &["tokio", "reqwest", "axum", "rand", "hyper", "mio"];

/// What describes the wire knows nothing of tasks.
const NOT_IN_WIRE: &[&str] = &[
    "tokio",
    "tokio-util",
    "async-std",
    "async-trait",
    "smol",
    "futures",
    "futures-core",
    "futures-util",
    "hyper",
    "reqwest",
    "axum",
];

/// TLS is rustls.
const BANNED: &[&str] = &["openssl", "openssl-sys", "native-tls"];

/// How cargo writes the one registry: a prefix and an end.
const REGISTRY: (&str, &str) = ("registry+", "/crates.io-index");

/// Runs all rules.
pub(crate) fn run(rest: &[String]) -> Result<()> {
    if let Some(word) = rest.first() {
        bail!("rules takes no argument, got {word:?}");
    }
    let broken = check(&Metadata::load()?);
    for line in &broken {
        eprintln!("{line}");
    }
    if !broken.is_empty() {
        bail!("{} dependency rule(s) broken", broken.len());
    }
    println!("the dependency rules hold");
    Ok(())
}

/// Every broken rule, one line each.
fn check(metadata: &Metadata) -> Vec<String> {
    let mut broken = Vec::new();
    for member in metadata.members() {
        let tree = metadata.tree(member, Edges::WithTests);
        if tree.contains("band") && tree.contains("band-server") && !MEETING_PLACES.contains(&member) {
            broken.push(format!("{member} reaches both band and band-server; only {MEETING_PLACES:?} may"));
        }
    }
    broken.extend(forbid(metadata, "band-core", NOT_IN_CORE));
    broken.extend(forbid(metadata, "band-wire", NOT_IN_WIRE));
    for (name, source) in metadata.sources() {
        if BANNED.contains(&name) {
            broken.push(format!("{name} is in the tree; TLS here is rustls"));
        }
        let foreign = |source: &&str| !(source.starts_with(REGISTRY.0) && source.ends_with(REGISTRY.1));
        if let Some(source) = source.filter(foreign) {
            broken.push(format!("{name} comes from {source}; only crates of the public registry are used"));
        }
    }
    broken
}

fn forbid(metadata: &Metadata, member: &str, forbidden: &[&str]) -> Vec<String> {
    let tree = metadata.tree(member, Edges::Product);
    if tree.is_empty() {
        return vec![format!("{member} is not in the workspace")];
    }
    let forbidden: BTreeSet<&str> = forbidden.iter().copied().collect();
    tree.intersection(&forbidden).map(|name| format!("{member} has {name} in its tree")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workspace_keeps_the_rules() {
        assert_eq!(check(&Metadata::load().unwrap()), Vec::<String>::new());
    }

    /// A workspace of `members`, with edges `(from, to, kind)` and one crate of the registry.
    fn made_up(members: &[&str], edges: &[(&str, &str, Option<&str>)], foreign: &[&str]) -> Metadata {
        let package = |name: &&str, source: serde_json::Value| serde_json::json!({"id": name, "name": name, "source": source});
        let packages: Vec<_> = members
            .iter()
            .map(|name| package(name, serde_json::Value::Null))
            .chain(foreign.iter().map(|name| package(name, "registry+somewhere/crates.io-index".into())))
            .collect();
        let nodes: Vec<_> = members
            .iter()
            .chain(foreign)
            .map(|name| {
                let deps: Vec<_> = edges
                    .iter()
                    .filter(|(from, _, _)| from == name)
                    .map(|(_, to, kind)| serde_json::json!({"pkg": to, "dep_kinds": [{"kind": kind}]}))
                    .collect();
                serde_json::json!({"id": name, "deps": deps})
            })
            .collect();
        let all = serde_json::json!({"packages": packages, "workspace_members": members, "resolve": {"nodes": nodes}});
        Metadata::parse(&all.to_string()).unwrap()
    }

    const HOUSE: &[&str] = &["band-wire", "band-core", "band", "band-server", "band-cli"];

    #[test]
    fn the_cli_may_reach_both_halves() {
        let metadata = made_up(HOUSE, &[("band-cli", "band", None), ("band-cli", "band-server", None)], &[]);
        assert_eq!(check(&metadata), Vec::<String>::new());
    }

    #[test]
    fn a_platform_that_uses_the_sdk_in_its_tests_is_refused() {
        let metadata = made_up(HOUSE, &[("band-server", "band", Some("dev"))], &[]);
        let broken = check(&metadata);
        assert_eq!(broken.len(), 1);
        assert!(broken[0].starts_with("band-server reaches both"), "{broken:?}");
    }

    #[test]
    fn tokio_below_core_is_refused_through_any_depth_but_not_in_its_tests() {
        let deep = made_up(HOUSE, &[("band-core", "x", None), ("x", "tokio", None)], &["x", "tokio"]);
        assert_eq!(check(&deep), ["band-core has tokio in its tree"]);
        let tests = made_up(HOUSE, &[("band-core", "x", Some("dev")), ("x", "tokio", None)], &["x", "tokio"]);
        assert_eq!(check(&tests), Vec::<String>::new());
    }

    #[test]
    fn another_tls_and_another_source_are_refused() {
        assert_eq!(check(&made_up(HOUSE, &[], &["openssl-sys"])).len(), 1);
        let text = serde_json::json!({"packages": [{"id": "x", "name": "x", "source": "git+https://example.org/x"}],
            "workspace_members": [], "resolve": {"nodes": []}});
        let metadata = Metadata::parse(&text.to_string()).unwrap();
        assert!(check(&metadata).iter().any(|line| line.starts_with("x comes from git+")));
    }

    #[test]
    fn a_missing_room_is_said() {
        assert!(
            check(&made_up(&["band-wire"], &[], &[]))
                .contains(&"band-core is not in the workspace".to_owned())
        );
    }
}
