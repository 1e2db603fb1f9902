//! Previews a step of a skill with sample values, for skill authors.

use bugle_core::did_you_mean::nearest;
use bugle_core::id::{RunId, VisitNumber, VisitToken};
use bugle_core::name::StepId;
use bugle_core::path::SkillPath;
use bugle_core::shape::Presence;
use bugle_core::workflow::Workflow;
use bugle_wire::{Position, RunStatus, StepView};

use crate::catalogue::SkillSource;
use crate::delegation::{Delegation, role_of};
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
        hints: vec!["Only a skill with a workflow.yaml can run.".to_owned()],
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
                    "A sub-agent workflow has this step: use {}.",
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
    let step_context = StepContext {
        position: Position {
            skill: package.found.address.clone(),
            run: token.run.to_string(),
            status: RunStatus::Active,
            visit: Some(token.to_string()),
            step: Some(step.id.to_string()),
        },
        token,
        task: None,
        context: &example,
        iteration: 1,
        notices: vec!["This is a preview with sample values. No run was started.".to_owned()],
        role,
        role_definition: package.roles.get(&role).filter(|_| is_assigned),
        shows_role: false,
        delegation: Delegation::default(),
    };
    view::step_view(ctx, step, step_context, &mut |path| text_of(package, path)).map_err(
        |error| match error {
            // The hints are about a run, and a preview has none.
            AppError::Text { what, .. } => AppError::Text {
                what,
                hints: Vec::new(),
            },
            other => other,
        },
    )
}

/// The options that choose the sub-agents' workflows with this step.
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
        .ok_or_else(|| AppError::System(format!("the text {path} is missing")))
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
