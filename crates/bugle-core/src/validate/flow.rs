//! A workflow's graph: its edges, and properties that are true on every path.

use std::collections::BTreeSet;

use crate::name::StepId;
use crate::outcome::{Outcome, Target};
use crate::workflow::WorkflowDef;

/// A workflow's graph. Steps are identified by index.
#[derive(Debug, Clone)]
pub struct Flow {
    /// All transitions whose target exists.
    pub edges: Vec<Edge>,
    /// Steps that can end with an outcome for which there is no next step.
    dangling: BTreeSet<usize>,
    steps: usize,
}

/// One transition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The source step.
    pub from: usize,
    /// The target step; `None` is the end.
    pub to: Option<usize>,
    /// The outcome that takes this edge.
    pub outcome: Outcome,
    /// Whether a limit bounds how often a run can take this edge in a row.
    pub bounded: bool,
    /// Whether the visit has a result when the run takes this edge.
    pub brings_result: bool,
}

impl Flow {
    /// Builds a definition's graph, ignoring transitions to unknown steps.
    pub fn of(definition: &WorkflowDef) -> Self {
        let index = |id: &StepId| definition.steps.iter().position(|step| step.id == *id);
        let mut edges = Vec::new();
        let mut dangling = BTreeSet::new();
        for (from, step) in definition.steps.iter().enumerate() {
            for outcome in step.possible_outcomes() {
                let bounded = (outcome == Outcome::Iterate && step.repeat.is_some())
                    || (outcome == Outcome::Fail && step.gate.is_some());
                let target = match step.leads_to(outcome) {
                    Some(Target::End) => Some(None),
                    Some(Target::Step(id)) => index(id).map(Some),
                    None => None,
                };
                let Some(to) = target else {
                    dangling.insert(from);
                    continue;
                };
                edges.push(Edge {
                    from,
                    to,
                    outcome,
                    bounded,
                    brings_result: step.brings_result(outcome),
                });
            }
        }
        Self {
            edges,
            dangling,
            steps: definition.steps.len(),
        }
    }

    /// The steps reachable from `start`, including `start`.
    pub fn reachable_from(&self, start: usize) -> BTreeSet<usize> {
        self.closure([start], |edge, at| if edge.from == at { edge.to } else { None })
    }

    /// The steps that can reach the end.
    pub fn reaching_end(&self) -> BTreeSet<usize> {
        let last = self.edges.iter().filter(|edge| edge.to.is_none());
        self.reaching(last.map(|edge| edge.from))
    }

    /// The steps that can reach a step without a next step.
    pub fn reaching_gap(&self) -> BTreeSet<usize> {
        self.reaching(self.dangling.iter().copied())
    }

    fn reaching(&self, targets: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
        self.closure(targets, |edge, at| (edge.to == Some(at)).then_some(edge.from))
    }

