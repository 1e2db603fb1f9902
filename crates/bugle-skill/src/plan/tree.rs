//! The headings of a plan, and the tree of groups and tasks that they form.

use bugle_core::plan::{GroupKind, NoteKind, PlanNote, StatusMark, TaskNumber};

use super::heading::Heading;

/// A heading of the file.
#[derive(Debug, Clone)]
pub(super) struct Head {
    /// The heading's 0-based line.
    pub line: usize,
    pub level: u8,
    pub text: String,
    pub announced: Heading,
}

/// A group or task with its parent and its lines.
#[derive(Debug, Clone)]
pub(super) struct Branch {
    /// The kind of group; `None` for a task.
    pub group: Option<GroupKind>,
    /// The number; `None` for a plain heading.
    pub number: Option<TaskNumber>,
    pub title: String,
    pub mark: Option<StatusMark>,
    pub level: u8,
    /// The index of the parent among the branches.
    pub parent: Option<usize>,
    /// The 0-based line of the heading.
    pub first: usize,
    /// The line after the branch's own text.
    pub end: usize,
}

/// A note about a heading.
pub(super) fn note(head: &Head, kind: NoteKind) -> PlanNote {
    PlanNote {
        line: head.line + 1,
        kind,
    }
}
