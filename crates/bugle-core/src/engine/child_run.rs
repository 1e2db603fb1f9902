//! A sub-agent's run: its start values and its report.

use serde_json::{Map, Value};

use super::child::{
    AnsweredEscalation, Assignment, ChildOrigin, ChildPlan, ChildReport, ChildState, ChildWork, GateBrief,
};
use super::context::context;
use super::deferred::handed_over;
use super::disputes::disputed;
use super::event::Origin;
use super::gate::{passes_before, review_iteration, rework};
use super::state::RunState;
use super::status::RunStatus;
use super::visit::{Ending, Visit};
use crate::id::{ChildToken, VisitNumber, VisitToken};
use crate::outcome::{Outcome, Target, Transitions};
use crate::review::fixed_checks;
use crate::workflow::{Dispatch, DispatchWork, StepDef, StepText, Workflow, sub_agent_result};

/// The origin and params of a sub-agent's run.
pub type ChildStart = (ChildOrigin, Map<String, Value>);

impl ChildOrigin {
    /// The origin of one attempt by a sub-agent; `None` if the visit has no such sub-agent. For a sub-agent that
    /// follows a brief, `brief` renders the step's text.
    pub fn of<E>(
        parent: &RunState,
        workflow: &Workflow,
        token: &ChildToken,
        (attempt, answered): (u32, Option<AnsweredEscalation>),
        mut brief: impl FnMut(&StepText, &Value) -> Result<String, E>,
    ) -> Result<Option<ChildStart>, E> {
        let Some((visit, step, dispatch, plan)) = called_for(parent, workflow, token) else {
            return Ok(None);
        };
        let values = || context(parent, workflow, visit.number).for_brief(&plan.params);
        let origin = Self {
            token: ChildToken {
                parent: VisitToken {
                    run: parent.id.clone(),
                    visit: visit.number,
                },
                slot: token.slot,
            },
            attempt,
            role: dispatch.role,
            work: ChildWork::of(step, dispatch, |text| brief(text, &values()))?,
            assignment: assignment(parent, workflow, step, visit.number),
            answered,
            task: plan
                .task
                .clone()
                .or_else(|| parent.current_task(visit.number))
                .map(Box::new),
        };
        Ok(Some((origin, plan.params.clone())))
    }
}

/// The dispatching visit and step, and the sub-agent's input.
fn called_for<'a>(
    parent: &'a RunState,
    workflow: &'a Workflow,
    token: &ChildToken,
) -> Option<(&'a Visit, &'a StepDef, &'a Dispatch, &'a ChildPlan)> {
    let visit = parent.visit(token.parent.visit)?;
    let step = workflow.step(&visit.step)?;
    let index = usize::try_from(token.slot).ok()?.checked_sub(1)?;
    Some((visit, step, step.dispatch.as_ref()?, visit.children().get(index)?))
}

impl ChildWork {
    /// The workflow or brief that a sub-agent of this step follows. `brief` renders the step's text for a brief.
    fn of<E>(
        step: &StepDef,
        dispatch: &Dispatch,
        mut brief: impl FnMut(&StepText) -> Result<String, E>,
    ) -> Result<Self, E> {
        let filled = |convention: &String| {
            if convention.contains("{{") {
                brief(&StepText::Inline(convention.clone()))
            } else {
                Ok(convention.clone())
            }
        };
        match &dispatch.work {
            DispatchWork::Workflow(file) => Ok(Self::Workflow(file.clone())),
            DispatchWork::Brief => Ok(Self::Brief(Box::new(StepDef {
                conventions: step.conventions.iter().map(filled).collect::<Result<_, E>>()?,
                action: StepText::Literal(brief(&step.action)?),
                role: Some(dispatch.role),
                result: sub_agent_result(step),
                expect: Vec::new(),
                ask: None,
                route: Vec::new(),
                repeat: None,
                gate: None,
                dispatch: None,
                task: Vec::new(),
                next: Transitions::linear(Target::End),
                on_error: None,
                ..step.clone()
            }))),
        }
    }
}

/// The assignment of a visit's sub-agents. A reviewer receives the checks, but only disputed and deferred findings; a
/// fixing agent receives the findings.
fn assignment(state: &RunState, workflow: &Workflow, step: &StepDef, visit: VisitNumber) -> Assignment {
    let Some(gate) = &step.gate else {
        return rework(state, workflow, visit).map_or(Assignment::Plain, Assignment::Rework);
    };
    let earlier = passes_before(state, workflow, visit);
    Assignment::Review(GateBrief {
        name: gate.name.clone(),
        iteration: review_iteration(state, workflow, visit),
        checks: fixed_checks(&earlier),
        accepted: state.accepted.clone(),
        disputed: disputed(state, workflow, step, visit),
        deferred: handed_over(state, workflow, step, visit),
    })
}

impl RunState {
    /// Whether this is a restarted sub-agent's run and no agent has resumed it yet.
    pub fn awaits_start(&self) -> bool {
        let is_restarted = matches!(&self.origin, Origin::Child(origin) if origin.attempt > 1);
        let is_untouched = self.head().is_some_and(|visit| visit.after.is_none());
        is_restarted && is_untouched && self.status == RunStatus::Active && !self.resumed
    }
}

impl ChildReport {
    /// The state of a sub-agent's run; `None` for any other run.
    pub fn of(child: &RunState) -> Option<Self> {
        let Origin::Child(origin) = &child.origin else {
            return None;
        };
        let head = child.head();
        let ending = head.and_then(|visit| visit.ending.as_ref());
        let state = match child.status {
            RunStatus::Active if child.awaits_start() => ChildState::NotStarted,
            RunStatus::Active => head.map_or(ChildState::NotStarted, |visit| {
                ChildState::Working(visit.step.clone())
            }),
            RunStatus::Waiting if child.is_released() => ChildState::Left,
            RunStatus::Waiting => ChildState::Waiting,
            RunStatus::Paused => ChildState::Paused,
            RunStatus::Cancelled => ChildState::Cancelled,
            RunStatus::Completed | RunStatus::Failed => match head.and_then(|visit| visit.escalation.clone())
            {
                Some((kind, reason)) => ChildState::Escalated(kind, reason),
                None => match ending {
                    Some(Ending {
                        reason: Some(reason), ..
                    }) => ChildState::Failed(reason.clone()),
                    // A route can end the last step with `fail`, without a reason.
                    Some(Ending {
                        outcome: Outcome::Fail,
                        ..
                    }) => ChildState::Failed("its last step ended with `fail`".to_owned()),
                    _ => ChildState::Finished(ending.and_then(|ending| ending.result.clone())),
                },
            },
        };
        Some(Self {
            slot: origin.token.slot,
            run: child.id.clone(),
            state,
            tree: ending.and_then(|ending| ending.tree.clone()),
            also_found: child
                .also_found
                .iter()
                .map(|found| found.problem.clone())
                .collect(),
        })
    }
}
