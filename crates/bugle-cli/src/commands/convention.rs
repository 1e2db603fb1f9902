//! `bugle convention`

use bugle_app::{AppError, Context, Exit, conventions, show_convention};
use bugle_render::skill as text;
use clap::{Args, Subcommand};

use crate::output::Output;

/// List and show the conventions that steps can ask for
#[derive(Debug, Subcommand)]
pub(crate) enum ConventionCommand {
    /// List every convention with its sections
    List,
    /// Show a convention, or one section as name#section
    Show(ShowArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The convention's name, perhaps with #section
    name: String,
}

pub(crate) fn run(ctx: &Context, command: &ConventionCommand, output: &Output) -> Result<Exit, AppError> {
    match command {
        ConventionCommand::List => {
            let list = conventions(ctx);
            output.answer(&list, || text::conventions(&list))?;
        }
        ConventionCommand::Show(args) => {
            let detail = show_convention(ctx, &args.name)?;
            output.answer(&detail, || text::convention(&detail))?;
        }
    }
    Ok(Exit::Done)
}
