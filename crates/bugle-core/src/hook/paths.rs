//! Paths with special rules: files that an agent may always write, and files that it must not change during a step.

use super::shell::{Access, BRACES, GLOB};

/// The kinds of protected files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protected {
    /// Bugle's own files.
    Store,
    /// Client settings that contain Bugle's hooks.
    Settings,
    /// The program that the hooks call.
    Program,
}

/// An agent's paths. All are absolute, use slashes, and contain no `.` or `..`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentPaths {
    /// The folder that relative paths start from.
    pub directory: String,
    /// The project's folder.
    pub root: String,
    /// The folder of Bugle's own files.
    pub store: String,
    /// The result folders, one for each of the agent's open runs.
    pub results: Vec<String>,
    /// The folder for temporary files.
    pub scratch: String,
    /// The clients' settings.
    pub settings: Vec<String>,
    /// All paths of the program that the hooks call.
    pub program: Vec<String>,
}

impl AgentPaths {
    /// Whether a file is a result file, or a scratch file outside the project.
    pub fn is_own(&self, file: &str) -> bool {
        // A glob could match `..` and so lead out of the folder.
        if file.contains(BRACES) || file.contains([GLOB]) && file.contains("/.") {
            return false;
        }
        let file = self.absolute(file);
        self.results.iter().any(|folder| is_below(&file, folder))
            || (is_below(&file, &self.scratch)
                && !is_below(&file, &self.store)
                && !is_below(&file, &self.root)
                && !is_below(&self.scratch, &self.root))
    }

    /// The protection that this access to a file would violate, if any.
    pub fn protects(&self, file: &str, access: Access) -> Option<Protected> {
        let file = self.absolute(file);
        let matches = |place: &str| covers(&file, place) || access == Access::Tree && is_prefix(&file, place);
        if self.settings.iter().any(|place| matches(place)) {
            return Some(Protected::Settings);
        }
        if self.program.iter().any(|place| matches(place)) {
            return Some(Protected::Program);
        }
        let is_result = self
            .results
            .iter()
            .any(|folder| is_below(&file, folder) && file != *folder);
        // Everything under the store's folder is protected, and changing a parent folder would change the store too.
        let in_store = is_prefix_of_pattern(&self.store, &file) || matches(&self.store);
        (in_store && !is_result).then_some(Protected::Store)
    }

    /// An absolute path without `.` and `..`, so that it cannot leave a folder. Does not follow links, because the file
    /// may not exist.
    fn absolute(&self, file: &str) -> String {
        let whole = if file.starts_with('/') {
            file.to_owned()
        } else {
            format!("{}/{file}", self.directory)
        };
        let mut parts: Vec<&str> = Vec::new();
        for part in whole.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop();
                }
                part => parts.push(part),
            }
        }
        format!("/{}", parts.join("/"))
    }
}

