//! Queries for dashboard pages. Each uses an index, so its cost does not grow with the store.

use std::collections::BTreeMap;

use bugle_core::engine::{Event, RunStatus};
use bugle_core::id::{RunId, Timestamp, WakeupId};
use bugle_core::message::AgentAddress;
use bugle_core::task::TreePath;

use crate::StoreError;
use crate::messages::{MessageRow, WakeupRow, rows_where, wakeups_where};
use crate::multi_row::MAX_PARAMETERS;
use crate::row::Value;
use crate::run_rows::{RUN_COLUMNS, run_row};
use crate::tasks::{TaskRow, select_tasks, tasks_between};
use crate::{ProjectId, RunRow, Store};

/// Maximum number of listed channels per project.
const MAX_CHANNELS: usize = 200;
/// Maximum number of open questions shown.
const MAX_QUESTIONS: u32 = 50;

/// A page of runs, most recently changed first, without sub-agent runs.
#[derive(Debug, Clone, Copy)]
pub struct RunPage<'a> {
    /// Only this project; all projects if `None`.
    pub project: Option<&'a ProjectId>,
    /// Only runs with one of these statuses; all if empty.
    pub status: &'a [RunStatus],
    /// Only runs that follow this run in the order.
    pub behind: Option<(Timestamp, &'a RunId)>,
    /// Maximum number of runs.
    pub limit: u32,
}

/// A branch with messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelRow {
    /// The branch.
    pub branch: String,
    /// The time of the last message.
    pub last_at: Timestamp,
}

impl Store {
    /// A page of runs.
    pub fn runs_page(&mut self, page: &RunPage<'_>) -> Result<Vec<RunRow>, StoreError> {
        let mut parameters = Vec::new();
        let mut parameter = |value: Value| {
            parameters.push(value);
            parameters.len()
        };
        let mut conditions = vec!["parent IS NULL".to_owned()];
        if let Some(project) = page.project {
            conditions.push(format!("project_id = ${}", parameter(project.0.as_str().into())));
        }
        if !page.status.is_empty() {
            // The statuses are literals: SQLite uses the partial index of open runs only if the statement contains
            // the index's condition.
            let words: Vec<String> = page
                .status
                .iter()
                .map(|status| format!("'{}'", status.as_str()))
                .collect();
            conditions.push(format!("status IN ({})", words.join(", ")));
        }
        if let Some((at, id)) = page.behind {
            let (at, id) = (parameter(at.0.into()), parameter(id.as_str().into()));
            conditions.push(format!(
                "changed_at <= ${at} AND (changed_at < ${at} OR id > ${id})"
            ));
        }
        let limit = parameter(Value::Int(i64::from(page.limit)));
        let statement = format!(
            "SELECT {RUN_COLUMNS} FROM run WHERE {} ORDER BY changed_at DESC, id LIMIT ${limit}",
            conditions.join(" AND ")
        );
        let rows = self.connection.query(&statement, &parameters)?;
        rows.iter().map(run_row).collect()
    }

    /// The runs of a run's sub-agents, in dispatch order.
    pub fn all_children(&mut self, parent: &RunId, limit: u32) -> Result<Vec<RunRow>, StoreError> {
        let statement = format!(
            "SELECT {RUN_COLUMNS} FROM run WHERE parent = $1 ORDER BY parent_visit, slot, attempt LIMIT $2"
        );
        let parameters = [parent.as_str().into(), Value::Int(i64::from(limit))];
        let rows = self.connection.query(&statement, &parameters)?;
        rows.iter().map(run_row).collect()
    }

    /// The first events of these runs, by run id.
    pub fn first_events(&mut self, runs: &[RunId]) -> Result<BTreeMap<String, Event>, StoreError> {
        let mut found = BTreeMap::new();
        for runs in runs.chunks(MAX_PARAMETERS) {
            let parameters: Vec<Value> = runs.iter().map(|run| run.as_str().into()).collect();
            let places: Vec<String> = (1..=runs.len()).map(|place| format!("${place}")).collect();
            let statement = format!(
                "SELECT run_id, body FROM event WHERE seq = 1 AND run_id IN ({})",
                places.join(", ")
            );
            for row in self.connection.query(&statement, &parameters)? {
                let run = row.text("run_id")?;
                let event = serde_json::from_str(&row.text("body")?)
                    .map_err(|error| StoreError::Unreadable(format!("the first event of {run}: {error}")))?;
                found.insert(run, event);
            }
        }
        Ok(found)
    }

