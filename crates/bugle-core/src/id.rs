//! Ids, timestamps and actors, each with its own type so that they cannot be mixed up.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The error for a string that is not a valid id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadId {
    /// Not a run id.
    #[error("`{0}` is not a run id: run ids look like r-7f3a1c")]
    Run(String),
    /// Not a sub-agent token.
    #[error("`{0}` is not a sub-agent token: sub-agent tokens look like r-7f3a1c#12/3")]
    Child(String),
    /// Not a task id.
    #[error("`{0}` is not a task id: task ids look like t-7f3a1c2d")]
    Task(String),
    /// Not a plan id.
    #[error("`{0}` is not a plan id: plan ids look like p-7f3a1c")]
    Plan(String),
    /// Not a message id.
    #[error("`{0}` is not a message id: message ids look like m-7f3a1c2d")]
    Message(String),
    /// Not a wake-up id.
    #[error("`{0}` is not a wake-up id: wake-up ids look like w-7f3a1c2d")]
    Wakeup(String),
    /// Not a visit token.
    #[error("`{0}` is not a visit token: visit tokens look like r-7f3a1c#12")]
    Visit(String),
}

/// The characters in an id: no vowels, so that no id spells a word, and no characters that look alike.
const ID_ALPHABET: &[u8; 28] = b"23456789bcdfghjkmnpqrstvwxyz";

/// Builds a string of the given length from random bits, which the caller provides.
fn random_letters(random: u64, length: usize) -> String {
    let mut rest = random;
    let mut text = String::with_capacity(length);
    for _ in 0..length {
        let index = rest % (ID_ALPHABET.len() as u64);
        rest /= ID_ALPHABET.len() as u64;
        #[expect(clippy::cast_possible_truncation, reason = "index is below the alphabet's 28")]
        text.push(char::from(ID_ALPHABET[index as usize]));
    }
    text
}

macro_rules! short_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $length:literal, $bad:path) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Creates an id from random bits, which the caller provides.
            pub fn from_random(random: u64) -> Self {
                Self(format!("{}{}", $prefix, random_letters(random, $length)))
            }

            /// Parses an id or an id prefix.
            pub fn parse(text: &str) -> Result<Self, BadId> {
                let body = text.strip_prefix($prefix).unwrap_or("");
                let valid = (1..=32).contains(&body.len())
                    && body.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
                if valid {
                    Ok(Self(text.to_owned()))
                } else {
                    Err($bad(text.to_owned()))
                }
            }

            /// The id as a string slice.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl TryFrom<String> for $name {
            type Error = BadId;
            fn try_from(text: String) -> Result<Self, BadId> {
                Self::parse(&text)
            }
        }

        impl FromStr for $name {
            type Err = BadId;
            fn from_str(text: &str) -> Result<Self, BadId> {
                Self::parse(text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0
            }
        }
    };
}

short_id!(
    /// A run id, such as `r-7f3a1c`.
    RunId,
    "r-",
    6,
    BadId::Run
);

short_id!(
    /// A task id, such as `t-7f3a1c2d`. It is longer than a run id, because a store may contain a million tasks.
    TaskId,
    "t-",
    8,
    BadId::Task
);

short_id!(
    /// A plan id, such as `p-7f3a1c`.
    PlanId,
    "p-",
    6,
    BadId::Plan
);

short_id!(
    /// A message id, such as `m-7f3a1c2d`. It is longer than a run id, because a store may contain a million
    /// messages.
    MessageId,
    "m-",
    8,
    BadId::Message
);

short_id!(
    /// The id of a recorded wake-up, such as `w-7f3a1c2d`.
    WakeupId,
    "w-",
    8,
    BadId::Wakeup
);

/// A visit's number within its run, starting at 1; never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct VisitNumber(pub u32);

impl VisitNumber {
    /// The next number.
    #[must_use]
    pub fn following(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for VisitNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The token that `bugle done` needs: a run and one of its visits, such as `r-7f3a1c#12`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(into = "String")]
pub struct VisitToken {
    /// The run.
    pub run: RunId,
    /// The visit.
    pub visit: VisitNumber,
}

impl fmt::Display for VisitToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.run, self.visit)
    }
}

impl From<VisitToken> for String {
    fn from(token: VisitToken) -> Self {
        token.to_string()
    }
}

