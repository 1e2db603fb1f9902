//! Task queries and updates.

use bugle_core::id::TaskId;
use bugle_core::task::{Rank, RecordedTaskEvent, TreePath, WaitSource};

use super::change::change;
use super::new_tasks::ChangeError;
use super::rows::{beside, select, select_range, select_subtree, select_without_waits, source_of};
use super::sql_helpers::{places, prefix_bounds, range, unreadable};
use super::{TaskRow, TaskWait};
use crate::StoreError;
use crate::row::{Row, Value};
use crate::{ProjectId, Store};

/// The SQL that selects pairs of a project's open tasks: a task that matches a condition, and a task for which it
/// waits.
fn open_waits(condition: &str) -> String {
    format!(
        "SELECT task.id, task.path, other.id AS other_id, other.path AS other_path, dependency.says FROM task \
         JOIN dependency ON dependency.task_id = task.id JOIN task AS other ON other.id = dependency.on_id \
         WHERE task.project_id = $1 AND {condition} AND task.is_open = 1 AND other.is_open = 1"
    )
}

impl Store {
    /// The task with this id.
    pub fn task(&mut self, id: &TaskId) -> Result<Option<TaskRow>, StoreError> {
        Ok(select(&mut self.connection, "id = $1", &[id.as_str().into()])?.pop())
    }

    /// The first few tasks whose id has this prefix.
    pub fn tasks_by_prefix(&mut self, prefix: &str) -> Result<Vec<TaskRow>, StoreError> {
        select(
            &mut self.connection,
            "id >= $1 AND id < $2 ORDER BY id LIMIT 10",
            &prefix_bounds(prefix),
        )
    }

    /// A task and its descendants in order, including removed ones.
    pub fn subtree(&mut self, project: &ProjectId, path: &TreePath) -> Result<Vec<TaskRow>, StoreError> {
        select_subtree(&mut self.connection, project, path)
    }

    /// All tasks of a project in order, including removed ones.
    pub fn tasks_of_project(&mut self, project: &ProjectId) -> Result<Vec<TaskRow>, StoreError> {
        select_range(
            &mut self.connection,
            "project_id = $1",
            &[project.0.as_str().into()],
        )
    }

    /// A task's ancestors, nearest first.
    pub fn above(&mut self, row: &TaskRow) -> Result<Vec<TaskRow>, StoreError> {
        let mut parameters = vec![row.project.0.as_str().into()];
        parameters.extend(row.path.above().map(|above| above.as_str().into()));
        if parameters.len() == 1 {
            return Ok(Vec::new());
        }
        let found = select(
            &mut self.connection,
            &format!(
                "project_id = $1 AND path IN ({}) ORDER BY path DESC",
                places(2, &parameters)
            ),
            &parameters,
        )?;
        if found.len() + 1 < parameters.len() {
            return Err(unreadable(format!(
                "an ancestor of task {} does not exist",
                row.task.id
            )));
        }
        Ok(found)
    }

    /// A task's children or a project's root tasks. Includes removed ones if `removed` is set.
    pub fn siblings(
        &mut self,
        project: &ProjectId,
        parent: Option<&TaskId>,
        removed: bool,
    ) -> Result<Vec<TaskRow>, StoreError> {
        let kept = if removed { "" } else { " AND removed IS NULL" };
        match parent {
            Some(parent) => select(
                &mut self.connection,
                &format!("parent_id = $1{kept} ORDER BY rank"),
                &[parent.as_str().into()],
            ),
            None => select(
                &mut self.connection,
                &format!("project_id = $1 AND parent_id IS NULL{kept} ORDER BY path"),
                &[project.0.as_str().into()],
            ),
        }
    }

    /// A task with up to `most` siblings on each side, in order; for a root task, only the task itself.
    pub fn beside(&mut self, row: &TaskRow, most: u32) -> Result<Vec<TaskRow>, StoreError> {
        beside(&mut self.connection, row, most)
    }

    /// The rank of a task's last child or of a project's last root task, including removed ones.
    pub fn last_rank(
        &mut self,
        project: &ProjectId,
        parent: Option<&TaskId>,
    ) -> Result<Option<Rank>, StoreError> {
        let rows = match parent {
            Some(parent) => self.connection.query(
                "SELECT rank FROM task WHERE parent_id = $1 ORDER BY rank DESC LIMIT 1",
                &[parent.as_str().into()],
            )?,
            None => self.connection.query(
                "SELECT rank FROM task WHERE project_id = $1 AND parent_id IS NULL ORDER BY path DESC LIMIT 1",
                &[project.0.as_str().into()],
            )?,
        };
        let Some(row) = rows.first() else { return Ok(None) };
        let rank = row.unsigned("rank")?;
        Ok(Some(Rank::from_stored(rank)))
    }

