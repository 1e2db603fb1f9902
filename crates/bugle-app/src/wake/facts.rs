//! What there is to say to an agent, before anything is cut.

use std::collections::BTreeMap;

use bugle_core::digest::{DigestedSection, Relevance};
use bugle_core::id::SessionId;
use bugle_core::name::AgentName;
use bugle_store::{AgentStore as _, PlanRow, RunRow, TaskRow, TaskStore as _};
use bugle_wire::{
    CommandView, NextAction, StepView, TaskLine, TaskPosition, WakeFacts, WakePlan, WakeSection, WakeSkill,
};

use super::at_hand::AtHand;
use super::recovery::{Left, take_over};
use super::{Gathered, ShortClock, WakeRequest};
use crate::agent::Me;
use crate::message::own_name;
use crate::plan::FileState;
use crate::run::Reply;
use crate::task::{Sections, Standpoint, line_views, plan_name};
use crate::{App, AppError};

/// How many tasks inside the current one are looked at, itself counted.
const MOST_INSIDE: u32 = 40;
/// How many siblings are looked at before it, and how many behind it.
const MOST_BESIDE: u32 = 20;
/// On how many levels of the tree it is looked what was closed before: that of the task, and of what it lies in.
const MOST_LEVELS: usize = 4;
/// How many tasks of a plan are counted: each one takes time, and after so many the number tells little.
const MOST_COUNTED: u32 = 1_000;
impl App {
    /// Gathers everything that may be said.
    pub(super) fn gather(
        &mut self,
        request: &WakeRequest,
        clock: ShortClock<'_>,
    ) -> Result<Gathered, AppError> {
        let me = match (&request.agent, self.me(request.agent.as_deref())) {
            (_, Ok(me)) => Some(me),
            (None, Err(AppError::Usage { .. })) => None,
            (_, Err(error)) => return Err(error),
        };
        let project = self.project()?;
        let named = request.agent.as_deref();
        let session = match named {
            Some(name) => Some(self.session_of(name, me.as_ref())?),
            None => None,
        };
        let left = match &request.replaces {
            Some(replaced) => Some(self.left_by(&replaced.agent, project.as_ref())?),
            None => None,
        };
        let AtHand {
            run,
            says,
            held,
            others: mut other_runs,
        } = match &left {
            Some(left) => self.run_left(left, project.as_ref(), request)?,
            None => self.run_at_hand(project.as_ref(), session, request)?,
        };
        let mut untold = None;
        let step = match run.as_ref().map(|run| self.step_of(run)) {
            None => None,
            // A skill with a mistake in it keeps nobody from the tasks and messages.
            Some(Err(AppError::Text { what, hints })) => {
                other_runs = other_runs.saturating_add(1);
                untold = Some(format!("A run is open here, but {what}. {}", hints.join(" ")));
                None
            }
            Some(told) => told?,
        };
        // Whoever takes over goes on where the other one stood.
        let named = named.and_then(|name| AgentName::new(name.trim_start_matches('@')).ok());
        let whose = left.as_ref().map_or(named, Left::agent_name);
        let at = match &project {
            Some(project) => self.position_of(project.clone(), whose.as_ref())?,
            None => None,
        };
        let position = at.as_ref().map(|at| at.view.clone());
        let recovery = match (&left, &request.replaces) {
            (Some(left), Some(replaced)) => Some(self.recovery(
                left,
                replaced,
                (request.agent.as_deref(), project.as_ref()),
                step.as_ref(),
                at.as_ref().map(|at| &at.row),
                clock,
            )?),
            _ => None,
        };
        if step.is_none() && (held.is_some() || other_runs > 0) {
            // Others have something open, which is named: it is not so that nothing is.
            untold.get_or_insert_default();
        }
        let mut next = self.next_action((step.as_ref(), says.as_deref()), position.as_ref(), untold);
        if let (None, Some(left), Some(at)) = (&step, &left, &position)
            && left.has_task(&at.task.id)
        {
            let take = take_over(&self.place, &at.task.id, request.agent.as_deref());
            next.commands.insert(0, take);
        }
        let mail = self.messages_for(me.as_ref(), request, clock)?;
        let mut facts = WakeFacts {
            reason: request.reason.as_str().to_owned(),
            agent: me
                .as_ref()
                .map_or_else(String::new, |me| format!("@{}", me.address.seen_from(&me.home))),
            project: own_name(&self.place),
            branch: self.place.branch(),
            recovery,
            held,
            other_runs,
            tasks: Vec::new(),
            waited_for: Vec::new(),
            again: self.again(request),
            closed: Some(0),
            total: 0,
            skill: None,
            plan: None,
            learnt: Vec::new(),
            activity: Vec::new(),
            questions: mail.questions,
            messages: mail.messages,
            more_messages: mail.more,
            next,
            step,
            position,
        };
        if let Some(at) = &at {
            (facts.closed, facts.total) = self.counts(at)?;
        }
        // Whoever still has what it knew is told only what is new.
        if left.is_some() || !request.reason.remembers() {
            self.recall(&mut facts, run.as_ref(), (at.as_ref(), whose.as_ref()), clock)?;
        }
        Ok(Gathered {
            facts,
            project,
            read: mail.read,
        })
    }

