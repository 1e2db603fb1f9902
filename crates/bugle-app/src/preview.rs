//! Previews a step of a skill with sample values, for skill authors.

use bugle_core::did_you_mean::nearest;
use bugle_core::engine::{ChildState, RunStatus};
use bugle_core::id::{ChildToken, RunId, VisitNumber, VisitToken};
use bugle_core::name::StepId;
use bugle_core::path::SkillPath;
use bugle_core::reply::{
    ChildView, DispatchView, Position, ReviewLoopView, RunNotice, StepView, VariableView,
};
use bugle_core::shape::Presence;
use bugle_core::workflow::{Arg, DispatchWork, StepDef, Workflow};
use serde_json::Value;

use crate::catalogue::SkillSource;
use crate::delegation::{Delegation, blocking, param_text, role_of};
use crate::skill_check::CheckedPackage;
use crate::view::{self, StepContext};
use crate::{AppError, Context, sample_values};

fn unsound(package: &CheckedPackage, ctx: &Context) -> AppError {
    let found = &package.found;
    let root = ctx.root.to_string_lossy();
    let command = match &found.path {
        // Check a project's skill inside the project, because the skill may use the project's conventions and roles.
        Some(_) if found.source == SkillSource::Project => {
            ctx.command(&["-C", &root, "skill", "check", &found.address])
        }
        Some(path) => ctx.command(&["skill", "check", &path.to_string_lossy()]),
        None => ctx.command(&["skill", "check", &found.address]),
    };
    AppError::Unsound {
        name: found.address.clone(),
        errors: package
            .problems
            .iter()
            .filter(|problem| problem.is_error())
            .count(),
        hint: format!("`{command}` lists the errors."),
    }
}

/// The workflow of a valid skill.
pub(crate) fn sound_workflow<'a>(
    package: &'a CheckedPackage,
    ctx: &Context,
) -> Result<&'a Workflow, AppError> {
    if !package.is_sound() {
        return Err(unsound(package, ctx));
    }
    package.workflow.as_ref().ok_or_else(|| AppError::Usage {
        what: format!("the skill `{}` has no workflow", package.found.address),
        hints: vec![format!(
            "The skill has no steps. Read and follow it: {}",
            ctx.command(&["skill", "show", &package.found.address])
        )],
    })
}

/// Previews a step with sample values, without a run.
pub fn preview(
    ctx: &Context,
    package: &CheckedPackage,
    child: Option<&str>,
    wanted: Option<&str>,
) -> Result<StepView, AppError> {
    let main = sound_workflow(package, ctx)?;
    let workflow = match child {
        None => main,
        Some(file) => {
            let found = package.children.iter().find(|(path, _)| path.as_str() == file);
            let names: Vec<&str> = package.children.keys().map(SkillPath::as_str).collect();
            found
                .map(|(_, workflow)| workflow)
                .ok_or_else(|| AppError::NotFound {
                    what: format!(
                        "the skill `{}` has no sub-agent workflow `{file}`",
                        package.found.address
                    ),
                    hints: vec![format!("Available: {}.", names.join(", "))],
                })?
        }
    };
    let ids = || workflow.steps().iter().map(|step| step.id.as_str());
    let step = match wanted {
        None => workflow.entry(),
        Some(id) => StepId::new(id).ok().and_then(|id| workflow.step(&id)),
    };
    let step = step.ok_or_else(|| {
        let wanted = wanted.unwrap_or_default();
        let in_children = child_options(package, wanted);
        let hint = match nearest(wanted, ids()) {
            _ if !in_children.is_empty() => {
                format!(
                    "The step is in a sub-agent workflow: use {}.",
                    in_children.join(" or ")
                )
            }
            Some(near) => format!("Did you mean `{near}`?"),
            None => format!("The skill's steps: {}.", ids().collect::<Vec<_>>().join(", ")),
        };
        AppError::NotFound {
            what: format!("the skill `{}` has no step `{wanted}`", package.found.address),
            hints: vec![hint],
        }
    })?;
    let example = sample_values::context(workflow.definition(), step, &package.package.children);
    let (role, is_assigned) = role_of(None, step);
    let run = RunId::parse("r-xample").map_err(|bad| AppError::System(bad.to_string()))?;
    let token = VisitToken {
        run,
        visit: VisitNumber(1),
    };
    let sample_token = token.clone();
    let step_context = StepContext {
        position: Position {
            skill: package.found.address.clone(),
            run: token.run.clone(),
            status: RunStatus::Active,
            visit: Some(token.clone()),
            step: Some(step.id.to_string()),
        },
        token,
        task: None,
        context: &example,
        iteration: 1,
        notices: vec![RunNotice::Preview],
        role,
        role_definition: package.roles.get(&role).filter(|_| is_assigned),
        shows_role: false,
        delegation: sample_delegation(ctx, package, step, &sample_token, &example),
    };
    view::step_view(ctx, step, step_context, &mut |path| text_of(package, path)).map_err(
        |error| match error {
            // The hints are about a run, and a preview has no run.
            AppError::Text { what, .. } => AppError::Text {
                what,
                hints: Vec::new(),
            },
            other => other,
        },
    )
}

