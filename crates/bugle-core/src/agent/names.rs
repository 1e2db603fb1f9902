//! Names of agents: generated names, and lookup by a word.

use crate::did_you_mean::nearest;

/// How many signs of chance stand behind the dash of a made-up name.
const AUTOMATIC_SUFFIX: usize = 4;
/// How much of what is named goes into a made-up name.
const MAX_PREFIX_LENGTH: usize = 40;
/// How much of a name tells it from others: a name that is made from a session has no more.
const MAX_COMPARED_LENGTH: usize = 64;
/// How long a name may be that people type.
const MAX_READABLE_LENGTH: usize = 20;

/// A name like `refactor-9c4f`: what it is about, and a bit of chance, because names that are guessed collide.
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

/// Whether a name is one that people can read and type; the id of a session mostly is not.
pub fn is_readable(name: &str) -> bool {
    name.len() <= MAX_READABLE_LENGTH
}

/// An agent or user by all the names that runs and tasks may know them by: a name, an address, the session of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentNames {
    keys: Vec<String>,
}

impl AgentNames {
    /// By whatever they are called; the `@` may be said or not.
    pub fn new(called: &str) -> Self {
        Self {
            keys: vec![key(called)],
        }
    }

    /// The same with one more name.
    #[must_use]
    pub fn and(mut self, name: &str) -> Self {
        self.keys.push(key(name));
        self
    }

    /// Whether this is one of them.
    pub fn include(&self, name: &str) -> bool {
        self.keys.contains(&key(name))
    }
}

/// A name in the form in which names are compared: the session `A.B` is called `a-b` where agents talk to each other.
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

/// Which of several names is meant by a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentLookup<'a> {
    /// This one: it is called so, or it is the only one that begins so.
    One(&'a str),
    /// Each of these begins so.
    Several(Vec<&'a str>),
    /// None; this one is called much the same.
    Unknown(Option<&'a str>),
}

/// Which of the names is meant.
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
    fn a_made_up_name_says_what_it_is_about() {
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
    fn a_word_is_handy_and_the_id_of_a_session_is_not() {
        assert!(is_readable("session-one"));
        assert!(!is_readable("550e8400-e29b-41d4-a716-446655440000"));
        assert!(!is_readable("ses_6f3b2a1c9d8e7f6a5b4c3d2e1f"));
    }

    #[test]
    fn a_word_means_the_whole_name_the_only_beginning_or_none() {
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
        fn every_made_up_name_can_be_written_in_an_address(about in ".{0,80}", random in any::<u64>()) {
            let name = automatic_name(&about, random);
            prop_assert!(AgentAddress::new("shop", "main", &name).is_ok(), "{name}");
        }
    }
}
