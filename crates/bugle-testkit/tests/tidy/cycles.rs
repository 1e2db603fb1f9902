//! The top-level modules of a crate do not import each other in a cycle.

use std::collections::{BTreeMap, BTreeSet};

use crate::tree::{TextFile, assert_no_faults, folders_in, texts};

/// The top-level modules that each top-level module of a crate imports.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// The top-level module that a file under `src` belongs to. The crate's root and its tests belong to none.
fn module_of(inside: &str) -> Option<&str> {
    let is_test = inside
        .split('/')
        .any(|part| part.trim_end_matches(".rs").ends_with("tests"));
    if is_test {
        return None;
    }
    match inside.split_once('/') {
        Some((folder, _)) => Some(folder),
        None => inside
            .strip_suffix(".rs")
            .filter(|name| !matches!(*name, "lib" | "main")),
    }
}

/// The first segments of all paths after `prefix` (such as `crate::`), including `prefix::{a::X, b}`.
fn heads(code: &str, prefix: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices(prefix) {
        let is_path_start =
            !code[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '$'));
        if !is_path_start {
            continue;
        }
        let rest = &code[at + prefix.len()..];
        match rest.strip_prefix('{') {
            Some(group) => found.extend(group_members(group)),
            None => found.extend(identifier(rest)),
        }
    }
    found
}

/// The first segments of the members of a `use` group, after its opening brace.
fn group_members(group: &str) -> Vec<String> {
    let mut members = Vec::new();
    let mut depth = 0_u32;
    let mut starts = true;
    for (at, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => starts = true,
            _ if starts && !letter.is_whitespace() => {
                members.extend(identifier(&group[at..]));
                starts = false;
            }
            _ => {}
        }
    }
    members
}

fn identifier(text: &str) -> Option<String> {
    let name: String = text
        .chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect();
    (!name.is_empty()).then_some(name)
}

/// The names that the root of a crate re-exports, with their modules.
fn exports(root: &str, modules: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for statement in root.split(';') {
        let Some((_, path)) = statement.split_once("use ") else {
            continue;
        };
        let Some((module, rest)) = path.trim().split_once("::") else {
            continue;
        };
        if modules.contains(module) {
            let words = rest.split(|c: char| !c.is_alphanumeric() && c != '_');
            names.extend(words.map(|name| (name.to_owned(), module.to_owned())));
        }
    }
    names
}

fn graph(krate: &str, files: &[TextFile]) -> Graph {
    let source = format!("crates/{krate}/src/");
    let sources = || {
        files
            .iter()
            .filter(|file| file.has_extension("rs"))
            .filter_map(|file| Some((file.path.strip_prefix(&source)?, file)))
    };
    let modules: BTreeSet<String> = sources()
        .filter_map(|(inside, _)| module_of(inside))
        .map(str::to_owned)
        .collect();
    let root: String = sources()
        .filter(|(inside, _)| matches!(*inside, "lib.rs" | "main.rs"))
        .map(|(_, file)| file.code())
        .collect();
    let exports = exports(&root, &modules);
    let mut graph = Graph::new();
    for (inside, file) in sources() {
        let Some(module) = module_of(inside) else {
            continue;
        };
        let code = file.code();
        let mut names = heads(&code, "crate::");
        if !inside.contains('/') || inside.ends_with("/mod.rs") && inside.matches('/').count() == 1 {
            names.extend(heads(&code, "super::"));
        }
        let imported = names.into_iter().filter_map(|name| {
            let direct = modules.contains(&name).then(|| name.clone());
            direct.or_else(|| exports.get(&name).cloned())
        });
        graph
            .entry(module.to_owned())
            .or_default()
            .extend(imported.filter(|name| name != module));
    }
    graph
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
            for next in graph.get(*path.last()?).into_iter().flatten() {
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

fn faults(krate: &str, files: &[TextFile]) -> Vec<String> {
    let graph = graph(krate, files);
    let found =
        cycle(&graph).map(|cycle| format!("{krate}: modules import each other: {}", cycle.join(" -> ")));
    found.into_iter().collect()
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
        ["x: modules import each other: a -> b -> a"]
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
