//! The runs of sub-agents: started in their slot, resumed where they stand, had again when they stopped.

use super::select::unknown_run;
use bugle_core::engine::{
    AnsweredEscalation, Assignment, ChildOrigin, ChildReport, ChildState, ChildWork, Command, Decision,
    Environment, Origin, Refusal, RunState, Status, decide, incomplete_reviews, needed, resolve_params,
    stale, start,
};
use bugle_core::id::{ChildToken, RunId, VisitToken};
use bugle_core::workflow::{StepDef, StepText};
use bugle_render::template::Engine;
use bugle_render::words;
use bugle_store::{SnapshotStore as _, Store as _};
use bugle_wire::OrchestratorView;

use super::change::words_in;
use super::{OpenRun, Reply};
use crate::delegation::child_of;
use crate::{App, AppError, pin, tree, view};

/// How often a slot is looked at anew when others start the same sub-agent at the same time.
const TRIES: usize = 10;

impl App {
    /// Starts a sub-agent's run, or gives where it stands: the same command, run again, goes on.
    pub fn start_child(&mut self, token: &ChildToken) -> Result<Reply, AppError> {
        for _ in 0..TRIES {
            let parent = self.parent_of(token)?;
            let token = &whole(&parent, token);
            let (step, _) = self.dispatching(&parent, token)?;
            let latest = self.latest(token)?;
            let is_work = |run: &OpenRun| {
                matches!(run.state.status, Status::Active | Status::Cancelled) || run.state.is_let_go()
            };
            if latest.as_ref().is_none_or(is_work) {
                self.refuse_to_start_own_review(&parent, token)?;
            }
            let again = match latest.as_ref().map(|run| run.state.status) {
                None => true,
                Some(Status::Cancelled) => is_waited_for(&parent, token),
                Some(_) => false,
            };
            if !again {
                if let Some(run) = latest {
                    return self.resumed(&run);
                }
                continue;
            }
            if !is_waited_for(&parent, token) {
                return Err(self.refused(&parent, &late(&parent, token)));
            }
            let attempt = latest.as_ref().map_or(1, |run| attempt(&run.state) + 1);
            if let Some(run) = self.begin(&parent, &step, token, (attempt, None))? {
                return self.resumed(&run);
            }
        }
        Err(AppError::System(format!(
            "sub-agent {token} was started by others again and again"
        )))
    }

    /// Has a sub-agent that stopped started anew, with the answer to what it stopped at; the step of the run that
    /// called for it, which says whom to start.
    pub fn retry(&mut self, token: &ChildToken, answer: Option<String>) -> Result<Reply, AppError> {
        let parent = self.parent_of(token)?;
        let token = &whole(&parent, token);
        let (step, reports) = self.dispatching(&parent, token)?;
        if !is_waited_for(&parent, token) {
            return Err(self.refused(&parent, &late(&parent, token)));
        }
        let report = reports.iter().find(|report| report.slot == token.slot);
        let visit = token.parent.visit;
        let must_review_again = || {
            let now = tree::fingerprint(std::path::Path::new(&parent.directory));
            let left_out = || incomplete_reviews(&parent.state, &parent.workflow, visit, &reports);
            step.gate.is_some()
                && (stale(&reports, now.as_deref()).contains(&token.slot)
                    || left_out().iter().any(|(slot, _)| *slot == token.slot))
        };
        let answered = match report.map(|report| &report.state) {
            Some(ChildState::Escalated(kind, reason)) => {
                let file = view::answer_file(&self.place, token);
                let answer = words_in(&file, answer)?.filter(|answer| !answer.is_empty());
                let Some(answer) = answer else {
                    let mut refusal = self.refused(&parent, &Refusal::Empty("the answer"));
                    if let AppError::Refused(view) = &mut refusal {
                        view.details = vec![format!("it can be written to {}", file.display())];
                        view.command = Some(self.place.command(&["retry", &token.to_string()]));
                    }
                    return Err(refusal);
                };
                Some(AnsweredEscalation {
                    kind: *kind,
                    reason: reason.clone(),
                    answer,
                })
            }
            Some(ChildState::Failed(_) | ChildState::Cancelled) => None,
            Some(ChildState::Finished(_)) if must_review_again() => None,
            Some(ChildState::Finished(_)) => {
                return Err(self.refused(&parent, &Refusal::HasReported(token.slot)));
            }
            None
            | Some(
                ChildState::NotStarted
                | ChildState::Working(_)
                | ChildState::Waiting
                | ChildState::Left
                | ChildState::Paused,
            ) => return Err(self.refused(&parent, &Refusal::StillOpen(token.slot))),
        };
        let attempt = self.latest(token)?.map_or(1, |run| attempt(&run.state) + 1);
        self.begin(&parent, &step, token, (attempt, answered))?;
        let _ = std::fs::remove_file(view::answer_file(&self.place, token));
        self.reply(&parent)
    }

