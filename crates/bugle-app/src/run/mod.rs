//! The use cases of runs: start, step, done, decide, and everything that a person can do to a run.

mod change;
mod child;
mod child_refusal;
mod files;
mod findings;
mod history;
mod holder;
mod reviewer;
mod select;
mod start;
mod tasks;

use bugle_core::engine::{
    Assignment, Refusal, ReworkBrief, RunState, Status, context, iteration, judged_tree, stale, verdict_of,
};
use bugle_core::outcome::Outcome;
use bugle_core::workflow::Workflow;
use bugle_wire::{EndView, RefusalView, StepView};

pub(crate) use history::{summary, timeline};
pub(crate) use holder::Turn;

pub use change::{DoneRequest, MAX_INPUT_BYTES, Stop};
pub use findings::Accepted;
pub use select::{RunSelector, child_token, visit_token};
pub use start::{Given, StartRequest};

use crate::pin::Compiled;
use crate::view::{self, Surroundings};
use crate::{App, AppError, delegation, folder, pin, tree};

/// What follows from a command.
#[derive(Debug)]
pub enum Reply {
    /// The step to do now.
    Step(Box<StepView>),
    /// The run is over.
    End(Box<EndView>),
}

/// A run that was read: its state, its skill, and the folder it was started in.
pub(crate) struct OpenRun {
    pub state: RunState,
    pub workflow: Workflow,
    pub compiled: Compiled,
    pub directory: String,
}

impl App {
    /// What a run says now: its current step, its end, or why there is nothing to do.
    pub(crate) fn reply(&mut self, run: &OpenRun) -> Result<Reply, AppError> {
        self.told(run, false)
    }

    /// The same; `afresh` if whoever reads it may know nothing, as when a sub-agent is started again.
    pub(crate) fn told(&mut self, run: &OpenRun, afresh: bool) -> Result<Reply, AppError> {
        let OpenRun {
            state,
            workflow,
            compiled,
            directory,
        } = run;
        match state.status {
            Status::Active | Status::Waiting => {}
            Status::Completed => return Ok(Reply::End(Box::new(self.end(run)?))),
            Status::Cancelled if delegation::child_of(state).is_some() => {
                let refusal = match self.abandoned_by(state)? {
                    Some(parent) => Refusal::ParentGone(parent),
                    None => Refusal::WrongStatus(state.status),
                };
                return Err(self.refused(run, &refusal));
            }
            Status::Paused | Status::Cancelled => {
                return Err(self.refused(run, &Refusal::WrongStatus(state.status)));
            }
        }
        let (Some(visit), Some(token)) = (state.current(), state.current_token()) else {
            return Err(AppError::System(format!(
                "run {} is open but at no step",
                state.id
            )));
        };
        let step = workflow.step(&visit.step).ok_or_else(|| {
            AppError::System(format!(
                "run {} is at a step that its skill does not have",
                state.id
            ))
        })?;
        let reports = self.reports(state)?;
        let (role, given_out) = delegation::role_of(Some(state), step);
        let held_to = compiled.roles.get(&role).filter(|_| given_out);
        let mut notices = self.notices(run);
        let is_reviewed = step.gate.is_some() && reports.iter().any(|report| report.tree.is_some());
        let judged = judged_tree(state, step, visit, &step.permitted(held_to));
        let now = if is_reviewed || judged.is_some() {
            tree::fingerprint(std::path::Path::new(directory))
        } else {
            None
        };
        let outdated = if is_reviewed {
            stale(&reports, now.as_deref())
        } else {
            Vec::new()
        };
        if let Some(judged) = judged
            && now.is_some_and(|now| now != judged)
        {
            notices.push(
                "The files have changed since they were reviewed; the verdict says nothing about them."
                    .to_owned(),
            );
        }
        let child_role = step
            .dispatch
            .as_ref()
            .and_then(|dispatch| compiled.roles.get(&dispatch.role));
        let values = context(state, workflow, visit.number).for_templates();
        let around = Surroundings {
            role,
            held_to,
            begins: delegation::child_of(state).is_some() && (afresh || visit.after.is_none()),
            delegation: delegation::delegation(
                &self.place,
                state,
                workflow,
                (step, visit),
                (&reports, &outdated),
                child_role,
            ),
            position: view::position(state),
            task: view::task(state),
            iteration: iteration(state, workflow, visit.number),
            token,
            context: &values,
            notices,
        };
        let store = &mut self.store;
        let view = view::step_view(&self.place, step, around, &mut |path| {
            pin::text(store, compiled, path)
        })?;
        let dispatches = view.dispatch.is_some();
        if view.result.is_some() || view.failure_file.is_some() || view.ask.is_some() || dispatches {
            folder::make_private(&self.place.work_folder(&state.id))?;
        }
        Ok(Reply::Step(Box::new(view)))
    }

