//! Plans as people and agents look at them: a list, one with its tasks, and one task's text.

use bugle_core::plan::{Node, Plan};
use bugle_core::task::TaskState;
use bugle_render::plan as plan_words;
use bugle_skill::{parse_plan, plan_section};
use bugle_store::{PlanRow, TaskStore as _};
use bugle_wire::{PlanDetail, PlanList, PlanSummary, PlanText};

use super::PlanSelector;
use crate::task::{TaskScope, line_views, plan_name, there};
use crate::{App, AppError};

/// How many tasks of a plan are shown.
const MOST_TASKS: u32 = 300;

impl App {
    /// The plans of this project.
    pub fn plans(&mut self) -> Result<PlanList, AppError> {
        let Some(project) = self.project()? else {
            return Ok(PlanList { plans: Vec::new() });
        };
        let mut plans = Vec::new();
        for plan in self.store.plans(&project)? {
            plans.push(self.plan_summary(&plan)?);
        }
        Ok(PlanList { plans })
    }

    pub(super) fn plan_summary(&mut self, plan: &PlanRow) -> Result<PlanSummary, AppError> {
        let root = there(&mut self.store, &plan.root)?;
        let (tasks, closed) = self.store.plan_counts(&plan.id, u32::MAX)?;
        let begun = self.is_begun(&root)?;
        let current = self
            .focus(&plan.project)?
            .is_some_and(|focus| focus.task.id == root.root);
        let mut notices = self.plan_notices(plan)?;
        if root.task.removed.is_some() {
            notices.push("It was taken out of the tree.".to_owned());
        }
        Ok(PlanSummary {
            name: plan_name(plan),
            root: plan.root.to_string(),
            state: TaskState::of(root.task.standing, root.is_blocked(), begun)
                .as_str()
                .to_owned(),
            tasks,
            closed,
            branch: plan.branch.clone(),
            imported_at: plan.imported_at.0,
            current,
            notices,
        })
    }

    /// A plan with its tasks.
    pub fn show_plan(&mut self, selector: &PlanSelector) -> Result<PlanDetail, AppError> {
        let row = self.select_plan(selector)?;
        let plan = parse_plan(&self.imported_text(&row)?);
        let root = there(&mut self.store, &row.root)?;
        let mut rows = self
            .store
            .window(&root.project, Some(&root.path), true, MOST_TASKS + 1)?;
        let more = rows.len() > MOST_TASKS as usize;
        rows.truncate(MOST_TASKS as usize);
        let position = self.position(&TaskScope::Plan(row.id.clone()))?;
        let current = position.as_ref().and_then(|at| at.task.id.parse().ok());
        Ok(PlanDetail {
            plan: self.plan_summary(&row)?,
            goal: plan.preamble.goal.clone(),
            architecture: plan.preamble.architecture.clone(),
            tech_stack: plan.preamble.tech_stack.clone(),
            skills: plan.preamble.skills.clone(),
            constraints: plan
                .constraints
                .iter()
                .flat_map(|section| section.items.clone())
                .collect(),
            pins: self.pin_views(&root.root)?,
            tasks: line_views(&rows, current.as_ref()),
            more,
            unclear: plan.notes.iter().map(plan_words::note).collect(),
            position,
        })
    }

    /// One task's text, exactly as the plan's file has it; from what was imported if the file is not there.
    pub fn plan_section(&mut self, selector: &PlanSelector, number: &str) -> Result<PlanText, AppError> {
        let (file, text) = match selector {
            PlanSelector::File(file) => match self.read_plan(file) {
                Ok(source) => (source.key, super::text_of(source.bytes).unwrap_or_default()),
                Err(error) => match self.select_plan(selector) {
                    Ok(row) => (row.file.clone(), self.imported_text(&row)?),
                    Err(_) => return Err(error),
                },
            },
            other => {
                let row = self.select_plan(other)?;
                let there = self.plan_file(&row)?.filter(|file| file.is_file());
                match there {
                    Some(path) => {
                        let source = self.read_plan(&path)?;
                        (row.file, super::text_of(source.bytes).unwrap_or_default())
                    }
                    None => (row.file.clone(), self.imported_text(&row)?),
                }
            }
        };
        let plan = parse_plan(&text);
        let node = section_node(&plan, number, &file)?;
        let found = plan_section(&text, &plan, node).zip(plan.extent(node));
        let (section, extent) =
            found.ok_or_else(|| AppError::System("the section is not in the file".to_owned()))?;
        Ok(PlanText {
            file,
            line: extent.line,
            text: section.to_owned(),
        })
    }
}

/// The task with this number, or the group that is called so.
fn section_node(plan: &Plan, number: &str, file: &str) -> Result<Node, AppError> {
    let wanted = number.trim();
    let wanted = wanted
        .strip_prefix("Task ")
        .or_else(|| wanted.strip_prefix("task "))
        .unwrap_or(wanted);
    let tasks = plan.tasks_numbered(wanted);
    match tasks.as_slice() {
        [one] => return Ok(Node::Task(*one)),
        [] => {}
        several => {
            return Err(AppError::Usage {
                what: format!("{file} has {} tasks with the number {number}", several.len()),
                hints: several
                    .iter()
                    .map(|index| {
                        let task = &plan.tasks[*index];
                        format!("line {}: Task {}: {}", task.extent.line, task.number, task.title)
                    })
                    .collect(),
            });
        }
    }
    let called = |index: &usize| {
        let group = &plan.groups[*index];
        group.called().eq_ignore_ascii_case(wanted) || group.title.eq_ignore_ascii_case(wanted)
    };
    if let Some(group) = (0..plan.groups.len()).find(called) {
        return Ok(Node::Group(group));
    }
    let numbers: Vec<&str> = plan.tasks.iter().map(|task| task.number.as_str()).collect();
    Err(AppError::NotFound {
        what: format!("{file} has no task {number}"),
        hints: match numbers.as_slice() {
            [] => vec!["There are no tasks in it.".to_owned()],
            [first, .., last] => vec![format!("It has {} tasks, from {first} to {last}.", numbers.len())],
            [only] => vec![format!("It has one task: {only}.")],
        },
    })
}
