//! Renders a run's step as the view for an agent.

use bugle_core::engine::{Escalation, returned_shape};
use bugle_core::id::{RunId, VisitToken};
use bugle_core::name::FieldName;
use bugle_core::path::SkillPath;
use bugle_core::reply::{
    AskView, Choice, FieldView, Position, ResourceView, ResultView, Round, RunNotice, StepView, TaskLabel,
};
use bugle_core::role::{AgentRole, Role};
use bugle_core::shape::{Field, Presence, Shape};
use bugle_core::tool::ToolPolicy;
use bugle_core::workflow::{Answerer, Ask, Evidence, REMOVED, StepDef, StepText};
use bugle_render::template::{Engine, TemplateError};
use bugle_render::{evidence_text, outline_with_checks};
use serde_json::Value;

use crate::delegation::Delegation;
use crate::{AppError, Context, answer_commands, conventions, work_files};

/// The run-time context of a step.
#[derive(Debug)]
pub(crate) struct StepContext<'a> {
    /// The run's position.
    pub position: Position,
    /// The visit.
    pub token: VisitToken,
    /// The step's task.
    pub task: Option<TaskLabel>,
    /// The template values.
    pub context: &'a Value,
    /// The number of consecutive visits to the step, including this one.
    pub iteration: u32,
    /// Notices about the run for the agent.
    pub notices: Vec<RunNotice>,
    /// The agent's role.
    pub role: AgentRole,
    /// The role's definition, if the skill assigns one.
    pub role_definition: Option<&'a Role>,
    /// Whether to include the role's text, which an agent gets at its first step.
    pub shows_role: bool,
    /// The parts of the view about sub-agents and reviews.
    pub delegation: Delegation,
}

/// Reads one of the skill's text files.
pub(crate) type ReadText<'a> = &'a mut dyn FnMut(&SkillPath) -> Result<String, AppError>;

/// The skill's files that a step shows. Omits files whose names depend on a template value.
pub(crate) fn files(step: &StepDef) -> Vec<SkillPath> {
    let action = match &step.action {
        StepText::File(path) => Some(path.clone()),
        StepText::Inline(_) | StepText::Literal(_) => None,
    };
    let conventions = step.conventions.iter().filter_map(|name| convention_file(name));
    let resources = step.resources.iter().cloned();
    action.into_iter().chain(resources).chain(conventions).collect()
}

/// The file of a convention or of one of its sections.
fn convention_file(wanted: &str) -> Option<SkillPath> {
    let name = wanted.split('#').next().unwrap_or(wanted);
    SkillPath::new(&format!("conventions/{name}.md")).ok()
}

