//! The stable codes of refused task commands, each with an explanation and a remedy.

use super::decide::TaskRefusal;
use crate::code_help::refusal_codes;

refusal_codes! {
    TaskRefusal;
    Self::OpenInside(_), "open-inside",
        "The task cannot be closed because it has open subtasks.",
        "Finish or skip the listed tasks, or skip the whole task.";
    Self::Waits(_), "waits",
        "The task depends on tasks that are still open.",
        "Finish the listed tasks first.";
    Self::NotItsTurn(_), "not-its-turn",
        "The plan's tasks must be done in order, and earlier tasks are still open.",
        "Run `bugle task next` to see the next task.";
    Self::Closed(_), "closed",
        "The task is already done or skipped.",
        "If work is left, run `bugle task reopen`.";
    Self::Held(_), "held",
        "Another agent is working on the task.",
        "Start another task. If the other agent is gone, run `bugle task start TASK --take-over`.";
    Self::InRun(_), "in-run",
        "The task belongs to an open run, which starts and closes its tasks itself.",
        "Continue the run; the run closes the task.";
    Self::Removed, "removed",
        "The task was removed.",
        "Run `bugle task reopen` to restore the task.";
    Self::ParentRemoved(_), "parent-removed",
        "The task cannot be restored because a parent task was removed.",
        "Restore the parent task first.";
    Self::Empty(_), "empty",
        "A required string, such as the title or the reason, is empty.",
        "Run the command again with a non-empty string.";
    Self::TooLong { .. }, "too-long",
        "A string, such as the title or a note, is too long.",
        "Shorten the string, and put long text in a file.";
}
