//! Faults in the graph.

use bugle_core::outcome::{Outcome, Target, Transitions};
use bugle_core::role::AgentRole;
use bugle_core::workflow::{AtLimit, Dispatch, DispatchWork, GateConfig, Loop, Route};

use super::Site;
use crate::spelling::{expression, step_id};

pub(super) fn unknown_target(site: &mut Site) {
    let nowhere = step_id("nowhere");
    let part = site.choose(&["next", "on_error", "rework"]);
    let step = site.step();
    match (part, &mut step.gate) {
        ("on_error", _) => step.on_error = Some(Target::Step(nowhere)),
        ("rework", Some(gate)) => gate.rework = nowhere,
        _ => step.next.ok = Some(Target::Step(nowhere)),
    }
}

pub(super) fn duplicate_step(site: &mut Site) {
    let twin = site.step().clone();
    site.definition.steps.push(twin);
}

pub(super) fn unreachable_step(site: &mut Site) {
    let mut island = site.plain("island");
    island.next = Transitions::linear(Target::End);
    site.definition.steps.push(island);
}

pub(super) fn end_unreachable(site: &mut Site) {
    let mut fork = site.plain("fork");
    fork.on_error = Some(Target::Step(step_id("trap")));
    let mut trap = site.plain("trap");
    trap.next = Transitions::linear(Target::Step(step_id("trap")));
    site.insert(fork);
    site.definition.steps.push(trap);
}

pub(super) fn no_way_out(site: &mut Site) {
    site.step().next = Transitions::default();
}

pub(super) fn unmapped_outcome(site: &mut Site) {
    let mut step = site.plain("inserted");
    let until = expression("visit.iteration > 1");
    let repeat = |at_limit| Loop {
        until: until.clone(),
        limit: 3,
        at_limit,
    };
    match site.choose(&["skip", "iterate", "limit", "gate"]) {
        "skip" => step.route.push(Route {
            when: until,
            outcome: Outcome::Skip,
        }),
        "iterate" => step.repeat = Some(repeat(AtLimit::Ok)),
        "limit" => {
            step.next.iterate = Some(Target::Step(step.id.clone()));
            step.repeat = Some(repeat(AtLimit::Fail));
        }
        _ => {
            step.dispatch = Some(Dispatch::new(AgentRole::QualityReviewer, DispatchWork::Brief));
            step.gate = Some(GateConfig {
                name: "Completeness".to_owned(),
                rework: step.id.clone(),
                limit: 3,
                blocks: bugle_core::review::Severity::default(),
            });
        }
    }
    site.insert(step);
}

pub(super) fn dead_outcome(site: &mut Site) {
    let mut step = site.plain("inserted");
    match site.choose(&["skip", "iterate", "default"]) {
        "skip" => step.next.skip = Some(Target::End),
        "iterate" => step.next.iterate = Some(Target::End),
        _ => {
            step.next.fail = Some(Target::End);
            step.next.default = Some(Target::End);
        }
    }
    site.insert(step);
}

pub(super) fn unbounded_cycle(site: &mut Site) {
    let entry = site.definition.steps[0].id.clone();
    let mut step = site.plain("inserted");
    // If the new step is inserted before the entry, transitions to the entry lead to the new step, so it loops to
    // itself.
    step.on_error = Some(Target::Step(entry));
    site.insert(step);
    let entry = site.definition.steps[0].id.clone();
    site.step().on_error = Some(Target::Step(entry));
}

pub(super) fn bad_limit(site: &mut Site) {
    let mut step = site.plain("inserted");
    let limit = site.choose(&[0, 101, u32::MAX]);
    step.next.iterate = Some(Target::Step(step.id.clone()));
    step.repeat = Some(Loop {
        until: expression("visit.iteration > 1"),
        limit,
        at_limit: AtLimit::Ok,
    });
    site.insert(step);
}

pub(super) fn gate_never_returns(site: &mut Site) {
    let mut fix = site.plain("fix");
    let mut review = site.plain("review");
    let elsewhere = site.choose(&[true, false]);
    review.dispatch = Some(Dispatch::new(AgentRole::QualityReviewer, DispatchWork::Brief));
    review.gate = Some(GateConfig {
        name: "Completeness".to_owned(),
        rework: if elsewhere {
            review.id.clone()
        } else {
            fix.id.clone()
        },
        limit: 3,
        blocks: bugle_core::review::Severity::default(),
    });
    review.next.fail = Some(Target::Step(fix.id.clone()));
    fix.next = Transitions::linear(Target::End);
    site.insert(review);
    site.definition.steps.push(fix);
}

pub(super) fn entry_missing(site: &mut Site) {
    site.definition.steps.clear();
}
