//! `bugle task`

use bugle_app::{AddRequest, App, AppError, Destination, Exit, Extent, Neighbour, TaskScope, task_id};
use bugle_core::name::{AgentName, SkillAddress};
use bugle_core::role::AgentRole;
use bugle_core::task::TaskCommand as Asked;
use bugle_render::task as text;
use bugle_wire::TasksChanged;

use super::run::local_time;
use crate::arguments_task::{
    AddArguments, BesideArguments, EditArguments, ForAgentArguments, MoveArguments, StartTaskArguments,
    TaskCommand,
};
use crate::output::Output;

pub(crate) fn task(app: &mut App, command: TaskCommand, output: &Output) -> Result<Exit, AppError> {
    let answer = match command {
        TaskCommand::Add(arguments) => add(app, arguments)?,
        TaskCommand::List(arguments) => {
            let scope = TaskScope::parse(arguments.within.as_deref())?;
            let tree = if arguments.removed {
                app.removed_tasks(arguments.limit)?
            } else {
                app.task_tree(&scope, arguments.all, arguments.limit)?
            };
            output.answer(&tree, || text::tree(&tree))?;
            return Ok(Exit::Done);
        }
        TaskCommand::Show(arguments) => {
            let extent = if arguments.full {
                Extent::Full
            } else {
                Extent::Brief
            };
            return show(app, &arguments.task, extent, None, output);
        }
        TaskCommand::Start(arguments) => return start(app, &arguments, output),
        TaskCommand::Done(arguments) => {
            let note = arguments.note.map(Asked::Note);
            let asked: Vec<Asked> = note.into_iter().chain([Asked::Done]).collect();
            app.change_task_by(&task_id(&arguments.task)?, &asked)?
        }
        TaskCommand::Skip(arguments) => {
            let reason = arguments.why;
            app.change_task(&task_id(&arguments.task)?, &Asked::Skip { reason })?
        }
        TaskCommand::Fail(arguments) => {
            let reason = arguments.why;
            app.change_task(&task_id(&arguments.task)?, &Asked::Fail { reason })?
        }
        TaskCommand::Block(arguments) => {
            let reason = arguments.why;
            app.change_task(&task_id(&arguments.task)?, &Asked::Block { reason })?
        }
        TaskCommand::Reopen(arguments) => app.change_task(&task_id(&arguments.task)?, &Asked::Reopen)?,
        TaskCommand::Note(arguments) => {
            app.change_task(&task_id(&arguments.task)?, &Asked::Note(arguments.text))?
        }
        TaskCommand::Edit(arguments) => edit(app, arguments)?,
        TaskCommand::Move(arguments) => move_to(app, arguments)?,
        TaskCommand::Depend(arguments) => {
            let on: Vec<_> = arguments
                .on
                .iter()
                .map(|on| task_id(on))
                .collect::<Result<_, _>>()?;
            app.depend_task(&task_id(&arguments.task)?, &on, arguments.no_more)?
        }
        TaskCommand::Assign(arguments) => {
            let agent = arguments.agent.map(agent).transpose()?;
            app.change_task(&task_id(&arguments.task)?, &Asked::Assign(agent))?
        }
        TaskCommand::Rm(arguments) => app.change_task(&task_id(&arguments.task)?, &Asked::Remove)?,
        TaskCommand::Next(arguments) => {
            let scope = TaskScope::parse(arguments.scope.within.as_deref())?;
            let next = app.next_task(&scope, arguments.agent.map(agent).transpose()?.as_ref())?;
            output.answer(&next, || text::next(&next))?;
            return Ok(Exit::Done);
        }
        TaskCommand::Ready(arguments) => {
            let scope = TaskScope::parse(arguments.scope.within.as_deref())?;
            let ready = app.ready_tasks(&scope, arguments.limit)?;
            output.answer(&ready, || text::ready(&ready))?;
            return Ok(Exit::Done);
        }
        TaskCommand::Claim(arguments) => return claim(app, arguments, output),
        TaskCommand::Skill(arguments) => {
            let role = arguments.role.as_deref().map(role).transpose()?;
            if arguments.text {
                Output::text(&app.task_skill_text(&task_id(&arguments.task)?, role)?)?;
                return Ok(Exit::Done);
            }
            let choice = app.task_skill(&task_id(&arguments.task)?, role)?;
            output.answer(&choice, || text::skill(&choice))?;
            return Ok(Exit::Done);
        }
    };
    output.answer(&answer, || text::changed(&answer))?;
    Ok(Exit::Done)
}

