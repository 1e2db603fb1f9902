//! External packages: their licences, sources and versions. `deny.toml` has the same rules for cargo-deny, which also
//! checks advisories.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::process::Command;

use serde_json::Value;

use crate::licence::{WELCOME, is_welcome};
use crate::tree::{assert_no_faults, root};

/// Packages that the shipped program must not use, and their replacements.
const BANNED: &[(&str, &str)] = &[
    ("async-std", "tokio, in bugle-daemon"),
    ("chrono", "jiff"),
    ("diesel", "rusqlite"),
    ("native-tls", "Bugle does not connect to other machines"),
    ("openssl", "Bugle does not connect to other machines"),
    ("openssl-sys", "Bugle does not connect to other machines"),
    ("serde_yaml", "serde-saphyr"),
    ("serde_yaml_ng", "serde-saphyr"),
    ("serde_yml", "serde-saphyr"),
    ("sqlx", "rusqlite"),
    ("yaml-rust", "serde-saphyr"),
];

/// Packages that may depend on a banned one, because they cannot avoid it.
const BROUGHT_ALONG: &[(&str, &[&str])] = &[("chrono", &["rmcp", "schemars"])];

/// Packages that are too large to include in two versions.
const ONCE: &[&str] = &[
    "annotate-snippets",
    "clap",
    "clap_builder",
    "hashbrown",
    "indexmap",
    "jiff",
    "libsqlite3-sys",
    "minijinja",
    "regex-automata",
    "regex-syntax",
    "rusqlite",
    "rustix",
    "schemars",
    "serde",
    "serde_json",
    "sha2",
    "thiserror",
];

/// Cargo's metadata of every package, including packages for other operating systems.
fn metadata() -> Option<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .current_dir(root())
        .output();
    let why = match output {
        Ok(output) if output.status.success() => return serde_json::from_slice(&output.stdout).ok(),
        Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        Err(error) => error.to_string(),
    };
    assert!(
        std::env::var_os("CI").is_none(),
        "cargo metadata failed (`cargo fetch --locked` helps): {why}"
    );
    // Bypasses the test harness's capture, so that a skipped check is visible.
    let _ = writeln!(
        std::io::stderr(),
        "SKIPPED: the packages were not checked (`cargo fetch --locked` helps): {why}"
    );
    None
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The ids of the packages in the shipped program, without test dependencies.
fn shipped(metadata: &Value) -> BTreeSet<&str> {
    let nodes: BTreeMap<&str, &Value> = list(&metadata["resolve"], "nodes")
        .iter()
        .map(|node| (text(node, "id"), node))
        .collect();
    let program = list(metadata, "packages")
        .iter()
        .find(|package| package["name"] == "bugle-cli");
    let mut open: Vec<&str> = program.iter().map(|package| text(package, "id")).collect();
    let mut found = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !found.insert(id) {
            continue;
        }
        let dependencies = nodes.get(id).map_or(&[][..], |node| list(node, "deps"));
        let kept = dependencies.iter().filter(|dependency| {
            list(dependency, "dep_kinds")
                .iter()
                .any(|kind| text(kind, "kind") != "dev")
        });
        open.extend(kept.map(|dependency| text(dependency, "pkg")));
    }
    found
}

/// The packages in the program that depend on a banned package without permission.
fn users<'a>(metadata: &'a Value, shipped: &BTreeSet<&str>, name: &str, id: &str) -> Vec<&'a str> {
    let excused = BROUGHT_ALONG
        .iter()
        .find(|(banned, _)| *banned == name)
        .map_or(&[][..], |(_, by)| *by);
    let uses = |node: &&Value| {
        list(node, "deps").iter().any(|dependency| {
            text(dependency, "pkg") == id
                && list(dependency, "dep_kinds")
                    .iter()
                    .any(|kind| text(kind, "kind") != "dev")
        })
    };
    let nodes = list(&metadata["resolve"], "nodes").iter();
    let ids: BTreeSet<&str> = nodes.filter(uses).map(|node| text(node, "id")).collect();
    list(metadata, "packages")
        .iter()
        .filter(|package| ids.contains(text(package, "id")) && shipped.contains(text(package, "id")))
        .map(|package| text(package, "name"))
        .filter(|user| !excused.contains(user))
        .collect()
}

