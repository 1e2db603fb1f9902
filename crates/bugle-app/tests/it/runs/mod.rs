//! Runs.

mod answers;
mod exactly_once;
mod history;
mod later_visits;
mod ownership;
mod pause_and_cancel;
mod reports;
mod result_checks;
mod rewind_and_fork;
mod run_ids;
mod run_lists;
mod selection;

use bugle_app::{AppError, DoneRequest, Reply, RunSelector, runs};
use bugle_core::engine::RunStatus;
use bugle_core::id::{RunId, VisitNumber, VisitToken};
use bugle_core::reply::{RunDetail, StepView, TimelineEntry, TimelineKind};
use bugle_render::{notice_text, timeline_text};
use serde_json::{Value, json};

use crate::project::Project;
use crate::reviewed::{request, visit, with_result};

/// Two steps that each return a result, and a third that returns none.
const THREE: &str = include_str!("../../../../bugle-cli/tests/it/support/workflows/three.yaml");

/// A question with choices, a question with a free answer, and a step that can fail.
const ASKING: &str = include_str!("../../../../bugle-cli/tests/it/support/workflows/asking.yaml");

/// A project with a run of this workflow at its first step.
fn started(name: &str, workflow: &str) -> (Project, StepView) {
    let mut project = Project::new();
    project.write_skill(name, workflow);
    let first = project.start_skill(name);
    (project, first)
}

/// A project with a run of [`THREE`] at its first step.
fn three() -> (Project, StepView) {
    started("three", THREE)
}

/// The result of a step of [`THREE`].
fn word(word: &str) -> Value {
    json!({ "word": word })
}

/// A step's notices.
fn notices(step: &StepView) -> Vec<String> {
    step.notices.iter().map(notice_text::run).collect()
}

/// The run of a step.
fn run_of(step: &StepView) -> RunSelector {
    RunSelector::Run(step.position.run.clone())
}

/// A visit of a step's run.
fn visit_of(step: &StepView, number: u32) -> VisitToken {
    VisitToken {
        run: step.position.run.clone(),
        visit: VisitNumber(number),
    }
}

impl Project {
    pub(crate) fn finish(&mut self, request: DoneRequest) -> Result<Reply, AppError> {
        runs::done(&mut self.app.store, &self.app.context, request)
    }

    /// Ends a visit without a result in the command.
    pub(crate) fn end_visit(&mut self, at: &StepView) -> Result<Reply, AppError> {
        self.finish(request(visit(at)))
    }

    /// Ends a visit with a result in the command.
    fn end_visit_with(&mut self, visit: &VisitToken, result: &Value) -> Result<Reply, AppError> {
        self.finish(with_result(visit.clone(), result))
    }

    /// Ends a visit with a result in its file.
    pub(crate) fn report(&mut self, step: &StepView, result: &Value) -> Result<Reply, AppError> {
        std::fs::write(&step.result.as_ref().unwrap().file, result.to_string()).unwrap();
        self.end_visit(step)
    }

    pub(crate) fn decide(
        &mut self,
        at: &RunSelector,
        answer: Option<&str>,
        why: Option<&str>,
    ) -> Result<Reply, AppError> {
        let (answer, why) = (answer.map(str::to_owned), why.map(str::to_owned));
        let decided = runs::decide(&mut self.app.store, &self.app.context, at, answer, why)?;
        Ok(decided.reply)
    }

    /// A run's current step.
    fn current(&mut self, at: &RunSelector) -> Result<Reply, AppError> {
        runs::step(&mut self.app.store, &self.app.context, at)
    }

    fn pause(&mut self, at: &RunSelector, why: Option<&str>) -> Result<RunId, AppError> {
        runs::pause(&mut self.app.store, &self.app.context, at, why)
    }

    pub(crate) fn resume(&mut self, at: &RunSelector) -> Result<Reply, AppError> {
        runs::resume(&mut self.app.store, &self.app.context, at)
    }

    fn cancel(&mut self, at: &RunSelector, why: Option<&str>) -> Result<RunId, AppError> {
        runs::cancel(&mut self.app.store, &self.app.context, at, why)
    }

    fn upgrade(&mut self, at: &RunSelector) -> Result<Reply, AppError> {
        runs::upgrade(&mut self.app.store, &self.app.context, at)
    }

    fn note(&mut self, at: &RunSelector, text: &str) -> Result<RunId, AppError> {
        runs::note(&mut self.app.store, &self.app.context, at, text)
    }

    pub(crate) fn rewind(&mut self, to: &VisitToken) -> Result<Reply, AppError> {
        let selector = RunSelector::Visit(to.clone());
        runs::rewind(&mut self.app.store, &self.app.context, &selector, to.visit)
    }

    fn fork(&mut self, at: &VisitToken) -> Result<Reply, AppError> {
        let selector = RunSelector::Visit(at.clone());
        runs::fork(&mut self.app.store, &self.app.context, &selector, at.visit)
    }

    fn try_show_run(&mut self, at: &RunSelector) -> Result<RunDetail, AppError> {
        runs::show(&mut self.app.store, &self.app.context, at)
    }

    /// A step's run with its timeline.
    #[track_caller]
    pub(crate) fn show_run(&mut self, step: &StepView) -> RunDetail {
        self.try_show_run(&run_of(step)).unwrap()
    }

    #[track_caller]
    fn status_of_run(&mut self, step: &StepView) -> RunStatus {
        self.show_run(step).summary.position.status
    }

    /// The kinds of a run's events, in order.
    #[track_caller]
    fn event_kinds(&mut self, step: &StepView) -> Vec<TimelineKind> {
        let timeline = self.show_run(step).timeline;
        timeline.iter().map(TimelineEntry::kind).collect()
    }

    /// The sentences about a run's events, in order.
    #[track_caller]
    fn history(&mut self, step: &StepView) -> Vec<String> {
        let timeline = self.show_run(step).timeline.into_iter();
        timeline
            .map(|entry| timeline_text::change(&entry.change))
            .collect()
    }
}