    pub(super) fn end(&mut self, run: &OpenRun) -> Result<EndView, AppError> {
        let state = &run.state;
        let orchestrator = self.last_word(state)?;
        let mut notices = Vec::new();
        if let Some(visit) = state.head() {
            notices.extend(exhaustion(state, &run.workflow, visit));
        }
        Ok(EndView {
            position: view::position(state),
            message: ending_message(state),
            notices,
            command: self.place.command(&["show", state.id.as_str()]),
            orchestrator,
        })
    }

    /// Facts about a run that whoever goes on should know.
    fn notices(&self, run: &OpenRun) -> Vec<String> {
        let OpenRun {
            state,
            workflow,
            compiled,
            directory,
        } = run;
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut notices: Vec<String> = state
            .current()
            .into_iter()
            .flat_map(|visit| &visit.notes)
            .map(|note| format!("Noted by {}: \"{}\"", note.by, one_line(&note.text)))
            .collect();
        if let Some(answered) = delegation::child_of(state).and_then(|child| child.answered.as_ref()) {
            notices.push(format!(
                "An earlier attempt stopped here ({}): \"{}\" The answer: \"{}\"",
                answered.kind.as_str(),
                one_line(&answered.reason),
                one_line(&answered.answer)
            ));
        }
        let child = delegation::child_of(state).map(|child| &child.assignment);
        if let Some(Assignment::Rework(ReworkBrief {
            wanted: Some(why), ..
        })) = child
        {
            notices.push(format!(
                "The user wants it mended once more, because: \"{}\"",
                one_line(why)
            ));
        }
        let before = state.current().and_then(|visit| state.visit(visit.after?));
        if let Some(before) = before {
            notices.extend(exhaustion(state, workflow, before));
            let ending = before.ending.as_ref();
            if let Some((answer, why)) = before.explained() {
                notices.push(format!(
                    "At step `{}` the user answered `{}`, because: \"{}\"",
                    before.step,
                    one_line(answer),
                    one_line(why)
                ));
            } else if let Some(reason) = ending
                .filter(|end| end.outcome == Outcome::Fail)
                .and_then(|end| end.reason.as_ref())
            {
                notices.push(format!(
                    "Step `{}` was reported as impossible: \"{}\"",
                    before.step,
                    one_line(reason)
                ));
            }
        }
        // A sub-agent keeps to what it was started with, and cannot do anything about it.
        if delegation::child_of(state).is_some() {
            return notices;
        }
        let there = self.place.rooted(directory);
        notices.extend(pin::drift(&there, state.skill.as_str(), compiled));
        notices
    }

