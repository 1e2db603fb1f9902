//! Notices about tasks, plans and skills, each as one or two sentences.

use bugle_core::count::count_phrase;
use bugle_core::reply::{
    ActiveTask, ImportNotice, PinUpgrade, PlanNotice, RulesProblem, SkillNotice, SkillVersion, TaskHolder,
    TaskNotice,
};

/// A notice about a task.
pub fn task(notice: &TaskNotice) -> String {
    match notice {
        TaskNotice::HolderGone { holder, take_over } => format!(
            "{holder} was working on this task, but its session has ended. `{take_over}` takes the task over."
        ),
        TaskNotice::HeldByOther {
            holder,
            ready,
            take_over,
        } => format!(
            "{holder} is working on this task. `{ready}` lists tasks that can start. If {holder} has stopped working on \
             it, `{take_over}` takes the task over."
        ),
        TaskNotice::AssignedToOther { holder, ready } => {
            format!("This task is assigned to {holder}. `{ready}` lists other tasks that can start.")
        }
        TaskNotice::Plan(notice) => plan(notice),
        TaskNotice::OpenElsewhere { list } => {
            format!("Other tasks are open in this project. `{list}` lists them.")
        }
        TaskNotice::RetriedOften { retries, help } => {
            format!("This task has been retried {retries} times. Split it into subtasks; `{help}` shows how.")
        }
        TaskNotice::AlsoActive(tasks) => {
            let names: Vec<String> = tasks.iter().map(active).collect();
            format!("Also in progress: {}.", names.join(", "))
        }
        TaskNotice::MoreSubtasks { list } => {
            format!("This task has more subtasks. `{list}` lists them.")
        }
        TaskNotice::Rules(problem) => rules(problem),
    }
}

fn active(task: &ActiveTask) -> String {
    let label = task.name.inline_label();
    match &task.holder {
        Some(holder) => format!("{label} ({})", holder_name(holder)),
        None => label,
    }
}

/// The name of the agent or person that is working on a task.
pub(crate) fn holder_name(holder: &TaskHolder) -> &str {
    match holder {
        TaskHolder::You => "you",
        TaskHolder::Other(name) => name,
    }
}

/// A notice about a plan.
pub fn plan(notice: &PlanNotice) -> String {
    match notice {
        PlanNotice::FileChanged { imported_on, import } => {
            let branch = imported_on.as_ref();
            let branch = branch.map_or(String::new(), |branch| format!(" on branch {branch}"));
            format!(
                "The plan's file has changed since it was imported{branch}. `{import}` updates the plan's tasks."
            )
        }
        PlanNotice::FileMissing { file, imported_on } => {
            let branch = imported_on.as_ref().map_or(String::new(), |branch| {
                format!(" The plan was imported on branch {branch}.")
            });
            format!("The plan's file {file} is missing. The imported text is kept.{branch}")
        }
        PlanNotice::Removed => "The plan was removed from the task tree.".to_owned(),
    }
}

/// A notice about an import.
pub fn import(notice: &ImportNotice) -> String {
    match notice {
        ImportNotice::Vanished {
            task,
            status,
            restore,
        } => format!(
            "{} is no longer in the plan and was removed ({}). `{restore}` restores it.",
            task.label(),
            status.as_str()
        ),
        ImportNotice::MoreVanished(more) => {
            format!("{more} more tasks are no longer in the plan and were removed.")
        }
        ImportNotice::KeptOut { task, restore } => format!(
            "{} is in the plan, but was removed from the task tree. `{restore}` restores it.",
            task.label()
        ),
        ImportNotice::MarkedAsDone { tasks, import } => {
            let what = count_phrase(*tasks, "task is", "tasks are");
            format!(
                "{what} marked as done in the file, but open in Bugle. `{import}` closes the marked tasks."
            )
        }
    }
}

/// A notice about a task's skill.
pub fn skill(notice: &SkillNotice) -> String {
    match notice {
        SkillNotice::NotInstalled(skill) => {
            format!("The skill {skill} is not installed. Continue without this skill.")
        }
        SkillNotice::Ambiguous {
            skill,
            addresses,
            select,
        } => format!(
            "Several plugins have a skill {skill}: {}. `{select}` selects the first.",
            addresses.join(", ")
        ),
        SkillNotice::Uninstalled(skill) => format!(
            "The skill {skill} is no longer installed. This task tree keeps using the pinned version."
        ),
        SkillNotice::Changed {
            skill,
            pinned,
            installed,
            upgrade,
        } => format!(
            "The skill {skill} has changed: this task tree uses {}, but {} is installed. `{upgrade}` switches to the \
             installed version.",
            version(pinned),
            version(installed)
        ),
        SkillNotice::Rules(problem) => rules(problem),
    }
}

fn rules(problem: &RulesProblem) -> String {
    match problem {
        RulesProblem::Unreadable { file, error } => format!("Cannot read the rules in {file}: {error}."),
        RulesProblem::NotUtf8 { file } => format!("The rules in {file} are not valid UTF-8."),
        RulesProblem::Invalid {
            file,
            line,
            message,
            fix,
        } => format!("{file}:{line}: {message}; {fix}"),
    }
}

/// A skill's version with its short hash.
fn version(version: &SkillVersion) -> String {
    let short = version.hash.short();
    match &version.version {
        Some(version) => format!("{version} ({short})"),
        None => short.to_owned(),
    }
}

/// The result of an upgrade for each pinned skill, one line each.
pub fn upgrades(upgrades: &[PinUpgrade]) -> Vec<String> {
    if upgrades.is_empty() {
        return vec!["No skill has been used for these tasks yet, so there is nothing to update.".to_owned()];
    }
    upgrades.iter().map(upgrade).collect()
}

fn upgrade(upgrade: &PinUpgrade) -> String {
    match upgrade {
        PinUpgrade::NotInstalled { skill, pinned } => {
            format!("{skill}: not installed, still pinned to {}", pinned.hash.short())
        }
        PinUpgrade::Unchanged { skill, pinned } => format!("{skill}: unchanged, {}", pinned.hash.short()),
        PinUpgrade::Updated {
            skill,
            from,
            to,
            source,
        } => format!("{skill}: updated {} to {} ({source})", version(from), version(to)),
    }
}
