//! Modules do not import each other in a cycle.
//!
//! Every folder is checked by itself, with each of its files and subfolders as one module. The folder's own `mod.rs`
//! may import these modules. They may use types and constants of the `mod.rs`, but not its functions: a shared function
//! belongs in a sibling file.

use std::collections::{BTreeMap, BTreeSet};

use crate::imports::{Modules, NamePath};
use crate::tree::{TextFile, assert_no_faults, folders_in, texts};

/// The modules that each module of a folder imports, with one of the imported items.
type Graph = BTreeMap<String, BTreeMap<String, String>>;

/// The name of a folder's own file in its graph.
const OWN: &str = "mod.rs";

/// The graph of each folder of a crate.
fn graphs(modules: &Modules) -> BTreeMap<NamePath, Graph> {
    let mut graphs: BTreeMap<NamePath, Graph> = BTreeMap::new();
    for importing in modules.paths() {
        for import in modules.imports(importing) {
            let imported = &import.module;
            let pairs = importing.iter().zip(imported);
            let shared = pairs.take_while(|(one, other)| one == other).count();
            let item = import.item.unwrap_or_default();
            if shared == imported.len() && !modules.defines_function(imported, &item) {
                continue;
            }
            let name = |path: &NamePath| path.get(shared).map_or(OWN, String::as_str).to_owned();
            graphs
                .entry(importing[..shared].to_vec())
                .or_default()
                .entry(name(importing))
                .or_default()
                .insert(name(imported), item);
        }
    }
    graphs
}

/// A shortest cycle, with its first module repeated at the end.
fn cycle(graph: &Graph) -> Option<Vec<&str>> {
    graph
        .keys()
        .filter_map(|start| cycle_from(graph, start))
        .min_by_key(Vec::len)
}

fn cycle_from<'g>(graph: &'g Graph, start: &'g str) -> Option<Vec<&'g str>> {
    let mut paths = vec![vec![start]];
    let mut seen = BTreeSet::new();
    while !paths.is_empty() {
        let mut longer = Vec::new();
        for path in paths {
            for next in graph.get(*path.last()?).into_iter().flat_map(BTreeMap::keys) {
                let extended = [path.as_slice(), &[next.as_str()]].concat();
                if next == start {
                    return Some(extended);
                }
                if seen.insert(next) {
                    longer.push(extended);
                }
            }
        }
        paths = longer;
    }
    None
}

/// Describes a cycle by the items that its modules import.
fn described(graph: &Graph, cycle: &[&str]) -> String {
    let steps = cycle.windows(2).map(|pair| {
        let item = &graph[pair[0]][pair[1]];
        format!("{} uses {}::{item}", pair[0], pair[1])
    });
    steps.collect::<Vec<_>>().join(", ")
}

fn faults(krate: &str, files: &[TextFile]) -> Vec<String> {
    let graphs = graphs(&Modules::of(krate, files));
    let found = graphs.iter().filter_map(|(folder, graph)| {
        let folder = [krate, "src"]
            .into_iter()
            .chain(folder.iter().map(String::as_str));
        let folder: Vec<&str> = folder.collect();
        Some(format!(
            "{}: modules import each other: {}",
            folder.join("/"),
            described(graph, &cycle(graph)?)
        ))
    });
    found.collect()
}

#[test]
fn a_cycle_of_imports_is_a_fault() {
    let check = |lib: &str, a: &str, b: &str| {
        let files = [
            TextFile::new("crates/x/src/lib.rs", lib),
            TextFile::new("crates/x/src/a.rs", a),
            TextFile::new("crates/x/src/b/mod.rs", "mod inner;\n"),
            TextFile::new("crates/x/src/b/inner.rs", b),
            TextFile::new("crates/x/src/b/inner_tests.rs", "use crate::a::A;\n"),
        ];
        faults("x", &files)
    };
    let to_b = "use crate::{other, b::{B, C}};\n";
    assert_eq!(
        check("", to_b, "fn f() -> crate::a::A {}\n"),
        ["x/src: modules import each other: a uses b::C, b uses a::A"]
    );
    assert_eq!(check("pub use a::{A, Z};\n", to_b, "use crate::Z;\n").len(), 1);
    assert_eq!(check("", "use super::b::B;\n", "use crate::a::A;\n").len(), 1);
    let none: [&str; 0] = [];
    assert_eq!(check("", to_b, "// crate::a::A\n"), none);
    assert_eq!(check("", to_b, "use super::a::A;\nuse othercrate::a::A;\n"), none);
    assert_eq!(
        check("", to_b, "#[cfg(test)]\nmod tests {\n use crate::a::A;\n}\n"),
        none
    );
}

#[test]
fn a_cycle_in_a_subfolder_is_a_fault() {
    let check = |own: &str, one: &str, two: &str| {
        let files = [
            TextFile::new("crates/x/src/lib.rs", "mod a;\n"),
            TextFile::new("crates/x/src/a/mod.rs", own),
            TextFile::new("crates/x/src/a/one.rs", one),
            TextFile::new("crates/x/src/a/two/mod.rs", "mod deep;\n"),
            TextFile::new("crates/x/src/a/two/deep.rs", two),
        ];
        faults("x", &files)
    };
    assert_eq!(
        check("", "use super::two::Two;\n", "use crate::a::one::One;\n"),
        ["x/src/a: modules import each other: one uses two::Two, two uses one::One"]
    );
    let own = "mod one;\nmod two;\npub use one::One;\npub struct Own;\nfn shared() {}\n";
    assert_eq!(
        check(own, "use super::shared;\n", ""),
        ["x/src/a: modules import each other: mod.rs uses one::One, one uses mod.rs::shared"]
    );
    let through = check(own, "use super::two::Two;\n", "use super::super::shared;\n");
    assert_eq!(through.len(), 1, "{through:?}");
    let none: [&str; 0] = [];
    assert_eq!(
        check(own, "use super::Own;\n", "use super::super::{One, Own};\n"),
        none
    );
}

#[test]
fn no_crate_has_modules_that_import_each_other() {
    let files = texts();
    let crates = folders_in("crates");
    assert_no_faults(
        &crates
            .iter()
            .flat_map(|krate| faults(krate, &files))
            .collect::<Vec<_>>(),
    );
}
