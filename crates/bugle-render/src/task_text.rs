//! Text about tasks: labels, positions, refusals, events.

use bugle_core::count::{count_phrase, counted};
use bugle_core::reply::{SkillReason, TimelineKind};
use bugle_core::skill_selection::{RuleOrigin, Selection, SelectionReason};
use bugle_core::task::{
    Removal, Task, TaskCommand, TaskEvent, TaskRefusal, TaskState, TaskStatus, WaitSource,
};

use crate::refusal_text::{RefusalText, not_allowed};
use crate::text::excerpt;

/// Maximum number of tasks named in a plan's new order.
const MAX_ORDERED: usize = 10;

/// A task's label in a list: number and title.
pub fn label(task: &Task) -> String {
    match named(task) {
        Some(named) if task.title == named || task.title.is_empty() => named,
        Some(named) => format!("{named}: {}", task.title),
        None => task.title.clone(),
    }
}

/// A task's label in a sentence: `Task 2 (Add the login form)`.
pub fn inline_label(task: &Task) -> String {
    match named(task) {
        Some(named) if task.title == named || task.title.is_empty() => named,
        Some(named) => format!("{named} ({})", task.title),
        None => format!("\"{}\"", task.title),
    }
}

/// A task's name, from its number in the plan: `Task 2`, `Phase 1`.
fn named(task: &Task) -> Option<String> {
    let number = task.number()?;
    Some(if task.is_group() {
        number.to_owned()
    } else {
        format!("Task {number}")
    })
}

/// The facts that describe a task's position.
#[derive(Debug, Clone, Default)]
pub struct PositionFacts<'a> {
    /// The task's label.
    pub label: &'a str,
    /// The parent task.
    pub above: Option<&'a str>,
    /// The previous closed sibling, and whether that sibling was skipped.
    pub before: Option<(&'a str, bool)>,
    /// The task's state.
    pub state: Option<TaskState>,
    /// Whether all subtasks are closed, so that the task can be closed too.
    pub ready_to_close: bool,
    /// Why the task failed or is blocked.
    pub reason: Option<&'a str>,
    /// The agent working on the task.
    pub agent: Option<&'a str>,
    /// The task's open dependencies, declared in the plan or by a person.
    pub waits_for: &'a [String],
    /// The open tasks that come earlier in plan order.
    pub comes_after: &'a [String],
    /// The next open sibling.
    pub after: Option<&'a str>,
}

/// A task's position as one sentence: what is done, what is in progress, what comes next.
pub fn position_sentence(at: &PositionFacts<'_>) -> String {
    let mut parts: Vec<String> = Vec::new();
    if let Some((label, skipped)) = at.before {
        parts.push(format!(
            "{label} {}",
            if skipped { "was skipped" } else { "is done" }
        ));
    }
    let label = at.label;
    let by = at.agent.map(|agent| format!(" ({agent})")).unwrap_or_default();
    let because = at
        .reason
        .map(|reason| format!(" ({})", excerpt(reason)))
        .unwrap_or_default();
    parts.push(match at.state {
        Some(TaskState::Blocked) if !at.waits_for.is_empty() => {
            format!("{label} is waiting for {}", at.waits_for.join(" and "))
        }
        Some(TaskState::Blocked) => format!("{label} is blocked{because}"),
        Some(TaskState::Failed) => format!("{label} failed{because}"),
        Some(TaskState::Done) => format!("{label} is done"),
        Some(TaskState::Skipped) => format!("{label} was skipped{because}"),
        _ if at.ready_to_close => format!("{label} is ready to close: all its subtasks are closed"),
        Some(TaskState::Active) => format!("{label} is in progress{by}"),
        Some(TaskState::Pending) if !at.comes_after.is_empty() => {
            format!(
                "{label} comes after {} (plan order)",
                at.comes_after.join(" and ")
            )
        }
        Some(TaskState::Pending) | None => format!("{label} can start now"),
    });
    if let Some(after) = at.after {
        parts.push(format!("next: {after}"));
    }
    let sentence = parts.join("; ");
    match at.above {
        Some(above) => format!("In {above}: {sentence}."),
        None => format!("{}.", capital(&sentence)),
    }
}

/// The new order of a plan's tasks, given the labels of those whose place changed.
pub fn new_order(labels: &[String]) -> String {
    let shown = labels.iter().take(MAX_ORDERED).map(String::as_str);
    let mut names: Vec<&str> = shown.collect();
    let more = labels.len() - names.len();
    let rest = format!("{more} more");
    if more > 0 {
        names.push(&rest);
    }
    format!("The plan's order is now: {}.", names.join(", then "))
}

