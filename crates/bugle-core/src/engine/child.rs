//! The run of a sub-agent: its origin, its brief and its state.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::context::context;
use super::event::Origin;
use super::gate::assignment;
use super::state::RunState;
use super::status::RunStatus;
use super::tasks::TaskRef;
use super::visit::{Ending, Visit};
use crate::id::{ChildToken, RunId, VisitNumber, VisitToken};
use crate::name::StepId;
use crate::outcome::{Outcome, Target, Transitions};
use crate::path::SkillPath;
use crate::review::{Dispute, Finding, OpenFinding};
use crate::role::AgentRole;
use crate::workflow::{Dispatch, DispatchWork, StepDef, StepText, Workflow, WorkflowDef, sub_agent_result};

/// The place of a sub-agent's run: who called for it, and for what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChildOrigin {
    /// The visit that dispatched it, and which of its sub-agents this is.
    pub token: ChildToken,
    /// Which try this is, from 1: a sub-agent that failed may be started again.
    pub attempt: u32,
    /// The role it takes.
    pub role: AgentRole,
    /// What leads it.
    pub work: ChildWork,
    /// What it is part of.
    #[serde(default, skip_serializing_if = "Assignment::is_plain")]
    pub assignment: Assignment,
    /// What the attempt before this one stopped at, and the answer to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<AnsweredEscalation>,
    /// The task that it works on, if it was called for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<Box<TaskRef>>,
}

/// What leads a sub-agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChildWork {
    /// A workflow of the skill.
    Workflow(SkillPath),
    /// A brief: one step, made of the one that dispatched it.
    Brief(Box<StepDef>),
}

/// Where a sub-agent's run comes from, and what it is given.
pub type ChildStart = (ChildOrigin, Map<String, Value>);

impl ChildOrigin {
    /// The origin of one attempt of a sub-agent, from the run and the visit that call for it; nothing if that visit calls
    /// for no such sub-agent. `brief` fills in a text with the values it is given, where the step's text is what leads.
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

/// The visit and step that call for a sub-agent, and what it gets.
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
    /// What leads a sub-agent of this step; `brief` fills in the step's text, if that is what leads it.
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

    /// The workflow that leads: the skill's own, or the one step of a brief; nothing if the skill has no such workflow.
    pub fn workflow(&self, skill: &BTreeMap<SkillPath, Workflow>) -> Option<Workflow> {
        match self {
            Self::Workflow(file) => skill.get(file).cloned(),
            Self::Brief(step) => Some(Workflow::proven(WorkflowDef::new([(**step).clone()]))),
        }
    }
}

/// What a sub-agent's work is part of.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Assignment {
    /// Nothing but itself.
    #[default]
    Plain,
    /// A review.
    Review(GateBrief),
    /// Fixing what a review found.
    Rework(ReworkBrief),
}

impl Assignment {
    fn is_plain(&self) -> bool {
        *self == Self::Plain
    }
}

/// What one sub-agent gets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChildPlan {
    /// Its params.
    pub params: Map<String, Value>,
    /// The task that it is called for, if it is one of a plan's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskRef>,
}

/// What a reviewer knows of the gate it works for. Of earlier findings it sees those that are accepted, disputed or deferred.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateBrief {
    /// What is being checked.
    pub name: String,
    /// Which review this is, from 1.
    pub iteration: u32,
    /// The checks that its report must cover; none in the first review.
    pub checks: Vec<String>,
    /// What a person took as a risk: it is not to be found again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<Finding>,
    /// Earlier findings that the author disputes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disputed: Vec<Dispute>,
    /// Findings of the gates before that did not block, where this is the last gate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deferred: Vec<Finding>,
}

/// What the agent that fixes gets: every open finding, whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReworkBrief {
    /// The gate's name.
    pub name: String,
    /// The visit of the gate that sent the work back.
    pub visit: VisitNumber,
    /// Which review it was, from 1.
    pub iteration: u32,
    /// What blocks, and how often each came back.
    pub findings: Vec<OpenFinding>,
    /// Why the person who was asked wants another fix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<String>,
}

/// Why an earlier attempt stopped, and what was decided about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnsweredEscalation {
    /// What kind of trouble it was.
    pub kind: Escalation,
    /// What exactly.
    pub reason: String,
    /// The answer.
    pub answer: String,
}

/// Why a sub-agent cannot go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Escalation {
    /// Something stands in the way.
    Blocked,
    /// A person has to decide.
    NeedsDecision,
    /// Too much is unclear to go on.
    Uncertainty,
}

enum_text!(Escalation {
    Blocked = "blocked",
    NeedsDecision = "needs_decision",
    Uncertainty = "uncertainty",
});

/// What the store knows of one sub-agent's run.
#[derive(Debug, Clone, PartialEq)]
pub struct ChildReport {
    /// Which sub-agent, from 1.
    pub slot: u32,
    /// Its run.
    pub run: RunId,
    /// Where it stands.
    pub state: ChildState,
    /// What the project's files looked like when it reported.
    pub tree: Option<String>,
}

/// Where a sub-agent stands.
#[derive(Debug, Clone, PartialEq)]
pub enum ChildState {
    /// It has not been started.
    NotStarted,
    /// It is at this step.
    Working(StepId),
    /// It waits for a person's answer.
    Waiting,
    /// Its agent stopped without a report, and no other has resumed it.
    Left,
    /// It is paused.
    Paused,
    /// It is cancelled.
    Cancelled,
    /// It is done; the result of its last step.
    Finished(Option<Value>),
    /// It came to an end without success, and says why.
    Failed(String),
    /// It stopped, and a person or another agent has to act.
    Escalated(Escalation, String),
}

impl ChildState {
    /// Whether an agent may resume it.
    pub fn is_free(&self) -> bool {
        matches!(self, Self::NotStarted | Self::Left)
    }

    /// Whether it has an open question.
    pub fn asks(&self) -> bool {
        matches!(self, Self::Escalated(..) | Self::Waiting)
    }

    /// Whether it has reported, one way or the other.
    pub fn has_reported(&self) -> bool {
        matches!(self, Self::Finished(_) | Self::Failed(_) | Self::Escalated(..))
    }
}

impl ChildReport {
    /// What a sub-agent's run says about it; nothing if the run is none.
    pub fn of(child: &RunState) -> Option<Self> {
        let Origin::Child(origin) = &child.origin else {
            return None;
        };
        let head = child.head();
        let ending = head.and_then(|visit| visit.ending.as_ref());
        let state = match child.status {
            RunStatus::Active => head.map_or(ChildState::NotStarted, |visit| {
                ChildState::Working(visit.step.clone())
            }),
            RunStatus::Waiting if child.is_released() => ChildState::Left,
            RunStatus::Waiting => ChildState::Waiting,
            RunStatus::Paused => ChildState::Paused,
            RunStatus::Cancelled => ChildState::Cancelled,
            RunStatus::Completed => match head.and_then(|visit| visit.escalation.clone()) {
                Some((kind, reason)) => ChildState::Escalated(kind, reason),
                None => match ending {
                    Some(Ending {
                        reason: Some(reason), ..
                    }) => ChildState::Failed(reason.clone()),
                    // A route may end the last step with `fail`: that is no success either.
                    Some(Ending {
                        outcome: Outcome::Fail,
                        ..
                    }) => ChildState::Failed("its last step ended with fail".to_owned()),
                    _ => ChildState::Finished(ending.and_then(|ending| ending.result.clone())),
                },
            },
        };
        Some(Self {
            slot: origin.token.slot,
            run: child.id.clone(),
            state,
            tree: ending.and_then(|ending| ending.tree.clone()),
        })
    }
}
