//! The groups and tasks of a plan, each read from its own lines.

use std::collections::BTreeSet;

use bugle_core::plan::{Group, GroupKind, Interfaces, Node, Note, Plan, PlanTask, TaskNumber};

use super::blocks::{Block, blocks};
use super::content::content;
use super::dependencies::{self, Resolver, Written};
use super::files::files;
use super::groups::nodes;
use super::interfaces::interfaces;
use super::lines::{Kind, Line, extent};
use super::outline::Branch;
use super::steps::{step_words, steps};
use super::text::{checkbox, past_list_markers};

/// The lines of a file and what they are.
pub(super) struct File<'a> {
    pub lines: &'a [Line<'a>],
    pub kinds: &'a [Kind],
}

impl File<'_> {
    /// Reads the groups and tasks into the plan.
    pub(super) fn read_branches(&self, branches: &[Branch], plan: &mut Plan, notes: &mut Vec<Note>) {
        let places = nodes(branches);
        let resolver = Resolver::new(branches, &places);
        for (index, branch) in branches.iter().enumerate() {
            let parent = branch.parent.map(|parent| places[parent]);
            let mut waits_for = Vec::new();
            dependencies::in_title(&branch.title, branch.first, &mut waits_for);
            match (branch.group, &branch.number) {
                (None, Some(number)) => {
                    let mut task = self.task(branch, number, &mut waits_for, notes);
                    task.parent = parent;
                    task.dependencies = resolver.resolve(index, &waits_for, notes);
                    plan.tasks.push(task);
                }
                (kind, number) => {
                    for block in blocks(self.lines, self.kinds, branch.first + 1, branch.end) {
                        dependencies::in_block(&block, &mut waits_for, notes);
                    }
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
                        dependencies: resolver.resolve(index, &waits_for, notes),
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
        waits_for: &mut Vec<Written>,
        notes: &mut Vec<Note>,
    ) -> PlanTask {
        let (first, end) = (branch.first + 1, branch.end);
        let blocks = blocks(self.lines, self.kinds, first, end);
        let mut changes = Vec::new();
        let mut exchanged = Interfaces::default();
        for block in &blocks {
            changes.extend(files(block, notes));
            interfaces(block, &mut exchanged, notes);
            dependencies::in_block(block, waits_for, notes);
        }
        for index in self.prose(first, end, &blocks) {
            dependencies::in_prose(self.lines[index].text, index, number, waits_for, notes);
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
            steps: steps(self.lines, self.kinds, first..end, &blocks, notes),
        }
    }

    /// The lines of free text: no steps, and no entries of lists that have a meaning of their own.
    fn prose(&self, first: usize, end: usize, blocks: &[Block]) -> Vec<usize> {
        let entries: BTreeSet<usize> = blocks.iter().flat_map(Block::entry_lines).collect();
        let mut found = Vec::new();
        // A line that begins nothing goes on with what stands before it.
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
