//! Plan order applies to ready and claimed tasks; a dependency overrides it.

use bugle_app::{ImportRequest, TaskScope, plans, tasks};
use bugle_core::id::TaskId;
use bugle_core::task::TaskCommand;

use crate::project::{Project, agent};

const PLAN: &str = "# Shop\n\n## Phase 1: Base\n\n### Task 1: Parse\n\nIt.\n\n### Task 2: Print\n\nIt.\n\n\
    ## Phase 2: Rest\n\n### Task 3: Test\n\nRun all tests.\n\n### Task 4: Ship\n\nIt.\n";

fn with_plan() -> Project {
    let mut project = Project::new();
    project.write("plan.md", PLAN);
    let request = ImportRequest {
        file: "plan.md".into(),
        under: None,
        was: None,
        another: false,
        trust_checkboxes: false,
        drop_active: false,
    };
    plans::import_plan(&mut project.app.store, &project.app.context, &request).unwrap();
    project
}

#[track_caller]
fn id_of(project: &mut Project, label: &str) -> TaskId {
    let mut lines = project.tree().into_iter();
    lines.find(|line| line.task.label == label).unwrap().task.id
}

fn claim(project: &mut Project, name: &str) -> Option<TaskId> {
    let (store, context) = (&mut project.app.store, &project.app.context);
    tasks::claim_task(store, context, &TaskScope::Here, Some(&agent(name))).unwrap()
}

#[test]
fn a_plan_without_declarations_hands_out_one_task_at_a_time_phase_by_phase() {
    let mut project = with_plan();
    for (label, next) in [
        ("Task 1: Parse", "Task 2: Print"),
        ("Task 2: Print", "Task 3: Test"),
        ("Task 3: Test", "Task 4: Ship"),
    ] {
        assert_eq!(project.ready(), [label]);
        let task = id_of(&mut project, label);
        assert_eq!(claim(&mut project, "first").as_ref(), Some(&task));
        assert_eq!(claim(&mut project, "second"), None);
        project.done(&task);
        assert_eq!(project.next().as_deref(), Some(next));
    }
    project.check();
}

#[test]
fn an_added_dependency_overrides_the_plan_order() {
    let mut project = with_plan();
    let first = id_of(&mut project, "Task 1: Parse");
    let second = id_of(&mut project, "Task 2: Print");
    project.try_depend(&first, &second).unwrap();
    assert_eq!(project.ready(), ["Task 2: Print"]);
    project.done(&second);
    assert_eq!(project.ready(), ["Task 1: Parse"]);
    project.check();
}

#[test]
fn skipping_or_removing_a_task_early_lets_no_later_task_start_early() {
    for command in [TaskCommand::Skip { reason: None }, TaskCommand::Remove] {
        let mut project = with_plan();
        let second = id_of(&mut project, "Task 2: Print");
        project.change(&second, &command);
        assert_eq!(project.ready(), ["Task 1: Parse"], "{command:?}");
        let first = id_of(&mut project, "Task 1: Parse");
        project.done(&first);
        assert_eq!(project.ready(), ["Task 3: Test"], "{command:?}");
        project.check();
    }
}

#[test]
fn a_todo_list_has_no_order() {
    let mut project = Project::new();
    project.add(["One", "Two", "Three"]);
    assert_eq!(project.ready().len(), 3);
}
