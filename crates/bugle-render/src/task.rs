//! Tasks as text: trees, one task in detail, changes.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use bugle_core::count::counted;
use bugle_core::id::TaskId;
use bugle_core::interface::Interface;
use bugle_core::reply::{
    CommandView, NextView, ReadyList, SkillChoiceView, TaskDetail, TaskLine, TaskName, TaskPosition, TaskRun,
    TaskTree, TaskView, TasksChanged,
};
use bugle_core::task::TaskState;

use crate::author_text::author;
use crate::run::{Clock, for_person};
use crate::text::printable;
use crate::{command_text, notice_text, task_text, timeline_text};

/// Maximum number of tasks named on a line; the rest are counted.
const MOST_NAMED: usize = 12;

/// A tree of tasks.
pub fn tree(view: &TaskTree, interface: Interface) -> String {
    if view.tasks.is_empty() {
        return task_text::no_open_tasks(interface);
    }
    let mut out = String::new();
    lines(&mut out, &view.tasks);
    if view.more {
        out.push_str(task_text::more_tasks(interface));
    }
    if let Some(position) = &view.position {
        let _ = write!(out, "\n{}\n", task_text::position(position));
    }
    printable(&out)
}

pub(crate) fn lines(out: &mut String, tasks: &[TaskLine]) {
    let names: BTreeMap<&str, &str> = tasks
        .iter()
        .map(|line| (line.task.id.as_str(), line.task.label.as_str()))
        .collect();
    for line in tasks {
        let task = &line.task;
        let indent = "  ".repeat(line.depth as usize);
        let here = if line.current { "  <- here" } else { "" };
        let _ = writeln!(
            out,
            "{indent}{} {}  {}{}{here}",
            sign(task.state),
            task.id,
            task.label,
            remarks(task, &names)
        );
    }
}

/// A symbol for a state, readable without colour.
fn sign(state: TaskState) -> &'static str {
    match state {
        TaskState::Done => "[x]",
        TaskState::Skipped => "[-]",
        TaskState::Active => "[>]",
        TaskState::Blocked => "[|]",
        TaskState::Failed => "[!]",
        TaskState::Pending => "[ ]",
    }
}

/// Remarks on a task in a list; `names` contains the labels of the listed tasks.
fn remarks(task: &TaskView, names: &BTreeMap<&str, &str>) -> String {
    let mut remarks = Vec::new();
    if task.ready_to_close {
        remarks.push("ready to close".to_owned());
    }
    if task.children > 0 && !task.ready_to_close && task.open_children > 0 {
        let closed = task.children.saturating_sub(task.open_children);
        remarks.push(format!("{closed} of {} closed", task.children));
    }
    let short_label = |id: &TaskId| {
        let label = names.get(id.as_str()).copied().unwrap_or(id.as_str());
        label.split(": ").next().unwrap_or(label).to_owned()
    };
    if !task.comes_after.is_empty() && task.state == TaskState::Pending {
        let before: Vec<String> = task.comes_after.iter().map(short_label).collect();
        remarks.push(format!("after {} (plan order)", before.join(", ")));
    }
    if !task.waits_for.is_empty() && task.state == TaskState::Blocked {
        let waits: Vec<String> = task.waits_for.iter().map(short_label).collect();
        remarks.push(format!("waiting for {}", waits.join(", ")));
    }
    if let Some(agent) = task.agent.as_ref().filter(|_| task.state == TaskState::Active) {
        remarks.push(agent.clone());
    }
    if task.retries > 0 {
        remarks.push(format!("retried {}", times(task.retries)));
    }
    if let Some(skill) = &task.skill {
        remarks.push(format!("skill {skill}"));
    }
    if let Some(reason) = task.reason.as_ref().filter(|_| task.state != TaskState::Pending) {
        remarks.push(crate::text::excerpt(reason));
    }
    if remarks.is_empty() {
        return String::new();
    }
    format!("  ({})", remarks.join("; "))
}

fn times(count: u32) -> String {
    if count == 1 {
        "once".to_owned()
    } else {
        format!("{count} times")
    }
}

/// The current position, or a message that no task is open.
pub fn next(view: &NextView) -> String {
    match view {
        NextView::Position(at) => printable(&position(at)),
        NextView::AllClosed { .. } | NextView::NoTasks { .. } => {
            printable(&format!("{}\n", task_text::no_position(view)))
        }
    }
}

