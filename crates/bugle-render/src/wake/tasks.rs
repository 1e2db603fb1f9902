//! The tasks as a tree of checkboxes, with the current task marked.

use bugle_core::count::{count_phrase, counted};
use bugle_core::digest::Detail;
use bugle_core::id::TaskId;
use bugle_core::reply::{TaskLine, TaskName, TaskView, WakeFacts};
use bugle_core::task::TaskState;
use bugle_core::wake::{Offer, Part};

use super::quote::{Program, clipped, code, inline, mention, notices, number, speaker};
use super::sizes;
use crate::notice_text;

const HEADING: &str = "## Current tasks";

/// Maximum length of a title or a reason, in characters.
const LONGEST: usize = 160;

/// Number of lines shown before and after the current task at each shortened size.
const NEAR: [usize; 4] = [24, 12, 6, 3];

/// Whether there are tasks.
pub(super) fn has_tasks(facts: &WakeFacts) -> bool {
    !facts.tasks.is_empty() || facts.total > 0
}

pub(super) fn offer(facts: &WakeFacts, program: &Program) -> Offer {
    if !has_tasks(facts) {
        return sizes::nothing(Part::Tasks);
    }
    let all: Vec<&TaskLine> = facts.tasks.iter().collect();
    let command = code(&list_command(facts, program));
    let position_notices = facts.position.as_ref();
    let position_notices = position_notices.map_or(String::new(), |position| {
        notices(position.notices.iter().map(notice_text::task))
    });
    let blocks = |shown: &[&TaskLine]| {
        vec![
            HEADING.to_owned(),
            tree(shown, facts),
            rest(facts, shown, &command),
            position_notices.clone(),
        ]
    };
    let path = path(&facts.tasks);
    let mut offered = Vec::new();
    if !all.is_empty() {
        offered.push((Detail::Full, blocks(&all)));
    }
    if !path.is_empty() {
        let nearer = NEAR.into_iter().filter(|near| *near < all.len());
        offered.extend(nearer.map(|near| (Detail::Digest, blocks(&nearest(&facts.tasks, &path, near)))));
        offered.push((Detail::Digest, blocks(&path)));
    }
    offered.push((Detail::Pointer, blocks(&[])));
    sizes::offer(Part::Tasks, offered)
}

/// The command that lists the tasks: the position's command, or else the command for all tasks.
fn list_command(facts: &WakeFacts, program: &Program) -> String {
    let offered = facts.position.iter().flat_map(|position| &position.commands);
    let mut offered = offered.map(|command| command.command.as_str());
    let list = offered.find(|command| command.contains(" task list"));
    list.map_or_else(|| program.command(&["task", "list"]), str::to_owned)
}

