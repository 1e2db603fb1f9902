//! Which other writers a transaction excludes. `SQLite` has one writer at a time, so there it always excludes all.

/// Which other writers a transaction excludes, on an engine with several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteScope<'a> {
    /// All of them.
    Store,
    /// Those that also exclude the writers of this project, or all.
    Project(&'a str),
    /// Those of the rows that it changes or locks.
    Rows,
}
