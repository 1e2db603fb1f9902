//! `bugle project`

use bugle_app::{App, AppError, Exit, projects};
use bugle_render::project as text;
use clap::{Args, Subcommand};

use crate::commands::current_project::follow_move;
use crate::local_time::local_time;
use crate::output::Output;

/// List, join, move and merge projects
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  bugle project list")]
pub(crate) enum ProjectCommand {
    /// List projects
    #[command(after_help = "Example:\n  bugle project list")]
    List,
    /// Register this folder as a clone of an existing project
    ///
    /// If PROJECT is omitted, joins the project that matches this folder's remote or the id in .bugle/config.yaml.
    /// Requires the user's decision, which an agent can relay.
    Join(JoinArgs),
    /// Record a project's new folder
    ///
    /// Bugle recognises a moved project by the project id in its git config, or in .bugle/project outside git. Use this
    /// command if that id is missing. Requires the user's decision, which an agent can relay.
    Move(MoveArgs),
    /// Merge one project into another
    ///
    /// Moves runs, tasks, plans, agents and messages. Merges agents with the same address. Unread messages stay unread.
    /// Requires the user's decision, which an agent can relay.
    Merge(MergeArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle project join shop")]
pub(crate) struct JoinArgs {
    /// Project id or name
    project: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle project move ~/old/shop")]
pub(crate) struct MoveArgs {
    /// Project id or old folder
    old: String,
    /// New folder [default: the current folder]
    new: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle project merge ~/shop-copy ~/shop")]
pub(crate) struct MergeArgs {
    /// Id or folder of the project to merge
    from: String,
    /// Id or folder of the project to merge into
    into: String,
}

pub(crate) fn run(app: &mut App, command: &ProjectCommand, output: &Output) -> Result<Exit, AppError> {
    let change = match command {
        ProjectCommand::List => {
            follow_move(app)?;
            let list = projects::list_projects(&mut app.store, &app.context)?;
            output.answer(&list, || text::projects(&list, &local_time))?;
            return Ok(Exit::Done);
        }
        ProjectCommand::Join(args) => {
            projects::join_project(&mut app.store, &app.context, args.project.as_deref())?
        }
        ProjectCommand::Move(args) => {
            projects::move_project(&mut app.store, &app.context, &args.old, args.new.as_deref())?
        }
        ProjectCommand::Merge(args) => {
            projects::merge_projects(&mut app.store, &app.context, &args.from, &args.into)?
        }
    };
    output.line(&text::changed(&change))?;
    Ok(Exit::Done)
}
