//! The stable codes of refused task commands, each with an explanation and a remedy.

use super::decide::TaskRefusal;
use crate::code_help::refusal_codes;

refusal_codes! {
    TaskRefusal;
    Self::OpenInside(_), "open-inside",
        "The task cannot be closed because some of its subtasks are open.",
        "Finish or skip the listed subtasks, or skip the whole task.";
    Self::Waits(_), "waits",
        "The task depends on tasks that are still open.",
        "Finish the listed tasks first.";
    Self::NotItsTurn(_), "not-its-turn",
        "The plan's tasks must be done in order, and earlier tasks are still open.",
        "Run `bugle task next` to see the next task.";
    Self::Closed(_), "closed",
        "The task is already done, skipped or failed.",
        "If work is left, run `bugle task reopen`.";
    Self::Held(_), "held",
        "Another agent is working on the task.",
        "Start another task; if that agent is gone, run `bugle task start TASK --take-over`.";
    Self::InRun(_), "in-run",
        "The task belongs to an open run, which starts and closes its tasks itself.",
        "Continue the run. The run closes the task.";
    Self::Removed, "removed",
        "The task was removed.",
        "Run `bugle task reopen` to restore the task.";
    Self::ParentRemoved(_), "parent-removed",
        "The task cannot be restored because its parent task was removed.",
        "Restore the parent task first.";
    Self::Empty(_), "empty",
        "A required value, such as the title or the reason, is empty.",
        "Pass a value that is not empty.";
    Self::TooLong { .. }, "too-long",
        "A value, such as the title or a note, is too long.",
        "Shorten the text, or put it in a file and mention the file's path.";
}
