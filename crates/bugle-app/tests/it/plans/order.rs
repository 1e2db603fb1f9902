//! Plan order applies to ready, claimed and dispatched tasks; a dependency overrides it.

use bugle_app::{Given, StartRequest, TaskScope, runs, tasks};
use bugle_core::id::{ChildToken, TaskId};
use bugle_core::reply::TaskName;
use bugle_core::task::{TaskCommand, TaskState};

use crate::project::{Project, agent, fails, refused, start};
use crate::reviewed::{request, step, visit};

const PLAN: &str = "# Shop\n\n## Phase 1: Base\n\n### Task 1: Parse\n\nIt.\n\n### Task 2: Print\n\nIt.\n\n\
    ## Phase 2: Rest\n\n### Task 3: Test\n\nRun all tests.\n\n### Task 4: Ship\n\nIt.\n";

fn with_plan() -> Project {
    let mut project = Project::new();
    project.write("plan.md", PLAN);
    project.import("plan.md");
    project
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
        let task = project.id_of(label);
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
    let first = project.id_of("Task 1: Parse");
    let second = project.id_of("Task 2: Print");
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
        let second = project.id_of("Task 2: Print");
        project.change(&second, &command);
        assert_eq!(project.ready(), ["Task 1: Parse"], "{command:?}");
        let first = project.id_of("Task 1: Parse");
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

#[test]
fn a_task_started_out_of_order_is_refused_with_the_task_that_comes_first() {
    let mut project = with_plan();
    let second = project.id_of("Task 2: Print");
    for command in [start(None, false), TaskCommand::Done] {
        let refusal = refused(project.try_change(&second, &command), "not-its-turn");
        let text = format!("{refusal:?}");
        assert!(text.contains("Task 1: Parse"), "{text}");
        assert!(
            text.contains("tasks before it in the plan are still open"),
            "{text}"
        );
    }
    let shown = project.show(&second);
    let before: Vec<String> = shown.place.comes_after.iter().map(TaskName::label).collect();
    assert_eq!(before, ["Task 1: Parse"]);
    assert_eq!(
        shown.task.state,
        TaskState::Pending,
        "the task is waiting for its turn, not blocked"
    );
}

/// Sub-agents build the ready tasks of `plan.md` until none is left.
const WAVES: &str = r#"
version: 1
steps:
  read:
    title: Read the plan
    do: Read it.
    expect: [{ plan: plan.md }]
    next: build
  build:
    title: Build what can start
    do: "{{ child.task.text | fence }}"
    dispatch: { role: developer, for_each: tasks, as: task, limit: 8 }
    loop: { until: "plan.ready == 0", limit: 9 }
    next: { ok: end, iterate: build }
"#;

#[test]
fn a_run_over_an_ordered_plan_dispatches_its_first_task_alone() {
    let mut project = Project::new();
    project.write("plan.md", PLAN);
    project.write_skill("planned", WAVES);
    let read = project.start_skill("planned");
    let (store, context) = (&mut project.app.store, &project.app.context);
    let wave = step(runs::done(store, context, request(visit(&read))));
    let children = wave.dispatch.as_ref().unwrap().children.len();
    assert_eq!(children, 1, "{wave:?}");
    let token = ChildToken {
        parent: visit(&wave),
        slot: 1,
    };
    let child = step(runs::start_child(store, context, &token));
    assert!(child.action.contains("### Task 1: Parse"), "{}", child.action);
    let lines = project.tree();
    let active = lines
        .iter()
        .filter(|line| line.task.state == TaskState::Active)
        .count();
    assert_eq!(active, 3, "the task, its phase, the plan");
}

#[test]
fn a_missing_plan_is_refused_at_the_start_with_a_similar_name() {
    let mut project = Project::new();
    project.write("docs/plans/login.md", PLAN);
    let start = |project: &mut Project, plan: &str| {
        let request = StartRequest {
            skill: "execute-plan".to_owned(),
            params: vec![Given::Text {
                name: "plan".to_owned(),
                text: plan.to_owned(),
            }],
            task: None,
        };
        runs::start(&mut project.app.store, &project.app.context, request)
    };
    let misspelt = start(&mut project, "docs/plans/logn.md");
    let hints = fails(misspelt, 4, "there is no plan docs/plans/logn.md").join("\n");
    assert!(hints.contains("Did you mean `docs/plans/login.md`?"), "{hints}");
    let moved = start(&mut project, "login.md");
    let hints = fails(moved, 4, "there is no plan login.md").join("\n");
    assert!(hints.contains("Did you mean `docs/plans/login.md`?"), "{hints}");
    let (store, context) = (&mut project.app.store, &project.app.context);
    let listed = runs::runs(store, context, false, true, 10).unwrap();
    assert!(listed.runs.is_empty(), "no run was started");
    step(start(&mut project, "docs/plans/login.md"));
}
