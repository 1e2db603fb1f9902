//! Text about tasks: labels, positions, refusals, events.

use bugle_core::skill_selection::{RuleOrigin, Selection, SelectionReason};
use bugle_core::task::{
    Removal, Task, TaskCommand, TaskEvent, TaskRefusal, TaskState, TaskStatus, WaitSource,
};
use bugle_wire::{SkillReason, TimelineKind};

use crate::refusal_text::{RefusalText, not_allowed};
use crate::text::excerpt;

/// A task in a list: number and title.
pub fn label(task: &Task) -> String {
    match named(task) {
        Some(named) if task.title == named || task.title.is_empty() => named,
        Some(named) => format!("{named}: {}", task.title),
        None => task.title.clone(),
    }
}

/// A task in a sentence: `Task 2 (Add the login form)`.
pub fn inline_label(task: &Task) -> String {
    match named(task) {
        Some(named) if task.title == named || task.title.is_empty() => named,
        Some(named) => format!("{named} ({})", task.title),
        None => format!("\"{}\"", task.title),
    }
}

/// What a plan calls a task by number: `Task 2`, `Phase 1`.
fn named(task: &Task) -> Option<String> {
    let number = task.number()?;
    Some(if task.is_group() {
        number.to_owned()
    } else {
        format!("Task {number}")
    })
}

/// The facts about a task's position.
#[derive(Debug, Clone, Default)]
pub struct PositionFacts<'a> {
    /// The task.
    pub label: &'a str,
    /// Its parent.
    pub above: Option<&'a str>,
    /// The sibling that was closed before it, and whether it was left out.
    pub before: Option<(&'a str, bool)>,
    /// Its state.
    pub state: Option<TaskState>,
    /// Whether everything in it is closed and only it is not.
    pub ready_to_close: bool,
    /// Why it failed or is blocked.
    pub reason: Option<&'a str>,
    /// The agent that works on it.
    pub agent: Option<&'a str>,
    /// What it waits for, because the plan declares it or a person said so.
    pub waits_for: &'a [String],
    /// What comes before it in the order of its plan.
    pub comes_after: &'a [String],
    /// The open sibling that comes after it.
    pub after: Option<&'a str>,
}

/// The position of a task in a sentence: what is over, what is in progress, what comes next.
pub fn position_sentence(at: &PositionFacts<'_>) -> String {
    let mut parts: Vec<String> = Vec::new();
    if let Some((label, skipped)) = at.before {
        parts.push(format!("{label} is {}", if skipped { "skipped" } else { "done" }));
    }
    let label = at.label;
    let by = at.agent.map(|agent| format!(" ({agent})")).unwrap_or_default();
    let because = at
        .reason
        .map(|reason| format!(" ({})", excerpt(reason)))
        .unwrap_or_default();
    parts.push(match at.state {
        Some(TaskState::Blocked) if !at.waits_for.is_empty() => {
            format!("{label} waits for {}", at.waits_for.join(" and "))
        }
        Some(TaskState::Blocked) => format!("{label} is blocked{because}"),
        Some(TaskState::Failed) => format!("{label} failed{because}"),
        Some(TaskState::Done) => format!("{label} is done"),
        Some(TaskState::Skipped) => format!("{label} is skipped{because}"),
        _ if at.ready_to_close => format!("everything in {label} is closed, and it is ready to close"),
        Some(TaskState::Active) => format!("{label} is in progress{by}"),
        Some(TaskState::Pending) if !at.comes_after.is_empty() => {
            format!(
                "{label} comes after {} (plan order)",
                at.comes_after.join(" and ")
            )
        }
        Some(TaskState::Pending) | None => format!("{label} is to be done now"),
    });
    if let Some(after) = at.after {
        parts.push(format!("next: {after}"));
    }
    let said = parts.join("; ");
    match at.above {
        Some(above) => format!("In {above}: {said}."),
        None => format!("{}.", capital(&said)),
    }
}

