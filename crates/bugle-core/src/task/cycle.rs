//! Finds dependency cycles. A waiting task makes its children wait, and a task closes after its children, so a cycle
//! can pass through parents as well as dependencies.

use std::collections::BTreeMap;
use std::ops::Bound;

use super::order::TreePath;

/// A dependency between two tasks, given by their paths in the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// The waiting task.
    pub task: TreePath,
    /// The task that `task` waits for.
    pub on: TreePath,
}

/// The indexes of the `loose` dependencies to remove so that no cycle is left. The error is a cycle among the `fixed`
/// dependencies, by index.
pub fn break_cycles(fixed: &[Waiting], loose: &[Waiting]) -> Result<Vec<usize>, Vec<usize>> {
    let mut places: Vec<usize> = (0..loose.len()).collect();
    let mut dropped = Vec::new();
    loop {
        let kept = places.iter().map(|place| &loose[*place]);
        let all: Vec<Waiting> = fixed.iter().chain(kept).cloned().collect();
        let Some(circle) = find_cycle(&all) else {
            return Ok(dropped);
        };
        let gone: Vec<usize> = circle
            .iter()
            .filter_map(|edge| edge.checked_sub(fixed.len()))
            .map(|edge| places[edge])
            .collect();
        if gone.is_empty() {
            return Err(circle);
        }
        places.retain(|place| !gone.contains(place));
        dropped.extend(gone);
    }
}

/// Finds the dependencies that can be part of a cycle after a change, so that Bugle need not read all dependencies of
/// the project.
///
/// There was no cycle before the change, so a new cycle has a dependency that starts or ends at a changed task or one
/// of its descendants. From there, the cycle passes only through tasks that must close first.
#[derive(Debug, Clone)]
pub struct CycleSearch {
    ahead: Vec<TreePath>,
    searched: Vec<TreePath>,
}

impl CycleSearch {
    /// Starts a search after a change to these tasks or their descendants. Changed tasks are those that were added,
    /// moved, opened or restored, or that have a new dependency.
    pub fn after_change(changed: Vec<TreePath>) -> Self {
        Self {
            ahead: changed,
            searched: Vec::new(),
        }
    }

    /// The next task to search: the caller reads the dependencies of the task, its descendants and its ancestors.
    /// `None` when the search is complete.
    pub fn next_task(&mut self) -> Option<TreePath> {
        while let Some(task) = self.ahead.pop() {
            if !self.searched.iter().any(|searched| searched.holds(&task)) {
                self.searched.push(task.clone());
                return Some(task);
            }
        }
        None
    }

    /// Continues the search at the target of a dependency.
    pub fn follow(&mut self, on: &TreePath) {
        self.ahead.push(on.clone());
    }
}

