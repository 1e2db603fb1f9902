//! Notes for a plan's author about ambiguous and unreadable parts.
//!
//! This module has only facts; the renderer turns them into sentences.

use super::TaskNumber;

/// A note for a plan's author.
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
    /// As in `CommonMark`: a fence ends at the next fence of the same kind and length without a language.
    Paired,
    /// A fence with a language inside another block opens a nested block.
    Nested,
    /// Every fence opens or closes a block, regardless of its kind.
    Toggled,
    /// Like `Paired`, but an unclosed block ends at the heading with the next task number.
    Resumed,
}

/// An ambiguous or unreadable part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoteKind {
    /// The file has no tasks.
    NoTasks,
    /// Code fences can be paired in several ways, which give different tasks.
    Fences {
        /// The pairing that Bugle chose.
        reading: FenceReading,
        /// Whether this pairing gives consecutive task numbers; if not, no pairing does.
        whole: bool,
    },
    /// An unclosed code block starts here.
    UnclosedFence,
    /// An unclosed comment starts here. It was read as text.
    UnclosedComment,
    /// An earlier task under the same parent, or in another group, has the same number.
    DuplicateNumber {
        /// The number.
        number: TaskNumber,
        /// The line of the earlier task.
        first_line: usize,
    },
    /// Numbers are missing between two neighbouring tasks.
    NumberGap {
        /// The previous number.
        after: TaskNumber,
        /// The number here.
        found: TaskNumber,
    },
    /// `Task 3 progress`: no separator between number and title. Not a task.
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
    /// Only `Task 3`. Read as a task without a title, because no other task has the number.
    BareNumber {
        /// The number.
        number: TaskNumber,
    },
    /// Only `Task 3:`. Read as a task without a title.
    NoTitle {
        /// The number.
        number: TaskNumber,
    },
    /// `Task 3-5`. Read as one task with this number.
    NumberSpan {
        /// The number.
        number: TaskNumber,
    },
    /// `**Task 3: ...**` on a line that is not a heading. Not a task.
    NotAHeading {
        /// The line.
        text: String,
    },
    /// Tasks follow a group's heading at the same level. They belong to the group.
    GroupBesideTasks,
    /// A phase without tasks, in a plan that has tasks. Ignored.
    GroupWithoutTasks {
        /// The phase's heading.
        heading: String,
    },
    /// A plain heading with tasks below it.
    PlainHeading {
        /// The heading.
        heading: String,
        /// Whether Bugle read the heading as a group.
        group: bool,
    },
    /// `Task 3.1` at the same heading level as `Task 3`. Read as a sibling.
    PartBesideWhole {
        /// The number.
        number: TaskNumber,
        /// The parent's number.
        whole: TaskNumber,
    },
    /// A task with a deeper heading than the previous task, but with a number that is not part of that task's number.
    DeeperTask {
        /// The number.
        number: TaskNumber,
        /// The number of the previous task.
        outer: TaskNumber,
        /// Whether Bugle read the task as part of the previous task.
        inside: bool,
    },
    /// A `Step 1` heading at its task's level. Read as a step of that task.
    StepBesideTask,
    /// A section about the whole plan under a deeper heading than the previous task's. Not part of that task.
    PlanSection {
        /// The heading.
        heading: String,
    },
    /// Text that follows a nested task. Part of neither task.
    TextAfterInnerTask {
        /// The heading.
        heading: String,
    },
    /// Checkboxes that are not steps, because the task has explicit steps or a label gives them another meaning.
    BoxesNotSteps {
        /// The number of checkboxes.
        count: usize,
    },
    /// Steps, or checkboxes that may be steps, outside any task. Ignored.
    StepsOutside {
        /// The number of steps.
        count: usize,
    },
    /// An entry in a file list that names no file.
    FileUnread {
        /// The entry.
        text: String,
    },
    /// A file list in a code block. Ignored.
    FilesInCode,
    /// An entry in an interface list that is neither consumed nor produced.
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
    /// A dependency on the task itself or an ancestor. Ignored.
    DependencyOnItself {
        /// The name.
        written: String,
    },
    /// A sentence that mentions a dependency without a clear subject. Not a dependency.
    DependencyInSentence {
        /// The sentence.
        text: String,
    },
}

impl NoteKind {
    /// Whether Bugle could not read this part; otherwise, the note says how Bugle read it.
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
