//! Unknown tasks and refused commands.

use bugle_app::{AddRequest, AppError, Destination, Extent, Neighbour, TaskScope, task_id, tasks};
use bugle_core::id::TaskId;
use bugle_core::task::TaskCommand;

use super::Authentication;
use crate::project::{Project, agent, fails, refused, start, titled};

#[test]
fn a_task_is_found_by_an_id_prefix() {
    let mut project = Project::new();
    let [only] = project.add(["Only"]);
    for length in 3..=only.as_str().len() {
        let prefix = task_id(&only.as_str()[..length]).unwrap();
        assert_eq!(project.show(&prefix).task.id, only);
    }
    let titles: Vec<String> = (0..29).map(|number| format!("Part {number}")).collect();
    let words: Vec<&str> = titles.iter().map(String::as_str).collect();
    let many = project.add_with(&titled(&words));
    let begin = |id: &TaskId| id.as_str()[..3].to_owned();
    let is_shared = |id: &&TaskId| many.iter().filter(|other| begin(other) == begin(id)).count() > 1;
    let prefix = begin(many.iter().find(is_shared).unwrap());
    let (store, context) = (&mut project.app.store, &project.app.context);
    let shown = tasks::show_task(store, context, &task_id(&prefix).unwrap(), Extent::Full, None);
    let hints = fails(shown, 2, &format!("{prefix} matches several tasks")).join("\n");
    for id in many.iter().filter(|id| begin(id) == prefix) {
        assert!(hints.contains(id.as_str()), "{hints}");
    }
}

#[test]
fn every_use_case_reports_an_unknown_task() {
    let mut project = Project::new();
    let [only] = project.add(["Only"]);
    let none = task_id("t-zzzzzzzz").unwrap();
    let text = || "x".to_owned();
    let mut errors: Vec<AppError> = Vec::new();
    for command in [
        start(None, false),
        TaskCommand::Done,
        TaskCommand::Skip { reason: None },
        TaskCommand::Fail { reason: text() },
        TaskCommand::Block { reason: text() },
        TaskCommand::Reopen,
        TaskCommand::Note(text()),
        TaskCommand::Retitle(text()),
        TaskCommand::Assign(Some(agent("ann"))),
        TaskCommand::Remove,
    ] {
        errors.push(project.try_change(&none, &command).unwrap_err());
    }
    let before = Destination::Beside(Neighbour::Before(none.clone()));
    errors.push(project.try_move(&none, &Destination::Top).unwrap_err());
    errors.push(
        project
            .try_move(&only, &Destination::Under(none.clone()))
            .unwrap_err(),
    );
    errors.push(project.try_move(&only, &before).unwrap_err());
    errors.push(project.try_depend(&none, &only).unwrap_err());
    errors.push(project.try_depend(&only, &none).unwrap_err());
    let under = AddRequest {
        under: Some(none.clone()),
        ..titled(&["x"])
    };
    let waiting = AddRequest {
        waits_for: vec![none.clone()],
        ..titled(&["x"])
    };
    errors.push(project.try_add(&under).unwrap_err());
    errors.push(project.try_add(&waiting).unwrap_err());
    let scope = TaskScope::parse(Some(none.as_str())).unwrap();
    let (store, context) = (&mut project.app.store, &project.app.context);
    errors.push(tasks::show_task(store, context, &none, Extent::Full, None).unwrap_err());
    errors.push(tasks::next_task(store, context, &scope, None).unwrap_err());
    errors.push(tasks::ready_tasks(store, context, &scope, 10).unwrap_err());
    errors.push(tasks::claim_task(store, context, &scope, None).unwrap_err());
    errors.push(tasks::task_tree(store, context, &scope, true, 10).unwrap_err());
    errors.push(tasks::task_skill(store, context, &none, None).unwrap_err());
    for error in errors {
        let hints = fails::<()>(Err(error), 4, "there is no task t-zzzzzzzz");
        assert!(hints.join("\n").contains("bugle task list"), "{hints:?}");
    }
    fails(task_id("7"), 2, "`7` is not a task id");
    fails(task_id("r-zzzzzz"), 2, "is not a task id");
    assert_eq!(project.labels(), ["Only"], "nothing was changed");
}

#[test]
fn a_refusal_says_why_and_changes_nothing() {
    let mut project = Project::new();
    let tree = Authentication::new(&mut project);
    let refusal = refused(
        project.try_change(&tree.task_two, &TaskCommand::Done),
        "open-inside",
    );
    assert_eq!(
        refusal.message,
        "Task 2: Login form cannot be closed: 2 subtasks are open."
    );
    assert!(refusal.details[0].contains("Spec review"), "{refusal:?}");
    project
        .try_depend(&tree.quality_review, &tree.spec_review)
        .unwrap();
    for command in [start(None, false), TaskCommand::Done] {
        refused(project.try_change(&tree.quality_review, &command), "waits");
    }
    project.done(&tree.spec_review);
    let reason = || "x".to_owned();
    for command in [
        start(None, false),
        TaskCommand::Skip { reason: None },
        TaskCommand::Fail { reason: reason() },
        TaskCommand::Block { reason: reason() },
    ] {
        let refusal = refused(project.try_change(&tree.spec_review, &command), "closed");
        let reopen = format!("bugle task reopen {}", tree.spec_review);
        assert_eq!(refusal.command, Some(reopen));
    }
    project.change(&tree.quality_review, &start(Some("ann"), false));
    let before = project.outline();
    let started = project.try_change(&tree.quality_review, &start(Some("bob"), false));
    let refusal = refused(started, "held");
    assert!(refusal.message.contains("ann"), "{refusal:?}");
    let take_over = format!("`bugle task start {} --take-over`", tree.quality_review);
    assert!(refusal.remedy.contains(&take_over), "{refusal:?}");
    let command = refusal.command.unwrap();
    assert!(
        !command.contains("take-over"),
        "the suggested command must not take over another agent's task: {command}"
    );
    assert_eq!(project.outline(), before);
    for command in [
        TaskCommand::Note(" ".to_owned()),
        TaskCommand::Retitle(String::new()),
        TaskCommand::Fail {
            reason: String::new(),
        },
    ] {
        refused(project.try_change(&tree.root, &command), "empty");
    }
    project.check();
}

#[test]
fn starting_another_agents_task_requires_a_takeover() {
    let mut project = Project::new();
    let [task] = project.add(["Only"]);
    project.change(&task, &start(Some("ann"), false));
    project.change(&task, &start(Some("ann"), false));
    refused(project.try_change(&task, &start(Some("bob"), false)), "held");
    project.change(&task, &start(Some("bob"), true));
    assert_eq!(project.show(&task).task.agent.as_deref(), Some("bob"));
    refused(project.try_change(&task, &start(Some("ann"), false)), "held");
    project.act_as(Some("one"));
    refused(project.try_change(&task, &start(None, false)), "held");
    project.act_as(None);
    project.change(&task, &TaskCommand::Reopen);
    project.act_as(Some("one"));
    project.change(&task, &start(None, false));
    project.act_as(Some("two"));
    refused(project.try_change(&task, &start(None, false)), "held");
    assert_eq!(project.show(&task).task.agent.as_deref(), Some("one"));
}
