//! Wake-up queries and updates.

use bugle_core::id::{ContentHash, Timestamp, WakeupId};
use bugle_core::message::AgentAddress;
use bugle_core::wake::{Budget, WakeReason};

use super::WakeupRow;
use super::mailbox::mailbox;
use super::rows::bound;
use crate::StoreError;
use crate::connection::Connection;
use crate::read_ahead::Query;
use crate::row::{Row, Value};
use crate::write_scope::WriteScope;
use crate::{MailRange, ProjectId, Store};

const WAKEUP_COLUMNS: &str = "id, project_id, agent, reason, given_at, budget_limit, unit, size, parts, hash";

fn wakeup_row(row: &Row) -> Result<WakeupRow, StoreError> {
    let bad = |what: &str| StoreError::Unreadable(format!("a wake-up has an invalid {what}"));
    Ok(WakeupRow {
        id: WakeupId::parse(&row.text("id")?).map_err(|_| bad("id"))?,
        project: ProjectId(row.text("project_id")?),
        agent: row.text("agent")?,
        reason: row.text("reason")?.parse().map_err(|()| bad("reason"))?,
        at: Timestamp(row.int("given_at")?),
        budget: Budget {
            limit: usize::try_from(row.int("budget_limit")?).map_err(|_| bad("limit"))?,
            unit: serde_json::from_str(&row.text("unit")?).map_err(|_| bad("unit"))?,
        },
        size: row.unsigned("size")?,
        parts: row.text("parts")?,
        hash: ContentHash::from_stored(row.text("hash")?),
    })
}

/// The wake-ups that match a condition.
pub(crate) fn wakeups_where(
    db: &mut Connection,
    rest: &str,
    parameters: &[Value],
) -> Result<Vec<WakeupRow>, StoreError> {
    let statement = format!("SELECT {WAKEUP_COLUMNS} FROM wakeup WHERE {rest}");
    db.query(&statement, parameters)?.iter().map(wakeup_row).collect()
}

/// The statement that inserts a wake-up with its text, unless its id is taken.
fn insertion(wakeup: &WakeupRow, content: &[u8]) -> Result<Query, StoreError> {
    let unit = serde_json::to_string(&wakeup.budget.unit)
        .map_err(|error| StoreError::Unreadable(error.to_string()))?;
    let statement = format!(
        "INSERT INTO wakeup ({WAKEUP_COLUMNS}, content, seq) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, \
         (SELECT COALESCE(MAX(seq), 0) + 1 FROM wakeup WHERE project_id = $2)) ON CONFLICT (id) DO NOTHING"
    );
    let parameters = vec![
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
    ];
    Ok((statement, parameters))
}

impl Store {
    /// Stores a wake-up with its text. Returns false and writes nothing if its id is taken.
    pub fn keep_wakeup(&mut self, wakeup: &WakeupRow, content: &[u8]) -> Result<bool, StoreError> {
        let (statement, parameters) = insertion(wakeup, content)?;
        // Two writers of one project must not use the same sequence number.
        let scope = WriteScope::Project(&wakeup.project.0);
        let kept = self.connection.execute_in(scope, &statement, &parameters)?;
        Ok(kept > 0)
    }

    /// Stores a wake-up and marks its messages as read, in one round trip. Returns false if the wake-up's id is taken,
    /// or if another process has marked messages of the mailbox as read or unread. The caller must then roll the
    /// transaction back.
    pub fn keep_wakeup_and_take(
        &mut self,
        wakeup: &WakeupRow,
        content: &[u8],
        project: &ProjectId,
        agent: &AgentAddress,
        mail: MailRange,
    ) -> Result<bool, StoreError> {
        let [project, agent] = mailbox(project, agent);
        let [after, up_to] = [bound(mail.after), bound(mail.up_to)];
        let read = (
            "UPDATE mailbox SET taken = $4 WHERE project_id = $1 AND agent = $2 AND taken = $3 AND delivered >= $4"
                .to_owned(),
            vec![project.clone(), agent.clone(), after.clone(), up_to.clone()],
        );
        let taken = (
            "UPDATE delivery SET taken_at = $5 WHERE project_id = $1 AND agent = $2 AND seq > $3 AND seq <= $4"
                .to_owned(),
            vec![project, agent, after, up_to, wakeup.at.0.into()],
        );
        let changed = self
            .connection
            .execute_all(&[read, taken, insertion(wakeup, content)?])?;
        Ok(changed.first() == Some(&1) && changed.last() == Some(&1))
    }

    /// The wake-ups of a project or of one of its agents, newest first.
    pub fn wakeups(
        &mut self,
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
            &mut self.connection,
            &format!("project_id = $1{of_agent} ORDER BY seq DESC LIMIT $2"),
            &parameters,
        )
    }

    /// An agent's latest wake-up that did not rely on the agent's context.
    pub fn last_full_wakeup(
        &mut self,
        project: &ProjectId,
        agent: &str,
    ) -> Result<Option<WakeupRow>, StoreError> {
        let full = WakeReason::ALL.into_iter().filter(|reason| !reason.remembers());
        let full: Vec<String> = full.map(|reason| format!("'{}'", reason.as_str())).collect();
        let rows = wakeups_where(
            &mut self.connection,
            &format!(
                "project_id = $1 AND agent = $2 AND reason IN ({}) ORDER BY seq DESC LIMIT 1",
                full.join(", ")
            ),
            &[project.0.as_str().into(), agent.into()],
        )?;
        Ok(rows.into_iter().next())
    }

    /// The first few wake-ups whose id has this prefix.
    pub fn wakeups_by_prefix(&mut self, prefix: &str) -> Result<Vec<WakeupRow>, StoreError> {
        // Ids consist of a-z and 0-9, so every id with this prefix sorts before the prefix followed by `~`.
        let parameters = [prefix.into(), format!("{prefix}~").as_str().into()];
        wakeups_where(
            &mut self.connection,
            "id >= $1 AND id < $2 ORDER BY id LIMIT 10",
            &parameters,
        )
    }

    /// The stored text of a wake-up.
    pub fn wakeup_content(&mut self, id: &WakeupId) -> Result<Option<Vec<u8>>, StoreError> {
        let rows = self
            .connection
            .query("SELECT content FROM wakeup WHERE id = $1", &[id.as_str().into()])?;
        rows.first().map(|row| row.bytes("content")).transpose()
    }
}
