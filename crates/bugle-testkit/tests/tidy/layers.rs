//! The allowed dependencies between crates. This table is the architecture: changing a line here changes the design,
//! and ARCHITECTURE.md must change with it.

use crate::tree::{assert_no_faults, folders_in, root};

/// A crate of the workspace, and the crates that its code may use.
const LAYERS: &[(&str, &[&str])] = &[
    ("bugle-core", &[]),
    ("bugle-skill", &["bugle-core"]),
    ("bugle-client", &["bugle-core"]),
    ("bugle-render", &["bugle-core"]),
    ("bugle-wire", &["bugle-core", "bugle-render"]),
    ("bugle-store", &["bugle-core"]),
    (
        "bugle-app",
        &[
            "bugle-client",
            "bugle-core",
            "bugle-render",
            "bugle-skill",
            "bugle-store",
        ],
    ),
    (
        "bugle-daemon",
        &[
            "bugle-app",
            "bugle-client",
            "bugle-core",
            "bugle-render",
            "bugle-wire",
        ],
    ),
    (
        "bugle-cli",
        &[
            "bugle-app",
            "bugle-client",
            "bugle-core",
            "bugle-daemon",
            "bugle-render",
            "bugle-skill",
            "bugle-wire",
        ],
    ),
    ("bugle-testkit", &["bugle-client", "bugle-core"]),
];

/// Crates that only tests may use, and the crates whose tests may use them. An empty list means all crates. End-to-end
/// tests use the store. The tests of bugle-skill and bugle-render use each other's crate. The tests of bugle-render
/// also compare text with JSON.
const FOR_TESTS: &[(&str, &[&str])] = &[
    ("bugle-testkit", &[]),
    ("bugle-store", &["bugle-cli"]),
    ("bugle-render", &["bugle-skill"]),
    ("bugle-skill", &["bugle-render"]),
    ("bugle-wire", &["bugle-render"]),
];

/// External dependencies and the crates that may use them. A new dependency needs an entry here.
const HOMES: &[(&str, &[&str])] = &[
    ("annotate-snippets", &["bugle-render"]),
    ("axum", &["bugle-daemon"]),
    ("clap", &["bugle-cli"]),
    ("clap_complete", &["bugle-cli"]),
    ("clap_mangen", &["bugle-cli"]),
    ("dagre", &["bugle-render"]),
    ("getrandom", &["bugle-app"]),
    ("globset", &["bugle-app"]),
    ("granit-parser", &["bugle-skill"]),
    ("indexmap", &["bugle-skill"]),
    ("jiff", &["bugle-cli"]),
    ("jsonc-parser", &["bugle-client"]),
    ("minijinja", &["bugle-render"]),
    ("miniz_oxide", &["bugle-app"]),
    ("notify", &["bugle-app"]),
    ("proptest", &["bugle-testkit"]),
    ("ratatui", &["bugle-cli"]),
    ("regex", &["bugle-core"]),
    ("regex-syntax", &["bugle-core"]),
    ("rmcp", &["bugle-daemon"]),
    ("rusqlite", &["bugle-store"]),
    ("rustix", &["bugle-app", "bugle-store", "bugle-testkit"]),
    ("rustls", &["bugle-store"]),
    ("rustls-native-certs", &["bugle-store"]),
    ("schemars", &["bugle-skill"]),
    ("serde-saphyr", &["bugle-skill"]),
    ("sha2", &["bugle-app", "bugle-store"]),
    ("signal-hook", &["bugle-cli"]),
    ("similar", &["bugle-render"]),
    ("strsim", &["bugle-core"]),
    ("tempfile", &["bugle-testkit"]),
    ("tokio", &["bugle-daemon", "bugle-store"]),
    ("tokio-postgres", &["bugle-store"]),
    ("tokio-rustls", &["bugle-store"]),
    ("tokio-stream", &["bugle-daemon"]),
    ("toml_edit", &["bugle-client"]),
    ("unicode-segmentation", &["bugle-cli"]),
    ("unicode-width", &["bugle-cli", "bugle-render"]),
    ("vt100", &["bugle-testkit"]),
];

/// Dependencies for plain data and errors, allowed everywhere.
const EVERYWHERE: &[&str] = &["serde", "serde_json", "thiserror"];

/// The use of a dependency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    Own,
    Tests,
}

