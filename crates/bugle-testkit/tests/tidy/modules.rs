//! No forgotten files: every source file is a module, and every snapshot belongs to an existing test file.

use std::collections::BTreeMap;

use crate::tree::{TextFile, assert_no_faults, texts};

/// Whether cargo finds this file in a crate's folder automatically.
fn is_root(inside: &str) -> bool {
    let parts: Vec<&str> = inside.split('/').collect();
    matches!(
        parts.as_slice(),
        ["build.rs"]
            | ["src", "lib.rs" | "main.rs"]
            | ["src", "bin", _]
            | ["src", "bin", _, "main.rs"]
            | ["tests" | "benches" | "examples", _]
            | ["tests" | "benches" | "examples", _, "main.rs"]
    )
}

/// The name of the module at this path, and the files that can declare it.
fn parents(path: &str) -> (String, Vec<String>) {
    let path = path
        .strip_suffix("/mod.rs")
        .map_or(path.to_owned(), |folder| format!("{folder}.rs"));
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", &path));
    let name = file.trim_end_matches(".rs").to_owned();
    let candidates = ["/main.rs", "/lib.rs", "/mod.rs", ".rs"].map(|end| format!("{folder}{end}"));
    (name, candidates.to_vec())
}

fn declares(text: &str, name: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim();
        let line = line
            .strip_prefix("pub ")
            .or_else(|| line.strip_prefix("pub(crate) "))
            .unwrap_or(line);
        line == format!("mod {name};") || line == format!("mod r#{name};")
    })
}

fn forgotten(files: &[TextFile]) -> Vec<String> {
    let sources: BTreeMap<&str, &str> = files
        .iter()
        .filter(|file| file.has_extension("rs"))
        .map(|file| (file.path.as_str(), file.text.as_str()))
        .collect();
    let mut faults = Vec::new();
    for path in sources.keys() {
        let Some(inside) = path
            .strip_prefix("crates/")
            .and_then(|rest| rest.split_once('/'))
            .map(|(_, inside)| inside)
        else {
            continue;
        };
        if is_root(inside) {
            continue;
        }
        let (name, candidates) = parents(path);
        let declared = candidates
            .iter()
            .filter_map(|parent| sources.get(parent.as_str()))
            .any(|text| declares(text, &name));
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        // Every file in `benches` is a program; their shared code is in a folder beside them.
        let shared = path
            .strip_suffix("/mod.rs")
            .and_then(|folder| folder.rsplit_once('/'));
        let shared = shared.is_some_and(|(benches, name)| {
            benches.ends_with("/benches")
                && sources
                    .iter()
                    .any(|(bench, text)| bench.starts_with(benches) && declares(text, name))
        });
        let named = sources.iter().any(|(sibling, text)| {
            sibling
                .rsplit_once('/')
                .is_some_and(|(beside, _)| beside == folder)
                && text.contains(&format!("#[path = \"{file}\"]"))
        });
        if !declared && !named && !shared {
            faults.push(format!(
                "{path}: no file declares `mod {name};`, so it is never compiled"
            ));
        }
    }
    faults
}

/// Snapshots whose test file no longer exists.
fn stale(files: &[TextFile]) -> Vec<String> {
    let goldens = files.iter().filter(|file| file.has_extension("snap"));
    goldens
        .filter_map(|golden| {
            let source = golden
                .text
                .lines()
                .find_map(|line| line.strip_prefix("source: "))?
                .trim_matches('"');
            let known = files.iter().any(|file| file.path == source);
            (!known).then(|| format!("{}: its test file {source} no longer exists", golden.path))
        })
        .collect()
}

#[test]
fn an_undeclared_file_is_a_fault() {
    let files = [
        TextFile::new("crates/a/src/lib.rs", "//! A.\npub mod known;\nmod folder;\n"),
        TextFile::new(
            "crates/a/src/known.rs",
            "//! K.\n#[path = \"known_tests.rs\"]\nmod tests;\n",
        ),
        TextFile::new("crates/a/src/known_tests.rs", "//! T.\n"),
        TextFile::new("crates/a/src/folder/mod.rs", "//! F.\nmod inner;\n"),
        TextFile::new("crates/a/src/folder/inner.rs", "//! I.\n"),
        TextFile::new("crates/a/tests/it/main.rs", "//! M.\nmod seen;\n"),
        TextFile::new("crates/a/tests/it/seen.rs", "//! S.\n"),
        TextFile::new("crates/a/tests/it/unseen.rs", "//! U.\n"),
    ];
    let faults = forgotten(&files);
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(faults[0].starts_with("crates/a/tests/it/unseen.rs: "));
}

#[test]
fn a_snapshot_without_its_test_file_is_a_fault() {
    let golden = TextFile::new(
        "crates/a/src/snapshots/x.snap",
        "---\nsource: crates/a/src/gone.rs\n---\n",
    );
    assert_eq!(stale(std::slice::from_ref(&golden)).len(), 1);
    assert!(stale(&[golden, TextFile::new("crates/a/src/gone.rs", "")]).is_empty());
}

#[test]
fn no_file_is_forgotten() {
    let files = texts();
    assert_no_faults(&[forgotten(&files), stale(&files)].concat());
}