    /// A page of the tasks in a project or below a path, in tree order and without removed tasks.
    pub fn tasks_page(
        &mut self,
        project: &ProjectId,
        within: Option<&TreePath>,
        behind: Option<&TreePath>,
        limit: u32,
    ) -> Result<Vec<TaskRow>, StoreError> {
        let mut parameters = tasks_between(project, within);
        parameters.push(Value::Int(i64::from(limit)));
        let first = match behind {
            Some(behind) => {
                parameters.insert(1, behind.as_str().into());
                parameters.remove(2);
                "path > $2"
            }
            None => "path >= $2",
        };
        select_tasks(
            &mut self.connection,
            &format!("project_id = $1 AND {first} AND path < $3 AND removed IS NULL ORDER BY path LIMIT $4"),
            &parameters,
        )
    }

    /// The branches of a project that have messages.
    pub fn channels(&mut self, project: &ProjectId) -> Result<Vec<ChannelRow>, StoreError> {
        // One index lookup per channel; grouping would read all messages.
        let mut found: Vec<ChannelRow> = Vec::new();
        while found.len() < MAX_CHANNELS {
            let last = found.last().map_or("", |row| row.branch.as_str());
            let rows = self.connection.query(
                "SELECT branch FROM message WHERE project_id = $1 AND branch > $2 ORDER BY branch LIMIT 1",
                &[project.0.as_str().into(), last.into()],
            )?;
            let Some(row) = rows.first() else { break };
            let branch = row.text("branch")?;
            let rows = self.connection.query(
                "SELECT said_at FROM message WHERE project_id = $1 AND branch = $2 ORDER BY seq DESC LIMIT 1",
                &[project.0.as_str().into(), branch.as_str().into()],
            )?;
            let last_at = Timestamp(rows.first().map_or(Ok(0), |row| row.int("said_at"))?);
            found.push(ChannelRow { branch, last_at });
        }
        Ok(found)
    }

    /// The last messages of a channel before a sequence number, oldest first.
    pub fn channel_page(
        &mut self,
        project: &ProjectId,
        branch: &str,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<MessageRow>, StoreError> {
        let before = before.and_then(|seq| i64::try_from(seq).ok()).unwrap_or(i64::MAX);
        let mut rows = rows_where(
            &mut self.connection,
            "WHERE message.project_id = $1 AND message.branch = $2 AND message.seq < $3 \
             ORDER BY message.seq DESC LIMIT $4",
            &[
                project.0.as_str().into(),
                branch.into(),
                Value::Int(before),
                Value::Int(i64::from(limit)),
            ],
        )?;
        rows.reverse();
        Ok(rows)
    }

    /// The open questions to users, each with the receiver's project.
    pub fn questions_for_people(&mut self) -> Result<Vec<(ProjectId, MessageRow)>, StoreError> {
        let asked = self.connection.query(
            "SELECT project_id, agent, message_id FROM delivery WHERE asks = 1",
            &[],
        )?;
        let mut found = Vec::new();
        for row in asked {
            let agent = row.text("agent")?.parse::<AgentAddress>();
            if found.len() < MAX_QUESTIONS as usize && agent.is_ok_and(|agent| agent.is_human()) {
                let id = row.text("message_id")?;
                let rows = rows_where(
                    &mut self.connection,
                    "WHERE message.id = $1",
                    &[id.as_str().into()],
                )?;
                found.extend(rows.into_iter().map(|message| (row.text("project_id"), message)));
            }
        }
        found
            .into_iter()
            .map(|(project, message)| Ok((ProjectId(project?), message)))
            .collect()
    }

    /// A page of a project's wake-ups, newest first.
    pub fn wakeups_page(
        &mut self,
        project: &ProjectId,
        before: Option<&WakeupId>,
        limit: u32,
    ) -> Result<Vec<WakeupRow>, StoreError> {
        let mut parameters = vec![project.0.as_str().into(), Value::Int(i64::from(limit))];
        let behind = before.map_or("", |id| {
            parameters.push(id.as_str().into());
            " AND seq < (SELECT seq FROM wakeup WHERE id = $3)"
        });
        wakeups_where(
            &mut self.connection,
            &format!("project_id = $1{behind} ORDER BY seq DESC LIMIT $2"),
            &parameters,
        )
    }

    /// The previous wake-up of the same agent.
    pub fn wakeup_before(&mut self, wakeup: &WakeupRow) -> Result<Option<WakeupRow>, StoreError> {
        let rows = wakeups_where(
            &mut self.connection,
            "project_id = $1 AND agent = $2 AND seq < (SELECT seq FROM wakeup WHERE id = $3) \
             ORDER BY seq DESC LIMIT 1",
            &[
                wakeup.project.0.as_str().into(),
                wakeup.agent.as_str().into(),
                wakeup.id.as_str().into(),
            ],
        )?;
        Ok(rows.into_iter().next())
    }
}