fn position(at: &TaskPosition) -> String {
    let mut out = format!(
        "{}  {}  ({})\n{}\n",
        at.task.id,
        at.task.label,
        at.task.state,
        task_text::position(at)
    );
    if let Some(plan) = &at.plan {
        let _ = writeln!(out, "Plan: {} ({}, {})", plan.title, plan.id, plan.file);
    }
    out.push_str(&skill_lines(&at.skill));
    notices(&mut out, &at.notices, notice_text::task);
    commands(&mut out, &at.commands);
    out
}

fn skill_lines(view: &SkillChoiceView) -> String {
    let because = task_text::because(&view.reason, view.skill.is_some());
    let mut out = match &view.skill {
        Some(skill) => format!("Skill: {skill}. {because}\n"),
        None => format!("Skill: none. {because}\n"),
    };
    for reminder in &view.reminders {
        let _ = writeln!(out, "  - {} ({})", reminder.line, reminder.skill);
    }
    notices(&mut out, &view.notices, notice_text::skill);
    out
}

pub(crate) fn notices<N>(out: &mut String, notices: &[N], text: fn(&N) -> String) {
    for notice in notices {
        let _ = writeln!(out, "Note: {}", text(notice));
    }
}

fn commands(out: &mut String, commands: &[CommandView]) {
    if commands.is_empty() {
        return;
    }
    out.push('\n');
    let purposes = commands
        .iter()
        .map(|command| command_text::purpose(&command.purpose));
    let purposes: Vec<String> = purposes.collect();
    let widest = purposes.iter().map(String::len).max().unwrap_or(0);
    for (command, purpose) in commands.iter().zip(purposes) {
        let _ = writeln!(out, "{purpose:<widest$}    {}", command.command);
    }
}

/// The tasks that can start now.
pub fn ready(view: &ReadyList, interface: Interface) -> String {
    if view.tasks.is_empty() {
        let list = interface.command(&["task", "list"]);
        return format!(
            "No task can start now. `{list}` shows the open tasks and what they are waiting for.\n"
        );
    }
    let mut out = String::new();
    if view.elsewhere {
        out.push_str("No task can start in the current tree. Elsewhere in this project:\n");
    }
    for task in &view.tasks {
        let _ = writeln!(
            out,
            "{}  {}{}",
            task.id,
            task.label,
            remarks(task, &BTreeMap::new())
        );
    }
    if view.more {
        out.push_str("Not all tasks are shown: add `--limit NUMBER`\n");
    }
    printable(&out)
}

/// The changes that a command made, and the new position.
pub fn changed(view: &TasksChanged, interface: Interface) -> String {
    let mut out = format!("{}\n", task_text::outcomes(&view.outcomes, interface));
    for effect in &view.also {
        let _ = writeln!(out, "  {}", task_text::side_effect(effect));
    }
    if let Some(next) = &view.next {
        let _ = write!(out, "\nNow: {}", brief(next));
    }
    printable(&out)
}

/// The position in short form.
pub(crate) fn brief(at: &TaskPosition) -> String {
    let mut out = format!("{}\n", task_text::position(at));
    if let Some(skill) = &at.skill.skill {
        let _ = writeln!(
            out,
            "Skill: {skill}. {}",
            task_text::because(&at.skill.reason, true)
        );
    }
    notices(&mut out, &at.skill.notices, notice_text::skill);
    notices(&mut out, &at.notices, notice_text::task);
    commands(&mut out, &at.commands);
    out
}

