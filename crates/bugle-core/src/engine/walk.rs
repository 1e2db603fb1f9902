//! Walks every path of a workflow with made-up results, so that an author sees each step in each situation before
//! an agent does.

use std::collections::{BTreeSet, VecDeque};

use serde_json::{Map, Value, json};

use super::command::{Decision, Environment};
use super::decide::{decide, start};
use super::event::{Event, Origin, Recorded};
use super::evidence::EvidenceReport;
use super::moves::{GuardPath, Move, met, moves};
use super::params::resolve_params;
use super::rounds::iteration;
use super::state::RunState;
use super::status::Status;
use super::tasks::{record_value, task_effects};
use super::variants::results;
use crate::expression::Expression;
use crate::id::{Actor, ContentHash, RunId, TaskId, Timestamp};
use crate::name::{SkillAddress, StepId};
use crate::outcome::Outcome;
use crate::shape::Field;
use crate::task::{Board, BoardTask, Standing, Substance, TaskBrief};
use crate::workflow::{StepDef, Workflow};

/// More situations than this are not looked at; what was not reached is reported.
const MOST_SITUATIONS: usize = 1500;
const MOST_APPEARANCES: usize = 2_000;

/// What a walk of every path found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalkReport {
    /// How many situations were looked at.
    pub situations: usize,
    /// How many of them were the end of a run.
    pub endings: usize,
    /// Transitions that were taken.
    pub taken: BTreeSet<(StepId, Outcome)>,
    /// Whether there were more situations than could be looked at.
    pub cut: bool,
    /// Transitions that no made-up result led to.
    pub missed: BTreeSet<(StepId, Outcome)>,
}

