//! A plan parsed from Markdown: preamble, groups, tasks and notes.
//!
//! This module has only the data; the parser is in another crate. Nodes refer to each other by index. Each text has its
//! byte range in the file, so that Bugle can show it unchanged.

mod matching;
#[cfg(test)]
mod matching_tests;
mod note;
mod number;
mod outline;

use std::ops::Range;

pub use matching::{MatchedBy, Matching, OldTask, TaskMatch, TaskWords, match_tasks};
pub use note::{FenceReading, NoteKind, PlanNote};
pub use number::TaskNumber;
pub use outline::{OutlineNode, PlanOutline};

/// A plan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// The first top-level heading that is neither a task nor a group.
    pub title: Option<String>,
    /// The text before the tasks.
    pub preamble: Preamble,
    /// Constraints for all tasks, one entry per section.
    pub constraints: Vec<Constraints>,
    /// Phases, batches and other groups, in file order.
    pub groups: Vec<Group>,
    /// Tasks, in file order.
    pub tasks: Vec<PlanTask>,
    /// Whether top-level groups and tasks can be done in any order.
    pub any_order: bool,
    /// Notes for the author about ambiguous and unreadable parts, by line.
    pub notes: Vec<PlanNote>,
}

impl Plan {
    /// The indexes of tasks with this number, as typed by a user. There are several if numbers restart in each group.
    pub fn tasks_numbered(&self, number: &str) -> Vec<usize> {
        let key = TaskNumber::new(number).key();
        let numbered = self.tasks.iter().enumerate();
        numbered
            .filter(|(_, task)| task.number.key() == key)
            .map(|(index, _)| index)
            .collect()
    }

    /// Groups and tasks together, in file order.
    pub fn nodes(&self) -> Vec<Node> {
        let mut nodes: Vec<Node> = (0..self.groups.len()).map(Node::Group).collect();
        nodes.extend((0..self.tasks.len()).map(Node::Task));
        nodes.sort_by_key(|node| self.extent(*node).map_or(0, |extent| extent.range.start));
        nodes
    }

    /// The node's location, if the node exists.
    pub fn extent(&self, node: Node) -> Option<&Extent> {
        match node {
            Node::Group(index) => self.groups.get(index).map(|group| &group.extent),
            Node::Task(index) => self.tasks.get(index).map(|task| &task.extent),
        }
    }

    /// The node's parent.
    pub fn parent(&self, node: Node) -> Option<Node> {
        match node {
            Node::Group(index) => self.groups.get(index)?.parent.map(Node::Group),
            Node::Task(index) => self.tasks.get(index)?.parent,
        }
    }
}

/// A group or task, by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    /// A group.
    Group(usize),
    /// A task.
    Task(usize),
}

/// A location in the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extent {
    /// The line of the heading, from 1.
    pub line: usize,
    /// The byte range: from the heading to the end of the last line, without trailing blank lines and rules.
    pub range: Range<usize>,
}

/// The plan's description of itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Preamble {
    /// The goal.
    pub goal: Option<String>,
    /// The approach.
    pub architecture: Option<String>,
    /// The technologies.
    pub tech_stack: Option<String>,
    /// The skills that the plan tells its reader to use, in order, such as `superpowers:executing-plans`.
    pub skills: Vec<String>,
}

/// A section with constraints for all tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constraints {
    /// The location.
    pub extent: Extent,
    /// Items and paragraphs, one line each.
    pub items: Vec<String>,
}

/// The kind of group, from its heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GroupKind {
    /// `Phase 2`
    Phase,
    /// `Batch 2`
    Batch,
    /// `Chunk 2`
    Chunk,
    /// `Milestone 2`
    Milestone,
    /// `Wave 2`
    Wave,
    /// `Stage 2`
    Stage,
    /// `Part 2`
    Part,
    /// `Sprint 2`
    Sprint,
    /// `Iteration 2`
    Iteration,
    /// A heading without a number, such as `Completed Work`.
    Heading,
}

impl GroupKind {
    /// All kinds that a word in the heading identifies.
    pub const WORDED: [Self; 9] = [
        Self::Phase,
        Self::Batch,
        Self::Chunk,
        Self::Milestone,
        Self::Wave,
        Self::Stage,
        Self::Part,
        Self::Sprint,
        Self::Iteration,
    ];

    /// The word in the heading; empty for a plain heading.
    pub fn word(self) -> &'static str {
        match self {
            Self::Phase => "Phase",
            Self::Batch => "Batch",
            Self::Chunk => "Chunk",
            Self::Milestone => "Milestone",
            Self::Wave => "Wave",
            Self::Stage => "Stage",
            Self::Part => "Part",
            Self::Sprint => "Sprint",
            Self::Iteration => "Iteration",
            Self::Heading => "",
        }
    }
}

