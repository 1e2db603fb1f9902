//! Rules about sub-agents: each workflow exists and receives its params, and no chain of dispatches is endless.

use std::collections::BTreeSet;

use super::flow::Flow;
use super::guards::{KnownValues, guard_scope};
use super::texts::templates_of;
use super::{KnownTasks, Problem, Rule, Subject};
use crate::did_you_mean::nearest;
use crate::expression::{Scope, Type};
use crate::outcome::{Outcome, Target};
use crate::path::SkillPath;
use crate::review::findings_shape;
use crate::shape::{Field, Presence, Shape};
use crate::workflow::{Dispatch, DispatchWork, FanOut, StepDef, WorkflowDef, sub_agent_result, task_shape};

/// Maximum nesting depth of sub-agents; the orchestrator's sub-agents are at depth 1.
const MAX_NESTED: usize = 4;

pub(super) fn check(subject: &Subject<'_>, flow: &Flow, out: &mut Vec<Problem>) {
    let certain = flow.certain_results();
    let tasks = KnownTasks::of(subject.definition, flow);
    for (index, step) in subject.definition.steps.iter().enumerate() {
        let Some(dispatch) = &step.dispatch else { continue };
        if step.gate.is_some() {
            findings(subject, step, dispatch, out);
        } else {
            failure(subject, step, out);
        }
        let DispatchWork::Workflow(file) = &dispatch.work else {
            continue;
        };
        match subject.package.children.get(file) {
            Some(child) => {
                let scope = guard_scope(
                    subject.definition,
                    KnownValues::entering(index, &certain[index], &tasks),
                );
                params(subject, step, dispatch, child, out);
                types(subject, step, dispatch, (child, &scope), out);
            }
            // The problems in a file that does not parse are already reported.
            None if subject.package.texts.contains_key(file) => {}
            None => out.push(subject.problem(
                Rule::DispatchMissing,
                format!("steps.{}.dispatch.workflow", step.id),
                format!("there is no workflow `{file}`"),
                "create the file, or correct its name",
            )),
        }
        let key = format!("steps.{}.dispatch.workflow", step.id);
        if let Some(round) = endless_chain(subject, file) {
            out.push(subject.problem(
                Rule::DispatchRecursion,
                key,
                format!("these workflows dispatch each other in a cycle: {round}"),
                "break the cycle: a workflow must not dispatch itself, even indirectly",
            ));
        } else {
            let depth = 1 + depth(subject, file);
            if depth > MAX_NESTED {
                out.push(subject.problem(
                    Rule::DispatchTooDeep,
                    key,
                    format!("sub-agents are nested {depth} deep; the limit is {MAX_NESTED}"),
                    "remove a level: let a sub-agent do its work without dispatching others",
                ));
            }
        }
    }
}

/// Sub-agents can fail or stop with a question, and the workflow must handle that: `next` maps `fail`, a guard in the
/// step reads its result, or a later step reads how each sub-agent ended.
fn failure(subject: &Subject<'_>, step: &StepDef, out: &mut Vec<Problem>) {
    const READ: [&str; 4] = ["outcome", "finished", "failed", "escalated"];
    let id = &step.id;
    let own = format!("state.{id}.");
    let in_text = |text: &str| text.contains(&own) && READ.iter().any(|word| text.contains(word));
    let guards = |of: &StepDef| {
        let routes = of.route.iter().map(|route| route.when.to_string());
        let loops = of.repeat.iter().map(|repeat| repeat.until.to_string());
        let dispatch = of.dispatch.iter();
        let given = dispatch.flat_map(|dispatch| dispatch.with.values().chain(&dispatch.when));
        let given: Vec<String> = given.map(ToString::to_string).collect();
        routes.chain(loops).chain(given).collect::<Vec<String>>()
    };
    let notices = |later: &StepDef| {
        templates_of(subject, later).iter().any(|(_, text)| in_text(text))
            || guards(later).iter().any(|guard| in_text(guard))
    };
    let is_noticed = step.leads_to(Outcome::Fail).is_some()
        || guards(step).iter().any(|guard| guard.contains("result"))
        || subject.definition.steps.iter().any(notices);
    if !is_noticed {
        out.push(subject.problem(
            Rule::UnheededFailure,
            format!("steps.{id}.next"),
            format!("the workflow does not handle sub-agents of step `{id}` that fail or stop to ask a question"),
            format!(
                "map `fail` in `next`, or read each entry's `outcome` from `state.{id}.children` in a later step"
            ),
        ));
    }
}

