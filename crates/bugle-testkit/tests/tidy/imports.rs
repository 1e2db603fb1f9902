//! The modules of a crate and their imports.

use std::collections::BTreeMap;

use crate::tree::TextFile;

/// A path of names, such as a module's path in its crate. The crate's root has an empty path.
pub(crate) type NamePath = Vec<String>;

/// The maximum number of re-exports to follow.
const MAX_EXPORTS: usize = 8;

/// The modules of a crate, without its tests.
pub(crate) struct Modules {
    code: BTreeMap<NamePath, String>,
    /// The names that each module brings into scope with `use`, with their paths in the crate.
    names: BTreeMap<NamePath, BTreeMap<String, NamePath>>,
}

/// An import: the module that defines the item, and the item's name unless the module itself is imported.
pub(crate) struct Import {
    pub module: NamePath,
    pub item: Option<String>,
}

impl Modules {
    pub(crate) fn of(krate: &str, files: &[TextFile]) -> Self {
        let source = format!("crates/{krate}/src/");
        let sources = files.iter().filter(|file| file.has_extension("rs"));
        let code = sources.filter_map(|file| {
            let module = module_of(file.path.strip_prefix(&source)?)?;
            Some((module, file.code()))
        });
        let mut modules = Self {
            code: code.collect(),
            names: BTreeMap::new(),
        };
        for module in modules.code.keys() {
            let names = used(&modules.code[module]).into_iter();
            let names = names.filter_map(|(path, name)| Some((name, modules.absolute(module, &path)?)));
            let names = names.collect();
            modules.names.insert(module.clone(), names);
        }
        modules
    }

    /// The path of each module.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &NamePath> {
        self.code.keys()
    }

    /// Whether a module defines a function of this name.
    pub(crate) fn defines_function(&self, module: &NamePath, name: &str) -> bool {
        let code = self.code.get(module).map_or("", String::as_str);
        let start = format!("fn {name}");
        code.match_indices(&start)
            .any(|(at, _)| code[at + start.len()..].starts_with(['(', '<']))
    }

    /// A module's imports from other modules of the crate, in `use` statements and in paths.
    pub(crate) fn imports(&self, module: &NamePath) -> Vec<Import> {
        let code = self.code.get(module).map_or("", String::as_str);
        let paths = paths(code).into_iter();
        paths
            .filter_map(|path| self.absolute(module, &path))
            .map(|path| self.definition(&path))
            .filter(|import| import.module != *module)
            .collect()
    }

    /// Resolves a path in a module to its path in the crate. The path may start at the crate's root, the module, one of
    /// its parents or children, or an imported name. `None` for items of other crates.
    fn absolute(&self, module: &NamePath, path: &[String]) -> Option<NamePath> {
        let mut base = module.clone();
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" => {
                base.clear();
                rest = &path[1..];
            }
            "self" => rest = &path[1..],
            "super" => {
                while rest.first().is_some_and(|name| name == "super") {
                    base.pop()?;
                    rest = &rest[1..];
                }
            }
            first => {
                base.push(first.to_owned());
                if !self.code.contains_key(&base) {
                    base = self.names.get(module)?.get(first)?.clone();
                }
                rest = &path[1..];
            }
        }
        base.extend(rest.iter().cloned());
        Some(base)
    }

    /// Follows re-exports to the module that defines an item.
    fn definition(&self, path: &[String]) -> Import {
        let mut path = path.to_vec();
        for _ in 0..MAX_EXPORTS {
            let length = self.module_length(&path);
            let (module, rest) = path.split_at(length);
            let names = self.names.get(module);
            let exported = rest.first().and_then(|item| names?.get(item));
            match exported {
                Some(target) if *target != path[..=length] => {
                    path = [target.as_slice(), &rest[1..]].concat();
                }
                _ => break,
            }
        }
        let length = self.module_length(&path);
        Import {
            module: path[..length].to_vec(),
            item: path.get(length).cloned(),
        }
    }

    /// The number of names at the start of a path that form a module's path.
    fn module_length(&self, path: &[String]) -> usize {
        let longer = (1..=path.len()).take_while(|length| self.code.contains_key(&path[..*length]));
        longer.last().unwrap_or(0)
    }
}

/// The module of a file under `src`; `None` for tests.
fn module_of(inside: &str) -> Option<NamePath> {
    let mut path: NamePath = inside
        .trim_end_matches(".rs")
        .split('/')
        .map(str::to_owned)
        .collect();
    if path.iter().any(|part| part.ends_with("tests")) {
        return None;
    }
    let is_root = path.len() == 1 && matches!(path[0].as_str(), "lib" | "main");
    if is_root || path.last().is_some_and(|name| name == "mod") {
        path.pop();
    }
    Some(path)
}

