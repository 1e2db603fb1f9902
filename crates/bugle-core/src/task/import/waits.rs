//! The dependencies of a plan's tasks after an import: declared in the plan, added by hand, or from plan order.

use std::collections::{BTreeMap, BTreeSet};

use super::PlanCycle;
use super::apply::Importer;
use super::sequence::{Circumstances, sequence};
use crate::id::TaskId;
use crate::task::cycle::{Waiting, break_cycles, find_cycle};
use crate::task::event::{Task, TaskEvent, WaitSource};
use crate::task::order::{Rank, TreePath};

/// A waiting node and its dependency, as indexes.
type Pair = (usize, usize);

impl Importer<'_> {
    /// Refuses a cycle among declared dependencies, from the plan or added by hand.
    pub(super) fn refuse_cycles(&self) -> Result<(), PlanCycle> {
        let paths = self.paths();
        let pairs = self.declared();
        match find_cycle(&waiting(&paths, &pairs)) {
            Some(circle) => Err(PlanCycle(circle.into_iter().map(|pair| pairs[pair]).collect())),
            None => Ok(()),
        }
    }

    /// Records the dependencies; all other changes must be recorded first.
    pub(super) fn dependencies(&mut self) {
        let in_order = self.in_order();
        for (node, in_order) in in_order.iter().enumerate() {
            let id = &self.ids[node];
            let mut wanted: BTreeMap<&TaskId, WaitSource> = BTreeMap::new();
            wanted.extend(in_order.iter().map(|on| (&self.ids[*on], WaitSource::Order)));
            let declared = self.nodes.waits[node].iter();
            wanted.extend(declared.map(|on| (&self.ids[*on], WaitSource::Plan)));
            let had = self.known(node).map(|task| &task.waits_for);
            for (on, says) in &wanted {
                let before = had.and_then(|had| had.get(*on));
                if before != Some(says) && before != Some(&WaitSource::Hand) {
                    let (on, says) = ((*on).clone(), *says);
                    self.note(id, TaskEvent::Waits { on, says });
                }
            }
            for (on, says) in had.into_iter().flatten() {
                if *says != WaitSource::Hand && !wanted.contains_key(on) {
                    self.note(id, TaskEvent::WaitsNoMore { on: on.clone() });
                }
            }
        }
    }

    /// Each node's dependencies from plan order. Declared dependencies take precedence: where both together would form
    /// a cycle, plan order yields.
    fn in_order(&self) -> Vec<BTreeSet<usize>> {
        let places = self.places_of_ids();
        let strangers = self.through_strangers();
        let mut circumstances = Circumstances {
            by_hand: Vec::with_capacity(self.ids.len()),
            waived: Vec::with_capacity(self.ids.len()),
            closed: self.closed_after(),
        };
        for node in 0..self.ids.len() {
            let known = self.known(node);
            let waived = known.map(|task| &task.waived).into_iter().flatten();
            circumstances
                .by_hand
                .push(self.reached_by_hand(node, &places, &strangers));
            circumstances
                .waived
                .push(waived.filter_map(|on| places.get(on).copied()).collect());
        }
        let mut in_order = sequence(self.nodes, self.what.plan.any_order, &circumstances);
        let paths = self.paths();
        let mut declared = self.declared();
        let by_hand = circumstances.by_hand.iter().enumerate();
        declared.extend(by_hand.flat_map(|(node, on)| on.iter().map(move |on| (node, *on))));
        let ordered: Vec<Pair> = in_order
            .iter()
            .enumerate()
            .flat_map(|(node, on)| on.iter().map(move |on| (node, *on)))
            .collect();
        let dropped = break_cycles(&waiting(&paths, &declared), &waiting(&paths, &ordered));
        for place in dropped.unwrap_or_default() {
            let (node, on) = ordered[place];
            in_order[node].remove(&on);
        }
        in_order
    }

    /// The declared dependencies, from the plan or added by hand.
    fn declared(&self) -> Vec<Pair> {
        let places = self.places_of_ids();
        let mut pairs: Vec<Pair> = Vec::new();
        for node in 0..self.ids.len() {
            pairs.extend(self.nodes.waits[node].iter().map(|on| (node, *on)));
            let known = self.known(node).map(by_hand).into_iter().flatten();
            pairs.extend(known.filter_map(|on| Some((node, *places.get(on)?))));
        }
        pairs
    }

    /// The nodes that a node depends on through dependencies added by hand, directly or via tasks outside the plan.
    fn reached_by_hand(
        &self,
        node: usize,
        places: &BTreeMap<&TaskId, usize>,
        strangers: &BTreeMap<&TaskId, Vec<&TaskId>>,
    ) -> BTreeSet<usize> {
        let mut reached = BTreeSet::new();
        let mut seen: BTreeSet<&TaskId> = BTreeSet::new();
        let mut ahead: Vec<&TaskId> = self.known(node).map(by_hand).into_iter().flatten().collect();
        while let Some(on) = ahead.pop() {
            match places.get(on) {
                Some(place) => {
                    reached.insert(*place);
                }
                None if seen.insert(on) => ahead.extend(strangers.get(on).into_iter().flatten()),
                None => {}
            }
        }
        reached.remove(&node);
        reached
    }

    /// Every known task with its dependencies added by hand.
    fn through_strangers(&self) -> BTreeMap<&TaskId, Vec<&TaskId>> {
        let known = self.what.known.iter();
        known.map(|task| (&task.id, by_hand(task).collect())).collect()
    }

    /// Whether each node is closed or removed, after the changes so far.
    fn closed_after(&self) -> Vec<bool> {
        let after = self.after();
        let ids = self.ids.iter();
        ids.map(|id| after.get(id).is_some_and(|task| !task.is_open()))
            .collect()
    }

    fn places_of_ids(&self) -> BTreeMap<&TaskId, usize> {
        self.ids
            .iter()
            .enumerate()
            .map(|(place, id)| (id, place))
            .collect()
    }

    /// Each node's path, for finding cycles.
    fn paths(&self) -> Vec<TreePath> {
        let mut paths: Vec<TreePath> = Vec::with_capacity(self.nodes.links.len());
        for (place, parent) in self.nodes.parents.iter().enumerate() {
            let rank = Rank::nth(place);
            paths.push(match parent.and_then(|parent| paths.get(parent)) {
                Some(parent) => parent.child(rank),
                None => TreePath::top(rank),
            });
        }
        paths
    }
}

fn by_hand(task: &Task) -> impl Iterator<Item = &TaskId> {
    let said = task.waits_for.iter();
    said.filter(|(_, says)| **says == WaitSource::Hand)
        .map(|(on, _)| on)
}

fn waiting(paths: &[TreePath], pairs: &[Pair]) -> Vec<Waiting> {
    let pairs = pairs.iter();
    pairs
        .map(|(task, on)| Waiting {
            task: paths[*task].clone(),
            on: paths[*on].clone(),
        })
        .collect()
}
