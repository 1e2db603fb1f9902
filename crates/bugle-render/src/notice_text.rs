//! Notices about runs, tasks, plans and skills, each as one or two sentences.

use bugle_core::count::{count_phrase, counted};
use bugle_core::reply::{
    ActiveTask, ImportNotice, PinUpgrade, PlanNotice, RulesProblem, RunNotice, SkillNotice, SkillVersion,
    TaskHolder, TaskNotice,
};

use crate::author_text::author;
use crate::{child_text, ownership_text};

/// A notice about a run.
pub fn run(notice: &RunNotice) -> String {
    match notice {
        RunNotice::TakenOver { owner, has_ended } => ownership_text::taken_over(owner, *has_ended),
        RunNotice::HeldElsewhere {
            owner,
            idle,
            take_over,
        } => ownership_text::held_elsewhere(owner, *idle, take_over),
        RunNotice::HooksSilent { doctor } => format!(
            "The client has not called a hook in this session since the step began, so Bugle has not enforced the step's limits. \
             Ask the user to run: {doctor}"
        ),
        RunNotice::NeedsTrust { commands, trust } => format!(
            "This skill checks its steps with commands that the user must trust first: `{}`. Ask the user now to read \
             these commands and then run this command in their own terminal: {trust}",
            commands.join("`, `")
        ),
        RunNotice::SkillUninstalled(skill) => format!(
            "The skill {skill} is no longer installed. This run continues with the version it started with."
        ),
        RunNotice::SkillChanged { skill, upgrade } => format!(
            "The skill {skill} has changed since this run started. The run continues with the version it started with. If \
             the user wants the new version: {upgrade}"
        ),
        RunNotice::Upgraded { run, version } => {
            format!("Upgraded {run} to skill version {}.", version.short())
        }
        RunNotice::Noted { by, text } => format!("Noted by {}: \"{}\"", author(by), one_line(text)),
        RunNotice::Restarted { kind, reason, answer } => format!(
            "An earlier attempt stopped ({}): \"{}\". The answer: \"{}\".",
            kind.as_str(),
            one_line(reason),
            one_line(answer)
        ),
        RunNotice::FixWanted { why } => {
            format!("The user wants one more fix, because: \"{}\"", one_line(why))
        }
        RunNotice::LimitReached { step, rounds } => {
            format!(
                "Step `{step}` reached its limit of {} without meeting its condition.",
                counted(*rounds, "round")
            )
        }
        RunNotice::AlsoFound { count, command } => format!(
            "{} outside the run's work found. To make tasks of them: {command}",
            counted(*count, "problem")
        ),
        RunNotice::NoProgress { step } => format!(
            "Step `{step}` stopped repeating: no progress. Its last visit returned the same result as the visit before."
        ),
        RunNotice::OnlyChanges { documents, command } => {
            let documents = if documents.is_empty() {
                String::new()
            } else {
                format!(" Not repeated: {}.", documents.join(", "))
            };
            format!("This step again, with only what is new.{documents} To print all of it: {command}")
        }
        RunNotice::Answered { step, answer, why } => format!(
            "At step `{step}` the user answered `{}`, because: \"{}\"",
            one_line(answer),
            one_line(why)
        ),
        RunNotice::StepFailed { step, reason } => format!(
            "The agent reported that it could not complete step `{step}`: \"{}\"",
            one_line(reason)
        ),
        RunNotice::ReviewOutdated => {
            "The files have changed since the review, so the review no longer counts. Restart the reviewer before you \
             end this step."
                .to_owned()
        }
        RunNotice::VerdictOutdated => {
            "The files have changed since the review. The verdict does not cover the changes.".to_owned()
        }
        RunNotice::VerdictStale { visit, step } => {
            format!("The verdict of visit {visit} ({step}) is stale: the files have changed since the review.")
        }
        RunNotice::NotDone(state) => format!(
            "This sub-agent's work is not done: it {}.",
            child_text::child_state(state)
        ),
        RunNotice::Subagent { token, run, state } => {
            format!("Sub-agent {token}, run {run}: {}", child_text::child_state(state))
        }
        RunNotice::Preview => "This is a preview with sample values. No run was started.".to_owned(),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

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
            format!(
                "This task has been retried {}. Split it into subtasks; `{help}` shows how.",
                counted(*retries, "time")
            )
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
            let tasks = count_phrase(*more, "more task is", "more tasks are");
            format!("{tasks} no longer in the plan and removed.")
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
