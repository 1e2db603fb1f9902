//! Faults of sub-agents.

use std::collections::BTreeMap;

use bugle_core::role::AgentRole;
use bugle_core::shape::{Presence, Shape};
use bugle_core::workflow::{Arg, Dispatch, DispatchWork, FanOut, WorkflowDef};

use super::Site;
use crate::spelling::{expression, field_name, skill_path};

/// Puts in a step that starts this workflow.
fn dispatching(site: &mut Site, file: &str, with: &[(&str, &str)]) {
    let mut step = site.plain("inserted");
    step.dispatch = Some(Dispatch {
        role: AgentRole::Explore,
        work: DispatchWork::Workflow(skill_path(file)),
        fan_out: FanOut::One,
        with: with
            .iter()
            .map(|(name, source)| (field_name(name), expression(source)))
            .collect::<BTreeMap<_, _>>(),
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
    again.dispatch = Some(Dispatch {
        role: AgentRole::Explore,
        work: DispatchWork::Workflow(skill_path(file)),
        fan_out: FanOut::One,
        with: BTreeMap::new(),
    });
    site.package
        .children
        .insert(skill_path(file), WorkflowDef::new([again]));
    dispatching(site, file, &[]);
}
