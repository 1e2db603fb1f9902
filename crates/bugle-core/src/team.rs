//! The roles of people who share a store.

/// A person's role in a shared store. Each role includes the rights of the previous role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TeamRole {
    /// Read.
    Viewer,
    /// Work on runs, tasks and messages.
    Member,
    /// Decide at gates, trust skills and manage members.
    Lead,
}

enum_text!(TeamRole {
    Viewer = "viewer",
    Member = "member",
    Lead = "lead",
});
