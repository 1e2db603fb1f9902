//! From a step and what is known around it to what an agent is told.

use bugle_core::id::{RunId, VisitToken};
use bugle_core::path::SkillPath;
use bugle_core::shape::{Presence, Shape};
use bugle_core::tool::ToolPolicy;
use bugle_core::workflow::{Evidence, StepDef, StepText};
use bugle_render::template::Engine;
use bugle_render::{outline, words};
use bugle_wire::{AskView, Choice, FieldView, Position, ResourceView, ResultView, Round, StepView};
use serde_json::Value;

use crate::{AppError, Place, conventions};

/// What is known around a step.
#[derive(Debug)]
pub(crate) struct Surroundings<'a> {
    /// Where the run stands.
    pub position: Position,
    /// The visit.
    pub token: VisitToken,
    /// What templates see.
    pub context: &'a Value,
    /// Which time in a row the step is visited.
    pub iteration: u32,
    /// Facts about the run that the agent should know.
    pub notices: Vec<String>,
}

/// Reads a text of the skill.
pub(crate) type ReadText<'a> = &'a mut dyn FnMut(&SkillPath) -> Result<String, AppError>;

/// The file in which the result of a visit is handed in.
pub(crate) fn result_file(place: &Place, token: &VisitToken) -> std::path::PathBuf {
    place
        .work_folder(&token.run)
        .join(format!("{}.json", token.visit))
}

/// The file in which an answer, or the reason of a failure, is handed in.
pub(crate) fn words_file(place: &Place, token: &VisitToken) -> std::path::PathBuf {
    place.work_folder(&token.run).join(format!("{}.txt", token.visit))
}

/// A step as an agent is told it.
pub(crate) fn step_view(
    place: &Place,
    step: &StepDef,
    around: Surroundings<'_>,
    read: ReadText<'_>,
) -> Result<StepView, AppError> {
    let engine = Engine::default();
    let fill = |what: &str, source: &str| {
        engine
            .render(source, around.context)
            .map_err(|error| AppError::Text {
                what: format!("{what} of step `{}` cannot be filled in: {error}", step.id),
                hints: vec![format!(
                    "The run keeps its place. Mend the skill, then move the run to it: {}",
                    place.command(&["upgrade", around.token.run.as_str()])
                )],
            })
    };
    let action = match &step.action {
        StepText::Inline(text) => fill("the text", text)?,
        StepText::File(path) => fill("the text", &read(path)?)?,
    };
    let resources = resources(step, read)?;
    let mut evidence = Vec::new();
    for expected in &step.expect {
        let filled = match expected {
            Evidence::Artifact { pattern, existing } => Evidence::Artifact {
                pattern: fill("an artifact", pattern)?,
                existing: *existing,
            },
            command @ Evidence::Command { .. } => command.clone(),
        };
        evidence.push(words::expectation(&filled));
    }
    let token = around.token.to_string();
    let ask = match &step.ask {
        None => None,
        Some(ask) => Some(AskView {
            question: fill("the question", &ask.question)?,
            choices: ask
                .choices
                .iter()
                .map(|answer| Choice {
                    answer: answer.clone(),
                    command: place.command(&["decide", &token, answer]),
                })
                .collect(),
            file: ask
                .choices
                .is_empty()
                .then(|| words_file(place, &around.token).display().to_string()),
        }),
    };
    let command = match &step.ask {
        None => Some(place.command(&["done", &token])),
        Some(ask) if ask.choices.is_empty() => Some(place.command(&["decide", &token])),
        Some(_) => None,
    };
    let can_fail = step.ask.is_none() && step.leads_to(bugle_core::outcome::Outcome::Fail).is_some();
    let (denied_tools, allowed_tools) = match &step.tools {
        ToolPolicy::Unrestricted => (Vec::new(), Vec::new()),
        ToolPolicy::Deny(tools) => (tools.clone(), Vec::new()),
        ToolPolicy::Allow(tools) => (Vec::new(), tools.clone()),
    };
    Ok(StepView {
        title: step.title.clone(),
        phase: step.phase.clone(),
        role: step.role.to_string(),
        round: step.repeat.as_ref().map(|repeat| Round {
            number: around.iteration,
            limit: repeat.limit,
        }),
        notices: around.notices,
        action,
        resources,
        forbidden: step.forbid.clone(),
        denied_tools,
        allowed_tools,
        evidence,
        result: (!step.result.is_empty()).then(|| result_view(place, step, &around.token)),
        ask,
        command,
        failure_command: can_fail.then(|| place.command(&["done", &token, "--fail"])),
        failure_file: can_fail.then(|| words_file(place, &around.token).display().to_string()),
        position: around.position,
    })
}

/// The documents that a step needs: its resources, then its conventions.
fn resources(step: &StepDef, read: ReadText<'_>) -> Result<Vec<ResourceView>, AppError> {
    let mut resources = Vec::new();
    for path in &step.resources {
        let name = path.as_str().strip_prefix("resources/").unwrap_or(path.as_str());
        resources.push(ResourceView {
            name: name.to_owned(),
            purpose: "reference for this step".to_owned(),
            content: read(path)?.trim_end().to_owned(),
        });
    }
    for wanted in &step.conventions {
        let name = wanted.split('#').next().unwrap_or(wanted);
        let path = SkillPath::new(&format!("conventions/{name}.md"))
            .map_err(|bad| AppError::System(bad.to_string()))?;
        let missing = || AppError::System(format!("the convention {wanted} is not there"));
        resources.push(ResourceView {
            name: wanted.clone(),
            purpose: "a convention that holds for this step".to_owned(),
            content: conventions::asked_for(&read(&path)?, wanted).ok_or_else(missing)?,
        });
    }
    Ok(resources)
}

fn result_view(place: &Place, step: &StepDef, token: &VisitToken) -> ResultView {
    ResultView {
        file: result_file(place, token).display().to_string(),
        outline: outline(&Shape::Object(step.result.clone())),
        fields: step
            .result
            .iter()
            .map(|field| FieldView {
                name: field.name.to_string(),
                expected: field.shape.to_string(),
                required: field.presence == Presence::Required,
                help: field.help.clone(),
            })
            .collect(),
    }
}

/// Where a run stands.
pub(crate) fn position(state: &bugle_core::engine::RunState) -> Position {
    let current = state.current();
    Position {
        skill: state.skill.to_string(),
        run: state.id.to_string(),
        status: state.status.to_string(),
        visit: state.current_token().map(|token| token.to_string()),
        step: current.map(|visit| visit.step.to_string()),
    }
}

/// The command that goes on with a run.
pub(crate) fn go_on(place: &Place, run: &RunId) -> String {
    place.command(&["step", run.as_str()])
}
