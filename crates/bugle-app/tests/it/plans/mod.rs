//! Imported plans.

mod import;
mod invalid_plans;
mod order;
mod scope;
mod sections;

use bugle_app::{AppError, Extent, PlanSelector, plans};
use bugle_core::id::PlanId;
use bugle_core::reply::{PlanDetail, PlanNotice, PlanSummary, TaskName, TaskNotice};

use crate::project::Project;

const FILE: &str = "docs/plans/login.md";

/// A typical plan with two groups.
const PLAN: &str = "\
# Login Implementation Plan

**Goal:** People can log in.

## Global Constraints

- No new dependencies.

## Phase 1: The form

### Task 1: Parse the header

- [ ] **Step 1: Write the failing test**
- [ ] **Step 2: Make it pass**

### Task 2: Show the form

Draw it.

## Phase 2: The rest

### Task 3: Keep the session

Depends on: Task 1

Store the cookie.
";

/// A project with an imported plan.
fn with_plan() -> (Project, PlanId) {
    let mut project = Project::new();
    let id = project.import_text(FILE, PLAN);
    (project, id)
}

fn labels(names: &[TaskName]) -> Vec<String> {
    names.iter().map(TaskName::label).collect()
}

impl Project {
    /// Writes a plan and imports it.
    #[track_caller]
    fn import_text(&mut self, file: &str, text: &str) -> PlanId {
        self.write(file, text);
        self.import(file).plan.name.id
    }

    #[track_caller]
    fn plans(&mut self) -> Vec<PlanSummary> {
        plans::plans(&mut self.app.store, &self.app.context)
            .unwrap()
            .plans
    }

    fn try_show_plan(&mut self, selector: &PlanSelector) -> Result<PlanDetail, AppError> {
        plans::show_plan(&mut self.app.store, &self.app.context, selector, Extent::Brief)
    }

    /// The notices about the plan at the current position.
    #[track_caller]
    fn plan_notices(&mut self) -> Vec<PlanNotice> {
        let notices = self.position().unwrap().notices.into_iter();
        notices
            .filter_map(|notice| match notice {
                TaskNotice::Plan(notice) => Some(notice),
                _ => None,
            })
            .collect()
    }
}
