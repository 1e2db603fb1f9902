//! What the author of a plan should know: what was ambiguous and how it was read, and what could not be read.
//!
//! Facts only; the sentences are made where things are said to people.

use super::TaskNumber;

/// Something about a plan that its author should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanNote {
    /// The line, from 1.
    pub line: usize,
    /// What it is.
    pub kind: NoteKind,
}

/// How fences of code blocks were paired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FenceReading {
    /// A fence ends at the next one of its kind and length without a language: the rule of `CommonMark`.
    Paired,
    /// A fence with a language inside another one opens a block inside it.
    Nested,
    /// Every fence opens or closes, whatever its kind.
    Toggled,
    /// As paired, but a block that is never closed ends at the heading of the task that comes next by number.
    Resumed,
}

/// What was unclear or could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoteKind {
    /// There is no task in it.
    NoTasks,
    /// Fences can be paired in several ways that give other tasks; this way was taken.
    Fences {
        /// The way.
        reading: FenceReading,
        /// Whether its numbers are whole; if not, no way gave whole numbers.
        whole: bool,
    },
    /// A code block is opened here and never closed.
    UnclosedFence,
    /// A comment is opened here and never closed; it was read as text.
    UnclosedComment,
    /// A number that an earlier task of the same parent, or of another group, has already.
    DuplicateNumber {
        /// The number.
        number: TaskNumber,
        /// The line of the earlier task.
        first_line: usize,
    },
    /// Numbers are missing between two neighbours.
    NumberGap {
        /// The number before.
        after: TaskNumber,
        /// The number here.
        found: TaskNumber,
    },
    /// `Task 3 progress`: a number, but nothing that parts it from a title. Not a task.
    NoSeparator {
        /// The heading.
        heading: String,
    },
    /// `Tasks 3: ...`: several in one heading. Not a task.
    SeveralTasks {
        /// The heading.
        heading: String,
    },
    /// `Task A: ...`: no number. Not a task.
    NoNumber {
        /// The heading.
        heading: String,
    },
    /// `Task 3` and nothing else. A task without a title, because no other task has the number.
    BareNumber {
        /// The number.
        number: TaskNumber,
    },
    /// `Task 3:` and nothing else.
    NoTitle {
        /// The number.
        number: TaskNumber,
    },
    /// `Task 3-5`: one task with this number, not several.
    NumberSpan {
        /// The number.
        number: TaskNumber,
    },
    /// `**Task 3: ...**` in a line that is no heading. Not a task.
    NotAHeading {
        /// The line.
        text: String,
    },
    /// Tasks follow the heading of a group on its own level. They are in it.
    GroupBesideTasks,
    /// A phase without a task below it, in a plan that has tasks. Left out.
    GroupWithoutTasks {
        /// Its heading.
        heading: String,
    },
    /// A plain heading with tasks below it.
    PlainHeading {
        /// The heading.
        heading: String,
        /// Whether it was read as a group.
        group: bool,
    },
    /// `Task 3.1` on the level of `Task 3`. A task beside it.
    PartBesideWhole {
        /// The number.
        number: TaskNumber,
        /// The number of the whole.
        whole: TaskNumber,
    },
    /// A task whose heading is deeper than that of the task before, but whose number is no part of that one's.
    DeeperTask {
        /// The number.
        number: TaskNumber,
        /// The number of the task before.
        outer: TaskNumber,
        /// Whether it was read as a part of that task.
        inside: bool,
    },
    /// `Step 1` as a heading on the level of its task. A step of that task.
    StepBesideTask,
    /// A section that concerns the whole plan, with a heading deeper than that of the task before. Not part of it.
    PlanSection {
        /// The heading.
        heading: String,
    },
    /// Text of a task behind a task inside it. Part of neither.
    TextAfterInnerTask {
        /// The heading.
        heading: String,
    },
    /// Boxes that are no steps, because the task has steps that say so, or a label calls them something else.
    BoxesNotSteps {
        /// How many.
        count: usize,
    },
    /// Steps, or boxes that may be steps, outside of every task. Left out.
    StepsOutside {
        /// How many.
        count: usize,
    },
    /// An entry among the files that names none.
    FileUnread {
        /// The entry.
        text: String,
    },
    /// The files are listed in a code block, which is not read.
    FilesInCode,
    /// An entry among the interfaces that is neither taken nor given.
    InterfaceUnread {
        /// The entry.
        text: String,
    },
    /// A dependency that names no task or group.
    DependencyUnread {
        /// The text.
        text: String,
    },
    /// A dependency on something that the plan does not have.
    DependencyUnknown {
        /// What it names.
        written: String,
    },
    /// A dependency on itself, or on an ancestor. Left out.
    DependencyOnItself {
        /// What it names.
        written: String,
    },
    /// A sentence about a dependency whose subject is not clear. Not a dependency.
    DependencyInSentence {
        /// The sentence.
        text: String,
    },
}

impl NoteKind {
    /// Whether something was left unread; otherwise it was read, and the note says how.
    pub fn is_unread(&self) -> bool {
        match self {
            Self::NoTasks
            | Self::UnclosedFence
            | Self::NoSeparator { .. }
            | Self::NoNumber { .. }
            | Self::SeveralTasks { .. }
            | Self::StepsOutside { .. }
            | Self::NotAHeading { .. }
            | Self::GroupWithoutTasks { .. }
            | Self::TextAfterInnerTask { .. }
            | Self::FileUnread { .. }
            | Self::FilesInCode
            | Self::InterfaceUnread { .. }
            | Self::DependencyUnread { .. }
            | Self::DependencyUnknown { .. }
            | Self::DependencyOnItself { .. } => true,
            Self::Fences { .. }
            | Self::UnclosedComment
            | Self::DuplicateNumber { .. }
            | Self::NumberGap { .. }
            | Self::BareNumber { .. }
            | Self::NoTitle { .. }
            | Self::NumberSpan { .. }
            | Self::GroupBesideTasks
            | Self::PlainHeading { .. }
            | Self::PartBesideWhole { .. }
            | Self::DeeperTask { .. }
            | Self::StepBesideTask
            | Self::PlanSection { .. }
            | Self::BoxesNotSteps { .. }
            | Self::DependencyInSentence { .. } => false,
        }
    }
}
