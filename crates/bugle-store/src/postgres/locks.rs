//! Transaction-level locks. A session-level lock would outlive the transaction, after which a pooler may give the
//! connection to another process.
//!
//! Every write transaction locks the store: exclusively if it blocks all other writers, otherwise shared. Locks are
//! taken in the order store, project, rows, so that transactions of one project cannot deadlock. Claims share the
//! lock of their project, so that they do not wait for each other.

use sha2::{Digest as _, Sha256};

use crate::write_scope::WriteScope;

fn key(of: &str) -> i64 {
    let digest = Sha256::digest(of.as_bytes());
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    i64::from_be_bytes(first)
}

/// The statements that take the locks for a scope.
pub(super) fn statements(scope: WriteScope<'_>) -> String {
    let store = key("bugle store");
    match scope {
        WriteScope::Store => format!("SELECT pg_advisory_xact_lock({store})"),
        WriteScope::Project(project) => format!(
            "SELECT pg_advisory_xact_lock_shared({store}); {}",
            of_project(project)
        ),
        WriteScope::Claim(project) => format!(
            "SELECT pg_advisory_xact_lock_shared({store}); SELECT pg_advisory_xact_lock_shared({})",
            project_key(project)
        ),
        WriteScope::Rows => format!("SELECT pg_advisory_xact_lock_shared({store})"),
    }
}

/// The statement that locks a project.
pub(super) fn of_project(project: &str) -> String {
    format!("SELECT pg_advisory_xact_lock({})", project_key(project))
}

fn project_key(project: &str) -> i64 {
    key(&format!("bugle project {project}"))
}
