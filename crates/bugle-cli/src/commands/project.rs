//! `bugle project`

use bugle_app::{App, AppError, Exit, projects};
use bugle_render::project as text;
use clap::{Args, Subcommand};

use crate::local_time::local_time;
use crate::output::Output;

/// List projects, and move or merge them when a folder was moved and not found again
#[derive(Debug, Subcommand)]
pub(crate) enum ProjectCommand {
    /// List every project: folder, runs, tasks, last activity
    List,
    /// Tell Bugle that a project is in another folder now (user only)
    ///
    /// Bugle notices a moved folder by the id that it keeps in git's configuration, or in .bugle/project outside git. This
    /// is for a folder that has no id.
    Move(MoveArgs),
    /// Bring the runs, tasks, plans, agents and messages of one project under another (user only)
    ///
    /// Two agents with the same address become one, with one mailbox: what either has not read stays unread.
    Merge(MergeArgs),
}

#[derive(Debug, Args)]
pub(crate) struct MoveArgs {
    /// The project: its id, or the folder that it was in
    old: String,
    /// The folder that it is in now; without it, this one
    new: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// The project that is merged: its id or its folder
    from: String,
    /// The project that gets everything: its id or its folder
    into: String,
}

pub(crate) fn run(app: &mut App, command: &ProjectCommand, output: &Output) -> Result<Exit, AppError> {
    let changes = match command {
        ProjectCommand::List => {
            projects::follow_move(&mut app.store, &app.context)?;
            let list = projects::list_projects(&mut app.store, &app.context)?;
            output.answer(&list, || text::projects(&list, &local_time))?;
            return Ok(Exit::Done);
        }
        ProjectCommand::Move(args) => {
            projects::move_project(&mut app.store, &app.context, &args.old, args.new.as_deref())?
        }
        ProjectCommand::Merge(args) => {
            projects::merge_projects(&mut app.store, &app.context, &args.from, &args.into)?
        }
    };
    output.line(&changes.join(" "))?;
    Ok(Exit::Done)
}
