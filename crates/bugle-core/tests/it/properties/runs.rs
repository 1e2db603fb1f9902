//! Every run of every valid workflow terminates and can be replayed from its events.

use bugle_core::engine::{Command, Decision, Recorded, RunState, RunStatus, fork, iteration, resolve_params};
use bugle_core::id::VisitNumber;
use bugle_core::workflow::Workflow;
use bugle_testkit::agent::SyntheticAgent;
use bugle_testkit::run::TestRun;
use bugle_testkit::strategy::valid_workflow;
use proptest::prelude::*;

use crate::support::{cases, sound};

/// An upper bound for the number of visits in a run. Limits multiply, because a loop gets its full limit again
/// whenever a later step sends the run back.
fn most_visits(workflow: &Workflow) -> usize {
    let limits = workflow.steps().iter().map(|step| {
        let repeat = step.repeat.as_ref().map(|repeat| repeat.limit);
        let gate = step.gate.as_ref().map(|gate| gate.limit);
        repeat.or(gate).unwrap_or(1) as usize + 1
    });
    limits.fold(1, usize::saturating_mul) - 1
}

fn begin<'a>(workflow: &'a Workflow, agent: &mut SyntheticAgent) -> TestRun<'a> {
    let params = resolve_params(workflow, &agent.params(workflow)).unwrap();
    TestRun::start(workflow, params).unwrap()
}

/// Works on a run until it is over.
fn work(run: &mut TestRun<'_>, agent: &mut SyntheticAgent) {
    let most = most_visits(run.workflow);
    while let Some(command) = agent.next_command(run.workflow, &run.state) {
        let decision = run.submit(command.clone()).unwrap();
        assert!(
            matches!(decision, Decision::Accept(_)),
            "{command:?}: {decision:?}"
        );
        assert!(run.state.visits().len() <= most, "more than {most} visits");
    }
}

/// Disturbs a run with notes, pauses, resumes and rewinds between reports.
fn disturb(run: &mut TestRun<'_>, agent: &mut SyntheticAgent) {
    for _ in 0..12 {
        let back = u32::try_from(run.state.visits().len()).unwrap().div_ceil(2);
        let disturbances = [
            Command::Note("worth keeping".to_owned()),
            Command::Pause { reason: None },
            Command::Resume,
            Command::Rewind {
                to: VisitNumber(back),
            },
        ];
        for command in disturbances {
            if agent.one_in(3) {
                run.submit(command).unwrap();
            }
        }
        if run.state.status == RunStatus::Paused {
            run.submit(Command::Resume).unwrap();
        }
        if let Some(command) = agent.next_command(run.workflow, &run.state) {
            let decision = run.submit(command).unwrap();
            assert!(matches!(decision, Decision::Accept(_)), "{decision:?}");
        }
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn a_run_terminates_within_its_limits(definition in valid_workflow(), seed in any::<u64>()) {
        let workflow = sound(definition);
        let mut agent = SyntheticAgent::new(&workflow, seed);
        let mut run = begin(&workflow, &mut agent);
        work(&mut run, &mut agent);
        prop_assert!(matches!(run.state.status, RunStatus::Completed | RunStatus::Failed));
        let limits_kept = run.state.visits().iter().all(|visit| {
            let repeat = workflow.step(&visit.step).and_then(|step| step.repeat.as_ref());
            repeat.is_none_or(|repeat| iteration(&run.state, run.workflow, visit.number) <= repeat.limit)
        });
        prop_assert!(limits_kept);
    }

    #[test]
    fn a_run_can_be_replayed_from_its_events(definition in valid_workflow(), seed in any::<u64>()) {
        let workflow = sound(definition);
        let mut agent = SyntheticAgent::new(&workflow, seed);
        let mut run = begin(&workflow, &mut agent);
        disturb(&mut run, &mut agent);
        prop_assert_eq!(&RunState::replay(&run.state.id, &run.events).unwrap(), &run.state);
        let text = serde_json::to_string(&run.events).unwrap();
        let read: Vec<Recorded> = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&read, &run.events);
        prop_assert_eq!(run.state.version, run.events.len() as u64);
    }

    #[test]
    fn a_repeated_report_changes_nothing(definition in valid_workflow(), seed in any::<u64>()) {
        let workflow = sound(definition);
        let mut agent = SyntheticAgent::new(&workflow, seed);
        let mut run = begin(&workflow, &mut agent);
        while let Some(command) = agent.next_command(&workflow, &run.state) {
            let visit = run.state.current().unwrap().number;
            let command = match command {
                Command::Answer { answer, reason, .. } => Command::Answer { visit: Some(visit), answer, reason },
                other => other,
            };
            run.submit(command.clone()).unwrap();
            prop_assert_eq!(run.decide(command.clone()), Decision::Already, "{:?}", command);
        }
    }

    #[test]
    fn a_fork_has_the_same_position(definition in valid_workflow(), seed in any::<u64>()) {
        let workflow = sound(definition);
        let mut agent = SyntheticAgent::new(&workflow, seed);
        let mut run = begin(&workflow, &mut agent);
        work(&mut run, &mut agent);
        for visit in run.state.visits() {
            let events = fork(&run.state.id, &run.events, visit.number).unwrap();
            let forked = TestRun::from_events(&workflow, events).unwrap();
            let head = forked.state.current().unwrap();
            // A gate asks its question during the visit, so a fork at the start of the visit has no question.
            let asked = visit.asked.is_some() && visit.judged.is_none();
            prop_assert_eq!((&head.step, head.number, head.asked.is_some()), (&visit.step, visit.number, asked));
            prop_assert_eq!(forked.state.results_before(head.number), run.state.results_before(visit.number));
            prop_assert_eq!(iteration(&forked.state, forked.workflow, head.number), iteration(&run.state, run.workflow, visit.number));
        }
    }
}