fn show(
    app: &mut App,
    task: &str,
    extent: Extent,
    agent: Option<&AgentName>,
    output: &Output,
) -> Result<Exit, AppError> {
    let detail = app.show_task(&task_id(task)?, extent, agent)?;
    output.answer(&detail, || text::detail(&detail, &local_time))?;
    Ok(Exit::Done)
}

fn start(app: &mut App, arguments: &StartTaskArguments, output: &Output) -> Result<Exit, AppError> {
    let agent = arguments.agent.clone().map(agent).transpose()?;
    let command = Asked::Start {
        agent: agent.clone(),
        run: None,
        take_over: arguments.take_over,
    };
    app.change_task(&task_id(&arguments.task)?, &command)?;
    show(app, &arguments.task, Extent::Work, agent.as_ref(), output)
}

fn claim(app: &mut App, arguments: ForAgentArguments, output: &Output) -> Result<Exit, AppError> {
    let scope = TaskScope::parse(arguments.scope.within.as_deref())?;
    let agent = arguments.agent.map(agent).transpose()?;
    match app.claim_task(&scope, agent.as_ref())? {
        Some(task) => show(app, task.as_str(), Extent::Work, agent.as_ref(), output),
        None => Err(app.nothing_to_claim(&scope, agent.as_ref())?),
    }
}

fn add(app: &mut App, arguments: AddArguments) -> Result<TasksChanged, AppError> {
    let waits_for: Vec<_> = arguments
        .waits_for
        .iter()
        .map(|on| task_id(on))
        .collect::<Result<_, _>>()?;
    app.add_tasks(&AddRequest {
        titles: arguments.titles,
        under: arguments.under.as_deref().map(task_id).transpose()?,
        neighbour: neighbour(&arguments.beside)?,
        skill: arguments.skill.map(skill).transpose()?,
        agent: arguments.agent.map(agent).transpose()?,
        waits_for,
        note: arguments.note,
    })
}

fn neighbour(beside: &BesideArguments) -> Result<Option<Neighbour>, AppError> {
    if beside.first {
        return Ok(Some(Neighbour::First));
    }
    if let Some(other) = &beside.before {
        return Ok(Some(Neighbour::Before(task_id(other)?)));
    }
    let after = beside.after.as_deref().map(task_id).transpose()?;
    Ok(after.map(Neighbour::After))
}

fn edit(app: &mut App, arguments: EditArguments) -> Result<TasksChanged, AppError> {
    let id = task_id(&arguments.task)?;
    let mut commands = Vec::new();
    if let Some(title) = arguments.choices.title {
        commands.push(Asked::Retitle(title));
    }
    if let Some(named) = arguments.choices.skill {
        commands.push(Asked::NameSkill(Some(skill(named)?)));
    }
    if arguments.choices.no_skill {
        commands.push(Asked::NameSkill(None));
    }
    app.change_task_by(&id, &commands)
}

fn move_to(app: &mut App, arguments: MoveArguments) -> Result<TasksChanged, AppError> {
    let to = arguments.to;
    let destination = if let Some(under) = to.under {
        let under = task_id(&under)?;
        if to.first {
            Destination::FirstUnder(under)
        } else {
            Destination::Under(under)
        }
    } else if let Some(other) = to.before {
        Destination::Beside(Neighbour::Before(task_id(&other)?))
    } else if let Some(other) = to.after {
        Destination::Beside(Neighbour::After(task_id(&other)?))
    } else if to.first {
        Destination::Beside(Neighbour::First)
    } else {
        Destination::Top
    };
    app.move_task(&task_id(&arguments.task)?, &destination)
}

fn agent(name: String) -> Result<AgentName, AppError> {
    AgentName::new(name).map_err(|bad| bad_name(&bad))
}

fn skill(name: String) -> Result<SkillAddress, AppError> {
    SkillAddress::new(name).map_err(|bad| bad_name(&bad))
}

fn bad_name(bad: &bugle_core::name::BadName) -> AppError {
    AppError::Usage {
        what: bad.to_string(),
        hints: Vec::new(),
    }
}

pub(super) fn role(name: &str) -> Result<AgentRole, AppError> {
    AgentRole::ALL
        .into_iter()
        .find(|role| role.as_str() == name)
        .ok_or_else(|| AppError::Usage {
            what: format!("there is no role `{name}`"),
            hints: vec!["`bugle role list` shows the roles.".to_owned()],
        })
}
