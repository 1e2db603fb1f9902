//! The people who share a store.

use crate::team::TeamRole;

/// The members of a shared store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamList {
    /// The members, sorted by role and name.
    pub members: Vec<TeamMember>,
}

/// A member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamMember {
    /// The database role.
    pub person: String,
    /// The name in lists and histories.
    pub name: String,
    /// The person's role.
    pub role: TeamRole,
    /// The names of the person's projects; `None` if the person sees all projects.
    pub projects: Option<Vec<String>>,
    /// Whether this is the caller.
    pub you: bool,
}

/// A change to a team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TeamChange {
    /// The store is ready for a team.
    Ready {
        /// The command that adds a person.
        add: String,
    },
    /// A person was added, or their role or projects changed.
    Added(AddedMember),
    /// A member was removed.
    Removed {
        /// The database role.
        person: String,
    },
}

/// A person who was added, or whose role or projects changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedMember {
    /// The database role.
    pub person: String,
    /// The person's role.
    pub role: TeamRole,
    /// Whether the database role was created, without a password.
    pub is_new_role: bool,
    /// The names of the person's projects; `None` if the person sees all projects.
    pub projects: Option<Vec<String>>,
    /// Whether the person saw all projects before, and no longer does.
    pub saw_all: bool,
    /// The person's line for their settings file.
    pub store_line: String,
}
