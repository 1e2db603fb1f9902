//! A workflow: params, steps and transitions. A [`WorkflowDef`] is what an author wrote; a [`Workflow`] is one that
//! every rule has passed, and the only thing that the engine runs.

mod acting;
mod build;
pub mod command_line;
mod definition;
mod registry;
mod shapes;

pub use acting::RoleSource;
pub use definition::{
    Answerer, Arg, Ask, AtLimit, Check, Dispatch, DispatchWork, Evidence, FanOut, GateConfig, Loop,
    MAX_LIMIT, Route, StepDef, StepText, TaskUse, WorkflowDef,
};
pub use registry::{DuplicateWorkflow, Registry};
pub use shapes::{record_shape, sub_agent_result, task_shape};

use serde::{Deserialize, Serialize};

use crate::name::StepId;
use crate::outcome::{Outcome, Target};

/// A workflow that passed every rule. [`crate::validate::validate`] makes it; what
/// is read back from a store was put there by it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Workflow(WorkflowDef);

/// How a step goes on, seen as one of three kinds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Routing<'a> {
    /// One way on.
    Linear(&'a StepId),
    /// Several ways on, by outcome.
    Branch(Vec<(Outcome, &'a Target)>),
    /// The run ends here, whatever the outcome.
    Terminal,
}

impl Workflow {
    /// The seal of the validator: nothing else may call it.
    pub(crate) fn proven(definition: WorkflowDef) -> Self {
        Self(definition)
    }

    /// What the author wrote.
    pub fn definition(&self) -> &WorkflowDef {
        &self.0
    }

    /// The params it takes.
    pub fn params(&self) -> &[Arg] {
        &self.0.params
    }

    /// Its steps, the first of which is the entry.
    pub fn steps(&self) -> &[StepDef] {
        &self.0.steps
    }

    /// Where a run begins.
    pub fn entry(&self) -> Option<&StepDef> {
        self.0.steps.first()
    }

    /// The step of this id.
    pub fn step(&self, id: &StepId) -> Option<&StepDef> {
        self.0.step(id)
    }
}

impl StepDef {
    /// How this step goes on, seen as one of three kinds.
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

    /// Where an outcome leads. What an agent reports as impossible goes to `on_error`
    /// unless `next` has an entry for `fail`.
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

    /// Whether it calls for a sub-agent for each task that can start.
    pub fn dispatches_tasks(&self) -> bool {
        let fan_out = self.dispatch.as_ref().map(|dispatch| &dispatch.fan_out);
        matches!(fan_out, Some(FanOut::Tasks { .. }))
    }

    /// How a visit that ends so closes the run's task, if it does. A step that takes a task and closes it does one each
    /// time, so that going round is the next one; any other step goes round because its work is not done.
    pub fn closes_task(&self, outcome: Outcome) -> Option<TaskUse> {
        let closing = self.task.iter().copied().find(|task| *task != TaskUse::Take)?;
        let one_each_time = self.task.contains(&TaskUse::Take);
        let closes = outcome == Outcome::Ok || (outcome == Outcome::Iterate && one_each_time);
        closes.then_some(closing)
    }

    /// Whether a visit that ends so has brought a result: a failed visit brings none, but answers and reviews are
    /// there before they lead anywhere.
    pub fn brings_result(&self, outcome: Outcome) -> bool {
        outcome != Outcome::Fail || self.ask.is_some() || self.gate.is_some()
    }

    /// The outcomes that a visit of this step can have, in the order of [`Outcome::ALL`].
    pub fn possible_outcomes(&self) -> Vec<Outcome> {
        Outcome::ALL
            .into_iter()
            .filter(|outcome| self.can_end(*outcome))
            .collect()
    }

    /// Whether a visit of this step can end so.
    pub fn can_end(&self, outcome: Outcome) -> bool {
        let routed = self.route.iter().any(|route| route.outcome == outcome);
        match outcome {
            Outcome::Ok => true,
            Outcome::Skip => routed,
            Outcome::Iterate => routed || self.repeat.is_some(),
            // An agent may report failure wherever there is a place to go with it.
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