    /// The nearest closed sibling before a task and the nearest open sibling after it, without their dependencies.
    pub fn neighbours(&mut self, row: &TaskRow) -> Result<(Option<TaskRow>, Option<TaskRow>), StoreError> {
        let rank = Value::Int(i64::try_from(row.task.rank.stored()).unwrap_or(i64::MAX));
        let Some(parent) = &row.task.parent else {
            return Ok((None, None));
        };
        let parameters = [parent.as_str().into(), rank];
        let before = select_without_waits(
            &mut self.connection,
            "parent_id = $1 AND rank < $2 AND removed IS NULL AND is_open = 0 ORDER BY rank DESC LIMIT 1",
            &parameters,
        )?;
        let after = select_without_waits(
            &mut self.connection,
            "parent_id = $1 AND rank > $2 AND is_open = 1 ORDER BY rank LIMIT 1",
            &parameters,
        )?;
        Ok((before.into_iter().next(), after.into_iter().next()))
    }

    /// The first open task without open children, in a project or below a path.
    pub fn position(
        &mut self,
        project: &ProjectId,
        within: Option<&TreePath>,
    ) -> Result<Option<TaskRow>, StoreError> {
        let found = select(
            &mut self.connection,
            "project_id = $1 AND path >= $2 AND path < $3 AND is_open = 1 AND open_children = 0 ORDER BY path LIMIT 1",
            &range(project, within),
        )?;
        Ok(found.into_iter().next())
    }

    /// The tasks that can be started or closed, in order. Only tasks without children if `leaves` is set.
    pub fn ready(
        &mut self,
        project: &ProjectId,
        within: Option<&TreePath>,
        leaves: bool,
        limit: u32,
    ) -> Result<Vec<TaskRow>, StoreError> {
        let leaves = if leaves { " AND children = 0" } else { "" };
        let mut parameters = range(project, within);
        parameters.push(Value::Int(i64::from(limit)));
        select(
            &mut self.connection,
            &format!(
                "project_id = $1 AND path >= $2 AND path < $3 AND is_open = 1 AND open_children = 0 \
                 AND standing = 'pending' AND blockers = 0{leaves} ORDER BY path LIMIT $4"
            ),
            &parameters,
        )
    }

    /// The active tasks, in order.
    pub fn active(
        &mut self,
        project: &ProjectId,
        within: Option<&TreePath>,
        limit: u32,
    ) -> Result<Vec<TaskRow>, StoreError> {
        let mut parameters = range(project, within);
        parameters.push(Value::Int(i64::from(limit)));
        select(
            &mut self.connection,
            "project_id = $1 AND path >= $2 AND path < $3 AND is_open = 1 AND standing = 'active' ORDER BY path LIMIT $4",
            &parameters,
        )
    }

    /// A project's removed tasks, in order.
    pub fn removed(&mut self, project: &ProjectId, limit: u32) -> Result<Vec<TaskRow>, StoreError> {
        select(
            &mut self.connection,
            "project_id = $1 AND removed IS NOT NULL ORDER BY path LIMIT $2",
            &[project.0.as_str().into(), Value::Int(i64::from(limit))],
        )
    }

    /// The first tasks in a project or below a path, in order, without removed ones. Includes closed trees if `all`
    /// is set.
    pub fn window(
        &mut self,
        project: &ProjectId,
        within: Option<&TreePath>,
        all: bool,
        limit: u32,
    ) -> Result<Vec<TaskRow>, StoreError> {
        let open = if all {
            ""
        } else {
            " AND root_id IN (SELECT id FROM task WHERE project_id = $1 AND parent_id IS NULL AND is_open = 1)"
        };
        let mut parameters = range(project, within);
        parameters.push(Value::Int(i64::from(limit)));
        select(
            &mut self.connection,
            &format!(
                "project_id = $1 AND path >= $2 AND path < $3 AND removed IS NULL{open} ORDER BY path LIMIT $4"
            ),
            &parameters,
        )
    }

