//! The order in which one agent works through sibling tasks, and how a new dependency changes that order.

use std::collections::BTreeSet;

use super::event::Task;
use crate::id::TaskId;

/// Open siblings in the order in which one agent works through them: tree order, but each after the siblings that it
/// waits for.
pub fn work_order(siblings: &[Task]) -> Vec<TaskId> {
    let mut left: Vec<&Task> = siblings.iter().filter(|task| task.is_open()).collect();
    let mut waiting: BTreeSet<&TaskId> = left.iter().map(|task| &task.id).collect();
    let mut order = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let can_start = |task: &&Task| !task.waits_for.keys().any(|on| waiting.contains(on));
        // The store has no cycles. If there were one, it would be broken at its first task.
        let next = left.remove(left.iter().position(can_start).unwrap_or(0));
        waiting.remove(&next.id);
        order.push(next.id.clone());
    }
    order
}

/// The part of `after` between the first and the last place at which the two orders differ; empty if they are equal.
pub fn reordered<'a>(before: &[TaskId], after: &'a [TaskId]) -> &'a [TaskId] {
    let is_same = |(one, other): &(&TaskId, &TaskId)| one == other;
    let head = before.iter().zip(after).take_while(is_same).count();
    let tail = before[head..]
        .iter()
        .rev()
        .zip(after[head..].iter().rev())
        .take_while(is_same)
        .count();
    &after[head..after.len() - tail]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::{Rank, TaskEvent, WaitSource};

    fn id(number: usize) -> TaskId {
        format!("t-{number:06}").parse().unwrap()
    }

    /// Five siblings. Each waits for the previous sibling in plan order, except those in `free`.
    fn chain(free: &[usize], by_hand: &[(usize, usize)]) -> Vec<Task> {
        let task = |number: usize| {
            let added = TaskEvent::Added {
                title: number.to_string(),
                parent: None,
                rank: Rank::nth(number),
                skill: None,
                agent: None,
                plan: None,
            };
            let mut task = Task::added(id(number), &added).unwrap();
            if number > 1 && !free.contains(&number) {
                let (on, says) = (id(number - 1), WaitSource::Order);
                task.apply(&TaskEvent::Waits { on, says });
            }
            for (_, on) in by_hand.iter().filter(|(waits, _)| *waits == number) {
                let (on, says) = (id(*on), WaitSource::Hand);
                task.apply(&TaskEvent::Waits { on, says });
            }
            task
        };
        (1..=5).map(task).collect()
    }

    fn ids(numbers: &[usize]) -> Vec<TaskId> {
        numbers.iter().map(|number| id(*number)).collect()
    }

    #[test]
    fn a_task_comes_after_the_siblings_that_it_waits_for() {
        assert_eq!(work_order(&chain(&[], &[])), ids(&[1, 2, 3, 4, 5]));
        assert_eq!(work_order(&chain(&[3], &[(2, 3)])), ids(&[1, 3, 2, 4, 5]));
        let mut tasks = chain(&[], &[]);
        tasks[0].apply(&TaskEvent::Finished);
        assert_eq!(work_order(&tasks), ids(&[2, 3, 4, 5]));
    }

    #[test]
    fn only_the_part_that_differs_is_reordered() {
        let before = ids(&[1, 2, 3, 4, 5]);
        assert_eq!(reordered(&before, &ids(&[1, 3, 2, 4, 5])), ids(&[3, 2]));
        assert_eq!(reordered(&before, &ids(&[2, 3, 4, 5, 1])), ids(&[2, 3, 4, 5, 1]));
        assert_eq!(reordered(&before, &before), []);
    }
}
