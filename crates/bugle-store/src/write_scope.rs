//! Which other writers a transaction blocks. `SQLite` allows one writer at a time, so there a transaction blocks all.

/// Which other writers a transaction blocks on an engine that allows several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteScope<'a> {
    /// All writers.
    Store,
    /// Transactions with the scope of this project or of the store.
    Project(&'a str),
    /// Transactions with the scope of this project or of the store, but not other claims. A claim locks the tasks
    /// that it changes.
    Claim(&'a str),
    /// Writers of the rows that the transaction changes or locks, and transactions with the scope of the store.
    Rows,
}
