//! Text about tasks: positions, changes, refusals, events.

use bugle_core::count::{count_phrase, counted};
use bugle_core::interface::Interface;
use bugle_core::reply::{
    NextView, SideEffect, SkillReason, TaskChange, TaskName, TaskOutcome, TaskPlace, TaskPosition, TaskView,
};
use bugle_core::skill_selection::RuleOrigin;
use bugle_core::task::{Removal, TaskEvent, TaskRefusal, TaskState, TaskStatus, WaitSource};

use crate::notice_text::{self, holder_name};
use crate::refusal_text::RefusalText;
use crate::rights_text::not_allowed;
use crate::text::excerpt;

/// Maximum number of tasks named in a plan's new order.
const MAX_ORDERED: usize = 10;

/// A task's position as one sentence: the previous task, the current task and the next task. `above` lists the task's
/// ancestors, nearest first.
pub fn position_sentence(task: &TaskView, above: &[TaskName], place: &TaskPlace) -> String {
    let label = place.name.inline_label();
    if task.removed {
        return format!("{label} was removed.");
    }
    let mut parts: Vec<String> = Vec::new();
    if let Some(before) = &place.before {
        let how = if before.skipped { "was skipped" } else { "is done" };
        parts.push(format!("{} {how}", before.name.inline_label()));
    }
    let by = place.holder.as_ref();
    let by = by.map_or(String::new(), |holder| format!(" ({})", holder_name(holder)));
    let because = task.reason.as_ref();
    let because = because.map_or(String::new(), |reason| format!(" ({})", excerpt(reason)));
    parts.push(match task.state {
        TaskState::Blocked if !place.waits_for.is_empty() => {
            format!("{label} is waiting for {}", joined(&place.waits_for, " and "))
        }
        TaskState::Blocked => format!("{label} is blocked{because}"),
        TaskState::Failed => format!("{label} failed{because}"),
        TaskState::Done => format!("{label} is done"),
        TaskState::Skipped => format!("{label} was skipped{because}"),
        _ if task.ready_to_close => format!("{label} is ready to close: all its subtasks are closed"),
        TaskState::Active => format!("{label} is in progress{by}"),
        TaskState::Pending if !place.comes_after.is_empty() => format!(
            "{label} comes after {} (plan order)",
            joined(&place.comes_after, " and ")
        ),
        TaskState::Pending => format!("{label} can start"),
    });
    if let Some(after) = &place.after {
        parts.push(format!("next: {}", after.inline_label()));
    }
    let sentence = parts.join("; ");
    match above.first() {
        Some(parent) => format!("In {}: {sentence}.", parent.inline_label()),
        None => format!("{}.", capital(&sentence)),
    }
}

fn joined(names: &[TaskName], between: &str) -> String {
    let labels: Vec<String> = names.iter().map(TaskName::inline_label).collect();
    labels.join(between)
}

/// The current position as one sentence.
pub fn position(at: &TaskPosition) -> String {
    position_sentence(&at.task, &at.above, &at.place)
}

/// Why there is no current position; empty if there is one.
pub fn no_position(view: &NextView) -> String {
    match view {
        NextView::Position(_) => String::new(),
        NextView::AllClosed { changed_plans } => {
            let plans = changed_plans
                .iter()
                .map(|changed| format!("{}: {}", changed.file, notice_text::plan(&changed.notice)));
            let lines: Vec<String> = std::iter::once("All tasks here are closed.".to_owned())
                .chain(plans)
                .collect();
            lines.join("\n")
        }
        NextView::NoTasks { import, add } => {
            format!("This project has no tasks. `{import}` imports a plan, `{add}` adds a task.")
        }
    }
}

/// Describes the new order of a plan's tasks. `tasks` are the tasks whose position changed.
fn new_order(tasks: &[TaskName]) -> String {
    let shown = tasks.iter().take(MAX_ORDERED);
    let mut names: Vec<String> = shown.map(TaskName::inline_label).collect();
    let more = tasks.len() - names.len();
    if more > 0 {
        names.push(format!("{more} more"));
    }
    format!("The plan's order is now: {}.", names.join(", then "))
}

/// The text of an empty list of open tasks.
pub(crate) fn no_open_tasks(interface: Interface) -> String {
    let [import, add, all] = [
        &["plan", "import", "FILE"][..],
        &["task", "add", "TITLE"],
        &["task", "list", "--all"],
    ]
    .map(|words| interface.command(words));
    format!(
        "No open tasks found. `{import}` imports a plan, `{add}` adds a task, and `{all}` shows closed tasks.\n"
    )
}

