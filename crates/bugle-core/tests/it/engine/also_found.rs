//! Problems outside a step's work are kept with the run, also those that sub-agents found.

use bugle_core::engine::{
    AlsoFound, ChildReport, ChildState, Decision, Environment, Escalation, Event, Refusal, audit, decide,
};
use bugle_core::id::RunId;
use bugle_core::review::Severity;
use bugle_core::role::AgentRole;
use bugle_core::workflow::{Dispatch, DispatchWork, StepDef};
use serde_json::json;

use crate::support::{Build, Drive, begun, brought, done, step, unanswered, workflow};

fn problem(what: &str) -> AlsoFound {
    AlsoFound {
        what: what.to_owned(),
        place: "src/log.rs:12".to_owned(),
        severity: Some(Severity::Should),
    }
}

#[test]
fn a_step_without_a_result_may_still_report_problems() {
    let workflow = workflow([step("look").to("tell"), step("tell")]);
    let mut run = begun(&workflow);
    let given = json!({ "also_found": [problem("the log grows")] });
    run.accept(brought(1, given.clone()));
    assert_eq!(run.state.also_found[0].problem, problem("the log grows"));
    assert_eq!(run.decide(brought(1, given)), Decision::Already);
    assert!(matches!(
        run.refusal(brought(2, json!({ "also_found": "the log" }))),
        Refusal::ResultMismatch { .. }
    ));
    assert!(matches!(
        run.refusal(brought(2, json!({ "also_found": [], "more": 1 }))),
        Refusal::ResultUnexpected
    ));
}

#[test]
fn a_dispatch_keeps_the_problems_of_its_sub_agents() {
    let look = StepDef {
        dispatch: Some(Dispatch::new(AgentRole::Explore, DispatchWork::Brief)),
        ..step("look")
    };
    let workflow = workflow([look]);
    let run = begun(&workflow);
    let finished = ChildState::Finished(Some(json!({ "report": "all of it" })));
    let asking = ChildState::Escalated(Escalation::NeedsDecision, "which log?".to_owned());
    for (state, command) in [(finished, done(1)), (asking, unanswered(1))] {
        let children = [ChildReport {
            slot: 1,
            run: RunId::from_random(3),
            state,
            tree: None,
            also_found: vec![problem("the log grows")],
        }];
        let environment = Environment {
            evidence: Some(&[]),
            children: &children,
            ..Environment::unknown()
        };
        let Decision::Accept(events) = decide(&run.state, &workflow, command, environment) else {
            panic!("not accepted");
        };
        let Some(Event::Ended { also_found, .. }) = events.first() else {
            panic!("{events:?}");
        };
        assert_eq!(also_found, &[problem("the log grows")]);
        assert_eq!(audit(&run.state, &workflow, None, &events), Ok(()));
    }
}
