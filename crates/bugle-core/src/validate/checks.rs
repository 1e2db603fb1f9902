//! Rules about checks: each check reads a result, describes its condition, and can be evaluated.

use super::{Problem, ProblemLocation, Rule, Subject};
use crate::expression::{Scope, Type};
use crate::shape::Shape;
use crate::workflow::{DispatchWork, StepDef};

pub(super) fn check(subject: &Subject<'_>, out: &mut Vec<Problem>) {
    for step in &subject.definition.steps {
        if step.check.is_empty() {
            continue;
        }
        if let Some((message, fix)) = misplaced(step) {
            out.push(subject.problem(Rule::BadCheck, format!("steps.{}.check", step.id), message, fix));
        }
        for (index, check) in step.check.iter().enumerate() {
            let key = format!("steps.{}.check.{index}", step.id);
            if check.say.trim().is_empty() {
                out.push(subject.problem(
                    Rule::BadCheck,
                    format!("{key}.say"),
                    format!("a check in step `{}` has an empty description", step.id),
                    "describe the condition in one sentence: the agent sees the description in the step and in the error",
                ));
            }
            let roots: Vec<String> = check
                .that
                .paths()
                .into_iter()
                .filter_map(|path| path.segments.into_iter().next())
                .collect();
            if !roots.iter().any(|root| root == "result") {
                out.push(subject.problem(
                    Rule::BadCheck,
                    format!("{key}.that"),
                    format!(
                        "a check in step `{}` does not use `result`, so the agent cannot influence the check",
                        step.id
                    ),
                    "use `result` in the check, or use a `route` instead",
                ));
            }
        }
        if step.dispatch.is_some() && misplaced(step).is_none() {
            for_sub_agents(subject, step, out);
        }
    }
}

/// Why a step cannot have checks, and the fix. A check needs a result, either from the step or from a sub-agent without a
/// workflow.
pub(super) fn misplaced(step: &StepDef) -> Option<(String, &'static str)> {
    let id = &step.id;
    let own_workflow = step
        .dispatch
        .as_ref()
        .is_some_and(|dispatch| matches!(dispatch.work, DispatchWork::Workflow(_)));
    if step.ask.is_some() {
        Some((
            format!("step `{id}` asks a question, but checks do not apply to answers"),
            "use `choices` to limit the answers, or remove `check`",
        ))
    } else if own_workflow {
        Some((
            format!("step `{id}` dispatches a workflow, so the step's own checks never run"),
            "in the dispatched workflow, move the check to the step that returns the result",
        ))
    } else if step.result.is_empty() {
        Some((
            format!("step `{id}` has a check but no result"),
            "declare a `result`",
        ))
    } else {
        None
    }
}

/// A sub-agent with a brief does not see the orchestrator's run, so its checks can use only the result.
fn for_sub_agents(subject: &Subject<'_>, step: &StepDef, out: &mut Vec<Problem>) {
    let scope = Scope::new().with("result", Type::from_shape(&Shape::Object(step.result.clone())));
    for (index, check) in step.check.iter().enumerate() {
        for error in check.that.check_strictly(&scope).err().unwrap_or_default() {
            out.push(Problem {
                rule: Rule::IllTypedCheck,
                place: ProblemLocation::Inside {
                    file: subject.file.clone(),
                    path: format!("steps.{}.check.{index}.that", step.id),
                    offset: error.offset,
                },
                message: error.message,
                fix: error
                    .fix
                    .unwrap_or_else(|| "fix the expression or the declared type".to_owned()),
            });
        }
    }
}
