//! Paths inside a skill's folder. Skill files are untrusted, so paths that could leave the folder are rejected.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A relative path that cannot leave its folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SkillPath(String);

/// The error for a path that is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a path inside the skill's folder: use a relative path with `/` separators, without `.` or `..`"
)]
pub struct UnsafePath(pub String);

impl SkillPath {
    /// Parses a path with `/` as its separator.
    pub fn new(text: &str) -> Result<Self, UnsafePath> {
        let safe = !text.is_empty()
            && text.len() <= 255
            && !text.contains(['\\', ':', '\0', '\n', '\r'])
            && text.split('/').all(|part| !matches!(part, "" | "." | ".."));
        if safe {
            Ok(Self(text.to_owned()))
        } else {
            Err(UnsafePath(text.to_owned()))
        }
    }

    /// The path, with `/` as its separator.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SkillPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for SkillPath {
    type Error = UnsafePath;
    fn try_from(text: String) -> Result<Self, UnsafePath> {
        Self::new(&text)
    }
}

impl From<SkillPath> for String {
    fn from(path: SkillPath) -> String {
        path.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_accepted_path_leaves_its_folder() {
        for good in ["prompts/extract.md", "SKILL.md", "a/b/c.txt", "..dots/x"] {
            assert!(SkillPath::new(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "/etc/passwd",
            "../x",
            "a/../b",
            "a//b",
            "./a",
            "a\\b",
            "C:/x",
            "a/",
            "a\0b",
        ] {
            assert!(SkillPath::new(bad).is_err(), "{bad:?}");
        }
    }
}
