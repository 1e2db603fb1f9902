//! The durability of commits.

/// The failures that a commit survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// A commit survives a power loss.
    Full,
    /// A commit survives a crash of the program. A power loss may undo the last commits.
    Normal,
}
