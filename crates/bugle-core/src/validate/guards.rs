//! Rules about guards: each fits the declared types, and uses only what is there on every path.

use super::flow::Flow;
use super::{Place, Problem, Rule, Subject};
use crate::expression::{Expression, Fields, Scope, Type, TypeError};
use crate::shape::Presence;
use crate::workflow::{Dispatch, FanOut, StepDef, WorkflowDef};

pub(super) fn check(subject: &Subject<'_>, flow: &Flow, out: &mut Vec<Problem>) {
    let certain = flow.certain_results();
    for (index, step) in subject.definition.steps.iter().enumerate() {
        let scope = guard_scope(subject.definition, index, &certain[index]);
        for (key, expression) in expressions_of(step) {
            let place = |offset| Place::Inside {
                file: subject.file.clone(),
                path: key.clone(),
                offset,
            };
            let uncertain = uncertain_paths(subject, flow, &certain[index], index, expression);
            for (offset, message, fix) in &uncertain {
                out.push(Problem {
                    rule: Rule::ResultUnavailable,
                    place: place(*offset),
                    message: message.clone(),
                    fix: (*fix).to_owned(),
                });
            }
            let wants_truth = !key.contains(".dispatch.");
            // Sub-agents are called for when the step begins, so it has no result yet.
            let entry = guard_scope(subject.definition, usize::MAX, &certain[index]);
            let checked = if wants_truth {
                expression.check_guard(&scope)
            } else if key.ends_with(".when") {
                expression.check_guard(&entry)
            } else {
                expression.check(&entry).and_then(|found| listed(&key, &found))
            };
            for error in checked.err().unwrap_or_default() {
                if uncertain.iter().any(|(offset, ..)| *offset == error.offset) {
                    continue;
                }
                out.push(Problem {
                    rule: rule_at(subject, expression, error.offset),
                    place: place(error.offset),
                    message: error.message,
                    fix: error
                        .fix
                        .unwrap_or_else(|| "mend the guard, or the declared type".to_owned()),
                });
            }
        }
    }
}

/// Where an undeclared param stands, the rule about params is broken, anywhere else the rule about types.
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

/// Whether a dispatch may turn out to need no sub-agent at all.
pub(super) fn calls_nobody_sometimes(step: &StepDef) -> bool {
    let may_be_empty =
        |dispatch: &Dispatch| dispatch.when.is_some() || matches!(dispatch.fan_out, FanOut::ForEach { .. });
    step.dispatch.as_ref().is_some_and(may_be_empty)
}

/// What `for_each` goes through is a list.
fn listed(key: &str, found: &Type) -> Result<(), Vec<TypeError>> {
    if !key.ends_with(".for_each") || matches!(found, Type::List(_) | Type::Unknown) {
        return Ok(());
    }
    let message = "`for_each` goes through a list, and this is none".to_owned();
    Err(vec![TypeError {
        message,
        offset: 0,
        fix: Some("name a param or result that is a list".to_owned()),
    }])
}

/// Every expression of a step, with the key at which it stands.
pub(super) fn expressions_of(step: &StepDef) -> Vec<(String, &Expression)> {
    let id = &step.id;
    let mut found = Vec::new();
    for (index, route) in step.route.iter().enumerate() {
        found.push((format!("steps.{id}.route.{index}.when"), &route.when));
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

/// References to results that are not there on every path and are not asked for with `has` first.
fn uncertain_paths(
    subject: &Subject<'_>,
    flow: &Flow,
    certain: &std::collections::BTreeSet<usize>,
    at: usize,
    expression: &Expression,
) -> Vec<(usize, String, &'static str)> {
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
            let message = format!("no path visits `{wanted}` before `{}`", steps[at].id);
            found.push((
                path.offset,
                message,
                "use the result of a step that comes earlier",
            ));
            continue;
        }
        let asked = paths
            .iter()
            .any(|other| other.tested && path.segments.starts_with(&other.segments));
        if !asked {
            let message = format!(
                "not every path to `{}` brings a result of `{wanted}`",
                steps[at].id
            );
            let fix =
                "use the result of a step that comes earlier on every path, or ask with `has(...)` first";
            found.push((path.offset, message, fix));
        }
    }
    found
}

/// The names that the guards of a step may use, with their types. What only some paths bring may be absent.
pub fn guard_scope(
    definition: &WorkflowDef,
    at: usize,
    certain: &std::collections::BTreeSet<usize>,
) -> Scope {
    let params = definition.params.iter().fold(Fields::new(), |fields, arg| {
        let given = arg.presence == Presence::Required || arg.default.is_some();
        fields.with(
            arg.name.as_str(),
            Type::from_shape(&arg.shape),
            if given {
                Presence::Required
            } else {
                Presence::Optional
            },
        )
    });
    let state = definition
        .steps
        .iter()
        .enumerate()
        .fold(Fields::new(), |fields, (index, step)| {
            let result = result_type(step, certain.contains(&index));
            fields.with(step.id.as_str(), Type::Object(result), Presence::Required)
        });
    let own = definition
        .steps
        .get(at)
        .map(|step| result_type(step, true))
        .unwrap_or_default();
    let visit = Fields::new()
        .with("number", Type::Int, Presence::Required)
        .with("iteration", Type::Int, Presence::Required)
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
        );
    Scope::new()
        .with("gate", Type::Object(gate))
        .with("params", Type::Object(params))
        .with("state", Type::Object(state))
        .with("result", Type::Object(own))
        .with("visit", Type::Object(visit))
        .with("run", Type::Object(run))
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
        let presence = if certain {
            Presence::Required
        } else {
            Presence::Optional
        };
        // What sub-agents report has the shape of their workflows, which may differ.
        fields = Fields::new().with("children", Type::List(Box::new(Type::Unknown)), presence);
        for count in ["finished", "failed", "escalated", "missing"] {
            fields = fields.with(count, Type::Int, presence);
        }
        if step.gate.is_some() {
            // A gate that called nobody has judged nothing.
            let judged = if calls_nobody_sometimes(step) {
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
        fields = fields.with(
            "answer",
            answer,
            if certain {
                Presence::Required
            } else {
                Presence::Optional
            },
        );
    }
    fields
}
