//! Refusals to import a plan, in words.

use bugle_core::reply::{PlanPlace, PlanRefusal};

use crate::plan;
use crate::refusal_text::RefusalText;
use crate::task_text::id_and_label;

/// Why a plan is not imported.
pub(crate) fn refusal(refusal: &PlanRefusal) -> RefusalText {
    let (message, details, remedy) = match refusal {
        PlanRefusal::NoTasks {
            file,
            notes,
            headings,
        } => {
            let mut details: Vec<String> = notes.iter().map(plan::note).collect();
            if !headings.is_empty() {
                let headings: Vec<String> = headings.iter().map(|heading| format!("`{heading}`")).collect();
                details.push(format!("headings in the file: {}", headings.join(", ")));
            }
            (
                format!("There are no tasks in {file}, so nothing was imported."),
                details,
                "Give each task a heading such as `### Task 1: Title`, and import the file again.",
            )
        }
        PlanRefusal::ActiveVanish { file, tasks } => {
            let line = |(task, agent): &(_, Option<_>)| {
                let by = agent
                    .as_ref()
                    .map_or(String::new(), |agent| format!(" ({agent})"));
                format!("{}{by}", id_and_label(task))
            };
            (
                format!(
                    "{file} no longer contains tasks that are in progress; importing the file would remove these tasks."
                ),
                tasks.iter().map(line).collect(),
                "Nothing was imported. If the file is an older version, for example from another branch, do not import \
                 it. To remove these tasks, import the file with `--drop-active`.",
            )
        }
        PlanRefusal::PerhapsRenamed {
            plan,
            file,
            keep,
            import_as_new,
        } => (
            format!(
                "Plan {plan} has the same title, but its file {file} is missing. The new file may be the same plan, renamed."
            ),
            vec![
                format!("to keep the existing plan's tasks: {keep}"),
                format!("to import the file as a new plan: {import_as_new}"),
            ],
            "Nothing was imported. Choose one of these commands.",
        ),
        PlanRefusal::ImportedTwice {
            file,
            named,
            plan,
            root,
            title,
        } => (
            format!("{file} was already imported as plan {plan}, so it cannot also be imported as {named}."),
            vec![format!("{root} {title}")],
            "Check the progress of the existing plan. If you do not need this plan, remove its root task and import the \
             file again.",
        ),
        PlanRefusal::Cycle { file, waits } => (
            format!("The tasks in {file} form a dependency cycle, so nothing was imported."),
            waits
                .iter()
                .map(|(node, on)| format!("{} waits for {}", place(node), place(on)))
                .collect(),
            "Remove one of these dependencies from the plan, and import the file again.",
        ),
    };
    RefusalText {
        message,
        details,
        outline: None,
        remedy: remedy.to_owned(),
    }
}

fn place(node: &PlanPlace) -> String {
    match node {
        PlanPlace::Task { number, line } => format!("Task {number} (line {line})"),
        PlanPlace::Group { title, line } => format!("{title} (line {line})"),
        PlanPlace::Unknown => "a task".to_owned(),
    }
}