fn faults(metadata: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let shipped = shipped(metadata);
    let mut sources = BTreeSet::new();
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in list(metadata, "packages") {
        let name = text(package, "name");
        let licence = text(package, "license");
        if !is_welcome(licence) {
            faults.push(format!(
                "{name}: the licence `{licence}` is not on the list (tests/tidy/licence.rs)"
            ));
        }
        match package["source"].as_str() {
            Some(source) if source.starts_with("registry+") => {
                sources.insert(source);
            }
            Some(source) => faults.push(format!("{name}: comes from {source}, not from the registry")),
            None if name.starts_with("bugle-") => {}
            None => faults.push(format!("{name}: comes from a folder")),
        }
        if shipped.contains(text(package, "id")) {
            versions.entry(name).or_default().insert(text(package, "version"));
            if let Some((_, instead)) = BANNED.iter().find(|(banned, _)| *banned == name) {
                for user in users(metadata, &shipped, name, text(package, "id")) {
                    faults.push(format!("{name}: banned, but {user} uses it; instead: {instead}"));
                }
            }
        }
    }
    if sources.len() > 1 {
        faults.push(format!("more than one registry: {sources:?}"));
    }
    for name in ONCE {
        let found = versions.get(name).cloned().unwrap_or_default();
        if found.len() > 1 {
            faults.push(format!(
                "{name}: is in the program in several versions: {found:?}"
            ));
        }
    }
    faults
}

#[test]
fn a_bad_package_is_a_fault() {
    let package = |name: &str, version: &str, licence: &str, source: Option<&str>| {
        serde_json::json!({ "id": format!("{name} {version}"), "name": name, "version": version, "license": licence,
            "source": source })
    };
    let on = |id: &str, kind: Option<&str>| serde_json::json!({ "pkg": id, "dep_kinds": [{ "kind": kind }] });
    let found = faults(&serde_json::json!({
        "packages": [
            package("bugle-cli", "0.0.0", "MIT", None),
            package("clap", "1.0.0", "MIT", Some("registry+here")),
            package("clap", "2.0.0", "MIT", Some("registry+there")),
            package("openssl", "1.0.0", "MIT", Some("registry+here")),
            package("sqlx", "1.0.0", "MIT", Some("registry+here")),
            package("rmcp", "1.0.0", "MIT", Some("registry+here")),
            package("chrono", "1.0.0", "MIT", Some("registry+here")),
            package("copied", "1.0.0", "GPL-3.0", Some("git+elsewhere")),
        ],
        "resolve": { "nodes": [
            { "id": "bugle-cli 0.0.0", "deps": [on("clap 1.0.0", None), on("clap 2.0.0", Some("build")),
                on("openssl 1.0.0", None), on("sqlx 1.0.0", Some("dev")), on("rmcp 1.0.0", None)] },
            { "id": "rmcp 1.0.0", "deps": [on("chrono 1.0.0", None)] },
            { "id": "clap 1.0.0", "deps": [on("chrono 1.0.0", None)] },
        ] },
    }));
    let about = |what: &str| found.iter().filter(|fault| fault.contains(what)).count();
    assert_eq!(found.len(), 6, "{found:?}");
    assert_eq!(
        [
            about("openssl"),
            about("chrono: banned, but clap uses it"),
            about("GPL"),
            about("git+"),
            about("several versions"),
            about("one registry")
        ],
        [1; 6],
        "{found:?}"
    );
}

#[test]
fn external_packages_follow_the_rules() {
    let Some(metadata) = metadata() else { return };
    assert!(
        list(&metadata, "packages").len() > 50,
        "cargo lists too few packages"
    );
    assert!(
        shipped(&metadata).len() > 50,
        "the program has too few dependencies"
    );
    assert_no_faults(&faults(&metadata));
}

#[test]
fn deny_toml_has_the_same_rules() {
    let file = std::fs::read_to_string(root().join("deny.toml")).unwrap();
    let wanted = WELCOME.iter().chain(BANNED.iter().map(|(name, _)| name));
    let missing = wanted
        .filter(|word| !file.contains(&format!("\"{word}\"")))
        .map(|word| format!("deny.toml does not name `{word}`"));
    assert_no_faults(&missing.collect::<Vec<_>>());
}
