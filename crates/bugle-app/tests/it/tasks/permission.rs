//! Permission to start, close, skip and remove tasks by hand.

use bugle_app::{DoneRequest, Lineage, Stop, TaskScope, runs, tasks};
use bugle_core::engine::Escalation;
use bugle_core::id::ChildToken;
use bugle_core::task::{TaskCommand, TaskState};
use serde_json::json;

use crate::project::{Project, agent, refused, start};
use crate::reviewed::{end, request, step, stopped, visit};

const PLAN: &str = "# Small plan\n\n### Task 1: Add the parser\n\n### Task 2: Add the printer\n\n\
    ### Task 3: Add the tests\n\nNo dependencies\n";

/// Sub-agents build the ready tasks of `plan.md`, once.
const ONE_WAVE: &str = r#"
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
    next: look
  look: { title: Look at it, do: Look., next: end }
"#;

/// One agent builds the tasks of `plan.md` one after the other.
const ONE_BY_ONE: &str = r#"
version: 1
steps:
  read:
    title: Read the plan
    do: Read it.
    expect: [{ plan: plan.md }]
    next: pick
  pick:
    title: Take the next task
    task: take
    do: "{% if task is defined %}Now task {{ task.number }}: {{ task.title }}{% else %}Nothing is left.{% endif %}"
    loop: { until: "!has(task.id)", limit: 10 }
    next: { ok: end, iterate: build }
  build:
    title: Build it
    task: done
    do: "Build {{ task.title }}."
    next: pick
"#;

const ONE: &str = "session-one";
const TWO: &str = "session-two";

/// The commands that end the work on a task.
fn endings() -> Vec<TaskCommand> {
    let reason = || "no luck".to_owned();
    vec![
        TaskCommand::Done,
        TaskCommand::Fail { reason: reason() },
        TaskCommand::Block { reason: reason() },
        TaskCommand::Skip { reason: None },
        TaskCommand::Remove,
        TaskCommand::Reopen,
    ]
}

/// A project with a plan and a skill that works on it.
fn planned(workflow: &str) -> Project {
    let project = Project::new();
    project.write_skill("planned", workflow);
    project.write("plan.md", PLAN);
    project
}

#[test]
fn an_agent_cannot_change_a_task_that_a_run_works_on() {
    let mut project = planned(ONE_WAVE);
    project.act_as(Some(ONE));
    let first = project.start_skill("planned");
    let run = first.position.run.clone();
    // The session holds the run. Because another program ends the step, the session does not hold the run's tasks.
    project.act_as(None);
    let wave = step(project.end_visit(&first));
    project.act_as(Some(ONE));
    project.prompt("go on");
    let task = project.id_of("Task 1: Add the parser");
    let before = project.show(&task).history;
    let starts = [start(None, false), start(None, true)];
    for command in endings().iter().chain(&starts) {
        for session in [ONE, TWO] {
            project.act_as(Some(session));
            let refusal = refused(project.try_change(&task, command), "in-run");
            assert!(refusal.message.contains(run.as_str()), "{refusal:?}");
            assert_eq!(refusal.command, Some(format!("bugle step {run}")));
        }
    }
    project.act_as(None);
    project.app.context.lineage = Lineage::Unknown;
    for command in endings() {
        refused(project.try_change(&task, &command), "in-run");
    }
    assert_eq!(project.show(&task).history, before);
    // If a sub-agent stops with a question, the task stays with the run.
    for child in &wave.dispatch.as_ref().unwrap().children {
        let token = ChildToken {
            parent: visit(&wave),
            slot: child.slot,
        };
        let (store, context) = (&mut project.app.store, &project.app.context);
        let begun = step(runs::start_child(store, context, &token));
        let how = Stop::Escalated(Escalation::Blocked);
        end(project.finish(stopped(visit(&begun), how, "which one?")));
    }
    let looking = step(project.finish(DoneRequest {
        unanswered: true,
        ..request(visit(&wave))
    }));
    assert_eq!(project.state(&task), TaskState::Blocked);
    project.act_as(Some(ONE));
    refused(project.try_change(&task, &TaskCommand::Done), "in-run");
    // A run may change its own tasks. After the run ends, its open tasks are free.
    end(project.end_visit(&looking));
    project.change(&task, &start(None, false));
    project.done(&task);
    project.check();
}

