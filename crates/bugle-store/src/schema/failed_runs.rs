//! The migration that tells failed runs from completed ones. Earlier versions stored `completed` for both.

use serde_json::Value as Json;

use crate::StoreError;
use crate::connection::Connection;

/// Snapshots of earlier versions have the old status and are ignored; deleting them frees space.
pub(crate) const SCHEMA: &str = "
DELETE FROM snapshot WHERE fold < 2;
";

/// Sets the status of runs whose last visit failed.
pub(crate) fn mark_failed_runs(db: &mut Connection) -> Result<(), StoreError> {
    // In a completed run, the second-to-last event ended the last visit.
    let rows = db.query(
        "SELECT run.id AS id, event.body AS body FROM run JOIN event ON event.run_id = run.id AND event.seq = run.version - 1 \
         WHERE run.status = 'completed'",
        &[],
    )?;
    for row in rows {
        let event: Json = serde_json::from_str(&row.text("body")?).unwrap_or_default();
        if event["ended"]["outcome"] == "fail" {
            db.execute(
                "UPDATE run SET status = 'failed' WHERE id = $1",
                &[row.text("id")?.as_str().into()],
            )?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::mark_failed_runs;
    use crate::{Durability, Store};

    #[test]
    fn only_runs_whose_last_visit_failed_become_failed() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("bugle.db"), Durability::Full).unwrap();
        let db = &mut store.connection;
        let ended = |outcome: &str, result: &str| {
            format!(r#"{{"ended":{{"visit":1,"outcome":"{outcome}","result":{{"outcome":"{result}"}}}}}}"#)
        };
        let runs = [
            ("r-aaaaaa", "completed", ended("fail", "ok")),
            ("r-bbbbbb", "completed", ended("ok", "fail")),
            ("r-cccccc", "active", ended("fail", "ok")),
        ];
        db.execute(
            "INSERT INTO project (id, shared_id, created_at) VALUES ('p', 'p', 0)",
            &[],
        )
        .unwrap();
        for (id, status, body) in &runs {
            db.execute(
                "INSERT INTO run (id, project_id, directory, skill, pin, status, version, started_at, changed_at) \
                 VALUES ($1, 'p', '/p', 's', 'x', $2, 2, 0, 0)",
                &[(*id).into(), (*status).into()],
            )
            .unwrap();
            db.execute(
                "INSERT INTO event (run_id, seq, happened_at, actor, body) VALUES ($1, 1, 0, '\"program\"', $2)",
                &[(*id).into(), body.as_str().into()],
            )
            .unwrap();
        }
        mark_failed_runs(db).unwrap();
        let rows = db.query("SELECT status FROM run ORDER BY id", &[]).unwrap();
        let status: Vec<String> = rows.iter().map(|row| row.text("status").unwrap()).collect();
        assert_eq!(status, ["failed", "completed", "active"]);
    }
}
