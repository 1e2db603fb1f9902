//! Walks every path of a workflow with made-up results, so that an author sees each step in each situation before
//! an agent does.

use std::collections::{BTreeSet, VecDeque};

use serde_json::{Map, Value, json};

use super::command::{Command, Decision, Environment, Report};
use super::decide::{decide, start};
use super::event::{Event, Recorded};
use super::evidence::{EvidenceReport, Finding};
use super::params::resolve_params;
use super::state::{RunState, Status};
use crate::expression::Expression;
use crate::id::{Actor, ContentHash, RunId, Timestamp, VisitNumber};
use crate::name::{SkillName, StepId};
use crate::outcome::Outcome;
use crate::shape::{Presence, Shape};
use crate::workflow::{Evidence, StepDef, Workflow};

/// More situations than this are not looked at; what was not reached is reported.
const MOST_SITUATIONS: usize = 4000;
const MOST_VARIANTS: usize = 48;

/// What a walk of every path found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalkReport {
    /// How many situations were looked at.
    pub situations: usize,
    /// How many of them were the end of a run.
    pub endings: usize,
    /// Transitions that were taken.
    pub taken: BTreeSet<(StepId, Outcome)>,
    /// Transitions that no made-up result led to.
    pub missed: BTreeSet<(StepId, Outcome)>,
}

/// Walks every path, showing each situation in which an agent can find itself, and each end.
pub fn walk(skill: &SkillName, workflow: &Workflow, mut show: impl FnMut(&RunState)) -> WalkReport {
    let literals: Vec<Value> = guard_literals(workflow);
    let read = paths_read(workflow);
    let mut queue: VecDeque<RunState> = VecDeque::new();
    for params in param_variants(workflow, &literals) {
        queue.extend(begin(skill, workflow, params));
    }
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut report = WalkReport {
        situations: 0,
        endings: 0,
        taken: BTreeSet::new(),
        missed: BTreeSet::new(),
    };
    while let Some(state) = queue.pop_front() {
        if !seen.insert(situation(&state, &read)) || report.situations >= MOST_SITUATIONS {
            continue;
        }
        report.situations += 1;
        show(&state);
        let Some(visit) = state.current() else {
            report.endings += 1;
            continue;
        };
        let Some(step) = workflow.step(&visit.step) else {
            continue;
        };
        for command in commands(step, visit.number, &literals) {
            let found: Vec<EvidenceReport> = step.expect.iter().map(met).collect();
            let environment = Environment {
                evidence: Some(&found),
                trusted: true,
            };
            if let Decision::Accept(events) = decide(&state, workflow, command, environment)
                && let Some(next) = after(&state, events)
            {
                if let Some(ending) = next.visit(visit.number).and_then(|visit| visit.ending.as_ref()) {
                    report.taken.insert((step.id.clone(), ending.outcome));
                }
                queue.push_back(next);
            }
        }
    }
    for step in workflow.steps() {
        for outcome in step.possible_outcomes() {
            let way = (step.id.clone(), outcome);
            if !report.taken.contains(&way) {
                report.missed.insert(way);
            }
        }
    }
    report
}

fn begin(skill: &SkillName, workflow: &Workflow, params: Map<String, Value>) -> Option<RunState> {
    let params = resolve_params(workflow, &params).ok()?;
    let events = start(skill.clone(), ContentHash::from_digest([0; 32]), workflow, params);
    let recorded: Vec<Recorded> = events.into_iter().map(record).collect();
    RunState::replay(&RunId::from_random(0), &recorded).ok()
}

fn after(state: &RunState, events: Vec<Event>) -> Option<RunState> {
    let mut next = state.clone();
    for event in events {
        next.apply(&record(event)).ok()?;
    }
    Some(next)
}

fn record(event: Event) -> Recorded {
    Recorded {
        at: Timestamp(0),
        by: Actor::Program,
        event,
    }
}

fn met(evidence: &Evidence) -> EvidenceReport {
    let finding = match evidence {
        Evidence::Artifact { pattern, .. } => Finding::Files(vec![pattern.clone()]),
        Evidence::Command { .. } => Finding::Exit {
            code: Some(0),
            tail: String::new(),
        },
    };
    EvidenceReport {
        evidence: evidence.clone(),
        finding,
    }
}

/// What tells two situations apart: the step, the round, which values are there, and what guards read of them.
fn situation(state: &RunState, read: &[Vec<String>]) -> String {
    match (state.current(), state.status) {
        (Some(visit), _) => {
            let values = json!({ "params": state.params, "state": state.results_before(visit.number) });
            let decisive: Vec<Option<&Value>> = read
                .iter()
                .map(|path| path.iter().try_fold(&values, |value, segment| value.get(segment)))
                .collect();
            let round = state.iteration(visit.number);
            format!("{} {round} {} {decisive:?}", visit.step, outline(&values))
        }
        (None, Status::Completed) => {
            let last = state
                .head()
                .map(|visit| visit.step.to_string())
                .unwrap_or_default();
            format!("end {last}")
        }
        (None, other) => other.to_string(),
    }
}

/// A value with only its structure left: which fields there are, and which lists are empty.
fn outline(value: &Value) -> Value {
    match value {
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| (key.clone(), outline(value)))
            .collect(),
        Value::Array(items) => Value::Array(items.first().map(outline).into_iter().collect()),
        _ => Value::Null,
    }
}