/// Renders a step for an agent.
pub(crate) fn step_view(
    ctx: &Context,
    step: &StepDef,
    scope: StepContext<'_>,
    read: ReadText<'_>,
) -> Result<StepView, AppError> {
    let engine = Engine::default();
    let broken = |what: &str, error: TemplateError| AppError::Text {
        what: format!("cannot render {what} of step `{}`: {error}", step.id),
        hints: vec![format!(
            "The run stays at this step. Fix the skill, then upgrade the run: {}",
            ctx.command(&["run", "upgrade", scope.token.run.as_str()])
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
        restart,
        decision,
        is_child,
    } = scope.delegation;
    let is_brief = dispatch
        .as_ref()
        .is_some_and(|dispatch| !dispatch.led_by_workflow);
    let action = match &step.action {
        _ if decision.is_some() => "The user decides how to continue after this review.".to_owned(),
        // The text is the sub-agents' brief. Show the orchestrator only the title.
        _ if is_brief => step.title.clone(),
        StepText::Inline(text) => fill("the text", text, scope.context)?,
        StepText::File(path) => fill("the text", &read(path)?, scope.context)?,
        StepText::Literal(text) => text.clone(),
    };
    let resources = if is_brief || decision.is_some() {
        Vec::new()
    } else {
        resources(step, read, &|what, source| fill(what, source, scope.context))?
    };
    let evidence = evidence(step, scope.context, &fill, &command)?;
    let token = scope.token.to_string();
    let ask = match &step.ask {
        None => decision,
        Some(asked) => Some(question(ctx, asked, &scope.token, &|what, source| {
            fill(what, source, scope.context)
        })?),
    };
    let command = match &ask {
        None => Some(restart.unwrap_or_else(|| ctx.command(&["done", &token]))),
        Some(ask) => answer_commands::continuation(ctx, ask, &scope.token),
    };
    let can_fail =
        ask.is_none() && step.gate.is_none() && step.leads_to(bugle_core::outcome::Outcome::Fail).is_some();
    let escalations = if is_child && ask.is_none() {
        escalations(ctx, &token)
    } else {
        Vec::new()
    };
    let permitted = step.permitted(scope.role_definition);
    let programs = permitted.programs().iter();
    let allowed_programs = programs.map(|program| program.as_str().to_owned()).collect();
    let (denied_tools, allowed_tools) = tool_lists(permitted);
    Ok(StepView {
        title: step.title.clone(),
        phase: step.phase.clone(),
        role: scope.role.to_string(),
        role_brief: scope
            .role_definition
            .filter(|_| scope.shows_role)
            .map(|role| role.text.clone()),
        task: scope.task,
        round: step.repeat.as_ref().map(|repeat| Round {
            number: scope.iteration,
            limit: repeat.limit,
        }),
        verdict,
        review_loop,
        notices: scope.notices,
        action,
        resources,
        forbidden: if is_brief { Vec::new() } else { step.forbid.clone() },
        denied_tools,
        allowed_programs,
        allowed_tools,
        evidence,
        result: result_view(ctx, step, &scope.token, scope.context),
        dispatch,
        ask,
        command,
        failure_command: can_fail.then(|| ctx.command(&["done", &token, "--fail"])),
        failure_file: (can_fail || !escalations.is_empty())
            .then(|| work_files::text_file(ctx, &scope.token).display().to_string()),
        escalations,
        position: scope.position,
        interface: ctx.interface,
    })
}

/// A policy's denied and allowed tools.
fn tool_lists(policy: ToolPolicy) -> (Vec<String>, Vec<String>) {
    match policy {
        ToolPolicy::Unrestricted => (Vec::new(), Vec::new()),
        ToolPolicy::Deny(tools) | ToolPolicy::DenyExcept { tools, .. } => (tools, Vec::new()),
        ToolPolicy::Allow(tools) => (Vec::new(), tools),
    }
}

/// The commands that let a sub-agent stop without a result.
fn escalations(ctx: &Context, token: &str) -> Vec<Choice> {
    let escalate = |kind: Escalation| Choice {
        answer: kind.as_str().to_owned(),
        command: ctx.command(&["done", token, "--escalate", kind.as_str()]),
    };
    Escalation::ALL.into_iter().map(escalate).collect()
}

/// Renders a step's template. The first argument names the template in errors.
type Fill<'a> = &'a dyn Fn(&str, &str) -> Result<String, AppError>;

/// Like [`Fill`], but with values passed by the caller.
type FillWith<'a> = &'a dyn Fn(&str, &str, &Value) -> Result<String, AppError>;

/// One sentence for each piece of evidence. Uses placeholders for the fields of the result, which does not exist yet.
fn evidence(
    step: &StepDef,
    context: &Value,
    fill: FillWith<'_>,
    command: &dyn Fn(&str, &Value) -> Result<String, AppError>,
) -> Result<Vec<String>, AppError> {
    let mut values = context.clone();
    let named = |field: &Field| match field.shape {
        Shape::String(_) | Shape::Pattern(..) | Shape::Reference(_) => {
            Value::from(format!("<{}>", field.name))
        }
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
                // Render with sample values, so that a skill test finds a broken command.
                command(line, &values)?;
                Evidence::Command {
                    line: Engine::default().command_preview(line, context),
                    timeout_seconds: *timeout_seconds,
                }
            }
        };
        Ok(evidence_text::expectation(&filled))
    };
    step.expect.iter().map(sentence).collect()
}

