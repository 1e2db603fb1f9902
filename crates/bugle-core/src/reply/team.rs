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