/// The dependencies of a manifest. Reads one entry per line, as these manifests are written.
fn dependencies(manifest: &str) -> Vec<(String, Use)> {
    let mut found = Vec::new();
    let mut table = None;
    for line in manifest.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            let header = header.trim_end_matches(']');
            table = use_of(header.rsplit('.').next().unwrap_or_default());
            // `[dependencies.name]` declares the name in the header.
            if let Some((before, name)) = header.rsplit_once('.')
                && let Some(declared) = use_of(before.rsplit('.').next().unwrap_or_default())
            {
                found.push((name.to_owned(), declared));
                table = None;
            }
        } else if let Some(declared) = table
            && let Some(name) = line.split(['.', ' ', '=']).next()
            && !name.is_empty()
            && !name.starts_with('#')
        {
            found.push((name.to_owned(), declared));
        }
    }
    found
}

fn use_of(table: &str) -> Option<Use> {
    match table {
        "dependencies" | "build-dependencies" => Some(Use::Own),
        "dev-dependencies" => Some(Use::Tests),
        _ => None,
    }
}

fn allowed(table: &'static [(&str, &[&str])], name: &str) -> Option<&'static [&'static str]> {
    table
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, allowed)| *allowed)
}

fn faults(krate: &str, manifest: &str) -> Vec<String> {
    let Some(below) = allowed(LAYERS, krate) else {
        return vec![format!(
            "{krate} is not in the table of layers (tests/tidy/layers.rs)"
        )];
    };
    let mut faults = Vec::new();
    for (name, declared) in dependencies(manifest) {
        let workspace = allowed(LAYERS, &name).is_some();
        let fine = match (workspace, declared) {
            (true, Use::Own) => below.contains(&name.as_str()),
            (true, Use::Tests) => {
                below.contains(&name.as_str())
                    || allowed(FOR_TESTS, &name).is_some_and(|only| only.is_empty() || only.contains(&krate))
            }
            (false, Use::Own) => {
                EVERYWHERE.contains(&name.as_str())
                    || allowed(HOMES, &name).is_some_and(|homes| homes.contains(&krate))
            }
            (false, Use::Tests) => true,
        };
        if !fine {
            let remedy = match (workspace, declared) {
                (true, Use::Own) => format!("it may use {below:?}"),
                (true, Use::Tests) => "tests may not use it either".to_owned(),
                _ => format!("its home is {:?}", allowed(HOMES, &name).unwrap_or_default()),
            };
            faults.push(format!(
                "{krate} may not depend on {name}: {remedy} (tests/tidy/layers.rs)"
            ));
        }
    }
    faults
}

#[test]
fn a_dependency_against_the_layers_is_a_fault() {
    let bad = |krate, manifest| faults(krate, manifest).len();
    assert_eq!(
        bad("bugle-core", "[dependencies]\nbugle-wire.workspace = true\n"),
        1
    );
    assert_eq!(bad("bugle-core", "[dependencies]\nrusqlite = \"0.41\"\n"), 1);
    assert_eq!(bad("bugle-core", "[build-dependencies]\nsha2 = \"0.11\"\n"), 1);
    assert_eq!(
        bad(
            "bugle-core",
            "[target.'cfg(unix)'.dependencies]\nrustix = \"1\"\n"
        ),
        1
    );
    assert_eq!(bad("bugle-core", "[dependencies.tokio]\nversion = \"1\"\n"), 1);
    assert_eq!(
        bad("bugle-app", "[dependencies]\nbugle-testkit.workspace = true\n"),
        1
    );
    assert_eq!(
        bad("bugle-wire", "[dev-dependencies]\nbugle-store.workspace = true\n"),
        1
    );
    assert_eq!(bad("bugle-new", ""), 1);
    assert_eq!(
        bad(
            "bugle-core",
            "[dev-dependencies]\nbugle-testkit.workspace = true\ncel = \"0\"\n"
        ),
        0
    );
}

#[test]
fn every_crate_keeps_to_its_layer() {
    let crates = folders_in("crates");
    let mut found = Vec::new();
    for krate in &crates {
        let manifest = std::fs::read_to_string(root().join("crates").join(krate).join("Cargo.toml")).unwrap();
        if !manifest.contains(&format!("name = \"{krate}\"")) {
            found.push(format!(
                "crates/{krate}: the folder and the crate have different names"
            ));
        }
        found.extend(faults(krate, &manifest));
    }
    for (known, _) in LAYERS {
        if !crates.iter().any(|krate| krate == known) {
            found.push(format!(
                "{known} is in the table of layers, but there is no such crate"
            ));
        }
    }
    assert_no_faults(&found);
}