/// The notice that a list of tasks is incomplete.
pub(crate) fn more_tasks(interface: Interface) -> &'static str {
    if interface.is_mcp() {
        "Not all tasks are shown: name a task as `within` to see its subtasks\n"
    } else {
        "Not all tasks are shown: name a task to see its subtasks, or add `--limit NUMBER`\n"
    }
}

/// A command's effects, one line per task.
pub fn outcomes(outcomes: &[TaskOutcome], interface: Interface) -> String {
    let lines: Vec<String> = outcomes.iter().map(|one| outcome(one, interface)).collect();
    lines.join("\n")
}

fn outcome(outcome: &TaskOutcome, interface: Interface) -> String {
    let (id, label) = (&outcome.name.id, outcome.name.label());
    match &outcome.did {
        TaskChange::Noted => format!("Added a note to {id} {label}."),
        TaskChange::Renamed => format!("Renamed {id}: {label}"),
        TaskChange::Skill(Some(skill)) => format!("Set the skill of {id} {label} to {skill}."),
        TaskChange::Skill(None) => format!("Removed the skill from {id} {label}."),
        TaskChange::Assigned(Some(agent)) => format!("Assigned {id} {label} to {agent}."),
        TaskChange::Assigned(None) => format!("Unassigned {id} {label}."),
        TaskChange::Status(status) => format!("{id} {label} {}.", status_verb(*status)),
        TaskChange::Removed => {
            let reopen = if interface.is_mcp() {
                interface.command(&["task", "reopen", id.as_str()])
            } else {
                "bugle task reopen".to_owned()
            };
            format!("{id} {label} was removed; `{reopen}` restores it.")
        }
    }
}

/// A side effect of a command, on one line.
pub fn side_effect(effect: &SideEffect) -> String {
    match effect {
        SideEffect::NothingChanged => "Nothing changed.".to_owned(),
        SideEffect::AllClosed => "All tasks in this project are closed.".to_owned(),
        SideEffect::Changed { name, event: what } => {
            format!("{} {}: {}", name.id, name.label(), event(what))
        }
        SideEffect::More(more) => format!("and {more} more"),
        SideEffect::Waits(on) => format!("The task now waits for {}.", on.inline_label()),
        SideEffect::AlreadyWaits(on) => format!("The task already waits for {}.", on.inline_label()),
        SideEffect::WaitsNoMore(on) => format!("The task no longer waits for {}.", on.inline_label()),
        SideEffect::DidNotWait(on) => format!("The task was not waiting for {}.", on.inline_label()),
        SideEffect::NewOrder(tasks) => new_order(tasks),
        SideEffect::RunStillOpen {
            run,
            skill,
            step,
            cancel,
        } => format!(
            "Run {run} of {skill}, which was started for this task, is still open. To finish it: `{step}`. The user can also \
             cancel it: `{cancel}`."
        ),
        SideEffect::MovedUnder(Some(parent)) => {
            format!("The task is now under {}.", parent.inline_label())
        }
        SideEffect::MovedUnder(None) => "The task is now at the top level.".to_owned(),
    }
}

