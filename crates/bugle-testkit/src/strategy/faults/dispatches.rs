//! Faults in dispatches.

use std::collections::BTreeMap;

use bugle_core::outcome::{Target, Transitions};
use bugle_core::role::AgentRole;
use bugle_core::shape::{Presence, Shape};
use bugle_core::workflow::{Arg, Dispatch, DispatchWork, GateConfig, WorkflowDef};

use super::Site;
use crate::spelling::{expression, field_name, skill_path};

fn exploring(file: &str) -> Dispatch {
    Dispatch::new(AgentRole::Explore, DispatchWork::Workflow(skill_path(file)))
}

/// Inserts a step that dispatches this workflow.
fn dispatching(site: &mut Site, file: &str, with: &[(&str, &str)]) {
    let mut step = site.plain("inserted");
    step.dispatch = Some(Dispatch {
        with: with
            .iter()
            .map(|(name, source)| (field_name(name), expression(source)))
            .collect::<BTreeMap<_, _>>(),
        ..exploring(file)
    });
    site.insert(step);
}

pub(super) fn dispatch_missing(site: &mut Site) {
    dispatching(site, "agents/missing.yaml", &[]);
}

pub(super) fn dispatch_misfit(site: &mut Site) {
    let wanted = Arg {
        name: field_name("topic"),
        shape: Shape::text(),
        presence: Presence::Required,
        default: None,
        help: None,
    };
    let child = WorkflowDef::new([site.plain("look")]).param(wanted);
    site.package
        .children
        .insert(skill_path("agents/look.yaml"), child);
    let with: &[(&str, &str)] = site.choose(&[&[][..], &[("topic", "run.id"), ("extra", "run.id")][..]]);
    dispatching(site, "agents/look.yaml", with);
}

pub(super) fn dispatch_recursion(site: &mut Site) {
    let file = site.choose(&["workflow.yaml", "agents/again.yaml"]);
    let mut again = site.plain("again");
    again.dispatch = Some(exploring(file));
    site.package
        .children
        .insert(skill_path(file), WorkflowDef::new([again]));
    dispatching(site, file, &[]);
}

pub(super) fn dispatch_too_deep(site: &mut Site) {
    for level in 1..=4 {
        let mut step = site.plain("deeper");
        step.dispatch = Some(exploring(&format!("agents/level{}.yaml", level + 1)));
        site.package.children.insert(
            skill_path(&format!("agents/level{level}.yaml")),
            WorkflowDef::new([step]),
        );
    }
    let last = WorkflowDef::new([site.plain("look")]);
    site.package
        .children
        .insert(skill_path("agents/level5.yaml"), last);
    dispatching(site, "agents/level1.yaml", &[]);
}

pub(super) fn review_without_findings(site: &mut Site) {
    let mut look = site.plain("look");
    look.next = Transitions::linear(Target::End);
    site.package
        .children
        .insert(skill_path("agents/review.yaml"), WorkflowDef::new([look]));
    let mut step = site.plain("inserted");
    step.dispatch = Some(exploring("agents/review.yaml"));
    step.next.fail = Some(Target::Step(step.id.clone()));
    step.gate = Some(GateConfig {
        name: "Completeness".to_owned(),
        rework: step.id.clone(),
        limit: 3,
        blocks: bugle_core::review::Severity::default(),
    });
    site.insert(step);
}
