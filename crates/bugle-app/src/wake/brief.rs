//! The brief of a sub-agent for one task.

use bugle_core::id::VisitToken;
use bugle_core::role::AgentRole;
use bugle_core::task::TaskEvent;
use bugle_store::TaskStore as _;
use bugle_wire::BriefView;

use crate::task::{name_of, task_id};
use crate::{App, AppError, RunSelector};

impl App {
    /// What a sub-agent with this role needs for a task, named by its id or by a visit of the run that has it.
    pub fn brief(
        &mut self,
        target: &str,
        role: AgentRole,
        context: Option<String>,
    ) -> Result<BriefView, AppError> {
        let id = if target.contains('#') {
            self.task_of_visit(target)?
        } else {
            task_id(target)?
        };
        let row = self.task_row(&id)?;
        let plan = self.plan_for(&row)?;
        let choice = self.task_skill(&row.task.id, Some(role))?;
        let events = self.store.task_events(&row.task.id)?;
        let notes = events.into_iter().filter_map(|recorded| match recorded.event {
            TaskEvent::Noted { text } => Some(text),
            _ => None,
        });
        let told = crate::roles::show_role(&self.place, role.as_str())?;
        Ok(BriefView {
            role: role.as_str().to_owned(),
            role_text: told.text,
            task: name_of(&row.task),
            text: plan.as_ref().and_then(|plan| plan.text.clone()),
            constraints: plan
                .as_ref()
                .map(|plan| plan.constraints.clone())
                .unwrap_or_default(),
            interfaces: plan.map(|plan| plan.interfaces).unwrap_or_default(),
            notes: notes.collect(),
            context,
            reminders: choice.reminders,
        })
    }

    fn task_of_visit(&mut self, target: &str) -> Result<bugle_core::id::TaskId, AppError> {
        let token: VisitToken = target
            .parse()
            .map_err(|bad: bugle_core::id::BadId| AppError::Usage {
                what: bad.to_string(),
                hints: Vec::new(),
            })?;
        let row = self.select(&RunSelector::Visit(token.clone()))?;
        let state = self.read(&row.id)?.state;
        let task = state.task(token.visit).map(|task| task.id.clone());
        task.ok_or_else(|| AppError::NotFound {
            what: format!("the run has no task at visit {token}"),
            hints: vec![format!(
                "`{}` lists the tasks.",
                self.place.command(&["task", "list"])
            )],
        })
    }
}
