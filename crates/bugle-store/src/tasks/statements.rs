//! The store of tasks and plans, in its one text of SQL.

use std::collections::BTreeMap;

use bugle_core::id::{ContentHash, PlanId, SessionId, TaskId, Timestamp};
use bugle_core::name::SkillAddress;
use bugle_core::task::{Rank, RecordedTaskEvent, TreePath, WaitSource};

use super::change::{Stopped, change};
use super::pieces::{PLAN_COLUMNS, beginning, plan_row, range, unreadable};
use super::rows::{beside, select, select_range, select_subtree, source_of};
use super::{PlanRow, SkillPin, TaskRow, TaskStore, TaskWait};
use crate::sql::{Row, Sql, Value};
use crate::store::{ProjectId, SqlStore};
use crate::{Durability, StoreError};

impl<S: Sql> TaskStore for SqlStore<S> {
    fn together<T, E: From<StoreError>>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        self.sql.begin()?;
        let done = work(self).and_then(|value| {
            self.sql.commit()?;
            Ok(value)
        });
        if done.is_err() {
            self.sql.rollback();
        }
        done
    }

    fn together_lightly<T, E: From<StoreError>>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let usual = self.sql.set_durability(Durability::Normal)?;
        let done = self.together(work);
        let restored = self.sql.set_durability(usual);
        let value = done?;
        restored?;
        Ok(value)
    }

    fn hold_still(&mut self) -> Result<(), StoreError> {
        self.sql.hold_still()
    }

    fn let_go(&mut self) -> Result<(), StoreError> {
        self.sql.let_go()
    }

    fn task(&mut self, id: &TaskId) -> Result<Option<TaskRow>, StoreError> {
        Ok(select(&mut self.sql, "id = $1", &[id.as_str().into()])?.pop())
    }

    fn tasks_by_prefix(&mut self, prefix: &str) -> Result<Vec<TaskRow>, StoreError> {
        select(
            &mut self.sql,
            "id >= $1 AND id < $2 ORDER BY id LIMIT 10",
            &beginning(prefix),
        )
    }

    fn subtree(&mut self, project: &ProjectId, path: &TreePath) -> Result<Vec<TaskRow>, StoreError> {
        select_subtree(&mut self.sql, project, path)
    }

    fn tasks_of_project(&mut self, project: &ProjectId) -> Result<Vec<TaskRow>, StoreError> {
        select_range(&mut self.sql, "project_id = $1", &[project.0.as_str().into()])
    }

    fn above(&mut self, row: &TaskRow) -> Result<Vec<TaskRow>, StoreError> {
        let mut above = Vec::new();
        let mut parent = row.task.parent.clone();
        while let Some(id) = parent.take() {
            let Some(found) = self.task(&id)? else {
                return Err(unreadable(format!("task {id} is not there")));
            };
            parent.clone_from(&found.task.parent);
            above.push(found);
        }
        Ok(above)
    }

    fn siblings(
        &mut self,
        project: &ProjectId,
        parent: Option<&TaskId>,
        removed: bool,
    ) -> Result<Vec<TaskRow>, StoreError> {
        let kept = if removed { "" } else { " AND removed IS NULL" };
        match parent {
            Some(parent) => select(
                &mut self.sql,
                &format!("parent_id = $1{kept} ORDER BY rank"),
                &[parent.as_str().into()],
            ),
            None => select(
                &mut self.sql,
                &format!("project_id = $1 AND parent_id IS NULL{kept} ORDER BY path"),
                &[project.0.as_str().into()],
            ),
        }
    }

    fn beside(&mut self, row: &TaskRow, most: u32) -> Result<Vec<TaskRow>, StoreError> {
        beside(&mut self.sql, row, most)
    }

    fn last_rank(
        &mut self,
        project: &ProjectId,
        parent: Option<&TaskId>,
    ) -> Result<Option<Rank>, StoreError> {
        let rows = match parent {
            Some(parent) => self.sql.query(
                "SELECT rank FROM task WHERE parent_id = $1 ORDER BY rank DESC LIMIT 1",
                &[parent.as_str().into()],
            )?,
            None => self.sql.query(
                "SELECT rank FROM task WHERE project_id = $1 AND parent_id IS NULL ORDER BY path DESC LIMIT 1",
                &[project.0.as_str().into()],
            )?,
        };
        let Some(row) = rows.first() else { return Ok(None) };
        let rank = u64::try_from(row.int(0)?).map_err(|_| unreadable("a task has a bad rank"))?;
        Ok(Some(Rank::from_stored(rank)))
    }

    fn neighbours(&mut self, row: &TaskRow) -> Result<(Option<TaskRow>, Option<TaskRow>), StoreError> {
        let rank = Value::Int(i64::try_from(row.task.rank.stored()).unwrap_or(i64::MAX));
        let Some(parent) = &row.task.parent else {
            return Ok((None, None));
        };
        let parameters = [parent.as_str().into(), rank];
        let before = select(
            &mut self.sql,
            "parent_id = $1 AND rank < $2 AND removed IS NULL AND is_open = 0 ORDER BY rank DESC LIMIT 1",
            &parameters,
        )?;
        let after = select(
            &mut self.sql,
            "parent_id = $1 AND rank > $2 AND is_open = 1 ORDER BY rank LIMIT 1",
            &parameters,
        )?;
        Ok((before.into_iter().next(), after.into_iter().next()))
    }

    fn position(
        &mut self,
        project: &ProjectId,
        within: Option<&TreePath>,
    ) -> Result<Option<TaskRow>, StoreError> {
        let found = select(
            &mut self.sql,
            "project_id = $1 AND path >= $2 AND path < $3 AND is_open = 1 AND open_children = 0 ORDER BY path LIMIT 1",
            &range(project, within),
        )?;
        Ok(found.into_iter().next())
    }

    fn ready(
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
            &mut self.sql,
            &format!(
                "project_id = $1 AND path >= $2 AND path < $3 AND is_open = 1 AND open_children = 0 \
                 AND standing = 'pending' AND blockers = 0{leaves} ORDER BY path LIMIT $4"
            ),
            &parameters,
        )
    }

    fn active(
        &mut self,
        project: &ProjectId,
        within: Option<&TreePath>,
        limit: u32,
    ) -> Result<Vec<TaskRow>, StoreError> {
        let mut parameters = range(project, within);
        parameters.push(Value::Int(i64::from(limit)));
        select(
            &mut self.sql,
            "project_id = $1 AND path >= $2 AND path < $3 AND is_open = 1 AND standing = 'active' ORDER BY path LIMIT $4",
            &parameters,
        )
    }

    fn removed(&mut self, project: &ProjectId, limit: u32) -> Result<Vec<TaskRow>, StoreError> {
        select(
            &mut self.sql,
            "project_id = $1 AND removed IS NOT NULL ORDER BY path LIMIT $2",
            &[project.0.as_str().into(), Value::Int(i64::from(limit))],
        )
    }

    fn window(
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
            &mut self.sql,
            &format!(
                "project_id = $1 AND path >= $2 AND path < $3 AND removed IS NULL{open} ORDER BY path LIMIT $4"
            ),
            &parameters,
        )
    }

    fn is_begun_inside(&mut self, project: &ProjectId, path: &TreePath) -> Result<bool, StoreError> {
        let begun = "SELECT 1 FROM task WHERE project_id = $1 AND path > $2 AND path < $3 AND removed IS NULL \
             AND standing <> 'pending' LIMIT 1";
        Ok(!self.sql.query(begun, &range(project, Some(path)))?.is_empty())
    }

    fn is_open_outside(&mut self, project: &ProjectId, path: &TreePath) -> Result<bool, StoreError> {
        // Two questions, so that each is one look into an index.
        let outside = [
            ("path < $2", path.as_str().to_owned()),
            ("path >= $2", path.end()),
        ];
        for (outside, bound) in outside {
            let rows = self.sql.query(
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

    fn waits_for(&mut self, row: &TaskRow) -> Result<Vec<(TaskRow, WaitSource)>, StoreError> {
        if row.blockers == 0 {
            return Ok(Vec::new());
        }
        let mut found: Vec<(TaskRow, WaitSource)> = Vec::new();
        let above = self.above(row)?;
        for task in std::iter::once(row).chain(&above) {
            for (on, says) in &task.task.waits_for {
                if let Some(on) = self.task(on)?
                    && on.task.is_open()
                    && !found.iter().any(|(known, _)| *known == on)
                {
                    found.push((on, *says));
                }
            }
        }
        Ok(found)
    }

    fn waiting_for(&mut self, id: &TaskId) -> Result<Vec<TaskRow>, StoreError> {
        select(
            &mut self.sql,
            "id IN (SELECT task_id FROM dependency WHERE on_id = $1 AND says <> 'order') AND removed IS NULL ORDER BY path",
            &[id.as_str().into()],
        )
    }

    fn waiting(&mut self, project: &ProjectId) -> Result<Vec<TaskWait>, StoreError> {
        let rows = self.sql.query(
            "SELECT task.id, task.path, other.id, other.path, dependency.says FROM dependency \
             JOIN task ON task.id = dependency.task_id JOIN task AS other ON other.id = dependency.on_id \
             WHERE task.project_id = $1 AND task.is_open = 1 AND other.is_open = 1",
            &[project.0.as_str().into()],
        )?;
        let place = |row: &Row, column: usize| -> Result<(TaskId, TreePath), StoreError> {
            let id = TaskId::parse(&row.text(column)?).map_err(unreadable)?;
            Ok((id, TreePath::from_stored(row.text(column + 1)?)))
        };
        rows.iter()
            .map(|row| {
                Ok(TaskWait {
                    task: place(row, 0)?,
                    on: place(row, 2)?,
                    says: source_of(&row.text(4)?)?,
                })
            })
            .collect()
    }

    fn task_events(&mut self, id: &TaskId) -> Result<Vec<RecordedTaskEvent>, StoreError> {
        let mut events = self.events_of_tasks(std::slice::from_ref(id))?;
        Ok(events.remove(id).unwrap_or_default())
    }

    fn events_of_tasks(
        &mut self,
        ids: &[TaskId],
    ) -> Result<BTreeMap<TaskId, Vec<RecordedTaskEvent>>, StoreError> {
        let mut events: BTreeMap<TaskId, Vec<RecordedTaskEvent>> = BTreeMap::new();
        if ids.is_empty() {
            return Ok(events);
        }
        let places: Vec<String> = (1..=ids.len()).map(|place| format!("${place}")).collect();
        let rows = self.sql.query(
            &format!(
                "SELECT happened_at, actor, body, task_id FROM task_event WHERE task_id IN ({}) ORDER BY task_id, seq",
                places.join(", ")
            ),
            &ids.iter().map(|id| id.as_str().into()).collect::<Vec<Value>>(),
        )?;
        for row in &rows {
            let id = TaskId::parse(&row.text(3)?).map_err(unreadable)?;
            let bad = |error: serde_json::Error| unreadable(format!("an event of task {id}: {error}"));
            let event = RecordedTaskEvent {
                at: Timestamp(row.int(0)?),
                by: serde_json::from_str(&row.text(1)?).map_err(bad)?,
                event: serde_json::from_str(&row.text(2)?).map_err(bad)?,
            };
            events.entry(id).or_default().push(event);
        }
        Ok(events)
    }

    fn change_tasks(
        &mut self,
        project: &ProjectId,
        changes: &[(TaskId, RecordedTaskEvent)],
    ) -> Result<bool, StoreError> {
        match self.together(|store| change(&mut store.sql, project, changes)) {
            Ok(()) => Ok(true),
            Err(Stopped::IdTaken) => Ok(false),
            Err(Stopped::Error(error)) => Err(error),
        }
    }

    fn plans_by_prefix(&mut self, prefix: &str) -> Result<Vec<PlanRow>, StoreError> {
        let rows = self.sql.query(
            &format!("SELECT {PLAN_COLUMNS} FROM plan WHERE id >= $1 AND id < $2 ORDER BY id LIMIT 10"),
            &beginning(prefix),
        )?;
        rows.iter().map(plan_row).collect()
    }

    fn plan_of_file(&mut self, project: &ProjectId, file: &str) -> Result<Option<PlanRow>, StoreError> {
        let rows = self.sql.query(
            &format!("SELECT {PLAN_COLUMNS} FROM plan WHERE project_id = $1 AND file = $2"),
            &[project.0.as_str().into(), file.into()],
        )?;
        rows.first().map(plan_row).transpose()
    }

    fn plans(&mut self, project: &ProjectId) -> Result<Vec<PlanRow>, StoreError> {
        let columns: Vec<String> = PLAN_COLUMNS
            .split(", ")
            .map(|column| format!("plan.{column}"))
            .collect();
        let rows = self.sql.query(
            &format!(
                "SELECT {} FROM plan JOIN task ON task.id = plan.root_id WHERE plan.project_id = $1 ORDER BY task.path",
                columns.join(", ")
            ),
            &[project.0.as_str().into()],
        )?;
        rows.iter().map(plan_row).collect()
    }

    fn keep_plan(&mut self, plan: &PlanRow) -> Result<(), StoreError> {
        self.sql.execute(
            &format!(
                "INSERT INTO plan ({PLAN_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) \
                 ON CONFLICT (id) DO UPDATE SET file = $3, title = $4, source = $5, branch = $6, imported_at = $8"
            ),
            &[
                plan.id.as_str().into(),
                plan.project.0.as_str().into(),
                plan.file.as_str().into(),
                plan.title.as_str().into(),
                plan.source.as_str().into(),
                plan.branch.as_deref().into(),
                plan.root.as_str().into(),
                plan.imported_at.0.into(),
            ],
        )?;
        Ok(())
    }

    fn tasks_of_plan(&mut self, plan: &PlanId) -> Result<Vec<TaskRow>, StoreError> {
        select(
            &mut self.sql,
            "plan_id = $1 ORDER BY path",
            &[plan.as_str().into()],
        )
    }

    fn plan_counts(&mut self, plan: &PlanId, most: u32) -> Result<(u32, u32), StoreError> {
        let rows = self.sql.query(
            "SELECT COUNT(*), COALESCE(SUM(1 - is_open), 0) FROM (SELECT is_open FROM task \
             WHERE plan_id = $1 AND substance = 'work' AND removed IS NULL LIMIT $2) AS counted",
            &[plan.as_str().into(), i64::from(most).into()],
        )?;
        rows.first()
            .map_or(Ok((0, 0)), |row| Ok((row.count(0)?, row.count(1)?)))
    }

    fn projects_with_tasks(&mut self) -> Result<Vec<ProjectId>, StoreError> {
        let rows = self.sql.query(
            "SELECT id FROM project WHERE EXISTS (SELECT 1 FROM task WHERE project_id = project.id) ORDER BY id",
            &[],
        )?;
        rows.iter().map(|row| row.text(0).map(ProjectId)).collect()
    }

    fn focus(
        &mut self,
        project: &ProjectId,
        session: Option<&SessionId>,
    ) -> Result<Option<TaskRow>, StoreError> {
        let session = session.map_or("", |session| session.0.as_str());
        let found = select(
            &mut self.sql,
            "id IN (SELECT root_id FROM focus WHERE project_id = $1 AND session = $2)",
            &[project.0.as_str().into(), session.into()],
        )?;
        Ok(found.into_iter().next())
    }

    fn set_focus(
        &mut self,
        project: &ProjectId,
        session: Option<&SessionId>,
        root: &TaskId,
    ) -> Result<(), StoreError> {
        let own = session.map(|session| session.0.as_str());
        for session in std::iter::once("").chain(own) {
            self.sql.execute(
                "INSERT INTO focus (project_id, session, root_id) VALUES ($1, $2, $3) \
                 ON CONFLICT (project_id, session) DO UPDATE SET root_id = $3",
                &[project.0.as_str().into(), session.into(), root.as_str().into()],
            )?;
        }
        Ok(())
    }

    fn skill_pins(&mut self, root: &TaskId) -> Result<Vec<SkillPin>, StoreError> {
        let rows = self.sql.query(
            "SELECT skill, hash, version, source, pinned_at FROM skill_pin WHERE root_id = $1 ORDER BY skill",
            &[root.as_str().into()],
        )?;
        rows.iter()
            .map(|row| {
                Ok(SkillPin {
                    skill: SkillAddress::new(row.text(0)?).map_err(unreadable)?,
                    hash: ContentHash::from_stored(row.text(1)?),
                    version: row.optional_text(2)?,
                    source: row.text(3)?,
                    pinned_at: Timestamp(row.int(4)?),
                })
            })
            .collect()
    }

    fn pin_skill(&mut self, root: &TaskId, pin: &SkillPin, replace: bool) -> Result<(), StoreError> {
        let or_else = if replace {
            "DO UPDATE SET hash = $3, version = $4, source = $5, pinned_at = $6"
        } else {
            "DO NOTHING"
        };
        self.sql.execute(
            &format!(
                "INSERT INTO skill_pin (root_id, skill, hash, version, source, pinned_at) \
                 VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (root_id, skill) {or_else}"
            ),
            &[
                root.as_str().into(),
                pin.skill.as_str().into(),
                pin.hash.as_str().into(),
                pin.version.as_deref().into(),
                pin.source.as_str().into(),
                pin.pinned_at.0.into(),
            ],
        )?;
        Ok(())
    }
}
