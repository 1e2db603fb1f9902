//! Finds cycles among dependencies. A waiting task makes its children wait, and a task closes after its children, so
//! a cycle may pass through parents as well as dependencies.

use std::collections::BTreeMap;
use std::ops::Bound;

use super::order::TreePath;

/// A task that waits for another, by their paths in the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// The waiting task.
    pub task: TreePath,
    /// The task that it waits for.
    pub on: TreePath,
}

/// The indexes of the `loose` dependencies to remove so that no cycle is left; the error is a cycle among the `fixed`
/// ones, as indexes.
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

/// A cycle among these dependencies, as indexes, each waiting for the next and the last for the first; `None` if
/// there is none.
pub fn find_cycle(waiting: &[Waiting]) -> Option<Vec<usize>> {
    let mut by_task: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, edge) in waiting.iter().enumerate() {
        by_task.entry(edge.task.as_str()).or_default().push(index);
    }
    // What `on` needs before it can close: its own dependencies, those of its descendants, and those of its
    // ancestors.
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
        // The path of the search, each entry with what is left to visit from there.
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
        // Phase 2 waits for phase 1, but a task of phase 1 waits for one of phase 2.
        assert!(find_cycle(&[waits(&[2], &[1]), waits(&[1, 1], &[2, 5])]).is_some());
        assert!(find_cycle(&[waits(&[2], &[1]), waits(&[2, 1], &[1, 1])]).is_none());
    }

    /// A reference implementation: starts and closes tasks until none can start or close.
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

    proptest! {
        #[test]
        fn there_is_a_cycle_exactly_if_a_task_can_never_close(
            shape in proptest::collection::vec((0_usize..8, 0_usize..4), 1..12),
            edges in proptest::collection::vec((0_usize..12, 0_usize..12), 0..10),
        ) {
            let mut tasks: Vec<TreePath> = Vec::new();
            for (place, (under, kind)) in shape.iter().enumerate() {
                let parent = (*kind > 0).then(|| tasks.get(*under)).flatten();
                tasks.push(match parent {
                    Some(parent) => parent.child(Rank::nth(place)),
                    None => TreePath::top(Rank::nth(place)),
                });
            }
            let waiting: Vec<Waiting> = edges
                .iter()
                .map(|(task, on)| Waiting {
                    task: tasks[task % tasks.len()].clone(),
                    on: tasks[on % tasks.len()].clone(),
                })
                .collect();
            prop_assert_eq!(find_cycle(&waiting).is_none(), can_all_be_done(&tasks, &waiting));
        }
    }
}
