//! New ids: Bugle retries if an id is taken, and fails after the last attempt.

use bugle_app::{
    AppError, Clock, ImportRequest, RandomSource, RegisterRequest, WakeRequest, agents, messages, plans,
    wakeup,
};
use bugle_core::id::Timestamp;
use bugle_core::wake::{Budget, WakeReason};

use crate::project::{Project, fails, spread, titled};

/// The kinds of objects that get a new id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Made {
    Task,
    Run,
    Message,
    Agent,
    Plan,
    Wakeup,
}

const ALL: [Made; 6] = [
    Made::Task,
    Made::Run,
    Made::Message,
    Made::Agent,
    Made::Plan,
    Made::Wakeup,
];

impl Made {
    /// Creates an object of this kind and returns its id. `number` makes plans distinct.
    fn make(self, project: &mut Project, number: u32) -> Result<String, AppError> {
        let plan = format!("plan-{number}.md");
        if self == Self::Plan {
            project.write(
                &plan,
                &format!("# Plan {number}\n\n### Task 1: Build\n\nBuild it.\n"),
            );
        }
        if self == Self::Run {
            return project.try_start_run().map(|run| run.to_string());
        }
        let (store, ctx) = (&mut project.app.store, &project.app.context);
        Ok(match self {
            Self::Run => unreachable!(),
            Self::Task => {
                let added = bugle_app::tasks::add_tasks(store, ctx, &titled(&["Build it"]))?;
                added.tasks[0].id.to_string()
            }
            Self::Message => {
                let said = messages::say(store, ctx, "Look.", Some("lead"))?;
                said.message.id.to_string()
            }
            Self::Agent => agents::register(store, ctx, &RegisterRequest::default())?.to_string(),
            Self::Plan => {
                let request = ImportRequest {
                    file: ctx.directory.join(plan),
                    under: None,
                    was: None,
                    another: false,
                    trust_checkboxes: false,
                    drop_active: false,
                };
                plans::import_plan(store, ctx, &request)?.plan.name.id.to_string()
            }
            Self::Wakeup => {
                let request = WakeRequest {
                    agent: Some("lead".to_owned()),
                    reason: WakeReason::Compact,
                    replaces: None,
                    budget: Budget::PROMPT,
                    message: None,
                    dry_run: false,
                };
                let (view, _) = wakeup::wake_with_receipt(store, ctx, &request, &|at| at.0.to_string())?;
                view.id.unwrap()
            }
        })
    }
}

/// A project that the store already knows, so that it needs no new id.
fn known_project() -> Project {
    let mut project = Project::new();
    project.add(["Begin"]);
    project
}

#[test]
fn a_taken_id_is_retried() {
    for made in ALL {
        let mut project = known_project();
        let mut ids = Vec::new();
        for number in 0..3 {
            // Repeat the same random numbers.
            project.app.context.random = RandomSource::sequence(|index| spread(index + 1_000));
            ids.push(made.make(&mut project, number).unwrap());
        }
        let before = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), before, "{made:?}: {ids:?}");
        project.check();
    }
}

#[test]
fn if_every_id_is_taken_the_command_fails_and_nothing_changes() {
    for made in ALL {
        let mut project = known_project();
        project.app.context.random = RandomSource::sequence(|index| spread(index + 1_000));
        made.make(&mut project, 0).unwrap();
        let before = project.outline();
        project.app.context.random = RandomSource::sequence(|_| spread(1_000));
        let failed = made.make(&mut project, 1);
        fails(failed, 1, "cannot find a free id for the");
        assert_eq!(project.outline(), before, "{made:?}");
        project.check();
        // With free ids, the command succeeds again.
        project.app.context.random = RandomSource::sequence(|index| spread(index + 2_000));
        made.make(&mut project, 1).unwrap();
        project.check();
    }
}

#[test]
fn events_have_the_time_of_the_context() {
    let mut project = Project::new();
    project.app.context.clock = Clock::Fixed(Timestamp(4_200));
    let [task] = project.add(["Build it"]);
    project.app.context.clock = Clock::Fixed(Timestamp(4_300));
    project.done(&task);
    let times: Vec<i64> = project
        .show(&task)
        .history
        .iter()
        .map(|entry| entry.at.0)
        .collect();
    assert_eq!(times, [4_200, 4_300]);
}
