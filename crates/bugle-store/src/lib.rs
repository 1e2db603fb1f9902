//! The store: append-only event logs of runs, tasks and messages, skills and plans by content hash, and rows that make
//! queries fast. The event logs are the source of truth; the rows can be rebuilt from them.
//!
//! All SQL is in this crate and uses a subset that `SQLite` and Postgres share. Engine-specific statements are in the
//! engine's module.

mod agents;
mod blobs;
mod chain;
mod connection;
mod copy;
mod dashboard;
mod deliveries;
mod durability;
mod engine;
mod error;
mod event_rows;
mod machine_id;
mod machines;
mod merge;
mod messages;
mod missing_right;
mod multi_row;
mod plan;
mod plan_tasks;
mod postgres;
mod project_identity;
mod projects;
mod read_ahead;
mod retry;
mod row;
mod run_rows;
mod runs;
mod schema;
mod search;
mod sessions;
mod snapshots;
mod sqlite;
mod statement_log;
mod store;
mod tasks;
mod team;
mod trust;
mod verify;
mod write_scope;

pub use agents::{AgentRow, Pair, ProcessId, SupervisedRow};
pub use copy::CopiedTable;
pub use dashboard::{ChannelRow, RunPage};
pub use deliveries::{DeliveryRow, MailRange};
pub use durability::Durability;
pub use error::StoreError;
pub use machine_id::MachineId;
pub use machines::MachineRow;
pub use messages::{MessageFilter, MessageRow, NewMessage, Receiver, Unread, UnreadRow, WakeupRow};
pub use missing_right::MissingRight;
pub use plan::{Plan, PlanFirst, RunKeys};
pub use postgres::{CommitListener, ConnectionDefaults, PasswordCommand, ServerAddress, ServerProbe};
pub use projects::{NewProject, ProjectCounts, ProjectId, ProjectRow, Relocation};
pub use retry::{Failure, MAX_ATTEMPTS, retry};
pub use run_rows::RunRow;
pub use runs::{Append, NewRun, RunFilter, Scope, StoredRun};
pub use search::{Candidates, Search};
pub use sessions::SessionRow;
pub use snapshots::Snapshot;
pub use statement_log::LoggedStatement;
pub use store::{Store, Transaction};
pub use tasks::{Focus, LockedTasks, PlanRow, SkillPin, TaskRow, TaskWait};
pub use team::MemberRow;
pub use trust::TrustRow;
pub use verify::{AuditedEvent, AuditedRun};
