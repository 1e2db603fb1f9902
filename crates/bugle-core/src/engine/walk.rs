//! Walks every path through a workflow with generated results, so that an author sees each step in each situation
//! before an agent does.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::{Map, Value};

use super::command::{Decision, Environment};
use super::decide::{decide, start};
use super::event::{Event, Origin, Recorded};
use super::evidence::EvidenceReport;
use super::moves::{GuardPath, Move, is_read, moves};
use super::params::resolve_params;
use super::refusal::{FailedCheck, Refusal};
use super::samples::Samples;
use super::situation::{appearance, effect, situation};
use super::state::RunState;
use super::tasks::task_effects;
use super::variants::results;
use super::visit::Visit;
use crate::expression::Expression;
use crate::id::{Actor, ContentHash, RunId, TaskId, Timestamp};
use crate::name::{SkillAddress, StepId};
use crate::outcome::Outcome;
use crate::shape::Field;
use crate::task::{Board, BoardTask, TaskBrief, TaskKind, TaskStatus};
use crate::workflow::{StepDef, Workflow};

/// Average number of situations per step after which a walk stops and reports the transitions and checks that it did
/// not reach.
const SITUATIONS_PER_STEP: usize = 20;
/// Minimum number of situations before a walk stops.
const MIN_SITUATIONS: usize = 1500;
/// Maximum number of value combinations shown per step.
const LOOKS_PER_STEP: usize = 60;
/// Maximum number of times to try all moves at a step whose outcomes have not all been reached.
const FULL_TRIES: usize = 4;

/// The result of a walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalkReport {
    /// The number of visited situations.
    pub situations: usize,
    /// The number of situations in which the run has ended.
    pub endings: usize,
    /// Transitions that were taken.
    pub taken: BTreeSet<(StepId, Outcome)>,
    /// Whether the walk stopped before it had visited every situation.
    pub cut: bool,
    /// Transitions that no generated result led to.
    pub missed: BTreeSet<(StepId, Outcome)>,
    /// Checks that no generated result passed, by step.
    pub unmet: BTreeMap<StepId, Vec<FailedCheck>>,
}

/// Walks every path of a run with this origin, and shows every situation that an agent can be in and every end of
/// the run. `child_result` is a sample report from a step's sub-agent.
pub fn walk(
    skill: &SkillAddress,
    workflow: &Workflow,
    origin: &Origin,
    child_result: &dyn Fn(&StepDef) -> Value,
    show: impl FnMut(&RunState),
) -> WalkReport {
    let literals: Vec<Value> = guard_literals(workflow);
    let read = guard_paths(workflow);
    let mut search = Search {
        workflow,
        read: &read,
        show,
        queue: VecDeque::new(),
        met: BTreeSet::new(),
        progress: BTreeSet::new(),
        looks: BTreeMap::new(),
        tried: BTreeMap::new(),
        telling: BTreeMap::new(),
        samples: Samples::default(),
        report: WalkReport {
            situations: 0,
            endings: 0,
            cut: false,
            taken: BTreeSet::new(),
            missed: BTreeSet::new(),
            unmet: BTreeMap::new(),
        },
    };
    for params in param_variants(workflow, &literals, &read) {
        if let Some(state) = begin(skill, workflow, origin, &params) {
            search.meet(state, example_board(), false);
        }
    }
    let most = MIN_SITUATIONS.max(SITUATIONS_PER_STEP * workflow.steps().len());
    while let Some((state, board)) = search.queue.pop_front() {
        if search.report.situations >= most {
            search.report.cut = true;
            break;
        }
        search.report.situations += 1;
        let Some(visit) = state.current() else {
            search.report.endings += 1;
            continue;
        };
        if let Some(step) = workflow.step(&visit.step) {
            let moves = moves(step, visit, (&literals, &read), child_result);
            search.explore((&state, &board), (step, visit), moves);
        }
    }
    search.finished()
}

/// A walk in progress. Known situations are skipped, so memory and time depend on the number of distinct situations.
struct Search<'a, S> {
    workflow: &'a Workflow,
    read: &'a [GuardPath],
    show: S,
    queue: VecDeque<(RunState, Board)>,
    /// Situations that were added to the queue.
    met: BTreeSet<String>,
    /// Combinations of a step and the numbers of open and ready tasks seen so far.
    progress: BTreeSet<(String, usize, usize)>,
    /// The key of each rendered text already shown, by step.
    looks: BTreeMap<String, BTreeSet<String>>,
    /// The number of times that all moves were tried at a step, before and after its verdict.
    tried: BTreeMap<(StepId, bool), usize>,
    /// For each step, the first move with each effect. Later visits skip other moves with the same effect.
    telling: BTreeMap<(StepId, bool), BTreeMap<String, usize>>,
    samples: Samples,
    report: WalkReport,
}