/// Walks every path of a run with this origin, showing each situation in which an agent can find itself, and each end.
/// `child_result` is an example of what a sub-agent of a step reports.
pub fn walk(
    skill: &SkillAddress,
    workflow: &Workflow,
    origin: &Origin,
    child_result: &dyn Fn(&StepDef) -> Value,
    mut show: impl FnMut(&RunState),
) -> WalkReport {
    let literals: Vec<Value> = guard_literals(workflow);
    let read = guard_paths(workflow);
    let mut queue: VecDeque<(RunState, Board)> = VecDeque::new();
    for params in param_variants(workflow, &literals, &read) {
        let begun = begin(skill, workflow, origin, &params);
        queue.extend(begun.map(|state| (state, example_board())));
    }
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut shown: BTreeSet<String> = BTreeSet::new();
    let mut report = WalkReport {
        situations: 0,
        endings: 0,
        cut: false,
        taken: BTreeSet::new(),
        missed: BTreeSet::new(),
    };
    while let Some((state, board)) = queue.pop_front() {
        // A text is shown with every combination of values, a way is followed once.
        let new_look = shown.len() < MOST_APPEARANCES && shown.insert(appearance(&state, workflow));
        if new_look {
            show(&state);
        }
        if !seen.insert(situation(&state, workflow, (&read, &board))) {
            continue;
        }
        if report.situations >= MOST_SITUATIONS {
            report.cut = true;
            break;
        }
        report.situations += 1;
        let Some(visit) = state.current() else {
            report.endings += 1;
            continue;
        };
        let Some(step) = workflow.step(&visit.step) else {
            continue;
        };
        for Move { command, children } in moves(step, visit, (&literals, &read), child_result) {
            let found: Vec<EvidenceReport> = step.expect.iter().map(met).collect();
            let environment = Environment {
                evidence: Some(&found),
                trusted: true,
                children: &children,
                tasks: Some(&board),
                ..Environment::unknown()
            };
            if let Decision::Accept(events) = decide(&state, workflow, command, environment)
                && let Some((next, board)) = after(&state, &board, events)
            {
                // What passes by itself is over in the same decision.
                let mut new_way = false;
                for over in &next.visits()[visit.number.0 as usize - 1..] {
                    let outcome = over.ending.as_ref().map(|ending| ending.outcome);
                    new_way |=
                        outcome.is_some_and(|outcome| report.taken.insert((over.step.clone(), outcome)));
                }
                // Where nobody has been comes first: there may be more situations than are looked at.
                let new = !seen.contains(&situation(&next, workflow, (&read, &board)));
                if new_way {
                    queue.push_front((next, board));
                } else if new || shown.len() < MOST_APPEARANCES {
                    queue.push_back((next, board));
                }
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

fn begin(
    skill: &SkillAddress,
    workflow: &Workflow,
    origin: &Origin,
    params: &Map<String, Value>,
) -> Option<RunState> {
    let params = resolve_params(workflow, params).ok()?;
    let pin = ContentHash::from_digest([0; 32]);
    let events = start(skill.clone(), pin, workflow, params, origin.clone()).ok()?;
    let recorded: Vec<Recorded> = events.into_iter().map(record).collect();
    RunState::replay(&RunId::from_random(0), &recorded).ok()
}

/// The run and the tasks of its plan after these events.
fn after(state: &RunState, board: &Board, events: Vec<Event>) -> Option<(RunState, Board)> {
    let mut next = state.clone();
    let mut board = board.clone();
    for (task, effect) in task_effects(state, &events) {
        board.apply(&task, &effect);
    }
    for event in events {
        next.apply(&record(event)).ok()?;
    }
    Some((next, board))
}

/// The tasks of a made-up plan: two that can start, and between them one that waits for the first.
pub fn example_board() -> Board {
    let id = TaskId::from_random;
    let task = |place: u64, title: &str, waits_for: Vec<TaskId>| BoardTask {
        brief: TaskBrief {
            id: id(place),
            number: place.to_string(),
            title: title.to_owned(),
            text: format!("What the plan says about task {place}."),
            skill: None,
            files: vec![format!("src/part_{place}.rs")],
        },
        parent: None,
        substance: Substance::Work,
        standing: Standing::Pending,
        waits_for,
    };
    Board::new(vec![
        task(1, "Lay the ground", Vec::new()),
        task(2, "Build on it", vec![id(1)]),
        task(3, "Add what stands alone", Vec::new()),
    ])
}

fn record(event: Event) -> Recorded {
    Recorded {
        at: Timestamp(0),
        by: Actor::Program,
        event,
    }
}

/// What tells two situations apart as far as the way on is concerned: the step, the round, which steps have brought
/// results, what guards read of them, and how the tasks of the plan stand.
fn situation(state: &RunState, workflow: &Workflow, (read, board): (&[GuardPath], &Board)) -> String {
    match (state.current(), state.status) {
        (Some(visit), _) => {
            let results = state.results_before(visit.number);
            let visited: Vec<&String> = results.keys().collect();
            let params: Vec<&String> = state.params.keys().collect();
            let values = json!({ "params": state.params, "state": results });
            let decisive: Vec<String> = read
                .iter()
                .map(|path| {
                    path.segments
                        .iter()
                        .try_fold(&values, |value, segment| value.get(segment))
                })
                .map(|value| match value {
                    Some(Value::Array(items)) => format!("{} items", items.len()),
                    Some(value) => value.to_string(),
                    None => String::new(),
                })
                .collect();
            let round = iteration(state, workflow, visit.number);
            // A person may send work back again and again; beyond the limit, one more round is like the last.
            let loops: Vec<(String, u32)> = state
                .loops_at(visit.number)
                .into_iter()
                .map(|(step, rounds)| {
                    let gate = workflow.step(step).and_then(|step| step.gate.as_ref());
                    (
                        step.to_string(),
                        gate.map_or(rounds, |gate| rounds.min(gate.limit)),
                    )
                })
                .collect();
            let loops = (loops, visit.judged.is_some(), state.accepted.len().min(1));
            let has_task = state.task(visit.number).is_some();
            let tasks = (has_task, board.ready().len(), board.open(), board.done());
            format!(
                "{} {round} {loops:?} {tasks:?} {params:?} {visited:?} {decisive:?}",
                visit.step
            )
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

/// What tells two situations apart as far as texts are concerned: which values are there, and which lists are empty.
fn appearance(state: &RunState, workflow: &Workflow) -> String {
    let Some(visit) = state.current() else {
        return String::new();
    };
    let values = json!({
        "params": state.params, "state": state.results_before(visit.number),
        "record": record_value(state, visit.number),
    });
    format!(
        "{} {} {} {}",
        visit.step,
        iteration(state, workflow, visit.number),
        state.task(visit.number).is_some(),
        outline(&values)
    )
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

/// What the guards of a workflow read.
fn guard_paths(workflow: &Workflow) -> Vec<GuardPath> {
    let of_step = |step: &StepDef| {
        let id = step.id.clone();
        let guards = step
            .route
            .iter()
            .map(|route| &route.when)
            .chain(step.repeat.iter().map(|repeat| &repeat.until));
        let paths: Vec<GuardPath> = guards
            .flat_map(Expression::paths)
            .map(|path| GuardPath {
                step: id.clone(),
                segments: path.segments,
            })
            .collect();
        paths
    };
    workflow.steps().iter().flat_map(of_step).collect()
}

fn guards(workflow: &Workflow) -> impl Iterator<Item = &Expression> {
    workflow.steps().iter().flat_map(|step| {
        step.route
            .iter()
            .map(|route| &route.when)
            .chain(step.repeat.iter().map(|repeat| &repeat.until))
    })
}

fn param_variants(workflow: &Workflow, literals: &[Value], guards: &[GuardPath]) -> Vec<Map<String, Value>> {
    // A param with a default may be left out as well as given.
    let fields: Vec<Field> = workflow
        .params()
        .iter()
        .map(|arg| Field {
            name: arg.name.clone(),
            shape: arg.shape.clone(),
            presence: arg.presence,
            help: None,
        })
        .collect();
    let is_read = |name: &str| {
        guards.iter().any(
            |path| matches!(path.segments.as_slice(), [root, field, ..] if root == "params" && field == name),
        )
    };
    let objects = results(&fields, literals, is_read).into_iter();
    objects
        .filter_map(|value| {
            if let Value::Object(map) = value {
                Some(map)
            } else {
                None
            }
        })
        .collect()
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
