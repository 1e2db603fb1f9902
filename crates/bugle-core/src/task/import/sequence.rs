//! Plan order: the dependencies that follow from the order of nodes where the plan declares nothing else.
//!
//! A node waits for the *loose ends* among its earlier siblings: those that no other sibling waits for yet. So a plan
//! without declarations is a chain with one dependency per node, and a node after several parallel ones waits for all
//! of them. A group waits as a whole, with all its tasks.
//!
//! The number of dependencies is linear: a node that waits for the loose ends replaces them, and a node that runs in
//! parallel with others copies at most [`WIDEST`] of their dependencies.

use std::collections::{BTreeMap, BTreeSet};

use super::nodes::{NodeTurn, Nodes};

/// Maximum number of dependencies copied to a parallel node. If there are more, the parallel node waits for the other
/// node instead.
const WIDEST: usize = 64;

/// The facts besides the plan that determine plan order. All lists are by node index.
pub(super) struct Circumstances {
    /// Each node's dependencies that were added by hand.
    pub by_hand: Vec<BTreeSet<usize>>,
    /// For each node, the earlier nodes that it need not wait for, by a person's decision.
    pub waived: Vec<BTreeSet<usize>>,
    /// Whether each node is closed or removed.
    pub closed: Vec<bool>,
}

/// Each node's dependencies from plan order.
pub(super) fn sequence(
    nodes: &Nodes,
    any_order: bool,
    circumstances: &Circumstances,
) -> Vec<BTreeSet<usize>> {
    let mut siblings: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for (node, parent) in nodes.parents.iter().enumerate() {
        siblings.entry(*parent).or_default().push(node);
    }
    let needs = needs(nodes, &circumstances.by_hand);
    let mut walk = Walk {
        nodes,
        circumstances,
        waits: vec![BTreeSet::new(); nodes.links.len()],
        starts_after: vec![BTreeSet::new(); nodes.links.len()],
    };
    for (parent, children) in siblings {
        let free = parent.map_or(any_order, |parent| nodes.any_order[parent]);
        walk.siblings(&arranged(&children, &needs), free);
    }
    walk.waits
}

/// For each node, the siblings that it needs: the node or one of its descendants depends on the sibling or one of the
/// sibling's descendants.
fn needs(nodes: &Nodes, by_hand: &[BTreeSet<usize>]) -> Vec<BTreeSet<usize>> {
    let way = |node: usize| -> Vec<usize> {
        let mut way: Vec<usize> = std::iter::successors(Some(node), |node| nodes.parents[*node]).collect();
        way.reverse();
        way
    };
    let mut needs = vec![BTreeSet::new(); nodes.links.len()];
    for (node, by_hand) in by_hand.iter().enumerate() {
        for on in nodes.waits[node].iter().chain(by_hand) {
            let (from, to) = (way(node), way(*on));
            if let Some((from, to)) = from.iter().zip(&to).find(|(from, to)| from != to) {
                needs[*from].insert(*to);
            }
        }
    }
    needs
}

/// Siblings in file order, but each after the siblings that it needs. A cycle is cut at its first node.
fn arranged(children: &[usize], needs: &[BTreeSet<usize>]) -> Vec<usize> {
    let own: BTreeSet<usize> = children.iter().copied().collect();
    let mut missing: BTreeMap<usize, usize> = BTreeMap::new();
    let mut needed_by: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for child in children {
        let needed: Vec<usize> = needs[*child].intersection(&own).copied().collect();
        missing.insert(*child, needed.len());
        for on in needed {
            needed_by.entry(on).or_default().push(*child);
        }
    }
    let mut left = own;
    let mut free: BTreeSet<usize> = left.iter().copied().filter(|child| missing[child] == 0).collect();
    let mut arranged = Vec::with_capacity(children.len());
    while let Some(next) = free.pop_first().or_else(|| left.first().copied()) {
        left.remove(&next);
        arranged.push(next);
        for child in needed_by.remove(&next).unwrap_or_default() {
            if let Some(missing) = missing.get_mut(&child) {
                *missing -= 1;
                if *missing == 0 && left.contains(&child) {
                    free.insert(child);
                }
            }
        }
    }
    arranged
}

struct Walk<'a> {
    nodes: &'a Nodes,
    circumstances: &'a Circumstances,
    waits: Vec<BTreeSet<usize>>,
    /// For each node, the siblings that it comes after, declared or not.
    starts_after: Vec<BTreeSet<usize>>,
}

impl Walk<'_> {
    fn siblings(&mut self, children: &[usize], any_order: bool) {
        let together = self.together(children);
        let mut loose_ends: BTreeSet<usize> = BTreeSet::new();
        let mut passed: BTreeSet<usize> = BTreeSet::new();
        let mut previous = None;
        for node in children.iter().copied() {
            let declared = &self.nodes.waits[node];
            let partner = together.get(&node).and_then(|partners| partners.first().copied());
            let partner = match self.nodes.turns[node] {
                NodeTurn::WithPrevious => previous,
                _ => partner,
            };
            let after = if !declared.is_empty() {
                declared.intersection(&passed).copied().collect()
            } else if any_order || self.nodes.turns[node] == NodeTurn::AtOnce {
                BTreeSet::new()
            } else if let Some(partner) = partner {
                let shared = self.starts_after[partner].clone();
                if shared.len() > WIDEST {
                    BTreeSet::from([partner])
                } else {
                    shared
                }
            } else {
                loose_ends.clone()
            };
            if declared.is_empty() {
                self.waits[node] = self.past_what_does_not_count(node, after.clone());
            }
            loose_ends.retain(|end| !after.contains(end) || self.circumstances.waived[node].contains(end));
            loose_ends.insert(node);
            passed.insert(node);
            self.starts_after[node] = if declared.is_empty() {
                self.waits[node].clone()
            } else {
                after
            };
            previous = Some(node);
        }
    }

    /// For each node, the earlier siblings that run in parallel with it, as declared by either node.
    fn together(&self, children: &[usize]) -> BTreeMap<usize, BTreeSet<usize>> {
        let places: BTreeMap<usize, usize> = children
            .iter()
            .enumerate()
            .map(|(place, node)| (*node, place))
            .collect();
        let mut together: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for node in children {
            let NodeTurn::With(others) = &self.nodes.turns[*node] else {
                continue;
            };
            for other in others.iter().filter(|other| *other != node) {
                match (places.get(node), places.get(other)) {
                    (Some(own), Some(place)) if place < own => {
                        together.entry(*node).or_default().insert(*other)
                    }
                    (Some(_), Some(_)) => together.entry(*other).or_default().insert(*node),
                    _ => false,
                };
            }
        }
        together
    }

    /// Replaces waived and closed predecessors with their own predecessors. Otherwise, after a task was closed early,
    /// later tasks could start before the open tasks ahead of them.
    fn past_what_does_not_count(&self, node: usize, after: BTreeSet<usize>) -> BTreeSet<usize> {
        let waived = &self.circumstances.waived[node];
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut ahead: Vec<usize> = after.into_iter().collect();
        while let Some(on) = ahead.pop() {
            if !seen.insert(on) {
                continue;
            }
            if !waived.contains(&on) {
                found.insert(on);
            }
            if waived.contains(&on) || self.circumstances.closed[on] {
                let open = self.starts_after[on]
                    .iter()
                    .filter(|before| !self.circumstances.closed[**before] || waived.contains(&on));
                ahead.extend(open);
            }
        }
        found
    }
}