    /// The runs of the sub-agents of the visit that a run is at.
    pub(crate) fn reports(&mut self, state: &RunState) -> Result<Vec<ChildReport>, AppError> {
        let Some(visit) = state.current().filter(|visit| visit.dispatched.is_some()) else {
            return Ok(Vec::new());
        };
        let mut reports = Vec::new();
        for row in self.store.children(&state.id, visit.number)? {
            let run = self.state_of(&row.id)?;
            reports.extend(ChildReport::of(&run));
        }
        Ok(reports)
    }

    /// The run above this one that was given up, if one was.
    pub(crate) fn abandoned_by(&mut self, state: &RunState) -> Result<Option<RunId>, AppError> {
        let mut above = child_of(state).map(|child| child.token.parent.run.clone());
        while let Some(id) = above {
            let rows = self.store.runs_by_prefix(id.as_str())?;
            let Some(row) = rows.into_iter().find(|row| row.id == id) else {
                return Ok(None);
            };
            if row.status == Status::Cancelled {
                return Ok(Some(id));
            }
            above = row.child.map(|child| child.parent.run);
        }
        Ok(None)
    }

    /// Gives up the open runs of sub-agents of a run that was given up.
    pub(super) fn cancel_children(&mut self, state: &RunState) -> Result<(), AppError> {
        for row in self.store.open_children(&state.id)? {
            let reason = Some(format!("run {} was given up", state.id));
            self.cancel_row(&row.id, reason.as_deref())?;
        }
        Ok(())
    }

    /// What a sub-agent's last words are, for whoever started it.
    pub(super) fn last_word(&mut self, state: &RunState) -> Result<Option<OrchestratorView>, AppError> {
        let (Some(child), Some(report)) = (child_of(state), ChildReport::of(state)) else {
            return Ok(None);
        };
        let verdict = match &report.state {
            ChildState::Finished(result) => {
                let findings = result
                    .as_ref()
                    .and_then(|result| result.get("findings")?.as_array());
                match (&child.assignment, findings.map(Vec::len)) {
                    (Assignment::Review(_), Some(0)) => "The review found nothing.".to_owned(),
                    (Assignment::Review(_), Some(1)) => "The review has 1 finding.".to_owned(),
                    (Assignment::Review(_), Some(count)) => format!("The review has {count} findings."),
                    _ => "The work is done and its result is recorded.".to_owned(),
                }
            }
            other => format!("The sub-agent {}.", words::child_state(other)),
        };
        let parent = self.parent_of(&child.token)?;
        let token = child.token.parent.to_string();
        let (verdict, command) = if is_waited_for(&parent, &child.token) {
            let reports = self.reports(&parent.state)?;
            let reported = reports
                .iter()
                .filter(|report| report.state.has_reported())
                .count();
            let visit = parent.state.current();
            let step = visit.and_then(|visit| parent.workflow.step(&visit.step));
            let wanted = step.zip(visit).map_or(0, |(step, visit)| needed(step, visit));
            let clean = reports
                .iter()
                .all(|report| matches!(report.state, ChildState::Finished(_)));
            if reported < wanted {
                let so_far = format!("{verdict} So far {reported} of {wanted} have reported.");
                (so_far, self.place.command(&["step", &token]))
            } else if clean {
                (verdict, self.place.command(&["done", &token]))
            } else {
                (verdict, self.place.command(&["step", &token]))
            }
        } else {
            let id = parent.state.id.as_str();
            let late = format!("{verdict} It came late: run {id} has gone on without it.");
            (late, self.place.command(&["step", id]))
        };
        Ok(Some(OrchestratorView {
            verdict,
            report: self.place.command(&["show", state.id.as_str()]),
            command,
        }))
    }

