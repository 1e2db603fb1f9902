//! What comes from outside: under which licence, from where, in how many versions. `deny.toml` says the same for
//! cargo-deny, which also knows about advisories.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::process::Command;

use serde_json::Value;

use crate::licence::{WELCOME, is_welcome};
use crate::tree::{assert_no_faults, root};

/// What the program that is shipped does without, and what it uses instead.
const BANNED: &[(&str, &str)] = &[
    ("async-std", "tokio, in bugle-daemon"),
    ("chrono", "jiff"),
    ("diesel", "rusqlite"),
    ("native-tls", "nothing here connects to another machine"),
    ("openssl", "nothing here connects to another machine"),
    ("openssl-sys", "nothing here connects to another machine"),
    ("serde_yaml", "serde-saphyr"),
    ("serde_yaml_ng", "serde-saphyr"),
    ("serde_yml", "serde-saphyr"),
    ("sqlx", "rusqlite"),
    ("yaml-rust", "serde-saphyr"),
];

/// Who may bring a banned package along all the same, because it cannot be had without.
const BROUGHT_ALONG: &[(&str, &[&str])] = &[("chrono", &["rmcp", "schemars"])];

/// Packages too heavy to have twice in one program.
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

/// What cargo knows about every package, also those of other systems.
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
        "cargo metadata could not be run (`cargo fetch --locked` helps): {why}"
    );
    // Past the capture of the test harness: a skipped check is printed.
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

/// The ids of the packages that end up in the program: what it depends on, tests left out.
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

/// Who among the packages of the program uses one, those left out that may bring it along.
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
            Some(source) => faults.push(format!("{name}: comes from {source} and not from the registry")),
            None if name.starts_with("bugle-") => {}
            None => faults.push(format!("{name}: comes from a folder")),
        }
        if shipped.contains(text(package, "id")) {
            versions.entry(name).or_default().insert(text(package, "version"));
            if let Some((_, instead)) = BANNED.iter().find(|(banned, _)| *banned == name) {
                for user in users(metadata, &shipped, name, text(package, "id")) {
                    faults.push(format!(
                        "{name}: not in this program, but {user} uses it; instead: {instead}"
                    ));
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
            about("chrono: not in this program, but clap uses it"),
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
fn packages_from_outside_are_welcome() {
    let Some(metadata) = metadata() else { return };
    assert!(
        list(&metadata, "packages").len() > 50,
        "cargo names hardly any package"
    );
    assert!(
        shipped(&metadata).len() > 50,
        "the program has hardly any dependency"
    );
    assert_no_faults(&faults(&metadata));
}

#[test]
fn the_file_for_cargo_deny_says_the_same() {
    let file = std::fs::read_to_string(root().join("deny.toml")).unwrap();
    let wanted = WELCOME.iter().chain(BANNED.iter().map(|(name, _)| name));
    let missing = wanted
        .filter(|word| !file.contains(&format!("\"{word}\"")))
        .map(|word| format!("deny.toml does not name `{word}`"));
    assert_no_faults(&missing.collect::<Vec<_>>());
}