impl<S: FnMut(&RunState)> Search<'_, S> {
    /// Shows a situation if its rendered text is new. Queues the situation if the walk has not reached it before.
    fn meet(&mut self, state: RunState, board: Board, first: bool) {
        let step = state
            .current()
            .map(|visit| visit.step.to_string())
            .unwrap_or_default();
        let looks = self.looks.entry(step.clone()).or_default();
        if looks.len() < LOOKS_PER_STEP && looks.insert(appearance(&state, self.workflow)) {
            (self.show)(&state);
        }
        if self
            .met
            .insert(situation(&state, self.workflow, (self.read, &board)))
        {
            // The walk may not reach every situation, so first visit those with a new step or progress in the plan.
            let progress = self.progress.insert((step, board.open(), board.ready().len()));
            if first || progress {
                self.queue.push_front((state, board));
            } else {
                self.queue.push_back((state, board));
            }
        }
    }

    /// Tries all moves at a visit.
    fn explore(
        &mut self,
        (state, board): (&RunState, &Board),
        (step, visit): (&StepDef, &Visit),
        moves: Vec<Move<'_>>,
    ) {
        let place = (step.id.clone(), visit.judged.is_some());
        let tries = self.tried.get(&place).copied().unwrap_or(0);
        let open = step
            .possible_outcomes()
            .into_iter()
            .any(|outcome| !self.report.taken.contains(&(step.id.clone(), outcome)));
        let fully = tries == 0 || (open && tries < FULL_TRIES);
        if fully {
            self.tried.insert(place.clone(), tries + 1);
        }
        let known: BTreeSet<usize> = self
            .telling
            .get(&place)
            .into_iter()
            .flat_map(|by| by.values().copied())
            .collect();
        for (index, Move { command, children }) in moves.into_iter().enumerate() {
            if !fully && !known.contains(&index) {
                continue;
            }
            let found: Vec<EvidenceReport> = step.expect.iter().map(EvidenceReport::met).collect();
            let environment = Environment {
                evidence: Some(&found),
                trusted: true,
                children: &children,
                tasks: Some(board),
                ..Environment::unknown()
            };
            let run = (state, self.workflow, Some(board));
            let steers = |field: &str| is_read(step, field, self.read);
            let command = self.samples.passing(run, (step, visit), command, &steers);
            let events = match decide(state, self.workflow, command, environment) {
                Decision::Accept(events) => events,
                Decision::Refuse(Refusal::ChecksFailed { failed, .. }) => {
                    self.samples.refused(step, failed);
                    continue;
                }
                _ => continue,
            };
            self.samples.accepted(step, &events);
            if let Some((next, board)) = after(state, board, events) {
                // The decision may also have entered visits that ended by themselves.
                let mut new_way = false;
                for over in &next.visits()[visit.number.0 as usize - 1..] {
                    let outcome = over.ending.as_ref().map(|ending| ending.outcome);
                    new_way |=
                        outcome.is_some_and(|outcome| self.report.taken.insert((over.step.clone(), outcome)));
                }
                let effect = effect(&next, visit, self.read);
                self.telling
                    .entry(place.clone())
                    .or_default()
                    .entry(effect)
                    .or_insert(index);
                self.meet(next, board, new_way);
            }
        }
    }

    fn finished(mut self) -> WalkReport {
        for step in self.workflow.steps() {
            for outcome in step.possible_outcomes() {
                let way = (step.id.clone(), outcome);
                if !self.report.taken.contains(&way) {
                    self.report.missed.insert(way);
                }
            }
        }
        self.report.unmet = self.samples.unmet();
        self.report
    }
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

/// The run and its plan's tasks after these events.
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

/// The tasks of a sample plan: the first and third can start, and the second waits for the first.
pub fn example_board() -> Board {
    let id = TaskId::from_random;
    let task = |place: u64, title: &str, waits_for: Vec<TaskId>| BoardTask {
        brief: TaskBrief {
            id: id(place),
            number: place.to_string(),
            title: title.to_owned(),
            text: format!("The plan's text for task {place}."),
            skill: None,
            files: vec![format!("src/part_{place}.rs")],
        },
        parent: None,
        kind: TaskKind::Work,
        status: TaskStatus::Pending,
        waits_for,
    };
    Board::new(vec![
        task(1, "Lay the groundwork", Vec::new()),
        task(2, "Build on it", vec![id(1)]),
        task(3, "Add an independent part", Vec::new()),
    ])
}

fn record(event: Event) -> Recorded {
    Recorded {
        at: Timestamp(0),
        by: Actor::Program,
        event,
    }
}

/// The paths that a workflow's guards read.
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
    // A param with a default may be absent or present.
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
