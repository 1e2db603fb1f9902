//! At any time, the tasks in progress are exactly the run's own. A run that has ended leaves no task in progress.

use bugle_core::engine::{Command, Decision, RunState, TaskRef, resolve_params};
use bugle_core::id::TaskId;
use bugle_core::task::TaskStatus;
use bugle_testkit::agent::SyntheticAgent;
use bugle_testkit::run::TestRun;
use bugle_testkit::strategy::{over_tasks, valid_workflow};
use proptest::prelude::*;

use crate::support::{cases, sound};

/// More actions than any run of these workflows needs.
const MAX_ACTS: u32 = 3_000;

/// A run's tasks: its own task, and the tasks that it dispatched.
fn at_work(state: &RunState) -> Vec<TaskId> {
    let Some(visit) = state.current() else {
        return Vec::new();
    };
    let own = state.task(visit.number).map(|task| task.id.clone());
    let given = visit.children().iter().filter_map(|plan| plan.task.as_ref());
    let mut all: Vec<TaskId> = own
        .into_iter()
        .chain(given.map(|task: &TaskRef| task.id.clone()))
        .collect();
    all.sort();
    all.dedup();
    all
}

fn under_way(run: &TestRun<'_>) -> Vec<TaskId> {
    let active = run
        .board
        .tasks()
        .iter()
        .filter(|task| task.status == TaskStatus::Active);
    let mut all: Vec<TaskId> = active.map(|task| task.brief.id.clone()).collect();
    all.sort();
    all
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn the_tasks_in_progress_belong_to_the_run(
        definition in valid_workflow(),
        seed in any::<u64>(),
        rewinds in 0..4_u32,
    ) {
        let workflow = sound(over_tasks(definition));
        let mut agent = SyntheticAgent::new(&workflow, seed);
        let given = agent.params(&workflow);
        let Ok(params) = resolve_params(&workflow, &given) else { return Ok(()) };
        let mut run = TestRun::start(&workflow, params).unwrap();
        let mut left = rewinds;
        for _ in 0..MAX_ACTS {
            prop_assert_eq!(under_way(&run), at_work(&run.state));
            let goes_back = left > 0 && agent.one_in(5);
            let command = if goes_back {
                left -= 1;
                let history: Vec<_> = run.state.lineage(run.state.head().unwrap().number).collect();
                let to = history.iter().find(|_| agent.one_in(3)).unwrap_or(&history[0]).number;
                Command::Rewind { to }
            } else {
                match agent.next_command(&workflow, &run.state) {
                    Some(command) => command,
                    None => break,
                }
            };
            // A refused report changes nothing. The agent tries a different report next time.
            let _: Decision = run.submit(command).unwrap();
        }
        if !run.state.status.is_open() {
            prop_assert_eq!(under_way(&run), Vec::<TaskId>::new());
        }
        prop_assert_eq!(&RunState::replay(&run.state.id, &run.events).unwrap(), &run.state);
    }
}