    fn closure(
        &self,
        start: impl IntoIterator<Item = usize>,
        follow: impl Fn(&Edge, usize) -> Option<usize>,
    ) -> BTreeSet<usize> {
        let mut open: Vec<usize> = start.into_iter().filter(|at| *at < self.steps).collect();
        let mut seen: BTreeSet<usize> = open.iter().copied().collect();
        while let Some(at) = open.pop() {
            for next in self.edges.iter().filter_map(|edge| follow(edge, at)) {
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        seen
    }

    /// Unbounded cycles, as lists of steps; one per strongly connected component. A limit counts only while the run
    /// stays in the limit's loop, so it bounds only cycles within that loop.
    pub fn unbounded_cycles(&self) -> Vec<Vec<usize>> {
        let mut cycles = Vec::new();
        let loops: Vec<(Edge, BTreeSet<usize>)> = self
            .edges
            .iter()
            .filter(|edge| edge.bounded)
            .filter_map(|edge| Some((*edge, self.inner_loop(edge.from, edge.to?))))
            .collect();
        let mut open = vec![self.clone()];
        while let Some(part) = open.pop() {
            for component in part.components() {
                let within = |edge: &&Edge| {
                    component.contains(&edge.from) && edge.to.is_some_and(|to| component.contains(&to))
                };
                let bounding = |edge: &Edge| {
                    let around = loops.iter().find(|(limited, _)| limited == edge);
                    around.is_some_and(|(_, around)| component.is_subset(around))
                };
                let edges: Vec<Edge> = part.edges.iter().filter(within).copied().collect();
                let rest: Vec<Edge> = edges.iter().filter(|edge| !bounding(edge)).copied().collect();
                if rest.len() < edges.len() {
                    open.push(Self {
                        edges: rest,
                        dangling: self.dangling.clone(),
                        steps: self.steps,
                    });
                } else {
                    let alone = Self {
                        edges,
                        dangling: self.dangling.clone(),
                        steps: self.steps,
                    };
                    cycles.extend(component.iter().find_map(|start| alone.cycle_through(*start)));
                }
            }
        }
        cycles.sort();
        cycles
    }

    /// The graph's strongly connected components.
    fn components(&self) -> Vec<BTreeSet<usize>> {
        let follow = |start: usize| {
            let next = self
                .edges
                .iter()
                .filter(|edge| edge.from == start)
                .filter_map(|edge| edge.to);
            self.closure(next, |edge, at| if edge.from == at { edge.to } else { None })
        };
        let ahead: Vec<BTreeSet<usize>> = (0..self.steps).map(follow).collect();
        let mut reported: BTreeSet<usize> = BTreeSet::new();
        let mut found = Vec::new();
        for start in 0..self.steps {
            if reported.contains(&start) || !ahead[start].contains(&start) {
                continue;
            }
            let group: BTreeSet<usize> = ahead[start]
                .iter()
                .copied()
                .filter(|other| ahead[*other].contains(&start))
                .collect();
            reported.extend(&group);
            found.push(group);
        }
        found
    }

    fn cycle_through(&self, start: usize) -> Option<Vec<usize>> {
        let mut came_from: Vec<Option<usize>> = vec![None; self.steps];
        let mut queue = std::collections::VecDeque::from([start]);
        while let Some(at) = queue.pop_front() {
            for next in self
                .edges
                .iter()
                .filter(|edge| edge.from == at)
                .filter_map(|edge| edge.to)
            {
                if next == start {
                    let mut cycle = vec![at];
                    let mut back = at;
                    while let Some(before) = came_from[back] {
                        cycle.push(before);
                        back = before;
                    }
                    cycle.reverse();
                    return Some(cycle);
                }
                if came_from[next].is_none() {
                    came_from[next] = Some(at);
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// For each step, the steps that have a result on every path to that step. A failed visit has no result, so its
    /// `fail` edge provides none.
    pub fn certain_results(&self) -> Vec<BTreeSet<usize>> {
        let everything: BTreeSet<usize> = (0..self.steps).collect();
        let mut certain = vec![everything; self.steps];
        if let Some(entry) = certain.first_mut() {
            entry.clear();
        }
        // The sets only shrink, so this terminates after at most steps² rounds.
        loop {
            let mut changed = false;
            for edge in &self.edges {
                let Some(to) = edge.to else { continue };
                let mut carried = certain[edge.from].clone();
                if edge.brings_result {
                    carried.insert(edge.from);
                } else {
                    carried.remove(&edge.from);
                }
                let kept: BTreeSet<usize> = certain[to].intersection(&carried).copied().collect();
                if kept.len() < certain[to].len() {
                    certain[to] = kept;
                    changed = true;
                }
            }
            if !changed {
                return certain;
            }
        }
    }

    /// For each step, whether a property is always true when a run enters the step. `entered` marks the steps that make
    /// the property true themselves. `after` computes the property after an edge from its value before the edge.
    pub(super) fn on_every_path(&self, entered: &[bool], after: impl Fn(bool, &Edge) -> bool) -> Vec<bool> {
        let mut holds = vec![true; self.steps];
        if let (Some(first), Some(entered)) = (holds.first_mut(), entered.first()) {
            *first = *entered;
        }
        // A value can change only from true to false, so this terminates.
        loop {
            let mut changed = false;
            for edge in &self.edges {
                let Some(to) = edge.to.filter(|to| !entered[*to]) else {
                    continue;
                };
                if holds[to] && !after(holds[edge.from], edge) {
                    holds[to] = false;
                    changed = true;
                }
            }
            if !changed {
                return holds;
            }
        }
    }

    /// Each step's dominators, including the step itself.
    fn dominators(&self) -> Vec<BTreeSet<usize>> {
        let everything: BTreeSet<usize> = (0..self.steps).collect();
        let mut passed = vec![everything; self.steps];
        if let Some(entry) = passed.first_mut() {
            *entry = BTreeSet::from([0]);
        }
        loop {
            let mut changed = false;
            for edge in &self.edges {
                let Some(to) = edge.to.filter(|to| *to != 0) else {
                    continue;
                };
                let mut kept: BTreeSet<usize> =
                    passed[to].intersection(&passed[edge.from]).copied().collect();
                kept.insert(to);
                if kept.len() < passed[to].len() {
                    passed[to] = kept;
                    changed = true;
                }
            }
            if !changed {
                return passed;
            }
        }
    }

    /// The steps of the innermost loop from `back_to` to `last`. A run that visits any other step has left the loop.
    pub fn inner_loop(&self, last: usize, back_to: usize) -> BTreeSet<usize> {
        let passed = self.dominators();
        let is_head = |at: usize| passed.get(last).is_some_and(|passed| passed.contains(&at));
        // Find the head of the loop: the first step from `back_to` that dominates `last`.
        let mut heads = BTreeSet::new();
        let mut seen = BTreeSet::from([back_to]);
        let mut open = vec![back_to];
        while let Some(at) = open.pop() {
            if is_head(at) {
                heads.insert(at);
                continue;
            }
            for to in self
                .edges
                .iter()
                .filter(|edge| edge.from == at)
                .filter_map(|edge| edge.to)
            {
                if seen.insert(to) {
                    open.push(to);
                }
            }
        }
        // Dominators are totally ordered; the last one is the innermost.
        let Some(head) = heads.into_iter().max_by_key(|head| passed[*head].len()) else {
            return BTreeSet::from([last, back_to]);
        };
        // The steps on paths from `back_to` to the head, and from the head to `last` or back to itself.
        let back = |edge: &Edge, at: usize| (edge.to == Some(at)).then_some(edge.from);
        let mut members = BTreeSet::from([head]);
        let mut open = vec![head];
        while let Some(at) = open.pop() {
            let before = self.edges.iter().filter_map(|edge| back(edge, at));
            for from in before.filter(|from| seen.contains(from) && !is_head(*from)) {
                if members.insert(from) {
                    open.push(from);
                }
            }
        }
        let mut walked = BTreeSet::new();
        open = self.edges.iter().filter_map(|edge| back(edge, head)).collect();
        open.push(last);
        while let Some(at) = open.pop() {
            if passed[at].contains(&head) && walked.insert(at) && at != head {
                open.extend(self.edges.iter().filter_map(|edge| back(edge, at)));
            }
        }
        members.extend(walked);
        members
    }

    /// Whether some path visits `earlier` and later `at`.
    pub fn can_precede(&self, earlier: usize, at: usize) -> bool {
        self.edges
            .iter()
            .filter(|edge| edge.from == earlier)
            .filter_map(|edge| edge.to)
            .any(|to| self.reachable_from(to).contains(&at))
    }
}
