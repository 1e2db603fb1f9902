//! Runs that are started for a task.

use bugle_app::{Reply, RunSelector, WakeRequest, runs, wakeup};
use bugle_core::engine::RunStatus;
use bugle_core::id::{RunId, TaskId, VisitNumber};
use bugle_core::reply::SideEffect;
use bugle_core::task::TaskCommand;
use bugle_core::wake::{Budget, Unit, WakeReason};

use crate::project::Project;

/// The task that a run was started for.
fn task_of(project: &mut Project, run: &RunId) -> Option<TaskId> {
    let selector = RunSelector::Run(run.clone());
    let shown = runs::show(&mut project.app.store, &project.app.context, &selector).unwrap();
    shown.origin.task().map(|task| task.id.clone())
}

#[test]
fn a_run_belongs_to_the_task_that_its_agent_has_claimed() {
    let mut project = Project::new();
    let [login] = project.add(["Login"]);
    project.act_as(Some("session-1"));
    let before = project.start_run();
    assert_eq!(task_of(&mut project, &before), None, "no task is claimed");
    project.change(
        &login,
        &TaskCommand::Start {
            agent: None,
            run: None,
            take_over: false,
        },
    );
    assert!(project.show(&login).runs.is_empty());
    let run = project.start_run();
    assert_eq!(task_of(&mut project, &run), Some(login.clone()));
    let shown = project.show(&login).runs;
    assert_eq!(shown.len(), 1, "{shown:?}");
    assert_eq!((&shown[0].run, shown[0].status), (&run, RunStatus::Active));
    // The task still belongs to the agent: the run does not close it.
    let closed = project.done(&login);
    let open: Vec<_> = closed
        .also
        .iter()
        .filter_map(|effect| match effect {
            SideEffect::RunStillOpen { run, .. } => Some(run),
            _ => None,
        })
        .collect();
    assert_eq!(open, [&run], "{closed:?}");
    project.check();
}

#[test]
fn a_fork_of_a_tasks_run_belongs_to_the_task() {
    let mut project = Project::new();
    let [login] = project.add(["Login"]);
    let run = project.start_run_for(&login);
    let selector = RunSelector::Run(run.clone());
    let (store, context) = (&mut project.app.store, &project.app.context);
    let forked = match runs::fork(store, context, &selector, VisitNumber(1)).unwrap() {
        Reply::Step(step) => step.position.run,
        Reply::End(end) => panic!("the run has ended: {end:?}"),
    };
    let shown: Vec<_> = project
        .show(&login)
        .runs
        .into_iter()
        .map(|shown| shown.run)
        .collect();
    assert_eq!(shown.len(), 2);
    assert!(shown.contains(&run) && shown.contains(&forked), "{shown:?}");
    project.check();
}

#[test]
fn a_wake_up_names_the_task_of_the_run() {
    let mut project = Project::new();
    let [login] = project.add(["Login"]);
    let run = project.start_run_for(&login);
    let request = WakeRequest {
        agent: None,
        reason: WakeReason::Compact,
        replaces: None,
        budget: Budget {
            unit: Unit::Bytes,
            limit: 20_000,
        },
        message: None,
        dry_run: true,
    };
    let clock = |_| String::new();
    let (store, context) = (&mut project.app.store, &project.app.context);
    let view = wakeup::wake_and_write(store, context, &request, &clock, &mut |_| Ok(())).unwrap();
    assert!(view.text.contains(run.as_str()), "{}", view.text);
    assert!(view.text.contains(&format!("Login ({login})")), "{}", view.text);
}