/// The reply to a command that does not change a task's state.
pub fn command_reply(task: &Task, command: &TaskCommand) -> Option<String> {
    let (id, label) = (&task.id, label(task));
    match command {
        TaskCommand::Note(_) => Some(format!("Noted with {id} {label}.")),
        TaskCommand::Retitle(_) => Some(format!("{id} is now called: {label}")),
        TaskCommand::NameSkill(Some(skill)) => Some(format!("{id} {label} names the skill {skill}.")),
        TaskCommand::NameSkill(None) => Some(format!("{id} {label} names no skill of its own.")),
        TaskCommand::Assign(Some(agent)) => Some(format!("{id} {label} is given to {agent}.")),
        TaskCommand::Assign(None) => Some(format!("{id} {label} is given to nobody.")),
        TaskCommand::Start { .. }
        | TaskCommand::Done
        | TaskCommand::Skip { .. }
        | TaskCommand::Fail { .. }
        | TaskCommand::Block { .. }
        | TaskCommand::Reopen
        | TaskCommand::Remove => None,
    }
}

/// A refusal in words; `labels` are those of the tasks that it names.
pub fn refusal(refusal: &TaskRefusal, task: &str, labels: &[String]) -> (&'static str, RefusalText) {
    let words = |message: String, remedy: &str| RefusalText {
        message,
        details: labels.to_vec(),
        outline: None,
        remedy: remedy.to_owned(),
    };
    match refusal {
        TaskRefusal::OpenInside(open) => (
            "open-inside",
            words(
                format!("{task} cannot be closed: {} open.", tasks_in_it(open.len())),
                "Finish or skip these first; `skip` on the task itself leaves out all of it.",
            ),
        ),
        TaskRefusal::Waits(on) => (
            "waits",
            words(
                format!("{task} has to wait: {} before it.", needs(on.len())),
                "Do that first.",
            ),
        ),
        TaskRefusal::NotItsTurn(_) => (
            "not-its-turn",
            words(
                format!("{task} comes later in the plan: tasks before it are still open."),
                "Do the tasks of the plan in order. What can run in parallel is declared in the plan, or with `bugle task \
                 depend --no-more` by the user.",
            ),
        ),
        TaskRefusal::Closed(status) => (
            "closed",
            words(
                format!("{task} is {}.", status.as_str()),
                "Reopen it first, if there is something left to do.",
            ),
        ),
        TaskRefusal::Held(agent) => (
            "held",
            words(
                format!("{task} is in progress, and {agent} is at it."),
                "Take another one. If that agent is no longer at it, `bugle task start --take-over` takes it over.",
            ),
        ),
        TaskRefusal::InRun(run) => (
            "in-run",
            words(
                format!("{task} belongs to run {run}, which starts and closes its tasks itself."),
                "Go on with the run: it closes the task when the work on it is reported. Only a person can change the task \
                 by hand meanwhile.",
            ),
        ),
        TaskRefusal::NotAllowed(action, lack) => {
            let (message, remedy) = not_allowed(*action, *lack);
            (lack.code(), words(message, &remedy))
        }
        TaskRefusal::Removed => (
            "removed",
            words(
                format!("{task} was taken out of the tree."),
                "Reopen it to put it back.",
            ),
        ),
        TaskRefusal::ParentRemoved(_) => (
            "parent-removed",
            words(
                format!("{task} cannot be put back: what it lies in was taken out of the tree."),
                "Put that back first.",
            ),
        ),
        TaskRefusal::Empty(what) => (
            "empty",
            words(format!("{} is empty.", capital(what)), "Say it in words."),
        ),
        TaskRefusal::TooLong { what, most } => (
            "too-long",
            words(
                format!("{} has more than {most} characters.", capital(what)),
                "Say it shorter; what is long belongs into a file.",
            ),
        ),
    }
}

fn tasks_in_it(count: usize) -> String {
    if count == 1 {
        "1 task in it is".to_owned()
    } else {
        format!("{count} tasks in it are")
    }
}

