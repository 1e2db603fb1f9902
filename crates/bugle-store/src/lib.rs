//! Where runs, tasks and messages are kept: an append-only list of events for each, skills and plans by the hash of their bytes, and
//! a few rows that make finding things quick. What is found by folding events is the truth; the rest can be rebuilt from it.
//!
//! All SQL is written once, in a subset that `SQLite` and Postgres share; an executor knows one engine.

mod agents;
mod audit;
mod backup;
mod chain;
mod chaining;
mod error;
mod event_rows;
mod launches;
mod lite;
mod look;
mod merge;
mod messages;
mod patience;
mod private;
mod projects;
mod queue;
mod schema;
mod search;
mod sessions;
mod snapshots;
mod sql;
mod store;
mod tasks;
mod trust;

pub use agents::{AgentRow, AgentStore, Pair, ProcessId};
pub use audit::{AuditStore, AuditedEvent, AuditedRun};
pub use error::StoreError;
pub use launches::{LaunchRow, LaunchStore};
pub use lite::{Durability, SqliteStore, open, open_for_hook, open_reporting};
pub use look::{ChannelRow, LookStore, RunPage};
pub use merge::MergeStore;
pub use messages::{
    MessageFilter, MessageRow, MessageStore, NewMessage, Receiver, Unread, UnreadRow, WakeupRow,
};
pub use projects::{ProjectCounts, ProjectRow, ProjectStore, Relocation};
pub use search::{Candidates, Search, SearchStore};
pub use sessions::{SessionRow, SessionStore};
pub use snapshots::{FoldedRun, Snapshot, SnapshotStore};
pub use store::{Append, NewRun, ProjectId, RunFilter, RunRow, Scope, Store, StoredRun};
pub use tasks::{PlanRow, SkillPin, TaskRow, TaskStore, TaskWait};
pub use trust::{TrustRow, TrustStore};