/// A question for a person, with one command for each answer.
fn question(ctx: &Context, ask: &Ask, token: &VisitToken, fill: Fill<'_>) -> Result<AskView, AppError> {
    let is_in_person = ask.by == Answerer::Person;
    let person = is_in_person.then(|| answer_commands::in_person(ctx));
    let answers = ask.choices.iter().map(String::as_str);
    Ok(AskView {
        question: fill("the question", &ask.question)?,
        in_person: is_in_person,
        choices: answer_commands::choices(person.as_ref().unwrap_or(ctx), token, answers),
        file: ask
            .choices
            .is_empty()
            .then(|| work_files::text_file(ctx, token).display().to_string()),
        reason_file: None,
    })
}

/// A step's documents: resources first, then conventions.
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
        // If a template value names a section that does not exist, include the whole convention.
        let found = conventions::excerpt(&text, wanted).or_else(|| conventions::excerpt(&text, name));
        let missing = || AppError::System(format!("the convention {wanted} is missing"));
        resources.push(ResourceView {
            name: wanted.clone(),
            purpose: "convention for this step".to_owned(),
            content: found.ok_or_else(missing)?,
        });
    }
    Ok(resources)
}

/// Leaves out the documents that the reader was shown at the step's previous visit. A document whose name depends on a
/// value may be another one now, so it stays.
pub(crate) fn leave_out_documents(view: &mut StepView, step: &StepDef, command: String) {
    let is_same = |name: &String| {
        let resource = |path: &SkillPath| path.as_str().strip_prefix("resources/") == Some(name.as_str());
        step.conventions.contains(name) || step.resources.iter().any(resource)
    };
    let names = view.resources.iter().map(|document| document.name.clone());
    let documents: Vec<String> = names.filter(is_same).collect();
    view.resources
        .retain(|document| !documents.contains(&document.name));
    view.notices.push(RunNotice::OnlyChanges { documents, command });
}

/// The result that a step requires: its shape and its checks. `before` is the step's earlier result.
pub(crate) fn result_outline(step: &StepDef, before: Option<&Value>) -> String {
    let merged = before.map_or_else(Vec::new, |_| merge_rules(step));
    let checks = step.check.iter().map(|check| check.say.as_str());
    outline_with_checks(
        &returned_shape(step, before),
        merged.iter().map(String::as_str).chain(checks),
    )
}

/// One sentence for each list that is merged into an earlier result.
fn merge_rules(step: &StepDef) -> Vec<String> {
    let rule = |(field, key): (&FieldName, &FieldName)| {
        format!(
            "`{field}`: return only new and changed items; the others stay. To remove one: {{ \"{key}\": ..., \"{REMOVED}\": true }}"
        )
    };
    step.merge.iter().map(rule).collect()
}

/// The result that the agent must return; `None` if it returns none.
fn result_view(ctx: &Context, step: &StepDef, token: &VisitToken, context: &Value) -> Option<ResultView> {
    if step.result.is_empty() || step.dispatch.is_some() {
        return None;
    }
    let before = context["state"].get(step.id.as_str());
    let fields = match returned_shape(step, before) {
        Shape::Object(fields) => fields,
        _ => Vec::new(),
    };
    Some(ResultView {
        file: work_files::result_file(ctx, token).display().to_string(),
        outline: result_outline(step, before),
        checks: step.check.iter().map(|check| check.say.clone()).collect(),
        fields: fields
            .iter()
            .map(|field| FieldView {
                name: field.name.to_string(),
                expected: field.shape.to_string(),
                required: field.presence == Presence::Required,
                help: field.help.clone(),
            })
            .collect(),
    })
}

/// A run's position.
pub(crate) fn position(state: &bugle_core::engine::RunState) -> Position {
    let current = state.current();
    Position {
        skill: state.skill.to_string(),
        run: state.id.clone(),
        status: state.status,
        visit: state.current_token(),
        step: current.map(|visit| visit.step.to_string()),
    }
}

/// A run's current task.
pub(crate) fn task(state: &bugle_core::engine::RunState) -> Option<TaskLabel> {
    let task = state.current_task(state.current()?.number)?;
    Some(TaskLabel {
        id: task.id,
        number: task.number,
        title: task.title,
    })
}

/// The command that prints a run's current step.
pub(crate) fn step_command(ctx: &Context, run: &RunId) -> String {
    ctx.command(&["step", run.as_str()])
}