/// A task with its details.
pub fn detail(view: &TaskDetail, interface: Interface, clock: Clock<'_>) -> String {
    let show = |run: &str| interface.command(&["run", "show", run]);
    let task = &view.task;
    let state = if task.removed {
        "removed"
    } else {
        task.state.as_str()
    };
    let sentence = task_text::position_sentence(task, &view.above, &view.place);
    let mut out = format!("{}  {}  ({state})\n{sentence}\n", task.id, task.label);
    if let Some(reason) = &task.reason {
        let _ = writeln!(out, "Reason: {reason}");
    }
    if let Some(agent) = &task.agent {
        let _ = writeln!(out, "Assigned to: {agent}");
    }
    if let Some(run) = &task.run {
        let _ = writeln!(out, "Run: {run} (`{}`)", show(run.as_str()));
    }
    for started in &view.runs {
        let TaskRun { run, skill, status } = started;
        let _ = writeln!(out, "Run: {run} of {skill}, {status} (`{}`)", show(run.as_str()));
    }
    if let Some(plan) = &view.plan {
        let _ = writeln!(out, "Plan: {} ({}, {})", plan.title, plan.id, plan.file);
    }
    names(&mut out, "Under", &view.above);
    names(&mut out, "Waits for", &view.place.waits_for);
    names(&mut out, "After (plan order)", &view.place.comes_after);
    names(&mut out, "Needed by", &view.needed_by);
    out.push_str(&skill_lines(&view.skill));
    notices(&mut out, &view.notices, notice_text::task);
    if !view.notes.is_empty() {
        out.push_str("\nNotes\n");
        if view.earlier_notes > 0 {
            let _ = writeln!(
                out,
                "  ({} earlier not shown; `--full` shows all)",
                view.earlier_notes
            );
        }
        for note in &view.notes {
            let by = format!("{}{}", author(&note.by), for_person(note.person.as_deref()));
            let _ = writeln!(out, "  {} {by}: {}", clock(note.at), indented(&note.text));
        }
    }
    if !view.inside.is_empty() {
        out.push_str("\nSubtasks\n");
        lines(&mut out, &view.inside);
    }
    if !view.constraints.is_empty() {
        out.push_str("\nConstraints for all tasks in the plan\n");
        for item in &view.constraints {
            let _ = writeln!(out, "  - {item}");
        }
    }
    if let Some(text) = &view.text {
        let _ = write!(
            out,
            "\nFrom {}, line {}:\n\n{}\n",
            text.file,
            text.line,
            fenced(&text.text)
        );
    }
    if !view.history.is_empty() {
        out.push_str("\nHistory\n");
        for entry in &view.history {
            let _ = writeln!(
                out,
                "  {} {}{}: {}",
                clock(entry.at),
                author(&entry.by),
                for_person(entry.person.as_deref()),
                indented(&timeline_text::change(&entry.change))
            );
        }
    }
    commands(&mut out, &view.commands);
    printable(&out)
}

pub(crate) fn indented(text: &str) -> String {
    text.lines().collect::<Vec<_>>().join("\n    ")
}

/// Puts untrusted text between fences longer than any in the text, so that the end of the text is unambiguous.
fn fenced(text: &str) -> String {
    let longest = text
        .lines()
        .map(|line| {
            line.trim_start()
                .chars()
                .take_while(|letter| *letter == '~')
                .count()
        })
        .max()
        .unwrap_or(0);
    let fence = "~".repeat(longest.max(2) + 1);
    format!("{fence}\n{}\n{fence}", text.trim_end())
}

pub(crate) fn names(out: &mut String, what: &str, tasks: &[TaskName]) {
    if tasks.is_empty() {
        return;
    }
    let named: Vec<String> = tasks
        .iter()
        .take(MOST_NAMED)
        .map(|task| format!("{} ({})", task.label(), task.id))
        .collect();
    let more = match tasks.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let _ = writeln!(out, "{what}: {}{more}", named.join(", "));
}

/// A task's skill, and why it was chosen.
pub fn skill(view: &SkillChoiceView) -> String {
    let mut out = format!("{}  {}\n{}", view.task.id, view.task.label(), skill_lines(view));
    match (&view.pinned, &view.installed) {
        (Some(pin), _) => {
            let version = pin
                .version
                .as_ref()
                .map_or(String::new(), |version| format!("{version}, "));
            let source = pin
                .source
                .as_ref()
                .map_or(String::new(), |source| format!(", from {source}"));
            let _ = writeln!(out, "Version: {version}{}{source}", short(&pin.hash));
        }
        (None, Some(installed)) => {
            let _ = writeln!(
                out,
                "Installed: {installed}. Bugle pins this version when the task starts."
            );
        }
        (None, None) => {}
    }
    if view.sections.iter().any(|section| section.needed) {
        out.push_str("Sections this task needs\n");
        for section in view.sections.iter().filter(|section| section.needed) {
            let title = if section.title.is_empty() {
                "(before the first heading)"
            } else {
                &section.title
            };
            let _ = writeln!(out, "  {title} ({})", counted(section.characters, "character"));
        }
    }
    if !view.history.is_empty() {
        out.push_str("Versions used so far\n");
        for pin in &view.history {
            let _ = writeln!(out, "  {} {}", pin.skill, short(&pin.hash));
        }
    }
    printable(&out)
}

pub(crate) fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}
