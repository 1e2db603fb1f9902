//! From a step and what is known around it to what an agent is told.

use bugle_core::engine::Escalation;
use bugle_core::id::{ChildToken, RunId, VisitToken};
use bugle_core::path::SkillPath;
use bugle_core::role::{AgentRole, Role};
use bugle_core::shape::{Field, Presence, Shape};
use bugle_core::tool::ToolPolicy;
use bugle_core::workflow::{Answerer, Ask, Evidence, StepDef, StepText};
use bugle_render::template::{Engine, TemplateError};
use bugle_render::{outline_with_checks, words};
use bugle_wire::{
    AskView, Choice, FieldView, Position, ResourceView, ResultView, Round, StepView, TaskLabel,
};
use serde_json::Value;

use crate::delegation::Delegation;
use crate::{AppError, Place, conventions};

/// What is known around a step.
#[derive(Debug)]
pub(crate) struct Surroundings<'a> {
    /// Where the run stands.
    pub position: Position,
    /// The visit.
    pub token: VisitToken,
    /// The task that the step is about.
    pub task: Option<TaskLabel>,
    /// What templates see.
    pub context: &'a Value,
    /// Which time in a row the step is visited.
    pub iteration: u32,
    /// Facts about the run that the agent should know.
    pub notices: Vec<String>,
    /// Who acts.
    pub role: AgentRole,
    /// What that role asks for, if it was given out.
    pub held_to: Option<&'a Role>,
    /// Whether whoever acts begins here, and has to be told what the role asks for.
    pub begins: bool,
    /// What there is to say about sub-agents and reviews.
    pub delegation: Delegation,
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

/// The file in which the answer to a sub-agent that stopped is handed in.
pub(crate) fn answer_file(place: &Place, child: &ChildToken) -> std::path::PathBuf {
    let folder = place.work_folder(&child.parent.run);
    folder.join(format!("{}-{}.txt", child.parent.visit, child.slot))
}

/// A step as an agent is told it.
pub(crate) fn step_view(
    place: &Place,
    step: &StepDef,
    around: Surroundings<'_>,
    read: ReadText<'_>,
) -> Result<StepView, AppError> {
    let engine = Engine::default();
    let broken = |what: &str, error: TemplateError| AppError::Text {
        what: format!("{what} of step `{}` cannot be filled in: {error}", step.id),
        hints: vec![format!(
            "The run keeps its place. Fix the skill, then move the run to it: {}",
            place.command(&["upgrade", around.token.run.as_str()])
        )],
    };
    let fill = |what: &str, source: &str, values: &Value| {
        engine.render(source, values).map_err(|error| broken(what, error))
    };
    let command = |line: &str, values: &Value| {
        engine
            .command(line, values)
            .map_err(|error| broken("a command", error))
    };
    let Delegation {
        verdict,
        review_loop,
        dispatch,
        decision,
        is_child,
    } = around.delegation;
    let briefed = dispatch
        .as_ref()
        .is_some_and(|dispatch| !dispatch.led_by_workflow);
    let action = match &step.action {
        _ if decision.is_some() => "A person decides how it goes on after this review.".to_owned(),
        // The text is the brief of the sub-agents: they get it, filled in for each of them.
        _ if briefed => step.title.clone(),
        StepText::Inline(text) => fill("the text", text, around.context)?,
        StepText::File(path) => fill("the text", &read(path)?, around.context)?,
        StepText::Literal(text) => text.clone(),
    };
    let resources = if briefed || decision.is_some() {
        Vec::new()
    } else {
        resources(step, read, &|what, source| fill(what, source, around.context))?
    };
    let evidence = evidence(step, around.context, &fill, &command)?;
    let token = around.token.to_string();
    let ask = match &step.ask {
        None => decision,
        Some(asked) => Some(question(place, asked, &around.token, &|what, source| {
            fill(what, source, around.context)
        })?),
    };
    let command = match &ask {
        None => Some(place.command(&["done", &token])),
        Some(ask) if ask.choices.is_empty() => Some(place.command(&["decide", &token])),
        Some(_) => None,
    };
    let can_fail =
        ask.is_none() && step.gate.is_none() && step.leads_to(bugle_core::outcome::Outcome::Fail).is_some();
    let escalations = if is_child && ask.is_none() {
        escalations(place, &token)
    } else {
        Vec::new()
    };
    let permitted = step.permitted(around.held_to);
    let programs = permitted.programs().iter();
    let allowed_programs = programs.map(|program| program.as_str().to_owned()).collect();
    let (denied_tools, allowed_tools) = match permitted {
        ToolPolicy::Unrestricted => (Vec::new(), Vec::new()),
        ToolPolicy::Deny(tools) | ToolPolicy::DenyExcept { tools, .. } => (tools, Vec::new()),
        ToolPolicy::Allow(tools) => (Vec::new(), tools),
    };
    Ok(StepView {
        title: step.title.clone(),
        phase: step.phase.clone(),
        role: around.role.to_string(),
        role_brief: around
            .held_to
            .filter(|_| around.begins)
            .map(|role| role.text.clone()),
        task: around.task,
        round: step.repeat.as_ref().map(|repeat| Round {
            number: around.iteration,
            limit: repeat.limit,
        }),
        verdict,
        review_loop,
        notices: around.notices,
        action,
        resources,
        forbidden: if briefed { Vec::new() } else { step.forbid.clone() },
        denied_tools,
        allowed_programs,
        allowed_tools,
        evidence,
        result: (!step.result.is_empty() && step.dispatch.is_none())
            .then(|| result_view(place, step, &around.token)),
        dispatch,
        ask,
        command,
        failure_command: can_fail.then(|| place.command(&["done", &token, "--fail"])),
        failure_file: (can_fail || !escalations.is_empty())
            .then(|| words_file(place, &around.token).display().to_string()),
        escalations,
        position: around.position,
    })
}

