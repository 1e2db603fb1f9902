//! Rules about guards: each guard matches the declared types and uses only values that exist on every path.

use std::collections::BTreeSet;

use super::checks::misplaced;
use super::flow::Flow;
use super::tasks::PLAN_FIX;
use super::{KnownTasks, Problem, ProblemLocation, Rule, Subject};
use crate::expression::{Expression, Fields, Scope, Type, TypeError};
use crate::name::StepId;
use crate::shape::{Presence, Shape};
use crate::workflow::{Dispatch, FanOut, StepDef, WorkflowDef, record_shape, task_shape};

pub(super) fn check(subject: &Subject<'_>, flow: &Flow, out: &mut Vec<Problem>) {
    let certain = flow.certain_results();
    let tasks = KnownTasks::of(subject.definition, flow);
    for (index, step) in subject.definition.steps.iter().enumerate() {
        let ending = KnownValues::ending(index, &certain[index], &tasks);
        // Sub-agents are dispatched when the step starts, before it has a result.
        let entering = KnownValues::entering(index, &certain[index], &tasks);
        for (key, expression) in expressions_of(step) {
            let place = |offset| ProblemLocation::Inside {
                file: subject.file.clone(),
                path: key.clone(),
                offset,
            };
            let is_check = key.contains(".check.");
            if is_check && misplaced(step).is_some() {
                continue;
            }
            let wants_truth = !key.contains(".dispatch.");
            let sight = if wants_truth { ending } else { entering };
            let absent_fix = if is_check { CHECK_FIX } else { GUARD_FIX };
            let mut uncertain =
                uncertain_paths(subject, flow, &certain[index], index, (expression, absent_fix));
            uncertain.extend(uncertain_tasks(&step.id, sight, expression));
            for (rule, offset, message, fix) in &uncertain {
                out.push(Problem {
                    rule: *rule,
                    place: place(*offset),
                    message: message.clone(),
                    fix: (*fix).to_owned(),
                });
            }
            let asks_first = expression
                .paths()
                .iter()
                .any(|path| path.segments == ["visit", "first"]);
            let before = Type::Object(result_type(step, asks_first));
            let scope = guard_scope(subject.definition, sight).with("before", before);
            let checked = if is_check {
                expression.check_strictly(&scope)
            } else if wants_truth || key.ends_with(".when") {
                expression.check_guard(&scope)
            } else {
                expression.check(&scope).and_then(|found| listed(&key, &found))
            };
            for error in checked.err().unwrap_or_default() {
                if uncertain.iter().any(|(_, offset, ..)| *offset == error.offset) {
                    continue;
                }
                out.push(Problem {
                    rule: match rule_at(subject, expression, error.offset) {
                        Rule::IllTypedExpression if is_check => Rule::IllTypedCheck,
                        rule => rule,
                    },
                    place: place(error.offset),
                    message: error.message,
                    fix: error
                        .fix
                        .unwrap_or_else(|| "fix the expression or the declared type".to_owned()),
                });
            }
        }
    }
}

/// The rule that an error at this offset breaks: the params rule for an undeclared param, otherwise the types rule.
fn rule_at(subject: &Subject<'_>, expression: &Expression, offset: usize) -> Rule {
    let declared = |name: &String| {
        subject
            .definition
            .params
            .iter()
            .any(|arg| arg.name.as_str() == name)
    };
    let undeclared = expression.paths().iter().any(|path| {
        let stands_here = (path.offset..path.offset + path.to_string().len()).contains(&offset);
        let [root, name, ..] = path.segments.as_slice() else {
            return false;
        };
        stands_here && root == "params" && !declared(name)
    });
    if undeclared {
        Rule::UndeclaredParam
    } else {
        Rule::IllTypedExpression
    }
}

/// Whether a dispatch can end up with no sub-agents.
pub(super) fn may_call_no_agent(step: &StepDef) -> bool {
    let may_be_empty = |dispatch: &Dispatch| dispatch.when.is_some() || dispatch.fan_out.item().is_some();
    step.dispatch.as_ref().is_some_and(may_be_empty)
}

/// Checks that `for_each` gets a list.
fn listed(key: &str, found: &Type) -> Result<(), Vec<TypeError>> {
    if !key.ends_with(".for_each") || matches!(found, Type::List(_) | Type::Unknown) {
        return Ok(());
    }
    let message = "`for_each` needs a list".to_owned();
    Err(vec![TypeError {
        message,
        offset: 0,
        fix: Some("use a param or result that is a list".to_owned()),
    }])
}

