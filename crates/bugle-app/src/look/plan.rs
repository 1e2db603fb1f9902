//! The tasks of a project or a plan, a page at a time.

use std::collections::BTreeMap;

use bugle_core::id::TaskId;
use bugle_store::{LookStore as _, PlanRow, TaskStore as _};
use bugle_wire::{PlanLine, PlanLook};

use crate::task::{TaskScope, line_views, name_of, plan_id, task_id};
use crate::{App, AppError};

/// How many tasks are shown at a time.
const TASKS_ON_A_PAGE: u32 = 100;
/// Up to how many tasks of a plan are counted.
const MOST_COUNTED: u32 = 999;
/// How many plans are named.
const MOST_PLANS: usize = 50;

impl App {
    /// The tasks of this project, or of one of its plans: those behind the one that is named.
    pub fn look_at_plan(&mut self, plan: Option<&str>, behind: Option<&str>) -> Result<PlanLook, AppError> {
        let mut look = PlanLook {
            plans: Vec::new(),
            plan: None,
            position: None,
            above: Vec::new(),
            tasks: Vec::new(),
            names: BTreeMap::new(),
            next: None,
            later: behind.is_some(),
        };
        let Some(project) = self.project()? else {
            return Ok(look);
        };
        for row in self.store.plans(&project)?.iter().rev().take(MOST_PLANS) {
            look.plans.push(self.plan_line(row)?);
        }
        let scope = match plan {
            Some(id) => {
                let row = self.plan_row(&plan_id(id)?)?;
                look.plan = Some(self.plan_line(&row)?);
                TaskScope::Plan(row.id)
            }
            None => TaskScope::Project,
        };
        let Some(within) = self.within(&scope)? else {
            return Ok(look);
        };
        let behind = match behind {
            Some(id) => Some(self.task_row(&task_id(id)?)?.path),
            None => None,
        };
        let mut rows = self.store.tasks_page(
            &within.project,
            within.path.as_ref(),
            behind.as_ref(),
            TASKS_ON_A_PAGE + 1,
        )?;
        let more = rows.len() > TASKS_ON_A_PAGE as usize;
        rows.truncate(TASKS_ON_A_PAGE as usize);
        look.position = match &scope {
            TaskScope::Project => self.position(&TaskScope::Here)?,
            plan => self.position(plan)?,
        };
        let current: Option<TaskId> = look.position.as_ref().and_then(|at| at.task.id.parse().ok());
        look.next = rows.last().filter(|_| more).map(|row| row.task.id.to_string());
        let mut depth = 0;
        if let Some(first) = rows.first() {
            let above = self.store.above(first)?;
            look.above = above.iter().rev().map(|row| name_of(&row.task)).collect();
            depth = u32::try_from(above.len()).unwrap_or(0);
        }
        look.tasks = line_views(&rows, current.as_ref());
        // A page that begins in the middle of a tree goes on as deep as that is.
        let top = match &within.path {
            Some(path) => u32::try_from(path.levels()).unwrap_or(1).saturating_sub(1),
            None => 0,
        };
        for (line, row) in look.tasks.iter_mut().zip(&rows) {
            let levels = u32::try_from(row.path.levels()).unwrap_or(1);
            line.depth = levels.saturating_sub(1).saturating_sub(top);
        }
        if depth <= top {
            look.above.clear();
        }
        let elsewhere = self.waited_for(&look.tasks)?;
        let here = look.tasks.iter().map(|line| (&line.task.id, &line.task.label));
        let named = here.chain(elsewhere.iter().map(|name| (&name.id, &name.label)));
        look.names = named
            .map(|(id, label)| (id.clone(), label.split(": ").next().unwrap_or(label).to_owned()))
            .collect();
        Ok(look)
    }

    fn plan_line(&mut self, plan: &PlanRow) -> Result<PlanLine, AppError> {
        let (tasks, closed) = self.store.plan_counts(&plan.id, MOST_COUNTED + 1)?;
        Ok(PlanLine {
            id: plan.id.to_string(),
            title: plan.title.clone(),
            file: plan.file.clone(),
            branch: plan.branch.clone(),
            imported_at: plan.imported_at.0,
            tasks: tasks.min(MOST_COUNTED),
            closed: closed.min(MOST_COUNTED),
            at_least: tasks > MOST_COUNTED,
        })
    }
}