fn tree(lines: &[&TaskLine], facts: &WakeFacts) -> String {
    let lines = lines.iter().map(|line| {
        let indent = "  ".repeat(line.depth as usize);
        let here = if line.current { "  <-- CURRENT" } else { "" };
        let task = &line.task;
        format!(
            "{indent}- {} {} ({}){here}",
            checkbox(task.state),
            clipped(&task.label, LONGEST),
            remarks(task, facts)
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn checkbox(state: TaskState) -> &'static str {
    match state {
        TaskState::Done => "[x]",
        TaskState::Skipped => "[-]",
        TaskState::Blocked | TaskState::Active | TaskState::Failed | TaskState::Pending => "[ ]",
    }
}

/// A task's id, state and agent.
fn remarks(task: &TaskView, facts: &WakeFacts) -> String {
    let mut remarks = vec![inline(task.id.as_str())];
    let reason = task
        .reason
        .as_ref()
        .map(|reason| clipped(reason.trim_end_matches('.'), LONGEST));
    let because = |word: &str| match &reason {
        Some(reason) => format!("{word}: {reason}"),
        None => word.to_owned(),
    };
    if task.ready_to_close {
        remarks.push("ready to close".to_owned());
    }
    match task.state {
        TaskState::Active => remarks.push("in progress".to_owned()),
        TaskState::Blocked if !task.waits_for.is_empty() => {
            let others: Vec<String> = task.waits_for.iter().map(|other| named(other, facts)).collect();
            remarks.push(format!("blocked: waiting for {}", others.join(", ")));
        }
        TaskState::Blocked => remarks.push(because("blocked")),
        TaskState::Failed => remarks.push(because("failed")),
        TaskState::Skipped => remarks.push(because("skipped")),
        TaskState::Done | TaskState::Pending => {}
    }
    if task.retries > 0 && task.state != TaskState::Done {
        remarks.push(format!("retried {}", counted(u64::from(task.retries), "time")));
    }
    if let Some(agent) = &task.agent {
        remarks.push(if mention(agent) == mention(&facts.agent) {
            "you".to_owned()
        } else {
            // A person has no mailbox under their own name, so only an agent's name is a mention.
            speaker(agent)
        });
    }
    remarks.join("; ")
}

/// A task's title and id, or only its id if the title is unknown.
fn named(id: &TaskId, facts: &WakeFacts) -> String {
    let here = facts.tasks.iter().find(|line| line.task.id == *id);
    let here = here.map(|line| line.task.label.clone());
    let elsewhere = || facts.waited_for.iter().find(|name| name.id == *id);
    match here.or_else(|| elsewhere().map(TaskName::label)) {
        Some(label) => format!("{} ({})", clipped(&label, LONGEST), inline(id.as_str())),
        None => inline(id.as_str()),
    }
}

/// The number of nearby tasks that are not shown, the number of all tasks, and the command that lists them. If there
/// is a plan, the second number counts only the plan's own tasks, not the tasks added by hand.
fn rest(facts: &WakeFacts, shown: &[&TaskLine], command: &str) -> String {
    let is_closed = |task: &TaskView| matches!(task.state.as_str(), "done" | "skipped");
    let hidden: Vec<&TaskView> = facts
        .tasks
        .iter()
        .filter(|line| !shown.iter().any(|other| std::ptr::eq(*other, *line)))
        .map(|line| &line.task)
        .collect();
    let mut out = String::new();
    if !hidden.is_empty() {
        let closed = hidden.iter().filter(|task| is_closed(task)).count();
        out = format!(
            "{} not shown ({closed} closed, {} open). ",
            count_phrase(number(hidden.len()), "nearby task is", "nearby tasks are"),
            hidden.len() - closed
        );
    }
    // If no task is shown, one number is enough. The title is untrusted text, so it comes after Bugle's own words.
    if u64::from(facts.total) > number(shown.len()) && (!shown.is_empty() || out.is_empty()) {
        out.push_str(&format!("All tasks: {command} ({})", progress(facts)));
    } else if !out.is_empty() {
        out.push_str(&format!("All tasks: {command}"));
    }
    out
}

/// How many tasks are closed in the plan, or under the root task: `Login: 1 of 3 tasks closed`.
pub(super) fn progress(facts: &WakeFacts) -> String {
    let total = counted(u64::from(facts.total), "task");
    let count = match facts.closed {
        Some(closed) => format!("{} of {total} closed", closed.min(facts.total)),
        None => format!("at least {total}"),
    };
    match root_title(facts) {
        Some(title) => format!("{}: {count}", clipped(&title, LONGEST)),
        None => count,
    }
}

/// The plan's title, or the root task's title if there is no plan.
fn root_title(facts: &WakeFacts) -> Option<String> {
    let position = facts.position.as_ref();
    let plan = facts.plan.as_ref().map(|plan| &plan.name);
    if let Some(plan) = plan.or_else(|| position?.plan.as_ref()) {
        return Some(plan.title.clone());
    }
    let position = position?;
    let root = position.above.last().map(TaskName::label);
    Some(root.unwrap_or_else(|| position.task.label.clone()))
}

/// The tasks in `path`, and `near` lines before and after the current task.
fn nearest<'a>(lines: &'a [TaskLine], path: &[&'a TaskLine], near: usize) -> Vec<&'a TaskLine> {
    let current = lines.iter().position(|line| line.current).unwrap_or_default();
    let is_near = |at: usize| at.abs_diff(current) <= near;
    let is_in_path = |line: &TaskLine| path.iter().any(|other| std::ptr::eq(*other, line));
    let lines = lines.iter().enumerate();
    lines
        .filter(|(at, line)| is_near(*at) || is_in_path(line))
        .map(|(_, line)| line)
        .collect()
}

/// The current task, its ancestors, and its next sibling.
fn path(lines: &[TaskLine]) -> Vec<&TaskLine> {
    let Some(at) = lines.iter().position(|line| line.current) else {
        return Vec::new();
    };
    let current = &lines[at];
    let mut path = vec![current];
    let mut depth = current.depth;
    for line in lines[..at].iter().rev() {
        if line.depth < depth {
            depth = line.depth;
            path.push(line);
        }
    }
    path.reverse();
    let mut behind = lines[at + 1..].iter();
    let next = behind.find(|line| line.depth <= current.depth);
    path.extend(next.filter(|line| line.depth == current.depth));
    path
}