    /// Every sub-agent that a run has called for and somebody has started, a line each.
    pub(super) fn children_lines(&mut self, state: &RunState) -> Result<Vec<String>, AppError> {
        let mut lines = Vec::new();
        for visit in state.visits().iter().filter(|visit| visit.dispatched.is_some()) {
            for row in self.store.children(&state.id, visit.number)? {
                if let Some(report) = ChildReport::of(&self.state_of(&row.id)?) {
                    let stands = words::child_state(&report.state);
                    let place = format!("{}#{}/{}", state.id, visit.number, report.slot);
                    lines.push(format!("Sub-agent {place}, run {}: {stands}", report.run));
                }
            }
        }
        Ok(lines)
    }

    pub(crate) fn state_of(&mut self, id: &RunId) -> Result<RunState, AppError> {
        let folded = self.store.folded(id)?.ok_or_else(|| unknown_run(id))?;
        Ok(folded.state)
    }

    pub(super) fn parent_of(&mut self, token: &ChildToken) -> Result<OpenRun, AppError> {
        let row = self.select(&super::RunSelector::Visit(token.parent.clone()))?;
        self.read_at(&row.id, token.parent.visit)
    }

    /// The step that a slot belongs to, and where its sub-agents stand.
    fn dispatching(
        &mut self,
        parent: &OpenRun,
        token: &ChildToken,
    ) -> Result<(StepDef, Vec<ChildReport>), AppError> {
        let number = token.parent.visit;
        let Some(visit) = parent.state.visit(number) else {
            return Err(self.refused(parent, &Refusal::UnknownVisit(number)));
        };
        let count = visit.children().len();
        let known = usize::try_from(token.slot).is_ok_and(|slot| (1..=count).contains(&slot));
        let step = parent.workflow.step(&visit.step).filter(|_| known).cloned();
        let Some(step) = step else {
            let refusal = Refusal::UnknownChild {
                slot: token.slot,
                children: count,
            };
            return Err(self.refused(parent, &refusal));
        };
        Ok((step, self.reports(&parent.state)?))
    }

    fn latest(&mut self, token: &ChildToken) -> Result<Option<OpenRun>, AppError> {
        let rows = self.store.children(&token.parent.run, token.parent.visit)?;
        let row = rows
            .into_iter()
            .find(|row| row.child.as_ref().is_some_and(|child| child.slot == token.slot));
        row.map(|row| self.read(&row.id)).transpose()
    }

    /// What a sub-agent's run says to an agent that may know nothing: everything, as at its beginning.
    fn resumed(&mut self, run: &OpenRun) -> Result<Reply, AppError> {
        if let Some(parent) = self.abandoned_by(&run.state)? {
            return Err(self.refused(run, &Refusal::ParentGone(parent)));
        }
        if run.state.is_let_go() {
            // Whoever is told the step takes up what another one left, and owes the report from now on.
            self.change(&run.state.id, |_| Command::Resume)?;
            let taken_up = self.read(&run.state.id)?;
            return self.told(&taken_up, true);
        }
        self.told(run, true)
    }