/// All expressions in a step, with their keys.
pub(super) fn expressions_of(step: &StepDef) -> Vec<(String, &Expression)> {
    let id = &step.id;
    let mut found = Vec::new();
    for (index, route) in step.route.iter().enumerate() {
        found.push((format!("steps.{id}.route.{index}.when"), &route.when));
    }
    // Checks on a dispatch are evaluated in each sub-agent's run.
    if step.dispatch.is_none() {
        for (index, check) in step.check.iter().enumerate() {
            found.push((format!("steps.{id}.check.{index}.that"), &check.that));
        }
    }
    if let Some(repeat) = &step.repeat {
        found.push((format!("steps.{id}.loop.until"), &repeat.until));
    }
    if let Some(dispatch) = &step.dispatch {
        if let Some(when) = &dispatch.when {
            found.push((format!("steps.{id}.dispatch.when"), when));
        }
        if let FanOut::ForEach { list, .. } = &dispatch.fan_out {
            found.push((format!("steps.{id}.dispatch.for_each"), list));
        }
        for (name, expression) in &dispatch.with {
            found.push((format!("steps.{id}.dispatch.with.{name}"), expression));
        }
    }
    found
}

/// A name that may have no value: rule, offset, message and fix.
type Uncertain = (Rule, usize, String, &'static str);

/// The fix for using a task that may not exist.
const ASK_FIRST: &str = "check `has(...)` first: there may be no ready task";

/// The fix for a guard that uses a result that is missing on some paths.
const GUARD_FIX: &str =
    "use the result of a step that always comes before this step, or test for the result with `has(...)`";
/// The fix for a check that uses a result that is missing on some paths. On those paths, the check must pass.
const CHECK_FIX: &str = "use the result of a step that always comes before this step, or write `!has(...) || ...`, which passes if there is no result";

/// The fix for a guard or check that reads the step's own result from `state`, which has only earlier visits.
const OWN_RESULT_FIX: &str = "for the step's own result, write `result`, such as `result.field`; `state` contains the results of earlier visits";

/// Uses of the run's task or plan in places where the task or plan may not exist.
fn uncertain_tasks(step: &StepId, sight: KnownValues<'_>, expression: &Expression) -> Vec<Uncertain> {
    let paths = expression.paths();
    let unasked = |root: &'static str, sure: bool| {
        let asked = paths.iter().any(|path| path.tested && path.segments[0] == root);
        let found = paths.iter().find(|path| path.segments[0] == root);
        found.filter(|_| !sure && !asked)
    };
    let plan = unasked("plan", sight.plan).map(|path| {
        let message = format!("some paths to step `{step}` do not import a plan");
        (Rule::PlanUnavailable, path.offset, message, PLAN_FIX)
    });
    let task = unasked("task", sight.task).map(|path| {
        let message = format!("the run may have no task at step `{step}`");
        (Rule::TaskUnavailable, path.offset, message, ASK_FIRST)
    });
    plan.into_iter().chain(task).collect()
}

/// References to results that are missing on some path, except references guarded by `has`.
fn uncertain_paths(
    subject: &Subject<'_>,
    flow: &Flow,
    certain: &BTreeSet<usize>,
    at: usize,
    (expression, absent_fix): (&Expression, &'static str),
) -> Vec<Uncertain> {
    let steps = &subject.definition.steps;
    let paths = expression.paths();
    let mut found = Vec::new();
    for path in &paths {
        let [root, wanted, ..] = path.segments.as_slice() else {
            continue;
        };
        let Some(earlier) = steps.iter().position(|step| step.id.as_str() == wanted) else {
            continue;
        };
        if root != "state" || certain.contains(&earlier) {
            continue;
        }
        if !flow.can_precede(earlier, at) {
            let (message, fix) = never_visited(&steps[earlier].id, &steps[at].id);
            found.push((Rule::ResultUnavailable, path.offset, message, fix));
            continue;
        }
        let asked = paths
            .iter()
            .any(|other| other.tested && path.segments.starts_with(&other.segments));
        if !asked {
            let message = format!(
                "step `{wanted}` has no result on some paths to step `{}`",
                steps[at].id
            );
            let fix = if earlier == at { OWN_RESULT_FIX } else { absent_fix };
            found.push((Rule::ResultUnavailable, path.offset, message, fix));
        }
    }
    found
}

/// The message and fix for a guard or check that reads a step's result although no path visits that step first.
fn never_visited(wanted: &StepId, at: &StepId) -> (String, &'static str) {
    if wanted == at {
        let message = format!("`state.{at}` is not available in step `{at}` itself");
        return (message, OWN_RESULT_FIX);
    }
    let message = format!("no path visits step `{wanted}` before step `{at}`");
    (message, "use the result of an earlier step")
}

/// The values that exist whenever a guard is evaluated.
#[derive(Debug, Clone, Copy)]
pub struct KnownValues<'a> {
    /// The index of the step that has just returned its result.
    own: Option<usize>,
    /// The indexes of the steps that have results.
    certain: &'a BTreeSet<usize>,
    plan: bool,
    task: bool,
}