/// The parts about reviews and sub-agents that a run would show at the first visit, with one sample sub-agent.
fn sample_delegation(
    ctx: &Context,
    package: &CheckedPackage,
    step: &StepDef,
    token: &VisitToken,
    example: &Value,
) -> Delegation {
    let review_loop = step.gate.as_ref().map(|gate| ReviewLoopView::Gate {
        gate: gate.name.clone(),
        iteration: 1,
        limit: gate.limit,
        blocking: blocking(1, gate),
    });
    let dispatch = step.dispatch.as_ref().map(|dispatch| {
        let child = ChildToken {
            parent: token.clone(),
            slot: 1,
        };
        let role = package.roles.get(&dispatch.role);
        let params = example["child"].as_object().into_iter().flatten();
        DispatchView {
            role: dispatch.role.to_string(),
            model: dispatch
                .model
                .or_else(|| role?.model)
                .map(|size| size.as_str().to_owned()),
            led_by_workflow: matches!(dispatch.work, DispatchWork::Workflow(_)),
            children: vec![ChildView {
                slot: child.slot,
                command: ctx.command(&["start", "--child", &child.to_string()]),
                context: params
                    .map(|(name, value)| VariableView {
                        name: name.clone(),
                        value: param_text(value),
                    })
                    .collect(),
                run: None,
                state: ChildState::NotStarted,
                outdated: false,
                reported: false,
                retry: None,
            }],
            needed: 1,
            reported: 0,
            asking: 0,
            unanswered: None,
        }
    });
    Delegation {
        review_loop,
        dispatch,
        ..Delegation::default()
    }
}

/// The `--child` options for the sub-agents' workflows that have this step.
fn child_options(package: &CheckedPackage, step: &str) -> Vec<String> {
    let has_step = |workflow: &Workflow| workflow.steps().iter().any(|found| found.id.as_str() == step);
    let children = package.children.iter().filter(|(_, child)| has_step(child));
    children.map(|(file, _)| format!("`--child {file}`")).collect()
}

pub(crate) fn text_of(package: &CheckedPackage, path: &SkillPath) -> Result<String, AppError> {
    package
        .package
        .texts
        .get(path)
        .cloned()
        .ok_or_else(|| AppError::System(format!("the text file {path} is missing")))
}

/// The command that starts a skill, with a placeholder for each required param.
pub(crate) fn start_command(ctx: &Context, address: &str, params: &[Arg]) -> String {
    let required = params.iter().filter(|param| param.presence == Presence::Required);
    let given: Vec<String> = required.map(|param| format!("{}=...", param.name)).collect();
    let words = ["start", address]
        .into_iter()
        .chain(given.iter().map(String::as_str));
    ctx.command(&words.collect::<Vec<_>>())
}

/// One line for each param of a skill.
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
