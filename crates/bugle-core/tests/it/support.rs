//! Shared helpers: short functions for building workflows and driving runs.

use bugle_core::engine::{Command, Decision, Event, Refusal, Report};
use bugle_core::id::VisitNumber;
use bugle_core::outcome::{Outcome, Target};
use bugle_core::shape::{Field, Presence, Shape};
use bugle_core::validate::{Package, Problem, validate};
use bugle_core::workflow::{Ask, StepDef, Workflow, WorkflowDef};
use bugle_testkit::run::TestRun;
use bugle_testkit::spelling::{expression, field_name, skill_path, step_id};
use proptest::test_runner::Config;
use serde_json::{Map, Value};

/// A configuration with this many cases and no regression files.
pub(crate) fn cases(count: u32) -> Config {
    Config {
        cases: count,
        failure_persistence: None,
        ..Config::default()
    }
}

/// A workflow's errors.
pub(crate) fn errors(definition: WorkflowDef) -> Vec<Problem> {
    let verdict = validate(&skill_path("workflow.yaml"), definition, &Package::default(), &());
    verdict.problems.into_iter().filter(Problem::is_error).collect()
}

/// Builds a workflow that must be valid.
pub(crate) fn sound(definition: WorkflowDef) -> Workflow {
    let verdict = validate(&skill_path("workflow.yaml"), definition, &Package::default(), &());
    let problems = verdict.problems;
    verdict.workflow.unwrap_or_else(|| panic!("{problems:#?}"))
}

/// A valid workflow with these steps.
pub(crate) fn workflow(steps: impl IntoIterator<Item = StepDef>) -> Workflow {
    sound(WorkflowDef::new(steps))
}

/// A step after which the run ends.
pub(crate) fn step(id: &str) -> StepDef {
    StepDef::new(id, &format!("Work on {id}"), "Do it well").unwrap()
}

/// The target for a word: the step with that id, or the end.
pub(crate) fn target(word: &str) -> Target {
    if word == "end" {
        Target::End
    } else {
        Target::Step(step_id(word))
    }
}

/// Short builders for a step's parts.
pub(crate) trait Build {
    /// Sets the next step.
    fn to(self, word: &str) -> Self;
    /// Maps an outcome to a step.
    fn on(self, outcome: Outcome, word: &str) -> Self;
    /// Maps all other outcomes to a step.
    fn otherwise(self, word: &str) -> Self;
    /// Sets `on_error`.
    fn failing_to(self, word: &str) -> Self;
    /// Adds a required field to the result.
    fn returns(self, name: &str, shape: Shape) -> Self;
    /// Adds an optional field to the result.
    fn may_bring(self, name: &str, shape: Shape) -> Self;
    /// Ends with the outcome if the guard is true.
    fn when(self, guard: &str, outcome: Outcome) -> Self;
    /// Repeats until the guard is true.
    fn until(self, guard: &str, limit: u32) -> Self;
    /// Asks a person.
    fn asks(self, choices: &[&str]) -> Self;
}

impl Build for StepDef {
    fn to(self, word: &str) -> Self {
        self.on(Outcome::Ok, word)
    }

    fn on(mut self, outcome: Outcome, word: &str) -> Self {
        *self.next.slot(outcome) = Some(target(word));
        self
    }

    fn otherwise(mut self, word: &str) -> Self {
        self.next.default = Some(target(word));
        self
    }

    fn failing_to(mut self, word: &str) -> Self {
        self.on_error = Some(target(word));
        self
    }

    fn returns(self, name: &str, shape: Shape) -> Self {
        self.returning(name, shape).unwrap()
    }

    fn may_bring(mut self, name: &str, shape: Shape) -> Self {
        self.result.push(optional(name, shape));
        self
    }

    fn when(self, guard: &str, outcome: Outcome) -> Self {
        self.routed(expression(guard), outcome)
    }

    fn until(self, guard: &str, limit: u32) -> Self {
        self.repeated(expression(guard), limit)
    }

    fn asks(mut self, choices: &[&str]) -> Self {
        self.ask = Some(Ask {
            question: "Which way?".to_owned(),
            choices: choices.iter().map(|choice| (*choice).to_owned()).collect(),
            by: bugle_core::workflow::Answerer::User,
        });
        self
    }
}

/// A required field.
pub(crate) fn required(name: &str, shape: Shape) -> Field {
    Field {
        name: field_name(name),
        shape,
        presence: Presence::Required,
        help: None,
    }
}

/// An optional field.
pub(crate) fn optional(name: &str, shape: Shape) -> Field {
    Field {
        presence: Presence::Optional,
        ..required(name, shape)
    }
}

/// A choice between these strings.
pub(crate) fn one_of(words: &[&str]) -> Shape {
    Shape::Enum(words.iter().map(|word| (*word).to_owned()).collect())
}

/// Starts a run without params.
pub(crate) fn begun(workflow: &Workflow) -> TestRun<'_> {
    TestRun::start(workflow, Map::new()).unwrap()
}

/// Finishes a visit.
pub(crate) fn done(visit: u32) -> Command<'static> {
    reported(visit, Report::Done(None))
}

/// Ends a visit even though its sub-agents have open questions.
pub(crate) fn unanswered(visit: u32) -> Command<'static> {
    reported(visit, Report::Unanswered)
}

/// Finishes a visit with this result.
pub(crate) fn brought(visit: u32, result: Value) -> Command<'static> {
    reported(visit, Report::Done(Some(result)))
}

/// Fails a visit.
pub(crate) fn gave_up(visit: u32, reason: &str) -> Command<'static> {
    reported(
        visit,
        Report::Failed {
            reason: reason.to_owned(),
        },
    )
}

fn reported(visit: u32, report: Report) -> Command<'static> {
    Command::Done {
        visit: VisitNumber(visit),
        report,
        note: None,
    }
}

/// A person's answer.
pub(crate) fn answer(text: &str) -> Command<'static> {
    Command::Answer {
        visit: None,
        answer: Some(text.to_owned()),
        reason: None,
    }
}

/// Short functions for driving runs.
pub(crate) trait Drive {
    /// Runs a command that must be accepted, and returns its events.
    fn accept(&mut self, command: Command<'_>) -> Vec<Event>;
    /// Runs a command that must be refused, and returns the refusal.
    fn refusal(&self, command: Command<'_>) -> Refusal;
    /// The open visit's step, or `end`.
    fn at(&self) -> String;
    /// The open visit's number.
    fn number(&self) -> u32;
}

impl Drive for TestRun<'_> {
    fn accept(&mut self, command: Command<'_>) -> Vec<Event> {
        match self.submit(command).unwrap() {
            Decision::Accept(events) => events,
            other => panic!("not accepted: {other:?}"),
        }
    }

    fn refusal(&self, command: Command<'_>) -> Refusal {
        match self.decide(command) {
            Decision::Refuse(refusal) => refusal,
            other => panic!("not refused: {other:?}"),
        }
    }

    fn at(&self) -> String {
        self.state
            .current()
            .map_or_else(|| "end".to_owned(), |visit| visit.step.to_string())
    }

    fn number(&self) -> u32 {
        self.state.current().unwrap().number.0
    }
}