fn needs(count: usize) -> String {
    if count == 1 {
        "1 open task comes".to_owned()
    } else {
        format!("{count} open tasks come")
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    format!("{}{}", first.unwrap_or_default(), letters.as_str())
}

/// A stable word for what happened to a task, and the same in a line.
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
        TaskEvent::Reopened { with: None } => (TimelineKind::Reopened, "open again".to_owned()),
        TaskEvent::Reopened { with: Some(with) } => {
            (TimelineKind::Reopened, format!("open again, because of {with}"))
        }
        TaskEvent::Noted { text } => (TimelineKind::Noted, format!("noted: {text}")),
        TaskEvent::Retitled { title } => (TimelineKind::Retitled, format!("now called: {title}")),
        TaskEvent::SkillNamed { skill: Some(skill) } => {
            (TimelineKind::Skill, format!("names the skill {skill}"))
        }
        TaskEvent::SkillNamed { skill: None } => (TimelineKind::Skill, "names no skill any more".to_owned()),
        TaskEvent::Planned { plan } => (
            TimelineKind::Planned,
            format!(
                "the plan says something else about it now (as \"{} {}\")",
                plan.number, plan.title
            ),
        ),
        TaskEvent::Unplanned => (
            TimelineKind::Unplanned,
            "stays, although the plan no longer has it".to_owned(),
        ),
        TaskEvent::Moved {
            parent: Some(parent), ..
        } => (TimelineKind::Moved, format!("moved under {parent}")),
        TaskEvent::Moved { parent: None, .. } => (TimelineKind::Moved, "moved to the top".to_owned()),
        TaskEvent::Waits { on, says } => (
            TimelineKind::Waits,
            match says {
                WaitSource::Plan => format!("waits for {on}, the plan says"),
                WaitSource::Hand => format!("waits for {on}"),
                WaitSource::Order => format!("comes after {on} (plan order)"),
            },
        ),
        TaskEvent::WaitsNoMore { on } => (TimelineKind::WaitsNoMore, format!("no longer waits for {on}")),
        TaskEvent::OrderWaived { on } => (TimelineKind::OrderWaived, format!("need not come after {on}")),
        TaskEvent::Assigned { agent: Some(agent) } => (TimelineKind::Assigned, format!("given to {agent}")),
        TaskEvent::Assigned { agent: None } => (TimelineKind::Assigned, "given to nobody".to_owned()),
        TaskEvent::SkillUsed { skill, pin } => (
            TimelineKind::SkillUsed,
            format!("worked on with {skill}, version {}", pin.short()),
        ),
        TaskEvent::Removed { why } => (
            TimelineKind::Removed,
            match why {
                Removal::ByHand => "taken out of the tree".to_owned(),
                Removal::With(with) => format!("taken out of the tree with {with}"),
                Removal::Vanished => "taken out of the tree: the plan no longer has it".to_owned(),
            },
        ),
        TaskEvent::Restored => (TimelineKind::Restored, "put back into the tree".to_owned()),
    }
}

/// Why a skill was chosen: in a word, and in a sentence. `ancestor` labels the task that names it, if one does.
pub fn skill_reason(choice: &Selection, ancestor: Option<&str>) -> (SkillReason, String) {
    match &choice.reason {
        SelectionReason::Explicit => (SkillReason::Explicit, "The task names it.".to_owned()),
        SelectionReason::Inherited { .. } => (
            SkillReason::Inherited,
            format!(
                "{} names it, and the task lies in that.",
                ancestor.unwrap_or("A task above")
            ),
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
                ", and it says that no skill applies"
            };
            match origin {
                RuleOrigin::User => (
                    SkillReason::UserRule,
                    format!("Your rule {number} fires on \"{words}\"{skill}."),
                ),
                RuleOrigin::BuiltIn => (
                    SkillReason::BuiltInRule,
                    format!("Rule {number} of the built-in ones fires on \"{words}\"{skill}."),
                ),
            }
        }
        SelectionReason::RoleDefault { role } => (
            SkillReason::Role,
            format!("It is what the role {} does by default.", role.as_str()),
        ),
        SelectionReason::Nothing => (
            SkillReason::Nothing,
            "The task names none, nothing above it does, and no rule fires on its title.".to_owned(),
        ),
    }
}

/// The state of a task as a verb.
pub fn status_verb(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::Pending => "is open",
        TaskStatus::Active => "is in progress",
        TaskStatus::Blocked => "is blocked",
        TaskStatus::Failed => "has failed",
        TaskStatus::Done => "is done",
        TaskStatus::Skipped => "is skipped",
    }
}
