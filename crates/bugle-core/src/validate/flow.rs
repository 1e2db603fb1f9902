//! The graph behind a workflow: its edges, and what can be said about every path along them.

use std::collections::BTreeSet;

use crate::name::StepId;
use crate::outcome::{Outcome, Target};
use crate::workflow::WorkflowDef;

/// The edges of a workflow, by the index of its steps.
#[derive(Debug, Clone)]
pub struct Flow {
    /// Every transition whose target exists.
    pub edges: Vec<Edge>,
    steps: usize,
}

/// One transition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The step it leaves.
    pub from: usize,
    /// The step it leads to; `None` is the end.
    pub to: Option<usize>,
    /// The outcome that takes it.
    pub outcome: Outcome,
    /// Whether a limit says how often it can be taken in a row.
    pub bounded: bool,
}

impl Flow {
    /// Reads the graph off a definition; transitions to unknown steps are left out.
    pub fn of(definition: &WorkflowDef) -> Self {
        let index = |id: &StepId| definition.steps.iter().position(|step| step.id == *id);
        let mut edges = Vec::new();
        for (from, step) in definition.steps.iter().enumerate() {
            for outcome in step.possible_outcomes() {
                let bounded = (outcome == Outcome::Iterate && step.repeat.is_some())
                    || (outcome == Outcome::Fail && step.gate.is_some());
                let to = match step.leads_to(outcome) {
                    Some(Target::End) => None,
                    Some(Target::Step(id)) => match index(id) {
                        Some(to) => Some(to),
                        None => continue,
                    },
                    None => continue,
                };
                edges.push(Edge {
                    from,
                    to,
                    outcome,
                    bounded,
                });
            }
        }
        Self {
            edges,
            steps: definition.steps.len(),
        }
    }

    /// The steps that can be visited, beginning at `start`; the start itself included.
    pub fn reachable_from(&self, start: usize) -> BTreeSet<usize> {
        self.closure([start], |edge, at| if edge.from == at { edge.to } else { None })
    }

    /// The steps from which the end can be reached.
    pub fn reaching_end(&self) -> BTreeSet<usize> {
        let last = self
            .edges
            .iter()
            .filter(|edge| edge.to.is_none())
            .map(|edge| edge.from);
        self.closure(last, |edge, at| {
            if edge.to == Some(at) {
                Some(edge.from)
            } else {
                None
            }
        })
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

    /// Cycles along edges that no limit bounds, each as the steps on it; one per tangle is enough to point at.
    pub fn unbounded_cycles(&self) -> Vec<Vec<usize>> {
        let free = Self {
            edges: self.edges.iter().filter(|edge| !edge.bounded).copied().collect(),
            steps: self.steps,
        };
        let mut told: BTreeSet<usize> = BTreeSet::new();
        let mut cycles = Vec::new();
        for start in 0..self.steps {
            if told.contains(&start) {
                continue;
            }
            if let Some(cycle) = free.cycle_through(start) {
                told.extend(&cycle);
                cycles.push(cycle);
            }
        }
        cycles
    }

    /// The shortest way from a step back to itself.
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

    /// For each step, the steps whose results are there on every path to it. A visit that
    /// failed owes no result, so nothing can be relied on beyond a `fail`.
    pub fn certain_results(&self) -> Vec<BTreeSet<usize>> {
        let everything: BTreeSet<usize> = (0..self.steps).collect();
        let mut certain = vec![everything; self.steps];
        if let Some(entry) = certain.first_mut() {
            entry.clear();
        }
        // Sets only shrink, so this comes to rest after at most steps² rounds.
        loop {
            let mut changed = false;
            for edge in &self.edges {
                let Some(to) = edge.to else { continue };
                let mut carried = certain[edge.from].clone();
                if edge.outcome == Outcome::Fail {
                    carried.remove(&edge.from);
                } else {
                    carried.insert(edge.from);
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

    /// Whether some path visits `earlier` and later `at`.
    pub fn can_precede(&self, earlier: usize, at: usize) -> bool {
        self.edges
            .iter()
            .filter(|edge| edge.from == earlier)
            .filter_map(|edge| edge.to)
            .any(|to| self.reachable_from(to).contains(&at))
    }
}
