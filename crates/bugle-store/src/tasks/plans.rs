//! Plans, the focus of each session, and the skill versions that task trees are pinned to.

use bugle_core::id::{ContentHash, PlanId, SessionId, TaskId, Timestamp};
use bugle_core::name::SkillAddress;
use bugle_core::task::TreePath;

use super::rows::select;
use super::sql_helpers::{PLAN_COLUMNS, plan_row, prefix_bounds, unreadable};
use super::{Focus, PlanRow, SkillPin, TaskRow};
use crate::StoreError;
use crate::row::{Row, Value};
use crate::{ProjectId, Store};

impl Store {
    /// The first few plans whose id has this prefix.
    pub fn plans_by_prefix(&mut self, prefix: &str) -> Result<Vec<PlanRow>, StoreError> {
        let rows = self.connection.query(
            &format!("SELECT {PLAN_COLUMNS} FROM plan WHERE id >= $1 AND id < $2 ORDER BY id LIMIT 10"),
            &prefix_bounds(prefix),
        )?;
        rows.iter().map(plan_row).collect()
    }

    /// The plan imported from this file.
    pub fn plan_of_file(&mut self, project: &ProjectId, file: &str) -> Result<Option<PlanRow>, StoreError> {
        let rows = self.connection.query(
            &format!("SELECT {PLAN_COLUMNS} FROM plan WHERE project_id = $1 AND file = $2"),
            &[project.0.as_str().into(), file.into()],
        )?;
        rows.first().map(plan_row).transpose()
    }

    /// A project's plans, in the order of their root tasks.
    pub fn plans(&mut self, project: &ProjectId) -> Result<Vec<PlanRow>, StoreError> {
        self.plans_where("plan.project_id = $1", &[project.0.as_str().into()])
    }

    /// A project's plans with this title, in the order of their root tasks.
    pub fn plans_titled(&mut self, project: &ProjectId, title: &str) -> Result<Vec<PlanRow>, StoreError> {
        self.plans_where(
            "plan.project_id = $1 AND plan.title = $2",
            &[project.0.as_str().into(), title.into()],
        )
    }

    fn plans_where(&mut self, condition: &str, parameters: &[Value]) -> Result<Vec<PlanRow>, StoreError> {
        let columns: Vec<String> = PLAN_COLUMNS
            .split(", ")
            .map(|column| format!("plan.{column}"))
            .collect();
        let rows = self.connection.query(
            &format!(
                "SELECT {} FROM plan JOIN task ON task.id = plan.root_id WHERE {condition} ORDER BY task.path",
                columns.join(", ")
            ),
            parameters,
        )?;
        rows.iter().map(plan_row).collect()
    }

