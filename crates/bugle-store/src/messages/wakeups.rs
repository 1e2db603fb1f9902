//! The wake-ups that were given, in their one text of SQL.

use bugle_core::id::{ContentHash, Timestamp, WakeupId};
use bugle_core::wake::Budget;

use super::WakeupRow;
use super::statements::{bound, whole};
use crate::StoreError;
use crate::sql::{Row, Sql, Value};
use crate::store::ProjectId;

const WAKEUP_COLUMNS: &str = "id, project_id, agent, reason, given_at, budget_limit, unit, size, parts, hash";

fn wakeup_row(row: &Row) -> Result<WakeupRow, StoreError> {
    let bad = |what: &str| StoreError::Unreadable(format!("a wake-up has a bad {what}"));
    Ok(WakeupRow {
        id: WakeupId::parse(&row.text(0)?).map_err(|_| bad("id"))?,
        project: ProjectId(row.text(1)?),
        agent: row.text(2)?,
        reason: row.text(3)?.parse().map_err(|()| bad("reason"))?,
        at: Timestamp(row.int(4)?),
        budget: Budget {
            limit: usize::try_from(row.int(5)?).map_err(|_| bad("limit"))?,
            unit: serde_json::from_str(&row.text(6)?).map_err(|_| bad("unit"))?,
        },
        size: whole(row, 7)?,
        parts: row.text(8)?,
        hash: ContentHash::from_stored(row.text(9)?),
    })
}

pub(super) fn keep<S: Sql>(sql: &mut S, wakeup: &WakeupRow, content: &[u8]) -> Result<bool, StoreError> {
    let unit = serde_json::to_string(&wakeup.budget.unit)
        .map_err(|error| StoreError::Unreadable(error.to_string()))?;
    let statement = format!(
        "INSERT INTO wakeup ({WAKEUP_COLUMNS}, content, seq) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, \
         (SELECT COALESCE(MAX(seq), 0) + 1 FROM wakeup WHERE project_id = $2)) ON CONFLICT (id) DO NOTHING"
    );
    let kept = sql.execute(
        &statement,
        &[
            wakeup.id.as_str().into(),
            wakeup.project.0.as_str().into(),
            wakeup.agent.as_str().into(),
            wakeup.reason.as_str().into(),
            wakeup.at.0.into(),
            bound(wakeup.budget.limit as u64),
            unit.as_str().into(),
            bound(wakeup.size),
            wakeup.parts.as_str().into(),
            wakeup.hash.as_str().into(),
            Value::Blob(content.to_vec()),
        ],
    )?;
    Ok(kept > 0)
}

/// The wake-ups that fit.
pub(crate) fn wakeups_where<S: Sql>(
    sql: &mut S,
    rest: &str,
    parameters: &[Value],
) -> Result<Vec<WakeupRow>, StoreError> {
    let statement = format!("SELECT {WAKEUP_COLUMNS} FROM wakeup WHERE {rest}");
    sql.query(&statement, parameters)?
        .iter()
        .map(wakeup_row)
        .collect()
}

pub(super) fn latest<S: Sql>(
    sql: &mut S,
    project: &ProjectId,
    agent: Option<&str>,
    limit: u32,
) -> Result<Vec<WakeupRow>, StoreError> {
    let mut parameters = vec![project.0.as_str().into(), Value::Int(i64::from(limit))];
    let of_agent = agent.map_or("", |agent| {
        parameters.push(agent.into());
        " AND agent = $3"
    });
    wakeups_where(
        sql,
        &format!("project_id = $1{of_agent} ORDER BY seq DESC LIMIT $2"),
        &parameters,
    )
}

pub(super) fn by_prefix<S: Sql>(sql: &mut S, prefix: &str) -> Result<Vec<WakeupRow>, StoreError> {
    // The ids are a-z and 0-9 throughout, so everything with this beginning lies before it with a `~`.
    let parameters = [prefix.into(), format!("{prefix}~").as_str().into()];
    wakeups_where(sql, "id >= $1 AND id < $2 ORDER BY id LIMIT 10", &parameters)
}

pub(super) fn content<S: Sql>(sql: &mut S, id: &WakeupId) -> Result<Option<Vec<u8>>, StoreError> {
    let rows = sql.query("SELECT content FROM wakeup WHERE id = $1", &[id.as_str().into()])?;
    rows.first().map(|row| row.bytes(0)).transpose()
}