/// The ways in which a sub-agent can stop without being done.
fn escalations(place: &Place, token: &str) -> Vec<Choice> {
    let escalate = |kind: Escalation| Choice {
        answer: kind.as_str().to_owned(),
        command: place.command(&["done", token, "--escalate", kind.as_str()]),
    };
    Escalation::ALL.into_iter().map(escalate).collect()
}

/// Fills in a text of a step; the first argument says which, so that its author can fix it.
type Fill<'a> = &'a dyn Fn(&str, &str) -> Result<String, AppError>;

/// The same, with these values.
type FillWith<'a> = &'a dyn Fn(&str, &str, &Value) -> Result<String, AppError>;

/// What Bugle will check, one sentence each. What the result will say is not known yet, so its fields stand by name.
fn evidence(
    step: &StepDef,
    context: &Value,
    fill: FillWith<'_>,
    command: &dyn Fn(&str, &Value) -> Result<String, AppError>,
) -> Result<Vec<String>, AppError> {
    let mut values = context.clone();
    let named = |field: &Field| match field.shape {
        Shape::String(_) | Shape::Pattern(..) => Value::from(format!("<{}>", field.name)),
        ref other => other.example(),
    };
    values["result"] = step
        .result
        .iter()
        .map(|field| (field.name.to_string(), named(field)))
        .collect();
    let sentence = |expected: &Evidence| {
        let filled = match expected {
            Evidence::Artifact { pattern, existing } => Evidence::Artifact {
                pattern: fill("an artifact", pattern, &values)?,
                existing: *existing,
            },
            Evidence::Plan { file } => Evidence::Plan {
                file: fill("a plan", file, &values)?,
            },
            Evidence::Command {
                line,
                timeout_seconds,
            } => {
                // Tried with examples, so that a command which can never be filled in is found when the skill is tested.
                command(line, &values)?;
                Evidence::Command {
                    line: Engine::default().command_preview(line, context),
                    timeout_seconds: *timeout_seconds,
                }
            }
        };
        Ok(words::expectation(&filled))
    };
    step.expect.iter().map(sentence).collect()
}

/// A question for a person, with the command of each answer.
fn question(place: &Place, ask: &Ask, token: &VisitToken, fill: Fill<'_>) -> Result<AskView, AppError> {
    let visit = token.to_string();
    let choice = |answer: &String| Choice {
        answer: answer.clone(),
        command: place.command(&["decide", &visit, answer]),
    };
    Ok(AskView {
        question: fill("the question", &ask.question)?,
        in_person: ask.by == Answerer::Person,
        choices: ask.choices.iter().map(choice).collect(),
        file: ask
            .choices
            .is_empty()
            .then(|| words_file(place, token).display().to_string()),
        reason_file: None,
    })
}

/// The documents that a step needs: its resources, then its conventions.
fn resources(step: &StepDef, read: ReadText<'_>, fill: Fill<'_>) -> Result<Vec<ResourceView>, AppError> {
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
        let wanted = &fill("a convention", wanted)?;
        let name = wanted.split('#').next().unwrap_or(wanted);
        let path = SkillPath::new(&format!("conventions/{name}.md"))
            .map_err(|bad| AppError::System(bad.to_string()))?;
        let text = read(&path)?;
        // A section that a value named and that does not exist: all of it is better than none.
        let found = conventions::asked_for(&text, wanted).or_else(|| conventions::asked_for(&text, name));
        let missing = || AppError::System(format!("the convention {wanted} is not there"));
        resources.push(ResourceView {
            name: wanted.clone(),
            purpose: "a convention that holds for this step".to_owned(),
            content: found.ok_or_else(missing)?,
        });
    }
    Ok(resources)
}

fn result_view(place: &Place, step: &StepDef, token: &VisitToken) -> ResultView {
    ResultView {
        file: result_file(place, token).display().to_string(),
        outline: outline_with_checks(
            &Shape::Object(step.result.clone()),
            step.check.iter().map(|check| check.say.as_str()),
        ),
        checks: step.check.iter().map(|check| check.say.clone()).collect(),
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

/// The task that a run is at work on.
pub(crate) fn task(state: &bugle_core::engine::RunState) -> Option<TaskLabel> {
    let task = state.task_at_hand(state.current()?.number)?;
    Some(TaskLabel {
        id: task.id.to_string(),
        number: task.number,
        title: task.title,
    })
}

/// The command that goes on with a run.
pub(crate) fn go_on(place: &Place, run: &RunId) -> String {
    place.command(&["step", run.as_str()])
}
