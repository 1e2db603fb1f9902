//! Commit durability.

/// What a commit must survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// A power loss.
    Full,
    /// A crash of the program. A power loss may undo the last commits.
    Normal,
}