/// The nesting depth of sub-agents below a workflow. The workflow must have no dispatch cycles.
fn depth(subject: &Subject<'_>, file: &SkillPath) -> usize {
    let Some(definition) = subject.package.children.get(file) else {
        return 0;
    };
    let of_step = |step: &StepDef| match step.dispatch.as_ref().map(|dispatch| &dispatch.work) {
        Some(DispatchWork::Workflow(file)) => 1 + depth(subject, file),
        Some(DispatchWork::Brief) => 1,
        None => 0,
    };
    definition.steps.iter().map(of_step).max().unwrap_or(0)
}

/// A gate decides from findings, so its reviewer must return findings on every path. Later reviews repeat the first
/// review's checks, so the reviewer must also list its checks.
fn findings(subject: &Subject<'_>, step: &StepDef, dispatch: &Dispatch, out: &mut Vec<Problem>) {
    let brings = |result: &[Field], name: &str, fits: fn(&Shape) -> bool| {
        let field = result.iter().find(|field| field.name.as_str() == name);
        field.is_some_and(|field| fits(&field.shape) && field.presence == Presence::Required)
    };
    let is_findings: fn(&Shape) -> bool = |shape| *shape == findings_shape();
    let is_checks: fn(&Shape) -> bool =
        |shape| matches!(shape, Shape::Array { items, .. } if matches!(**items, Shape::String(_)));
    let wanted = [
        (
            Rule::ReviewWithoutFindings,
            "findings",
            is_findings,
            "add `findings: findings` to the step's `result`",
        ),
        (
            Rule::ReviewWithoutChecks,
            "checks",
            is_checks,
            "add `checks: { type: array, items: string, min: 1 }` to the step's `result`",
        ),
    ];
    for (rule, name, fits, fix) in wanted {
        let mut push = |key: &str, message: String| {
            let place = format!("steps.{}.{key}", step.id);
            out.push(subject.problem(rule, place, message, fix));
        };
        match &dispatch.work {
            DispatchWork::Brief if !brings(&sub_agent_result(step), name, fits) => {
                push(
                    "result",
                    format!("the review in step `{}` does not return `{name}`", step.id),
                );
            }
            DispatchWork::Brief => {}
            DispatchWork::Workflow(file) => {
                let ends = |last: &StepDef| {
                    let leads_to_end = |outcome: Outcome| last.leads_to(outcome) == Some(&Target::End);
                    last.possible_outcomes().into_iter().any(leads_to_end)
                };
                let child = subject.package.children.get(file);
                let steps = child.into_iter().flat_map(|child| &child.steps);
                for last in steps.filter(|last| ends(last) && !brings(&last.result, name, fits)) {
                    push(
                        "dispatch.workflow",
                        format!(
                            "the reviewer can finish at step `{}` in {file}, but that step does not return `{name}`",
                            last.id
                        ),
                    );
                }
            }
        }
    }
}

