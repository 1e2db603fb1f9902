//! What importing a plan changed, for people and agents.

use std::collections::BTreeMap;

use bugle_core::id::TaskId;
use bugle_core::plan::Fate;
use bugle_core::task::{Removal, TaskEvent};
use bugle_render::plan as plan_words;
use bugle_store::{TaskRow, TaskStore as _};
use bugle_wire::{PlanImport, TaskName};

use super::import::{Imported, Source};
use crate::task::{TaskScope, name_of, there};
use crate::{App, AppError};

/// How many tasks that are gone get a line each.
const MOST_GONE: usize = 5;

impl App {
    pub(super) fn import_view(
        &mut self,
        source: &Source,
        imported: Imported,
    ) -> Result<PlanImport, AppError> {
        let Imported {
            plan,
            before,
            import,
            again,
        } = imported;
        let mut view = PlanImport {
            plan: self.plan_summary(&plan)?,
            again,
            added: Vec::new(),
            edited: Vec::new(),
            moved: Vec::new(),
            vanished: Vec::new(),
            unchanged: 0,
            ticked: self.names(&import.ticked)?,
            came_back: Vec::new(),
            taken_along: Vec::new(),
            reopened: Vec::new(),
            unclear: source.plan.notes.iter().map(plan_words::note).collect(),
            notices: Vec::new(),
            position: self.position(&TaskScope::Plan(plan.id.clone()))?,
        };
        let root = there(&mut self.store, &plan.root)?;
        // One reading for all of them: a plan may have thousands.
        let rows: BTreeMap<TaskId, TaskRow> = self
            .store
            .subtree(&root.project, &root.path)?
            .into_iter()
            .map(|row| (row.task.id.clone(), row))
            .collect();
        let mut kept_out = Vec::new();
        for (id, fate) in import.nodes.iter().zip(&import.fates) {
            let Some(row) = rows.get(id) else { continue };
            if row.task.removed.is_some() {
                kept_out.push(row);
            }
            let list = match fate {
                Fate::New => &mut view.added,
                Fate::Moved { .. } => &mut view.moved,
                Fate::Edited { .. } => &mut view.edited,
                Fate::Same { .. } => {
                    view.unchanged += 1;
                    continue;
                }
            };
            list.push(name_of(&row.task));
        }
        let gone: Vec<&TaskRow> = before
            .iter()
            .filter(|row| import.vanished.contains(&row.task.id) && row.task.removed.is_none())
            .collect();
        view.vanished = gone.iter().map(|row| name_of(&row.task)).collect();
        for row in gone.iter().take(MOST_GONE) {
            view.notices.push(format!(
                "{} is no longer in the plan and was taken out of the tree ({}); `{}` puts it back.",
                name_of(&row.task).label,
                row.task.standing.as_str(),
                self.place.command(&["task", "reopen", row.task.id.as_str()])
            ));
        }
        if gone.len() > MOST_GONE {
            view.notices.push(format!(
                "{} more were taken out of the tree in the same way.",
                gone.len() - MOST_GONE
            ));
        }
        for row in kept_out.iter().take(MOST_GONE) {
            view.notices.push(format!(
                "{} is in the plan, but somebody took it out of the tree; `{}` puts it back.",
                name_of(&row.task).label,
                self.place.command(&["task", "reopen", row.task.id.as_str()])
            ));
        }
        if !import.disbelieved.is_empty() {
            view.notices
                .push(self.marked_as_done(&source.key, import.disbelieved.len()));
        }
        let happened = |wanted: fn(&TaskEvent) -> bool| -> Vec<TaskId> {
            let events = import.changes.iter().filter(|(_, event)| wanted(event));
            events.map(|(id, _)| id.clone()).collect()
        };
        view.reopened = self.names(&happened(|event| matches!(event, TaskEvent::Reopened { .. })))?;
        view.came_back = self.names(&happened(|event| matches!(event, TaskEvent::Restored)))?;
        let went_along = |event: &TaskEvent| {
            matches!(
                event,
                TaskEvent::Removed {
                    why: Removal::With(_)
                }
            )
        };
        view.taken_along = self.names(&happened(went_along))?;
        Ok(view)
    }

    /// That the file calls tasks done which are open here.
    fn marked_as_done(&self, key: &str, tasks: usize) -> String {
        let what = match tasks {
            1 => "1 task is".to_owned(),
            count => format!("{count} tasks are"),
        };
        format!(
            "{what} marked as done in the file, and open here; `{}` closes what is marked so.",
            self.place
                .command_here(&["plan", "import", key, "--trust-checkboxes"])
        )
    }

    fn names(&mut self, ids: &[TaskId]) -> Result<Vec<TaskName>, AppError> {
        ids.iter()
            .map(|id| Ok(name_of(&there(&mut self.store, id)?.task)))
            .collect()
    }
}