    /// A refusal with where the run stands and the command that goes on from there.
    pub(crate) fn refused(&self, run: &OpenRun, refusal: &Refusal) -> AppError {
        let state = &run.state;
        let words = bugle_render::words::refusal(refusal);
        let id = state.id.as_str();
        let again = || {
            state
                .current_token()
                .map(|token| self.place.command(&["done", &token.to_string()]))
        };
        let command = match refusal {
            Refusal::ResultMissing(_)
            | Refusal::ResultMismatch { .. }
            | Refusal::ChecksFailed { .. }
            | Refusal::ResultUnexpected
            | Refusal::EvidenceUnmet(_)
            | Refusal::ChecksMissing(_)
            | Refusal::UnknownDispute { .. }
            | Refusal::Untrusted { .. } => again(),
            _ => match state.status {
                Status::Active | Status::Waiting => Some(view::go_on(&self.place, &state.id)),
                Status::Paused => Some(self.place.command(&["resume", id])),
                Status::Completed | Status::Cancelled => Some(self.place.command(&["show", id])),
            },
        };
        let mut details = self.details_about_children(run, refusal, words.details);
        let mut remedy = words.remedy;
        if let Some(token) = state.current_token() {
            let file = view::result_file(&self.place, &token).display().to_string();
            match refusal {
                Refusal::ResultMissing(_) => {
                    remedy = format!("Write the result as JSON to {file}, and run the same command again.");
                }
                Refusal::ResultMismatch { .. } | Refusal::ChecksFailed { .. } => {
                    remedy = format!("Fix the result in {file}, and run the same command again.");
                }
                Refusal::ChecksMissing(_) => {
                    remedy = format!(
                        "Make the missing checks, add them to `checks` in {file}, and run the same command again."
                    );
                }
                _ => {}
            }
        }
        if let (Refusal::Empty(_), Some(token)) = (refusal, state.current_token()) {
            details.push(format!(
                "it can be written to {}",
                view::words_file(&self.place, &token).display()
            ));
        }
        if matches!(refusal, Refusal::Untrusted { .. }) {
            let there = self.place.rooted(&run.directory);
            if pin::drift(&there, state.skill.as_str(), &run.compiled).is_some() {
                let upgrade = self.place.command(&["upgrade", id]);
                details.push(format!(
                    "the skill has changed since the run started; if the new version is trusted, move the run to it: {upgrade}"
                ));
            }
            let trust = self
                .place
                .command(&["-C", &run.directory, "trust", state.skill.as_str()]);
            details.push(format!("for the user, to trust it: {trust}"));
        }
        AppError::Refused(Box::new(RefusalView {
            code: refusal.code().to_owned(),
            message: words.message,
            details,
            outline: words.outline,
            remedy,
            position: Some(view::position(state)),
            command,
        }))
    }
}

/// How a run came to its end, and what is left to do.
fn ending_message(state: &RunState) -> String {
    if state.status == Status::Cancelled {
        return format!(
            "Run {} of {} was given up, as decided. Tell the user.",
            state.id, state.skill
        );
    }
    let failure = state.head().and_then(|visit| {
        let ending = visit
            .ending
            .as_ref()
            .filter(|ending| ending.outcome == Outcome::Fail)?;
        let reason = ending.reason.as_deref().unwrap_or("it did not pass");
        let reason: Vec<&str> = reason.split_whitespace().collect();
        Some(format!("step `{}` failed: \"{}\"", visit.step, reason.join(" ")))
    });
    match failure {
        Some(failure) => {
            format!(
                "Run {} of {} ended without success, {failure}. Tell the user.",
                state.id, state.skill
            )
        }
        None => format!(
            "Run {} of {} is complete. Tell the user what it found.",
            state.id, state.skill
        ),
    }
}

/// A loop that ended only because of its limit is worth a sentence: what it looked for was not found.
fn exhaustion(state: &RunState, workflow: &Workflow, visit: &bugle_core::engine::Visit) -> Option<String> {
    let exhausted = visit.ending.as_ref().is_some_and(|ending| ending.exhausted);
    // At a gate's limit a person decided, which its verdict says.
    (exhausted && verdict_of(visit).is_none()).then(|| {
        format!(
            "Step `{}` reached its limit of {} rounds before its condition held.",
            visit.step,
            iteration(state, workflow, visit.number)
        )
    })
}
