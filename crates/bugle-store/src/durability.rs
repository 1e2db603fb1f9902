//! The durability of a commit.

/// What a commit must survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Loss of power.
    Full,
    /// A crash of the program. Loss of power may undo the last commits.
    Normal,
}
