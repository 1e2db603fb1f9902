//! Workflows: params, steps and transitions. A [`WorkflowDef`] is an author's definition. A [`Workflow`] has passed all
//! rules, and only a [`Workflow`] can run.

mod acting;
mod build;
pub mod command_line;
mod definition;
mod registry;
mod shapes;

pub use acting::RoleSource;
pub use definition::{
    Answerer, Arg, Ask, AtLimit, Check, Decider, Dispatch, DispatchWork, Evidence, FanOut, GateConfig, Loop,
    MAX_LIMIT, Route, StepDef, StepText, TaskUse, WorkflowDef,
};
pub use registry::{DuplicateWorkflow, Registry};
pub use shapes::{REMOVED, record_shape, sub_agent_result, task_shape, with_identified_items};

use serde::{Deserialize, Serialize};

use crate::name::StepId;
use crate::outcome::{Outcome, Target};

/// A workflow that has passed all rules. Only [`crate::validate::validate`] creates one; stored workflows were
/// validated before they were stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Workflow(WorkflowDef);

/// The kinds of transitions that a step can have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Routing<'a> {
    /// One transition.
    Linear(&'a StepId),
    /// Several transitions, by outcome.
    Branch(Vec<(Outcome, &'a Target)>),
    /// The run ends here with any outcome.
    Terminal,
}

impl Workflow {
    /// Wraps a definition that has passed all rules. Only the validator may call this.
    pub(crate) fn proven(definition: WorkflowDef) -> Self {
        Self(definition)
    }

    /// The author's definition.
    pub fn definition(&self) -> &WorkflowDef {
        &self.0
    }

    /// The params.
    pub fn params(&self) -> &[Arg] {
        &self.0.params
    }

    /// The steps. The first step is the entry.
    pub fn steps(&self) -> &[StepDef] {
        &self.0.steps
    }

    /// The first step of a run.
    pub fn entry(&self) -> Option<&StepDef> {
        self.0.steps.first()
    }

    /// The step with this id.
    pub fn step(&self, id: &StepId) -> Option<&StepDef> {
        self.0.step(id)
    }
}

impl StepDef {
    /// The kind of transitions that this step has.
    pub fn routing(&self) -> Routing<'_> {
        let mut ways: Vec<(Outcome, &Target)> = Vec::new();
        for outcome in self.possible_outcomes() {
            if let Some(target) = self.leads_to(outcome) {
                ways.push((outcome, target));
            }
        }
        let mut targets: Vec<&Target> = ways.iter().map(|(_, target)| *target).collect();
        targets.dedup();
        match targets.as_slice() {
            [Target::End] | [] => Routing::Terminal,
            [Target::Step(id)] => Routing::Linear(id),
            _ => Routing::Branch(ways),
        }
    }

    /// The target for an outcome. A failure that the agent reports leads to `on_error` unless `next` maps `fail`.
    pub fn leads_to(&self, outcome: Outcome) -> Option<&Target> {
        match outcome {
            Outcome::Fail => self
                .next
                .own(outcome)
                .or(self.on_error.as_ref())
                .or(self.next.default.as_ref()),
            _ => self.next.after(outcome),
        }
    }

    /// Whether the step dispatches one sub-agent per task that can start.
    pub fn dispatches_tasks(&self) -> bool {
        let fan_out = self.dispatch.as_ref().map(|dispatch| &dispatch.fan_out);
        matches!(fan_out, Some(FanOut::Tasks { .. }))
    }

    /// How a visit with this outcome closes the run's task; `None` if the task stays open. `iterate` closes the task
    /// only if the step also takes tasks: such a step handles one task per visit.
    pub fn closes_task(&self, outcome: Outcome) -> Option<TaskUse> {
        let closing = self.task.iter().copied().find(|task| *task != TaskUse::Take)?;
        let one_each_time = self.task.contains(&TaskUse::Take);
        let closes = outcome == Outcome::Ok || (outcome == Outcome::Iterate && one_each_time);
        closes.then_some(closing)
    }

    /// Whether a visit with this outcome has a result. A failed visit has none, except for answers and reviews, which
    /// exist before the outcome is decided.
    pub fn brings_result(&self, outcome: Outcome) -> bool {
        outcome != Outcome::Fail || self.ask.is_some() || self.gate.is_some()
    }

    /// This step's possible outcomes, in the order of [`Outcome::ALL`].
    pub fn possible_outcomes(&self) -> Vec<Outcome> {
        Outcome::ALL
            .into_iter()
            .filter(|outcome| self.can_end(*outcome))
            .collect()
    }

    /// Whether a visit to this step can have this outcome.
    pub fn can_end(&self, outcome: Outcome) -> bool {
        let routed = self.route.iter().any(|route| route.outcome == outcome);
        match outcome {
            Outcome::Ok => true,
            Outcome::Skip => routed,
            Outcome::Iterate => routed || self.repeat.is_some(),
            // An agent may report failure if a transition handles it.
            Outcome::Fail => {
                routed
                    || self.gate.is_some()
                    || self
                        .repeat
                        .as_ref()
                        .is_some_and(|repeat| repeat.at_limit == AtLimit::Fail)
                    || self.leads_to(Outcome::Fail).is_some()
            }
        }
    }
}
