//! Text about plans: lists, one plan with its tasks, import results.

use std::fmt::Write as _;

use bugle_core::count::counted;
use bugle_core::plan::PlanNote;
use bugle_core::reply::{PinsUpgraded, PlanDetail, PlanImport, PlanList, PlanSummary, PlanText};

use crate::plan::note as plan_note;
use crate::run::Clock;
use crate::task::{brief, indented, lines, names, notices, short};
use crate::text::printable;
use crate::{notice_text, task_text};

/// A list of plans.
pub fn plans(view: &PlanList, clock: Clock<'_>) -> String {
    if view.plans.is_empty() {
        return "No plans found. `bugle plan import FILE` imports one.\n".to_owned();
    }
    let mut out = String::new();
    for plan in &view.plans {
        out.push_str(&plan_line(plan, clock));
    }
    printable(&out)
}

fn plan_line(plan: &PlanSummary, clock: Clock<'_>) -> String {
    let here = if plan.current { "  <- here" } else { "" };
    let branch = plan
        .branch
        .as_ref()
        .map_or(String::new(), |branch| format!(" on {branch}"));
    let mut out = format!(
        "{}  {}  ({}; {} of {} closed){here}\n          {}, imported {}{branch}\n",
        plan.name.id,
        plan.name.title,
        plan.state,
        plan.closed,
        counted(plan.tasks, "task"),
        plan.name.file,
        clock(plan.imported_at)
    );
    for notice in &plan.notices {
        let _ = writeln!(out, "          {}", notice_text::plan(notice));
    }
    out
}

/// A plan with its tasks.
pub fn plan(view: &PlanDetail, clock: Clock<'_>) -> String {
    let mut out = plan_line(&view.plan, clock);
    let facts = [
        ("Goal", &view.goal),
        ("Architecture", &view.architecture),
        ("Tech stack", &view.tech_stack),
    ];
    for (what, text) in facts {
        if let Some(text) = text {
            let _ = writeln!(out, "{what}: {}", indented(text));
        }
    }
    if !view.skills.is_empty() {
        let _ = writeln!(out, "Skills: {}", view.skills.join(", "));
    }
    for pin in &view.pins {
        let version = pin
            .version
            .as_ref()
            .map_or(String::new(), |version| format!("{version}, "));
        let _ = writeln!(out, "Pinned skill: {} ({version}{})", pin.skill, short(&pin.hash));
    }
    if !view.constraints.is_empty() {
        out.push_str("\nConstraints for all tasks\n");
        for item in &view.constraints {
            let _ = writeln!(out, "  - {item}");
        }
    }
    out.push('\n');
    lines(&mut out, &view.tasks);
    if view.more {
        let _ = writeln!(
            out,
            "Not all tasks are shown: `bugle task list {} --limit NUMBER` shows more",
            view.plan.name.id
        );
    }
    unclear(&mut out, &view.unclear);
    if let Some(at) = &view.position {
        let _ = write!(out, "\n{}\n", task_text::position(at));
    }
    match &view.text {
        Some(text) => {
            let _ = write!(out, "\nText of {}\n\n{}\n", text.file, text.text.trim_end());
        }
        None => {
            let _ = write!(out, "\nText of the plan: {}\n", view.text_command);
        }
    }
    printable(&out)
}

fn unclear(out: &mut String, notes: &[PlanNote]) {
    if notes.is_empty() {
        return;
    }
    out.push_str("\nNotes about the file\n");
    for note in notes {
        let _ = writeln!(out, "  {}", plan_note(note));
    }
}

/// The changes that an import made.
pub fn imported(view: &PlanImport) -> String {
    let plan = &view.plan;
    let mut out = if view.again {
        format!("Plan {} ({}) is up to date.\n", plan.name.id, plan.name.title)
    } else {
        let tasks = counted(plan.tasks, "task");
        format!("Imported plan {} ({}): {tasks}.\n", plan.name.id, plan.name.title)
    };
    if view.again {
        names(&mut out, "New", &view.added);
        names(&mut out, "Edited", &view.edited);
        names(&mut out, "Moved", &view.moved);
        names(&mut out, "No longer in the plan", &view.vanished);
        let _ = writeln!(out, "Unchanged: {}", view.unchanged);
    }
    names(&mut out, "Checked off in the plan", &view.ticked);
    names(&mut out, "Restored", &view.came_back);
    names(&mut out, "Removed with their parents", &view.taken_along);
    names(&mut out, "Reopened", &view.reopened);
    notices(&mut out, &view.notices, notice_text::import);
    unclear(&mut out, &view.unclear);
    if let Some(at) = &view.position {
        let _ = write!(out, "\nNow: {}", brief(at));
    }
    printable(&out)
}

/// A plan section, verbatim, with a trailing newline.
pub fn section(view: &PlanText) -> String {
    format!("{}\n", view.text)
}

/// A plan's skill versions after an upgrade.
pub fn upgraded(view: &PinsUpgraded) -> String {
    let mut out = format!("{}  {}\n", view.task.id, view.task.label());
    for line in notice_text::upgrades(&view.upgrades) {
        let _ = writeln!(out, "  {line}");
    }
    printable(&out)
}