impl<'a> KnownValues<'a> {
    /// The values after these steps, with a plan and a task.
    pub fn everything(certain: &'a BTreeSet<usize>) -> Self {
        Self {
            own: None,
            certain,
            plan: true,
            task: true,
        }
    }

    /// The values when a step starts.
    pub(super) fn entering(at: usize, certain: &'a BTreeSet<usize>, tasks: &KnownTasks) -> Self {
        Self {
            own: None,
            certain,
            plan: tasks.plan_at(at),
            task: tasks.task_at(at),
        }
    }

    /// The values when a step ends.
    fn ending(at: usize, certain: &'a BTreeSet<usize>, tasks: &KnownTasks) -> Self {
        Self {
            own: Some(at),
            plan: tasks.plan_after(at),
            ..Self::entering(at, certain, tasks)
        }
    }
}

/// The names that a step's guards can use, with their types. A value that only some paths produce is optional.
pub fn guard_scope(definition: &WorkflowDef, sight: KnownValues<'_>) -> Scope {
    let params = definition.params.iter().fold(Fields::new(), |fields, arg| {
        let given = present(arg.presence == Presence::Required || arg.default.is_some());
        fields.with(arg.name.as_str(), Type::from_shape(&arg.shape), given)
    });
    let state = definition
        .steps
        .iter()
        .enumerate()
        .fold(Fields::new(), |fields, (index, step)| {
            let result = result_type(step, sight.certain.contains(&index));
            fields.with(step.id.as_str(), Type::Object(result), Presence::Required)
        });
    let own = sight.own.and_then(|at| definition.steps.get(at));
    let own = own.map(|step| result_type(step, true)).unwrap_or_default();
    let visit = Fields::new()
        .with("number", Type::Int, Presence::Required)
        .with("iteration", Type::Int, Presence::Required)
        .with("first", Type::Bool, Presence::Required)
        .with("step", Type::String, Presence::Required);
    let run = Fields::new().with("id", Type::String, Presence::Required).with(
        "skill",
        Type::String,
        Presence::Required,
    );
    let gate = Fields::new()
        .with("name", Type::String, Presence::Optional)
        .with("iteration", Type::Int, Presence::Optional)
        .with("checks", Type::List(Box::new(Type::String)), Presence::Optional)
        .with(
            "findings",
            Type::List(Box::new(Type::Unknown)),
            Presence::Optional,
        )
        .with(
            "disputed",
            Type::List(Box::new(Type::Unknown)),
            Presence::Optional,
        )
        .with(
            "deferred",
            Type::List(Box::new(Type::Unknown)),
            Presence::Optional,
        );
    let plan = ["open", "ready", "done", "total"]
        .into_iter()
        .fold(Fields::new(), |fields, count| {
            fields.with(count, Type::Int, present(sight.plan))
        });
    let task = match task_shape() {
        Shape::Object(fields) => fields.iter().fold(Fields::new(), |all, field| {
            all.with(
                field.name.as_str(),
                Type::from_shape(&field.shape),
                present(sight.task),
            )
        }),
        _ => Fields::new(),
    };
    Scope::new()
        .with("deferred", Type::List(Box::new(Type::Unknown)))
        .with("record", Type::List(Box::new(Type::from_shape(&record_shape()))))
        .with("plan", Type::Object(plan))
        .with("task", Type::Object(task))
        .with("gate", Type::Object(gate))
        .with("params", Type::Object(params))
        .with("state", Type::Object(state))
        .with("result", Type::Object(own))
        .with("visit", Type::Object(visit))
        .with("run", Type::Object(run))
}

fn present(sure: bool) -> Presence {
    if sure {
        Presence::Required
    } else {
        Presence::Optional
    }
}

fn result_type(step: &StepDef, certain: bool) -> Fields {
    let mut fields = step.result.iter().fold(Fields::new(), |fields, field| {
        let presence = if certain {
            field.presence
        } else {
            Presence::Optional
        };
        fields.with(field.name.as_str(), Type::from_shape(&field.shape), presence)
    });
    if step.dispatch.is_some() {
        let presence = present(certain);
        // Sub-agents may follow different workflows, whose results differ.
        fields = Fields::new().with("children", Type::List(Box::new(Type::Unknown)), presence);
        for count in ["finished", "failed", "escalated", "missing"] {
            fields = fields.with(count, Type::Int, presence);
        }
        if step.gate.is_some() {
            // Without reviewers, a gate has no verdict.
            let judged = if may_call_no_agent(step) {
                Presence::Optional
            } else {
                presence
            };
            fields = fields
                .with("verdict", Type::Unknown, judged)
                .with("review", Type::Unknown, judged)
                .with("decision", Type::String, Presence::Optional);
        }
    }
    if let Some(ask) = &step.ask {
        let answer = if ask.choices.is_empty() {
            Type::String
        } else {
            Type::Enum(ask.choices.clone())
        };
        fields = fields.with("answer", answer, present(certain));
    }
    fields
}
