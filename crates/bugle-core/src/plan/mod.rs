//! A plan parsed from Markdown: its preamble, groups, tasks and notes.
//!
//! The parser is in another crate; this is only the data. Nodes refer to each other by index, and every text has its
//! range in the file, so that it can be shown unchanged.

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
    /// Constraints for all tasks, one entry for each such section.
    pub constraints: Vec<Constraints>,
    /// Phases, batches and similar, in file order.
    pub groups: Vec<Group>,
    /// Tasks, in file order.
    pub tasks: Vec<PlanTask>,
    /// Whether its top level may be done in any order.
    pub any_order: bool,
    /// What was ambiguous and how it was read, and what could not be read, by line.
    pub notes: Vec<PlanNote>,
}

impl Plan {
    /// The tasks with a number as typed by a user. Several if every group restarts the numbers.
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

    /// The location of a node, if it exists.
    pub fn extent(&self, node: Node) -> Option<&Extent> {
        match node {
            Node::Group(index) => self.groups.get(index).map(|group| &group.extent),
            Node::Task(index) => self.tasks.get(index).map(|task| &task.extent),
        }
    }

    /// The parent of a node.
    pub fn parent(&self, node: Node) -> Option<Node> {
        match node {
            Node::Group(index) => self.groups.get(index)?.parent.map(Node::Group),
            Node::Task(index) => self.tasks.get(index)?.parent,
        }
    }
}

/// A group or a task of a plan, by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    /// A group.
    Group(usize),
    /// A task.
    Task(usize),
}

/// The location of a text in the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extent {
    /// The line of its heading, from 1.
    pub line: usize,
    /// Its bytes: from the heading to the end of its last line, without trailing blank lines and rules.
    pub range: Range<usize>,
}

/// A plan's statements about itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Preamble {
    /// The goal.
    pub goal: Option<String>,
    /// The approach.
    pub architecture: Option<String>,
    /// The technologies.
    pub tech_stack: Option<String>,
    /// The skills that it names for its reader, in order: `superpowers:executing-plans`.
    pub skills: Vec<String>,
}

/// A section with constraints for all tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constraints {
    /// The location.
    pub extent: Extent,
    /// Its items and paragraphs, one line each.
    pub items: Vec<String>,
}

/// The kind of a group, from its heading.
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
    /// All kinds with their own word.
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
    /// Its number; `None` for a plain heading.
    pub number: Option<TaskNumber>,
    /// Its title; may be empty.
    pub title: String,
    /// The level of its heading, 1 to 6.
    pub level: u8,
    /// Its parent group.
    pub parent: Option<usize>,
    /// A status mark in its heading.
    pub mark: Option<StatusMark>,
    /// Its dependencies.
    pub dependencies: Vec<Dependency>,
    /// When it starts.
    pub turn: Turn,
    /// Whether its tasks may be done in any order.
    pub any_order: bool,
    /// Its own text, up to its first task.
    pub extent: Extent,
}

impl Group {
    /// Its name in the plan, such as `Phase 2`; empty for a plain heading.
    pub fn called(&self) -> String {
        match &self.number {
            Some(number) => format!("{} {number}", self.kind.word()).trim().to_owned(),
            None => String::new(),
        }
    }
}

/// A task of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanTask {
    /// Its number as written.
    pub number: TaskNumber,
    /// Its title; may be empty.
    pub title: String,
    /// The level of its heading, 1 to 6.
    pub level: u8,
    /// Its parent.
    pub parent: Option<Node>,
    /// A status mark in its heading. It is the author's remark, not the state of the task.
    pub mark: Option<StatusMark>,
    /// Its own text, without the tasks inside it.
    pub extent: Extent,
    /// Its text without the heading, normalized for the hash that detects edits: line endings, trailing spaces, blank
    /// lines and checkbox ticks do not matter.
    pub content: String,
    /// The files it names.
    pub files: Vec<FileChange>,
    /// What it consumes and produces.
    pub interfaces: Interfaces,
    /// Its dependencies.
    pub dependencies: Vec<Dependency>,
    /// When it starts.
    pub turn: Turn,
    /// Its steps.
    pub steps: Vec<PlanStep>,
}

/// The meaning of a status mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkMeaning {
    /// Finished.
    Done,
    /// In progress.
    Active,
    /// Waiting for something.
    Blocked,
    /// Failed.
    Failed,
    /// Skipped.
    Skipped,
    /// Not started.
    Pending,
}

/// A status mark in a heading: a tick, a box, a word in brackets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusMark {
    /// The text as written.
    pub written: String,
    /// The meaning.
    pub meaning: MarkMeaning,
}

/// What a task does to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileAction {
    /// Create it.
    Create,
    /// Change it.
    Modify,
    /// Add tests to it.
    Test,
    /// Delete it.
    Delete,
    /// Rename it.
    Rename {
        /// The new name, if given.
        to: Option<String>,
    },
    /// Only read it.
    Read,
    /// The plan does not say.
    Unstated,
}

/// A file that a task names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// What happens to it.
    pub action: FileAction,
    /// Its path as written.
    pub path: String,
    /// The lines, inclusive.
    pub lines: Vec<LineRange>,
    /// The rest of the line.
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

/// What a task consumes from other tasks and produces for them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Interfaces {
    /// What it consumes.
    pub consumes: Vec<String>,
    /// What it produces.
    pub produces: Vec<String>,
}

/// When a task or group starts relative to its siblings, as far as the plan says. One with dependencies waits only
/// for those.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Turn {
    /// Not stated: after everything before it.
    #[default]
    InOrder,
    /// Together with the previous one.
    WithPrevious,
    /// Together with these.
    With(Vec<Node>),
    /// Immediately.
    AtOnce,
}

/// A task or group that must be finished first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// Its name in the plan: `Task 2`, `Phase 1`.
    pub written: String,
    /// The node, if the plan has it.
    pub target: Option<Node>,
}

/// A step of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanStep {
    /// Its number, if it has one.
    pub number: Option<TaskNumber>,
    /// Its text.
    pub title: String,
    /// Whether its box is ticked, if it has one. Most authors never tick them, so this is not its state.
    pub checked: Option<bool>,
    /// Its line, from 1.
    pub line: usize,
}
