//! Every history that the engine produces passes an audit: the testkit audits each run as it happens. Impossible
//! histories fail the audit.

use bugle_core::engine::{Decision, Event, RunState, audit, audit_start, resolve_params};
use bugle_core::workflow::Workflow;
use bugle_testkit::agent::SyntheticAgent;
use bugle_testkit::run::TestRun;
use bugle_testkit::strategy::valid_workflow;
use proptest::prelude::*;

use crate::support::{cases, sound};

/// Impossible variants of a group of events, each with a description.
fn forgeries(workflow: &Workflow, events: &[Event]) -> Vec<(&'static str, Vec<Event>)> {
    let mut forged = Vec::new();
    if events.len() > 1 {
        forged.push(("its last event was removed", events[..events.len() - 1].to_vec()));
    }
    let mut longer = events.to_vec();
    longer.push(Event::Completed);
    forged.push(("an end was added", longer));
    for (index, event) in events.iter().enumerate() {
        let mut changed = events.to_vec();
        match event {
            Event::Entered {
                visit, step, after, ..
            } => {
                let other = workflow.steps().iter().find(|other| other.id != *step);
                let Some(other) = other else { continue };
                changed[index] = Event::Entered {
                    visit: *visit,
                    step: other.id.clone(),
                    after: *after,
                    files: None,
                };
                forged.push(("another step was entered", changed));
            }
            Event::Ended { visit, outcome, .. } => {
                if let Event::Ended { exhausted, .. } = &mut changed[index] {
                    *exhausted = !*exhausted;
                }
                forged.push(("a loop ended otherwise", changed.clone()));
                changed.insert(
                    0,
                    Event::Ended {
                        visit: *visit,
                        outcome: *outcome,
                        result: None,
                        reason: None,
                        evidence: Vec::new(),
                        merged: None,
                        also_found: Vec::new(),
                        no_progress: false,
                        exhausted: false,
                        tree: None,
                    },
                );
                forged.push(("a visit ended twice", changed));
            }
            _ => {}
        }
    }
    forged
}

fn has_plan(state: &RunState) -> bool {
    state
        .head()
        .is_some_and(|head| state.plan_root(head.number).is_some())
}

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn an_impossible_history_is_found(definition in valid_workflow(), seed in any::<u64>()) {
        let workflow = sound(definition);
        let mut agent = SyntheticAgent::new(&workflow, seed);
        let params = resolve_params(&workflow, &agent.params(&workflow)).unwrap();
        let mut run = TestRun::start(&workflow, params).unwrap();
        let first: Vec<Event> = run.events.iter().map(|recorded| recorded.event.clone()).collect();
        prop_assert_eq!(audit_start(&workflow, &first), Ok(()));
        for (how, forged) in forgeries(&workflow, &first) {
            prop_assert!(audit_start(&workflow, &forged).is_err(), "{}: {:?}", how, forged);
        }
        while let Some(command) = agent.next_command(&workflow, &run.state) {
            let before = run.state.clone();
            let Decision::Accept(events) = run.submit(command).unwrap() else { break };
            // If there is a plan, the audit checks only the workflow's edges.
            if has_plan(&before) || has_plan(&run.state) {
                continue;
            }
            for (how, forged) in forgeries(&workflow, &events) {
                prop_assert!(audit(&before, &workflow, None, &forged).is_err(), "{}: {:?}", how, forged);
            }
        }
    }
}
