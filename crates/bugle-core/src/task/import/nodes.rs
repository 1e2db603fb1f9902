//! A plan's groups and tasks in one list.

use std::collections::{BTreeMap, BTreeSet};

use super::Importing;
use crate::id::PlanId;
use crate::plan::{Group, MarkMeaning, Node, PlanTask, StatusMark, Turn};
use crate::task::board::TaskKind;
use crate::task::decide::MAX_TITLE_LENGTH;
use crate::task::event::PlanLink;

/// A plan's groups and tasks in one list, in file order.
pub(super) struct Nodes {
    pub links: Vec<PlanLink>,
    /// The index of each node's parent, if it has one.
    pub parents: Vec<Option<usize>>,
    /// The indexes of each node's dependencies.
    pub waits: Vec<BTreeSet<usize>>,
    /// When each node can start.
    pub turns: Vec<NodeTurn>,
    /// Whether each node's tasks can be done in any order.
    pub any_order: Vec<bool>,
    /// Each node's status mark in the plan.
    pub signs: Vec<Option<MarkMeaning>>,
}

/// When a node can start: like [`Turn`], but with indexes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NodeTurn {
    InOrder,
    WithPrevious,
    With(Vec<usize>),
    AtOnce,
}

impl Nodes {
    pub(super) fn read(what: Importing<'_>) -> Self {
        let plan = what.plan;
        let order = plan.nodes();
        let places: BTreeMap<Node, usize> = order
            .iter()
            .enumerate()
            .map(|(place, node)| (*node, place))
            .collect();
        let mut read = Self {
            links: Vec::with_capacity(order.len()),
            parents: Vec::with_capacity(order.len()),
            waits: Vec::with_capacity(order.len()),
            turns: Vec::with_capacity(order.len()),
            any_order: Vec::with_capacity(order.len()),
            signs: Vec::with_capacity(order.len()),
        };
        for node in order {
            let (link, dependencies, sign, turn, any_order) = match node {
                Node::Group(index) => {
                    let group = &plan.groups[index];
                    let sign = group.mark.as_ref().map(|mark| mark.meaning);
                    let link = group_link(what.id, group);
                    (link, &group.dependencies, sign, &group.turn, group.any_order)
                }
                Node::Task(index) => {
                    let task = &plan.tasks[index];
                    let hash = what.hashes.get(index).cloned().unwrap_or_default();
                    let link = task_link(what.id, task, hash);
                    (link, &task.dependencies, sign_of(task), &task.turn, false)
                }
            };
            read.links.push(link);
            let parent = plan.parent(node).and_then(|parent| places.get(&parent).copied());
            read.parents.push(parent);
            read.any_order.push(any_order);
            read.turns.push(match turn {
                Turn::InOrder => NodeTurn::InOrder,
                Turn::WithPrevious => NodeTurn::WithPrevious,
                Turn::With(others) => {
                    let others = others.iter().filter_map(|other| places.get(other).copied());
                    NodeTurn::With(others.collect())
                }
                Turn::AtOnce => NodeTurn::AtOnce,
            });
            let targets = dependencies.iter().filter_map(|dependency| dependency.target);
            let places = targets.filter_map(|target| places.get(&target).copied());
            read.waits.push(places.collect());
            read.signs.push(sign);
        }
        read
    }
}

fn group_link(plan: &PlanId, group: &Group) -> PlanLink {
    PlanLink {
        plan: plan.clone(),
        number: group.called(),
        title: group.title.clone(),
        content_hash: String::new(),
        kind: TaskKind::Group,
    }
}

fn task_link(plan: &PlanId, task: &PlanTask, content_hash: String) -> PlanLink {
    PlanLink {
        plan: plan.clone(),
        number: task.number.as_str().to_owned(),
        title: task.title.clone(),
        content_hash,
        kind: TaskKind::Work,
    }
}

/// A task's status in the plan: the mark in its heading, or else its checkboxes if all are ticked.
fn sign_of(task: &PlanTask) -> Option<MarkMeaning> {
    if let Some(StatusMark { meaning, .. }) = &task.mark {
        return Some(*meaning);
    }
    let mut boxes = task.steps.iter().filter_map(|step| step.checked).peekable();
    (boxes.peek().is_some() && boxes.all(|ticked| ticked)).then_some(MarkMeaning::Done)
}

/// The task's title in the tree: never empty, never too long.
pub(super) fn title_in_tree(link: &PlanLink) -> String {
    let title = if link.title.is_empty() {
        match link.kind {
            TaskKind::Work => format!("Task {}", link.number),
            TaskKind::Group => link.number.clone(),
        }
    } else {
        link.title.clone()
    };
    title.chars().take(MAX_TITLE_LENGTH).collect()
}
