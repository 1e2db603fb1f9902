//! The groups and tasks of a plan, each read from its own lines.

use std::collections::BTreeSet;

use bugle_core::plan::{Group, GroupKind, Interfaces, Node, Plan, PlanNote, PlanTask, TaskNumber, Turn};

use super::blocks::{Block, blocks};
use super::content::content;
use super::dependencies::{self, Resolver, Written};
use super::files::files;
use super::groups::nodes;
use super::interfaces::interfaces;
use super::lines::{Kind, Line, extent};
use super::step_words::step_words;
use super::steps::steps;
use super::text::{checkbox, past_list_markers};
use super::tree::Branch;
use super::turns::{self, Said, SaidOfMany, Spoken};

/// The lines of a file and their kinds.
pub(super) struct File<'a> {
    pub lines: &'a [Line<'a>],
    pub kinds: &'a [Kind],
}

/// The statements about a branch's order.
#[derive(Debug, Clone, Default)]
struct Order {
    waits_for: Vec<Written>,
    spoken: Vec<Spoken>,
    /// Whether the branch's tasks may be done in any order.
    is_free_inside: bool,
}

/// The statements about order that are outside all branches.
struct SaidOutside {
    of_branches: Vec<Order>,
    top_in_any_order: bool,
}

impl File<'_> {
    /// Reads the groups and tasks into the plan.
    pub(super) fn read_branches(&self, branches: &[Branch], plan: &mut Plan, notes: &mut Vec<PlanNote>) {
        let places = nodes(branches);
        let resolver = Resolver::new(branches, &places);
        let mut said = self.said_outside(branches, &resolver);
        plan.any_order = said.top_in_any_order;
        for (index, branch) in branches.iter().enumerate() {
            let parent = branch.parent.map(|parent| places[parent]);
            let mut order = std::mem::take(&mut said.of_branches[index]);
            // Dependencies in the title come first, then those outside the task. The canonical form has the same order:
            // it writes dependencies from outside the task in a label below the title.
            let said_outside = std::mem::take(&mut order.waits_for);
            dependencies::in_title(&branch.title, branch.first, &mut order.waits_for);
            order.waits_for.extend(said_outside);
            turns::in_title(&branch.title, branch.first, &mut order.spoken);
            match (branch.group, &branch.number) {
                (None, Some(number)) => {
                    let mut task = self.task(branch, number, &mut order, notes);
                    task.parent = parent;
                    let waits_for = &mut order.waits_for;
                    task.turn = turns::turn(index, &order.spoken, &resolver, waits_for, notes);
                    task.dependencies = resolver.resolve(index, waits_for, notes);
                    plan.tasks.push(task);
                }
                (kind, number) => {
                    let any_order = self.group_order(branch, &mut order, notes);
                    let waits_for = &mut order.waits_for;
                    let turn = turns::turn(index, &order.spoken, &resolver, waits_for, notes);
                    plan.groups.push(Group {
                        kind: kind.unwrap_or(GroupKind::Heading),
                        number: number.clone(),
                        title: branch.title.clone(),
                        level: branch.level,
                        parent: parent.and_then(|parent| match parent {
                            Node::Group(group) => Some(group),
                            Node::Task(_) => None,
                        }),
                        mark: branch.mark.clone(),
                        dependencies: resolver.resolve(index, waits_for, notes),
                        turn,
                        any_order,
                        extent: extent(self.lines, self.kinds, branch.first, branch.end),
                    });
                }
            }
        }
    }

    fn task(
        &self,
        branch: &Branch,
        number: &TaskNumber,
        order: &mut Order,
        notes: &mut Vec<PlanNote>,
    ) -> PlanTask {
        let (first, end) = (branch.first + 1, branch.end);
        let blocks = blocks(self.lines, self.kinds, first, end);
        let mut changes = Vec::new();
        let mut exchanged = Interfaces::default();
        for block in &blocks {
            changes.extend(files(block, notes));
            interfaces(block, &mut exchanged, notes);
            dependencies::in_block(block, &mut order.waits_for, notes);
            turns::in_block(block, &mut order.spoken, notes);
        }
        for index in self.prose(first, end, &blocks) {
            let text = self.lines[index].text;
            dependencies::in_prose(text, index, Some(number), &mut order.waits_for, notes);
            turns::in_prose(text, index, Some(number), &mut order.spoken);
        }
        PlanTask {
            number: number.clone(),
            title: branch.title.clone(),
            level: branch.level,
            parent: None,
            mark: branch.mark.clone(),
            extent: extent(self.lines, self.kinds, branch.first, end),
            content: content(self.lines, self.kinds, first, end),
            files: changes,
            interfaces: exchanged,
            dependencies: Vec::new(),
            turn: Turn::InOrder,
            steps: steps(self.lines, self.kinds, first..end, &blocks, notes),
        }
    }

    /// Reads from a group's text whether its tasks may be done in any order.
    fn group_order(&self, branch: &Branch, order: &mut Order, notes: &mut Vec<PlanNote>) -> bool {
        let (first, end) = (branch.first + 1, branch.end);
        let blocks = blocks(self.lines, self.kinds, first, end);
        for block in &blocks {
            dependencies::in_block(block, &mut order.waits_for, notes);
            turns::in_block(block, &mut order.spoken, notes);
        }
        let own = branch.number.as_ref();
        let mut any_order = order.is_free_inside;
        for index in self.prose(first, end, &blocks) {
            let text = self.lines[index].text;
            any_order |=
                turns::sentences(text).any(|said| turns::of_many(said) == Some(SaidOfMany::AllTasks));
            // A sentence about one of the group's tasks is handled with the text outside tasks.
            if turns::sentences(text).all(|sentence| dependencies::with_subject(sentence).is_none()) {
                dependencies::in_prose(text, index, own, &mut order.waits_for, notes);
            }
            turns::in_prose(text, index, own, &mut order.spoken);
        }
        // `Phase 2 (parallel)` is about the tasks in the phase.
        let before = order.spoken.len();
        order.spoken.retain(|spoken| spoken.said != Said::WithPrevious);
        any_order || order.spoken.len() < before
    }

    /// Reads the statements about order outside all tasks: `Task 3 depends on Task 1`, `Tasks 2 and 3 can run in
    /// parallel`.
    fn said_outside(&self, branches: &[Branch], resolver: &Resolver<'_>) -> SaidOutside {
        let mut said = SaidOutside {
            of_branches: vec![Order::default(); branches.len()],
            top_in_any_order: false,
        };
        let mut is_task = vec![false; self.lines.len()];
        let mut is_inside = vec![false; self.lines.len()];
        for branch in branches {
            for line in branch.first..branch.end {
                is_inside[line] = true;
                is_task[line] = branch.group.is_none();
            }
        }
        for (line, text) in self.lines.iter().enumerate() {
            if self.kinds[line] != Kind::Text || is_task[line] {
                continue;
            }
            for sentence in turns::sentences(text.text) {
                if let Some((subject, on)) = dependencies::with_subject(sentence) {
                    for branch in resolver.branches_named(&subject) {
                        let written = on.iter().map(|on| Written { line, on: on.clone() });
                        said.of_branches[branch].waits_for.extend(written);
                    }
                }
                match turns::of_many(sentence) {
                    Some(SaidOfMany::These(named)) => {
                        let these: Vec<usize> =
                            named.iter().flat_map(|on| resolver.branches_named(on)).collect();
                        for branch in these.iter().skip(1) {
                            let with = Said::With(named.clone());
                            said.of_branches[*branch].spoken.push(Spoken { line, said: with });
                        }
                    }
                    Some(SaidOfMany::AllTasks) if !is_inside[line] => {
                        let has_groups = branches.iter().any(|branch| branch.group.is_some());
                        said.top_in_any_order |= !has_groups;
                        said.of_branches
                            .iter_mut()
                            .for_each(|order| order.is_free_inside = true);
                    }
                    Some(SaidOfMany::AllGroups) if !is_inside[line] => said.top_in_any_order = true,
                    _ => {}
                }
            }
        }
        said
    }

    /// The lines of free text: neither steps nor entries of known lists.
    fn prose(&self, first: usize, end: usize, blocks: &[Block]) -> Vec<usize> {
        let entries: BTreeSet<usize> = blocks.iter().flat_map(Block::entry_lines).collect();
        let mut found = Vec::new();
        // A line that does not start a new element continues the previous line.
        let mut free = true;
        for index in first..end {
            if self.kinds[index] != Kind::Text {
                free = true;
                continue;
            }
            let body = self.lines[index].text.trim();
            let content = past_list_markers(body);
            let step = checkbox(content).is_some() || step_words(content).is_some();
            if step || entries.contains(&index) {
                free = false;
            } else if content.len() < body.len() {
                free = true;
            }
            if free {
                found.push(index);
            }
        }
        found
    }
}
