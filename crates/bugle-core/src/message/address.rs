//! Agent addresses: project, branch and name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The user's name in an address.
pub(super) const HUMAN: &str = "human";
/// The name that addresses all agents and users.
pub(super) const ALL: &str = "all";
/// Bugle's own name in an address.
const BUGLE: &str = "bugle";
/// Placeholder for a missing branch.
const NO_BRANCH: &str = "-";
/// Maximum length of a name.
const MAX_NAME_LENGTH: usize = 64;

/// The error for a string that is not an agent address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not an agent address: use a form such as impl-1, feature/login:impl-1 or project:main:impl-1, \
     with a-z, 0-9, - and _ in the agent's name"
)]
pub struct BadAddress(pub String);

/// An agent's project and branch. An address may omit the parts that the reader shares.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Home {
    project: String,
    branch: String,
}

impl Home {
    /// Creates a home from a project name and a branch. Characters that an address cannot contain are replaced.
    pub fn new(project: &str, branch: Option<&str>) -> Self {
        Self {
            project: addressable(project),
            branch: addressable(branch.unwrap_or_default()),
        }
    }

    /// The project.
    pub fn project(&self) -> &str {
        &self.project
    }

    /// The branch; `-` if there is none.
    pub fn branch(&self) -> &str {
        &self.branch
    }
}

/// An agent address: `shop:feature/login:impl-1`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AgentAddress {
    project: String,
    branch: String,
    name: String,
}

impl AgentAddress {
    /// Creates an address from its three parts. Converts the name to lower case.
    pub fn new(project: &str, branch: &str, name: &str) -> Result<Self, BadAddress> {
        let bad = || BadAddress(format!("{project}:{branch}:{name}"));
        if is_place(project) && is_place(branch) && is_name(name) {
            Ok(Self {
                project: project.to_owned(),
                branch: branch.to_owned(),
                name: name.to_ascii_lowercase(),
            })
        } else {
            Err(bad())
        }
    }

    /// The address of a project's user on any branch.
    pub fn human(home: &Home) -> Self {
        Self {
            project: home.project.clone(),
            branch: NO_BRANCH.to_owned(),
            name: HUMAN.to_owned(),
        }
    }

    /// Bugle itself, as the sender of a notice.
    pub fn bugle(home: &Home) -> Self {
        Self {
            project: home.project.clone(),
            branch: NO_BRANCH.to_owned(),
            name: BUGLE.to_owned(),
        }
    }

    /// The project and branch.
    pub fn home(&self) -> Home {
        Home {
            project: self.project.clone(),
            branch: self.branch.clone(),
        }
    }

    /// The address of a session whose agent has no name yet.
    pub fn of_session(session: &str, home: &Home) -> Option<Self> {
        let name: String = session
            .chars()
            .map(|c| if is_name_character(c) { c } else { '-' })
            .take(MAX_NAME_LENGTH)
            .collect();
        Self::new(&home.project, &home.branch, name.trim_matches(['-', '_'])).ok()
    }

    /// The project.
    pub fn project(&self) -> &str {
        &self.project
    }

    /// The branch; `-` if there is none.
    pub fn branch(&self) -> &str {
        &self.branch
    }

    /// The name, unique on its branch.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether this is the user, not an agent.
    pub fn is_human(&self) -> bool {
        self.name == HUMAN
    }

    /// Whether this is Bugle, not an agent.
    pub fn is_bugle(&self) -> bool {
        self.name == BUGLE
    }

    /// The shortest form of the address as seen from a project and branch.
    pub fn seen_from(&self, home: &Home) -> String {
        let same_project = self.project == home.project;
        if same_project && (self.branch == home.branch || self.is_human() || self.is_bugle()) {
            self.name.clone()
        } else if same_project {
            format!("{}:{}", self.branch, self.name)
        } else {
            self.to_string()
        }
    }
}

impl fmt::Display for AgentAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.project, self.branch, self.name)
    }
}

impl FromStr for AgentAddress {
    type Err = BadAddress;
    fn from_str(text: &str) -> Result<Self, BadAddress> {
        let parts: Vec<&str> = text.split(':').collect();
        match parts.as_slice() {
            [project, branch, name] => Self::new(project, branch, name),
            _ => Err(BadAddress(text.to_owned())),
        }
    }
}

impl TryFrom<String> for AgentAddress {
    type Error = BadAddress;
    fn try_from(text: String) -> Result<Self, BadAddress> {
        text.parse()
    }
}

impl From<AgentAddress> for String {
    fn from(address: AgentAddress) -> Self {
        address.to_string()
    }
}

/// Whether a string is a valid project or branch in an address.
pub(super) fn is_place(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_place_character)
}

fn is_place_character(c: char) -> bool {
    c != ':' && !c.is_whitespace() && !c.is_control()
}

/// Whether a string is a valid agent name. A number is not: `@5` is more likely a time.
pub(super) fn is_name(text: &str) -> bool {
    text.len() <= MAX_NAME_LENGTH
        && text.chars().all(is_name_character)
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.contains(|c: char| c.is_ascii_alphabetic())
}

pub(super) fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_')
}

fn addressable(text: &str) -> String {
    if text.is_empty() {
        return NO_BRANCH.to_owned();
    }
    text.chars()
        .map(|c| if is_place_character(c) { c } else { '-' })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_address_parses_with_a_lower_case_name() {
        let address: AgentAddress = "Shop:Feature/Login:Impl-1".parse().unwrap();
        assert_eq!(address.to_string(), "Shop:Feature/Login:impl-1");
        assert_eq!(address.to_string().parse::<AgentAddress>().unwrap(), address);
        for bad in [
            "", "a", "a:b", ":b:c", "a::c", "a:b:", "a:b:c:d", "a b:c:d", "a:b:c.d", "a:b:5", "a:b:-c",
        ] {
            assert!(bad.parse::<AgentAddress>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_reader_sees_the_shortest_address() {
        let home = Home::new("shop", Some("main"));
        let seen = |text: &str| text.parse::<AgentAddress>().unwrap().seen_from(&home);
        assert_eq!(seen("shop:main:backend"), "backend");
        assert_eq!(seen("shop:feature/login:backend"), "feature/login:backend");
        assert_eq!(seen("other:main:backend"), "other:main:backend");
        assert_eq!(AgentAddress::human(&home).seen_from(&home), "human");
    }

    #[test]
    fn every_project_branch_and_session_has_a_valid_address() {
        let home = Home::new("my shop: 2", None);
        assert_eq!((home.project(), home.branch()), ("my-shop--2", "-"));
        let of =
            |session: &str| AgentAddress::of_session(session, &home).map(|address| address.name().to_owned());
        assert_eq!(of("550E8400-e29b").as_deref(), Some("550e8400-e29b"));
        assert_eq!(of("thread.7/x").as_deref(), Some("thread-7-x"));
        assert_eq!(of("."), None);
    }
}
