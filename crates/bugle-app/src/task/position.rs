//! Where work stands: the position, what can start, and the sentence that explains it.

use bugle_core::agent::Holding;
use bugle_core::name::AgentName;
use bugle_core::task::{Standing, TaskState, WaitSource};
use bugle_core::wake::FAILURES_TO_SPLIT;
use bugle_render::task_words::{Whereabouts, sentence, spoken};
use bugle_store::{PlanRow, ProjectId, TaskRow, TaskStore as _};
use bugle_wire::{CommandView, NextView, PlanName, ReadyList, TaskPosition};

use super::held::{Whose, first_for};
use super::skill::ChosenSkill;
use super::{TaskScope, Within, name_of, task_view};
use crate::plan::FileState;
use crate::{App, AppError, Place};

/// How many tasks that somebody is at are named beside the position.
const MOST_UNDER_WAY: u32 = 3;
/// How many tasks that somebody is at are looked at for an agent's own.
const MOST_LOOKED_AT: u32 = 200;
/// How many plans are looked at for changes when nothing is open.
const MOST_PLANS: usize = 10;

/// The task at which work stands, and what was found on the way to it.
pub(crate) struct Standpoint {
    pub view: TaskPosition,
    pub row: TaskRow,
    /// What it lies in, the nearest first.
    pub above: Vec<TaskRow>,
    /// The plan it comes from, and its file if this is its project.
    pub plan: Option<(PlanRow, Option<FileState>)>,
    /// The skill for it, with all that is to be said about that.
    pub skill: ChosenSkill,
}

impl App {
    /// Where work stands.
    pub fn next_task(&mut self, scope: &TaskScope, agent: Option<&AgentName>) -> Result<NextView, AppError> {
        let position = match self.within(scope)? {
            Some(within) => self.position_for(&within, *scope == TaskScope::Here, agent)?,
            None => None,
        };
        let position = position.map(|at| at.view);
        let any = match (&position, self.project()?) {
            (None, Some(project)) => !self.store.window(&project, None, true, 1)?.is_empty(),
            _ => false,
        };
        let message = if position.is_some() {
            String::new()
        } else if any {
            let mut message = "Every task here is closed.".to_owned();
            for notice in self.notices_of_plans()? {
                message = format!("{message}\n{notice}");
            }
            message
        } else {
            format!(
                "There are no tasks here. `{}` takes them from a plan, `{}` adds one.",
                self.place.command(&["plan", "import", "FILE"]),
                self.place.command(&["task", "add", "TITLE"])
            )
        };
        Ok(NextView { position, message })
    }

    /// What is to be said about the files of plans that are closed: a task may have been added.
    fn notices_of_plans(&mut self) -> Result<Vec<String>, AppError> {
        let Some(project) = self.project()? else {
            return Ok(Vec::new());
        };
        let mut notices = Vec::new();
        for plan in self.store.plans(&project)?.into_iter().rev().take(MOST_PLANS) {
            if matches!(self.file_state(&plan)?, Some(FileState::Changed(_))) {
                let said = self.plan_notices(&plan)?;
                notices.extend(said.into_iter().map(|notice| format!("{}: {notice}", plan.file)));
            }
        }
        Ok(notices)
    }

    /// Everything that can start or be closed, in order.
    pub fn ready_tasks(&mut self, scope: &TaskScope, limit: u32) -> Result<ReadyList, AppError> {
        let Some(within) = self.startable(scope)? else {
            return Ok(ReadyList {
                tasks: Vec::new(),
                more: false,
                elsewhere: false,
            });
        };
        let asked = limit.saturating_add(1);
        let mut rows = self
            .store
            .ready(&within.project, within.path.as_ref(), false, asked)?;
        let elsewhere = rows.is_empty() && *scope == TaskScope::Here && within.path.is_some();
        if elsewhere {
            rows = self.store.ready(&within.project, None, false, asked)?;
        }
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let mut tasks = Vec::new();
        for row in &rows {
            tasks.push(task_view(row, self.is_begun(row)?));
        }
        Ok(ReadyList {
            elsewhere: elsewhere && !tasks.is_empty(),
            tasks,
            more,
        })
    }

    /// Whether something in a task is under way or over.
    pub(crate) fn is_begun(&mut self, row: &TaskRow) -> Result<bool, AppError> {
        let settled = row.task.standing != Standing::Pending || row.children == 0;
        if settled || row.children > row.open_children {
            return Ok(row.children > row.open_children);
        }
        Ok(self.store.is_begun_inside(&row.project, &row.path)?)
    }

