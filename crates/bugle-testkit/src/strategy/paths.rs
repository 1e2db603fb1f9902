//! Properties of a workflow's paths, computed independently of the validator as a cross-check.

use std::collections::BTreeSet;

use bugle_core::outcome::Outcome;
use bugle_core::workflow::WorkflowDef;

/// The transitions between a workflow's steps, by index, without those to the end.
pub(super) struct Paths(Vec<(usize, usize, bool)>);

impl Paths {
    pub(super) fn of(definition: &WorkflowDef) -> Self {
        let mut edges = Vec::new();
        for (from, step) in definition.steps.iter().enumerate() {
            for outcome in step.possible_outcomes() {
                let target = step.leads_to(outcome).and_then(|target| target.step());
                let to = target.and_then(|id| definition.steps.iter().position(|step| step.id == *id));
                // A failed visit has no result. But a question or a gate has its answer or review even if the visit
                // fails.
                let brings = outcome != Outcome::Fail || step.ask.is_some() || step.gate.is_some();
                edges.extend(to.map(|to| (from, to, brings)));
            }
        }
        Self(edges)
    }

    /// Whether a result of `earlier` exists on every path to `at`: without the transitions that carry such a result,
    /// `at` is unreachable.
    pub(super) fn surely_brings(&self, earlier: usize, at: usize) -> bool {
        let without = |edge: &(usize, usize, bool)| edge.0 != earlier || !edge.2;
        !self.reached([0], without).contains(&at)
    }

    /// Whether a path leads from `earlier` to `at`.
    pub(super) fn leads_to(&self, earlier: usize, at: usize) -> bool {
        let next = self.0.iter().filter(|edge| edge.0 == earlier).map(|edge| edge.1);
        self.reached(next, |_| true).contains(&at)
    }

    fn reached(
        &self,
        start: impl IntoIterator<Item = usize>,
        open: impl Fn(&(usize, usize, bool)) -> bool,
    ) -> BTreeSet<usize> {
        let mut seen: BTreeSet<usize> = start.into_iter().collect();
        let mut ahead: Vec<usize> = seen.iter().copied().collect();
        while let Some(at) = ahead.pop() {
            for edge in self.0.iter().filter(|edge| edge.0 == at && open(edge)) {
                if seen.insert(edge.1) {
                    ahead.push(edge.1);
                }
            }
        }
        seen
    }
}
