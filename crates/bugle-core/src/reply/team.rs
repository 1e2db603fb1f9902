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
    /// What the person may do.
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
    /// A database role was created for a new member, without a password.
    Created {
        /// The database role.
        person: String,
        /// What the person may do.
        role: TeamRole,
    },
    /// A database role now has this role in the team.
    Changed {
        /// The database role.
        person: String,
        /// What the person may do.
        role: TeamRole,
    },
    /// A member was removed.
    Removed {
        /// The database role.
        person: String,
    },
}