    /// The first descendants of a task, in order, without removed ones.
    pub fn inside(&mut self, row: &TaskRow, limit: u32) -> Result<Vec<TaskRow>, StoreError> {
        let mut parameters = range(&row.project, Some(&row.path));
        parameters.push(Value::Int(i64::from(limit)));
        select(
            &mut self.connection,
            "project_id = $1 AND path > $2 AND path < $3 AND removed IS NULL ORDER BY path LIMIT $4",
            &parameters,
        )
    }

    /// Whether a task below a path has been started or closed.
    pub fn is_begun_inside(&mut self, project: &ProjectId, path: &TreePath) -> Result<bool, StoreError> {
        let begun = "SELECT 1 FROM task WHERE project_id = $1 AND path > $2 AND path < $3 AND removed IS NULL \
             AND standing <> 'pending' LIMIT 1";
        Ok(!self
            .connection
            .query(begun, &range(project, Some(path)))?
            .is_empty())
    }

    /// Whether a project has an open task outside a path.
    pub fn is_open_outside(&mut self, project: &ProjectId, path: &TreePath) -> Result<bool, StoreError> {
        // Two queries, each one index lookup.
        let outside = [
            ("path < $2", path.as_str().to_owned()),
            ("path >= $2", path.end()),
        ];
        for (outside, bound) in outside {
            let rows = self.connection.query(
                &format!(
                    "SELECT 1 FROM task WHERE project_id = $1 AND {outside} AND is_open = 1 AND open_children = 0 LIMIT 1"
                ),
                &[project.0.as_str().into(), bound.as_str().into()],
            )?;
            if !rows.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The open tasks that a task or one of its ancestors is waiting for, and the source of each dependency.
    pub fn waits_for(
        &mut self,
        row: &TaskRow,
        above: &[TaskRow],
    ) -> Result<Vec<(TaskRow, WaitSource)>, StoreError> {
        if row.blockers == 0 {
            return Ok(Vec::new());
        }
        let mut found: Vec<(TaskRow, WaitSource)> = Vec::new();
        for task in std::iter::once(row).chain(above) {
            for (on, source) in &task.task.waits_for {
                if found.iter().any(|(known, _)| known.task.id == *on) {
                    continue;
                }
                if let Some(on) = self.task(on)?.filter(|on| on.task.is_open()) {
                    found.push((on, *source));
                }
            }
        }
        Ok(found)
    }

    /// The tasks with a declared dependency on a task.
    pub fn waiting_for(&mut self, id: &TaskId) -> Result<Vec<TaskRow>, StoreError> {
        select(
            &mut self.connection,
            "id IN (SELECT task_id FROM dependency WHERE on_id = $1 AND says <> 'order') AND removed IS NULL ORDER BY path",
            &[id.as_str().into()],
        )
    }

    /// The dependencies between open tasks that prevent a task from being closed: its own, its descendants' and its
    /// ancestors'.
    pub fn waits_before_closing(
        &mut self,
        project: &ProjectId,
        path: &TreePath,
    ) -> Result<Vec<TaskWait>, StoreError> {
        let mut parameters = range(project, Some(path));
        let mut rows = self
            .connection
            .query(&open_waits("task.path >= $2 AND task.path < $3"), &parameters)?;
        parameters.truncate(1);
        parameters.extend(path.above().map(|above| above.as_str().into()));
        if parameters.len() > 1 {
            let ancestors = open_waits(&format!("task.path IN ({})", places(2, &parameters)));
            rows.extend(self.connection.query(&ancestors, &parameters)?);
        }
        let node = |row: &Row, id: &str, path: &str| -> Result<(TaskId, TreePath), StoreError> {
            let id = TaskId::parse(&row.text(id)?).map_err(unreadable)?;
            Ok((id, TreePath::from_stored(row.text(path)?)))
        };
        rows.iter()
            .map(|row| {
                Ok(TaskWait {
                    task: node(row, "id", "path")?,
                    on: node(row, "other_id", "other_path")?,
                    says: source_of(&row.text("says")?)?,
                })
            })
            .collect()
    }

    /// Appends events to tasks and updates all dependent rows. Returns false and writes nothing if a new id is taken.
    pub fn change_tasks(
        &mut self,
        project: &ProjectId,
        changes: &[(TaskId, RecordedTaskEvent)],
    ) -> Result<bool, StoreError> {
        match self.project_transaction(project, |tx| change(&mut tx.connection, project, changes)) {
            Ok(()) => Ok(true),
            Err(ChangeError::IdTaken) => Ok(false),
            Err(ChangeError::Error(error)) => Err(error),
        }
    }
}
