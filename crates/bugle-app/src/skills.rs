//! Skill use cases: list, show, check, trust.

use bugle_core::outcome::Outcome;
use bugle_core::reply::{
    CheckReport, CheckedSkill, ParamView, ProblemSeverity, SkillDetail, SkillEntry, SkillList, StepCheck,
    StepSummary, WayView,
};
use bugle_core::rights::Action;
use bugle_core::shape::Presence;
use bugle_core::workflow::{Evidence, Workflow};
use bugle_render::template::Engine;
use bugle_store::Store;

use crate::catalogue::{self, Found};
use crate::skill_check::{CheckedPackage, check_found};
use crate::{AppError, Context, permissions, pinning, preview};

/// Reads and checks a skill, by name or by path.
pub fn read_skill(ctx: &Context, wanted: &str) -> Result<CheckedPackage, AppError> {
    let is_path = wanted.contains(['/', '\\', '.']);
    let at_path = || catalogue::at_path(&ctx.directory.join(wanted));
    let found = if is_path {
        at_path().ok_or_else(|| AppError::NotFound {
            what: format!("there is no skill at `{wanted}`"),
            hints: vec![format!("`{}` lists the skills.", ctx.command(&["skill", "list"]))],
        })
    } else {
        catalogue::resolve(ctx, wanted).or_else(|error| at_path().ok_or(error))
    };
    Ok(check_found(ctx, found?))
}

/// Checks one skill, or all skills with a workflow. Without a store, no skill of a project is trusted.
pub fn check_skills(
    mut store: Option<&mut Store>,
    ctx: &Context,
    wanted: Option<&str>,
    colour: bool,
) -> Result<CheckReport, AppError> {
    let packages: Vec<CheckedPackage> = match wanted {
        Some(wanted) => vec![read_skill(ctx, wanted)?],
        None => catalogue::all(ctx)
            .into_iter()
            .map(|(found, _)| check_found(ctx, found))
            // Prose skills written for other clients are not checked.
            .filter(|package| has_workflow(package) || package.found.path.is_none())
            .collect(),
    };
    let mut skills = Vec::new();
    for package in &packages {
        let needs_trust = package.is_sound() && !is_trusted(store.as_deref_mut(), package)?;
        skills.push(CheckedSkill {
            name: package.found.address.clone(),
            path: package.found.path.as_ref().map(|path| path.display().to_string()),
            problems: package.problem_views(colour),
            trust: needs_trust.then(|| ctx.command(&["trust", &package.found.address])),
        });
    }
    let count = |severity: ProblemSeverity| {
        skills
            .iter()
            .flat_map(|skill| &skill.problems)
            .filter(|problem| problem.severity == severity)
            .count()
    };
    Ok(CheckReport {
        errors: count(ProblemSeverity::Error),
        warnings: count(ProblemSeverity::Warning),
        skills,
    })
}

/// Whether a skill has a workflow file, even an invalid one.
fn has_workflow(package: &CheckedPackage) -> bool {
    package.files.keys().any(|path| path.as_str() == "workflow.yaml")
}

/// The commands that the evidence of a skill and its sub-agents runs, without duplicates. Unknown values are shown by
/// name.
pub(crate) fn commands_of(
    package: &CheckedPackage,
    workflow: &Workflow,
    values: &serde_json::Value,
) -> Vec<String> {
    let engine = Engine::default();
    let workflows = std::iter::once(workflow).chain(package.children.values());
    let mut commands = Vec::new();
    for evidence in workflows.flat_map(Workflow::steps).flat_map(|step| &step.expect) {
        if let Evidence::Command { line, .. } = evidence {
            let shown = engine.command_preview(line, values);
            if !commands.contains(&shown) {
                commands.push(shown);
            }
        }
    }
    commands
}

/// All skills that this project can use.
pub fn skills(store: &mut Store, ctx: &Context) -> Result<SkillList, AppError> {
    let mut skills = Vec::new();
    for (found, hidden) in catalogue::all(ctx) {
        let package = check_found(ctx, found);
        let mut entry = entry(store, &package)?;
        entry.shadows = hidden.iter().map(Found::describe).collect();
        skills.push(entry);
    }
    Ok(SkillList { skills })
}

