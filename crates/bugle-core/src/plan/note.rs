//! Notes for the author of a plan: what was ambiguous and how it was read, and what could not be read.
//!
//! Only facts; the renderer turns them into sentences.

use super::TaskNumber;

/// A note for the author of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanNote {
    /// The line, from 1.
    pub line: usize,
    /// The kind.
    pub kind: NoteKind,
}

/// How code fences were paired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FenceReading {
    /// A fence ends at the next one of the same kind and length without a language, as in `CommonMark`.
    Paired,
    /// A fence with a language inside another one opens a nested block.
    Nested,
    /// Every fence opens or closes a block, regardless of its kind.
    Toggled,
    /// Like `Paired`, but an unclosed block ends at the heading of the next task by number.
    Resumed,
}

/// What was ambiguous or could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoteKind {
    /// The file has no tasks.
    NoTasks,
    /// The fences can be paired in several ways that give different tasks.
    Fences {
        /// The chosen way.
        reading: FenceReading,
        /// Whether its task numbers are consecutive; if not, no way gave consecutive numbers.
        whole: bool,
    },
    /// An unclosed code block starts here.
    UnclosedFence,
    /// An unclosed comment starts here; it was read as text.
    UnclosedComment,
    /// An earlier task of the same parent, or of another group, has the same number.
    DuplicateNumber {
        /// The number.
        number: TaskNumber,
        /// The line of the earlier task.
        first_line: usize,
    },
    /// Numbers are missing between two neighbors.
    NumberGap {
        /// The previous number.
        after: TaskNumber,
        /// The number here.
        found: TaskNumber,
    },
    /// `Task 3 progress`: a number without a separator before the title. Not a task.
    NoSeparator {
        /// The heading.
        heading: String,
    },
    /// `Tasks 3: ...`: several tasks in one heading. Not a task.
    SeveralTasks {
        /// The heading.
        heading: String,
    },
    /// `Task A: ...`: no number. Not a task.
    NoNumber {
        /// The heading.
        heading: String,
    },
    /// Only `Task 3`. A task without a title, because no other task has the number.
    BareNumber {
        /// The number.
        number: TaskNumber,
    },
    /// Only `Task 3:`.
    NoTitle {
        /// The number.
        number: TaskNumber,
    },
    /// `Task 3-5`: one task with this number, not several.
    NumberSpan {
        /// The number.
        number: TaskNumber,
    },
    /// `**Task 3: ...**` in a line that is not a heading. Not a task.
    NotAHeading {
        /// The line.
        text: String,
    },
    /// Tasks follow a group's heading at the same level. They belong to the group.
    GroupBesideTasks,
    /// A phase without tasks, in a plan that has tasks. Ignored.
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
    /// `Task 3.1` at the level of `Task 3`. A sibling of it.
    PartBesideWhole {
        /// The number.
        number: TaskNumber,
        /// The number of the parent.
        whole: TaskNumber,
    },
    /// A task with a deeper heading than the previous task, but whose number is not a part of it.
    DeeperTask {
        /// The number.
        number: TaskNumber,
        /// The number of the previous task.
        outer: TaskNumber,
        /// Whether it was read as a part of that task.
        inside: bool,
    },
    /// `Step 1` as a heading at the level of its task. A step of that task.
    StepBesideTask,
    /// A section about the whole plan with a deeper heading than the previous task. Not part of the task.
    PlanSection {
        /// The heading.
        heading: String,
    },
    /// Text of a task after a nested task. Part of neither.
    TextAfterInnerTask {
        /// The heading.
        heading: String,
    },
    /// Boxes that are not steps, because the task has explicit steps, or a label names them differently.
    BoxesNotSteps {
        /// The number of boxes.
        count: usize,
    },
    /// Steps, or boxes that may be steps, outside of every task. Ignored.
    StepsOutside {
        /// The number of steps.
        count: usize,
    },
    /// An entry in a list of files that names none.
    FileUnread {
        /// The entry.
        text: String,
    },
    /// A list of files in a code block, which is not read.
    FilesInCode,
    /// An entry in a list of interfaces that is neither consumed nor produced.
    InterfaceUnread {
        /// The entry.
        text: String,
    },
    /// A dependency that names no task or group.
    DependencyUnread {
        /// The text.
        text: String,
    },
    /// A dependency on an unknown task or group.
    DependencyUnknown {
        /// The name.
        written: String,
    },
    /// A dependency on itself or on an ancestor. Ignored.
    DependencyOnItself {
        /// The name.
        written: String,
    },
    /// A sentence about a dependency without a clear subject. Not a dependency.
    DependencyInSentence {
        /// The sentence.
        text: String,
    },
}

impl NoteKind {
    /// Whether something could not be read; otherwise the note says how it was read.
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
