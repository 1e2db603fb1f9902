//! A plan as it was read from Markdown: what it says about itself, its groups and tasks, and what was unclear.
//!
//! Reading is the business of another crate; here is only what a plan holds. Nodes name each other by their place
//! in the lists of the plan, and every text knows where in the file it stands, so that it can be shown unchanged.

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
    /// The first heading of the first level that is neither a task nor a group.
    pub title: Option<String>,
    /// What stands before the tasks.
    pub preamble: Preamble,
    /// What holds for all tasks, one entry for each section that says so.
    pub constraints: Vec<Constraints>,
    /// Phases, batches and the like, in the order of the file.
    pub groups: Vec<Group>,
    /// Tasks, in the order of the file.
    pub tasks: Vec<PlanTask>,
    /// Whether what stands at the top of it may be done in any order.
    pub any_order: bool,
    /// What was ambiguous and how it was read, and what could not be read, by line.
    pub notes: Vec<PlanNote>,
}

impl Plan {
    /// The tasks with a number, as a user types it. More than one if numbers start over in every group.
    pub fn tasks_numbered(&self, number: &str) -> Vec<usize> {
        let key = TaskNumber::new(number).key();
        let numbered = self.tasks.iter().enumerate();
        numbered
            .filter(|(_, task)| task.number.key() == key)
            .map(|(index, _)| index)
            .collect()
    }

    /// Groups and tasks together, in the order of the file.
    pub fn nodes(&self) -> Vec<Node> {
        let mut nodes: Vec<Node> = (0..self.groups.len()).map(Node::Group).collect();
        nodes.extend((0..self.tasks.len()).map(Node::Task));
        nodes.sort_by_key(|node| self.extent(*node).map_or(0, |extent| extent.range.start));
        nodes
    }

    /// Where a node stands, if there is such a node.
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

/// A group or a task of a plan, by its place in the plan's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    /// A group.
    Group(usize),
    /// A task.
    Task(usize),
}

/// Where a text stands in the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extent {
    /// The line of its heading, from 1.
    pub line: usize,
    /// Its bytes: from the heading to the end of its last line, blank lines and rules behind it left out.
    pub range: Range<usize>,
}

/// What a plan says about itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Preamble {
    /// What it is for.
    pub goal: Option<String>,
    /// How it goes about it.
    pub architecture: Option<String>,
    /// With what.
    pub tech_stack: Option<String>,
    /// The skills it tells its reader to use, the first one first: `superpowers:executing-plans`.
    pub skills: Vec<String>,
}

/// A section of what holds for all tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constraints {
    /// Where it stands.
    pub extent: Extent,
    /// Its items and paragraphs, each in one line.
    pub items: Vec<String>,
}

/// What the heading of a group calls it.
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
    /// All kinds that have a word of their own.
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

    /// The word in the heading; none for a plain heading.
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

/// A parent of tasks that is no task itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// What it is called.
    pub kind: GroupKind,
    /// Its number; a plain heading has none.
    pub number: Option<TaskNumber>,
    /// Its title; may be empty.
    pub title: String,
    /// The level of its heading, 1 to 6.
    pub level: u8,
    /// Its group.
    pub parent: Option<usize>,
    /// A sign of status in its heading.
    pub mark: Option<StatusMark>,
    /// What it waits for.
    pub dependencies: Vec<Dependency>,
    /// When it begins.
    pub turn: Turn,
    /// Whether its tasks may be done in any order.
    pub any_order: bool,
    /// Its own text, up to its first task.
    pub extent: Extent,
}

impl Group {
    /// What the plan calls it by number, such as `Phase 2`; nothing for a plain heading.
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
    /// Its number, as written.
    pub number: TaskNumber,
    /// Its title; may be empty.
    pub title: String,
    /// The level of its heading, 1 to 6.
    pub level: u8,
    /// Its parent.
    pub parent: Option<Node>,
    /// A sign of status in its heading. It is a remark of the author's, never the state of the task.
    pub mark: Option<StatusMark>,
    /// Its own text; the text of a task inside it is not part of it.
    pub extent: Extent,
    /// Its text without the heading, in the form whose hash tells whether it was edited: line ends, space at the
    /// ends of lines, blank lines and ticks of checkboxes make no difference.
    pub content: String,
    /// The files it says it touches.
    pub files: Vec<FileChange>,
    /// What it takes from other tasks and gives to them.
    pub interfaces: Interfaces,
    /// What it waits for.
    pub dependencies: Vec<Dependency>,
    /// When it begins.
    pub turn: Turn,
    /// Its steps.
    pub steps: Vec<PlanStep>,
}

/// What a sign in a heading says about the work below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkMeaning {
    /// Finished.
    Done,
    /// Under way.
    Active,
    /// Waiting for something.
    Blocked,
    /// Gone wrong.
    Failed,
    /// Left out.
    Skipped,
    /// Not begun.
    Pending,
}

/// A sign of status in a heading: a tick, a box, a word in brackets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusMark {
    /// As written.
    pub written: String,
    /// What it means.
    pub meaning: MarkMeaning,
}

/// What happens to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileAction {
    /// It is made.
    Create,
    /// It is changed.
    Modify,
    /// It holds the tests.
    Test,
    /// It goes away.
    Delete,
    /// It gets another name.
    Rename {
        /// The new one, if it is given.
        to: Option<String>,
    },
    /// It is only looked at.
    Read,
    /// The plan does not say.
    Unstated,
}

/// A file that a task touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// What happens to it.
    pub action: FileAction,
    /// Its path, as written.
    pub path: String,
    /// The lines meant, both ends included.
    pub lines: Vec<LineRange>,
    /// What else the line says.
    pub remark: String,
}

/// Lines of a file, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRange {
    /// The first.
    pub first: u32,
    /// The last.
    pub last: u32,
}

/// What a task takes from other tasks and gives to them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Interfaces {
    /// What it takes.
    pub consumes: Vec<String>,
    /// What it gives.
    pub produces: Vec<String>,
}

/// When a task or group begins among those beside it, as far as its plan says so. One with dependencies waits for these
/// alone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Turn {
    /// The plan says nothing: after everything that stands before it.
    #[default]
    InOrder,
    /// Together with the one before it.
    WithPrevious,
    /// Together with these.
    With(Vec<Node>),
    /// At once.
    AtOnce,
}

/// A task or group that must be finished first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// What the plan calls it: `Task 2`, `Phase 1`.
    pub written: String,
    /// The node, if the plan has it.
    pub target: Option<Node>,
}

/// A step of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanStep {
    /// Its number, if it has one.
    pub number: Option<TaskNumber>,
    /// What is to be done.
    pub title: String,
    /// Whether its box is ticked, if it has one. Most people never tick them: it is not the state of anything.
    pub checked: Option<bool>,
    /// The line it stands on, from 1.
    pub line: usize,
}