fn entry(store: &mut Store, package: &CheckedPackage) -> Result<SkillEntry, AppError> {
    let trusted = is_trusted(Some(store), package)?;
    let has_workflow = has_workflow(package);
    // A skill without a workflow is usable if its front matter can be read, so omit its other problems.
    let problem = package
        .problems
        .iter()
        .find(|problem| problem.is_error())
        .filter(|_| has_workflow || package.manifest.is_none());
    Ok(SkillEntry {
        name: package.found.address.clone(),
        description: package
            .manifest
            .as_ref()
            .map(|manifest| manifest.description.clone())
            .unwrap_or_default(),
        source: package.found.source.as_str().to_owned(),
        path: package.found.path.as_ref().map(|path| path.display().to_string()),
        has_workflow,
        trusted,
        shadows: Vec::new(),
        problem: problem.map(|problem| problem.message.clone()),
    })
}

/// Whether a skill's commands may run. A skill without commands needs no trust.
fn is_trusted(store: Option<&mut Store>, package: &CheckedPackage) -> Result<bool, AppError> {
    let definitions = package.definition.iter();
    let steps = definitions.flat_map(|definition| &definition.steps);
    let is_command = |evidence: &Evidence| matches!(evidence, Evidence::Command { .. });
    let runs_commands = steps.flat_map(|step| &step.expect).any(is_command);
    if !runs_commands || package.found.source.is_trusted() {
        return Ok(true);
    }
    match store {
        Some(store) => Ok(store.is_trusted(&pinning::version(package))?),
        None => Ok(false),
    }
}

/// A skill's details.
pub fn skill(store: &mut Store, ctx: &Context, wanted: &str) -> Result<SkillDetail, AppError> {
    let package = read_skill(ctx, wanted)?;
    let mut entry = entry(store, &package)?;
    let hidden = catalogue::all(ctx)
        .into_iter()
        .find(|(found, _)| *found == package.found);
    entry.shadows = hidden
        .map(|(_, hidden)| hidden.iter().map(Found::describe).collect())
        .unwrap_or_default();
    let definition = package.definition.as_ref();
    let params: Vec<ParamView> = definition
        .map(|definition| definition.params.as_slice())
        .unwrap_or_default()
        .iter()
        .map(|arg| ParamView {
            name: arg.name.to_string(),
            expected: arg.shape.to_string(),
            required: arg.presence == Presence::Required,
            default: arg.default.as_ref().map(ToString::to_string),
            help: arg.help.clone(),
        })
        .collect();
    let steps = definition
        .map(|definition| definition.steps.as_slice())
        .unwrap_or_default();
    let command = package
        .workflow
        .as_ref()
        .map(|workflow| preview::start_command(ctx, &package.found.address, workflow.params()));
    Ok(SkillDetail {
        entry,
        hash: pinning::version(&package).to_string(),
        license: package
            .manifest
            .as_ref()
            .and_then(|manifest| manifest.license.clone()),
        params,
        steps: steps
            .iter()
            .map(|step| StepSummary {
                id: step.id.to_string(),
                title: step.title.clone(),
                phase: step.phase.clone(),
                ways: step
                    .possible_outcomes()
                    .into_iter()
                    .filter_map(|outcome: Outcome| {
                        let to = step.leads_to(outcome)?.to_string();
                        Some(WayView { outcome, to })
                    })
                    .collect(),
                asks_user: step.ask.is_some(),
                checks: step
                    .check
                    .iter()
                    .map(|check| StepCheck {
                        say: check.say.clone(),
                        that: check.that.to_string(),
                    })
                    .collect(),
            })
            .collect(),
        body: package.body.clone(),
        command,
    })
}

/// Trusts a skill's current version, so that its commands may run. For the user only.
pub fn trust(store: &mut Store, ctx: &Context, wanted: &str) -> Result<(String, Vec<String>), AppError> {
    let actor = permissions::permit(store, ctx, Action::Trust, &["trust", wanted])?;
    let package = read_skill(ctx, wanted)?;
    let workflow = crate::preview::sound_workflow(&package, ctx)?;
    let commands = commands_of(&package, workflow, &serde_json::json!({}));
    store.trust(
        &pinning::version(&package),
        package.found.name(),
        &actor,
        ctx.now(),
    )?;
    Ok((package.found.address, commands))
}