    /// Creates a sub-agent's run; nothing if somebody else was quicker.
    fn begin(
        &mut self,
        parent: &OpenRun,
        step: &StepDef,
        token: &ChildToken,
        (attempt, answered): (u32, Option<AnsweredEscalation>),
    ) -> Result<Option<OpenRun>, AppError> {
        if parent.state.status == Status::Cancelled {
            return Err(self.refused(parent, &Refusal::WrongStatus(Status::Cancelled)));
        }
        let begun = ChildOrigin::of(
            &parent.state,
            &parent.workflow,
            token,
            (attempt, answered),
            |text, values| {
                let text = match text {
                    StepText::Inline(text) | StepText::Literal(text) => text.clone(),
                    StepText::File(path) => pin::text(&mut self.store, &parent.compiled, path)?,
                };
                Engine::default()
                    .render(&text, values)
                    .map_err(|error| AppError::Text {
                        what: format!("the brief of step `{}` cannot be filled in: {error}", step.id),
                        hints: Vec::new(),
                    })
            },
        )?;
        let Some((child, given)) = begun else {
            return Err(self.refused(parent, &Refusal::UnknownVisit(token.parent.visit)));
        };
        let is_brief = matches!(child.work, ChildWork::Brief(_));
        let origin = Origin::Child(child);
        let workflow = parent.compiled.workflow_of(&origin).ok_or_else(|| {
            AppError::System(format!(
                "the workflow of step `{}` is not in the pinned skill",
                step.id
            ))
        })?;
        // A brief has no params of its own: what it was given stands in its text.
        let params = if is_brief {
            given
        } else {
            resolve_params(&workflow, &given).map_err(|bad| AppError::Params {
                skill: format!("{} ({})", parent.state.skill, step.id),
                bad,
                expected: crate::preview::param_lines(&workflow),
            })?
        };
        let (skill, pin) = (parent.state.skill.clone(), parent.state.pin.clone());
        let events = match start(skill, pin, &workflow, params, origin) {
            Ok(events) => events,
            Err(refusal) => return Err(self.refused(parent, &refusal)),
        };
        let row = self.select(&super::RunSelector::Run(parent.state.id.clone()))?;
        let created = self.create(&row.project, &parent.directory, &workflow, events)?;
        Ok(created.map(|state| OpenRun {
            state,
            workflow,
            compiled: parent.compiled.clone(),
            directory: parent.directory.clone(),
        }))
    }

    /// Gives up one run, without looking at what it called for: that is looked at by whoever goes through them.
    fn cancel_row(&mut self, id: &RunId, reason: Option<&str>) -> Result<(), AppError> {
        for _ in 0..TRIES {
            let run = self.read(id)?;
            let command = Command::Cancel {
                reason: reason.map(str::to_owned),
            };
            let Decision::Accept(events) = decide(&run.state, &run.workflow, command, Environment::unknown())
            else {
                return Ok(());
            };
            if self
                .append_to(run, (self.place.actor.clone(), events), None)?
                .is_some()
            {
                let given_up = self.state_of(id)?;
                return self.cancel_children(&given_up);
            }
        }
        Ok(())
    }
}

/// The place of a sub-agent with the whole id of its run: people type the beginning of one.
fn whole(parent: &OpenRun, token: &ChildToken) -> ChildToken {
    ChildToken {
        parent: VisitToken {
            run: parent.state.id.clone(),
            visit: token.parent.visit,
        },
        slot: token.slot,
    }
}

fn attempt(state: &RunState) -> u32 {
    child_of(state).map_or(0, |child| child.attempt)
}

/// Whether the run that called for a sub-agent still waits for it.
fn is_waited_for(parent: &OpenRun, token: &ChildToken) -> bool {
    let current = parent.state.current();
    current.is_some_and(|visit| visit.number == token.parent.visit && visit.judged.is_none())
}

/// The run that called for a sub-agent has gone on without it.
fn late(parent: &OpenRun, token: &ChildToken) -> Refusal {
    let visit = parent.state.visit(token.parent.visit);
    match (parent.state.status, visit.and_then(|visit| visit.ending.as_ref())) {
        (Status::Cancelled, _) => Refusal::WrongStatus(Status::Cancelled),
        (_, ending) => Refusal::StaleVisit {
            visit: token.parent.visit,
            ended: ending.map(|ending| ending.outcome),
        },
    }
}
