//! The other writers that a transaction blocks. `SQLite` allows only one writer at a time, so a `SQLite` transaction
//! blocks all other writers.

/// The other writers that a transaction blocks, on an engine that allows several writers.
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
