//! `bugle task add`

use bugle_app::{AddRequest, App, AppError, Exit, Neighbour, task_id, tasks};
use clap::Args;

use super::print::print_changed;
use crate::commands::args::{agent_name, skill_address};
use crate::output::Output;

/// Add tasks
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle task add \"Write the migration\" --after t-4k2")]
pub(crate) struct AddArgs {
    /// Title of each new task
    #[arg(required = true, value_name = "TITLE")]
    titles: Vec<String>,
    /// Add as subtasks of this task
    #[arg(long, value_name = "TASK")]
    under: Option<String>,
    #[command(flatten)]
    neighbour: NeighbourArgument,
    /// Skill for the new tasks
    #[arg(long)]
    skill: Option<String>,
    /// Assign the new tasks to this agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Make the new tasks depend on this task (repeatable)
    #[arg(long, value_name = "TASK")]
    waits_for: Vec<String>,
    /// Note to add to each new task
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
}

#[derive(Debug, Args)]
#[group(multiple = false)]
struct NeighbourArgument {
    /// Add directly before this task
    #[arg(long, value_name = "TASK")]
    before: Option<String>,
    /// Add directly after this task
    #[arg(long, value_name = "TASK")]
    after: Option<String>,
    /// Add before all siblings
    #[arg(long)]
    first: bool,
}

pub(super) fn run(app: &mut App, args: AddArgs, output: &Output) -> Result<Exit, AppError> {
    let waits_for: Vec<_> = args
        .waits_for
        .iter()
        .map(|on| task_id(on))
        .collect::<Result<_, _>>()?;
    let changed = tasks::add_tasks(
        &mut app.store,
        &app.context,
        &AddRequest {
            titles: args.titles,
            under: args.under.as_deref().map(task_id).transpose()?,
            neighbour: args.neighbour.neighbour()?,
            skill: args.skill.map(skill_address).transpose()?,
            agent: args.agent.map(agent_name).transpose()?,
            waits_for,
            note: args.note,
        },
    )?;
    print_changed(&changed, output)
}

impl NeighbourArgument {
    fn neighbour(&self) -> Result<Option<Neighbour>, AppError> {
        if self.first {
            return Ok(Some(Neighbour::First));
        }
        if let Some(other) = &self.before {
            return Ok(Some(Neighbour::Before(task_id(other)?)));
        }
        let after = self.after.as_deref().map(task_id).transpose()?;
        Ok(after.map(Neighbour::After))
    }
}