    /// The position in a part of the tree; nothing if no task is open there.
    pub(crate) fn position(&mut self, scope: &TaskScope) -> Result<Option<TaskPosition>, AppError> {
        match self.within(scope)? {
            Some(within) => self.position_in(&within, *scope == TaskScope::Here),
            None => Ok(None),
        }
    }

    /// Where work stands in a project, wherever this is asked.
    pub(crate) fn position_of(
        &mut self,
        project: ProjectId,
        agent: Option<&AgentName>,
    ) -> Result<Option<Standpoint>, AppError> {
        let path = self.focus(&project)?.map(|root| root.path);
        self.position_for(&Within { project, path }, true, agent)
    }

    /// The position in a part of the tree; `wide` if it was not said which part is meant.
    fn position_in(&mut self, within: &Within, wide: bool) -> Result<Option<TaskPosition>, AppError> {
        let at = self.position_for(within, wide, None)?;
        Ok(at.map(|at| at.view))
    }

    /// The same for an agent, who is told of its own task first if it has begun one.
    fn position_for(
        &mut self,
        within: &Within,
        wide: bool,
        agent: Option<&AgentName>,
    ) -> Result<Option<Standpoint>, AppError> {
        let worker = self.worker_for(&within.project, agent)?;
        let under_way = self
            .store
            .active(&within.project, within.path.as_ref(), MOST_UNDER_WAY + 1)?;
        let mut own = self.own_leaf(&under_way, worker.as_ref())?;
        if own.is_none() && wide && worker.is_some() && within.path.is_some() {
            // What others look at does not matter to somebody who is at something elsewhere.
            let all = self.store.active(&within.project, None, MOST_LOOKED_AT)?;
            own = self.own_leaf(&all, worker.as_ref())?;
        }
        let found = match own {
            Some(own) => Some(own),
            None => self.store.position(&within.project, within.path.as_ref())?,
        };
        let Some(mut row) = found else { return Ok(None) };
        let mut whose = self.whose(&row, worker.as_ref())?;
        if whose.is_meant_for_another() && row.task.standing == Standing::Pending {
            // What is meant for another agent is not for this one to begin.
            let path = within.path.as_ref();
            let ready = self.store.ready(&within.project, path, false, MOST_LOOKED_AT)?;
            if let Some(other) = first_for(&mut self.store, &self.place, ready, worker.as_ref())? {
                row = other;
                whose = self.whose(&row, worker.as_ref())?;
            }
        }
        let above = self.store.above(&row)?;
        let plan = match self.plan_above(&row, &above)? {
            Some(plan) => {
                let file = self.file_state(&plan)?;
                Some((plan, file))
            }
            None => None,
        };
        let mut notices: Vec<String> = self.said_of_holder(&row, &whose);
        if let Some((plan, file)) = &plan {
            notices.extend(self.notices_of_file(plan, file.as_ref()));
        }
        if wide
            && let Some(path) = &within.path
            && self.store.is_open_outside(&within.project, path)?
        {
            notices.push(format!(
                "Other work is open in this project: `{}` shows it.",
                self.place.command(&["task", "list"])
            ));
        }
        let mut others = Vec::new();
        let besides = under_way
            .iter()
            .filter(|other| other.task.id != row.task.id && !other.path.holds(&row.path));
        for other in besides.take(MOST_UNDER_WAY as usize) {
            let label = spoken(&other.task);
            others.push(match self.whose(other, worker.as_ref())?.spoken() {
                Some(agent) => format!("{label} ({agent})"),
                None => label,
            });
        }
        if row.task.retries >= FAILURES_TO_SPLIT {
            notices.push(format!(
                "It was tried again {} times. Split it into parts that can each be finished, as tasks inside it (`{}` says \
                 how).",
                row.task.retries,
                self.place.command(&["help", "task", "add"])
            ));
        }
        if !others.is_empty() {
            notices.push(format!("In progress as well: {}.", others.join(", ")));
        }
        let chosen = self.chosen_skill(&row, &above, None)?;
        let mut skill = chosen.view.clone();
        if skill.installed.is_none() && skill.pinned.is_none() {
            // Said where a task is begun and where its skill is asked for; not with every answer.
            skill.notices.clear();
        }
        notices.extend(chosen.notices.clone());
        let view = TaskPosition {
            sentence: self.sentence(&row, &above, &whose)?,
            task: task_view(&row, self.is_begun(&row)?),
            above: above.iter().map(|row| name_of(&row.task)).collect(),
            skill,
            plan: plan.as_ref().map(|(plan, _)| plan_name(plan)),
            commands: commands(&self.place, &row, &whose),
            notices,
        };
        Ok(Some(Standpoint {
            view,
            row,
            above,
            plan,
            skill: chosen,
        }))
    }