/// The paths in `use` statements, with the names that these bring into scope.
fn used(code: &str) -> Vec<(NamePath, String)> {
    let mut found = Vec::new();
    for statement in code.split(';') {
        let is_use = |line: &&str| line.contains("use ") && !line.contains("fn ");
        let Some(start) = statement
            .lines()
            .find(is_use)
            .and_then(|line| statement.find(line))
        else {
            continue;
        };
        if let Some((_, tree)) = statement[start..].split_once("use ") {
            use_tree(tree, &[], &mut found);
        }
    }
    found
}

/// All paths with at least two names.
fn paths(code: &str) -> Vec<NamePath> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("::") {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let before = code[..at].trim_end_matches(is_name);
        let is_path_start = before.len() < at && !before.ends_with([':', '$', '.']);
        if is_path_start {
            use_tree(&code[before.len()..], &[], &mut found);
        }
    }
    found.into_iter().map(|(path, _)| path).collect()
}

/// Adds the paths of the use tree at the start of a text (`a::{b, c as d}` is `a::b` and `a::c`), with the names that
/// they bring into scope. Returns the text after the tree.
fn use_tree<'t>(text: &'t str, prefix: &[String], found: &mut Vec<(NamePath, String)>) -> &'t str {
    let mut path = prefix.to_vec();
    let mut rest = text.trim_start();
    loop {
        if let Some(members) = rest.strip_prefix('{') {
            return group(members, &path, found);
        }
        let (name, after) = identifier(rest);
        rest = after;
        // `a::{self}` is `a`.
        let is_outer = name == "self" && !path.is_empty();
        if !name.is_empty() && !is_outer {
            path.push(name.to_owned());
        }
        match rest.strip_prefix("::") {
            Some(next) if !name.is_empty() => rest = next.trim_start(),
            _ => break,
        }
    }
    let alias = rest.trim_start().strip_prefix("as ").map(identifier);
    let name = alias.map_or_else(
        || path.last().cloned().unwrap_or_default(),
        |(name, _)| name.to_owned(),
    );
    found.push((path, name));
    alias.map_or(rest, |(_, after)| after)
}

/// Adds the members of a use group, after its opening brace. Returns the text after the group.
fn group<'t>(members: &'t str, prefix: &[String], found: &mut Vec<(NamePath, String)>) -> &'t str {
    let mut rest = members;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '*'));
        if let Some(after) = rest.strip_prefix('}') {
            return after;
        }
        let after = use_tree(rest, prefix, found);
        if after.len() == rest.len() {
            return rest;
        }
        rest = after;
    }
}

/// The identifier at the start of a text, without `r#`, and the text after it.
fn identifier(text: &str) -> (&str, &str) {
    let text = text.strip_prefix("r#").unwrap_or(text);
    let end = text
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(text.len());
    text.split_at(end)
}

#[test]
fn an_import_is_resolved_to_the_file_that_defines_the_item() {
    let files = [
        TextFile::new(
            "crates/x/src/lib.rs",
            "mod a;\nmod b;\npub use b::{Other, inner::Thing as Named};\n",
        ),
        TextFile::new(
            "crates/x/src/a.rs",
            "use crate::{Named, b::{self, make}};\nfn f() { crate::b::inner::go(); b::stop() }\n",
        ),
        TextFile::new(
            "crates/x/src/b/mod.rs",
            "mod inner;\nmod r#move;\npub use inner::make;\nr#move::run();\n",
        ),
        TextFile::new(
            "crates/x/src/b/inner.rs",
            "use super::{Other, r#move::run};\nuse std::a::B;\n",
        ),
        TextFile::new(
            "crates/x/src/b/move.rs",
            "pub(in crate::b) fn run<T>() { super::super::a::f::<T>() }\n",
        ),
        TextFile::new("crates/x/src/b/inner_tests.rs", "use crate::a::A;\n"),
    ];
    let modules = Modules::of("x", &files);
    let imports = |module: &str| {
        let path: NamePath = module.split("::").map(str::to_owned).collect();
        let mut found: Vec<String> = modules
            .imports(&path)
            .into_iter()
            .map(|import| format!("{} {}", import.module.join("::"), import.item.unwrap_or_default()))
            .collect();
        found.sort();
        found.dedup();
        found
    };
    assert_eq!(
        imports("a"),
        ["b ", "b stop", "b::inner Thing", "b::inner go", "b::inner make"]
    );
    assert_eq!(imports("b"), ["b::inner make", "b::move run"]);
    assert_eq!(imports("b::inner"), ["b Other", "b::move run"]);
    assert_eq!(imports("b::move"), ["a f", "b "]);
    assert_eq!(modules.paths().count(), 5);
    let path = ["b".to_owned(), "move".to_owned()].to_vec();
    assert!(modules.defines_function(&path, "run"));
    assert!(!modules.defines_function(&path, "ru"));
}