/// The text of a refusal. `id` and `task` are the task's id and label; `labels` are the labels of the tasks that the
/// refusal names.
pub fn refusal(
    refusal: &TaskRefusal,
    interface: Interface,
    id: &str,
    task: &str,
    labels: &[String],
) -> RefusalText {
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
                "Start another task. If the other agent is gone, take this task over with `{}`.",
                interface.command(&["task", "start", id, "--take-over"])
            ),
        ),
        TaskRefusal::InRun(run) => text(
            format!("{task} belongs to run {run}, which starts and closes its tasks itself."),
            "Continue the run: the run closes the task when you report the work. Until then, only a person can change the \
                 task.",
        ),
        TaskRefusal::NotAllowed(action, lack) => {
            let (message, remedy) = not_allowed(*action, *lack, interface);
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

/// A task's id and label.
pub(crate) fn id_and_label(task: &TaskName) -> String {
    format!("{} {}", task.id, task.label())
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    format!("{}{}", first.unwrap_or_default(), letters.as_str())
}

/// Describes a task event on one line.
pub fn event(event: &TaskEvent) -> String {
    let reasoned = |what: &str, reason: Option<&String>| match reason {
        Some(reason) => format!("{what}: {reason}"),
        None => what.to_owned(),
    };
    match event {
        TaskEvent::Added { title, parent, .. } => match parent {
            Some(parent) => format!("added under {parent}: {title}"),
            None => format!("added: {title}"),
        },
        TaskEvent::Started { agent, run } => {
            let mut line = "started".to_owned();
            if let Some(agent) = agent {
                line = format!("{line} by {agent}");
            }
            if let Some(run) = run {
                line = format!("{line} in run {run}");
            }
            line
        }
        TaskEvent::Finished => "done".to_owned(),
        TaskEvent::Skipped { with: Some(with), .. } => format!("skipped with {with}"),
        TaskEvent::Skipped { reason, with: None } => reasoned("skipped", reason.as_ref()),
        TaskEvent::Failed { reason } => reasoned("failed", Some(reason)),
        TaskEvent::Blocked { reason } => reasoned("blocked", Some(reason)),
        TaskEvent::Reopened { with: None } => "reopened".to_owned(),
        TaskEvent::Reopened { with: Some(with) } => format!("reopened with {with}"),
        TaskEvent::Noted { text } => format!("noted: {text}"),
        TaskEvent::Retitled { title } => format!("renamed: {title}"),
        TaskEvent::SkillNamed { skill: Some(skill) } => format!("skill set to {skill}"),
        TaskEvent::SkillNamed { skill: None } => "skill removed".to_owned(),
        TaskEvent::Planned { plan } => {
            format!("changed in the plan (now \"{} {}\")", plan.number, plan.title)
        }
        TaskEvent::Unplanned => "no longer in the plan, but kept".to_owned(),
        TaskEvent::Moved {
            parent: Some(parent), ..
        } => format!("moved under {parent}"),
        TaskEvent::Moved { parent: None, .. } => "moved to the top level".to_owned(),
        TaskEvent::Waits { on, says } => match says {
            WaitSource::Plan => format!("depends on {on} (declared in the plan)"),
            WaitSource::Hand => format!("depends on {on}"),
            WaitSource::Order => format!("comes after {on} (plan order)"),
        },
        TaskEvent::WaitsNoMore { on } => format!("no longer depends on {on}"),
        TaskEvent::OrderWaived { on } => format!("may start before {on} (plan order overridden)"),
        TaskEvent::Assigned { agent: Some(agent) } => format!("assigned to {agent}"),
        TaskEvent::Assigned { agent: None } => "unassigned".to_owned(),
        TaskEvent::SkillUsed { skill, pin } => format!("used {skill}, version {}", pin.short()),
        TaskEvent::Removed { why } => match why {
            Removal::ByHand => "removed".to_owned(),
            Removal::With(with) => format!("removed with {with}"),
            Removal::Vanished => "removed: no longer in the plan".to_owned(),
        },
        TaskEvent::Restored => "restored".to_owned(),
    }
}

/// The reason for a task's skill, as a sentence. `has_skill` is false if no skill applies.
pub fn because(reason: &SkillReason, has_skill: bool) -> String {
    match reason {
        SkillReason::Explicit => "The task names this skill.".to_owned(),
        SkillReason::Inherited(ancestor) => match ancestor {
            Some(ancestor) => format!("Inherited from {}.", ancestor.inline_label()),
            None => "Inherited from a parent task.".to_owned(),
        },
        SkillReason::Rule {
            origin,
            number,
            words,
        } => {
            let words = words.join(" ... ");
            let skill = if has_skill { "" } else { " and selects no skill" };
            match origin {
                RuleOrigin::User => format!("Your rule {number} matches \"{words}\"{skill}."),
                RuleOrigin::BuiltIn => {
                    format!("A built-in rule matches \"{words}\" in the title{skill}.")
                }
            }
        }
        SkillReason::Role(role) => format!("Default skill for the role {}.", role.as_str()),
        SkillReason::Nothing => {
            "Neither the task nor its parents name a skill, and no rule matches the task's title.".to_owned()
        }
    }
}

/// A task's status as a verb phrase.
fn status_verb(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::Pending => "is open",
        TaskStatus::Active => "is in progress",
        TaskStatus::Blocked => "is blocked",
        TaskStatus::Failed => "has failed",
        TaskStatus::Done => "is done",
        TaskStatus::Skipped => "was skipped",
    }
}