/// The params and results that some guard reads.
fn paths_read(workflow: &Workflow) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = Vec::new();
    for path in guards(workflow).flat_map(Expression::paths) {
        if path.segments.first().is_some_and(|root| root != "result") && !found.contains(&path.segments) {
            found.push(path.segments);
        }
    }
    found
}

fn guards(workflow: &Workflow) -> impl Iterator<Item = &Expression> {
    workflow.steps().iter().flat_map(|step| {
        step.route
            .iter()
            .map(|route| &route.when)
            .chain(step.repeat.iter().map(|repeat| &repeat.until))
    })
}

fn commands<'a>(step: &StepDef, visit: VisitNumber, literals: &[Value]) -> Vec<Command<'a>> {
    if let Some(ask) = &step.ask {
        let free = vec!["an answer".to_owned()];
        let answers = if ask.choices.is_empty() {
            free
        } else {
            ask.choices.clone()
        };
        return answers
            .into_iter()
            .map(|answer| Command::Answer {
                visit: Some(visit),
                answer,
            })
            .collect();
    }
    let mut found: Vec<Command<'a>> = if step.result.is_empty() {
        vec![Command::Done {
            visit,
            report: Report::Done(None),
            note: None,
        }]
    } else {
        let shape = Shape::Object(step.result.clone());
        variants(&shape, literals)
            .into_iter()
            .map(|result| Command::Done {
                visit,
                report: Report::Done(Some(result)),
                note: None,
            })
            .collect()
    };
    if step.leads_to(Outcome::Fail).is_some() {
        found.push(Command::Done {
            visit,
            report: Report::Failed { reason: "cannot be done".to_owned() }, note: None });
    }
    found
}

fn param_variants(workflow: &Workflow, literals: &[Value]) -> Vec<Map<String, Value>> {
    let mut base = Map::new();
    for arg in workflow.params() {
        if arg.default.is_none() {
            base.insert(arg.name.to_string(), arg.shape.example());
        }
    }
    let mut all = vec![base.clone()];
    for arg in workflow.params() {
        for value in variants(&arg.shape, literals) {
            let mut variant = base.clone();
            variant.insert(arg.name.to_string(), value);
            all.push(variant);
        }
        if arg.presence == Presence::Optional && arg.default.is_none() {
            let mut without = base.clone();
            without.remove(arg.name.as_str());
            all.push(without);
        }
    }
    all.truncate(MOST_VARIANTS);
    all
}

/// Values of a shape that a guard might tell apart: every word of an enum, both truths, the guards' own literals.
fn variants(shape: &Shape, literals: &[Value]) -> Vec<Value> {
    let mut found = vec![shape.example()];
    let fitting = || {
        literals
            .iter()
            .filter(|value| shape.mismatches(value).is_empty())
            .cloned()
    };
    match shape {
        Shape::String(_) => found.extend(fitting()),
        Shape::Integer(_) | Shape::Number(_) => {
            found.extend(fitting());
            let beyond = literals
                .iter()
                .filter_map(Value::as_i64)
                .flat_map(|n| [n.saturating_sub(1), n.saturating_add(1)]);
            found.extend(
                beyond
                    .map(Value::from)
                    .filter(|value| shape.mismatches(value).is_empty()),
            );
        }
        Shape::Boolean => found.push(Value::Bool(false)),
        Shape::Enum(choices) => found.extend(choices.iter().skip(1).cloned().map(Value::String)),
        Shape::Array { items, length } => {
            let counts = [length.min.unwrap_or(0), 2, 5];
            let lists = counts
                .into_iter()
                .map(|count| Value::Array(vec![items.example(); count]));
            found.extend(lists.filter(|list| shape.mismatches(list).is_empty()));
            found.extend(
                variants(items, literals)
                    .into_iter()
                    .skip(1)
                    .map(|item| Value::Array(vec![item])),
            );
        }
        Shape::Object(fields) => {
            for field in fields {
                let absent = (field.presence == Presence::Optional).then_some(None);
                let others = variants(&field.shape, literals).into_iter().skip(1).map(Some);
                // Each alternative with everything found so far, as long as that stays few.
                let bases: Vec<Value> = if found.len() > MOST_VARIANTS / 2 {
                    found[..1].to_vec()
                } else {
                    found.clone()
                };
                for alternative in others.chain(absent) {
                    for base in &bases {
                        let mut changed = base.clone();
                        if let Value::Object(map) = &mut changed {
                            match &alternative {
                                Some(value) => map.insert(field.name.to_string(), value.clone()),
                                None => map.remove(field.name.as_str()),
                            };
                        }
                        found.push(changed);
                    }
                }
            }
        }
    }
    let mut distinct: Vec<Value> = Vec::new();
    for value in found {
        if !distinct.contains(&value) && shape.mismatches(&value).is_empty() {
            distinct.push(value);
        }
    }
    distinct
}

fn guard_literals(workflow: &Workflow) -> Vec<Value> {
    let mut found = Vec::new();
    for literal in guards(workflow).flat_map(Expression::literals) {
        if !found.contains(&literal) {
            found.push(literal);
        }
    }
    found
}
