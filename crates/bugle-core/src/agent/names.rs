//! Agent names: generation, and lookup by prefix.

use crate::did_you_mean::nearest;

/// The number of random characters in a generated name.
const AUTOMATIC_SUFFIX: usize = 4;
/// Maximum length of the readable part of a generated name.
const MAX_PREFIX_LENGTH: usize = 40;
/// Number of characters compared. No name derived from a session id is longer.
const MAX_COMPARED_LENGTH: usize = 64;
/// Maximum length of a name that a person can type.
const MAX_READABLE_LENGTH: usize = 20;

/// A name like `refactor-9c4f`: a topic and a random suffix, because predictable names collide.
pub fn automatic_name(about: &str, random: u64) -> String {
    let mut prefix = String::new();
    for c in about.chars() {
        if c.is_ascii_alphanumeric() {
            prefix.push(c.to_ascii_lowercase());
        } else if !prefix.is_empty() && !prefix.ends_with('-') {
            prefix.push('-');
        }
        if prefix.len() >= MAX_PREFIX_LENGTH {
            break;
        }
    }
    let prefix = prefix.trim_end_matches('-');
    let prefix = if prefix.contains(|c: char| c.is_ascii_alphabetic()) {
        prefix
    } else {
        "agent"
    };
    format!("{prefix}-{:0AUTOMATIC_SUFFIX$x}", random & 0xffff)
}

/// Whether a person can read and type a name. Most session ids do not qualify.
pub fn is_readable(name: &str) -> bool {
    name.len() <= MAX_READABLE_LENGTH
}

/// All names under which runs and tasks may refer to an agent or user: name, address, client session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentNames {
    keys: Vec<String>,
}

impl AgentNames {
    /// Starts with one name, with or without `@`.
    pub fn new(called: &str) -> Self {
        Self {
            keys: vec![key(called)],
        }
    }

    /// Adds a name.
    #[must_use]
    pub fn and(mut self, name: &str) -> Self {
        self.keys.push(key(name));
        self
    }

    /// Whether `name` is one of the names.
    pub fn include(&self, name: &str) -> bool {
        self.keys.contains(&key(name))
    }
}

/// The normalised form for comparing names. In an address, the session `A.B` is written `a-b`.
fn key(called: &str) -> String {
    let plain = |letter: char| {
        if letter.is_ascii_alphanumeric() || matches!(letter, '_' | ':' | '/') {
            letter.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    let called = called.trim().trim_start_matches('@');
    let name: String = called.chars().map(plain).take(MAX_COMPARED_LENGTH).collect();
    name.trim_matches(['-', '_']).to_owned()
}

/// The result of looking up an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentLookup<'a> {
    /// Exactly one agent matches, by its full name or by a unique prefix.
    One(&'a str),
    /// Several agents share the prefix.
    Several(Vec<&'a str>),
    /// No agent matches. Contains the closest name, if any.
    Unknown(Option<&'a str>),
}

/// Finds an agent by name or prefix.
pub fn find_agent<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> AgentLookup<'a> {
    let known: Vec<&str> = known.into_iter().collect();
    if let Some(name) = known.iter().find(|name| **name == word) {
        return AgentLookup::One(name);
    }
    let begins: Vec<&str> = known
        .iter()
        .copied()
        .filter(|name| !word.is_empty() && name.starts_with(word))
        .collect();
    match begins.as_slice() {
        [] => AgentLookup::Unknown(nearest(word, known)),
        [name] => AgentLookup::One(name),
        _ => AgentLookup::Several(begins),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::message::AgentAddress;

    #[test]
    fn a_generated_name_starts_with_its_topic() {
        for (about, name) in [
            ("claude", "claude-00ff"),
            ("Refactor the parser!", "refactor-the-parser-00ff"),
            ("  -- ", "agent-00ff"),
            ("42", "agent-00ff"),
            ("größe", "gr-e-00ff"),
        ] {
            assert_eq!(automatic_name(about, 0xff), name);
        }
    }

    #[test]
    fn a_plain_word_is_readable_and_a_session_id_is_not() {
        assert!(is_readable("session-one"));
        assert!(!is_readable("550e8400-e29b-41d4-a716-446655440000"));
        assert!(!is_readable("ses_6f3b2a1c9d8e7f6a5b4c3d2e1f"));
    }

    #[test]
    fn an_agent_is_found_by_full_name_or_unique_prefix() {
        let known = ["impl", "impl-1", "impl-2", "docs-9c4f"];
        let find = |word: &str| find_agent(word, known);
        assert_eq!(find("impl"), AgentLookup::One("impl"));
        assert_eq!(find("docs"), AgentLookup::One("docs-9c4f"));
        assert_eq!(find("impl-"), AgentLookup::Several(vec!["impl-1", "impl-2"]));
        assert_eq!(find("imlp-1"), AgentLookup::Unknown(Some("impl-1")));
        assert_eq!(find("backend"), AgentLookup::Unknown(None));
        assert_eq!(find(""), AgentLookup::Unknown(None));
    }

    proptest! {
        #[test]
        fn every_generated_name_is_valid_in_an_address(about in ".{0,80}", random in any::<u64>()) {
            let name = automatic_name(&about, random);
            prop_assert!(AgentAddress::new("shop", "main", &name).is_ok(), "{name}");
        }
    }
}
