//! Validated names: parsed once, then always valid.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The error for a string that is not a valid name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a {kind}: {rule}")]
pub struct BadName {
    /// The kind of name that was expected.
    pub kind: &'static str,
    /// The invalid string.
    pub text: String,
    /// The rule for names of this kind.
    pub rule: &'static str,
}

macro_rules! name {
    ($(#[$doc:meta])* $name:ident, $kind:literal, $rule:literal, $valid:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Parses a name.
            pub fn new(text: impl Into<String>) -> Result<Self, BadName> {
                let text = text.into();
                let valid: fn(&str) -> bool = $valid;
                if valid(&text) {
                    Ok(Self(text))
                } else {
                    Err(BadName { kind: $kind, text, rule: $rule })
                }
            }

            /// The name as a string slice.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = BadName;
            fn try_from(text: String) -> Result<Self, BadName> {
                Self::new(text)
            }
        }

        impl std::str::FromStr for $name {
            type Err = BadName;
            fn from_str(text: &str) -> Result<Self, BadName> {
                Self::new(text)
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> String {
                name.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

name!(
    /// A skill's name: the name of its folder, the `name` in its SKILL.md, and the argument of `bugle start`.
    SkillName,
    "skill name",
    "use 1 to 64 characters: a-z, 0-9, and single hyphens between them",
    |text| {
        (1..=64).contains(&text.len())
            && text
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
            && !text.starts_with('-')
            && !text.ends_with('-')
            && !text.contains("--")
    }
);

name!(
    /// A task's assignee: `impl-1`, or `project:branch:impl-1`.
    AgentName,
    "agent",
    "use 1 to 200 characters without spaces",
    |text| {
        (1..=200).contains(&text.chars().count()) && !text.contains(|c: char| c.is_whitespace() || c.is_control())
    }
);

name!(
    /// A skill's address: its name, prefixed with `plugin:` if a plugin provides it.
    SkillAddress,
    "skill",
    "use a skill name, or plugin:name",
    |text| {
        let (plugin, name) = text.split_once(':').map_or((None, text), |(plugin, name)| (Some(plugin), name));
        let named = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
        SkillName::new(name).is_ok() && plugin.is_none_or(|plugin| !plugin.is_empty() && plugin.len() <= 64 && named(plugin))
    }
);

/// An identifier in guards and templates, as in `state.step.field`. Excludes keywords of the guard language.
fn is_identifier(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && !matches!(text, "in" | "true" | "false" | "null")
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

name!(
    /// A step id, unique within its workflow.
    StepId,
    "step id",
    "use 1 to 64 characters (a-z, 0-9, _), starting with a letter; `end`, `in`, `true`, `false` and `null` are reserved",
    |text| is_identifier(text) && text != "end"
);

name!(
    /// A param or result field name.
    FieldName,
    "field name",
    "use 1 to 64 characters (a-z, 0-9, _), starting with a letter; `in`, `true`, `false` and `null` are reserved",
    is_identifier
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skill_names_follow_the_agent_skills_standard() {
        for good in ["a", "decision-critic", "x2", &"a".repeat(64)] {
            assert!(SkillName::new(good).is_ok(), "{good}");
        }
        for bad in ["", "-a", "a-", "a--b", "A", "a_b", "ä", "a b", &"a".repeat(65)] {
            assert!(SkillName::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn step_ids_can_be_written_in_a_guard() {
        assert!(StepId::new("fill_diffs2").is_ok());
        for bad in ["", "end", "2nd", "fill-diffs", "Fill", "_x", "in", "true"] {
            assert!(StepId::new(bad).is_err(), "{bad}");
        }
    }
}
