//! Rules about names in templates: each name must exist and have a value on every path.

use std::collections::BTreeSet;

use super::flow::Flow;
use super::guards::may_call_no_agent;
use super::origin::Origin;
use super::{KnownTasks, Problem, Rule, Subject};
use crate::did_you_mean::nearest;
use crate::name::FieldName;
use crate::workflow::{DispatchWork, StepDef};

/// The facts that are true on every path to each step.
pub(super) struct Paths<'a> {
    flow: &'a Flow,
    certain: Vec<BTreeSet<usize>>,
    tasks: KnownTasks,
}

impl<'a> Paths<'a> {
    pub(super) fn of(subject: &Subject<'_>, flow: &'a Flow) -> Self {
        Self {
            flow,
            certain: flow.certain_results(),
            tasks: KnownTasks::of(subject.definition, flow),
        }
    }
}

/// Checks the names in one of a step's templates.
pub(super) fn names(
    subject: &Subject<'_>,
    paths: &Paths<'_>,
    (index, origin, source): (usize, &Origin, &str),
    out: &mut Vec<Problem>,
) {
    let references = match subject.templates.references(source) {
        Ok(references) => references,
        Err(bad) => {
            out.push(Problem {
                rule: Rule::BadTemplate,
                place: origin.bytes(subject.file, bad.start, bad.end),
                message: format!("the template does not parse: {}", bad.message),
                fix: "fix the template; use `{% raw %}` for literal braces".to_owned(),
            });
            return;
        }
    };
    for name in references {
        let start = source.find(&name).unwrap_or(0);
        let place = origin.bytes(subject.file, start, start + name.len().min(source.len() - start));
        let mut push = |rule, message, fix| {
            out.push(Problem {
                rule,
                place: place.clone(),
                message,
                fix,
            });
        };
        let mut parts = name.split('.');
        let root = parts.next().unwrap_or_default();
        let rest: Vec<&str> = parts.collect();
        match root {
            "params" => {
                if let Some((rule, message, fix)) = param_flaw(subject, &rest, source) {
                    push(rule, message, fix);
                }
            }
            "state" => {
                if let Some((rule, message, fix)) = state_flaw(subject, paths, index, &rest, source) {
                    push(rule, message, fix);
                }
            }
            "visit" | "run" | "gate" => {
                let known: &[&str] = match root {
                    "visit" => &["number", "iteration", "step", "first", "remembered"],
                    "run" => &["id", "skill"],
                    _ => &["name", "iteration", "checks", "findings", "disputed", "deferred"],
                };
                if let Some(field) = rest.first()
                    && !known.contains(field)
                {
                    let list = known.join(", ");
                    push(
                        Rule::UnknownName,
                        format!("`{root}` has no field `{field}`"),
                        format!("the fields of `{root}` are {list}"),
                    );
                }
            }
            "record" | "deferred" => {}
            "changed" => {
                let flaw =
                    not_merged(subject, &rest).or_else(|| state_flaw(subject, paths, index, &rest, source));
                if let Some((rule, message, fix)) = flaw {
                    push(rule, message, fix);
                }
            }
            "child" => {
                if let Some((rule, message, fix)) = child_flaw(&subject.definition.steps[index], &rest) {
                    push(rule, message, fix);
                }
            }
            "task" => {
                if let Some((rule, message, fix)) = task_flaw(subject, paths, index, &rest, source) {
                    push(rule, message, fix);
                }
            }
            "result" if matches!(origin, Origin::Evidence(_)) => {
                if let Some((rule, message, fix)) = own_flaw(&subject.definition.steps[index], &rest, source)
                {
                    push(rule, message, fix);
                }
            }
            "result" => push(
                Rule::UnknownName,
                "a step's text cannot use the step's own result, which does not exist yet".to_owned(),
                "use `state.<step>` for the result of an earlier step".to_owned(),
            ),
            "plan" => push(
                Rule::UnknownName,
                "a template cannot use `plan`: the plan's counts change while the agent works".to_owned(),
                "use `plan` in a guard".to_owned(),
            ),
            _ => push(
                Rule::UnknownName,
                format!("templates cannot use `{root}`"),
                "use params, state, changed, visit, gate, task, record, deferred or run".to_owned(),
            ),
        }
    }
}

type Flaw = (Rule, String, String);

