//! Rows for a run's new events.

use bugle_core::engine::{RULES, Recorded};
use bugle_core::id::RunId;

use crate::StoreError;
use crate::chain::EventRow;
use crate::connection::Connection;
use crate::multi_row::write_rows;
use crate::row::Value;

/// Turns one command's events into rows that extend a run's chain. `head` is the chain's last hash and `before` its
/// length. Returns the rows and the new last hash.
pub(crate) fn chain_events(
    run: &RunId,
    before: u64,
    head: &str,
    events: &[Recorded],
) -> Result<(Vec<[Value; 8]>, String), StoreError> {
    let rules = i64::from(RULES);
    let batch = i64::try_from(before).unwrap_or(i64::MAX).saturating_add(1);
    let mut head = head.to_owned();
    let mut rows = Vec::with_capacity(events.len());
    for (seq, recorded) in (batch..).zip(events) {
        let unwritable = |error: serde_json::Error| StoreError::Unreadable(error.to_string());
        let actor = serde_json::to_string(&recorded.by).map_err(unwritable)?;
        let body = serde_json::to_string(&recorded.event).map_err(unwritable)?;
        let link = EventRow {
            of: run.as_str(),
            seq,
            at: recorded.at.0,
            actor: &actor,
            body: &body,
        };
        head = link.in_run(&head, Some(rules), Some(batch));
        rows.push([
            run.as_str().into(),
            Value::Int(seq),
            recorded.at.0.into(),
            Value::Text(actor),
            Value::Text(body),
            Value::Int(rules),
            Value::Int(batch),
            head.as_str().into(),
        ]);
    }
    Ok((rows, head))
}

pub(crate) fn insert_events(db: &mut Connection, rows: &[[Value; 8]]) -> Result<(), StoreError> {
    let columns = "run_id, seq, happened_at, actor, body, rules, batch, hash";
    write_rows(db, "event", columns, rows, "")?;
    if let Some([run, seq, .., hash]) = rows.last() {
        db.set_witness(
            "SELECT 1 FROM event WHERE run_id = $1 AND seq = $2 AND hash = $3",
            vec![run.clone(), seq.clone(), hash.clone()],
        );
    }
    Ok(())
}
