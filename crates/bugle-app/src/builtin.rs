//! The built-in skills, conventions and roles.

use std::collections::BTreeMap;

use bugle_core::id::ContentHash;
use bugle_core::name::SkillName;

/// A file embedded in the program.
pub(crate) struct Embedded {
    /// The file's path below `skills`, `conventions` or `roles`.
    pub path: &'static str,
    /// The hash of the file's bytes.
    pub hash: &'static str,
    /// The file's bytes.
    pub bytes: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The names of the built-in skills.
pub(crate) fn names() -> Vec<SkillName> {
    let mut names: Vec<SkillName> = SKILLS
        .iter()
        .filter_map(|file| file.path.strip_suffix("/SKILL.md"))
        .filter_map(|name| SkillName::new(name).ok())
        .collect();
    names.sort();
    names
}

/// A built-in skill's files, with their paths relative to its folder.
pub(crate) fn files(name: &str) -> impl Iterator<Item = (&'static str, &'static Embedded)> {
    let folder = format!("{name}/");
    SKILLS
        .iter()
        .filter_map(move |file| Some((file.path.strip_prefix(folder.as_str())?, file)))
}

/// Whether a built-in skill has a workflow.
pub(crate) fn has_workflow(name: &str) -> bool {
    files(name).any(|(path, _)| path == "workflow.yaml")
}

/// The built-in conventions by name.
pub(crate) fn conventions() -> BTreeMap<&'static str, &'static Embedded> {
    named(CONVENTIONS)
}

/// The built-in roles by name.
pub(crate) fn roles() -> BTreeMap<&'static str, &'static Embedded> {
    named(ROLES)
}

fn named(files: &'static [Embedded]) -> BTreeMap<&'static str, &'static Embedded> {
    let texts = files.iter().filter(|file| file.path != "README.md");
    texts
        .filter_map(|file| Some((file.path.strip_suffix(".md")?, file)))
        .collect()
}

impl Embedded {
    pub(crate) fn content_hash(&self) -> ContentHash {
        ContentHash::from_stored(self.hash.to_owned())
    }
}
