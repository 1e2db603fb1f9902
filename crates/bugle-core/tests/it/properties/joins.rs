//! A join counts each sub-agent correctly, for any behaviour of the sub-agents.

use bugle_core::engine::{
    ChildReport, ChildState, Command, Decision, Environment, Escalation, Event, Refusal, audit, decide,
};
use bugle_core::id::RunId;
use bugle_core::name::StepId;
use bugle_core::outcome::Outcome;
use bugle_core::role::AgentRole;
use bugle_core::shape::{Length, Shape};
use bugle_core::workflow::{Dispatch, DispatchWork, FanOut, StepDef, Workflow};
use bugle_testkit::run::TestRun;
use bugle_testkit::spelling::{expression, field_name};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{Build, Drive, begun, brought, cases, done, step, unanswered, workflow};

/// A workflow that lists parts and dispatches a sub-agent for each part. The transition for failure is optional.
fn fan_out(quorum: Option<u32>, maps_failure: bool) -> Workflow {
    let parts = Shape::Array {
        items: Box::new(Shape::text()),
        length: Length::default(),
        unique: None,
    };
    let mut build: StepDef = step("build").to("good");
    if maps_failure {
        build = build.on(Outcome::Fail, "bad");
    }
    build.dispatch = Some(Dispatch {
        fan_out: FanOut::ForEach {
            list: expression("state.list.parts"),
            item: field_name("part"),
            limit: 8,
        },
        quorum,
        ..Dispatch::new(AgentRole::Developer, DispatchWork::Brief)
    });
    let list = step("list").returns("parts", parts).to("build");
    let rest = maps_failure.then(|| step("bad"));
    workflow([list, build, step("good")].into_iter().chain(rest))
}

fn child_state() -> impl Strategy<Value = ChildState> {
    prop_oneof![
        3 => Just(ChildState::Finished(Some(json!({ "report": "built" })))),
        1 => Just(ChildState::Failed("it does not build".to_owned())),
        1 => Just(ChildState::Escalated(Escalation::Blocked, "no access".to_owned())),
        1 => Just(ChildState::Escalated(Escalation::NeedsDecision, "which?".to_owned())),
        1 => Just(ChildState::Waiting),
        1 => Just(ChildState::NotStarted),
        1 => Just(ChildState::Working(StepId::new("work").unwrap())),
        1 => Just(ChildState::Left),
        1 => Just(ChildState::Cancelled),
    ]
}

fn ended(events: &[Event]) -> (Outcome, Value) {
    let end = events.iter().find_map(|event| match event {
        Event::Ended { outcome, result, .. } => Some((*outcome, result.clone().unwrap_or_default())),
        _ => None,
    });
    end.unwrap()
}

fn outcome_word(state: &ChildState) -> &'static str {
    match state {
        ChildState::Finished(_) => "finished",
        ChildState::Failed(_) => "failed",
        ChildState::Escalated(..) => "escalated",
        ChildState::Waiting => "waiting",
        _ => "missing",
    }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn a_join_counts_each_child_by_its_outcome(
        states in prop::collection::vec(child_state(), 1..6),
        quorum in prop::option::of(1..4_u32),
        maps_failure in any::<bool>(),
    ) {
        let workflow = fan_out(quorum, maps_failure);
        let mut run = begun(&workflow);
        let parts: Vec<String> = (1..=states.len()).map(|part| format!("part {part}")).collect();
        run.accept(brought(1, json!({ "parts": parts })));
        let reports: Vec<ChildReport> = (1_u32..)
            .zip(&states)
            .map(|(slot, state)| ChildReport {
                slot,
                run: RunId::from_random(u64::from(slot)),
                state: state.clone(),
                tree: None,
 also_found: Vec::new(),
            })
            .collect();
        let decided = |run: &TestRun<'_>, command: Command<'_>| {
            let environment = Environment { children: &reports, ..Environment::unknown() };
            decide(&run.state, &workflow, command, environment)
        };
        let count = |test: &dyn Fn(&ChildState) -> bool| states.iter().filter(|state| test(state)).count();
        let finished = count(&|state| matches!(state, ChildState::Finished(_)));
        let asking = count(&ChildState::asks);
        let heard = count(&|state| state.has_reported() || state.asks());
        let needed = quorum.map_or(states.len(), |quorum| states.len().min(quorum as usize));

        let plain = decided(&run, done(2));
        if heard < needed {
            let missing = matches!(plain, Decision::Refuse(Refusal::ChildrenMissing { .. }));
            prop_assert!(missing, "{plain:?}");
            let same = decided(&run, unanswered(2));
            prop_assert!(matches!(same, Decision::Refuse(Refusal::ChildrenMissing { .. })), "{same:?}");
            return Ok(());
        }
        let accepted = if asking > 0 {
            let Decision::Refuse(Refusal::ChildrenAsking(named)) = plain else {
                panic!("an open question holds the step: {plain:?}");
            };
            let all = named.iter().all(|(slot, state)| state.asks() && states[*slot as usize - 1] == *state);
            prop_assert!(all && named.len() == asking, "{named:?}");
            decided(&run, unanswered(2))
        } else {
            plain
        };
        let Decision::Accept(events) = accepted else {
            panic!("{accepted:?}");
        };
        prop_assert_eq!(audit(&run.state, &workflow, None, &events), Ok(()));
        let (outcome, joined) = ended(&events);
        let words: Vec<&str> = states.iter().map(outcome_word).collect();
        let entries = joined["children"].as_array().unwrap();
        let recorded: Vec<&str> = entries.iter().filter_map(|entry| entry["outcome"].as_str()).collect();
        prop_assert_eq!(recorded, words);
        let with_result = entries.iter().filter(|entry| entry.get("result").is_some()).count();
        prop_assert_eq!((&joined["finished"], with_result), (&json!(finished), finished));
        let fails = maps_failure && finished < needed;
        prop_assert_eq!(outcome, if fails { Outcome::Fail } else { Outcome::Ok });
        run.record(events).unwrap();
        prop_assert_eq!(run.at(), if fails { "bad" } else { "good" });
    }
}