/// Whether a path is the folder itself or inside it.
fn is_below(path: &str, folder: &str) -> bool {
    !folder.is_empty()
        && path
            .strip_prefix(folder.trim_end_matches('/'))
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a pattern can match a path.
fn covers(pattern: &str, path: &str) -> bool {
    let mut parts = pattern.split('/');
    let mut names = path.split('/');
    loop {
        match (parts.next(), names.next()) {
            (None, None) => return true,
            (Some(part), Some(name)) if is_match(part, name) => {}
            _ => return false,
        }
    }
}

/// Whether a pattern can match one of a path's parent folders.
fn is_prefix(pattern: &str, path: &str) -> bool {
    let parts = pattern.trim_end_matches('/').split('/').count();
    let names: Vec<&str> = path.split('/').take(parts).collect();
    covers(pattern.trim_end_matches('/'), &names.join("/"))
}

/// Whether a pattern can match a path inside a folder.
fn is_prefix_of_pattern(folder: &str, pattern: &str) -> bool {
    let names = folder.split('/').count();
    let parts: Vec<&str> = pattern.split('/').take(names).collect();
    parts.len() == names && covers(&parts.join("/"), folder)
}

/// Whether a pattern component matches a name. As in shells, a leading glob does not match a dot.
fn is_match(part: &str, name: &str) -> bool {
    if !part.contains([GLOB, BRACES]) {
        return part == name;
    }
    if part.starts_with(GLOB) && name.starts_with('.') {
        return false;
    }
    let mut pieces = part.split([GLOB, BRACES]);
    let Some(mut rest) = pieces.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, middle)) = pieces.split_last() else {
        return false;
    };
    for piece in middle {
        let Some(at) = rest.find(piece) else {
            return false;
        };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths() -> AgentPaths {
        AgentPaths {
            directory: "/h/u/project/src".to_owned(),
            root: "/h/u/project".to_owned(),
            store: "/h/u/.bugle".to_owned(),
            results: vec!["/h/u/.bugle/work/r-1".to_owned()],
            scratch: "/tmp".to_owned(),
            settings: vec![
                "/h/u/.claude/settings.json".to_owned(),
                "/h/u/project/.claude/settings.json".to_owned(),
            ],
            program: vec!["/opt/bin/bugle".to_owned()],
        }
    }

    #[test]
    fn result_and_scratch_files_are_the_agents_own() {
        let paths = paths();
        for own in ["/h/u/.bugle/work/r-1/1.json", "/tmp/x", "/tmp/a/../b"] {
            assert!(paths.is_own(own), "{own}");
        }
        for other in [
            "/tmp/../h/u/project/a",
            "a.rs",
            "/h/u/.bugle/work/r-2/1.json",
            "/h/u/.bugle/work/r-1/../../bugle.db",
            "/tmpx",
        ] {
            assert!(!paths.is_own(other), "{other}");
        }
        let inside = AgentPaths {
            root: "/tmp/project".to_owned(),
            ..paths.clone()
        };
        assert!(!inside.is_own("/tmp/project/a"));
        let around = AgentPaths {
            root: "/".to_owned(),
            ..paths
        };
        assert!(!around.is_own("/tmp/a"));
    }

    #[test]
    fn settings_and_store_are_protected_and_results_are_not() {
        let paths = paths();
        let protects = |file: &str| paths.protects(file, Access::Write);
        assert_eq!(protects("../.claude/settings.json"), Some(Protected::Settings));
        assert_eq!(protects("/h/u/.bugle/bugle.db-wal"), Some(Protected::Store));
        assert_eq!(protects("/h/u/.bugle/work/r-2/1.json"), Some(Protected::Store));
        assert_eq!(protects("/h/u/.bugle/work/r-1/1.json"), None);
        assert_eq!(protects("/opt/bin/bugle"), Some(Protected::Program));
        assert_eq!(protects("/opt/bin/other"), None);
        assert_eq!(protects("settings.json"), None);
        assert_eq!(protects("../.claude/skills/x/SKILL.md"), None);
        assert_eq!(
            protects("/h/u"),
            None,
            "writing to a path does not change its subfolders"
        );
        let removes = |file: &str| paths.protects(file, Access::Tree);
        assert_eq!(removes("/h/u/.claude"), Some(Protected::Settings));
        assert_eq!(removes("/h/u/.bugle"), Some(Protected::Store));
        assert_eq!(removes("/"), Some(Protected::Settings));
        assert_eq!(removes("/h/u/project/target"), None);
    }

    #[test]
    fn a_glob_stands_for_every_path_it_can_match() {
        let paths = paths();
        let removes = |file: &str| {
            let file = file.replace('*', "\u{1}").replace('%', "\u{2}");
            paths.protects(&file, Access::Tree)
        };
        assert_eq!(removes("/h/u/.bug*"), Some(Protected::Store));
        assert_eq!(removes("/h/u/.bugle/*"), Some(Protected::Store));
        assert_eq!(removes("/h/*/.bugle/bugle.db"), Some(Protected::Store));
        assert_eq!(removes("/h/u/%"), Some(Protected::Settings));
        assert_eq!(removes("/h/u/.claude/*.json"), Some(Protected::Settings));
        assert_eq!(removes("/h/u/*.json"), None);
        assert_eq!(removes("/h/u/*/x"), None);
    }
}
