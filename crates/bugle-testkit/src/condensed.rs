//! Checks that a condensed run state behaves like the full one: every command in a test is decided on both.

use bugle_core::engine::{
    Command, Decision, Environment, Recorded, RunState, context, decide, plan_in_view, task_effects,
};
use bugle_core::workflow::Workflow;

/// Decides a command on the condensed state and compares the decision.
pub(crate) fn assert_same_decision(
    state: &RunState,
    workflow: &Workflow,
    (command, environment): (Command<'_>, Environment<'_>),
    decision: &Decision,
) {
    let condensed = stored(state);
    if let Some(visit) = state.current() {
        assert_eq!(
            context(&condensed, workflow, visit.number),
            context(state, workflow, visit.number)
        );
    }
    if !condensed.is_enough_for(&command) {
        return;
    }
    assert_eq!(
        plan_in_view(&condensed, &command, environment.evidence),
        plan_in_view(state, &command, environment.evidence)
    );
    assert_eq!(&decide(&condensed, workflow, command, environment), decision);
    if let Decision::Accept(events) = decision {
        assert_eq!(task_effects(&condensed, events), task_effects(state, events));
    }
}

/// Checks that condensing before or after applying the events gives the same state.
pub(crate) fn assert_same_course(before: &RunState, happened: &[Recorded], after: &RunState) {
    let mut condensed = stored(before);
    if happened
        .iter()
        .try_for_each(|event| condensed.apply(event))
        .is_ok()
    {
        assert_eq!(condensed.condensed(), after.condensed());
    } else {
        assert!(!condensed.is_whole(), "only a rewind needs the full state");
    }
}

/// The condensed state, sometimes after a serialisation round trip.
#[expect(
    clippy::expect_used,
    reason = "a state that cannot be stored must fail the test"
)]
fn stored(state: &RunState) -> RunState {
    let condensed = state.condensed();
    if !state.version.is_multiple_of(16) {
        return condensed;
    }
    let text = serde_json::to_string(&condensed).expect("the state serializes");
    serde_json::from_str(&text).expect("the state deserializes")
}
