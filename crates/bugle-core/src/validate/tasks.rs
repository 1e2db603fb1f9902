//! Rules about the tasks of a plan: there is a plan before anything is taken from it, and a task before it is closed.

use super::flow::Flow;
use super::{Problem, Rule, Subject};
use crate::outcome::Outcome;
use crate::workflow::{Evidence, StepDef, TaskUse, WorkflowDef};

/// What every path to a step has brought when the step is entered, by the index of the step.
#[derive(Debug, Clone)]
pub(crate) struct KnownTasks {
    /// A plan.
    plan: Vec<bool>,
    /// A task that is not closed; a step that takes one itself counts.
    task: Vec<bool>,
    /// Whether the step brings a plan itself.
    brings_plan: Vec<bool>,
    /// Whether the step takes a task itself: then there may have been none to take.
    takes: Vec<bool>,
}

impl KnownTasks {
    /// Reads it off a definition and its graph.
    pub(crate) fn of(definition: &WorkflowDef, flow: &Flow) -> Self {
        let steps = &definition.steps;
        let brings_plan: Vec<bool> = steps.iter().map(brings_plan).collect();
        let takes: Vec<bool> = steps.iter().map(takes).collect();
        let nowhere = vec![false; steps.len()];
        // Evidence is looked at when the work is done, not when the agent fails.
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

    /// Whether there is a plan whenever a step is entered.
    pub(crate) fn plan_at(&self, step: usize) -> bool {
        self.plan.get(step).copied().unwrap_or(false)
    }

    /// Whether there is a plan whenever a step is over.
    pub(super) fn plan_after(&self, step: usize) -> bool {
        self.plan_at(step) || self.brings_plan.get(step).copied().unwrap_or(false)
    }

    /// Whether a task is taken on every path to a step, the step itself included.
    pub(super) fn taken_at(&self, step: usize) -> bool {
        self.task.get(step).copied().unwrap_or(false)
    }

    /// Whether the texts and guards of a step can count on a task.
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

/// What a step with tasks cannot have beside them.
fn exclusive(subject: &Subject<'_>, step: &StepDef, out: &mut Vec<Problem>) {
    let id = &step.id;
    let mut conflict = |part: &str, message: String, fix: &str| {
        out.push(subject.problem(Rule::ConflictingParts, format!("steps.{id}.{part}"), message, fix));
    };
    if step.task.contains(&TaskUse::Done) && step.task.contains(&TaskUse::Skip) {
        conflict(
            "task",
            format!("step `{id}` closes its task as done and as left out"),
            "keep one of the two",
        );
    }
    if step.dispatches_tasks() && !step.task.is_empty() {
        conflict(
            "task",
            format!("step `{id}` gives tasks to sub-agents, who close them, and has one of its own"),
            "keep one of `for_each: tasks` and `task`",
        );
    }
    if step.dispatches_tasks() && step.gate.is_some() {
        conflict(
            "gate",
            format!("step `{id}` gives tasks to sub-agents, and a review finishes none"),
            "let the sub-agents work on the tasks, and review in a step of its own",
        );
    }
    if brings_plan(step) && step.gate.is_some() {
        conflict(
            "expect",
            format!("step `{id}` is a review, and a plan is there before it is reviewed"),
            "expect the plan in the step that writes it",
        );
    }
}

/// Tasks need a plan, and closing needs a task.
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
            (
                "dispatch.for_each",
                step.dispatches_tasks(),
                "gives tasks to sub-agents",
            ),
        ];
        for (part, _, does) in uses.into_iter().filter(|(_, used, _)| *used) {
            out.push(subject.problem(
                Rule::PlanUnavailable,
                format!("steps.{id}.{part}"),
                format!("step `{id}` {does}, and not every path to it brings a plan"),
                PLAN_FIX,
            ));
        }
    }
    let closes = step.task.iter().any(|task| *task != TaskUse::Take);
    if closes && !sight.taken_at(index) {
        out.push(subject.problem(
            Rule::TaskUnavailable,
            format!("steps.{id}.task"),
            format!("step `{id}` closes a task, and not every path to it has taken one"),
            "let a step that comes earlier on every path take one: `task: take`",
        ));
    }
}

/// How to have a plan.
pub(super) const PLAN_FIX: &str =
    "let a step that comes earlier on every path expect one: `expect: [{ plan: \"{{ result.file }}\" }]`";

/// Sub-agents work on the task they are given; only the run that has the plan takes.
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
                "step `{}` is a sub-agent's, and only the run that calls for it has tasks",
                step.id
            ),
            "do this in workflow.yaml, and hand the task on as a param of type `task`",
        ));
    }
}