/// Checks that a sub-agent's values match the types that its workflow declares.
fn types(
    subject: &Subject<'_>,
    step: &StepDef,
    dispatch: &Dispatch,
    (child, scope): (&WorkflowDef, &Scope),
    out: &mut Vec<Problem>,
) {
    let mut given: Vec<(String, &str, Type)> = Vec::new();
    for (name, expression) in &dispatch.with {
        if let Ok(found) = expression.check(scope) {
            given.push((format!("with.{name}"), name.as_str(), found));
        }
    }
    match &dispatch.fan_out {
        FanOut::One => {}
        FanOut::ForEach { list, item, .. } => {
            if let Ok(Type::List(found)) = list.check(scope) {
                given.push(("as".to_owned(), item.as_str(), *found));
            }
        }
        FanOut::Tasks { item, .. } => {
            given.push(("as".to_owned(), item.as_str(), Type::from_shape(&task_shape())));
        }
    }
    for (key, name, found) in given {
        let declared = child.params.iter().find(|arg| arg.name.as_str() == name);
        if let Some(arg) = declared.filter(|arg| !found.suits(&arg.shape)) {
            out.push(subject.problem(
                Rule::DispatchMisfit,
                format!("steps.{}.dispatch.{key}", step.id),
                format!(
                    "the sub-agent's param `{name}` must be {}, but the value is {found}",
                    arg.shape
                ),
                "pass a value of the param's type, or change the type",
            ));
        }
    }
}

fn params(
    subject: &Subject<'_>,
    step: &StepDef,
    dispatch: &Dispatch,
    child: &WorkflowDef,
    out: &mut Vec<Problem>,
) {
    let known = |name: &str| child.params.iter().any(|arg| arg.name.as_str() == name);
    let item = dispatch.fan_out.item();
    let given: Vec<&str> = dispatch
        .with
        .keys()
        .chain(item)
        .map(crate::name::FieldName::as_str)
        .collect();
    for name in &given {
        if !known(name) {
            let fix = match nearest(name, child.params.iter().map(|arg| arg.name.as_str())) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("declare `{name}` in the sub-agent's `params`, or remove it from `with`"),
            };
            let key = if item.is_some_and(|item| item.as_str() == *name) {
                "as".to_owned()
            } else {
                format!("with.{name}")
            };
            out.push(subject.problem(
                Rule::DispatchMisfit,
                format!("steps.{}.dispatch.{key}", step.id),
                format!("the sub-agent's workflow has no param `{name}`"),
                fix,
            ));
        }
    }
    for arg in child
        .params
        .iter()
        .filter(|arg| arg.presence == Presence::Required)
    {
        if !given.contains(&arg.name.as_str()) {
            out.push(subject.problem(
                Rule::DispatchMisfit,
                format!("steps.{}.dispatch", step.id),
                format!(
                    "the sub-agent's workflow requires the param `{}`, but the dispatch does not pass it",
                    arg.name
                ),
                format!("add `{}` to the dispatch's `with`", arg.name),
            ));
        }
    }
}

/// A chain of dispatches from `file` back to the checked workflow or to `file` itself.
fn endless_chain(subject: &Subject<'_>, file: &SkillPath) -> Option<String> {
    let mut chain = vec![subject.file.clone()];
    let mut done = BTreeSet::new();
    follow(subject, file, &mut chain, &mut done)
}

/// Depth-first search that skips workflows it has already visited.
fn follow(
    subject: &Subject<'_>,
    file: &SkillPath,
    chain: &mut Vec<SkillPath>,
    done: &mut BTreeSet<SkillPath>,
) -> Option<String> {
    if let Some(start) = chain.iter().position(|seen| seen == file) {
        let round: Vec<&str> = chain[start..].iter().map(SkillPath::as_str).collect();
        return Some(format!("{} -> {file}", round.join(" -> ")));
    }
    if !done.insert(file.clone()) {
        return None;
    }
    chain.push(file.clone());
    let children = subject
        .package
        .children
        .get(file)
        .map(dispatched)
        .unwrap_or_default();
    let found = children
        .iter()
        .find_map(|child| follow(subject, child, chain, done));
    chain.pop();
    found
}

fn dispatched(definition: &WorkflowDef) -> Vec<SkillPath> {
    let works = definition
        .steps
        .iter()
        .filter_map(|step| step.dispatch.as_ref())
        .map(|dispatch| &dispatch.work);
    works
        .filter_map(|work| match work {
            DispatchWork::Workflow(file) => Some(file.clone()),
            DispatchWork::Brief => None,
        })
        .collect()
}
