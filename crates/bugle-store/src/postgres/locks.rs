//! Locks of transactions. They end with the transaction, so a pooler may give the connection to another process then.
//!
//! Every transaction that writes locks the store: shared, or exclusively if it excludes all other writers. The order is
//! store, project, rows, so that transactions of one project wait for each other in turn and never in a circle.

use sha2::{Digest as _, Sha256};

use crate::write_scope::WriteScope;

fn key(of: &str) -> i64 {
    let digest = Sha256::digest(of.as_bytes());
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    i64::from_be_bytes(first)
}

/// The statements that lock what a transaction excludes others from.
pub(super) fn statements(scope: WriteScope<'_>) -> String {
    let store = key("bugle store");
    match scope {
        WriteScope::Store => format!("SELECT pg_advisory_xact_lock({store})"),
        WriteScope::Project(project) => format!(
            "SELECT pg_advisory_xact_lock_shared({store}); {}",
            of_project(project)
        ),
        WriteScope::Rows => format!("SELECT pg_advisory_xact_lock_shared({store})"),
    }
}

/// The statement that locks a project.
pub(super) fn of_project(project: &str) -> String {
    format!(
        "SELECT pg_advisory_xact_lock({})",
        key(&format!("bugle project {project}"))
    )
}