/// Checks a use of `child`, which contains the values for one sub-agent. Only the sub-agent's brief can use `child`.
fn child_flaw(step: &StepDef, rest: &[&str]) -> Option<Flaw> {
    let brief = step
        .dispatch
        .as_ref()
        .filter(|dispatch| dispatch.work == DispatchWork::Brief);
    let Some(dispatch) = brief else {
        return Some((
            Rule::UnknownName,
            "`child` is available only in a sub-agent's brief".to_owned(),
            "use `child` only in the text of a step whose `dispatch` does not name a workflow".to_owned(),
        ));
    };
    let known: Vec<&str> = dispatch
        .with
        .keys()
        .chain(dispatch.fan_out.item())
        .map(FieldName::as_str)
        .collect();
    let wanted = rest.first().filter(|wanted| !known.contains(wanted))?;
    let fix = match nearest(wanted, known.iter().copied()) {
        Some(meant) => format!("did you mean `child.{meant}`?"),
        None => format!("add `{wanted}` to the dispatch's `with`"),
    };
    Some((
        Rule::UnknownName,
        format!("the dispatch does not pass `{wanted}` to the sub-agent"),
        fix,
    ))
}

/// Checks a use of the run's task. A run has a task from the step that takes it to the step that closes it.
fn task_flaw(
    subject: &Subject<'_>,
    paths: &Paths<'_>,
    at: usize,
    rest: &[&str],
    source: &str,
) -> Option<Flaw> {
    let known = ["id", "number", "title", "text", "skill", "files"];
    if let Some(field) = rest.first().filter(|field| !known.contains(field)) {
        return Some((
            Rule::UnknownName,
            format!("a task has no field `{field}`"),
            format!("the fields of a task are {}", known.join(", ")),
        ));
    }
    let id = &subject.definition.steps[at].id;
    let sure = paths.tasks.task_at(at) || asks_for(source, "task");
    (!sure).then(|| {
        (
            Rule::TaskUnavailable,
            format!("the run may have no task at step `{id}`"),
            "wrap the expression in `{% if task is defined %}`".to_owned(),
        )
    })
}

/// Checks a use of the step's own result, which its evidence can read.
fn own_flaw(step: &StepDef, rest: &[&str], source: &str) -> Option<Flaw> {
    let fields: Vec<(&str, bool)> = if step.dispatch.is_some() {
        Vec::new()
    } else {
        result_fields(step)
    };
    let wanted = rest.first()?;
    let Some((_, optional)) = fields.iter().find(|(name, _)| name == wanted) else {
        let fix = match nearest(wanted, fields.iter().map(|(name, _)| *name)) {
            Some(meant) => format!("did you mean `result.{meant}`?"),
            None => format!("declare `{wanted}` in the step's `result`"),
        };
        return Some((
            Rule::UnknownName,
            format!("the result of step `{}` has no field `{wanted}`", step.id),
            fix,
        ));
    };
    let sure = !optional || asks_for(source, &format!("result.{wanted}"));
    (!sure).then(|| {
        (
            Rule::ResultUnavailable,
            format!("result `{wanted}` may be absent"),
            format!("wrap the expression in `{{% if result.{wanted} is defined %}}`"),
        )
    })
}

fn param_flaw(subject: &Subject<'_>, rest: &[&str], source: &str) -> Option<Flaw> {
    let wanted = rest.first()?;
    let params = &subject.definition.params;
    let Some(arg) = params.iter().find(|arg| arg.name.as_str() == *wanted) else {
        let fix = match nearest(wanted, params.iter().map(|arg| arg.name.as_str())) {
            Some(meant) => format!("did you mean `params.{meant}`?"),
            None => format!("declare `{wanted}` under `params`"),
        };
        return Some((
            Rule::UndeclaredParam,
            format!("there is no param `{wanted}`"),
            fix,
        ));
    };
    let absent = arg.presence == crate::shape::Presence::Optional && arg.default.is_none();
    (absent && !asks_for(source, &format!("params.{wanted}"))).then(|| {
        (
            Rule::UnknownName,
            format!("param `{wanted}` may be absent"),
            format!(
                "wrap the expression in `{{% if params.{wanted} is defined %}}`, or give the param a `default` or \
                 `required: true`"
            ),
        )
    })
}