#[test]
fn an_agent_does_not_take_or_close_a_plans_tasks_by_hand_while_its_run_hands_them_out() {
    let mut project = planned(ONE_BY_ONE);
    project.act_as(Some(ONE));
    let first = project.start_skill("planned");
    let taking = step(project.end_visit(&first));
    let free = project.id_of("Task 3: Add the tests");
    refused(project.try_change(&free, &TaskCommand::Done), "in-run");
    let helper = agent("helper");
    let claim = |project: &mut Project, agent| {
        let (store, context) = (&mut project.app.store, &project.app.context);
        tasks::claim_task(store, context, &TaskScope::Here, agent)
    };
    project.app.context.acting_as = Some("helper".to_owned());
    refused(claim(&mut project, Some(&helper)), "in-run");
    // Another session may take a free task and finish it.
    project.act_as(Some(TWO));
    assert_eq!(claim(&mut project, None).unwrap().as_ref(), Some(&free));
    project.done(&free);
    project.act_as(Some(ONE));
    let building = step(project.end_visit(&taking));
    let next = step(project.end_visit(&building));
    assert!(next.action.contains("Now task 2"), "{}", next.action);
}

#[test]
fn an_agent_does_not_change_the_active_task_of_another_agent() {
    let mut project = Project::new();
    let [task] = project.add(["Write the parser"]);
    project.begin_session(ONE, "startup");
    project.change(&task, &start(None, false));
    project.act_as(Some(TWO));
    project.prompt("get rid of it");
    for command in endings() {
        let refusal = refused(project.try_change(&task, &command), "held");
        assert!(refusal.message.contains(ONE), "{refusal:?}");
    }
    assert_eq!(project.state(&task), TaskState::Active);
    project.change(&task, &start(None, true));
    project.done(&task);
    // Any agent may take a task of an ended session.
    project.act_as(None);
    project.change(&task, &TaskCommand::Reopen);
    project.act_as(Some(ONE));
    project.change(&task, &start(None, false));
    project.end_session("other");
    project.act_as(Some(TWO));
    project.done(&task);
}

#[test]
fn an_imported_or_assigned_task_of_a_plan_stays_the_users_task() {
    let mut project = Project::new();
    project.write("plan.md", PLAN);
    project.act_as(Some(ONE));
    project.import("plan.md");
    let parser = project.id_of("Task 1: Add the parser");
    let root = project.show(&parser).above.last().unwrap().id.clone();
    project.change(&parser, &TaskCommand::Assign(Some(agent(ONE))));
    for command in [TaskCommand::Skip { reason: None }, TaskCommand::Remove] {
        for task in [&root, &parser] {
            let refusal = refused(project.try_change(task, &command), "user-not-heard");
            assert!(refusal.message.contains("not yours"), "{refusal:?}");
        }
    }
    project.check();
}

#[test]
fn a_clients_todo_list_cannot_make_changes_that_the_rules_refuse() {
    let mut project = Project::new();
    project.act_as(Some(ONE));
    project.start_run();
    let list = |project: &mut Project, states: &[&str]| {
        let item = |state: &&str| json!({ "content": "Read it", "status": state, "activeForm": "Reading" });
        let todos: Vec<_> = states.iter().map(item).collect();
        project.act_as(Some(ONE));
        project.hook(
            "PostToolUse",
            &json!({ "tool_name": "TodoWrite", "tool_input": { "todos": todos }, "tool_response": "ok" }),
        );
    };
    list(&mut project, &["pending"]);
    let task = project.id_of("Read it");
    project.act_as(Some(TWO));
    project.change(&task, &start(None, true));
    for states in [&["in_progress"][..], &["completed"], &["pending"], &[]] {
        list(&mut project, states);
        let now = project.show(&task).task;
        assert_eq!(now.state, TaskState::Active, "{states:?}");
        assert_eq!(now.agent.as_deref(), Some(TWO), "{states:?}");
    }
}
