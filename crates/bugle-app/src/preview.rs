//! For authors: a step as an agent will see it, and a walk along every path.

use bugle_core::engine::{context, walk};
use bugle_core::id::{RunId, VisitNumber, VisitToken};
use bugle_core::name::{SkillAddress, StepId};
use bugle_core::shape::{Presence, Shape};
use bugle_core::validate::nearest;
use bugle_core::workflow::{StepDef, Workflow, WorkflowDef};
use bugle_wire::{Position, StepView, TestReport};
use serde_json::{Map, Value, json};

use crate::checked::CheckedPackage;
use crate::view::{self, Surroundings};
use crate::{AppError, Place};

/// What a step might see: an example for every param and every result.
pub(crate) fn example_context(definition: &WorkflowDef, step: &StepDef) -> Value {
    let params: Map<String, Value> = definition
        .params
        .iter()
        .map(|arg| {
            (
                arg.name.to_string(),
                arg.default.clone().unwrap_or_else(|| arg.shape.example()),
            )
        })
        .collect();
    let state: Map<String, Value> = definition
        .steps
        .iter()
        .map(|step| {
            let result = match &step.ask {
                Some(ask) => json!({ "answer": ask.choices.first().map_or("an answer", String::as_str) }),
                None => Shape::Object(step.result.clone()).example(),
            };
            (step.id.to_string(), result)
        })
        .collect();
    json!({
        "params": params,
        "state": state,
        "visit": { "number": 1, "iteration": 1, "step": step.id },
        "run": { "id": "r-xample", "skill": "example" },
    })
}

fn unsound(package: &CheckedPackage, place: &Place) -> AppError {
    let target = package.found.path.as_ref().map_or_else(
        || package.found.address.clone(),
        |path| path.display().to_string(),
    );
    AppError::Unsound {
        name: package.found.address.clone(),
        errors: package
            .problems
            .iter()
            .filter(|problem| problem.is_error())
            .count(),
        hint: format!("`{}` shows them.", place.command(&["skill", "check", &target])),
    }
}

/// The workflow of a sound skill.
pub(crate) fn sound_workflow<'a>(
    package: &'a CheckedPackage,
    place: &Place,
) -> Result<&'a Workflow, AppError> {
    if !package.is_sound() {
        return Err(unsound(package, place));
    }
    package.workflow.as_ref().ok_or_else(|| AppError::Usage {
        what: format!(
            "the skill `{}` has no workflow: it is prose",
            package.found.address
        ),
        hints: vec!["Only a skill with a workflow.yaml can be run.".to_owned()],
    })
}

/// The workflow of a sound skill that this version can run: one without gates and sub-agents.
pub(crate) fn runnable_workflow<'a>(
    package: &'a CheckedPackage,
    place: &Place,
) -> Result<&'a Workflow, AppError> {
    let workflow = sound_workflow(package, place)?;
    match workflow
        .steps()
        .iter()
        .find(|step| step.dispatch.is_some() || step.gate.is_some())
    {
        None => Ok(workflow),
        Some(step) => Err(AppError::Usage {
            what: format!(
                "the skill `{}` calls for sub-agents in step `{}`",
                package.found.address, step.id
            ),
            hints: vec![
                "This version of Bugle checks and draws such a skill, but does not run it.".to_owned(),
            ],
        }),
    }
}

/// A step with made-up values, without a run.
pub fn preview(place: &Place, package: &CheckedPackage, wanted: Option<&str>) -> Result<StepView, AppError> {
    let workflow = sound_workflow(package, place)?;
    let ids = || workflow.steps().iter().map(|step| step.id.as_str());
    let step = match wanted {
        None => workflow.entry(),
        Some(id) => StepId::new(id).ok().and_then(|id| workflow.step(&id)),
    };
    let step = step.ok_or_else(|| {
        let wanted = wanted.unwrap_or_default();
        let hint = match nearest(wanted, ids()) {
            Some(meant) => format!("Did you mean `{meant}`?"),
            None => format!("Its steps are {}.", ids().collect::<Vec<_>>().join(", ")),
        };
        AppError::NotFound {
            what: format!("the skill `{}` has no step `{wanted}`", package.found.address),
            hints: vec![hint],
        }
    })?;
    let example = example_context(workflow.definition(), step);
    let run = RunId::parse("r-xample").map_err(|bad| AppError::System(bad.to_string()))?;
    let token = VisitToken {
        run,
        visit: VisitNumber(1),
    };
    let around = Surroundings {
        position: Position {
            skill: package.found.address.clone(),
            run: token.run.to_string(),
            status: "active".to_owned(),
            visit: Some(token.to_string()),
            step: Some(step.id.to_string()),
        },
        token,
        context: &example,
        iteration: 1,
        notices: vec!["This is a preview with made-up values; there is no such run.".to_owned()],
    };
    view::step_view(place, step, around, &mut |path| text_of(package, path))
}

fn text_of(package: &CheckedPackage, path: &bugle_core::path::SkillPath) -> Result<String, AppError> {
    package
        .package
        .texts
        .get(path)
        .cloned()
        .ok_or_else(|| AppError::System(format!("the text {path} is not there")))
}

/// Walks every path of a skill with made-up results, and renders each step in every form it can be met in.
pub fn test_skill(place: &Place, package: &CheckedPackage) -> Result<TestReport, AppError> {
    let workflow = runnable_workflow(package, place)?;
    let name =
        SkillAddress::new(package.found.address.as_str()).map_err(|bad| AppError::System(bad.to_string()))?;
    let mut failures: Vec<String> = Vec::new();
    let mut longest = 0;
    let report = walk(&name, workflow, |state| {
        let (Some(visit), Some(token)) = (state.current(), state.current_token()) else {
            return;
        };
        let Some(step) = workflow.step(&visit.step) else {
            return;
        };
        let values = context(state, visit.number).for_templates();
        let around = Surroundings {
            position: view::position(state),
            iteration: state.iteration(visit.number),
            token,
            context: &values,
            notices: Vec::new(),
        };
        match view::step_view(place, step, around, &mut |path| text_of(package, path)) {
            Ok(view) => {
                let resources: usize = view
                    .resources
                    .iter()
                    .map(|resource| resource.content.chars().count())
                    .sum();
                longest = longest.max(view.action.chars().count() + resources);
            }
            Err(error) => {
                let failure = error.to_string();
                if !failures.contains(&failure) {
                    failures.push(failure);
                }
            }
        }
    });
    if report.endings == 0 {
        failures.push("no walk came to an end".to_owned());
    }
    let way = |(step, outcome): &(StepId, bugle_core::outcome::Outcome)| format!("{step} {outcome}");
    Ok(TestReport {
        name: package.found.address.clone(),
        situations: report.situations,
        endings: report.endings,
        cut: report.cut,
        taken: report.taken.iter().map(way).collect(),
        missed: report.missed.iter().map(way).collect(),
        longest,
        failures,
    })
}

/// What a skill takes, a line for each param.
pub(crate) fn param_lines(workflow: &Workflow) -> Vec<String> {
    workflow
        .params()
        .iter()
        .map(|arg| {
            let need = match (&arg.default, arg.presence) {
                (Some(default), _) => format!(", default {default}"),
                (None, Presence::Required) => ", required".to_owned(),
                (None, Presence::Optional) => String::new(),
            };
            let help = arg
                .help
                .as_ref()
                .map(|help| format!(": {help}"))
                .unwrap_or_default();
            format!("{}: {}{need}{help}", arg.name, arg.shape)
        })
        .collect()
}
