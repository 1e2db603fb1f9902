//! Rules about a plan's tasks: a step takes a task only if the run has a plan, and closes a task only if the run has a
//! task.

use super::flow::Flow;
use super::{Problem, Rule, Subject};
use crate::outcome::Outcome;
use crate::workflow::{Evidence, StepDef, TaskUse, WorkflowDef};

/// Facts that are true on every path when a run enters a step, by step index.
#[derive(Debug, Clone)]
pub(crate) struct KnownTasks {
    /// The run has a plan.
    plan: Vec<bool>,
    /// The run has an open task, including one that the step itself takes.
    task: Vec<bool>,
    /// The step imports a plan.
    brings_plan: Vec<bool>,
    /// The step takes a task. There may be none to take.
    takes: Vec<bool>,
}

impl KnownTasks {
    /// Computes these facts from a definition and its graph.
    pub(crate) fn of(definition: &WorkflowDef, flow: &Flow) -> Self {
        let steps = &definition.steps;
        let brings_plan: Vec<bool> = steps.iter().map(brings_plan).collect();
        let takes: Vec<bool> = steps.iter().map(takes).collect();
        let nowhere = vec![false; steps.len()];
        // Bugle verifies evidence only if the step succeeds, not if the agent reports failure.
        let plan = flow.on_every_path(&nowhere, |before, edge| {
            before || (brings_plan[edge.from] && edge.outcome != Outcome::Fail)
        });
        let task = flow.on_every_path(&takes, |before, edge| {
            before && steps[edge.from].closes_task(edge.outcome).is_none()
        });
        Self {
            plan,
            task,
            brings_plan,
            takes,
        }
    }

    /// Whether the run always has a plan when it enters a step.
    pub(crate) fn plan_at(&self, step: usize) -> bool {
        self.plan.get(step).copied().unwrap_or(false)
    }

    /// Whether the run always has a plan when a step ends.
    pub(super) fn plan_after(&self, step: usize) -> bool {
        self.plan_at(step) || self.brings_plan.get(step).copied().unwrap_or(false)
    }

    /// Whether every path to a step takes a task, including in the step itself.
    pub(super) fn taken_at(&self, step: usize) -> bool {
        self.task.get(step).copied().unwrap_or(false)
    }

    /// Whether a step's texts and guards can rely on having a task.
    pub(crate) fn task_at(&self, step: usize) -> bool {
        self.taken_at(step) && !self.takes.get(step).copied().unwrap_or(false)
    }
}

fn brings_plan(step: &StepDef) -> bool {
    let is_plan = |evidence: &Evidence| matches!(evidence, Evidence::Plan { .. });
    step.expect.iter().any(is_plan)
}

fn takes(step: &StepDef) -> bool {
    step.task.contains(&TaskUse::Take)
}

pub(super) fn check(subject: &Subject<'_>, flow: &Flow, out: &mut Vec<Problem>) {
    let sight = KnownTasks::of(subject.definition, flow);
    for (index, step) in subject.definition.steps.iter().enumerate() {
        exclusive(subject, step, out);
        if subject.is_main() {
            available(subject, &sight, (index, step), out);
        } else {
            of_sub_agents(subject, step, out);
        }
    }
}

/// Parts that a step with tasks cannot have.
fn exclusive(subject: &Subject<'_>, step: &StepDef, out: &mut Vec<Problem>) {
    let id = &step.id;
    let mut conflict = |part: &str, message: String, fix: &str| {
        out.push(subject.problem(Rule::ConflictingParts, format!("steps.{id}.{part}"), message, fix));
    };
    if step.task.contains(&TaskUse::Done) && step.task.contains(&TaskUse::Skip) {
        conflict(
            "task",
            format!("step `{id}` closes its task both as done and as skipped"),
            "keep only `done` or only `skip`",
        );
    }
    if step.dispatches_tasks() && !step.task.is_empty() {
        conflict(
            "task",
            format!("step `{id}` has a task of its own and dispatches tasks to sub-agents"),
            "keep only `for_each: tasks` or only `task`",
        );
    }
    if step.dispatches_tasks() && step.gate.is_some() {
        conflict(
            "gate",
            format!("step `{id}` has a gate and dispatches tasks, but a step with a gate cannot close tasks"),
            "dispatch the tasks in one step, and review the work in another",
        );
    }
    if brings_plan(step) && step.gate.is_some() {
        conflict(
            "expect",
            format!("step `{id}` has a gate and expects a plan, but the plan must exist before the review"),
            "move `expect` to the step that writes the plan",
        );
    }
}

/// Checks that a step takes a task only with a plan, and closes a task only with an open task.
fn available(
    subject: &Subject<'_>,
    sight: &KnownTasks,
    (index, step): (usize, &StepDef),
    out: &mut Vec<Problem>,
) {
    let id = &step.id;
    if !sight.plan_at(index) {
        let uses = [
            ("task", takes(step), "takes a task"),
            ("dispatch.for_each", step.dispatches_tasks(), "dispatches tasks"),
        ];
        for (part, _, does) in uses.into_iter().filter(|(_, used, _)| *used) {
            out.push(subject.problem(
                Rule::PlanUnavailable,
                format!("steps.{id}.{part}"),
                format!("step `{id}` {does}, but some paths to the step do not import a plan"),
                PLAN_FIX,
            ));
        }
    }
    let closes = step.task.iter().any(|task| *task != TaskUse::Take);
    if closes && !sight.taken_at(index) {
        out.push(subject.problem(
            Rule::TaskUnavailable,
            format!("steps.{id}.task"),
            format!("step `{id}` closes a task, but some paths to the step do not take a task"),
            "add `task: take` to a step that always comes before this step",
        ));
    }
}

/// The fix for a missing plan.
pub(super) const PLAN_FIX: &str =
    "add `expect: [{ plan: \"{{ result.file }}\" }]` to a step that always comes before this step";

/// A sub-agent works on the task it receives. Only the orchestrator's run takes tasks.
fn of_sub_agents(subject: &Subject<'_>, step: &StepDef, out: &mut Vec<Problem>) {
    let uses = [
        ("task", !step.task.is_empty()),
        ("expect", brings_plan(step)),
        ("dispatch.for_each", step.dispatches_tasks()),
    ];
    for (part, _) in uses.into_iter().filter(|(_, used)| *used) {
        out.push(subject.problem(
            Rule::TasksOfSubAgent,
            format!("steps.{}.{part}", step.id),
            format!(
                "step `{}` belongs to a sub-agent, and only the orchestrator's run has tasks",
                step.id
            ),
            "use tasks only in workflow.yaml, and pass the task as a param of type `task`",
        ));
    }
}