impl FromStr for VisitToken {
    type Err = BadId;
    fn from_str(text: &str) -> Result<Self, BadId> {
        let bad = || BadId::Visit(text.to_owned());
        let (run, visit) = text.split_once('#').ok_or_else(bad)?;
        let number: u32 = visit.parse().map_err(|_| bad())?;
        // "#+1" and "#01" would parse as numbers, but Bugle never prints them.
        if number == 0 || visit != number.to_string() {
            return Err(bad());
        }
        Ok(Self {
            run: RunId::parse(run).map_err(|_| bad())?,
            visit: VisitNumber(number),
        })
    }
}

/// A sub-agent's token: the dispatching visit and a number, such as `r-7f3a1c#12/3`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct ChildToken {
    /// The visit that dispatched the sub-agent.
    pub parent: VisitToken,
    /// The sub-agent's number, starting at 1.
    pub slot: u32,
}

impl fmt::Display for ChildToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.parent, self.slot)
    }
}

impl From<ChildToken> for String {
    fn from(token: ChildToken) -> Self {
        token.to_string()
    }
}

impl TryFrom<String> for ChildToken {
    type Error = BadId;
    fn try_from(text: String) -> Result<Self, BadId> {
        text.parse()
    }
}

impl FromStr for ChildToken {
    type Err = BadId;
    fn from_str(text: &str) -> Result<Self, BadId> {
        let bad = || BadId::Child(text.to_owned());
        let (parent, slot) = text.split_once('/').ok_or_else(bad)?;
        let number: u32 = slot.parse().map_err(|_| bad())?;
        if number == 0 || slot != number.to_string() {
            return Err(bad());
        }
        Ok(Self {
            parent: parent.parse().map_err(|_| bad())?,
            slot: number,
        })
    }
}

/// A SHA-256 hash in lower-case hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContentHash(String);

impl ContentHash {
    /// Encodes a digest.
    pub fn from_digest(digest: [u8; 32]) -> Self {
        use fmt::Write as _;
        let mut text = String::with_capacity(64);
        for byte in digest {
            // Writing to a String cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        Self(text)
    }

    /// Accepts a hash from the store.
    pub fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// The hash as a string slice.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A prefix that is long enough to distinguish versions of a skill.
    pub fn short(&self) -> &str {
        self.0.get(..12).unwrap_or(&self.0)
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A point in time, in milliseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

/// The person, agent or program that caused an event.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// A person at a terminal.
    Person(String),
    /// An agent, identified by its client's session.
    Agent(SessionId),
    /// A program outside any known session.
    Program,
    /// An agent that relays a decision by its user.
    Relay {
        /// The agent's session.
        agent: SessionId,
        /// The user.
        user: String,
    },
}

impl Actor {
    /// The stored name of a person whose login name is unknown.
    pub const UNNAMED_PERSON: &str = "a person";

    /// The session of the agent that acted, whether for itself or for its user.
    pub fn session(&self) -> Option<&SessionId> {
        match self {
            Self::Agent(session) | Self::Relay { agent: session, .. } => Some(session),
            Self::Person(_) | Self::Program => None,
        }
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Person(name) => write!(f, "{name}"),
            Self::Agent(session) => write!(f, "agent {session}"),
            Self::Program => f.write_str("a program"),
            Self::Relay { agent, user } => write!(f, "{user}, relayed by agent {agent}"),
        }
    }
}

/// A client's id for one conversation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SessionId(pub String);

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_visit_token_parses_back() {
        let token: VisitToken = "r-7f3a1c#12".parse().unwrap();
        assert_eq!(token.to_string(), "r-7f3a1c#12");
        for bad in [
            "r-7f3a1c",
            "r-7f3a1c#",
            "r-7f3a1c#0",
            "r-7f3a1c#01",
            "r-7f3a1c#+1",
            "x#1",
            "r-#1",
            "r-A#1",
        ] {
            assert!(bad.parse::<VisitToken>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_new_id_parses_back() {
        for seed in [0, 1, u64::MAX, 0x7f3a_1c00_1234] {
            let id = RunId::from_random(seed);
            assert_eq!(RunId::parse(id.as_str()).unwrap(), id);
        }
    }
}
