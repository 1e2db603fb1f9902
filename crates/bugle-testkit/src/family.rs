//! A workflow that dispatches another workflow.

use std::collections::BTreeMap;

use bugle_core::path::SkillPath;
use bugle_core::shape::Presence;
use bugle_core::validate::{Package, validate};
use bugle_core::workflow::{DispatchWork, FanOut, Workflow, WorkflowDef};

use crate::spelling::skill_path;
use crate::strategy::over_tasks;

/// A workflow that works through a plan's tasks, and the workflows of some of its sub-agents, by file.
///
/// # Panics
///
/// If a workflow is invalid.
#[expect(clippy::panic, reason = "a test must fail on an invalid workflow")]
pub fn family(mut main: WorkflowDef, child: &WorkflowDef) -> (Workflow, BTreeMap<SkillPath, Workflow>) {
    let file = skill_path("agents/child.yaml");
    let needs_nothing = child.params.iter().all(|arg| arg.presence == Presence::Optional);
    if needs_nothing {
        let led = main.steps.iter_mut().filter(|step| step.gate.is_none());
        for dispatch in led.filter_map(|step| step.dispatch.as_mut()).step_by(2) {
            dispatch.work = DispatchWork::Workflow(file.clone());
            dispatch.fan_out = FanOut::One;
        }
    }
    let mut main = over_tasks(main);
    // A sub-agent's workflow accepts only its declared params, and a task is not one of them.
    for dispatch in main.steps.iter_mut().filter_map(|step| step.dispatch.as_mut()) {
        if dispatch.work != DispatchWork::Brief {
            dispatch.fan_out = FanOut::One;
        }
    }
    let package = Package {
        children: [(file.clone(), child.clone())].into(),
        ..Package::default()
    };
    let sound = |path: &SkillPath, definition| {
        let verdict = validate(path, definition, &package, &());
        verdict
            .workflow
            .unwrap_or_else(|| panic!("{:#?}", verdict.problems))
    };
    let children = [(file.clone(), sound(&file, child.clone()))].into();
    (sound(&skill_path("workflow.yaml"), main), children)
}