/// The reply to a command that does not change a task's state.
pub fn command_reply(task: &Task, command: &TaskCommand) -> Option<String> {
    let (id, label) = (&task.id, label(task));
    match command {
        TaskCommand::Note(_) => Some(format!("Added a note to {id} {label}.")),
        TaskCommand::Retitle(_) => Some(format!("Renamed {id}: {label}")),
        TaskCommand::NameSkill(Some(skill)) => Some(format!("Set the skill of {id} {label} to {skill}.")),
        TaskCommand::NameSkill(None) => Some(format!("Removed the skill from {id} {label}.")),
        TaskCommand::Assign(Some(agent)) => Some(format!("Assigned {id} {label} to {agent}.")),
        TaskCommand::Assign(None) => Some(format!("Unassigned {id} {label}.")),
        TaskCommand::Start { .. }
        | TaskCommand::Done
        | TaskCommand::Skip { .. }
        | TaskCommand::Fail { .. }
        | TaskCommand::Block { .. }
        | TaskCommand::Reopen
        | TaskCommand::Remove => None,
    }
}

/// The text of a refusal. `id` and `task` are the task's id and label; `labels` are the labels of the tasks that the
/// refusal names.
pub fn refusal(refusal: &TaskRefusal, id: &str, task: &str, labels: &[String]) -> RefusalText {
    let text = |message: String, remedy: &str| RefusalText {
        message,
        details: labels.to_vec(),
        outline: None,
        remedy: remedy.to_owned(),
    };
    match refusal {
        TaskRefusal::OpenInside(open) => text(
            format!(
                "{task} cannot be closed: {} open.",
                count_phrase(open.len(), "subtask is", "subtasks are")
            ),
            "Finish or skip these subtasks first. Skipping the task also skips its subtasks.",
        ),
        TaskRefusal::Waits(on) => text(
            format!("{task} must wait for {}.", counted(on.len(), "open task")),
            "Finish these tasks first.",
        ),
        TaskRefusal::NotItsTurn(_) => text(
            format!("{task} cannot start yet: tasks before it in the plan are still open."),
            "Do the plan's tasks in order. Tasks can run in parallel only if the plan says so or the user removes the \
                 order with `bugle task depend --no-more`.",
        ),
        TaskRefusal::Closed(status) => text(
            format!("{task} is already {}.", status.as_str()),
            "If work is left, reopen the task first.",
        ),
        TaskRefusal::Held(agent) => text(
            format!("{task} is in progress: {agent} is working on it."),
            &format!(
                "Start another task. If that agent is gone, take this task over with `bugle task start {id} --take-over`."
            ),
        ),
        TaskRefusal::InRun(run) => text(
            format!("{task} belongs to run {run}, which starts and closes its tasks itself."),
            "Continue the run: the run closes the task when you report the work. Until then, only a person can change the \
                 task.",
        ),
        TaskRefusal::NotAllowed(action, lack) => {
            let (message, remedy) = not_allowed(*action, *lack);
            text(message, &remedy)
        }
        TaskRefusal::Removed => text(format!("{task} was removed."), "Reopen the task to restore it."),
        TaskRefusal::ParentRemoved(_) => text(
            format!("{task} cannot be restored: its parent task was removed."),
            "Restore the parent task first.",
        ),
        TaskRefusal::Empty(what) => text(
            format!("{} is empty.", capital(what)),
            "Write some text, then try again.",
        ),
        TaskRefusal::TooLong { what, most } => text(
            format!("{} is longer than {most} characters.", capital(what)),
            "Shorten the text, or put it in a file and mention the file's path.",
        ),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    format!("{}{}", first.unwrap_or_default(), letters.as_str())
}

/// A task event's kind, and a one-line description of the event.
pub fn event(event: &TaskEvent) -> (TimelineKind, String) {
    let reasoned = |what: &str, reason: Option<&String>| match reason {
        Some(reason) => format!("{what}: {reason}"),
        None => what.to_owned(),
    };
    match event {
        TaskEvent::Added { title, parent, .. } => (
            TimelineKind::Added,
            match parent {
                Some(parent) => format!("added under {parent}: {title}"),
                None => format!("added: {title}"),
            },
        ),
        TaskEvent::Started { agent, run } => {
            let mut line = "started".to_owned();
            if let Some(agent) = agent {
                line = format!("{line} by {agent}");
            }
            if let Some(run) = run {
                line = format!("{line} in run {run}");
            }
            (TimelineKind::Started, line)
        }
        TaskEvent::Finished => (TimelineKind::Done, "done".to_owned()),
        TaskEvent::Skipped { with: Some(with), .. } => {
            (TimelineKind::Skipped, format!("skipped with {with}"))
        }
        TaskEvent::Skipped { reason, with: None } => {
            (TimelineKind::Skipped, reasoned("skipped", reason.as_ref()))
        }
        TaskEvent::Failed { reason } => (TimelineKind::Failed, reasoned("failed", Some(reason))),
        TaskEvent::Blocked { reason } => (TimelineKind::Blocked, reasoned("blocked", Some(reason))),
        TaskEvent::Reopened { with: None } => (TimelineKind::Reopened, "reopened".to_owned()),
        TaskEvent::Reopened { with: Some(with) } => (TimelineKind::Reopened, format!("reopened with {with}")),
        TaskEvent::Noted { text } => (TimelineKind::Noted, format!("noted: {text}")),
        TaskEvent::Retitled { title } => (TimelineKind::Retitled, format!("renamed: {title}")),
        TaskEvent::SkillNamed { skill: Some(skill) } => {
            (TimelineKind::Skill, format!("skill set to {skill}"))
        }
        TaskEvent::SkillNamed { skill: None } => (TimelineKind::Skill, "skill removed".to_owned()),
        TaskEvent::Planned { plan } => (
            TimelineKind::Planned,
            format!("changed in the plan (now \"{} {}\")", plan.number, plan.title),
        ),
        TaskEvent::Unplanned => (
            TimelineKind::Unplanned,
            "no longer in the plan, but kept".to_owned(),
        ),
        TaskEvent::Moved {
            parent: Some(parent), ..
        } => (TimelineKind::Moved, format!("moved under {parent}")),
        TaskEvent::Moved { parent: None, .. } => (TimelineKind::Moved, "moved to the top level".to_owned()),
        TaskEvent::Waits { on, says } => (
            TimelineKind::Waits,
            match says {
                WaitSource::Plan => format!("depends on {on} (declared in the plan)"),
                WaitSource::Hand => format!("depends on {on}"),
                WaitSource::Order => format!("comes after {on} (plan order)"),
            },
        ),
        TaskEvent::WaitsNoMore { on } => (TimelineKind::WaitsNoMore, format!("no longer depends on {on}")),
        TaskEvent::OrderWaived { on } => (
            TimelineKind::OrderWaived,
            format!("no longer has to come after {on}"),
        ),
        TaskEvent::Assigned { agent: Some(agent) } => {
            (TimelineKind::Assigned, format!("assigned to {agent}"))
        }
        TaskEvent::Assigned { agent: None } => (TimelineKind::Assigned, "unassigned".to_owned()),
        TaskEvent::SkillUsed { skill, pin } => (
            TimelineKind::SkillUsed,
            format!("used {skill}, version {}", pin.short()),
        ),
        TaskEvent::Removed { why } => (
            TimelineKind::Removed,
            match why {
                Removal::ByHand => "removed".to_owned(),
                Removal::With(with) => format!("removed with {with}"),
                Removal::Vanished => "removed: no longer in the plan".to_owned(),
            },
        ),
        TaskEvent::Restored => (TimelineKind::Restored, "restored".to_owned()),
    }
}

/// Why a skill was chosen, as a code and as a sentence. `ancestor` is the label of the ancestor task that names the skill,
/// if there is one.
pub fn skill_reason(choice: &Selection, ancestor: Option<&str>) -> (SkillReason, String) {
    match &choice.reason {
        SelectionReason::Explicit => (SkillReason::Explicit, "The task names this skill.".to_owned()),
        SelectionReason::Inherited { .. } => (
            SkillReason::Inherited,
            format!("Inherited from {}.", ancestor.unwrap_or("a parent task")),
        ),
        SelectionReason::Rule {
            origin,
            number,
            words,
        } => {
            let words = words.join(" ... ");
            let skill = if choice.primary.is_some() {
                ""
            } else {
                " and selects no skill"
            };
            match origin {
                RuleOrigin::User => (
                    SkillReason::UserRule,
                    format!("Your rule {number} matches \"{words}\"{skill}."),
                ),
                RuleOrigin::BuiltIn => (
                    SkillReason::BuiltInRule,
                    format!("A built-in rule matches \"{words}\" in the title{skill}."),
                ),
            }
        }
        SelectionReason::RoleDefault { role } => (
            SkillReason::Role,
            format!("Default skill for the role {}.", role.as_str()),
        ),
        SelectionReason::Nothing => (
            SkillReason::Nothing,
            "Neither the task nor its parents name a skill, and no rule matches the task's title.".to_owned(),
        ),
    }
}

/// A task's status as a verb phrase.
pub fn status_verb(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::Pending => "is open",
        TaskStatus::Active => "is in progress",
        TaskStatus::Blocked => "is blocked",
        TaskStatus::Failed => "has failed",
        TaskStatus::Done => "is done",
        TaskStatus::Skipped => "was skipped",
    }
}