    /// Inserts or updates a plan.
    pub fn keep_plan(&mut self, plan: &PlanRow) -> Result<(), StoreError> {
        self.connection.write(
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

    /// All tasks of a plan in order, including tasks that were moved.
    pub fn tasks_of_plan(&mut self, plan: &PlanId) -> Result<Vec<TaskRow>, StoreError> {
        select(
            &mut self.connection,
            "plan_id = $1 ORDER BY path",
            &[plan.as_str().into()],
        )
    }

    /// The number of work tasks in a plan and how many are closed, each counted up to `most`.
    pub fn plan_counts(&mut self, plan: &PlanId, most: u32) -> Result<(u32, u32), StoreError> {
        let rows = self.connection.query(
            "SELECT COUNT(*) AS tasks, COALESCE(SUM(1 - is_open), 0) AS closed FROM (SELECT is_open FROM task \
             WHERE plan_id = $1 AND substance = 'work' AND removed IS NULL LIMIT $2) AS counted",
            &[plan.as_str().into(), i64::from(most).into()],
        )?;
        rows.first()
            .map_or(Ok((0, 0)), |row| Ok((row.count("tasks")?, row.count("closed")?)))
    }

    /// The projects that have tasks.
    pub fn projects_with_tasks(&mut self) -> Result<Vec<ProjectId>, StoreError> {
        let rows = self.connection.query(
            "SELECT id FROM project WHERE EXISTS (SELECT 1 FROM task WHERE project_id = project.id) ORDER BY id",
            &[],
        )?;
        rows.iter().map(|row| row.text("id").map(ProjectId)).collect()
    }

    /// The tree that a session worked on last. Without a session, the tree that was worked on last in any session on
    /// this machine.
    pub fn focus(
        &mut self,
        project: &ProjectId,
        session: Option<&SessionId>,
    ) -> Result<Option<Focus>, StoreError> {
        let session = session.map_or("", |session| session.0.as_str());
        let rows = self.connection.query(
            "SELECT task.id, task.path, task.children, task.is_open FROM focus JOIN task ON task.id = focus.root_id \
             WHERE focus.project_id = $1 AND focus.machine = $2 AND focus.session = $3",
            &[
                project.0.as_str().into(),
                self.machine.as_str().into(),
                session.into(),
            ],
        )?;
        let focus = |row: &Row| {
            Ok(Focus {
                root: TaskId::parse(&row.text("id")?).map_err(unreadable)?,
                path: TreePath::from_stored(row.text("path")?),
                children: row.count("children")?,
                is_open: row.flag("is_open")?,
            })
        };
        rows.first().map(focus).transpose()
    }

    /// Stores the tree that a session worked on last.
    pub fn set_focus(
        &mut self,
        project: &ProjectId,
        session: Option<&SessionId>,
        root: &TaskId,
    ) -> Result<(), StoreError> {
        let own = session.map(|session| session.0.as_str());
        for session in std::iter::once("").chain(own) {
            self.connection.write(
                "INSERT INTO focus (project_id, machine, session, root_id) VALUES ($1, $2, $3, $4) \
                 ON CONFLICT (project_id, machine, session) DO UPDATE SET root_id = $4",
                &[
                    project.0.as_str().into(),
                    self.machine.as_str().into(),
                    session.into(),
                    root.as_str().into(),
                ],
            )?;
        }
        Ok(())
    }

    /// The skill versions that a tree is pinned to.
    pub fn skill_pins(&mut self, root: &TaskId) -> Result<Vec<SkillPin>, StoreError> {
        let rows = self.connection.query(
            "SELECT skill, hash, version, source, pinned_at FROM skill_pin WHERE root_id = $1 ORDER BY skill",
            &[root.as_str().into()],
        )?;
        rows.iter()
            .map(|row| {
                Ok(SkillPin {
                    skill: SkillAddress::new(row.text("skill")?).map_err(unreadable)?,
                    hash: ContentHash::from_stored(row.text("hash")?),
                    version: row.optional_text("version")?,
                    source: row.text("source")?,
                    pinned_at: Timestamp(row.int("pinned_at")?),
                })
            })
            .collect()
    }

    /// Pins a tree to a skill version, unless another process has pinned one first. Returns the pinned version.
    pub fn pin_skill(&mut self, root: &TaskId, pin: &SkillPin) -> Result<SkillPin, StoreError> {
        self.write_pin(root, pin, false)?;
        let pins = self.skill_pins(root)?;
        let pinned = pins.into_iter().find(|pinned| pinned.skill == pin.skill);
        Ok(pinned.unwrap_or_else(|| pin.clone()))
    }

    /// Replaces the skill version that a tree is pinned to.
    pub fn replace_pin(&mut self, root: &TaskId, pin: &SkillPin) -> Result<(), StoreError> {
        self.write_pin(root, pin, true)
    }

    fn write_pin(&mut self, root: &TaskId, pin: &SkillPin, replace: bool) -> Result<(), StoreError> {
        let or_else = if replace {
            "DO UPDATE SET hash = $3, version = $4, source = $5, pinned_at = $6"
        } else {
            "DO NOTHING"
        };
        self.connection.write(
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
        )
    }
}
