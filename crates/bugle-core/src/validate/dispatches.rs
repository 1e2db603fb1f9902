//! Rules about sub-agents: the workflow of each exists, gets the params it wants, and starts no endless chain.

use std::collections::BTreeSet;

use super::{Problem, Rule, Subject, nearest};
use crate::path::SkillPath;
use crate::shape::Presence;
use crate::workflow::{Dispatch, DispatchWork, FanOut, StepDef, WorkflowDef};

pub(super) fn check(subject: &Subject<'_>, out: &mut Vec<Problem>) {
    for step in &subject.definition.steps {
        let Some(dispatch) = &step.dispatch else { continue };
        let DispatchWork::Workflow(file) = &dispatch.work else {
            continue;
        };
        match subject.package.children.get(file) {
            Some(child) => params(subject, step, dispatch, child, out),
            None => out.push(subject.problem(
                Rule::DispatchMissing,
                format!("steps.{}.dispatch.workflow", step.id),
                format!("there is no workflow `{file}` that could be read"),
                "write the file, or mend what is reported in it",
            )),
        }
        if let Some(round) = endless_chain(subject, file) {
            out.push(subject.problem(
                Rule::DispatchRecursion,
                format!("steps.{}.dispatch.workflow", step.id),
                format!("these workflows start each other without end: {round}"),
                "break the chain: a sub-agent must not start a workflow that starts its own",
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
    let item = match &dispatch.fan_out {
        FanOut::ForEach { item, .. } => Some(item),
        FanOut::One => None,
    };
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
                None => format!("declare `{name}` under the child's `params`, or leave it out"),
            };
            let key = if item.is_some_and(|item| item.as_str() == *name) {
                "as".to_owned()
            } else {
                format!("with.{name}")
            };
            out.push(subject.problem(
                Rule::DispatchMisfit,
                format!("steps.{}.dispatch.{key}", step.id),
                format!("the child's workflow has no param `{name}`"),
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
                    "the child's workflow needs the param `{}`, which it is not given",
                    arg.name
                ),
                format!("add `{}` to the dispatch's `with`", arg.name),
            ));
        }
    }
}

/// A chain of dispatches that begins with `file` and comes back to the workflow under examination or to itself.
fn endless_chain(subject: &Subject<'_>, file: &SkillPath) -> Option<String> {
    let mut chain = vec![subject.file.clone()];
    let mut done = BTreeSet::new();
    follow(subject, file, &mut chain, &mut done)
}

/// Depth first; a workflow that was followed to its end once leads nowhere new.
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