/// A parent of tasks that is not a task itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The kind.
    pub kind: GroupKind,
    /// The group's number; `None` for a plain heading.
    pub number: Option<TaskNumber>,
    /// The group's title; may be empty.
    pub title: String,
    /// The level of the group's heading, 1 to 6.
    pub level: u8,
    /// The group's parent group.
    pub parent: Option<usize>,
    /// The status mark in the group's heading.
    pub mark: Option<StatusMark>,
    /// The group's dependencies.
    pub dependencies: Vec<Dependency>,
    /// When the group starts.
    pub turn: Turn,
    /// Whether the group's tasks can be done in any order.
    pub any_order: bool,
    /// The group's own text, up to its first task.
    pub extent: Extent,
}

impl Group {
    /// The name in the plan, such as `Phase 2`; empty for a plain heading.
    pub fn called(&self) -> String {
        match &self.number {
            Some(number) => format!("{} {number}", self.kind.word()).trim().to_owned(),
            None => String::new(),
        }
    }
}

/// A task in a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanTask {
    /// The task's number as written.
    pub number: TaskNumber,
    /// The task's title; may be empty.
    pub title: String,
    /// The level of the task's heading, 1 to 6.
    pub level: u8,
    /// The task's parent.
    pub parent: Option<Node>,
    /// The status mark in the task's heading. It is the author's remark, not the task's state.
    pub mark: Option<StatusMark>,
    /// The task's own text, without nested tasks.
    pub extent: Extent,
    /// The text without the heading, normalised for the hash that detects edits: line endings, trailing spaces, blank
    /// lines and ticked checkboxes do not matter.
    pub content: String,
    /// The files that the task names.
    pub files: Vec<FileChange>,
    /// The task's inputs from other tasks, and its outputs for them.
    pub interfaces: Interfaces,
    /// The task's dependencies.
    pub dependencies: Vec<Dependency>,
    /// When the task starts.
    pub turn: Turn,
    /// The task's steps.
    pub steps: Vec<PlanStep>,
}

/// The meaning of a status mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkMeaning {
    /// Finished.
    Done,
    /// In progress.
    Active,
    /// Blocked: waiting for something.
    Blocked,
    /// Failed.
    Failed,
    /// Skipped.
    Skipped,
    /// Not started.
    Pending,
}

/// A status mark in a heading: a tick, a checkbox or a word in brackets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusMark {
    /// The text as written.
    pub written: String,
    /// The meaning.
    pub meaning: MarkMeaning,
}

/// A task's action on a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileAction {
    /// Create the file.
    Create,
    /// Change the file.
    Modify,
    /// Add tests to the file.
    Test,
    /// Delete the file.
    Delete,
    /// Rename the file.
    Rename {
        /// The new name, if given.
        to: Option<String>,
    },
    /// Read the file without changing it.
    Read,
    /// The plan does not name an action.
    Unstated,
}

/// A file that a task names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The task's action on the file.
    pub action: FileAction,
    /// The file's path as written.
    pub path: String,
    /// The line ranges in the file, if the plan gives any.
    pub lines: Vec<LineRange>,
    /// The remaining text of the line.
    pub remark: String,
}

/// A range of lines, inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRange {
    /// The first line.
    pub first: u32,
    /// The last line.
    pub last: u32,
}

/// A task's inputs from other tasks, and its outputs for them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Interfaces {
    /// The inputs.
    pub consumes: Vec<String>,
    /// The outputs.
    pub produces: Vec<String>,
}

/// When a task or group starts relative to its siblings, if the plan states it. A node with dependencies waits only
/// for those.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Turn {
    /// The plan does not state when the node starts: it starts after all earlier siblings.
    #[default]
    InOrder,
    /// Starts in parallel with the previous sibling.
    WithPrevious,
    /// Starts in parallel with these nodes.
    With(Vec<Node>),
    /// Starts immediately.
    AtOnce,
}

/// A task or group that must be finished first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// The node's name in the plan: `Task 2`, `Phase 1`.
    pub written: String,
    /// The node, if it is in the plan.
    pub target: Option<Node>,
}

/// A step of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanStep {
    /// The step's number, if it has one.
    pub number: Option<TaskNumber>,
    /// The step's text.
    pub title: String,
    /// Whether the step's checkbox is ticked, if it has one. Most authors never tick checkboxes, so a tick is not the
    /// step's state.
    pub checked: Option<bool>,
    /// The step's line, from 1.
    pub line: usize,
}