    /// What only somebody needs who has forgotten it.
    fn recall(
        &mut self,
        facts: &mut WakeFacts,
        run: Option<&RunRow>,
        (at, whose): (Option<&Standpoint>, Option<&AgentName>),
        clock: ShortClock<'_>,
    ) -> Result<(), AppError> {
        // The rows beside the task, then those beside what it lies in, the nearest first.
        let mut beside = Vec::new();
        if let Some(at) = at {
            for row in std::iter::once(&at.row).chain(&at.above).take(MOST_LEVELS) {
                beside.push(self.store.beside(row, MOST_BESIDE)?);
            }
        }
        let around = match at {
            Some(at) => Some(self.surroundings(at, &beside)?),
            None => None,
        };
        facts.learnt = self.learnt(run, around.as_ref())?;
        facts.activity = self.activity(run, around.as_ref(), &facts.learnt, clock)?;
        if let Some(at) = at {
            facts.tasks = self.tasks_around(at, beside, (whose, &facts.agent))?;
            facts.waited_for = self.waited_for(&facts.tasks)?;
            facts.skill = self.skill_for(at)?;
            facts.plan = match &at.plan {
                Some((plan, file)) => Some(self.plan_view((&at.row, &at.above), plan, file.as_ref())?),
                None => None,
            };
        }
        Ok(())
    }

    /// The session in which a named agent has its runs; else whatever it is called.
    fn session_of(&mut self, name: &str, me: Option<&Me>) -> Result<SessionId, AppError> {
        let row = match me.and_then(|me| me.project.as_ref().map(|project| (project, &me.address))) {
            Some((project, address)) => self.store.agent(project, address)?,
            None => None,
        };
        let session = row.and_then(|row| row.session);
        Ok(session.unwrap_or_else(|| SessionId(name.trim_start_matches('@').to_owned())))
    }

