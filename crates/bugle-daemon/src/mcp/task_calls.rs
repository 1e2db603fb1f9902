//! Executes the calls of task tools.

use bugle_app::{AddRequest, App, AppError, Extent, TaskScope, tasks};
use bugle_core::name::AgentName;
use bugle_core::task::TaskCommand;
use bugle_render::task;

use super::ServerOptions;
use super::arguments::{Action, ListTasks, Listing, UpdateTask, task_id, usage};
use super::call_result::CallResult;

/// Maximum number of tasks shown, as on the command line.
const MAX_TASKS: u32 = 300;
const MAX_READY: u32 = 50;

pub(super) fn list_tasks(
    asked: &ListTasks,
    open: impl Fn() -> Result<App, AppError>,
    options: &ServerOptions,
) -> Result<CallResult, AppError> {
    let within = asked.within.as_deref();
    let listing = asked.show.unwrap_or(Listing::Open);
    if listing == Listing::Details {
        let id = within.ok_or_else(|| usage("`details` needs a task: pass its id as `within`".to_owned()))?;
        return details(&mut open()?, id, Extent::Full, None, options);
    }
    let scope = TaskScope::parse(within)?;
    let mut app = open()?;
    let (shown, words) = match listing {
        Listing::Next => (
            task::next(&tasks::next_task(&mut app.store, &app.context, &scope, None)?),
            vec!["next"],
        ),
        Listing::Ready => (
            task::ready(
                &tasks::ready_tasks(&mut app.store, &app.context, &scope, MAX_READY)?,
                app.context.interface,
            ),
            vec!["ready"],
        ),
        Listing::All => (
            task::tree(
                &tasks::task_tree(&mut app.store, &app.context, &scope, true, MAX_TASKS)?,
                app.context.interface,
            ),
            vec!["list", "--all"],
        ),
        Listing::Open | Listing::Details => (
            task::tree(
                &tasks::task_tree(&mut app.store, &app.context, &scope, false, MAX_TASKS)?,
                app.context.interface,
            ),
            vec!["list"],
        ),
    };
    let words: Vec<&str> = ["task"].into_iter().chain(words).chain(within).collect();
    Ok(CallResult::new(shown, &app.context.shell_command(&words)))
}

fn details(
    app: &mut App,
    task: &str,
    extent: Extent,
    agent: Option<&AgentName>,
    options: &ServerOptions,
) -> Result<CallResult, AppError> {
    let detail = tasks::show_task(&mut app.store, &app.context, &task_id(task)?, extent, agent)?;
    let rest = app.context.shell_command(&["task", "show", task, "--full"]);
    Ok(CallResult::new(
        task::detail(&detail, app.context.interface, &options.clock),
        &rest,
    ))
}

pub(super) fn update_task(
    asked: UpdateTask,
    open: impl Fn() -> Result<App, AppError>,
    options: &ServerOptions,
) -> Result<CallResult, AppError> {
    let UpdateTask {
        action,
        task: named,
        text,
        agent,
    } = asked;
    let agent = agent
        .map(|name| AgentName::new(name).map_err(|bad| usage(bad.to_string())))
        .transpose()?;
    let needed = |text: Option<String>, what: &str| {
        text.ok_or_else(|| usage(format!("{what} is missing: pass it as `text`")))
    };
    let id = named.as_deref().map(task_id).transpose()?;
    if action == Action::Add {
        let request = AddRequest {
            titles: vec![needed(text, "the title")?],
            under: id,
            neighbour: None,
            skill: None,
            agent,
            waits_for: Vec::new(),
            note: None,
        };
        let mut app = open()?;
        let changed = tasks::add_tasks(&mut app.store, &app.context, &request)?;
        return Ok(CallResult::new(
            task::changed(&changed, app.context.interface),
            &app.context.shell_command(&["task", "list"]),
        ));
    }
    let (Some(id), Some(named)) = (id, named) else {
        return Err(usage("the task is missing: pass its id as `task`".to_owned()));
    };
    // Text given with `done` becomes a note for later tasks.
    let note = text
        .clone()
        .filter(|_| action == Action::Done)
        .map(TaskCommand::Note);
    let command = match action {
        Action::Start | Action::TakeOver => {
            let command = TaskCommand::Start {
                agent: agent.clone(),
                run: None,
                take_over: action == Action::TakeOver,
            };
            let mut app = open()?;
            tasks::change_task(&mut app.store, &app.context, &id, &command)?;
            return details(&mut app, &named, Extent::Work, agent.as_ref(), options);
        }
        Action::Add | Action::Done => TaskCommand::Done,
        Action::Skip => TaskCommand::Skip { reason: text },
        Action::Fail => TaskCommand::Fail {
            reason: needed(text, "the reason")?,
        },
        Action::Block => TaskCommand::Block {
            reason: needed(text, "the reason")?,
        },
        Action::Reopen => TaskCommand::Reopen,
        Action::Note => TaskCommand::Note(needed(text, "the note")?),
    };
    let mut app = open()?;
    let commands: Vec<TaskCommand> = note.into_iter().chain([command]).collect();
    let changed = tasks::change_task_by(&mut app.store, &app.context, &id, &commands)?;
    let rest = app.context.shell_command(&["task", "show", &named, "--full"]);
    Ok(CallResult::new(
        task::changed(&changed, app.context.interface),
        &rest,
    ))
}