    /// Where a task stands, in a sentence.
    pub(super) fn sentence(
        &mut self,
        row: &TaskRow,
        above: &[TaskRow],
        whose: &Whose,
    ) -> Result<String, AppError> {
        let (before, after) = self.store.neighbours(row)?;
        let waits = self.store.waits_for(row)?;
        let named = |in_order: bool| -> Vec<String> {
            let waits = waits
                .iter()
                .filter(|(_, says)| (*says == WaitSource::Order) == in_order);
            waits.map(|(on, _)| spoken(&on.task)).collect()
        };
        let (waits_for, comes_after) = (named(false), named(true));
        let own = spoken(&row.task);
        if row.task.removed.is_some() {
            return Ok(format!("{own} was taken out of the tree."));
        }
        let parent = above.first().map(|row| spoken(&row.task));
        let before = before.map(|row| (spoken(&row.task), row.task.standing == Standing::Skipped));
        let after = after.map(|row| spoken(&row.task));
        Ok(sentence(&Whereabouts {
            label: &own,
            above: parent.as_deref(),
            before: before.as_ref().map(|(label, skipped)| (label.as_str(), *skipped)),
            state: Some(TaskState::of(
                row.task.standing,
                row.is_blocked(),
                self.is_begun(row)?,
            )),
            ready_to_close: row.task.is_open() && row.children > 0 && row.open_children == 0,
            reason: row.task.reason.as_deref(),
            agent: whose.spoken(),
            waits_for: &waits_for,
            comes_after: &comes_after,
            after: after.as_deref(),
        }))
    }

    /// The plan that a task comes from, or the nearest thing it lies in does.
    pub(crate) fn plan_above(
        &mut self,
        row: &TaskRow,
        above: &[TaskRow],
    ) -> Result<Option<PlanRow>, AppError> {
        let link = std::iter::once(row)
            .chain(above)
            .find_map(|row| row.task.plan.as_ref());
        let Some(link) = link else { return Ok(None) };
        let plans = self.store.plans_by_prefix(link.plan.as_str())?;
        Ok(plans.into_iter().find(|plan| plan.id == link.plan))
    }
}

pub(crate) fn plan_name(plan: &PlanRow) -> PlanName {
    PlanName {
        id: plan.id.to_string(),
        file: plan.file.clone(),
        title: plan.title.clone(),
    }
}

/// What the command does that shows everything about a task.
pub(crate) const ALL_ABOUT_IT: &str = "all about it";

/// The commands that go on from a task, for whoever it is so to.
pub(super) fn commands(place: &Place, row: &TaskRow, whose: &Whose) -> Vec<CommandView> {
    let id = row.task.id.as_str();
    let command = |does: &str, words: &[&str]| CommandView {
        does: does.to_owned(),
        command: place.command(words),
    };
    let done = || command("when it is done", &["task", "done", id]);
    let show = || command(ALL_ABOUT_IT, &["task", "show", id, "--full"]);
    if row.task.removed.is_some() {
        return vec![command("put it back", &["task", "reopen", id])];
    }
    match row.task.standing {
        Standing::Done | Standing::Skipped => vec![command("open it again", &["task", "reopen", id])],
        // It cannot be closed before what lies in it is.
        _ if row.open_children > 0 => vec![command("what to do in it", &["task", "next", id]), show()],
        standing if row.is_blocked() || (row.blockers > 0 && standing == Standing::Pending) => {
            vec![command("what can start", &["task", "ready"]), show()]
        }
        Standing::Active => match (&row.task.run, whose) {
            // A run closes its tasks itself.
            (Some(run), _) => vec![command("its run", &["step", run.as_str()]), show()],
            (None, Whose::Anothers { holder, .. }) if holder.holding == Holding::Gone => {
                vec![command("take it up", &["task", "start", id]), show()]
            }
            (None, Whose::Anothers { .. }) => {
                vec![command("what else can start", &["task", "ready"]), show()]
            }
            (None, Whose::Nobodys | Whose::Own) => vec![done(), show()],
        },
        Standing::Blocked | Standing::Failed => {
            let ready = command("what else can start", &["task", "ready"]);
            vec![
                command("try it again", &["task", "start", id]),
                done(),
                ready,
                show(),
            ]
        }
        Standing::Pending if row.children > 0 && row.open_children == 0 => vec![done(), show()],
        Standing::Pending if whose.is_meant_for_another() => {
            vec![command("what else can start", &["task", "ready"]), show()]
        }
        Standing::Pending => vec![command("begin", &["task", "start", id]), done(), show()],
    }
}