    /// The step that a run is at; nothing if it is put aside or cannot be read.
    pub(super) fn step_of(&mut self, row: &RunRow) -> Result<Option<StepView>, AppError> {
        let run = self.read(&row.id)?;
        match self.told(&run, true) {
            Ok(Reply::Step(step)) => Ok(Some(*step)),
            Ok(Reply::End(_)) | Err(AppError::Refused(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The current task with what it lies in, its siblings and what lies in it, in order.
    fn tasks_around(
        &mut self,
        at: &Standpoint,
        beside: Vec<Vec<TaskRow>>,
        (whose, agent): (Option<&AgentName>, &str),
    ) -> Result<Vec<TaskLine>, AppError> {
        let Standpoint { row, above, .. } = at;
        let inside = self
            .store
            .window(&row.project, Some(&row.path), true, MOST_INSIDE)?;
        // Those beside the task and beside what it lies in; farther out only the way up is shown.
        let mut all = vec![inside, above.clone()];
        all.extend(beside.into_iter().take(2));
        let around: BTreeMap<String, TaskRow> = all
            .into_iter()
            .flatten()
            .map(|row| (row.path.as_str().to_owned(), row))
            .collect();
        let rows: Vec<TaskRow> = around.into_values().collect();
        let mut lines = line_views(&rows, Some(&row.task.id));
        let reader = self.worker_for(&row.project, whose)?;
        let mut known: BTreeMap<String, String> = BTreeMap::new();
        for held in lines.iter_mut().filter_map(|line| line.task.agent.as_mut()) {
            if !known.contains_key(held) {
                let called = match AgentName::new(held.as_str()) {
                    Ok(name) => self.called_holder(&row.project, &name, reader.as_ref())?,
                    Err(_) => Some(held.clone()),
                };
                // Whoever wakes up is known by the name that it is woken up with.
                known.insert(held.clone(), called.unwrap_or_else(|| agent.to_owned()));
            }
            if let Some(called) = known.get(held) {
                held.clone_from(called);
            }
        }
        Ok(lines)
    }

    /// How many tasks of the plan, or of the outermost task, are closed, and how many there are.
    fn counts(&mut self, at: &Standpoint) -> Result<(Option<u32>, u32), AppError> {
        if let Some((plan, _)) = &at.plan {
            let (total, closed) = self.store.plan_counts(&plan.id, MOST_COUNTED + 1)?;
            let closed = Some(closed).filter(|_| total <= MOST_COUNTED);
            return Ok((closed, total.min(MOST_COUNTED)));
        }
        let root = at.above.last().unwrap_or(&at.row);
        let closed = root.children.saturating_sub(root.open_children);
        Ok((Some(closed), root.children))
    }

    fn skill_for(&mut self, at: &Standpoint) -> Result<Option<WakeSkill>, AppError> {
        let row = &at.row;
        let sections = self.sections_for(row, &at.skill, None)?;
        let choice = at.skill.view.clone();
        let Some(name) = choice.skill else { return Ok(None) };
        let sections = sections.map(section_views).unwrap_or_default();
        let version = choice.pinned.as_ref().map(|pin| {
            let hash = pin.hash.get(..12).unwrap_or(&pin.hash);
            pin.version
                .as_ref()
                .map_or(hash.to_owned(), |version| format!("{version} ({hash})"))
        });
        Ok(Some(WakeSkill {
            whole: (!sections.is_empty()).then(|| {
                self.place
                    .command(&["task", "skill", row.task.id.as_str(), "--text"])
            }),
            name,
            because: choice.because,
            version,
            sections,
            reminders: choice.reminders,
            notices: [choice.notices, at.skill.notices.clone()].concat(),
        }))
    }

    /// What a plan says about a task that comes from it, or lies in one that does.
    pub(super) fn plan_for(&mut self, row: &TaskRow) -> Result<Option<WakePlan>, AppError> {
        let above = self.store.above(row)?;
        let Some(plan) = self.plan_above(row, &above)? else {
            return Ok(None);
        };
        let file = self.file_state(&plan)?;
        self.plan_view((row, &above), &plan, file.as_ref()).map(Some)
    }

    /// The same if the plan and its file are known, and what the task lies in.
    fn plan_view(
        &mut self,
        (row, above): (&TaskRow, &[TaskRow]),
        plan: &PlanRow,
        file: Option<&FileState>,
    ) -> Result<WakePlan, AppError> {
        // A step below a plan's task (a review of it, say) is about that task's text.
        let planned = std::iter::once(row)
            .chain(above)
            .find(|row| row.task.plan.is_some());
        let reading = self.reading(plan, planned.map(|row| &row.task), file)?;
        Ok(WakePlan {
            name: plan_name(plan),
            interfaces: reading.interfaces(),
            goal: reading.goal,
            constraints: reading.constraints,
            text: reading.text,
            notices: self.notices_of_file(plan, file),
            task_command: planned.map(|row| {
                let id = row.task.id.as_str();
                self.place.command(&["task", "show", id, "--full"])
            }),
            command: self.place.command(&["plan", "show", plan.id.as_str()]),
        })
    }

    /// What closes what is open: the step of a run, with what there is to say about whose it is; else the task. If there is a
    /// step that cannot be told, why not.
    fn next_action(
        &self,
        (step, whose): (Option<&StepView>, Option<&str>),
        position: Option<&TaskPosition>,
        untold: Option<String>,
    ) -> NextAction {
        if let Some(step) = step {
            let command = |does: &str, command: &String| CommandView {
                does: does.to_owned(),
                command: command.clone(),
            };
            let mut commands: Vec<CommandView> = Vec::new();
            let says = if let (Some(ask), None) = (&step.ask, &step.command) {
                commands.extend(
                    ask.choices
                        .iter()
                        .map(|choice| command(&choice.answer, &choice.command)),
                );
                format!("The step \"{}\" waits for the user's answer.", step.title)
            } else if let Some(asking) = step
                .dispatch
                .as_ref()
                .map(|view| view.asking)
                .filter(|asking| *asking > 0)
            {
                commands.push(CommandView {
                    does: "to see the questions and how to answer them".to_owned(),
                    command: self.place.command(&["step", &step.position.run]),
                });
                let asks = match asking {
                    1 => "1 of its sub-agents has an open question".to_owned(),
                    asking => format!("{asking} of its sub-agents have open questions"),
                };
                format!("The step \"{}\" cannot end yet: {asks}.", step.title)
            } else {
                let whose = whose.map_or(String::new(), |whose| format!(" {whose}"));
                format!(
                    "The step \"{}\" is open.{whose} When it is done, the command below ends it.",
                    step.title
                )
            };
            commands.extend(step.command.as_ref().map(|line| command("when it is done", line)));
            return NextAction { says, commands };
        }
        match position {
            Some(at) => NextAction {
                says: untold.unwrap_or_default(),
                commands: at.commands.clone(),
            },
            None => NextAction {
                says: untold.unwrap_or_else(|| "Nothing is open here.".to_owned()),
                commands: Vec::new(),
            },
        }
    }
}

fn section_views((digested, relevant): Sections) -> Vec<WakeSection> {
    let view = |(at, section): (usize, DigestedSection)| {
        let found = relevant.iter().find(|relevance| relevance.section == at);
        WakeSection {
            title: section.title,
            score: found.map_or(0, |relevance| relevance.score),
            needed: found.is_some_and(Relevance::is_needed),
            full: section.full.text,
            digest: section.digest.text,
            pointer: section.pointer.text,
        }
    };
    digested.sections.into_iter().enumerate().map(view).collect()
}