fn state_flaw(
    subject: &Subject<'_>,
    paths: &Paths<'_>,
    at: usize,
    rest: &[&str],
    source: &str,
) -> Option<Flaw> {
    let steps = &subject.definition.steps;
    let wanted = rest.first()?;
    let Some(earlier) = steps.iter().position(|step| step.id.as_str() == *wanted) else {
        let fix = match nearest(wanted, steps.iter().map(|step| step.id.as_str())) {
            Some(meant) => format!("did you mean `state.{meant}`?"),
            None => "use the id of an earlier step".to_owned(),
        };
        return Some((Rule::UnknownName, format!("there is no step `{wanted}`"), fix));
    };
    if let Some(field) = rest.get(1) {
        let fields = result_fields(&steps[earlier]);
        let Some((_, optional)) = fields.iter().find(|(name, _)| name == field) else {
            let list: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
            let fix = match nearest(field, list.iter().copied()) {
                Some(meant) => format!("did you mean `state.{wanted}.{meant}`?"),
                None if list.is_empty() => format!("declare a `result` in step `{wanted}`"),
                None => format!("the step's result fields are {}", list.join(", ")),
            };
            return Some((
                Rule::UnknownName,
                format!("step `{wanted}` has no result `{field}`"),
                fix,
            ));
        };
        if *optional && !asks_for(source, &format!("state.{wanted}.{field}")) {
            return Some((
                Rule::ResultUnavailable,
                format!("result `{field}` of step `{wanted}` may be absent"),
                format!("wrap the expression in `{{% if state.{wanted}.{field} is defined %}}`"),
            ));
        }
    }
    if paths.certain[at].contains(&earlier) {
        return None;
    }
    if !paths.flow.can_precede(earlier, at) {
        return Some((
            Rule::ResultUnavailable,
            format!("no path visits step `{wanted}` before step `{}`", steps[at].id),
            "use the result of an earlier step".to_owned(),
        ));
    }
    let tells_rounds = ["visit.iteration", "visit.first", "visit.remembered"];
    let own_round = earlier == at && tells_rounds.iter().any(|name| source.contains(name));
    let protected = own_round || asks_for(source, &format!("state.{wanted}"));
    (!protected).then(|| {
        (
            Rule::ResultUnavailable,
            format!(
                "step `{wanted}` has no result on some paths to step `{}`",
                steps[at].id
            ),
            format!("wrap the expression in `{{% if state.{wanted} is defined %}}`"),
        )
    })
}

/// Checks that `changed` is used only for merged lists.
fn not_merged(subject: &Subject<'_>, rest: &[&str]) -> Option<Flaw> {
    let [wanted, field, ..] = rest else { return None };
    let mut steps = subject.definition.steps.iter();
    let step = steps.find(|step| step.id.as_str() == *wanted)?;
    let is_merged = step.merge.keys().any(|merged| merged.as_str() == *field);
    let has_field = result_fields(step).iter().any(|(name, _)| name == field);
    (has_field && !is_merged).then(|| {
        (
            Rule::UnknownName,
            format!("`changed` has no `{wanted}.{field}`: step `{wanted}` does not merge `{field}`"),
            format!("use `state.{wanted}.{field}`, or add `merge: {{ {field}: id }}` to step `{wanted}`"),
        )
    })
}

/// A step's result fields, and whether each may be absent. The answer to a question counts as a result.
fn result_fields(step: &StepDef) -> Vec<(&str, bool)> {
    let mut fields: Vec<(&str, bool)> = step
        .result
        .iter()
        .map(|field| {
            (
                field.name.as_str(),
                field.presence == crate::shape::Presence::Optional,
            )
        })
        .collect();
    if step.ask.is_some() {
        fields.push(("answer", false));
    }
    if step.dispatch.is_some() {
        fields = ["children", "finished", "failed", "escalated", "missing"]
            .map(|name| (name, false))
            .to_vec();
        if step.gate.is_some() {
            // Without reviewers, a gate has no verdict.
            let may_be_empty = may_call_no_agent(step);
            fields.extend([
                ("verdict", may_be_empty),
                ("review", may_be_empty),
                ("decision", true),
            ]);
        }
    }
    fields
}

/// Whether a template tests that a name is defined. Skill tests render every path and fail on undefined names, so they
/// catch an ineffective condition.
fn asks_for(source: &str, name: &str) -> bool {
    source.match_indices(name).any(|(at, _)| {
        let rest = source[at + name.len()..].trim_start();
        let rest = rest.strip_prefix('.').map_or(rest, |field| {
            field
                .trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.')
                .trim_start()
        });
        ["is defined", "is not defined", "is undefined", "is not undefined"]
            .iter()
            .any(|question| rest.starts_with(question))
    })
}