/// A cycle among these dependencies, by index: each waits for the next one, and the last for the first. `None` if there
/// is no cycle.
pub fn find_cycle(waiting: &[Waiting]) -> Option<Vec<usize>> {
    let mut by_task: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, edge) in waiting.iter().enumerate() {
        by_task.entry(edge.task.as_str()).or_default().push(index);
    }
    // Everything that must close before `on` can close: the dependencies of `on`, its descendants and its ancestors.
    let follows = |edge: usize| -> Vec<usize> {
        let on = &waiting[edge].on;
        let end = on.end();
        let inside = by_task
            .range::<str, _>((Bound::Included(on.as_str()), Bound::Excluded(end.as_str())))
            .flat_map(|(_, edges)| edges.iter().copied());
        let above = on.above().collect::<Vec<_>>();
        let above = above
            .iter()
            .filter_map(|path| by_task.get(path.as_str()))
            .flatten()
            .copied();
        inside.chain(above).collect()
    };
    let mut finished = vec![false; waiting.len()];
    let mut on_way = vec![false; waiting.len()];
    for start in 0..waiting.len() {
        if finished[start] {
            continue;
        }
        // The current search path; each entry has the dependencies that are left to visit.
        let mut way: Vec<(usize, Vec<usize>)> = vec![(start, follows(start))];
        on_way[start] = true;
        while let Some((at, rest)) = way.last_mut() {
            let at = *at;
            let Some(next) = rest.pop() else {
                on_way[at] = false;
                finished[at] = true;
                way.pop();
                continue;
            };
            if on_way[next] {
                let from = way.iter().position(|(edge, _)| *edge == next).unwrap_or(0);
                return Some(way[from..].iter().map(|(edge, _)| *edge).collect());
            }
            if !finished[next] {
                on_way[next] = true;
                way.push((next, follows(next)));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::task::Rank;

    fn path(ranks: &[usize]) -> TreePath {
        let mut ranks = ranks.iter();
        let top = TreePath::top(Rank::nth(*ranks.next().unwrap()));
        ranks.fold(top, |path, rank| path.child(Rank::nth(*rank)))
    }

    fn waits(task: &[usize], on: &[usize]) -> Waiting {
        Waiting {
            task: path(task),
            on: path(on),
        }
    }

    #[test]
    fn a_chain_is_not_a_cycle_and_a_cycle_is_found_in_full() {
        let chain = [waits(&[3], &[2]), waits(&[2], &[1])];
        assert_eq!(find_cycle(&chain), None);
        let circle = [waits(&[3], &[2]), waits(&[2], &[1]), waits(&[1], &[3])];
        assert_eq!(find_cycle(&circle).map(|found| found.len()), Some(3));
        assert_eq!(find_cycle(&[waits(&[1], &[1])]), Some(vec![0]));
    }

    #[test]
    fn waiting_for_an_ancestor_or_a_descendant_is_a_cycle() {
        assert!(find_cycle(&[waits(&[1, 1], &[1])]).is_some());
        assert!(find_cycle(&[waits(&[1], &[1, 1])]).is_some());
        assert!(find_cycle(&[waits(&[1, 2], &[1, 1])]).is_none());
    }

    #[test]
    fn a_cycle_may_pass_through_parents() {
        // Phase 2 waits for phase 1, but a task in phase 1 waits for a task in phase 2.
        assert!(find_cycle(&[waits(&[2], &[1]), waits(&[1, 1], &[2, 5])]).is_some());
        assert!(find_cycle(&[waits(&[2], &[1]), waits(&[2, 1], &[1, 1])]).is_none());
    }

    /// A reference implementation: starts and closes tasks until nothing more can start or close.
    fn can_all_be_done(tasks: &[TreePath], waiting: &[Waiting]) -> bool {
        let mut open: Vec<&TreePath> = tasks.iter().collect();
        while !open.is_empty() {
            let before = open.len();
            let is_open = |path: &TreePath| open.contains(&path);
            let startable = |task: &TreePath| {
                !waiting
                    .iter()
                    .any(|edge| edge.task.holds(task) && is_open(&edge.on))
            };
            let closable = open
                .iter()
                .copied()
                .filter(|task| startable(task))
                .find(|task| !open.iter().any(|other| *other != *task && task.holds(other)));
            if let Some(task) = closable {
                open.retain(|other| *other != task);
            }
            if open.len() == before {
                return false;
            }
        }
        true
    }

    /// The paths of a forest's tasks. `shape` has the index of each task's parent among the earlier tasks; a task
    /// without such a parent is a root.
    fn forest(shape: &[Option<usize>]) -> Vec<TreePath> {
        let mut tasks: Vec<TreePath> = Vec::new();
        for (place, parent) in shape.iter().enumerate() {
            tasks.push(match parent.and_then(|parent| tasks.get(parent)) {
                Some(parent) => parent.child(Rank::nth(place)),
                None => TreePath::top(Rank::nth(place)),
            });
        }
        tasks
    }

    fn waiting_at(tasks: &[TreePath], edges: &[(usize, usize)]) -> Vec<Waiting> {
        let edges = edges.iter().map(|(task, on)| Waiting {
            task: tasks[task % tasks.len()].clone(),
            on: tasks[on % tasks.len()].clone(),
        });
        edges.collect()
    }

    /// The dependencies that a search after a change finds.
    fn found_after(changed: Vec<TreePath>, all: &[Waiting]) -> Vec<Waiting> {
        let mut found: Vec<Waiting> = Vec::new();
        let mut search = CycleSearch::after_change(changed);
        while let Some(task) = search.next_task() {
            for edge in all {
                if (task.holds(&edge.task) || edge.task.holds(&task)) && !found.contains(edge) {
                    search.follow(&edge.on);
                    found.push(edge.clone());
                }
            }
        }
        found
    }

    #[test]
    fn a_search_stays_in_a_plan_without_outside_dependencies() {
        let plan = [waits(&[2, 2], &[2, 1]), waits(&[2, 3], &[2, 2])];
        let elsewhere = [waits(&[1, 2], &[1, 1]), waits(&[3], &[2, 3])];
        let all = [plan.as_slice(), &elsewhere].concat();
        assert_eq!(found_after(vec![path(&[2])], &all), plan);
        assert_eq!(found_after(vec![path(&[3])], &all).len(), 3);
    }

    proptest! {
        #[test]
        fn a_search_after_a_change_finds_a_cycle_exactly_if_there_is_one(
            shape in proptest::collection::vec(proptest::option::of(0_usize..8), 1..12),
            edges in proptest::collection::vec((0_usize..12, 0_usize..12), 0..14),
            moved in proptest::option::of((0_usize..12, proptest::option::of(0_usize..8))),
            closed in proptest::collection::btree_set(0_usize..12, 0..3),
            new in proptest::collection::vec((0_usize..12, 0_usize..12), 0..3),
        ) {
            // Before the change: the dependencies among open tasks have no cycle.
            let before = forest(&shape);
            let is_open = |(task, on): &(usize, usize)| {
                !closed.contains(&(task % before.len())) && !closed.contains(&(on % before.len()))
            };
            let (open, asleep): (Vec<_>, Vec<_>) = edges.into_iter().partition(is_open);
            let dropped = break_cycles(&[], &waiting_at(&before, &open)).unwrap();
            let kept = open.iter().enumerate().filter(|(place, _)| !dropped.contains(place));
            let mut edges: Vec<(usize, usize)> = kept.map(|(_, edge)| *edge).collect();
            // The change: one task moves, closed tasks are reopened, and some tasks get new dependencies.
            let mut shape = shape;
            let mut changed: Vec<usize> = closed.into_iter().filter(|task| *task < before.len()).collect();
            if let Some((task, parent)) = moved {
                let task = task % before.len();
                shape[task] = parent.filter(|parent| *parent < task);
                changed.push(task);
            }
            changed.extend(new.iter().map(|(task, _)| *task));
            edges.extend(asleep);
            edges.extend(new);
            let after = forest(&shape);
            let changed = changed.iter().map(|task| after[task % after.len()].clone()).collect();
            let all = waiting_at(&after, &edges);
            prop_assert_eq!(find_cycle(&found_after(changed, &all)).is_some(), find_cycle(&all).is_some());
        }

        #[test]
        fn there_is_a_cycle_exactly_if_a_task_can_never_close(
            shape in proptest::collection::vec((0_usize..8, 0_usize..4), 1..12),
            edges in proptest::collection::vec((0_usize..12, 0_usize..12), 0..10),
        ) {
            let parents: Vec<Option<usize>> =
                shape.iter().map(|(under, kind)| (*kind > 0).then_some(*under)).collect();
            let tasks = forest(&parents);
            let waiting = waiting_at(&tasks, &edges);
            prop_assert_eq!(find_cycle(&waiting).is_none(), can_all_be_done(&tasks, &waiting));
        }
    }
}
