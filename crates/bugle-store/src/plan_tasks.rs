//! Plans queries about tasks.

use bugle_core::id::{ContentHash, PlanId, SessionId, TaskId};
use bugle_core::task::{Rank, TreePath};

use crate::plan::Plan;
use crate::read_ahead::Keys;
use crate::row::Value;
use crate::{ProjectId, StoreError, TaskRow};

/// Selects the tasks that are related to a task. These are the task and its ancestors, at the paths in `{paths}`, and
/// the latest closed siblings before each of them. The task's dependencies follow.
const RELATED: &str = "SELECT near.id FROM task JOIN LATERAL (SELECT task.id UNION ALL \
    (SELECT before.id FROM task AS before WHERE before.parent_id = task.parent_id AND before.rank < task.rank \
    AND before.removed IS NULL AND before.is_open = 0 ORDER BY before.rank DESC LIMIT $3)) AS near ON TRUE \
    WHERE task.project_id = $1 AND task.path IN ({paths}) \
    UNION ALL SELECT on_id FROM dependency WHERE task_id = $2 AND says <> 'order'";

impl Plan<'_> {
    /// Plans the queries that `plan` calls with the project at a location and a root task in focus, for each root task
    /// that the session or the whole machine focuses on.
    pub fn each_focus(
        &mut self,
        place: &str,
        session: Option<&SessionId>,
        plan: impl FnOnce(&mut Plan<'_>, &ProjectId, &TreePath) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let project = ProjectId("p-stand-in".to_owned());
        let path = TreePath::from_stored("stand-in path".to_owned());
        let select = "SELECT task.project_id, task.path, task.path || 'g' FROM project_place \
                      JOIN focus ON focus.project_id = project_place.project_id AND focus.machine = $1 \
                      AND focus.session IN ($3, '') JOIN task ON task.id = focus.root_id \
                      WHERE project_place.machine = $1 AND project_place.place = $2";
        let session = session.map_or("", |session| session.0.as_str());
        let keys = Keys {
            query: (
                select.to_owned(),
                vec![self.machine.as_str().into(), place.into(), session.into()],
            ),
            stand_ins: vec![
                project.0.as_str().into(),
                path.as_str().into(),
                path.end().as_str().into(),
            ],
        };
        self.each(keys, |ahead| plan(ahead, &project, &path))
    }

    /// Plans the queries about siblings that `plan` calls for each ancestor of a task.
    pub fn each_ancestor(
        &mut self,
        row: &TaskRow,
        plan: impl FnOnce(&mut Plan<'_>, &TaskRow) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut parameters = vec![row.project.0.as_str().into()];
        parameters.extend(row.path.above().map(|above| above.as_str().into()));
        let places: Vec<String> = (2..=parameters.len()).map(|place| format!("${place}")).collect();
        if places.is_empty() {
            return Ok(());
        }
        let mut ancestor = row.clone();
        let parent = TaskId::parse("t-standin").map_err(|bad| StoreError::Unreadable(bad.to_string()))?;
        let rank = i64::MAX - 1;
        ancestor.task.rank = Rank::from_stored(rank.cast_unsigned());
        ancestor.task.parent = Some(parent.clone());
        let keys = Keys {
            query: (
                format!(
                    "SELECT parent_id, rank FROM task WHERE project_id = $1 AND parent_id IS NOT NULL AND path IN ({})",
                    places.join(", ")
                ),
                parameters,
            ),
            stand_ins: vec![parent.as_str().into(), Value::Int(rank)],
        };
        self.each(keys, |ahead| plan(ahead, &ancestor))
    }

    /// Plans the queries that `plan` calls for each skill version that a tree is pinned to.
    pub fn each_skill_pin(
        &mut self,
        root: &TaskId,
        plan: impl FnOnce(&mut Plan<'_>, &ContentHash) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let hash = ContentHash::from_stored("stand-in hash".to_owned());
        let keys = Keys {
            query: (
                "SELECT hash FROM skill_pin WHERE root_id = $1".to_owned(),
                vec![root.as_str().into()],
            ),
            stand_ins: vec![hash.as_str().into()],
        };
        self.each(keys, |ahead| plan(ahead, &hash))
    }

    /// Plans the queries that `plan` calls for each task whose events a wake-up shows. These are the current task, its
    /// ancestors and its dependencies, and up to `siblings` closed siblings before the task and before each ancestor.
    pub fn each_related_task(
        &mut self,
        row: &TaskRow,
        siblings: u32,
        plan: impl FnOnce(&mut Plan<'_>, &TaskId) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut parameters = vec![
            row.project.0.as_str().into(),
            row.task.id.as_str().into(),
            Value::Int(i64::from(siblings)),
        ];
        let paths = std::iter::once(row.path.as_str().to_owned())
            .chain(row.path.above().map(|above| above.as_str().to_owned()));
        parameters.extend(paths.map(|path| path.as_str().into()));
        let places: Vec<String> = (4..=parameters.len()).map(|place| format!("${place}")).collect();
        let task = TaskId::parse("t-standin").map_err(|bad| StoreError::Unreadable(bad.to_string()))?;
        let keys = Keys {
            query: (RELATED.replace("{paths}", &places.join(", ")), parameters),
            stand_ins: vec![task.as_str().into()],
        };
        self.each(keys, |ahead| plan(ahead, &task))
    }

    /// Plans the queries that `plan` calls for the source of a plan.
    pub fn each_plan_source(
        &mut self,
        id: &PlanId,
        plan: impl FnOnce(&mut Plan<'_>, &ContentHash) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let source = ContentHash::from_stored("stand-in source".to_owned());
        let keys = Keys {
            query: (
                "SELECT source FROM plan WHERE id = $1".to_owned(),
                vec![id.as_str().into()],
            ),
            stand_ins: vec![source.as_str().into()],
        };
        self.each(keys, |ahead| plan(ahead, &source))
    }
}
